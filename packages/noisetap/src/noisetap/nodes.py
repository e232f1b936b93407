"""Free random draws of a run, and grids on which they are integrated, for the search.

A draw is free if no released number determines it. A standard law has location 0 and scale 1.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisetap.laws import (
    DISCRETE,
    LEFT_OUT,
    MOST_VALUES,
    NEAR_BINOMIAL,
    NEAR_WHOLE,
    Law,
    TooManyValues,
    interval_probability,
    log_of,
    support,
)

Values = NDArray[np.float64]
# Points of a grid for one draw, and how far it reaches, in scales of the standard law.
_POINTS, _FAR = 4001, 60.0
# Whole numbers in a block of log probabilities that is kept.
_BLOCK = 128


@dataclass
class Node:
    """A random draw z that no released number determines, with all that its probability depends on.

    Attributes
    ----------
    law
        Standard law of z.
    low, high
        Lowest and highest value that z can have: by its law at first, and closer by comparisons of z with numbers.
    factors
        Triples (law, a, b), one for each other draw that equals ``a + b * z`` since a number was released. The
        density of its standard law there is a factor of z's density.
    """

    law: Law
    low: float
    high: float
    factors: list[tuple[Law, float, float]] = field(default_factory=list)  # density of law at a + b z

    def is_impossible(self) -> bool:
        """Tell whether z has no possible value left."""
        low, high = self._within(self.low, self.high)
        return low > high + 1e-9

    def _within(self, low: float, high: float) -> tuple[float, float]:
        """Return the ends of the values in an interval at which no factor is zero."""
        for law, a, b in self.factors:
            ends = sorted((end - a) / b for end in support(law))
            low, high = max(low, ends[0]), min(high, ends[1])
        return low, high

    def _whole_range(self, left_out: float) -> tuple[float, float]:
        """Return the ends of the values that count: its own likely ones, and those that others make likely."""
        low, high = _bulk(self.law, left_out)
        for law, a, b in self.factors:
            ends = [(end - a) / b for end in _bulk(law, left_out)]
            low, high = min(low, math.floor(min(ends))), max(high, math.ceil(max(ends)))
        least, most = support(self.law)
        low, high = max(low, least, _ceil(self.low)), min(high, most, -_ceil(-self.high))
        if high - low > MOST_VALUES:
            raise TooManyValues(self.law)
        return low, high

    def has_all_values(self, left_out: float) -> bool:
        """Tell whether the `grid` of a discrete law has all values of z that are possible."""
        least, most = support(self.law)
        return self._whole_range(left_out) == (max(_ceil(self.low), least), min(-_ceil(-self.high), most))

    def grid(self, left_out: float = LEFT_OUT[0]) -> tuple[Values, Values]:
        """Return increasing values of z, and the mass of each with all factors; both empty if none is possible.

        For a discrete law the values are whole numbers, at most 100,001. For a continuous law they are some 4,000
        points of a grid within 60 scales of 0. ``left_out`` is the log probability of the tails of a discrete law
        that are left out, beside a likely value's.

        Raises
        ------
        TooManyValues
            If a discrete law has more values that are not improbable.
        """
        if self.law.is_discrete:
            low, high = self._whole_range(left_out)
            points = np.arange(low, high + 1.0)
            mass = np.exp(log_densities(self.law, points))
        else:
            # A density that jumps inside a cell would be counted there in part.
            low, high = self._within(max(self.low, -_FAR), min(self.high, _FAR))
            # Points lie where a density may have a kink: there a sum of trapezes would err.
            kinks = [0.0, *((-a / b) for _, a, b in self.factors if b)]
            if low >= high:
                return np.empty(0), np.empty(0)
            points = np.linspace(low, high, _POINTS)
            points = np.unique(np.concatenate([points, [k for k in kinks if low < k < high]]))
            weights = np.zeros(len(points))
            if len(points) > 1:
                steps = np.diff(points)
                weights[:-1] += steps / 2
                weights[1:] += steps / 2
            mass = weights * np.exp(log_densities(self.law, points))
        for law, a, b in self.factors:
            mass = mass * np.exp(log_densities(law, a + b * points))
        return points, mass


def _ceil(x: float) -> float:
    return float(math.ceil(x)) if math.isfinite(x) else x


def _bulk(law: Law, left_out: float) -> tuple[float, float]:
    """Return the ends of nearly all values of a law."""
    if law.is_discrete:
        values = law.probabilities(left_out)
        return float(values[0][0]), float(values[-1][0])
    low, high = support(law)
    return max(low, -_FAR), min(high, _FAR)


def log_probability_without_factors(node: Node) -> float:
    """Return the log probability that a node's draw lies between its ``low`` and ``high``; factors do not count."""
    if node.law.is_discrete:
        return node.law.log_between(node.low, node.high)
    return log_of(interval_probability(node.law.kind, node.low, node.high))


@functools.lru_cache(maxsize=2000)
def _block(law: Law, block: int) -> Values:
    """Return the log probabilities of the whole numbers of a block under a discrete standard law."""
    return np.array([law.log_density(float(k)) for k in range(block * _BLOCK, (block + 1) * _BLOCK)])


def log_densities(law: Law, z: Values) -> Values:
    """Return the log density of a standard law (log probability, if it is discrete) at each point of ``z``."""
    if law.kind in DISCRETE and len(z) and np.abs(z).max() < MOST_VALUES:
        whole = np.round(z)
        # Whole numbers come again and again: blocks of them are kept, in place of a call for each.
        low, high = (int(end // _BLOCK) for end in (whole.min(), whole.max()))
        kept: Values = np.concatenate([_block(law, block) for block in range(low, high + 1)])
        near = NEAR_BINOMIAL if law.kind == "binomial" else NEAR_WHOLE
        return np.where(np.abs(z - whole) <= near, kept[(whole - low * _BLOCK).astype(int)], -np.inf)
    if law.is_discrete or law.kind == "gamma":
        return np.array([law.log_density(v) for v in z])
    shapes: dict[str, Any] = {
        "laplace": lambda: -np.abs(z) - math.log(2.0),
        "normal": lambda: -0.5 * z * z - 0.5 * math.log(2.0 * math.pi),
        "gumbel": lambda: -z - np.exp(np.minimum(-z, 700.0)),
        "exponential": lambda: np.where(z >= 0, -z, -np.inf),
        "logistic": lambda: -np.abs(z) - 2.0 * np.log1p(np.exp(-np.abs(z))),
        "uniform": lambda: np.where((z >= 0) & (z <= 1), 0.0, -np.inf),
    }
    found: Values = shapes[law.kind]()
    return found
