"""Pulls, batches and neighbours of a replayed run, points of decisions, and forms of certificates, by hand."""

from __future__ import annotations

import dataclasses
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbandits.auditing import admission, densities, jobs, table
from dpbandits.auditing.replay import case_replayer, decisions
from dpbandits.auditing.replay.case_replayer import CaseReplayer, Neighbour
from dpbandits.auditing.replay.draws import Draw, NonNoiseDraws, states_after
from dpbandits.auditing.replay.settings import SETTINGS
from dpbandits.auditing.transcript import Rewards, Transcript
from dpbandits.core import recorder as at
from dpbandits.core import streams


def run_of(*rows: tuple[float, ...]) -> Transcript:
    """Return a transcript of events (kind, which, how, more) with numbers (value, scale, output)."""
    whole = [(*row, *[0.0] * (7 - len(row))) for row in rows]
    events = np.array([[*row[:4], 0, 0, i] for i, row in enumerate(whole)], dtype=np.int64)
    return Transcript(events, np.array([[*row[4:], 0.0] for row in whole], dtype=float), (), np.array([9]))


def replayer(arms: int = 2, together: bool = False) -> Any:
    """Return what replays a case of ten rounds."""
    made: Any = object.__new__(CaseReplayer)
    made.arms, made.together, made.job = arms, together, SimpleNamespace(horizon=10)
    made.original = Rewards.at_rates(np.column_stack([np.linspace(0.0, 1.0, arms), np.full(arms, 0.5)]))
    made.case = SimpleNamespace(noise=SimpleNamespace(factor=1.0), number=0)
    return made


# Three pulls of the first arm, two of the second, five of the first; batches are read between.
BASE = run_of(
    (at.PLAYED, 0, 3),
    (at.READ, 0, 0, 3),
    (at.RELEASED, 0, 0, 0, 1.0, 2.0, 1.5),
    (at.PLAYED, 1, 2),
    (at.READ, 1, 0, 0),
    (at.READ, 1, 0, 2),
    (at.PLAYED, 0, 5),
    (at.READ, 0, 3, 8),
)


def test_pulls_of_first_rounds() -> None:
    """Of each arm; where all inputs of a round belong together, a pull of each."""
    own, all_ = replayer(), replayer(together=True)
    assert [own.pulls(BASE, rounds).tolist() for rounds in (0, 1, 3, 4, 5, 6, 10)] == [
        *([0, 0], [1, 0], [3, 0], [3, 1], [3, 2], [4, 2], [8, 2])
    ]
    assert all_.pulls(BASE, 4).tolist() == [4, 4]
    assert [own.neighbour_in_round(BASE, round_) for round_ in (1, 3, 4, 5, 6)] == [
        *(Neighbour(0, 1, 1), Neighbour(0, 3, 3), Neighbour(1, 1, 4), Neighbour(1, 2, 5), Neighbour(0, 4, 6))
    ]
    assert all_.neighbour_in_round(BASE, 4) == Neighbour(0, 4, 4)
    found = [
        own.neighbour(BASE, np.array(each)) for each in ([0, 3], [0, 4], [1, 1], [1, 2], [0, 8], [0, 9], [1, 3])
    ]
    assert [each.round for each in found] == [3, 6, 4, 5, 10, 0, 0]
    assert [(each.arm, each.pull) for each in found[:3]] == [(0, 3), (0, 4), (1, 1)]
    assert all_.neighbour(BASE, np.array([0, 7])) == Neighbour(0, 7, 7)


def test_batches_that_are_read() -> None:
    """Before the last decision, and of some rewards; where arms change together each once, up to the horizon."""
    assert replayer().reads(BASE).tolist() == [[0, 0, 3, int(BASE.epochs[1])], [1, 0, 2, int(BASE.epochs[5])]]
    both = run_of((at.PLAYED, 0, 3), (at.READ, 0, 0, 3), (at.READ, 1, 0, 3), (at.READ, 0, 3, 12), (at.PLAYED, 1, 7))
    epoch = int(both.epochs[1])
    assert replayer(together=True).reads(both).tolist() == [[0, 0, 3, epoch], [0, 3, 10, epoch]]
    late = run_of((at.PLAYED, 0, 3), (at.READ, 0, 10, 12), (at.PLAYED, 1, 7))
    assert replayer(together=True).reads(late).tolist() == []


