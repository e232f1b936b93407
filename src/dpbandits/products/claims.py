"""Products of claims: what each claim's tests measure, the findings of a paper, and the ledger of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

from dpbandits.claims import claim
from dpbandits.products.product import JsonProduct, Products, SealedProduct, beside

if TYPE_CHECKING:
    from dpbandits.claims.claim import Claims, TestData
    from dpbandits.runs.models import Config
    from dpbandits.runs.plan import Cell, Cells


class TestSettings(TypedDict):
    """The tests of a claim: as `dpbandits.claims.evaluate.of_claim` takes them."""

    tests: Sequence[TestData]
    published_runs: int
    seed: int


class Evidence(TypedDict):
    """Cells and tables that tests read: as `dpbandits.claims.evaluate.of_claim` takes it."""

    results: str
    cells: Mapping[str, Sequence[Cell]]
    aggregates: Mapping[str, str]
    computed: Mapping[str, str]
    privacy: str | None


@dataclass(frozen=True, kw_only=True)
class TestedClaim(JsonProduct):
    """One claim, tested: the parts as measured, before the correction for the number of tests in the paper."""

    rerun_if_changed: TestSettings
    inputs_for_maker: Evidence

    def make(self) -> Mapping[str, object]:
        """Test the claim."""
        from dpbandits.claims.evaluate import of_claim

        return {"parts": of_claim(**self.rerun_if_changed, **self.inputs_for_maker)}


class Correction(TypedDict):
    """A paper, and the chance of any false decision in it."""

    paper: str
    level: float


class ClaimFiles(TypedDict):
    """The file of each claim."""

    claims: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Findings(SealedProduct):
    """The findings of a paper's claims, corrected for the number of tests."""

    rerun_if_changed: Correction
    inputs_for_maker: ClaimFiles

    def make(self) -> Sequence[Path]:
        """Correct what the tests found."""
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
    """Return the tested claims, findings and ledger of each paper, and the ledger of all, if there are claims."""
    results = config.folders.results
    made: Products = {}
    for paper, stated in claims.items():
        tested = {name: _tested(config, known, found, paper, name, each) for name, each in stated.claims.items()}
        made |= {("claim", paper, name): product for name, product in tested.items()}
        made["findings", paper] = Findings(
            files=beside(f"{results}/{paper}/findings", "csv"),
            rerun_if_changed={"paper": paper, "level": config.level},
            modules=("dpbandits.claims.evaluate",),
            results=results,
            products=tuple(tested.values()),
            inputs_for_maker={"claims": {name: product.main for name, product in tested.items()}},
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


def _tested(
    config: Config, known: Cells, found: Products, paper: str, name: str, stated: claim.Claim
) -> TestedClaim:
    """Return what the tests of a claim measure."""
    results, read = config.folders.results, claim.reads(stated.tests)
    cells = {each: tuple(known[paper, each].values()) for each in read.runs}
    aggregates = {each: found["aggregate", paper, each] for each in read.aggregates}
    computed = {each: found["computation", paper, each] for each in read.computations}
    # A configuration may ask for no audits. Then tests find no table of them.
    privacy = [found[key] for key in [("privacy_table",)] if read.audits and key in found]
    return TestedClaim(
        files=beside(f"{results}/{paper}/claims/{name}", "json"),
        rerun_if_changed={
            "tests": claim.definition(stated),
            "published_runs": config.papers[paper].published_runs,
            "seed": config.root_seed,
        },
        modules=("dpbandits.claims.evaluate", *claim.modules(stated.tests)),
        results=results,
        cells=tuple(cell for of_experiment in cells.values() for cell in of_experiment),
        products=(*aggregates.values(), *computed.values(), *privacy),
        inputs_for_maker={
            "results": results,
            "cells": cells,
            "aggregates": {each: product.main for each, product in aggregates.items()},
            "computed": {each: product.main for each, product in computed.items()},
            "privacy": privacy[0].main if privacy else None,
        },
    )


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
                (paper, name): _sources(paper, cast(TestedClaim, found["claim", paper, name]))
                for paper, content in claims.items()
                for name in content.claims
            },
        },
    )


def _sources(paper: str, tested: TestedClaim) -> list[str]:
    """Return the files and folders below the results folder that the tests of a claim read."""
    files = [product.main.removeprefix(f"{tested.results}/") for product in tested.products]
    return [*files, *(f"{paper}/cells/{name}/" for name in tested.inputs_for_maker["cells"])]
