"""Laws of what NumPy draws: densities, masses and probabilities of intervals, for the search.

The checker (`noisetap.check`) has its own; the two share no line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

# Draws of these kinds are numbers on the line, moved by what they are added to.
CONTINUOUS = ("laplace", "normal", "gumbel", "exponential", "uniform", "logistic")


@dataclass(frozen=True)
class Law:
    """State the law of one output: ``place + size * z`` for a standard draw z of that kind.

    Attributes
    ----------
    kind : str
        One of `CONTINUOUS`, ``"binomial"``, ``"beta"`` or ``"choice"``.
    place, size : float
        Location and signed scale; the location of a binomial output is what it was added to.
    more : tuple of float
        ``(n, p)`` of a binomial, ``(a, b)`` of a beta law, the probabilities of a choice, else empty.
    """

    kind: str
    place: float = 0.0
    size: float = 1.0
    more: tuple[float, ...] = ()

    def log_density(self, y: float) -> float:
        """Return the logarithm of the density, or of the mass, at y."""
        if self.kind == "choice":
            p = self.more[int(y)] if int(y) < len(self.more) else 0.0
            return math.log(p) if p > 0 else -math.inf
        if self.kind == "beta":
            return _log_beta(y, *self.more)
        if self.size == 0.0:
            return math.inf if y == self.place else -math.inf
        z = (y - self.place) / self.size
        if self.kind == "binomial":
            return _log_binomial(z, *self.more)
        return _log_standard(self.kind, z) - math.log(abs(self.size))

    def below(self, y: float) -> float:
        """Return the probability of values at most y."""
        if self.size == 0.0:
            return float(y >= self.place)
        z = (y - self.place) / self.size
        mass = _below_standard(self.kind, z)
        return mass if self.size > 0 else 1.0 - mass


def _log_binomial(z: float, n: float, p: float) -> float:
    k = round(z)
    if abs(z - k) > 1e-9 or not 0 <= k <= n:
        return -math.inf
    if p in (0.0, 1.0):
        return 0.0 if k == n * p else -math.inf
    choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return choose + k * math.log(p) + (n - k) * math.log1p(-p)


def _log_beta(y: float, a: float, b: float) -> float:
    if not 0.0 < y < 1.0:
        return -math.inf
    whole = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return whole + (a - 1.0) * math.log(y) + (b - 1.0) * math.log1p(-y)


def _log_standard(kind: str, z: float) -> float:
    if kind == "laplace":
        return -abs(z) - math.log(2.0)
    if kind == "normal":
        return -0.5 * z * z - 0.5 * math.log(2.0 * math.pi)
    if kind == "gumbel":
        return -z - math.exp(min(-z, 700.0))
    if kind == "exponential":
        return -z if z >= 0 else -math.inf
    if kind == "logistic":
        return -abs(z) - 2.0 * math.log1p(math.exp(-abs(z)))
    return 0.0 if 0.0 <= z <= 1.0 else -math.inf


def _below_standard(kind: str, z: float) -> float:
    if kind == "laplace":
        return 0.5 * math.exp(z) if z < 0 else 1.0 - 0.5 * math.exp(-z)
    if kind == "normal":
        return 0.5 * math.erfc(-z / math.sqrt(2.0))
    if kind == "gumbel":
        return math.exp(-math.exp(min(-z, 700.0)))
    if kind == "exponential":
        return -math.expm1(-z) if z > 0 else 0.0
    if kind == "logistic":
        return 1.0 / (1.0 + math.exp(-max(min(z, 700.0), -700.0)))
    return min(max(z, 0.0), 1.0)
