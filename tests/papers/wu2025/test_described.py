"""What figures, pictures and tables describe of small tables by hand: axes, scales, curves and what is counted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpbandits.core.interactive import Curve, Plot
from dpbandits.papers.wu2025.figures import (
    _noises,
    conjecture,
    deterministic_regret,
    hidden_action,
    resampling_example,
    selection_monotonicity,
    stochastic_regret,
)
from dpbandits.papers.wu2025.pictures import growing_constant, two_rates
from dpbandits.papers.wu2025.tables import rates, specifications, surviving_constants
from dpbandits.settings.full_information import theory


def limits(plot: Plot) -> list[Any]:
    """Return the limits of each panel, those of a missing axis as they are."""
    return [tuple(side and pytest.approx(side) for side in panel.limits) for panel in plot.panels]


def heights(curve: Curve) -> list[float]:
    """Return a curve's values, of what is shown first."""
    found: list[float] = curve.table[next(iter(curve.measures.values())).value].tolist()
    return found


def test_six_variants() -> None:
    """Noises with resampling first, dashed without; Laplace's line is broad, as it often lies below Gumbel's."""
    rows = [(noise, b, 10 * b + k) for b in (0, 1) for k, noise in enumerate(("gumbel", "laplace"))]
    table = pd.DataFrame(rows, columns=["noise", "resampling", "y"])
    curves = _noises.six_variants(table, {"y": _noises.Measure("y")})
    assert [heights(curve) for curve in curves] == [[10], [11], [0], [1]]
    assert [curve.dashes for curve in curves] == ["-", "-", _noises.WITHOUT, _noises.WITHOUT]
    assert [curve.width for curve in curves] == [1.3, 3.0] * 2
    assert "repaired" in _noises.NOISES["permute-and-flip"][0]


# --- the conjecture --------------------------------------------------------------------------------------


def constants() -> pd.DataFrame:
    """Return rows of Gumbel noise: kappa 8, critical c2 9, of a crowd, two actions and a search."""
    rows = [
        *[
            ("crowd", c2, c3, arms, 2.0, 1)
            for c2, c3 in ((8.0, 8.0), (9.0, 9.0), (16.0, 16.0))
            for arms in (1e2, 1e4)
        ],
        *[("crowd", 12.0, 8.0, arms, 0.5, 1) for arms in (1e4, 1e2)],
        *[("two actions", c2, c2, 2.0, 1.0, n) for c2 in (8.0, 9.0, 16.0) for n in (8, 4)],
        *[("search", 12.0, 8.0, arms, c1, 1) for arms, c1 in ((1e4, 0.1), (1e2, 0.2), (1e2, 3.0))],
        *[("search", 9.0, 9.0, 1e2, 3.5, 1)],
    ]
    table = pd.DataFrame(rows, columns=["part", "c2", "c3", "arms", "log10_c1", "n"])
    return table.assign(noise="gumbel", slowest=9.0, kappa=8.0)


def test_the_frontier_of_constants() -> None:
    """A crowd from the critical c2 on, two actions up to it, and of a search the instance that needs most."""
    shown = conjecture.plot(constants(), "gumbel")
    assert limits(shown) == [((9.0 / 1.6, 16.0), None), (None, None), (None, (-0.5, 3.85))]
    crowd, two, both = shown.panels
    assert [curve.name for curve in crowd.curves] == ["K = 10²", "K = 10⁴"]
    assert [curve.table["c2"].tolist() for curve in crowd.curves] == [[9.0, 16.0]] * 2
    assert crowd.regions[0].x == (9.0 / 1.6, 9.0) and list(crowd.ticks[0]) == [9.0, 16.0, 32.0]
    assert [curve.name for curve in two.curves] == ["c₂ = 8", "c₂ = 9"]
    assert [curve.table["n"].tolist() for curve in two.curves] == [[4, 8]] * 2
    assert [curve.table["arms"].tolist() for curve in both.curves] == [[1e2, 1e4]] * 3
    assert [heights(curve) for curve in both.curves] == [[2.0, 2.0], [0.5, 0.5], [3.0, 0.1]]
    assert [curve.joined for curve in both.curves] == [True, True, False]
    assert both.ticks[0] == {1e2: "10²", 1e16: "10¹⁶", 1e32: "10³²"}


