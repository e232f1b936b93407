"""Releases on neighbouring inputs: the privacy loss of whole transcripts when a single reward changes.

Many rewards are flipped at once first, one in each of some batches. A release that then loses more than the claim,
or changes with a reward of another batch, is suspicious: single rewards are flipped for it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dpbandits.auditing.replay.case_replayer import ARM, BEFORE, EPOCH, UP_TO, CaseReplayer
from dpbandits.auditing.replay.decisions import bisected, violation_between
from dpbandits.auditing.replay.findings import Findings
from dpbandits.auditing.replay.losses import Losses, comparisons, losses
from dpbandits.auditing.replay.settings import ROUNDING, SETTINGS
from dpbandits.auditing.replay.witness import Sides
from dpbandits.auditing.transcript import Counts, Floats, Transcript
from dpbandits.core import recorder as at

# Relative difference of losses that counts as none.
EQUAL = 1e-12


def check_groups(
    findings: Findings, replayer: CaseReplayer, base: Transcript, reads: Counts, rng: np.random.Generator
) -> None:
    """Flip one reward in each of a random half of the batches, and examine suspicious releases.

    Parameters
    ----------
    findings, replayer, base
        Findings so far, the replayer of the case, and the case's run on the original inputs.
    reads : ndarray of int64, shape (batches, 4)
        The batches of the run: arm, its pulls before the batch, its pulls up to the batch's end, number of the
        epoch.
    rng
        Generator of the batches and rewards.

    Raises
    ------
    ViolationFound
        If a decision differs under equal outputs, or a transcript loses more than the claim.
    """
    chosen = reads[rng.random(len(reads)) < 0.5]
    if len(chosen) == 0:
        chosen = reads[[rng.integers(len(reads))]]
    flips = np.column_stack([chosen[:, ARM], _pulls_of_batches(chosen, rng)])

    def flipped(number: int) -> Transcript:
        return replayer.with_pulls_flipped(flips[:number], base.tape)

    other = flipped(len(flips))
    findings.coverage.neighbours += len(flips)
    if base.first_divergence(other) is not None:
        # Flipping the first last - 1 rewards leaves the decisions; one more changes them.
        last = bisected(len(flips), lambda k: base.first_divergence(flipped(k)) is not None)
        before, after = (replayer.flipped(replayer.original, flips[:k]) for k in (last - 1, last))
        sides = Sides(before, after)
        neighbour = replayer.neighbour(base, flips[last - 1])
        raise violation_between(findings, replayer, sides, flipped(last - 1), flipped(last), neighbour)
    lost = losses(base, other)
    _examine_suspicious(findings, replayer, base, lost, flips, chosen[:, EPOCH])


def _pulls_of_batches(reads: Counts, rng: np.random.Generator) -> Counts:
    """Return one pull of each batch: its first, its last or any."""
    first, last = reads[:, BEFORE] + 1, reads[:, UP_TO]
    inside = rng.integers(first, last + 1)
    which = rng.integers(3, size=len(reads))
    return np.where(which == 0, first, np.where(which == 1, last, inside))


def _examine_suspicious(
    findings: Findings, replayer: CaseReplayer, base: Transcript, lost: Losses, flips: Counts, epochs: Counts
) -> None:
    """Flip single rewards of a group, to examine its suspicious releases.

    A release is suspicious if its loss exceeds epsilon, or if a reward of another epoch changes it.

    Parameters
    ----------
    findings, replayer, base
        As of `check_groups`.
    lost
        Losses of the run when all rewards of the group are flipped.
    flips, epochs
        The rewards, rows (arm, pull), and the epoch that reads each of them.
    """
    of_release = base.epochs[lost.rows]
    foreign = (lost.most > 0.0) & ~np.isin(of_release, epochs)
    # Under (epsilon, delta)-privacy a single release may lose more than epsilon.
    too_much = lost.most > findings.epsilon * (1.0 + ROUNDING)
    suspicious = np.flatnonzero(foreign if findings.approximate else foreign | too_much)
    for i in suspicious[np.argsort(-lost.most[suspicious], kind="stable")][: SETTINGS.suspicious_releases]:
        own = epochs == of_release[i]
        for flip in flips[own][: SETTINGS.suspicious_releases]:
            check_single(findings, replayer, base, flip)
        others, row = flips[~own], lost.rows[i]

        def moves(k: int, others: Counts = others, row: int = row) -> bool:
            """Tell whether the release has another value or scale with the first k rewards of others flipped."""
            again = replayer.with_pulls_flipped(others[:k], base.tape)
            return bool((again.numbers[row, : at.OUTPUT] != base.numbers[row, : at.OUTPUT]).any())

        if len(others) and foreign[i]:
            check_single(findings, replayer, base, others[bisected(len(others), moves) - 1])


def likely_worst(reads: Counts, rng: np.random.Generator) -> Counts:
    """Return the rewards that probably lose most, rows (arm, pull), in the order in which to flip them.

    They are the first or last ones of the last, first, middle and random batches. ``reads`` has the shape
    (batches, 4): arm, its pulls before the batch, its pulls up to the batch's end, number of the epoch.
    """
    number = len(reads)
    drawn = rng.integers(number, size=SETTINGS.single_rewards)
    batches = np.unique(np.concatenate([[number - 1, 0, number // 2], drawn]))
    rng.shuffle(batches)
    some = reads[np.concatenate([[number - 1], batches])]
    pulls = np.where(rng.random(len(some)) < 0.5, some[:, BEFORE] + 1, some[:, UP_TO])
    return np.column_stack([some[:, ARM], pulls])


def check_single(findings: Findings, replayer: CaseReplayer, base: Transcript, flip: Counts) -> None:
    """Compute the loss of a transcript when a single reward is flipped, for the outputs that lose most.

    Under a claim with a delta it is computed for the run's own outputs.

    Parameters
    ----------
    findings, replayer
        Findings so far, and the replayer of the case.
    base
        A run of the case on the original inputs.
    flip : ndarray of int64, shape (2,)
        Arm and pull of the reward that is flipped.

    Raises
    ------
    ViolationFound
        If the loss is larger than the claim. A smaller one is kept in ``findings`` if it is the largest so far.
    """
    findings.coverage.neighbours += 1
    neighbour = replayer.neighbour(base, flip)
    sides = Sides(replayer.original, replayer.flipped(replayer.original, flip[None]))
    lost = losses(base, replayer.with_pulls_flipped(flip[None], base.tape))
    if findings.approximate:
        findings.add_loss(replayer, sides, base, lost, neighbour)
        return
    if (lost.most[lost.normal] > 0.0).any():
        base = _where_normal_loses(findings, replayer, base, lost)
        findings.add_loss(replayer, sides, base, lost, neighbour)
        return
    if findings.worst is not None and float(lost.most.sum()) <= findings.worst.loss * (1.0 + EQUAL):
        return
    # Noise of numbers is symmetric, and loses as much on either side; of few answers each input has its own worst.
    few = bool((lost.most[~np.isnan(lost.worst[0])] > 0.0).any())
    for side in (0, 1) if few else (0,):
        for run in _worst_runs(replayer, base, flip, lost, side):
            other = replayer.with_pulls_flipped(flip[None], run.tape)
            if run.first_divergence(other) is not None:
                # The checks of decisions find that.
                return
            findings.add_loss(replayer, sides, run, losses(run, other), replayer.neighbour(run, flip))


def _worst_runs(
    replayer: CaseReplayer, base: Transcript, flip: Counts, lost: Losses, side: int
) -> Iterator[Transcript]:
    """Yield runs whose outputs lie where one of the two inputs, ``side``, is the likelier one."""
    yield _greedy(replayer, base, flip, lost, side)
    compared = lost.rows[(base.events[lost.rows, at.KIND] == at.COMPARED) & (lost.most > 0.0)]
    if compared.size:
        silent = _silent(replayer, base, int(compared[0]))
        other = replayer.with_pulls_flipped(flip[None], silent.tape)
        if silent.first_divergence(other) is None:
            yield from _ended(replayer, silent, other, side)


def _greedy(replayer: CaseReplayer, base: Transcript, flip: Counts, lost: Losses, side: int) -> Transcript:
    """Return the run with one output after another moved to where the input ``side`` is likelier than the other.

    Parameters
    ----------
    replayer, base
        What replays the case, and its run.
    flip
        Arm and pull of the reward in which the inputs differ.
    lost
        What the outputs of the run lose.
    side
        The input that is to be the likelier one, 0 or 1.
    """
    begin = 0
    for _ in range(SETTINGS.worst_outputs):
        reached = np.where(np.isnan(lost.worst[side]), np.abs(lost.loss), (1 - 2 * side) * lost.loss)
        least = lost.sides[side] - EQUAL * np.minimum(lost.most, 1.0 / EQUAL)
        below = begin + np.flatnonzero((reached < least)[begin:])
        if below.size == 0:
            break
        begin = int(below[0]) + 1
        moved = replayer.on_original(_tape_of_worst(base, lost, int(below[0]), side), replayer.case.noise)
        other = replayer.with_pulls_flipped(flip[None], moved.tape)
        base = moved
        if moved.first_divergence(other) is not None:
            break
        lost = losses(moved, other)
    return base


def _silent(replayer: CaseReplayer, base: Transcript, row: int) -> Transcript:
    """Return the run in which comparisons from a row on say "below", so that one secret has many answers."""
    first = int(base.events[row, at.WHICH])
    tape = np.append(base.tape[:first], np.zeros(SETTINGS.worst_answers))
    for _ in range(SETTINGS.worst_outputs):
        moved = replayer.on_original(tape, replayer.case.noise)
        rows = moved.outputs[first : first + SETTINGS.worst_answers]
        others = np.flatnonzero(moved.events[rows, at.KIND] != at.COMPARED)
        if others.size == 0:
            break
        # Whatever else is let out between two comparisons comes as it does.
        first += int(others[0])
        natural = replayer.on_original(tape[:first], replayer.case.noise).tape[first]
        tape[first] = natural
        first += 1
    return moved


def _ended(replayer: CaseReplayer, silent: Transcript, other: Transcript, side: int) -> Iterator[Transcript]:
    """Yield the run with no "above", and the run whose first "above" makes the answers to one secret lose most.

    Parameters
    ----------
    replayer
        Replays the case.
    silent, other
        The run in which all comparisons say "below", on the original inputs and on the neighbour.
    side
        The input that is to be the likelier one, 0 or 1.
    """
    best, row = 0.0, -1
    for rows, found, _ in comparisons(silent, other):
        total = (1 - 2 * side) * (np.cumsum(found[0]) - found[0] + found[1])
        if total.max() > best:
            best, row = float(total.max()), int(rows[total.argmax()])
    yield silent
    if row >= 0:
        number = int(silent.events[row, at.WHICH])
        tape = silent.tape[: number + 1].copy()
        tape[number] = 1.0
        yield replayer.on_original(tape, replayer.case.noise)


def _where_normal_loses(findings: Findings, replayer: CaseReplayer, base: Transcript, lost: Losses) -> Transcript:
    """Return the run with an output of normal noise so far out that it loses twice the claim."""
    i = int(np.argmax(np.where(lost.normal, np.abs(lost.shift), 0.0)))
    value, scale, _ = base.numbers[lost.rows[i], :3]
    tape = base.tape[: i + 1].copy()
    reach = (2.0 * findings.epsilon + lost.shift[i] ** 2) / abs(lost.shift[i])
    tape[i] = value - np.sign(lost.shift[i]) * np.ceil(reach * scale)
    return replayer.on_original(tape, replayer.case.noise)


def _tape_of_worst(base: Transcript, lost: Losses, i: int, side: int) -> Floats:
    """Return the tape up to the i-th output, which is replaced by one that loses most."""
    tape = base.tape[: i + 1].copy()
    if np.isnan(lost.worst[side, i]):
        value, scale, _ = base.numbers[lost.rows[i], :3]
        # Whole numbers stay whole.
        tape[i] = value - (1 - 2 * side) * np.sign(lost.shift[i]) * np.ceil(SETTINGS.worst_output_scales * scale)
    else:
        tape[i] = lost.worst[side, i]
    return tape
