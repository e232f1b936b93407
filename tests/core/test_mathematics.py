"""Our own elementary functions: errors, special cases, and that they are compiled as they are written."""

from __future__ import annotations

import hashlib
import importlib.util
import math
import re
import struct
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

from dpbandits.core import mathematics, mathematics_tables
from dpbandits.core.compiled import register

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "mathematics.py"
_spec = importlib.util.spec_from_file_location("mathematics_script", SCRIPT)
assert _spec is not None and _spec.loader is not None
script = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(script)

numba = register()
INF, NAN = math.inf, math.nan
# What the docstrings say.
LARGEST = {
    **{"log": 0.52, "log2": 0.51, "log10": 0.51, "log1p": 0.53, "cbrt": 0.52},
    **{"exp": 0.76, "expm1": 0.75, "power": 0.78, "sin": 0.9, "cos": 0.9},
}
TINY, LEAST_NORMAL, HUGE = 5e-324, 2.0**-1022, 1.7976931348623157e308
EDGES: dict[str, list[tuple[tuple[float, ...], float]]] = {
    "log": [
        ((0.0,), -INF),
        ((-0.0,), -INF),
        ((-1.0,), NAN),
        ((INF,), INF),
        ((-INF,), NAN),
        ((NAN,), NAN),
        ((1.0,), 0.0),
    ],
    "log1p": [
        ((0.0,), 0.0),
        ((-0.0,), -0.0),
        ((-1.0,), -INF),
        ((-2.0,), NAN),
        ((INF,), INF),
        ((NAN,), NAN),
        ((TINY,), TINY),
        ((-TINY,), -TINY),
        ((-INF,), NAN),
    ],
    "log2": [((2.0**n,), float(n)) for n in range(-1074, 1024, 7)]
    + [((0.0,), -INF), ((INF,), INF), ((-1.0,), NAN)],
    "log10": [((10.0**n,), float(n)) for n in range(23)] + [((0.0,), -INF), ((INF,), INF), ((NAN,), NAN)],
    "cbrt": [((float(n**3),), float(n)) for n in range(-200, 200)]
    + [((-0.0,), -0.0), ((INF,), INF), ((-INF,), -INF), ((NAN,), NAN), ((8 * TINY,), 2.0**-357)],
    "exp": [
        ((0.0,), 1.0),
        ((-0.0,), 1.0),
        ((INF,), INF),
        ((-INF,), 0.0),
        ((NAN,), NAN),
        ((710.0,), INF),
        ((-746.0,), 0.0),
        ((1e308,), INF),
        ((-1e308,), 0.0),
        ((TINY,), 1.0),
        ((-745.13,), TINY),
    ],
    "expm1": [
        ((0.0,), 0.0),
        ((-0.0,), -0.0),
        ((INF,), INF),
        ((-INF,), -1.0),
        ((NAN,), NAN),
        ((710.0,), INF),
        ((TINY,), TINY),
        ((-TINY,), -TINY),
        ((-1e308,), -1.0),
        ((-40.0,), -1.0),
    ],
    "power": [((x, 0.0), 1.0) for x in (0.0, 2.0, -2.0, INF, -INF, NAN)]
    + [((1.0, y), 1.0) for y in (0.5, -3.0, INF, -INF, NAN)]
    + [((-1.0, INF), 1.0), ((-1.0, -INF), 1.0), ((-1.0, 0.5), NAN), ((-8.0, 1 / 3), NAN), ((-1.0, 3.0), -1.0)]
    + [((0.0, -1.0), INF), ((-0.0, -1.0), -INF), ((-0.0, -2.0), INF), ((-0.0, 3.0), -0.0), ((-0.0, 2.0), 0.0)]
    + [((-0.0, 0.5), 0.0), ((0.0, INF), 0.0), ((0.0, -INF), INF), ((0.5, INF), 0.0), ((0.5, -INF), INF)]
    + [((2.0, INF), INF), ((2.0, -INF), 0.0), ((INF, 0.5), INF), ((INF, -0.5), 0.0), ((-INF, 3.0), -INF)]
    + [((-INF, 2.0), INF), ((-INF, -3.0), -0.0), ((-INF, -2.0), 0.0), ((-INF, 0.5), INF), ((NAN, 1.0), NAN)]
    + [((2.0, NAN), NAN), ((-2.0, 2.0**53), INF), ((-2.0, -(2.0**53) - 2), 0.0), ((-2.0, 1025.0), -INF)]
    + [((2.0, -1074.0), TINY), ((2.0, -1080.0), 0.0), ((TINY, 1.0), TINY), ((HUGE, 1.0), HUGE), ((3.0, 1e300), INF)]
    + [((1.0 - 2.0**-53, 1e300), 0.0), ((7.0, 1e-300), 1.0), ((-3.0, 5.0), -243.0), ((2.0, 0.5), math.sqrt(2.0))],
    "sin": [((0.0,), 0.0), ((-0.0,), -0.0), ((INF,), NAN), ((NAN,), NAN), ((TINY,), TINY), ((2.0**19 + 1,), NAN)],
    "cos": [((0.0,), 1.0), ((-0.0,), 1.0), ((-INF,), NAN), ((NAN,), NAN), ((TINY,), 1.0), ((2.0**19 + 1,), NAN)],
}


