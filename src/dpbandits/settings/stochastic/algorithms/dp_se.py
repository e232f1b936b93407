"""DP-SE: successive elimination under pure differential privacy, in epochs that forget.

Source: Sajed & Sheffet 2019, as compared with in azize2025, Section 5.

Privacy: epsilon-DP. Neighbours differ in the reward of one round. A reward enters exactly one epoch mean
of one arm, of sensitivity 1/R, released once with Lap(1/(epsilon R)); parallel composition.

Deviations: the number of pulls is rounded down before the 1 is added (sources differ by one pull); the
round robin's order is drawn anew for each epoch, so that no arm is favoured by its number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpbandits.core.algorithm import Algorithm, Parameter, Privacy, Probe, Worst, one_over_horizon
from dpbandits.core.compiled import kernel
from dpbandits.core.streams import laplace, shuffle
from dpbandits.settings.stochastic import privacy
from dpbandits.settings.stochastic.problem import Block, collect, note, play


@kernel
def _simulate(block: Block, epsilon: float, beta: float) -> None:
    arms = block.means.size
    mean = np.empty(arms)
    for run in range(block.streams.shape[0]):
        state = block.streams[run]
        active = np.arange(arms)
        t, at, regret = 0, 0, 0.0
        epoch = 0
        while t < block.horizon and active.size > 1:
            epoch += 1
            width = 2.0**-epoch
            log_deviation = math.log(8.0 * active.size * epoch**2 / beta)
            log_noise = math.log(4.0 * active.size * epoch**2 / beta)
            wanted = max(32.0 * log_deviation / width**2, 8.0 * log_noise / (epsilon * width))
            # Beyond the horizon the exact number does not matter, and 4^epoch leaves the integers.
            pulls = int(min(wanted, float(block.horizon // active.size + 1))) + 1
            shuffle(state, active)
            t, at, regret = _round_robin(block, run, active, pulls, t, at, regret)
            if t == block.horizon:
                break
            for arm in active:
                rewards = collect(state, block, run, int(arm), pulls)
                mean[arm] = (rewards + laplace(state, 1.0 / epsilon)) / pulls
            deviation = math.sqrt(log_deviation / (2.0 * pulls))
            noise = log_noise / (epsilon * pulls)
            active = active[mean[active] >= mean[active].max() - 2.0 * deviation - 2.0 * noise]
        t, at, regret = play(block, run, active[0], block.horizon - t, t, at, regret)


@kernel
def _round_robin(
    block: Block, run: int, active: np.ndarray, pulls: int, t: int, at: int, regret: float
) -> tuple[int, int, float]:
    """Pull each active arm ``pulls`` times in turn, or until the horizon; return ``t, at, regret``.

    Whole cycles cost as much as one: between checkpoints regret needs the cycle's sum alone.
    """
    size = active.size
    last = min(t + pulls * size, block.horizon)
    cycle = 0.0
    for arm in active:
        cycle += block.gaps[arm]
    while at < block.rounds.size and block.rounds[at] <= last:
        cycles, rest = divmod(block.rounds[at] - t, size)
        value = regret + cycles * cycle
        for i in range(rest):
            value += block.gaps[active[i]]
        block.regret[run, at] = value
        at += 1
    cycles, rest = divmod(last - t, size)
    regret += cycles * cycle
    for i in range(size):
        block.pulls[run, active[i]] += cycles
        if i < rest:
            block.pulls[run, active[i]] += 1
            regret += block.gaps[active[i]]
    for s in range(min(last - t, max(block.played.shape[1], block.table.shape[0]))):
        note(block, run, active[s % size], t + s, 1)
    return last, at, regret


def worst(epsilon: float, tied: Mapping[str, Any]) -> Worst:
    """Return the worst loss of who stays after an epoch.

    An arm stays if its noisy sum, with the margin 2R (deviation + noise) added, is the largest: a decision with a
    head start. The margin is at most R/4, so that rewards can undo it.
    """
    found = privacy.worst(epsilon, tied)
    margin = {"of each other": "the margin 2R (deviation + noise)"}
    return found._replace(
        of=f"who stays after an epoch of up to {privacy.ARMS[-1]} arms",
        one={**found.one, **margin},
        other={**found.other, **margin},
        event="arm 1 stays",
    )


def simulate(block: Block, *, epsilon: float, beta: float) -> None:
    """Fill ``block`` with runs of DP-SE."""
    _simulate(block, epsilon, beta)


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
