"""Formulas of the checker: densities, probabilities of events, what a delta covers.

The search has its own (`noisetap.laws`, `noisetap.replay`); the two share no line.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from noisetap.form import Pivot, Said, Side, Told, Transcript

# Gauss's rule on [-1, 1].
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def density(law: Told, y: Any) -> Any:
    """Return the density (or mass) of a law at y."""
    place, size, kind = law["place"], law["size"], law["kind"]
    if kind == "choice":
        return float(law["more"][int(y)])
    z = (np.asarray(y, float) - place) / size
    if kind == "binomial":
        n, p, k = int(law["more"][0]), law["more"][1], round(float(z))
        return math.comb(n, k) * p**k * (1 - p) ** (n - k) if 0 <= k <= n and abs(z - k) < 1e-9 else 0.0
    shapes: dict[str, Callable[[Any], Any]] = {
        "laplace": lambda z: np.exp(-np.abs(z)) / 2,
        "normal": lambda z: np.exp(-z * z / 2) / math.sqrt(2 * math.pi),
        "gumbel": lambda z: np.exp(-z - np.exp(-np.maximum(z, -700))),
        "exponential": lambda z: np.where(z >= 0, np.exp(-np.maximum(z, 0)), 0.0),
        "logistic": lambda z: np.exp(-np.abs(z)) / (1 + np.exp(-np.abs(z))) ** 2,
        "uniform": lambda z: ((z >= 0) & (z <= 1)) * 1.0,
        "gamma": lambda z: np.where(z > 0, _gamma(np.maximum(z, 1e-300), *law["more"]), 0.0),
    }
    return shapes[kind](z) / abs(size)


def _gamma(z: Any, shape: float) -> Any:
    return z ** (shape - 1) * np.exp(-z) / math.gamma(shape)


def log_mass(kind: str, more: tuple[float, ...], k: int) -> float:
    """Return the logarithm of the probability of a whole number: products are added up, factor by factor."""
    if kind == "geometric":
        (p,) = more
        return -math.inf if k < 1 or (p == 1 and k > 1) else sum([math.log(p), *[math.log1p(-p)] * (k - 1)])
    if kind == "dlaplace":
        (rate,) = more
        return math.log((1 - math.exp(-rate)) / (1 + math.exp(-rate))) - rate * abs(k)
    if kind.startswith("whole "):
        mass = _cell(kind[6:], k, *more)
        return math.log(mass) if mass > 0 else -math.inf
    if kind == "integer":
        return -math.log(more[1] - more[0]) if more[0] <= k < more[1] else -math.inf
    if k < 0 or (kind == "binomial" and k > more[0]):
        return -math.inf
    if kind == "poisson":
        steps = [math.log(more[0] / i) for i in range(1, k + 1)] if more[0] > 0 else [-math.inf] * k
        return sum(steps) - more[0]
    n, p = int(more[0]), more[1]
    if p in (0.0, 1.0):
        return 0.0 if k == n * p else -math.inf
    return math.log(math.comb(n, k)) + k * math.log(p) + (n - k) * math.log1p(-p)


def _cell(kind: str, k: int, offset: float, factor: float) -> float:
    """Return the probability that ``floor(offset + factor * z)`` is k, by Gauss's rule on both sides of zero."""
    low, high = sorted(((k - offset) / factor, (k + 1 - offset) / factor))
    law = Told(kind=kind, place=0.0, size=1.0, more=[])
    ends = [low, *(end for end in (0.0, 1.0) if low < end < high), high]
    total = 0.0
    for a, b in pairwise(ends):
        for c, d in pairwise(np.linspace(a, b, 9)):
            points = (c + d) / 2 + (d - c) / 2 * _NODES
            total += float(np.sum(_WEIGHTS * density(law, points))) * (d - c) / 2
    return total


def log_ratio(part: Said) -> float:
    """Return what one number adds to the loss; in the tails logarithms are taken before exponentials."""
    a, b, y = part["x"], part["y"], part["said"]
    if a["kind"] in ("laplace", "normal") and a["kind"] == b["kind"]:
        power = 1 if a["kind"] == "laplace" else 2
        u, v = ((abs((y - law["place"]) / law["size"]) ** power) / power for law in (a, b))
        return float(v - u + math.log(abs(b["size"] / a["size"])))
    p, q = float(density(a, y)), float(density(b, y))
    return math.inf if q == 0 < p else math.log(p / q) if p else -math.inf


