"""Where the measured regrets of two algorithms cross over the budget, against where their bounds do."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.claims.estimate import RESAMPLES, Estimate, bootstrapped
from dpbandits.claims.evidence import ClaimTest, Evidence, Outcome, finding
from dpbandits.claims.tests._bounds import bounds as bounds_of
from dpbandits.claims.tests._tables import runs_in
from dpbandits.core.options import Option, Options

Floats = NDArray[np.float64]


def crossing(log_x: Floats, gap: Floats) -> Floats:
    """Return where a difference of logarithms first changes sign, by linear interpolation; NaN if nowhere.

    Parameters
    ----------
    log_x
        Logarithms of the axis, shape (points,), increasing.
    gap
        The difference, shape (draws, points).
    """
    turns = gap[:, :-1] * gap[:, 1:] < 0.0
    first = turns.argmax(axis=1)
    draws = np.arange(len(gap))
    left, right = gap[draws, first], gap[draws, first + 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        found = log_x[first] - left * (log_x[first + 1] - log_x[first]) / (right - left)
    return np.where(turns.any(axis=1), found, np.nan)


def measured(one: pd.DataFrame, other: pd.DataFrame) -> Estimate | None:
    """Return the budget of the measured crossing, means drawn from their t laws; ``None`` if not established."""
    rng = np.random.default_rng(0)

    def logs(table: pd.DataFrame, draws: int) -> Floats:
        relative = (table["sd"] / table["mean"] / np.sqrt(table["runs"])).to_numpy(dtype=float)
        noise = rng.standard_t(table["runs"].to_numpy(dtype=float) - 1.0, (draws, len(table)))
        # The first is the means themselves.
        noise[0] = 0.0
        found: Floats = np.log(table["mean"].to_numpy(dtype=float)) + noise * relative
        return found

    log_x = np.log(one["epsilon"].to_numpy(dtype=float))
    at = crossing(log_x, logs(one, RESAMPLES + 1) - logs(other, RESAMPLES + 1))
    # A crossing that one draw in ten lacks is none that could be compared.
    if math.isnan(at[0]) or np.isnan(at).mean() > 0.1:
        return None
    return bootstrapped(float(np.exp(at[0])), np.exp(at[1:][~np.isnan(at[1:])]))


def evaluate(evidence: Evidence, one: str, other: str, bounds: list[str], within: float) -> Outcome:
    """Compare the measured crossing with that of the two ``bounds``; no part where either is missing."""
    table = evidence.aggregates.sort_values("epsilon")
    first, second = (table[table["algorithm"] == label] for label in (one, other))
    estimate = measured(first, second)
    values = [np.log(bounds_of(part, name)) for part, name in zip((first, second), bounds, strict=True)]
    log_x = np.log(first["epsilon"].to_numpy(dtype=float))
    (expected,) = np.exp(crossing(log_x, (values[0] - values[1])[None, :]))
    if estimate is None or math.isnan(expected):
        return Outcome([])
    part = f"bounds cross at ε = {expected:.3g}"
    return Outcome([finding(part, estimate, expected / within, expected * within, runs_in(first))])


def words(options: Options) -> str:
    """Return the test in words."""
    return (
        "budget where the two mean regrets cross (interpolated, t laws resampled): within a factor "
        f"{options['within']:g} of that where {' and '.join(options['bounds'])} cross"
    )


TEST = ClaimTest(
    title="Measured crossing over the budget against that of two bounds",
    evaluate=evaluate,
    words=words,
    nothing="no crossing of both the measured curves and the bounds",
    options={
        "one": Option("", "label of an algorithm"),
        "other": Option("", "label of the other one"),
        "bounds": Option([], "names of their bounds"),
        "within": Option(2.0, "factor that counts as agreement"),
    },
)
