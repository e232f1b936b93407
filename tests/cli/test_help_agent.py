"""Pages for coding assistants: their commands are commands, and they name what is there."""

from __future__ import annotations

import re
import shlex

import pytest

from dpbandits.cli.commands.start import PAGES
from dpbandits.cli.main import main, parser
from dpbandits.core.provenance import package_version


@pytest.mark.parametrize("page", ["run", "algorithm", "audit"])
def test_a_page(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command is parsed; the page says of which version it is."""
    assert main(["help-agent", page]) == 0
    text = capsys.readouterr().out
    assert f"version {package_version()}" in text
    (block,) = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    for line in block.splitlines():
        program, *words = shlex.split(line)
        assert program == "dpbandits"
        parser().parse_args(words)


def test_all_pages_and_none(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a name all are printed; another name is told the right ones."""
    assert main(["help-agent"]) == 0
    assert capsys.readouterr().out.count("You are a coding assistant") == len(list(PAGES.glob("*.md"))) == 3
    assert main(["help-agent", "audits"]) == 2
    assert "did you mean 'audit'" in capsys.readouterr().err