def test_the_picture_of_the_constant() -> None:
    """Of the crowd at the critical c2, with one constant; a noise of a single K has no line."""
    rows = [{name: str(value) for name, value in row.items()} for row in constants().to_dict("records")]
    lines = growing_constant.draw(rows)
    assert lines is not None
    (line,) = lines.drawn
    assert line.points == [(1e2, 2.0), (1e4, 2.0)]
    assert growing_constant.draw([row for row in rows if row["arms"] == "100.0"]) is None


def test_the_table_of_constants_has_the_rates_and_the_critical_constant() -> None:
    """kappa, twice kappa, the critical c2 and two constants; 1.5 kappa with one constant is left out."""
    more = constants().head(1).assign(c2=12.0, c3=12.0)
    source = pd.concat([constants(), more], ignore_index=True)
    source = source.assign(log10_p=-1.0, epsilon=0.1, gaps="0 1", multiplicities="1 1")
    made = surviving_constants.make(pd.DataFrame(), {"it": source})
    crowd = made.text[made.text["instances"].str.startswith("crowd")]
    assert crowd["c2"].tolist() == ["8", "9", "12", "16"]
    assert crowd["c3, below the bar"].tolist() == ["= c2", "= c2", "8", "= c2"]
    assert crowd["c1 needed"].tolist() == ["100", "100", "3.16", "100"]
    assert set(crowd["P[J_r = j], exact"]) == {"0.1"} and crowd["instances"].tolist() == [*["crowd (2)"] * 4]
    assert len(made.numbers) == len(made.text) + 1


# --- deterministic losses --------------------------------------------------------------------------------


def of_arms() -> pd.DataFrame:
    """Return regret of two noises over two K, two gaps each; b s is 10 log K."""
    rows = [
        *[("gumbel", 10.0, 25.0), ("gumbel", 10.0, 20.0), ("gumbel", 100.0, 60.0), ("gumbel", 100.0, 50.0)],
        *[("exponential", 10.0, 30.0), ("exponential", 100.0, 30.0)],
    ]
    table = pd.DataFrame(rows, columns=["noise", "arms", "regret"])
    rate = np.log(table["arms"]) * 10.0
    table = table.assign(
        rate=rate, theorem_a_high=4.0 * rate + 1.0, part="arms", epsilon=0.1, gap=0.01, horizon=2**40
    )
    return table.assign(family="hidden", lower=1.0, lower_printed=0.5)


def test_every_instance_within_theorem_a() -> None:
    """Ends of each noise at its own place; circles two steps to the right of it, and squares beyond them."""
    ten = 10.0 * math.log(10.0)
    phase = pd.DataFrame({"part": "phase", "noise": "gumbel", "multiple": [2.7, 2.8], "epsilon": 1.0, "gap": 1.0})
    runs = pd.DataFrame({"part": "runs", "noise": ["gumbel"], "multiple": 2.5, "arms": 10.0, "runs": 30})
    shown = deterministic_regret.plot(pd.concat([of_arms(), phase, runs], ignore_index=True))
    most, least, circles, squares = shown.panels[1].curves
    order = list(_noises.NOISES)
    assert dict(zip(most.table["noise"], zip(most.table["min"], most.table["max"], strict=True), strict=True)) == {
        "exponential": pytest.approx((30 / ten / 2, 30 / ten)),
        "gumbel": pytest.approx((20 / ten, max(25 / ten, 60 / ten / 2))),
    }
    assert (
        most.table["place"].tolist()
        == least.table["place"].tolist()
        == [order.index(n) for n in most.table["noise"]]
    )
    at = order.index("gumbel")
    assert circles.table["place"].tolist() == pytest.approx([at + 0.12, at + 0.18])
    assert squares.table["place"].tolist() == pytest.approx([at + 0.12 + 0.18])
    assert shown.panels[1].limits == ((-0.4, len(order) - 0.1), (1.8, 4.2))
    assert shown.panels[1].regions[3].y == pytest.approx((2 / math.log(2), 2 / math.log(2)))
    # Of Gumbel noise 60/2 against 25, of exponential noise 30 against 15.
    assert "at most 2-fold" in shown.title and "smallest gap 0.01 to 0.02" in shown.conditions
    assert (
        "square: mean of 30 runs" in shown.conditions
        and "square" not in deterministic_regret.plot(of_arms()).conditions
    )
    flat, falls = shown.panels[0].curves[1], shown.panels[0].curves[3]
    assert heights(flat) == pytest.approx([25 / ten, 30 / ten])
    assert heights(falls) == pytest.approx([25 / ten / math.log(10), 30 / ten / math.log(100)])


