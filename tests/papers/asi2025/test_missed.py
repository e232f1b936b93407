"""What the register says of asi2025 since its third reading."""

from __future__ import annotations

import math

import numpy as np

from dpbandits.core.fields import Tuning
from dpbandits.settings.adversarial.theory import conversion_floor


def test_exp3_drops_no_arm_in_log_t_steps() -> None:
    """Whatever arms are drawn, after log T steps on losses (0, 1) the bad arm has nearly probability 1/2."""
    for horizon, least in ((1e4, 0.44), (1e6, 0.492), (1e9, 0.4996)):
        eta = math.sqrt(math.log(2) / (2 * horizon))
        # The most that a step can do: the bad arm is played each time.
        log_ratio = 0.0
        for _ in range(math.ceil(math.log(horizon))):
            bad = 1 / (1 + math.exp(log_ratio))
            assert bad >= 1 / 4
            log_ratio += eta / bad
        assert log_ratio <= 4 * eta * math.ceil(math.log(horizon))
        assert 1 / (1 + math.exp(log_ratio)) >= least
        assert least > 20 * math.sqrt(2 * horizon * math.log(2)) / horizon
        # log(1/gamma)/eta steps do it, at the rate of a half each.
        steps = math.log(horizon) / eta
        assert math.exp(-eta * steps / 2) <= math.sqrt(1 / horizon) * 1.001


def test_lemma_20_gives_no_less_than_tau_over_t() -> None:
    """1/floor(T/tau) is never below tau/T, and above it unless tau divides T."""
    for horizon, tau in ((10, 3), (1000, 7), (10**6, 999), (12, 4)):
        given, printed = 1 / (horizon // tau), tau / horizon
        assert given >= printed
        assert (given > printed) == (horizon % tau != 0)


def test_hedge_with_that_rate_pays_log_k() -> None:
    """Hedge's regret on (0, 1, ..., 1) is log K/eta, sqrt(log K) times what is printed."""
    arms, horizon, epsilon = 10**6, 10**6, 10.0
    eta = epsilon / math.sqrt(horizon)
    rounds = np.arange(horizon)
    regret = float((1 / (1 + np.exp(np.minimum(eta * rounds, 700.0)) / (arms - 1))).sum())
    printed = math.sqrt(horizon * math.log(arms)) / epsilon
    assert abs(regret / (math.log(arms) / eta) - 1) < 0.01
    assert abs(regret / printed - math.sqrt(math.log(arms))) < 0.05


def test_conversions_have_a_lower_bound() -> None:
    """Of order sqrt(T/epsilon) for every base and batch size: a bound from above alone would allow none."""
    ratios = [
        conversion_floor(Tuning(horizon, 2, epsilon)) / math.sqrt(horizon / epsilon)
        for horizon in (10**6, 10**9, 10**12)
        for epsilon in (0.01, 0.1, 1.0)
    ]
    assert min(ratios) > 0.01
    assert max(ratios) / min(ratios) < 2
