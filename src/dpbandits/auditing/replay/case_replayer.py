"""Replays of one case: its run on the original inputs, on flipped ones, and on others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dpbandits.auditing.replay.cases import ReplayCase
from dpbandits.auditing.replay.settings import SETTINGS
from dpbandits.auditing.transcript import (
    NO_TAPE,
    UNCHANGED,
    Counts,
    Floats,
    NoiseOverride,
    Replayer,
    Rewards,
    Transcript,
)
from dpbandits.core import recorder as at
from dpbandits.core.environment import Fixed

# More pulls than any run has.
ALL = 2**62
# Columns of `CaseReplayer.reads`.
ARM, BEFORE, UP_TO, EPOCH = 0, 1, 2, 3


class Neighbour(NamedTuple):
    """The reward in which two neighbouring inputs differ.

    Attributes
    ----------
    arm, pull
        The arm, from 0, and the number of its pull, from 1. Where neighbours differ in the inputs of all arms in a
        round, they are 0 and the number of the round.
    round
        The round of that pull, from 1; 0 if the run does not make it.
    """

    arm: int
    pull: int
    round: int


class CaseReplayer(Replayer):
    """A case, to be run again and again on the same random stream.

    Parameters
    ----------
    case
        The run to repeat: its job and number, rates of rewards, and noise.
    fixed
        The setting's declaration of neighbouring inputs.
    most_events
        A run with more events raises `TooManyEvents`, unless an earlier run made room for it.

    Attributes
    ----------
    arms
        Number of arms.
    together
        Whether a neighbour differs in the inputs of all arms in one round, as in full information.
    original
        The original rewards.
    """

    def __init__(self, case: ReplayCase, fixed: Fixed, most_events: int) -> None:
        super().__init__(case.job, case.number, case.flipped, fixed.counts, most_events)
        self.case, self.together = case, fixed.together
        self.arms = len(case.rates)
        self.original = Rewards.at_rates(case.rates)

    # --- runs ---

    def on_original(self, tape: Floats = NO_TAPE, noise: NoiseOverride = UNCHANGED) -> Transcript:
        """Return the run on the original inputs, with the first outputs as in ``tape``, and ``noise`` applied."""
        return self.run(self.original, tape, noise)

    def with_all_flipped(self, tape: Floats) -> Transcript:
        """Return the run with the outputs ``tape`` and all inputs flipped, those of the table too."""
        flipped = self.original.with_first_flipped(np.full(self.arms, ALL))
        return self.run(flipped, tape, table_rows=self.job.horizon)

    def rounds_flipped(self, base: Transcript, rounds: int) -> Rewards:
        """Return the original rewards, flipped where the run ``base`` gets them in its first ``rounds`` rounds."""
        return self.original.with_first_flipped(self.pulls(base, rounds))

    def flipped(self, rewards: Rewards, pulls: Counts) -> Rewards:
        """Return ``rewards`` with single pulls flipped, 0 for 1 and 1 for 0, in place of others.

        Rows of ``pulls`` are (arm, pull), pulls from 1. Where neighbours differ in the inputs of all arms, the flip
        is in all arms.
        """
        if self.together:
            every = np.tile(np.arange(self.arms), len(pulls))
            pulls = np.column_stack([every, np.repeat(pulls[:, 1], self.arms)])
        return rewards.with_pulls_flipped(pulls)

    def with_pulls_flipped(self, pulls: Counts, tape: Floats) -> Transcript:
        """Return the run with the outputs ``tape`` and single pulls of the original rewards flipped.

        Rows of ``pulls`` are (arm, pull), pulls from 1; the flip is in all arms where neighbours differ in all.
        """
        return self.run(self.flipped(self.original, pulls), tape)

    # --- rounds and pulls ---

    def pulls(self, base: Transcript, rounds: int) -> Counts:
        """Return the number of pulls of each arm in the first ``rounds`` rounds of a run, shape (arms,).

        Where neighbours differ in the inputs of all arms, every round counts as a pull of every arm.
        """
        if self.together:
            return np.full(self.arms, rounds)
        rows = base.row_numbers(at.PLAYED)
        number = np.clip(rounds - base.played[rows], 0, base.events[rows, at.HOW])
        return np.bincount(base.events[rows, at.WHICH], weights=number, minlength=self.arms).astype(np.int64)

    def neighbour_in_round(self, base: Transcript, round_: int) -> Neighbour:
        """Return the neighbour that differs in the reward that the run ``base`` gets in one round, from 1."""
        if self.together:
            return Neighbour(0, round_, round_)
        rows = base.row_numbers(at.PLAYED)
        # The arm of the last batch with fewer than ``round_`` rounds before it.
        arm = int(base.events[rows[np.searchsorted(base.played[rows], round_) - 1], at.WHICH])
        return Neighbour(arm, int(self.pulls(base, round_)[arm]), round_)

    def neighbour(self, base: Transcript, flipped: Counts) -> Neighbour:
        """Return the neighbour that differs in the reward of one pull; ``flipped`` is (arm, pull), shape (2,).

        The neighbour's round is 0 if the run ``base`` does not make that pull.
        """
        arm, pull = int(flipped[0]), int(flipped[1])
        if self.together:
            return Neighbour(0, pull, pull)
        rows = base.row_numbers(at.PLAYED)
        own = rows[base.events[rows, at.WHICH] == arm]
        before = np.concatenate([[0], np.cumsum(base.events[own, at.HOW])])
        i = int(np.searchsorted(before, pull)) - 1
        return Neighbour(arm, pull, int(base.played[own[i]] + pull - before[i]) if i < own.size else 0)

    def reads(self, base: Transcript) -> Counts:
        """Return the batches that a run reads before its last decision, shape (batches, 4).

        Columns are the arm (`ARM`), its pulls before the batch (`BEFORE`), its pulls up to the end of the batch
        (`UP_TO`), and the epoch (`EPOCH`). Epochs are numbered: one begins at the first reading after an output.
        Where all arms change together, the arm is 0.
        """
        rows = base.row_numbers(at.READ)
        rows = rows[rows < base.last_decision]
        reads = np.column_stack([base.events[rows][:, [at.WHICH, at.HOW, at.MORE]], base.epochs[rows]])
        reads = reads[reads[:, UP_TO] > reads[:, BEFORE]]
        if self.together:
            reads[:, ARM] = 0
            reads[:, UP_TO] = np.minimum(reads[:, UP_TO], self.job.horizon)
            reads = np.unique(reads[reads[:, UP_TO] > reads[:, BEFORE]], axis=0)
        return reads

    def differences(self, base: Transcript, other: Rewards, rounds: int) -> tuple[Counts, Counts]:
        """Return the pulls in a run's first ``rounds`` rounds that pay otherwise under ``other``, in their order.

        Returns
        -------
        pulls : ndarray of int64, shape (differences, 2)
            Arm, from 0, and pull, from 1. Empty if there are more than 500,000 rounds to compare.
        rounds : ndarray of int64, shape (differences,)
            Their rounds, from 1.
        """
        if rounds > SETTINGS.compared_rounds:
            return np.empty((0, 2), dtype=np.int64), np.empty(0, dtype=np.int64)
        every = np.arange(1, rounds + 1)
        if self.together:
            where = [every] * self.arms
        else:
            rows = base.row_numbers(at.PLAYED)
            played = np.repeat(base.events[rows, at.WHICH], base.events[rows, at.HOW])[:rounds]
            where = [every[played == arm] for arm in range(self.arms)]
        found = []
        for arm in range(self.arms):
            pulls = np.arange(1, where[arm].size + 1)
            differ = self.original.paid(arm, pulls) != other.paid(arm, pulls)
            found.append(np.column_stack([np.full(differ.sum(), arm), pulls[differ], where[arm][differ]]))
        pulls = np.concatenate(found)
        pulls = pulls[np.argsort(pulls[:, 2], kind="stable")]
        return pulls[:, :2], pulls[:, 2]
