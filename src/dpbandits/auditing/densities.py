"""Densities of outputs, and bounds of probabilities: the checker's formulas. It shares none with the search.

What has no closed form is integrated piece by piece, to some 1e-9 relative.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from dpbandits.core import recorder as at
from dpbandits.core.recorder import Recorder

Floats = NDArray[np.float64]
# Numbers by which an event names the law of a release: Laplace, normal, discrete Laplace and normal noise, and
# randomised response.
LAPLACE, NORMAL, WHOLE, WHOLE_NORMAL, RESPONSE = range(5)
# Integrals end this many scales of noise beyond the kinks.
REACH = 45.0
# Length of a piece in scales near a kink, and number of pieces in a gap without one.
PIECE, COARSE = 3.0, 4
# Gauss-Legendre rule of each piece.
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(20)
# Beyond this many scales discrete noise has no mass in double precision.
FAR = 60
# Cells from 0 to the largest loss of one output, on a grid of losses, and deviations of a normal loss that it has.
CELLS, NORMAL_REACH = 400, 9
OUTPUTS = (at.RELEASED, at.SELECTED, at.COMPARED)


def among(numbers: NDArray[np.int64], options: Iterable[int]) -> NDArray[np.bool_]:
    """Return `numpy.isin` of numbers and a few options; on short arrays this is ten times faster."""
    found = np.zeros(numbers.shape, dtype=bool)
    for option in options:
        found |= numbers == option
    return found


def log_density(run: Recorder, rows: NDArray[np.int64]) -> Floats:
    """Return the log density, or log probability, of the outputs in some rows of a run, shape (rows,).

    It is 0 in rows without an output, and NaN for a comparison whose secret was never drawn.
    """
    value, scale, out = run.numbers[rows, :3].T
    kinds, laws = run.events[rows, at.KIND], run.events[rows, at.HOW]
    common = (kinds == at.RELEASED) & (laws == LAPLACE) & (scale > 0.0)
    found = np.zeros(len(rows))
    found[common] = -np.abs(out - value)[common] / scale[common] - np.log(2.0 * scale[common])
    secrets: dict[int, tuple[Floats, Floats]] = {}
    # A comparison has the secret's value; the recorder's own count of secrets is not asked.
    concealed = {
        float(run.numbers[row, at.OUTPUT]): int(row)
        for row in np.flatnonzero(run.events[:, at.KIND] == at.CONCEALED)
    }
    for i in np.flatnonzero(among(kinds, OUTPUTS) & ~common).tolist():
        row = int(rows[i])
        kind, _, law, more = (int(x) for x in run.events[row, :4])
        if kind == at.RELEASED and law != at.GAP:
            found[i] = _log_release(law, more, *run.numbers[row, :3].tolist())
        elif kind == at.SELECTED:
            found[i] = _log(_selected(*_offer(run, row), int(out[i]), None))
        elif kind == at.RELEASED:
            # With the selection before it, whose probability is counted already.
            joint = _selected(*_offer(run, row - 1), int(run.numbers[row - 1, at.OUTPUT]), float(out[i]))
            found[i] = _log(joint) - found[i - 1]
        elif kind == at.COMPARED:
            more = concealed.get(float(run.numbers[row, at.SECRET]), -1)
            if not 0 <= more < row:
                found[i] = math.nan
                continue
            if more not in secrets:
                secrets[more] = _secret(run, more)
            grid, before = secrets[more]
            below = _laplace(grid, value[i], scale[i])[1] if scale[i] > 0 else (value[i] < grid) * 1.0
            after = before * (1.0 - below if out[i] > 0.5 else below)
            found[i] = _log(float(after.sum() / before.sum())) if before.sum() > 0 else -math.inf
            secrets[more] = grid, after / max(float(after.max()), 1e-300)
    return found


def _secret(run: Recorder, row: int) -> tuple[Floats, Floats]:
    """Return values that a secret may have, and weights by their density."""
    place, scale = run.numbers[row, :2].tolist()
    if scale <= 0.0:
        return np.array([place]), np.array([1.0])
    compared = (run.events[:, at.KIND] == at.COMPARED) & (run.numbers[:, at.SECRET] == run.numbers[row, at.OUTPUT])
    values, scales = run.numbers[compared, :2].T
    # Without noise a comparison is a step.
    scales = np.append(np.where(scales > 0.0, scales, scale), scale)
    nodes, weights = _nodes(np.append(values, place), scales)
    return nodes, weights * _laplace(nodes, place, scale)[0]


def _log(probability: float) -> float:
    return math.log(probability) if probability > 0.0 else -math.inf


def _log_release(law: int, answers: int, value: float, scale: float, out: float) -> float:
    """Return the log density, or probability, of one released number; with discrete noise, of its whole steps."""
    if law == RESPONSE:
        return _log(scale if out == value else (1.0 - scale) / (answers - 1))
    if scale <= 0.0:
        return 0.0 if out == value else -math.inf
    z = (out - value) / scale
    if law in (WHOLE, WHOLE_NORMAL) and abs(z * scale - round(z * scale)) > 1e-9:
        return -math.inf
    k = np.arange(-math.ceil(FAR * scale), math.ceil(FAR * scale) + 1) / scale
    if law == NORMAL:
        return -z * z / 2.0 - math.log(scale * math.sqrt(2.0 * math.pi))
    power = -abs(z) if law == WHOLE else -z * z / 2.0
    return power - math.log(float(np.exp(-np.abs(k) if law == WHOLE else -k * k / 2.0).sum()))


def _laplace(x: Floats, place: float, scale: float) -> tuple[Floats, Floats]:
    """Return density and distribution function of Laplace noise around a place."""
    tail = np.exp(-np.abs(x - place) / scale) / 2.0
    return tail / scale, np.where(x < place, tail, 1.0 - tail)


def _offer(run: Recorder, row: int) -> tuple[int, Floats, float]:
    """Return mechanism, scores and scale of the selection in a row: its offers are the rows just before it."""
    first = row
    while first and run.events[first - 1, at.KIND] == at.OFFERED:
        first -= 1
    return int(run.events[first, at.HOW]), run.numbers[first:row, at.VALUE], float(run.numbers[first, at.SCALE])


def _selected(mechanism: int, scores: Floats, scale: float, action: int, gap: float | None) -> float:
    """Return the probability that an action's score less noise is smallest, or its density with a gap.

    Outputs that a redrawn coin leaves as they are come again and again, and are computed once.
    """
    return _selection(mechanism, scores.tobytes(), scale, action, gap)


@functools.lru_cache(maxsize=1 << 14)
def _selection(mechanism: int, offered: bytes, scale: float, action: int, gap: float | None) -> float:
    """Compute what `_selected` returns; scores come as bytes, because results are kept by their arguments."""
    scores = np.frombuffer(offered)
    if gap is not None and gap < 0.0:
        return 0.0
    if scale <= 0.0:
        return float(scores[action] == scores.min())
    x = (scores - scores.min()) / scale
    others = np.delete(x, action)
    if gap is None and mechanism == at.GUMBEL:
        # The softmax, as Gumbel noise is made for.
        return float(np.exp(-x[action]) / np.exp(-x).sum())
    if gap is None and mechanism == at.EXPONENTIAL:
        # With u = e^-(noise beyond the smallest score), a polynomial on [0, 1].
        u, weights = np.polynomial.legendre.leggauss(len(x) // 2 + 1)
        return float(
            np.exp(-x[action]) * (weights / 2 * np.prod(1 - (1 + u) / 2 * np.exp(-others)[:, None], 0)).sum()
        )

    def law(z: Floats) -> tuple[Floats, Floats]:
        """Return density and distribution function of standard noise of the mechanism."""
        if mechanism == at.EXPONENTIAL:
            rest = np.where(z >= 0.0, np.exp(-np.maximum(z, 0.0)), 0.0)
            return rest, (1.0 - rest) * (z >= 0.0)
        if mechanism == at.GUMBEL:
            inner = np.exp(np.minimum(-z, 700.0))
            return inner * np.exp(-inner), np.exp(-inner)
        return _laplace(z, 0.0, 1.0)

    beyond = (gap or 0.0) / scale
    kinks = np.append(others - beyond, x)
    nodes, weights = _nodes(kinks, np.ones(len(kinks)))
    own, rest = law(x[action] - nodes)[0], [law(s - nodes - beyond) for s in others]
    product = np.prod([below for _, below in rest], axis=0)
    if gap is not None:
        # Another one lies at the gap, and the rest beyond.
        with np.errstate(divide="ignore", invalid="ignore"):
            product = sum(np.where(below > 0, product * dense / below, 0.0) for dense, below in rest)
    return float((own * product * weights).sum())


def _nodes(kinks: Floats, scales: Floats) -> tuple[Floats, Floats]:
    """Return nodes and weights of an integral over the reals, of exponentials of some scales beside each kink.

    Farther from all kinks than `REACH` of their scales they are 0, or constant, and few nodes are enough.
    """
    kinks, scales = np.unique(np.stack([kinks, scales]), axis=1)
    edges = np.unique(np.concatenate([kinks - REACH * scales, kinks, kinks + REACH * scales]))
    lows = [edges[:1]]
    for a, b in itertools.pairwise(edges):
        near = np.abs(kinks - (a + b) / 2.0) <= REACH * scales
        pieces = math.ceil((b - a) / (PIECE * scales[near].min())) if near.any() else COARSE
        lows.append(np.linspace(a, b, pieces + 1)[1:])
    every = np.concatenate(lows)
    halves = np.diff(every)[:, None] / 2.0
    return (every[:-1, None] + halves * (1.0 + POINTS)).ravel(), (halves * WEIGHTS).ravel()


def _bound(mean: float, number: int, risk: float, end: float) -> float:
    """Return how far towards an end the mean of numbers in [0, 1] may lie (Hoeffding 1963, relative entropy)."""
    near, far = mean, end
    for _ in range(60):
        q = (near + far) / 2.0
        parts = [a * math.log(a / b) for a, b in ((mean, q), (1.0 - mean, 1.0 - q)) if a > 0.0 and b > 0.0]
        near, far = (near, q) if sum(parts) * number > math.log(1.0 / risk) else (q, far)
    return far


def lower(mean: float, number: int, risk: float) -> float:
    """Return a lower bound of the mean of a law on [0, 1], from the mean of ``number`` draws.

    It is false with probability at most ``risk``.
    """
    return _bound(mean, number, risk, 0.0) if mean > 0.0 else 0.0


def upper(mean: float, number: int, risk: float) -> float:
    """Return an upper bound of the mean of a law on [0, 1], as `lower` returns a lower one."""
    return _bound(mean, number, risk, 1.0) if mean < 1.0 else 1.0


def whole_probabilities(law: int, value: float, scale: float, numbers: Floats) -> Floats:
    """Return the probabilities with which a value plus discrete noise equals each of some numbers.

    Parameters
    ----------
    law
        ``WHOLE`` or ``WHOLE_NORMAL``.
    value, scale
        The true value, and the scale of the noise, > 0.
    numbers : ndarray of float64, shape (numbers,)
        The numbers. One that is not a whole number away from ``value`` has probability 0.
    """

    def kernel(distance: Floats) -> Floats:
        """Return what probabilities at some distances from the value are proportional to."""
        z = np.abs(distance) / scale
        return np.exp(-z) if law == WHOLE else np.exp(-z * z / 2.0)

    reach = math.ceil(FAR * scale)
    distance = numbers - value
    whole = np.abs(distance - np.round(distance)) < 1e-9
    found: Floats = np.where(whole, kernel(distance), 0.0) / kernel(np.arange(-reach, reach + 1.0)).sum()
    return found


def laws_of(run: Recorder, again: Recorder, row: int, logs: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return the probabilities, on two inputs, of all values that an output might have had.

    Parameters
    ----------
    run, again
        The runs on the two inputs.
    row
        The row of the output: a selection, comparison, randomised response, or number with discrete noise.
    logs
        Log probabilities of the value that it had. A comparison has only one other one, so these are enough.
    """
    # ``more`` is the number of answers of a randomised response.
    kind, _, law, more = (int(x) for x in run.events[row, :4])
    (x, scale, _), (z, wide, _) = run.numbers[row, :3], again.numbers[row, :3]
    if kind == at.COMPARED:
        p, q = np.exp(logs)
        return np.array([p, 1.0 - p]), np.array([q, 1.0 - q])
    if kind == at.SELECTED:
        size = len(_offer(run, row)[1])
        both = [np.array([_selected(*_offer(side, row), a, None) for a in range(size)]) for side in (run, again)]
        return both[0], both[1]
    if law == RESPONSE:
        every = range(more)
        p, q = (np.exp([_log_release(law, more, a, b, k) for k in every]) for a, b in ((x, scale), (z, wide)))
        return p, q
    most = FAR * max(scale, wide) + abs(x - z)
    numbers = x + np.arange(-math.ceil(most), math.ceil(most) + 1)
    return whole_probabilities(law, x, scale, numbers), whole_probabilities(law, z, wide, numbers)


