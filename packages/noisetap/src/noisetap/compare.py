"""Comparisons of two runs, and other values that a draw could have had."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from noisetap.replay import parted
from noisetap.tape import Draw, Key, Plan, Tape

# How far an output is moved, in scales of its noise: near, out of most noise, and out of all.
_STEPS = (1.0, 12.0, 1000.0)


def same_law(a: Draw, b: Draw) -> bool:
    """Tell whether a draw has the same law, and is compared with the same thresholds, in two runs."""
    if a.role != b.role or (a.compared and [c[0] for c in a.compared] != [c[0] for c in b.compared]):
        return False
    p, q = a.output_law, b.output_law
    return (
        (p.kind, p.more) == (q.kind, q.more)
        and math.isclose(p.place, q.place, rel_tol=1e-12, abs_tol=1e-12)
        and (math.isclose(p.size, q.size, rel_tol=1e-12))
    )


def alternatives(draw: Draw) -> list[tuple[str, Any]]:
    """Return `Plan` entries that hold a draw to other values than its own, near and far; none for a drawn order."""
    if draw.role == "out":
        law, y = draw.output_law, draw.output or 0.0
        if law.kind == "binomial":
            n = int(law.more[0])
            return [
                ("out", law.place + law.size * z)
                for z in sorted({0, 1, n // 2, n})
                if law.place + law.size * z != y
            ]
        steps = [s * law.size for s in _STEPS]
        return [("out", y + s) for s in steps] + [("out", y - s) for s in steps]
    if draw.held[0] == "said":
        value, said = draw.held[1]
        flipped = [tuple(not s if i == j else s for j, s in enumerate(said)) for i in range(len(said))]
        return [("said", (value, f)) for f in flipped[-8:]] + [("said", (value, tuple(not s for s in said)))]
    if draw.law.kind == "choice":
        return [("value", i) for i in range(len(draw.law.more)) if i != draw.value][:8]
    if draw.law.kind == "integer":
        others = (i for i in range(int(draw.law.place), int(draw.law.size)) if i != draw.value)
        return [("value", i) for i in itertools.islice(others, 12)]
    if draw.law.kind == "binomial":
        return [("value", i) for i in (0, 1, int(draw.law.more[0])) if i != draw.value]
    if draw.law.kind == "order":
        return []
    return [("value", draw.value + s * draw.law.size) for s in (1.0, -1.0, 12.0, -12.0, 1000.0, -1000.0)]


def opposite(draw: Draw) -> tuple[str, Any]:
    """Return the `Plan` entry that inverts a draw's answers to comparisons; one without answers stays as it is."""
    how, what = draw.held
    return (how, (what[0], tuple(not said for said in what[1]))) if how == "said" else (how, what)


def turned(run: Tape, line: str) -> Iterator[Plan]:
    """Yield plans in which comparisons of the draws of one line of the program have other answers.

    First each answer is inverted. If the line has several draws, then all answers are true, and then all are false.
    """
    coins = {key: draw for key, draw in run.draws.items() if draw.line == line}
    yield {key: opposite(draw) for key, draw in coins.items()}
    for all_say in (True, False) if len(coins) > 1 else ():
        plan: Plan = {}
        for key, draw in coins.items():
            how, what = draw.held
            plan[key] = (how, (what[0], (all_say,) * len(what[1]))) if how == "said" else (how, what)
        yield plan


def differs(a: Tape, b: Tape, last: float) -> bool:
    """Tell whether two runs differ up to decision ``last``: in a decision, or in the law of a draw."""
    at = parted(a, b)
    if at is not None and at <= last:
        return True
    for key, draw in a.draws.items():
        twin = b.draws.get(key)
        if draw.moment <= last and (twin is None or not same_law(draw, twin)):
            return True
    return False


def outputs_among(tape: Tape, last: int, among: set[Key]) -> set[tuple[Key, int]]:
    """Return key and moment of each output up to decision ``last`` whose key is in ``among``."""
    return {(k, d.moment) for k, d in tape.draws.items() if d.role == "out" and d.moment <= last and k in among}


def outputs_at(tape: Tape, moment: int) -> set[Key]:
    """Return the keys of outputs whose draws have ``moment`` decisions before them."""
    return {k for k, d in tape.draws.items() if d.role == "out" and d.moment == moment}
