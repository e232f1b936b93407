"""Distribution functions and quantiles in IEEE operations alone: tables have the same digits on every processor.

SciPy's functions call the C library's logarithms and exponentials, whose last bits differ between processors. The
functions here have relative errors of about 1e-13, in the tails too. They find quantiles by halving an interval
until it is empty.
"""

from __future__ import annotations

import math

from dpbandits.core.compiled import kernel
from dpbandits.core.mathematics import exp, log, log1p
from dpbandits.core.streams import _deviance as deviance

# Terms of a continued fraction or a series: for a million degrees of freedom some two thousand are used.
TERMS = 100_000
# Below this the series for the normal law is summed, above it the continued fraction.
SERIES = 2.5
HALVINGS = 2000


@kernel
def _rest(x: float) -> float:
    """Return log Gamma(x) less Stirling's (x - 1/2) log x - x + log(2 pi) / 2, for x > 0."""
    rest = 0.0
    while x < 16.0:
        rest += (x + 0.5) * log1p(1.0 / x) - 1.0
        x += 1.0
    r = 1.0 / (x * x)
    return rest + (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / x


@kernel
def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method (DLMF 8.17.22)."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, TERMS):
        before = value
        for step in range(2):
            if step == 0:
                term = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
            else:
                term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + term / c
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(value - before) <= 1e-16 * abs(value):
            break
    return value


@kernel
def beta_below(a: float, b: float, x: float, y: float) -> float:
    """Return the distribution function of Beta(a, b) at x: the probability of a number below x.

    Parameters
    ----------
    a, b
        The law's parameters, > 0.
    x, y
        The point, in [0, 1], and y = 1 - x. Callers give both, since computing 1 - x near 1 loses digits.
    """
    if x <= 0.0:
        return 0.0
    if y <= 0.0:
        return 1.0
    n = a + b
    height = 0.5 * log(a * b / (6.283185307179586 * n)) + _rest(n) - _rest(a) - _rest(b)
    mass = exp(height - deviance(a, n * x) - deviance(b, n * y))
    if x * (n + 2.0) <= a + 1.0:
        return mass * _fraction(a, b, x) / a
    return 1.0 - mass * _fraction(b, a, y) / b


@kernel
def beta_quantile(a: float, b: float, share: float) -> float:
    """Return the quantile of Beta(a, b) at ``share`` in (0, 1): a draw is below it with this probability."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        if beta_below(a, b, middle, 1.0 - middle) < share:
            low = middle
        else:
            high = middle
    return low


@kernel
def normal_above(z: float) -> float:
    """Return the probability that a standard normal number is above ``z``."""
    x = abs(z)
    density = 0.3989422804014327 * exp(-0.5 * x * x)
    if x < SERIES:
        term, total = x, x
        for k in range(1, TERMS):
            term *= x * x / (2 * k + 1)
            before = total
            total += term
            if total == before:
                break
        beyond = 0.5 - density * total
    else:
        # The continued fraction x + 1/(x + 2/(x + 3/(x + ...))), computed from its innermost term outwards.
        value = x
        for k in range(300, 0, -1):
            value = x + k / value
        beyond = density / value
    return beyond if z >= 0.0 else 1.0 - beyond


@kernel
def normal_quantile(above: float) -> float:
    """Return the upper quantile of the standard normal law: the z with P[Z > z] = ``above``, in (0, 1/2]."""
    low, high = 0.0, 40.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        if normal_above(middle) > above:
            low = middle
        else:
            high = middle
    return low


@kernel
def student_above(t: float, degrees: float) -> float:
    """Return P[X > ``t``] for X of Student's t law.

    ``degrees`` are the law's degrees of freedom, > 0; infinity gives the standard normal law.
    """
    if math.isinf(degrees):
        return normal_above(t)
    square = t * t
    beyond = 0.0
    if not math.isinf(square):
        total = degrees + square
        beyond = 0.5 * beta_below(0.5 * degrees, 0.5, degrees / total, square / total)
    return beyond if t >= 0.0 else 1.0 - beyond


@kernel
def student_quantile(above: float, degrees: float) -> float:
    """Return the upper quantile of Student's t law: the t with P[X > t] = ``above``, in (0, 1/2].

    ``degrees`` are the law's degrees of freedom, > 0.
    """
    low, high = 0.0, 1.0
    while student_above(high, degrees) > above:
        high *= 2.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        if student_above(middle, degrees) > above:
            low = middle
        else:
            high = middle
    return low


@kernel
def binomial_quantile(below: float, n: int, p: float) -> int:
    """Return the smallest k with P[Bin(n, p) <= k] >= ``below``, a probability in (0, 1); 0 < p < 1."""
    low, high = -1, n
    while high - low > 1:
        middle = (low + high) // 2
        if beta_below(n - middle, middle + 1.0, 1.0 - p, p) < below:
            low = middle
        else:
            high = middle
    return high


@kernel
def binomial_quantile_above(above: float, n: int, p: float) -> int:
    """Return the smallest k with P[Bin(n, p) > k] <= ``above``, a probability in (0, 1); 0 < p < 1."""
    low, high = -1, n
    while high - low > 1:
        middle = (low + high) // 2
        if beta_below(middle + 1.0, n - middle, p, 1.0 - p) > above:
            low = middle
        else:
            high = middle
    return high
