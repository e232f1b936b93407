"""Replays: a correct transcript loses its claim and no more, every late fault is caught whatever the seed, and what
bypasses the recorder is refused.

Nothing here is sampled: what a replay says is exact, so that there are no false alarms. ``benchmarks/replays.py``
does the same with 20 seeds, and 1,000 replays of every correct algorithm.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import broken_full_information
import late
import numpy as np
import pytest
from broken import CHANGES, FAULTS, HARMLESS, HIDDEN, LATE, breakable, with_fault
from tiers import FEW_ROUNDS, core, one_of_each
from twins import mutated, registered

from dpbandits.auditing.audit import audit
from dpbandits.auditing.composition import epsilon_at
from dpbandits.auditing.replay import NOISE_ALONE, Replayed, decisions, replay
from dpbandits.auditing.replay.case_replayer import Neighbour
from dpbandits.auditing.replay.draws import NonNoiseDraws
from dpbandits.auditing.transcript import Replayer, Rewards, Transcript
from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.recorder import FAULT, LAPLACE, PLAYED, RELEASED, WRONG_STREAM, Recorder, release
from dpbandits.core.streams import bits, streams
from dpbandits.runs.job import make_job
from dpbandits.settings.experts import privacy as composition

# `benchmarks/replays.py` has twenty.
SEEDS = range(1)
CLAIM = 1.0 + 1e-9
# What has a recorder; and claims that no algorithm keeps.
SETTINGS = ("stochastic", "adversarial", "experts", "full_information", "linear")
WRONG = ("rnm-ftnl-exponential", "robust-elimination-m1-printed", "robust-elimination-m2-printed")


def subjects(definitions: tuple[str, ...]) -> list[tuple[str, dict[str, str]]]:
    """Return the algorithms with such claims, each with every base."""
    found: list[tuple[str, dict[str, str]]] = []
    for name in registry.modules("algorithm"):
        declared = registry.algorithm(name)
        if declared.privacy is None or declared.privacy.definition not in definitions:
            continue
        if registry.setting("algorithm", name) in SETTINGS:
            bases = [{}] if declared.wraps is None else [{"base": base} for base in declared.wraps.candidates()]
            found += [(name, base) for base in bases]
    return found


PURE = [subject for subject in subjects(("pure", "local")) if subject[0] != "bandit-to-experts-advice"]
PRIVATE = [name for name in registry.modules("algorithm") if registry.algorithm(name).privacy is not None]


def setting_of(case: tuple[str, dict[str, str]]) -> str:
    return registry.setting("algorithm", case[0])


def test_what_is_paid_adds_up_to_the_rate() -> None:
    """The first n pulls pay floor(rate n + phase) in sum, each 0 or 1; at a rate of 1 each pays."""
    rewards = Rewards.at_rates(np.array([[0.0, 0.5], [0.3, 0.75], [0.5, 0.0], [1.0, 0.25]]))
    pulls = np.arange(1, 41)
    for arm, (rate, phase) in enumerate(rewards.rates):
        paid = rewards.paid(arm, pulls)
        assert set(paid) <= {0, 1}
        assert np.cumsum(paid).tolist() == np.floor(rate * pulls + phase).astype(int).tolist()


def test_a_run_that_ends_sooner_has_no_event_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    """One run releases once more than its neighbour: this is the violation, and it is said in words."""
    events = np.array([[PLAYED, 0, 9, 0, 0, 0, 0], [RELEASED, 0, LAPLACE, 0, 0, 0, 0]])
    longer = Transcript(events, np.ones((2, 4)), (), np.array([9]))
    shorter = Transcript(events[:1], np.ones((1, 4)), (), np.array([9]))
    monkeypatch.setattr(decisions, "certificate", lambda *_: None)
    rest: Any = SimpleNamespace(claim=None, case=None)
    for one, other, name in ((longer, shorter, "release 1"), (shorter, longer, "the end")):
        found = decisions.violation_between(rest, rest, rest, one, other, Neighbour(0, 1, 1))
        assert found.witness.violation == f"{name} differs under equal releases"
        assert "nothing more" in found.witness.details


# The others, of which some release nothing so early, are in the next test.
@pytest.mark.parametrize(("name", "base"), [c for c in one_of_each(PURE, setting_of) if c in PURE], ids=str)
def test_a_short_transcript_loses_the_claim(name: str, base: dict[str, str]) -> None:
    """The fast sample of the next test: one algorithm of each setting, and few rounds."""
    found = replay(name, 1.0, parameters=base, horizon=FEW_ROUNDS, effort=0.5)
    assert found.seen and not found.refused
    assert found.loss == pytest.approx(2.0 if name in WRONG else 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "base"), PURE, ids=str)
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_a_transcript_loses_the_claim_and_no_more(name: str, base: dict[str, str], epsilon: float) -> None:
    audited = audit(name, epsilon, parameters=base, effort=1)
    assert audited.sampled.runs == 1
    found = audited.replayed
    assert found.seen and not found.refused
    if name in WRONG:
        # Twice and three times the claim at worst; at this effort a search comes some of the way.
        assert found.loss > 1.25 * epsilon
    else:
        assert 0.999 * epsilon <= found.loss <= CLAIM * epsilon


OTHERS = sorted(set(PRIVATE) - {name for name, _ in PURE})


# `test_delta_is_small_if_nobody_says_it` is its fast sample.
@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_every_other_private_algorithm_can_be_audited(name: str) -> None:
    assert audit(name, 1.0, effort=1).sampled.runs == 1


def test_the_whole_search_says_what_it_looked_at() -> None:
    looked = replay("dp-imed", 1.0).coverage
    assert looked.horizons >= {24, 400, 10**6}
    assert looked.arms == {2, 3, 8, 12}
    assert looked.neighbours > 1000
    assert len(looked.parameters) > 3
    assert looked.mechanisms == {"Laplace noise"}


def test_a_billion_rounds_are_replayed() -> None:
    found = replay("dp-imed", 1.0, horizon=10**9, effort=0.3)
    assert max(found.coverage.horizons) == 10**9
    assert 0.999 <= found.loss <= CLAIM


@pytest.fixture(scope="module", params=core(CHANGES, lambda name: name == "dp-imed"))
def broken(request: pytest.FixtureRequest) -> Iterator[tuple[str, Algorithm]]:
    """Return an algorithm's name, and the algorithm with all faults: it compiles once."""
    yield request.param, breakable(request.param)


