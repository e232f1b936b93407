"""Products for readers: the register of discrepancies, the saved configuration, and the static site."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.claims import discrepancies
from dpbandits.claims.confirmation import second_verdicts, today
from dpbandits.core import registry
from dpbandits.core.files import whole, write_json
from dpbandits.core.home import home
from dpbandits.core.provenance import package_version, record_digest
from dpbandits.products import vocabularies
from dpbandits.products.browser import browser_products
from dpbandits.products.curves import line_figures
from dpbandits.products.drawn_runs import cells_of, front_page_runs, presets
from dpbandits.products.product import (
    Defines,
    JsonProduct,
    MadeFrom,
    Product,
    Products,
    SealedProduct,
    files_by_suffix,
)
from dpbandits.publish import PAGES
from dpbandits.publish.cite import citation, cite
from dpbandits.runs import caption, plan
from dpbandits.runs import words as wording

if TYPE_CHECKING:
    from dpbandits.claims.claim import Claims
    from dpbandits.claims.discrepancies import Entries
    from dpbandits.publish.content import (
        CitedPaper,
        ExploredPaper,
        ItemContent,
        SiteContent,
    )
    from dpbandits.runs.models import Config, Exhibit, Paper
    from dpbandits.runs.plan import Cells
    from dpbandits.runs.words import Words


@dataclass(frozen=True, kw_only=True)
class Register(SealedProduct):
    """The register of discrepancies as one text in Markdown.

    Attributes
    ----------
    register, titles
        Entries of each paper, and titles of the papers, by the paper's id.
    kinds
        All kinds of entries, the strongest first.
    """

    register: Defines[Entries]
    titles: Defines[Mapping[str, str]]
    kinds: Defines[Sequence[str]]

    def make(self) -> Sequence[Path]:
        """Write the text."""
        from dpbandits.claims.discrepancies import markdown

        text = markdown(self.register, self.titles, self.kinds)
        with whole(self.paths["md"]) as aside:
            aside.write_text(text, encoding="utf-8")
        return ()


@dataclass(frozen=True, kw_only=True)
class Configuration(JsonProduct):
    """The configuration with all defaults filled in, as a file."""

    configuration: Defines[Mapping[str, object]]

    def make(self) -> Mapping[str, object]:
        """Return the configuration as the content of the file."""
        return {"configuration": self.configuration}

    @property
    def known_content(self) -> dict[str, object]:
        """The configuration itself, which the product's file must have."""
        return self.rerun_if_changed

    def write(self, made_from: MadeFrom) -> None:
        """Write the file. Its provenance is the fingerprint alone: its definition would repeat its content."""
        write_json(self.paths["json"], {**self.make(), "made_from": {"identity": made_from["identity"]}})


@dataclass(frozen=True, kw_only=True)
class Site(SealedProduct):
    """The static site.

    Attributes
    ----------
    digest
        Digest of ``content``, by which the site is made again if it changes.
    content
        Data of the pages that follow from the configuration.
    ledger, privacy_table, privacy_figure
        Paths of the ledger, and of the table and figure of audits; ``None`` without claims or audits.
    findings
        Paths of the files of findings, one for each paper that has claims.
    configuration, kernels
        Paths of the saved configuration, and of the kernels that the page *Try* runs.
    curves
        Path of the index of curves, by the paper's id.
    """

    digest: Defines[str]
    content: SiteContent
    ledger: str | None
    findings: Sequence[str]
    privacy_table: str | None
    privacy_figure: str | None
    configuration: str
    kernels: str
    curves: Mapping[str, str]

    def make(self) -> Sequence[Path]:
        """Make the pages, and return paths of their pictures."""
        from dpbandits.publish.html.build import build

        return build(
            self.content,
            self.results,
            self.ledger,
            self.findings,
            self.privacy_table,
            self.privacy_figure,
            self.configuration,
            self.kernels,
            self.curves,
            self.paths,
        )


def site_products(
    config: Config, planned_cells: Cells, claims: Claims, earlier: Products, entries: Entries
) -> Products:
    """Return the register of discrepancies, the configuration, the kernels, the site, and each paper's own site.

    Parameters
    ----------
    config, planned_cells
        The checked configuration and its cells.
    claims
        The claims of each paper.
    earlier
        The products before these, by kind and name.
    entries
        Entries of the register of discrepancies, by paper.
    """
    results = config.folders.results
    register = Register(
        files=files_by_suffix(f"{results}/discrepancies", "md"),
        register=entries,
        titles={paper: content.title for paper, content in config.papers.items()},
        kinds=discrepancies.DISCREPANCY_KINDS,
        modules=("dpbandits.claims.discrepancies",),
        results=results,
    )
    saved = Configuration(
        files=files_by_suffix(f"{results}/config", "json"),
        configuration=config.model_dump(mode="json"),
        modules=("dpbandits.core.files",),
        results=results,
    )
    made: Products = {("register",): register, ("configuration",): saved, **browser_products(config, planned_cells)}
    of_one: Products = {}
    for paper in config.papers:
        alone = config.model_copy(update={"papers": {paper: config.papers[paper]}})
        stated = {paper: claims[paper]} if paper in claims else {}
        kept = {key: product for key, product in earlier.items() if key[1:2] == (paper,) and key[0] != "audit"}
        if ("paper_ledger", paper) in kept:
            kept["ledger",] = kept["paper_ledger", paper]
        site = _site(alone, planned_cells, stated, entries, {**kept, **made}, f"{results}/{paper}/site")
        # Nobody needs it where there is one of all papers.
        of_one["paper_site", paper] = replace(site, optional=True)
    return (
        made
        | of_one
        | {("site",): _site(config, planned_cells, claims, entries, {**earlier, **made}, f"{results}/site")}
    )


