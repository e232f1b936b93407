"""Code in strings and pages names what there is: a slow test may not run for weeks after a name has changed."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OURS = ("dpbandits", "noisetap", "prefork", "numba2wasm")
FOLDERS = ("tests", "packages", "benchmarks", "tools", "docs")
# Modules that a test writes before it imports them.
WRITTEN = ("dpbandits.tiny", "numba2wasm.beside", "numba2wasm.inner")
IMPORT = re.compile(rf"^\W*from ((?:{'|'.join(OURS)})[\w.]*) import (\([^)]*\)|[^(;\n]*)", re.MULTILINE)


def imported(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names that lines of code in a text import from our packages, with their modules."""
    for module, names in IMPORT.findall(text.replace("\\n", "\n")):
        for each in names.strip("()").split(","):
            name = each.partition("#")[0].partition(" as ")[0].strip(" \n.'\"`)")
            if name.isidentifier():
                yield module, name


def exists(module: str, name: str) -> bool:
    """Return whether a module has a name, or a module of that name."""
    try:
        if hasattr(importlib.import_module(module), name):
            return True
        importlib.import_module(f"{module}.{name}")
    except ModuleNotFoundError as error:
        # What an extra brings need not be here.
        return not (error.name or "").startswith(OURS)
    return True


def test_what_strings_and_pages_import_exists() -> None:
    """Of each line of code in tests, benchmarks, tools and pages, in strings too."""
    paths = [
        path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md", ".ipynb")
    ]
    found = {
        (module, name): path.relative_to(ROOT)
        for path in {*paths, ROOT / "README.md"} - {Path(__file__)}
        for module, name in imported(path.read_text(encoding="utf-8"))
    }
    assert len(found) > 500
    missing = {at: path for at, path in found.items() if not exists(*at) and ".".join(at) not in WRITTEN}
    assert not missing


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("\n    from dpbandits.core import a, b as c\n", [("dpbandits.core", "a"), ("dpbandits.core", "b")]),
        (">>> from noisetap import (\n    audit,\n)\n", [("noisetap", "audit")]),
        ('run("import numpy\\nfrom noisetap import audit\\n")', [("noisetap", "audit")]),
        ("from elsewhere import a", []),
        ("They come from dpbandits import it", []),
    ],
)
def test_lines_of_code_are_found_in_texts(code: str, names: list[tuple[str, str]]) -> None:
    """In any indentation, over several lines, after a prompt, in one line of a string; prose is none."""
    assert list(imported(code)) == names


def test_a_name_that_is_gone_is_missing() -> None:
    """The control: a function that had another name until 25 November 2026."""
    assert exists("dpbandits.auditing.bounds", "approximate_bounds")
    assert not exists("dpbandits.auditing.bounds", "promise")
    assert not exists("dpbandits.nowhere", "anything")
