"""Perfection test: a policy whose regret stays bounded where an arm has mean 1, against azize2025's Theorem 3.1.

Source: ours, as a counterexample to azize2025, Theorem 3.1 (and eq. 7), at mu* = 1: there they claim that every
consistent epsilon-DP policy has regret of at least log T/epsilon for each suboptimal arm. No algorithm to be used.

A champion is kept. At level k = 1, 2, ... it is played for test 2^k rounds, and passes if its failures plus
Lap(1/epsilon) are at most 2 k log 2/epsilon. If it does, it is played for 2^(k^2) rounds whose rewards nobody looks
at; if not, the other arms are tested, in random order, and the first to pass becomes champion. If none does, a
fresh successive elimination is run for 2^(k^2) rounds.

*Mean 1.* A perfect arm fails with probability 4^-k/2 at level k, whose tests cost O(2^k) and whose elimination
costs O(k^2): the sum over levels is finite. *Else.* An arm of mean below 1 passes with probability e^(-c 2^k),
which outweighs the 2^(k^2) rounds that it costs; all fail in the end, and tests and eliminations cost 2^(O(sqrt(log
T))), less than any power of T: the policy is consistent.

Privacy: epsilon-DP. Neighbours differ in the reward of one round. A reward enters exactly one count of failures, or
one epoch's sum of the elimination, of sensitivity 1, released once with Lap(1/epsilon), or nothing; parallel
composition.

Deviations: none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpbandits.core.algorithm import Algorithm, Parameter, Privacy, Probe, Worst
from dpbandits.core.compiled import kernel
from dpbandits.core.streams import laplace, shuffle
from dpbandits.settings.stochastic.problem import Block, collect, play

# Above the longest horizon.
ENDLESS = 2.0**60


@kernel
def _simulate(block: Block, epsilon: float, test: int) -> None:
    arms = block.means.size
    for run in range(block.streams.shape[0]):
        state = block.streams[run]
        order = np.arange(arms)
        shuffle(state, order)
        t, at, regret = 0, 0, 0.0
        level = 0
        while t < block.horizon:
            level += 1
            tested = int(min(test * 2.0**level, ENDLESS))
            # 2^(k^2), cut off before it leaves the integers.
            trusted = int(min(2.0 ** min(level * level, 60), ENDLESS))
            passed = False
            # The champion comes first, the others in a new order at each level.
            shuffle(state, order[1:])
            for place in range(arms):
                arm = int(order[place])
                t, at, regret = play(block, run, arm, tested, t, at, regret)
                if t == block.horizon:
                    break
                failures = tested - collect(state, block, run, arm, tested) + laplace(state, 1.0 / epsilon)
                if failures <= 2.0 * level * math.log(2.0) / epsilon:
                    order[0], order[place] = order[place], order[0]
                    passed = True
                    break
            if t == block.horizon:
                break
            if passed:
                t, at, regret = play(block, run, int(order[0]), trusted, t, at, regret)
                if block.owed.shape[0] > 0:
                    # Rewards of these rounds are ignored.
                    block.owed[run, order[0]] = 0.0
            else:
                t, at, regret = _eliminate(block, run, trusted, epsilon, t, at, regret)


@kernel
def _eliminate(
    block: Block, run: int, rounds: int, epsilon: float, t: int, at: int, regret: float
) -> tuple[int, int, float]:
    """Play ``rounds`` rounds, or to the horizon, by successive elimination in epochs that double and forget.

    An arm stays as long as its private mean is within twice the epoch's width of the best: deviation and noise,
    exceeded with probability at most 1/``rounds`` over all epochs and arms.
    """
    state, arms = block.streams[run], block.means.size
    end = min(t + rounds, block.horizon)
    active, mean = np.arange(arms), np.empty(arms)
    epoch, pulls = 0, 1
    while t < end and active.size > 1:
        epoch += 1
        pulls *= 2
        shuffle(state, active)
        for arm in active:
            number = min(pulls, end - t)
            t, at, regret = play(block, run, int(arm), number, t, at, regret)
            if number > 0:
                rewards = collect(state, block, run, int(arm), number)
                mean[arm] = (rewards + laplace(state, 1.0 / epsilon)) / pulls
        if t < end:
            log = math.log(4.0 * arms * float(rounds) * epoch**2)
            width = math.sqrt(log / (2.0 * pulls)) + log / (epsilon * pulls)
            active = active[mean[active] >= mean[active].max() - 2.0 * width]
    if t < end:
        t, at, regret = play(block, run, int(active[0]), end - t, t, at, regret)
        if block.owed.shape[0] > 0:
            block.owed[run, active[0]] = 0.0
    return t, at, regret


def worst(epsilon: float, _: Mapping[str, Any]) -> Worst:
    """Return the worst loss of a test: a champion with so many failures that Laplace's tail alone lets it pass."""
    behind = 1.0
    p, q = 0.5 * math.exp(-epsilon * behind), 0.5 * math.exp(-epsilon * (behind + 1.0))
    return Worst(
        loss=math.log(p / q),
        of="whether an arm passes a test",
        one={"failures above the threshold": behind},
        other={"failures above the threshold": behind + 1.0},
        event="the arm passes",
        probabilities=(p, q),
    )


def simulate(block: Block, *, epsilon: float, test: int) -> None:
    """Fill ``block`` with runs of the perfection test."""
    _simulate(block, epsilon, test)


ALGORITHM = Algorithm(
    title="Perfection test",
    source="ours: a counterexample to azize2025, Theorem 3.1, at mu* = 1",
    decides="batches",
    privacy=Privacy(
        definition="pure",
        neighbours="the reward of one round replaced",
        mechanism="counts and epoch sums of sensitivity 1, each with Lap(1/epsilon); parallel composition",
        exact=worst,
        probes=(Probe(12, 2, {"test": 1}),),
    ),
    parameters=(
        Parameter("test", int, 16, "rounds of a test at level k, in units of 2^k", at_least=1, at_most=2**20),
    ),
    simulate=simulate,
    deviations="none",
)
