"""Wrong inputs are answered in one clear line that names the place, and often the remedy."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import projects
import pytest
import yaml

import dpbandits
from dpbandits.claims import claim
from dpbandits.cli.main import main
from dpbandits.core import registry
from dpbandits.core.errors import MENDABLE, BadInput, BrokenFile, in_source
from dpbandits.engine import configfile_check
from dpbandits.runs import config

RIGHT = {"--means": "0.75,0.7", "--epsilon": "1", "--horizon": "100", "--seeds": "0-1"}
# Options in place of the right ones (nothing leaves one out), and what the line has to say.
SIMULATE: list[tuple[dict[str, str | None], str]] = [
    ({"": "dp_imed"}, "did you mean 'dp-imed'?"),
    ({"": "DP-IMED"}, "ALGORITHM: 'DP-IMED'"),
    ({"": "dpimed"}, "did you mean 'dp-imed'?"),
    ({"": "exp3", "--epsilon": None}, "--means: 'a Bernoulli bandit' is not allowed; allowed: --environment with"),
    ({"--epsilon": None}, "--epsilon is missing; needed: a number > 0: DP-IMED needs a privacy budget"),
    ({"--epsilon": "0"}, "--epsilon: 0"),
    ({"--epsilon": "-1"}, "--epsilon: -1"),
    ({"--epsilon": "1,0"}, "--epsilon: '1,0'"),
    ({"--epsilon": "nan"}, "--epsilon: nan"),
    ({"--epsilon": "inf"}, "--epsilon: inf"),
    ({"": "imed"}, "no budget: IMED is not private"),
    ({"--means": "0.75"}, "--means"),
    ({"--means": "0.75;0.7"}, "--means.0: '0.75;0.7' is not allowed; allowed: a number"),
    ({"--means": "0.75,1.2"}, "--means.1: 1.2"),
    ({"--means": "0.75,-0.1"}, "--means.1: -0.1"),
    ({"--means": "0.75,"}, "--means.1: ''"),
    ({"--means": "75%,70%"}, "--means.0: '75%'"),
    ({"--horizon": "1e300"}, "--horizon: an integer of 301 digits is not allowed; allowed: an integer from 1 to"),
    ({"--horizon": f"1{'0' * 310}"}, "--horizon: an integer of 311 digits is not allowed"),
    ({"--horizon": "0"}, "--horizon: 0"),
    ({"--horizon": "1.5"}, "--horizon: '1.5' is not allowed; allowed: an integer"),
    ({"--horizon": "1 000"}, "--horizon: '1 000'"),
    ({"--horizon": "ten"}, "--horizon: 'ten'"),
    ({"--seeds": "5-2"}, "--seeds: '5-2' is not allowed; allowed: run numbers as 0-19 or 7"),
    ({"--seeds": "0,1,2"}, "--seeds: '0,1,2'"),
    ({"--seeds": "a-b"}, "--seeds: 'a-b'"),
    ({"--threads": "0"}, "--threads: 0"),
    ({"--threads": "1e9"}, "--threads: 1000000000 is not allowed; allowed: an integer from 1 to 1024"),
    ({"--param": "alfa=2"}, "did you mean 'alpha'?"),
    ({"--param": "alpha"}, "--param: 'alpha' is not allowed; allowed: NAME=VALUE"),
    ({"--param": "alpha=two"}, "--param.alpha: 'two'"),
    ({"--param": "alpha=1"}, "--param.alpha: 1"),
    ({"--output": "runs.csv"}, "--output: 'runs.csv' is not allowed; allowed: a file name that ends in .npz"),
    ({"--output": "a-folder.npz"}, "a-folder.npz: Is a directory"),
    ({"--checkpoints": "0"}, "--checkpoints: 0"),
    ({"--checkpoints": "many"}, "--checkpoints: 'many'"),
    ({"--root-seed": "-1"}, "root_seed: -1"),
    (
        {"--means": None, "--environment": "bernoulli"},
        "--environment: 'bernoulli' is not allowed; allowed: JSON such",
    ),
    ({"--means": None, "--environment": '{"kind": "bernouli"}'}, "did you mean 'bernoulli'?"),
    ({"--means": None, "--environment": '{"means": [0.7, 0.5]}'}, "--environment.kind"),
    ({"--means": None, "--environment": '{"kind": "bernoulli", "mean": [0.7, 0.5]}'}, "mean"),
    (
        {"--means": None, "--environment": '{"kind": "bernoulli", "means": [0.7, 0.5], "means": [0.9, 0.5]}'},
        "--environment.means: [0.9, 0.5] is not allowed; allowed: one value for each key",
    ),
]


def _told(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one line that a wrong call ends with."""
    assert main(words) in (2, 4)
    told = [
        line for line in capsys.readouterr().err.splitlines() if ": compil" not in line and " runs, " not in line
    ]
    assert len(told) == 1
    return told[0]


