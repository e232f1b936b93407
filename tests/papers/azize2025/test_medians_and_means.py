"""The picture of medians and means: its bandit and budget are those at which DP-IMED's mean is worst."""

from __future__ import annotations

import pytest

from dpbandits.papers.azize2025.pictures._laws import medians_and_means

CASES = {
    # Mean of DP-IMED, and of DP-KLUCB: ratios are 2, 4 and 3.
    ("mu1", "0.1"): (200.0, 100.0),
    ("mu2", "0.1"): (40.0, 10.0),
    ("mu2", "0.5"): (900.0, 300.0),
}


def rows(without: tuple[str, str, str] | None = None) -> list[dict[str, str]]:
    """Return rows as a table has them; one case may lack a title's mean."""
    return [
        {
            "environment": environment,
            "epsilon": epsilon,
            "title": title,
            "statistic": statistic,
            "value": str(value),
        }
        for (environment, epsilon), means in CASES.items()
        for title, mean in zip(("DP-IMED", "DP-KLUCB"), means, strict=True)
        for statistic, value in (("mean", mean), ("median", mean / 8.0))
        if (environment, epsilon, title) != without or statistic != "mean"
    ]


@pytest.mark.parametrize(
    ("without", "place", "means"),
    [
        (None, "µ₂, ε = 0.1", (10.0, 40.0)),
        # Where a number is missing, the next worst is shown.
        (("mu2", "0.1", "DP-IMED"), "µ₂, ε = 0.5", (300.0, 900.0)),
        (("mu1", "0.1", "DP-KLUCB"), "µ₂, ε = 0.1", (10.0, 40.0)),
    ],
)
def test_the_worst_case_is_shown(
    without: tuple[str, str, str] | None, place: str, means: tuple[float, float]
) -> None:
    found = medians_and_means(rows(without), ("DP-KLUCB", "DP-IMED"))
    assert found is not None and found.said.startswith(f"Regret at {place}. ")
    assert [row.second for row in found.rows] == list(means)
    assert [row.first for row in found.rows] == [mean / 8.0 for mean in means]
    assert [row.name for row in found.rows] == ["DP-KLUCB", "DP-IMED"]


def test_nothing_is_shown_of_titles_that_no_case_has() -> None:
    assert medians_and_means(rows(), ("DP-IMED", "DP-IMED, long start")) is None
    assert medians_and_means([], ("DP-IMED",)) is None
