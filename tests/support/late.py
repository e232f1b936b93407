"""Faults of one release that show late, seldom or in one place alone, for algorithms of every setting.

They take the place of `dpbandits.core.recorder.release` where a setting's algorithms call it: one compilation
makes all twins. A fault's number is hidden where audits do not look: in the checkpoint, or, where a kernel has no
checkpoint, in the scale of a noise that nothing has with a recorder. What twins remember is kept in regret that no
checkpoint asks for, or in what an adversary adds who never comes.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Mapping
from typing import Any, NamedTuple

import broken_linear
import numba
import numpy as np
from broken_full_information import KERNELS
from twins import mutated

from dpbandits.core import recorder as at
from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.recorder import release
from dpbandits.core.streams import laplace

# A checkpoint that no run reaches.
NEVER = 2**60
LONG = 10_000
RELEASED = {
    "half the noise after 10,000 rounds": 1,
    "no noise after 10,000 rounds": 2,
    "noise reused after 10,000 rounds": 3,
    "noise reused after a restart": 4,
    "no noise where the noise is very large": 5,
    "no noise on the second arm after 10,000 rounds": 6,
    "scale by the value": 7,
    "sign of the noise by the value": 8,
    "unrecorded noise after 10,000 rounds": 9,
    "the value before, added after 10,000 rounds": 10,
    "noise cut off at eight scales": 11,
    "rounded, with a hundredth of the raw value, after 10,000 rounds": 12,
}
# What bypasses the recorder: seen at once, and said.
BESIDE, PAST = 13, 14
OUTSIDE = {"unrecorded noise": BESIDE, "an unrecorded input": PAST}
SELECTED = {
    "half the noise after 10,000 rounds": 1,
    "no noise on the second action after 10,000 rounds": 2,
    "noise reused after a restart": 3,
    "noise of one action for all after 10,000 rounds": 4,
    "a raw value decides between equal ones after 10,000 rounds": 5,
    "noise by the score after 10,000 rounds": 6,
}


@numba.njit
def released(
    state: np.ndarray, recorder: Any, fault: int, room: np.ndarray, who: int, value: float, scale: float
) -> float:
    """Return a noisy value, and keep in ``room`` what was released before."""
    if recorder is None:
        return release(state, recorder, value, scale)
    late = recorder.counters[at.ROUNDS] > LONG
    before, room[0] = room[0], value
    if late and (fault == 2 or (fault == 6 and who == 1)):
        return value
    if fault == 13 or (late and fault == 9):
        return value + laplace(state, scale)
    if (late and fault == 1) or (fault == 7 and value > 0.0):
        scale /= 2.0
    if late and fault == 4:
        for i in range(4):
            state[i] = np.uint64(i + 1)
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    noisy = release(state, recorder, value, scale)
    noise = noisy - value
    if late and fault == 3:
        # As if nothing had been drawn.
        state[0], state[1], state[2], state[3] = s0, s1, s2, s3
    if fault == 5 and noise > 12.0 * scale:
        return value
    if fault == 8 and value > 0.0:
        return value + abs(noise)
    if late and fault == 10:
        return noisy + before
    if fault == 11:
        return value + min(max(noise, -8.0 * scale), 8.0 * scale)
    if late and fault == 12:
        return 4.0 * scale * np.floor(noisy / (4.0 * scale)) + 0.01 * value
    return noisy


@numba.njit
def selecting(
    state: np.ndarray, recorder: Any, fault: int, j: int, score: float, noise: float, scale: float
) -> float:
    """Return an action's score less its noise."""
    if recorder is None or recorder.counters[at.ROUNDS] <= LONG:
        return score - noise
    if fault == 1:
        noise /= 2.0
    if fault == 2 and j == 1:
        return score
    if fault == 3:
        for i in range(4):
            state[i] = np.uint64(i + 1)
    if fault == 4 and j > 0:
        first = recorder.counters[at.EVENTS] - recorder.pulled.shape[0]
        noise = recorder.numbers[first, 2]
    if fault == 5:
        return 4.0 * scale * np.floor((score - noise) / (4.0 * scale)) + 1e-6 * score
    if fault == 6:
        noise /= 1.0 + abs(score)
    return score - noise


