"""Figures and tables of wu2025 on small results, and what their computations refuse."""

from __future__ import annotations

import importlib

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from dpbandits.core import declarations, registry
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Tuning
from dpbandits.core.tables import latex, markdown
from dpbandits.papers.drawing import drawing
from dpbandits.papers.wu2025.figures import selection_monotonicity
from dpbandits.runs.aggregate import statistics
from dpbandits.settings.full_information import laws

NAMES = ["rnm-ftnl-laplace", "rnm-ftnl-exponential", "rnm-ftnl-gumbel", "rnm-ftnl-permute-and-flip"]
VALUES = [[0.25, 0.5], [0.5], [0, 1]]
WEIGHTS = [[0.8, 0.2], [1.0], [0.4, 0.6]]
SMALL = {
    "resampling-example": {"epsilons": [0.1, 10.0, 100.0], "followed": [1.0, 100.0], "horizon": 64},
    "selection-monotonicity": {"epochs": 5, "instances": 5},
    "stochastic-regret": {
        "arms": [6, 100, 1000],
        "epsilons": [0.3, 3.0],
        "epsilon": 0.5,
        "gap": 0.2,
        "values": VALUES,
        "probabilities": WEIGHTS,
        "horizon": 2**12,
        "independent_horizon": 2**8,
    },
    "deterministic-regret": {"arms": [6, 50], "epsilons": [0.3, 3.0], "epsilon": 0.5, "horizons": [1, 100, 2**20]},
    "conjecture": {"largest_n": 64, "arms": [1e2, 1e6], "instances": 15, "steps": 5},
    "selection-privacy": {"epsilons": [0.5], "arms": [2, 3], "drawn": 3},
}


@pytest.fixture(scope="module")
def computed() -> dict[str, pd.DataFrame]:
    """Small results of all computations, as they are read from their files."""
    results = {}
    for name, given in SMALL.items():
        computation = declarations.computation(name)
        table = computation.compute(**computation.resolve(given))
        results[name] = pd.read_csv(pd.io.common.StringIO(table.to_csv(index=False)))
    return results


def aggregated() -> pd.DataFrame:
    """Aggregates of both experiments: six variants on random losses, three on deterministic ones."""
    rng = np.random.default_rng(1)
    cells = [("random", name, B, (4, 64, 2**12), 3) for name in NAMES[:3] for B in (0, 1)]
    cells += [("deterministic", name, 0, (2**40,), 50) for name in NAMES[1:]]
    tables = []
    for experiment, name, B, rounds, arms in cells:
        sample = np.cumsum(rng.exponential(5.0, (30, len(rounds))), axis=1)
        labels = {
            "experiment": experiment,
            "version": "full",
            "algorithm": f"{name}-b{B}",
            "title": registry.algorithm(name).title,
            "resampling": B,
            "scale": 1.0,
            "environment": "some",
            "arms": arms,
            "epsilon": 0.5,
            "horizon": rounds[-1],
            "runs": 30,
            "cell": "made up",
        }
        tables.append(pd.DataFrame({"round": rounds, **statistics(sample, 0.95)}).assign(**labels))
    return pd.concat(tables, ignore_index=True)


FIGURES = {
    "resampling-example": "resampling-example",
    "selection-monotonicity": "selection-monotonicity",
    "stochastic-regret": "stochastic-regret",
    "deterministic-regret": "deterministic-regret",
    "hidden-action": "deterministic-regret",
    "conjecture": "conjecture",
}


@pytest.mark.parametrize("kind", FIGURES)
def test_figures_return_the_numbers_in_them(kind: str, computed: dict[str, pd.DataFrame]) -> None:
    """Every figure draws, can be read alone, and its numbers are the computed ones."""
    source = computed[FIGURES[kind]]
    figure, numbers = drawing(kind, {}, aggregated(), {"it": source})
    figure.draw_without_rendering()
    shown = " ".join(text.get_text() for text in figure.findobj(mpl.text.Text))
    assert "ε" in shown
    for axis in figure.axes:
        assert axis.get_xlabel()
        assert axis.get_title() or axis.get_title("left") or axis.get_ylabel()
        assert axis.lines or axis.collections
    column = "log10_c1" if kind == "conjecture" else "probability" if "probability" in source else "regret"
    expected = source if kind != "hidden-action" else source[source["family"] == "hidden"]
    assert set(expected[column].dropna()) <= set(numbers[column].dropna())
    assert np.isfinite(numbers[column].dropna()).all()


def test_the_figure_of_random_losses_needs_runs(computed: dict[str, pd.DataFrame]) -> None:
    with pytest.raises(BadInput, match="experiments"):
        drawing("stochastic-regret", {}, aggregated().assign(title="other"), {"it": computed["stochastic-regret"]})


def test_each_part_of_a_figure_has_its_own_conditions(computed: dict[str, pd.DataFrame]) -> None:
    """Regret over K is of another T than that over T, and circles are of other budgets and gaps than lines."""

    def conditions(kind: str, aggregates: pd.DataFrame, *phase: pd.DataFrame) -> str:
        tables = {str(i): table for i, table in enumerate((computed[kind], *phase))}
        figure, _ = drawing(kind, {}, aggregates, tables)
        return " ".join(figure.texts[1].get_text().split())

    assert "(a) equal gaps, ε = 0.5, Δ = 0.2, T = 2⁴⁰ (b)" in conditions("stochastic-regret", aggregated())
    phase = pd.DataFrame({"part": "phase", "noise": "gumbel", "gap": [0.3, 1.0], "epsilon": [0.002, 0.05]})
    phase = phase.assign(arms=2.0, b_s=1.0, phase=2.7)
    both = conditions("deterministic-regret", pd.DataFrame(), phase)
    assert "T = 2⁴⁰, but for circles (b) Circles" in both
    assert "ε = 0.002 to 0.05, smallest gap 0.3 to 1, T = ∞" in both
    assert "circles" not in conditions("deterministic-regret", pd.DataFrame()).lower()