def _bits(x: float) -> bytes:
    return b"nan" if math.isnan(x) else struct.pack("<d", x)


@pytest.mark.parametrize("name", LARGEST)
def test_errors_and_bits(name: str) -> None:
    """At random points the error is what is said, and Python gives what compiled code does."""
    given = list(script.points(name, 3000))
    found = script.compiled_each(name)(given)
    assert max(script.error(name, x, y) for x, y in zip(given, found, strict=True)) < LARGEST[name]
    some = slice(None, None, 3)
    python = [getattr(mathematics, name)(*x) for x in given[some]]
    assert list(map(_bits, python)) == list(map(_bits, found[some]))


@pytest.mark.parametrize("name", EDGES)
def test_edges(name: str) -> None:
    """Special cases are those of C99, in Python and compiled, to the sign of zero."""
    given, wanted = [x for x, _ in EDGES[name]], [_bits(y) for _, y in EDGES[name]]
    assert [_bits(getattr(mathematics, name)(*x)) for x in given] == wanted
    assert list(map(_bits, script.compiled_each(name)(given))) == wanted


@pytest.mark.parametrize("name", LARGEST)
def test_around_where_formulas_change(name: str) -> None:
    """Neighbours of the borders between formulas, and of the doubles' own, are as near to the truth as others."""
    borders = [0.25, 1 / 128, 2.0**-54, 2.0**-27, 45 / 64, 1.0, 1 + 1 / 128, 1 - 1 / 256, 707.0, 709.782712893384]
    borders += [TINY, LEAST_NORMAL, HUGE, math.pi / 4, math.pi / 2, 3 * math.pi / 4, 2.0**19, 40.0, 745.13, 2.0**53]
    around = [x for b in borders for x in (b, math.nextafter(b, 0), math.nextafter(b, INF))]
    fits = {
        **dict.fromkeys(("log", "log2", "log10"), lambda x: 0 < x < INF),
        **dict.fromkeys(("sin", "cos"), lambda x: abs(x) <= 2.0**19),
        "log1p": lambda x: -1 < x < INF,
    }.get(name, lambda x: abs(x) < 746 if name in ("exp", "expm1") else abs(x) < INF)
    numbers = [float(x) for y in around for x in (y, -y) if fits(x)]
    given = [(abs(x), y) for x in numbers for y in (0.3, -1.7, 3.0)] if name == "power" else [(x,) for x in numbers]
    for x, y in zip(given, script.compiled_each(name)(given), strict=True):
        assert script.error(name, x, y) < LARGEST[name], (x, y)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        *((name, 1.0 + 0.9 / 128, 1.0 + 1.0 / 128) for name in ("log", "log2", "log10")),
        *((name, 1.0 - 1.0 / 128, 1.0 - 0.9 / 128) for name in ("log", "log2", "log10")),
        *(("log1p", *sorted((sign * 0.9 / 128, sign / 128))) for sign in (-1.0, 1.0)),
    ],
)
def test_last_terms_of_the_logarithm_s_series(name: str, low: float, high: float) -> None:
    """Near 1 they count for the 40th part of a unit in the last place: an error of 0.5 becomes 0.53."""
    given = [(x,) for x in np.random.default_rng(3).uniform(low, high, 1500).tolist()]
    found = script.compiled_each(name)(given)
    assert max(script.error(name, x, y) for x, y in zip(given, found, strict=True)) < 0.515


