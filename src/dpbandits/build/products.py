"""Products: all that is made beyond regret arrays. Which files, from what, and by which sources.

A product is remade if its *definition* (what the configuration says of it) or its *sources* (the modules that make
it) change, or if what it *needs* was made anew; the first two are parameters of its rule, the last Snakemake sees.
Its *identity* is a digest of all three, and so of everything before it. It is sealed with the product and compared
when that is read: so a stale or exchanged file is told from the right one.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from dpbandits.audit import jobs as audits
from dpbandits.claims import claim, discrepancies
from dpbandits.claims.claim import Claims
from dpbandits.core import declarations, registry
from dpbandits.core.files import Json
from dpbandits.core.interactive import InteractiveFigure
from dpbandits.core.provenance import package_version, record_digest, sources
from dpbandits.publish import PAGES
from dpbandits.publish import article as articles
from dpbandits.publish.article import COMPANIONS
from dpbandits.publish.spoken import cited, vocabulary
from dpbandits.runs import caption, plan, uniform_play
from dpbandits.runs import words as wording
from dpbandits.runs.models import Config, Exhibit, Paper
from dpbandits.runs.plan import Cell, Cells
from dpbandits.runs.words import Words


class BuildRequest(NamedTuple):
    """A product as its job is handed it: plain data.

    Attributes
    ----------
    kind
        A name in `dpbandits.build.make.MAKERS`.
    files
        The files to make, by suffix or name.
    definition
        What the configuration says of it.
    made_from
        What is sealed with it: definition, sources and identity.
    sealed
        Whether a seal is written beside its files.
    needs
        The identity that every sealed file it reads should have.
    maker_args
        What else its maker works on.
    """

    kind: str
    files: Mapping[str, str]
    definition: Json
    made_from: Json
    sealed: bool
    needs: Mapping[str, str]
    maker_args: Json


class Deferred:
    """A product's request, made when it is handed to the job: most jobs of a plan do not run."""

    def __init__(self, product: Product) -> None:
        self.product = product

    def __reduce__(self) -> tuple[type[BuildRequest], tuple[object, ...]]:
        return BuildRequest, tuple(self.product.request)


@dataclass(frozen=True)
class Product:
    """Files that are made together.

    Attributes
    ----------
    kind
        A name in `dpbandits.build.make.MAKERS`.
    files
        The files to make, by suffix or name; the first is what others read. Their seal is not among them.
    definition
        What the configuration says of it, as JSON data.
    modules
        Those whose sources make it.
    cells, products
        The cells whose runs, and the products whose files, it reads.
    maker_args
        What its maker works on beside the definition, and what follows from that and from what is read.
    optional
        Whether it is made only when it is asked for: it needs more than the package's own dependencies.
    """

    kind: str
    files: Mapping[str, str]
    definition: Json
    modules: tuple[str, ...]
    cells: tuple[Cell, ...] = ()
    products: tuple[Product, ...] = ()
    maker_args: Json = field(default_factory=dict)
    optional: bool = False

    @property
    def inputs(self) -> list[str]:
        """The files that it is made from."""
        arrays = [f"{self.maker_args['results']}/{file}" for cell in self.cells for file in cell.files]
        return [*arrays, *(product.main for product in self.products)]

    @property
    def main(self) -> str:
        """The file that others read."""
        return next(iter(self.files.values()))

    @property
    def seal(self) -> str | None:
        """The seal of its files; JSON carries a digest itself."""
        path = Path(self.main)
        return None if path.suffix == ".json" else str(path.with_suffix(".json"))

    @property
    def outputs(self) -> list[str]:
        """All that its rule makes."""
        return [*self.files.values(), *([] if self.seal is None else [self.seal])]

    @property
    def sources(self) -> str:
        """The sources that make it, each with its digest."""
        return sources(*self.modules)

    @functools.cached_property
    def fingerprint(self) -> str:
        """The digest of what it is made from."""
        needs = [cell.fingerprint for cell in self.cells] + [product.fingerprint for product in self.products]
        return record_digest({"definition": self.definition, "sources": self.sources, "needs": needs})

    def _arrays(self) -> Json:
        """Return the folders of the arrays that it reads, seen from its own, each with the digest of their job.

        And how many runs are in them; not in how many files, which are named after their runs.
        """
        here = Path(self.main).parent
        return {
            os.path.relpath(Path(self.maker_args["results"], cell.files[0]).parent, here): {
                "job": record_digest(cell.job.definition),
                "runs": cell.runs,
            }
            for cell in self.cells
        }

    @property
    def request(self) -> BuildRequest:
        """What its job is handed."""
        return BuildRequest(
            kind=self.kind,
            files=self.files,
            definition=self.definition,
            made_from={
                "definition": self.definition,
                "sources": self.sources,
                "identity": self.fingerprint,
                "arrays": self._arrays(),
            },
            sealed=self.seal is not None,
            needs={product.main: product.fingerprint for product in self.products},
            maker_args=self.maker_args,
        )