def test_runs_are_in_units_of_b_s() -> None:
    """b = 2/epsilon and s = log K; a computation with circles has their multiple."""
    aggregates = pd.DataFrame([dict.fromkeys(deterministic_regret.RUNS, 1.0)]).assign(
        arms=10.0, epsilon=0.5, mean=8.0, mean_low=6.0, mean_high=12.0
    )
    phase = pd.DataFrame({"phase": [6.0], "b_s": [2.0]})
    found = deterministic_regret.numbers(aggregates, {"p": phase, "a": of_arms()}).to_dict("records")
    size = 4.0 * math.log(10.0)
    assert found[0]["multiple"] == 3.0 and found[-1]["part"] == "runs"
    ends = [found[-1][f"multiple{end}"] for end in ("", "_low", "_high")]
    assert ends == pytest.approx([8.0 / size, 6.0 / size, 12.0 / size])
    assert len(deterministic_regret.numbers(aggregates[:0], {"a": of_arms()})) == 6


def test_the_picture_of_two_rates() -> None:
    """The largest regret of each K, divided by either rate."""
    table = of_arms().assign(lower_rate=10.0, new_rate=20.0)
    rows = [{name: str(value) for name, value in row.items()} for row in table.to_dict("records")]
    lines = two_rates.draw([*rows, rows[0] | {"part": "epsilon", "regret": "9999"}])
    assert lines is not None
    assert [line.points for line in lines.drawn] == [[(10.0, 3.0), (100.0, 6.0)], [(10.0, 1.5), (100.0, 3.0)]]
    assert two_rates.draw(rows[:2]) is None


def test_the_lower_bound_s_instance() -> None:
    """Regret that equals the bound keeps it; bounds of 0 or less say nothing; the printed one's last T is told."""
    table = pd.concat(
        of_arms().head(2).assign(part=part, noise="gumbel", horizon=[4.0, 16.0])
        for part in ("arms", "epsilon", "horizon")
    ).reset_index(drop=True)
    table = table.assign(regret=[3.0, 5.0] * 3, lower=[3.0, 0.0] * 3, lower_printed=[3.0, 5.1] * 3)
    shown = hidden_action.plot(table)
    assert shown.title == (
        "Regret is at least the repaired lower bound everywhere; the printed one lies above regret up to T = 16"
    )
    (curve,) = shown.panels[2].curves
    own = curve.table
    assert own["lower"].isna().tolist() == [False, True]
    expected = [theory.deterministic_lower_bound(10.0, 0.2, t) for t in (4.0, 16.0)]
    assert own["lower_twice"].tolist() == pytest.approx(
        [value if value > 0 else math.nan for value in expected], nan_ok=True
    )
    less = hidden_action.plot(table.assign(lower=[3.1, 0.0] * 3, lower_printed=3.0))
    assert less.title.endswith("lower bound at 3 of 6 points; the printed one is not above it")


# --- random losses ---------------------------------------------------------------------------------------


def test_two_rates_and_marks() -> None:
    """Of equal gaps alone; marks at every fourth horizon from 4 rounds on; at one round a rate says nothing."""
    equal = pd.DataFrame({"arms": [4.0, 16.0], "regret": [10.0, 30.0], "lower_rate": 5.0, "new_rate": 20.0})
    other = equal.assign(family="hidden", regret=999.0)
    over = pd.DataFrame({"horizon": [1, 2, 4], "regret": [1.0, 2.0, 3.0], "resampling": 1, "arms": 4.0})
    drawn = pd.DataFrame({"round": 2.0 ** np.arange(8), "mean": np.arange(8.0), "runs": 30, "title": "x"})
    table = pd.concat(
        [
            pd.concat([equal.assign(family="equal"), other]).assign(part="arms", horizon=2**40),
            over.assign(part="horizon"),
            drawn.assign(part="sampled", mean_low=0.0, mean_high=1.0),
        ]
    ).assign(noise="gumbel", epsilon=0.5, gap=0.25)
    shown = stochastic_regret.plot(table)
    assert "at most 3-fold" in shown.title
    flat, falls = shown.panels[0].curves
    assert heights(flat) == [2.0, 6.0] and heights(falls) == [0.5, 1.5] and limits(shown)[0][1] == (0.05, 6)
    one, marks, earlier, new = shown.panels[1].curves
    assert marks.table["round"].tolist() == [4.0, 64.0] and one.table["horizon"].tolist() == [1, 2, 4]
    assert math.isnan(heights(earlier)[0])
    assert heights(earlier)[1:] == pytest.approx([theory.earlier_rate(4.0, 0.5, 0.25, t) for t in (2, 4)])
    assert heights(new) == pytest.approx([theory.new_rate(4.0, 0.5, 0.25)] * 3)


