"""Normal noise: its law, its release, and what it loses, against independent computations.

Seeds are fixed. With fresh seeds the statistical tests of this file would raise a false alarm with probability at
most `FALSE_ALARMS`: each p-value is compared with that number divided by `P_VALUES`.
"""

from __future__ import annotations

import math

import mpmath
import numba
import numpy as np
import pytest
from scipy import integrate, stats

from dpbandits.auditing.composition import epsilon_at
from dpbandits.core import gaussian
from dpbandits.core.recorder import EVENTS, RELEASED, Recorder
from dpbandits.core.streams import streams

FALSE_ALARMS = 1e-3
P_VALUES = 8
LEVEL = FALSE_ALARMS / P_VALUES
DRAWS = 200_000


def one_stream(name: str) -> np.ndarray:
    return streams(20261122, name, np.arange(1))[0]


@numba.njit
def many(state, out):
    for i in range(out.size):
        out[i] = gaussian.normal(state)


@numba.njit
def released(state, recorder, value, deviation):
    return gaussian.release(state, recorder, value, deviation)


@pytest.fixture(scope="module")
def draws() -> np.ndarray:
    """Return draws of the standard normal law."""
    found = np.empty(DRAWS)
    many(one_stream("normal"), found)
    return found


def test_the_law(draws: np.ndarray) -> None:
    """By Kolmogorov and Smirnov, by mean and variance, and in the tails, which noise is about."""
    n = draws.size
    p_values = {
        "law": stats.kstest(draws, stats.norm.cdf).pvalue,
        "mean": 2 * stats.norm.sf(abs(draws.mean()) * math.sqrt(n)),
        "variance": 2 * min(stats.chi2.cdf((draws**2).sum(), n), stats.chi2.sf((draws**2).sum(), n)),
        "neighbours": stats.pearsonr(draws[:-1], draws[1:]).pvalue,
        "beyond 3": stats.binomtest(int((np.abs(draws) > 3).sum()), n, 2 * stats.norm.sf(3)).pvalue,
        "beyond 4": stats.binomtest(int((np.abs(draws) > 4).sum()), n, 2 * stats.norm.sf(4)).pvalue,
        "signs": stats.binomtest(int((draws > 0).sum()), n).pvalue,
    }
    assert len(p_values) < P_VALUES
    assert min(p_values.values()) > LEVEL, p_values


def test_the_test_of_the_law_can_fail(draws: np.ndarray) -> None:
    """A deviation that is wrong by a hundredth is seen."""
    n, changed = draws.size, 1.01 * draws
    assert stats.chi2.sf((changed**2).sum(), n) < LEVEL


def test_a_stream_gives_the_same_draws_again() -> None:
    one, other = np.empty(100), np.empty(100)
    many(one_stream("again"), one)
    many(one_stream("again"), other)
    assert one.tobytes() == other.tobytes()


def recorder(stream: np.ndarray, tape: list[float]) -> Recorder:
    """Return a recorder of one arm."""
    counts = {"flipped_ranges": np.zeros((1, 2), np.int64), "flipped_pulls": np.zeros((1, 0), np.int64)}
    return Recorder(
        stream=stream,
        origin=stream.copy(),
        shadow=stream.copy(),
        counters=np.zeros(10, np.int64),
        events=np.zeros((10, 7), np.int64),
        numbers=np.zeros((10, 4)),
        pulled=np.zeros((1, 2), np.int64),
        rates=np.zeros((1, 2)),
        tape=np.array(tape),
        noise_override=np.array([1.0, 0.0]),
        forced=np.empty((0, 5), np.uint64),
        **counts,
    )


def test_a_release_is_the_number_and_its_noise() -> None:
    """Without a recorder, and with one, where a tape lets out something else."""
    noise = np.empty(1)
    many(one_stream("release"), noise)
    plain = released(one_stream("release"), None, 5.0, 2.0)
    assert plain == 5.0 + 2.0 * noise[0]
    stream = one_stream("release")
    with_tape = recorder(stream, [])
    assert released(stream, with_tape, 5.0, 2.0) == plain
    assert with_tape.counters[EVENTS] == 1
    assert with_tape.events[0, :3].tolist() == [RELEASED, 0, gaussian.NORMAL]
    assert with_tape.numbers[0, :3].tolist() == [5.0, 2.0, plain]
    stream = one_stream("release")
    assert released(stream, recorder(stream, [7.5]), 5.0, 2.0) == 7.5


@pytest.mark.parametrize(
    ("epsilon", "mu"), [(0.01, 0.1), (1.0, 0.3), (1.0, 1.0), (5.0, 2.0), (50.0, 8.0), (800.0, 40.0)]
)
def test_delta_is_that_of_the_law_of_the_loss(epsilon: float, mu: float) -> None:
    """E (1 - e^(epsilon - L))+ with L normal, in fifty digits."""
    with mpmath.workdps(50):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(mu)
        far = max(e, m**2 / 2) + 40 * m

        def density(x: mpmath.mpf) -> mpmath.mpf:
            return mpmath.npdf(x, m**2 / 2, m) * (1 - mpmath.exp(e - x))

        exact = float(mpmath.quad(density, mpmath.linspace(e, far, 40)))
    assert gaussian.delta_at(epsilon, mu) == pytest.approx(exact, rel=1e-9, abs=1e-17)


@pytest.mark.parametrize(("mu", "delta"), [(0.01, 1e-6), (0.3, 1e-6), (1.0, 1e-9), (3.0, 1e-3), (30.0, 1e-6)])
def test_epsilon_and_deviation_undo_delta(mu: float, delta: float) -> None:
    epsilon = gaussian.epsilon_at(mu, delta)
    if epsilon > 0.0:
        assert gaussian.delta_at(epsilon, mu) == pytest.approx(delta, rel=1e-6)
        assert gaussian.deviation_for(epsilon, delta, 3.0) == pytest.approx(3.0 / mu, rel=1e-6)
    else:
        assert gaussian.delta_at(0.0, mu) <= delta


def test_normal_releases_together() -> None:
    """As one with the root of the sum of squares; not private at delta 0; nothing where nothing moves."""
    shifts, normal = np.array([0.3, -0.4, 0.0]), np.ones(3, dtype=bool)
    assert epsilon_at(shifts, 1e-6, normal) == gaussian.epsilon_at(0.5, 1e-6)
    assert math.isinf(epsilon_at(shifts, 0.0, normal))
    assert epsilon_at(np.zeros(3), 1e-6, normal) == 0.0
    assert math.isinf(epsilon_at(np.array([np.inf]), 1e-6, np.array([True])))


@pytest.mark.parametrize(("shift", "mu"), [(0.5, 0.5), (0.1, 1.0), (1.0, 0.1), (2.0, 0.01)])
def test_normal_and_laplace_together(shift: float, mu: float) -> None:
    """One of each: delta is the mean of the normal one's at what the Laplace one leaves of the budget."""

    def delta(epsilon: float) -> float:
        ends = gaussian.delta_at(epsilon - shift, mu) / 2 + math.exp(-shift) / 2 * gaussian.delta_at(
            epsilon + shift, mu
        )
        between = integrate.quad(
            lambda x: math.exp(-(shift - x) / 2) / 4 * gaussian.delta_at(epsilon - x, mu),
            -shift,
            shift,
            epsabs=1e-14,
        )
        return ends + between[0]

    found = epsilon_at(np.array([shift, mu]), 1e-4, np.array([False, True]))
    step = max(shift, mu) / 500
    assert delta(found) >= 1e-4 * (1 - 1e-9)
    assert delta(found + 3 * step) < 1e-4
