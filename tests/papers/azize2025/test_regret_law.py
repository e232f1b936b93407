"""Statistics of regret at the horizon, and their intervals, by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbandits.papers.azize2025.article import ratios_by_budget
from dpbandits.papers.azize2025.computations import best_arm_path, noise_by_batch, rare_means, regret_law
from dpbandits.papers.azize2025.computations.regret_law import mean_interval, quantile_interval, share_interval
from dpbandits.settings.stochastic.batches import cumulative_pulls


def test_the_interval_of_many_values_is_the_normal_one() -> None:
    """All but 500 of 10,000 values count by their sum: 1.96 standard errors to both sides, to a tenth of it."""
    values = np.random.default_rng(1).uniform(size=10_000)
    low, high = mean_interval(values, 1.0, seed=2)
    error = 1.96 * values.std() / 100
    assert low == pytest.approx(values.mean() - error, abs=0.1 * error)
    assert high == pytest.approx(values.mean() + error, abs=0.12 * error)
    narrow = mean_interval(values, 1.0, seed=2, confidence=0.5)
    assert narrow[1] - narrow[0] == pytest.approx(2 * 0.6745 * error / 1.96, rel=0.1)


@pytest.mark.parametrize(
    ("share", "deviations", "places"),
    [
        (0.5, 2.0, (40, 61)),
        (0.5, 0.0, (50, 51)),
        (0.95, 1.96, (90, 100)),
        (0.01, 1.96, (1, 4)),
        (0.1, 1.0, (7, 14)),
    ],
)
def test_places_of_a_quantile(share: float, deviations: float, places: tuple[int, int]) -> None:
    """Of 100 values 1 to 100: whole numbers of binomial deviations away, and within the sample."""
    assert quantile_interval(np.arange(1.0, 101.0), share, deviations) == places


@pytest.mark.parametrize(("count", "ends"), [(0, (0.0, 0.30850)), (3, (0.06674, 0.65245)), (10, (0.69150, 1.0))])
def test_clopper_and_pearson(count: int, ends: tuple[float, float]) -> None:
    """Of 10 trials, as tables have it."""
    assert share_interval(count, 10) == pytest.approx(ends, abs=1e-5)


def test_statistics_of_twenty_runs() -> None:
    """Regrets 1 to 20, of which four are 100: quantiles are values, and the worst runs make half of the mean."""
    regret = np.array([*range(1, 17), 100, 100, 100, 300], dtype=float)
    found = {row["statistic"]: row for row in regret_law.statistics(regret, 1000.0, 20.0, 1)}
    values = {name: row["value"] for name, row in found.items()}
    capped = np.minimum(regret, 100.0)
    assert values == {
        **{"mean": regret.mean(), "median": 10.0, "q95": 100.0, "q99": 300.0},
        # More than 20 times 10.5; the worst two of 736 have 400.
        **{"far": 1 / 20, "capped": pytest.approx(capped.mean()), "half": 2 / 20},
    }
    half = 1.959964 * capped.std(ddof=1) / math.sqrt(20)
    assert (found["capped"]["low"], found["capped"]["high"]) == pytest.approx(
        (capped.mean() - half, capped.mean() + half)
    )
    assert (found["far"]["low"], found["far"]["high"]) == share_interval(1, 20)
    equal = {row["statistic"]: row["value"] for row in regret_law.statistics(np.full(20, 5.0), 9.0, 1.0, 1)}
    assert (equal["far"], equal["half"]) == (0.0, 0.5)


def measured(regret: list[float], **job: Any) -> Any:
    """Return a cell of DP-IMED on two arms with regret at the horizon, as a computation reads it."""
    environment = {"means": [0.5, 0.75, 0.25]}
    given = {"algorithm": "dp-imed", "parameters": {"n0": 1, "alpha": 2.0}, "epsilon": 0.25, "horizon": 1000} | job
    named = {"experiment": "e", "environment": "mu1", "algorithm": "a", "name": "c"}
    cell = SimpleNamespace(**named, job=SimpleNamespace(**given, environment=environment))
    return cell, np.array([[0.0, each] for each in regret]), None


def test_a_cell_s_rows() -> None:
    """The largest regret is T times the largest gap; the lower bound is at T."""
    regret = [1.0, 2.0, 3.0, 490.0]
    table = regret_law.compute([measured(regret)], 20.0, 1)
    (mean, *_, half) = table.to_dict("records")
    assert (mean["low"], mean["high"]) == mean_interval(np.array(regret), 500.0, 1)
    slope = rare_means.lower_bound_slope([0.5, 0.75, 0.25], 0.25)
    assert table["lower_bound"].tolist() == pytest.approx([slope * math.log(1000)] * len(table))
    assert (half["statistic"], half["value"], set(table["runs"])) == ("half", 0.25, {4})


def test_a_prediction_s_row() -> None:
    """Beside what was measured, of DP-IMED alone; a mean that is not above the median has no ratio."""
    skewed, flat, other = [1.0, 2.0, 3.0, 30.0], [2.0] * 4, measured([1.0] * 4, algorithm="dp-se")
    one, two = best_arm_path.compute([measured(skewed), other, measured(flat)], 200, 1).to_dict("records")
    counts = cumulative_pulls(1, 2.0, 1000)
    path, rivals, usual = best_arm_path.prediction([0.5, 0.75, 0.25], 0.25, counts, 1000)
    rare = best_arm_path.draw_rare_regret(path, 1, 200, rivals)
    expected = {
        **{"mean": 9.0, "median": 2.5, "excess": 6.5, "mean_error": np.std(skewed, ddof=1) / 2, "rivals": 1},
        **{"typical": usual, "rare": rare.mean(), "rare_error": rare.std(ddof=1) / math.sqrt(200)},
        **{"predicted": usual + rare.mean(), "predicted_q99": usual + np.quantile(rare, 0.99)},
        **{"ratio": rare.mean() / 6.5, "mean_ratio": (usual + rare.mean()) / 9.0, "q99": np.quantile(skewed, 0.99)},
    }
    assert {name: one[name] for name in expected} == pytest.approx(expected)
    assert rare.mean() > 0.0 and math.isnan(two["ratio"])
    typical = [0.25 * best_arm_path.typical(path, 0.5), 0.5 * best_arm_path.typical(path, 0.25)]
    assert usual == pytest.approx(sum(typical))


def test_the_article_s_ratios() -> None:
    """Ends over the environments of each budget, of two experiments alone, and of rows that have a value."""
    values = {("mu1", "mean"): (8.0, 2.0), ("mu2", "mean"): (3.0, 1.0)}
    values |= {(environment, name): (1.0, 4.0) for environment in ("mu1", "mu2") for name in ("median", "q99")}
    values |= {("mu1", "far"): (0.5, 0.1), ("mu2", "far"): (0.25, 0.1)}
    rows = [
        {"experiment": "story", "epsilon": "0.1", "algorithm": name, "statistic": statistic, "value": str(value)}
        | {"environment": environment}
        for (environment, statistic), pair in values.items()
        for name, value in zip(("dp-imed", "dp-klucb"), pair, strict=True)
    ]
    rows += [rows[0] | {"experiment": "other", "value": "99"}, rows[0] | {"epsilon": "0.2", "value": ""}]
    (found,) = ratios_by_budget(rows)
    assert found == {
        **{"epsilon": 0.1, "mean": (3.0, 4.0), "median": (0.25, 0.25)},
        **{"q99": (0.25, 0.25), "far": (0.25, 0.5)},
    }


def test_shares_of_runs_above_a_multiple(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strictly above it; both variants are, where the smaller one is."""
    regrets = {"every": [1.0, 2.0, 2.0, 8.0], "first": [9.0, 4.0, 1.0, 5.0], "later": [4.0] * 4, "none": [1.0] * 4}
    found = {name: np.array(values) for name, values in regrets.items()}
    monkeypatch.setattr(noise_by_batch, "regrets", lambda *_: found)
    table = noise_by_batch.compute([["mu1", [0.5, 0.2]]], [0.1], 10, 4, 1, 2.0, [2.0, 0.5], 1)
    shares = table[["multiple", "every", "first", "later", "none", "both_first", "both_later"]]
    assert shares.to_numpy().tolist() == [
        [2.0, 0.25, 0.5, 0.0, 0.0, 0.25, 0.0],
        [0.5, 0.75, 0.75, 1.0, 0.0, 0.5, 0.75],
    ]
    assert (table["median"] == 2.0).all()
    kept = {name: keeps(np.arange(3)).tolist() for name, keeps in noise_by_batch.VARIANTS.items()}
    assert kept == {
        **{"every": [True] * 3, "first": [True, False, False]},
        **{"later": [False, True, True], "none": [False] * 3},
    }


