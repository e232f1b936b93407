"""Composition: the epsilon of several releases together at a given delta, with Laplace or normal noise.

Let a value change by s scales of its Laplace noise. The privacy loss of its release is s with probability 1/2, -s
with probability e^(-s)/2, and at most l in between with probability e^(-(s - l)/2)/2. The loss of releases with
normal noise, also of several together, is N(mu^2/2, mu^2) (`dpbandits.core.gaussian`). Losses of independent
releases add up. Their law is computed on a grid to which every loss is rounded down. So the epsilon is a lower
bound of the true one, which may contradict a claim. It is exact for normal noise alone.

An output of few values, or a whole number with discrete noise, has a probability p on one input and q on the other
for each value. Its loss is log(p/q) with probability p. Discrete normal noise loses by its own sums: a deviation
that is enough for normal noise may be too small for it (Canonne, Kamath & Steinke 2020, Theorem 7).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dpbandits.core import arrays, gaussian
from dpbandits.core.distributions import normal_above

Floats = NDArray[np.float64]
# Cells of the grid from 0 to the largest loss of one release.
CELLS = 500
# Digits to which shifts are rounded, so that equal ones are counted together.
DIGITS = 12
# The law of a normal loss is cut off this many standard deviations from its mean; the mass below is left out.
CUT_OFF = 9.0
# Steps of the bisection for epsilon.
STEPS = 60
# No claim is larger.
MOST_LOSS = 600.0
# Of an output with few possible values: the log probability of each value, on the first input and on the second.
Pair = tuple[Floats, Floats]


def _law(shift: float, step: float) -> tuple[Floats, int]:
    """Return the law of the loss of a release with Laplace noise, on a grid of losses.

    Returns
    -------
    masses, first
        Probability of each loss from the smallest on, and the smallest loss as a number of steps.
    """
    first, last = int(np.floor(-shift / step)), int(np.floor(shift / step))
    ends = np.minimum(np.arange(first + 1, last + 2) * step, shift)
    below = np.where(ends >= shift, 0.5, 0.5 * arrays.exp(-(shift - ends) / 2.0))
    masses = np.diff(np.concatenate([[0.0], below]))
    masses[-1] += 0.5
    return masses, first


def _normal_law(mu: float, step: float) -> tuple[Floats, int]:
    """Return, as `_law` does, the law of releases with normal noise that together change by ``mu`` deviations."""
    middle = mu * mu / 2.0
    first, last = (int(np.floor((middle + end * mu) / step)) for end in (-CUT_OFF, CUT_OFF))
    below = np.array([normal_above((middle - k * step) / mu) for k in range(first, last + 1)])
    return np.diff(np.append(below, 1.0)), first


def _finite_law(logs: Pair, step: float) -> tuple[Floats, int, float]:
    """Return, as `_law` does, the law of an output of few values, and the probability of an infinite loss."""
    p, q = logs
    possible, certain = np.isfinite(p) & np.isfinite(q), np.isfinite(p) & ~np.isfinite(q)
    cells = np.floor((p[possible] - q[possible]) / step).astype(int)
    first = int(cells.min()) if cells.size else 0
    masses = np.zeros(int(np.ptp(cells)) + 1 if cells.size else 1)
    np.add.at(masses, cells - first, arrays.exp(p[possible]))
    return masses, first, float(arrays.exp(p[certain]).sum())


def delta_of(logs: Pair, epsilon: float) -> float:
    """Return the smallest delta with which one output of few values is (epsilon, delta)-private.

    It is the sum over the values of max(p - e^epsilon q, 0). ``logs`` has the logarithms of p and of q, each of
    shape (values,).
    """
    # e^-700 is still a double; an impossible value has probability 0.
    p, q = (arrays.exp(np.maximum(side, -700.0)) * np.isfinite(side) for side in logs)
    return float(np.maximum(p - arrays.exp(np.array([epsilon]))[0] * q, 0.0).sum())


def epsilon_at(
    shifts: Floats, delta: float, normal: NDArray[np.bool_] | None = None, finite: Sequence[Pair] = ()
) -> float:
    """Return a tight lower bound of the epsilon at which several releases together are (epsilon, delta)-private.

    Parameters
    ----------
    shifts : ndarray, shape (releases,)
        Change of each value between the inputs, in scales of its noise; infinite without noise.
    delta
        The delta, in [0, 1). At 0 epsilon is the sum of the absolute shifts, or infinite with normal noise.
    normal : ndarray of bool, shape (releases,)
        Which releases have normal noise, whose scale is its standard deviation; by default none.
    finite
        For each output of few values, the log probabilities of all values on the first input, and on the second.
        They count only if ``delta`` is above 0.

    Returns
    -------
    float
        Epsilon, >= 0; infinite if a value that differs has no noise, or if a value is possible on one input alone
        with a probability above ``delta``.
    """
    normal = np.zeros(shifts.size, dtype=np.bool_) if normal is None else normal
    mu = float(np.sqrt(np.sum(shifts[normal] ** 2)))
    moved = np.abs(shifts[(shifts != 0.0) & ~normal])
    if mu > 0.0 and (delta == 0.0 or np.isinf(mu)):
        return float("inf")
    if delta > 0.0 and not np.isinf(moved).any() and finite:
        return max(_composed(moved, mu, delta, finite), _composed(moved, mu, delta, [(q, p) for p, q in finite]))
    if delta > 0.0 and moved.size == 0:
        return gaussian.epsilon_at(mu, delta)
    if moved.size == 0 or delta == 0.0 or np.isinf(moved).any():
        return float(moved.sum())
    return _composed(moved, mu, delta, ())


def _composed(moved: Floats, mu: float, delta: float, finite: Sequence[Pair]) -> float:
    """Return epsilon of several releases, from the law of their total loss on a grid.

    Parameters
    ----------
    moved
        Absolute changes of values with Laplace noise, in its scales, all finite.
    mu
        Change of all values with normal noise together, in standard deviations.
    delta
        In (0, 1).
    finite
        Log probabilities of each output of few values, on the first input and on the second.
    """
    if len(finite) == 1 and moved.size == 0 and mu == 0.0:
        return _bisected(lambda epsilon: delta_of(finite[0], epsilon), MOST_LOSS, delta)
    sizes, counts = np.unique(np.round(moved, DIGITS), return_counts=True)
    spread = [float(np.abs(p - q)[np.isfinite(p) & np.isfinite(q)].max(initial=0.0)) for p, q in finite]
    step = max([float(sizes.max(initial=0.0)), mu, *spread]) / CELLS
    if step == 0.0:
        step = 1.0
    laws = [_law(float(size), step) for size in sizes]
    never = 1.0
    for logs in finite:
        masses, first, impossible = _finite_law(logs, step)
        laws, counts, never = [*laws, (masses, first)], np.append(counts, 1), never * (1.0 - impossible)
    if mu > 0.0:
        laws, counts = [*laws, _normal_law(mu, step)], np.append(counts, 1)
    length = 1 + sum(count * (masses.size - 1) for (masses, _), count in zip(laws, counts, strict=True))
    size = 1 << int(length).bit_length()
    product = np.ones(size // 2 + 1, dtype=np.complex128)
    for (masses, _), count in zip(laws, counts, strict=True):
        product *= np.fft.rfft(masses, size) ** count
    first = sum(count * start for (_, start), count in zip(laws, counts, strict=True))
    probabilities = np.maximum(np.fft.irfft(product, size)[:length], 0.0)
    losses = (first + np.arange(length)) * step

    def at(epsilon: float) -> float:
        """Return the delta that is needed at a budget."""
        beyond = losses > epsilon
        return 1.0 - never + float((probabilities[beyond] * -arrays.expm1(epsilon - losses[beyond])).sum())

    return np.inf if 1.0 - never > delta else _bisected(at, float(losses[-1]), delta)


def _bisected(at: Callable[[float], float], high: float, delta: float) -> float:
    """Return the smallest epsilon up to ``high`` at which no more than ``delta`` is needed, rounded down."""
    if at(0.0) <= delta:
        return 0.0
    low = 0.0
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if at(middle) > delta else (low, middle)
    return low
