"""The command line: files, refusals, help."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dpbandits.cli import exhibits, progress
from dpbandits.cli import main as cli
from dpbandits.cli.commands import inventory
from dpbandits.core import registry
from dpbandits.core.recording import Runs
from dpbandits.runs.job import fill, make_job, prepare

SIMULATE = "simulate dp-imed --means 0.75,0.7,0.7 --epsilon 0.25 --horizon 100000 --seeds 0-9 --param n0=1"


def run(command: str) -> int:
    """Run a command line."""
    return cli.main(shlex.split(command))


def test_simulate_writes_what_it_says(tmp_path: Path) -> None:
    """The file holds regret, rounds, pulls, seeds, the parameters in use and where it came from."""
    out = tmp_path / "out.npz"
    assert run(f"{SIMULATE} --param alpha=2 --checkpoints 50 --output {out}") == 0
    with np.load(out) as file:
        regret, rounds, pulls = file["regret"], file["rounds"], file["pulls"]
        assert regret.shape == (10, rounds.size)
        assert rounds.size <= 50
        assert rounds[-1] == 100_000
        assert pulls.shape == (10, 3)
        assert (pulls.sum(axis=1) == 100_000).all()
        assert file["seeds"].tolist() == list(range(10))
        assert np.allclose(regret[:, -1], pulls @ np.array([0, 0.05, 0.05]))
        assert json.loads(str(file["parameters"])) == {"alpha": 2.0, "n0": 1}
        metadata = json.loads(str(file["metadata"]))
    assert metadata["job"]["environment"] == {"kind": "bernoulli", "means": [0.75, 0.7, 0.7]}
    assert metadata["job"]["epsilon"] == 0.25
    assert {"numpy", "numba", "python", "dpbandits"} <= set(metadata["versions"])
    assert len(metadata["sources"]) == 16
    assert list(tmp_path.iterdir()) == [out]


def test_the_same_runs_give_the_same_bytes(tmp_path: Path) -> None:
    """Spelling, threads and blocks do not change a run; another root seed does."""
    one, two, part, other = (tmp_path / f"{name}.npz" for name in ("one", "two", "part", "other"))
    environment = shlex.quote('{"means": [0.75, 0.7, 0.7], "kind": "bernoulli"}')
    assert run(f"{SIMULATE} --output {one}") == 0
    assert (
        run(
            f"simulate dp-imed --environment {environment} --epsilon 0.250 --horizon 1e5 "
            f"--seeds 0-9 --param alpha=2.0 --threads 2 --output {two}"
        )
        == 0
    )
    assert one.read_bytes() == two.read_bytes()
    assert run(f"{SIMULATE.replace('0-9', '3-7')} --output {part}") == 0
    assert run(f"{SIMULATE} --root-seed 1 --output {other}") == 0
    with np.load(one) as whole, np.load(part) as some, np.load(other) as different:
        assert (whole["regret"][3:8] == some["regret"]).all()
        assert (whole["regret"] != different["regret"]).any()
        assert len({row.tobytes() for row in whole["regret"]}) == 10


# An environment of each setting.
PLACES = {
    "stochastic": {"kind": "bernoulli", "means": [0.9, 0.5]},
    "adversarial": {"kind": "bernoulli-gap", "arms": 3, "gap": 0.2},
    "experts": {"kind": "one-good-expert", "experts": 4, "actions": 3, "gap": 0.2},
    "full_information": {"kind": "bernoulli-losses", "means": [0.3, 0.5, 0.6]},
    "linear": {"kind": "sphere", "arms": 10, "dimension": 3},
}


@pytest.mark.parametrize(
    "name", [n for n in registry.modules("algorithm") if registry.setting("algorithm", n) in PLACES]
)
def test_every_algorithm_runs_with_its_defaults(tmp_path: Path, name: str) -> None:
    """A budget is needed with privacy, and refused without."""
    private = registry.algorithm(name).privacy is not None
    place = json.dumps(PLACES[registry.setting("algorithm", name)])
    command = ["simulate", name, "--environment", place, "--horizon", "300", "--seeds", "0-2"]
    command += ["--output", str(tmp_path / "out.npz")]
    assert cli.main(command) == (2 if private else 0)
    assert cli.main([*command, "--epsilon", "0.5"]) == (0 if private else 2)


@pytest.mark.parametrize(
    "name", [n for n in registry.modules("algorithm") if registry.setting("algorithm", n) in PLACES]
)
def test_no_run_knows_of_others_beside_it(name: str) -> None:
    """What a run leaves behind, a used-up iterator say, must not reach the next; `run` cuts too finely to see."""
    epsilon = None if registry.algorithm(name).privacy is None else 0.5
    job = make_job(name, {}, PLACES[registry.setting("algorithm", name)], epsilon, 3000, 5, 1)

    def filled(seeds: range) -> Runs:
        runs, problem = prepare(job, seeds)
        fill(job, runs, problem)
        return runs

    together = filled(range(4))
    for seed in range(4):
        alone = filled(range(seed, seed + 1))
        assert alone.regret.tobytes() == together.regret[seed].tobytes()
        assert alone.pulls.tobytes() == together.pulls[seed].tobytes()


@pytest.mark.parametrize(
    ("change", "where", "allowed"),
    [
        (("dp-imed", "dp-imde"), "ALGORITHM: 'dp-imde'", "did you mean 'dp-imed'?"),
        (("--epsilon 0.25", "--epsilon 0"), "--epsilon: 0 ", "> 0"),
        (("--epsilon 0.25", "--epsilon nan"), "--epsilon: nan ", "> 0"),
        (("--epsilon 0.25", "--epsilon x"), "--epsilon: 'x'", "a number"),
        (("--epsilon 0.25", ""), "--epsilon is missing", "needs a privacy budget"),
        (("0.75,0.7,0.7", "0.75,1.7"), "--means.1: 1.7", "[0, 1]"),
        (("0.75,0.7,0.7", "0.75"), "--means: [0.75]", "at least 2"),
        (("0.75,0.7,0.7", "a,b"), "--means.0: 'a'", "a number"),
        (("100000", "0"), "--horizon: 0", "from 1 to 2**52"),
        (("100000", "1e300"), "--horizon", "from 1 to 2**52"),
        (("100000", "2.5"), "--horizon: '2.5'", "an integer"),
        (("0-9", "9-0"), "--seeds: '9-0'", "first <= last"),
        (("0-9", "a"), "--seeds: 'a'", "0-19"),
        (("n0=1", "n0=0"), "--param.n0: 0", "> 0"),
        (("n0=1", "m0=1"), "--param.m0: 1", "n0"),
        (("n0=1", "n0"), "--param: 'n0'", "NAME=VALUE"),
        (("n0=1", "n0=1 --param n0=2"), "--param: 'n0=2'", "one value"),
        (("n0=1", "n0=1 --threads 0"), "--threads: 0", "from 1 to 1024"),
        (("n0=1", "n0=1 --checkpoints 0"), "--checkpoints: 0", ">= 1"),
        (("out.npz", "out.csv"), "--output", ".npz"),
    ],
)
def test_bad_input_is_one_clear_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str], where: str, allowed: str
) -> None:
    """What, where and what is allowed; status 2; nothing written."""
    command = f"{SIMULATE} --output {tmp_path}/out.npz".replace(*change)
    assert run(command) == 2
    error = capsys.readouterr().err
    assert where in error
    assert allowed in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An operating system's error is a line, not a traceback."""
    (tmp_path / "file").write_text("")
    assert run(f"{SIMULATE} --output {tmp_path}/file/out.npz") == 4
    assert capsys.readouterr().err.count("\n") == 1