# As dear as all others together. Samples find the first three, `test_a_fault_is_caught` of DP-IMED; noise that is
# reused is there after a restart too; early noise beside the recorder is looked for below.
DEAR = (
    "twice",
    "reused",
    "scale by the wrong count",
    "noise reused after 10,000 rounds",
    "unrecorded noise after 10,000 rounds",
    "no noise on the seventh arm",
    "no noise by a coin of one in 100,000",
    # Of these `no noise after 10,000 rounds` and `the raw sum of the batch before` are fast; so is the audit of a
    # twin that ends with status 1.
    "a reward counted again after 10,000 rounds",
    "half the noise in the last tenth",
    "half the noise after 10,000 rounds",
)


@pytest.mark.parametrize("fault", core([*FAULTS, *LATE, *HIDDEN], lambda fault: fault not in DEAR))
def test_a_fault_is_caught_whatever_the_seed(broken: tuple[str, Algorithm], fault: str) -> None:
    original, altered = broken
    if (original, fault) in HARMLESS:
        pytest.skip("no fault of this algorithm")
    with registered(original, with_fault(altered, fault)) as twin:
        for seed in SEEDS:
            # Half of the effort is enough for all but one.
            for effort in (0.5, 1.0):
                found = replay(twin, 1.0, effort=effort, seeds=range(seed, seed + 1))
                caught = found.loss > CLAIM or bool(found.refused)
                if caught:
                    break
            assert caught, f"seed {seed}"
            if found.loss > CLAIM:
                assert found.worst is not None and found.worst.violation and found.worst.details


def test_an_unbroken_mutation_is_not_blamed(broken: tuple[str, Algorithm]) -> None:
    original, altered = broken
    with registered(original, with_fault(altered, "none")) as twin:
        found = replay(twin, 1.0, effort=0.5)
        assert found.seen and found.loss <= CLAIM and not found.refused


@pytest.mark.parametrize("drawn", [0, 1, 2**40, 2**64 - 1])
def test_a_coin_falls_as_it_is_told_to(drawn: int) -> None:
    """Gone back from that coin to the call of the recorder before it, a stream comes to it again."""
    bandit = {"kind": "bernoulli", "means": [0.0, 1.0, 0.0]}
    replayer = Replayer(make_job("lazy-dp-ts", {}, bandit, 1.0, 1000, 1, 0), 0)
    draws = NonNoiseDraws(replayer.stream, replayer.origin, replayer.run(Rewards.at_rates(np.full((3, 2), 0.5))))
    assert draws.draws[0].call == 0
    for draw in (draws.draws[0], draws.draws[1], draws.draws[-1]):
        stream = draws.state_with(draw, drawn)
        for _ in range(draw.number):
            bits(stream)
        assert int(bits(stream)) == drawn


