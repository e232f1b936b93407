"""Seventy-five wrong inputs more: commands, calls, saved policies, certificates and configurations.

Each gets one line that names its place. None passes in silence, and none advises to remove a person's file.
"""

from __future__ import annotations

import copy
import datetime
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusals import refuses_command, refuses_configuration

import dpbandits
from dpbandits.auditing.audit import audit
from dpbandits.auditing.check import check
from dpbandits.cli.main import main
from dpbandits.core.errors import MENDABLE, BadInput
from dpbandits.core.files import read_json, write_json

SIMULATE = "simulate dp-imed --means 0.9,0.5 --epsilon 1 --horizon 100"
COMMANDS = [
    ("verify ''", "argument FOLDER: '' is not allowed; allowed: the name of a file or a folder"),
    ("diff '' ''", "argument RUN: ''"),
    ("check ''", "argument JSON: ''"),
    ("review ''", "argument BUNDLE: ''"),
    (f"{SIMULATE} --output ''", "argument --output: ''"),
    ("whence mine.json", "FILE: 'mine.json' is not allowed; allowed: a picture of ours"),
    ("whence .", ".: Is a directory"),
    ("check .", ".: Is a directory"),
    ("check /dev/null", "JSON: '/dev/null'"),
    ("review .", ".: no crate"),
    ("review --sample 2 mine.json", "--sample: 2 is not allowed; allowed: a share"),
    ("audit dp-imed --epsilon 501", "--epsilon: 501 is not allowed; allowed: a budget of at most 500"),
    ("audit dp-imed --epsilon 1e9 --effort 10", "--epsilon: 1000000000.0"),
    ("audit dp-imed --epsilon 1 --confidence 1", "--confidence: 1.0 is not allowed; allowed: a number in [0.5, 1)"),
    ("audit dp-imed --epsilon 1 --rounds 1", "--rounds: 1 is not allowed; allowed: an integer from 2"),
    (f"{SIMULATE} --seeds 0-0-1", "--seeds: '0-0-1'"),
    (f"{SIMULATE} --param =1", "--param.: 1"),
    (
        "compare dp-imed dp-imed --means 0.9,0.5 --epsilon 1 --horizon 9",
        "OTHER: 'dp-imed' is not allowed; allowed: an",
    ),
]


