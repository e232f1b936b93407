"""Forged certificates: of the right shape, with a wrong claim. The checker accepts none of them.

A certificate of a sound algorithm is altered, at random and in each way that its fields allow. No such file proves
anything, whatever it says. Each draw is of a fixed seed, and no test here is statistical.
"""

from __future__ import annotations

import copy
import functools
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpbandits.auditing import check as checker
from dpbandits.auditing import counted as counted_events
from dpbandits.auditing.audit import DELTA
from dpbandits.auditing.candidates import fixed_environment
from dpbandits.auditing.certificate import described
from dpbandits.auditing.check import OWN, _loss, check
from dpbandits.auditing.counted import FRESH
from dpbandits.auditing.replay.case_replayer import CaseReplayer
from dpbandits.auditing.replay.cases import cases, sizes
from dpbandits.auditing.replay.findings import Findings
from dpbandits.auditing.replay.settings import SETTINGS
from dpbandits.auditing.replay.single_rewards import check_single, likely_worst
from dpbandits.auditing.replay.witness import Claim, Sides, certificate
from dpbandits.auditing.told import Path
from dpbandits.core import recorder as at
from dpbandits.core import registry
from dpbandits.core.errors import BadInput
from dpbandits.runs.job import fill, make_job, prepare
from noisetap.probabilities import selection_probability

Forged = dict[str, Any]
# Sound algorithms of every setting and definition.
SOUND = (
    "dp-imed",
    "rnm-ftnl-permute-and-flip",
    "dp-exp3-lap",
    "local-dp-exp4",
    "batched-exp4",
    "private-elimination-m1",
)
KINDS = ("transcript", "reused noise", "actions")
# Forged certificates of each kind, in all, and in the fast tier, where they are of one algorithm.
ALL, FAST, RUNS = 504, 16, 800
ODD = (math.nan, math.inf, -math.inf, 1e308, -1.0, 0.5, 7.0, 0.0, 1e-300)


@functools.cache
def honest(name: str, kind: str, turn: int) -> str:
    """Return a certificate of a sound algorithm, which proves nothing, as JSON."""
    rng = np.random.default_rng([turn, len(name)])
    kind_of, environment = fixed_environment(registry.setting("algorithm", name))
    given = {"delta": DELTA} if registry.algorithm(name).privacy.definition == "approximate" else {}
    if kind == "actions":
        return json.dumps(counted(name, kind_of, given, environment.fixed, rng))
    every = sizes(SETTINGS.batches, 0.5, 100, None)
    case = [case for case, _ in zip(cases(name, given, 1.0, turn, every, rng), range(4), strict=False)][turn % 4]
    replayer = CaseReplayer(case, environment.fixed, 10**5)
    base = replayer.on_original(noise=case.noise)
    reads, claim = replayer.reads(base), Claim(1.0, given.get("delta", 0.0))
    if kind == "transcript":
        # Of the outputs that lose most: all that the claim allows.
        findings = Findings(claim)
        for flip in likely_worst(reads, rng) if len(reads) else ():
            check_single(findings, replayer, base, flip)
        if findings.worst is not None:
            return json.dumps(findings.worst.certificate)
    flip = likely_worst(reads, rng)[0] if len(reads) else np.array([0, 1])
    sides = Sides(replayer.original, replayer.flipped(replayer.original, flip[None]))
    # Scores of one selection have one place in the stream.
    offers = np.flatnonzero((base.events[:-1, 0] == at.OFFERED) & (base.events[1:, 0] == at.OFFERED))
    first = (
        int(offers[rng.integers(min(4, len(offers)))]) if len(offers) else int(rng.integers(len(base.events) - 1))
    )
    rows = (first, first + 1) if kind == "reused noise" else ()
    return json.dumps(certificate(replayer, sides, base, base.last_decision, claim, rows))


def counted(name: str, kind: str, given: Any, fixed: Any, rng: np.random.Generator) -> Forged:
    """Return a certificate of an event that occurs by chance in the runs of one root seed, on one input alone."""
    pair = next(fixed.neighbours(12, 3, rng))
    jobs = [make_job(name, given, {**side, "kind": kind}, 1.0, 12, 1, FRESH) for side in (pair.one, pair.other)]
    seen = []
    for job in jobs:
        runs, problem = prepare(job, range(RUNS), kept=12)
        fill(job, runs, problem)
        seen.append({tuple(row) for row in (runs.played + 1).tolist()})
    return {
        "format": "dpbandits 1",
        "kind": "actions",
        "claim": {"epsilon": 1.0, "delta": given.get("delta", 0.0)},
        "job": described(jobs[0]),
        "one": {"environment": dict(jobs[0].environment)},
        "other": {"environment": dict(jobs[1].environment)},
        "rounds": list(range(1, 13)),
        "sequences": [list(row) for row in sorted(seen[0] - seen[1])],
        "runs": RUNS,
    }


