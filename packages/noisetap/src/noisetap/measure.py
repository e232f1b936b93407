"""Probability (or density) of a path, one run of a function of data, for the search; the checker has its own.

Each released number fixes one random draw. What is left are bounds on free draws: on one (an interval) or on two
(one lies above the other). Pairs that form a tree are integrated from the leaves to a root, on grids.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from noisetap.affine import Affine
from noisetap.laws import LEFT_OUT, Law, TooManyValues, log_of, support
from noisetap.nodes import Node, Values, log_densities, log_probability_without_factors
from noisetap.path import Path
from noisetap.ranks import comparable_numbers, log_order_probability
from noisetap.tape import Refused

# Most pairs of values of a whole draw, and of a sum of others that it is added to.
_MOST_PAIRS = 5_000_000
# A sum over whole numbers is known if its logarithm is this much above that of the tails that it leaves out.
_KNOWN = 20.0
# Points of a Fourier transform, half its range in widths of the widest noise, and the least density, in shares of
# 1 / width, that is more than its rounding.
_TRANSFORM_POINTS, _TRANSFORM_WIDTHS, _TRANSFORM_LEAST = 2**17, 200.0, 1e-9


def integrated_log_probability(path: Path) -> tuple[float, int, bool]:
    """Return the log probability (or density) of a path, its dimension, and whether it is inexact.

    A path is one run of a function of data. The logarithm is -inf if the path is impossible. The dimension is the
    number of continuous draws that released numbers fix: if it is 0, the first entry is a probability, else a
    density. The last entry is true if something was integrated on a grid, or if the path left out improbable
    values (``path.truncated``).

    Raises
    ------
    Refused
        If the path cannot be integrated. The reason names the line of a comparison, of a released number, or of a
        whole number with too many values; for sums with gamma draws it names none.
    """
    try:
        return _integrated(path)
    except TooManyValues as wide:
        raise Refused(f"{wide} ({path.lines[path.draws.index(wide.law)]})") from None


def _integrated(path: Path) -> tuple[float, int, bool]:
    """Return what `integrated_log_probability` does, or raise `TooManyValues`."""
    total = sum(log_of(s) for s in path.comparison_probabilities)
    total += sum(log_of(c.weights[c.taken]) for c in path.choices if c.weights)
    nodes: dict[int, Node] = {}
    edges: list[tuple[Affine, str]] = []
    sums: list[tuple[Law, Affine, str]] = []
    dimension = 0

    def node(i: int) -> Node:
        return nodes.setdefault(i, Node(path.draws[i], *support(path.draws[i])))

    for release in path.releases:
        if release.solved_draw < 0:
            continue
        law = path.draws[release.solved_draw]
        at = path.substituted(path.solved[release.solved_draw])
        if not law.is_discrete:
            dimension += 1
            total -= math.log(abs(release.affine.terms[release.solved_draw]))
        if not at.terms:
            total += law.log_density(at.offset)
        elif len(at.terms) == 1:
            ((i, f),) = at.terms.items()
            node(i).factors.append((law, at.offset, f))
        else:
            sums.append((law, at, release.line))
    for bound in path.bounds:
        left = path.substituted(bound.affine)
        if not left.terms:
            if not (left.offset > -1e-9 if not bound.strict else left.offset > 1e-12):
                return -math.inf, dimension, False
        elif len(left.terms) == 1:
            _cut(node(next(iter(left.terms))), left, bound.strict)
        elif len(left.terms) == 2:
            for i in left.terms:
                node(i)
            edges.append((_apart(left, bound.strict, path), bound.line))
        else:
            raise Refused(f"a comparison of more than two draws is not integrated ({bound.line})")
    summed = False
    for law, at, line in sums:
        shared = sum(not used.terms.keys().isdisjoint(at.terms) for _, used, _ in sums) > 1
        if shared or any(i in nodes for i in at.terms):
            raise Refused(f"a sum of noises is compared or used again, and not integrated ({line})")
        added, exact = _log_sum(law, at, path)
        total, summed = total + added, summed or not exact
    if any(n.is_impossible() for n in nodes.values()):
        return -math.inf, dimension, False
    paired = {i for of, _ in edges for i in of.terms}
    for i in [i for i, n in nodes.items() if i not in paired and not n.factors]:
        total += log_probability_without_factors(nodes.pop(i))
    needed = _needed(edges)

    def together(left_out: float) -> float:
        log = 0.0
        for tree in _trees(dict(nodes), needed, left_out):
            log += tree
            if log == -math.inf:
                break
        return log

    # A sum over whole numbers is exact if its tails are far below it, or it has none.
    if all(n.law.is_discrete for n in nodes.values()):
        least = _KNOWN if edges else -math.inf
        trees, exact = _deep(together, lambda out: all(n.has_all_values(out) for n in nodes.values()), least)
    else:
        trees, exact = together(LEFT_OUT[0]), False
    return total + trees, dimension, path.truncated or summed or not exact


def _deep(
    log_sum: Callable[[float], float], has_all: Callable[[float], bool], least: float = _KNOWN
) -> tuple[float, bool]:
    """Return the logarithm of a sum over whole numbers, and whether what it leaves out is small beside it.

    Parameters
    ----------
    log_sum
        Function that returns the logarithm, from what is left out of each law: see `Law.probabilities`.
    has_all
        Function that tells, from the same, whether nothing is left out.
    least
        By how much the logarithm has to be above that of the tails.
    """
    found = log_sum(LEFT_OUT[0])
    for left_out in LEFT_OUT:
        try:
            found = found if left_out == LEFT_OUT[0] else log_sum(left_out)
        except TooManyValues:
            return found, False
        if found > left_out + least or has_all(left_out):
            return found, True
    return found, False


def _apart(of: Affine, strict: bool, path: Path) -> Affine:
    """Move a bound of whole draws a little, to where none of their values lies, so that rounding cannot matter."""
    if not any(path.draws[i].is_discrete for i in of.terms):
        return of
    least = min(abs(f) for f in of.terms.values())
    return of.plus(Affine((-1e-7 if strict else 1e-7) * least))


def _cut(node: Node, left: Affine, strict: bool) -> None:
    """Narrow a draw's interval to the values that a bound on this draw alone allows."""
    ((_, f),) = left.terms.items()
    at = -left.offset / f
    if node.law.is_discrete:
        near = round(at) if abs(at - round(at)) < 1e-9 else None
        if f > 0:
            at = (near + 1 if strict else near) if near is not None else math.ceil(at)
        else:
            at = (near - 1 if strict else near) if near is not None else math.floor(at)
    if f > 0:
        node.low = max(node.low, at)
    else:
        node.high = min(node.high, at)


