"""RNM-FTNL at the edges, bad input, and the figures and tables of wu2025 on small results."""

from __future__ import annotations

import importlib
import itertools
import json
import math
import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from dpbandits.core import exhibit, registry
from dpbandits.core.algorithm import Tuning
from dpbandits.core.errors import BadInput
from dpbandits.core.recording import Runs, checkpoints
from dpbandits.core.streams import streams
from dpbandits.core.tables import latex, markdown
from dpbandits.runs.aggregate import statistics
from dpbandits.runs.job import make_job, prepare, run
from dpbandits.settings.full_information import laws
from dpbandits.settings.full_information.problem import (
    Losses,
    bernoulli,
    deterministic,
    make_losses,
)

mpl.use("agg")

NAMES = ["rnm-ftnl-laplace", "rnm-ftnl-exponential", "rnm-ftnl-gumbel", "rnm-ftnl-permute-and-flip"]
MIXED = make_losses(np.array([[0.0, 0.3], [0.2, 0.9], [0.5, 1.0]]), np.array([[0.0, 1.0], [0.7, 0.3], [0.9, 0.1]]))


def simulated(name: str, losses: Losses, rounds: list[int], runs: int = 6, first: int = 0, **given: float) -> Runs:
    """Return filled runs, after checking what holds of all."""
    epsilon = given.pop("epsilon", 0.5)
    algorithm = registry.algorithm(name)
    values = algorithm.resolve(given, Tuning(rounds[-1], losses.means.size, epsilon))[0]
    filled = losses.runs(streams(1, "edges", np.arange(first, first + runs)), np.array(rounds))
    algorithm.simulate(filled, losses, epsilon=epsilon, **values)
    assert filled.pulls.min() >= 0
    assert filled.pulls.sum(axis=1).tolist() == [rounds[-1]] * runs
    assert np.isfinite(filled.regret).all()
    assert (np.diff(filled.regret, axis=1, prepend=0.0) >= -1e-14 * filled.regret).all()
    assert filled.regret[:, -1] == pytest.approx(filled.pulls @ losses.gaps, rel=1e-9, abs=1e-9)
    return filled


# --- simulation ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("B", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_every_horizon_cuts(name: str, B: int) -> None:
    """Pulls are those of whole epochs, the last one cut off at T; T = 1 and 2 included."""
    for horizon in range(1, 70):
        epochs = horizon.bit_length()
        sizes = [2**k for k in range(epochs - 1)] + [horizon - 2 ** (epochs - 1) + 1]
        sums = {sum(part) for size in range(epochs + 1) for part in itertools.combinations(sizes, size)}
        found = simulated(name, MIXED, [horizon], runs=3, resampling=B)
        assert set(found.pulls.ravel().tolist()) <= sums