def beside(stem: str, *suffixes: str) -> dict[str, str]:
    """Return files that differ in suffix alone."""
    return {suffix: f"{stem}.{suffix}" for suffix in suffixes}


Products = dict[tuple[str, ...], Product]


def catalogue(config: Config, known: Cells, claims: Claims) -> Products:
    """Return all products of a configuration, by kind and name.

    Parameters
    ----------
    config, known, claims
        A checked configuration, its cells, and its claims.
    """
    found: Products = {}
    for paper in config.papers:
        found |= _of_paper(config, known, paper)
    found |= _of_privacy(config)
    found |= _of_claims(config, known, claims, found)
    for paper in config.papers:
        found |= _of_curves(config, known, paper, found)
    found |= _of_readers(config, known, claims, found)
    found |= _optional(config, known, claims, found)
    return found


def _of_paper(config: Config, known: Cells, paper: str) -> Products:
    """Return the aggregates, computations, figures and tables of a paper."""
    content, results, figures = config.papers[paper], config.folders.results, config.folders.figures
    made: Products = {}
    for experiment in content.experiments:
        cells = tuple(known[paper, experiment].values())
        made["aggregate", paper, experiment] = Product(
            kind="aggregate",
            files=beside(f"{results}/{paper}/aggregates/{experiment}", "csv"),
            definition={"published_runs": content.published_runs, "confidence": config.confidence},
            modules=("dpbandits.runs.aggregate", *sorted({uniform_play.module(cell.job) for cell in cells})),
            cells=cells,
            maker_args={"results": results, "cells": cells},
        )
    for name, computation in content.computations.items():
        cells = tuple(cell for experiment in computation.experiments for cell in known[paper, experiment].values())
        made["computation", paper, name] = Product(
            kind="computation",
            files=beside(f"{results}/{paper}/computed/{name}", "csv"),
            definition={"compute": computation.compute, "parameters": computation.parameters},
            modules=(registry.module("computation", computation.compute),),
            cells=cells,
            maker_args={"results": results, "cells": cells},
        )
    for file in plan.figure_files(config, paper):
        figure = content.figures[file.figure]
        made["figure", paper, file.stem] = Product(
            kind="figure",
            files=beside(f"{figures}/{paper}/{file.stem}", "csv", "pdf", "png"),
            definition={"draw": figure.draw, "version": file.version, "options": figure.options},
            modules=("dpbandits.papers.render", registry.module("figure", figure.draw)),
            **_shown(made, paper, figure),
        )
    for name, table in content.tables.items():
        made["table", paper, name] = Product(
            kind="table",
            files=beside(f"{results}/{paper}/tables/{name}", "csv", "md", "tex"),
            definition={"make": table.make, "options": table.options, "caption": table.caption},
            modules=("dpbandits.papers.render", registry.module("table", table.make)),
            **_shown(made, paper, table),
        )
    return made


