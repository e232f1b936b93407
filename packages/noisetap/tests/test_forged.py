"""Certificates that are made by thought: of sound programs, with what none of their runs has."""

import itertools
import json
import math
import time

import numpy as np
import pytest

from noisetap import Claim, Rewards, audit, data_check
from noisetap.check import SECRET, objection
from noisetap.program import Program
from noisetap.records import Records


class Memory:
    """Reads no reward: the first so many that are made play arm 0."""

    made, plays = itertools.count(), 1

    def __init__(self):
        self.arm = int(next(self.made) >= self.plays)

    def choose(self):
        return self.arm

    def update(self, arm, reward):
        pass


class Clock(Memory):
    """Reads no reward, but a clock."""

    def choose(self):
        return time.perf_counter_ns() // 128 % 2


class Coin:
    """Tells a raw sum if a coin is what it never is."""

    def __init__(self):
        self.rng, self.sum = np.random.default_rng(), 0.0
        self.coin = self.draw()

    def choose(self):
        return int(self.sum > 0) if self.never() else 0

    def update(self, arm, reward):
        self.sum += reward


class Half(Coin):
    draw = lambda self: int(self.rng.integers(2))  # noqa: E731
    never = lambda self: self.coin == 5  # noqa: E731


class Weighted(Coin):
    draw = lambda self: self.rng.choice([0, 1, 2], p=[0.5, 0.5, 0.0])  # noqa: E731
    never = lambda self: self.coin == 2  # noqa: E731


class Binomial(Coin):
    draw = lambda self: int(self.rng.binomial(3, 0.5))  # noqa: E731
    never = lambda self: self.coin < 0  # noqa: E731


class Order(Coin):
    draw = lambda self: self.rng.permutation(3)  # noqa: E731
    never = lambda self: len(self.coin) != 3 or self.coin[0] == self.coin[1]  # noqa: E731


class Uniform(Coin):
    draw = lambda self: self.rng.random()  # noqa: E731

    def choose(self):
        return int(self.sum > 0) if self.coin > 1.0 else int(self.coin > 0.5)


class Seldom:
    """With probability 1e-6 its noise is too small, which a delta of 1e-5 covers."""

    def __init__(self):
        self.rng, self.sum, self.round, self.arm = np.random.default_rng(), 0.0, 0, 0
        self.scale = 1e-3 if self.rng.random() < 1e-6 else 1.0

    def choose(self):
        if self.round == 2:
            self.arm = int(self.sum + self.rng.laplace(0.0, self.scale) > 0.5)
        return self.arm

    def update(self, arm, reward):
        self.sum += reward
        self.round += 1


class Always(Seldom):
    """Its noise is too small."""

    def __init__(self):
        super().__init__()
        self.scale = 1e-3


def forged(**changed):
    """Return a certificate of two inputs that differ in the first row, with nothing heard."""
    x = [[0.0, 0.0]] * 4
    return {
        "format": "noisetap 2",
        "kind": "infinite",
        "claim": {"epsilon": 1.0, "delta": 0.0},
        "rewards": {"rounds": 4, "arms": 2, "low": 0.0, "high": 1.0, "row": False},
        **{"seed": 0, "row": 0, "x": x, "y": [[1.0, 1.0], *x[1:]]},
        **{
            "parts": [],
            "asked": [],
            "pivots": [],
            "tape": [],
            "paths": [],
            "decision": 0,
            "tape_y": [],
            "coins": [],
        },
        **changed,
    }


@pytest.mark.parametrize("plays", range(8))
def test_a_memory_is_no_violation(plays, monkeypatch):
    """Whichever of the checker's runs is the first that differs."""
    monkeypatch.setattr(Memory, "made", itertools.count())
    monkeypatch.setattr(Memory, "plays", plays)
    assert objection(forged(), Memory, 1.0) is not None


def test_a_clock_is_no_violation():
    assert all(objection(forged(), Clock, 1.0) for _ in range(40))


def heard(program):
    """Return what a run on the first input heard."""
    found = forged()
    return Program(program, Rewards(**found["rewards"])).run(np.array(found["x"]), 0).draws