def _log_sum(law: Law, at: Affine, path: Path) -> tuple[float, bool]:
    """Return the log density of ``law`` at ``at``, averaged over the draws in ``at``, and whether it is exact.

    The draw z of ``law`` equals ``at``, which is offset + sum f_i z_i. So z - sum f_i z_i is a sum of three draws
    or more, and its density at the offset is wanted. Whole draws are summed. Of others, draws of one family are
    gathered into one first. Two that are left are integrated on a grid, and more by a Fourier transform.
    """
    laws = [law, *(path.draws[i] for i in at.terms)]
    factors = [1.0, *(-f for f in at.terms.values())]
    if all(one.is_discrete for one in laws):
        return _deep(
            lambda left_out: log_of(_whole_sum(laws, factors, at.offset, left_out)),
            lambda left_out: all(Node(one, *support(one)).has_all_values(left_out) for one in laws),
        )
    parts = _gathered(laws, factors)
    if any(one.kind == "gamma" and one.params[0] < 1 for one, _ in parts):
        raise Refused("gamma draws whose shapes do not add up to 1 are not integrated")
    if len(parts) == 1:
        ((one, f),) = parts
        return one.log_density(at.offset / f) - math.log(abs(f)), True
    if len(parts) == 2:
        (one, f), (other, g) = parts
        node = Node(one, *support(one), [(other, at.offset / g, -f / g)])
        if node.is_impossible():
            return -math.inf, True
        return log_of(float(np.sum(node.grid()[1]))) - math.log(abs(g)), False
    width = max(abs(f) for _, f in parts)
    half = _TRANSFORM_WIDTHS * width
    grid = np.linspace(-half, half, _TRANSFORM_POINTS, endpoint=False)
    step = grid[1] - grid[0]
    product: Any = 1.0
    for one, f in parts:
        shape = np.exp(log_densities(one, grid / f)) / abs(f)
        product = product * np.fft.rfft(np.fft.ifftshift(shape * step))
    density = np.fft.fftshift(np.fft.irfft(product, _TRANSFORM_POINTS)) / step
    value = float(np.interp(at.offset, grid, density))
    # Less is the transform's rounding noise.
    return math.log(value) if value >= _TRANSFORM_LEAST / width else -math.inf, False


