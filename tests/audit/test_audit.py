"""The audit itself, on mechanisms whose loss is known: bounds hold, are tight, and find what is wrong.

False alarms: seeds are fixed. With fresh ones all tests together err with probability at most 1/1000, but for the
repeated audits, of which each errs with at most 1/1000: that is what is tested.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from broken import breakable, with_fault
from scipy.stats import binom, binomtest
from tiers import FEW_ROUNDS
from twins import registered, wrapped

from dpbandits.auditing.audit import DELTA, audit
from dpbandits.auditing.bounds import approximate_bounds, interval, loss_bound
from dpbandits.auditing.candidates import candidates, probes
from dpbandits.auditing.events import Event, best_event
from dpbandits.auditing.jobs import audit_jobs, definition
from dpbandits.auditing.sampled import count
from dpbandits.cli import main as cli
from dpbandits.core import provenance
from dpbandits.core.algorithm import Algorithm, Privacy, Worst
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Parameter
from dpbandits.core.files import read_json
from dpbandits.runs.config import checked

Answer = Callable[[np.ndarray, np.ndarray, float], np.ndarray]


def mechanism(answer: Answer, privacy: Privacy | None = None, parameters: tuple[Parameter, ...] = ()) -> Algorithm:
    """Return an algorithm that plays ``answer(rewards of arm 1, uniforms, epsilon)``, one answer a round."""

    def simulate(runs: Any, bandit: Any, *, epsilon: float, **_: float) -> None:
        uniforms = np.random.default_rng(runs.streams[0]).random(runs.played.shape)
        runs.played[:] = answer(bandit.table[:, 0], uniforms, epsilon)

    return Algorithm(
        title="Mechanism",
        source="a test",
        decides="rounds",
        privacy=privacy or Privacy("pure", "the reward of one round replaced", "randomised response"),
        parameters=parameters,
        simulate=simulate,
    )


def response(bits: np.ndarray, uniforms: np.ndarray, epsilon: float) -> np.ndarray:
    """Randomised response, whose loss is exactly epsilon."""
    return np.where(uniforms < 1 / (1 + math.exp(epsilon)), 1 - bits, bits)


@pytest.mark.parametrize(("seen", "runs"), [(0, 10), (3, 10), (10, 10), (17, 100_000)])
def test_intervals_are_those_of_clopper_and_pearson(seen: int, runs: int) -> None:
    theirs = binomtest(seen, runs).proportion_ci(0.98, "exact")
    assert interval(seen, runs, 0.01) == pytest.approx((theirs.low, theirs.high))


def test_the_bound_errs_no_more_often_than_it_says() -> None:
    # Exactly, over all counts: n = 60 runs of randomised response with epsilon = 1.
    p, n, level = 1 / (1 + math.exp(-1)), 60, 0.05
    masses = np.outer(binom.pmf(range(n + 1), n, p), binom.pmf(range(n + 1), n, 1 - p))
    wrong = np.array([[loss_bound(i, j, n, 0.0, level) > 1 for j in range(n + 1)] for i in range(n + 1)])
    assert 0 < masses[wrong].sum() <= level


def test_an_approximate_bound_is_nearly_the_bound() -> None:
    one, other = np.array([30_000]), np.array([11_000])
    # Two intervals of 3.29 standard deviations each.
    assert approximate_bounds(one, other, 100_000, 0.0, 3.29)[0] == pytest.approx(
        loss_bound(30_000, 11_000, 100_000, 0.0, 1e-3), 2e-3
    )


def test_the_likeliest_sequences_make_the_event() -> None:
    rng = np.random.default_rng(1)
    one = (rng.random((40_000, 3)) < 0.6).astype(np.int16)
    other = (rng.random((40_000, 3)) < 0.4).astype(np.int16)
    found = best_event(one, other, 2, 0.0, 1.0)
    assert (found.event.sequences, found.swapped) in (([[2, 2, 2]], False), ([[1, 1, 1]], True))


def test_an_event_counts_its_sequences() -> None:
    event = Event((2, 3), 3, np.array([0 * 3 + 2, 2 * 3 + 1]))
    played = np.array([[0, 0, 2], [1, 0, 2], [2, 2, 1], [2, 1, 2]], dtype=np.int16)
    assert event.count(played) == 3
    assert event.sequences == [[1, 3], [3, 2]]
    assert event.words == "the actions of rounds 2 to 3 are 1 3 or 3 2"


def test_a_known_loss_is_reached() -> None:
    with registered("dp-imed", mechanism(response)) as name:
        found = audit(name, 1.0, effort=100_000)
    assert found.verdict == "consistent"
    assert 0.9 <= found.audited <= 1.0


@pytest.mark.parametrize("seeds", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_a_mechanism_at_its_claim_is_not_blamed(seeds: int) -> None:
    with registered("dp-imed", mechanism(response)) as name:
        blamed = sum(audit(name, 1.0, effort=3000, seed=seed).verdict == "violated" for seed in range(seeds))
    assert blamed == 0


@pytest.mark.parametrize(("factor", "effort"), [(1.1, 100_000), pytest.param(1.03, None, marks=pytest.mark.slow)])
def test_little_too_much_is_found(factor: float, effort: int | None) -> None:
    with registered("dp-imed", mechanism(lambda bits, u, epsilon: response(bits, u, factor * epsilon))) as name:
        assert audit(name, 1.0, effort=effort).verdict == "violated"


def test_an_infinite_loss_is_said() -> None:
    with registered("dp-imed", mechanism(lambda bits, u, _: np.where(u < 0.9, 0, bits))) as name:
        found = audit(name, 1.0, effort=100_000)
    assert found.verdict == "violated"
    assert found.infinite
    assert "infinite loss" in str(found)
    assert found.data()["sampled"]["estimate"] == "infinity"


def test_the_witness_can_be_counted_again() -> None:
    with registered("dp-imed", mechanism(lambda bits, u, epsilon: response(bits, u, 2 * epsilon))) as name:
        found = audit(name, 1.0, effort=20_000)
        witness = json.loads(json.dumps(found.data()))["sampled"]
        rates = [
            count(job, found.sampled.event, 0, 100_000) / 1e5 for job in (found.sampled.one, found.sampled.other)
        ]
    assert [
        rate == pytest.approx(seen / witness["runs"], abs=0.05)
        for rate, seen in zip(rates, witness["counts"], strict=True)
    ]
    rows = zip(witness["one"]["rewards"], witness["other"]["rewards"], strict=True)
    assert [t for t, (a, b) in enumerate(rows, 1) if a != b] == [witness["round"]]
    assert math.log(rates[0] / rates[1]) > 1


@pytest.mark.parametrize(("delta", "verdict"), [(0.3, "consistent"), (0.2, "violated")])
def test_delta_is_part_of_the_claim(delta: float, verdict: str) -> None:
    privacy = Privacy("approximate", "the reward of one round replaced", "a leak with probability 0.3")
    parameter = Parameter("delta", float, 0.9, "delta", above=0, below=1)
    leak = mechanism(lambda bits, u, _: np.where(u < 0.3, bits, u < 0.65), privacy, (parameter,))
    with registered("dp-imed", leak) as name:
        found = audit(name, 0.01, parameters={"delta": delta}, effort=50_000)
    assert (found.verdict, found.delta) == (verdict, delta)
    assert {job.parameters["delta"] for job in (found.sampled.one, found.sampled.other)} == {delta}


@pytest.mark.slow
def test_delta_is_small_if_nobody_says_it() -> None:
    # Not the algorithm's own default, 1/T, which would excuse nearly everything in a dozen rounds.
    found = audit("batched-exp4", 1.0, effort=10_000, replay_horizon=FEW_ROUNDS)
    assert found.delta == found.sampled.one.parameters["delta"] == DELTA == 1e-6
    assert found.exact is not None
    assert found.exact.loss == pytest.approx(0.348, abs=1e-3)
    assert audit("dp-imed", 1.0, effort=1, replay_horizon=FEW_ROUNDS).delta == 0.0


def test_the_pipeline_audits_at_the_configured_delta(tiny: dict[str, Any]) -> None:
    config = checked({**tiny, "privacy": {"epsilons": [1.0], "delta": 1e-4}})
    kept = {entry.algorithm: definition(config, entry)["parameters"] for entry in audit_jobs(config)}
    assert kept["batched-exp4"] == kept["batched-exp4-printed"] == {"delta": 1e-4}
    assert kept["dp-imed"] == {}


def test_the_digest_of_an_audit_has_what_the_checker_takes_from_noisetap(tiny: dict[str, Any]) -> None:
    """Imports are followed within this package alone: a module that is not named could change without notice."""

    def taken(module: str) -> set[str]:
        source = provenance.module_path(module).read_text(encoding="utf-8")
        return set(re.findall(r"^ *(?:from|import) (noisetap[.\w]*)", source, re.MULTILINE))

    entry = audit_jobs(checked({**tiny, "privacy": {"epsilons": [1.0]}}))[0]
    ours = {name for module in entry.modules for name in provenance.transitive_imports(module)}
    named = {name for name in entry.modules if name.startswith("noisetap.")}
    assert {name for module in ours for name in taken(module)} == named
    assert all(f"{name} " in provenance.sources(*entry.modules) for name in named)


def test_an_exact_loss_is_counted_on_its_own_inputs() -> None:
    """A leak in runs of seven rounds, which no candidate has: runs on the calculation's two inputs show it."""
    rows = [[1.0, 0.0]] * 7
    worst = Worst(
        math.inf,
        "the fifth action",
        {"rewards": rows},
        {"rewards": [*rows[:4], [0.0, 0.0], *rows[5:]]},
        "1",
        (1.0, 0.0),
    )

    def leak(bits: np.ndarray, uniforms: np.ndarray, _: float) -> np.ndarray:
        return bits if len(bits) == len(rows) else uniforms < 0.5

    def told(exact: Callable[..., Worst] | None) -> Any:
        privacy = Privacy("pure", "the reward of one round replaced", "none", exact=exact)
        with registered("dp-imed", mechanism(leak, privacy)) as name:
            return audit(name, 1.0, effort=1000)

    assert told(None).verdict == "consistent"
    found = told(lambda *_: worst)
    assert found.verdict == "violated" and found.sampled.bound > 1.0
    assert [job.environment["rewards"] for job in (found.sampled.one, found.sampled.other)] == [
        inputs["rewards"] for inputs in (worst.one, worst.other)
    ]
    assert found.data()["sampled"]["round"] == 5


