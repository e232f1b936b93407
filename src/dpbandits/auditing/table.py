"""Table of audits: one row for each audit, and one for each algorithm without a claim."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from dpbandits.core import registry
from dpbandits.core.files import Json, read_json
from dpbandits.core.tables import Row, rounded

COLUMNS = ["setting", "algorithm", "title", "base", "definition", "epsilon", "delta", "audited", "verdict"]
COLUMNS += ["method", "exact", "replayed", "sampled", "runs", "effort", "confidence", "witness", "file"]


def read(files: Sequence[Path]) -> pd.DataFrame:
    """Return the table of the audits in JSON files, with the columns `COLUMNS`, and of algorithms without a claim.

    Audits come first, in the order of ``files``; an algorithm without a claim has the verdict ``no claim``, and no
    other result. ``file`` is the end of a path, of three parts. Numbers are rounded to 7 digits.

    Raises
    ------
    DamagedFile
        If a file is not the one that was written.
    """
    rows = [{**row_of(read_json(file)), "file": str(Path(*file.parts[-3:]))} for file in files]
    for name in registry.modules("algorithm"):
        declared = registry.algorithm(name)
        if declared.privacy is None:
            rows.append({"algorithm": name, "title": declared.title, "verdict": "no claim"})
    table = pd.DataFrame(rows, columns=COLUMNS)
    table["setting"] = [registry.setting("algorithm", name) for name in table["algorithm"]]
    return rounded(table)


def row_of(found: Json) -> Row:
    """Return an audit's row of the table, by column, without setting and file; ``found`` is from `Audit.data`."""
    sampled, exact, replayed = found["sampled"], found["exact"], found["replayed"]
    worst = replayed["worst"]
    if found["method"] == "replayed":
        where = _where(worst["horizon"], worst["arms"], worst["neighbour"])
        witness = f"{worst['violation'] or 'a transcript of a replayed run'}: {worst['details']} ({where})"
    elif found["method"] == "exact":
        event, (p, q) = exact["event"], exact["probabilities"]
        where = f"{exact['of']}; {json.dumps(exact['one'])} against {json.dumps(exact['other'])}"
    else:
        event, (p, q) = sampled["event"], (count / sampled["runs"] for count in sampled["counts"])
        where = f"inputs of {sampled['horizon']} rounds that differ in round {sampled['round']}"
    if found["method"] != "replayed":
        witness = f"{event}: {p:.4g} against {q:.4g} ({where})"
    return {
        **{
            key: found[key] for key in ("algorithm", "title", "definition", "epsilon", "delta", "verdict", "method")
        },
        "base": found["parameters"].get("base", ""),
        "audited": float(found["audited"]),
        "exact": None if exact is None else float(exact["loss"]),
        "replayed": None if worst is None else float(worst["loss"]),
        "sampled": max(0.0, float(sampled["bound"])),
        "runs": sampled["runs"],
        "effort": found["effort"],
        "confidence": found["confidence"],
        "witness": witness,
    }


def _where(horizon: int, arms: int, near: Mapping[str, int] | None) -> str:
    differ = "" if near is None else f", inputs that differ in round {near['round']}"
    return f"a run of {horizon} rounds and {arms} arms{differ}"
