"""Rows of computations: what they ask exact calculations for, and what they make of the answers, by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbandits.papers.wu2025.computations import (
    conjecture,
    deterministic_regret,
    few_actions,
    random_phase,
    selection_decay,
    selection_monotonicity,
    stochastic_regret,
)
from dpbandits.settings.full_information import laws, theory
from dpbandits.settings.full_information.instances import hidden
from dpbandits.settings.full_information.noises import NOISES, PRINTED


class Asked:
    """Notes the arguments of calls, and gives the same answer to all."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.calls = answer, list[tuple[Any, ...]]()

    def __call__(self, *call: Any) -> Any:
        self.calls.append(call)
        return self.answer


def regret_of(monkeypatch: pytest.MonkeyPatch, module: Any, **answers: Any) -> dict[str, Asked]:
    """Replace functions of a computation's module ``regret`` by ones with these answers."""
    asked = {name: Asked(answer) for name, answer in answers.items()}
    known = {name: getattr(module.regret, name) for name in ("epochs",)}
    monkeypatch.setattr(module, "regret", SimpleNamespace(**known, **asked))
    return asked


# --- deterministic losses --------------------------------------------------------------------------------


def test_instances_over_an_octave() -> None:
    """Eight equal gaps from the smallest to less than twice it, then the other two families."""
    found = list(deterministic_regret.instances(10.0, 0.01))
    assert [name for name, _ in found] == ["equal"] * 8 + ["hidden", "geometric"]
    assert [gaps.smallest for _, gaps in found[:8]] == pytest.approx([0.01 * 2 ** (k / 8) for k in range(8)])


def test_a_row_of_deterministic_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The noise's scale is its factor over epsilon; epochs are those of T; rates and bounds stand beside."""
    asked = regret_of(monkeypatch, deterministic_regret, deterministic="e", regret=np.array([7.0]))
    row = deterministic_regret.row("gumbel", "hidden", hidden(10.0, 0.01), 0.5, 1000)
    assert asked["deterministic"].calls[0][1] == 4.0 and asked["deterministic"].calls[0][3] == 10
    assert (row["regret"], row["rate"]) == (7.0, pytest.approx(math.log(10) / 0.5))
    assert row["lower"] == theory.deterministic_lower_bound(10.0, 0.5, 1000)
    assert (row["theorem_a_low"], row["theorem_a_high"]) == theory.deterministic_bounds(math.log(10), 4.0)
    table = deterministic_regret.compute([10, 20], 0.5, 0.01, 1000, [0.1, 1.0, 3.0], [4, 16])
    # Of each noise ten instances for two K, three budgets and two horizons, of the last K.
    assert table.groupby("part").size().to_dict() == {
        part: number * len(NOISES) for part, number in (("arms", 20), ("epsilon", 3), ("horizon", 2))
    }
    assert set(table.loc[table["part"] != "arms", "arms"]) == {20.0}


