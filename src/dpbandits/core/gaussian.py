"""Normal noise, for Gaussian mechanisms: its sampler, its release through the door, and what it loses.

It stands beside `dpbandits.core.streams.laplace` and `dpbandits.core.door.release` in a module of its own: every
simulation imports those. A number that moves by ``mu`` standard deviations has the privacy loss N(mu^2/2, mu^2),
and several have that of one with the square root of the sum of mu^2. So it is (epsilon, delta)-private with
delta = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), and no smaller one (Balle & Wang 2018, Theorem
8); for delta = 0 it is not private at all.
"""

from __future__ import annotations

import math

from dpbandits.core.compiled import inner
from dpbandits.core.door import Door, arrive, let_out
from dpbandits.core.streams import State, uniform

# What a release's event says of its noise, where one of Laplace noise says `dpbandits.core.door.LAPLACE`.
NORMAL = 1
# Beyond, Phi is computed by its logarithm alone.
FAR_OUT = -35.0
# Halvings of an interval until nothing is left of it.
HALVINGS = 200


@inner
def normal(state: State) -> float:
    """Return a draw of the standard normal law (Box & Muller 1958), of absolute value below 8.58.

    Beyond lie 1e-17 of the law.
    """
    return math.sqrt(-2.0 * math.log(uniform(state))) * math.cos(6.283185307179586 * uniform(state))


@inner
def release(state: State, door: Door | None, value: float, deviation: float) -> float:
    """Return ``value`` + N(0, ``deviation``^2): the way for a number made of rewards to what decides.

    Parameters
    ----------
    state, door
        The run's stream, and the run's door, ``Runs.door``.
    value, deviation
        The number, and the standard deviation of its noise, > 0.
    """
    if door is None:
        return value + deviation * normal(state)
    stamp = arrive(state, door)
    return let_out(state, door, value, deviation, deviation * normal(state), NORMAL, stamp)


def _below(x: float) -> float:
    """Return Phi(x)."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def _log_below(x: float) -> float:
    """Return log Phi(x), to 1e-12: far out by the asymptotic series, where Phi leaves double precision."""
    if x > FAR_OUT:
        return math.log(_below(x))
    square = 1.0 / (x * x)
    series = 1.0 - square * (1.0 - square * (3.0 - square * (15.0 - square * 105.0)))
    return -x * x / 2.0 - math.log(-x * math.sqrt(2.0 * math.pi)) + math.log(series)


def delta_at(epsilon: float, mu: float) -> float:
    """Return the smallest delta at a budget, for a number that moves by ``mu`` > 0 standard deviations."""
    less = math.exp(epsilon + _log_below(-mu / 2.0 - epsilon / mu))
    return max(0.0, _below(mu / 2.0 - epsilon / mu) - less)


def epsilon_at(mu: float, delta: float) -> float:
    """Return the smallest budget at a delta in (0, 1), for a number that moves by ``mu`` standard deviations.

    Rounded down, so that it may contradict a claim; 0 if ``mu`` is.
    """
    if mu == 0.0 or delta_at(0.0, mu) <= delta:
        return 0.0
    # At the upper end delta is smaller (Bun & Steinke 2016, Proposition 1.3).
    low, high = 0.0, mu * mu / 2.0 + mu * math.sqrt(2.0 * math.log(1.0 / delta))
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if delta_at(middle, mu) > delta else (low, middle)
    return low


def deviation_for(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return the smallest standard deviation with which one release is (epsilon, delta)-private.

    Parameters
    ----------
    epsilon, delta
        The budget, > 0, and delta, in (0, 1).
    sensitivity
        By how much a neighbour moves the number, at most.
    """
    # The budget of a number grows with mu; of the least mu it is below epsilon, of the largest above.
    low, high = 0.0, 2.0 * epsilon + 20.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if middle > 0.0 and delta_at(epsilon, middle) <= delta else (low, middle)
    return sensitivity / low
