"""Sums over whole laws hold all of their mass, or are refused."""

import math

import numpy as np
import pytest

import noisetap
from noisetap import Records
from noisetap.affine import Affine
from noisetap.formulas import interval_probability, log_discrete_probability
from noisetap.laws import Law, TooManyValues
from noisetap.path import Path

WIDE = [
    Law("geometric", params=(1e-5,)),
    Law("dlaplace", params=(3e-4,)),
    Law("whole laplace", params=(0.3, 1e4)),
    Law("integer", params=(0.0, 1e6)),
]


def judged(function, epsilon, **options):
    return noisetap.audit(function, data=Records(1), neighbours="replace-one", claim=epsilon, **options)


@pytest.mark.parametrize(
    "law",
    [
        Law("poisson", params=(1e5,)),
        Law("poisson", params=(800.0,)),
        Law("binomial", params=(1e5, 0.5)),
        Law("geometric", params=(1e-3,)),
        Law("whole exponential", params=(0.0, -2.0)),
        Law("whole gumbel", params=(1e6 + 0.3, -20.0)),
        Law("whole uniform", params=(0.3, 1000.0)),
    ],
)
def test_values_of_a_law_hold_its_mass(law):
    values, masses = zip(*law.probabilities(), strict=True)
    assert values == tuple(range(values[0], values[-1] + 1))
    assert sum(masses) == pytest.approx(1.0, abs=1e-9)


def test_values_of_a_small_law_end_with_it():
    assert len(Law("binomial", params=(10, 0.5)).probabilities()) == 11
    for n in range(8, 60):
        assert len(Law("binomial", params=(float(n), 0.3)).probabilities()) <= n + 1
    path = Path()
    path.choose_value(Affine(0.0, {path.draw(Law("binomial", params=(10, 0.5))): 1.0}))
    assert (len(path.choices), len(path.releases)) == (1, 0)


@pytest.mark.parametrize("law", WIDE)
def test_a_law_of_too_many_values_has_no_list(law):
    assert law.has_too_many_values
    with pytest.raises(TooManyValues):
        law.probabilities()


@pytest.mark.parametrize(
    ("law", "low", "high"),
    [
        (Law("poisson", params=(5.0,)), 40, 90),
        (Law("binomial", params=(40, 0.3)), 0, 2),
        (Law("binomial", params=(4, 1.0)), 2, 4),
        (Law("geometric", params=(0.2,)), 7, 9),
        (Law("geometric", params=(1.0,)), 1, 9),
        (Law("dlaplace", params=(0.5,)), -3, 4),
        (Law("dlaplace", params=(0.5,)), -9, -4),
        (Law("whole laplace", params=(0.3, 2.0)), 30, 33),
        (Law("integer", params=(2.0, 9.0)), 3, 20),
    ],
)
def test_probabilities_of_intervals_are_sums_of_the_checkers(law, low, high):
    logs = (log_discrete_probability(law.kind, law.params, k) for k in range(low, high + 1))
    assert law.log_between(low, high) == pytest.approx(math.log(sum(map(math.exp, logs))), abs=1e-7)
    assert law.log_between(high, low - 1) == -math.inf
    known = interval_probability(law.kind, law.params, low, high)
    assert known is None or known == pytest.approx(math.exp(law.log_between(low, high)), rel=1e-9)


def test_a_tail_that_is_smaller_than_a_double_has_a_logarithm():
    law = Law("poisson", params=(5.0,))
    assert law.log_between(900, math.inf) == pytest.approx(law.log_density(900), abs=0.01)
    assert law.log_density(900) < -3000
    assert Law("binomial", params=(4, 1.0)).log_between(0, 3) == -math.inf


@pytest.mark.parametrize("law", WIDE)
def test_intervals_of_wide_laws_add_up_to_one(law):
    parts = [(-math.inf, -7), (-6, 41), (42, 900_000), (900_001, math.inf)]
    assert sum(math.exp(law.log_between(*part)) for part in parts) == pytest.approx(1.0, abs=1e-12)
    for low, high in parts[1:3]:
        known = interval_probability(law.kind, law.params, low, high)
        assert known is None or known == pytest.approx(math.exp(law.log_between(low, high)), rel=1e-9)


def test_a_law_of_too_many_values_is_not_called_consistent():
    def late(values):
        return "a" if 300000 * np.sum(values) + np.random.geometric(1e-5) > 350000 else "b"

    def many(values):
        return "a" if 300 * np.sum(values) + np.random.binomial(100_000, 0.5) > 50100 else "b"

    def several(values):
        return np.sum(values) + np.random.geometric(1e-5) - np.random.geometric(1e-5)

    # By hand: log P(G > 50000) - log P(G > 350000) = 3.
    verdict = judged(late, 1.0)
    assert verdict.word == "violated"
    assert verdict.loss == pytest.approx(3.0, abs=1e-3)
    assert judged(late, 3.1).loss == pytest.approx(3.0, abs=1e-3)
    # By the normal law: log(P(z <= 0.635)/P(z <= -1.262)) is 1.964.
    verdict = judged(many, 1.0)
    assert verdict.word == "violated"
    assert verdict.loss == pytest.approx(1.963, abs=5e-3)
    verdict = judged(several, 1.0)
    assert verdict.word == "refused"
    assert "among too many" in verdict.why
    assert "test_laws.py:" in verdict.why


def test_a_whole_number_among_many_is_compared():
    def rare(values):
        return "a" if 5e8 * np.sum(values) + 1e8 > np.random.default_rng().integers(0, 10**9) else "b"

    # By hand: 6/10 of the values lie below one threshold, and 1/10 below the other.
    verdict = judged(rare, 1.0)
    assert verdict.word == "violated"
    assert verdict.loss == pytest.approx(math.log(6.0), abs=1e-6)
    assert judged(rare, 2.0).word == "consistent"


def test_a_tail_beyond_the_list_is_not_impossible():
    def sound(values):
        return "a" if 3 * np.sum(values) + np.random.poisson(5) > 34.5 else "b"

    # P(32 or more)/P(35 or more), of mean 5: each is its first term times nearly the same series.
    verdict = judged(sound, 10.0)
    assert verdict.word == "consistent"
    assert verdict.loss == pytest.approx(math.log(35 * 34 * 33 / 5**3), abs=0.02)
    verdict = judged(sound, 5.0)
    assert verdict.word == "violated"
    assert verdict.loss == pytest.approx(math.log(35 * 34 * 33 / 5**3), abs=0.02)


@pytest.mark.parametrize("rate", [1e-15, 3.7096e-13, 1e-6, 0.5])
@pytest.mark.parametrize(("low", "high"), [(-3, 4), (0, 9), (-9, 0), (1, 10), (-5, -2)])
def test_a_few_values_of_wide_discrete_noise_keep_all_digits(rate, low, high):
    """A difference of tails of nearly 1 loses what a sound program with little noise in few values would need."""
    law = Law("dlaplace", params=(rate,))
    summed = math.fsum(math.tanh(rate / 2) * math.exp(-rate * abs(k)) for k in range(low, high + 1))
    assert math.exp(law.log_between(low, high)) == pytest.approx(summed, rel=1e-13)
    assert interval_probability("dlaplace", (rate,), low, high) == pytest.approx(summed, rel=1e-13)