def test_votes_of_few_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mean of the gaps times the regret at gap 1: the gap itself, or half of it and of the largest one."""
    answers = {"deterministic": "e", "regret": np.array([[10.0]]), "random": "r"}
    asked = regret_of(monkeypatch, few_actions, **answers | {"regret": np.array([10.0])})
    monkeypatch.setattr(few_actions, "resampled", lambda _, gap: {"instance": "resampled", "gap": gap})
    table = few_actions.compute(0.5, [0.1, 0.2], 11, [0.3])
    assert table["regret"].tolist()[:6] == pytest.approx([1.0, 2.0, 1.0, 2.0, 5.5, 6.0])
    assert table["arms"].tolist()[:6] == [2, 2, 3, 3, 3, 3] and set(table["horizon"].dropna()) == {1024}
    assert table["rate"].tolist()[:3:2] == pytest.approx([math.log(2) / 0.5, math.log(3) / 0.5])
    assert table["lower"].tolist()[:6] == [0.0] * 4 + [theory.few_actions_lower_bound(3, 0.5)] * 2
    assert [call[1] for call in asked["deterministic"].calls] == [4.0] * 3 and table["gap"].iloc[-1] == 0.3


def test_resampled_losses_of_two_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """1/2 and 1/2 + gap over 2^20 - 1 rounds."""
    asked = regret_of(monkeypatch, few_actions, random="r", regret=np.array([[3.0]]))
    row = few_actions.resampled(0.5, 0.125)
    (call,) = asked["random"].calls
    assert call[1] == NOISES["laplace"].factor / 0.5 and call[4].tolist() == [0.0, 0.125] and call[6] == 20
    law = next(iter(call[2]))
    assert (law @ np.arange(law.shape[1])).tolist() == pytest.approx([0.5, 0.625])
    assert (row["regret"], row["horizon"], row["rate"]) == (3.0, 2**20 - 1, pytest.approx(math.log(2) / 0.5))
    assert asked["regret"].calls[0][1].tolist() == [2**20 - 1]


def test_rows_of_random_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    """b s is scale times spread, and the budget the factor over the scale."""
    regret_of(monkeypatch, random_phase, doubling=1.0, random_phase=2.0)
    table = random_phase.compute([200.0])
    assert len(table) == len(NOISES) * len(random_phase.INSTANCES)
    row = table[(table["noise"] == "gumbel") & (table["family"] == "crowd")].iloc[0]
    assert (row["b_s"], row["epsilon"]) == (pytest.approx(200 * math.log(1000)), 0.01)
    assert row["upper"] == pytest.approx(theory.random_phase_bound(math.log(1000), 200.0, math.e))
    harmonic = random_phase.INSTANCES["harmonic"]
    assert harmonic.gaps[:3].tolist() == [0.0, 0.01, pytest.approx(1 / 99)] and harmonic.arms == 101


# --- random losses ---------------------------------------------------------------------------------------


def test_families_of_gaps() -> None:
    """Equal ones, the hidden action's, and six steps with as many actions as powers of K."""
    gaps, numbers = stochastic_regret.family("equal", np.array([4.0, 9.0]), 0.1)
    assert gaps.tolist() == [0.0, 0.1] and numbers.tolist() == [[1.0, 3.0], [1.0, 8.0]]
    gaps, numbers = stochastic_regret.family("hidden", np.array([9.0]), 0.1)
    assert gaps.tolist() == [0.0, 0.1, 1.0] and numbers.tolist() == [[1.0, 2.0, 6.0]]
    gaps, numbers = stochastic_regret.family("ladder", np.array([64.0]), 0.01)
    assert gaps.tolist() == pytest.approx([0.0, *(10 ** (-2 + k * 0.4) for k in range(6))])
    assert numbers.tolist() == [[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]]


def test_regret_over_arms_and_gaps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal gaps are next to 1/2, others from 0 on; over T the worst of sixteen gaps counts."""
    asked = regret_of(monkeypatch, stochastic_regret, random="r", regret=np.array([[5.0]]))
    table = stochastic_regret.over_arms([9], 0.5, 0.25)
    means = [next(iter(call[2])) @ np.arange(2) for call in asked["random"].calls[:: len(PRINTED)]]
    assert [list(each) for each in means[:2]] == [pytest.approx([0.375, 0.625]), pytest.approx([0.0, 0.25, 1.0])]
    assert [call[1] for call in asked["random"].calls[:3]] == [NOISES[noise].factor / 0.5 for noise in PRINTED]
    row = table[(table["family"] == "hidden") & (table["noise"] == "gumbel")].iloc[0]
    assert (row["arms"], row["lower_rate"]) == (9.0, theory.lower_rate(9.0, 0.5, 0.25))
    assert row["theorem_b"] == theory.stochastic_bound(math.log(9), 4.0, 9.0, 0.25)
    asked = regret_of(monkeypatch, stochastic_regret, random="r", regret=np.array([[5.0, 6.0]]))
    table = stochastic_regret.worst_over_gaps([9], 0.5, 64)
    assert table["horizon"].tolist() == [16, 64] * len(PRINTED) and table["regret"].tolist() == [5.0, 6.0] * 3
    gaps = [call[4][1] for call in asked["random"].calls[:16]]
    assert gaps == pytest.approx([2 ** (-k / 2) for k in range(16)])
    law = next(iter(asked["random"].calls[2][2]))
    assert law[:, 1].tolist() == pytest.approx([0.25, 0.75]) and asked["random"].calls[0][6] == 7
    one = table.iloc[0]
    assert one["lower_rate"] == theory.independent_lower_rate(9.0, 0.5, 16.0)
    spread = theory.SPREADS[PRINTED[0]](9.0)
    assert one["theorem_c"] == theory.independent_bound(spread, NOISES[PRINTED[0]].factor / 0.5, 9.0, 16.0)


def test_regret_of_one_instance_over_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Laws on multiples of the step; resampled losses are 0 or 1; the gap is the smallest positive one."""
    asked = regret_of(monkeypatch, stochastic_regret, random=np.array([[1.0]]), regret=np.array([1.0, 2.0, 3.0]))
    values, weights = [[0.25, 0.5], [0.5], [0.0, 1.0]], [[0.75, 0.25], [1.0], [0.5, 0.5]]
    table = stochastic_regret.over_horizon(values, weights, 0.25, 0.5, 4)
    assert (
        table["horizon"].tolist() == [1, 2, 4] * 6 and set(table["gap"]) == {0.1875} and set(table["arms"]) == {3}
    )
    plain, resampled = asked["random"].calls[:2]
    assert (plain[3], resampled[3]) == (0.25, 1.0) and plain[4].tolist() == pytest.approx([0.0, 0.1875, 0.1875])
    assert next(iter(plain[2])).tolist() == [[0, 0.75, 0.25, 0, 0], [0, 0, 1, 0, 0], [0.5, 0, 0, 0, 0.5]]
    assert next(iter(resampled[2]))[:, 1].tolist() == pytest.approx([0.3125, 0.5, 0.5]) and plain[6] == 3
    parts = [Asked(table.head(1)) for _ in range(3)]
    for name, answer in zip(("over_arms", "over_horizon", "worst_over_gaps"), parts, strict=True):
        monkeypatch.setattr(stochastic_regret, name, answer)
    found = stochastic_regret.compute([4, 8, 16], 0.5, 0.1, [0.1, 1.0], values, weights, 0.25, 4, 64)
    assert found["part"].tolist() == ["arms", "epsilon", "epsilon", "horizon", "independent"]
    assert parts[0].calls == [([4, 8, 16], 0.5, 0.1), ([8], 0.1, 0.1), ([8], 1.0, 0.1)]
    assert parts[2].calls == [([4, 8, 16], 0.5, 64)]


