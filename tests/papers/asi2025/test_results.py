"""What asi2025's figures and tables are made of: the recursion of Figure 1, exponents, conditions, bounds."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest

from dpbandits.core import declarations
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Tuning
from dpbandits.core.tables import latex, markdown, worst
from dpbandits.papers.asi2025.computations import exp3_privacy_loss, quick_drop
from dpbandits.papers.asi2025.figures import late_improvement
from dpbandits.papers.asi2025.figures.growth import GrowthPanel, _finding, exponent
from dpbandits.runs.aggregate import Measured
from dpbandits.runs.job import make_job
from dpbandits.runs.plan import Cell
from dpbandits.settings.adversarial import theory


def printed_figure_1(eta: float, horizon: int, first: float) -> list[float]:
    """Return P_t(2) by the recursion that asi2025 prints in Section G.1, in its own variables and order."""
    one, two = 1.0, 1.0
    found = []
    for t in range(horizon):
        second = (1 - eta) * (two / (two + one)) + eta / 2
        found.append(second)
        if t == 0:
            two *= math.exp(-first * eta / second)
        elif t % 2 == 0:
            two *= math.exp(-eta / second)
        else:
            one *= math.exp(-eta / (1 - second))
    return found


@pytest.mark.parametrize("first", [0.0, 1.0])
@pytest.mark.parametrize("eta", [1e-2, 1e-3, 1e-4])
def test_figure_1_is_the_printed_recursion(eta: float, first: float) -> None:
    """Ours in the log domain and the printed one agree in every round, T = 100/eta as printed."""
    horizon = round(100 / eta)
    ours = exp3_privacy_loss.alternating(eta, eta, first, np.arange(1, horizon + 1))
    np.testing.assert_allclose(ours, printed_figure_1(eta, horizon, first), rtol=0, atol=1e-9)
    # Section G.1: the curves tend to 1 - gamma/2 and to gamma/2.
    assert ours[-1] == pytest.approx(eta / 2 if first else 1 - eta / 2, rel=1e-3)


def test_the_enumeration_is_the_worst_of_all_sequences() -> None:
    """Against a literal EXP3 over every action and loss sequence of 5 rounds, both actions' losses 0 or 1."""
    eta = gamma = 0.3
    largest = np.zeros(5)
    for actions in itertools.product((0, 1), repeat=5):
        for losses in itertools.product((0.0, 1.0), repeat=4):
            weights = [[1.0, 1.0], [1.0, 1.0]]
            for t, action in enumerate(actions):
                p = [[(1 - gamma) * w / sum(pair) + gamma / 2 for w in pair] for pair in weights]
                ratio = max(abs(math.log(a / b)) for a, b in zip(*p, strict=True))
                largest[t] = max(largest[t], ratio)
                for side, pair in enumerate(weights):
                    loss = float(side) if t == 0 else losses[t - 1]
                    pair[action] *= math.exp(-eta * loss / p[side][action])
    found = exp3_privacy_loss.worst(eta, gamma, 5)["loss"].to_numpy()
    np.testing.assert_allclose(found, largest, rtol=1e-12)


def rows(values: np.ndarray, power: float, runs: int = 100, noise: float = 0.1) -> pd.DataFrame:
    """Return aggregates of a power law of the horizon."""
    means = 2.0 * values**power
    table = {"horizon": values, "mean": means, "sd": noise * means, "runs": runs, "uniform": 0.2 * values}
    return pd.DataFrame(table)


def test_conditions_are_met_missed_or_open() -> None:
    """A multiple above 1 by less than two standard errors is open, and so is one of no window."""
    rows = [(2.0, 0.4, np.nan), (2.0, 0.6, np.nan), (np.inf, np.nan, np.nan), (0.1, 0.1, 5.0)]
    table = pd.DataFrame(rows, columns=["closest", "closest_error", "lower_bound"]).assign(improves=np.nan)
    found = late_improvement.conditions(table)["found"].tolist()
    assert found == ["missed", "open", "open", "met"]