# --- the recorder -------------------------------------------------------------------------------------------------

BESIDE, PAST, NEITHER = "unrecorded noise", "an unrecorded input", "none"
# Every place where something is released, and so every algorithm: those of a setting share its blocks.
RELEASES = {
    "batches": ("dp-imed", "an unrecorded reward"),
    "doubling": ("adap-ucb", "an unrecorded reward"),
    "dp-se": ("dp-se", "an unrecorded mean"),
    "lazy-dp-ts": ("lazy-dp-ts", "an unrecorded reward"),
    "perfection-test": ("perfection-test", PAST),
    "adversarial": ("agarwal-singh", PAST),
    "experts": ("local-dp-exp4", PAST),
    "batched": ("batched-exp4", PAST),
    "linear": ("private-elimination-m2", PAST),
}
# Where something is selected.
SELECTS = {
    "laplace": "rnm-ftnl-laplace",
    "gumbel": "rnm-ftnl-gumbel",
    "exponential": "rnm-ftnl-permute-and-flip",
}

# One place of each kind, which the fast tier breaks; its twins of the other settings are those of their own files.
CHOSEN = ("batches", "gumbel")


def replay_of(where: str, what: str, horizon: int | None = None) -> Replayed:
    """Return replays of a place's algorithm that bypasses the recorder, or does not."""
    given: Mapping[str, Any] = {}
    if where in SELECTS:
        original = SELECTS[where]
        altered = broken_full_information.with_fault(broken_full_information.breakable(original), what)
    else:
        original, past = RELEASES[where]
        fault = past if what == PAST else what
        if original in late.PLACES:
            altered, given = late.with_fault(late.breakable(original), original, fault), late.PLACES[original].given
        else:
            altered = with_fault(breakable(original), fault)
    with registered(original, altered) as name:
        return replay(name, 1.0, parameters=given, horizon=horizon, effort=0.5)


@pytest.mark.parametrize("where", core([*RELEASES, *SELECTS], CHOSEN.__contains__))
def test_unrecorded_noise_is_not_seen_and_that_is_said(where: str) -> None:
    found = replay_of(where, BESIDE)
    # Beside another release, which passes: a decision differs. Else nothing passes.
    if where == "perfection-test":
        assert math.isinf(found.loss)
    else:
        assert not found.seen
        assert "nothing was released through the recorder" in found.refused


@pytest.mark.parametrize("where", core([*RELEASES, *SELECTS], CHOSEN.__contains__))
def test_unrecorded_inputs_are_caught(where: str) -> None:
    # Most are refused before anything else: the recorder sees that rewards are read, or noise added, beside it.
    found = replay_of(where, PAST)
    beside = re.search("unrecorded rewards are read|is not the declared noise", found.refused)
    assert beside or (math.isinf(found.loss) and found.worst is not None and found.worst.violation)


# The stochastic ones without a fault are those of `test_an_unbroken_mutation_is_not_blamed`.
@pytest.mark.parametrize("where", [*(where for where in RELEASES if RELEASES[where][0] not in CHANGES), *SELECTS])
@pytest.mark.slow
def test_a_place_that_does_neither_keeps_its_claim(where: str) -> None:
    """So what is found above is what was hidden."""
    found = replay_of(where, NEITHER)
    assert found.seen and not found.refused
    assert found.loss <= CLAIM


@pytest.mark.slow
def test_noise_added_after_a_release_is_reported() -> None:
    """It is private, and looks as if rewards decided: whoever writes it is told what to write."""
    place, name = late.PLACES["perfection-test"], "perfection-test"
    released = (place.releases, "release(state, runs.recorder, rewards, 1.0 / epsilon)")
    values = ("tested - successes", "rewards")
    added = [f"({value} + release(state, runs.recorder, 0.0, 1.0 / epsilon))" for value in values]
    with registered(name, mutated(name, {"": dict(zip(released, added, strict=True))})) as twin:
        found = replay(twin, 1.0, horizon=200, effort=0.5)
    assert found.worst is not None and found.worst.violation
    assert found.worst.details.endswith("release(state, recorder, value, scale)")
    assert NOISE_ALONE not in str(replay_of("perfection-test", PAST, 200).data())