VALUES = (5, -1, 2, 1.5, [0, 0, 0], [0, 1], [0, 1, 2, 3], [0, 1, 5], None, "x", math.nan, math.inf, True)


@pytest.mark.parametrize(
    "program", [Binomial, Uniform, *(pytest.param(p, marks=pytest.mark.slow) for p in (Half, Weighted, Order))]
)
def test_a_value_that_no_coin_has_is_no_violation(program):
    """Held as a value, and as one of which comparisons say what it is not."""
    ((key, _),) = heard(program).items()
    said = [list(s) for n in range(4) for s in itertools.product([True, False], repeat=n)]
    tried = 0
    for value in VALUES:
        for held in (["value", value], *(["said", [value, answers]] for answers in said)):
            for decision, coins in itertools.product((0, 1, 2), ([], [list(key)])):
                tape = [[*key, *held]]
                found = forged(tape=tape, tape_y=tape, decision=decision, coins=coins)
                assert objection(found, program, 1.0) is not None, found
                tried += 1
    assert tried > 1000


def seldom_certificate(program):
    """Return a certificate that holds the coin of each run where it seldom is."""
    coin, noise = heard(program)
    held = {coin: ("said", (1e-7, (True,)))}
    found = forged(kind="finite", claim={"epsilon": 1.0, "delta": 1e-5})
    for name in ("decision", "tape_y", "coins"):
        del found[name]
    runs = Program(program, Rewards(**found["rewards"]))
    a, b = (runs.run(np.array(found[side]), 0, held | {noise: ("out", 0.0)}).draws[noise] for side in "xy")
    law = [
        {"kind": d.output_law.kind, "place": d.output_law.location, "size": d.output_law.scale, "more": []}
        for d in (a, b)
    ]
    tape = [[*coin, "said", [1e-7, [True]]], [*noise, "out", 0.0]]
    part = {"key": list(noise), "line": a.line, "moment": 2, "said": 0.0, "x": law[0], "y": law[1]}
    return found | {"parts": [part], "tape": tape, "paths": [tape] * 12}


def test_a_coin_that_delta_covers_is_no_violation():
    """The coins of further runs are not the certificate's; where it makes no difference they prove it."""
    claim = Claim(1.0, 1e-5)
    assert objection(seldom_certificate(Seldom), Seldom, claim) == "delta covers it"
    assert audit(Seldom, rewards=Rewards(4, 2), claim=claim).word == "consistent"
    verdict = audit(Always, rewards=Rewards(4, 2), claim=claim)
    assert verdict.word == "violated"
    found = json.loads(json.dumps(verdict.certificate))
    assert objection(found, Always, claim) is None
    assert "further runs" in objection(found | {"paths": found["paths"][:11]}, Always, claim)


def of_data(**changed):
    """Return a certificate about a function of three records."""
    return {
        "format": "noisetap data 1",
        "claim": {"epsilon": 1.0, "delta": 0.0, "rho": None},
        **{"parameters": {}, "relation": "replace-one", "x": [[0.0]] * 3, "y": [[1.0], [0.0], [0.0]]},
        **{"outputs": [], "scripts": [[]], "loss": "infinite", "stored": False},
        **changed,
    }


@pytest.mark.parametrize("number", range(14))
def test_a_function_with_a_memory_is_not_condemned(number):
    calls = itertools.count()

    def after(_data):
        return int(next(calls) >= number)

    assert data_check.objection(of_data(), after, Records(3), Claim(1.0)) is not None


def test_a_function_with_a_clock_is_not_condemned():
    def clock(_data):
        return time.perf_counter_ns() // 128 % 2

    assert all(data_check.objection(of_data(), clock, Records(3), Claim(1.0)) for _ in range(60))


def summed(data):
    return float(np.sum(data)) + np.random.default_rng().laplace(0.0, 1.0)


@pytest.mark.parametrize("relation", ["user", "own: anything", "everything"])
def test_the_relation_is_the_callers(relation):
    """All records of a user are no claim of a function that protects one."""
    found = of_data(relation=relation, x=[[1.0]] * 5, y=[], outputs=[10.0], loss=5.0)
    assert "has to be named" in data_check.objection(found, summed, Records(3), Claim(1.0))
    if relation == "user":
        assert data_check.objection(found, summed, Records(3), Claim(1.0), neighbours="user") is None


