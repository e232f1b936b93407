"""Where the numbers of `dpbandits.core.mathematics` come from, and how far its functions are from the truth.

``python benchmarks/mathematics.py tables`` prints `dpbandits.core.mathematics_tables`, from mpmath alone.
``python benchmarks/mathematics.py measure [POINTS [NAME ...]]`` prints the largest errors at random points.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import mpmath
import numpy as np
from numpy.typing import NDArray

from dpbandits.core import mathematics
from dpbandits.core.compiled import register

PRECISION = 240
# A table of logarithms has a row for each of 128 parts of [LEAST, 2 LEAST), one of exponentials for each i/128.
PARTS, LEAST = 128, Fraction(45, 64)
HEADER = '''"""Numbers of `dpbandits.core.mathematics`, as ``python benchmarks/mathematics.py tables`` prints them.

Every literal is the shortest decimal that is read as its double, so all readers get the same bits.
"""

from __future__ import annotations

import numpy as np

# Rows of the tables, as a script wrote them.
# fmt: off
'''


def rounded(x: mpmath.mpf, unit: int) -> float:
    """Return the multiple of 2**-unit nearest to ``x``."""
    return float(mpmath.ldexp(mpmath.nint(mpmath.ldexp(x, unit)), -unit))


def split(x: mpmath.mpf, unit: int) -> tuple[float, float]:
    """Return the multiple of 2**-unit nearest to ``x``, and the rest as a double."""
    high = rounded(x, unit)
    return high, float(x - mpmath.mpf(high))


def logarithms() -> list[float]:
    """Return, part by part, a short number near 1/c for the part's centre c, and -log of it in two doubles.

    A part's numbers z times the short number, less 1, are doubles below 2**-7: a multiple of 2**-7 for z < 1, where
    doubles are 2**-53 apart, else of 2**-8. Where the logarithm is not 0 it is larger than what is left of z.
    """
    table: list[float] = []
    for i in range(PARTS):
        # The upper bits of a double count the parts: they are twice as long from 1 upwards.
        below = 2 * (1 - LEAST) * PARTS
        low, length = (
            (LEAST + Fraction(i, 2 * PARTS), Fraction(1, 2 * PARTS))
            if i < below
            else (1 + (i - below) / PARTS, Fraction(1, PARTS))
        )
        unit = 128 if low < 1 else 256
        near_one = low == 1 or low + length == 1
        inverse = Fraction(1) if near_one else Fraction(round(unit / (low + length / 2)), unit)
        high, rest = split(-mpmath.log(mpmath.mpf(inverse.numerator) / inverse.denominator), 42)
        left = max(abs(low * inverse - 1), abs((low + length) * inverse - 1))
        assert left <= Fraction(1, 128) and (high == 0 or abs(high) >= left)
        table += [float(inverse), high, rest]
    return table


def exponentials() -> list[float]:
    """Return 2**(i/128) in two doubles, i = 0, 1, ..., 127."""
    table: list[float] = []
    for i in range(PARTS):
        exact = mpmath.power(2, mpmath.mpf(i) / PARTS)
        table += [float(exact), float(exact - mpmath.mpf(float(exact)))]
    return table


def polynomial(function: Callable[[mpmath.mpf], mpmath.mpf], low: object, high: object, terms: int) -> list[float]:
    """Return coefficients, the lowest first, of the interpolation of a function in Chebyshev's points."""
    interval = [mpmath.mpf(low), mpmath.mpf(high)]
    return [float(c) for c in mpmath.chebyfit(function, interval, terms, asc=True)]


def series(first: int, term: Callable[[int], mpmath.mpf]) -> Callable[[mpmath.mpf], mpmath.mpf]:
    """Return the function with the power series sum term(first + j) x**j."""
    return lambda x: mpmath.fsum(term(first + j) * x**j for j in range(80))


