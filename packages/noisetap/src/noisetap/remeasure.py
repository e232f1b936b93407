"""Probability of a path (one run of a function of data), for the checker: free draws are summed over cells.

The search integrates by trees of draws that it finds on the way (`noisetap.measure`); the two share no line.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisetap.formulas import density, interval_probability, log_discrete_probability
from noisetap.orders import cyclic_groups, order_probability, without_implied
from noisetap.path import Path
from noisetap.tape import Refused

Values = NDArray[np.float64]
# Cells of one draw, and how far they reach, in scales of the standard law.
_CELLS, _FAR = 30_000, 60.0
# Most values of a whole draw that are added up, and logs of the probability of what is left out at an end: of the
# second and the next for results that are less probable than what the one before leaves out, or not far above it.
_MOST_VALUES, _TAILS, _ABOVE_TAIL = 200_000, (-37.0, -110.0, -270.0, -690.0), 20.0
_ENDS = {"exponential": (0.0, _FAR), "uniform": (0.0, 1.0), "gamma": (0.0, _FAR)}
# Largest argument at which a characteristic function is added up, and at how many arguments.
_FASTEST, _WAVES = 4_000.0, 400_000


def summed_log_probability(path: Path) -> tuple[float, int, bool]:
    """Return the log probability (or density) of a path, its dimension, and whether it is inexact.

    A path is one run of a function of data. The logarithm is -inf if the path is impossible. The dimension is the
    number of continuous draws that released numbers fix: if it is 0, the first entry is a probability, else a
    density. The last entry is true if something was summed over cells, or if the path left out improbable values
    (``path.truncated``).

    Raises
    ------
    Refused
        If the path is too complicated, such as one with a comparison of three draws, or if a sum of several noises
        is too improbable. So it is if a draw's logarithm was taken after the draw was compared, or released with
        another draw.
    """
    numbers = [*(b.affine for b in path.bounds), *(r.affine for r in path.releases)]
    # The draw that stands for the logarithm does not have the bounds of the draw itself.
    if any(i in path.replaced_by for number in numbers for i in number.terms):
        raise Refused("a draw is compared or released beside its logarithm")
    log = 0.0
    for share in [*path.comparison_probabilities, *(c.weights[c.taken] for c in path.choices if c.weights)]:
        log += _log(share)
    choices = log
    used = sorted({i for number in numbers for i in number.terms})
    rows = [r for r in path.releases if r.solved_draw >= 0]
    # One equation for each number that was released: its draws, times their factors, are its value less its offset.
    column = {i: c for c, i in enumerate(used)}
    matrix = np.zeros((len(rows), len(used)))
    for number, release in enumerate(rows):
        for i, f in release.affine.terms.items():
            matrix[number, column[i]] = f
    right = np.array([r.value - r.affine.offset for r in rows])
    fixed, free, jacobian = _eliminated(matrix, right, used)
    dimension = sum(not path.draws[i].is_discrete for i in fixed)
    log -= jacobian
    # By free draw: the solved draws that depend on it alone, each with offset and factor.
    unary: dict[int, list[tuple[int, float, float]]] = {i: [] for i in free}
    for i, (at, others) in fixed.items():
        if not others:
            log += _log(_density(path, i, np.array([at]))[0])
        elif len(others) == 1:
            ((j, f),) = others.items()
            unary[j].append((i, at, f))
        else:
            return _only_sums(path, fixed, dimension, choices)
    found = _free_draws(path, fixed, free, unary, _TAILS[0])
    if found is None:
        return -math.inf, dimension, False
    together, pairs = found
    if not all(path.draws[i].is_discrete for i in free if unary[i] or any(i in terms for _, terms in pairs)):
        return log + together, dimension, True
    # Sums over whole numbers are exact, if what they leave out is far below them.
    for number, tail in enumerate(_TAILS):
        try:
            together, _ = (_free_draws(path, fixed, free, unary, tail) if number else None) or found
        except Refused:
            break
        if together > (tail + _ABOVE_TAIL if pairs else -math.inf):
            return log + together, dimension, path.truncated
    return log + together, dimension, True


def _free_draws(
    path: Path, fixed: Any, free: list[int], unary: dict[int, list[tuple[int, float, float]]], tail: float
) -> tuple[float, list[Any]] | None:
    """Return the log probability of all free draws, and the pairs that are compared; ``None`` if it is impossible.

    Parameters
    ----------
    path, fixed, free, unary
        As `_limits` takes them.
    tail
        Log of the probability of what is left out of a whole law at an end.
    """
    limits, pairs = _limits(path, fixed, free, unary, tail)
    if limits is None or any(_impossible(path, i, limits[i], others) for i, others in unary.items()):
        return None
    left, log = set(free), 0.0
    for circle in cyclic_groups(pairs):
        sides, left = [p for p in pairs if p[1].keys() <= circle], left - circle
        if any(path.draws[i].is_discrete for i in circle):
            raise Refused("comparisons of whole draws that go round in a circle are not checked")
        log += _log(order_probability(sides, {i: _masses(path, i, limits[i], unary[i]) for i in circle}))
    while left and log > -math.inf:
        log += _log(_tree(path, min(left), left, limits, pairs, unary))
    return log, pairs


def _impossible(path: Path, i: int, limits: tuple[float, float], others: list[tuple[int, float, float]]) -> bool:
    """Tell whether a free draw has no value left: beyond the ends of a uniform draw nothing is only improbable."""
    low, high = limits
    for other, at, f in others:
        if path.draws[other].kind == path.draws[i].kind == "uniform":
            ends = sorted(((0 - at) / f, (1 - at) / f))
            low, high = max(low, ends[0]), min(high, ends[1])
    return low > high + 1e-9


def _log(p: float) -> float:
    return math.log(p) if p > 0 else -math.inf


def _density(path: Path, i: int, z: Values) -> Values:
    """Return the density, or the mass, of a standard draw at many points."""
    law = path.draws[i]
    if law.is_discrete:
        return np.array(
            [
                math.exp(log_discrete_probability(law.kind, law.params, round(v)))
                if abs(v - round(v)) < 1e-6
                else 0.0
                for v in z
            ]
        )
    found: Values = density({"kind": law.kind, "place": 0.0, "size": 1.0, "more": list(law.params)}, z)
    return found


def _eliminated(
    matrix: Any, right: Any, used: list[int]
) -> tuple[dict[int, tuple[float, dict[int, float]]], list[int], float]:
    """Solve for as many draws as there are equations; return them, the free ones, the log determinant."""
    a, b, jacobian = matrix.copy(), right.copy(), 0.0
    pivots: list[int] = []
    # Gauss and Jordan: each equation is solved for the draw with the largest factor in it.
    for row in range(len(a)):
        c = int(np.argmax(np.abs(a[row])))
        if abs(a[row, c]) < 1e-12:
            raise Refused("its numbers are not independent")
        pivots.append(c)
        jacobian += math.log(abs(a[row, c]))
        b[row] /= a[row, c]
        a[row] /= a[row, c]
        for other in range(len(a)):
            if other != row and a[other, c]:
                b[other] -= a[other, c] * b[row]
                a[other] -= a[other, c] * a[row]
    free = [c for c in range(len(used)) if c not in pivots]
    solved = {
        used[c]: (float(b[r]), {used[k]: float(-a[r, k]) for k in free if abs(a[r, k]) > 1e-12})
        for r, c in enumerate(pivots)
    }
    return solved, [used[c] for c in free], jacobian


def _only_sums(path: Path, fixed: Any, dimension: int, choices: float) -> tuple[float, int, bool]:
    """Measure one number that is a sum of several draws, by its characteristic function.

    ``choices`` is the logarithm of the probability of the path's coins and comparisons, which is added.
    """
    if path.bounds or len(fixed) != 1 or len(path.releases) != 1:
        raise Refused("a sum of several noises is not checked beside comparisons or other numbers")
    release = path.releases[0]
    apart = release.value - release.affine.offset
    if all(path.draws[i].kind == "normal" for i in release.affine.terms):
        variance = sum(f * f for f in release.affine.terms.values())
        log = choices - apart**2 / (2 * variance) - math.log(2 * math.pi * variance) / 2
        return log, dimension, path.truncated
    width = max(abs(f) for f in release.affine.terms.values())
    t = (np.arange(_WAVES) + 0.5) * (_FASTEST / _WAVES)
    wave: Any = np.exp(-1j * t * (apart / width))
    for i, f in release.affine.terms.items():
        wave = wave * _transform(path.draws[i].kind, path.draws[i].params, t * (f / width))
    found = float(np.sum(wave.real)) * (_FASTEST / _WAVES) / math.pi
    if found < 1e-4:
        raise Refused("a sum of several noises is too improbable to be checked")
    return choices + math.log(found / width), dimension, True


def _transform(kind: str, more: tuple[float, ...], t: Any) -> Any:
    """Return the characteristic function of a standard law."""
    shapes: dict[str, Any] = {
        "laplace": lambda: 1 / (1 + t * t),
        "normal": lambda: np.exp(-t * t / 2),
        "exponential": lambda: 1 / (1 - 1j * t),
        "gamma": lambda: (1 - 1j * t) ** -more[0],
        "uniform": lambda: (np.exp(1j * t) - 1) / (1j * t),
        "logistic": lambda: np.pi * t / np.sinh(np.clip(np.pi * t, -600, 600)),
    }
    if kind not in shapes:
        raise Refused(f"a sum of several noises with a {kind} draw is not checked")
    return shapes[kind]()


def _widened(
    path: Path, limits: tuple[float, float], others: list[tuple[int, float, float]], tail: float
) -> tuple[float, float]:
    """Return the ends of a whole draw, moved to where draws that depend on it are likely."""
    low, high = limits
    for other, at, f in others:
        law = path.draws[other]
        ends = _range(law.kind, law.params, tail) if law.is_discrete else _ENDS.get(law.kind, (-_FAR, _FAR))
        reach = [(end - at) / f for end in ends]
        low, high = min(low, min(reach) - 1), max(high, max(reach) + 1)
    return low, high


def _limits(
    path: Path, fixed: Any, free: list[int], unary: dict[int, list[tuple[int, float, float]]], tail: float
) -> tuple[dict[int, tuple[float, float]] | None, list[Any]]:
    """Return the ends of each free draw, and comparisons of two of them; no ends if a comparison cannot hold.

    Parameters
    ----------
    path
        The path, with its comparisons.
    fixed
        Solved draws: a number, and factors of free draws.
    free
        Draws that no equation solves.
    unary
        Of each free draw, the solved ones that depend on it alone.
    tail
        Log of the probability of what is left out of a whole law at an end.
    """
    whole = {
        i: _widened(path, _range(path.draws[i].kind, path.draws[i].params, tail), unary[i], tail)
        for i in free
        if path.draws[i].is_discrete
    }
    limits = {
        i: (-math.inf, math.inf) if i in whole else _ENDS.get(path.draws[i].kind, (-_FAR, _FAR)) for i in free
    }
    pairs = []
    for bound in path.bounds:
        offset, terms = bound.affine.offset, dict[int, float]()
        for i, f in bound.affine.terms.items():
            at, others = fixed.get(i, (0.0, {i: 1.0}))
            offset += f * at
            for j, g in others.items():
                terms[j] = terms.get(j, 0.0) + f * g
        terms = {j: f for j, f in terms.items() if abs(f) > 1e-12}
        if not terms:
            if offset < -1e-9 or (bound.strict and offset < 1e-12):
                return None, []
        elif len(terms) == 1:
            ((j, f),) = terms.items()
            at, (low, high) = -offset / f, limits[j]
            if path.draws[j].is_discrete:
                # Between whole numbers, so that no rounding matters.
                near, inside = round(at), abs(at - round(at)) < 1e-9
                at = (near + (0.5 if bound.strict == (f > 0) else -0.5)) if inside else at
            limits[j] = (max(low, at), high) if f > 0 else (low, min(high, at))
        elif len(terms) == 2:
            if any(path.draws[j].is_discrete for j in terms):
                # Between whole numbers, so that no rounding matters.
                offset += (-1e-6 if bound.strict else 1e-6) * min(map(abs, terms.values()))
            pairs.append((offset, terms))
        else:
            raise Refused("a comparison of several draws is not checked")
    for i, (first, last) in whole.items():
        # Whole laws are log-concave: beyond any value, as many others hold nearly all that lies there.
        (least, most), number = limits[i], last - first
        low = max(least, first)
        high = min(most, max(last, low + number))
        low = max(least, min(low, high - number))
        limits[i] = low, high
    return limits, without_implied(pairs)


def _range(kind: str, more: tuple[float, ...], tail: float) -> tuple[float, float]:
    """Return the ends of a whole law, but for tails of some log probability each."""
    if kind == "integer":
        return more[0], more[1] - 1
    if kind == "dlaplace":
        last = math.ceil(-tail / more[0])
        return -last, last
    if kind == "geometric":
        return 1.0, 1.0 + (math.ceil(tail / math.log1p(-more[0])) if more[0] < 1.0 else 0.0)
    if kind.startswith("whole "):
        far = max(_FAR, -tail)
        ends = (math.copysign(far, z) if abs(z) == _FAR else z for z in _ENDS.get(kind[6:], (-_FAR, _FAR)))
        ends = (more[0] + more[1] * z for z in ends)
        low, high = sorted(ends)
        return math.floor(low), math.floor(high)
    mean, variance, most = more[0], more[0], math.inf
    if kind == "binomial":
        mean, variance, most = more[0] * more[1], more[0] * more[1] * (1 - more[1]), more[0]
    # Bernstein: a distance t from the mean has at most exp(-t^2 / (2 variance + 2t/3)).
    far = -tail / 3 + math.sqrt(tail**2 / 9 - 2 * tail * variance)
    return max(0.0, math.floor(mean - far)), min(most, math.ceil(mean + far))


def _masses(path: Path, i: int, limits: tuple[float, float], others: Any) -> tuple[Values, Values]:
    """Return cells of a draw, and the mass of each."""
    low, high = limits
    if low >= high:
        return np.empty(0), np.empty(0)
    step = (high - low) / _CELLS
    points: Values = np.asarray(low + step * (np.arange(_CELLS) + 0.5), float)
    mass: Values = _density(path, i, points) * step
    for other, at, f in others:
        mass = mass * _density(path, other, at + f * points)
    return points, mass


def _tree(path: Path, root: int, left: set[int], limits: Any, pairs: list[Any], unary: Any) -> float:
    """Return the probability of a tree of draws that are compared with each other, summed over cells.

    Parameters
    ----------
    path, root
        The path, and the draw to begin with.
    left
        Draws that no tree had before; those of this tree are taken out.
    limits, pairs, unary
        As `_limits` returns and takes them.
    """

    def cells(i: int, parent: int | None) -> tuple[Values, Values]:
        """Return the cells of draw i with their mass, times that of all draws that are compared with it."""
        if i not in left:
            raise Refused("comparisons that go round in a circle are not checked")
        left.discard(i)
        low, high = limits[i]
        law, alone = path.draws[i], not unary[i] and not any(i in terms for _, terms in pairs)
        if law.kind == "uniform" and alone:
            # Nothing depends on its place: one cell has the mass of the whole interval.
            return np.array([0.5]), np.array([max(high - low, 0.0)])
        if law.is_discrete:
            low, high = math.ceil(low), math.floor(high)
            known = interval_probability(law.kind, law.params, low, high) if alone else None
            if known is not None:
                return np.array([0.5]), np.array([known])
            if high - low > _MOST_VALUES:
                raise Refused(f"a whole number was drawn among too many to be summed over ({path.lines[i]})")
            points = np.arange(low, high + 1, dtype=float)
            mass = _density(path, i, points)
            for other, at, f in unary[i]:
                mass = mass * _density(path, other, at + f * points)
        elif low >= high:
            return np.empty(0), np.empty(0)
        else:
            points, mass = _masses(path, i, (low, high), unary[i])
        # Bounds with each draw further down the tree.
        near: dict[int, list[Any]] = {}
        for offset, terms in pairs:
            if i in terms:
                (j,) = [k for k in terms if k != i]
                if j != parent:
                    near.setdefault(j, []).append((offset, terms))
        for j, between in near.items():
            theirs, weights = cells(j, i)
            # For each cell of draw i, the ends that the bounds leave of draw j.
            low_j, high_j = np.full(len(points), -np.inf), np.full(len(points), np.inf)
            for offset, terms in between:
                at = -(offset + terms[i] * points) / terms[j]
                low_j, high_j = (np.maximum(low_j, at), high_j) if terms[j] > 0 else (low_j, np.minimum(high_j, at))
            first, last = np.searchsorted(theirs, low_j), np.searchsorted(theirs, high_j)
            sums = np.concatenate([[0.0], np.cumsum(weights)])
            tails = np.concatenate([np.cumsum(weights[::-1])[::-1], [0.0]])
            # A small mass is summed from the nearer end: as a difference of two large ones it would be rounding.
            last = np.maximum(first, last)
            upper, lower = tails[first] - tails[last], sums[last] - sums[first]
            mass = mass * np.where(tails[first] < sums[last], upper, lower)
        return points, mass

    return float(np.sum(cells(root, None)[1]))