def test_rewards_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """By rounds, of those that are played; of too many rounds nothing."""
    other = Rewards.at_rates(np.array([[1.0, 0.5], [1.0, 0.5]]))
    pulls, rounds = replayer().differences(BASE, other, 6)
    assert pulls.tolist() == [[0, 1], [0, 2], [0, 3], [0, 4]] and rounds.tolist() == [1, 2, 3, 6]
    pulls, rounds = replayer(together=True).differences(BASE, other, 2)
    assert pulls.tolist() == [[0, 1], [0, 2]] and rounds.tolist() == [1, 2]
    monkeypatch.setattr(case_replayer, "SETTINGS", dataclasses.replace(SETTINGS, compared_rounds=9))
    assert replayer().differences(BASE, other, 10)[0].size == 0
    assert replayer().differences(BASE, other, 9)[1].tolist() == [1, 2, 3, 6, 7, 8, 9]
    flips = np.array([[0, 2], [1, 3]])
    assert replayer(together=True).flipped(other, flips).flipped_pulls.tolist() == [[2, 3], [2, 3]]
    assert replayer().flipped(other, flips).flipped_pulls.tolist() == [[2], [3]]


def test_bisection() -> None:
    """The first that holds after one that does not; 0 never does."""
    for number in (1, 2, 7, 8):
        for first in range(1, number + 1):
            assert decisions.bisected(number, lambda k, first=first: k >= first) == first


def test_outputs_far_out() -> None:
    """So far that two scales show, on the side of larger numbers; a selection where an action loses most."""
    tapes: list[Any] = []
    own = SimpleNamespace(run=lambda _, tape, table_rows: tapes.append((tape.tolist(), table_rows)) or BASE)
    sides: Any = SimpleNamespace(one="one", table_rows=(3, 4))
    one = run_of((at.RELEASED, 0, 0, 0, 1.0, 2.0, 1.5), (at.PLAYED, 0, 10))
    other = run_of((at.RELEASED, 0, 0, 0, 2.0, 4.0, 1.5), (at.PLAYED, 0, 10))
    made: Any = own
    decisions._far_out(made, sides, one, other, 0)
    reach = (SETTINGS.far_out + 0.5) / 0.25
    assert tapes == [([1.0 + reach], 3)]
    silent = run_of((at.RELEASED, 0, 0, 0, 2.0, 0.0, 1.5), (at.PLAYED, 0, 10))
    assert decisions._far_out(made, sides, one, silent, 0) is one and len(tapes) == 1
    assert decisions._far_out(made, sides, BASE, BASE, 0) is BASE


def moved_case(change: float, below: bool = False) -> Any:
    """Return a case that decides otherwise if its output is above ``change`` (or below it)."""
    played = {False: run_of(*[(at.RELEASED, 0, 0, 0, 1.0, 2.0, 1.5), (at.PLAYED, 0, 10)])}
    played[True] = run_of(*[(at.RELEASED, 0, 0, 0, 1.0, 2.0, 1.5), (at.PLAYED, 1, 10)])
    own = replayer()
    own.on_original = lambda tape, _: played[bool((tape[0] < change) if below else (tape[0] > change))]
    return own


@pytest.mark.parametrize(("change", "below"), [(7.25, False), (-3.5, True)])
def test_points_where_decisions_change(change: float, below: bool) -> None:
    """On whichever side they lie; both tapes are within a part of the scale."""
    own = moved_case(change, below)
    base = own.on_original(np.array([1.5]), None)
    pair = decisions.FlippedPair(base, base, None)
    for first in (-1.0, 1.0):
        rng: Any = SimpleNamespace(choice=lambda _, first=first: first)
        low, high = decisions._tapes_at_a_change(own, pair, 0, rng)
        assert (
            abs(high[0] - low[0]) <= SETTINGS.moved_tolerance * 2.0 and (high[0] - change) * (low[0] - change) <= 0
        )
    far = SETTINGS.moved_scales * 2.0
    beyond = moved_case(1.5 + far + 0.1)
    assert decisions._tapes_at_a_change(beyond, pair, 0, rng) == []
    flipped = run_of((at.RELEASED, 0, 0, 0, 2.0, 2.0, 1.5), (at.PLAYED, 0, 10))
    assert len(decisions._tapes_at_a_change(beyond, decisions.FlippedPair(base, flipped, None), 0, rng)) == 2


