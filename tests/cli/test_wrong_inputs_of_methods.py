"""Seventy-five wrong inputs more: of what is returned, of policies, estimators and caches, and of small commands.

Each gets one line that names its place; none passes in silence.
"""

from __future__ import annotations

import decimal
import fractions
import functools
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusals import refuses_command

import dpbandits
from dpbandits.core.errors import MENDABLE
from dpbandits.notebook.compare import Compared
from dpbandits.notebook.published import Published
from dpbandits.notebook.simulated import Simulated
from dpbandits.policies.base import Policy

SIMULATE = "simulate dp-imed --means 0.9,0.5 --epsilon 1 --horizon 100"
COMMANDS = [
    ("list dp-imed --json", "--json: True is not allowed; allowed: no such option beside a name"),
    ("list --privacy none dp-imed", "--privacy: 'none' is not allowed; allowed: no such option beside a name"),
    ("list dp-imed --paper wu2025", "--paper: 'wu2025'"),
    ("list --setting ''", "--setting: '' is not allowed; allowed: one of adversarial"),
    ("planted --answers readme.md", "a CSV file with the columns name and word, and a row for each answer"),
    ("planted --answers bytes.csv", "a CSV file with the columns name and word, and a row for each answer"),
    ("planted --answers other.csv", "--answers.name: 'nothing' is not allowed; allowed: one of"),
    (
        "planted --answers other.csv --write folder",
        "--answers: 'other.csv' is not allowed; allowed: one of --write",
    ),
    ("planted --write readme.md", "readme.md: File exists"),
    ("faults --setting nowhere", "--setting: 'nowhere' is not allowed; allowed: one of adversarial"),
    ("new algorithm mine", "--setting is missing; needed: one of adversarial"),
    ("new algorithm mine --from nowhere", "--from: 'nowhere' is not allowed; allowed: one of adap-klucb"),
    ("new thing mine", "KIND: 'thing' is not allowed; allowed: one of algorithm, environment, paper"),
    ("new paper mine --from dp-imed", "--from: 'dp-imed' is not allowed; allowed: nothing"),
    ("help-agent nothing", "PAGE: 'nothing' is not allowed; allowed: one of algorithm, audit, run"),
    ("completion 'bash zsh'", "SHELL: 'bash zsh' is not allowed; allowed: one of bash, fish, zsh"),
    ("workflow init readme.md/x", "readme.md/x: Not a directory"),
    ("bundle readme.md readme.md --output b.zip", "RUNS: 'readme.md' is not allowed; allowed: files of different"),
    ("whence /dev/zero", "FILE: '/dev/zero' is not allowed; allowed: a picture of ours"),
    ("certify all", "NAME: 'all' is not allowed; allowed: one of clipping"),
    (f"{SIMULATE} --param n0=1 --param n0=2", "--param: 'n0=2' is not allowed; allowed: one value for n0"),
    (f"{SIMULATE} --param n0=1e400", "--param.n0: inf"),
]


