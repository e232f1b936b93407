"""From a checked configuration to the audits that the pipeline makes, and from these to the privacy table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from dpbandits.audit.candidates import fixed_environment
from dpbandits.core import registry
from dpbandits.core.errors import BadInput
from dpbandits.core.files import read_json
from dpbandits.core.provenance import record_digest, source_digest
from dpbandits.runs.plan import Record, number

if TYPE_CHECKING:
    from dpbandits.runs.models import Config

# Where audits lie below the results folder, and the table of all.
AUDIT = "privacy/{audited}/eps={epsilon}.json"
TABLE = "privacy.csv"
# An audit needs that many runs to be one.
FEWEST = 1000


class Entry(NamedTuple):
    """An audit to be made.

    Attributes
    ----------
    algorithm, base, epsilon
        Name, the base of an algorithm that runs another one, or ``None``, and the claimed budget.
    """

    algorithm: str
    base: str | None
    epsilon: float

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters that are kept."""
        return {} if self.base is None else {"base": self.base}

    @property
    def file(self) -> str:
        """Where the audit lies, below the results folder."""
        # Without a comma: Snakemake loses a wildcard that has one on the way to a scheduler.
        audited = self.algorithm if self.base is None else f"{self.algorithm}.base={self.base}"
        return AUDIT.format(audited=audited, epsilon=number(self.epsilon))


def entries(config: Config) -> list[Entry]:
    """Return the audits of every registered algorithm that makes a claim, with every base, at every budget."""
    found = []
    for name in registry.modules("algorithm"):
        declared = registry.algorithm(name)
        if declared.privacy is None:
            continue
        bases: Sequence[str | None] = [None] if declared.wraps is None else list(declared.wraps.candidates())
        for base in bases:
            budgets = [epsilon for epsilon in config.privacy.epsilons if epsilon <= declared.privacy.at_most]
            found += [Entry(name, base, float(epsilon)) for epsilon in budgets]
    return found


def record(config: Config, entry: Entry) -> Record:
    """Return what an audit is made from."""
    wing = registry.setting("algorithm", entry.algorithm)
    kind, place = fixed_environment(wing)
    privacy = registry.algorithm(entry.algorithm).privacy
    assert place.fixed is not None and privacy is not None
    effort = (privacy.effort or place.fixed.effort) * config.privacy.effort
    delta = {"delta": config.privacy.delta} if privacy.definition == "approximate" else {}
    names = [entry.algorithm] if entry.base is None else [entry.algorithm, entry.base]
    return {
        "algorithm": entry.algorithm,
        "epsilon": entry.epsilon,
        "parameters": {**entry.parameters, **delta},
        "effort": max(FEWEST, round(effort)),
        "seed": config.root_seed,
        "confidence": config.privacy.confidence,
        "sources": source_digest(
            "dpbandits.audit.audit",
            registry.module("environment", kind, "environment"),
            *(registry.module("algorithm", name, "algorithm") for name in names),
        ),
    }


def table_record(config: Config) -> Record:
    """Return what the privacy table is made from."""
    return {
        "audits": {entry.file: record_digest(record(config, entry)) for entry in entries(config)},
        "sources": source_digest("dpbandits.audit.table", registry.module("table", "privacy", "make")),
    }


def figure_record(config: Config) -> Record:
    """Return what the privacy figure is made from."""
    return {
        "inputs": {TABLE: record_digest(table_record(config))},
        "sources": source_digest("dpbandits.pipeline.render", registry.module("figure", "privacy", "draw")),
    }


def read(results: Path, audits: Mapping[str, str]) -> pd.DataFrame:
    """Return the table of audits, one a row, and of algorithms without a claim.

    Parameters
    ----------
    results
        The results folder.
    audits
        The digests of the audits' records, by file.

    Raises
    ------
    BadInput
        If a file is damaged, or of another audit than the configuration's.
    """
    rows = []
    for file, made_from in audits.items():
        found = read_json(results / file)
        if record_digest(found["made_from"]) != made_from:
            raise BadInput(str(results / file), "another audit", "the configuration's; remove it and rerun")
        rows.append({**_row(found), "file": file})
    for name in registry.modules("algorithm"):
        declared = registry.algorithm(name)
        if declared.privacy is None:
            rows.append({"algorithm": name, "title": declared.title, "verdict": "no claim"})
    columns = [
        "setting",
        "algorithm",
        "title",
        "parameters",
        "definition",
        "epsilon",
        "delta",
        "audited",
        "verdict",
    ]
    columns += ["method", "exact", "sampled", "runs", "effort", "confidence", "witness", "file"]
    table = pd.DataFrame(rows, columns=columns)
    table["setting"] = [registry.setting("algorithm", name) for name in table["algorithm"]]
    return table


def _row(found: Mapping[str, Any]) -> dict[str, Any]:
    sampled, exact = found["sampled"], found["exact"]
    if found["method"] == "exact":
        event, (p, q) = exact["event"], exact["probabilities"]
        where = f"{exact['of']}; {json.dumps(exact['one'])} against {json.dumps(exact['other'])}"
    else:
        event, (p, q) = sampled["event"], (count / sampled["runs"] for count in sampled["counts"])
        where = f"inputs of {sampled['horizon']} rounds that differ in round {sampled['round']}"
    return {
        **{
            key: found[key] for key in ("algorithm", "title", "definition", "epsilon", "delta", "verdict", "method")
        },
        "parameters": json.dumps(found["parameters"]),
        "audited": float(found["audited"]),
        "exact": None if exact is None else float(exact["loss"]),
        "sampled": max(0.0, float(sampled["bound"])),
        "runs": sampled["runs"],
        "effort": found["effort"],
        "confidence": found["confidence"],
        "witness": f"{event}: {p:.4g} against {q:.4g} ({where})",
    }
