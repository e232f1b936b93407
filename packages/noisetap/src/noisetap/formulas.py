"""Formulas of the checker for losses of transcripts: of outputs, answers and noisy maxima, and what a delta covers.

A law is a dict: that of ``place + size * z``, for a draw z of the standard law ``kind`` with parameters ``more``.
Kinds are continuous, such as ``laplace``; `density` takes ``binomial`` and ``choice`` (of an index) too. The search
has its own formulas (`noisetap.laws`, `noisetap.replay`); the two share no line.
"""

from __future__ import annotations

import functools
import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisetap.form import Pivot, Side, StatedDraw, StatedLaw, Transcript
from noisetap.probabilities import BELOW, DENSITY, gauss, nodes, normal_delta


def density(law: StatedLaw, y: Any) -> Any:
    """Return the density (or probability) of a law at y; y may be an array if the law is continuous."""
    place, size, kind = law["place"], law["size"], law["kind"]
    if kind == "choice":
        return float(law["more"][int(y)])
    z = (np.asarray(y, float) - place) / size
    if kind == "binomial":
        n, p, k = int(law["more"][0]), law["more"][1], round(float(z))
        return math.comb(n, k) * p**k * (1 - p) ** (n - k) if 0 <= k <= n and abs(z - k) < 1e-9 else 0.0
    return DENSITY[kind](z, *law["more"]) / abs(size)


def log_discrete_probability(kind: str, params: tuple[float, ...], k: int) -> float:
    """Return the log probability of the whole number ``k`` under the standard law ``kind``.

    ``params`` are ``(p,)`` of ``geometric``, ``(rate,)`` of ``dlaplace`` (discrete Laplace) and ``poisson``,
    ``(n, p)`` of ``binomial``, ``(first, end)`` of ``integer``, without the end. ``whole laplace`` and the like is
    the law of ``floor(offset + factor * z)``, with ``(offset, factor)``.
    """
    if kind == "geometric":
        (p,) = params
        return (
            -math.inf if k < 1 or (p == 1 and k > 1) else math.log(p) + (math.log1p(-p) * (k - 1) if k > 1 else 0)
        )
    if kind == "dlaplace":
        (rate,) = params
        return math.log((1 - math.exp(-rate)) / (1 + math.exp(-rate))) - rate * abs(k)
    if kind.startswith("whole "):
        mass = _cell(kind[6:], k, *params)
        return math.log(mass) if mass > 0 else -math.inf
    if kind == "integer":
        return -math.log(params[1] - params[0]) if params[0] <= k < params[1] else -math.inf
    if k < 0 or (kind == "binomial" and k > params[0]):
        return -math.inf
    if kind == "poisson":
        rate = math.log(params[0]) if params[0] > 0 else -math.inf
        return (k * rate if k else 0.0) - _log_factorial(k) - params[0]
    n, p = int(params[0]), params[1]
    if p in (0.0, 1.0):
        return 0.0 if k == n * p else -math.inf
    return (
        _log_factorial(n) - _log_factorial(k) - _log_factorial(n - k) + k * math.log(p) + (n - k) * math.log1p(-p)
    )


def _log_factorial(k: int) -> float:
    """Return the logarithm of a factorial."""
    return float(_log_factorials(1 << k.bit_length())[k])


@functools.cache
def _log_factorials(number: int) -> NDArray[np.float64]:
    """Return the logarithms of the factorials of all whole numbers below a power of two, added up one by one."""
    if number > 1 << 22:
        raise ArithmeticError("a law of whole numbers above 4 million")
    return np.cumsum(np.log(np.maximum(np.arange(float(number)), 1.0)))


def interval_probability(kind: str, params: tuple[float, ...], low: float, high: float) -> float | None:
    """Return the probability that a draw of whole numbers lies in [low, high], for laws with a formula for it.

    For ``binomial`` and ``poisson`` it is ``None``: a caller has to sum over the values.

    Parameters
    ----------
    kind, params
        The standard law and its parameters, as `log_discrete_probability` takes them.
    low, high
        Both ends, whole numbers; if ``low > high``, the probability is 0.
    """
    if low > high:
        return 0.0
    if kind == "geometric":
        none = math.log1p(-params[0]) if params[0] < 1 else -math.inf
        low = max(low, 1.0)
        before = math.exp(none * (low - 1)) if low > 1 else 1.0
        return max(-before * math.expm1(none * (high - low + 1)), 0.0)
    if kind == "dlaplace":
        low, high = (-high, -low) if high < 0 else (low, high)
        # Sides of 0 by themselves: differences would lose what a small rate leaves.
        sides = [(low, high)] if low > 0 else [(0.0, high), (1.0, -low)]
        first = math.tanh(params[0] / 2) / math.expm1(-params[0])
        return sum(first * math.exp(-params[0] * a) * math.expm1(-params[0] * (b - a + 1)) for a, b in sides)
    if kind == "integer":
        return max(min(high, params[1] - 1) - max(low, params[0]) + 1, 0.0) / (params[1] - params[0])
    if kind.startswith("whole "):
        offset, factor = params
        first, last = sorted(((low - offset) / factor, (high + 1 - offset) / factor))
        points, weights = gauss(np.unique(np.clip([0.0, 1.0, *np.linspace(first, last, 400)], first, last)))
        return float(np.sum(weights * DENSITY[kind[6:]](points)))
    return None


def _cell(kind: str, k: int, offset: float, factor: float) -> float:
    """Return the probability that ``floor(offset + factor * z)`` is k, by Gauss's rule on both sides of zero."""
    low, high = sorted(((k - offset) / factor, (k + 1 - offset) / factor))
    if abs(factor) > 1e6 and not any(low <= end <= high for end in (0.0, 1.0)):
        # Widths of pieces would lose the digits of so narrow a cell, in which the density is a line.
        return float(DENSITY[kind](np.array([(low + high) / 2.0]))[0]) / abs(factor)
    ends = [low, *(end for end in (0.0, 1.0) if low < end < high), high]
    points, weights = gauss(np.unique([np.linspace(a, b, 9) for a, b in pairwise(ends)]))
    return float(np.sum(weights * DENSITY[kind](points)))


