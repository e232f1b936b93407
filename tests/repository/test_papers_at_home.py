"""A paper has a home: its id stands in its own folders, and elsewhere only where a statement of it is cited."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from dpbandits.core import registry

ROOT = Path(__file__).parents[2]
# Where programs and what they read lie; docs, tests and benchmarks' page for readers are none of them.
PROGRAMS = ("src", "tools", "workflow", "benchmarks", "profiles")
HOME = ROOT / "src" / "dpbandits" / "papers"
# Algorithms as kernels, and as policies in plain Python: their files say which paper they are of.
ALGORITHMS = (ROOT / "src" / "dpbandits" / "settings", ROOT / "src" / "dpbandits" / "policies")
TEXTS = {".py", ".smk", ".js", ".jinja2", ".yaml", ".rst", ".css", ".toml", ""}
IDS = "|".join(registry.papers())
KINDS = (
    "Algorithm Theorem Lemma Corollary Corollarie Proposition Definition Remark Section Appendix Figure Table eq"
)
STATEMENT = rf"(?:{KINDS.replace(' ', '|')})s?\b"
# Such as "azize2025, Theorem 3.1", "wu2025's eq. 5" and "charisopoulos2022, the naive way of Section 2.1".
CITED = re.compile(rf"\b(?:{IDS})(?:,|'s|\)) (?:[a-z ]*\b)?{STATEMENT}|\bdocs/(?:{IDS})[\w-]*\.(?:md|v)")


def programs() -> list[Path]:
    """Return all files of programs outside of the papers' homes."""
    found = (file for folder in PROGRAMS for file in (ROOT / folder).rglob("*") if file.suffix in TEXTS)
    return sorted(file for file in found if file.is_file() and HOME not in file.parents)


def said(source: str) -> Iterator[str]:
    """Yield docstrings and comments of a Python source."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node, clean=False) or ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def known(source: str, is_setting: bool, is_python: bool) -> list[str]:
    """Return the ids of papers that a text knows, and does not only cite a statement of.

    What is said in the file of an algorithm may name its paper.
    """
    if is_python and is_setting:
        for text in said(source):
            source = source.replace(text, "") if text else source
    return re.findall(rf"\b(?:{IDS})\b", CITED.sub("", re.sub(r"\s+(?:# )?", " ", source)))


def test_papers_are_known_at_home_alone() -> None:
    """But as the cited source of an algorithm, an equation or a theorem, no program names a paper."""
    found = {
        str(file.relative_to(ROOT)): ids
        for file in programs()
        if (
            ids := known(
                file.read_text(encoding="utf-8"),
                any(folder in file.parents for folder in ALGORITHMS),
                file.suffix == ".py",
            )
        )
    }
    assert found == {}
    names = [str(file.relative_to(ROOT)) for file in programs() if re.search(IDS, file.name)]
    assert names == []


@pytest.mark.parametrize(
    ("source", "is_setting", "ids"),
    [
        ('CELLS = ("wu2025", "thm1")', False, ["wu2025"]),
        ('CELLS = ("wu2025", "thm1")', True, ["wu2025"]),
        ('"""Bounds of wu2025."""', False, ["wu2025"]),
        ('"""Bounds of wu2025."""', True, []),
        ('source="wu2025, Algorithm 1"', False, []),
        ("# As asi2025, the naive way of Section 2.1, has it", False, []),
        ("# See docs/wu2025-regret.md, Theorem B", False, []),
    ],
)
def test_a_name_is_told_from_a_citation(source: str, is_setting: bool, ids: list[str]) -> None:
    """The rule above can fail."""
    assert known(source, is_setting, True) == ids


def test_verdicts_are_spelled_at_one_place() -> None:
    """A program that needs a verdict takes it from `dpbandits.core.verdicts`; prose may say "does not hold"."""
    spelled = re.compile(r"""["'](?:does not hold|holds in part|not decided|not contradicted)["']""")
    found = [
        str(file.relative_to(ROOT))
        for file in sorted({*programs(), *HOME.rglob("*.py"), *HOME.rglob("*.jinja2")})
        if spelled.search(file.read_text(encoding="utf-8"))
    ]
    assert found == ["src/dpbandits/core/verdicts.py"]