# --- resampling ------------------------------------------------------------------------------------------


def example(probabilities: tuple[float, float]) -> pd.DataFrame:
    """Return selections of two budgets and regret at two horizons, of two noises that differ at the second."""
    rows = [
        ("selection", name, noise, b, epsilon, probabilities[b], math.nan, math.nan)
        for name in ("printed", "repaired")
        for noise in ("gumbel", "laplace")
        for b in (0, 1)
        for epsilon in (0.1, 10.0)
    ]
    times = {"gumbel": (1.0, 4.0), "laplace": (1.0, 4.05)}
    rows += [
        ("regret", name, noise, b, 1.0, math.nan, t, 2.0 * times[noise][k] if b else 2.0)
        for name in resampling_example.EXAMPLES
        for noise in times
        for b in (0, 1)
        for k, t in ((1, 8), (0, 1))
    ]
    columns = ["part", "example", "noise", "resampling", "epsilon", "probability", "round", "regret"]
    return pd.DataFrame(rows, columns=columns)


def test_what_resampling_costs() -> None:
    """Its regret is divided by that without, in order of the rounds; ratios within 2 % are one line."""
    shown = resampling_example.plot(example((0.2, 0.2)))
    assert shown.title == (
        "In the printed example resampling selects the worse action at least as often, "
        "and has up to 4 times the regret"
    )
    assert limits(shown) == [
        *[((0.1 / 1.3, 13.0), (0.1, 0.95))] * 2,
        ((1 / 1.3, 8 * 1.69), (0.42, 18)),
    ]
    costs = shown.panels[2]
    assert [curve.table["ratio"].tolist() for curve in costs.curves[:2]] == [
        pytest.approx([1.0, 4.0]),
        pytest.approx([1.0, 4.05]),
    ]
    assert costs.notes[0].text.startswith("the three noises") and costs.notes[0].x == pytest.approx(8 / 1.3)
    assert "in places less often" in resampling_example.plot(example((0.2, 0.19))).title
    wider = example((0.2, 0.2))
    wider.loc[(wider["noise"] == "laplace") & (wider["round"] == 8) & (wider["resampling"] == 1), "regret"] = 8.2
    assert resampling_example.plot(wider).panels[2].notes[0].text == "a line for each noise"


