"""A random order of rounds, of which only the number for each arm is known, looked at in a few places.

The order is cut in halves again and again. The number of an arm's rounds in a half is hypergeometric. Each cut has
random numbers of its own, so that what is found at one place does not depend on where else one looks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.mathematics import exp
from dpbandits.core.streams import GOLDEN, State, log_binomial_pmf, uniform


@inner
def hypergeometric(state: State, good: int, bad: int, drawn: int) -> int:
    """Return a hypergeometric draw: how many of ``drawn`` balls are good, by inversion from the mode outwards.

    The probability of the mode has all digits for counts up to 2**52 (Loader 2000).

    Parameters
    ----------
    good, bad
        Numbers of good and of other balls.
    drawn
        Number of balls that are drawn without replacement, at most ``good`` + ``bad``.
    """
    least, most = max(0, drawn - bad), min(good, drawn)
    if least == most:
        return least
    g, b, n = float(good), float(bad), float(drawn)
    mode = min(most, max(least, int((n + 1.0) * ((g + 1.0) / (g + b + 2.0)))))
    p = n / (g + b)
    highest = exp(
        log_binomial_pmf(float(mode), g, p) + log_binomial_pmf(n - mode, b, p) - log_binomial_pmf(n, g + b, p)
    )
    while True:
        left = uniform(state) - highest
        if left <= 0.0:
            return mode
        up, down, above, below = mode, mode, highest, highest
        # By rounding the probabilities can sum to less than 1: then it is drawn again.
        while (up < most or down > least) and above + below > 1e-20:
            above *= ((g - up) / (up + 1.0)) * ((n - up) / (b - n + up + 1.0))
            if up < most:
                up += 1
                left -= above
                if left <= 0.0:
                    return up
            below *= (down / (g - down + 1.0)) * ((b - n + down) / (n - down + 1.0))
            if down > least:
                down -= 1
                left -= below
                if left <= 0.0:
                    return down


@inner
def _seed(state: State, node: np.uint64, spare: State) -> None:
    """Make ``spare`` the stream of a cut: SplitMix64's finaliser of the run's stream and the cut's number."""
    for i in range(4):
        x = state[i] + np.uint64(4 * i + 1) * GOLDEN * node
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        spare[i] = x ^ (x >> np.uint64(31))


@kernel
def first_of_order(
    state: State,
    counts: NDArray[np.int64],
    place: int,
    found: NDArray[np.int64],
    half: NDArray[np.int64],
    spare: State,
) -> None:
    """Count each arm's rounds among the first ``place`` rounds of a random order.

    Parameters
    ----------
    state
        Random stream that decides the order; it is not advanced.
    counts : ndarray of int64, shape (arms,)
        Number of each arm's rounds in the whole order; overwritten.
    place
        Number of first rounds that are looked at, at most the sum of ``counts``.
    found : ndarray of int64, shape (arms,)
        Number of each arm's rounds among the first ``place``, filled in.
    half, spare
        Scratch arrays, shapes (arms,) and (4,).
    """
    size = counts.sum()
    found[:] = 0
    node = np.uint64(1)
    while 0 < place < size and counts.max() < size:
        first = size // 2
        _seed(state, node, spare)
        rest, drawn = size, first
        for k in range(counts.size):
            rest -= counts[k]
            half[k] = hypergeometric(spare, counts[k], rest, drawn)
            drawn -= half[k]
        node = node * np.uint64(2)
        if place <= first:
            # A slice's assignment would have libm's log10 in it: numba writes shapes that do not fit.
            for k in range(counts.size):
                counts[k] = half[k]
            size = first
        else:
            node += np.uint64(1)
            for k in range(counts.size):
                found[k] += half[k]
                counts[k] -= half[k]
            place -= first
            size -= first
    for k in range(counts.size):
        if place == size:
            found[k] += counts[k]
        elif counts[k] == size:
            found[k] += place