def of_logarithm(data):
    """Lose at most 0.92: where the density is largest, the comparison takes log(0.7 / 0.5) back."""
    rng, high = np.random.default_rng(), bool(data[0] > 0.5)
    u = rng.random()
    if u <= (0.5 if high else 0.7):
        return 1.04 * high + 1.6 * np.log(u) + rng.laplace(0, 0.4) + rng.logistic(0, 0.2)
    return None


def beside_its_logarithm(data):
    """Lose at most 0.8: on the neighbour u is the larger one, and its logarithm takes a part of 1.2 back."""
    rng, high = np.random.default_rng(), bool(data[0] > 0.5)
    u, v = rng.random(), rng.random()
    if (u <= v) if high else (v <= u):
        return 1.2 * high + 0.5 * np.log(u) + rng.laplace(0, 1)
    return None


@pytest.mark.parametrize(
    ("function", "value", "loss", "reason"),
    [(of_logarithm, 1.0, 1.230367, "the loss is 0.89"), (beside_its_logarithm, 3.0, 1.2, "beside its logarithm")],
)
def test_a_comparison_before_a_logarithm_counts(function, value, loss, reason):
    found = of_data(x=[[1.0]], y=[[0.0]], outputs=[value], scripts=[[0]], loss=loss)
    assert reason in (data_check.objection(found, function, Records(1), Claim(1.0)) or "accepted")


class Pad(Seldom):
    """Adds to the decision a coin with as many values: each decision is as likely whatever the rewards are."""

    arms = 100

    def __init__(self):
        super().__init__()
        self.coin = self.drawn()

    def drawn(self):
        return int(self.rng.integers(self.arms))

    def choose(self):
        return (self.coin + int(self.sum > 0)) % self.arms if self.round == 1 else 0


class OfUniform(Pad):
    def drawn(self):
        return int(self.rng.random() * self.arms)


class OfOrder(Pad):
    def drawn(self):
        return int(self.rng.permutation(self.arms)[0])


class OfNoise(Pad):
    """Its coin is made of noise that is added to nothing of the data."""

    def drawn(self):
        return int(abs(0.0 + self.rng.laplace()) * 1000.0) % self.arms


@pytest.mark.parametrize("seeds", [1, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("program", [Pad, OfUniform, OfOrder, OfNoise])
def test_a_coin_with_many_values_is_no_violation(program, seeds):
    """Seven values of a hundred do not tell that none brings the decisions together."""
    found = forged(x=[[0.0] * 100] * 4, y=[[1.0] * 100, *[[0.0] * 100] * 3], decision=1)
    found["rewards"]["arms"] = 100
    for seed in range(seeds):
        assert objection(found | {"seed": seed}, program, 1.0) is not None
    assert audit(program, rewards=Rewards(4, 100), claim=1.0, effort=1).word != "violated"


class RawBesideNoise(Seldom):
    """Plays the larger of two raw sums, unless the noise of a third arm, which no reward enters, is very large."""

    def choose(self):
        noisy = 0.0 + self.rng.laplace()
        return 2 if noisy > 4.0 else int(self.sum > 0)


@pytest.mark.parametrize("secret", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_noise_that_seldom_decides_is_no_excuse(secret):
    """Decisions change with it in one of a hundred draws, and those of the other input are not among them."""
    found = forged(x=[[0.0] * 3] * 4, y=[[1.0] * 3, *[[0.0] * 3] * 3], decision=1)
    found["rewards"]["arms"] = 3
    assert objection(found, RawBesideNoise, 1.0, secret=secret) is None


def test_the_checker_draws_by_a_secret():
    """Who forges a certificate does not know it; with one that is given a ruling is the same each time."""
    found = forged(x=[[0.0] * 100] * 4, y=[[1.0] * 100, *[[0.0] * 100] * 3], decision=1)
    found["rewards"]["arms"] = 100
    assert objection(found, OfNoise, 1.0, secret=5) == objection(found, OfNoise, 1.0, secret=5) is not None
    assert SECRET != 0