def test_profiles_and_searches_of_selections() -> None:
    """Without noise worth the name the smaller loss is selected; of a search the largest rise and multiple."""
    table = selection_monotonicity.profile([0.0, 1.0], 1e9, 2)
    spread = table[(table["instance"] == "spread means") & (table["noise"] == "gumbel")]
    assert spread[["r", "j", "mean", "probability"]].to_numpy().tolist() == [
        [1, 1, 0.0, pytest.approx(1.0)],
        [1, 2, 1.0, pytest.approx(0.0)],
        [2, 1, 0.0, pytest.approx(1.0)],
        [2, 2, 1.0, pytest.approx(0.0)],
    ]
    misled = table[(table["instance"] == "misleading losses") & (table["noise"] == "gumbel") & (table["r"] == 1)]
    plain = misled[misled["resampling"] == 0].set_index("j")
    assert plain["mean"].tolist() == pytest.approx([0.3, 0.3, 0.32])
    # The third one's usual loss is least; else the second one's, else the first one's.
    assert plain["probability"].tolist() == pytest.approx([0.2 / 6, 0.2 * 5 / 6, 0.8], abs=1e-6)
    found = selection_monotonicity.search(3, 1)
    assert (
        len(found) == 3 * len(PRINTED) and (found["rise"] <= 1e-12).all() and (found["multiple"] <= 1 + 1e-12).all()
    )
    assert found["actions"].between(2, 12).all() and found["r"].between(1, 10).all()


# --- decay -----------------------------------------------------------------------------------------------


def test_decay_by_hand() -> None:
    """x = 4 n Delta min(Delta, epsilon); c2 = x/(log 2 - log P)."""
    assert selection_decay.exponent(10, 0.5, 0.25) == 5.0 and selection_decay.exponent(10, 0.25, 0.5) == 2.5
    row = selection_decay.row("centre", "gumbel", 2.0, 10, 0.5, 0.25, -3.0)
    assert (row["x"], row["c2"], row["proved"]) == (5.0, pytest.approx(5.0 / (math.log(2) + 3)), 64 / 7)
    values, law = selection_decay.difference(3, 0.75, 0.25)
    expected = np.zeros(7)
    for a in range(4):
        for b in range(4):
            mass = math.comb(3, a) * 0.75**a * 0.25 ** (3 - a) * math.comb(3, b) * 0.25**b * 0.75 ** (3 - b)
            expected[a - b + 3] += mass
    assert values.tolist() == [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0] and law == pytest.approx(expected)
    values, law = selection_decay.difference(2, 1.0, 0.0)
    assert values.tolist() == [2.0] and law.tolist() == [1.0]