def budget(c: Forged, rng: Any) -> None:
    """Claim another budget than the program has, or give the program another than the claim."""
    if rng.random() < 0.5:
        c["job"]["epsilon"], c["claim"]["epsilon"] = [(10.0, 1.0), (1.0, 1e-3)][rng.integers(2)]
    else:
        c[["claim", "job"][rng.integers(2)]][["epsilon", "delta"][rng.integers(2)]] = ODD[rng.integers(len(ODD))]


def parameter(c: Forged, rng: Any) -> None:
    """Run it with another parameter."""
    if c["job"]["parameters"]:
        name = rng.choice(sorted(c["job"]["parameters"]))
        value = c["job"]["parameters"][name]
        c["job"]["parameters"][name] = value if isinstance(value, str) else type(value)(value * rng.integers(2, 9))


def program(c: Forged, rng: Any) -> None:
    """Name another program, or another horizon."""
    if rng.random() < 0.5:
        c["job"]["algorithm"] = rng.choice(["imed", "dp-se", "none", *SOUND])
    else:
        c["job"]["horizon"] = int(rng.integers(1, 200))


def inputs(c: Forged, rng: Any) -> None:
    """Let the tables of inputs differ in more rounds than one, or be of another kind."""
    environment = c[["one", "other"][rng.integers(2)]]["environment"]
    tables = [key for key, value in environment.items() if isinstance(value, list)]
    key = rng.choice(tables)
    for row in environment[key][: rng.integers(1, 4)]:
        if isinstance(row, list):
            row[:] = [1.0 - x if isinstance(x, float) else x for x in row[::-1]]
    if rng.random() < 0.2:
        environment["kind"] = rng.choice(["bernoulli", "reward-table", "loss-vector-table", "none"])


def flips(c: Forged, rng: Any) -> None:
    """Flip further rewards, or one of them again and again."""
    side = c[["one", "other"][rng.integers(2)]]
    row = side["flipped_pulls"][rng.integers(len(side["flipped_pulls"]))]
    how = rng.integers(4)
    if how == 0:
        row += [row[-1] if row else 1] * 5
    elif how == 1:
        row[:] = sorted({*row, *rng.integers(1, 30, 3).tolist()})
    elif how == 2:
        side["flipped_ranges"][0] = [0, int(rng.integers(1, 40))]
    else:
        for each in (c["one"], c["other"]):
            each["flipped_ranges"] = [[0, 100] for _ in each["flipped_ranges"]]
        row[:] = list(range(1, 20))[:: rng.integers(1, 20)]


def rates(c: Forged, rng: Any) -> None:
    """Pay other rewards, on one input or on both, or such as are no 0 or 1."""
    sides = [("one",), ("other",), ("one", "other")][rng.integers(3)]
    value = [0.3, 5.0, -2.0, *ODD][rng.integers(3 + len(ODD))]
    for side in sides:
        c[side]["rates"][0][rng.integers(2)] = value


def together(c: Forged, rng: Any) -> None:
    """Take inputs of all arms together where the setting does not; so more rewards differ."""
    c["together"] = not c["together"]
    pull = int(rng.integers(1, 6))
    for row in c["other"]["flipped_pulls"]:
        row[:] = [pull]


def tape(c: Forged, rng: Any) -> None:
    """Force outputs to what they may not be, or cut them."""
    if not c["tape"]:
        return
    how, i = rng.integers(3), int(rng.integers(len(c["tape"])))
    if how == 0:
        c["tape"][i] = ODD[rng.integers(len(ODD))]
    elif how == 1:
        c["tape"][i] += float(rng.normal() * 100.0)
    else:
        c["tape"] = c["tape"][:i] + [0.5] * int(rng.integers(4))


def events(c: Forged, rng: Any) -> None:
    """Say that another event shows it."""
    c["events"] = int(rng.integers(-2, 60))


def states(c: Forged, rng: Any) -> None:
    """Choose the randomness: states of zeros, equal ones at two calls, one that comes later anyway."""
    how = rng.integers(4)
    word = [f"{int(x):016x}" for x in rng.integers(0, 2**64, 4, dtype=np.uint64)]
    if how == 0:
        c[["origin", "stream"][rng.integers(2)]] = [["0" * 16] * 4, word, word[:3], ["x"] * 4][rng.integers(4)]
    else:
        calls = sorted(rng.choice(np.arange(1, 60), 2 + 10 * (how == 3), replace=False).tolist())
        c["forced"] = [[call, *(["0" * 16] * 4 if how == 2 else word)] for call in calls]


def rows(c: Forged, rng: Any) -> None:
    """Name two other events as those with one noise, such as two scores of a selection."""
    first = int(rng.integers(0, 40))
    c["rows"] = [first, first + int(rng.integers(1, 4))]


def same_noise(c: Forged, rng: Any) -> None:
    """Force all calls to one state, so that each release has the noise of the one before."""
    word = [f"{int(x):016x}" for x in rng.integers(0, 2**64, 4, dtype=np.uint64)]
    c["forced"] = [[call, *word] for call in range(1, 100)]
    rows(c, rng)


