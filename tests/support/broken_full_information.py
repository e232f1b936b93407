"""Faults of report-noisy-max, chosen at run time: one compilation makes all twins of a variant of RNM-FTNL.

A fault's number is hidden in the checkpoint, which audits do not look at.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import numba
import numpy as np
from twins import mutated

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.recorder import read_between

FAULTS = {"one action without noise": 1, "loss counted twice": 2, "noise reused": 3, "leaky tie": 4}
# What bypasses the recorder: seen at once, and said.
OUTSIDE = {"unrecorded noise": 5, "an unrecorded input": 6, "half the noise that is said": 7}
# A checkpoint that no run reaches.
NEVER = 2**60
# The noise of each variant; the file that has its kernel is named after it.
KERNELS = {
    "rnm-ftnl-laplace": "laplace",
    "rnm-ftnl-gumbel": "gumbel",
    "rnm-ftnl-permute-and-flip": "exponential",
}


@numba.njit
def _last(recorder: Any, losses: Any, clock: Any, j: int) -> float:
    if recorder is not None:
        return read_between(recorder, j, clock.t - 1, clock.t)
    return losses.table[clock.t - 1, j]


@numba.njit
def recount(runs: Any, losses: Any, clock: Any, total: np.ndarray) -> None:
    """Count the last losses of the epoch before once more."""
    if runs.rounds[0] - NEVER == 2 and clock.t > 0:
        for j in range(total.size):
            total[j] += _last(runs.recorder, losses, clock, j)


@numba.njit
def source(runs: Any, first: np.ndarray, state: np.ndarray) -> np.ndarray:
    """Return the stream of an epoch's noise, or that of the first epoch's."""
    return first.copy() if runs.rounds[0] - NEVER == 3 else state


@numba.njit
def disturbed(runs: Any, losses: Any, clock: Any, j: int, loss: float, noise: float, scale: float) -> float:
    """Return a noisy loss: without its noise, with another loss, or rounded so that it decides between equals."""
    fault = runs.rounds[0] - NEVER
    if fault == 1 and j == 0:
        return loss
    if fault == 4:
        return math.floor((loss - noise) / (4.0 * scale)) + 1e-6 * loss
    if fault == 6 and losses.table.shape[0] > 1:
        return loss - noise + losses.table[clock.t - 1, j]
    return loss - noise


@functools.cache
def breakable(original: str) -> Algorithm:
    """Return a variant of RNM-FTNL that can be broken, the same to all who ask."""
    noise = KERNELS[original]
    beside, halved = (f"runs.rounds[0] == {NEVER + number}" for number in (5, 7))
    draw, again = f"{noise}(state, scale)", f"{noise}(noises, 0.5 * scale if {halved} else scale)"
    offer = f"            offer(state, runs.recorder, noisy, {noise.upper()}, scale)\n"
    select = "select(runs.recorder, noisy, argmin(state, noisy))"
    changes = {
        "from dpbandits.core.streams import": (
            "from broken_full_information import disturbed, recount, source\nfrom dpbandits.core.streams import"
        ),
        "        clock = START\n": "        clock = START\n        first = state.copy()\n",
        "            clock = play(runs, losses, run, action, clock)\n": (
            "            recount(runs, losses, clock, noisy)\n"
            "            clock = play(runs, losses, run, action, clock)\n"
            "            noises = source(runs, first, state)\n"
        ),
        offer: f"            if not ({beside}):\n    {offer}",
        f"noisy[j] -= {draw}": f"noisy[j] = disturbed(runs, losses, clock, j, noisy[j], {again}, scale)",
        select: f"(argmin(state, noisy) if {beside} else {select})",
    }
    return mutated(original, {f"settings.full_information.algorithms.rnm_ftnl_{noise}": changes})


def with_fault(broken: Algorithm, fault: str) -> Algorithm:
    """Return the declaration of a breakable algorithm with one of the faults, or with none."""

    number = (FAULTS | OUTSIDE).get(fault, 0)

    def simulate(runs: Any, losses: Any, **arguments: Any) -> None:
        broken.simulate(runs._replace(rounds=np.array([NEVER + number])), losses, **arguments)

    return dataclasses.replace(broken, simulate=simulate)