def test_an_exact_loss_that_no_run_shows_is_suspicious() -> None:
    # The program flips a coin: what its file calculates is another's loss, and no certificate is to be had.
    def exact(epsilon: float, tied: Any) -> Worst:
        return Worst(epsilon * tied["scale"], "everything", [0], [1], "anything", (0.5, 0.1))

    privacy = Privacy("pure", "the reward of one round replaced", "none", tied=("scale",), exact=exact)
    parameter = Parameter("scale", float, 1.0, "a scale", above=0)
    with registered("dp-imed", mechanism(lambda _, u, __: u < 0.5, privacy, (parameter,))) as name:
        assert audit(name, 1.0, effort=1000).verdict == "consistent"
        found = audit(name, 1.0, parameters={"scale": 3.0}, effort=1000)
    assert (found.verdict, found.method, found.audited) == ("suspicious", "exact", 3.0)
    assert found.proved is None and "own file" in str(found)


def test_an_audit_ends_when_its_time_is_spent(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["audit", "dp-imed", "--epsilon", "1", "--effort", "100", "--seconds", "1e-6"]
    assert cli.main(command) == 5
    said = capsys.readouterr().out
    assert "unfinished" in said and "The time was spent before all was looked at" in said


def test_the_line_of_a_loss_is_that_of_the_release() -> None:
    """With its value on both inputs and what comes out, so that a person can do the sum."""
    with wrapped("dp-imed", epsilon=lambda epsilon: 2.0 * epsilon) as name:
        found = audit(name, 1.0, effort=100)
    assert found.verdict == "violated" and found.replayed.loss == pytest.approx(2.0)
    line = found.replayed.worst.details.rpartition("; ")[2]
    assert re.search(r"`.*release\(.*`: [0-9.]+ on one input, [0-9.]+ on the other, scale .*, .* comes out", line)


def test_what_cannot_be_audited_is_refused() -> None:
    with pytest.raises(BadInput, match="claims no privacy"):
        audit("imed", 1.0)
    with pytest.raises(BadInput, match="nothing"):
        audit("dp-imed", 1.0, parameters={"nothing": 1})
    with pytest.raises(BadInput, match="confidence"):
        audit("dp-imed", 1.0, confidence=1.0)
    with pytest.raises(BadInput, match="effort"):
        audit("dp-imed", 1.0, effort=0)
    with pytest.raises(BadInput, match="seed"):
        audit("dp-imed", 1.0, seed=-1)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"parameters": [1]}, "parameters: [1] is not allowed; allowed: a mapping"),
        ({"parameters": "n0=3"}, "parameters: 'n0=3'"),
        ({"report": 3}, "report: 3 is not allowed; allowed: a function"),
        ({"epsilon": 500.5}, "epsilon: 500.5 is not allowed; allowed: a budget of at most 500"),
    ],
)
def test_what_no_audit_takes_is_refused_in_python(given: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput) as caught:
        audit("dp-imed", **{"epsilon": 1.0, **given})
    assert told in str(caught.value)


