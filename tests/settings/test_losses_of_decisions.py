"""Exact privacy losses of single decisions and releases in closed forms; levels of splitting, widths by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Tuning
from dpbandits.settings.adversarial import privacy as adversarial
from dpbandits.settings.experts import privacy as experts
from dpbandits.settings.full_information import instances, noises, regret, selection
from dpbandits.settings.full_information import privacy as full_information
from dpbandits.settings.linear import elimination, elimination_declarations
from dpbandits.settings.linear.design import approximate_design
from dpbandits.settings.linear.elimination import M1, M2
from dpbandits.settings.linear.environments import actions
from dpbandits.settings.stochastic import privacy as stochastic
from dpbandits.settings.stochastic import splitting


def test_laplace_tails() -> None:
    """On both sides of 0, and at it."""
    np.testing.assert_allclose(
        np.exp(adversarial.log_at_most(np.array([-2.0, 0.0, 1.0]))), [math.exp(-2) / 2, 0.5, 1 - math.exp(-1) / 2]
    )


@pytest.mark.parametrize("epsilon", [0.25, 2.0])
def test_a_noisy_mean_loss(epsilon: float) -> None:
    """It is epsilon, of the likeliest half-line: at least the larger mean, 1/tau, of which the others are 0."""
    found = adversarial.worst(epsilon, {}, batches=(5, 2))
    assert found.loss == pytest.approx(epsilon)
    assert found.probabilities == pytest.approx((0.5, 0.5 * math.exp(-epsilon)))
    assert "of 2 rounds," in found.of
    # By symmetry both are as bad, but for rounding.
    least, none = {"losses": [[1.0, 1.0]] + [[0.0, 0.0]] * 3}, {"losses": [[0.0, 0.0]] * 4}
    assert (found.event, found.one, found.other) in (
        ("the first noisy mean is at least 0.5", least, none),
        ("the first noisy mean is at most 0", none, least),
    )
    alone = adversarial.worst(epsilon, {}, of_table=adversarial.of_losses_and_advice)
    assert "of 1 round," in alone.of
    assert {"losses": [[1, 1], [0, 0]], "advice": [[[1, 0], [0, 1]]] * 2} in (alone.one, alone.other)


def test_events_of_a_noisy_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only thresholds above are looked at, the upper half-line tells most; below, the lower one."""
    monkeypatch.setattr(adversarial, "LEVELS", np.array([1.0]))
    monkeypatch.setattr(adversarial, "THRESHOLDS", np.array([0.5]))
    found = adversarial.worst(0.5, {}, batches=(2,))
    # In noise scales of 1: means 1/2 and 1, threshold 1.
    assert found.event == "the first noisy mean is at least 1" and found.loss == pytest.approx(0.5)
    monkeypatch.setattr(adversarial, "THRESHOLDS", np.array([-0.5]))
    low = adversarial.worst(0.5, {}, batches=(2,))
    p, q = 0.5 * math.exp(-0.5), 0.5 * math.exp(-1.0)
    assert low.event == "the first noisy mean is at most 0" and low.probabilities == pytest.approx((p, q))
    assert low.one == {"losses": [[0, 0], *[[1, 1]] * 3]} and low.other == {"losses": [[1, 1]] * 4}


def test_the_law_of_a_loss() -> None:
    """Of a Laplace release: e^-s/2 at -s, 1/2 at s, the rest between; of two, sums."""
    shift = 0.8
    for up, number in ((True, 1), (False, 1), (True, 2), (False, 2)):
        losses, masses = experts.law(shift, number, up)
        assert losses[0] == -number * shift and losses[-1] == number * shift
        assert masses.sum() == pytest.approx(1.0) and losses.size == 2 * experts.CELLS * number + 1
        assert masses[-1] == pytest.approx(0.5**number, abs=0.001)
    up, down = experts.law(shift, 1), experts.law(shift, 1, False)
    assert up[1][0] == pytest.approx(math.exp(-shift) / 2) and down[1][-1] == 0.5
    for epsilon in (0.0, 0.3, 0.79):
        exact = 1.0 - math.exp((epsilon - shift) / 2)
        low, high = experts.delta(*down, epsilon), experts.delta(*up, epsilon)
        assert low <= exact + 1e-12 and exact <= high + 1e-12 and high - low < 0.002
    assert experts.delta(*up, shift) == 0.0
    assert experts.smallest_epsilon(*up, 0.5) == 0.0
    assert experts.smallest_epsilon(*up, 0.1) == pytest.approx(shift + 2 * math.log(0.9), abs=0.002)


