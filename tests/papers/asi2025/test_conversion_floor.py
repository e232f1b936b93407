"""Theorems D and E of docs/asi2025-conversion.md: each step against exact values; conversions on the instances."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from flint import arb

from dpbandits.core.fields import Tuning
from dpbandits.papers.asi2025.certificates import conversion_floor as certificate
from dpbandits.papers.asi2025.computations import conversion_floor as computed
from dpbandits.papers.exact_inequalities import NotProvedError
from dpbandits.settings.adversarial import theory

GRID = [
    Tuning(T, K, epsilon)
    for T, K, epsilon in itertools.product(
        (1, 7, 1000, 10**6, 10**12), (2, 3, 10, 1000), (1e-9, 1e-4, 0.03, 1.0, 30)
    )
]


def test_the_constants_are_proved_and_tight(monkeypatch: pytest.MonkeyPatch) -> None:
    """A coin that told 6 % more, or flips, would not be enough for 1/3 and 1/4.2."""
    assert len(certificate.prove()) >= 10
    for name, value in (("FLIPS", "2.02"), ("FLIPS", "2.2")):
        with monkeypatch.context() as changed, pytest.raises(NotProvedError):
            changed.setattr(certificate, name, value)
            certificate.prove()
    with monkeypatch.context() as changed, pytest.raises(NotProvedError):
        changed.setattr(certificate, "coin", lambda: arb("2.55"))
        certificate.prove()


def test_the_certificate_s_numbers_by_hand() -> None:
    """Both sides of each row, by floats: constants, and divergences of coins and of shifted noise."""
    rows = {(row["instance"], row["bound"]): row for row in certificate.prove()}

    def sides(instance: str, bound: str) -> tuple[float, ...]:
        row = rows[instance, bound]
        return tuple(float(row[name].strip("[").split(" ")[0]) for name in ("left", "right"))

    c, p = 8 * math.log(4 / 3), 2.03
    x = math.sqrt(c / p)
    a = x / 4 + 1
    assert sides("Theorem D", "sqrt(2/c)/4 > 1/3") == pytest.approx((math.sqrt(2 / math.sqrt(c / 2)) / 4, 1 / 3))
    phi = 2 * math.exp(a) * (math.sinh(a / 2) / a) ** 2
    assert sides("Theorem E", "2.03 > phi(X/4 + 1)") == pytest.approx((p, phi))
    root = math.sqrt(2 / math.sqrt(p * c)) / 4
    assert sides("Theorem E", "sqrt(2/c')/4 > 1/4.2") == pytest.approx((root, 1 / 4.2))
    for gap in (1, 16, 63):
        delta = gap / 256
        expected = c * delta**2, -math.log(1 - 4 * delta**2) / 2
        assert sides(f"a coin, gap {gap}/256", "C gap^2 > KL") == pytest.approx(expected)
    for shift in (1, 16, 64):
        d = shift / 16
        expected = d * d / 2, d + math.exp(-d) - 1
        assert sides(f"a Laplace shift of {shift}/16 scales", "d^2/2 > KL") == pytest.approx(expected, rel=1e-6)


def test_a_row_of_conversions(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interval of 1.96 standard errors to both sides, and T/tau decisions."""
    found = np.array([1.0, 2.0, 3.0, 6.0])
    monkeypatch.setattr(computed, "regrets", lambda *_: found)
    (row,) = computed.compute(["exp3"], [4], 1000, 0.1, [8], 4, 1).to_dict("records")
    half = 1.96 * found.std(ddof=1) / 2
    assert (row["mean"], row["mean_low"], row["mean_high"]) == pytest.approx((3.0, 3.0 - half, 3.0 + half))
    assert row["decisions"] == 125 and row["floor"] == theory.hardest_instance(Tuning(1000, 4, 0.1), 8).floor
    asked: list[tuple[object, ...]] = []
    monkeypatch.undo()
    monkeypatch.setattr(computed, "final_regrets", lambda *call: asked.append(call) or found)
    instance = theory.hardest_instance(Tuning(1000, 4, 0.1), 8)
    assert computed.regrets("exp3", Tuning(1000, 4, 0.1), 8, 4, instance, 1).tolist() == [8.0, 16.0, 24.0, 48.0]
    assert asked[0][3] == 125 and asked[0][4] == 4