def test_instances_of_decay() -> None:
    """Of x from a quarter on: pairs next to 1/2 and from 0, crowds, and losses that are not random."""
    pairs = list(selection_decay.pairs(2, [0.5], [0.0625, 0.125, 1.0]))
    # n = 1: 4 * 0.5 * 0.125 is a quarter, less is left out; n = 2: 0.0625 is enough, too.
    centre = [row for row in pairs if row["part"] == "centre" and row["noise"] == "gumbel"]
    assert [(row["n"], row["epsilon"]) for row in centre] == [
        (1, 0.125),
        (1, 1.0),
        (2, 0.0625),
        (2, 0.125),
        (2, 1.0),
    ]
    bottom = next(row for row in pairs if row["part"] == "bottom" and row["noise"] == "gumbel")
    # A loss of 1 with probability 1/2 at epsilon 1/8: a soft-max of half of it.
    share = 1 / (1 + math.exp(0.0625))
    assert math.exp(bottom["log_p"]) == pytest.approx(0.5 * 0.5 + 0.5 * share)
    both = centre[1]
    mass = {1: 0.75 * 0.75, 0: 2 * 0.75 * 0.25, -1: 0.25 * 0.25}
    assert math.exp(both["log_p"]) == pytest.approx(sum(m / (1 + math.exp(0.5 * d)) for d, m in mass.items()))
    (crowd, *_) = [r for r in selection_decay.crowds(1, [4.0], [0.5], [1.0]) if r["noise"] == "gumbel"]
    expected = 0.0
    for best in (0, 1):
        for others in range(4):
            chance = (0.25 if best else 0.75) * math.comb(3, others) * 0.75**others * 0.25 ** (3 - others)
            bad, good = math.exp(-0.5), 1.0
            total = (bad if best else good) + others * bad + (3 - others) * good
            expected += chance * (others * bad + (3 - others) * good) / 3 / total
    assert math.exp(crowd["log_p"]) == pytest.approx(expected) and crowd["arms"] == 4.0
    rows = list(selection_decay.deterministic(2, [4.0], [0.5], [0.125]))
    fixed = [row for row in rows if row["noise"] == "gumbel"]
    assert [row["n"] for row in fixed] == [1.0, 16.0]
    weight = math.exp(-16 * 0.5 * 0.125 / 2)
    assert fixed[1]["log_p"] == pytest.approx(math.log(weight / (1 + 3 * weight)))


# --- the conjecture --------------------------------------------------------------------------------------


def test_instances_of_the_conjecture() -> None:
    """Exponents 4 n Delta epsilon; gaps of epsilon itself are not in the sum."""
    one = conjecture.Instance("f", 0.25, 8, np.array([0.25, 0.5, 1.0]), np.array([1.0, 2.0, 5.0]), 1)
    assert one.x.tolist() == [0.0, 2.0, 6.0] and one.counted.tolist() == [0.0, 0.0, 5.0]
    bound = math.log(1 + 5 * math.exp(-6 / 4))
    assert conjecture.log_c1(-1.0, one, 8.0, 4.0) == pytest.approx(-1.0 + 2 / 8 + bound)
    pair = conjecture.two_actions(0.2, 8)
    assert pair.means.tolist() == pytest.approx([0.5 - 0.1001, 0.5 + 0.1001]) and pair.n == 8
    assert conjecture.two_actions(1.0, 8).means.tolist() == [0.0, 1.0]
    assert conjecture.crowd(0.2, 8, 0.3, 10.0).multiplicities.tolist() == [1.0, 1.0, 8.0]
    assert (conjecture.kappa("gumbel"), conjecture.kappa("exponential")) == (8.0, 4.0)
    assert conjecture.slowest("gumbel") == pytest.approx(8 * (1 + 1 / 7))
    assert conjecture.slowest("exponential") == pytest.approx(4 * (1 + 1 / 3))
    assert conjecture.two_constants("gumbel") == (12.0, 8.0)


def test_the_crowd_that_needs_most() -> None:
    """Its total weight is 2 s/(1 - s), s = kappa/c2 = 7/8, so that A = 14; of few actions one depth is least."""
    crowd = conjecture.crowd_of_largest_c1("gumbel", 1e6)
    depth = math.log((1e6 - 2) / 14)
    assert crowd.epsilon == pytest.approx(0.1 / depth) and crowd.means[1] == pytest.approx(0.1001 / depth)
    assert crowd.n == round(depth * 2 / crowd.epsilon)
    few = conjecture.crowd_of_largest_c1("gumbel", 10.0)
    assert (few.epsilon, few.n) == (0.1, 20)
    row = conjecture.row("crowd", "gumbel", few, math.log(0.01), 9.0, 8.0)
    assert (row["log10_p"], row["arms"], row["gap_j"], row["best_mean"]) == (pytest.approx(-2.0), 10.0, 0.1001, 0.0)
    assert row["log10_c1"] == pytest.approx(conjecture.log_c1(math.log(0.01), few, 9.0, 8.0) / math.log(10))


