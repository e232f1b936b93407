"""What the register says of charisopoulos2022 since its third reading."""

from __future__ import annotations

import math

import pytest

from dpbandits.core import registry


@pytest.mark.parametrize(("alpha", "times"), [(0.1, 1.7), (0.01, 4.3), (0.001, 11.46), (1e-6, 263.0)])
def test_lemma_a4_needs_bernsteins_second_term(alpha: float, times: float) -> None:
    """One reward of 1, all others 0: it is corrupted with twice the probability that the lemma leaves."""
    delta = alpha / 2
    assert alpha > delta
    # Both sides times |G_0|, with mu = 1: the sum is off by 1 - alpha if index 1 is corrupted.
    off, printed = 1 - alpha, math.sqrt(alpha * (1 - alpha) * math.log(1 / delta))
    assert off / printed == pytest.approx(times, rel=0.03)
    assert off <= printed + math.log(1 / delta)


def test_eq_24_lacks_a_logarithm() -> None:
    """As printed the term grows as sqrt(d), by eq. 61 it hardly does."""
    delta, horizon, nu = 1e-3, 1e6, 0.1

    def terms(d: float) -> tuple[float, float]:
        """Return the term as it is printed, and with its logarithm."""
        inside = d * math.log(math.log(d)) / delta
        return math.sqrt(horizon * inside / nu), math.sqrt(horizon * math.log(inside) / nu)

    (printed, derived), (printed_more, derived_more) = terms(10.0), terms(1000.0)
    assert printed_more / printed > 10
    assert derived_more / derived < 1.5
    assert derived < printed


def test_eq_24_lacks_a_harmless_factor() -> None:
    """At most 2 for nu up to 1/(d log log d), and more above."""
    for d in (10, 100, 1000):
        support = d * math.log(math.log(d))
        assert all(1 + share / support * support <= 2 for share in (0.1, 0.5, 1.0))
        assert 1 + 3.0 / support * support > 2


def test_no_trusted_centre_is_needed() -> None:
    """Under (M1) privacy is local, and under (M2) every report has its own noise: no centre adds any."""
    for model, definition in (("m1", "local"), ("m2", "pure")):
        for printed in ("", "-printed"):
            privacy = registry.algorithm(f"robust-elimination-{model}{printed}").privacy
            assert privacy is not None
            assert privacy.definition == definition
            assert "Lap(" in privacy.mechanism


def test_the_rate_needs_the_number_of_actions() -> None:
    """On the corners of a cube a sum over coordinates (Assouad) gives d sqrt(T); the printed rate falls behind.

    Actions are {1/sqrt(d), -1/sqrt(d)}^d, rewards +1 or -1. A parameter is s in {delta, -delta}^d with
    delta = x sqrt(d/T). With one sign changed, means differ by at most 2 delta/sqrt(d) in each round.
    """

    def least(d: float, horizon: float, x: float) -> float:
        delta = x * math.sqrt(d / horizon)
        assert delta * math.sqrt(d) <= 0.5
        # Divergence of two laws on +1 and -1 with means of at most 1/2: at most 4/3 of the squared difference.
        divergence = horizon * (4 / 3) * (2 * delta / math.sqrt(d)) ** 2
        wrong = (1 - math.sqrt(divergence / 2)) / 2
        return horizon * d * (2 * delta / math.sqrt(d)) * wrong

    ratios = []
    for d in (1e2, 1e4, 1e6, 1e8):
        horizon = d * d
        regret = least(d, horizon, 0.3)
        assert regret >= 0.076 * d * math.sqrt(horizon)
        ratios.append(regret / math.sqrt(d * horizon * math.log(horizon)))
        # With K = 2^d in the logarithm the rate is not below.
        assert regret <= math.sqrt(d * horizon * (d * math.log(2) + math.log(horizon)))
    assert ratios == sorted(ratios)
    assert ratios[-1] > 100
