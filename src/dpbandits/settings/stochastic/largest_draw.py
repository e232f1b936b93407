"""The probability that each arm's posterior draw is the largest, by quadrature.

An arm with mean m of O rewards draws theta ~ Beta(m O + 1, (1 - m) O + 1). Let v = 1 - theta have the density f_k
and the distribution function F_k for arm k. Then its theta is the largest with probability
int f_k prod_(j != k) (1 - F_j) dv. The range of v is cut into panels as wide as the posteriors are smooth, with
Gauss's nodes in each. F_j at the nodes is the integral of the polynomial through f_j's values there.

Error: 1.4e-13 at most in total variation, of 400 sets of five posteriors; the tests hold it below 5e-13.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.mathematics import exp, log, log1p

# Nodes in a panel.
NODES = 12
# Where no arm's v is below with less than this probability, the rest of the range is left out.
NOTHING = 1e-15
# Width of a panel in standard deviations of the narrowest posterior there.
WIDTH = 2.4
# Nearer to 0 or 1 than this share of the panel's width no density has a broken power.
SERIES = 0.2
STRETCHED = 0.1
TWO_PI = 6.283185307179586


def _legendre(x: Decimal, degree: int) -> list[Decimal]:
    """Return the Legendre polynomials of degree 0 to ``degree`` at ``x``."""
    values = [Decimal(1), x]
    for n in range(1, degree):
        values.append(((2 * n + 1) * x * values[n] - n * values[n - 1]) / (n + 1))
    return values


def _gauss(nodes: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return Gauss's nodes on [-1, 1], their weights, and the indefinite integral; all correctly rounded.

    Returns
    -------
    x, weight : ndarray of float64, shape (nodes,)
        Exact for polynomials up to degree 2 nodes - 1.
    integral : ndarray of float64, shape (nodes, nodes)
        sum_j integral[j, i] f(x[j]) is the integral of f from -1 to x[i], f of degree below ``nodes``.
    """
    with localcontext() as context:
        context.prec = 40
        # A sign changes between two points of a grid; Newton does the rest.
        grid = [Decimal(2 * i + 1) / 1000 - 1 for i in range(1000)]
        signs = [_legendre(x, nodes)[nodes] > 0 for x in grid]
        roots = [grid[i] for i in range(1, 1000) if signs[i] != signs[i - 1]]
        for _ in range(7):
            for i, x in enumerate(roots):
                p = _legendre(x, nodes)
                roots[i] = x - p[nodes] * (1 - x * x) / (nodes * (p[nodes - 1] - x * p[nodes]))
        values = [_legendre(x, nodes) for x in roots]
        heights = [nodes * p[nodes - 1] for p in values]
        weights = [2 * (1 - x * x) / (height * height) for x, height in zip(roots, heights, strict=True)]

        def share(j: int, i: int) -> Decimal:
            total = 1 + roots[i]
            for n in range(1, nodes):
                total += values[j][n] * (values[i][n + 1] - values[i][n - 1])
            return weights[j] * total / 2

        integral = [[float(share(j, i)) for i in range(nodes)] for j in range(nodes)]
        return np.array([float(x) for x in roots]), np.array([float(w) for w in weights]), np.array(integral)


X, WEIGHT, INTEGRAL = _gauss(NODES)


class Scratch(NamedTuple):
    """Scratch arrays of the quadrature of `largest_draw`; none is read before it is written.

    An arm's posterior draw is theta = 1 - v. The range of v is cut into panels, each with nodes of a Gauss rule.

    Attributes
    ----------
    spread, least, most : ndarray of float64, shape (arms,)
        Standard deviation of an arm's v, and the range beyond which v has no mass to speak of.
    mode, height : ndarray of float64, shape (arms,)
        The v at which an arm's density is largest, and the logarithm of the density there.
    left : ndarray of float64, shape (arms,)
        The probability that an arm's v is beyond the panel's left end.
    density, beyond, others : ndarray of float64, shape (arms, NODES)
        At a panel's nodes: an arm's density times half the panel's width; the probability that the arm's v is
        beyond the node; the probability that the v of all later arms are beyond it.
    log_v, log_theta, v, before : ndarray of float64, shape (NODES,)
        At a panel's nodes: log v, log(1 - v), v, and the probability that the v of all earlier arms are beyond it.
    """

    spread: NDArray[np.float64]
    least: NDArray[np.float64]
    most: NDArray[np.float64]
    mode: NDArray[np.float64]
    height: NDArray[np.float64]
    left: NDArray[np.float64]
    density: NDArray[np.float64]
    beyond: NDArray[np.float64]
    others: NDArray[np.float64]
    log_v: NDArray[np.float64]
    log_theta: NDArray[np.float64]
    v: NDArray[np.float64]
    before: NDArray[np.float64]


