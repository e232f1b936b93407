"""The README as a stranger uses it: its files are written, its commands run, and say what is printed there."""

import re
import shlex
import sys
from pathlib import Path

from noisetap.cli import main

README = Path(__file__).parents[1] / "README.md"


def blocks():
    """Yield the indented blocks; blank lines inside belong to them."""
    text = README.read_text(encoding="utf-8")
    for found in re.finditer(r"(?:^(?:    .*)?\n)+", text, flags=re.MULTILINE):
        if found.group().strip():
            yield re.sub(r"^    ", "", found.group(), flags=re.MULTILINE).strip("\n")


def said(text):
    """Return what has no seconds in it: a verdict without what was heard."""
    heard = r" \([^()]*(?:runs, [\d.]+ s|\.\.\.)\)$"
    return [re.sub(heard, "", line) for line in text.splitlines() if line.strip()]


def matches(stands, found):
    """Say whether a line of the README is what was printed; three dots stand for what is too wide for its page."""
    return re.fullmatch(".*".join(map(re.escape, stands.split("..."))), found) is not None


def test_a_line_with_dots_can_be_wrong():
    assert matches(
        "loss 3.9 of 1: the density of 4.04... is that much ...",
        "loss 3.9 of 1: the density of 4.0457 is that much larger",
    )
    assert not matches(
        "loss 3.8 of 1: the density of 4.04... is that much ...",
        "loss 3.9 of 1: the density of 4.0457 is that much larger",
    )


def test_every_command_of_the_readme_says_what_is_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    commands = 0
    for block in blocks():
        if file := re.match(r"# (\w+\.py)\n", block):
            (tmp_path / file[1]).write_text(block.partition("\n$ ")[0] + "\n")
        for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, expected = re.sub(r" \\\n +", " ", command).partition("\n")
            name, *arguments = shlex.split(line)
            assert name == "noisetap"
            main(arguments)
            printed = said(capsys.readouterr().out)
            assert len(said(expected)) <= len(printed), line
            for stands, found in zip(said(expected), printed, strict=False):
                assert matches(stands, found), f"{line}: {stands!r} in place of {found!r}"
            commands += 1
    assert commands >= 5
    for name in ("test_plain", "both"):
        namespace = {}
        exec(compile((tmp_path / f"{name}.py").read_text(), name, "exec"), namespace)
        for function in [f for n, f in namespace.items() if n.startswith("test_")]:
            function()
    for name in ("plain", "mine"):
        sys.modules.pop(name, None)