def _shown(made: Products, paper: str, entry: Exhibit) -> Json:
    """Return what a figure or a table reads."""
    aggregates = [made["aggregate", paper, name] for name in entry.experiments]
    computed = {name: made["computation", paper, name] for name in entry.computations}
    return {
        "products": (*aggregates, *computed.values()),
        "maker_args": {
            "aggregates": [product.main for product in aggregates],
            "computed": {name: product.main for name, product in computed.items()},
        },
    }


def _of_privacy(config: Config) -> Products:
    """Return the audits, and table and figure of all, if there are audits."""
    results = config.folders.results
    made: Products = {}
    for audit in audits.audit_jobs(config):
        made["audit", audit.audited, audit.budget] = Product(
            kind="audit",
            files=beside(f"{results}/privacy/{audit.audited}/eps={audit.budget}", "json"),
            definition=audits.definition(config, audit),
            modules=audit.modules,
        )
    if not made:
        return made
    table = Product(
        kind="privacy_table",
        files=beside(f"{results}/privacy", "csv", "md", "tex"),
        definition={"caption": config.privacy.caption},
        modules=("dpbandits.audit.table", registry.module("table", "privacy")),
        products=tuple(made.values()),
        maker_args={"audits": [product.main for product in made.values()]},
    )
    figure = Product(
        kind="figure",
        files=beside(f"{config.folders.figures}/privacy", "csv", "pdf", "png"),
        definition={"draw": "privacy", "version": "full", "options": {}},
        modules=("dpbandits.papers.render", registry.module("figure", "privacy")),
        products=(table,),
        maker_args={"aggregates": [], "computed": {"privacy": table.main}},
    )
    return made | {("privacy_table",): table, ("privacy_figure",): figure}


def _of_claims(config: Config, known: Cells, claims: Claims, found: Products) -> Products:
    """Return the findings of each paper's claims, and the ledger of all, if there are claims."""
    results = config.folders.results
    made: Products = {}
    for paper in claims:
        read = claim.reads(claims[paper].tests)
        cells = {name: tuple(known[paper, name].values()) for name in read.runs}
        aggregates = {name: found["aggregate", paper, name] for name in read.aggregates}
        computed = {name: found["computation", paper, name] for name in read.computations}
        # A configuration may ask for no audits: then what tests would read of them is not there.
        privacy = [found[key] for key in [("privacy_table",)] if read.audits and key in found]
        made["findings", paper] = Product(
            kind="findings",
            files=beside(f"{results}/{paper}/findings", "csv"),
            definition={
                "tests": claim.definition(claims[paper]),
                "level": config.level,
                "published_runs": config.papers[paper].published_runs,
            },
            modules=("dpbandits.claims.evaluate", *claim.modules(claims[paper])),
            cells=tuple(cell for of_experiment in cells.values() for cell in of_experiment),
            products=(*aggregates.values(), *computed.values(), *privacy),
            maker_args={
                "paper": paper,
                "results": results,
                "cells": cells,
                "aggregates": {name: product.main for name, product in aggregates.items()},
                "computed": {name: product.main for name, product in computed.items()},
                "privacy": privacy[0].main if privacy else None,
            },
        )
    if not made:
        return made
    ledger = Product(
        kind="ledger",
        files=beside(f"{results}/claims", "csv", "md", "tex"),
        definition={
            "claims": {paper: content.model_dump(mode="json") for paper, content in claims.items()},
            "titles": {paper: config.papers[paper].title for paper in claims},
            "level": config.level,
        },
        modules=("dpbandits.claims.ledger",),
        products=tuple(made.values()),
        maker_args={
            "claims": claims,
            "findings": [product.main for product in made.values()],
            "sources": {
                (paper, name): _read_by(stated.tests, paper, found, results)
                for paper, content in claims.items()
                for name, stated in content.claims.items()
            },
        },
    )
    return made | {("ledger",): ledger}


