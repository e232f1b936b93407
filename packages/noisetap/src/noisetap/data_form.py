"""Form of a certificate, which proves that a function of data violates a claim, as JSON data."""

from __future__ import annotations

from typing import Any

from noisetap.shapes import Shape, anything, fault, flag, many, number, one_of, table, whole
from noisetap.verdict import Claim

DATA_FORMAT = "noisetap data 1"
_records = many(many(lambda x: number(x) or isinstance(x, str | bool)))
_script = many(whole(0, 9_999))
_FIELDS: dict[str, Shape] = {
    "format": one_of(DATA_FORMAT),
    # It is compared with the caller's.
    "claim": anything,
    "parameters": table(number),
    "relation": lambda x: isinstance(x, str),
    "x": _records,
    "y": _records,
    "outputs": many(number),
    "scripts": lambda x: many(_script)(x) and 0 < len(x) <= 3_000,
    "loss": lambda x: x is None or x == "infinite" or (number(x) and x > 0),
    "stored": flag,
}


def relation_as_json(relation: Any) -> str:
    """Return the text that names a relation of neighbours in a certificate.

    It is ``own: f`` for a function ``f`` that lists neighbours; a common one, such as ``add-remove``, has its name.
    """
    return relation if isinstance(relation, str) else f"own: {getattr(relation, '__name__', 'function')}"


def claim_as_json(claim: Claim) -> dict[str, float | None]:
    """Return a claim as JSON data: ``epsilon``, ``delta``, ``rho`` or ``None``, and ``alpha`` only if set."""
    found: dict[str, float | None] = {"epsilon": claim.epsilon, "delta": claim.delta, "rho": claim.rho}
    return found if claim.alpha is None else found | {"alpha": claim.alpha}


def fault_of_data_form(certificate: Any) -> str | None:
    """Return what is wrong with the form of a certificate about a function of data, or ``None``.

    An example is "it is no JSON object".
    """
    found = fault(certificate, _FIELDS)
    if found is None and len({tuple(script) for script in certificate["scripts"]}) != len(certificate["scripts"]):
        return "a script of choices stands there twice"
    return found
