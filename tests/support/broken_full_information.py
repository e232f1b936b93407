"""Faults of report-noisy-max, chosen at run time: one compilation makes all twins of a variant of RNM-FTNL.

A fault's number is hidden in the checkpoint, which audits do not look at.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numba
import numpy as np
from twins import mutated

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.door import read_between

FAULTS = {"one action without noise": 1, "loss counted twice": 2, "noise reused": 3, "leaky tie": 4}
# A checkpoint that no run reaches.
NEVER = 2**60
# The noise of each variant; the file that has its kernel is named after it.
KERNELS = {
    "rnm-ftnl-laplace": "laplace",
    "rnm-ftnl-gumbel": "gumbel",
    "rnm-ftnl-permute-and-flip": "exponential",
}


@numba.njit
def _last(door: Any, losses: Any, clock: Any, j: int) -> float:
    if door is not None:
        return read_between(door, j, clock.t - 1, clock.t)
    return losses.table[clock.t - 1, j]


@numba.njit
def recount(runs: Any, losses: Any, clock: Any, total: np.ndarray) -> None:
    """Count the last losses of the epoch before once more."""
    if runs.rounds[0] - NEVER == 2 and clock.t > 0:
        for j in range(total.size):
            total[j] += _last(runs.door, losses, clock, j)


@numba.njit
def source(runs: Any, first: np.ndarray, state: np.ndarray) -> np.ndarray:
    """Return the stream of an epoch's noise, or that of the first epoch's."""
    return first.copy() if runs.rounds[0] - NEVER == 3 else state


@numba.njit
def disturbed(runs: Any, j: int, loss: float, noise: float, scale: float) -> float:
    """Return a noisy loss: without the noise, or rounded so that the loss itself decides between equal ones."""
    fault = runs.rounds[0] - NEVER
    if fault == 1 and j == 0:
        return loss
    if fault == 4:
        return math.floor((loss - noise) / (4.0 * scale)) + 1e-6 * loss
    return loss - noise


def breakable(original: str) -> Algorithm:
    """Return a variant of RNM-FTNL that can be broken."""
    noise = KERNELS[original]
    draw, again = f"{noise}(state, scale)", f"{noise}(noises, scale)"
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
        f"noisy[j] -= {draw}": f"noisy[j] = disturbed(runs, j, noisy[j], {again}, scale)",
    }
    return mutated(original, {f"settings.full_information.algorithms.rnm_ftnl_{noise}": changes})


def with_fault(broken: Algorithm, fault: str) -> Algorithm:
    """Return the declaration of a breakable algorithm with one of the faults, or with none."""

    def simulate(runs: Any, losses: Any, **arguments: Any) -> None:
        broken.simulate(runs._replace(rounds=np.array([NEVER + FAULTS.get(fault, 0)])), losses, **arguments)

    return dataclasses.replace(broken, simulate=simulate)
