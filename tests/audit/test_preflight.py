"""Guards: what no run may do is refused by name, before anything is simulated."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from broken import breakable, with_fault
from twins import registered

from dpbandits.auditing import preflight
from dpbandits.auditing.preflight import check_one_run, slip
from dpbandits.cli import main as cli
from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.errors import BadInput
from dpbandits.runs.job import Job, make_job, run

# What is wrong, and what is said of it.
WRONG = {
    "a batch collected twice": "a reward of arm . is read twice",
    "more collected than played": "are read that were not played",
    "a pull too few": "is played without being recorded",
    "a stream that begins anew": "stream was rewound or replaced",
    "noise of another generator": "two runs with the same random stream differ",
}


@pytest.fixture(autouse=True)
def preflight_of_tier() -> None:
    """Leave the preflight whole: it is tested here."""


def job_of(name: str, **given: Any) -> Job:
    """Return a job of an algorithm that decides like DP-IMED."""
    return make_job(name, given, {"kind": "bernoulli", "means": [0.6, 0.5, 0.1]}, 1.0, 10**5, 10, 0)


@pytest.mark.parametrize(("wrong", "said"), WRONG.items())
def test_what_is_wrong_is_refused_by_name(wrong: str, said: str) -> None:
    twin = registered("dp-imed", with_fault(breakable("dp-imed"), wrong))
    with twin as name, pytest.raises(BadInput, match=said):
        check_one_run(job_of(name), 0)


def test_the_same_twin_without_a_fault_passes() -> None:
    with registered("dp-imed", with_fault(breakable("dp-imed"), "none")) as name:
        check_one_run(job_of(name), 0)


@pytest.mark.parametrize("name", ["dp-imed", pytest.param("lazy-dp-ts", marks=pytest.mark.slow), "imed"])
def test_what_is_right_passes(name: str) -> None:
    epsilon = None if registry.algorithm(name).privacy is None else 1.0
    check_one_run(make_job(name, {}, {"kind": "bernoulli", "means": [0.6, 0.5]}, epsilon, 10**5, 10, 0), 3)


def altered(simulate: Any) -> Algorithm:
    """Return DP-IMED with something done to its runs."""
    original = registry.algorithm("dp-imed")

    def after(runs: Any, bandit: Any, **arguments: Any) -> None:
        original.simulate(runs, bandit, **arguments)
        simulate(runs)

    return dataclasses.replace(original, simulate=after)


def a_pull_more(runs: Any) -> None:
    """Count a pull that is none."""
    runs.pulls[0, 0] += 1


def no_number(runs: Any) -> None:
    """Leave a checkpoint without a number."""
    runs.regret[0, 0] = np.nan


@pytest.mark.parametrize(("wrong", "said"), [(a_pull_more, "pulls sum to T"), (no_number, "finite number")])
def test_finished_runs_are_looked_at(wrong: Any, said: str) -> None:
    with registered("dp-imed", altered(wrong)) as twin, pytest.raises(BadInput, match=said):
        run(job_of(twin), range(3))


def test_simulate_checks_before_it_simulates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "simulate",
        "--means",
        "0.6,0.5",
        "--epsilon",
        "1",
        "--horizon",
        "1000",
        "--seeds",
        "0-1",
        "--preflight",
    ]
    assert cli.main([*command, "dp-imed", "--output", str(tmp_path / "a.npz")]) == 0
    with registered("dp-imed", with_fault(breakable("dp-imed"), "a batch collected twice")) as twin:
        assert cli.main([*command, twin, "--output", str(tmp_path / "b.npz")]) == 2
    assert "is read twice" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["a.npz"]


def test_a_file_is_no_algorithm(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["audit", "mine.py:P"]) == 2
    assert "a file: noisetap mine.py:P" in capsys.readouterr().err


def test_a_run_with_many_events_is_no_slip(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a set batch size decisions grow with the horizon, and such runs are not looked at to their end."""
    # Here the end is after a third of the usual number of events, which are made in Python.
    monkeypatch.setattr(preflight, "LIMIT", 16)
    parameters = {"delta": 1e-3, "tau": 366, "eta": 0.3, "gamma": 1.0}
    assert slip("batched-exp4", parameters, 5, 0.25, 3) is None