def log_ratio(part: StatedDraw) -> float:
    """Return the log ratio of the number ``part["said"]``'s densities (or probabilities) on inputs ``x`` and ``y``.

    It is inf if the density on ``y`` alone is 0, and -inf if that on ``x`` is 0.
    """
    a, b, y = part["x"], part["y"], part["said"]
    if a["kind"] in ("laplace", "normal") and a["kind"] == b["kind"]:
        power = 1 if a["kind"] == "laplace" else 2
        u, v = ((abs((y - law["place"]) / law["size"]) ** power) / power for law in (a, b))
        return float(v - u + math.log(abs(b["size"] / a["size"])))
    p, q = float(density(a, y)), float(density(b, y))
    return math.inf if q == 0 < p else math.log(p / q) if p else -math.inf


def cdf(law: StatedLaw, y: Any) -> Any:
    """Return the probability of values at most y, a number or array, under a continuous law."""
    mass = BELOW[law["kind"]]((y - law["place"]) / law["size"], *law["more"])
    return mass if law["size"] > 0 else 1.0 - mass


def comparisons_probability(comparisons: list[tuple[float, float, bool]], law: StatedLaw) -> float:
    """Return the probability that a draw of a law gives certain answers to comparisons.

    Each of ``comparisons`` has a threshold, 1 if the draw was asked to lie above it (-1 if below), and the answer.
    """
    # A draw that was said to be above a threshold, or not below it, has this threshold as a lower end.
    low = max([-math.inf, *(t for t, sign, said in comparisons if (sign > 0) == said)])
    high = min([math.inf, *(t for t, sign, said in comparisons if (sign > 0) != said)])
    return max(float(cdf(law, high) - cdf(law, low)), 0.0)


def pivot_probability(event: Pivot, side: Side) -> float:
    """Return the probability, on one input, that noisy outputs lie above or below one of them as ``event`` says.

    That one is the ``center`` of ``event``: the ``others`` are compared with it. ``side`` is the input, ``"x"`` or
    ``"y"``. All noise is independent.
    """
    center, others = event["center"][side], [other[side] for other in event["others"]]
    kinks = [(law["place"] + end * law["size"], abs(law["size"])) for law in (center, *others) for end in (0, 1)]
    grid, weights = nodes(*np.array(kinks).T)
    chance = density(center, grid) * weights
    for other, law in zip(event["others"], others, strict=True):
        chance = chance * (1.0 - cdf(law, grid) if other["above"] else cdf(law, grid))
    return float(np.sum(chance))


def finite_loss(transcript: Transcript) -> float:
    """Return the privacy loss of a transcript: the sum of log ratios of its numbers, comparisons and pivots.

    A comparison or pivot of probability 0 raises `ValueError` or `ZeroDivisionError`.
    """
    loss: float = sum(log_ratio(p) for p in transcript["parts"])
    loss += sum(
        math.log(comparisons_probability(q["x_said"], q["x"]) / comparisons_probability(q["y_said"], q["y"]))
        for q in transcript["asked"]
    )
    return loss + sum(math.log(pivot_probability(e, "x") / pivot_probability(e, "y")) for e in transcript["pivots"])


def uncovered_delta(transcript: Transcript, epsilon: float) -> float:
    """Return P(E) - exp(epsilon) Q(E) of an event E that a transcript stands for: what delta has to cover.

    P and Q are the laws of all numbers on ``x`` and ``y``. If all have normal noise, each of one scale on both
    inputs, E is the event that needs most. If all have Laplace noise, E is that each number lies at least as far
    out as in the transcript, on its side of its place on ``x``. Then P(E) and Q(E) are products of tails, whatever
    the places and scales are, so that no smaller delta is enough, unless places or scales depend on earlier
    numbers. It is 0, which proves nothing, if the difference is negative, if the transcript has no number, or
    answers or noisy maxima too, and for all other noise.
    """
    parts = transcript["parts"]
    if transcript["asked"] or transcript["pivots"] or not parts:
        return 0.0
    if all(p["x"]["kind"] == "normal" and math.isclose(p["x"]["size"], p["y"]["size"]) for p in parts):
        # Exact: mu is the shift of all numbers together, in deviations.
        mu = math.sqrt(sum(((p["x"]["place"] - p["y"]["place"]) / p["x"]["size"]) ** 2 for p in parts))
        return normal_delta(mu, epsilon)
    if all(p[side]["kind"] == "laplace" for p in parts for side in ("x", "y")):
        # Far out tails are smaller than doubles, and their logarithms are not.
        tails = [_log_tails(p) for p in parts]
        log_p, log_q = sum(p for p, _ in tails), sum(q for _, q in tails)
        return -math.exp(log_p) * math.expm1(min(epsilon + log_q - log_p, 0.0))
    return 0.0


def _log_tails(part: StatedDraw) -> tuple[float, float]:
    """Return the log probabilities on ``x`` and ``y`` that a Laplace number lies as far out as that of ``part``."""
    above = 1 if part["said"] >= part["x"]["place"] else -1
    x, y = ((part["said"] - law["place"]) / abs(law["size"]) * above for law in (part["x"], part["y"]))
    return _log_tail(x), _log_tail(y)


def _log_tail(z: float) -> float:
    """Return the log probability that a standard Laplace draw is at least z."""
    return math.log(0.5) - z if z > 0 else math.log1p(-math.exp(z) / 2)