def _gathered(laws: list[Law], factors: list[float]) -> list[tuple[Law, float]]:
    """Return laws and factors of a sum with draws of one family put together: normal draws, and gamma shares.

    Gamma draws whose shapes add up to 1 are an exponential draw, and a difference of two of these a Laplace draw.
    """
    found = [(law, f) for law, f in zip(laws, factors, strict=True) if law.kind not in ("normal", "gamma")]
    normal = math.sqrt(sum(f * f for law, f in zip(laws, factors, strict=True) if law.kind == "normal"))
    if normal:
        found.append((Law("normal"), normal))
    shapes: dict[float, float] = {}
    for law, f in zip(laws, factors, strict=True):
        if law.kind == "gamma":
            near = next((g for g in shapes if math.isclose(f, g, rel_tol=1e-9)), f)
            shapes[near] = shapes.get(near, 0.0) + law.params[0]
    for f, shape in shapes.items():
        found.append((Law("exponential") if abs(shape - 1.0) < 1e-9 else Law("gamma", params=(shape,)), f))
    for f in [f for f, shape in shapes.items() if f > 0 and abs(shape - 1.0) < 1e-9]:
        if (Law("exponential"), -f) in found:
            found = [part for part in found if part not in ((Law("exponential"), f), (Law("exponential"), -f))]
            found.append((Law("laplace"), f))
    return found


def _whole_sum(laws: list[Law], factors: list[float], value: float, left_out: float) -> float:
    """Return the probability that a sum of multiples of whole draws has a value.

    Parameters
    ----------
    laws, factors
        Laws of the draws, and the factor of each.
    value
        Value of the sum.
    left_out
        Log probability of each law's tails that are left out: see `Law.probabilities`.
    """
    chances: dict[float, float] = {0.0: 1.0}
    for law, f in zip(laws, factors, strict=True):
        later: dict[float, float] = {}
        masses = law.probabilities(left_out)
        if len(masses) * len(chances) > _MOST_PAIRS:
            raise TooManyValues(law)
        for k, m in masses:
            for s, p in chances.items():
                if m * p > 1e-300:
                    key = round(s + f * k, 9)
                    later[key] = later.get(key, 0.0) + m * p
        chances = later
    return chances.get(round(value, 9), 0.0)


def _needed(edges: list[tuple[Affine, str]]) -> list[tuple[Affine, str]]:
    """Leave out pairs that follow from others: ``a > b`` and ``b > c`` give ``a > c``."""
    bounds: dict[tuple[int, int], tuple[float, Affine, str]] = {}
    for of, line in edges:
        (i, f), (j, g) = of.terms.items()
        if f * g > 0 or not math.isclose(abs(f), abs(g), rel_tol=1e-9):
            return edges
        pair, least = ((i, j), -of.offset / abs(f)) if f > 0 else ((j, i), -of.offset / abs(f))
        if pair not in bounds or bounds[pair][0] < least:
            bounds[pair] = (least, of, line)
    for a, c in list(bounds):
        middles = {b for _, b in bounds} - {a, c}
        if any(
            (a, b) in bounds and (b, c) in bounds and bounds[a, b][0] + bounds[b, c][0] >= bounds[a, c][0] - 1e-12
            for b in middles
        ):
            del bounds[a, c]
    return [(of, line) for _, of, line in bounds.values()]


