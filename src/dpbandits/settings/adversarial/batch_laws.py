"""Alias tables of the sum of a batch's losses: a binomial of fixed size and mean is drawn by one look into a table.

All batches of an arm with constant mean have the same law. Its probabilities are computed once, and kept in cells
of two outcomes each, so that one uniform number draws from them (Walker 1977; Vose 1991).

What is drawn differs from the binomial law by at most the number of cells times 2**-53 in total variation: the
uniform number's grid. For batches of 10^6 rounds this is at most 2**-39.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import kernel, lanewise
from dpbandits.core.mathematics import exp
from dpbandits.core.recording import Runs
from dpbandits.core.streams import log_binomial_pmf
from dpbandits.settings.adversarial.problem import Bandit

# Outcomes farther from the mean than 9 standard deviations and 40 more have a probability below 2**-60: they are
# left out.
FAR, FEW = 9.0, 40.0
# Cells of a table, at most; larger ones leave a processor's second cache.
LARGEST = 1 << 16


class BatchLaws(NamedTuple):
    """Alias tables of the law of each arm's summed losses in a batch; arrays are empty where there are no tables.

    To draw a sum, a cell is drawn uniformly. Cell k stands for the sum ``least`` + k with the probability ``keep``,
    and else for ``least`` + ``other``.

    Attributes
    ----------
    least : ndarray of float64, shape (arms,)
        The sum that each arm's first cell stands for.
    keep : ndarray of float64, shape (arms, cells)
        Probability that a cell stands for its own sum. The number of cells is a power of two.
    other : ndarray of float64, shape (arms, cells)
        The other sum that a cell stands for, minus ``least``.
    """

    least: NDArray[np.float64]
    keep: NDArray[np.float64]
    other: NDArray[np.float64]


@kernel
def _binomial_law(n: int, p: float, law: NDArray[np.float64]) -> int:
    """Fill in the probabilities of outcomes from the one that is returned on; 0 < p < 1."""
    mode = min(math.floor((n + 1.0) * p), n)
    first = max(0, min(mode - law.size // 2, n + 1 - law.size))
    law[:] = 0.0
    law[mode - first] = exp(log_binomial_pmf(float(mode), float(n), p))
    odds = p / (1.0 - p)
    for k in range(mode, min(first + law.size - 1, n)):
        law[k + 1 - first] = law[k - first] * (odds * ((n - k) / (k + 1.0)))
    for k in range(mode, first, -1):
        law[k - 1 - first] = law[k - first] * (k / (odds * (n - k + 1.0)))
    law /= law.sum()
    return first


@kernel
def _alias(law: NDArray[np.float64], keep: NDArray[np.float64], other: NDArray[np.float64]) -> None:
    """Fill in the cells: those that have too little get the rest of one that has too much (Vose 1991)."""
    cells = law.size
    waiting = np.empty(cells, np.int64)
    # Cells with too little wait at the front, those with too much at the end.
    small, large = 0, cells
    for k in range(cells):
        keep[k] = law[k] * cells
        other[k] = k
        if keep[k] < 1.0:
            waiting[small] = k
            small += 1
        else:
            large -= 1
            waiting[large] = k
    while small > 0 and large < cells:
        small -= 1
        poor, rich = waiting[small], waiting[large]
        other[poor] = rich
        keep[rich] -= 1.0 - keep[poor]
        if keep[rich] < 1.0:
            large += 1
            waiting[small] = rich
            small += 1
    # What is left has 1 but for rounding.
    for i in range(small):
        keep[waiting[i]] = 1.0
    for i in range(large, cells):
        keep[waiting[i]] = 1.0


@kernel
def batch_laws(runs: Runs, bandit: Bandit) -> BatchLaws:
    """Return alias tables of the arms' losses in a batch; empty ones where they would cost more than they save.

    Tables are made only for Bernoulli losses whose means never change, and batches of two rounds or more. They must
    have at most 2**16 cells each, and in all no more cells than a run has decisions.
    """
    losses, n = bandit.losses, bandit.batch
    arms = losses.means.shape[1]
    cells, tabled = 1, losses.bernoulli and losses.means.shape[0] == 1 and n > 1
    for k in range(arms):
        p = losses.means[0, k]
        width = min(n + 1.0, 2.0 * (FAR * math.sqrt(n * p * (1.0 - p)) + FEW))
        while cells < width:
            cells *= 2
    if not tabled or cells > LARGEST or arms * cells > runs.horizon // n:
        return BatchLaws(np.empty(0), np.empty((0, 0)), np.empty((0, 0)))
    found = BatchLaws(np.empty(arms), np.empty((arms, cells)), np.empty((arms, cells)))
    law = np.empty(cells)
    for k in range(arms):
        p = losses.means[0, k]
        if 0.0 < p < 1.0:
            found.least[k] = _binomial_law(n, p, law)
        else:
            found.least[k] = n * p
            law[:] = 0.0
            law[0] = 1.0
        _alias(law, found.keep[k], found.other[k])
    return found


@lanewise
def lookup(laws: BatchLaws, arms: NDArray[np.int64], losses: NDArray[np.float64]) -> None:
    """Draw the sum of the losses in a batch for each of several runs, one in each lane.

    Parameters
    ----------
    laws
        Alias tables of the arms' sums, not empty.
    arms : ndarray of int64, shape (lanes,)
        Arm that each run plays in the batch.
    losses : ndarray of float64, shape (lanes,)
        Uniform numbers in (0, 1], which are replaced by the sums.
    """
    cells = laws.keep.shape[1]
    for i in range(arms.size):
        place = (1.0 - losses[i]) * cells
        cell = np.int64(place)
        own = place - cell < laws.keep[arms[i], cell]
        losses[i] = laws.least[arms[i]] + (np.float64(cell) if own else laws.other[arms[i], cell])
