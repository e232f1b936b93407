"""The checker accepts what the search certifies, and nothing else."""

import copy
import json
import math

import listened
import pytest

from noisetap import Claim, Rewards, audit, check
from noisetap.check import asked, finite, log_ratio, lower, pivot, unexcused
from noisetap.coins import Walk
from noisetap.laws import Law
from noisetap.replay import interval

LAPLACE = {"kind": "laplace", "place": 0.0, "size": 1.0, "more": []}


def certificate(name, rewards, claim=1.0):
    verdict = audit(getattr(listened, name), rewards=rewards, claim=claim)
    assert verdict.word == "violated"
    return json.loads(json.dumps(verdict.certificate))


def test_a_finite_certificate_needs_no_program():
    found = certificate("HalfNoise", Rewards(30, 2))
    assert check(found)
    assert finite(found) == pytest.approx(2.0)


def test_a_claim_that_allows_the_loss_is_not_violated():
    found = certificate("HalfNoise", Rewards(30, 2))
    found["claim"]["epsilon"] = 2.0
    assert not check(found)


def test_two_rows_are_no_neighbours():
    found = certificate("HalfNoise", Rewards(30, 2))
    found["y"][(found["row"] + 1) % 30][0] += 1
    assert not check(found)


@pytest.mark.parametrize("name", ["TieByRaw", "GrowsByRaw", "SharedNoise", "SparseWithoutQueryNoise"])
def test_an_infinite_certificate_is_run_again(name):
    found = certificate(name, Rewards(30, 2))
    assert found["kind"] == "infinite"
    assert check(found, getattr(listened, name))
    assert not check(found)
    # The same inputs and outputs prove nothing against a sound program.
    assert not check(found, listened.Batches)


def test_an_infinite_certificate_of_another_decision_is_refused():
    found = certificate("TieByRaw", Rewards(30, 2))
    earlier = copy.deepcopy(found)
    earlier["decision"] = 0
    assert not check(earlier, listened.TieByRaw)


def test_coins_that_only_together_excuse_are_no_proof(monkeypatch):
    """The loss is log 99: one run in 100 on the neighbour decides the same."""

    def words():
        rewards = Rewards(4, 2)
        return [audit(listened.TwoCoins, rewards=rewards, claim=5.0, seed=seed, effort=2).word for seed in range(4)]

    assert "violated" not in words()
    monkeypatch.setattr(Walk, "finds", lambda *_: False)
    assert "violated" in words()


def test_a_pivot_event_has_the_probability_of_a_noisy_maximum():
    # Three equal scores: each wins with probability 1/3; two apart by d behind Laplace noise have a closed form.
    even = {"center": {"x": LAPLACE}, "others": [{"x": LAPLACE, "above": False}] * 2}
    assert pivot(even, "x") == pytest.approx(1 / 3, rel=1e-4)
    ahead = {"center": {"x": LAPLACE | {"place": 1.0}}, "others": [{"x": LAPLACE, "above": False}]}
    assert pivot(ahead, "x") == pytest.approx(1 - (2 + 1) * math.exp(-1) / 4, rel=1e-4)


def test_checker_and_search_agree_on_densities():
    for kind in ("laplace", "normal", "gumbel", "exponential", "logistic", "uniform"):
        a, b = ({"kind": kind, "place": p, "size": 2.0, "more": []} for p in (0.0, 0.25))
        ratio = log_ratio({"x": a, "y": b, "said": 1.1})
        p, q = (Law(kind, law["place"], 2.0) for law in (a, b))
        assert ratio == pytest.approx(p.log_density(1.1) - q.log_density(1.1), abs=1e-9)
        compared = [(0.7, 1.0, True)]
        assert asked(compared, a) == pytest.approx(interval(p, compared), abs=1e-4)


def test_delta_excuses_what_it_covers():
    normal = {"kind": "normal", "place": 0.0, "size": 1.0, "more": []}
    part = {"x": normal, "y": normal | {"place": 1.0}, "said": -3.0}
    found = {"claim": {"epsilon": 1.0}, "parts": [part], "asked": [], "pivots": []}
    # Balle and Wang (2018), equation 6, at shift 1 and epsilon 1.
    assert unexcused(found, found["claim"]["epsilon"]) == pytest.approx(0.126937, abs=1e-5)


def test_gaussian_noise_by_the_exact_curve_is_not_condemned():
    # sigma = 2.2 at epsilon 1 has delta 0.0089: under the claim; at 0.005 it is over it.
    assert audit(listened.Gauss, rewards=Rewards(30, 2), claim=Claim(1.0, 0.01)).word == "consistent"
    assert audit(listened.Gauss, rewards=Rewards(30, 2), claim=Claim(1.0, 1e-3)).word == "violated"


def test_lower_bounds_are_below():
    assert lower(0, 200) == 0.0
    assert 0.3 < lower(100, 200) < 0.5