def test_list_names_everything(capsys: pytest.CaptureFixture[str]) -> None:
    """Papers, algorithms with privacy and source, environments."""
    assert run("list --json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert set(listed["algorithms"]) == set(registry.modules("algorithm"))
    for entry in listed["algorithms"].values():
        assert entry["source"]
        assert entry["privacy"] is None or entry["privacy"]["neighbours"]
    assert run("list") == 0
    text = capsys.readouterr().out
    for name in [*listed["algorithms"], *listed["environments"], *listed["papers"]]:
        assert f"\n{name} " in text


FILTERS = [
    (
        "--setting linear",
        {"algorithms": {"phased-elimination"}, "environments": {"sphere"}},
        {"dp-imed", "bernoulli"},
    ),
    ("--paper wu2025", {"papers": {"wu2025"}, "algorithms": {"rnm-ftnl-gumbel"}, "tables": {"rates"}}, {"dp-imed"}),
    ("--privacy local", {"algorithms": {"dp-exp3-lap"}}, {"dp-imed", "bernoulli", "azize2025"}),
    ("--setting stochastic --privacy none", {"algorithms": {"imed", "kl-ucb"}}, {"dp-imed", "exp3", "bernoulli"}),
]


@pytest.mark.parametrize(("options", "there", "gone"), FILTERS)
def test_the_list_can_be_filtered(
    capsys: pytest.CaptureFixture[str], options: str, there: dict[str, set[str]], gone: set[str]
) -> None:
    """By setting, paper and privacy: what no filter speaks of is not listed; empty kinds are left out."""
    assert run(f"list --json {options}") == 0
    listed = json.loads(capsys.readouterr().out)
    assert {kind for kind, entries in listed.items() if entries} >= set(there)
    assert all(names <= set(listed[kind]) for kind, names in there.items())
    assert run(f"list {options}") == 0
    rows = {line.split()[0] for line in capsys.readouterr().out.splitlines() if line}
    assert set().union(*there.values()) <= rows
    assert not gone & rows


def test_all_about_one_thing(capsys: pytest.CaptureFixture[str]) -> None:
    """Its parameters with their ranges; a mistyped name with what was meant."""
    assert run("list dp-imed") == 0
    assert "--param alpha=2: " in capsys.readouterr().out
    assert run("list one-good-expert") == 0
    assert "    gap: " in capsys.readouterr().out
    for command, said in (
        ("list dp-imde", "NAME: 'dp-imde' is not allowed"),
        ("list --setting linar", "--setting: 'linar' is not allowed; allowed: one of adversarial"),
        ("list --privacy secret", "--privacy: 'secret'"),
        ("list --paper azize", "did you mean 'azize2025'?"),
    ):
        assert run(command) == 2
        assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("DP-SE", "dp-se"),
        ("dp_se", "dp-se"),
        ("FTPL as printed", "ftpl-printed"),
        ("Batched EXP4, as printed", "batched-exp4-printed"),
        ("CoR22", "cor22"),
    ],
)
def test_a_name_is_found_as_papers_spell_it(
    spelled: str,
    name: str,
    known: exhibits.Configuration,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """By its title, and without regard to case, hyphens and underscores."""
    monkeypatch.setattr(exhibits, "configuration", lambda: known)
    assert cli.main(["list", name]) == 0
    told = capsys.readouterr().out
    assert cli.main(["list", spelled]) == 0
    assert capsys.readouterr().out == told


def test_an_algorithm_is_listed_with_its_file_and_its_page(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both are there: the page has the argument for its privacy."""
    assert run("list dp-se") == 0
    told = capsys.readouterr().out
    files = re.findall(r"(?:src|docs)/\S+", told)
    assert [Path(file).name for file in files] == ["dp_se.py", "dp-se.md"]
    assert all((root / file).is_file() for file in files)


def test_without_a_file_there_is_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    """Mean with interval, median, q95 and largest regret at T, those of the runs; of one run its regret."""
    assert run(SIMULATE) == 0
    said = capsys.readouterr().out
    job = make_job("dp-imed", {"n0": 1}, {"kind": "bernoulli", "means": [0.75, 0.7, 0.7]}, 0.25, 10**5, 200, 0)
    runs, problem = prepare(job, range(10))
    fill(job, runs, problem)
    last = runs.regret[:, -1]
    assert "dp-imed, epsilon = 0.25, T = 100,000, 10 runs; regret at T:" in said
    for name, value in {"mean": last.mean(), "median": np.median(last), "largest": last.max()}.items():
        assert f"  {name:8}{value:,.6g}" in said
    assert f"  q95     {np.quantile(last, 0.95):,.6g}" in said
    assert run(SIMULATE.replace("0-9", "3")) == 0
    assert f"run 3; regret at T:\n  {last[3]:,.6g}\n" in capsys.readouterr().out


def progressed(monkeypatch: pytest.MonkeyPatch, times: list[float], counts: list[int], is_terminal: bool) -> str:
    """Return what a stream gets of 2,000 runs, of which so many are done at these times."""
    now = iter([0.0, *times])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: is_terminal)
    with progress.Progress("dp-imed", 2000, "runs", stream) as report:
        for count in counts:
            report(count)
    return stream.getvalue()


def test_progress_is_one_line_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing at first; then a bar, runs, seconds and what is left, as a workflow says it; and nothing remains.

    The first runs compile: how long they took tells nothing of the others.
    """
    said = progressed(monkeypatch, [0.5, 2.0, 4.0], [500, 1000, 2000], is_terminal=True)
    first, second = said.removesuffix("\r\x1b[K").split("\x1b[K")[:2]
    assert first == "\r" + "█" * 10 + "░" * 10 + "  50% · 1,000 of 2,000 runs · 2 s, about 3 s left · dp-imed"[:59]
    assert second.startswith("\r" + "█" * 20 + "  100%")
    assert said.endswith("\r\x1b[K")


def test_progress_says_what_still_runs_when_all_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """No share of all, and no time that nobody knows."""
    now = iter([0.0, 2.0, 4.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    with progress.Progress("dp-imed", 46, "replays", stream) as report:
        report(23, "replays of dp-imed")
        report(46, "counting runs of dp-imed")
    first, second = stream.getvalue().removesuffix("\r\x1b[K").split("\x1b[K")[:2]
    assert "50% · 23 of 46 replays" in first
    assert second.endswith("replays done · counting runs of dp-imed")
    assert "%" not in second and "unknown" not in second


def test_progress_is_a_line_for_each_twentieth_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """From ten seconds on; what is over sooner says nothing."""
    counts = list(range(20, 2001, 20))
    lines = progressed(monkeypatch, [0.5 * i for i in range(1, 101)], counts, is_terminal=False).splitlines()
    assert lines[0] == "20% · 400 of 2,000 runs · 10 s, about 40 s left · dp-imed"
    assert [line.partition("%")[0] for line in lines] == [str(share) for share in range(20, 101, 5)]
    assert progressed(monkeypatch, [0.05] * 100, counts, is_terminal=False) == ""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("dpbandits sim", {"simulate"}),
        ("dpbandits simulate dp-imed-l", {"dp-imed-long-start"}),
        ("dpbandits audit rnm-ftnl-g", {"rnm-ftnl-gumbel"}),
        ("dpbandits list --setting full", {"full_information"}),
        ("dpbandits simulate dp-imed --pref", {"--preflight"}),
    ],
)
def test_shells_complete(tmp_path: Path, line: str, expected: set[str]) -> None:
    """Commands, options, names: what a shell is told when it asks."""
    pytest.importorskip("argcomplete")
    told = tmp_path / "told"
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n"}
    asked |= {"_ARGCOMPLETE_STDOUT_FILENAME": str(told), "_ARGCOMPLETE_COMP_WORDBREAKS": " ", "COMP_TYPE": "9"}
    command = [sys.executable, "-m", "dpbandits"]
    subprocess.run(command, env={**os.environ, **asked}, capture_output=True, check=True, timeout=60)
    assert {word.strip() for word in told.read_text(encoding="utf-8").splitlines()} == expected


@pytest.mark.parametrize("shell", inventory.SHELLS)
def test_a_shell_is_told_how(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    """Each shell gets a script in its language; another one is refused."""
    pytest.importorskip("argcomplete")
    assert run(f"completion {shell}") == 0
    assert ("complete --command dpbandits" if shell == "fish" else "compdef") in capsys.readouterr().out
    assert run("completion tcsh") == 2
    assert "one of bash, fish, zsh" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["list", "simulate"])
def test_help_has_an_example(capsys: pytest.CaptureFixture[str], command: str) -> None:
    """Every command explains itself."""
    with pytest.raises(SystemExit, match="0"):
        run(f"{command} --help")
    assert "example: dpbandits " + command in " ".join(capsys.readouterr().out.split())
