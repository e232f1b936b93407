"""Public functions of four parameters or more: each has a *Parameters* section that names them as they are."""

from __future__ import annotations

import ast
import math
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from dpbandits import authoring
from dpbandits.core import registry

ROOT = Path(__file__).parents[2]
MANY = 4
# Parameters that mean the same everywhere are explained once, in `dpbandits.authoring`.
COMMON = {*re.findall(r"^- ``(\w+)``", authoring.__doc__ or "", re.MULTILINE), "run"}
# Classes that stand in for NumPy's generators and Python's `random`: their methods have the parameters of those.
STAND_INS = {"DataGenerator", "HeardGenerator", "Random"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@pytest.mark.parametrize("name", registry.modules("computation"))
def test_default_budgets_of_a_computation_are_budgets(name: str) -> None:
    """Above 0, finite, and each once: what is computed by default has a meaning."""
    for key, option in registry.load("computation", name).parameters.items():
        if "epsilon" in key:
            budgets = option.default if isinstance(option.default, list) else [option.default]
            assert all(0.0 < budget < math.inf for budget in budgets), key
            assert len(set(budgets)) == len(budgets), key


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Yield public functions and methods of public classes, by their qualified name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If | ast.Try):
            yield from functions(node, prefix)
        elif isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_"):
            if isinstance(node, ast.ClassDef):
                yield from functions(node, f"{prefix}{node.name}.") if node.name not in STAND_INS else ()
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


def inherited(tree: ast.Module) -> Iterator[int]:
    """Yield the lines of methods that have the docstring of a base class of their module, as `help` has it."""
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}

    def documented(owner: ast.ClassDef, name: str) -> bool:
        own = [node for node in owner.body if isinstance(node, Function) and node.name == name]
        if own and ast.get_docstring(own[0]):
            return not fault(own[0])
        bases = [base.id for base in owner.bases if isinstance(base, ast.Name)]
        return any(documented(classes[base], name) for base in bases if base in classes)

    for owner in classes.values():
        for node in owner.body:
            if isinstance(node, Function) and not ast.get_docstring(node) and documented(owner, node.name):
                yield node.lineno


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


def test_functions_explain_their_parameters() -> None:
    """Each has a section, which names its parameters and no others."""
    wrong = []
    for file in files():
        tree = ast.parse(file.read_text(encoding="utf-8"))
        from_bases = set(inherited(tree))
        for name, function in functions(tree):
            found = "" if function.lineno in from_bases else fault(function)
            if found:
                wrong.append(f"{file.relative_to(ROOT)}:{function.lineno} {name}: {found}")
    assert not wrong, "\n".join(wrong)


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
