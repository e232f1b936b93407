"""Products for readers: the register of discrepancies, the saved configuration, and the static site.

The ledger is the table of the papers' claims with their verdicts. The register of discrepancies has an entry for
each statement of a paper that is false, unproved, misprinted or left open.
"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from dpbandits.claims import discrepancies
from dpbandits.core import registry
from dpbandits.core.files import whole, write_json
from dpbandits.products.browser import browser_products
from dpbandits.products.curves import Curves
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
from dpbandits.publish.compose import Shown, restored, site_content

if TYPE_CHECKING:
    from dpbandits.claims.discrepancies import Entries
    from dpbandits.publish.texts import Texts
    from dpbandits.runs.models import Config
    from dpbandits.runs.plan import Cells


@dataclass(frozen=True, kw_only=True)
class Register(SealedProduct):
    """The register of discrepancies, as one text in Markdown.

    It lists statements of the papers that are false, unproved, misprinted or left open. The product is made again
    if a field ``Defines[...]`` changes.

    Attributes
    ----------
    register, titles
        Entries of each paper, as JSON data, and titles of the papers, by the paper's id.
    kinds
        All kinds of entries, the strongest first.
    """

    register: Defines[Entries]
    titles: Defines[Mapping[str, str]]
    kinds: Defines[Sequence[str]]

    def make(self) -> Sequence[Path]:
        """Write the register as Markdown; return no further files."""
        from dpbandits.claims.discrepancies import markdown

        text = markdown(self.register, self.titles, self.kinds)
        with whole(self.paths["md"]) as aside:
            aside.write_text(text, encoding="utf-8")
        return ()


@dataclass(frozen=True, kw_only=True)
class Configuration(JsonProduct):
    """The configuration with all defaults filled in, as a JSON file.

    The product is made again if a field ``Defines[...]`` changes.
    """

    configuration: Defines[Mapping[str, object]]

    def make(self) -> Mapping[str, object]:
        """Return the configuration as the content of the file."""
        return {"configuration": self.configuration}

    @property
    def known_content(self) -> dict[str, object]:
        """The configuration, which the product's file must have under the key ``configuration``."""
        return self.rerun_if_changed

    def write(self, made_from: MadeFrom) -> None:
        """Write the file. Its provenance is a fingerprint alone: the definition would repeat the content."""
        write_json(self.paths["json"], {**self.make(), "made_from": {"identity": made_from["identity"]}})


@dataclass(frozen=True, kw_only=True)
class Site(SealedProduct):
    """The static site of all results, or of one paper's. Its job composes it from the saved configuration.

    If a field ``Defines[...]`` changes, the site is made again.

    Attributes
    ----------
    texts
        Digests of the papers' texts, by the papers' ids, and of what they share, such as ``CITATION.cff``, by name.
    configfile
        The files that were given to Snakemake's ``--configfile``, quoted for a shell; empty if there were none.
    shown
        Paths of the files of figures and tables that it shows, and of the CSV file with what each paper's tests
        found.
    ledger, privacy_table, privacy_figure
        Paths of the ledger (the table of claims with verdicts), and of the table and figure of audits; ``None``
        without claims or audits.
    configuration, kernels
        Paths of the saved configuration, and of the compiled simulations (kernels) that the page *Try* runs.
    curves
        Path of the script ``curves/index.js``, by the paper's id. It is the index of scripts with the data of the
        paper's interactive figures.
    """

    texts: Defines[Mapping[str, str]]
    configfile: Defines[str]
    shown: Shown
    ledger: str | None
    privacy_table: str | None
    privacy_figure: str | None
    configuration: str
    kernels: str
    curves: Mapping[str, str]

    def make(self) -> Sequence[Path]:
        """Write the pages in ``files``, and return paths of all further files.

        These are pictures, scripts, a page for each claim, and one for each violated claim of privacy.
        """
        from dpbandits.publish.html.build import build

        settled = restored(Path(self.configuration), self.texts)
        return build(
            site_content(settled, self.shown, self.configfile),
            self.results,
            self.ledger,
            list(self.shown.findings.values()),
            self.privacy_table,
            self.privacy_figure,
            self.configuration,
            self.kernels,
            self.curves,
            self.paths,
        )


def site_products(config: Config, planned_cells: Cells, written: Texts, earlier: Products) -> Products:
    """Return the products for readers: the site, a site of each paper alone, and what they are made from.

    The latter are the register of discrepancies, the saved configuration, and kernels: simulations compiled for
    browsers, in groups. Keys are ``("register",)``, ``("configuration",)``, ``("kernel_group", name)``,
    ``("kernels",)``, ``("site",)`` and ``("paper_site", paper)``.

    Parameters
    ----------
    config, planned_cells
        The checked configuration, and its cells by paper and experiment. A cell is runs of one algorithm in one
        environment at one budget.
    written
        The texts of its papers: claims, words and entries of the register, with digests.
    earlier
        The products before these, by kind and name.
    """
    results = config.folders.results
    register = Register(
        files=files_by_suffix(f"{results}/discrepancies", "md"),
        register=written.discrepancies,
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
        kept = {key: product for key, product in earlier.items() if key[1:2] == (paper,) and key[0] != "audit"}
        if ("paper_ledger", paper) in kept:
            kept["ledger",] = kept["paper_ledger", paper]
        # Nobody needs it where there is one of all papers.
        of_one["paper_site", paper] = replace(
            _site(alone, written, {**kept, **made}, f"{results}/{paper}/site"), optional=True
        )
    return made | of_one | {("site",): _site(config, written, {**earlier, **made}, f"{results}/site")}


def _site(config: Config, written: Texts, earlier: Products, folder: str) -> Site:
    """Return the site of the papers in a configuration.

    Parameters
    ----------
    config, written
        The checked configuration, and the texts of its papers at least.
    earlier
        The products so far.
    folder
        Where the pages lie.
    """
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
    return Site(
        files={page: f"{folder}/{page}.html" for page in pages},
        texts=written.digests_of(config.papers),
        configfile=shlex.join(config.configfiles),
        shown=Shown(
            files={key: product.files for key, product in earlier.items() if key[0] in ("figure", "table")},
            interactive={paper: list(cast(Curves, product).figure_tables) for paper, product in curves.items()},
            findings={paper: product.main for paper, product in findings.items()},
        ),
        modules=(
            "dpbandits.publish.html.build",
            *registry.modules("picture").values(),
            *composing_modules(earlier),
        ),
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
        privacy_table=_main_file(privacy_table),
        privacy_figure=_main_file(privacy_figure),
        configuration=saved.main,
        kernels=compiled.main,
        curves={paper: product.main for paper, product in curves.items()},
    )


def composing_modules(earlier: Products) -> tuple[str, ...]:
    """Return the names of the modules that decide what site and article say beside results.

    These are the module that composes it, and those of algorithms and computations, whose titles and defaults are
    shown. The computations are those in ``earlier``, the products so far by kind and name.
    """
    computing = (product.modules for (kind, *_), product in earlier.items() if kind == "computation")
    return ("dpbandits.publish.compose", *registry.modules("algorithm").values(), *itertools.chain(*computing))


def _main_file(product: Product | None) -> str | None:
    """Return the file of a product that others read."""
    return None if product is None else product.main
