"""The privacy of several Laplace releases together, exactly: the quantity that advanced composition bounds.

Let a release have a sensitivity of s noise scales. Its privacy loss is s - 2y for noise y in [0, s], s below and -s
above. So P[loss <= l] = exp(-(s - l)/2)/2 for -s <= l < s. Losses of independent releases add up. Their law is
computed on a grid. Rounding every loss up to the grid gives an upper bound, rounding it down a lower one.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.algorithm import Worst
from dpbandits.core.fields import Values

Floats = NDArray[np.float64]
# Cells of the grid between a loss of 0 and one release's largest loss.
CELLS = 500
# Numbers of experts that are searched.
EXPERTS = (1, 2, 3, 5, 10, 30, 100)


def law(shift: float, number: int, up: bool = True) -> tuple[Floats, Floats]:
    """Return the law of the privacy loss of several releases with Laplace noise together, on a grid.

    Parameters
    ----------
    shift
        The sensitivity of each release, in scales of its noise.
    number
        Number of releases.
    up
        Whether losses are rounded up to the grid; else they are rounded down.

    Returns
    -------
    losses, probabilities : ndarray of float64, shape (1000 number + 1,)
        Losses from -``shift`` ``number`` to ``shift`` ``number``, equally spaced, and their probabilities.
    """

    from scipy import fft

    grid = shift * np.linspace(-1.0, 1.0, 2 * CELLS + 1)
    below = 0.5 * np.exp((grid - shift) / 2)
    # Between two points of the grid; the atoms at both ends are on it.
    between = np.diff(below)
    one = np.concatenate([[below[0]], between]) if up else np.concatenate([between, [0.0]])
    one[-1] += 0.5
    one[0] += 0.0 if up else below[0]
    size = 2 * CELLS * number + 1
    length = fft.next_fast_len(size, real=True)
    summed = fft.irfft(fft.rfft(one, length) ** number, length)[:size]
    return shift * number * np.linspace(-1.0, 1.0, size), np.maximum(summed, 0.0)


def delta(losses: Floats, probabilities: Floats, epsilon: float) -> float:
    """Return the smallest delta for which (epsilon, delta)-differential privacy holds.

    ``losses`` and ``probabilities``, shape (number of losses,), are the law of the privacy loss, as from `law`.
    """
    beyond = losses > epsilon
    return float(probabilities[beyond] @ -np.expm1(epsilon - losses[beyond]))


def smallest_epsilon(losses: Floats, probabilities: Floats, given: float) -> float:
    """Return the smallest epsilon >= 0 of (epsilon, delta)-differential privacy, with ``given`` as delta.

    ``losses`` and ``probabilities``, shape (number of losses,), are the law of the privacy loss, as from `law`.
    """

    from scipy.optimize import brentq

    if delta(losses, probabilities, 0.0) <= given:
        return 0.0
    return float(brentq(lambda epsilon: delta(losses, probabilities, epsilon) - given, 0.0, losses[-1]))


def worst(epsilon: float, tied: Values) -> Worst:
    """Return the worst privacy loss of one batch's N noisy estimates (asi2025, Algorithm 2), one for each expert.

    Each estimate has the sensitivity K/(gamma tau), which is epsilon/(3 sqrt(N log(1/delta))) scales of its noise.
    The loss is the smallest epsilon that goes with ``tied["delta"]``, privacy's delta. It is computed for N of 1,
    2, 3, 5, 10, 30 and 100, and the largest is returned, with two inputs, an event and its probabilities.
    """
    given = float(tied["delta"])
    found = {}
    for experts in EXPERTS:
        losses, probabilities = law(epsilon / (3 * math.sqrt(experts * math.log(1 / given))), experts)
        found[experts] = (smallest_epsilon(losses, probabilities, given), losses, probabilities)
    experts = max(found, key=lambda each: found[each][0])
    loss, losses, probabilities = found[experts]
    beyond = losses > loss
    p, q = float(probabilities[beyond].sum()), float(probabilities[beyond] @ np.exp(-losses[beyond]))
    return Worst(
        loss=loss,
        of=f"the {experts} noisy estimates of a batch, each moved by its sensitivity, over numbers of experts",
        one={"experts": experts, "each estimate": 0.0},
        other={"experts": experts, "each estimate": 1.0},
        event=f"the privacy losses of the noisy estimates (in units of their sensitivity) exceed {loss:.6g} in sum",
        probabilities=(p, q),
    )