NEAR_1 = ((0.99, 1.01), (0.7, 1.42), (TINY, LEAST_NORMAL), (LEAST_NORMAL, 1e-300), (1.0, 1e6), (1e300, HUGE))
TURNS = ((-0.79, 0.79), (-7.0, 7.0), (-(2.0**19), 2.0**19))
# Intervals of arguments; each series has its largest arguments in one of them.
SPANS: dict[str, tuple[tuple[float, float], ...]] = {
    **dict.fromkeys(("log", "log2", "log10"), NEAR_1),
    "log1p": ((-1 / 128, 1 / 128), (-0.999, 3.0), (1e-17, 1e-15), (1.0, 1e9)),
    "cbrt": (*NEAR_1, (-8.0, 8.0)),
    "exp": ((-1.0, 1.0), (-700.0, 700.0), (-745.0, -707.0), (707.0, 709.7)),
    "expm1": ((-0.25, 0.25), (0.2, 1.0), (-40.0, -0.2), (1.0, 709.7), (1e-17, 1e-15)),
    "power": ((0.5, 2.0), (0.01, 100.0), (1e-9, 1e-3)),
    **dict.fromkeys(("sin", "cos"), TURNS),
}
# Digests of what the functions gave on 26 November 2026 on x86-64. Arrays have the same bytes on every processor,
# so the functions have the same bits.
BITS = {
    "log": "26628fbaf59b9cb3",
    "log2": "b808a0a3bf6da73f",
    "log10": "3d42fae855b7c9ec",
    "log1p": "ad0f5f17f5d913c9",
    "cbrt": "64f43f26a213b472",
    "exp": "70fb1e5aeb0ed7ed",
    "expm1": "24f5dec7880c8261",
    "power": "121b60574c991816",
    "sin": "df3709bf2a7d9f50",
    "cos": "41b1f819698ebdc6",
}


def spread(low: float, high: float, size: int = 1500) -> list[float]:
    """Return numbers spread over an interval, by additions, multiplications and remainders alone."""
    return [low + (high - low) * (i * 0.6180339887498949 % 1.0) for i in range(size)]


@pytest.mark.parametrize("name", LARGEST)
def test_bits_are_those_of_all_processors(name: str) -> None:
    """A last term of a series, or the low half of a sum, changes a bit in hundreds of numbers."""
    numbers = [x for span in SPANS[name] for x in spread(*span)]
    exponents = spread(-60.0, 60.0, len(numbers))
    given = list(zip(numbers, exponents, strict=True)) if name == "power" else [(x,) for x in numbers]
    found = script.compiled_each(name)(given)
    assert len(set(found)) > 2000
    assert hashlib.sha256(struct.pack(f"<{len(found)}d", *found)).hexdigest()[:16] == BITS[name]


def test_tables() -> None:
    """The numbers of the tables follow from mpmath."""
    with script.mpmath.workprec(script.PRECISION):
        made = script.constants()
    assert len(made) > 20
    for name, value in made.items():
        np.testing.assert_array_equal(np.array(getattr(mathematics_tables, name)), np.array(value), strict=True)


def test_stirling_error() -> None:
    """Stirling's error is right where a table ends and far out."""
    mpmath = script.mpmath
    for n in (*range(40), 1000, 10**6, 10**15):
        with mpmath.workprec(200):
            exact = mpmath.loggamma(n + 1)
            rest = exact - ((mpmath.mpf(n) + 0.5) * mpmath.log(n) - n + mpmath.log(2 * mpmath.pi) / 2) if n else 0
        assert n == 0 or abs(mathematics.stirling_error(float(n)) - rest) <= 2e-16


def _assembly(function: object) -> str:
    @numba.njit(error_model="numpy", nogil=True)
    def loop(x: np.ndarray, y: np.ndarray) -> None:
        for i in range(x.size):
            y[i] = function(x[i])  # type: ignore[operator]

    loop(np.ones(3), np.ones(3))
    (text,) = loop.inspect_asm().values()
    return str(text)


# An instruction that multiplies and adds with one rounding, and a call out of what numba made.
FUSED = re.compile(r"\bvf?n?m(?:add|sub)\d*[sp]d|\bvfn?m(?:add|sub)\d+[sp]d")
OUTSIDE = re.compile(r"movabsq\s+\$\.?(log|exp|pow|sin|cos|fma|cbrt|lgamma)\w*\b")


@pytest.mark.parametrize("name", LARGEST)
def test_no_fused_instructions(name: str) -> None:
    """Nothing is fused, and nobody else's functions are called."""
    function = getattr(mathematics, name)
    if name == "power":
        function = numba.njit(lambda x: mathematics.power(x, 0.3))
    text = _assembly(function)
    assert "mulsd" in text or "mulpd" in text
    assert not FUSED.search(text) and not OUTSIDE.search(text)


def test_fused_instructions_would_be_seen() -> None:
    """The control: with numba's permission to fuse, or a library's function, the test above fails."""

    @numba.njit(fastmath={"contract"}, error_model="numpy")
    def fused(x: float) -> float:
        return x * 3.1 + x * x

    @numba.njit(error_model="numpy")
    def foreign(x: float) -> float:
        return math.log(x)

    assert FUSED.search(_assembly(fused)) or not llvm.get_host_cpu_features()["fma"]
    assert OUTSIDE.search(_assembly(foreign))
