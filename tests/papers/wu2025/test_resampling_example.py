"""The figure of resampling's example: what its title and its notes say, and of which rounds and budgets."""

from __future__ import annotations

import itertools

import pandas as pd
import pytest

from dpbandits.papers.wu2025.figures import resampling_example as figure

NOISES = ("laplace", "gumbel")
ROUNDS = (1, 4, 64)


def table(less: float = 0.0, apart: float = 1.0) -> pd.DataFrame:
    """Return made-up numbers.

    Parameters
    ----------
    less
        By how much less often resampling selects the worse action in one case of the printed example.
    apart
        Ratio of Gumbel noise's regret with resampling to that of Laplace noise at the horizon.
    """
    rows: list[dict[str, object]] = []
    for example, noise, epsilon, b in itertools.product(figure.EXAMPLES, NOISES, (0.1, 1.0), (0, 1)):
        rare = (example, noise, epsilon, b) == ("printed", "gumbel", 0.1, 1)
        case = {"example": example, "noise": noise, "epsilon": epsilon, "resampling": b}
        if example != "rare losses":
            rows.append({"part": "selection", **case, "probability": 0.3 - (less if rare else 0.0)})
        for t in ROUNDS:
            # Resampling costs the most in the fourth round, and at a budget that is not followed.
            ratio = {1: 1.0, 4: 9.0, 64: 3.0}[t] * (5.0 if epsilon == 0.1 else 1.0)
            ratio *= apart if (noise, t) == ("gumbel", 64) else 1.0
            rows.append({"part": "regret", **case, "round": t, "regret": 2.0 * (ratio if b else 1.0)})
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("less", "apart", "often", "times"),
    [
        (0.0, 1.0, "at least as often", "3"),
        # Rounding of exact probabilities is not less.
        (1e-13, 1.0, "at least as often", "3"),
        (1e-11, 1.0, "in places less often", "3"),
        (0.0, 2.0, "at least as often", "6"),
    ],
)
def test_the_title_is_of_the_horizon_and_the_budget_that_is_followed(
    less: float, apart: float, often: str, times: str
) -> None:
    assert figure.plot(table(less, apart)).title == (
        f"In the printed example resampling selects the worse action {often}, "
        f"and has up to {times} times the regret"
    )


@pytest.mark.parametrize(("apart", "said"), [(1.0, "lie upon"), (1.019, "lie upon"), (1.021, "a line for each")])
def test_panels_show_what_they_say(apart: float, said: str) -> None:
    """Of one budget, the larger one, with room at the ends; noises that differ by more than a fiftieth are told."""
    printed, repaired, costs = figure.plot(table(apart=apart)).panels
    for panel in (printed, repaired):
        assert panel.limits[0] == pytest.approx((0.1 / 1.3, 1.3)) and len(panel.curves) == 4
        assert [region.y for region in panel.regions] == [(0.5, 0.5), (0.8, 0.8)]
    assert costs.title == "(c) regret, ε = 1" and said in costs.notes[0].text
    assert costs.limits[0] == pytest.approx((1 / 1.3, 64 * 1.69)) and costs.notes[0].x == pytest.approx(64 / 1.3)
    assert [curve.name for curve in costs.curves] == [
        f"{example} example" for example in figure.EXAMPLES for _ in NOISES
    ]
    for curve, noise in zip(costs.curves, sorted(NOISES) * 3, strict=True):
        last = 3.0 * (apart if noise == "gumbel" else 1.0)
        assert curve.table["round"].tolist() == list(ROUNDS)
        assert curve.table["ratio"].tolist() == pytest.approx([1.0, 9.0, last])
