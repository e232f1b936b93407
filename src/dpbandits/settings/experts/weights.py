"""Weights over the experts, kept as logarithms: summed, mixed and drawn from in vector instructions.

A round of EXP4 costs a few operations for each expert, of which an exponential is the dearest. Here it is one that
the compiler can put into vector instructions (1.1 instead of 4.8 ns). Weights are summed in groups, which makes a
draw cheap.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.streams import State, uniform

# Experts in a group.
GROUP = 16
# Logarithms of weights relative to the largest end here: such a weight is never seen beside 1.
SMALLEST = -700.0
# Weights are computed again, relative to the largest, when their sum leaves this range.
LOW, HIGH = 1e-100, 1e100
# Adding it to a number below 2**51 rounds that number to an integer, and leaves it in the lowest bits.
ROUND = 1.5 * 2.0**52
# log 2 in two parts; products of the first with integers below 2**20 are exact.
LOG2_HIGH, LOG2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10


class Weights(NamedTuple):
    """Weights of the experts.

    Attributes
    ----------
    log : ndarray of float64, shape (experts,)
        Their logarithms, up to a common constant.
    value : ndarray of float64, shape (experts,)
        The weights e^(log - origin), for an origin that `weigh` is given, but at least e^-700 and at most e^700.
    groups : ndarray of float64, shape (experts/16, rounded up,)
        Sums of 16 values each.
    """

    log: NDArray[np.float64]
    value: NDArray[np.float64]
    groups: NDArray[np.float64]


@kernel
def make_weights(experts: int) -> Weights:
    """Return unfilled arrays for the weights of ``experts`` experts.

    Once ``log`` is set, `weigh_anew` fills in the others.
    """
    return Weights(np.empty(experts), np.empty(experts), np.empty((experts + GROUP - 1) // GROUP))


@inner
def exponential(x: float) -> float:
    """Return exp(x) to a relative 4e-16, for x from -700 to 700; beyond, the value at the end of that range.

    exp(x) = 2**n exp(r) with abs(r) <= log(2)/2, where the Taylor series needs 13 terms.
    """
    x = min(max(x, SMALLEST), -SMALLEST)
    shifted = x * 1.4426950408889634 + ROUND
    n = shifted - ROUND
    r = (x - n * LOG2_HIGH) - n * LOG2_LOW
    # Parts of the series side by side: a processor waits less than for one sum after another.
    r2 = r * r
    r4 = r2 * r2
    low = (0.5 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0))
    middle = (1.0 / 720.0 + r * (1.0 / 5040.0)) + r2 * (1.0 / 40320.0 + r * (1.0 / 362880.0))
    high = (1.0 / 3628800.0 + r * (1.0 / 39916800.0)) + r2 * (1.0 / 479001600.0)
    p = 1.0 + (r + r2 * (low + r4 * (middle + r4 * high)))
    # n is added to the exponent of p.
    power = np.int64(np.float64(shifted).view(np.int64)) << 52
    return np.int64(np.int64(np.float64(p).view(np.int64)) + power).view(np.float64)


@inner
def weigh(weights: Weights, origin: float) -> float:
    """Fill in the weights e^(log - ``origin``) and the sums of their groups; return the sum of all weights."""
    log, value, groups = weights
    for j in range(log.size):
        value[j] = exponential(log[j] - origin)
    total = 0.0
    for g in range(groups.size):
        group = 0.0
        for j in range(GROUP * g, min(GROUP * (g + 1), value.size)):
            group += value[j]
        groups[g] = group
        total += group
    return total


@inner
def weigh_anew(weights: Weights) -> tuple[float, float]:
    """Fill in the weights e^(log - origin) and their groups' sums; the origin is the largest logarithm.

    Return the origin and the sum of all weights.
    """
    origin = -math.inf
    for j in range(weights.log.size):
        origin = max(origin, weights.log[j])
    return origin, weigh(weights, origin)


@inner
def draw(state: State, weights: Weights, total: float) -> int:
    """Return a random expert, from 0, with probability weight/``total``: ``total`` is the weights' sum."""
    _, value, groups = weights
    left = uniform(state) * total
    g = 0
    while g < groups.size - 1 and left > groups[g]:
        left -= groups[g]
        g += 1
    expert = GROUP * g
    last = min(GROUP * (g + 1), value.size) - 1
    while expert < last and left > value[expert]:
        left -= value[expert]
        expert += 1
    return expert


@inner
def mixture(weights: Weights, advice: NDArray[np.float64], context: int, action: int) -> float:
    """Return the sum of the weights times the experts' probabilities of an action.

    Parameters
    ----------
    weights
        The experts' weights, up to a common factor.
    advice : ndarray of float64, shape (contexts, actions, experts)
        Probabilities of actions.
    context, action
        Numbers of the context and of the action, from 0.
    """
    value = weights.value
    # Four sums, none of which waits for another: the processor adds them side by side.
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    whole = value.size - value.size % 4
    for j in range(0, whole, 4):
        s0 += value[j] * advice[context, action, j]
        s1 += value[j + 1] * advice[context, action, j + 1]
        s2 += value[j + 2] * advice[context, action, j + 2]
        s3 += value[j + 3] * advice[context, action, j + 3]
    for j in range(whole, value.size):
        s0 += value[j] * advice[context, action, j]
    return (s0 + s1) + (s2 + s3)
