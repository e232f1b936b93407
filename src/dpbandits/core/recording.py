"""Regret curves and actions: where they are recorded, and how a batch of pulls is recorded at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner


def checkpoints(horizon: int, number: int) -> NDArray[np.int64]:
    """Return the rounds at which regret is recorded: geometrically spaced, the horizon always last.

    Parameters
    ----------
    horizon
        T >= 1.
    number
        How many, at most; early rounds that round to the same integer are one checkpoint. 1 means T alone.

    Returns
    -------
    ndarray of int64, shape (checkpoints,)
        Strictly increasing, the last one equal to ``horizon``.
    """
    spaced = np.geomspace(1.0, float(horizon), number)[:-1] if number > 1 else np.empty(0)
    rounds = np.unique(np.rint(spaced).astype(np.int64))
    return np.append(rounds[rounds < horizon], np.int64(horizon))


@inner
def record(
    curve: NDArray[np.float64],
    rounds: NDArray[np.int64],
    at: int,
    t: int,
    regret: float,
    gap: float,
    n: int,
) -> int:
    """Record the regret of pulling one arm in rounds t + 1 to t + n; regret is linear inside a batch.

    Parameters
    ----------
    curve, rounds : arrays, shape (checkpoints,)
        The run's curve (written) and the checkpoints.
    at : int
        The first checkpoint not yet passed.
    t, regret : int, float
        Rounds played and regret so far.
    gap, n : float, int
        The pulled arm's gap and the number of pulls.

    Returns
    -------
    int
        The first checkpoint after round t + n.
    """
    while at < rounds.size and rounds[at] <= t + n:
        curve[at] = regret + gap * (rounds[at] - t)
        at += 1
    return at


@inner
def keep(played: NDArray[np.int16], t: int, action: int, n: int) -> None:
    """Write down that rounds t + 1 to t + n play ``action``, as far as ``played``, shape (kept,), has room."""
    for s in range(t, min(t + n, played.size)):
        played[s] = action
