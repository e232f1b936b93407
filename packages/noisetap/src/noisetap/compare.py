"""Comparisons of two runs of a policy, and other values that a random draw could have had.

A plan holds draws by key to an output, ``("out", 3.5)``, a value, ``("value", 2)``, or a value and the answers to
comparisons, ``("said", (0.3, (True, False)))``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from noisetap.replay import differing_decision
from noisetap.tape import Draw, Key, Plan, Tape

# How far an output is moved, in scales of its noise: near, out of most noise, and out of all.
_STEPS = (1.0, 12.0, 1000.0)


def same_law(a: Draw, b: Draw) -> bool:
    """Tell whether a draw has the same use, law (of its sum, if it was added) and thresholds in two runs."""
    if a.role != b.role or (a.comparisons and [c[0] for c in a.comparisons] != [c[0] for c in b.comparisons]):
        return False
    p, q = a.output_law, b.output_law
    return (
        (p.kind, p.params) == (q.kind, q.params)
        and math.isclose(p.location, q.location, rel_tol=1e-12, abs_tol=1e-12)
        and (math.isclose(p.scale, q.scale, rel_tol=1e-12))
    )


def other_values(draw: Draw) -> list[tuple[str, Any]]:
    """Return entries of a plan that hold a draw to other values than its own, near and far; none for a drawn order.

    For noise that was added they are like ``("out", 3.5)``, with another sum. For noise that was only compared they
    are like ``("said", (0.3, (True,)))``, with one answer inverted, or all. For other draws they are like
    ``("value", 2)``. A choice gets at most eight other values, an integer 12.
    """
    if draw.role == "out":
        law, y = draw.output_law, draw.output or 0.0
        if law.kind == "binomial":
            n = int(law.params[0])
            return [
                ("out", law.location + law.scale * z)
                for z in sorted({0, 1, n // 2, n})
                if law.location + law.scale * z != y
            ]
        steps = [s * law.scale for s in _STEPS]
        return [("out", y + s) for s in steps] + [("out", y - s) for s in steps]
    if draw.plan_entry[0] == "said":
        value, said = draw.plan_entry[1]
        flipped = [tuple(not s if i == j else s for j, s in enumerate(said)) for i in range(len(said))]
        return [("said", (value, f)) for f in flipped[-8:]] + [("said", (value, tuple(not s for s in said)))]
    if draw.law.kind == "choice":
        return [("value", i) for i in range(len(draw.law.params)) if i != draw.value][:8]
    if draw.law.kind == "integer":
        others = (i for i in range(int(draw.law.location), int(draw.law.scale)) if i != draw.value)
        return [("value", i) for i in itertools.islice(others, 12)]
    if draw.law.kind == "binomial":
        return [("value", i) for i in (0, 1, int(draw.law.params[0])) if i != draw.value]
    if draw.law.kind == "order":
        return []
    return [("value", draw.value + s * draw.law.scale) for s in (1.0, -1.0, 12.0, -12.0, 1000.0, -1000.0)]


def inverted_answers(draw: Draw) -> tuple[str, Any]:
    """Return an entry of a plan that inverts a draw's answers to comparisons; without any, its own entry."""
    how, what = draw.plan_entry
    return (how, (what[0], tuple(not said for said in what[1]))) if how == "said" else (how, what)


def inverted_plans(run: Tape, line: str) -> Iterator[Plan]:
    """Yield plans in which comparisons of the draws of one line of the program, ``file:line``, have other answers.

    Each plan holds the draws of this line alone. In the first plan every answer is inverted. If the line has
    several draws, two more follow: one with all answers true, and one with all false.
    """
    coins = {key: draw for key, draw in run.draws.items() if draw.line == line}
    yield {key: inverted_answers(draw) for key, draw in coins.items()}
    for all_say in (True, False) if len(coins) > 1 else ():
        plan: Plan = {}
        for key, draw in coins.items():
            how, what = draw.plan_entry
            plan[key] = (how, (what[0], (all_say,) * len(what[1]))) if how == "said" else (how, what)
        yield plan


def runs_differ(a: Tape, b: Tape, last: float) -> bool:
    """Tell whether two runs differ up to decision ``last``, from 0: in a decision, or in a draw of ``a``.

    A draw differs in its law, use or thresholds, or if ``b`` does not make it. Draws of ``b`` alone do not count.
    """
    at = differing_decision(a, b)
    if at is not None and at <= last:
        return True
    for key, draw in a.draws.items():
        twin = b.draws.get(key)
        if draw.round <= last and (twin is None or not same_law(draw, twin)):
            return True
    return False


def outputs_with_keys(tape: Tape, last: int, keys: set[Key]) -> set[tuple[Key, int]]:
    """Return the draws among ``keys`` that were only added to numbers, up to decision ``last``, from 0.

    Each comes as a pair of its key and its round, the number of decisions before it.
    """
    return {(k, d.round) for k, d in tape.draws.items() if d.role == "out" and d.round <= last and k in keys}


def outputs_at(tape: Tape, decisions: int) -> set[Key]:
    """Return the keys of draws, made after exactly ``decisions`` decisions, that were only added to numbers.

    Draws that were also compared, or read as plain numbers, are left out.
    """
    return {k for k, d in tape.draws.items() if d.role == "out" and d.round == decisions}