def test_how_many_outputs_are_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last before the last decision, others of the later half; more in long cases, or with little noise."""
    rows = [(at.RELEASED, i, 0, 0, 1.0, 2.0, 1.5) for i in range(8)]
    base = run_of(*rows, (at.PLAYED, 0, 10), (at.RELEASED, 8, 0, 0, 1.0, 2.0, 1.5))
    pair = decisions.FlippedPair(base, base, None)
    asked: list[tuple[int, int, int]] = []
    moved: list[int] = []
    monkeypatch.setattr(decisions, "_tapes_at_a_change", lambda _, __, row, ___: moved.append(row) or [])

    def integers(low: int, high: int, size: int) -> Any:
        asked.append((low, high, size))
        return np.full(size, low)

    rng: Any = SimpleNamespace(integers=integers)
    findings: Any = None

    def check(horizon: int, factor: float) -> list[int]:
        own = replayer()
        own.job.horizon, own.case.noise.factor = horizon, factor
        moved.clear()
        decisions.check_moved_outputs(findings, own, pair, rng, rng)
        return list(moved)

    assert check(10, 1.0) == [7] and check(10**6, 1.0) == [4, 7] and check(10, 0.5) == [4, 7]
    more = SETTINGS.moved_outputs_small_noise
    assert asked == [(4, 8, 1), (4, 8, SETTINGS.moved_outputs_long), (4, 8, 1 + more)]
    long = run_of(*[(at.PLAYED, 0, 1)] * (SETTINGS.moved_most_events + 1))
    pair = decisions.FlippedPair(long, long, None)
    assert check(10, 1.0) == []


def test_draws_that_are_not_noise() -> None:
    """Those between two calls, at most 50; before noise the last of them; states that give a draw its bits."""
    rows = [(at.PLAYED, 0, 1, 0), (at.RELEASED, 0, 0, 0), (at.OFFERED, 0, 0, 0), (at.OFFERED, 1, 0, 0)]
    run = run_of(*rows, (at.SELECTED, 0, 0, 0), (at.READ, 0, 0, 1))
    run.events[:, at.DRAWS] = [2, 1, 3, 9, 9, 51]
    run.events[:, at.CALL] = [0, 1, 2, 3, 4, 5]
    stream = np.array([1, 2, 3, 4], dtype=np.uint64)
    found = NonNoiseDraws(stream, stream, run)
    assert found.draws[:6] == [Draw(0, 0), Draw(0, 1), Draw(1, 0), Draw(2, 0), Draw(2, 1), Draw(2, 2)]
    assert len(found.draws) == 56 and found.before_noise == [Draw(1, 0), Draw(2, 2)]
    for draw in (Draw(0, 0), Draw(0, 3), Draw(7, 2)):
        state = found.state_with(draw, 0x123456789ABCDEF0)
        seen = [int(streams.bits(state)) for _ in range(draw.number + 1)]
        assert seen[-1] == 0x123456789ABCDEF0
    after = states_after(stream, np.array([1, 2]))
    assert after.shape == (2, 4) and len(set(after.ravel().tolist())) == 8


def test_forms_of_certificates() -> None:
    """Numbers that rise, shares, and states of a stream that are not all zero."""
    rising = admission._rising(1, 2, 3)
    assert rising([1, 3, 5]) and not rising([1, 2, 5]) and not rising([1, 3]) and not rising([0, 2, 4])
    assert admission._rising(0, 0)([0, 0, 2**62]) and not admission._rising(0, 0)([2**62 + 1])
    assert admission._rising(0, 0)([]) and not admission._rising(0, 1)([1, 1])
    assert [admission._share(x) for x in (0, 1, 0.5, -0.1, 1.1, True, math.nan)] == [True] * 3 + [False] * 4
    zero, one = "0" * 16, "0" * 15 + "1"
    assert admission._state([zero, zero, zero, one]) and not admission._state([zero] * 4)
    assert not admission._state([one] * 3) and not admission._word("0" * 15) and not admission._word("g" * 16)
    assert admission._by_arm(admission._share)([0.5]) and not admission._by_arm(admission._share)([])


def test_contradictions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another claim, no neighbours, other numbers of arms, a flip in a flipped range, or forced draws."""
    privacy = SimpleNamespace(definition="pure", neighbours="the rewards and the advice of one round")
    environment = SimpleNamespace(fixed=SimpleNamespace(together=False), arms=lambda _: 1)
    monkeypatch.setattr(admission.registry, "algorithm", lambda _: SimpleNamespace(privacy=privacy))
    monkeypatch.setattr(admission.registry, "setting", lambda *_: "s")
    monkeypatch.setattr(admission.registry, "environment", lambda _: environment)
    monkeypatch.setattr(admission, "fixed_environment", lambda _: ("table", environment))

    def told(**changed: Any) -> str:
        paid = {
            "environment": {"kind": "table"},
            "rates": [[0, 1]],
            "flipped_ranges": [[3, 5]],
            "flipped_pulls": [[3, 6]],
        }
        one, other = paid | changed.pop("one", {}), paid | changed.pop("other", {})
        job = {"algorithm": "a", "parameters": {"delta": 0.25}, "epsilon": 1.0}
        claim = {"epsilon": 1.0, "delta": 0.0}
        made: Any = {
            "job": job,
            "claim": claim,
            "one": one,
            "other": other,
            "kind": "transcript",
            "together": False,
        }
        return admission.contradiction({**made, "forced": [], "stream": 1, "origin": 1, **changed})

    assert told() == "" == told(forced=[1])
    assert "not what is said" in told(claim={"epsilon": 2.0, "delta": 0.0})
    assert "delta = 0," in told(claim={"epsilon": 1.0, "delta": 0.25})
    privacy.definition = "approximate"
    assert "delta = 0.25" in told() and told(claim={"epsilon": 1.0, "delta": 0.25}) == ""
    privacy.definition = "pure"
    assert told(one={"environment": {"kind": "x"}}, other={"environment": {"kind": "x"}}) == ""
    assert "in table alone" in told(one={"environment": {"kind": "x"}})
    assert told(kind="actions", together=True) == "" and "taken together" in told(together=True)
    assert "of 1 arms" in told(other={"rates": [[0, 1]] * 2}) and "of 1 arms" in told(one={"flipped_pulls": []})
    for pull, words in ((3, ""), (4, "twice"), (5, "twice"), (6, "")):
        assert told(one={"flipped_pulls": [[pull]]}).endswith(words)
        assert bool(told(one={"flipped_pulls": [[pull]]})) == bool(words)
    assert "draws are forced" in told(kind="reused noise", forced=[1])
    assert "draws are forced" in told(kind="reused noise", stream=2) and told(kind="reused noise") == ""
    certificate: Any = {"job": {"algorithm": "a"}}
    differ = admission.differing_rounds
    assert differ(certificate, {"rewards": [1, 2, 3]}, {"rewards": [1, 0, 0]}) == {2, 3}
    assert differ(certificate, {"advice": [1], "x": 1}, {"advice": [2], "x": 1}) == {1}
    assert differ(certificate, {"losses": [1]}, {"losses": [1, 2]}) is None
    assert differ(certificate, {"x": [1]}, {"x": [2]}) is None and differ(certificate, {"losses": [1]}, {}) is None
    assert differ(certificate, {"losses": [1]}, {"losses": [1]}) == set()
    one, same, other = (admission.salt({"a": a}, key) for a, key in ((1, b"k"), (1, b"k"), (2, b"k")))
    assert one == same != other and one != admission.salt({"a": 1}, b"l") and one < 2**56