def _trees(nodes: dict[int, Node], edges: list[tuple[Affine, str]], left_out: float) -> Iterator[float]:
    """Yield the log mass of each tree of draws, and of each circle, whose draws are taken out of ``nodes``."""
    # Draws of a circle are integrated together and taken out. What is left are trees.
    for circle in _circles(edges):
        inside = [(of, line) for of, line in edges if of.terms.keys() <= circle]
        yield _circle({i: nodes.pop(i) for i in circle}, inside)
        edges = [(of, line) for of, line in edges if not of.terms.keys() <= circle]
    # The bounds between each draw and each one that it is compared with.
    beside: dict[int, dict[int, list[Affine]]] = {i: {} for i in nodes}
    for of, _ in edges:
        i, j = of.terms
        beside[i].setdefault(j, []).append(of)
        beside[j].setdefault(i, []).append(of)
    seen: set[int] = set()

    def mass(i: int, parent: int | None) -> tuple[Values, Values]:
        """Return the points of draw i with their mass, times that of all draws beyond it, seen from its parent."""
        if i in seen:
            raise _round_a_circle(edges)
        seen.add(i)
        points, weights = nodes[i].grid(left_out)
        for j, bounds in beside[i].items():
            if j != parent:
                weights = weights * _message(points, i, j, bounds, *mass(j, i), nodes[j].law.is_discrete)
        return points, weights

    for i in nodes:
        if i not in seen:
            yield log_of(float(np.sum(mass(i, None)[1])))


def _round_a_circle(edges: list[tuple[Affine, str]]) -> Refused:
    """Return the refusal of comparisons that no tree has, with the line of the first."""
    return Refused(f"comparisons that go round in a circle are not integrated ({edges[0][1]})")


def _circles(edges: list[tuple[Affine, str]]) -> list[set[int]]:
    """Return the draws of each connected part in which comparisons go round in a circle."""
    parts: list[tuple[set[int], set[frozenset[int]]]] = []
    for of, _ in edges:
        draws, pairs = set(of.terms), {frozenset(of.terms)}
        for part in [p for p in parts if p[0] & draws]:
            parts.remove(part)
            draws, pairs = draws | part[0], pairs | part[1]
        parts.append((draws, pairs))
    return [draws for draws, pairs in parts if len(pairs) >= len(draws)]


def _circle(nodes: dict[int, Node], edges: list[tuple[Affine, str]]) -> float:
    """Return the log probability that draws lie as comparisons say that go round in a circle."""
    at = comparable_numbers([of for of, _ in edges])
    if at is None or any(n.law.is_discrete for n in nodes.values()):
        raise _round_a_circle(edges)
    # The larger draw and the smaller one of each comparison: the larger has its factor's sign in the bound.
    over = []
    for of, _ in edges:
        i, j = of.terms
        over.append((i, j) if of.terms[i] == at[i][0] else (j, i))
    found = log_order_probability(over, {i: n.grid() for i, n in nodes.items()}, at)
    if found is None:
        raise Refused(f"too many orders of draws to be integrated ({edges[0][1]})")
    return found


def _message(
    points: Values, i: int, j: int, between: list[Affine], others: Values, mass: Values, whole: bool
) -> Values:
    """Return, for each value of draw i, the mass of values of draw j that the bounds allow.

    Parameters
    ----------
    points
        Values of draw i.
    i, j
        The two draws.
    between
        Bounds on sums of multiples of both.
    others, mass
        Values of draw j, and the mass of each.
    whole
        Whether draw j is a whole number.
    """
    if not len(others):
        return np.zeros(len(points))
    # For each value of draw i, the ends that the bounds leave of draw j.
    low, high = np.full(len(points), -math.inf), np.full(len(points), math.inf)
    for of in between:
        at = -(of.offset + of.terms[i] * points) / of.terms[j]
        if of.terms[j] > 0:
            low = np.maximum(low, at)
        else:
            high = np.minimum(high, at)
    if whole:
        # Half-way between whole numbers, where cells end.
        low, high = np.floor(low) + 0.5, np.floor(high) + 0.5
    # Mass of draw j from below and from above, at the borders half-way between its values.
    sums = np.concatenate([[0.0], np.cumsum(mass)])
    ends = (others[0] - 0.5, others[-1] + 0.5) if whole else (others[0], others[-1])
    edges = np.concatenate([[ends[0]], (others[1:] + others[:-1]) / 2, [ends[1]]])
    reverse = np.concatenate([[0.0], np.cumsum(mass[::-1])])[::-1]
    # A small mass is summed from the nearer end: as a difference of two numbers near 1 it would be rounding.
    above, beyond = (np.interp(at, edges, reverse, left=reverse[0], right=0.0) for at in (low, high))
    before, below = (np.interp(at, edges, sums, left=0.0, right=sums[-1]) for at in (low, high))
    both = np.maximum(np.where(below < above, below - before, above - beyond), 0.0)
    found: Values = np.where(np.isneginf(low), below, np.where(np.isposinf(high), above, both))
    return found
