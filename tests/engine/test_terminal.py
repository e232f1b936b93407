"""A workflow's last line says where results are, or what goes on."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from dpbandits.engine import terminal


def test_the_end_names_what_is_there(tmp_path: Path) -> None:
    """The site and the ledger, each only if it is there."""
    assert terminal.done(tmp_path, time.monotonic()) == "Done in 0 s."
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").touch()
    (tmp_path / "claims.csv").write_text("id\na\nb\n", encoding="utf-8")
    said = terminal.done(tmp_path, time.monotonic() - 24 * 60)
    assert said == f"Done in 24 min. Open {tmp_path}/site/index.html · 2 claims: {tmp_path}/claims.md"


def test_a_failure_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its options; and nothing that steers a terminal."""
    monkeypatch.setattr(sys, "argv", ["/bin/snakemake", "--cores", "2", "a b", "\x1b[2J"])
    said = terminal.failed(Path("results/logs"))
    assert "results/logs" in said
    assert "snakemake --cores 2 'a b'" in said
    assert said.isprintable()
