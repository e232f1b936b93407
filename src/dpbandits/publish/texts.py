"""Texts of papers: their claims, words and discrepancies, and the digests by which pages follow them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from dpbandits.claims import claim, confirmation, discrepancies
from dpbandits.claims.claim import Claims
from dpbandits.claims.discrepancies import Entries
from dpbandits.core.home import home
from dpbandits.core.provenance import package_version
from dpbandits.publish import cite
from dpbandits.runs import words
from dpbandits.runs.models import Config
from dpbandits.runs.words import Words


class Texts(NamedTuple):
    """Texts of the papers of a configuration, by the paper's id.

    Attributes
    ----------
    claims
        Claims of each paper that states some.
    words
        Each paper's words for labels, and sentences for pages; empty ones for a paper without a file of them.
    discrepancies
        Entries of the register of discrepancies (false, unproved, misprinted or open statements) of each paper that
        has some, as JSON data.
    digests
        Digests of the files behind these texts, by which pages are made again, as `digests` returns them.
    """

    claims: Claims
    words: Mapping[str, Words]
    discrepancies: Entries
    digests: Mapping[str, str]

    def digests_of(self, papers: Iterable[str]) -> dict[str, str]:
        """Return the digests of the texts of some papers, and of what all papers share, such as CITATION.cff."""
        # ``words`` has every paper. The order stays that of the digests: the same in each process.
        others = self.words.keys() - set(papers)
        return {name: digest for name, digest in self.digests.items() if name not in others}


def load(config: Config) -> Texts:
    """Return the texts of all papers, checked against their configuration.

    Raises
    ------
    BadInput
        For the first fault, with file, key path, value, and what is allowed.
    MissingFile
        If there is no CITATION.cff.
    """
    while True:
        before = digests(config)
        read = claim.load(config), words.load(config), discrepancies.entries(config)
        # What is edited while it is read is read once more.
        if digests(config) == before:
            return Texts(*read, before)


def digests(config: Config) -> dict[str, str]:
    """Return digests of the files that pages quote beside the configuration and the results.

    The key that is a paper's id has the digest of its files of claims, words and discrepancies. Other keys are what
    all papers share: ``the package's version``, ``CITATION.cff``, and the names of the files that record a second
    run, on a fresh root seed, such as ``confirmed.csv``.

    Raises
    ------
    MissingFile
        If there is no CITATION.cff.
    """
    # No paper's id has a space or a dot, so no key has two meanings.
    shared = {file.name: _digest(file) for file in (cite.file(home()), *confirmation.files())}
    return {
        "the package's version": confirmation.digest(package_version()),
        **shared,
        **{
            name: confirmation.digest([_digest(Path(file)) for file in files if file is not None])
            for name, paper in config.papers.items()
            for files in [(paper.claims, paper.words, paper.discrepancies)]
        },
    }


def _digest(file: Path) -> str:
    """Return the digest of a file's bytes."""
    return confirmation.digest(file.read_bytes())
