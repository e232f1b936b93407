"""Privacy loss of a transcript on another input: exact, output by output."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.auditing.composition import Pair, epsilon_at
from dpbandits.auditing.replay.laws import log_answers, log_comparisons, log_gap, log_selections, log_whole
from dpbandits.auditing.transcript import Counts, Floats, Transcript
from dpbandits.core import arrays
from dpbandits.core import recorder as at
from dpbandits.core.gaussian import NORMAL
from dpbandits.core.mechanisms import DISCRETE_LAPLACE, DISCRETE_NORMAL, RESPONSE


class Losses(NamedTuple):
    """Privacy losses of a transcript, one entry for each output.

    Attributes
    ----------
    rows : ndarray of int64, shape (outputs,)
        Numbers of the outputs' rows in `Transcript.events`.
    loss : ndarray of float64, shape (outputs,)
        Log ratio of the output's density on the first input to that on the second. The loss of the transcript, for
        the worse order of the inputs, is the absolute value of the sum.
    most : ndarray of float64, shape (outputs,)
        The largest absolute log ratio over all values that the output might have. It is infinite if the noise is
        normal and its scale or the value differs between the inputs.
    shift : ndarray of float64, shape (outputs,)
        Change of a released number's true value between the inputs, in scales of its noise; of another output, such
        as a selection, ``most``.
    sides : ndarray of float64, shape (2, outputs)
        The largest log ratio over all values of the output. Row 0 is of the first input to the second, row 1 of the
        second to the first.
    worst : ndarray of float64, shape (2, outputs)
        The values of the output at which ``sides`` are reached, where it has few; NaN where it may be any number.
    normal : ndarray of bool, shape (outputs,)
        Whether the output is a release with normal or discrete normal noise.
    laws : dict of int to pairs of ndarray of float64
        By row number, the log probabilities of all values on the first input, and on the second. Only outputs of
        few values or with discrete noise, whose laws differ, are in it.
    """

    rows: Counts
    loss: Floats
    most: Floats
    shift: Floats
    sides: Floats
    worst: Floats
    normal: NDArray[np.bool_]
    laws: dict[int, Pair]

    def total(self, delta: float) -> float:
        """Return the loss of the transcript; for ``delta`` > 0, the epsilon that its outputs need together.

        At ``delta`` 0 it is infinite if a number with normal noise, or its scale, differs between the inputs.
        """
        if delta > 0.0:
            apart = np.isin(self.rows, list(self.laws))
            told = [self.laws[row] for row in self.rows[apart].tolist()]
            return epsilon_at(self.shift[~apart], delta, self.normal[~apart], told)
        # The loss of normal noise is unbounded.
        return math.inf if (self.most[self.normal] > 0.0).any() else abs(float(self.loss.sum()))

    def of(self, kept: NDArray[np.bool_]) -> Losses:
        """Return the losses of the outputs that a mask ``kept``, shape (outputs,), selects."""
        return Losses(
            self.rows[kept],
            self.loss[kept],
            self.most[kept],
            self.shift[kept],
            self.sides[:, kept],
            self.worst[:, kept],
            self.normal[kept],
            self.laws,
        )


def losses(one: Transcript, other: Transcript) -> Losses:
    """Return the losses of a transcript, given the transcript with the same outputs on another input.

    Both have the same events. Outputs after the last decision are left out, because they decide nothing. The `most`
    of a comparison is the larger loss of its two answers, given the answers before it with the same secret.
    """
    # Below, x, b and y are true values, scales and outputs on the first input; z and c are values and scales on
    # the second.
    rows = one.outputs[one.outputs < one.last_decision]
    laws = np.where(one.events[rows, at.KIND] == at.RELEASED, one.events[rows, at.HOW], -1)
    whole = (laws == DISCRETE_LAPLACE) | (laws == DISCRETE_NORMAL)
    normal = (laws == NORMAL) | (laws == DISCRETE_NORMAL)
    numeric = normal | (laws == at.LAPLACE) | whole
    (x, b, y), (z, c, _) = one.numbers[rows, :3].T, other.numbers[rows, :3].T
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        noiseless = (b == 0.0) & (c == 0.0)
        loss = np.where(
            normal,
            (((y - z) / c) ** 2 - ((y - x) / b) ** 2) / 2.0,
            np.abs(y - z) / c - np.abs(y - x) / b,
        ) + arrays.log(c / b)
        loss = np.where(noiseless, np.where(z == x, 0.0, np.inf), np.where(np.isnan(loss), np.inf, loss))
        shift = np.where(noiseless, np.where(z == x, 0.0, np.inf), (z - x) / b)
        # Discrete noise leaves a fraction as it is.
        loss = np.where(whole & (np.mod(y - z, 1.0) != 0.0), np.inf, loss)
        shift = np.where(whole & (np.mod(z - x, 1.0) != 0.0), np.inf, shift)
        # With equal scales an output beyond both values has the largest ratio.
        most = np.where(b == c, np.abs(shift), np.maximum(np.abs(shift), np.abs(loss)))
        most = np.where(normal & ((shift != 0.0) | (b != c)), np.inf, most)
    worst, sides = np.full((2, rows.size), np.nan), np.stack([most, most])
    pairs: dict[int, Pair] = {}
    for i in np.flatnonzero(whole & (shift != 0.0) & np.isfinite(shift)).tolist():
        pairs[int(rows[i])] = log_whole(int(laws[i]), (float(x[i]), float(b[i])), (float(z[i]), float(c[i])))
    few, kinds = (laws == RESPONSE) | (laws == -1), one.events[rows, at.KIND]
    # What is the same on both inputs loses nothing; laws of selections are dear.
    same = few & ((kinds == at.COMPARED) | ~_changed(one, other, rows))
    loss[same], most[same], shift[same], sides[:, same], worst[:, same] = 0.0, 0.0, 0.0, 0.0, y[same]
    for i in np.flatnonzero(~numeric & ~same).tolist():
        row = int(rows[i])
        if laws[i] == at.GAP:
            offered = (
                one.numbers[_offered(one, int(rows[i - 1])), at.VALUE],
                other.numbers[_offered(one, int(rows[i - 1])), at.VALUE],
            )
            joint = 0.0 if np.array_equal(*offered) else _gap_loss(one, other, int(rows[i - 1]), float(y[i]))
            loss[i] = joint - loss[i - 1]
            most[i], shift[i], sides[:, i], worst[:, i] = abs(loss[i]), abs(loss[i]), [loss[i], -loss[i]], y[i]
            continue
        with np.errstate(invalid="ignore"):
            p, q = (_few(run, row, int(laws[i])) for run in (one, other))
            ratio = np.where(p == q, 0.0, p - q)
        pairs[row] = (p, q)
        worst[:, i] = ratio.argmax(), ratio.argmin()
        loss[i], sides[:, i], most[i] = ratio[int(y[i])], [ratio.max(), -ratio.min()], np.abs(ratio).max()
        shift[i] = most[i]
    for members, found, both in comparisons(one, other):
        pairs |= {int(row): (both[0][:, i], both[1][:, i]) for i, row in enumerate(members) if found[:, i].any()}
        among = np.searchsorted(rows, members)
        loss[among] = found[one.numbers[members, at.OUTPUT].astype(int), np.arange(members.size)]
        sides[:, among], worst[:, among] = (
            [found.max(axis=0), -found.min(axis=0)],
            [found.argmax(axis=0), found.argmin(axis=0)],
        )
        most[among] = shift[among] = np.abs(found).max(axis=0)
    return Losses(rows, loss, most, shift, sides, worst, normal, pairs)


def comparisons(one: Transcript, other: Transcript) -> Iterator[tuple[Counts, Floats, Pair]]:
    """Yield the losses of comparisons, secret by secret, where a secret or a compared value differs between runs.

    A secret is a noisy number that is only compared, such as a threshold. Both runs have the same events and
    outputs.

    Yields
    ------
    rows, loss, laws
        Row numbers of the comparisons with one secret before the last decision. Log ratio, of the first input to
        the second, of each answer given those before it, shape (2, comparisons). Row 0 is for the answer 0, row 1
        for the answer 1. Log probabilities of the answers on both inputs, in pairs of that shape.
    """
    secrets, rows = one.row_numbers(at.CONCEALED), one.row_numbers(at.COMPARED)
    rows = rows[rows < one.last_decision]
    if rows.size == 0:
        return
    numbers = one.events[rows, at.MORE]
    differ = (one.numbers[:, :2] != other.numbers[:, :2]).any(axis=1)
    changed = np.unique(numbers[differ[rows] | differ[secrets[numbers]]])
    order = np.argsort(numbers, kind="stable")
    bounds = np.searchsorted(numbers[order], [changed, changed + 1])
    for number, first, last in zip(changed.tolist(), *bounds.tolist(), strict=True):
        members = rows[order[first:last]]
        yield members, *_comparison_losses(one, other, int(secrets[number]), members)


def _changed(one: Transcript, other: Transcript, rows: Counts) -> NDArray[np.bool_]:
    """Tell of each output whether its numbers, or those since the output before it, differ between two runs."""
    size = one.last_decision
    differ = (one.numbers[:size, :2] != other.numbers[:size, :2]).any(axis=1)
    # The number of a selection is what would have been selected: that says nothing of its law.
    differ &= one.events[:size, at.KIND] != at.SELECTED
    up_to = np.cumsum(differ)[rows]
    return np.diff(up_to, prepend=0) > 0


def _offer(run: Transcript, row: int) -> tuple[int, Floats, float]:
    """Return mechanism, scores and scale of the selection in a row."""
    offers = _offered(run, row)
    return (
        int(run.events[offers.start, at.HOW]),
        run.numbers[offers, at.VALUE],
        float(run.numbers[offers.start, at.SCALE]),
    )


def _offered(run: Transcript, row: int) -> slice:
    """Return the rows of the offers of the selection in a row."""
    first = row
    while first > 0 and run.events[first - 1, at.KIND] == at.OFFERED:
        first -= 1
    return slice(first, row)


def _few(run: Transcript, row: int, law: int) -> Floats:
    """Return the log probabilities of all values of an output that has few."""
    if law == RESPONSE:
        return log_answers(
            int(run.numbers[row, at.VALUE]), int(run.events[row, at.MORE]), float(run.numbers[row, at.SCALE])
        )
    return log_selections(*_offer(run, row))


def most_revealing_selection(one: Transcript, other: Transcript, row: int) -> int:
    """Return the action, from 0, whose selection in a row would show the largest privacy loss between two runs."""
    with np.errstate(invalid="ignore"):
        p, q = (log_selections(*_offer(run, row)) for run in (one, other))
        return int(np.argmax(np.where(p == q, 0.0, np.abs(p - q))))


def _gap_loss(one: Transcript, other: Transcript, row: int, gap: float) -> float:
    """Return the loss of the selection in a row together with its gap."""
    p, q = (log_gap(*_offer(run, row), int(one.numbers[row, at.OUTPUT]), gap) for run in (one, other))
    return 0.0 if p == q else p - q


def _comparison_losses(one: Transcript, other: Transcript, hidden: int, rows: Counts) -> tuple[Floats, Pair]:
    """Return what each comparison with the secret in a row adds to the loss of those before, and its laws.

    All have the shape (2, comparisons): of the answers 0 and 1, given those before.
    """
    logs = []
    for run in (one, other):
        x, b, _ = run.numbers[rows, :3].T
        place, scale = run.numbers[hidden, :2]
        logs.append(log_comparisons((float(place), float(scale)), x, b, one.numbers[rows, at.OUTPUT]))
    with np.errstate(invalid="ignore"):
        found: Floats = np.where(logs[0] == logs[1], 0.0, logs[0] - logs[1])
    return np.where(np.isnan(found), 0.0, found), (logs[0], logs[1])
