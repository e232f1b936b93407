"""The sampled audit by hand: sets of rounds, events in words, Wilson's intervals, stages, and random parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbandits.auditing import candidates, events, sampled
from dpbandits.auditing.bounds import approximate_bounds, interval, loss_bound
from dpbandits.auditing.candidates import Candidate, Probe, candidate_of_exact
from dpbandits.auditing.events import Event, spans, tally
from dpbandits.auditing.sampled import Sampled

# --- bounds ----------------------------------------------------------------------------------------------


def test_ends_of_intervals() -> None:
    """What never happened has the lower end 0, what always did the upper end 1; level is of each end."""
    assert interval(0, 10, 0.025) == (0.0, pytest.approx(0.30850, abs=1e-5))
    assert interval(10, 10, 0.025) == (pytest.approx(0.69150, abs=1e-5), 1.0)
    assert interval(3, 10, 0.025) == pytest.approx((0.06674, 0.65245), abs=1e-5)


def test_a_bound_of_a_loss_halves_its_level() -> None:
    """And shows none where the lower end is not above delta."""
    low, high = interval(60, 100, 0.01)[0], interval(20, 100, 0.01)[1]
    assert loss_bound(60, 20, 100, 0.0, 0.02) == pytest.approx(math.log(low / high))
    assert loss_bound(60, 20, 100, 0.1, 0.02) == pytest.approx(math.log((low - 0.1) / high))
    assert loss_bound(60, 20, 100, low, 0.02) == -math.inf
    assert loss_bound(0, 0, 100, 0.0, 0.02) == -math.inf


def test_wilson_s_intervals_by_hand() -> None:
    """Of 36 and 4 of 100 runs, at two standard deviations; of an event that was never seen there is no loss."""
    z, n = 2.0, 100

    def end(count: int, sign: float) -> float:
        p = count / n
        return (p + z * z / (2 * n) + sign * z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n)

    found = approximate_bounds(np.array([36, 0]), np.array([4, 0]), n, 0.01, z)
    assert found[0] == pytest.approx(math.log((end(36, -1) - 0.01) / end(4, 1))) and found[1] == -math.inf


# --- events ----------------------------------------------------------------------------------------------


def test_sets_of_rounds() -> None:
    """Near both ends alone, from the beginning together, and in runs that are too long for that with the last."""
    assert list(spans(3, 2)) == [(1,), (2,), (3,), (1, 2), (1, 2, 3)]
    of_14 = list(spans(14, 2))
    assert of_14[:14] == [(t,) for t in range(1, 15)]
    assert [len(rounds) for rounds in of_14[14:]] == [2, 3, 4, 6, 8, 12, 14]
    of_30 = list(spans(30, 2))
    assert of_30[:24] == [(t,) for t in (*range(1, 13), *range(19, 31))]
    assert [len(rounds) for rounds in of_30[24:]] == [2, 3, 4, 6, 8, 12, 16, 24, 30]
    # 39 actions of three are fewer than 2^62 sequences.
    of_70 = list(spans(70, 3))
    assert [len(rounds) for rounds in of_70[24:-12]] == [2, 3, 4, 6, 8, 12, 16, 24, 32, 39]
    assert of_70[-12:] == [(1, 2, t) for t in range(59, 71)]
    assert list(spans(39, 3))[-1] == tuple(range(1, 40))
    assert list(spans(2, 1)) == [(1,), (2,), (1, 2)] and list(spans(1, 2)) == [(1,)]


def test_events_in_words() -> None:
    """Rounds in a row are a range; of more than five sequences the first five."""
    assert Event((3,), 3, np.array([0, 2])).words == "the actions of round 3 are 1 or 3"
    assert Event((2, 3), 3, np.array([0, 5])).words == "the actions of rounds 2 to 3 are 1 1 or 2 3"
    assert Event((1, 4), 2, np.array([3])).words == "the actions of rounds 1, 4 are 2 2"
    five = Event((1, 2, 3), 2, np.arange(5)).words
    assert five == "the actions of rounds 1 to 3 are 1 1 1, 1 1 2, 1 2 1, 1 2 2 or 2 1 1"
    assert Event((1, 2, 3), 2, np.arange(6)).words.endswith("1 2 2, 2 1 1, ... (6 sequences)")
    played = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]], dtype=np.int16)
    assert Event((1, 3), 2, np.array([1])).count(played) == 1 and Event((2,), 2, np.array([1])).count(played) == 2
    assert events.encode(played, (2, 3, 1), 3).tolist() == [12, 4, 10]


@pytest.mark.parametrize("possible", [4, events.DIRECT, events.DIRECT + 1])
def test_codes_are_counted_by_halves(possible: int) -> None:
    """Whether they are few enough to be counted directly or not."""
    samples = [np.array([0, 3, 3, 3]), np.array([1, 1, 0, 3])]
    codes, counts = tally(samples, possible)
    assert codes.tolist() == [0, 1, 3]
    assert counts.tolist() == [[1, 0, 0, 1], [0, 0, 2, 0], [1, 2, 0, 1]]


# --- stages ----------------------------------------------------------------------------------------------


def a_candidate(name: str = "x") -> Any:
    return SimpleNamespace(one=name, other=name, arms=2, delta=0.0, round=1)


def test_a_quarter_stays_with_four_times_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of nine three, then one, with fresh runs each; later stages are more cautious, the last one most."""
    asked: list[tuple[str, int, int]] = []
    cautions: list[float] = []

    def played(job: str, first: int, runs: int) -> str:
        asked.append((job, first, runs))
        return job

    def best(one: str, _: str, __: int, ___: float, z: float) -> Any:
        cautions.append(z)
        return SimpleNamespace(bound=-float(one))

    monkeypatch.setattr(sampled, "played", played)
    monkeypatch.setattr(sampled, "best_event", best)
    stages = list(sampled.explored([a_candidate(str(k)) for k in (5, 3, 8, 1, 2, 7, 4, 6, 9)], 10))
    assert [runs for _, runs in stages] == [10, 40, 160]
    assert [[candidate.one for candidate, _ in ranking] for ranking, _ in stages] == [
        list("123456789"),
        list("123"),
        ["1"],
    ]
    assert sorted({(first, runs) for _, first, runs in asked}) == [(0, 10), (10, 40), (50, 160)]
    assert cautions == [1.0] * 9 + [1.5] * 3 + [4.0]