@pytest.mark.parametrize(("change", "said"), SIMULATE)
def test_a_wrong_simulation(
    change: dict[str, str | None], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """By the option that was typed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a-folder.npz").mkdir()
    options = {key: value for key, value in {"": "dp-imed", **RIGHT, **change}.items() if value is not None}
    words = ["simulate", options.pop(""), *itertools.chain(*options.items())]
    # An option's value may begin like an option.
    words = [
        f"{word}={options[word]}" if word in options else word for word in words if word not in options.values()
    ]
    line = _told(words, capsys)
    assert said in line, line
    assert len(line) < 400


OTHER = [
    (["list", "dp_imde"], "did you mean 'dp-imed'"),
    (["list", "--setting", "stochastik"], "did you mean 'stochastic'?"),
    (["list", "--paper", "azize2026"], "did you mean 'azize2025'?"),
    (["list", "--privacy", "pur"], "did you mean 'pure'?"),
    (["audit", "imed", "--epsilon", "1"], "ALGORITHM: 'imed' is not allowed; allowed: a private algorithm"),
    (["audit", "dp_imed", "--epsilon", "1"], "did you mean 'dp-imed'?"),
    (["audit", "dp-imed", "--epsilon", "0"], "--epsilon: 0"),
    (["audit", "dp-imed", "--epsilon", "1", "--confidence", "99"], "--confidence: 99"),
    (["audit", "dp-imed", "--epsilon", "1", "--effort", "0"], "--effort: 0"),
    (["audit", "dp-imed", "--epsilon", "1", "--arms", "1"], "--arms: 1"),
    (["verify", "nothing"], "nothing: No such file or directory"),
    (["verify", "README.md"], "README.md"),
    (["verify", "empty"], "FOLDER: 'empty' is not allowed; allowed: a folder or crate with files of ours"),
    (["verify", "/dev/null"], "a folder or crate with files of ours"),
    (["repair", "nothing"], "nothing: No such file or directory"),
    (["diff", "nothing", "README.md"], "nothing"),
    (["certify", "conjectur"], "did you mean 'conjecture'?"),
    (["completion", "bsh"], "did you mean 'bash'?"),
]


@pytest.mark.parametrize(("words", "said"), OTHER)
def test_a_wrong_call(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Of the other commands."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    line = _told(words, capsys)
    assert said in line, line
    assert "remove it" not in line


def test_an_interval_says_of_what(capsys: pytest.CaptureFixture[str]) -> None:
    """It may begin below zero, where no regret is: it is the mean's, by Student's t."""
    assert main(["simulate", "dp-imed", *itertools.chain(*RIGHT.items())]) == 0
    assert "at 95 %, Student's t\n" in capsys.readouterr().out


SIMULATED = {"means": [0.7, 0.5], "epsilon": 1.0, "horizon": 100, "seeds": range(2)}
PYTHON: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("simulate", ("dp_imed",), {}, "did you mean 'dp-imed'"),
    ("simulate", (3,), {}, "algorithm: 3"),
    ("simulate", ("dp-imed",), {"seeds": [3, 3]}, "seeds: [3, 3] is not allowed; allowed: a number of runs, as 20"),
    ("simulate", ("dp-imed",), {"seeds": [-1]}, "seeds"),
    ("simulate", ("dp-imed",), {"seeds": []}, "seeds"),
    ("simulate", ("dp-imed",), {"seeds": 0}, "seeds: 0"),
    ("simulate", ("dp-imed",), {"seeds": 2.5}, "seeds: 2.5"),
    ("simulate", ("dp-imed",), {"seeds": "0-19"}, "seeds: '0-19'"),
    ("simulate", ("dp-imed",), {"seeds": range(0, 9, 3)}, "without gaps"),
    ("simulate", ("dp-imed",), {"seeds": np.array([[0, 1], [2, 3]])}, "seeds"),
    ("simulate", ("dp-imed",), {"means": "0.75,0.7"}, "means: '0.75,0.7' is not allowed; allowed: at least two"),
    ("simulate", ("dp-imed",), {"means": [[0.7, 0.5]]}, "means"),
    ("simulate", ("dp-imed",), {"means": np.ones((2, 2))}, "means"),
    ("simulate", ("dp-imed",), {"means": 0.7}, "means: 0.7"),
    ("simulate", ("dp-imed",), {"means": ["a", "b"]}, "means: 'a'"),
    ("simulate", ("dp-imed",), {"means": [0.7, None]}, "means: None"),
    ("simulate", ("dp-imed",), {"epsilon": None}, "epsilon is missing"),
    ("simulate", ("dp-imed",), {"epsilon": "1"}, "epsilon: '1'"),
    ("simulate", ("dp-imed",), {"horizon": "1e4"}, "horizon: '1e4'"),
    ("simulate", ("dp-imed",), {"horizon": None}, "horizon: None"),
    ("simulate", ("dp-imed",), {"threads": 0}, "threads: 0"),
    ("simulate", ("dp-imed",), {"threads": "2"}, "threads: '2'"),
    ("simulate", ("dp-imed",), {"output": 3}, "output: 3"),
    ("simulate", ("dp-imed",), {"alfa": 2}, "did you mean 'alpha'"),
    ("simulate", ("dp-imed",), {"n0": np.array([1, 2])}, "n0"),
    ("simulate", ("dp-imed",), {"means": None, "environment": "bernoulli"}, "environment: 'bernoulli'"),
    ("load", ("README.md",), {}, "README.md: 'a file that is not ours'"),
    ("load", ("nothing.npz",), {}, "nothing.npz"),
    ("load", (3,), {}, "file: 3"),
    ("results", ("nothing",), {}, "folder: 'nothing'"),
    ("results", (None,), {}, "folder: None"),
    ("lower_bound", ([0.75], 0.25, 10), {}, "means: [0.75] is not allowed; allowed: at least two numbers"),
    ("lower_bound", ([0.75, 2], 0.25, 10), {}, "means"),
    ("lower_bound", ([0.75, 0.5], 0, 10), {}, "epsilon: 0"),
    ("lower_bound", ([0.75, 0.5], 1, 0), {}, "horizon: 0"),
    ("audit", ("dp-imed", 1.0), {"effort": "much"}, "effort: 'much'"),
    ("audit", ("dp-imed", 1.0), {"confidence": 95}, "confidence: 95"),
]


@pytest.mark.parametrize(("name", "arguments", "options", "said"), PYTHON)
def test_a_wrong_python_call(
    name: str,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By the argument; and it never tells a person to remove a file of theirs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    function: Callable[..., object] = getattr(dpbandits, name)
    with pytest.raises(MENDABLE) as caught:
        function(*arguments, **(SIMULATED | options if name == "simulate" else options))
    assert said in str(caught.value)
    assert "remove" not in str(caught.value)


def test_what_python_takes() -> None:
    """Numbers of runs, lists and arrays are the runs of a range."""
    usual = dpbandits.simulate("dp-imed", **SIMULATED)
    for seeds in (2, 2.0, [0, 1], (0, 1), np.arange(2), np.int64(2)):
        again = dpbandits.simulate("dp-imed", **{**SIMULATED, "seeds": seeds, "means": np.array([0.7, 0.5])})
        assert (again.regret == usual.regret).all()
        assert (again.seeds == usual.seeds).all()


def test_runs_are_printed_in_ten_lines() -> None:
    """With what was simulated; the name has what is not usual."""
    runs = dpbandits.simulate("dp-imed", **{**SIMULATED, "horizon": 10_000, "n0": 40})
    assert len(repr(runs).splitlines()) <= 10
    assert all(len(line) <= 120 for line in repr(runs).splitlines())
    assert runs.name == "dp-imed, n0 = 40, ε = 1"
    assert runs.plot().get_legend_handles_labels()[1] == [runs.name]


CLAIM = {
    "row": "r",
    "place": "p",
    "statement": "s",
    "shown": "figure/curves",
    "tests": [{"test": "regret-ratio", "effect": "e", "experiments": ["small"], "options": {}}],
}
CLAIMS: list[tuple[str, dict[str, Any], str]] = [
    ("options", {"of": ["alpha=8"]}, "c.tests.0.options.of.0: 'alpha=8' is not allowed; allowed: one of"),
    ("options", {"of": ["dp_imed"]}, "did you mean 'dp-imed'?"),
    ("options", {"against": ["dp-se", "dp-klucb"]}, "c.tests.0.options.against.1: 'dp-klucb'"),
    ("options", {"where": {"algorithm": "dp_se"}}, "did you mean 'dp-se'?"),
    ("options", {"where": {"environment": ["near", "far"]}}, "options.where.environment: 'far'"),
    ("options", {"off": ["dp-imed"]}, "did you mean 'of'?"),
    ("test", {"test": "regret-ration"}, "did you mean 'regret-ratio'?"),
    ("test", {"experiments": ["smal"]}, "did you mean 'small'?"),
    ("test", {"computations": ["law"]}, "computations.0: 'law'"),
    ("claim", {"shown": "figure/curve"}, "did you mean 'curves'?"),
    ("claim", {"shown": "picture/curves"}, "c.shown"),
    ("claim", {"statement": "$\\frac{1}{2$ of it"}, "claims.c.statement: '\\\\frac{1}{2' is not allowed"),
    ("claim", {"remark": "it costs 5 $"}, "claims.c.remark: 'it costs 5 $' is not allowed"),
    ("file", {"story": ["d"]}, "story.0: 'd'"),
]


@pytest.mark.parametrize(("level", "change", "said"), CLAIMS)
def test_a_wrong_claim(level: str, change: dict[str, Any], said: str, tmp_path: Path) -> None:
    """By the file, the claim and the key; the file is looked for beside the configuration that names it."""
    stated = yaml.safe_load(yaml.safe_dump({"claims": {"c": CLAIM}}))
    (test,) = stated["claims"]["c"]["tests"]
    {"options": test["options"], "test": test, "claim": stated["claims"]["c"], "file": stated}[level].update(change)
    (tmp_path / "claims.yaml").write_text(yaml.safe_dump(stated), encoding="utf-8")
    content = projects.tiny()
    content["papers"]["azize2025"]["claims"] = "claims.yaml"
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        claim.load(config.load([tmp_path / "mine.yaml"]))
    assert str(tmp_path / "claims.yaml") in str(caught.value)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_target_taken_for_a_configuration(tmp_path: Path) -> None:
    """Whether it is there or not."""
    figure = tmp_path / "fig1.pdf"
    for _ in range(2):
        with pytest.raises(BadInput, match="a target comes before --configfile"):
            configfile_check.check(figure)
        figure.write_bytes(b"%PDF\xac\xff")


SOURCES = [
    ("def x(:\n", 1, "SyntaxError"),
    ("import nothing_there\n", 1, "No module named 'nothing_there'"),
    ("x = 1\n\ny = indx\n", 3, "name 'indx' is not defined"),
    ("def f():\n    return 1 / 0\n\n\nf()\n", 2, "division by zero"),
]


@pytest.mark.parametrize(("source", "line", "said"), SOURCES)
def test_a_broken_source(source: str, line: int, said: str, tmp_path: Path) -> None:
    """Of a person's algorithm: file, line and what is wrong, in one line."""
    file = tmp_path / "mine.py"
    file.write_text(source, encoding="utf-8")
    with pytest.raises(BrokenFile) as caught, in_source(str(file)):
        exec(compile(source, str(file), "exec"))
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert said in str(caught.value)
    assert isinstance(caught.value, MENDABLE)


def test_a_source_that_declares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says which name is missing."""
    monkeypatch.setattr(registry, "module", lambda *_: "dpbandits.core.verdicts")
    with pytest.raises(BrokenFile, match=r"verdicts\.py: it defines no ALGORITHM"):
        registry.load("algorithm", "mine")
