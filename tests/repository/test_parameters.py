"""Public functions of four parameters or more: each has a *Parameters* section that names them as they are."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from dpbandits import authoring

ROOT = Path(__file__).parents[2]
MANY = 4
# Parameters that mean the same everywhere are explained once, in `dpbandits.authoring`.
COMMON = {*re.findall(r"^- ``(\w+)``", authoring.__doc__ or "", re.MULTILINE), "run"}
# Packages with a function that still lacks a section, and how many: the numbers only get smaller.
ALLOWED = {
    "dpbandits/auditing": 15,
    "dpbandits/claims": 18,
    "dpbandits/faults": 11,
    "dpbandits/notebook": 1,
    "dpbandits/papers": 58,
    "dpbandits/policies": 12,
    "dpbandits/products": 5,
    "dpbandits/publish": 1,
    "noisetap": 18,
    "prefork": 1,
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Yield public functions and methods of public classes, by their qualified name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If | ast.Try):
            yield from functions(node, prefix)
        elif isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_"):
            if isinstance(node, ast.ClassDef):
                yield from functions(node, f"{prefix}{node.name}.")
            else:
                yield prefix + node.name, node


def parameters(function: Function) -> list[str]:
    """Return a function's parameters without ``self`` and ``cls``."""
    own = function.args
    names = [each.arg for each in (*own.posonlyargs, *own.args, *own.kwonlyargs)]
    names += [each.arg for each in (own.vararg, own.kwarg) if each is not None]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def explained(docstring: str) -> list[str] | None:
    """Return the names that a docstring's section has, or ``None`` without a section."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w+\n-+$|\Z)", docstring, re.MULTILINE | re.DOTALL)
    if section is None:
        return None
    lines = re.findall(r"^(\S.*?)(?: : .*)?$", section[1], re.MULTILINE)
    return [name.lstrip("*") for line in lines for name in line.split(", ")]


def fault(function: Function) -> str:
    """Return what a function's docstring lacks, or nothing."""
    own = parameters(function)
    if len(own) < MANY:
        return ""
    names = explained(ast.get_docstring(function) or "")
    if names is None:
        return "no section"
    foreign = [name for name in names if name not in own]
    missing = [name for name in own if name not in names and name not in COMMON and not name.startswith("_")]
    return " ".join([*(f"+{name}" for name in foreign), *(f"-{name}" for name in missing)])


def files() -> Iterator[Path]:
    """Yield the sources of dpbandits and of the packages beside it."""
    for folder in (ROOT / "src", *sorted((ROOT / "packages").glob("*/src"))):
        yield from sorted(folder.rglob("*.py"))


def package(file: Path) -> str:
    """Return the package of a source, such as ``dpbandits/core`` or ``noisetap``."""
    inside = file.parts[file.parts.index("src") + 1 :]
    return "/".join(inside[: 2 if inside[0] == "dpbandits" else 1])


def test_functions_explain_their_parameters() -> None:
    """Each has a section, which names its parameters and no others; see ``ALLOWED`` for what remains."""
    lacking: dict[str, int] = {}
    wrong = []
    for file in files():
        for name, function in functions(ast.parse(file.read_text(encoding="utf-8"))):
            found = fault(function)
            if found == "no section":
                lacking[package(file)] = lacking.get(package(file), 0) + 1
            elif found:
                wrong.append(f"{file.relative_to(ROOT)}:{function.lineno} {name}: {found}")
    assert not wrong, "\n".join(wrong)
    assert lacking == ALLOWED


@pytest.mark.parametrize(
    ("section", "found"),
    [
        ("", "no section"),
        ("a, b, c, d\n    Numbers.\n", ""),
        ("a, b : int\n    Numbers.\nc\n    One.\n", "-d"),
        ("a, b, c, d, e\n    Numbers.\n", "+e"),
    ],
)
def test_what_is_missing_is_seen(section: str, found: str) -> None:
    """A section that is absent, a parameter without a word, and a word about none."""
    docstring = "Return a.\n\n" + (f"Parameters\n----------\n{section}" if section else "")
    ((_, function),) = functions(ast.parse(f"def f(a, b, c, d):\n{textwrap.indent(repr(docstring), '    ')}\n"))
    assert fault(function) == found
