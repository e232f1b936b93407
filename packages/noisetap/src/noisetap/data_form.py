"""Form of a certificate about a function of data."""

from __future__ import annotations

import math
from typing import Any

from noisetap.verdict import Claim

DATA_FORMAT = "noisetap data 1"


def written_relation(relation: Any) -> str:
    """Return the name of a relation, as a certificate has it."""
    return relation if isinstance(relation, str) else f"own: {getattr(relation, '__name__', 'function')}"


def written_claim(claim: Claim) -> dict[str, float | None]:
    """Return a claim, as a certificate has it; its order only if it has one."""
    found: dict[str, float | None] = {"epsilon": claim.epsilon, "delta": claim.delta, "rho": claim.rho}
    return found if claim.alpha is None else found | {"alpha": claim.alpha}


def fault_of_data_form(certificate: Any) -> str | None:
    """Return what is wrong with the form of a certificate, or ``None``."""
    if not isinstance(certificate, dict) or certificate.get("format") != DATA_FORMAT:
        return f"its format is not {DATA_FORMAT!r}"
    fields = {"format", "claim", "parameters", "relation", "x", "y", "outputs", "scripts", "loss", "stored"}
    if certificate.keys() != fields:
        return f"its fields are not {', '.join(sorted(fields))}"
    if not isinstance(certificate["parameters"], dict) or not all(map(_number, certificate["parameters"].values())):
        return "its parameters are no finite numbers"
    numbers = certificate["outputs"]
    if not isinstance(numbers, list) or not all(_number(v) for v in numbers):
        return "its outputs are no finite numbers"
    scripts = certificate["scripts"]
    if not isinstance(scripts, list) or not 0 < len(scripts) <= 3_000:
        return "it has no scripts of choices"
    for script in scripts:
        if not isinstance(script, list) or not all(type(c) is int and 0 <= c < 10_000 for c in script):
            return "a script of choices is no list of whole numbers"
    if len({tuple(s) for s in scripts}) != len(scripts):
        return "a script of choices stands there twice"
    for name in ("x", "y"):
        rows = certificate[name]
        if not isinstance(rows, list) or not all(isinstance(r, list) and all(_value(v) for v in r) for r in rows):
            return f"its input {name} is no list of records"
    if not isinstance(certificate["relation"], str) or not _loss(certificate["loss"]):
        return "its relation or its loss is not as it has to be"
    return None if isinstance(certificate["stored"], bool) else "whether noise was stored is no truth value"


def _number(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and abs(value) < 1e15
    )


def _value(value: Any) -> bool:
    return _number(value) or isinstance(value, str | bool)


def _loss(value: Any) -> bool:
    return value is None or value == "infinite" or (_number(value) and value > 0)