@pytest.mark.parametrize(
    ("effort", "runs", "number", "turns"),
    [(10**6, 244, 256, 5), (1000, 64, 4, 2), (10**8, 4096, 256, 5), (10**5, 64, 97, 5)],
)
def test_the_effort_is_shared(
    monkeypatch: pytest.MonkeyPatch, effort: int, runs: int, number: int, turns: int
) -> None:
    """A sixteenth for each stage of the exploration; tests, at most one early in each stage, share the error."""
    tests: list[tuple[int, list[int], float]] = []

    def tested(_: Any, __: Any, which: int, schedule: Any, level: float) -> Iterator[Any]:
        tests.append((which, list(schedule), level))
        yield SimpleNamespace(bound=0.5, estimate=10.0, runs=tests[-1][1][-1])

    def explored(rivals: list[Any], each: int) -> Iterator[Any]:
        assert (len(rivals), each) == (number, runs)
        yield [(a_candidate(), SimpleNamespace(bound_at=lambda z, delta: 1.0 + (z != 5.0) + delta))], each

    monkeypatch.setattr(sampled, "candidates", lambda *given: [None] * given[4])
    monkeypatch.setattr(sampled, "explored", explored)
    monkeypatch.setattr(sampled, "tested", tested)
    assert sampled.sampled("a", {}, 1.0, effort, 1, 0.95).bound == 0.5
    stages = [math.ceil(share * effort) for share in (0.04, 0.2, 1.0)]
    assert tests == [(turns + 1, stages, pytest.approx(0.05 / (turns + 3)))]
    # Above the claim by five deviations an event is tested at once, with four times the runs.
    tests.clear()
    sampled.sampled("a", {}, 0.999, effort, 1, 0.95)
    assert [(which, schedule) for which, schedule, _ in tests] == [(1, [4 * runs]), (turns + 1, stages)]