def test_audits_of_the_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Effort, of the algorithm or its setting, times the configuration's; at least 1,000 runs."""
    privacy = SimpleNamespace(definition="pure", effort=None, at_most=1.0)
    environment = SimpleNamespace(fixed=SimpleNamespace(effort=10_000))
    monkeypatch.setattr(jobs.registry, "algorithm", lambda _: SimpleNamespace(privacy=privacy, wraps=None))
    monkeypatch.setattr(jobs.registry, "setting", lambda *_: "s")
    monkeypatch.setattr(jobs.registry, "modules", lambda _: ["a"])
    monkeypatch.setattr(jobs, "fixed_environment", lambda _: ("table", environment))
    settings = SimpleNamespace(effort=0.25, delta=0.1, confidence=0.9, epsilons=[0.5, 1, 2])
    config: Any = SimpleNamespace(privacy=settings, root_seed=3)
    found = jobs.audit_jobs(config)
    assert [each.epsilon for each in found] == [0.5, 1.0]
    assert (
        jobs.definition(config, found[0])["effort"] == 2500
        and jobs.definition(config, found[0])["parameters"] == {}
    )
    privacy.effort, privacy.definition = 20_000, "approximate"
    assert jobs.definition(config, found[0])["effort"] == 5000
    assert jobs.definition(config, found[0]._replace(base="b"))["parameters"] == {"base": "b", "delta": 0.1}
    settings.effort = 1e-9
    assert jobs.definition(config, found[0])["effort"] == 1000
    assert found[0].audited == "a" and found[0]._replace(base="b").audited == "a.base=b" and found[1].budget == "1"