@kernel
def make_scratch(arms: int) -> Scratch:
    """Return new scratch arrays for `largest_draw` of ``arms`` posteriors; their contents do not matter."""
    return Scratch(
        np.empty(arms),
        np.empty(arms),
        np.empty(arms),
        np.empty(arms),
        np.empty(arms),
        np.empty(arms),
        np.empty((arms, NODES)),
        np.empty((arms, NODES)),
        np.empty((arms, NODES)),
        np.empty(NODES),
        np.empty(NODES),
        np.empty(NODES),
        np.empty(NODES),
    )


@inner
def _stirling_error(n: float) -> float:
    """Return log Gamma(n + 1) - log(sqrt(2 pi n) (n/e)^n) for n > 0, whole or not."""
    if n >= 16.0:
        r = 1.0 / (n * n)
        return (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / n
    product, x = 1.0, n
    while x < 16.0:
        x += 1.0
        product *= x
    r = 1.0 / (x * x)
    more = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / x
    return more + (x + 0.5) * log(x) - log(product) - (n + 0.5) * log(n) - (x - n)


@inner
def _describe(m: float, size: float, k: int, scratch: Scratch) -> None:
    """Fill in arm ``k``'s numbers."""
    a, b = m * size, (1.0 - m) * size
    total = size + 2.0
    mean = (b + 1.0) / total
    scratch.spread[k] = math.sqrt(mean * (1.0 - mean) / (total + 1.0))
    # Tails are Gaussian, or at worst exponential of rate O.
    reach = 8.0 * scratch.spread[k] + 26.0 / total
    scratch.least[k] = max(0.0, mean - reach)
    scratch.most[k] = min(1.0, mean + reach)
    scratch.mode[k] = 1.0 - m
    scratch.height[k] = log(size + 1.0)
    if a > 0.0 and b > 0.0:
        scratch.height[k] += _stirling_error(size) - _stirling_error(a) - _stirling_error(b)
        scratch.height[k] += 0.5 * log(size / (TWO_PI * a * b))
    scratch.left[k] = 1.0


@inner
def _width(
    m: NDArray[np.float64], size: NDArray[np.float64], left: float, end: float, stretched: bool, scratch: Scratch
) -> float:
    """Return a panel's width, in which the densities from ``left`` on are smooth."""
    width = end - left
    for k in range(m.size):
        if scratch.least[k] < end:
            away = 1.0 - m[k] - left
            if scratch.least[k] > left:
                width = min(width, max(scratch.least[k] - left, 0.45 * away))
            else:
                width = min(width, max(WIDTH * scratch.spread[k], 0.45 * abs(away)))
            # Broken powers of v and 1 - v, where they count.
            if stretched:
                width = min(width, STRETCHED / size[k])
            elif 0.0 < (1.0 - m[k]) * size[k] < 20.0 and left > 0.0:
                width = min(width, 2.0 * left)
            if 0.0 < m[k] * size[k] < 20.0:
                width = min(width, 0.6 * (1.0 - left))
    return width


@inner
def _fill(
    m: float, size: float, left: float, half: float, k: int, stretched: bool, logs: bool, scratch: Scratch
) -> bool:
    """Fill in arm ``k``'s density at a panel's nodes; return whether the logarithms of v and 1 - v are there."""
    start = left - scratch.mode[k]
    a, b = m * size, (1.0 - m) * size
    if a > 0.0 and b > 0.0 and not stretched:
        furthest = max(abs(start), abs(start + 2.0 * half))
        if furthest <= SERIES * min(m, 1.0 - m):
            # log(1 + x) - x by a series: its terms of first order cancel, which are huge for large batches.
            u, w = 1.0 / scratch.mode[k], -1.0 / m
            for i in range(NODES):
                distance = start + half * (1.0 + X[i])
                x, y = distance * u, distance * w
                s, r = x / (2.0 + x), y / (2.0 + y)
                p, q = s * s, r * r
                of_v = 2.0 * s * p * _arctanh(p) - s * x
                of_theta = 2.0 * r * q * _arctanh(q) - r * y
                scratch.density[k, i] = half * exp(scratch.height[k] + b * of_v + a * of_theta)
            return logs
    if not logs:
        for i in range(NODES):
            scratch.log_v[i] = log(scratch.v[i])
            scratch.log_theta[i] = log1p(-scratch.v[i])
    height = scratch.height[k]
    if a > 0.0 and b > 0.0:
        height -= a * log(m) + b * log(scratch.mode[k])
    for i in range(NODES):
        scratch.density[k, i] = half * exp(height + a * scratch.log_theta[i] + b * scratch.log_v[i])
    if stretched:
        for i in range(NODES):
            scratch.density[k, i] *= 6.0 * (0.5 + 0.5 * X[i]) ** 5
    return True


@inner
def _arctanh(p: float) -> float:
    """Return (arctanh(s)/s - 1)/s^2 for p = s^2 below 1/80."""
    return 1 / 3 + p * (
        1 / 5 + p * (1 / 7 + p * (1 / 9 + p * (1 / 11 + p * (1 / 13 + p * (1 / 15 + p * (1 / 17))))))
    )


@inner
def _integrate(k: int, scratch: Scratch) -> None:
    """Fill in the probability that arm ``k`` is beyond a node, and weigh its density."""
    for i in range(NODES):
        scratch.beyond[k, i] = scratch.left[k]
    for j in range(NODES):
        density = scratch.density[k, j]
        for i in range(NODES):
            scratch.beyond[k, i] -= INTEGRAL[j, i] * density
    mass = 0.0
    for i in range(NODES):
        scratch.density[k, i] *= WEIGHT[i]
        mass += scratch.density[k, i]
    scratch.left[k] -= mass


@kernel
def largest_draw(
    m: NDArray[np.float64], size: NDArray[np.float64], p: NDArray[np.float64], scratch: Scratch
) -> int:
    """Fill in ``p``: each arm's probability that the draw from its Beta posterior is the largest.

    Parameters
    ----------
    m, size : ndarray of float64, shape (arms,)
        Mean m in [0, 1] and size O >= 1 of each arm, which draws from Beta(m O + 1, (1 - m) O + 1).
    p : ndarray of float64, shape (arms,)
        The probabilities, filled in; of sum 1.
    scratch
        Scratch arrays of `make_scratch`.

    Returns
    -------
    int
        Number of panels that were used: 0 if there is a closed form.
    """
    arms = m.size
    if m.min() >= 1.0:
        # theta = U^(1/(O + 1)): the largest of such is arm k's with a probability in proportion to O_k + 1.
        total = size.sum() + arms
        for k in range(arms):
            p[k] = (size[k] + 1.0) / total
        return 0
    end = 1.0
    for k in range(arms):
        _describe(m[k], size[k], k, scratch)
        end = min(end, scratch.most[k])
        p[k] = 0.0
    left, none, panels = scratch.least.min(), 1.0, 0
    while left < end and none > NOTHING:
        stretched, logs = False, False
        if left == 0.0:
            for k in range(arms):
                stretched = stretched or 0.0 < (1.0 - m[k]) * size[k] < 20.0
        # As it is rounded, so that panels neither overlap nor leave anything out.
        right = left + _width(m, size, left, end, stretched, scratch)
        half = 0.5 * (right - left)
        panels += 1
        for i in range(NODES):
            scratch.v[i] = left + half * (1.0 + X[i])
            if stretched:
                scratch.v[i] = right * (0.5 + 0.5 * X[i]) ** 6
        for k in range(arms):
            if scratch.least[k] < right:
                logs = _fill(m[k], size[k], left, half, k, stretched, logs, scratch)
                _integrate(k, scratch)
        for i in range(NODES):
            scratch.before[i] = 1.0
        for k in range(arms - 1, -1, -1):
            if scratch.least[k] < right:
                for i in range(NODES):
                    scratch.others[k, i] = scratch.before[i]
                    scratch.before[i] *= scratch.beyond[k, i]
        for i in range(NODES):
            scratch.before[i] = 1.0
        none = 1.0
        for k in range(arms):
            if scratch.least[k] < right:
                won = 0.0
                for i in range(NODES):
                    won += scratch.density[k, i] * scratch.before[i] * scratch.others[k, i]
                    scratch.before[i] *= scratch.beyond[k, i]
                p[k] += won
                none *= scratch.left[k]
        left = right
    total = 0.0
    for k in range(arms):
        p[k] = max(p[k], 0.0)
        total += p[k]
    for k in range(arms):
        p[k] /= total
    return panels