@pytest.mark.parametrize("improves", [0.1, 100])
def test_the_improving_round_is_a_fraction_of_t_or_a_round(improves: float) -> None:
    """Of 1,000 rounds both are round 100."""
    base = pd.DataFrame({"environment": ["never", "late"], "improves": [np.nan, improves], "horizon": 1000})
    base = base.assign(title="a", epsilon=0.1, runs=5)
    bounds = base.assign(part="sequences", closest=2.0, closest_error=0.1, lower_bound=1.0, regret=9.0, error=1.0)
    shown = base.assign(part="over time", round=50, mean=3.0, mean_low=2.0, mean_high=4.0)
    plot = late_improvement.plot(pd.concat([bounds, shown]), 0.1, "late")
    assert plot.panels[1].title == "arm 2 improves after 100 rounds"
    assert [region.x for region in plot.panels[1].regions] == [(100.0, 100.0), None]


HORIZONS = np.array([1e4, 1e5, 1e6, 1e7])


def test_the_exponent_of_a_power_law_is_exact() -> None:
    fit = exponent(rows(HORIZONS, 0.5), "horizon")
    assert fit["exponent"] == pytest.approx(0.5, abs=1e-12)
    assert fit["points"] == 4


@pytest.mark.slow
def test_the_interval_of_an_exponent_covers_it() -> None:
    """With noise the 95 % interval covers in 93 to 97 % of 2,000 trials."""
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(2000):
        table = rows(HORIZONS, 0.5)
        table["mean"] *= 1 + 0.1 / 10 * rng.standard_normal(4)
        fit = exponent(table, "horizon")
        covered += fit["low"] <= 0.5 <= fit["high"]
    assert 0.926 < covered / 2000 < 0.974


def test_linear_regret_is_not_fitted() -> None:
    """Points above half of uniform play's regret do not enter, and with fewer than three nothing is decided."""
    fit = exponent(rows(np.array([10.0, 20.0, 1e5, 1e6]), 0.5), "horizon")
    assert fit["points"] == 2
    assert math.isnan(fit["exponent"])


def test_the_worst_environment_is_kept_whole() -> None:
    table = pd.DataFrame(
        {"title": "a", "epsilon": [0.1, 0.1, np.nan], "mean": [1.0, 3.0, 2.0], "environment": "xyz"}
    )
    table["environment"] = ["x", "y", "z"]
    found = worst(table, ["title", "epsilon"])
    assert found["environment"].tolist() == ["y", "z"]


def test_corollaries_follow_from_theorem_1() -> None:
    """With tau = 1/epsilon Theorem 1's bound is at most the corollaries'."""
    for horizon, arms, inverse in itertools.product((10**4, 10**6, 10**9), (2, 10, 100), (1, 10, 100)):
        tuning = Tuning(horizon, arms, 1 / inverse)
        for base, name in ((theory.htinf, "cor2"), (theory.exp3, "cor22")):
            bound = theory.BOUNDS[name].value(tuning)
            assert theory.converted(base, tuning, inverse) <= bound * (1 + 1e-12)


def measured(pulls_of_2: np.ndarray, rounds: np.ndarray, epsilon: float) -> Measured:
    """Return runs with these pulls of arm 2, shape (runs, checkpoints), on Lemma 11's first sequence."""
    environment = {"kind": "late-improvement", "improves": None}
    job = make_job("conversion", {}, environment, epsilon, int(rounds[-1]), rounds.size, 0)
    cell = Cell("asi2025", "x", "conversion-htinf", "never", str(epsilon), job, len(pulls_of_2), 100)
    return Measured(cell, pulls_of_2 / 2, rounds)


def test_conditions_of_lemma_11_are_read_from_the_runs() -> None:
    """Runs that pull arm 2 for 1,000 rounds and then once in 100: the bound is that of the found gamma, tau, p."""
    rounds = np.unique(np.geomspace(1, 10**6, 300).astype(np.int64))
    pulls = np.minimum(rounds, 1000) + np.maximum(rounds - 1000, 0) / 100
    runs = measured(np.tile(pulls, (60, 1)), rounds, 0.01)
    found = quick_drop.best_bound(runs, 0.01, 0.95, seed=0)
    assert found["gamma"] <= pulls[-1] / 10**6
    assert found["fraction"] == 1.0
    window = np.interp([found["tau"], found["tau"] + found["p"] / found["gamma"]], rounds, pulls)
    assert window[1] - window[0] <= found["p"]
    assert 2 * found["gamma"] * found["tau"] <= found["p"] <= found["gamma"] * (10**6 - found["tau"])
    gamma, tau, p = found["gamma"], found["tau"], found["p"]
    # Lemma 11 as printed; T = 10^6, epsilon = 1/100.
    expected = max(gamma * 10**6 / 4, (1 - math.exp(p / 100) / 2) * p / (4 * gamma) - tau / 2)
    assert found["lower_bound"] == pytest.approx(expected, rel=1e-12)
    assert expected > 0


