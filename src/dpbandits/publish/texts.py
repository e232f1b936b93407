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
    """Texts of the papers of a configuration, each by the paper's id.

    Attributes
    ----------
    claims
        Claims of each paper that states some.
    words
        Words of each paper for its labels, and its choices for pages; empty ones where it has no file of them.
    discrepancies
        Entries of the register of discrepancies of each paper that has some, as JSON data.
    digests
        Digests of what pages say beside the configuration and the results, as the function `digests` returns them.
    """

    claims: Claims
    words: Mapping[str, Words]
    discrepancies: Entries
    digests: Mapping[str, str]

    def digests_of(self, papers: Iterable[str]) -> dict[str, str]:
        """Return the digests that pages on some papers follow: of these papers, and of what all papers share."""
        return {name: self.digests[name] for name in (*(self.digests.keys() - self.words.keys()), *papers)}


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
    """Return digests of what pages say beside the configuration and the results.

    A paper's id has the digest of its files of claims, words and discrepancies. Other keys are what all papers
    share: ``the package's version``, and the names of CITATION.cff and of the files on the run with a fresh root
    seed, such as ``confirmed.csv``.

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