def below(law: Told, y: float) -> float:
    """Return the probability of values at most y, by adding up the density."""
    grid = law["place"] + abs(law["size"]) * np.linspace(-45.0, 45.0, 360001)
    return float(min(np.sum(density(law, grid)[grid <= y]) * (grid[1] - grid[0]), 1.0))


def asked(compared: list[tuple[float, float, bool]], law: Told) -> float:
    """Return the probability that comparisons with a draw say what they said."""
    # A draw that was said to be above a threshold, or not below it, has this threshold as a lower end.
    low = max([-math.inf, *(t for t, sign, said in compared if (sign > 0) == said)])
    high = min([math.inf, *(t for t, sign, said in compared if (sign > 0) != said)])
    if law["kind"] == "uniform":
        low, high = (min(max((t - law["place"]) / law["size"], 0.0), 1.0) for t in (low, high))
        return float(max(high - low, 0.0))
    return max(below(law, high) - below(law, low), 0.0)


def pivot(event: Pivot, side: Side) -> float:
    """Return the probability that each other output lies on its side of the one in the middle."""
    center = event["center"][side]
    grid = center["place"] + abs(center["size"]) * np.linspace(-45.0, 45.0, 40001)
    chance = density(center, grid)
    for other in event["others"]:
        law = other[side]
        fine = law["place"] + abs(law["size"]) * np.linspace(-45.0, 45.0, 40001)
        mass = (np.cumsum(density(law, fine)) - density(law, fine) / 2) * (fine[1] - fine[0])
        under = np.interp(grid, fine, np.minimum(mass, 1.0), left=0.0, right=1.0)
        chance = chance * (1.0 - under if other["above"] else under)
    return float(np.sum(chance) * (grid[1] - grid[0]))


def finite(path: Transcript) -> float:
    """Return the loss of a transcript."""
    loss: float = sum(log_ratio(p) for p in path["parts"])
    loss += sum(math.log(asked(q["x_said"], q["x"]) / asked(q["y_said"], q["y"])) for q in path["asked"])
    return loss + sum(math.log(pivot(e, "x") / pivot(e, "y")) for e in path["pivots"])


def unexcused(path: Transcript, epsilon: float) -> float:
    """Return P(E) - exp(epsilon) Q(E) of the event E that the transcript stands for: what delta has to cover.

    It is computed where all parts have normal noise of equal scales, or all have Laplace noise. Elsewhere it is 0,
    which proves nothing.
    """
    parts = path["parts"]
    if path["asked"] or path["pivots"] or not parts:
        return 0.0
    if all(p["x"]["kind"] == "normal" and math.isclose(p["x"]["size"], p["y"]["size"]) for p in parts):
        # Exact (Balle and Wang 2018, equation 6): mu is the shift of all numbers together, in deviations.
        mu = math.sqrt(sum(((p["x"]["place"] - p["y"]["place"]) / p["x"]["size"]) ** 2 for p in parts))
        tail = [math.erfc(-z / math.sqrt(2)) / 2 for z in (mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu)]
        return float(tail[0] - math.exp(epsilon) * tail[1])
    if all(p["x"]["kind"] == "laplace" for p in parts):
        # E: all numbers lie at least as far out. Beyond both places the ratio of Laplace densities is constant.
        mass = math.prod(math.exp(-abs((p["said"] - p["x"]["place"]) / p["x"]["size"])) / 2 for p in parts)
        return -mass * math.expm1(min(epsilon - finite(path), 0.0))
    return 0.0


def lower(k: int, n: int, risk: float = 1e-6) -> float:
    """Return a lower confidence bound of a probability after k of n (Chernoff, relative entropy)."""
    low, high, p = 0.0, k / n, k / n
    for _ in range(60 if k else 0):
        q = (low + high) / 2
        entropy = p * math.log(p / q) + ((1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0)
        low, high = (q, high) if entropy * n > math.log(1 / risk) else (low, q)
    return low