def test_no_bound_without_a_quick_drop() -> None:
    """Arm 2 is pulled in 6 of 10 rounds throughout: condition (2) fails for every tau and p, nothing is claimed."""
    rounds = np.unique(np.geomspace(1, 10**6, 300).astype(np.int64))
    runs = measured(np.tile(0.6 * rounds, (60, 1)), rounds, 0.1)
    assert math.isnan(quick_drop.best_bound(runs, 0.1, 0.95, seed=0)["lower_bound"])


def test_the_lower_end_of_a_probability() -> None:
    """Clopper–Pearson: the probability of so many successes at the bound is 1 - confidence."""
    for successes, trials in ((1, 10), (7, 10), (10, 10)):
        p = quick_drop.at_least(successes, trials, 0.95)
        tail = sum(math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(successes, trials + 1))
        assert tail == pytest.approx(0.05, rel=1e-9)
    assert quick_drop.at_least(0, 10, 0.95) == 0.0


def aggregates() -> pd.DataFrame:
    """Return one algorithm in two environments at two budgets."""
    cells = itertools.product(("a", "b"), (0.1, 1.0))
    return pd.DataFrame(
        [
            {
                "experiment": "e",
                "algorithm": "conversion-htinf",
                "title": "Conversion of HTINF",
                "environment": environment,
                "parameters": json.dumps({"tau": 10}),
                "notes": "",
                "epsilon": epsilon,
                "horizon": 10**6,
                "arms": 10,
                "experts": 0,
                "runs": 20,
                "round": 10**6,
                "mean": 1000.0 / epsilon + (environment == "b"),
                "mean_low": 900.0 / epsilon,
                "mean_high": 1100.0 / epsilon,
                "sd": 10.0,
            }
            for environment, epsilon in cells
        ]
    )


def test_the_table_of_bounds() -> None:
    """A row for each budget, the worst environment's regret beside the formula's value; in all three formats."""
    made = declarations.table("regret-bounds").make(
        aggregates(), {}, rows=[["bandits", "conversion-htinf", "cor2"]], epsilons=[0.1, 1.0]
    )
    assert made.numbers["environment"].tolist() == ["b", "b"]
    assert made.numbers["value"].tolist() == [pytest.approx(1e4), pytest.approx(math.sqrt(1e7))]
    assert (made.numbers["value_with_constants"] > made.numbers["value"]).all()
    shown = markdown(made.text, "A caption.")
    assert shown.count("\n|") == 3
    assert "10,000" in shown
    assert r"\frac{\sqrt{KT}}{\sqrt{\varepsilon}}" in latex(made.text, "100 % & more_than that")
    assert r"100 \% \& more\_than that" in latex(made.text, "100 % & more_than that")


def test_a_table_refuses_what_it_cannot_show() -> None:
    make = declarations.table("regret-bounds").make
    with pytest.raises(BadInput, match=r"options.rows.*corr2.*cor2"):
        make(aggregates(), {}, rows=[["bandits", "conversion-htinf", "corr2"]], epsilons=[0.1])
    with pytest.raises(BadInput, match=r"every budget"):
        make(aggregates(), {}, rows=[["bandits", "htinf", "cor2"]], epsilons=[0.1])


def test_a_title_of_several_algorithms_names_whose_fit_it_is():
    """A quantity in which one of three algorithms has a fit says nothing of the others."""
    fits = [
        (GrowthPanel(["batched"], "thm10", ["e"], "epsilon", -0.33), -0.33),
        (GrowthPanel(["batched"], "thm10", ["e"], "experts", 0.17), 0.37),
        (GrowthPanel(["bandit"], "cor8", ["e"], "experts", 0.5), 0.72),
    ]
    names = {"batched": "Batched EXP4", "bandit": "Bandit-to-experts"}
    assert _finding(fits, names) == (
        "regret grows about as its bound with 1/ε (Batched EXP4), faster with N (Batched EXP4, Bandit-to-experts)"
    )
    assert _finding(fits[:2], {}) == "regret grows about as its bound with 1/ε, faster with N"