@pytest.mark.parametrize(("words", "told"), COMMANDS)
def test_at_the_command_line(
    words: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the option that was typed."""
    monkeypatch.chdir(tmp_path)
    Path("readme.md").write_text("mine\n", encoding="utf-8")
    Path("bytes.csv").write_bytes(b"name,word\n\xff,holds\n")
    Path("other.csv").write_text("name,word\nnothing,holds\n", encoding="utf-8")
    refuses_command(shlex.split(words), told, capsys)


@functools.cache
def simulated(seeds: int = 2, n0: int = 1) -> Simulated:
    """Return runs of 50 rounds."""
    return dpbandits.simulate("dp-imed", means=[0.9, 0.5], epsilon=1.0, horizon=50, seeds=seeds, n0=n0)


def compared(**changes: Any) -> Compared:
    """Compare two algorithms."""
    return dpbandits.compared(simulated(), simulated(n0=3), **changes)


@functools.cache
def fig4() -> Published:
    return dpbandits.published("azize2025", "fig4")


def policy(**changes: Any) -> Policy:
    return dpbandits.policy("dp-imed", **{"arms": 2, "epsilon": 1.0, "seed": 1, **changes})


def rewarded(reward: object) -> None:
    """Give a policy a reward."""
    made = policy()
    made.update(made.choose(), reward)


def estimator(**changes: Any) -> Any:
    return dpbandits.BanditEstimator("dp-imed", **{"arms": ["a", "b"], "epsilon": 1.0, **changes})


def runs_of(names: str) -> pd.DataFrame:
    """Return a table with a run for each letter."""
    return pd.DataFrame({"algorithm": list(names), "regret": np.arange(len(names), dtype=float)})


TABLE = [[0.1, 0.2], [0.3, 0.4]]
CALLS: list[tuple[Callable[[], object], str]] = [
    (lambda: simulated().summary(0), "confidence: 0 is not allowed; allowed: a number above 0 and below 1"),
    (lambda: simulated().summary(1.0), "confidence: 1.0"),
    (lambda: simulated().summary(95), "confidence: 95"),
    (lambda: simulated().summary(float("nan")), "confidence: nan"),
    (lambda: simulated().summary("0.95"), "confidence: '0.95'"),
    (lambda: simulated(seeds=1).summary(), "runs: 1 is not allowed; allowed: at least two runs"),
    (lambda: simulated().plot("x"), "axes: 'x' is not allowed; allowed: axes of Matplotlib"),
    (
        lambda: dpbandits.compared(simulated(), simulated()),
        "other: 'dp-imed, ε = 1' is not allowed; allowed: other",
    ),
    (lambda: compared(names=3), "names: 3 is not allowed; allowed: two names"),
    (lambda: compared(names=("a",)), "names: ('a',)"),
    (lambda: compared(names=("a", "a")), "names: ('a', 'a') is not allowed; allowed: two different names"),
    (lambda: compared(names=("", "b")), "names: ('', 'b')"),
    (lambda: compared().verdict("medain"), "statistic: 'medain' is not allowed; allowed: one of mean, median"),
    (lambda: compared().visible(3), "statistic: 3"),
    (lambda: compared().needed(None), "statistic: None"),
    (lambda: dpbandits.algorithm(3), "name: 3 is not allowed; allowed: one of"),
    (lambda: dpbandits.algorithm(["dp-imed"]), "name: ['dp-imed']"),
    (lambda: fig4().of_panel("mu9", 1.0), "panel: 'mu9, ε = 1.0' is not allowed; allowed: one of"),
    (lambda: fig4().of_panel("mu1", "1"), "panel: 'mu1, ε = 1'"),
    (lambda: fig4().plot(epsilon=99.0), "panel: 'None, ε = 99.0'"),
    (
        lambda: dpbandits.published("all", "privacy").panels,
        "figure: 'privacy' is not allowed; allowed: a figure of",
    ),
    (lambda: dpbandits.cache.clear(3), "cache: 3"),
    (
        lambda: dpbandits.cache.clear("readme.md"),
        "cache: 'readme.md' is not allowed; allowed: the folder of a cache",
    ),
    (lambda: dpbandits.cache.clear("folder"), "cache: 'folder'"),
    (lambda: policy(arms=True), "arms: True is not allowed; allowed: an integer from 1"),
    (lambda: policy(horizon=1.5), "horizon: 1.5"),
    (lambda: policy(seed=1.5), "seed: 1.5"),
    (lambda: policy(epsilon=decimal.Decimal(1)), "epsilon: Decimal('1')"),
    (lambda: policy(epsilon=fractions.Fraction(1, 2)), "epsilon: Fraction(1, 2)"),
    (lambda: policy(experts=3), "experts: 3 is not allowed; allowed: nothing"),
    (lambda: policy().reseed(3), "rng: 3 is not allowed; allowed: a numpy.random.Generator"),
    (lambda: policy().update(0, 1.0), "action: 0 is not allowed; allowed: nothing before choose()"),
    (lambda: policy().save(""), "file: '' is not allowed; allowed: the name of a file"),
    (lambda: policy().save("folder"), "folder: is a directory"),
    (lambda: rewarded(None), "reward: None is not allowed; allowed: a number from 0 to 1"),
    (lambda: rewarded("1"), "reward: '1'"),
    (lambda: rewarded([1.0]), "reward: [1.0]"),
    (lambda: dpbandits.load_policy("folder"), "folder: is a directory"),
    (lambda: estimator().partial_fit(["a", "b"], [1.0]), "decisions: '2 and 1 rewards'"),
    (lambda: estimator().partial_fit(["c"], [1.0]), "decisions: 'c' is not allowed; allowed: one of ['a', 'b']"),
    (lambda: estimator().simulate([0.9, 0.5, 0.1], 10, 2), "environment: 'one of 3 arms' is not allowed"),
    (lambda: estimator().simulate([0.9, 0.5], 10, 0), "seeds: 0"),
    (lambda: estimator(arms=2).predict(), "arms: 2 is not allowed; allowed: a list of names"),
    (lambda: dpbandits.rewards(TABLE, rounds=7), "rounds: 7 is not allowed; allowed: 2, as the table has"),
    (lambda: dpbandits.rewards(TABLE, arms=3), "arms: 3 is not allowed; allowed: 2, as the table has"),
    (lambda: dpbandits.rewards([[0.1], [0.2]]), "rewards: 'shape (2, 1)'"),
    (lambda: dpbandits.rewards(lambda _, arm: "x" * arm, rounds=3, arms=2), "rewards: 'list'"),
    (lambda: dpbandits.lottery(runs_of("ab")), "algorithm: 'a' is not allowed; allowed: at least two runs"),
    (lambda: dpbandits.lottery(runs_of("aabb"), seed="x"), "seed: 'x' is not allowed; allowed: an integer >= 0"),
    (lambda: dpbandits.lottery(runs_of("aabb"), seed=-1), "seed: -1"),
    (lambda: dpbandits.audit("dp-imed", 1.0, parameters={3: 1}), "parameters.3: 1 is not allowed"),
    (lambda: dpbandits.audit("dp-imed", 1.0, seeds=range(3)), "seeds: range(0, 3)"),
    (lambda: dpbandits.lower_bound([0.9, 0.5], 1.0, float("inf")), "horizon: inf"),
]


@pytest.mark.parametrize(("call", "told"), CALLS)
def test_in_python(call: Callable[[], object], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the argument."""
    monkeypatch.chdir(tmp_path)
    Path("readme.md").write_text("mine\n", encoding="utf-8")
    Path("folder").mkdir()
    with pytest.raises(MENDABLE) as caught:
        call()
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_no_curve_is_drawn_beside_those_of_another_panel() -> None:
    mine = dpbandits.grid(
        ["dp-imed"],
        environments={"own": [0.9, 0.5]},
        epsilons=[0.1],
        horizon=20,
        runs=2,
        n_jobs=1,
        cache=False,
        progress=False,
    )
    with pytest.raises(MENDABLE, match=r"figure: 'fig4' is not allowed; allowed: one with a panel of own at 0\.1"):
        mine.beside("azize2025", "fig4")
    with pytest.raises(MENDABLE, match="against: 'dp-imed' is not allowed; allowed: an algorithm beside others"):
        mine.compare()


def test_there_are_seventy_five() -> None:
    assert len(COMMANDS) + len(CALLS) == 75