def selections(rise: float, multiple: float) -> pd.DataFrame:
    """Return two instances over three epochs, and a search."""
    rows = [
        ("profile", instance, b, noise, r, j, mean, p)
        for instance, b in (("spread means", 1), ("misleading losses", 0), ("misleading losses", 1))
        for noise in ("gumbel", "laplace")
        for r, ps in enumerate(((0.5, 0.4), (0.9, 0.01), (0.99, 1e-7)), start=1)
        for j, mean, p in zip((1, 2), (0.3, 0.35), ps, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["part", "instance", "resampling", "noise", "r", "j", "mean", "probability"])
    found = pd.DataFrame({"part": "search", "rise": [-1.0, rise], "multiple": [0.5, multiple]})
    return pd.concat([table.assign(epsilon=0.5), found], ignore_index=True)


def test_selection_in_order_of_the_means() -> None:
    """Up to the epoch before one is too rare; what breaks the lemma by no more than rounding breaks it not."""
    shown = selection_monotonicity.plot(selections(1e-12, 1.0 + 1e-13))
    assert "of 2 random instances none breaks the order, and none exceeds 1/j" in shown.conditions
    assert "mean losses 0.3, 0.35; (b)" in shown.conditions
    first, second, third = shown.panels
    assert [curve.name for curve in first.curves] == ["j = 1", "j = 2"]
    assert [heights(curve) for curve in first.curves] == [[0.5, 0.9], [0.4, 0.01]]
    assert [heights(curve) for curve in second.curves] == [pytest.approx([0.8, 0.9, 0.99])] * 2
    assert [heights(curve) for curve in third.curves] == [pytest.approx([-0.1, -0.89, -0.9899999])] * 4
    assert second.limits == (None, (0.0, 1.1))
    broken = selection_monotonicity.plot(selections(0.01, 1.02))
    assert "the order is broken by 0.01, and 1/j is exceeded by 0.02" in broken.conditions
    assert "is not always selected as often" in broken.title
    always = selections(0.0, 1.0)
    always["probability"] = 1e-7
    assert [len(curve.table) for curve in selection_monotonicity.plot(always).panels[0].curves] == [3, 3]


# --- tables ----------------------------------------------------------------------------------------------


def test_rates_stand_beside_the_noise_of_least_or_most_regret() -> None:
    """Of the longest horizon and about the most actions; below 0.7 of these a row is another instance."""
    rows = [
        *[("gumbel", 100, 10.0, 64), ("laplace", 70, 20.0, 64), ("exponential", 100, 30.0, 64)],
        *[("gumbel", 69, 1.0, 64), ("gumbel", 100, 2.0, 32), ("gumbel", 100, 9.0, 64)],
    ]
    table = pd.DataFrame(rows, columns=["noise", "arms", "regret", "horizon"]).assign(
        epsilon=0.5, gap=0.1, family="f"
    )
    both = pd.concat([table.assign(part="arms"), table.assign(part="independent")])
    made = rates.make(pd.DataFrame(), {"stochastic-regret": both, "deterministic-regret": both})
    lower, earlier, upper = made.numbers.head(3).to_dict("records")
    assert (lower["noise"], lower["regret"], lower["value"]) == ("gumbel", 10.0, theory.lower_rate(100, 0.5, 0.1))
    assert (earlier["noise"], earlier["value"]) == ("laplace", theory.earlier_rate(70, 0.5, 0.1, 64))
    assert (upper["noise"], upper["ratio"]) == ("exponential", 30.0 / theory.new_rate(100, 0.5, 0.1))
    assert made.text["regret/rate"][2] == f"{upper['ratio']:.2f}" and made.text["exact regret"][4] == "–"


def test_specifications_have_half_their_interval() -> None:
    """And the largest privacy loss of their noise, of all pairs."""
    exact = [
        (b, noise, 100.0 * b + k) for b in (0, 1) for k, noise in enumerate(("laplace", "exponential", "gumbel"))
    ]
    random = pd.DataFrame(exact, columns=["resampling", "noise", "regret"]).assign(
        part="horizon", horizon=64, arms=3
    )
    hidden = pd.DataFrame({"noise": ["exponential", "gumbel", "permute-and-flip"], "regret": [7.0, 8.0, 9.0]})
    hidden = hidden.assign(part="arms", family="hidden", arms=3, horizon=64)
    names = {"laplace": "Laplace", "exponential": "Exponential", "gumbel": "Gumbel"}
    cells = [
        (losses, b, f"RNM-FTNL ({names.get(noise, noise)})")
        for _, losses, b, noise in specifications.SPECIFICATIONS
    ]
    aggregates = pd.DataFrame(cells, columns=["experiment", "resampling", "title"])
    aggregates = aggregates.assign(mean=10.0, mean_low=8.0, mean_high=13.0, runs=30, arms=3, epsilon=0.5)
    aggregates = aggregates.assign(round=64, horizon=64)
    early = aggregates.assign(round=1, mean=1.0)
    audits = pd.DataFrame(
        {"noise": [*names, "permute-and-flip"] * 2, "multiple": [0.5] * 4 + [1.0] * 4, "pairs": 3}
    )
    computed = {"stochastic-regret": random, "deterministic-regret": hidden, "selection-privacy": audits}
    made = specifications.make(pd.concat([early, aggregates], ignore_index=True), computed)
    assert made.numbers["exact"].tolist() == [0.0, 100.0, 101.0, 102.0, 7.0, 8.0, 9.0]
    assert set(made.text["sampled regret"]) == {"10.00 ± 2.50 (30 runs)"}
    assert set(made.numbers["audited_multiple"]) == {1.0} and set(made.numbers["audited_pairs"]) == {6}
    assert made.text["resampling"].tolist() == ["no (B = 0)", *["yes (B = 1)"] * 3, *["no (B = 0)"] * 3]
