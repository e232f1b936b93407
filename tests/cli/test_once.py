"""Options count once, and nothing is overwritten in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpbandits.cli.main import main

RUN = ["simulate", "dp-imed", "--means", "0.9,0.8", "--epsilon", "1", "--horizon", "50"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([*RUN, "--epsilon", "2"], "--epsilon is given twice"),
        ([*RUN, "--environment", "{}"], "--environment: not allowed with argument --means"),
        (["audit", "dp-imed", "1"], "audit: 1 is not understood; --epsilon 1?"),
        (["compare", "dp-imed"], "are required: OTHER"),
    ],
)
def test_one_line(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No usage before it; status 2."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


def test_other_runs_are_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same runs may be written again."""
    monkeypatch.chdir(tmp_path)
    assert main([*RUN, "--seeds", "0-1", "--output", "a.npz"]) == 0
    before = Path("a.npz").read_bytes()
    assert main([*RUN, "--seeds", "0-1", "--output", "a.npz"]) == 0
    assert main([*RUN, "--seeds", "0-2", "--output", "a.npz"]) == 2
    assert main([*RUN, "--seeds", "0-1", "--root-seed", "1", "--output", "a.npz"]) == 2
    assert "holds the same runs" in capsys.readouterr().err
    assert Path("a.npz").read_bytes() == before