class Place(NamedTuple):
    """Where an algorithm releases or selects.

    Attributes
    ----------
    module
        Below `dpbandits`; an algorithm's own is empty.
    releases, broken
        What is written there, and what takes its place.
    faults
        By name.
    given
        The algorithm's parameters.
    peeked
        An input, read without being recorded.
    within
        An algorithm that runs it, if it makes no claim of its own.
    """

    module: str
    releases: str
    broken: str
    faults: dict[str, int] = RELEASED
    given: Mapping[str, Any] = types.MappingProxyType({})
    peeked: str = ""
    within: str = ""


FAULT = f"int(runs.rounds[0]) - {NEVER}"
ADVERSARIAL = Place(
    "settings.adversarial.problem",
    "release(state, runs.recorder, observed, bandit.noise)",
    f"released(state, runs.recorder, {FAULT}, runs.regret[run], arm, observed, bandit.noise)",
    peeked="9.0 * cumulative(losses, arm, t)",
)
# `broken_linear` has this setting's faults, these among them.
LINEAR = Place("", "", "")
PLACES = {
    "agarwal-singh": ADVERSARIAL,
    "dp-exp3-lap": ADVERSARIAL,
    "exp3": ADVERSARIAL._replace(within="conversion"),
    "local-dp-exp4": Place(
        "settings.experts.exponential_weights",
        "release(state, runs.recorder, loss, noise)",
        f"released(state, runs.recorder, {FAULT}, runs.regret[run], action, loss, noise)",
        peeked="9.0 * bandit.means[context, action]",
    ),
    "batched-exp4": Place(
        "settings.experts.batched_exponential_weights",
        "release(state, runs.recorder, estimate[j], noise)",
        f"released(state, runs.recorder, {FAULT}, runs.regret[run], j, estimate[j], noise)",
        given={"delta": 1e-6},
        peeked="999.0 * classes.mean[0, j]",
    ),
    "perfection-test": Place(
        "",
        "release(state, runs.recorder, tested - successes, 1.0 / epsilon)",
        f"released(state, runs.recorder, {FAULT}, runs.regret[run], arm, tested - successes, 1.0 / epsilon)",
        peeked="9.0 * (bandit.table[clock.t - 1, arm] if bandit.table.shape[0] > 1 else 0.0)",
    ),
    "clipped-elimination-m1": LINEAR,
    "clipped-elimination-m1-low": LINEAR,
    "private-elimination-m1": LINEAR,
    "private-elimination-m2": LINEAR,
    "robust-elimination-m1": LINEAR,
    "robust-elimination-m2": LINEAR,
    **{
        name: Place(
            f"settings.full_information.algorithms.rnm_ftnl_{noise}",
            f"noisy[j] -= {noise}(state, scale)",
            f"noisy[j] = selecting(state, runs.recorder, {FAULT}, j, noisy[j], {noise}(state, scale), scale)",
            SELECTED,
        )
        for name, noise in KERNELS.items()
    },
}
# What keeps the claim: advanced composition has so much to spare that half the noise of some batches is enough.
HARMLESS = {("batched-exp4", "half the noise after 10,000 rounds")}
IMPORT = "from dpbandits.core.streams import"


@functools.cache
def breakable(name: str) -> Algorithm:
    """Return an algorithm that can be broken, the same to all who ask."""
    place = PLACES[name]
    if place is LINEAR:
        return registry.algorithm(name)
    broken = place.broken
    if place.peeked:
        broken = f"({broken} + ({place.peeked} if {FAULT} == {PAST} else 0.0))"
    changes = {IMPORT: f"from late import released, selecting\n{IMPORT}", place.releases: broken}
    return mutated(name, {place.module: changes})


def with_fault(broken: Algorithm, name: str, fault: str) -> Algorithm:
    """Return the declaration of a mutated algorithm with one of the faults; it has none of another name."""
    place = PLACES[name]
    number = (place.faults | OUTSIDE).get(fault, 0)
    if place is LINEAR:
        return broken_linear.with_fault(name, broken_linear.LATER + number)

    def simulate(runs: Any, problem: Any, **arguments: Any) -> None:
        broken.simulate(runs._replace(rounds=np.array([NEVER + number])), problem, **arguments)

    return dataclasses.replace(broken, simulate=simulate)
