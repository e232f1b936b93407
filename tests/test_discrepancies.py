"""What the register of discrepancies says and no other test shows."""

from __future__ import annotations

import numpy as np

from dpbandits import registry
from dpbandits.stochastic.batches import cumulative_pulls


def test_a_batch_can_exceed_alpha_times_the_pulls_before() -> None:
    """azize2025, proof F.10: B_(m+1) <= alpha n_m fails for alpha = 1.1; B_(m+1) < alpha n_m + 1 holds."""
    pulls = cumulative_pulls(1, 1.1, 10**6)[:-1]
    batches = np.diff(pulls)
    assert batches[0] == 2 > 1.1 * pulls[0]
    for alpha in (1.1, 1.3, 1.5, 2.0, 2.7, 3.0):
        for n0 in (1, 2, 7):
            pulls = cumulative_pulls(n0, alpha, 10**9)[:-1]
            assert (np.diff(pulls) < alpha * pulls[:-1] + 1).all()


def test_open_constants_are_parameters() -> None:
    """Constants that sources leave open can be set, and have the defaults that the register names."""
    horizon = 10**6
    for name, parameter, default in (
        ("lazy-dp-ts", "offset", 3.0),
        ("adap-ucb", "clock", 1.0),
        ("dp-se", "beta", 1e-6),
    ):
        assert registry.algorithm(name).resolve({}, horizon, "")[parameter] == default
