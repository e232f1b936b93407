"""Seventy-five wrong inputs more, at the command line, in Python, in a notebook and in a configuration.

Each gets one line that names its place; none passes in silence.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusals import refuses_command, refuses_configuration

import dpbandits
from dpbandits.core.errors import MENDABLE

SIMULATE = "simulate dp-imed --means 0.9,0.5 --epsilon 1 --horizon 100"
COMPARE = "compare dp-imed dp-se --means 0.9,0.5 --epsilon 1 --horizon 100"
COMMANDS = [
    ("simulate dp-imed --means [0.9,0.5] --epsilon 1 --horizon 9", "--means.0: '[0.9' is not allowed"),
    ("simulate dp-imed --means 0.9,,0.5 --epsilon 1 --horizon 9", "--means.1: '' is not allowed"),
    ("simulate dp-imed --means ０.9,0.5 --epsilon 1 --horizon 9", "--means.0: '０.9' is not allowed"),
    ("simulate dp-imed --means 0.9,0.5 --epsilon 1/2 --horizon 9", "--epsilon: '1/2'"),
    ("simulate dp-imed --means 0.9,0.5 --epsilon 1_0 --horizon 9", "--epsilon: '1_0'"),
    ("simulate dp-imed --means 0.9,0.5 --epsilon 0x1 --horizon 9", "--epsilon: '0x1'"),
    ("simulate dp-imed --means 0.9,0.5 --epsilon 1 --horizon 10^6", "--horizon: '10^6'"),
    ("simulate dp-imed --means 0.9,0.5 --epsilon 1 --horizon 1M", "--horizon: '1M'"),
    (f"{SIMULATE} --seeds 0-", "--seeds: '0-' is not allowed; allowed: run numbers as 0-19 or 7"),
    (f"{SIMULATE} --seeds 0:20", "--seeds: '0:20'"),
    (f"{SIMULATE} --seeds 0-1e3", "--seeds: '0-1e3'"),
    (f"{SIMULATE} --param n0=2=3", "--param.n0: '2=3'"),
    (f"{SIMULATE} --param N0=2", "did you mean 'n0'?"),
    (f"{SIMULATE} --threads 2.5", "--threads: '2.5'"),
    (f"{SIMULATE} --root-seed 2**63", "--root-seed: '2**63'"),
    (f"{SIMULATE} --output readme.md/x.npz", "readme.md: File exists"),
    (f"{SIMULATE} --eps 2", "--epsilon is given twice"),
    ('simulate dp-imed --environment {"kind":["x"]} --epsilon 1 --horizon 9', "--environment.kind: ['x']"),
    (f"{COMPARE} --runs 1", "--runs: 1 is not allowed; allowed: at least two runs of each"),
    (f"{COMPARE} --runs 0-9", "--runs: '0-9'"),
    (f"{COMPARE} --plot nowhere/x.png", "--plot: 'nowhere/x.png'"),
    ("compare dp-imed exp3 --means 0.9,0.5 --epsilon 1 --horizon 9", "OTHER: 'exp3' is not allowed; allowed: an"),
    ("compare dp-imed dp-se --means 0.9 --epsilon 1 --horizon 9", "--means: [0.9] is not allowed"),
    (
        "audit dp-imed --epsilon 1 --arms 1e9",
        "--arms: 1000000000 is not allowed; allowed: an integer from",
    ),
    ("audit dp-imed --epsilon 1 --seconds 0", "--seconds: 0.0 is not allowed"),
    ("audit dp-imed --delta 1e-6", "--delta 1e-6 is not understood"),
    ("check readme.md", "JSON: 'readme.md' is not allowed; allowed: what an audit's --output writes"),
    ("bundle readme.md --output b.zip", "readme.md: 'a file that is not ours'"),
    ("review missing.zip", "missing.zip: No such file or directory"),
    ("repair readme.md", "FOLDER: 'readme.md' is not allowed; allowed: a folder with files of ours"),
    ("whence readme.md", "FILE: 'readme.md' is not allowed; allowed: a picture of ours"),
]


@pytest.mark.parametrize(("words", "told"), COMMANDS)
def test_at_the_command_line(
    words: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the option that was typed; no word of ours about a file that is not ours."""
    monkeypatch.chdir(tmp_path)
    Path("readme.md").write_text("mine", encoding="utf-8")
    refuses_command(words.split(), told, capsys)


class Needs:
    """A policy that nobody can make."""

    def __init__(self, secret: str) -> None:
        raise AssertionError(secret)


class Silent:
    """A policy that plays no arm."""

    def update(self, arm: int, reward: float) -> None:
        """Learn nothing."""


def grid(algorithms: Any = ("dp-imed",), **changes: Any) -> Any:
    """Ask for a grid of which one thing is wrong."""
    given: dict[str, Any] = {"environments": {"a": [0.9, 0.5]}, "epsilons": [1.0], "horizon": 20, "runs": 2}
    return dpbandits.grid(algorithms, **{**given, "progress": False, "cache": False, "n_jobs": 1, **changes})


def runs_of(regret: Any) -> pd.DataFrame:
    """Return anybody's table of runs."""
    return pd.DataFrame({"algorithm": ["a", "a", "b", "b"], "regret": regret})


CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: grid([]), "algorithms: [] is not allowed; allowed: a list of names"),
    (lambda: grid(None), "algorithms: None"),
    (lambda: grid([3]), "algorithms: 3 is not allowed; allowed: a name, as 'dp-imed'"),
    (lambda: grid([("dp-imed",)]), "algorithms: ('dp-imed',)"),
    (lambda: grid([("dp-imed", ["n0"])]), "algorithms: ('dp-imed', ['n0'])"),
    (lambda: grid(["dp-imed", "dp-imed"]), "algorithms: 'dp-imed' is not allowed; allowed: each once"),
    (lambda: grid([Silent()]), "algorithms: "),
    (lambda: grid([Needs]), "algorithms.Needs"),
    (lambda: grid([Silent]), "algorithms.Silent"),
    (lambda: grid(environments=None), "environments: None"),
    (lambda: grid(environments={}), "environments: [] is not allowed"),
    (lambda: grid(environments={3: [0.9, 0.5]}), "environments: 3 is not allowed; allowed: a label of text"),
    (lambda: grid(environments={"a": 0.9}), "environments.a: 0.9 is not allowed; allowed: at least two numbers"),
    (lambda: grid(environments=[0.9, 0.5]), "environments: 0.9 is not allowed; allowed: one of"),
    (lambda: grid(epsilons=1.0), "epsilons: 1.0 is not allowed; allowed: a list of budgets"),
    (lambda: grid(epsilons=[]), "epsilons: []"),
    (lambda: grid(n_jobs=0), "n_jobs: 0 is not allowed; allowed: a number of cores, or -1 for all"),
    (lambda: grid(n_jobs="all"), "n_jobs: 'all'"),
    (lambda: grid(cache="readme.md"), "cache: 'readme.md' is not allowed; allowed: a folder"),
    (lambda: dpbandits.lottery(None), "frame: '' is not allowed; allowed: a table with a column 'algorithm'"),
    (
        lambda: dpbandits.lottery(runs_of(["x", "1", "2", "3"])),
        "regret: 'x' is not allowed; allowed: finite numbers",
    ),
    (lambda: dpbandits.lottery(runs_of([np.inf, 1, 2, 3])), "regret: inf is not allowed; allowed: finite numbers"),
    (
        lambda: dpbandits.rewards(np.zeros((2, 2), complex)),
        "rewards: 'ndarray' is not allowed; allowed: numbers",
    ),
    (lambda: dpbandits.rewards("readme.md"), "rewards: 'shape (0, 1)'"),
    (lambda: dpbandits.published("azize2025", 4), "figure: 4 is not allowed; allowed: one of"),
    (lambda: dpbandits.audit("dp-imed", 1.0, rounds=10**9), "rounds: 1000000000 is not allowed"),
    (lambda: dpbandits.load("a\0b"), "file: 'a\\x00b'"),
]


@pytest.mark.parametrize(("call", "told"), CALLS)
def test_in_python(call: Callable[[], object], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the argument, before anything runs."""
    monkeypatch.chdir(tmp_path)
    Path("readme.md").write_text("mine", encoding="utf-8")
    with warnings.catch_warnings(action="error"), pytest.raises(MENDABLE) as caught:
        call()
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


SMALL = ["papers", "azize2025", "experiments", "small"]
FIGURE = ["papers", "azize2025", "figures", "curves"]
CONFIGURED: list[tuple[list[str], object, str]] = [
    ([*SMALL, "horizon"], "2e3", "small.horizon"),
    ([*SMALL, "horizon"], 2000.5, "small.horizon"),
    ([*SMALL, "epsilons"], ["half"], "small.epsilons.0: 'half'"),
    ([*SMALL, "epsilons"], [0.5, 0.5], "small.epsilons"),
    ([*SMALL, "checkpoints"], 0, "small.checkpoints: 0"),
    ([*SMALL, "environments"], ["nearr"], "did you mean 'near'?"),
    ([*SMALL, "algorithms"], None, "small.algorithms"),
    ([*SMALL, "runs"], {"batches": 6, "round": 3}, "did you mean 'rounds'?"),
    (["papers", "azize2025", "algorithms", "a b"], {}, "'a b'"),
    (["papers", "azize2025", "algorithms", "dp-imed-1.5", "parameters"], {"alfa": 2}, "did you mean 'alpha'?"),
    (["papers", "azize2025", "environments", "near", "means"], [0.75, "0.7"], "near.means.1: '0.7'"),
    ([*FIGURE, "draw"], "regret-over-tme", "did you mean 'regret-over-time'?"),
    ([*FIGURE, "versions"], ["publishd"], "curves.versions.0: 'publishd'"),
    ([*FIGURE, "captions"], "x", "did you mean 'caption'?"),
    (["root_seed"], 2**64, "root_seed: 18446744073709551616"),
    (["folders"], {"result": "x"}, "did you mean 'results'?"),
    (["papers"], [], "papers: []"),
]


@pytest.mark.parametrize(("keys", "value", "told"), CONFIGURED)
def test_in_a_configuration(keys: list[str], value: object, told: str, tmp_path: Path) -> None:
    """By the file and the key."""
    refuses_configuration(keys, value, told, tmp_path / "mine.yaml")


def test_there_are_seventy_five() -> None:
    assert len(COMMANDS) + len(CALLS) + len(CONFIGURED) == 75
