"""`dpbandits certify`: what it prints, writes and refuses."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from pathlib import Path

import pytest

from dpbandits.cli import main as cli
from dpbandits.core import declarations, registry
from dpbandits.papers.exact_inequalities import greater

FAST = ["exponential-scale", "theorem-constants"]


def test_certificates_are_proved_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two lines each, the second with the steps that are checked, and the rows as JSON."""
    out = tmp_path / "rows.json"
    assert cli.main(["certify", *FAST, "--output", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[::2]] == ["proved", "proved"]
    for name, line in zip(FAST, lines[1::2], strict=True):
        declared = declarations.certificate(name)
        assert line.strip() == f"{declared.source}: {declared.statement}"
    written = json.loads(out.read_text())
    assert set(FAST) <= set(written)
    assert all(written[name]["fault"] is None and len(written[name]["rows"]) >= 10 for name in FAST)
    assert cli.main(["certify", "theorem-constants", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["theorem-constants"]["rows"]


def test_what_is_not_proved_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A certificate that fails says what, the others are proved all the same, and the status is 1."""
    right = declarations.certificate

    def broken(name: object) -> declarations.Certificate:
        declared = right(name)
        if name == FAST[0]:
            return dataclasses.replace(declared, prove=lambda: [greater("here", "this", Fraction(1), Fraction(2))])
        return declared

    monkeypatch.setattr(declarations, "certificate", broken)
    assert cli.main(["certify", *FAST]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("FAILED")
    assert lines[0].endswith("here: this: 1 > 2 is not proved")
    assert lines[1].startswith("proved")
    assert len(lines) == 3


def test_unknown_names_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["certify", "conjectur"]) == 2
    assert "did you mean 'conjecture'" in capsys.readouterr().err


@pytest.mark.parametrize("name", registry.modules("certificate"))
def test_a_certificate_says_what_it_proves(name: str) -> None:
    """Title, source, statement and arithmetic; its docstring says what is trusted."""
    declared = declarations.certificate(name)
    assert all((declared.title, declared.source, declared.statement, declared.arithmetic))
    module = __import__(registry.module("certificate", name), fromlist=["CERTIFICATE"])
    assert "Trusted:" in module.__doc__
