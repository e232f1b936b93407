"""What a delta has to cover: exact for results without noise on them, one number let out, or normal noise."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from noisetap.function import Function, widths
from noisetap.path import Path
from noisetap.records import Data
from noisetap.results import Outcome, counterpart, outcomes

_POINTS, _REACH = 241, 14.0


def gaussian_shift(mine: list[Outcome], others: list[Outcome]) -> float | None:
    """Return by how many standard deviations normal noise is moved, if there is nothing else."""
    if len(mine) != 1 or len(others) != 1 or len(mine[0].paths) != 1 or len(others[0].paths) != 1:
        return None
    a, b = mine[0].paths[0], others[0].paths[0]
    if a.bounds or b.bounds or len(a.releases) != len(b.releases) or not a.releases:
        return None
    total = 0.0
    for p, q in zip(a.releases, b.releases, strict=True):
        kinds = {path.draws[i].kind for path, r in ((a, p), (b, q)) for i in r.of.terms}
        sizes = [math.sqrt(sum(f * f for f in r.of.terms.values())) for r in (p, q)]
        if kinds != {"normal"} or not math.isclose(*sizes, rel_tol=1e-9):
            return None
        total += ((p.of.offset - q.of.offset) / sizes[0]) ** 2
    return math.sqrt(total)


def normal_excess(shift: float, epsilon: float) -> float:
    """Return the exact delta of normal noise (Balle and Wang 2018, equation 6)."""
    if shift == 0:
        return 0.0
    tails = [math.erfc(-z / math.sqrt(2)) / 2 for z in (shift / 2 - epsilon / shift, -shift / 2 - epsilon / shift)]
    return tails[0] - math.exp(epsilon) * tails[1]


def excess(
    function: Function,
    x: Data,
    y: Data,
    outputs: Sequence[float],
    mine: list[Outcome],
    others: list[Outcome],
    epsilon: float,
    measure: Callable[[Path], Any],
) -> float | None:
    """Return P(E) - exp(epsilon) Q(E) of the event that needs most, or ``None`` if it is not computed."""
    if not outputs and all(o.dimensions <= {0} for o in [*mine, *others]):
        return _over(mine, others, epsilon)
    shift = gaussian_shift(mine, others)
    if shift is not None:
        return normal_excess(shift, epsilon)
    if len(outputs) != 1 or any(len(p.releases) != 1 for o in [*mine, *others] for p in o.paths):
        return None
    release = mine[0].paths[0].releases[0]
    if release.pivot < 0 or mine[0].paths[0].draws[release.pivot].whole:
        return None
    places = [p.releases[0].of.offset for o in [*mine, *others] for p in o.paths]
    width = max(w for o in [*mine, *others] for p in o.paths for w in widths(p))
    grid = np.linspace(min(places) - _REACH * width, max(places) + _REACH * width, _POINTS)
    heights = [
        _over(outcomes(function, x, [v], measure), outcomes(function, y, [v], measure), epsilon)
        for v in grid.tolist()
    ]
    return float(np.trapezoid(heights, grid))


def _over(mine: list[Outcome], others: list[Outcome], epsilon: float) -> float:
    total = 0.0
    for outcome in mine:
        other = counterpart(outcome, others)
        q = 0.0 if other is None else math.exp(other.log)
        total += max(math.exp(outcome.log) - math.exp(epsilon) * q, 0.0)
    return total
