"""The command line: files, refusals, help."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from dpbandits.core import registry
from dpbandits.core.recording import Runs
from dpbandits.pipeline import cli
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
        (("--epsilon 0.25", ""), "--epsilon: None", "needs a privacy budget"),
        (("0.75,0.7,0.7", "0.75,1.7"), "--means.means.1: 1.7", "[0, 1]"),
        (("0.75,0.7,0.7", "0.75"), "--means.means", "at least 2"),
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
        (("n0=1", "n0=1 --threads 0"), "--threads: 0", ">= 1"),
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
    assert run(f"{SIMULATE} --output {tmp_path}/file/out.npz") == 1
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
        assert f"  {name}: " in text


@pytest.mark.parametrize("command", ["list", "simulate"])
def test_help_has_an_example(capsys: pytest.CaptureFixture[str], command: str) -> None:
    """Every command explains itself."""
    with pytest.raises(SystemExit, match="0"):
        run(f"{command} --help")
    assert "example: dpbandits " + command in " ".join(capsys.readouterr().out.split())
