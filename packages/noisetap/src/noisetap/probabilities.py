"""Densities, probabilities and their bounds, for checkers: of noise, of selections, and of what a delta covers.

noisetap's search uses `normal_delta` alone. dpbandits checks its certificates by them too. Integrals are exact to
some 1e-9, relative.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
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


def _gamma_below(z: Any, shape: float) -> Any:
    """Return the probability that a gamma draw is at most z: a series of positive terms."""
    if not 0.0 < shape <= 100.0:
        raise ArithmeticError(f"a gamma law of shape {shape:g}")
    # From 700 on it is 1, and 2,000 terms are enough below.
    near, k = np.asarray(np.clip(z, 1e-300, 700.0)), shape + np.arange(2000.0)
    logs = np.multiply.outer(np.log(near), k) - np.array([math.lgamma(x + 1.0) for x in k])
    return np.where(z >= 700.0, 1.0, np.where(z > 0.0, np.exp(logs - near[..., None]).sum(axis=-1), 0.0))


# Densities of standard laws, and probabilities of values up to a point.
DENSITY: dict[str, Callable[..., Any]] = {
    "laplace": lambda z: np.exp(-np.abs(z)) / 2.0,
    "normal": lambda z: np.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi),
    "gumbel": lambda z: np.exp(-z - np.exp(-np.maximum(z, -700.0))),
    "exponential": lambda z: np.where(z >= 0.0, np.exp(-np.maximum(z, 0.0)), 0.0),
    "logistic": lambda z: np.exp(-np.abs(z)) / (1.0 + np.exp(-np.abs(z))) ** 2,
    "uniform": lambda z: ((z >= 0.0) & (z <= 1.0)) * 1.0,
    "gamma": lambda z, shape: np.where(
        z > 0.0, np.maximum(z, 1e-300) ** (shape - 1.0) * np.exp(-np.maximum(z, 0.0)) / math.gamma(shape), 0.0
    ),
}
BELOW: dict[str, Callable[..., Any]] = {
    "laplace": lambda z: np.where(z < 0.0, np.exp(-np.abs(z)) / 2.0, 1.0 - np.exp(-np.abs(z)) / 2.0),
    "normal": lambda z: np.vectorize(math.erfc, otypes=[float])(z / -math.sqrt(2.0)) / 2.0,
    "gumbel": lambda z: np.exp(-np.exp(np.minimum(-z, 700.0))),
    "exponential": lambda z: -np.expm1(-np.maximum(z, 0.0)),
    "logistic": lambda z: 1.0 / (1.0 + np.exp(-np.clip(z, -700.0, 700.0))),
    "uniform": lambda z: np.clip(z, 0.0, 1.0),
    "gamma": _gamma_below,
}


def gauss(edges: Floats) -> tuple[Floats, Floats]:
    """Return nodes and weights of Gauss-Legendre quadrature over all intervals between increasing ``edges``.

    Each interval has 20 nodes.
    """
    halves = np.diff(edges)[:, None] / 2.0
    return (edges[:-1, None] + halves * (1.0 + POINTS)).ravel(), (halves * WEIGHTS).ravel()


def nodes(kinks: Floats, scales: Floats) -> tuple[Floats, Floats]:
    """Return nodes and weights of quadrature of a function with kinks, such as a product of Laplace densities.

    Beside each of ``kinks`` the function falls or rises exponentially, by the scale at the same place of
    ``scales``. The nodes reach 45 (`REACH`) scales beyond the outermost kinks. In gaps that are farther than that
    from each kink the function has to be 0 or constant: few nodes are there.
    """
    kinks, scales = np.unique(np.stack([kinks, scales]), axis=1)
    edges = np.unique(np.concatenate([kinks - REACH * scales, kinks, kinks + REACH * scales]))
    lows = [edges[:1]]
    for a, b in itertools.pairwise(edges):
        near = np.abs(kinks - (a + b) / 2.0) <= REACH * scales
        pieces = math.ceil((b - a) / (PIECE * scales[near].min())) if near.any() else COARSE
        lows.append(np.linspace(a, b, pieces + 1)[1:])
    return gauss(np.concatenate(lows))


def log(probability: float) -> float:
    """Return the logarithm of a probability or density; of 0 it is minus infinity."""
    return math.log(probability) if probability > 0.0 else -math.inf


def log_normal(z: float, deviation: float) -> float:
    """Return the log density of normal noise, ``z`` standard deviations (each ``deviation``) from its mean."""
    return -z * z / 2.0 - math.log(deviation * math.sqrt(2.0 * math.pi))


def log_whole(kind: str, distances: Floats, scale: float) -> Floats:
    """Return the log probabilities with which discrete noise equals given numbers.

    Parameters
    ----------
    kind
        ``laplace`` or ``normal``: at whole numbers, probabilities are proportional to this density around 0.
    distances : ndarray of float64
        The numbers. One that is not whole has probability 0.
    scale
        Scale of the noise, > 0.
    """

    def power(k: Floats) -> Floats:
        z: Floats = np.abs(k) / scale
        return -z if kind == "laplace" else -z * z / 2.0

    reach = math.ceil(FAR * scale)
    total = math.log(np.exp(power(np.arange(-reach, reach + 1.0))).sum())
    whole = np.abs(distances - np.round(distances)) <= 1e-9
    return np.where(whole, power(distances) - total, -np.inf)


def selection_probability(kind: str, scores: Floats, scale: float, action: int, gap: float | None = None) -> float:
    """Return the probability that an action is selected: that its score less noise is the smallest of all actions'.

    Results are kept, because checkers ask for many of them again.

    Parameters
    ----------
    kind
        Law of the noise: ``gumbel``, ``exponential``, ``laplace``, ``normal``, ``logistic`` or ``uniform``.
    scores : ndarray of float64, shape (actions,)
        True scores.
    scale
        Scale of the noise; at 0 each action of the smallest score has probability 1, whatever the gap.
    action
        Index of the action, from 0.
    gap
        If given, the joint density is returned that the action is selected, and that the second smallest noisy
        score lies ``gap`` above the smallest. The gap is in the unit of ``scores``, and the density is one of the
        gap in scales of the noise. It is 0 for a negative gap.
    """
    return _selection_probability(kind, scores.tobytes(), scale, action, gap)


@functools.lru_cache(maxsize=1 << 14)
def _selection_probability(kind: str, offered: bytes, scale: float, action: int, gap: float | None) -> float:
    """Compute `selection_probability`; scores come as bytes, because results are kept by their arguments."""
    scores = np.frombuffer(offered)
    if gap is not None and gap < 0.0:
        return 0.0
    if scale <= 0.0:
        return float(scores[action] == scores.min())
    x = (scores - scores.min()) / scale
    others = np.delete(x, action)
    if gap is None and kind == "gumbel":
        # The softmax, as Gumbel noise is made for.
        return float(np.exp(-x[action]) / np.exp(-x).sum())
    if gap is None and kind == "exponential":
        # With u = e^-(noise beyond the smallest score), a polynomial on [0, 1].
        u, weights = np.polynomial.legendre.leggauss(len(x) // 2 + 1)
        return float(
            np.exp(-x[action]) * (weights / 2 * np.prod(1 - (1 + u) / 2 * np.exp(-others)[:, None], 0)).sum()
        )
    beyond = (gap or 0.0) / scale
    kinks = np.append(others - beyond, x)
    at, weights = nodes(kinks, np.ones(len(kinks)))
    apart = others[:, None] - at - beyond
    below = BELOW[kind](apart)
    product = np.prod(below, axis=0)
    if gap is not None:
        # Another one lies at the gap, and the rest beyond.
        with np.errstate(divide="ignore", invalid="ignore"):
            product = np.where(below > 0, product * DENSITY[kind](apart) / below, 0.0).sum(axis=0)
    return float((DENSITY[kind](x[action] - at) * product * weights).sum())


def _bound(mean: float, number: int, risk: float, end: float) -> float:
    """Return how far towards an end the mean of numbers in [0, 1] may lie (Hoeffding 1963, relative entropy)."""
    near, far = mean, end
    for _ in range(60):
        q = (near + far) / 2.0
        parts = [a * math.log(a / b) for a, b in ((mean, q), (1.0 - mean, 1.0 - q)) if a > 0.0 and b > 0.0]
        near, far = (near, q) if sum(parts) * number > math.log(1.0 / risk) else (q, far)
    return far


def lower(mean: float, number: int, risk: float) -> float:
    """Return a lower bound of the mean of a law on [0, 1], from the mean of ``number`` independent draws.

    The bound is false with probability at most ``risk`` (Hoeffding 1963).
    """
    return _bound(mean, number, risk, 0.0) if mean > 0.0 else 0.0


def upper(mean: float, number: int, risk: float) -> float:
    """Return an upper bound of the mean of a law on [0, 1], from the mean of ``number`` independent draws.

    The bound is false with probability at most ``risk`` (Hoeffding 1963).
    """
    return _bound(mean, number, risk, 1.0) if mean < 1.0 else 1.0


def log_missed(epsilon: float) -> float:
    """Return the log of the largest probability with which one redraw of a random choice misses an excuse.

    Runs on two neighbouring inputs have led to different decisions. A hidden random choice (a coin) excuses that
    if, drawn again on both inputs, it leads one run to the decisions of the other. If the coin makes the program
    epsilon-private, a redraw fails to do so with probability at most ``e^epsilon / (1 + e^epsilon)``. That is 73 %
    for epsilon = 1, 95 % for 3, and 99.3 % for 5; more than 30 counts as 30.
    """
    return -math.log1p(math.exp(-min(epsilon, 30.0)))


def normal_delta(shift: float, epsilon: float) -> float:
    """Return the smallest delta for ``epsilon`` of normal noise whose mean moves by ``shift`` standard deviations.

    It is exact: Balle and Wang 2018, equation 6. ``shift`` is >= 0.
    """
    if shift == 0.0:
        return 0.0
    p, q = (math.erfc((epsilon / shift - side) / math.sqrt(2.0)) / 2.0 for side in (shift / 2.0, -shift / 2.0))
    return p - math.exp(epsilon) * q


def delta_lower_bound(
    shifts: Floats, deviations: Floats, epsilon: float, discrete: Sequence[tuple[Floats, Floats]] = ()
) -> float:
    """Return a lower bound of the smallest delta with which outputs together are (epsilon, delta)-private.

    Delta is the largest P(E) - e^epsilon Q(E) over events E, where P is the law of the outputs on the first input,
    and Q that on the second; the outputs' noise is independent. Losses are rounded down on a grid, so that the
    bound is a little too small. For normal noise alone, and for one discrete output alone, it is exact.

    Parameters
    ----------
    shifts
        For each value released with Laplace noise, by how many scales of the noise it differs between the inputs.
    deviations
        For each value released with normal noise, by how many standard deviations it differs between the inputs.
    epsilon
        Claimed epsilon, >= 0.
    discrete
        For each discrete output, the probabilities of its values on the first input, and on the second, in one
        order.
    """
    # Several releases with normal noise lose as one whose value changes by this many deviations.
    mu = float(np.sqrt((deviations**2).sum()))
    if len(discrete) == 1 and not len(shifts) and mu == 0.0:
        # The sum of p - exp(epsilon) q itself, without a grid.
        return float(np.maximum(discrete[0][0] - math.exp(epsilon) * discrete[0][1], 0.0).sum())
    if not len(shifts) and not len(discrete):
        return normal_delta(mu, epsilon)
    # The law of the loss on a grid, on which each loss is rounded down: less is lost than in truth.
    ratios = [np.log(np.maximum(p, 1e-300)) - np.log(np.maximum(q, 1e-300)) for p, q in discrete]
    # What has nearly no probability does not widen the grid: it loses nothing.
    ratios = [np.where(p > 1e-30, ratio, -np.inf) for (p, _), ratio in zip(discrete, ratios, strict=True)]
    ends = [float(np.abs(ratio[np.isfinite(ratio)]).max(initial=0.0)) for ratio in ratios]
    step = max([float(np.abs(shifts).max(initial=0.0)), mu, *ends, 1e-12]) / CELLS
    laws = []
    for (p, _), ratio in zip(discrete, ratios, strict=True):
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
        cells = BELOW["normal"](np.arange(first, last + 2) * step / mu - mu / 2)
        laws.append((first, np.diff(cells)))
    start, mass = sum(first for first, _ in laws), np.array([1.0])
    for _, law in laws:
        mass = np.convolve(mass, law)
    beyond = np.maximum((start + np.arange(len(mass))) * step - epsilon, 0.0)
    return float((mass * -np.expm1(-beyond)).sum())