def _read_by(tests: Sequence[claim.Test], paper: str, found: Products, results: str) -> list[str]:
    """Return what tests read, files and folders below the results folder."""
    read = claim.reads(tests)
    products = [found["aggregate", paper, name] for name in read.aggregates]
    products += [found["computation", paper, name] for name in read.computations]
    products += [found[key] for key in [("privacy_table",)] if read.audits and key in found]
    files = [product.main.removeprefix(f"{results}/") for product in products]
    return [*files, *(f"{paper}/cells/{name}/" for name in read.runs)]


def _line_figures(config: Config, paper: str) -> list[plan.FigureFile]:
    """Return all versions of the figures of a paper that have curves."""
    figures = config.papers[paper].figures
    return [
        file
        for file in plan.figure_files(config, paper)
        if isinstance(declarations.figure(figures[file.figure].draw), InteractiveFigure)
    ]


def _of_curves(config: Config, known: Cells, paper: str, found: Products) -> Products:
    """Return the data of a paper's curves, for pages on which they can be moved."""
    content, results = config.papers[paper], config.folders.results
    figures = {}
    for file in _line_figures(config, paper):
        entry = content.figures[file.figure]
        read = [name for made in entry.computations for name in content.computations[made].experiments]
        figures[file.stem] = {
            **{"draw": entry.draw, "version": file.version, "options": entry.options},
            "experiments": list(dict.fromkeys([*entry.experiments, *read])),
        }
    drawn = {stem: found["figure", paper, stem] for stem in figures}
    aggregates = {name: found["aggregate", paper, name] for name in content.experiments}
    cells = {name: tuple(known[paper, name].values()) for name in content.experiments}
    kinds = sorted({registry.module("figure", figure["draw"]) for figure in figures.values()})
    made = Product(
        kind="curves",
        files=beside(f"{results}/{paper}/curves/index", "js"),
        definition={"title": content.title, "published_runs": content.published_runs, "figures": figures},
        modules=("dpbandits.papers.curves", *kinds),
        cells=tuple(cell for of_experiment in cells.values() for cell in of_experiment),
        products=(*drawn.values(), *aggregates.values()),
        maker_args={
            "paper": paper,
            "results": results,
            "cells": cells,
            "aggregates": {name: product.main for name, product in aggregates.items()},
            "drawn": {stem: product.main for stem, product in drawn.items()},
        },
    )
    return {("curves", paper): made}


def _of_readers(config: Config, known: Cells, claims: Claims, found: Products) -> Products:
    """Return what is for readers alone: the register of discrepancies, the configuration, and the site."""
    results = config.folders.results
    entries = {
        paper: [entry.model_dump(mode="json") for entry in of_paper]
        for paper, of_paper in discrepancies.load(config).items()
    }
    titles = {paper: content.title for paper, content in config.papers.items()}
    words = wording.load(config)
    text = Product(
        kind="register",
        files=beside(f"{results}/discrepancies", "md"),
        definition={"register": entries, "titles": titles, "kinds": discrepancies.DISCREPANCY_KINDS},
        modules=("dpbandits.claims.discrepancies",),
    )
    saved = Product(
        kind="configuration",
        files=beside(f"{results}/config", "json"),
        definition=config.model_dump(mode="json"),
        modules=("dpbandits.core.files",),
    )
    # Compiled code is of no configuration: of all algorithms and environments that there are.
    compiled = Product(
        kind="kernels",
        files=beside(f"{results}/kernels", "json"),
        definition={},
        modules=(
            "dpbandits.publish.explore.kernels",
            *(module for kind in ("algorithm", "environment") for module in registry.modules(kind).values()),
        ),
    )
    tables = ["-".join(name) for name in found if name[0] == "table"]
    files = {page: f"{results}/site/{page}.html" for page in (*PAGES, *config.papers, *tables)}
    across = {kind: found.get((kind,)) for kind in ("ledger", "privacy_table", "privacy_figure")}
    of_papers = {
        kind: {paper: found[kind, paper] for paper in config.papers if (kind, paper) in found}
        for kind in ("findings", "curves")
    }
    site = Product(
        kind="site",
        files=files,
        definition={
            "version": package_version(),
            "root_seed": config.root_seed,
            "kinds": discrepancies.DISCREPANCY_KINDS,
            "papers": {
                paper: {
                    **_told(config, known, claims, found, paper, words[paper]),
                    "discrepancies": entries.get(paper, []),
                    "story": claims[paper].story if paper in claims else [],
                    "findings": of_papers["findings"][paper].main if paper in of_papers["findings"] else "",
                }
                for paper in config.papers
            },
            "effects": {
                paper: {name: [test.effect for test in stated.tests] for name, stated in content.claims.items()}
                for paper, content in claims.items()
            },
            "explored": {paper: _explored(config, known, paper) for paper in config.papers},
        },
        modules=("dpbandits.publish.html.build", *registry.modules("picture").values()),
        products=(
            *(product for (kind, *_), product in found.items() if kind in ("figure", "table", "audit")),
            *(product for of_kind in of_papers.values() for product in of_kind.values()),
            *(product for product in across.values() if product is not None),
            saved,
            compiled,
        ),
        maker_args={
            "configuration": saved.main,
            "kernels": compiled.main,
            "results": results,
            "findings": [product.main for product in of_papers["findings"].values()],
            "looks": {paper: product.main for paper, product in of_papers["curves"].items()},
            **{kind: None if product is None else product.main for kind, product in across.items()},
        },
    )
    return {("register",): text, ("configuration",): saved, ("kernels",): compiled, ("site",): site}


