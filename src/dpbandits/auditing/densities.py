"""Densities of recorded runs' outputs for the checker, by `noisetap.probabilities`; the search has its own."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from dpbandits.core import recorder as at
from dpbandits.core.recorder import Recorder
from noisetap.probabilities import BELOW, DENSITY, FAR, log, log_normal, log_whole, nodes, selection_probability

Floats = NDArray[np.float64]
# Numbers by which an event names the law of a release: Laplace, normal, discrete Laplace and normal noise, and
# randomised response.
LAPLACE, NORMAL, WHOLE, WHOLE_NORMAL, RESPONSE = range(5)
# The density that discrete noise is proportional to, and the noise of each mechanism of selection.
DISCRETE = {WHOLE: "laplace", WHOLE_NORMAL: "normal"}
MECHANISMS = {at.LAPLACE: "laplace", at.GUMBEL: "gumbel", at.EXPONENTIAL: "exponential"}
OUTPUTS = (at.RELEASED, at.SELECTED, at.COMPARED)


def among(numbers: NDArray[np.int64], options: Iterable[int]) -> NDArray[np.bool_]:
    """Return `numpy.isin` of an array of any shape and a few options; on short arrays this is ten times faster."""
    found = np.zeros(numbers.shape, dtype=bool)
    for option in options:
        found |= numbers == option
    return found


def log_density(run: Recorder, rows: NDArray[np.int64]) -> Floats:
    """Return the log density, or log probability, of the outputs in some rows of a run, shape (rows,).

    It is 0 in rows without an output, and NaN for a comparison whose secret was never drawn. A gap has its density,
    by scale of the noise, given the selection; a comparison has its probability given earlier answers. So ``rows``
    have to increase, with the selection just before each gap, and all earlier comparisons with a secret.
    """
    value, scale, out = run.numbers[rows, :3].T
    kinds, laws = run.events[rows, at.KIND], run.events[rows, at.HOW]
    common = (kinds == at.RELEASED) & (laws == LAPLACE) & (scale > 0.0)
    found = np.zeros(len(rows))
    found[common] = -np.abs(out - value)[common] / scale[common] - np.log(2.0 * scale[common])
    secrets: dict[int, tuple[Floats, Floats]] = {}
    # A comparison has the secret's value; the recorder's own count of secrets is not asked.
    concealed = {
        float(run.numbers[row, at.OUTPUT]): int(row)
        for row in np.flatnonzero(run.events[:, at.KIND] == at.CONCEALED)
    }
    for i in np.flatnonzero(among(kinds, OUTPUTS) & ~common).tolist():
        row = int(rows[i])
        kind, _, law, more = (int(x) for x in run.events[row, :4])
        if kind == at.RELEASED and law != at.GAP:
            found[i] = _log_release(law, more, *run.numbers[row, :3].tolist())
        elif kind == at.SELECTED:
            found[i] = log(selection_probability(*_offer(run, row), int(out[i])))
        elif kind == at.RELEASED:
            # With the selection before it, whose probability is counted already.
            joint = selection_probability(
                *_offer(run, row - 1), int(run.numbers[row - 1, at.OUTPUT]), float(out[i])
            )
            found[i] = log(joint) - found[i - 1]
        elif kind == at.COMPARED:
            more = concealed.get(float(run.numbers[row, at.SECRET]), -1)
            if not 0 <= more < row:
                found[i] = math.nan
                continue
            if more not in secrets:
                secrets[more] = _secret(run, more)
            grid, before = secrets[more]
            below = BELOW["laplace"]((grid - value[i]) / scale[i]) if scale[i] > 0 else (value[i] < grid) * 1.0
            after = before * (1.0 - below if out[i] > 0.5 else below)
            found[i] = log(float(after.sum() / before.sum())) if before.sum() > 0 else -math.inf
            secrets[more] = grid, after / max(float(after.max()), 1e-300)
    return found


def _secret(run: Recorder, row: int) -> tuple[Floats, Floats]:
    """Return values that a secret may have, and weights by their density."""
    place, scale = run.numbers[row, :2].tolist()
    if scale <= 0.0:
        return np.array([place]), np.array([1.0])
    compared = (run.events[:, at.KIND] == at.COMPARED) & (run.numbers[:, at.SECRET] == run.numbers[row, at.OUTPUT])
    values, scales = run.numbers[compared, :2].T
    # Without noise a comparison is a step.
    scales = np.append(np.where(scales > 0.0, scales, scale), scale)
    grid, weights = nodes(np.append(values, place), scales)
    return grid, weights * DENSITY["laplace"]((grid - place) / scale) / scale


def _log_release(law: int, answers: int, value: float, scale: float, out: float) -> float:
    """Return the log density, or probability, of one released number; with discrete noise, of its whole steps."""
    if law == RESPONSE:
        return log(scale if out == value else (1.0 - scale) / (answers - 1))
    if scale <= 0.0:
        return 0.0 if out == value else -math.inf
    if law == NORMAL:
        return log_normal((out - value) / scale, scale)
    return float(log_whole(DISCRETE[law], np.array(out - value), scale))


def _offer(run: Recorder, row: int) -> tuple[str, Floats, float]:
    """Return law of noise, scores and scale of the selection in a row: its offers are the rows just before it."""
    first = row
    while first and run.events[first - 1, at.KIND] == at.OFFERED:
        first -= 1
    kind = MECHANISMS[int(run.events[first, at.HOW])]
    return kind, run.numbers[first:row, at.VALUE], float(run.numbers[first, at.SCALE])


def laws_of(run: Recorder, again: Recorder, row: int, logs: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return the probabilities of all values that an output might have had, on each of two inputs.

    Both arrays have the values in the same order.

    Parameters
    ----------
    run, again
        The runs on the two inputs.
    row
        The row of the output: a selection, comparison, randomised response, or number with discrete noise.
    logs
        Log probabilities, on the two inputs, of the value that the output had. A comparison needs no others.
    """
    # ``more`` is the number of answers of a randomised response.
    kind, _, law, more = (int(x) for x in run.events[row, :4])
    (x, scale, _), (z, wide, _) = run.numbers[row, :3], again.numbers[row, :3]
    if kind == at.COMPARED:
        p, q = np.exp(logs)
        return np.array([p, 1.0 - p]), np.array([q, 1.0 - q])
    if kind == at.SELECTED:
        size = len(_offer(run, row)[1])
        p, q = (
            np.array([selection_probability(*_offer(side, row), a) for a in range(size)]) for side in (run, again)
        )
        return p, q
    if law == RESPONSE:
        every = range(more)
        p, q = (np.exp([_log_release(law, more, a, b, k) for k in every]) for a, b in ((x, scale), (z, wide)))
        return p, q
    most = FAR * max(scale, wide) + abs(x - z)
    numbers = x + np.arange(-math.ceil(most), math.ceil(most) + 1)
    p, q = (np.exp(log_whole(DISCRETE[law], numbers - a, b)) for a, b in ((x, scale), (z, wide)))
    return p, q