class Middles:
    """Gives what is put into it, and notes the ranges."""

    def __init__(self, *values: float) -> None:
        self.values, self.ranges = list(values), list[tuple[float, ...]]()

    def uniform(self, *ends: float) -> float:
        self.ranges.append(ends)
        return self.values.pop(0)

    def exponential(self) -> float:
        return self.values.pop(0)

    def random(self) -> float:
        return self.values.pop(0)


def test_drawn_instances_by_hand() -> None:
    """Epsilon 10^-1, a gap of 2.001 times it, means from 0.2 to 0.7, and ten like the second one."""
    rng: Any = Middles(-1.0, 1.0, 0.5, 0.2, 0.5, 0.0, 1.0)
    found = conjecture.draw_instance(rng, 30.0)
    gap = 0.1 * 2.001
    assert found.epsilon == pytest.approx(0.1)
    assert found.means.tolist() == pytest.approx([0.2, 0.2 + gap, 0.7])
    assert found.n == int(1.0 / (gap * 0.1)) and found.multiplicities.tolist() == [1.0, 10.0, 19.0]
    assert rng.ranges == [
        *[(-2.5, -0.3), (0.0, pytest.approx(1 - gap)), (pytest.approx(gap), 0.8), (-1.0, 1.2), (0.0, 2.0)]
    ]
    few: Any = Middles(-1.0, 100.0, 0.499, 0.95, 1.2, 2.0)
    found = conjecture.draw_instance(few, 7.0)
    assert found.means.tolist() == [0.0, 0.9, 0.95] and found.multiplicities.tolist() == [1.0, 5.0, 1.0]
    long: Any = Middles(-2.5, 0.0, 0.0, 0.9, 1.2, 0.0)
    assert conjecture.draw_instance(long, 7.0).n == 2**12


def test_families_have_every_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Multiples of kappa, the critical c2, two constants; a search leaves out what is too rare, and polishes."""
    monkeypatch.setattr(conjecture, "log_probability", lambda *_: -1.0)
    pair = conjecture.two_actions(0.2, 8)
    rows = list(conjecture.rows_of_family("gumbel", "two actions", [pair], [1.0, 2.0]))
    assert [(row["c2"], row["c3"]) for row in rows] == [(8.0, 8.0), (16.0, 16.0), (64 / 7, 64 / 7), (12.0, 8.0)]
    polished = Asked(conjecture.crowd(0.1, 9, 0.2, 5.0))
    monkeypatch.setattr(conjecture, "polished", polished)
    found = list(conjecture.search("gumbel", [3.0, 10.0], 4, 7, 1))
    assert len(found) == 2 * 5 and [row["n"] for row in found[4::5]] == [9, 9]
    assert [(call[2], call[3], call[4]) for call in polished.calls] == [(64 / 7, 64 / 7, 7), (12.0, 8.0, 7)]
    worst = max(found[:4], key=lambda row: row["log10_c1"])
    assert polished.calls[0][1].n == worst["n"] and {row["arms"] for row in found[:4]} <= {3.0, 10.0}
    # Below 10^-8 an instance does not count.
    seen = [-1.0, math.log(0.9e-8), math.log(1.1e-8), -1.0]
    monkeypatch.setattr(conjecture, "log_probability", lambda *_: seen.pop(0) if seen else -1.0)
    assert len(list(conjecture.search("gumbel", [3.0, 10.0], 4, 7, 1))) == 2 * 4


def test_what_a_search_may_reach() -> None:
    """Epsilon below the gap below the crowd's, all means in [0, 1]; it needs no less than the start."""
    start = conjecture.crowd(0.1, 20, 0.12, 50.0)
    better = conjecture.polished("gumbel", start, 9.0, 9.0, 15)
    needed = [
        conjecture.log_c1(conjecture.log_probability("gumbel", each), each, 9.0, 9.0) for each in (start, better)
    ]
    assert needed[1] >= needed[0] and better.multiplicities.tolist() == start.multiplicities.tolist()
    gaps = better.means - better.means[0]
    assert better.epsilon < gaps[1] < gaps[2] <= 1.0 and better.family in ("polished", "crowd")


def test_laws_of_two_actions_are_those_of_their_difference() -> None:
    """A soft-max averaged over both sums, for Gumbel noise of scale 2/epsilon."""
    pair = conjecture.Instance("pair", 0.5, 3, np.array([0.25, 0.75]), np.ones(2), 1)
    one, two = (laws.binomial(3, mean) for mean in (0.25, 0.75))
    expected = sum(one[a] * two[b] / (1 + math.exp(0.25 * (b - a))) for a in range(4) for b in range(4))
    assert conjecture.log_probability("gumbel", pair) == pytest.approx(math.log(expected))
