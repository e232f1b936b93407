"""Products of claims: the findings of each paper's claims, and the ledger of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from dpbandits.claims import claim
from dpbandits.products.product import Products, SealedProduct, beside

if TYPE_CHECKING:
    from dpbandits.claims.claim import Claims
    from dpbandits.claims.evaluate import Tests
    from dpbandits.runs.models import Config
    from dpbandits.runs.plan import Cell, Cells


class TestSettings(TypedDict):
    """The tests of each claim, and how they decide: as `dpbandits.claims.evaluate.findings` takes them."""

    tests: Tests
    level: float
    published_runs: int
    seed: int


class Evidence(TypedDict):
    """Cells and tables that tests read: as `dpbandits.claims.evaluate.findings` takes it."""

    paper: str
    results: str
    cells: Mapping[str, Sequence[Cell]]
    aggregates: Mapping[str, str]
    computed: Mapping[str, str]
    privacy: str | None


@dataclass(frozen=True, kw_only=True)
class Findings(SealedProduct):
    """The findings of a paper's claims."""

    rerun_if_changed: TestSettings
    inputs_for_maker: Evidence

    def make(self) -> Sequence[Path]:
        """Test the claims."""
        from dpbandits.claims.evaluate import findings
        from dpbandits.core.tables import write_table

        write_table(findings(**self.rerun_if_changed, **self.inputs_for_maker), self.paths["csv"])
        return ()


class LedgerSettings(TypedDict):
    """The claims of all papers, the papers' titles, and the chance of any false decision in a paper."""

    claims: Mapping[str, Mapping[str, object]]
    titles: Mapping[str, str]
    level: float


class LedgerInputs(TypedDict):
    """The claims, files of findings, and by paper and claim the files and folders that its tests read."""

    claims: Claims
    findings: Sequence[Path]
    sources: Mapping[tuple[str, str], Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Ledger(SealedProduct):
    """The claims ledger."""

    rerun_if_changed: LedgerSettings
    inputs_for_maker: LedgerInputs

    def make(self) -> Sequence[Path]:
        """Write the ledger."""
        from dpbandits.claims.ledger import ledger, read_findings, write

        given = self.inputs_for_maker
        table = ledger(given["claims"], read_findings(given["findings"]), given["sources"])
        write(table, self.rerun_if_changed["level"], self.rerun_if_changed["titles"], list(self.paths.values()))
        return ()


def of_claims(config: Config, known: Cells, claims: Claims, found: Products) -> Products:
    """Return the findings and the ledger of each paper's claims, and the ledger of all, if there are claims."""
    results = config.folders.results
    made: Products = {}
    for paper in claims:
        read = claim.reads(claims[paper].tests)
        cells = {name: tuple(known[paper, name].values()) for name in read.runs}
        aggregates = {name: found["aggregate", paper, name] for name in read.aggregates}
        computed = {name: found["computation", paper, name] for name in read.computations}
        # A configuration may ask for no audits. Then tests find no table of them.
        privacy = [found[key] for key in [("privacy_table",)] if read.audits and key in found]
        made["findings", paper] = Findings(
            files=beside(f"{results}/{paper}/findings", "csv"),
            rerun_if_changed={
                "tests": claim.definition(claims[paper]),
                "level": config.level,
                "published_runs": config.papers[paper].published_runs,
                "seed": config.root_seed,
            },
            modules=("dpbandits.claims.evaluate", *claim.modules(claims[paper])),
            results=results,
            cells=tuple(cell for of_experiment in cells.values() for cell in of_experiment),
            products=(*aggregates.values(), *computed.values(), *privacy),
            inputs_for_maker={
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
    of_one = {
        ("paper_ledger", paper): _ledger(
            config, {paper: claims[paper]}, {**found, **made}, f"{results}/{paper}/claims"
        )
        for paper in claims
    }
    # Nobody needs those of single papers where there is one of all.
    asked = {key: replace(ledger, optional=True) for key, ledger in of_one.items()}
    return made | asked | {("ledger",): _ledger(config, claims, {**found, **made}, f"{results}/claims")}


def _ledger(config: Config, claims: Claims, found: Products, stem: str) -> Ledger:
    """Return the ledger of some papers' claims."""
    findings, results = [found["findings", paper] for paper in claims], config.folders.results
    return Ledger(
        files=beside(stem, "csv", "md", "tex"),
        rerun_if_changed={
            "claims": {paper: content.model_dump(mode="json") for paper, content in claims.items()},
            "titles": {paper: config.papers[paper].title for paper in claims},
            "level": config.level,
        },
        modules=("dpbandits.claims.ledger",),
        results=results,
        products=tuple(findings),
        inputs_for_maker={
            "claims": claims,
            "findings": [Path(product.main) for product in findings],
            "sources": {
                (paper, name): _read_by(stated.tests, paper, found, results)
                for paper, content in claims.items()
                for name, stated in content.claims.items()
            },
        },
    )


def _read_by(tests: Sequence[claim.Test], paper: str, found: Products, results: str) -> list[str]:
    """Return the files and folders below the results folder that tests read."""
    read = claim.reads(tests)
    products = [found["aggregate", paper, name] for name in read.aggregates]
    products += [found["computation", paper, name] for name in read.computations]
    products += [found[key] for key in [("privacy_table",)] if read.audits and key in found]
    files = [product.main.removeprefix(f"{results}/") for product in products]
    return [*files, *(f"{paper}/cells/{name}/" for name in read.runs)]