@pytest.mark.slow
def test_noise_that_is_a_coin_again_is_refused() -> None:
    """The stream is rewound after the noise, and other draws come before the noise."""
    with registered("lazy-dp-ts", with_fault(breakable("lazy-dp-ts"), "noise reused after 10,000 rounds")) as twin:
        assert "the run's stream was rewound or replaced" in replay(twin, 1.0, effort=0.5).refused


def test_a_selection_has_the_noise_that_it_says() -> None:
    assert "is not the declared noise" in replay_of("gumbel", "half the noise that is said").refused


def test_a_decision_turns_at_a_value_of_an_output_whatever_the_inputs() -> None:
    """One added to sums of thousands moves no decision of a recorded run: outputs are moved to where one turns."""
    with registered(
        "dp-se", with_fault(breakable("dp-se"), "one added after the noise where rewards are many")
    ) as twin:
        found = replay(twin, 1.0, horizon=10**6)
    assert found.worst is not None and found.worst.neighbour is not None
    assert "differs under equal releases" in found.worst.violation


def test_an_algorithm_that_releases_nothing_is_refused_if_it_looks_at_rewards() -> None:
    with registered("dp-se", with_fault(breakable("dp-se"), "forgotten")) as twin:
        found = audit(twin, 1.0, effort=1000)
    assert found.verdict == "refused"
    assert "refused, decision" in str(found)


def test_a_batch_that_is_collected_twice_is_refused() -> None:
    assert "read twice" in replay_of("batches", "a batch collected twice", FEW_ROUNDS).refused


def test_noise_of_another_stream_is_refused() -> None:
    """As it is seen by the recorder itself: of a stream that is not the run's."""
    stream, other = streams(0, "", np.arange(2))
    recorder = Recorder(
        stream=stream,
        origin=stream.copy(),
        shadow=stream.copy(),
        counters=np.zeros(10, dtype=np.int64),
        events=np.zeros((4, 7), dtype=np.int64),
        numbers=np.zeros((4, 4)),
        pulled=np.zeros((2, 2), dtype=np.int64),
        rates=np.zeros((2, 2)),
        flipped_ranges=np.zeros((2, 2), dtype=np.int64),
        flipped_pulls=np.zeros((2, 0), dtype=np.int64),
        tape=np.empty(0),
        noise_override=np.array([1.0, 0.0]),
        forced=np.empty((0, 5), dtype=np.uint64),
    )
    assert release(stream, recorder, 1.0, 1.0) != 1.0
    assert recorder.counters[FAULT] == 0
    release(other, recorder, 1.0, 1.0)
    assert recorder.counters[FAULT] == WRONG_STREAM


def test_pulls_that_do_not_sum_to_the_horizon_are_refused() -> None:
    assert "is played without being recorded" in replay_of("batches", "a pull too few", FEW_ROUNDS).refused


def test_forced_outputs_are_let_out_and_coins_stay() -> None:
    job = make_job("dp-imed", {}, {"kind": "bernoulli", "means": [0.5, 0.5]}, 1.0, 1000, 1, 0)
    replayer = Replayer(job, 0)
    start = Rewards.at_rates(np.array([[0.3, 0.0], [0.6, 0.5]]))
    one = replayer.run(start)
    other = replayer.run(start.with_first_flipped(np.array([10**6, 10**6])), one.tape)
    assert one.first_divergence(other) is None
    assert np.array_equal(one.tape, other.tape)
    assert np.array_equal(one.events[:, 4], other.events[:, 4])
    assert not np.array_equal(one.numbers[:, 0], other.numbers[:, 0])
    free = replayer.run(start.with_first_flipped(np.array([10**6, 10**6])))
    assert one.first_divergence(free) is not None


@pytest.mark.parametrize("number", [1, 3, 30])
def test_releases_together_lose_what_their_law_says(number: int) -> None:
    shift, delta = 0.2, 1e-3
    exact = composition.smallest_epsilon(*composition.law(shift, number), delta)
    found = epsilon_at(np.full(number, shift), delta)
    assert exact - 0.01 * shift * number <= found <= exact
    assert epsilon_at(np.array([0.5, -0.25, 0.0]), 0.0) == 0.75
    assert math.isinf(epsilon_at(np.array([math.inf]), 1e-6))


def test_unequal_releases_lie_between_equal_ones() -> None:
    low, high = (epsilon_at(np.full(4, shift), 1e-4) for shift in (0.1, 0.3))
    assert low < epsilon_at(np.array([0.1, 0.3, -0.1, 0.3]), 1e-4) < high
