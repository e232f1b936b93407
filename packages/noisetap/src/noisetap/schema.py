"""Schema of a certificate about a policy: every field is there, of its type, and numbers are below 10^15 in size.

The last entry of a tape's row, to which a draw is held, may be anything here.
"""

from __future__ import annotations

from typing import Any

from noisetap.form import FORMAT
from noisetap.laws import ROUNDABLE
from noisetap.shapes import Shape, anything, fault, flag, many, number, one_of, record, row, text, whole

_kind = one_of(*ROUNDABLE, "binomial", "beta", "choice", "integer", "order")
_count = whole()
_key = row(text, _count)
_law = record(kind=_kind, place=number, size=lambda x: number(x) and x != 0, more=many(number))
_compared = many(row(number, one_of(1.0, -1.0), flag))
_center = record(key=_key, x=_law, y=_law)
_tape = many(row(text, _count, one_of("out", "value", "said"), anything))
_FIELDS: dict[str, Shape] = {
    "format": one_of(FORMAT),
    "kind": one_of("finite", "infinite"),
    "claim": record(epsilon=lambda x: number(x) and x >= 0, delta=lambda x: number(x) and 0 <= x < 1),
    "rewards": record(rounds=_count, arms=_count, low=number, high=number, row=flag),
    "seed": _count,
    "row": _count,
    "x": many(many(number)),
    "y": many(many(number)),
    "parts": many(record(key=_key, line=text, moment=_count, said=number, x=_law, y=_law)),
    "asked": many(record(key=_key, line=text, x_said=_compared, y_said=_compared, x=_law, y=_law)),
    "pivots": many(record(center=_center, others=many(record(key=_key, x=_law, y=_law, above=flag)))),
    "tape": _tape,
    "paths": many(_tape),
}
_INFINITE: dict[str, Shape] = {"decision": _count, "tape_y": _tape, "coins": many(_key)}


def fault_of_form(certificate: Any) -> str | None:
    """Return what is wrong with the form of a certificate about a policy, or ``None``.

    An example is "it is no JSON object". The certificate's two inputs have to be of the stated size and range, and
    to differ in the stated row.
    """
    infinite = isinstance(certificate, dict) and certificate.get("kind") == "infinite"
    return fault(certificate, _FIELDS | (_INFINITE if infinite else {})) or _fault_of_inputs(certificate)


def _fault_of_inputs(certificate: Any) -> str | None:
    """Return why the two tables are no neighbours of the stated size and range, or ``None``."""
    rewards, x, y = certificate["rewards"], certificate["x"], certificate["y"]
    if not (0 < rewards["arms"] <= 10**4 and 0 < rewards["rounds"] <= 10**5 and rewards["low"] <= rewards["high"]):
        return "its inputs have no size, or no range"
    shape = [rewards["arms"]] * rewards["rounds"]
    if any([len(row) for row in table] != shape for table in (x, y)):
        return "its inputs are not of the size that it states"
    if not all(rewards["low"] <= v <= rewards["high"] for table in (x, y) for row in table for v in row):
        return "its inputs leave the range of rewards"
    if [t for t in range(len(x)) if x[t] != y[t]] != [certificate["row"]]:
        return "its inputs do not differ in the one row that it names"
    return None