@pytest.mark.parametrize(
    ("results", "used"),
    [
        # Tight at once; a bound above the estimate is not; a violation counts from a fifth of the effort on.
        *[([(0.97, 1.0, 40), (9.0, 9.0, 200)], 1), ([(0.96, 1.0, 40), (0.97, 1.0, 200), (9.0, 9.0, 1000)], 2)],
        *[([(1.1, 1.0, 40), (1.1, 2.0, 200), (9.0, 9.0, 1000)], 3), ([(1.3, 9.0, 200), (9.0, 9.0, 1000)], 1)],
        *[([(1.3, 9.0, 199), (9.0, 9.0, 1000)], 2), ([(1.2, 9.0, 200), (9.0, 9.0, 1000)], 2)],
        *[([(1.0, 1.0, 40), (9.0, 9.0, 1000)], 1)],
    ],
)
def test_when_tests_end(
    monkeypatch: pytest.MonkeyPatch, results: list[tuple[float, float, int]], used: int
) -> None:
    """The largest bound of what was tested is reported."""
    made: list[Any] = []

    def tested(*_: Any) -> Iterator[Any]:
        for bound, estimate, runs in results:
            made.append(SimpleNamespace(bound=bound, estimate=estimate, runs=runs))
            yield made[-1]

    one = [(a_candidate(), SimpleNamespace(bound_at=lambda *_: 0.0))]
    monkeypatch.setattr(sampled, "candidates", lambda *_: [None])
    monkeypatch.setattr(sampled, "explored", lambda *_: iter([(one, 64)]))
    monkeypatch.setattr(sampled, "tested", tested)
    found = sampled.sampled("a", {}, 1.2, 1000, 1, 0.95)
    assert len(made) == used and found.bound == max(each.bound for each in made)


def test_tests_have_their_own_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a test are numbered on, from a number of its own; swapped inputs change their places."""
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(sampled, "count", lambda job, _, first, runs: asked.append((job, first, runs)) or runs // 4)
    candidate: Any = SimpleNamespace(one="one", other="other", delta=0.0, round=3)
    found: Any = SimpleNamespace(event="e", swapped=True)
    first, second = sampled.tested(candidate, found, 2, [40, 100], 0.02)
    assert asked == [
        *[("other", 2 * 2**40, 40), ("one", 2 * 2**40, 40)],
        *[("other", 2 * 2**40 + 40, 60), ("one", 2 * 2**40 + 40, 60)],
    ]
    assert (first.counts, second.counts, second.runs, second.one) == ((10, 10), (25, 25), 100, "other")
    assert second.bound == loss_bound(25, 25, 100, 0.0, 0.02)
    assert second.intervals == (interval(25, 100, 0.01),) * 2


def test_runs_are_counted_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them once, however many are simulated at a time."""
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(sampled, "CHUNK", 40)
    monkeypatch.setattr(sampled, "played", lambda _, first, runs: asked.append((first, runs)) or runs)
    job: Any = None
    event: Any = SimpleNamespace(count=lambda runs: runs)
    assert sampled.count(job, event, 1000, 100) == 100
    assert asked == [(1000, 40), (1040, 40), (1080, 20)]


@pytest.mark.parametrize(
    ("counts", "delta", "estimate"),
    [
        ((50, 25), 0.0, math.log(2.0)),
        ((50, 20), 0.1, math.log(2.0)),
        ((50, 0), 0.0, math.inf),
        ((10, 0), 0.1, -math.inf),
    ],
)
def test_the_estimate_of_a_loss(counts: tuple[int, int], delta: float, estimate: float) -> None:
    """By frequencies, less delta: infinite where the event never occurred, and none where delta explains it."""
    given: Any = {"one": None, "other": None, "event": None, "intervals": None}
    found = Sampled(bound=0.0, round=1, delta=delta, counts=counts, runs=100, **given)
    assert found.estimate == pytest.approx(estimate)


# --- candidates ------------------------------------------------------------------------------------------


class Drawn:
    """Gives a kind of value, then the middle of a range, and notes the range."""

    def __init__(self, kind: int, value: float = 0.0) -> None:
        self.kind, self.value, self.asked = kind, value, list[tuple[Any, ...]]()

    def integers(self, *ends: int) -> int:
        self.asked.append(ends)
        return self.kind if len(ends) == 1 else ends[1] - 1

    def uniform(self, *ends: float) -> float:
        self.asked.append(ends)
        return self.value


def parameter(kind: type, at_least: float, most: float, above: float = -math.inf, below: float = math.inf) -> Any:
    return SimpleNamespace(above=above, below=below, at_least=at_least, type=kind, largest=lambda _: most)