@pytest.mark.parametrize("B", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_astronomic_horizons_and_budgets(name: str, B: int) -> None:
    """T up to 2^52, epsilon 2^r up to 10^12 and far beyond, and down to 1e-100: the best action is found."""
    for horizon, epsilon in ((2**40, 1.0), (2**52, 0.1), (2**30, 1e12), (2**20, 1e100), (2**52, 1e-100)):
        found = simulated(name, MIXED, [3, horizon], epsilon=epsilon, resampling=B)
        if epsilon > 1e-3:
            assert (found.pulls[:, 0] > 0.99 * horizon).all()


def test_nearly_equal_deterministic_losses_are_told_apart() -> None:
    """After 2^51 rounds a gap of 1e-13 is 225 losses: far above noise, but few of the digits of 2^51/3."""
    losses = deterministic([1 / 3, 1 / 3 + 1e-13])
    for name in NAMES:
        assert (simulated(name, losses, [2**52], epsilon=1.0, resampling=0).pulls[:, 0] > 2**50).all()


@pytest.mark.parametrize("name", NAMES)
def test_ties_are_broken_evenly(name: str) -> None:
    """Equal means: every action is played alike, whatever its place."""
    for losses in (deterministic([0.4] * 5), bernoulli([0.4] * 5)):
        last = simulated(name, losses, [16], runs=4000, resampling=0).pulls[:, :] >= 1
        assert not simulated(name, losses, [1000], resampling=0).regret.any()
        shares = last.mean(axis=0)
        # Five standard deviations of a share of 4000 runs.
        assert np.ptp(shares) < 5 * math.sqrt(0.5 / 4000)


@pytest.mark.parametrize("B", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_runs_do_not_depend_on_their_company(name: str, B: int) -> None:
    """Same bytes alone, in any grouping, with other checkpoints and at a shorter horizon."""
    rounds = [1, 2, 3, 10, 100, 500, 777]
    whole = simulated(name, MIXED, rounds, runs=9, resampling=B)
    for groups in ([(0, 4), (4, 9)], [(k, k + 1) for k in range(9)]):
        parts = [simulated(name, MIXED, rounds, runs=b - a, first=a, resampling=B) for a, b in groups]
        assert np.concatenate([part.regret for part in parts]).tobytes() == whole.regret.tobytes()
        assert np.concatenate([part.pulls for part in parts]).tobytes() == whole.pulls.tobytes()
    for at, horizon in enumerate(rounds):
        short = simulated(name, MIXED, rounds[: at + 1], runs=9, resampling=B)
        assert short.regret.tobytes() == whole.regret[:, : at + 1].tobytes()
        assert short.horizon == horizon


def test_resampling_changes_nothing_for_binary_losses() -> None:
    """Bernoulli losses, B = 0 and 1: the same law of sums, here even the same draws."""
    losses = bernoulli([0.2, 0.6, 0.7])
    for name in NAMES:
        one, two = (simulated(name, losses, [5, 300], runs=50, resampling=B) for B in (0, 1))
        assert one.pulls.tobytes() == two.pulls.tobytes()


def test_100000_actions() -> None:
    losses = deterministic(np.linspace(0.0, 1.0, 10**5))
    found = simulated("rnm-ftnl-gumbel", losses, [2**40], runs=2, resampling=0)
    assert found.pulls.shape == (2, 10**5)


def test_privacy_statements_and_scales() -> None:
    """Printed scales by default; any other one by the parameter."""
    for name, factor in zip(NAMES, (2, 1, 2, 2), strict=True):
        algorithm = registry.algorithm(name)
        assert algorithm.resolve({}, Tuning(10, 3, 0.25))[0] == {"resampling": 1, "scale": 4 * factor}
        assert algorithm.resolve({"scale": 7.5}, Tuning(10, 3, 0.25))[0]["scale"] == 7.5
        assert algorithm.privacy is not None
        assert algorithm.privacy.definition == "pure"
        assert f"{factor}/epsilon" in algorithm.declaration()["parameters"]["scale"]
    assert "2 epsilon" in registry.algorithm(NAMES[1]).privacy.mechanism


# --- environments and bad input --------------------------------------------------------------------------------

GOOD = [
    {"kind": "bernoulli-losses", "means": [0.2, 0.9]},
    {"kind": "deterministic-losses", "means": [0.9, 0, 1]},
    {"kind": "discrete-losses", "values": [[0.3], [0.4, 0]], "probabilities": [[1], [0.8, 0.2]]},
    {"kind": "equal-gaps", "arms": 5, "gap": 0.1, "best": 0.9},
    {"kind": "hidden-action", "arms": 4, "gap": 0.1, "losses": "deterministic"},
    {"kind": "geometric-gaps", "arms": 6, "gap": 0.01},
]


@pytest.mark.parametrize("environment", GOOD, ids=lambda entry: entry["kind"])
@pytest.mark.parametrize("name", NAMES)
def test_environments(name: str, environment: dict) -> None:
    """Gaps are as declared, and a job runs."""
    gaps = {
        "bernoulli-losses": [0, 0.7],
        "deterministic-losses": [0.9, 0, 1],
        "discrete-losses": [0, 0.02],
        "equal-gaps": [0, 0.1, 0.1, 0.1, 0.1],
        "hidden-action": [0, 0.1, 0.1, 1],
        "geometric-gaps": [0, *np.geomspace(0.01, 1, 5)],
    }[environment["kind"]]
    job = make_job(name, {}, environment, 0.5, 1000, 5, 0)
    assert prepare(job, range(0))[1].gaps == pytest.approx(np.array(gaps), abs=1e-12)
    assert run(job, range(4)).rounds.tolist() == checkpoints(1000, 5).tolist()
    assert registry.environment(environment["kind"]).arms(job.environment) == len(gaps)


BAD = [
    ({"kind": "bernoulli-losses", "means": [0.2, 1.5]}, "environment.means.1"),
    ({"kind": "bernoulli-losses", "means": [0.2]}, "environment.means"),
    ({"kind": "deterministic-losses", "means": [True, 0.5]}, "environment.means.0"),
    ({"kind": "discrete-losses", "values": [[0.3], [1.4]], "probabilities": [[1], [1]]}, "environment.values.1.0"),
    ({"kind": "discrete-losses", "values": [[0.3], [0.4]], "probabilities": [[1], [0.9]]}, "probabilities.1"),
    ({"kind": "discrete-losses", "values": [[0.3], [0.4]], "probabilities": [[1], [0.5, 0.5]]}, "probabilities"),
    ({"kind": "discrete-losses", "values": [[0.3], []], "probabilities": [[1], []]}, "environment.values.1"),
    ({"kind": "equal-gaps", "arms": 1, "gap": 0.1}, "environment.arms"),
    ({"kind": "equal-gaps", "arms": 2.0, "gap": 0.1}, "environment.arms"),
    ({"kind": "hidden-action", "arms": 3, "gap": 0.1}, "environment.arms"),
    ({"kind": "equal-gaps", "arms": 3, "gap": 0}, "environment.gap"),
    ({"kind": "equal-gaps", "arms": 3, "gap": 0.5, "best": 0.6}, "environment.best"),
    ({"kind": "equal-gaps", "arms": 3, "gap": 0.5, "losses": "gaussian"}, "environment.losses"),
    ({"kind": "geometric-gaps", "arms": 3, "gap": 0.5, "gaps": 1}, "environment.gaps"),
    ({"kind": "bernoulli", "means": [0.2, 0.5]}, "environment.kind"),
]


@pytest.mark.parametrize(("environment", "where"), BAD)
def test_bad_environments(environment: dict, where: str) -> None:
    with pytest.raises(BadInput, match=re.escape(where)):
        make_job("rnm-ftnl-laplace", {}, environment, 0.5, 1000, 5, 0)


@pytest.mark.parametrize(
    ("algorithm", "parameters", "epsilon", "where"),
    [
        ("rnm-ftnl-laplace", {}, 0.0, "epsilon"),
        ("rnm-ftnl-laplace", {}, -1.0, "epsilon"),
        ("rnm-ftnl-laplace", {}, None, "epsilon"),
        ("rnm-ftnl-cauchy", {}, 1.0, "algorithm"),
        ("rnm-ftnl-gumbel", {"resampling": 2}, 1.0, "parameters.resampling"),
        ("rnm-ftnl-gumbel", {"scale": 0.0}, 1.0, "parameters.scale"),
        ("rnm-ftnl-gumbel", {"noise": 1}, 1.0, "parameters.noise"),
    ],
)
def test_bad_parameters(algorithm: str, parameters: dict, epsilon: float | None, where: str) -> None:
    with pytest.raises(BadInput, match=re.escape(where)):
        make_job(algorithm, parameters, GOOD[0], epsilon, 1000, 5, 0)


@pytest.mark.parametrize("means", [[0.5, 0.3], [0.2], [0.2, 1.2], [-0.1, 0.4]])
def test_gaps_have_to_be_sorted_where_their_order_matters(means: list[float]) -> None:
    monotonicity = exhibit.computation("selection-monotonicity")
    with pytest.raises(BadInput, match="smallest first"):
        monotonicity.compute(means, 0.5, 3, 5, 1)


# --- figures and tables ------------------------------------------------------------------------------------------

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
        computation = exhibit.computation(name)
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
            "parameters": json.dumps({"resampling": B, "scale": 1.0}),
            "environment": "some",
            "arms": arms,
            "epsilon": 0.5,
            "horizon": rounds[-1],
            "runs": 30,
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
    declared = exhibit.figure(kind)
    source = computed[FIGURES[kind]]
    figure, numbers = declared.draw(aggregated(), {"it": source}, **declared.resolve({}))
    figure.draw_without_rendering()
    shown = " ".join(text.get_text() for text in figure.findobj(mpl.text.Text))
    assert "ε" in shown
    for axis in figure.axes:
        assert axis.get_xlabel()
        assert axis.get_title() or axis.get_ylabel()
        assert axis.lines or axis.collections
    column = "log10_c1" if kind == "conjecture" else "probability" if "probability" in source else "regret"
    expected = source if kind != "hidden-action" else source[source["family"] == "hidden"]
    assert set(expected[column].dropna()) <= set(numbers[column].dropna())
    assert np.isfinite(numbers[column].dropna()).all()
    plt.close("all")


def test_the_figure_of_random_losses_needs_runs(computed: dict[str, pd.DataFrame]) -> None:
    with pytest.raises(BadInput, match="experiments"):
        exhibit.figure("stochastic-regret").draw(
            aggregated().assign(title="other"), {"it": computed["stochastic-regret"]}
        )


def test_table_1(computed: dict[str, pd.DataFrame]) -> None:
    """Ten rows in three settings; value and regret belong together."""
    numbers, text = exhibit.table("rates").make(pd.DataFrame(), computed)
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
        exhibit.table("rates").make(pd.DataFrame(), {})


def test_table_2(computed: dict[str, pd.DataFrame]) -> None:
    """Exact beside sampled regret, and 2 epsilon for Exp(1/epsilon)."""
    aggregates = aggregated()
    numbers, text = exhibit.table("specifications").make(aggregates, computed)
    assert numbers["losses"].tolist() == ["random"] * 4 + ["deterministic"] * 3
    for row in numbers.to_dict("records"):
        assert row["audited_multiple"] == pytest.approx(2.0 if row["noise"] == "exponential" else 1.0, abs=0.05)
        assert row["mean"] in set(aggregates["mean"])
    exact = computed["stochastic-regret"]
    chosen = (exact["part"] == "horizon") & (exact["noise"] == "laplace") & (exact["resampling"] == 0)
    assert numbers["exact"].iloc[0] == exact.loc[chosen & (exact["horizon"] == 2**12), "regret"].iloc[0]
    assert len(text) == 7
    with pytest.raises(BadInput, match="computations"):
        exhibit.table("specifications").make(aggregates.assign(arms=7), computed)
    with pytest.raises(BadInput, match="experiments"):
        exhibit.table("specifications").make(aggregates[aggregates["experiment"] == "random"], computed)


def test_the_table_of_constants(computed: dict[str, pd.DataFrame]) -> None:
    """For each noise, pair of constants and family the largest c1, with its instance."""
    source = computed["conjecture"]
    numbers, text = exhibit.table("surviving-constants").make(pd.DataFrame(), {"it": source})
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
