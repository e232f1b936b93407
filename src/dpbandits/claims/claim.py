"""The papers' claims as data: read, completed, checked before any work starts; and what each is decided from.

The file's path is the configuration's key ``claims``; without it there are no claims, and no ledger.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpbandits.audit import table as audits
from dpbandits.claims.evidence import claim_test
from dpbandits.core import registry
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.provenance import record_digest, source_digest
from dpbandits.runs import plan
from dpbandits.runs.config import conforming, placed, read

Claims = Mapping[str, Any]
Test = Mapping[str, Any]
NONE: Claims = {"level": 0.05, "across": {}, "papers": {}}
# Where the findings of a paper's claims lie below the results folder, and the ledger of all.
FINDINGS = "{paper}/findings.csv"
LEDGER = "claims.csv"
# Keys of a test that are words for the ledger.
SAID = ("effect", "otherwise")


def load(config: plan.Config, schema: Mapping[str, Any]) -> Claims:
    """Return the claims that a configuration names, checked against it.

    Parameters
    ----------
    config
        A checked configuration.
    schema
        JSON schema of the claims, draft 2020-12.

    Raises
    ------
    BadInput
        For the first thing found wrong: file, key path, value, and what is allowed.
    """
    if not config.get("claims"):
        return NONE
    file = Path(config["claims"])
    if not file.is_file():
        raise BadInput("claims", config["claims"], "a file")
    with placed([file]):
        claims = conforming(read(file), schema)
        for paper in claims["papers"]:
            _check_meaning(claims, config, paper)
    return claims


def _check_name(where: str, name: object, known: Collection[str]) -> None:
    if name not in known:
        raise BadInput(where, name, suggest(name, known))


def _check_meaning(claims: Claims, config: plan.Config, paper: str) -> None:
    """Check of one paper what a schema cannot say: names that must exist in the configuration."""
    _check_name(f"papers.{paper}", paper, config["papers"])
    content = config["papers"][paper]

    def check_shown(where: str, shown: str) -> None:
        kind, _, name = shown.partition("/")
        if name:
            _check_name(where, name, content[f"{kind}s"])

    top = f"papers.{paper}"
    for row, shown in claims["papers"][paper]["artefacts"].items():
        check_shown(f"{top}.artefacts.{row}", shown)
    for name, claim in claims["papers"][paper]["claims"].items():
        check_shown(f"{top}.claims.{name}.shown", claim["shown"])
        for i, test in enumerate(claim["tests"]):
            where = f"{top}.claims.{name}.tests.{i}"
            declared = claim_test(test["test"], f"{where}.test")
            declared.resolve(test["options"], f"{where}.options")
            for kind in ("experiments", "computations"):
                for j, label in enumerate(test[kind]):
                    _check_name(f"{where}.{kind}.{j}", label, content[kind])


def tests(claims: Claims, paper: str) -> list[Test]:
    """Return all tests of a paper's claims."""
    return [test for claim in claims["papers"][paper]["claims"].values() for test in claim["tests"]]


def _of(tests: Sequence[Test], reads: str) -> list[str]:
    """Return the experiments of which tests read ``aggregates`` or ``runs``."""
    kind = (test for test in tests if claim_test(test["test"]).reads == reads)
    return sorted({name for test in kind for name in test["experiments"]})


def reads_audits(tests: Sequence[Test]) -> bool:
    """Return whether some test is one of privacy audits."""
    return any(claim_test(test["test"]).reads == "audits" for test in tests)


def _asked(tests: Sequence[Test]) -> dict[str, list[str]]:
    """Return the experiments whose aggregates tests read, and the computations."""
    computations = sorted({name for test in tests for name in test["computations"]})
    return {"experiments": _of(tests, "aggregates"), "computations": computations}


def tables(paper: str, tests: Sequence[Test]) -> list[str]:
    """Return the tables that tests read, below the results folder."""
    asked = _asked(tests)
    aggregates = [plan.AGGREGATE.format(paper=paper, experiment=name) for name in asked["experiments"]]
    computed = [plan.COMPUTED.format(paper=paper, computation=name) for name in asked["computations"]]
    return [*aggregates, *computed, *([audits.TABLE] if reads_audits(tests) else [])]


def cells(known: plan.Cells, paper: str, tests: Sequence[Test]) -> list[plan.Cell]:
    """Return the cells whose runs tests read."""
    return [cell for name in _of(tests, "runs") for cell in known[paper, name].values()]


def sources(paper: str, tests: Sequence[Test]) -> list[str]:
    """Return what tests read, files and folders below the results folder."""
    return [*tables(paper, tests), *(f"{paper}/cells/{name}/" for name in _of(tests, "runs"))]


def findings_record(config: plan.Config, known: plan.Cells, claims: Claims, paper: str) -> plan.Record:
    """Return what the findings of a paper's claims are made from."""
    asked = tests(claims, paper)
    kinds = sorted({registry.module("test", test["test"], "test") for test in asked})
    inputs = plan.inputs(config, known, paper, _asked(asked))
    if reads_audits(asked):
        inputs[audits.TABLE] = record_digest(audits.table_record(config))
    return {
        "paper": paper,
        "level": claims["level"],
        # What is only said of a claim does not change what is found.
        "tests": {
            name: [{key: value for key, value in test.items() if key not in SAID} for test in claim["tests"]]
            for name, claim in claims["papers"][paper]["claims"].items()
        },
        "published_runs": config["papers"][paper]["published_runs"],
        "sources": source_digest("dpbandits.claims.ledger", *kinds),
        "inputs": inputs,
        "cells": [cell.record for cell in cells(known, paper, asked)],
    }


def ledger_record(config: plan.Config, known: plan.Cells, claims: Claims) -> plan.Record:
    """Return what the ledger is made from."""
    return {
        "claims": claims,
        "titles": {paper: config["papers"][paper]["title"] for paper in claims["papers"]},
        "decided_from": {
            paper: {name: sources(paper, claim["tests"]) for name, claim in content["claims"].items()}
            for paper, content in claims["papers"].items()
        },
        "sources": source_digest("dpbandits.claims.ledger"),
        "inputs": {
            FINDINGS.format(paper=paper): record_digest(findings_record(config, known, claims, paper))
            for paper in claims["papers"]
        },
    }


def rows(claims: Claims) -> dict[str, list[str]]:
    """Return the rows of the inventory that are covered, by paper; ``across`` for those of no paper."""
    found = {
        paper: sorted({*content["artefacts"], *(claim["row"] for claim in content["claims"].values())})
        for paper, content in claims["papers"].items()
    }
    return {**found, "across": sorted(claims["across"])}