def test_the_best_of_noisy_sums() -> None:
    """Even at a tie; of two, 1 - (1/2 + d/4) e^-d with a lead of d; symmetric; of many, by their own law."""
    assert [stochastic.chosen(0.0, arms) for arms in (2, 3, 10)] == pytest.approx([1 / 2, 1 / 3, 1 / 10], rel=1e-13)
    for d in (0.1, 1.0, 7.5):
        exact = 1.0 - (0.5 + d / 4.0) * math.exp(-d)
        assert stochastic.chosen(d, 2) == pytest.approx(exact, rel=1e-13)
        assert stochastic.chosen(-d, 2) == pytest.approx(1.0 - exact, rel=1e-9)
    # Far behind, e^-d of it is left for each unit.
    assert stochastic.chosen(-31.0, 3) / stochastic.chosen(-30.0, 3) == pytest.approx(math.exp(-1.0), rel=1e-9)
    found = stochastic.worst(2.0, {})
    assert 2.0 - 1e-9 < found.loss < 2.0 + 1e-9 and found.one["reward sum of arm 1"] <= 0
    assert found.other["reward sum of arm 1"] == found.one["reward sum of arm 1"] - 1
    assert math.log(found.probabilities[0] / found.probabilities[1]) == found.loss


@pytest.mark.parametrize(("name", "scale", "loss"), [("gumbel", 2.0, 1.0), ("exponential", 1.0, 2.0)])
def test_a_noisy_selection(name: str, scale: float, loss: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Losses tend to 2 over the scale, of the first of two actions far behind; rounds cover all losses."""
    select = getattr(selection, name)
    found = full_information.search(select, scale, 2, 3, 1)
    assert found.loss == pytest.approx(loss, rel=1e-3) and found.loss <= loss * (1 + 1e-9)
    before, after = found.log_probabilities
    assert after - before == found.loss and found.pairs > 40
    monkeypatch.setattr(full_information, "ARMS", (2, 3))
    monkeypatch.setattr(full_information, "DRAWN", 1)
    told = full_information.exact(select, 1.0, {"scale": scale})
    own, *others = told.one["accumulated losses"]
    assert told.other["accumulated losses"] == [own - 1.0, *(each + 1.0 for each in others)]
    assert own >= 1.0 and min(others) >= 0.0 and told.one["rounds"] == max(own, max(others) + 1.0)
    assert told.probabilities == pytest.approx(
        (told.probabilities[1] * math.exp(-told.loss), told.probabilities[1])
    )
    steps = [list(each) for each in full_information._structured(3, 0.05)]
    assert steps[:5] == [[0, 0, 0], [1, 1, 1], [-1, -1, -1], [1, 0, 0], [-1, 0, 0]] and len(steps) == 9


def test_selection_of_equal_losses() -> None:
    """Log probabilities in the order of the losses; in units of the scale."""
    found = np.exp(full_information.log_selected(selection.gumbel, np.array([7.0, 5.0, 7.0]), 2.0))
    weights = np.array([math.exp(-1.0), 1.0, math.exp(-1.0)])
    np.testing.assert_allclose(found, weights / weights.sum())


def test_overtaking() -> None:
    """Of two noises alike: even at 0, and the same on both sides of it."""
    d = np.array([-1.0, 0.0, 1.0])
    laplace = np.array([1.0 - 0.75 * math.exp(-1), 0.5, 0.75 * math.exp(-1)])
    exponential = np.array([1.0 - 0.5 * math.exp(-1), 0.5, 0.5 * math.exp(-1)])
    np.testing.assert_allclose(np.exp(selection.overtake_laplace(d)), laplace)
    np.testing.assert_allclose(np.exp(selection.overtake_exponential(d)), exponential)
    np.testing.assert_allclose(np.exp(selection.overtake_gumbel(d)), 1.0 / (1.0 + np.exp(d)))


def test_levels_of_splitting() -> None:
    """Of 1600 indices 1 to 1600: 100 pass the first, 50 the next; beyond 30, in equal steps; below the most."""
    highest = np.arange(1.0, 1601.0)[::-1]
    assert splitting._levels(highest, 1700.0).tolist() == [1501.0, 1551.0, 1601.0, 1651.0]
    assert splitting._levels(highest, 1651.0).tolist() == [1501.0, 1551.0, 1601.0]
    assert splitting._levels(highest[:479], 1e9).size == 0
    assert splitting._levels(highest - 1501.0, 1e3).tolist() == [50.0]
    assert splitting.FIRST["dp-imed"]({"n0": 3}, 0.5, 100) == 3
    assert splitting.FIRST["dp-imed-long-start"]({"first": 10.0}, 0.5, 100) == 20


def test_reports_of_rewards() -> None:
    """Clipped to [-1, 1], or from -3 to 3; noise of scale 2/epsilon."""
    clipped, free = elimination_declarations.CLIPPED(0.5, {}), elimination_declarations.UNCLIPPED(0.5, {})
    assert (clipped.loss, free.loss) == (0.5, 1.5)
    assert clipped.of == "one report of a reward clipped to [-1, 1] with Lap(4)" and "clipped" not in free.of
    assert clipped.event == "the report is at least 1" and free.event == "the report is at least 3"
    assert clipped.probabilities == pytest.approx((0.5, math.exp(-0.5) / 2)) and free.one == {"reward": 3.0}
    assert free.other == {"reward": -3.0} and free.probabilities[1] == pytest.approx(math.exp(-1.5) / 2)


def test_defaults_of_linear_algorithms() -> None:
    """log T rounded up, 1/(K T^2), and the environment's facts."""
    tuning = Tuning(100, 5, 0.5, facts={"corruption": 0.1, "bound": 3.0, "dimension": 5.0})
    of: Any = elimination_declarations
    found = [each.default(tuning, {}) for each in (of.B, of.DELTA, of.ALPHA, of.NU, of.CLIP)]
    assert found == [5, 1 / 50_000, 0.1, 1 / 25, 3.0]
    assert of.B.default(Tuning(2, 5, 0.5), {}) == of.B.default(Tuning(1, 5, 0.5), {}) == 1
    assert [of.B.largest(Tuning(horizon, 5, 0.5)) for horizon in (1, 2, 3, 4, 1000)] == [1, 1, 1, 2, 9]
    bare = Tuning(100, 5, 0.5)
    assert [each.default(bare, {}) for each in (of.ALPHA, of.CLIP)] == [0.0, 1.0]


def test_widths_and_thresholds() -> None:
    """A batch of 4 reports, each of 2 rewards, with noise of scale 3."""
    batch = elimination.Batch(1, 3, 2, 4, 2, 0.5, 3.0, 20.0)
    assert elimination.known_threshold(batch, np.empty(0)) == 5.0
    assert elimination.no_filter(batch, np.empty(0)) == math.inf
    np.testing.assert_allclose(elimination.printed_threshold(batch, np.array([[1.0, 3.0], [0.0, 2.0]])), [2.5, 1.0])
    log = math.log(2 / 0.1)
    # The variance: 1/2 + 2 * 9, or 1 + 2 * 9.
    stated = math.sqrt(2 * 18.5 * log * 0.5) + 3 * log * 0.5 + math.sqrt(0.5 * 4 * 20 * 0.01)
    assert elimination.stated_width(2.0, 0.1, 0.01)(batch) == pytest.approx(2 * stated)
    clean = math.sqrt(2 * 19.0 * log * 0.5) + 3 * log * 0.5
    weights = math.sqrt(4 * 0.5)
    replaced = 0.01 * weights + math.sqrt(2 * 0.01 * 0.5 * log) + 0.5 * log / 3
    assert elimination.clipping_width(2.0, 0.1, 0.01, 7.0, 0.25)(batch) == pytest.approx(
        2 * (clean + 14.0 * replaced + 0.25 * weights)
    )


def test_the_end_of_exact_regret() -> None:
    """Epochs are halves of 2^r; what is left out of regret is bounded; the longest epoch is 2^18 rounds."""
    assert [regret.epochs(horizon) for horizon in (1, 2, 3, 4, 1023, 1024)] == [1, 2, 2, 3, 10, 11]
    expected = np.array([8.0, 4.0, 2.0])
    rounds = np.array([1, 2, 3, 4, 7])
    assert regret.regret(expected, rounds).tolist() == [8.0, 12.0, 16.0, 18.0, 24.0]
    weights, gaps = np.array([[0.0, 0.5]]), np.array([0.0, 0.5])
    terms = [2 * n * (math.exp(-n / 16) + math.exp(-n * 0.5 / 8)) for n in (2.0**k for k in range(2, 40))]
    assert regret._rest(weights, gaps, 2.0, 3)[0] == pytest.approx(0.5 * math.fsum(terms))


@pytest.mark.parametrize(
    ("model", "clip", "moment", "unit", "reach"),
    [
        (M1, 1.0, 3.0, 6.0, 0.25),
        (M1, 9.0, 4.0, math.sqrt(48.0), 0.25),
        (M2, 1.0, 1.125, math.sqrt(3.375), 1.0),
        (M2, 9.0, 1.375, math.sqrt(4.125), 1.0),
    ],
)
def test_the_plan_of_a_batch(model: Any, clip: float, moment: float, unit: float, reach: float) -> None:
    """Two orthonormal actions, of 4 and 16 rewards with noise of scale 1: three times the moment is tolerated."""
    parameters = actions.ENVIRONMENT.check({"actions": [[1, 0], [0, 1]], "theta": [1, 0]})
    bandit = actions.ENVIRONMENT.problem(parameters, Tuning(100, 2))
    design = approximate_design(bandit.actions)
    rules = elimination.Rules(
        range(1), lambda *_: np.array([4, 16]), lambda _: 1.0, lambda *_: 1.0, model, clip, 1.0
    )
    plan = elimination._plan(bandit, design, np.array([0, 1]), np.array([4, 16]), 1, rules)
    assert (plan.batch.second_moment, plan.unit, plan.batch.reach) == pytest.approx((moment, unit, reach))
    assert plan.batch.reports == (20 if model is M1 else 2)
    sent = bandit._replace(corruption=bandit.corruption._replace(probability=4.0))
    assert elimination._plan(sent, design, np.array([0, 1]), np.array([4, 16]), 1, rules).unit == pytest.approx(
        math.sqrt(3 * moment / 4)
    )


def test_runs_in_pieces_and_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """At least one run at a time; runs that keep the same actions are one group."""
    monkeypatch.setattr(elimination, "AT_ONCE", 10)
    some = np.arange(5)
    assert [piece.tolist() for piece in elimination._pieces(some, 4)] == [[0, 1], [2, 3], [4]]
    assert [piece.size for piece in elimination._pieces(some, 11)] == [1] * 5
    table = np.array([[1, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)
    assert sorted(sorted(rows.tolist()) for rows in elimination._equal_rows(table)) == [[0, 2], [1], [3]]


def test_the_longest_epoch_whose_law_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of 4 rounds is, the next is not; the first action is drawn evenly."""
    monkeypatch.setattr(regret, "LONGEST_EPOCH", 4)
    noise: Any = SimpleNamespace(select_random=lambda law, counts, step: np.full(counts.shape, law * step))
    gaps, counts = np.array([0.0, 1e-3]), np.array([[1.0, 3.0]])

    def expected(number: int) -> Any:
        return regret.random(noise, 2.0, iter([1.0, 3.0, 5.0]), 0.5, gaps, counts, number)  # type: ignore[arg-type]

    np.testing.assert_allclose(expected(4), [[3e-3 / 4, 3e-3 / 4, 3e-3 * 0.75, 3e-3 * 1.25]])
    with pytest.raises(BadInput, match="within 4 rounds"):
        expected(5)


def test_epochs_of_random_phase_piece_by_piece() -> None:
    """Of two actions with Gumbel noise: to the 20,000th round, where nothing is left, exactly."""
    ratio, scale, gap = 2.5, 100.0, 0.5
    found = regret.random_phase(noises.NOISES["gumbel"], scale, instances.equal(2, gap), ratio)
    ends = np.union1d(np.arange(1.0, 20_001.0), np.arange(1.0, ratio * 20_000 + 1.0) / ratio)
    ends = ends[(ends >= 1.0) & (ends <= 20_000)]
    middle = (ends[1:] + ends[:-1]) / 2
    g = gap / (1.0 + np.exp(np.ceil(middle) * gap / scale))
    # ceil is 2 up to 2 and 3 up to 2.5.
    first = (2 * math.log(2) + 3 * math.log(1.25)) * gap / 2
    exact = (first + np.sum(np.diff(np.log(ends)) * np.ceil(ratio * middle) * g)) / math.log(ratio)
    assert found == pytest.approx(exact, rel=1e-5)


def test_the_simplest_of_equally_bad_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loss that is larger by rounding is no larger; rounds are more than any other action's losses."""
    found = {
        2: full_information.Found(1.0, np.array([-3.0]), (-1.0, 0.0), 1),
        3: full_information.Found(1.0 + 1e-12, np.array([2.0, 5.0]), (-2.0, -1.0), 1),
        4: full_information.Found(1.1, np.array([2.0, 5.0, 0.0]), (-2.1, -1.0), 1),
    }
    monkeypatch.setattr(full_information, "search", lambda _, __, arms, *___: found[arms])
    monkeypatch.setattr(full_information, "ARMS", (2, 3))
    told = full_information.exact(selection.gumbel, 1.0, {"scale": 2.0})
    assert told.loss == 1.0 and told.one == {"accumulated losses": [1.0, 4.0], "rounds": 5.0}
    assert told.probabilities == pytest.approx((math.exp(-1.0), 1.0)) and told.of.endswith("K up to 3")
    monkeypatch.setattr(full_information, "ARMS", (2, 3, 4))
    worse = full_information.exact(selection.gumbel, 1.0, {"scale": 2.0})
    assert worse.loss == 1.1 and worse.one == {"accumulated losses": [5.0, 3.0, 0.0, 5.0], "rounds": 6.0}
    assert worse.other["accumulated losses"] == [4.0, 4.0, 1.0, 6.0]
