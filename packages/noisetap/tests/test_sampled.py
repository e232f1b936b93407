"""Sampling bets against a claim: sound programs lose the bet, whatever the betting, and unheard faults win it."""

import math

import numpy as np
import pytest

from noisetap import Claim, Rewards, sample
from noisetap.sampled import Gambler

RANDOM = np.random.default_rng(5)


class Gamma:
    """A difference of exponential draws by gamma(1): Laplace noise that is not heard."""

    scale = 1.0

    def __init__(self):
        self.best, self.sums, self.t = 0, [0.0, 0.0], 0

    def choose(self):
        return self.t % 2 if self.t < 4 else self.best

    def update(self, arm, reward):
        self.t += 1
        if self.t <= 4:
            self.sums[arm] += reward
        if self.t == 4:
            noise = RANDOM.gamma(1.0, self.scale, 2) - RANDOM.gamma(1.0, self.scale, 2)
            self.best = int(np.argmax(self.sums + noise))


class Less(Gamma):
    """With a fifth of the noise."""

    scale = 0.2


def test_a_sound_program_is_consistent():
    verdict = sample(Gamma, rewards=Rewards(6, 2), claim=1.0, most=4000)
    assert verdict.word == "consistent", str(verdict)


def test_a_fault_that_is_not_heard_is_suspicious_soon():
    verdict = sample(Less, rewards=Rewards(6, 2), claim=0.3, most=20_000)
    assert verdict.word == "suspicious", str(verdict)
    assert verdict.runs < 20_000


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_wealth_is_no_more_than_one_on_average(epsilon):
    """At the border of the claim, by an event that is known: wealth exceeds 20 in at most one of 20 bets."""
    rng = np.random.default_rng(1)
    q = 0.2
    high = 0
    for _ in range(400):
        gambler = Gambler(Claim(epsilon))
        gambler.seen[0]["E"] = 10**6
        most = 1.0
        for _ in range(150):
            one, other = ("E" if rng.random() < p else "rest" for p in (q * math.exp(epsilon), q))
            gambler.play(one, other)
            most = max(most, gambler.wealth)
        high += most > 20.0
    # 400 with probability at most 1/20: more than 40 with probability below 1/10,000.
    assert high <= 40
