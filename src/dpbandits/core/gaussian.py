"""Normal noise, for Gaussian mechanisms: its sampler, its release through the recorder, and its privacy loss.

It stands beside `dpbandits.core.streams.laplace` and `dpbandits.core.recorder.release` in a module of its own:
every simulation imports those. Let a number change by ``mu`` standard deviations between two inputs. Its privacy
loss is N(mu^2/2, mu^2); several numbers lose as one with the root of the sum of mu^2. The smallest delta at a
budget epsilon is Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) (Balle & Wang 2018, Theorem 8). There
is no epsilon for delta = 0.
"""

from __future__ import annotations

import math

from dpbandits.core.compiled import inner
from dpbandits.core.mathematics import cos, exp, log
from dpbandits.core.recorder import Recorder, release_recorded, stream_position
from dpbandits.core.streams import State, uniform

# The law of the noise in the event of a release, beside `dpbandits.core.recorder.LAPLACE`.
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
    return math.sqrt(-2.0 * log(uniform(state))) * cos(6.283185307179586 * uniform(state))


@inner
def release(state: State, recorder: Recorder | None, value: float, deviation: float) -> float:
    """Release ``value`` + N(0, ``deviation``^2); decisions may depend on rewards only through releases.

    Parameters
    ----------
    state, recorder
        The run's stream, and the run's recorder, ``Runs.recorder``.
    value, deviation
        The number, and the standard deviation of its noise, > 0.

    Returns
    -------
    float
        The noisy number, or in a replay the number that the recorder's tape of given outputs has in its place.
    """
    if recorder is None:
        return value + deviation * normal(state)
    before = stream_position(state, recorder)
    return release_recorded(recorder, value, deviation, deviation * normal(state), NORMAL, 0, before)


def _below(x: float) -> float:
    """Return Phi(x)."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def _log_below(x: float) -> float:
    """Return log Phi(x), to 1e-12: far out by the asymptotic series, where Phi leaves double precision."""
    if x > FAR_OUT:
        return log(_below(x))
    square = 1.0 / (x * x)
    series = 1.0 - square * (1.0 - square * (3.0 - square * (15.0 - square * 105.0)))
    return -x * x / 2.0 - log(-x * math.sqrt(2.0 * math.pi)) + log(series)


def delta_at(epsilon: float, mu: float) -> float:
    """Return the smallest delta with which the release of a number is (epsilon, delta)-private; epsilon >= 0.

    The number changes by ``mu`` > 0 standard deviations of its normal noise between neighbours.
    """
    less = exp(epsilon + _log_below(-mu / 2.0 - epsilon / mu))
    return max(0.0, _below(mu / 2.0 - epsilon / mu) - less)


def epsilon_at(mu: float, delta: float) -> float:
    """Return the smallest epsilon with which the release of a number is (epsilon, delta)-private; 0 < delta < 1.

    The number changes by ``mu`` >= 0 standard deviations of its normal noise between neighbours. Epsilon is rounded
    down, so that it never overstates the privacy loss. It is 0 if ``mu`` is 0.
    """
    if mu == 0.0 or delta_at(0.0, mu) <= delta:
        return 0.0
    # At the upper end of this interval delta_at is below delta (Bun & Steinke 2016, Proposition 1.3).
    low, high = 0.0, mu * mu / 2.0 + mu * math.sqrt(2.0 * log(1.0 / delta))
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if delta_at(middle, mu) > delta else (low, middle)
    return low


def deviation_for(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """Return the smallest standard deviation of normal noise with which a release is (epsilon, delta)-private.

    Parameters
    ----------
    epsilon, delta
        The budget, > 0, and delta, in (0, 1).
    sensitivity
        The largest change of the number between neighbours, > 0.
    """
    # The needed epsilon grows with mu = sensitivity/deviation: it is below the given one at low, above it at high.
    low, high = 0.0, 2.0 * epsilon + 20.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if middle > 0.0 and delta_at(epsilon, middle) <= delta else (low, middle)
    return sensitivity / low
