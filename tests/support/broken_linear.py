"""Faults of the clients' reports, chosen at run time: one compilation makes all twins of this setting's algorithms.

A fault's number is hidden in the scale of a noise that rewards of a table do not have.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from twins import mutated

from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.recorder import read, read_between, release

FAULTS = {
    "one report without noise": 1,
    "reward in two reports": 2,
    "noise reused": 3,
    "leaky tie": 4,
    "reward in two batches": 5,
}
# What `late` breaks has its own numbers from here on; one of them reads an unrecorded reward.
LATER, PAST = 100, 114


@numba.njit
def row(bandit: Any, t: int) -> int:
    """Return the row of the table that round t + 1 pays by: its own, or one that has been paid by before."""
    fault = bandit.noise.scale
    if fault == 2:
        return t - t % 2
    # Of 8 rounds on 3 crossed actions the first batch has two, and the second one four.
    return t - 2 if fault == 5 and bandit.table.shape[0] == 8 and 2 <= t < 4 else t


@numba.njit
def paying(bandit: Any, first: int, n: int) -> int:
    """Return which pull of an action pays the ``n``-th reward of a batch, with a recorder."""
    fault = bandit.noise.scale
    if fault == 2:
        return first - first % 2
    # The first reward of all is paid again in every later batch.
    return 0 if fault == 5 and n == 0 else first


@numba.njit
def summed(recorder: Any, bandit: Any, arm: int, n: int) -> float:
    """Return the recorded sum of an action's last rewards, or of all but one, and one that others reported."""
    if bandit.noise.scale == 2:
        for other in range(arm):
            if recorder.pulled[other, 0] > 0:
                return read(recorder, arm, n - 1) + read_between(
                    recorder, other, recorder.pulled[other, 0] - 1, recorder.pulled[other, 0]
                )
    if bandit.noise.scale == 5 and n < recorder.pulled[arm, 0]:
        return read(recorder, arm, n - 1) + read_between(recorder, arm, 0, 1)
    return read(recorder, arm, n)


@numba.njit
def disturbed(state: np.ndarray, recorder: Any, bandit: Any, j: int, x: float, scale: float) -> float:
    """Return a report: without its noise, with that of others, or rounded so that what is reported breaks ties."""
    fault = bandit.noise.scale
    if fault == 1 and j == 0:
        return x
    noisy = release(state.copy() if fault == 3 else state, recorder, x, scale)
    return math.floor(noisy / (4.0 * scale)) + 1e-6 * x if fault == 4 else noisy


def _broken(j: str, reported: str) -> str:
    """Return how a report is written that can be broken, here or late."""
    fault = f"int(bandit.noise.scale) - {LATER}"
    late = f"released(state, recorder, {fault}, bandit.corruption.fixed, arms[j], {reported})"
    return f"({late} if bandit.noise.scale > {LATER} else disturbed(state, recorder, bandit, {j}, {reported}))"


PEEKED = (
    f"(bandit.table[before[j], arms[j]] if bandit.noise.scale == {PAST} and bandit.table.shape[0] > 1 else 0.0)"
)
CHANGES = {
    "from dpbandits.core.streams import": (
        "from broken_linear import disturbed, paying, row, summed\n"
        "from late import released\n"
        "from dpbandits.core.streams import"
    ),
    "first = recorder.pulled[arm, 0] - pulls + n": "first = paying(bandit, recorder.pulled[arm, 0] - pulls + n, n)",
    "ones = read(recorder, arm, n)": "ones = summed(recorder, bandit, arm, n)",
    "bandit.table[t, arm]": "bandit.table[row(bandit, t), arm]",
    "bandit.table[s, arm]": "bandit.table[row(bandit, s), arm]",
    "_with_noise(state, recorder, _clipped(x, clip), scale)": _broken("i", "_clipped(x, clip), scale"),
    "_with_noise(state, recorder, total / n, scale / n)": f"{_broken('j', 'total / n, scale / n')} + {PEEKED}",
}


@functools.cache
def breakable() -> Callable[..., None]:
    """Return `eliminate` on reports that can be broken, the same to all who ask."""
    altered = mutated("private-elimination-m1", {"settings.linear.problem": CHANGES})
    found: Callable[..., None] = altered.simulate.__globals__["eliminate"]
    return found


def with_fault(original: str, fault: int) -> Algorithm:
    """Return the declaration of an algorithm with one of the faults, by its number; 0 is none."""
    declared = registry.algorithm(original)
    room = {**declared.simulate.__globals__, "eliminate": breakable()}
    simulate = types.FunctionType(declared.simulate.__code__, room)
    simulate.__kwdefaults__ = declared.simulate.__kwdefaults__

    def faulty(runs: Any, bandit: Any, **arguments: Any) -> None:
        hidden = bandit.noise._replace(scale=float(fault))
        simulate(runs, bandit._replace(noise=hidden), **arguments)

    return dataclasses.replace(declared, simulate=faulty)
