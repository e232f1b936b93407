"""Perfection test: a policy whose regret stays bounded where an arm has mean 1, against azize2025's Theorem 3.1.

Source: ours, as a counterexample to azize2025, Theorem 3.1 (and eq. 7), at mu* = 1: there they claim that every
consistent epsilon-DP policy has regret of at least log T/epsilon for each suboptimal arm. No algorithm to be used.

A champion is kept. At level k = 1, 2, ... it is played for test 2^k rounds, and passes if its failures plus
Lap(1/epsilon) are at most 2 k log 2/epsilon. If it does, it is played for 2^(k^2) rounds whose rewards nobody looks
at; if not, the other arms are tested, in random order, and the first to pass becomes champion. If none does, a
fresh successive elimination is run for 2^(k^2) rounds.

*Mean 1.* A perfect arm fails with probability 4^-k/2 at level k, whose tests cost O(2^k) and whose elimination
costs O(k^2). The sum over levels is finite.

*Other means.* An arm of mean below 1 passes with probability e^(-c 2^k), which outweighs the 2^(k^2) rounds that it
costs. All arms fail in the end. Tests and eliminations cost 2^(O(sqrt(log T))), less than any power of T. So the
policy is consistent.

Privacy: epsilon-DP. Neighbours differ in the reward of one round. A reward enters exactly one count of failures, or
one epoch's sum of the elimination, of sensitivity 1, released once with Lap(1/epsilon), or nothing; parallel
composition.

Deviations: none.
"""

from __future__ import annotations

import math

import numpy as np

from dpbandits.core.algorithm import Algorithm, Privacy, Probe, Worst
from dpbandits.core.compiled import kernel
from dpbandits.core.fields import Parameter, Values
from dpbandits.core.mathematics import exp, log
from dpbandits.core.recorder import release
from dpbandits.core.recording import START, Clock, Runs
from dpbandits.core.streams import shuffle
from dpbandits.settings.stochastic.problem import Bandit, collect, play


@kernel
def _simulate(runs: Runs, bandit: Bandit, epsilon: float, test: int) -> None:
    arms = bandit.means.size
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        order = np.arange(arms)
        shuffle(state, order)
        clock = START
        level = 0
        while clock.t < runs.horizon:
            level += 1
            tested = test << level
            # 2^(k^2), cut off before it leaves the integers.
            trusted = 1 << min(level * level, 60)
            passed = False
            # The champion comes first, the others in a new order at each level.
            shuffle(state, order[1:])
            for place in range(arms):
                arm = int(order[place])
                clock = play(runs, bandit, run, arm, tested, clock)
                if clock.t == runs.horizon:
                    break
                successes = collect(state, runs, bandit, run, arm, tested, clock)
                failures = release(state, runs.recorder, tested - successes, 1.0 / epsilon)
                if failures <= 2.0 * level * log(2.0) / epsilon:
                    order[0], order[place] = order[place], order[0]
                    passed = True
                    break
            if clock.t == runs.horizon:
                break
            if passed:
                # Nobody collects the rewards of these rounds.
                clock = play(runs, bandit, run, int(order[0]), trusted, clock)
            else:
                clock = _eliminate(runs, bandit, run, trusted, epsilon, clock)


@kernel
def _eliminate(runs: Runs, bandit: Bandit, run: int, rounds: int, epsilon: float, clock: Clock) -> Clock:
    """Play ``rounds`` rounds, or to the horizon, by successive elimination in epochs that double and forget.

    An arm stays as long as its private mean is within twice the epoch's width of the best: deviation and noise,
    exceeded with probability at most 1/``rounds`` over all epochs and arms.
    """
    state, arms = runs.streams[run], bandit.means.size
    end = min(clock.t + rounds, runs.horizon)
    active, mean = np.arange(arms), np.empty(arms)
    epoch, pulls = 0, 1
    while clock.t < end and active.size > 1:
        epoch += 1
        pulls *= 2
        shuffle(state, active)
        for arm in active:
            number = min(pulls, end - clock.t)
            clock = play(runs, bandit, run, int(arm), number, clock)
            if number > 0:
                rewards = collect(state, runs, bandit, run, int(arm), number, clock)
                mean[arm] = release(state, runs.recorder, rewards, 1.0 / epsilon) / pulls
        if clock.t < end:
            surprise = log(4.0 * arms * float(rounds) * epoch**2)
            width = math.sqrt(surprise / (2.0 * pulls)) + surprise / (epsilon * pulls)
            active = active[mean[active] >= mean[active].max() - 2.0 * width]
    if clock.t < end:
        clock = play(runs, bandit, run, int(active[0]), end - clock.t, clock)
    return clock


def worst(epsilon: float, _: Values) -> Worst:
    """Return the worst privacy loss of one test, in which an arm passes if its noisy failures are few enough.

    It is ``epsilon`` up to rounding, for an arm that passes by the tail of the noise alone. The neighbouring inputs
    that come with it have 1 and 2 failures above the threshold.
    """
    behind = 1.0
    p, q = 0.5 * exp(-epsilon * behind), 0.5 * exp(-epsilon * (behind + 1.0))
    return Worst(
        loss=log(p / q),
        of="whether an arm passes a test",
        one={"failures above the threshold": behind},
        other={"failures above the threshold": behind + 1.0},
        event="the arm passes",
        probabilities=(p, q),
    )


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, test: int) -> None:
    """Simulate the perfection test, whose regret stays bounded if an arm has mean 1, and record it in ``runs``.

    At each level k an arm is tested for mean 1, by its failures in some rounds, and played for long if it passes.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    test
        Number of rounds of a test at level k = 1, 2, ..., in units of 2^k: from 1 to 2^20.
    """
    _simulate(runs, bandit, epsilon, test)


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
