"""The figure of the claim of lowest regret: what its title counts, at the limits, and what its axes hold."""

from __future__ import annotations

import pandas as pd
import pytest

from dpbandits.papers.azize2025.figures.final_regret import FIGURE, numbers
from dpbandits.papers.style import TAIL_RUNS

OURS = ["DP-IMED", "DP-KLUCB"]
FEW, MANY = 20, 200
# Mean regret, and half of its interval, by budget: of ours, and of the best and the worst other algorithm.
MEANS = {
    0.1: {"DP-IMED": (50.0, 1.0), "DP-KLUCB": (200.0, 1.0), "DP-SE": (100.0, 1.0), "Lazy-DP-TS": (600.0, 1.0)},
    # Equal to the best is not less than it. An interval that begins where the other one ends overlaps it.
    0.5: {"DP-IMED": (100.0, 1.0), "DP-KLUCB": (90.0, 5.0), "DP-SE": (100.0, 5.0), "Lazy-DP-TS": (600.0, 1.0)},
    1.0: {"DP-IMED": (90.0, 4.0), "DP-KLUCB": (90.0, 9.0), "DP-SE": (100.0, 5.0), "Lazy-DP-TS": (600.0, 50.0)},
}


def table(runs: int, all_runs: int | None) -> pd.DataFrame:
    """Return aggregates of one bandit; of all runs, DP-IMED has half of what DP-SE has, and DP-KLUCB as much."""
    rows = [
        {
            **{"environment": "mu1", "epsilon": epsilon, "title": title, "algorithm": title.lower()},
            **{"round": 1000, "horizon": 1000, "runs": runs, "experiment": "e", "alpha": 2.0},
            **{"mean": mean, "mean_low": mean - half, "mean_high": mean + half},
            **{f"environment.means.{i}": value for i, value in enumerate((0.75, 0.7), 1)},
        }
        for epsilon, of in MEANS.items()
        for title, (mean, half) in of.items()
    ]
    found = pd.DataFrame(rows)
    if all_runs is None:
        return found
    of_all = found["title"].map({"DP-IMED": 50.0, "DP-KLUCB": 100.0, "DP-SE": 100.0, "Lazy-DP-TS": 600.0})
    return found.assign(all_mean=of_all, all_mean_low=of_all, all_mean_high=of_all, all_runs=all_runs)


@pytest.mark.parametrize(
    ("runs", "all_runs", "begins", "ends"),
    [
        (FEW, None, f"In this one set of {FEW} runs ", ""),
        (FEW, MANY, f"In this one set of {FEW} runs ", f"; with {MANY} runs in 3"),
        # As many runs as there are say no more. From so many runs on, the set is not said to be one of few.
        (FEW, FEW, f"In this one set of {FEW} runs ", ""),
        (TAIL_RUNS, TAIL_RUNS, "", ""),
        (TAIL_RUNS - 1, TAIL_RUNS, f"In this one set of {TAIL_RUNS - 1} runs ", f"; with {TAIL_RUNS} runs in 3"),
    ],
)
def test_a_title_counts_cases_of_less_regret(runs: int, all_runs: int | None, begins: str, ends: str) -> None:
    """Equal regret is not less; a ratio whose interval ends at 1 is open; one of equal regret is not counted."""
    title = FIGURE.plot(numbers(table(runs, all_runs), {}, OURS, 10.0), OURS, 10.0).title
    assert title == (
        f"{begins}DP-IMED and DP-KLUCB have less mean regret than all other private algorithms in 4 of 6 cases "
        f"(in 2 of the 4 the intervals overlap){ends}"
    )


@pytest.mark.parametrize("claimed", [3.0, 10.0, 30.0])
def test_axes_hold_all_that_is_drawn(claimed: float) -> None:
    """With room at both ends, also for the claimed ratio and for what is cut off at an infinite interval."""
    found = numbers(table(FEW, None), {}, OURS, claimed)
    found.loc[0, "mean_low"] = -1.0
    regrets, ratios = FIGURE.plot(found, OURS, claimed).panels
    for panel, values in (
        (regrets, [*found["mean"], *found["mean_high"]]),
        (ratios, [*found["ratio_low"].dropna(), *found["worst_ratio"].dropna(), claimed, 1.0]),
    ):
        assert panel.limits[1]
        low, high = panel.limits[1]
        assert 0.0 < low < 0.9 * min(values) and 1.1 * max(values) < high < 2.0 * max(values)
    # On a logarithmic axis an end far below the smallest number would leave most of the panel empty.
    assert regrets.limits[1][0] > 0.5 * found["mean"].min()
    for curve in ratios.curves:
        for measure in curve.measures.values():
            assert (curve.table[measure.high] <= ratios.limits[1][1]).all()
