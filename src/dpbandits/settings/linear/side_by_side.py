"""Batches of several runs that are played together, since they have the same active actions."""

from __future__ import annotations

import numpy as np

from dpbandits.core.compiled import kernel
from dpbandits.core.recording import Runs
from dpbandits.core.streams import argmax
from dpbandits.settings.linear.problem import Bandit, Clocks, Counts, Floats, mean_reports, play, single_reports


@kernel
def play_and_report(
    runs: Runs,
    bandit: Bandit,
    playing: Counts,
    arms: Counts,
    pulls: Counts,
    clocks: Clocks,
    aggregated: bool,
    clip: float,
    scale: float,
    unit: float,
) -> Floats:
    """Play a batch that ends before the horizon in some runs; return the reports, shape (playing, reports).

    Parameters
    ----------
    runs, bandit
        The runs, in which pulls and regret are recorded, and the bandit.
    playing : ndarray of int64, shape (playing,)
        Numbers of the runs that play.
    arms, pulls : ndarray of int64, shape (k,)
        The batch: arms, and the number of pulls of each.
    clocks
        State of all runs; that of the runs ``playing`` is updated.
    aggregated
        Whether there is one report for each arm, the mean of its rewards (M2), and not one for each reward (M1).
    clip, unit
        Bound to which clients clip rewards, and largest size of reports that the filter tolerates: an adaptive
        adversary's ``fixed`` is multiplied by it.
    scale
        Scale of the Laplace noise on a reward, or on the sum of a report's rewards.
    """
    reports = np.empty((playing.size, arms.size if aggregated else pulls.sum()))
    for i in range(playing.size):
        state = runs.streams[playing[i]]
        before = play(runs, bandit, playing[i], arms, pulls, clocks)
        if aggregated:
            row = mean_reports(state, bandit, arms, pulls, before, clip, scale, unit, runs.recorder)
        else:
            row = single_reports(state, bandit, arms, pulls, before, clip, scale, unit, runs.recorder)
        for j in range(row.size):
            reports[i, j] = row[j]
    return reports


@kernel
def play_out(runs: Runs, bandit: Bandit, playing: Counts, arms: Counts, pulls: Counts, clocks: Clocks) -> None:
    """Play a batch that reaches the horizon in the runs ``playing``, up to the horizon; nothing is reported.

    Parameters
    ----------
    playing : ndarray of int64, shape (playing,)
        Numbers of the runs that play.
    arms, pulls : ndarray of int64, shape (k,)
        The batch: arms, and the number of pulls of each.
    clocks
        State of all runs; that of the runs ``playing`` is updated.
    """
    for run in playing:
        play(runs, bandit, run, arms, pulls, clocks)


@kernel
def play_best(runs: Runs, bandit: Bandit, playing: Counts, arms: Counts, estimates: Floats, clocks: Clocks) -> None:
    """Play the arm of largest estimate to the horizon, in each of the runs ``playing``; ties are broken at random.

    Parameters
    ----------
    playing : ndarray of int64, shape (playing,)
        Numbers of the runs that play.
    arms : ndarray of int64, shape (k,)
        The active arms.
    estimates : ndarray of float64, shape (playing, k)
        Each run's estimates of the arms' mean rewards.
    clocks
        State of all runs; that of the runs ``playing`` is updated.
    """
    for i in range(playing.size):
        best = argmax(runs.streams[playing[i]], estimates[i])
        play(runs, bandit, playing[i], arms[best : best + 1], np.array([runs.horizon]), clocks)
