"""Tails of estimates: p-values of "at most c" and of "at least c" for every c."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpbandits.core import mathematics
from dpbandits.core.distributions import normal_above, student_above

Floats = NDArray[np.float64]
# One-sided limits are known at these standard normal deviations; beyond the last a p-value is 1e-300.
Z = np.concatenate([np.linspace(0.0, 8.0, 161), mathematics.geometric_sequence(8.1, 37.0, 60)])
PLACES = np.concatenate([-Z[:0:-1], Z])


@dataclass(frozen=True)
class AroundCentre:
    """Tails of Student's t law.

    Attributes
    ----------
    centre
        Centre of the law: the estimate, or its logarithm.
    spread
        Scale of the law: the standard error; 0 for a quantity without error.
    degrees
        Degrees of freedom of the law; infinite for a normal law.
    logarithmic
        Whether the law is that of the quantity's logarithm.
    """

    centre: float
    spread: float
    degrees: float = math.inf
    logarithmic: bool = False

    def __call__(self, c: float) -> tuple[float, float]:
        """Return the p-values of "at most c" and "at least c"."""
        if self.logarithmic:
            c = mathematics.log(c) if c > 0.0 else -math.inf
        if self.spread == 0.0:
            return float(self.centre <= c), float(self.centre >= c)
        t = (self.centre - c) / self.spread
        return student_above(t, self.degrees), student_above(-t, self.degrees)


@dataclass(frozen=True)
class AlongCurve:
    """Tails by interpolation between one-sided limits, which are known at the standard normal deviations `Z`.

    Attributes
    ----------
    value
        The estimate.
    curve : ndarray of float64, shape (2 Z.size - 1,)
        Lower limits, the estimate, and upper limits, at the deviations `PLACES` from -37 to 37: finite,
        non-decreasing.
    """

    value: float
    curve: Floats

    def __call__(self, c: float) -> tuple[float, float]:
        """Return the p-values of "at most c" and "at least c"."""
        # A step of the curve is reached by many thresholds: the place nearest to the estimate counts.
        if c < self.value:
            at = int(np.searchsorted(self.curve, c, side="right"))
            z = -Z[-1] if at == 0 else self._place(c, at)
        elif c > self.value:
            at = int(np.searchsorted(self.curve, c, side="left"))
            z = Z[-1] if at == self.curve.size else self._place(c, at)
        else:
            z = 0.0
        return normal_above(-z), normal_above(z)

    def _place(self, c: float, at: int) -> float:
        """Return the place of ``c`` between the points ``at`` - 1 and ``at`` of the curve, by interpolation."""
        left, right = self.curve[at - 1], self.curve[at]
        share = (c - left) / (right - left) if right > left else 0.5
        return float(PLACES[at - 1] + share * (PLACES[at] - PLACES[at - 1]))
