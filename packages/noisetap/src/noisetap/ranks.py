"""Probability that random draws lie in an order of which only parts are known, for the search.

Sorting makes few comparisons: ``a > b``, ``a > c``, ``b > d``, ``c > d`` say nothing of b and c, and form no tree.
So sets of the smallest draws are built up. A draw is added to a set once all draws below it are in the set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisetap.affine import Affine

Values = NDArray[np.float64]
# Cells of the line that all draws lie on.
_CELLS = 6_000
# Most sets of draws with all that lie below them.
MOST_SETS = 3_000


def comparable_numbers(bounds: Sequence[Affine]) -> dict[int, tuple[float, float]] | None:
    """Return, by draw z, a factor and an offset, so that comparisons are between numbers ``factor * z + offset``.

    Each of ``bounds`` is a sum of two draws, times factors, and an offset, that is above zero. It then says that
    one of these numbers exceeds another one. The result is ``None`` if no such factors and offsets are found. Some
    are missed: a factor's sign is not turned again once a bound has used it.
    """
    factor: dict[int, float] = {}
    beside: dict[int, list[tuple[int, float]]] = {}
    for of in bounds:
        (i, f), (j, g) = of.terms.items()
        if factor.setdefault(i, f) not in (f, -f) or factor.setdefault(j, g) not in (g, -g):
            return None
        # f z_i + g z_j + o > 0: with one sign of each draw's factor it is a difference of two numbers.
        if (factor[i] == f) == (factor[j] == g) and not any(
            _flipped(factor, beside, k, h) for k, h in ((j, g), (i, f))
        ):
            return None
        sign = 1.0 if factor[i] == f else -1.0
        beside.setdefault(i, []).append((j, sign * of.offset))
        beside.setdefault(j, []).append((i, -sign * of.offset))
    offset: dict[int, float] = {}
    for start in beside:
        waiting = [] if start in offset else [start]
        offset.setdefault(start, 0.0)
        while waiting:
            i = waiting.pop()
            for j, apart in beside[i]:
                at = offset[i] - apart
                if j not in offset:
                    offset[j] = at
                    waiting.append(j)
                elif not math.isclose(offset[j], at, rel_tol=1e-9, abs_tol=1e-9):
                    return None
    return {i: (factor[i], offset[i]) for i in offset}


def _flipped(factor: dict[int, float], beside: dict[int, Any], j: int, g: float) -> bool:
    """Turn the sign of a draw's factor, if no bound has used it yet; tell whether that was possible."""
    if j in beside:
        return False
    factor[j] = -g
    return True


def log_order_probability(
    ordered: Sequence[tuple[int, int]],
    grids: dict[int, tuple[Values, Values]],
    affine_maps: dict[int, tuple[float, float]],
) -> float | None:
    """Return the log probability that independent draws lie in a given, partial order.

    It is -inf if the pairs go round in a circle, or if a draw has no possible value. It is ``None`` if there are
    too many orders: for some k, more than 3,000 (`MOST_SETS`) sets of draws can be the k smallest ones.

    Parameters
    ----------
    ordered : sequence of (int, int)
        Pairs of numbers of draws: the larger draw and the smaller one.
    grids : dict
        By number of the draw: increasing values, and the mass of each.
    affine_maps : dict
        By number of the draw: factor and offset, as `comparable_numbers` returns them. The order is one of the
        numbers ``factor * z + offset``, for each draw z.
    """
    draws = sorted(grids)
    if any(not len(points) for points, _ in grids.values()):
        return -math.inf
    spans = [np.sort(affine_maps[i][0] * grids[i][0][[0, -1]] + affine_maps[i][1]) for i in draws]
    edges = np.linspace(min(s[0] for s in spans), max(s[1] for s in spans), _CELLS + 1)
    mass = {
        i: _mass_in_cells(edges, affine_maps[i][0] * grids[i][0] + affine_maps[i][1], grids[i][1]) for i in draws
    }
    below = {i: {b for a, b in ordered if a == i} for i in draws}
    # By set of smallest draws: probability that they are in order, for each cell of the largest of them.
    layer: dict[frozenset[int], Any] = {frozenset(): None}
    for _ in draws:
        later: dict[frozenset[int], Any] = {}
        for taken, top in layer.items():
            for i in draws:
                if i in taken or not below[i] <= taken:
                    continue
                # Of two draws in one cell each is the larger one with probability 1/2.
                under: Any = 1.0 if top is None else np.cumsum(top) - top / 2
                key = taken | {i}
                later[key] = later.get(key, 0.0) + mass[i] * under
        layer = later
        if not layer:
            # The pairs go round in a circle.
            return -math.inf
        if len(layer) > MOST_SETS:
            return None
    (total,) = layer.values()
    found = float(np.sum(total))
    return math.log(found) if found > 0 else -math.inf


def _mass_in_cells(edges: Values, points: Values, weights: Values) -> Values:
    """Return the mass, given by weights of points, between each two edges.

    Sums start at the nearer end: a difference of two sums close to 1 would be rounding.
    """
    order = np.argsort(points)
    points, weights = points[order], weights[order]
    middle = np.concatenate([[points[0]], (points[1:] + points[:-1]) / 2, [points[-1]]])
    under = np.concatenate([[0.0], np.cumsum(weights)])
    beyond = np.concatenate([np.cumsum(weights[::-1])[::-1], [0.0]])
    low = np.diff(np.interp(edges, middle, under))
    high = -np.diff(np.interp(edges, middle, beyond))
    found: Values = np.where(edges[1:] < points[int(np.searchsorted(under, under[-1] / 2)) - 1], low, high)
    return np.maximum(found, 0.0)