def test_multiples_of_the_bound_by_splitting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Means of 2 epsilon^0.5 times the bound have this exponent; a change is the ratio across a regime's end."""
    means = [0.75, 0.5]

    def rare(*given: Any) -> SimpleNamespace:
        epsilon, horizon, runs = given[3:6]
        bound = rare_means.lower_bound_slope(means, epsilon) * math.log(horizon)
        value = (2.0 * epsilon**0.5 if epsilon < 0.5 else 3.0 * epsilon) * bound
        return SimpleNamespace(value=value, error=0.1 * value, leaves=runs)

    monkeypatch.setattr(rare_means, "rare_mean", rare)
    table = rare_means.compute(means, 1, 2.0, 100, [0.01, 0.1, 0.2], [1.0, 1.2], 50, 1)
    *budgets, exponent, change = table.to_dict("records")
    assert [row["value"] for row in budgets] == pytest.approx([0.2, 2 * 0.1**0.5, 2 * 0.2**0.5, 3.0, 3.6])
    assert [row["error"] / row["value"] for row in budgets] == pytest.approx([0.1] * 5)
    logs = np.log([0.01, 0.1, 0.2])
    assert exponent["value"] == pytest.approx(0.5)
    assert exponent["error"] == pytest.approx(0.1 / math.sqrt(((logs - logs.mean()) ** 2).sum()))
    assert (change["value"], change["error"]) == pytest.approx((1.2, 1.2 * 0.1 * math.sqrt(2.0)))
    assert (exponent["part"], change["part"], exponent["runs"]) == ("exponent", "change", 50)
