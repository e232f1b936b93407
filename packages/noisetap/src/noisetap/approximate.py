"""Delta that an epsilon needs: for results without noise on them, one number released, or normal noise.

A number with noise is released where a function returns it, or reads it as a plain number. For one continuous
number delta is a sum over cells of the line, which is not exact.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisetap.function import Function, noise_widths, real_generator
from noisetap.path import Path
from noisetap.probabilities import normal_delta
from noisetap.records import Data, leaves, same
from noisetap.results import Measure, Outcome, counterpart, outcomes
from noisetap.verdict import Claim

Values = NDArray[np.float64]
# Cells of the line for one number, and how far they reach, in widths of its noise.
_POINTS, _REACH = 241, 14.0


def gaussian_shift(path_x: Path, path_y: Path) -> float | None:
    """Return by how many standard deviations normal noise is shifted between runs on two inputs.

    For several released numbers it is the Mahalanobis distance between their values without noise. It is ``None``
    if the runs release no number, or not equally many, and if a run has a choice or a comparison. It is ``None``
    too if a draw in a released number is not normal, or has another factor in ``path_y``.
    """
    if any(c.options > 1 for path in (path_x, path_y) for c in path.choices) or path_x.bounds or path_y.bounds:
        return None
    if len(path_x.releases) != len(path_y.releases) or not path_x.releases:
        return None
    used = sorted({i for path in (path_x, path_y) for r in path.releases for i in r.affine.terms})
    if any(i >= len(path.draws) or path.draws[i].kind != "normal" for path in (path_x, path_y) for i in used):
        return None
    rows, theirs = (
        np.array([[r.affine.terms.get(i, 0.0) for i in used] for r in p.releases]) for p in (path_x, path_y)
    )
    if not np.allclose(rows, theirs, rtol=1e-9, atol=0.0):
        return None
    moved = np.array(
        [p.affine.offset - q.affine.offset for p, q in zip(path_x.releases, path_y.releases, strict=True)]
    )
    return math.sqrt(max(float(moved @ np.linalg.solve(rows @ rows.T, moved)), 0.0))


def constant_shift(function: Function, x: Data, y: Data, outputs: Sequence[float]) -> float | None:
    """Return by how many standard deviations normal noise is shifted between two inputs, whatever is released.

    Both inputs are run with the released numbers at ``outputs``. Several numbers are also moved all together, by
    one and by eight widths of their noise, both ways. The shift is infinite if results always differ although the
    released numbers are equal. It is ``None`` if the tries disagree, or if there is anything but normal noise:
    choices, comparisons, other laws.

    Parameters
    ----------
    function
        Function of data.
    x, y
        Data, and a neighbour.
    outputs
        Values of the numbers that are released on both, in order.
    """
    path, _ = function.run(x, (), outputs)
    width, found = noise_widths(path), list[float]()
    for step in (0.0, 1.0, -1.0, 8.0, -8.0) if len(outputs) > 1 else (0.0,):
        at = [v + step * w for v, w in zip(outputs, width, strict=False)]
        (mine, result), (other, theirs) = (function.run(data, (), at) for data in (x, y))
        shift = gaussian_shift(mine, other)
        if shift is None:
            return None
        # Results that differ under equal released numbers tell the inputs apart without noise.
        found.append(shift if same(result, theirs) else math.inf)
    return found[0] if math.isclose(min(found), max(found), rel_tol=1e-9, abs_tol=1e-12) else None


def normal_divergence(claim: Claim, shift: float) -> float:
    """Return the divergence that a claim bounds, of normal noise that is shifted by ``shift`` standard deviations.

    For a claim of zCDP it is rho = ``shift**2 / 2``; for a Rényi claim it is rho times the claim's order ``alpha``.
    """
    return shift**2 / 2 * (1.0 if claim.alpha is None else claim.alpha)


def renyi_divergence(outcomes_x: list[Outcome], outcomes_y: list[Outcome], alpha: float) -> float | None:
    """Return the Rényi divergence of order ``alpha`` > 1 between the results of two inputs; ``None`` if unknown.

    It is ``log(sum(p**alpha * q**(1 - alpha))) / (alpha - 1)`` over the results, with probabilities p in
    ``outcomes_x`` and q in ``outcomes_y``: the results that each input can have. It is infinite if a result is
    possible on the first input alone. It is ``None`` if a result has continuous noise on it, or if a probability
    was integrated on a grid.
    """
    if not all(o.dimensions <= {0} and not o.integrated for o in [*outcomes_x, *outcomes_y]):
        return None
    terms = []
    for outcome in outcomes_x:
        if outcome.paths:
            other = counterpart(outcome, outcomes_y)
            if other is None or not other.paths:
                return math.inf
            terms.append(alpha * outcome.log_p + (1 - alpha) * other.log_p)
    return float(np.logaddexp.reduce(terms)) / (alpha - 1)


def needed_delta(
    function: Function,
    x: Data,
    y: Data,
    outputs: Sequence[float],
    outcomes_x: list[Outcome],
    outcomes_y: list[Outcome],
    epsilon: float,
    measure: Measure,
) -> float | None:
    """Return the smallest delta for an epsilon: the largest P(E) - exp(epsilon) Q(E) over events E; or ``None``.

    P is the law of results on ``x``, and Q that on ``y``. Delta is computed for results without noise on them, for
    normal noise with one shift whatever is released, and for one released number; ``None`` if this is rounded, or
    discrete with too many values. For several numbers that are not all normal, delta is the probability of forms
    of results that ``y`` never has; a form is a result without its noisy numbers. It is ``None`` there if another
    result that was tried loses more than epsilon, or if released numbers were compared.

    Parameters
    ----------
    function, x, y
        Function of data, data, and a neighbour.
    outputs
        Values of the numbers that are released on both, in order.
    measure
        Function that returns of a run its log probability (or density), its number of continuous outputs, and
        whether the probability was integrated on a grid.
    outcomes_x, outcomes_y
        Results that ``x`` and ``y`` can have while these numbers are released.
    epsilon
        Claimed epsilon, >= 0.
    """
    # No number is released, and no result has continuous noise on it: sums of probabilities.
    if not outputs and all(o.dimensions <= {0} for o in [*outcomes_x, *outcomes_y]):
        return _over(outcomes_x, outcomes_y, epsilon)
    shift = constant_shift(function, x, y, outputs)
    if shift is not None:
        return normal_delta(shift, epsilon)
    paths = [p for o in [*outcomes_x, *outcomes_y] for p in o.paths]
    # With several numbers that are not all normal, only forms of results are compared.
    if len(outputs) != 1 or any(len(p.releases) != 1 for p in paths):
        return _of_forms(function, x, y, outputs, epsilon, measure)
    if not paths:
        return None
    release = paths[0].releases[0]
    # Only the cell of a rounded number is released: see `Release.solved_draw`.
    if release.solved_draw < 0:
        return None
    if paths[0].draws[release.solved_draw].is_discrete:
        values = _whole_values(paths)
        if values is None:
            return None
        return sum(
            _over(outcomes(function, x, [v], measure), outcomes(function, y, [v], measure), epsilon) for v in values
        )
    # One continuous number: summed over cells of the line.
    points, steps = _cells(paths)
    heights = [
        _over(outcomes(function, x, [v], measure), outcomes(function, y, [v], measure), epsilon)
        for v in points.tolist()
    ]
    return float(np.sum(np.array(heights) * steps))


def _cells(paths: list[Path]) -> tuple[Values, Values]:
    """Return middles and widths of cells of the line: no density jumps inside a cell."""
    width = max(w for path in paths for w in noise_widths(path))
    places = [path.releases[0].affine.offset for path in paths]
    ends = [e for path in paths for e in path.value_range(path.releases[0].affine) if math.isfinite(e)]
    low, high = min(places) - _REACH * width, max(places) + _REACH * width
    cuts = sorted({low, high, *(cut for cut in (*places, *ends) if low < cut < high)})
    pieces = [
        np.linspace(a, b, 2 + math.ceil(_POINTS * (b - a) / (high - low))) for a, b in pairwise(cuts) if b > a
    ]
    cells = [(p[:-1] + np.diff(p) / 2, np.diff(p)) for p in pieces]
    points, steps = (np.concatenate(found) for found in zip(*cells, strict=True))
    return points, steps


def _of_forms(
    function: Function, x: Data, y: Data, outputs: Sequence[float], epsilon: float, measure: Measure
) -> float | None:
    """Return the probability of forms of results that the neighbour never has, or ``None`` if others lose too much.

    A form is a result without the numbers that have noise: keys, texts, numbers without noise, how many there are.

    Parameters
    ----------
    function, x, y, outputs, epsilon, measure
        As `needed_delta` takes them.
    """
    # The probability of each form on ``x``, and the forms that ``y`` can have.
    width, forms, mass = list[float](), set[Any](), dict[Any, float]()
    for data, own in ((x, True), (y, False)):
        for path, result in function.paths(data, outputs, real_generator(3)):
            form = _form(function, data, path, result)
            if len(path.releases) > len(width):
                width = noise_widths(path)
            alone = _before_release(path, measure)
            if alone is None:
                return None
            if own:
                mass[form] = mass.get(form, 0.0) + alone
            elif alone > 0:
                forms.add(form)
    # All results that both inputs have must lose at most epsilon, near and far out: else more delta may be needed.
    values = [*outputs, *[0.0] * (len(width) - len(outputs))]
    for step in (0.0, 1.0, -1.0, 8.0, -8.0):
        at = [v + step * w for v, w in zip(values, width, strict=True)]
        theirs = outcomes(function, y, at, measure)
        for outcome in outcomes(function, x, at, measure):
            other = counterpart(outcome, theirs)
            if other is not None and other.paths and outcome.log_p - other.log_p > epsilon + 1e-6:
                return None
    return sum(p for form, p in mass.items() if form not in forms)


def _form(function: Function, data: Data, path: Path, result: Any) -> tuple[Any, ...]:
    """Return a result without the numbers that move with what is released."""
    moved = [r.value + 0.37 * w for r, w in zip(path.releases, noise_widths(path), strict=True)]
    others = leaves(function.run(data, [c.taken for c in path.choices], moved)[1])
    mine = leaves(result)
    if len(mine) != len(others):
        return tuple(mine)
    pairs = zip(mine, others, strict=True)
    return tuple(("number" if a != b else round(a, 9)) if isinstance(a, float) else a for a, b in pairs)


def _before_release(path: Path, measure: Measure) -> float | None:
    """Return the probability of a path whatever it releases, or ``None`` if comparisons read what was released."""
    pivots = {r.solved_draw for r in path.releases}
    if any(p < 0 for p in pivots) or path.compared_after_release:
        return None
    alone = copy.copy(path)
    alone.releases, alone.solved = [], {}
    return math.exp(measure(alone)[0])


def _whole_values(paths: list[Path]) -> list[float] | None:
    """Return what a number with one whole draw can be, but for what is less probable than 1e-16."""
    found: set[float] = set()
    for path in paths:
        of = path.releases[0].affine
        if len(of.terms) != 1:
            return None
        ((i, f),) = of.terms.items()
        if not path.draws[i].is_discrete or path.draws[i].has_too_many_values:
            return None
        for k, mass in path.draws[i].probabilities():
            found |= {round(of.offset + f * k, 9)} if mass > 1e-16 else set()
    return sorted(found) if len(found) <= _POINTS * 4 else None


def _over(mine: list[Outcome], others: list[Outcome], epsilon: float) -> float:
    """Return the sum over results of P - exp(epsilon) Q, where it is positive."""
    total = 0.0
    for outcome in mine:
        other = counterpart(outcome, others)
        q = 0.0 if other is None else math.exp(other.log_p)
        total += max(math.exp(outcome.log_p) - math.exp(epsilon) * q, 0.0)
    return total