@pytest.mark.parametrize(
    ("kind", "given", "default", "value", "drawn"),
    [
        # Ends of a closed range.
        *[(0, parameter(float, 0.5, 2.0), 1.0, 0.0, 0.5), (1, parameter(float, 0.5, 2.0), 1.0, 0.0, 2.0)],
        *[(0, parameter(int, 1, 9), 4, 0.0, 1), (1, parameter(int, 1, 9), 4, 0.0, 9)],
        # Else the distance of the default times a power of ten, within the range.
        *[(2, parameter(float, 0.0, math.inf), 3.0, 2.0, 300.0), (2, parameter(float, 1.0, 50.0), 3.0, 1.0, 21.0)],
        *[(2, parameter(float, 1.0, 20.0), 3.0, 1.0, 20.0), (2, parameter(float, 1.0, math.inf), 1.0, -1.0, 1.1)],
        # Without an upper end there is no largest value: one near the default comes.
        (1, parameter(float, 0.0, math.inf), 3.0, 2.0, 300.0),
        # An open end is no value: 0 is not drawn where values are above it.
        (0, parameter(float, -math.inf, math.inf, above=0.0), 3.0, 1.0, 30.0),
        # Whole numbers up to twice the default and two more.
        *[(2, parameter(int, 1, math.inf), 4, 0.0, 10), (2, parameter(int, 1, 9), 4, 0.0, 9)],
        *[(2, parameter(int, 5, math.inf), 2, 0.0, 12), (1, parameter(int, 1, math.inf), 4, 0.0, 10)],
    ],
)
def test_values_of_parameters(kind: int, given: Any, default: float, value: float, drawn: float) -> None:
    rng: Any = Drawn(kind, value)
    tuning: Any = None
    found = candidates.draw(given, default, rng, tuning)
    assert found == pytest.approx(drawn) and type(found) is given.type
    assert rng.asked[0] == (4,)
    if given.type is float and (kind == 2 or given.largest(tuning) == math.inf):
        assert rng.asked[1] == (-3.0, 3.0)


def test_every_eighth_candidate_is_wide() -> None:
    """Seven usual ones, then one of the others, while there are any."""
    often: Any = iter(range(20))
    assert list(candidates._mixed(often, iter("ab"))) == [*range(7), "a", *range(7, 14), "b", *range(14, 20)]


def test_wide_candidates_have_more_rounds_and_arms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four rounds more and at least five arms, three of each probe in turn; out of range they end."""
    asked: list[Probe] = []

    def probed(*given: Any, late: bool) -> Iterator[Any]:
        assert late
        asked.append(given[4])
        if len(asked) == 4:
            raise candidates.BadInput("x", 1, "2")
        yield from range(9)

    monkeypatch.setattr(candidates, "_probed", probed)
    probes = [Probe(3, 2, {"tau": 1}), Probe(4, 7, {})]
    assert list(candidates._wide("a", {}, 1.0, 1, probes)) == [0, 1, 2] * 3
    assert asked[:3] == [Probe(7, 5, {"tau": 1}), Probe(8, 7, {}), Probe(7, 5, {"tau": 1})]


def test_tables_that_vary() -> None:
    """Every arm over the rounds, and some arm beside the first."""
    assert candidates._varied({"rewards": [[0, 1], [1, 1], [1, 0]]})
    assert not candidates._varied({"rewards": [[0, 1], [1, 1]]})
    assert not candidates._varied({"losses": [[0, 0], [1, 1]]})


def test_the_inputs_of_an_exact_loss() -> None:
    """They differ first in the second round; a candidate needs inputs, and parameters within their ranges."""
    one, other = {"rewards": [[0, 1], [1, 1], [0, 0]]}, {"rewards": [[0, 1], [0, 1], [1, 0]]}
    exact: Any = SimpleNamespace(one=one, other=other)
    found = candidate_of_exact("dp-imed", {}, 1.0, 1, exact)
    assert isinstance(found, Candidate) and found.round == 2 and found.delta == 0.0 and found.arms == 2
    assert found.one.horizon == 3 and found.one.environment["rewards"] == one["rewards"]
    assert candidate_of_exact("dp-imed", {"n0": -1}, 1.0, 1, exact) is None
    nothing: Any = SimpleNamespace(one={}, other={})
    assert candidate_of_exact("dp-imed", {}, 1.0, 1, nothing) is None
