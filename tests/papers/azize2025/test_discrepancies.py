"""What the register of discrepancies says and no other test shows."""

from __future__ import annotations

import math

import numpy as np

from dpbandits.core import registry
from dpbandits.core.fields import Tuning
from dpbandits.settings.stochastic.batches import cumulative_pulls
from dpbandits.settings.stochastic.divergences import budget, d_eps, kl


def test_a_batch_can_exceed_alpha_times_the_pulls_before() -> None:
    """azize2025, proof F.10: B_(m+1) <= alpha n_m fails for alpha = 1.1; B_(m+1) < alpha n_m + 1 holds."""
    pulls = cumulative_pulls(1, 1.1, 10**6)[:-1]
    batches = np.diff(pulls)
    assert batches[0] == 2 > 1.1 * pulls[0]
    for alpha in (1.1, 1.3, 1.5, 2.0, 2.7, 3.0):
        for n0 in (1, 2, 7):
            pulls = cumulative_pulls(n0, alpha, 10**9)[:-1]
            assert (np.diff(pulls) < alpha * pulls[:-1] + 1).all()


def test_figure_8_never_leaves_the_high_privacy_regime() -> None:
    """azize2025, Figure 8: means 0.8 and 0.1 change regime at log 36, and the figure ends at epsilon = 1."""
    change = math.log(0.8 / 0.1) + math.log((1 - 0.1) / (1 - 0.8))
    assert math.isclose(change, math.log(36))
    assert change > 1
    for epsilon, low_privacy in ((1.0, False), (change * 0.999, False), (change * 1.001, True)):
        assert (d_eps(0.1, 0.8, budget(epsilon)) == kl(0.1, 0.8)) == low_privacy


def test_open_constants_are_parameters() -> None:
    """Constants that sources leave open can be set, and have the defaults that the register names."""
    horizon = 10**6
    for name, parameter, default in (
        ("lazy-dp-ts", "offset", 3.0),
        ("adap-ucb", "clock", 1.0),
        ("dp-se", "beta", 1e-6),
    ):
        assert registry.algorithm(name).resolve({}, Tuning(horizon, 5)).values[parameter] == default