def test_rows_of_the_table_of_audits() -> None:
    """The witness of the method that found most; a sampled bound is at least 0."""
    sampled = {"event": "e", "counts": [3, 1], "runs": 8, "bound": -0.5, "horizon": 6, "round": 2}
    exact = {"event": "x", "probabilities": [0.5, 0.25], "of": "of", "one": {"a": 1}, "other": {}, "loss": "inf"}
    worst = {"horizon": 9, "arms": 2, "neighbour": {"round": 4}, "violation": "", "details": "d", "loss": 1.5}
    about = {"algorithm": "a", "title": "t", "definition": "pure", "epsilon": 1.0, "delta": 0.0, "verdict": "v"}
    data = {**about, "parameters": {}, "audited": "1.5", "effort": 9, "confidence": 0.9, "sampled": sampled}

    def row(method: str, **more: Any) -> Any:
        return table.row_of({**data, "exact": None, "replayed": {"worst": None}, "method": method, **more})

    found = row("sampled")
    assert found["witness"] == "e: 0.375 against 0.125 (inputs of 6 rounds that differ in round 2)"
    assert (found["sampled"], found["exact"], found["replayed"], found["runs"]) == (0.0, None, None, 8)
    assert row("exact", exact=exact)["witness"] == 'x: 0.5 against 0.25 (of; {"a": 1} against {})'
    assert row("exact", exact=exact)["exact"] == math.inf
    shown = row("replayed", replayed={"worst": worst})
    where = "a run of 9 rounds and 2 arms, inputs that differ in round 4"
    assert shown["witness"] == f"a transcript of a replayed run: d ({where})" and shown["replayed"] == 1.5
    alone = row("replayed", replayed={"worst": {**worst, "neighbour": None, "violation": "v"}})
    assert alone["witness"] == "v: d (a run of 9 rounds and 2 arms)"


def test_densities_of_single_releases() -> None:
    """Normal noise around its number; a secret without noise; an offer is what is just before its selection."""
    found = densities._log_release(densities.NORMAL, 0, 1.0, 2.0, 4.0)
    assert found == pytest.approx(-(1.5**2) / 2 - math.log(2.0 * math.sqrt(2 * math.pi)))
    assert densities._log_release(densities.NORMAL, 0, 1.0, 0.0, 1.0) == 0.0
    assert densities._log_release(densities.NORMAL, 0, 1.0, 0.0, 1.5) == -math.inf
    assert densities._log_release(densities.RESPONSE, 3, 1.0, 0.5, 1.0) == pytest.approx(math.log(0.5))
    assert densities._log_release(densities.RESPONSE, 3, 1.0, 0.5, 2.0) == pytest.approx(math.log(0.25))
    assert densities.among(np.array([1, 2, 3]), (1, 3)).tolist() == [True, False, True]
