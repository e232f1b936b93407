"""What the register says of azize2025 since its third reading."""

from __future__ import annotations

import math

import pytest

from dpbandits.settings.stochastic.divergences import budget, d_eps


def close(p: float, q: float, epsilon: float, delta: float) -> bool:
    """Return whether two laws of one event are (epsilon, delta)-close, both ways and for its complement."""
    pairs = ((p, q), (q, p), (1 - p, 1 - q), (1 - q, 1 - p))
    return all(one <= math.exp(epsilon) * other + delta + 1e-15 for one, other in pairs)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-3), (1.0, 1e-6), (1.0, 0.05)])
def test_group_privacy_needs_its_delta(epsilon: float, delta: float) -> None:
    """Three inputs in a row: neighbours are close, the ends are not without delta, and are with its repair."""
    laws = 0.0, delta, delta * (1 + math.exp(epsilon))
    assert close(laws[0], laws[1], epsilon, delta)
    assert close(laws[1], laws[2], epsilon, delta)
    assert not close(laws[0], laws[2], 2 * epsilon, 0.0)
    assert not close(laws[0], laws[2], 2 * epsilon, delta)
    repaired = delta * math.expm1(2 * epsilon) / math.expm1(epsilon)
    assert close(laws[0], laws[2], 2 * epsilon, repaired)


def test_the_gap_in_proof_f10() -> None:
    """The index is never below the estimate, so its event says nothing of d_eps to a smaller number."""
    privacy, estimate, target, pulls, clock = budget(1.0), 0.9, 0.4, 100, 1000
    level = math.log(clock) / pulls
    # The index is the largest mean within the level: at least the estimate, where d_eps is 0.
    assert d_eps(estimate, estimate, privacy) == 0.0 <= level
    assert estimate >= target
    assert d_eps(estimate, target, privacy) > level
    # Below the target the step is right: a mean above it within the level is reached past the target.
    for low in (0.1, 0.3, 0.39):
        reached = [mean for mean in (0.4, 0.5, 0.7) if d_eps(low, mean, privacy) <= level]
        assert all(d_eps(low, target, privacy) <= level for _ in reached)