@pytest.mark.parametrize(("words", "told"), COMMANDS)
def test_at_the_command_line(
    words: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the option that was typed."""
    monkeypatch.chdir(tmp_path)
    Path("mine.json").write_text('{"a": 1}', encoding="utf-8")
    refuses_command(shlex.split(words), told, capsys)


def simulate(**changes: Any) -> object:
    """Ask for two runs of which one thing is wrong."""
    given = {"means": [0.9, 0.5], "epsilon": 1.0, "horizon": 50, "seeds": 2}
    return dpbandits.simulate("dp-imed", **{**given, **changes})


class Partial:
    """A generator that draws one law."""

    laplace = None


TABLE = pd.DataFrame([[0.5, 0.4]])
CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: simulate(means={0.5, 0.4}), "means: {0.5, 0.4} is not allowed; allowed: at least two numbers"),
    (lambda: simulate(means={"a": 0.5, "b": 0.4}), "means: {'a'"),
    (lambda: simulate(means=TABLE), "means: 'DataFrame'"),
    (lambda: simulate(means=np.ma.array([0.5, 0.4], mask=[False, True])), "means: 'MaskedArray'"),
    (lambda: simulate(seeds={0: 1, 1: 2}), "seeds: {0: 1, 1: 2}"),
    (lambda: simulate(seeds={1, 2}), "seeds: {1, 2}"),
    (lambda: simulate(epsilon=1 + 0j), "epsilon: (1+0j)"),
    (lambda: simulate(horizon=datetime.date(2026, 1, 1)), "horizon: datetime.date"),
    (lambda: dpbandits.lower_bound({0.5, 0.4}, 1, 10), "means: {0.5, 0.4}"),
    (lambda: dpbandits.results(""), "folder: '' is not allowed; allowed: a folder of results"),
    (lambda: dpbandits.policy("dp-imed", arms=2, epsilon=1.0, seed=np.random.RandomState(1)), "seed: RandomState"),
    (lambda: dpbandits.policy("dp-imed", arms=2, epsilon=1.0, seed=Partial()), "seed: "),
    (lambda: dpbandits.policy("dp-imed", arms=2, epsilon=1.0).save("/proc/nowhere/x"), "no such file or directory"),
    (lambda: dpbandits.policy("dp-imed", arms=2, epsilon=1.0).save("/"), "the name of a file"),
    (lambda: dpbandits.load_policy(None), "file: None is not allowed; allowed: the name of a file"),
    (lambda: dpbandits.compared(None, None), "one: None is not allowed; allowed: runs, as dpbandits.simulate()"),
    (lambda: dpbandits.rewards(lambda: 0, rounds=3, arms=2), "allowed: a function of round and arm"),
    (lambda: dpbandits.published([], "fig4"), "paper: []"),
    (lambda: dpbandits.published("azize2025", {}), "figure: {}"),
    (
        lambda: dpbandits.published("azize2025", "fig4").plot(3),
        "axes: 3 is not allowed; allowed: axes of Matplotlib",
    ),
]


@pytest.mark.parametrize(("call", "told"), CALLS)
def test_in_python(call: Callable[[], object], told: str) -> None:
    """By the argument."""
    with pytest.raises(MENDABLE) as caught:
        call()
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def changed(content: Any, place: str, value: object) -> Any:
    """Return JSON data with one value exchanged."""
    content = copy.deepcopy(content)
    *keys, last = place.split(".")
    inner = content
    for key in keys:
        inner = inner[key]
    inner[last] = value
    return content


RELEASE = {"arm": 0, "first": 1, "last": 1, "number": 1, "law": "laplace", "scale": 1.0, "sensitivity": 1.0}
SAVED: list[tuple[str, object]] = [
    ("state.t", -1),
    ("state.t", float("nan")),
    ("state.t", 7),
    ("state.counts", [1]),
    ("state.counts", [-1, 1]),
    ("state.counts", ["a", "b"]),
    ("state.counts", [0.0, True]),
    ("state.chosen", 7),
    ("state.chosen", 0.5),
    ("state.arms", 5),
    ("made.arms", 5),
    ("stream.state.inc", 2),
    ("stream.has_uint32", 7),
    ("state.ledger", {"ledger": [{**RELEASE, "epsilon": -5.0, "delta": 0.0}]}),
    ("state.ledger", {"ledger": [{**RELEASE, "epsilon": float("nan")}]}),
]


@pytest.mark.parametrize(("place", "value"), SAVED)
def test_in_a_saved_policy(place: str, value: object, tmp_path: Path) -> None:
    """With its digest made again: a state that no rounds lead to, a short stream, a release that gives back."""
    file = tmp_path / "policy.json"
    dpbandits.policy("dp-imed", arms=2, epsilon=1.0, seed=1).save(file)
    write_json(file, changed(json.loads(json.dumps(read_json(file))), place, value))
    with pytest.raises(BadInput) as caught:
        dpbandits.load_policy(file)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


CERTIFIED: list[tuple[str, object]] = [
    ("job.algorithm", None),
    ("job.horizon", -1),
    ("claim.epsilon", True),
    ("tape", "abc"),
    ("forced", [[1]]),
]


@pytest.fixture(scope="module")
def witness() -> Any:
    """Return a certificate, as JSON has it."""
    return json.loads(json.dumps(audit("rnm-ftnl-exponential", 1.0, effort=100).certificate))


@pytest.mark.parametrize(("place", "value"), CERTIFIED)
def test_in_a_certificate(place: str, value: object, witness: Any) -> None:
    """By the key."""
    with pytest.raises(BadInput) as caught:
        check(changed(witness, place, value))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("place", "value"),
    [("job.parameters", [1]), ("job.algorithm", "dp-imd"), ("one.environment", None), ("job", "x")],
)
def test_in_a_file_of_a_certificate(
    place: str, value: object, witness: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its digest made again: one line, and no verdict."""
    write_json(tmp_path / "witness.json", changed(witness, place, value))
    assert main(["check", str(tmp_path / "witness.json")]) == 2
    told = capsys.readouterr()
    assert (told.err.count("\n"), told.out) == (1, "")


AZIZE = ["papers", "azize2025"]
CONFIGURED: list[tuple[list[str], object, str]] = [
    ([*AZIZE, "experiments", "small", "horizon"], datetime.date(2026, 1, 1), "small.horizon: datetime.date"),
    ([*AZIZE, "experiments", "small", "epsilons"], [True], "small.epsilons.0: True"),
    ([*AZIZE, "experiments", "small", "algorithms"], [["dp-imed"]], "small.algorithms.0: ['dp-imed']"),
    ([*AZIZE, "runs"], {"batches": "6"}, "runs.batches: '6'"),
    ([*AZIZE, "environments", "../x"], {"kind": "bernoulli", "means": [0.5, 0.4]}, "environments: '../x'"),
    ([*AZIZE, "environments", "near", "means"], {}, "near.means: {}"),
    ([*AZIZE, "algorithms", "dp-imed"], {"parameters": {"n0": 10**400}}, "parameters.n0: "),
    ([*AZIZE, "figures", "curves", "options"], {"x": 1}, "curves.options.x: 1"),
    (["papers", "azize2025 "], {}, "papers: 'azize2025 '"),
    (["root_seed"], True, "root_seed: True"),
    (["privacy"], {"epsilons": [0]}, "privacy.epsilons.0: 0"),
    (["seeds_per_job"], {"batches": -1}, "seeds_per_job.batches: -1"),
    (["folders"], {"results": "../.."}, "folders.results: '../..'"),
]


@pytest.mark.parametrize(("keys", "value", "told"), CONFIGURED)
def test_in_a_configuration(keys: list[str], value: object, told: str, tmp_path: Path) -> None:
    """By the file and the key."""
    refuses_configuration(keys, value, told, tmp_path / "mine.yaml")


def test_there_are_seventy_five() -> None:
    assert len(COMMANDS) + len(CALLS) + len(SAVED) + len(CERTIFIED) + 4 + len(CONFIGURED) == 75