def needed_delta(
    shifts: Floats, deviations: Floats, epsilon: float, told: Sequence[tuple[Floats, Floats]] = ()
) -> float:
    """Return a lower bound of the smallest delta with which some outputs together are (epsilon, delta)-private.

    Parameters
    ----------
    shifts
        Changes between the two inputs of values that are released with Laplace noise, in its scales.
    deviations
        The same with normal noise, in standard deviations.
    epsilon
        The budget.
    told
        Of each other output: the probabilities of its values on the first input, and on the second.
    """
    # Several releases with normal noise lose as one whose value changes by this many deviations.
    mu = float(np.sqrt((deviations**2).sum()))
    if len(told) == 1 and not len(shifts) and mu == 0.0:
        # The sum of p - exp(epsilon) q itself, without a grid.
        return float(np.maximum(told[0][0] - math.exp(epsilon) * told[0][1], 0.0).sum())
    if mu == 0.0 and not len(shifts) and not len(told):
        return 0.0
    if not len(shifts) and not len(told):
        tails = [math.erfc(-z / math.sqrt(2.0)) / 2.0 for z in (mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu)]
        return tails[0] - math.exp(epsilon) * tails[1]
    # The law of the loss on a grid, on which each loss is rounded down: less is lost than in truth.
    ratios = [np.log(np.maximum(p, 1e-300)) - np.log(np.maximum(q, 1e-300)) for p, q in told]
    # What has nearly no probability does not widen the grid: it loses nothing.
    ratios = [np.where(p > 1e-30, ratio, -np.inf) for (p, _), ratio in zip(told, ratios, strict=True)]
    ends = [float(np.abs(ratio[np.isfinite(ratio)]).max(initial=0.0)) for ratio in ratios]
    step = max([float(np.abs(shifts).max(initial=0.0)), mu, *ends, 1e-12]) / CELLS
    laws = []
    for (p, _), ratio in zip(told, ratios, strict=True):
        kept = np.isfinite(ratio)
        places = np.floor(ratio[kept] / step).astype(int)
        laws.append((int(places.min()), np.bincount(places - places.min(), weights=p[kept])))
    # Laplace noise: P[loss <= c] is exp(-(s - c)/2)/2 for c from -s to below s, and 1 from s on.
    for s in np.abs(shifts):
        first, last = math.floor(-s / step), math.floor(s / step)
        cells = np.minimum(np.arange(first + 1, last + 2) * step, s)
        below = np.where(cells >= s, 1.0, 0.5 * np.exp(-(s - cells) / 2.0))
        laws.append((first, np.diff(np.append(0.0, below))))
    # Normal noise: the loss is normal, with mean mu^2/2 and variance mu^2.
    if mu > 0.0:
        first, last = (math.floor((mu * mu / 2 + sign * NORMAL_REACH * mu) / step) for sign in (-1, 1))
        cells = [math.erfc(-(k * step / mu - mu / 2) / math.sqrt(2.0)) / 2.0 for k in range(first, last + 2)]
        laws.append((first, np.diff(cells)))
    start, mass = sum(first for first, _ in laws), np.array([1.0])
    for _, law in laws:
        mass = np.convolve(mass, law)
    beyond = np.maximum((start + np.arange(len(mass))) * step - epsilon, 0.0)
    return float((mass * -np.expm1(-beyond)).sum())
