"""DP-SE: successive elimination under pure differential privacy, in epochs that forget.

Source: Sajed & Sheffet 2019, as compared with in azize2025, Section 5.

Privacy: epsilon-DP. Neighbours differ in the reward of one round. A reward enters exactly one epoch mean
of one arm, of sensitivity 1/R, released once with Lap(1/(epsilon R)); parallel composition.

Deviations: the number of pulls is rounded down before the 1 is added (sources differ by one pull). Each epoch
draws a new order for its round robin, so that no arm is favoured by its number.
"""

from __future__ import annotations

import math

import numpy as np

from dpbandits.core.algorithm import Algorithm, Privacy, Probe, Worst
from dpbandits.core.compiled import kernel
from dpbandits.core.fields import Parameter, Values, one_over_horizon
from dpbandits.core.mathematics import log
from dpbandits.core.recorder import record_play, release
from dpbandits.core.recording import START, Clock, Runs, keep
from dpbandits.core.streams import shuffle
from dpbandits.settings.stochastic import privacy
from dpbandits.settings.stochastic.problem import Bandit, collect, play


@kernel
def _simulate(runs: Runs, bandit: Bandit, epsilon: float, beta: float) -> None:
    arms = bandit.means.size
    mean = np.empty(arms)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        active = np.arange(arms)
        clock = START
        epoch, width = 0, 1.0
        while clock.t < runs.horizon and active.size > 1:
            epoch += 1
            width *= 0.5
            log_deviation = log(8.0 * active.size * epoch**2 / beta)
            log_noise = log(4.0 * active.size * epoch**2 / beta)
            wanted = max(32.0 * log_deviation / (width * width), 8.0 * log_noise / (epsilon * width))
            # Beyond the horizon the exact number does not matter, and 4^epoch leaves the integers.
            pulls = int(min(wanted, float(runs.horizon // active.size + 1))) + 1
            shuffle(state, active)
            clock = _round_robin(runs, bandit, run, active, pulls, clock)
            if clock.t == runs.horizon:
                break
            for arm in active:
                rewards = collect(state, runs, bandit, run, int(arm), pulls, clock)
                mean[arm] = release(state, runs.recorder, rewards, 1.0 / epsilon) / pulls
            deviation = math.sqrt(log_deviation / (2.0 * pulls))
            noise = log_noise / (epsilon * pulls)
            active = active[mean[active] >= mean[active].max() - 2.0 * deviation - 2.0 * noise]
        clock = play(runs, bandit, run, active[0], runs.horizon - clock.t, clock)


@kernel
def _round_robin(runs: Runs, bandit: Bandit, run: int, active: np.ndarray, pulls: int, clock: Clock) -> Clock:
    """Pull each active arm ``pulls`` times in turn, or until the horizon; return where the run is after that.

    Whole cycles cost as much as one: between checkpoints regret needs the cycle's sum alone.
    """
    size = active.size
    t, at, excess = clock
    last = min(t + pulls * size, runs.horizon)
    cycle = 0.0
    for arm in active:
        cycle += bandit.gaps[arm]
    while at < runs.rounds.size and runs.rounds[at] <= last:
        cycles, rest = divmod(runs.rounds[at] - t, size)
        value = excess + cycles * cycle
        for i in range(rest):
            value += bandit.gaps[active[i]]
        runs.regret[run, at] = value - runs.best[at]
        at += 1
    cycles, rest = divmod(last - t, size)
    excess += cycles * cycle
    for i in range(size):
        runs.pulls[run, active[i]] += cycles
        if i < rest:
            runs.pulls[run, active[i]] += 1
            excess += bandit.gaps[active[i]]
        record_play(runs.recorder, active[i], cycles + (1 if i < rest else 0))
    for s in range(t, min(last, runs.played.shape[1])):
        keep(runs, run, active[(s - t) % size], s, 1)
    return Clock(last, at, excess)


def worst(epsilon: float, tied: Values) -> Worst:
    """Return the worst privacy loss of the decision whether an arm stays after an epoch of R rewards for each arm.

    An arm stays if its noisy reward sum plus the margin 2R (deviation + noise) is the largest. So the loss is that
    of a decision by the largest noisy sum, `privacy.worst`: the margin is at most R/4, and rewards can make up for
    it. The loss comes with two neighbouring inputs and the probabilities that arm 1 stays. ``epsilon`` > 0 is the
    budget, and ``tied`` has no effect.
    """
    found = privacy.worst(epsilon, tied)
    margin = {"of each other": "the margin 2R (deviation + noise)"}
    return found._replace(
        of=f"who stays after an epoch of up to {privacy.ARMS[-1]} arms",
        one={**found.one, **margin},
        other={**found.other, **margin},
        event="arm 1 stays",
    )


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, beta: float) -> None:
    """Simulate DP-SE, and record pulls and regret in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    beta
        Failure probability of the confidence intervals of all epochs together, in (0, 1].
    """
    _simulate(runs, bandit, epsilon, beta)


ALGORITHM = Algorithm(
    title="DP-SE",
    source="Sajed & Sheffet 2019, Algorithm 2 (azize2025, Section 5: beta = 1/T)",
    decides="batches",
    privacy=Privacy(
        definition="pure",
        neighbours="the reward of one round replaced",
        mechanism="epoch means of sensitivity 1/R, each with Lap(1/(epsilon R)); parallel composition",
        exact=worst,
        # With beta = 1 the first epoch ends after 355 rounds of each arm.
        probes=(Probe(716, 2, {"beta": 1.0}),),
        effort=4 * 10**5,
    ),
    parameters=(Parameter("beta", float, one_over_horizon, "failure probability", above=0, at_most=1),),
    simulate=simulate,
    deviations="R is rounded down before 1 is added; the pull order is drawn anew in each epoch",
)
