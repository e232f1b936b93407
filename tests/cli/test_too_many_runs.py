"""Runs that no memory holds, or that take months, are refused before any begins, by the option that says so."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

import pytest
from refusals import refuses_command

import dpbandits
from dpbandits.cli.main import main
from dpbandits.core.errors import BadInput
from dpbandits.notebook import memory
from dpbandits.notebook.grid import grid
from dpbandits.runs import duration

SIMULATE = "simulate dp-imed --means 0.9,0.5 --epsilon 1 --horizon 1e6"
COMPARE = "compare dp-imed dp-klucb --means 0.9,0.5 --epsilon 1 --horizon 1e6"
GIVEN: dict[str, Any] = {"means": [0.9, 0.5], "epsilon": 1.0, "horizon": 10**6}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (f"{SIMULATE} --checkpoints 1e12", "--checkpoints: 1000000000000 is not allowed; allowed: at most "),
        (f"{SIMULATE} --seeds 0-999999999", "--seeds: 1000000000 is not allowed; allowed: at most "),
        (f"{COMPARE} --runs 1e9", "--runs: 1000000000 is not allowed; allowed: at most "),
    ],
)
def test_at_the_command_line(words: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In a line, with how many fit."""
    refuses_command(shlex.split(words), told, capsys)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: dpbandits.simulate("dp-imed", checkpoints=10**12, **GIVEN), r"^checkpoints: 10{12} is not"),
        (lambda: dpbandits.simulate("dp-imed", seeds=10**9, **GIVEN), r"^seeds: 10{9} is not"),
        (
            lambda: grid("dp-imed", environments={"b": [0.9, 0.5]}, epsilons=[1.0], horizon=10**6, runs=10**9),
            r"^runs: 10{9} is not",
        ),
    ],
)
def test_in_python(call: Callable[[], object], told: str) -> None:
    """By the name of the argument."""
    with pytest.raises(BadInput, match=told):
        call()


def test_what_fits_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many runs as the line says, and not one more; a grid counts the runs of all its cells."""
    monkeypatch.setattr(memory, "memory_bytes", lambda: 100_000)
    given: dict[str, Any] = {**GIVEN, "horizon": 50}
    # 50 rounds, 2 arms and 4 numbers of a stream, of 8 bytes each.
    assert dpbandits.simulate("dp-imed", seeds=223, **given).regret.shape[0] == 223
    with pytest.raises(BadInput, match="seeds: 224 is not allowed; allowed: at most 223, for 0 GB"):
        dpbandits.simulate("dp-imed", seeds=224, **given)
    with pytest.raises(BadInput, match="runs: 112 is not allowed; allowed: at most 111"):
        grid(
            ["dp-imed", "dp-klucb"],
            environments={"b": [0.9, 0.5]},
            epsilons=[1.0],
            horizon=50,
            runs=112,
            cache=False,
        )


def test_months_are_asked_about(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """In a script they are refused, unless it says that it knows."""
    monkeypatch.setattr(duration, "seconds", lambda _, runs, *__: 1e9 if runs == 3 else 0.0)
    words = "compare dp-imed dp-klucb --means 0.9,0.5 --epsilon 1 --horizon 100 --runs"
    assert main([*words.split(), "3"]) == 2
    told = capsys.readouterr().err
    assert "dp-imed: about 32 years here" in told
    assert "--horizon: 100 is not allowed; allowed: a shorter one, or --yes" in told
    for more in (["3", "--yes"], ["4"]):
        assert main([*words.split(), *more]) == 0
        assert "years" not in capsys.readouterr().err
