"""The checker's own probability that random draws lie in an order: a sum over all full orders.

The search adds up over sets of draws (`noisetap.ranks`); the two share no line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisetap.tape import Refused

Values = NDArray[np.float64]
Pair = tuple[float, dict[int, float]]
# Cells of the line that all draws lie on, and most full orders that are added up.
_CELLS, _MOST = 8_000, 2_000


def cyclic_groups(pairs: Sequence[Pair]) -> list[set[int]]:
    """Return the sets of draws, by their numbers, that comparisons connect in at least one cycle.

    If draws are nodes and comparisons edges, these are the connected components that are no trees. Several
    comparisons of the same two draws are one edge. Each of ``pairs`` is a comparison: an offset, and the factors of
    two draws by number; their sum is above 0.
    """
    draws = sorted({i for _, terms in pairs for i in terms})
    group = {i: i for i in draws}
    for _ in draws:
        for _, terms in pairs:
            least = min(group[i] for i in terms)
            group |= dict.fromkeys(terms, least)
    found = []
    for name in sorted(set(group.values())):
        members = {i for i in draws if group[i] == name}
        edges = {frozenset(terms) for _, terms in pairs if set(terms) <= members}
        if len(edges) >= len(members):
            found.append(members)
    return found


def order_probability(pairs: Sequence[Pair], masses: dict[int, tuple[Values, Values]]) -> float:
    """Return the probability, computed on a grid, that all comparisons of pairs of independent random draws hold.

    Parameters
    ----------
    pairs : sequence
        Comparisons. Each is an offset and a dict ``{i: f, j: g}``, and says that offset + f z_i + g z_j > 0.
    masses : dict
        By number of the draw: its points (middles of cells of equal width), and the probability of each cell. Each
        draw is in a comparison. Probabilities need not add up to 1.

    Raises
    ------
    Refused
        If the comparisons allow more than 2,000 orders of all draws. Also if the draws cannot be scaled and
        shifted, each to one number ``factor * z + shift``, so that each comparison says that one draw's number is
        larger than another's.
    """
    draws = sorted(masses)
    if any(not len(points) for points, _ in masses.values()):
        return 0.0
    # Each draw is a number f z + v so that each comparison is one of two such numbers.
    factor = {i: next(terms[i] for _, terms in pairs if i in terms) for i in draws}
    for _ in draws:
        for _, terms in pairs:
            (i, f), (j, g) = sorted(terms.items())
            if (factor[i] == f) == (factor[j] == g):
                factor[j] = -factor[j]
    matrix, right, over = [], [], []
    for offset, terms in pairs:
        big = [i for i, f in terms.items() if factor[i] == f]
        if len(big) != 1 or any(abs(factor[i]) != abs(f) for i, f in terms.items()):
            raise Refused("comparisons that go round in a circle are not checked")
        (small,) = [i for i in terms if i != big[0]]
        row = np.zeros(len(draws))
        row[draws.index(big[0])], row[draws.index(small)] = 1.0, -1.0
        matrix.append(row)
        right.append(offset)
        over.append((big[0], small))
    places = np.linalg.lstsq(np.array(matrix), np.array(right), rcond=None)[0]
    if np.max(np.abs(np.array(matrix) @ places - right)) > 1e-7:
        raise Refused("comparisons that go round in a circle are not checked")
    numbers = {i: factor[i] * masses[i][0] + places[draws.index(i)] for i in draws}
    low, high = min(v.min() for v in numbers.values()), max(v.max() for v in numbers.values())
    edges = np.linspace(low, high, _CELLS + 1)
    cells = {i: _spread(numbers[i], masses[i][1], edges) for i in draws}
    total = 0.0
    for number, order in enumerate(_full_orders(draws, over)):
        if number >= _MOST:
            raise Refused("too many orders of draws to be checked")
        chance: Any = cells[order[0]]
        for i in order[1:]:
            # Of two draws in one cell each is the larger one with probability 1/2.
            chance = cells[i] * (np.concatenate([[0.0], np.cumsum(chance)[:-1]]) + chance / 2)
        total += float(np.sum(chance))
    return total


def _full_orders(draws: list[int], over: list[tuple[int, int]]) -> Iterator[list[int]]:
    """Yield the draws from the smallest to the largest, in each way that the comparisons allow."""
    if not draws:
        yield []
    for i in draws:
        if not any(big == i and small in draws for big, small in over):
            for rest in _full_orders([d for d in draws if d != i], over):
                yield [i, *rest]


def _spread(numbers: Values, mass: Values, edges: Values) -> Values:
    """Share the mass of one draw's cells, around ``numbers``, among the common cells between ``edges``."""
    # Each cell is cut into pieces of at most a quarter of a common cell, which count where their middles lie.
    step = abs(numbers[1] - numbers[0]) if len(numbers) > 1 else 0.0
    width = edges[1] - edges[0]
    parts = max(int(np.ceil(4 * step / width)), 1)
    found = np.zeros(len(edges) - 1)
    for part in range(parts):
        at = numbers + step * ((part + 0.5) / parts - 0.5)
        cell = np.clip(((at - edges[0]) / width).astype(int), 0, len(found) - 1)
        found += np.bincount(cell, mass / parts, len(found))
    return found


def without_implied(pairs: list[Any]) -> list[Any]:
    """Leave out pairs that others imply: ``a > b`` and ``b > c`` give ``a > c``, or another one is stricter."""
    # The larger draw and the smaller one of each pair, and the least difference between them.
    differences = []
    for offset, terms in pairs:
        (i, f), (j, g) = terms.items()
        if f * g > 0 or not math.isclose(abs(f), abs(g), rel_tol=1e-9):
            return pairs
        big, small = (i, j) if f > 0 else (j, i)
        differences.append((big, small, -offset / abs(f)))
    kept = list(range(len(pairs)))
    for n, (a, c, least) in enumerate(differences):
        others = [differences[k] for k in kept if k != n]
        first = {b: d for p, b, d in others if p == a}
        if any(p in first and q == c and first[p] + d >= least - 1e-12 for p, q, d in others) or any(
            (p, q) == (a, c) and d > least for p, q, d in others
        ):
            kept.remove(n)
    return [pairs[k] for k in kept]