def _explored(config: Config, known: Cells, paper: str) -> Json:
    """Return the experiments of a paper with their numbers of cells, and which is shown first."""
    content = config.papers[paper]
    cells = {name: len(known[paper, name]) for name in content.experiments}
    drawn = [name for figure in content.figures.values() for name in figure.experiments]
    return {"title": content.title, "experiments": cells, "first": next(iter([*drawn, *cells]), "")}


def _cited(content: Paper) -> Json:
    """Return what a paper is cited by."""
    return {"title": content.title, "authors": content.authors, "year": content.year}


def _told(config: Config, known: Cells, claims: Claims, found: Products, paper: str, words: Words) -> Json:
    """Return what the site tells of a paper beside what was found about it."""
    content, moved = config.papers[paper], [file.stem for file in _line_figures(config, paper)]

    def item(kind: str, name: str, version: str, entry: Exhibit, stem: str, *suffixes: str) -> Json:
        """Return a figure or a table in one version; the first of ``suffixes`` is what Snakemake is asked for."""
        made = found[kind, paper, stem].files
        said = {"caption": entry.caption, "scale": caption.scale(config, known, paper, entry, version)}
        files = {suffix: made[suffix] for suffix in suffixes}
        answers = kind == "figure" and stem in moved
        title = words.names.word(f"{kind}s", name)
        about = {"kind": kind, "name": name, "title": title, "version": version, "answers": answers}
        return {**about, **said, "files": files}

    figures = [
        item("figure", file.figure, file.version, content.figures[file.figure], file.stem, "pdf", "png", "csv")
        for file in plan.figure_files(config, paper)
    ]
    tables = [
        item("table", name, "full", entry, name, "md", "tex", "csv") for name, entry in content.tables.items()
    ]
    return {
        **_cited(content),
        "items": [*figures, *tables],
        "words": words.model_dump(mode="json"),
        "vocabulary": _vocabulary(config, known, claims, paper, words),
    }


def _title(cell: Cell) -> str:
    """Return the title of a cell's algorithm."""
    return registry.algorithm(cell.job.algorithm).titled(cell.job.parameters)


def _vocabulary(config: Config, known: Cells, claims: Claims, paper: str, words: Words) -> Json:
    """Return the words for the labels of a paper. Algorithms without one are called by title, claims by ids."""
    content = config.papers[paper]
    found = {name: f"`{name}`" for name in (claims[paper].claims if paper in claims else ())}
    found |= {name: cited(other.authors, other.year) for name, other in config.papers.items()}
    if config.privacy.epsilons:
        found |= {name: registry.algorithm(name).title for name in registry.modules("algorithm")}
    for (of, _), cells in known.items():
        if of == paper:
            found |= {cell.algorithm: _title(cell) for cell in cells.values()}
    for section in ("experiments", "computations", "environments", "algorithms"):
        for label in getattr(content, section):
            word = words.names.word(section, label)
            found |= {label: word} if word != label else {}
    return dict(vocabulary(found | words.names.columns))