def test_what_a_private_release_tells_is_at_most_phi() -> None:
    """Randomised response on one bit and Laplace noise: the divergence of step 3 in Theorem E, exactly."""
    worst = 0.0
    for a, q in itertools.product(np.linspace(0.01, 1.27, 40), (0.001, 0.1, 0.5, 1.0)):
        kept = math.exp(a) / (1 + math.exp(a))
        p, other = np.array([kept, 1 - kept]), np.array([1 - kept, kept])
        told = float(np.sum(p * np.log(p / ((1 - q) * p + q * other))))
        bound = float(certificate.phi(arb(float(a)))) * (q * a) ** 2
        assert told <= bound
        worst = max(worst, told / bound)
    # Not a loose bound: within a factor of four of what some release tells.
    assert worst > 0.25


def test_the_floor_for_one_batch_size_is_above_that_for_all() -> None:
    """Equation (1) at every batch size is at least Theorem D's bound, and gaps are at most 1/4."""
    for tuning in GRID:
        floor = theory.conversion_floor(tuning)
        assert floor <= tuning.horizon / 8
        for tau in {1, 2, 3, 10, 1000, int(tuning.horizon), 2 * int(tuning.horizon)}:
            instance = theory.hardest_instance(tuning, tau)
            assert 0 < instance.gap <= theory.LARGEST_GAP
            assert instance.floor >= floor
            # Whoever plays evenly has twice the floor on the proof's instances: it is no more than is there.
            assert instance.floor <= tuning.horizon * instance.gap / 2


def test_the_instance_tells_no_more_than_step_five_allows() -> None:
    """Gap, divergence of a batch and number of batches: the root of step 5 is at most beta/2."""
    for tuning in GRID:
        assert tuning.epsilon is not None
        beta = 1 - 1 / tuning.arms
        for tau in (1, 3, 30, 1000):
            instance = theory.hardest_instance(tuning, tau)
            shift = instance.gap * tau * tuning.epsilon
            laplace = shift + math.expm1(-shift)
            coin = -0.5 * math.log1p(-4 * instance.gap**2)
            told = coin if instance.coins else laplace
            batches = tuning.horizon // tau
            assert math.sqrt(told * batches / (2 * tuning.arms)) <= beta / 2 * (1 + 1e-9)


def test_no_base_is_below_the_floor() -> None:
    """Measured regret of three bases; a false alarm has odds below 1e-6 by the distance in standard errors."""
    found = computed.compute(["htinf", "exp3", "ftpl"], [2, 5], 20_000, 0.1, [5, 20, 100], 100, seed=7)
    error = (found["mean_high"] - found["mean"]) / 1.96
    assert (found["mean"] - 5 * error > found["floor"]).all()
    assert (found["floor"] >= found["every_tau"]).all()
    # Even play costs twice the floor; nobody does worse by more than chance.
    assert (found["mean"] - 5 * error < 2 * found["floor"]).all()
    assert set(found["coins"]) == {True, False}


def test_who_knows_the_best_arm_is_below_the_floor() -> None:
    """The comparison can fail: with a gap ten times the proof's, HTINF learns and is below that gap's floor."""
    tuning = Tuning(100_000, 2, 1.0)
    instance = theory.hardest_instance(tuning, 1)
    wide = instance._replace(gap=min(0.25, 40 * instance.gap))
    regret = computed.regrets("htinf", tuning, 1, 50, wide, seed=7)
    assert regret.mean() < wide.gap * tuning.horizon / 4