def constants() -> dict[str, float | list[float]]:
    """Return all numbers, by name."""
    log2, quarter = mpmath.log(2), mpmath.pi / 2
    small = mpmath.mpf(1) / 128
    made: dict[str, float | list[float]] = {"LOG": logarithms(), "EXP": exponentials()}
    made["LOG2_HIGH"], made["LOG2_LOW"] = split(log2, 42)
    made["STEPS"] = float(PARTS / log2)
    # Times an integer below 2**18 the first is exact.
    made["STEP_HIGH"], made["STEP_LOW"] = split(log2 / PARTS, 42)
    for name, exact in (
        ("PER_LOG2", 1 / log2),
        ("PER_LOG10", 1 / mpmath.log(10)),
        ("THIRD", mpmath.mpf(1) / 3),
    ):
        high = float(exact)
        made[name], made[f"{name}_LOW"] = high, float(exact - mpmath.mpf(high))
    made["PER_QUARTER"] = float(1 / quarter)
    # Times an integer below 2**19 all but the last are exact.
    made["QUARTER_1"], rest = (first := rounded(quarter, 32)), quarter - mpmath.mpf(first)
    made["QUARTER_2"], rest = (second := rounded(rest, 65)), rest - mpmath.mpf(second)
    made["QUARTER_3"], rest = (third := rounded(rest, 102)), rest - mpmath.mpf(third)
    made["QUARTER_4"] = float(rest)
    made["LOG_SERIES"] = polynomial(series(3, lambda n: mpmath.mpf((-1) ** (n + 1)) / n), -small, small, 7)
    step = log2 / PARTS / 2
    made["EXP_SERIES"] = polynomial(series(2, lambda n: 1 / mpmath.factorial(n)), -step, step, 4)
    made["EXPM1_SERIES"] = polynomial(series(3, lambda n: 1 / mpmath.factorial(n)), -0.25, 0.25, 11)
    eighth = (quarter / 2) ** 2
    made["SIN_SERIES"] = polynomial(
        series(1, lambda n: mpmath.mpf((-1) ** n) / mpmath.factorial(2 * n + 1)), 0, eighth, 6
    )
    made["COS_SERIES"] = polynomial(
        series(2, lambda n: mpmath.mpf((-1) ** n) / mpmath.factorial(2 * n)), 0, eighth, 6
    )
    made["STIRLING_ERRORS"] = [0.0] + [
        float(mpmath.loggamma(n + 1) - (mpmath.mpf(n) + 0.5) * mpmath.log(n) + n - mpmath.log(2 * mpmath.pi) / 2)
        for n in range(1, 16)
    ]
    return made


def tables() -> str:
    """Return the module's text."""
    arrays = ("LOG", "EXP", "STIRLING_ERRORS")
    said = {
        "LOG": "Three a row: a short number near 1/c, and -log of it in two doubles.",
        "EXP": "Two a row: 2**(i/128) in two doubles.",
        "STIRLING_ERRORS": "log(n!) - log(sqrt(2 pi n) (n/e)^n), n >= 1.",
    }
    lines = [HEADER]
    with mpmath.workprec(PRECISION):
        for name, value in constants().items():
            if name in said:
                lines.append(f"# {said[name]}")
            if isinstance(value, float):
                lines.append(f"{name} = {value!r}")
                continue
            width = {"LOG": 3, "EXP": 2}.get(name, 4)
            rows = [", ".join(map(repr, value[i : i + width])) for i in range(0, len(value), width)]
            text = "".join(f"        {row},\n" for row in rows)
            if name in arrays:
                lines.append(f"{name} = np.array(\n    [\n{text}    ]\n)")
            else:
                lines.append(f"{name} = (\n{text.replace('        ', '    ')})")
    return "\n".join(lines) + "\n"


def _either_sign(random: np.random.Generator, low: float, high: float, size: int) -> NDArray[np.float64]:
    """Return numbers of either sign and of every size from 2**low to 2**high."""
    return np.exp2(random.uniform(low, high, size)) * random.choice([-1.0, 1.0], size)


Draw = Callable[[np.random.Generator, int], tuple[NDArray[np.float64], ...]]
POSITIVE: tuple[Draw, ...] = (
    lambda random, n: (np.exp2(random.uniform(-1070, 1023.9, n)),),
    lambda random, n: (random.random(n),),
    lambda random, n: (1.0 + _either_sign(random, -50, -5, n),),
    lambda random, n: (random.uniform(0.5, 4.0, n),),
    lambda random, n: (np.floor(np.exp2(random.uniform(0, 52, n))),),
)
ANGLES: tuple[Draw, ...] = (
    lambda random, n: (2 * np.pi * random.random(n),),
    lambda random, n: (random.uniform(-(2.0**19), 2.0**19, n),),
    lambda random, n: (_either_sign(random, -60, 3, n),),
    lambda random, n: (np.round(random.uniform(-300000, 300000, n)) * (np.pi / 2),),
)
# Where each function is measured, in equal parts.
POINTS: dict[str, tuple[Draw, ...]] = {
    **dict.fromkeys(("log", "log2", "log10"), POSITIVE),
    "cbrt": (*POSITIVE, lambda random, n: (-np.exp2(random.uniform(-1070, 1023.9, n)),)),
    "log1p": (
        lambda random, n: (-random.random(n),),
        lambda random, n: (np.exp2(random.uniform(-1000, 1023, n)),),
        lambda random, n: (-np.exp2(random.uniform(-1000, -1e-12, n)),),
        lambda random, n: (_either_sign(random, -12, -4, n),),
    ),
    "exp": (
        lambda random, n: (random.uniform(-745.1, 709.78, n),),
        lambda random, n: (random.uniform(-2.0, 2.0, n),),
        lambda random, n: (_either_sign(random, -60, 6, n),),
        lambda random, n: (random.uniform(-745.1, -707.0, n),),
    ),
    "expm1": (
        lambda random, n: (random.uniform(-50.0, 709.78, n),),
        lambda random, n: (random.uniform(-0.3, 0.3, n),),
        lambda random, n: (random.uniform(-4.0, 4.0, n),),
        lambda random, n: (_either_sign(random, -1000, 5, n),),
    ),
    "power": (
        lambda random, n: (random.random(n), random.random(n)),
        lambda random, n: (np.exp2(random.uniform(-1070, 1023, n)), random.uniform(-1.0, 1.0, n)),
        lambda random, n: (1.0 + _either_sign(random, -30, -7, n), _either_sign(random, 0, 12, n)),
        lambda random, n: (np.floor(np.exp2(random.uniform(1, 50, n))), 1.0 / random.integers(1, 50, n)),
        lambda random, n: (_either_sign(random, -8, 8, n), random.integers(-80, 80, n).astype(np.float64)),
    ),
    "sin": ANGLES,
    "cos": ANGLES,
}
EXACT: dict[str, Callable[..., mpmath.mpf]] = {
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "log1p": lambda x: mpmath.log1p(x),
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    **{name: getattr(mpmath, name) for name in ("log", "log10", "exp", "expm1", "power", "sin", "cos")},
}


