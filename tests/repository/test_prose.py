"""Rules of style that a machine can see (CONTRIBUTING.md)."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "dpbandits"
PARTS = sorted(path.name for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file())
MOST_WORDS = 35
OPENINGS = ("What ", "That ", "From ")
PHRASES = re.compile(r"\b(who plays|whoever|has so|to be had|so many|anew)\b", re.IGNORECASE)


def sentences(docstring: str) -> Iterator[str]:
    """Yield the sentences of a docstring; each description of a field and each list item is a text of its own."""
    text: list[str] = []
    indentation = 0
    for line in [*inspect.cleandoc(docstring).splitlines(), ""]:
        inside = len(line) - len(line.lstrip())
        item = re.match(r"\s*([-*]|\d+\.|>>>) ", line)
        if not line.strip() or item or inside != indentation or set(line.strip()) <= {"-", "="}:
            yield from re.split(r"(?<=[a-z)`\]0-9][.!?]) +(?=[A-Z`*(0-9])", " ".join(text))
            text = []
        text.append(line.strip())
        indentation = inside + len(item[0].strip()) + 1 if item else inside


def number_of_words(sentence: str) -> int:
    """Return the number of words; an expression in backticks is one."""
    return len(re.sub(r"``.*?``|`.*?`", "code", sentence).split())


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of all docstrings, those of fields too."""
    for node in ast.walk(ast.parse(source)):
        for name in ("body", "orelse"):
            for statement in getattr(node, name, []) if isinstance(getattr(node, name, None), list) else []:
                match statement:
                    case ast.Expr(value=ast.Constant(value=str() as text)):
                        yield statement.lineno, text


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of all comments."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def faults(source: str) -> list[str]:
    """Return what breaks a rule in a source, with its line."""
    found, documented = [], list(docstrings(source))
    for line, text in documented:
        found += [f"{line}: begins with {opening.strip()!r}" for opening in OPENINGS if text.startswith(opening)]
        long = [sentence for sentence in sentences(text) if number_of_words(sentence) > MOST_WORDS]
        found += [f"{line}: {number_of_words(sentence)} words: {sentence[:80]}..." for sentence in long]
    for line, text in [*documented, *comments(source)]:
        found += [f"{line}: {phrase!r}" for phrase in PHRASES.findall(text)]
    return found


@pytest.mark.parametrize("part", PARTS)
def test_prose(part: str) -> None:
    """No docstring or comment of a package, or of a module beside packages, breaks a rule."""
    found = [
        f"{file.relative_to(SOURCE)}:{fault}"
        for file in sorted(SOURCE.glob(part) if part.endswith(".py") else (SOURCE / part).rglob("*.py"))
        for fault in faults(file.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        '"""What is listed."""',
        '"""From a to b."""',
        "def f():\n    '''Return so many numbers.'''",
        "x = 1  # drawn anew",
        f'x = 1\n"""{"word " * 36}."""',
        f'"""Title.\n\nAttributes\n----------\nname\n    {"word " * 36}.\n"""',
    ],
)
def test_every_rule_can_be_broken(source: str) -> None:
    assert faults(source)


def test_good_prose_passes() -> None:
    """Short sentences, one after another, and fields with short descriptions."""
    field = "name\n    " + "Ten words are in this sentence, which is short enough. " * 5
    assert not faults(f'"""Replay runs.\n\n{"One sentence. " * 20}\n\nAttributes\n----------\n{field}\n"""')
