"""No call of the command line ends in a traceback: a thousand, of right and wrong words in random order."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from dpbandits.cli.main import main

CALLS = 1000
DEEP = "[" * 20_000
VALUES = (
    *("", " ", "0", "1", "-1", "7", "0-19", "19-0", "0-", "-", "0-" + "9" * 70, "9" * 5000, "1e400", "nan", "-inf"),
    *("0.5", "1e-320", "1e5", "10000", "0x10", "1_000", "٣", "²", "½", "a", "\u202e", "\n", "a" * 10_000, "--"),
    *("dp-imed", "dp-imde", "imed", "conversion-exp3", "rnm-ftnl", "fig8", "results", "/proc/self/mem", ".", "-h"),
    *("x.npz", "/proc/none/x.npz", "/proc/x.npz", ".npz", "x.csv", "{}", "[]", "null", "0.75,0.7", "1,1", ","),
    *(
        DEEP,
        '{"kind":' * 5000,
        '{"kind": "bernoulli"}',
        '{"kind": "bernoulli", "means": [0.9, 0.1]}',
        '{"kind": 1}',
    ),
    *('{"kind": "bernoulli", "means": "0.9"}', "alpha=2", "alpha=", "=2", "alpha", "alpha=nan", "base=exp3"),
)
OPTIONS = (
    *("--means", "--environment", "--epsilon", "--horizon", "--seeds", "--param", "--checkpoints", "--output"),
    *("--root-seed", "--threads", "--json", "--help", "--version", "--confidence", "--what"),
    *("--setting", "--paper", "--privacy"),
)
COMMANDS = ("simulate", "list", "completion", "verify", "certify", "audit", "simulat", "repair", "")
# A right call, of which words are then replaced.
RIGHT = ("simulate", "dp-imed", "--means", "0.75,0.7", "--epsilon", "1", "--horizon", "1000", "--seeds", "0-1")
RIGHT += ("--output", "x.npz")


def call(chance: np.random.Generator) -> list[str]:
    """Return the words of a call."""
    if chance.random() < 0.5:
        words = list(RIGHT)
        for _ in range(chance.integers(1, 4)):
            words[chance.integers(1, len(words))] = str(chance.choice([*VALUES, *OPTIONS]))
        return words
    further = [str(word) for word in chance.choice([*VALUES, *OPTIONS, *OPTIONS], chance.integers(0, 8))]
    command = str(chance.choice(COMMANDS))
    # Alone it would prove all certificates, which other tests do.
    return [command, *(["conjectur"] if command == "certify" else []), *further]


def test_no_call_ends_in_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each ends with a status, and a wrong one says why in a line, without a name that is ours alone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "figures").mkdir()
    chance = np.random.default_rng(17)
    refused = 0
    for _ in range(CALLS):
        words = call(chance)
        try:
            status = main(words)
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else 1
        said = capsys.readouterr().err
        assert status in (0, 1, 2), words
        assert "Traceback" not in said, words
        assert f"{os.sep}." not in said.replace("/.npz", ""), (words, said)
        if status == 2:
            refused += 1
            assert said.strip(), words
    # Were nearly all calls right, or help, they would try nothing.
    assert CALLS / 4 < refused < CALLS
