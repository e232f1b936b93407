"""Faults of a private release, chosen at run time: one compilation makes all twins of a stochastic algorithm.

A fault's number is hidden in the checkpoint, which audits do not look at.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numba
import numpy as np
from twins import mutated

from dpbandits.core import recorder
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.streams import laplace, uniform
from dpbandits.settings.stochastic.problem import collect

FAULTS = {"forgotten": 1, "twice": 2, "reused": 3, "tie": 4}
# DP-SE compares two arms once: noise on one of them protects both, and its second epoch is far away. There all
# noise of an epoch is forgotten, and a reward is counted twice in one batch.
OF_EPOCHS = {"forgotten": 5, "twice": 6, "reused": 3}
# What shows late, seldom or in one place alone: sampled audits of a dozen rounds miss nearly all of it.
LATE = {
    "half the noise after 10,000 rounds": 7,
    "no noise after 10,000 rounds": 8,
    "no noise in batches of more than 1,024": 9,
    "no noise on the seventh arm": 10,
    "no noise after 256 pulls": 11,
    "no noise where the noise is very large": 12,
    "noise reused after a restart": 13,
    "noise reused after 10,000 rounds": 14,
    "scale by the wrong count": 16,
    "noise cut off at eight scales": 17,
    "half the noise in the last tenth": 18,
    "a reward counted again after 10,000 rounds": 19,
    "a raw mean by a second collect": 20,
    "no noise where the noise is very small": 21,
    "half the noise from the sixth arm on": 25,
    "scale by the rewards": 26,
    "sign of the noise by the rewards": 27,
    "unrecorded noise after 10,000 rounds": 28,
    "one added after the noise where rewards are many": 30,
    "the raw sum of the batch before, added after 10,000 rounds": 31,
}
# What is the same where all rewards are turned, waits for a coin that seldom falls so, or reads no reward at all.
HIDDEN = {
    "no noise by a coin of one in 100,000": 40,
    "no noise where exactly half of a batch pays": 41,
    "the raw variance, added after 10,000 rounds": 42,
    "the problem's mean in place of rewards": 43,
}
# What no run may do, and what bypasses the recorder: seen at once, and said by name.
OUTSIDE = {
    "a batch collected twice": 32,
    "more collected than played": 33,
    "a pull too few": 34,
    "a stream that begins anew": 35,
    "noise of another generator": 36,
    "unrecorded noise": 37,
    "an unrecorded reward": 38,
    "an unrecorded mean": 39,
}
LONG = 10_000
# A checkpoint that no run reaches.
NEVER = 2**60
# What is no fault: indices that have no ties read nothing of what would break them.
HARMLESS = {("adap-ucb", "tie"), ("dp-se", "tie"), ("lazy-dp-ts", "tie")}


@numba.njit
def release(
    state: np.ndarray, runs: Any, bandit: Any, run: int, arm: int, number: int, clock: Any, scale: float
) -> float:
    """Return the noisy sum of the last ``number`` rewards of ``arm``."""
    fault = runs.rounds[0] - NEVER
    # All rewards so far: those that were released before are counted again.
    late = clock.t > LONG
    again = runs.pulls[run, arm] if fault == 2 or (fault == 19 and late) else number
    if fault == 43:
        return recorder.release(state, runs.recorder, number * bandit.means[arm], scale)
    if fault == 33:
        again += 10**7
    rewards = collect(state, runs, bandit, run, arm, again, clock)
    if fault == 20 or fault == 32:
        twice = collect(state, runs, bandit, run, arm, number, clock)
        if fault == 20:
            bandit.means[arm] = twice / number
    if fault == 34:
        # Not one too many: a batch would be empty then, and the next ones beyond the schedule.
        runs.pulls[run, arm] -= 1
    if fault == 4:
        # No algorithm reads the means; they keep what ties are broken by.
        bandit.means[arm] = rewards / number
    if fault == 5 or (fault == 1 and arm == 0):
        return rewards
    if (
        (fault == 8 and late)
        or (fault == 9 and number > 1024)
        or (fault == 10 and arm == 6)
        or (fault == 11 and runs.pulls[run, arm] > 256)
        or (fault == 40 and uniform(state) < 1e-5)
        or (fault == 41 and number >= 16 and 2 * rewards == number)
    ):
        return rewards
    if fault == 37 or (fault == 28 and late):
        return rewards + laplace(state, scale)
    if fault == 6:
        rewards *= 2.0
    if (
        (fault == 7 and late)
        or (fault == 18 and clock.t > 0.9 * runs.horizon)
        or (fault == 25 and arm >= 5)
        or (fault == 26 and rewards > number / 2)
    ):
        scale /= 2.0
    if fault == 16:
        scale *= number / runs.pulls[run, arm]
    if fault == 13 and late:
        for i in range(4):
            state[i] = np.uint64(i + 1)
    if fault == 31:
        # What it adds after the noise was read with the batch before.
        before, bandit.means[0] = bandit.means[0], rewards
        return recorder.release(state, runs.recorder, rewards, scale) + (before if late else 0.0)
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    noisy = recorder.release(state, runs.recorder, rewards, scale)
    noise = noisy - rewards
    if (fault == 12 and noise > 12.0 * scale) or (fault == 21 and abs(noise) < 1e-3 * scale):
        return rewards
    if fault == 17:
        return rewards + min(max(noise, -8.0 * scale), 8.0 * scale)
    if fault == 27 and rewards > number / 2:
        return rewards + abs(noise)
    if fault == 42 and late:
        return noisy + rewards * (number - rewards) / number
    if fault == 30:
        return noisy + (1.0 if 2.0 * rewards > number else 0.0)
    if fault == 3 or (fault == 14 and late):
        # As if nothing had been drawn. It must not allocate: that is how kernels' inner functions are compiled.
        state[0], state[1], state[2], state[3] = s0, s1, s2, s3
    if fault == 35:
        for i in range(4):
            state[i] = np.uint64(1)
    if fault == 36:
        return noisy + np.random.laplace(0.0, 1.0)  # noqa: NPY002
    if fault == 38 and bandit.table.shape[0] > 1:
        return noisy + bandit.table[clock.t - 1, arm]
    if fault == 39:
        return noisy + 1e3 * bandit.means[arm]
    return noisy


@numba.njit
def leaky(runs: Any, bandit: Any, arm: int, x: float) -> float:
    """Return an index between 0 and 1, where equal ones tie, or not."""
    return 0.999 * x + 1e-4 * bandit.means[arm] if runs.rounds[0] - NEVER in (4, 20) else x


NEW = "from broken import leaky, release\nfrom dpbandits.core.streams import"
OLD = "from dpbandits.core.streams import"
EPISODES = "from dpbandits.settings.stochastic.doubling import"
BATCHES = {
    OLD: NEW,
    "        rewards = collect(state, runs, bandit, run, arm, batch, clock)\n": "",
    "release(state, runs.recorder, rewards, batches.noise[arms.m[arm]])": (
        "release(state, runs, bandit, run, arm, batch, clock, batches.noise[arms.m[arm]])"
    ),
    "min(1.0, max(0.0, arms.noisy_sum[arm] / arms.n[arm]))": (
        "leaky(runs, bandit, arm, min(1.0, max(0.0, arms.noisy_sum[arm] / arms.n[arm])))"
    ),
}
DOUBLING = {
    OLD: NEW,
    "        rewards = collect(state, runs, bandit, run, arm, wanted, clock)\n": "",
    "release(state, runs.recorder, rewards, 1.0 / epsilon)": (
        "release(state, runs, bandit, run, arm, wanted, clock, 1.0 / epsilon)"
    ),
}
CHANGES = {
    "dp-imed": {"settings.stochastic.batches": BATCHES},
    "dp-klucb": {
        "settings.stochastic.batches": BATCHES,
        "": {
            # Of saturated indices the one of the larger, leaky mean.
            "if integer_below(state, ties) == 0:": (
                "if clipped[k] > clipped[best] or clipped[k] == clipped[best] and integer_below(state, ties) == 0:"
            ),
        },
    },
    "adap-ucb": {"settings.stochastic.doubling": DOUBLING},
    "adap-klucb": {
        "settings.stochastic.doubling": DOUBLING,
        "": {
            EPISODES: f"from broken import leaky\n{EPISODES}",
            "min(1.0, max(0.0, arms.mean[k] + bonus / epsilon))": (
                "leaky(runs, bandit, k, min(1.0, max(0.0, arms.mean[k] + bonus / epsilon)))"
            ),
        },
    },
    "dp-se": {
        "": {
            OLD: NEW,
            "rewards = collect(state, runs, bandit, run, int(arm), pulls, clock)": "",
            "release(state, runs.recorder, rewards, 1.0 / epsilon)": (
                "release(state, runs, bandit, run, int(arm), pulls, clock, 1.0 / epsilon)"
            ),
        }
    },
    "lazy-dp-ts": {
        "": {
            OLD: NEW,
            "rewards = collect(state, runs, bandit, run, finished, arms.batch[finished], clock)": "",
            "release(state, runs.recorder, rewards, 1.0 / epsilon)": (
                "release(state, runs, bandit, run, finished, arms.batch[finished], clock, 1.0 / epsilon)"
            ),
        }
    },
}


def with_fault(broken: Algorithm, fault: str) -> Algorithm:
    """Return the declaration of a mutated algorithm with one of the faults; it has none of another name."""
    known = FAULTS | LATE | HIDDEN | OUTSIDE | (OF_EPOCHS if broken.title == "DP-SE" else {})
    number = known.get(fault, 0)

    def simulate(runs: Any, bandit: Any, **arguments: Any) -> None:
        broken.simulate(runs._replace(rounds=np.array([NEVER + number])), bandit, **arguments)

    return dataclasses.replace(broken, simulate=simulate)


@functools.cache
def breakable(original: str) -> Algorithm:
    """Return an algorithm that can be broken, the same to all who ask."""
    return mutated(original, CHANGES[original])