def test_table_1(computed: dict[str, pd.DataFrame]) -> None:
    """Ten rows in three settings; value and regret belong together."""
    numbers, text = declarations.table("rates").make(pd.DataFrame(), computed)
    assert numbers.groupby("setting").size().to_dict() == {
        "deterministic": 3,
        "instance-dependent": 3,
        "instance-independent": 4,
    }
    assert (numbers["noise"] == "").sum() == 1
    measured = numbers[numbers["noise"] != ""]
    assert np.allclose(measured["ratio"], measured["regret"] / measured["value"])
    everything = pd.concat([computed["stochastic-regret"], computed["deterministic-regret"]])
    for row in measured.to_dict("records"):
        found = everything[(everything["noise"] == row["noise"]) & (everything["regret"] == row["regret"])]
        assert (found["arms"] == row["arms"]).any()
    assert (text["rate"].str.startswith("$") & text["rate"].str.endswith("$")).all()
    for made in (markdown(text, "caption"), latex(text, "caption")):
        assert r"\frac{\log K}{\varepsilon}" in made
    with pytest.raises(BadInput, match="stochastic-regret"):
        declarations.table("rates").make(pd.DataFrame(), {})


def test_table_2(computed: dict[str, pd.DataFrame]) -> None:
    """Exact beside sampled regret, and 2 epsilon for Exp(1/epsilon)."""
    aggregates = aggregated()
    numbers, text = declarations.table("specifications").make(aggregates, computed)
    assert numbers["losses"].tolist() == ["random"] * 4 + ["deterministic"] * 3
    for row in numbers.to_dict("records"):
        assert row["audited_multiple"] == pytest.approx(2.0 if row["noise"] == "exponential" else 1.0, abs=0.05)
        assert row["mean"] in set(aggregates["mean"])
    exact = computed["stochastic-regret"]
    chosen = (exact["part"] == "horizon") & (exact["noise"] == "laplace") & (exact["resampling"] == 0)
    assert numbers["exact"].iloc[0] == exact.loc[chosen & (exact["horizon"] == 2**12), "regret"].iloc[0]
    assert len(text) == 7
    with pytest.raises(BadInput, match="computations"):
        declarations.table("specifications").make(aggregates.assign(arms=7), computed)
    with pytest.raises(BadInput, match="experiments"):
        declarations.table("specifications").make(aggregates[aggregates["experiment"] == "random"], computed)


def test_the_table_of_constants(computed: dict[str, pd.DataFrame]) -> None:
    """For each noise, pair of constants and family the largest c1, with its instance."""
    source = computed["conjecture"]
    numbers, text = declarations.table("surviving-constants").make(pd.DataFrame(), {"it": source})
    for row in numbers.to_dict("records"):
        same = source[(source["noise"] == row["noise"]) & (source["part"] == row["part"])]
        same = same[(same["c2"] == row["c2"]) & (same["c3"] == row["c3"])]
        assert row["log10_c1"] == same["log10_c1"].max()
        assert row["instances"] == len(same)
    assert 0 < len(text) < len(numbers)


def test_the_experiments_losses_are_those_of_the_computation() -> None:
    """Table 2 and figure thm1 put runs beside exact values: the configuration has one instance in both places."""
    kind = importlib.import_module("dpbandits.settings.full_information.environments.discrete_losses").ENVIRONMENT
    given = kind.check({"values": VALUES, "probabilities": WEIGHTS})
    one = np.zeros((3, 5))
    for action, (values, weights) in enumerate(zip(VALUES, WEIGHTS, strict=True)):
        for value, weight in zip(values, weights, strict=True):
            one[action, round(4 * value)] += weight
    assert kind.problem(given, Tuning(1, 3)).means == pytest.approx(one @ np.arange(5) / 4)
    assert next(laws.summed(one)) is one


@pytest.mark.parametrize("means", [[0.5, 0.3], [0.2], [0.2, 1.2], [-0.1, 0.4]])
def test_gaps_have_to_be_sorted_where_their_order_matters(means: list[float]) -> None:
    monotonicity = declarations.computation("selection-monotonicity")
    with pytest.raises(BadInput, match="smallest first"):
        monotonicity.compute(means, 0.5, 3, 5, 1)


def test_unequal_shares_of_equal_means_are_called_so():
    """Two equally good actions that are selected unequally often break no order of better and worse ones."""
    rows = [
        (b, 3, j, mean, p)
        for b, ps in ((0, (0.3, 0.4)), (1, (0.4, 0.4)))
        for j, mean, p in zip((1, 2), (0.3, 0.3), ps, strict=True)
    ]
    misled = pd.DataFrame(rows, columns=["resampling", "r", "j", "mean", "probability"]).assign(noise="gumbel")
    start = "With resampling a better action is selected at least as often as a worse one"
    found = selection_monotonicity._finding(misled, True)
    assert found == f"{start}; without it two equally good ones are not selected equally often"
    worse = misled.assign(mean=[0.3, 0.4] * 2)
    assert selection_monotonicity._finding(worse, True) == f"{start}; without it that can fail"
    # A worse action that is selected less often is as it should be.
    assert selection_monotonicity._finding(worse.assign(probability=[0.4, 0.3] * 2), True) == start
    assert selection_monotonicity._finding(misled[misled["resampling"] == 1].assign(resampling=0), True) == start