def test_the_command_prints_and_writes_an_audit(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "audit.json"
    arguments = ["audit", "dp-imed", "--epsilon", "1", "--effort", "2000", "--param", "n0=2", "--output", str(file)]
    arguments += ["--replay-horizon", str(FEW_ROUNDS)]
    assert cli.main(arguments) == 0
    assert "DP-IMED" in capsys.readouterr().out
    assert json.loads(file.read_text())["sampled"]["parameters"]["n0"] == 2
    assert cli.main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == read_json(file)
    assert cli.main([*arguments, "--seed", "-1"]) == 2
    assert capsys.readouterr().err.startswith("dpbandits: --seed: -1")


@pytest.mark.parametrize("name", ["dp-imed", "agarwal-singh", "rnm-ftnl-gumbel", "private-elimination-m2"])
def test_some_candidates_change_a_late_row_of_many_arms(name: str) -> None:
    """Every eighth has more rounds and arms than any probe, and rewards that no pattern tells."""
    usual = {(probe.rounds, probe.arms) for probe in probes(name)}
    wide = 0
    for candidate in candidates(name, {}, 1.0, 0, 64):
        one, other = (
            np.array(job.environment["losses" if "losses" in job.environment else "rewards"])
            for job in (candidate.one, candidate.other)
        )
        if one.shape not in usual:
            wide += 1
            assert candidate.round > 2 / 3 * len(one) and one.shape[1] >= 5
            assert (one != other).any(axis=0)[3:].any()
            assert (one != one[0]).any(axis=0).all()
    assert wide == 8


def test_an_audit_tells_of_its_replays(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["audit", "dp-imed", "--epsilon", "1", "--effort", "20000", "--replay-horizon", "5000"]) == 0
    told = capsys.readouterr().out
    assert "replayed: a transcript loses 1" in told
    assert "looked at" in told and "5,000 rounds" in told


def test_an_audit_that_is_violated_ends_with_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "audit.json"
    words = ["--epsilon", "1", "--effort", "2000", "--arms", "2", "--output", str(file)]
    with registered("dp-imed", with_fault(breakable("dp-imed"), "half the noise after 10,000 rounds")) as twin:
        assert cli.main(["audit", twin, *words]) == 1
    assert "violated" in capsys.readouterr().out
    data = read_json(file)
    assert data["method"] == "replayed"
    worst = data["replayed"]["worst"]
    released = re.search(r"release \d+ after round ([\d,]+)", worst["details"])
    assert released is not None and int(released[1].replace(",", "")) > 10_000
    # Its batch is released after 10,000 rounds, so the reward lies in the later half of these at least.
    assert worst["neighbour"]["round"] > 5_000
    assert data["audited"] == pytest.approx(2.0)
