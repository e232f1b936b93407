"""Composition of what the site and the article show: from a checked configuration, its cells and its texts.

A cell is runs of one algorithm in one environment at one budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dpbandits.claims import discrepancies
from dpbandits.claims.confirmation import confirmation, second_verdicts, today
from dpbandits.core import registry
from dpbandits.core.errors import ChangedSources
from dpbandits.core.files import read_json
from dpbandits.core.home import home
from dpbandits.core.provenance import package_version
from dpbandits.publish import texts, vocabularies
from dpbandits.publish.cite import citation, cite
from dpbandits.publish.drawn_runs import cells_of, front_page_runs, presets
from dpbandits.runs import caption, plan
from dpbandits.runs import config as configuration

if TYPE_CHECKING:
    from dpbandits.publish.content import (
        ArticleContent,
        CitedPaper,
        ExploredPaper,
        ItemContent,
        PaperContent,
        SiteContent,
    )
    from dpbandits.publish.texts import Texts
    from dpbandits.runs.models import Config, Exhibit, Paper
    from dpbandits.runs.plan import Cells


class Settled(NamedTuple):
    """A checked configuration, with the cells and texts that belong to it.

    Attributes
    ----------
    config
        The configuration.
    cells
        Its cells, by paper and experiment. A cell is runs of one algorithm in one environment at one budget.
    texts
        The texts of its papers: claims, words, entries of the register of discrepancies, and digests of these.
    """

    config: Config
    cells: Cells
    texts: Texts


def restored(saved: Path, digests: Mapping[str, str]) -> Settled:
    """Return the configuration in ``saved``, the JSON file beside the results, with its cells and texts.

    There is a cell for each algorithm, environment, budget and horizon of an experiment. The papers' texts are read
    as they are now. ``digests``, by paper id or shared file's name, are those taken of the texts when the run was
    planned: see `dpbandits.publish.texts.digests`. Only papers that have a digest are kept.

    Raises
    ------
    ChangedSources
        If a paper's texts or a file that all papers share, such as CITATION.cff, no longer have these digests.
    DamagedFile
        If the saved configuration is damaged.
    MissingFile
        If there is no CITATION.cff.
    """
    whole = configuration.checked(read_json(saved)["configuration"])
    papers = {paper: content for paper, content in whole.papers.items() if paper in digests}
    config = whole.model_copy(update={"papers": papers})
    written = texts.load(config)
    changed = {name for name, _ in digests.items() ^ written.digests.items()}
    if changed:
        named = [f"the texts on {name}" if name in papers else name for name in changed]
        raise ChangedSources("this workflow", named)
    return Settled(config, plan.all_cells(config), written)


def citation_of(content: Paper) -> CitedPaper:
    """Return the citation of a paper: its title, authors and year."""
    return {"title": content.title, "authors": content.authors, "year": content.year}


class Shown(NamedTuple):
    """Paths of files that the site shows, or reads for a paper's page.

    Attributes
    ----------
    files
        Paths of each figure's and table's files, by kind (``figure`` or ``table``), paper and file name without
        suffix, such as ``fig4-published``; then by suffix, such as ``png``.
    interactive
        File names, without suffix, of the figures whose curves a reader can move, by paper.
    findings
        Path of the CSV file with what the tests of a paper's claims found, by paper; none for a paper without
        claims.
    """

    files: Mapping[tuple[str, ...], Mapping[str, str]]
    interactive: Mapping[str, Sequence[str]]
    findings: Mapping[str, str]


def site_content(settled: Settled, shown: Shown, configfile: str) -> SiteContent:
    """Return that content of the site's pages that follows from configuration and texts, without any results.

    Parameters
    ----------
    settled
        The configuration, its cells and its texts.
    shown
        Paths of the files that the site shows.
    configfile
        The files that were given to Snakemake's ``--configfile``, quoted for a shell; empty if there were none.
    """
    config, cells, (claims, words, *_) = settled
    released, confirmed = citation(home()), second_verdicts()
    played = (front_page_runs(config, cells, paper, own) for paper, own in words.items())
    simulated = sorted({cell.job.algorithm for paper in config.papers for cell in cells_of(config, cells, paper)})
    settings = {registry.setting("algorithm", name) for name in simulated}
    return {
        "version": package_version(),
        "root_seed": config.root_seed,
        "released": str(released["date-released"]),
        "repository": released.get("repository-code", ""),
        "citation": cite(),
        "configfile": configfile,
        "kinds": discrepancies.DISCREPANCY_KINDS,
        "play": next(filter(None, played), None),
        "algorithms": [
            name
            for name in sorted(registry.modules("algorithm"))
            if registry.setting("algorithm", name) in settings
        ],
        "simulated": simulated,
        "presets": [preset for paper, own in words.items() for preset in presets(config, cells, paper, own)],
        "again": {paper: confirmed[paper] for paper in claims if paper in confirmed},
        "again_today": today(claims),
        "papers": paper_contents(settled, shown),
        "effects": {
            paper: {name: [test.effect for test in stated.tests] for name, stated in content.claims.items()}
            for paper, content in claims.items()
        },
        "audited": {
            paper: {
                name: [
                    each for test in stated.tests if test.test == "privacy" for each in test.options["algorithms"]
                ]
                for name, stated in content.claims.items()
            }
            for paper, content in claims.items()
        },
        "explored": {paper: _explored(settled, paper) for paper in config.papers},
    }


def paper_contents(settled: Settled, shown: Shown) -> dict[str, PaperContent]:
    """Return that content of each paper's page that follows from configuration and texts, by the paper's id.

    Papers are in the configuration's order. ``settled`` has the configuration, its cells and its texts; ``shown``
    has paths of the files that pages show.
    """
    config, cells, (claims, words, entries, _) = settled
    return {
        paper: {
            **citation_of(content),
            "items": list(_items(settled, shown, paper)),
            "discrepancies": entries.get(paper, []),
            "story": claims[paper].story if paper in claims else [],
            "findings": shown.findings.get(paper, ""),
            "words": words[paper].model_dump(mode="json"),
            "vocabulary": vocabularies.paper_vocabulary(config, cells, claims, paper, words[paper]),
        }
        for paper, content in config.papers.items()
    }


def _explored(settled: Settled, paper: str) -> ExploredPaper:
    """Return the experiments of a paper with their numbers of cells and words, and the first to show."""
    content, own = settled.config.papers[paper], settled.texts.words[paper].names
    cells = {name: len(settled.cells[paper, name]) for name in content.experiments}
    drawn = [name for figure in content.figures.values() for name in figure.experiments]
    labels = [(section, name) for section in ("environments", "experiments") for name in getattr(content, section)]
    names = {name: own.word(section, name) for section, name in labels}
    return {"title": content.title, "experiments": cells, "first": next(iter([*drawn, *cells]), ""), "names": names}


def _items(settled: Settled, shown: Shown, paper: str) -> Iterator[ItemContent]:
    """Yield the figures of a paper in each version, then its tables."""
    config, content = settled.config, settled.config.papers[paper]

    def item(kind: str, name: str, version: str, entry: Exhibit, stem: str, *suffixes: str) -> ItemContent:
        """Return a figure or a table in one version. Snakemake is asked for the first of ``suffixes``."""
        made = shown.files[kind, paper, stem]
        return {
            "kind": kind,
            "name": name,
            "title": settled.texts.words[paper].names.word(f"{kind}s", name),
            "version": version,
            "is_interactive": kind == "figure" and stem in shown.interactive[paper],
            "caption": entry.caption_of(version),
            "scale": caption.scale(config, settled.cells, paper, entry, version),
            "files": {suffix: made[suffix] for suffix in suffixes},
        }

    for file in plan.figure_files(config, paper):
        figure = content.figures[file.figure]
        yield item("figure", file.figure, file.version, figure, file.stem, "pdf", "png", "csv")
    for name, table in content.tables.items():
        yield item("table", name, "full", table, name, "md", "tex", "csv")


def article_content(settled: Settled, figures: Sequence[str]) -> ArticleContent:
    """Return that content of the article that follows from configuration and texts, without any results.

    Parameters
    ----------
    settled
        The configuration, its cells and its texts.
    figures
        The figures that the article shows, each as ``paper/name``.
    """
    config, cells, (claims, words, entries, _) = settled
    planned = [cell for of_experiment in cells.values() for cell in of_experiment.values()]
    return {
        "papers": {
            paper: {
                **citation_of(content),
                "published_runs": content.published_runs,
                "know": words[paper].know,
                "discrepancies": entries.get(paper, []),
                "vocabulary": vocabularies.paper_vocabulary(config, cells, claims, paper, words[paper]),
            }
            for paper, content in config.papers.items()
        },
        "scales": {
            f"{paper}/{name}": caption.scale(config, cells, paper, config.papers[paper].figures[name])
            for paper, name in (figure.split("/") for figure in figures)
        },
        "kinds": discrepancies.DISCREPANCY_KINDS,
        "level": config.level,
        "confidence": config.privacy.confidence,
        "epsilons": config.privacy.epsilons,
        "version": package_version(),
        "root_seed": config.root_seed,
        "runs": sum(cell.runs for cell in planned),
        "cells": len(planned),
        "confirmed": confirmation(claims),
    }