def _by_paper(read: Mapping[tuple[str, str], Product]) -> dict[str, dict[str, str]]:
    """Return the tables of computations by paper and name."""
    found: dict[str, dict[str, str]] = {}
    for (paper, name), product in read.items():
        found.setdefault(paper, {})[name] = product.main
    return found


def _optional(config: Config, known: Cells, claims: Claims, found: Products) -> Products:
    """Return certificates, article and crate, if there are claims and audits for them to speak of."""
    if ("ledger",) not in found or ("privacy_table",) not in found:
        return {}
    results = config.folders.results
    certificates = Product(
        kind="certificates",
        files=beside(f"{results}/article/certificates", "json"),
        definition={},
        modules=("dpbandits.papers.exact_inequalities", *registry.modules("certificate").values()),
        optional=True,
    )
    words = wording.load(config)
    shown = {
        f"{paper}/{name}": found["figure", paper, name]
        for paper, own in words.items()
        for name in own.article.figures
        if ("figure", paper, name) in found
    }
    read = {
        (paper, name): found["computation", paper, name]
        for paper, own in words.items()
        for name in own.article.computations
    }
    ledger, privacy = found["ledger",], found["privacy_table",]
    folder = f"{results}/article"
    cells = [cell for of_experiment in known.values() for cell in of_experiment.values()]
    article = Product(
        kind="article",
        files={
            **beside(f"{folder}/article", "pdf", "typ"),
            **{name: f"{folder}/{file}" for name, file in COMPANIONS.items()},
            **{paper: f"{folder}/letters/{paper}.md" for paper in config.papers},
        },
        definition={
            "papers": {
                paper: {
                    **_cited(content),
                    "published_runs": content.published_runs,
                    "discrepancies": found["register",].definition["register"].get(paper, []),
                    "vocabulary": _vocabulary(config, known, claims, paper, words[paper]),
                }
                for paper, content in config.papers.items()
            },
            "scales": {
                f"{paper}/{name}": caption.scale(config, known, paper, config.papers[paper].figures[name])
                for paper, name in (shown_as.split("/") for shown_as in shown)
            },
            "kinds": discrepancies.DISCREPANCY_KINDS,
            "level": config.level,
            "confidence": config.privacy.confidence,
            "epsilons": config.privacy.epsilons,
            "version": package_version(),
            "root_seed": config.root_seed,
            "runs": sum(cell.runs for cell in cells),
            "cells": len(cells),
        },
        modules=("dpbandits.publish.article.build", *articles.packages().values()),
        products=(ledger, privacy, certificates, *read.values(), *shown.values()),
        maker_args={
            "ledger": ledger.main,
            "privacy_table": privacy.main,
            "certificates": certificates.main,
            "computed": _by_paper(read),
            "results": results,
            "figures": {name: product.files["pdf"] for name, product in shown.items()},
        },
        optional=True,
    )
    # The crate holds what is finished; a run without its article is finished too.
    finished = tuple(product for product in found.values() if not product.optional)
    crate = Product(
        kind="crate",
        files=beside(f"{results}/crate", "zip"),
        definition={
            "version": package_version(),
            "papers": {paper: _cited(content) for paper, content in config.papers.items()},
        },
        modules=("dpbandits.publish.crate.build",),
        products=finished,
        maker_args={
            "files": [file for product in (*finished, certificates, article) for file in product.outputs],
            "results": results,
            "figures": config.folders.figures,
            "root": ".",
        },
        optional=True,
    )
    return {("certificates",): certificates, ("article",): article, ("crate",): crate}
