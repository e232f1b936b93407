"""Bypasses of the recorder: a kernel that reads its table of inputs, and one that uses a noise once more."""

from __future__ import annotations

import numpy as np

from dpbandits.auditing.replay.case_replayer import CaseReplayer
from dpbandits.auditing.replay.decisions import bisected
from dpbandits.auditing.replay.draws import states_after
from dpbandits.auditing.replay.findings import Findings
from dpbandits.auditing.replay.settings import SETTINGS
from dpbandits.auditing.replay.witness import Bypassed
from dpbandits.auditing.transcript import NOISY, Fault, Transcript
from dpbandits.core import recorder as at


def check_table(findings: Findings, replayer: CaseReplayer, base: Transcript) -> None:
    """Refuse an algorithm that reads its table of inputs; a kernel must get rewards from the recorder alone.

    The run is repeated with all rows of the table flipped, while the recorder pays the same rewards. If only a
    released value changes, ``findings`` gets a fault, and the case goes on.

    Parameters
    ----------
    findings, replayer
        Findings so far, and the replayer of the case.
    base
        The case's run on the original inputs.

    Raises
    ------
    Bypassed
        If a decision differs.
    """
    changed = replayer.run(replayer.original, base.tape, table_rows=replayer.job.horizon)
    row = base.first_divergence(changed)
    if row is not None:
        raise Bypassed(Fault(f"unrecorded rewards are read: {base.describe(row)}", 0))
    moved = (base.numbers[:, at.VALUE] != changed.numbers[:, at.VALUE]) & (base.events[:, at.KIND] != at.READ)
    if moved.any():
        row = int(np.argmax(moved))
        findings.refuse(Fault(f"unrecorded rewards are read and released: {base.describe(row)}", 0))


def check_noise_is_forgotten(replayer: CaseReplayer, base: Transcript) -> None:
    """Refuse an algorithm that uses the noise of an output once more: a kept draw, or a copy of the stream.

    The run is repeated with the same outputs and other draws of all noises. No event may change.

    Parameters
    ----------
    replayer, base
        The replayer of the case, and the case's run on the original inputs.

    Raises
    ------
    Bypassed
        With the first noise on which an event depends. Without one, if two equal runs differ: something is kept
        between runs.
    """
    kinds = base.events[:, at.KIND]
    # A selection draws all its noise at its first offer. Other draws since the last call would change with a noise.
    noisy = (
        np.isin(kinds, NOISY)
        & ((kinds != at.OFFERED) | (base.events[:, at.WHICH] == 0))
        & (base.events[:, at.DRAWS] == 0)
    )
    rows = np.flatnonzero(noisy & (base.events[:, at.CALL] > 0))

    def again(k: int) -> Transcript:
        """Return the run with the first k noises drawn again."""
        calls = np.unique(base.events[rows[:k], at.CALL])
        states = states_after(replayer.origin ^ np.uint64(SETTINGS.again), calls)
        before, replayer.forced = replayer.forced, np.column_stack([calls.astype(np.uint64), states])
        try:
            return replayer.on_original(base.tape, replayer.case.noise)
        finally:
            replayer.forced = before

    def changed(k: int) -> int | None:
        """Return the first row that changes if the first k noises are drawn again, ``None`` if none does."""
        run = again(k)
        row = base.first_divergence(run)
        if row is not None:
            return row
        # What would have been selected differs; what is released, compared and offered does not.
        values = (base.numbers[:, at.VALUE] != run.numbers[:, at.VALUE]) & (kinds != at.SELECTED)
        return int(np.argmax(values)) if values.any() else None

    if len(rows) == 0 or changed(len(rows)) is None:
        return
    last = bisected(len(rows), lambda k: changed(k) is not None)
    row = changed(last)
    if row is None:
        raise Bypassed(Fault("two runs with the same inputs and draws differ: something is kept between runs", 0))
    source = base.name(int(rows[last - 1]))
    words = f"{base.name(row)} depends on the noise of {source} beside what was let out"
    why = "a draw was kept, or drawn from a copy of the run's stream"
    raise Bypassed(Fault(f"{words}: {why}", int(base.played[row])))