def _site(
    config: Config,
    planned_cells: Cells,
    claims: Claims,
    entries: Mapping[str, Sequence[Mapping[str, str]]],
    earlier: Products,
    folder: str,
) -> Site:
    """Return the site of the papers in a configuration, in a folder.

    Parameters
    ----------
    config, planned_cells
        The checked configuration and its cells.
    claims, entries
        Claims, and entries of the register, by paper.
    earlier
        The products so far.
    folder
        Where the pages lie.
    """
    words = wording.load(config)
    tables = ["-".join(name) for name in earlier if name[0] == "table"]
    pages = (*PAGES, *config.papers, *tables)
    ledger, privacy_table, privacy_figure = (
        earlier.get((kind,)) for kind in ("ledger", "privacy_table", "privacy_figure")
    )
    findings, curves = (
        {paper: earlier[kind, paper] for paper in config.papers if (kind, paper) in earlier}
        for kind in ("findings", "curves")
    )
    saved, compiled = earlier["configuration",], earlier["kernels",]
    released = citation(home())
    played = (front_page_runs(config, planned_cells, paper, own) for paper, own in words.items())
    confirmed = second_verdicts()
    simulated = sorted(
        {cell.job.algorithm for paper in config.papers for cell in cells_of(config, planned_cells, paper)}
    )
    content: SiteContent = {
        "version": package_version(),
        "root_seed": config.root_seed,
        "released": str(released["date-released"]),
        "repository": released.get("repository-code", ""),
        "citation": cite(),
        "configfile": shlex.join(config.configfiles),
        "kinds": discrepancies.DISCREPANCY_KINDS,
        "play": next(filter(None, played), None),
        "algorithms": [
            name
            for name in sorted(registry.modules("algorithm"))
            if registry.setting("algorithm", name) in {registry.setting("algorithm", each) for each in simulated}
        ],
        "simulated": simulated,
        "presets": [
            preset for paper, own in words.items() for preset in presets(config, planned_cells, paper, own)
        ],
        "again": {paper: confirmed[paper] for paper in claims if paper in confirmed},
        "again_today": today(claims),
        "papers": {
            paper: {
                **citation_of(config.papers[paper]),
                "items": _items(config, planned_cells, earlier, paper, words[paper]),
                "discrepancies": entries.get(paper, []),
                "story": claims[paper].story if paper in claims else [],
                "findings": _main_file(findings.get(paper)) or "",
                "words": words[paper].model_dump(mode="json"),
                "vocabulary": vocabularies.paper_vocabulary(config, planned_cells, claims, paper, words[paper]),
            }
            for paper in config.papers
        },
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
        "explored": {paper: _explored(config, planned_cells, paper, words[paper]) for paper in config.papers},
    }
    return Site(
        files={page: f"{folder}/{page}.html" for page in pages},
        digest=record_digest(content),
        content=content,
        modules=("dpbandits.publish.html.build", *registry.modules("picture").values()),
        results=config.folders.results,
        products=(
            *(product for (kind, *_), product in earlier.items() if kind in ("figure", "table", "audit")),
            *findings.values(),
            *curves.values(),
            *(product for product in (ledger, privacy_table, privacy_figure) if product is not None),
            saved,
            compiled,
        ),
        ledger=_main_file(ledger),
        findings=[product.main for product in findings.values()],
        privacy_table=_main_file(privacy_table),
        privacy_figure=_main_file(privacy_figure),
        configuration=saved.main,
        kernels=compiled.main,
        curves={paper: product.main for paper, product in curves.items()},
    )


def _main_file(product: Product | None) -> str | None:
    """Return the file of a product that others read."""
    return None if product is None else product.main


def citation_of(content: Paper) -> CitedPaper:
    """Return the citation of a paper: its title, authors and year."""
    return {"title": content.title, "authors": content.authors, "year": content.year}


def _explored(config: Config, planned_cells: Cells, paper: str, words: Words) -> ExploredPaper:
    """Return the experiments of a paper with their numbers of cells and words, and the first to show."""
    content = config.papers[paper]
    cells = {name: len(planned_cells[paper, name]) for name in content.experiments}
    drawn = [name for figure in content.figures.values() for name in figure.experiments]
    labels = [(section, name) for section in ("environments", "experiments") for name in getattr(content, section)]
    names = {name: words.names.word(section, name) for section, name in labels}
    return {"title": content.title, "experiments": cells, "first": next(iter([*drawn, *cells]), ""), "names": names}


def _items(config: Config, planned_cells: Cells, earlier: Products, paper: str, words: Words) -> list[ItemContent]:
    """Return the figures and tables of a paper.

    Parameters
    ----------
    config, planned_cells
        The checked configuration and its cells.
    earlier
        The products so far.
    paper, words
        The paper's id and words.
    """
    content, moved = config.papers[paper], [file.stem for file in line_figures(config, paper)]

    def item(kind: str, name: str, version: str, entry: Exhibit, stem: str, *suffixes: str) -> ItemContent:
        """Return a figure or a table in one version. Snakemake is asked for the first of ``suffixes``."""
        made = earlier[kind, paper, stem].files
        return {
            "kind": kind,
            "name": name,
            "title": words.names.word(f"{kind}s", name),
            "version": version,
            "answers": kind == "figure" and stem in moved,
            "caption": entry.caption_of(version),
            "scale": caption.scale(config, planned_cells, paper, entry, version),
            "files": {suffix: made[suffix] for suffix in suffixes},
        }

    figures = [
        item("figure", file.figure, file.version, content.figures[file.figure], file.stem, "pdf", "png", "csv")
        for file in plan.figure_files(config, paper)
    ]
    tables = [
        item("table", name, "full", entry, name, "md", "tex", "csv") for name, entry in content.tables.items()
    ]
    return [*figures, *tables]
