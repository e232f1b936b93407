"""Laws of random draws: densities, probabilities of values and of intervals, for the search.

The checker (`noisetap.check`) has its own; the two share no line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from noisetap.form import StatedLaw

# Draws of these kinds are numbers on the line, moved by what they are added to.
CONTINUOUS = ("laplace", "normal", "gumbel", "exponential", "uniform", "logistic", "gamma")
# Draws of these are whole numbers that can enter sums.
DISCRETE = ("binomial", "geometric", "poisson", "integer", "dlaplace")
# How near to a whole number a number has to be to count as one: under a binomial law, and under the others.
NEAR_BINOMIAL, NEAR_WHOLE = 1e-9, 1e-6
# Draws of these become whole ones by rounding: "whole laplace" is ``floor(more[0] + more[1] * z)``.
ROUNDABLE = CONTINUOUS[:-1]
# Lowest and highest values of standard laws that have not the whole line.
_ENDS = {
    "exponential": (0.0, math.inf),
    "uniform": (0.0, 1.0),
    "geometric": (1.0, math.inf),
    "poisson": (0.0, math.inf),
    "gamma": (0.0, math.inf),
}
# Most values of a whole law that are added up. Sums leave out tails whose log probability, beside that of a likely
# value, is below the first of these; for improbable results below a further one.
MOST_VALUES, LEFT_OUT = 100_000, (math.log(1e-16), -100.0, -250.0, -650.0)


class TooManyValues(ArithmeticError):
    """A law of whole numbers, ``law``, has more than 100,000 values (`MOST_VALUES`) that are not improbable."""

    def __init__(self, law: Law) -> None:
        """Keep the law, whose draw made the sum too long."""
        super().__init__("a whole number that was drawn among too many values is added up")
        self.law = law


@dataclass(frozen=True)
class Law:
    """Probability law of the number ``location + scale * z``, where z is drawn from the standard law ``kind``.

    Two kinds have another meaning, told below: ``order``, and ``integer`` in a policy.

    Attributes
    ----------
    kind : str
        Continuous: ``laplace``, ``normal``, ``gumbel``, ``exponential``, ``uniform``, ``logistic``, ``gamma``,
        ``beta``. Whole numbers: ``binomial``, ``geometric``, ``poisson``, ``integer``, ``dlaplace`` (discrete
        Laplace). Draws that are rounded down: ``whole laplace`` and the like. Others: ``choice`` (of an index),
        ``order`` (a permutation).
    location, scale : float
        Location, and scale, which may be negative. In a policy, an ``integer`` is drawn from ``location`` to
        ``scale - 1``. An ``order`` is of ``scale`` things.
    params : tuple of float
        Shape parameters: ``(n, p)`` of ``binomial``, ``(a, b)`` of ``beta``, ``(p,)`` of ``geometric``, the mean
        of ``poisson``, the rate of ``dlaplace``, the shape of ``gamma``. In functions of data ``integer`` has
        ``(first, end)``, without the end. A rounded draw ``floor(offset + factor * z)`` has ``(offset, factor)``. A
        choice has its probabilities. An order of n drawn things has ``(0.0, n)``, or ``(1.0, n)`` if a thing can be
        drawn again. Other laws have none.
    """

    kind: str
    location: float = 0.0
    scale: float = 1.0
    params: tuple[float, ...] = ()

    def log_density(self, y: float) -> float:
        """Return the logarithm of the density at y, or of the probability of y under a discrete law.

        If the scale is 0, it is inf at the location, and -inf elsewhere. It must not be called for an ``order``, or
        for an ``integer`` of a policy.
        """
        if self.kind == "choice":
            return log_of(self.params[int(y)] if int(y) < len(self.params) else 0.0)
        if self.kind == "beta":
            return _log_beta(y, *self.params)
        if self.scale == 0.0:
            return math.inf if y == self.location else -math.inf
        z = (y - self.location) / self.scale
        if self.kind == "binomial":
            return _log_binomial(z, *self.params)
        if self.kind.startswith("whole "):
            return _log_rounded_probability(self.kind[6:], z, *self.params)
        if self.kind in DISCRETE:
            return _log_discrete_probability(self.kind, z, self.params)
        if self.kind == "gamma":
            (shape,) = self.params
            return (shape - 1) * math.log(z) - z - math.lgamma(shape) if z > 0 else -math.inf
        return _log_standard(self.kind, z) - math.log(abs(self.scale))

    def as_json(self) -> StatedLaw:
        """Return the law as JSON data for a certificate, with keys ``kind``, ``place``, ``size`` and ``more``."""
        return {"kind": self.kind, "place": self.location, "size": self.scale, "more": list(self.params)}

    @property
    def is_discrete(self) -> bool:
        """Whether the standard law is one of whole numbers that can enter sums: no choice and no order."""
        return self.kind in DISCRETE or self.kind.startswith("whole ")

    @property
    def has_too_many_values(self) -> bool:
        """Whether the law is discrete, and has too many values to add up: over 100,000 that are not improbable."""
        return self.is_discrete and _masses(self, LEFT_OUT[0]) is None

    @property
    def width(self) -> float:
        """Rough width of the standard law: 1 if it is continuous, at least 3 if it is one of whole numbers.

        For a rounded draw ``floor(offset + factor * z)`` it is the factor's size, rounded up, if that is above 3.
        The search moves outputs by multiples of the width.
        """
        if self.kind.startswith("whole "):
            return float(max(3, math.ceil(abs(self.params[1]))))
        return 3.0 if self.is_discrete else 1.0

    def probabilities(self, left_out: float = LEFT_OUT[0]) -> list[tuple[int, float]]:
        """Return pairs of a value and its probability under a discrete standard law, from the lowest value on.

        Tails at both ends are left out. By default they have together a probability of at most 1e-15.

        Parameters
        ----------
        left_out
            Log probability of each tail beside that of a likely value.

        Raises
        ------
        TooManyValues
            If there are more than 100,000.
        """
        found = _masses(self, left_out)
        if found is None:
            raise TooManyValues(self)
        return found

    def log_between(self, low: float, high: float) -> float:
        """Return the log probability that a draw of a discrete standard law lies in [low, high], however far out.

        Raises
        ------
        TooManyValues
            If the law is binomial or Poisson, and more than 100,000 values in the interval are not improbable.
        """
        least, most = support(self)
        low, high = max(_ceil(low), least), min(_floor(high), most)
        if low > high or math.inf in (low, -high):
            return -math.inf
        if self.kind.startswith("whole "):
            offset, factor = self.params
            ends = sorted(((low - offset) / factor, (high + 1 - offset) / factor))
            return log_of(interval_probability(self.kind[6:], *ends))
        if self.kind == "integer":
            return math.log(high - low + 1) - math.log(most - least + 1)
        if self.kind == "dlaplace" and low < 0 < high:
            return log_of(sum(math.exp(self.log_between(*side)) for side in ((low, -1), (0, high))))
        if self.kind in ("dlaplace", "geometric"):
            # Away from the middle probabilities fall by one ratio: a geometric series.
            nearest, (p,) = min(abs(low), abs(high)), self.params
            fall = -p if self.kind == "dlaplace" else math.log1p(-p) if p < 1.0 else -math.inf
            share = math.log(math.expm1(fall * (high - low + 1)) / math.expm1(fall))
            return self.log_density(nearest) + share
        logs = _logs(self, low, high, LEFT_OUT[0])
        if logs is None:
            raise TooManyValues(self)
        top = max(log for _, log in logs)
        return top + math.log(math.fsum(math.exp(log - top) for _, log in logs)) if top > -math.inf else top

    def cdf(self, y: float) -> float:
        """Return the probability of values at most y, under a continuous law other than ``gamma`` and ``beta``."""
        if self.scale == 0.0:
            return float(y >= self.location)
        if math.isinf(y):
            return float(y > 0)
        z = (y - self.location) / self.scale
        mass = _standard_cdf(self.kind, z)
        return mass if self.scale > 0 else 1.0 - mass


@lru_cache(64)
def standard(kind: str) -> Law:
    """Return the standard law (location 0, scale 1) of a kind that has no shape parameters."""
    return Law(kind)


@lru_cache(512)
def _masses(law: Law, left_out: float) -> list[tuple[int, float]] | None:
    """Return what `Law.probabilities` does, or ``None`` if these are too many; results are kept by law."""
    low, high = support(law)
    if law.kind == "integer" and high - low >= MOST_VALUES:
        return None
    logs = _logs(law, low, high, left_out)
    return None if logs is None else [(k, math.exp(log)) for k, log in logs]


def _logs(law: Law, low: float, high: float, left_out: float) -> list[tuple[int, float]] | None:
    """Return values in [low, high], a part of the support, with log probabilities; ``None`` if there are too many.

    From a likely value on both ways, the ratio r of each probability to the one before falls: whole laws are
    log-concave. So all values beyond one of probability p have at most pr/(1 - r): little is left out.

    Parameters
    ----------
    law, low, high
        The law, and the ends of the part.
    left_out
        Log probability of the tails that are left out, beside that of the first value.
    """
    start = int(min(max(_middle(law), low), high))
    first = law.log_density(start)
    found = [(start, first)]
    for step, end in ((1, high), (-1, low)):
        k, last = start, first
        while k != end:
            k += step
            log = law.log_density(k)
            if log == -math.inf:
                break
            found.append((k, log))
            if len(found) > MOST_VALUES:
                return None
            fall, last = log - last, log
            if fall < 0.0 and log + fall - math.log(-math.expm1(fall)) < first + left_out:
                break
    return sorted(found)


def _middle(law: Law) -> float:
    """Return a likely value of a discrete standard law: of a binomial and a Poisson law the likeliest."""
    if law.kind.startswith("whole "):
        return math.floor(law.params[0] + law.params[1] * 0.5)
    if law.kind == "binomial":
        return math.floor((law.params[0] + 1) * law.params[1])
    if law.kind == "poisson":
        return math.floor(law.params[0])
    return support(law)[0] if law.kind in ("geometric", "integer") else 0.0


def support(law: Law) -> tuple[float, float]:
    """Return the lowest and the highest value of a standard law; either can be infinite.

    It is not for ``beta``, ``choice`` and ``order``.
    """
    if law.kind.startswith("whole "):
        low, high = sorted(law.params[0] + law.params[1] * end for end in support(standard(law.kind[6:])))
        return _floor(low), _floor(high)
    if law.kind == "binomial":
        return 0.0, law.params[0]
    if law.kind == "integer":
        return law.params[0], law.params[1] - 1
    return _ENDS.get(law.kind, (-math.inf, math.inf))


def _floor(x: float) -> float:
    return float(math.floor(x)) if math.isfinite(x) else x


def _ceil(x: float) -> float:
    return -_floor(-x)


def log_of(p: float) -> float:
    """Return the logarithm of a probability; that of 0 is -inf."""
    return math.log(p) if p > 0 else -math.inf


def _log_rounded_probability(kind: str, k: float, offset: float, factor: float) -> float:
    """Return the log probability that ``floor(offset + factor * z)`` is k, for a draw z of a standard law."""
    if abs(k - round(k)) > NEAR_WHOLE:
        return -math.inf
    low, high = sorted(((round(k) - offset) / factor, (round(k) + 1 - offset) / factor))
    if abs(factor) > 1e6 and not any(low <= end <= high for end in (0.0, 1.0)):
        # A difference would lose the digits of so narrow a cell, in which the density is a line.
        return standard(kind).log_density((low + high) / 2.0) - math.log(abs(factor))
    return log_of(interval_probability(kind, low, high))


def interval_probability(kind: str, low: float, high: float) -> float:
    """Return the probability that a draw of the standard law ``kind`` lies in [low, high]; 0 if these are swapped.

    The kind is continuous, but not ``gamma`` or ``beta``. Small probabilities of an upper tail are exact too: no
    numbers near 1 are subtracted.
    """
    if low > high:
        return 0.0
    if kind == "exponential":
        return math.exp(-max(low, 0.0)) - math.exp(-max(high, 0.0))
    if kind == "gumbel" and low > 0:
        return math.expm1(-math.exp(-high)) - math.expm1(-math.exp(-low))
    if kind in ("laplace", "normal", "logistic") and low > 0:
        low, high = -high, -low
    law = standard(kind)
    return law.cdf(high) - law.cdf(low)


def _log_discrete_probability(kind: str, z: float, params: tuple[float, ...]) -> float:
    """Return the log probability of a whole number under a law of `DISCRETE` other than the binomial one."""
    k = round(z)
    if kind == "dlaplace" and abs(z - k) <= NEAR_WHOLE:
        return math.log(math.tanh(params[0] / 2)) - params[0] * abs(k)
    if kind == "integer" and abs(z - k) <= NEAR_WHOLE:
        return -math.log(params[1] - params[0]) if params[0] <= k < params[1] else -math.inf
    if abs(z - k) > NEAR_WHOLE or k < 0:
        return -math.inf
    if kind == "poisson":
        return (
            k * math.log(params[0]) - params[0] - math.lgamma(k + 1)
            if params[0] > 0
            else (0.0 if k == 0 else -math.inf)
        )
    if k < 1 or (params[0] == 1.0 and k > 1):
        return -math.inf
    return math.log(params[0]) + (k - 1) * math.log1p(-params[0]) if params[0] < 1.0 else 0.0


def _log_binomial(z: float, n: float, p: float) -> float:
    """Return the log probability of z successes in n trials."""
    k = round(z)
    if abs(z - k) > NEAR_BINOMIAL or not 0 <= k <= n:
        return -math.inf
    if p in (0.0, 1.0):
        return 0.0 if k == n * p else -math.inf
    choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return choose + k * math.log(p) + (n - k) * math.log1p(-p)


def _log_beta(y: float, a: float, b: float) -> float:
    """Return the log density of a beta law."""
    if not 0.0 < y < 1.0:
        return -math.inf
    whole = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return whole + (a - 1.0) * math.log(y) + (b - 1.0) * math.log1p(-y)


def _log_standard(kind: str, z: float) -> float:
    """Return the log density of a standard law of `CONTINUOUS`."""
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


def _standard_cdf(kind: str, z: float) -> float:
    """Return the probability that a standard draw is at most z."""
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
