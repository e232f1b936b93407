"""The papers' claims as data: read, completed, checked before any work starts; and what each is decided from.

The file's path is the configuration's key ``claims``; without it there are no claims, and no ledger.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from dpbandits import plan, registry
from dpbandits.audit import planned
from dpbandits.config import conforming, placed, read
from dpbandits.errors import BadInput, suggest
from dpbandits.provenance import record_digest, source_digest

Claims = Mapping[str, Any]
NONE: Claims = {"level": 0.05, "across": {}, "papers": {}}
# Where the findings of a claim lie below the results folder, and those of all, and the ledger.
CLAIM = "{paper}/claims/{claim}.csv"
FINDINGS = "findings.csv"
LEDGER = "claims.csv"


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
            declared = registry.criterion(test["test"], f"{where}.test")
            declared.resolve(test["options"], f"{where}.options")
            for kind in ("experiments", "computations"):
                for j, label in enumerate(test[kind]):
                    _check_name(f"{where}.{kind}.{j}", label, content[kind])


def all_claims(claims: Claims) -> list[tuple[str, str]]:
    """Return (paper, claim) of all claims, in their order."""
    return [(paper, claim) for paper, content in claims["papers"].items() for claim in content["claims"]]


def _of(entry: Mapping[str, Any], reads: str) -> list[str]:
    """Return the experiments of which an entry's tests read ``aggregates`` or ``runs``."""
    tests = (test for test in entry["tests"] if registry.criterion(test["test"]).reads == reads)
    return sorted({name for test in tests for name in test["experiments"]})


def reads_audits(entry: Mapping[str, Any]) -> bool:
    """Return whether a claim is decided by privacy audits."""
    return any(registry.criterion(test["test"]).reads == "audits" for test in entry["tests"])


def tables(paper: str, entry: Mapping[str, Any]) -> list[str]:
    """Return the tables that a claim's tests read, below the results folder."""
    computations = sorted({name for test in entry["tests"] for name in test["computations"]})
    found = [plan.AGGREGATE.format(paper=paper, experiment=name) for name in _of(entry, "aggregates")]
    return found + [plan.COMPUTED.format(paper=paper, computation=name) for name in computations]


def cells(known: plan.Cells, paper: str, entry: Mapping[str, Any]) -> list[plan.Cell]:
    """Return the cells whose runs a claim's tests read."""
    return [cell for name in _of(entry, "runs") for cell in known[paper, name].values()]


def sources(paper: str, entry: Mapping[str, Any]) -> list[str]:
    """Return what a claim is decided from, files and folders below the results folder."""
    folders = [f"{paper}/cells/{name}/" for name in _of(entry, "runs")]
    return [*tables(paper, entry), *folders, *([planned.TABLE] if reads_audits(entry) else [])]


def claim_record(config: plan.Config, known: plan.Cells, claims: Claims, paper: str, claim: str) -> plan.Record:
    """Return what the findings of a claim are made from."""
    entry = claims["papers"][paper]["claims"][claim]
    tested = ("row", "place", "statement", "shown", "remark")
    kinds = sorted({registry.module("criterion", test["test"], "test") for test in entry["tests"]})
    asked = {
        "experiments": _of(entry, "aggregates"),
        "computations": sorted({name for test in entry["tests"] for name in test["computations"]}),
    }
    inputs = plan.inputs(config, known, paper, asked)
    if reads_audits(entry):
        inputs[planned.TABLE] = record_digest(planned.table_record(config))
    return {
        "paper": paper,
        "claim": claim,
        # What is only said of a claim does not change what is found.
        "definition": {key: value for key, value in entry.items() if key not in tested},
        "published_runs": config["papers"][paper]["published_runs"],
        "sources": source_digest("dpbandits.verdicts", *kinds),
        "inputs": inputs,
        "cells": [cell.record for cell in cells(known, paper, entry)],
    }


def findings_record(config: plan.Config, known: plan.Cells, claims: Claims) -> plan.Record:
    """Return what the table of all findings is made from."""
    records = {
        CLAIM.format(paper=paper, claim=claim): claim_record(config, known, claims, paper, claim)
        for paper, claim in all_claims(claims)
    }
    return {
        "level": claims["level"],
        "claims": all_claims(claims),
        "sources": source_digest("dpbandits.verdicts"),
        "inputs": {file: record_digest(record) for file, record in records.items()},
    }


def ledger_record(config: plan.Config, known: plan.Cells, claims: Claims) -> plan.Record:
    """Return what the ledger is made from."""
    return {
        "claims": claims,
        "titles": {paper: config["papers"][paper]["title"] for paper in claims["papers"]},
        "decided_from": {
            paper: {name: sources(paper, claim) for name, claim in content["claims"].items()}
            for paper, content in claims["papers"].items()
        },
        "sources": source_digest("dpbandits.verdicts"),
        "inputs": {FINDINGS: record_digest(findings_record(config, known, claims))},
    }


def rows(claims: Claims) -> dict[str, list[str]]:
    """Return the rows of the inventory that are covered, by paper; ``across`` for those of no paper."""
    found = {
        paper: sorted({*content["artefacts"], *(claim["row"] for claim in content["claims"].values())})
        for paper, content in claims["papers"].items()
    }
    return {**found, "across": sorted(claims["across"])}
