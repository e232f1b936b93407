"""The crowd for which the conjecture's bound needs the largest c1."""

from __future__ import annotations

import math

import pytest

from dpbandits.papers.wu2025.computations.conjecture import crowd_of_largest_c1, kappa, slowest
from dpbandits.settings.full_information.noises import NOISES


@pytest.mark.parametrize("noise", ["laplace", "gumbel", "exponential"])
@pytest.mark.parametrize("arms", [1e3, 1e6, 1e12])
def test_its_weight_is_where_c1_is_largest(noise: str, arms: float) -> None:
    """A^s/(2 + A) is largest at A = 2 s/(1 - s), the weight of K - 2 actions behind by epsilon n/factor."""
    found = crowd_of_largest_c1(noise, arms)
    share = kappa(noise) / slowest(noise)
    weight = (arms - 2.0) * math.exp(-found.n * found.epsilon / NOISES[noise].factor)
    assert weight == pytest.approx(2.0 * share / (1.0 - share), rel=0.01)
    needed = [a**share / (2.0 + a) for a in (0.9 * weight, weight, 1.1 * weight)]
    assert needed[1] == max(needed)
    assert found.means.tolist() == pytest.approx([0.0, 1.001 * found.epsilon, 1.0])
    assert found.multiplicities.tolist() == [1.0, 1.0, arms - 2.0]
