"""Descriptions by `dpbandits list NAME` of what a configuration names.

These are papers, and their experiments, computations, figures, tables and claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import yaml

from dpbandits.core import escapes, registry
from dpbandits.core.home import home

if TYPE_CHECKING:
    from dpbandits.claims.claim import Claims, Test
    from dpbandits.runs.models import Config, Exhibit, Paper

# Sections of a paper's experiments.yaml whose entries have names.
SECTIONS = ("experiments", "computations", "figures", "tables")
# Whose a claim is, by its reading.
READINGS_IN_WORDS: Mapping[str, str] = {
    "paper": "the paper's",
    "ours": "a reading of ours, no sentence of the paper",
    "asked": "a question that the paper asks",
}


class Configuration(NamedTuple):
    """A configuration that `dpbandits list NAME` describes.

    Attributes
    ----------
    folder
        Path of the configuration's folder, ``config``.
    config, claims
        Checked content: papers with their sections, and claims by paper.
    """

    folder: Path
    config: Config
    claims: Claims


def source_path(module: str) -> str:
    """Return the file of a module in a clone: ``src/dpbandits/core/files.py`` of ``dpbandits.core.files``."""
    return f"src/{module.replace('.', '/')}.py"


def configuration() -> Configuration:
    """Return the configuration of the working directory, or else that of the clone or the installed package.

    The working directory has one if it has the file ``config/config.yaml``. A configuration with a fault raises
    `BadInput`.
    """
    from dpbandits.claims import claim
    from dpbandits.runs import config

    folder = Path("config") if Path("config", "config.yaml").is_file() else home() / "config"
    checked = config.load(config.shipped(folder))
    return Configuration(folder, checked, claim.load(checked))


def names(configured: Configuration) -> list[str]:
    """Return the names of everything that `describe` describes, each once.

    They are papers, then all papers' experiments, computations, figures and tables, then claims.
    """
    own = [
        name for paper in configured.config.papers.values() for part in SECTIONS for name in getattr(paper, part)
    ]
    claimed = [name for paper in configured.claims.values() for name in paper.claims]
    return list(dict.fromkeys([*configured.config.papers, *own, *claimed]))


def describe(name: str, configured: Configuration) -> list[str]:
    """Return a description, of several lines, of each entry of the configuration that has this name.

    There may be several: figures of two papers, say. Without any the list is empty. The lines say, as far as that
    applies, what makes the entry, where its options are, what it needs, what reads it, and which command makes it.
    """
    return [
        "\n".join(lines)
        for paper in configured.config.papers
        for lines in _describe_in_paper(name, paper, configured)
    ]


def _describe_in_paper(name: str, paper: str, configured: Configuration) -> Iterator[list[str]]:
    """Yield the lines on each thing of a paper that has this name."""
    own = configured.config.papers[paper]
    if name == paper:
        yield [
            f"{name}: {own.title} ({own.authors}, {own.year})",
            *(f"    {section}: {', '.join(getattr(own, section)) or 'none'}" for section in SECTIONS),
            f"    claims: {len(configured.claims[name].claims) if name in configured.claims else 0}, "
            f"in {own.claims}",
            f"    make it: snakemake --cores 2 results/{name}/config.json",
        ]
    file = configured.folder / paper / "experiments.yaml"
    for section, kind, suffix in (("figures", "figure", "pdf"), ("tables", "table", "md")):
        if name in getattr(own, section):
            exhibit = getattr(own, section)[name]
            maker = exhibit.draw if section == "figures" else exhibit.make
            folder = f"figures/{paper}" if section == "figures" else f"results/{paper}/tables"
            yield [
                f"{name}: {kind} of {paper}",
                f"    made by: {source_path(registry.module(kind, maker))}",
                f"    options: {_line(file, section, name)}",
                *_needs(exhibit),
                f"    make it: snakemake {folder}/{name}.{suffix} --cores 2",
            ]
    if name in own.computations:
        computation = own.computations[name]
        yield [
            f"{name}: computation of {paper}",
            f"    made by: {source_path(registry.module('computation', computation.compute))}",
            f"    parameters: {_line(file, 'computations', name)}",
            f"    needs: {_listed('experiments', computation.experiments)}",
            f"    used by: {_users(own, 'computations', name)}",
        ]
    if name in own.experiments:
        experiment = own.experiments[name]
        yield [
            f"{name}: experiment of {paper}",
            f"    defined: {_line(file, 'experiments', name)}",
            f"    algorithms: {', '.join(experiment.algorithms)}",
            f"    environments: {', '.join(experiment.environments)}",
            f"    used by: {_users(own, 'experiments', name)}",
        ]
    claims = configured.claims[paper].claims if paper in configured.claims else {}
    if name in claims:
        claim = claims[name]
        tests = dict.fromkeys(test.test for test in claim.tests)
        yield [
            f"{name}: claim of {paper} ({claim.place})",
            f"    says: {claim.statement}",
            f"    whose: {READINGS_IN_WORDS[claim.reading]}",
            *_read_by(claim.tests),
            f"    decided by: {', '.join(source_path(registry.module('test', test)) for test in tests)}",
            f"    options: {_line(configured.folder / paper / 'claims.yaml', 'claims', name)}",
            f"    verdict: {_verdict(paper, name, configured)}",
            "    make it: snakemake results/claims.md --cores 2",
        ]


def _verdict(paper: str, name: str, configured: Configuration) -> str:
    """Return a claim's verdict and effect, from this folder's ledger or else from the one in docs."""
    folders = (Path(configured.config.folders.results), configured.folder.parent / "docs" / "results")
    for ledger in filter(Path.is_file, (folder / "claims.csv" for folder in folders)):
        with ledger.open(encoding="utf-8", newline="") as opened:
            for row in escapes.read_rows(opened):
                if (row["paper"], row["id"]) == (paper, name):
                    return f"{row['verdict']}; {row['effect']} ({ledger})"
    return "none yet"


def _read_by(tests: Sequence[Test]) -> list[str]:
    """Return the line of what tests of a claim read, if they read any."""
    names = {
        what: list(dict.fromkeys(name for test in tests for name in getattr(test, what)))
        for what in ("experiments", "computations")
    }
    parts = [_listed(what, labels) for what, labels in names.items()]
    return [f"    needs: {'; '.join(filter(None, parts))}"] if any(parts) else []


def _needs(exhibit: Exhibit) -> list[str]:
    parts = [_listed("experiments", exhibit.experiments), _listed("computations", exhibit.computations)]
    return [f"    needs: {'; '.join(filter(None, parts)) or 'nothing'}", f"    shows: {exhibit.caption}"]


def _listed(what: str, labels: list[str]) -> str:
    return f"{what} {', '.join(labels)}" if labels else ""


def _users(paper: Paper, section: str, name: str) -> str:
    """Return the figures, tables and computations of a paper that read an experiment or a computation."""
    parts: Mapping[str, Mapping[str, object]] = {part: getattr(paper, part) for part in SECTIONS[1:]}
    users = [
        f"{part} {label}"
        for part, entries in parts.items()
        for label, entry in entries.items()
        if name in getattr(entry, section, [])
    ]
    return ", ".join(users) or "claims alone"


def _line(file: Path, section: str, name: str) -> str:
    """Return file and line of a section's entry, from 1."""
    from dpbandits.runs.safe_yaml import LOADER

    root = yaml.compose(file.read_text(encoding="utf-8"), Loader=LOADER)
    assert isinstance(root, yaml.MappingNode)
    entries = {key.value: value for key, value in root.value}
    places = {key.value: key.start_mark.line + 1 for key, _ in entries[section].value} if section in entries else {}
    return f"{file}, line {places[name]}" if name in places else str(file)
