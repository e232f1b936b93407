"""Nothing that arrays depend on calls a library's logarithm, exponential or the like.

Compiled code is searched for calls of them; what Python does before and after is read as source.
"""

from __future__ import annotations

import ast
import functools
import importlib
import math
import re
import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import llvmlite.binding as llvm
import numba
import pytest

from dpbandits.core import provenance, registry
from dpbandits.core.compiled import KERNELS
from dpbandits.runs import golden

# Modules on which only audits, bounds and figures depend: a job imports them, and no array is computed with them.
FOR_FIGURES = (
    "dpbandits.settings.adversarial.privacy",
    "dpbandits.settings.experts.privacy",
    "dpbandits.settings.full_information.privacy",
    "dpbandits.settings.full_information.selection",
    "dpbandits.settings.stochastic.privacy",
)
# Single functions of that kind, and powers of whole numbers.
FUNCTIONS = {
    # What a privacy audit expects; a release of Gaussian noise itself has our logarithm and cosine.
    ("dpbandits.core.gaussian", "_below"): "erfc",
    ("dpbandits.settings.stochastic.batches", "polynomial_pulls"): "**",
    ("dpbandits.settings.full_information.environments.loss_vector_table", "neighbours"): "**",
}
NAMES = (
    *("log", "log2", "log10", "log1p", "exp", "exp2", "expm1", "pow", "power", "float_power", "cbrt", "hypot"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("arcsin", "arccos", "arctan", "arctan2", "arcsinh", "arccosh", "arctanh"),
    *(
        "lgamma",
        "tgamma",
        "gamma",
        "erf",
        "erfc",
        "logaddexp",
        "logaddexp2",
        "geomspace",
        "logspace",
        "sinc",
        "fma",
    ),
    # Their order of summing, and what they fuse, depends on the processor.
    *("dot", "vdot", "inner", "matmul", "einsum", "tensordot", "linalg", "fft", "sumprod"),
)
# What compiled code can call of libm, of NumPy's and numba's parts of it, and of BLAS and LAPACK.
LIBRARY = re.compile(
    r"(?:__|npy_|numba_)?(?:log|log2|log10|log1p|exp|exp2|exp10|expm1|pow|powi|__powidf2|cbrt|hypot|sin|cos|tan|sincos|"
    r"asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|l?gamma|tgamma|erf|erfc|fmal?|x?x[sdcz]\w+|"
    r"xx\w+|ez_\w+|[sdcz](?:gemm|gemv|dot|nrm2|gesv|potrf|syev)\w*)(?:f|_finite)?"
)


def _kept(cache: Any, signature: Any, codegen: Any) -> bytes | None:
    """Return the object file of a kernel that numba's cache has: what is loaded from there is this file."""
    found = cache._cache_file.load(cache._index_key(signature, codegen)) if hasattr(cache, "_cache_file") else None
    return None if found is None else found[0][2][0]


def _made(library: Any) -> bytes:
    """Return the object file of compiled code, made once more."""
    code: bytes = library._codegen._tm.emit_object(library._get_module_for_linking())
    return code


def called(kernel: Any) -> set[str]:
    """Return which functions of libraries a kernel's compiled code calls: what its object files leave undefined."""
    found = set()
    for signature, compiled in kernel.overloads.items():
        code = _kept(kernel._cache, signature, compiled.library.codegen) or _made(compiled.library)
        parts = {part.name(): bytes(part.data()) for part in llvm.ObjectFileRef.from_data(code).sections()}
        for name, _, _, section, _, _ in struct.iter_unpack("<IBBHQQ", parts[b".symtab"]):
            text = parts[b".strtab"][name:].split(b"\0", 1)[0].decode()
            if section == 0 and LIBRARY.fullmatch(text):
                found.add(text)
    return found


@pytest.mark.budget(2)
def test_compiled_code() -> None:
    """Golden runs have every algorithm's kernels compiled, or loaded; none calls a library's functions."""
    for cell in golden.known():
        # One run calls the kernels that two hundred call.
        replace(cell, runs=1).made()
    looked_at = {
        f"{module}.{name}": called(kernel)
        for (module, name), kernel in KERNELS.items()
        if "dispatcher" in vars(kernel) and kernel.overloads and module in reached() and module not in FOR_FIGURES
    }
    assert len({name for name in looked_at if ".algorithms." in name}) >= 10
    assert {name: calls for name, calls in looked_at.items() if calls} == {}


def _private(node: ast.FunctionDef) -> bool:
    """Whether a function is compiled: its compiled form is looked at instead."""
    names = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
    return bool(names & {"kernel", "inner", "jitable"})


def _literal(node: ast.expr) -> bool:
    """Whether an expression is a whole number or a power of two that is written down, perhaps negated."""
    if isinstance(node, ast.UnaryOp):
        return _literal(node.operand)
    if not isinstance(node, ast.Constant) or not isinstance(node.value, int | float):
        return False
    return node.value == int(node.value) and (isinstance(node.value, int) or math.frexp(node.value)[0] == 0.5)


def foreign(tree: ast.AST, function: str = "") -> Iterator[tuple[str, str]]:
    """Yield where source calls a library's functions or raises to a power, but in compiled functions."""
    for node in ast.iter_child_nodes(tree):
        inside = function
        if isinstance(node, ast.FunctionDef):
            if _private(node):
                continue
            inside = node.name
        if isinstance(node, ast.Attribute) and node.attr in NAMES and _module(node.value):
            yield inside, node.attr
        if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("dpbandits"):
            yield from (
                (inside, each.name) for each in node.names if each.name in NAMES and node.module in ("math",)
            )
        operator = node.op if isinstance(node, ast.BinOp | ast.AugAssign) else None
        if isinstance(operator, ast.MatMult):
            yield inside, "@"
        if isinstance(operator, ast.Pow):
            powers = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
            if not all(map(_literal, powers)):
                yield inside, "**"
        yield from foreign(node, inside)


def _module(node: ast.expr) -> bool:
    """Whether an expression is a library: math, np, np.linalg, scipy..."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in ("math", "np", "numpy", "scipy", "special", "cmath")


@functools.cache
def reached() -> list[str]:
    """Return the modules that jobs of any kind import."""
    names = [
        registry.module(kind, name) for kind in ("algorithm", "environment") for name in registry.modules(kind)
    ]
    return sorted(
        {module for name in ("dpbandits.runs.job", *names) for module in provenance.transitive_imports(name)}
    )


@pytest.mark.parametrize("module", reached())
def test_python(module: str) -> None:
    """Modules that jobs import compute with `dpbandits.core.mathematics` alone."""
    if module in FOR_FIGURES:
        pytest.skip("no array depends on it")
    tree = ast.parse(provenance.module_path(module).read_text(encoding="utf-8"))
    found = [(function, name) for function, name in foreign(tree) if FUNCTIONS.get((module, function)) != name]
    assert found == []


def test_figures_stand_apart() -> None:
    """Modules and functions on the list of exceptions exist, so that the list cannot outlive them."""
    known = reached()
    assert [module for module in FOR_FIGURES if module not in known] == []
    for module, function in FUNCTIONS:
        assert hasattr(importlib.import_module(module), function)


CONTROLS = (
    "import math\ndef f(x):\n    return math.log(x)",
    "import math\nx = math.exp(2)",
    "import numpy as np\ndef f(x):\n    return np.exp(x)",
    "import numpy as np\ndef f(x):\n    return np.linalg.norm(x)",
    "def f(x, y):\n    return x ** y",
    "def f(x):\n    return x**2",
    "def f(x):\n    x **= 0.5",
    "def f(x, y):\n    return x @ y",
    "from math import log\nf = log",
)


@pytest.mark.parametrize("source", CONTROLS)
def test_foreign_functions_would_be_seen(source: str) -> None:
    """The control: source that the test above has to refuse."""
    assert list(foreign(ast.parse(source)))


@pytest.mark.parametrize(
    "function", [math.log, math.exp, math.log1p, math.cos, math.lgamma], ids=lambda f: f.__name__
)
def test_foreign_code_would_be_seen(function: object) -> None:
    """The control: compiled code that the first test has to refuse, and some that it must not."""

    @numba.njit
    def theirs(x: float) -> float:
        return function(x)  # type: ignore[operator]

    @numba.njit
    def power(x: float) -> float:
        return x**0.3

    @numba.njit
    def ours(x: float) -> float:
        return math.sqrt(x) + x**2

    for kernel in (theirs, power, ours):
        kernel(0.5)
    assert called(theirs) and called(power)
    assert not called(ours)
