"""Products of claims: what each claim's tests measure, the findings of a paper, and the ledger of all.

A product is files that are made together. Each has its ``files`` by suffix, ``modules`` that make them, the
``results`` folder, and ``cells`` and ``products`` that it reads. A cell is runs of one algorithm in one environment
at one budget. If a field ``Defines[...]`` changes, the product is made again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from dpbandits.claims import claim
from dpbandits.products.product import Defines, JsonProduct, Products, SealedProduct, files_by_suffix

if TYPE_CHECKING:
    from dpbandits.claims.claim import Claims, TestData
    from dpbandits.runs.models import Config
    from dpbandits.runs.plan import Cell, Cells


@dataclass(frozen=True, kw_only=True)
class TestedClaim(JsonProduct):
    """Measurements by the tests of one claim, before p-values are corrected for the number of tests in the paper.

    A cell is runs of one algorithm in one environment at one budget. The product is made again if a field
    ``Defines[...]`` changes.

    Attributes
    ----------
    tests
        The claim's tests as JSON data: ``test``, its kind, with ``options``, ``experiments`` and so on.
    published_runs, seed, level
        Number of runs in the paper itself, the root seed, and the allowed chance of any false decision.
    experiments
        Cells whose single runs the tests read, by experiment.
    aggregates, computed
        Files that the tests read: aggregates by experiment, and computed tables by computation.
    privacy
        File of the table of audits; ``None`` if no test reads it, or the configuration asks for no audits.
    control_cells
        All cells of the experiments of the tests, by experiment. Negative controls are put in the place of their
        algorithms: made-up ones that must not pass the tests.
    """

    tests: Defines[Sequence[TestData]]
    published_runs: Defines[int]
    seed: Defines[int]
    level: Defines[float]
    experiments: Mapping[str, Sequence[Cell]]
    aggregates: Mapping[str, str]
    computed: Mapping[str, str]
    privacy: str | None
    control_cells: Mapping[str, Sequence[Cell]]

    def make(self) -> Mapping[str, object]:
        """Test the claim, and return a list of rows under the key ``parts``: what each part of a test measured.

        A row has ``test`` (its number from 0), ``part``, ``estimate``, ``low``, ``high``, ``p`` and so on. Its
        ``controls`` are the verdicts that the test's negative controls got, such as uniform play: sorted, each
        once, joined by ``; ``. They are empty if the test has no control.
        """
        from dpbandits.claims.evaluate import evidence_of_claim, parts_of_claim
        from dpbandits.claims.negative_controls import control_verdicts

        tables = self.aggregates, self.computed, self.privacy
        evidence = evidence_of_claim(
            self.tests, self.published_runs, self.seed, self.results, self.experiments, *tables
        )
        parts = parts_of_claim(self.tests, evidence)
        tests = [claim.Test.model_validate({"effect": "in words elsewhere", **test}) for test in self.tests]
        passed = control_verdicts(tests, self.control_cells, evidence, self.level)
        return {"parts": [{**part, "controls": "; ".join(sorted(passed[part["test"]]))} for part in parts]}


@dataclass(frozen=True, kw_only=True)
class Findings(SealedProduct):
    """Results of the tests of a paper's claims: p-values corrected for their number, and verdicts.

    The product is made again if a field ``Defines[...]`` changes.

    Attributes
    ----------
    paper, level
        The paper's id, and the allowed chance of any false decision.
    claims
        Path of the file with what each claim's tests measured, by the claim's id.
    """

    paper: Defines[str]
    level: Defines[float]
    claims: Mapping[str, str]

    def make(self) -> Sequence[Path]:
        """Write a CSV: a row for each part of a test, with ``p_corrected`` and ``verdict``; return ``()``."""
        from dpbandits.claims.evaluate import findings
        from dpbandits.core.tables import write_table

        write_table(findings(self.paper, self.claims, self.level), self.paths["csv"])
        return ()


@dataclass(frozen=True, kw_only=True)
class Ledger(SealedProduct):
    """The ledger: a table of the claims of some papers, with their verdicts.

    The product is made again if a field ``Defines[...]`` changes.

    Attributes
    ----------
    claims
        Claims of each paper as JSON data, by the paper's id.
    titles
        Titles of the papers, by id.
    level
        Allowed chance of any false decision in a paper.
    findings
        Paths of the CSV files with what the tests of each paper's claims found.
    read
        Files and folders that a claim's tests read, relative to the results folder, by the ids of paper and claim.
    """

    claims: Defines[Mapping[str, Mapping[str, object]]]
    titles: Defines[Mapping[str, str]]
    level: Defines[float]
    findings: Sequence[Path]
    read: Mapping[tuple[str, str], Sequence[str]]

    def make(self) -> Sequence[Path]:
        """Write the ledger as CSV, Markdown and LaTeX; return no further files."""
        from dpbandits.claims.ledger import ledger, read_findings, write

        stated = {paper: claim.Statements.model_validate(content) for paper, content in self.claims.items()}
        table = ledger(stated, read_findings(self.findings), self.read)
        write(table, self.level, self.titles, list(self.paths.values()))
        return ()


def claim_products(config: Config, planned_cells: Cells, claims: Claims, earlier: Products) -> Products:
    """Return the products of claims: what each claim's tests measure, each paper's findings, and ledgers.

    A ledger is the table of claims with verdicts, of each paper and of all. Keys are ``("claim", paper, id)``,
    ``("findings", paper)``, ``("paper_ledger", paper)`` and ``("ledger",)``. Without claims there are no products.

    Parameters
    ----------
    config, planned_cells
        The checked configuration, and its cells by paper and experiment. A cell is runs of one algorithm in one
        environment at one budget.
    claims
        The claims of each paper that states some, by the paper's id.
    earlier
        The products before these: aggregates, computations and audits, which tests read.
    """
    results = config.folders.results
    made: Products = {}
    for paper, stated in claims.items():
        tested = {
            name: _tested_claim(config, planned_cells, earlier, paper, name, each)
            for name, each in stated.claims.items()
        }
        made |= {("claim", paper, name): product for name, product in tested.items()}
        made["findings", paper] = Findings(
            files=files_by_suffix(f"{results}/{paper}/findings", "csv"),
            paper=paper,
            level=config.level,
            modules=("dpbandits.claims.evaluate",),
            results=results,
            products=tuple(tested.values()),
            claims={name: product.main for name, product in tested.items()},
        )
    if not made:
        return made
    of_one = {
        ("paper_ledger", paper): _ledger(
            config, {paper: claims[paper]}, {**earlier, **made}, f"{results}/{paper}/claims"
        )
        for paper in claims
    }
    # Nobody needs those of single papers where there is one of all.
    asked = {key: replace(ledger, optional=True) for key, ledger in of_one.items()}
    return made | asked | {("ledger",): _ledger(config, claims, {**earlier, **made}, f"{results}/claims")}


def _tested_claim(
    config: Config, planned_cells: Cells, earlier: Products, paper: str, name: str, stated: claim.Claim
) -> TestedClaim:
    """Return the product that measures what the tests of a claim ask.

    Parameters
    ----------
    config, planned_cells
        The checked configuration and its cells.
    earlier
        The products so far.
    paper, name, stated
        Ids of the paper and of the claim, and the claim.
    """
    results, read = config.folders.results, claim.reads(stated.tests)
    cells = {each: tuple(planned_cells[paper, each].values()) for each in read.runs}
    aggregates = {each: earlier["aggregate", paper, each] for each in read.aggregates}
    computed = {each: earlier["computation", paper, each] for each in read.computations}
    # A configuration may ask for no audits. Then tests find no table of them.
    privacy = [earlier[key] for key in [("privacy_table",)] if read.audits and key in earlier]
    return TestedClaim(
        files=files_by_suffix(f"{results}/{paper}/claims/{name}", "json"),
        tests=claim.definition(stated),
        published_runs=config.papers[paper].published_runs,
        seed=config.root_seed,
        modules=("dpbandits.claims.evaluate", "dpbandits.claims.negative_controls", *claim.modules(stated.tests)),
        results=results,
        cells=tuple(cell for of_experiment in cells.values() for cell in of_experiment),
        products=(*aggregates.values(), *computed.values(), *privacy),
        experiments=cells,
        aggregates={each: product.main for each, product in aggregates.items()},
        computed={each: product.main for each, product in computed.items()},
        privacy=privacy[0].main if privacy else None,
        level=config.level,
        control_cells={
            each: tuple(planned_cells[paper, each].values()) for test in stated.tests for each in test.experiments
        },
    )


def _ledger(config: Config, claims: Claims, earlier: Products, stem: str) -> Ledger:
    """Return the ledger of some papers' claims.

    Parameters
    ----------
    config, claims
        The configuration, and the claims of the papers.
    earlier
        The products so far.
    stem
        The ledger's path without suffix.
    """
    findings, results = [earlier["findings", paper] for paper in claims], config.folders.results
    return Ledger(
        files=files_by_suffix(stem, "csv", "md", "tex"),
        claims={paper: content.model_dump(mode="json") for paper, content in claims.items()},
        titles={paper: config.papers[paper].title for paper in claims},
        level=config.level,
        modules=("dpbandits.claims.ledger",),
        results=results,
        products=tuple(findings),
        findings=[Path(product.main) for product in findings],
        read={
            (paper, name): _paths_read(paper, cast(TestedClaim, earlier["claim", paper, name]))
            for paper, content in claims.items()
            for name in content.claims
        },
    )


def _paths_read(paper: str, tested: TestedClaim) -> list[str]:
    """Return the files and folders below the results folder that the tests of a claim read."""
    files = [product.main.removeprefix(f"{tested.results}/") for product in tested.products]
    return [*files, *(f"{paper}/cells/{name}/" for name in tested.experiments)]
