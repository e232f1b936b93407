"""Privacy loss of a transcript on another input: exact, output by output."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.transcript import Counts, Floats, Transcript
from dpbandits.core import arrays
from dpbandits.core import recorder as at
from dpbandits.core.gaussian import NORMAL

# Log probabilities, shape (actions,), of the actions that a mechanism selects with scores, shape (actions,), and
# scale.
Selection = Callable[[int, Floats, float], Floats]


class Losses(NamedTuple):
    """Privacy losses of a transcript, one entry for each output.

    Attributes
    ----------
    rows : ndarray of int64, shape (outputs,)
        Rows of the outputs in the transcript.
    loss : ndarray of float64, shape (outputs,)
        Log ratio of the output's density on the first input to that on the second. The loss of the transcript, for
        the worse order of the inputs, is the absolute value of the sum.
    most : ndarray of float64, shape (outputs,)
        The largest absolute log ratio over all values that the output might have. It is infinite if the noise is
        normal and the value differs between the inputs.
    shift : ndarray of float64, shape (outputs,)
        Change of a released value between the inputs, in scales of its noise; 0 for a selection.
    worst : ndarray of int64, shape (outputs,)
        The action with the largest absolute log ratio; 0 for a release.
    normal : ndarray of bool, shape (outputs,)
        Whether the output is a release with normal noise.
    """

    rows: Counts
    loss: Floats
    most: Floats
    shift: Floats
    worst: Counts
    normal: NDArray[np.bool_]


def losses(one: Transcript, other: Transcript, selection: Selection | None) -> Losses:
    """Compute the losses of a transcript, given the transcript with the same outputs on another input.

    Outputs after the last decision are left out, because they decide nothing.
    """
    rows = one.outputs[one.outputs < one.last_decision]
    released = one.events[rows, 0] == at.RELEASED
    normal = released & (one.events[rows, 2] == NORMAL)
    (x, b, y), (z, c, _) = one.numbers[rows].T, other.numbers[rows].T
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        noiseless = (b == 0.0) & (c == 0.0)
        loss = np.where(
            normal,
            (((y - z) / c) ** 2 - ((y - x) / b) ** 2) / 2.0,
            np.abs(y - z) / c - np.abs(y - x) / b,
        ) + arrays.log(c / b)
        loss = np.where(noiseless, np.where(z == x, 0.0, np.inf), np.where(np.isnan(loss), np.inf, loss))
        shift = np.where(noiseless, np.where(z == x, 0.0, np.inf), (z - x) / b)
        # With equal scales an output beyond both values has the largest ratio.
        most = np.where(b == c, np.abs(shift), np.maximum(np.abs(shift), np.abs(loss)))
        most = np.where(normal & ((shift != 0.0) | (b != c)), np.inf, most)
    worst = np.zeros(rows.size, dtype=np.int64)
    for i in np.flatnonzero(~released):
        assert selection is not None
        loss[i], most[i], worst[i] = _selection_loss(one, other, int(rows[i]), selection)
        shift[i] = 0.0
    return Losses(rows, loss, most, shift, worst, normal)


def _selection_loss(one: Transcript, other: Transcript, row: int, selection: Selection) -> tuple[float, float, int]:
    """Return the loss of the selected action, the largest loss of any action, and that action."""
    first = row
    while first > 0 and one.events[first - 1, 0] == at.OFFERED:
        first -= 1
    scores = [transcript.numbers[first:row, 0] for transcript in (one, other)]
    if np.array_equal(scores[0], scores[1]):
        return 0.0, 0.0, 0
    laws = [
        selection(int(transcript.events[first, 2]), transcript.numbers[first:row, 0], transcript.numbers[first, 1])
        for transcript in (one, other)
    ]
    ratio = laws[0] - laws[1]
    worst = int(np.argmax(np.abs(ratio)))
    return float(ratio[int(one.events[row, 2])]), float(abs(ratio[worst])), worst