def sequences(c: Forged, rng: Any) -> None:
    """Name another event, of more or fewer rounds, or runs without end."""
    how = rng.integers(3)
    if how == 0:
        kept = int(rng.integers(1, 6))
        c["rounds"], c["sequences"] = c["rounds"][:kept], [row[:kept] for row in c["sequences"]]
    elif how == 1:
        c["sequences"] = [c["sequences"][0] if c["sequences"] else [1] * len(c["rounds"])]
    else:
        c[["rounds", "runs"][rng.integers(2)]] = [[0], [99], -1, 0, 3.5, "all"][rng.integers(6)]


def key(c: Forged, rng: Any) -> None:
    """Leave a key out, or put there what is none of its kind."""
    chosen = rng.choice(sorted(c))
    if rng.random() < 0.5:
        del c[chosen]
    else:
        c[chosen] = [None, [], {}, "1", 3, True][rng.integers(6)]


OF_ALL: tuple[Callable[[Forged, Any], None], ...] = (budget, parameter, program, inputs, key)
OF_RUNS = (*OF_ALL, flips, rates, together, tape, events, states)
WAYS = {"transcript": OF_RUNS, "reused noise": (*OF_RUNS, rows, rows, same_noise), "actions": (*OF_ALL, sequences)}


def forge(kind: str, number: int, name: str) -> tuple[str, Forged]:
    """Return the words of a forged certificate, and the certificate."""
    rng = np.random.default_rng([number, KINDS.index(kind)])
    made = json.loads(honest(name, kind, number % 4))
    ways = [WAYS[kind][number % len(WAYS[kind])]]
    ways += [WAYS[kind][i] for i in rng.integers(len(WAYS[kind]), size=max(0, rng.integers(4) - 1))]
    done = []
    for way in ways:
        before = copy.deepcopy(made)
        try:
            way(made, rng)
            done.append(way.__name__)
        except (KeyError, TypeError, AttributeError, IndexError, ValueError):
            # Another way has damaged what this one alters.
            made = before
    return f"{name}, {kind} {number}: {', '.join(done)}", made


def accepted(kind: str, number: int, names: tuple[str, ...]) -> list[str]:
    """Return the words of the forged certificates that are accepted, of a number of them."""
    found = []
    for turn in range(number):
        words, made = forge(kind, turn // len(names), names[turn % len(names)])
        try:
            ruling = check(made, OWN)
        except BadInput:
            continue
        if ruling.accepted:
            found.append(f"{words}: {ruling.words}")
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_no_forged_certificate_is_accepted(kind: str) -> None:
    assert accepted(kind, FAST, ("rnm-ftnl-gumbel",)) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_forged_certificate_of_many_is_accepted(kind: str) -> None:
    assert accepted(kind, ALL, SOUND) == []


def ten_times(c: Forged) -> None:
    """Run the program with ten times the claimed budget."""
    c["job"]["epsilon"] *= 10.0


def again_and_again(c: Forged) -> None:
    """Flip one reward three times, which pays more than 1."""
    row = next(row for row in c["other"]["flipped_pulls"] if row)
    row += [row[0]] * 2


def of_five(c: Forged) -> None:
    """Pay 5 for each pull, and so -4 for the one that is flipped."""
    for side in ("one", "other"):
        c[side]["rates"] = [[5.0, 0.0] for _ in c[side]["rates"]]


@pytest.mark.parametrize("forged", [ten_times, again_and_again, of_five])
def test_what_admission_refuses_would_be_accepted(
    forged: Callable[[Forged], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each door is needed: without it the forged certificate is accepted."""
    made = json.loads(honest("dp-imed", "transcript", 2))
    assert not check(made, OWN).accepted
    forged(made)
    try:
        assert not check(made, OWN).accepted
    except BadInput:
        assert forged is not ten_times
    monkeypatch.setattr(checker, "admit", lambda _: None)
    monkeypatch.setattr(checker, "contradiction", lambda _: "")
    assert check(made, OWN).accepted


def test_an_event_that_suits_known_seeds_is_counted_with_others(monkeypatch: pytest.MonkeyPatch) -> None:
    made = json.loads(honest("dp-exp3-lap", "actions", 0))
    assert not check(made, OWN).accepted
    monkeypatch.setattr(counted_events, "salt", lambda *_: 0)
    assert check(made, OWN).accepted


def test_outputs_that_no_input_has_prove_nothing() -> None:
    """Halves with whole noise, and a gap below 0, are impossible on both inputs."""
    run = path_of([-math.inf, 0.0])
    assert _loss(run, run) == 0.0
    assert _loss(path_of([0.0, 0.0]), run) == math.inf
    assert selection_probability("laplace", np.array([0.0, 1.0]), 1.0, 0, -0.5) == 0.0


def path_of(logs: list[float]) -> Path:
    """Return a path with these log densities."""
    return Path(np.zeros((len(logs), 4), dtype=np.int64), np.array(logs), np.zeros(len(logs)))