def points(name: str, size: int, seed: int = 1) -> Iterator[tuple[float, ...]]:
    """Yield arguments of a function, ``size`` or a few less."""
    random = np.random.default_rng(seed)
    for draw in POINTS[name]:
        columns = draw(random, size // len(POINTS[name]))
        yield from zip(*(column.tolist() for column in columns), strict=True)


def error(name: str, arguments: Sequence[float], found: float) -> float:
    """Return how far a function's value is from the truth, in units of the last place of the truth."""
    with mpmath.workprec(160):
        exact = EXACT[name](*map(mpmath.mpf, arguments))
        if abs(exact) >= 2**1024 - 2**970:
            return 0.0 if math.isinf(found) and (found > 0) == (exact > 0) else math.inf
        if exact == 0 or abs(exact) < 2.0**-1074:
            return float(abs(mpmath.mpf(found) - exact) / mpmath.mpf(2.0**-1074))
        unit = mpmath.ldexp(1, max(mpmath.frexp(exact)[1] - 53, -1074))
        return float(abs(mpmath.mpf(found) - exact) / unit)


# In numbers of 64 bits, errors below a thousandth of a double's last place.
EXTENDED: dict[str, Callable[..., NDArray[np.longdouble]]] = {name: getattr(np, name) for name in POINTS}
LOOKED_AT = 200


def measure(name: str, size: int) -> None:
    """Print a function's largest error, and where.

    Extended precision finds the worst points, and mpmath measures them: for all points it would take an hour.
    """
    compiled = compiled_each(name)
    worst: tuple[float, tuple[float, ...]] = (0.0, ())
    for seed in range(100):
        arguments = list(points(name, size // 100, seed))
        found = compiled(arguments)
        with np.errstate(all="ignore"):
            exact = EXTENDED[name](*np.array(arguments).T.astype(np.longdouble))
            off = np.abs(np.array(found) - exact) / np.spacing(np.abs(np.array(found)))
        off[np.isnan(off)] = np.inf
        for i in np.argsort(-off)[:LOOKED_AT]:
            worst = max(worst, (error(name, arguments[i], found[i]), arguments[i]))
    print(f"{name}: {worst[0]:.4f} at {', '.join(map(repr, worst[1]))}, of {size} points", flush=True)


@functools.cache
def compiled_each(name: str) -> Callable[[Sequence[Sequence[float]]], list[float]]:
    """Return a function's compiled form, for a list of arguments."""
    function, numba = getattr(mathematics, name), register()
    if name == "power":

        @numba.njit(error_model="numpy")
        def loop(given: NDArray[np.float64], found: NDArray[np.float64]) -> None:
            for i in range(found.size):
                found[i] = function(given[i, 0], given[i, 1])
    else:

        @numba.njit(error_model="numpy")
        def loop(given: NDArray[np.float64], found: NDArray[np.float64]) -> None:
            for i in range(found.size):
                found[i] = function(given[i, 0])

    def called(arguments: Sequence[Sequence[float]]) -> list[float]:
        found = np.empty(len(arguments))
        loop(np.array(arguments), found)
        return list(found.tolist())

    return called


def main(arguments: Sequence[str]) -> None:
    """Print what is asked for."""
    if arguments[0] == "tables":
        print(tables(), end="")
        return
    size = int(float(arguments[1])) if len(arguments) > 1 else 10**7
    for name in arguments[2:] or POINTS:
        measure(name, size)


if __name__ == "__main__":
    main(sys.argv[1:])
