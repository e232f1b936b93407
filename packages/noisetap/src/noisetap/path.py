"""Path: one run of a function of data, with all that it drew, compared and let out.

A number with noise is ``offset + sum(factor * draw)``. Three things can happen to it:

- It is *compared*. This is a choice: a script says which outcome the path takes, and another path takes the other.
- It is *let out*: it becomes a plain number with a value that the run is given. Then one of its draws is known.
- It is added to or scaled, and stays a number with noise.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from noisetap.laws import CELLS, Law, support
from noisetap.order import Order
from noisetap.tape import Listening, source_line

# A hidden whole number with more values than these is not made known by a choice.
MOST_VALUES = 250
# Most bits that are let out as choices, each value a path; further ones are numbers that the run is told.
MOST_BITS = 6
Terms = dict[int, float]
# Offsets closer than this, in units of the noise, are equal: doubles stand for real numbers.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Affine:
    """Hold the number ``offset + sum(terms[i] * z[i])``, where z[i] is draw number i of the run."""

    offset: float
    terms: Terms = field(default_factory=dict)

    def plus(self, other: Affine, factor: float = 1.0) -> Affine:
        """Return ``self + factor * other``."""
        terms = dict(self.terms)
        for i, f in other.terms.items():
            terms[i] = terms.get(i, 0.0) + factor * f
        return Affine(self.offset + factor * other.offset, {i: f for i, f in terms.items() if f != 0.0})

    def times(self, factor: float) -> Affine:
        """Return ``factor * self``."""
        return Affine(self.offset * factor, {i: f * factor for i, f in self.terms.items() if factor})


@dataclass
class Release:
    """A number that was let out.

    Attributes
    ----------
    of : Affine
        Sum of draws that the number is.
    value : float
        Value with which it was let out.
    pivot : int
        Number of the draw that is known from then on, or -1 if none is.
    line : str
        ``file:line`` of the program where the pivot was drawn; without a pivot, where the last draw of the sum was.
    unit : float
        Width of the cell, if only the cell in which the number lies was let out; else 0.
    """

    of: Affine
    value: float
    pivot: int
    line: str
    unit: float = 0.0


@dataclass
class Bound:
    """An outcome of a comparison: ``of > 0``, or ``of >= 0`` if not strict."""

    of: Affine
    strict: bool
    line: str


@dataclass
class Choice:
    """A point at which a run takes one of several ways.

    Attributes
    ----------
    options, taken
        Number of ways, and number of the way that is taken, from 0.
    weights
        Probabilities of the ways of a coin; empty for a comparison.
    line
        ``file:line`` of the program.
    """

    options: int
    taken: int
    weights: tuple[float, ...]
    line: str


class Path(Listening[Any]):
    """Follow a script of choices, and let out given numbers.

    Parameters
    ----------
    script : sequence of int
        Number of the way that each choice takes, from 0. Later choices go the way of the draws.
    outputs : sequence of float
        Values of the numbers that are let out, in order. Later numbers have the values of their draws.
    rng : generator, optional
        Generator that makes the draws. Without it each standard draw is 0, and a coin goes its first way.
    """

    # Class of the generators that draw in such a run; `draws` sets it, which imports this module.
    listener: ClassVar[Any] = None

    def __init__(self, script: Sequence[int] = (), outputs: Sequence[float] = (), rng: Any = None) -> None:
        """Begin with nothing drawn."""
        super().__init__()
        self.script, self.outputs, self.rng = script, outputs, rng
        self.draws: list[Law] = []
        self.lines: list[str] = []
        self.values: list[float] = []
        self.choices: list[Choice] = []
        self.releases: list[Release] = []
        self.bounds: list[Bound] = []
        # Draws that are known since a number was let out, as sums of other draws.
        self.solved: dict[int, Affine] = {}
        # Ends that comparisons have left of each draw.
        self.ranges: list[tuple[float, float]] = []
        self.order = Order()
        self.bits = 0
        self.compared_after_release = False
        # Whether a comparison lets the number out that it compares, and whether whole numbers are rounded unseen.
        self.telling = self.hiding = False
        # Which numbers were let out as parts of the result, and lines that took a number modulo another.
        self.told: set[int] = set()
        self.folds: list[str] = []
        # Whether values too improbable to matter were left out.
        self.truncated = False
        # Probabilities of what comparisons said of draws whose logarithm was taken since.
        self.shares: list[float] = []
        # Draws whose logarithm was taken, or that were rounded: the draw that each has become.
        self.gone: dict[int, int] = {}
        # Of rounded draws: what was rounded, to which unit, after which offset.
        self.cells: dict[int, tuple[Affine, float, float]] = {}

    def draw(self, law: Law, value: float | None = None) -> int:
        """Add a standard draw of a law to the run, and return its number, from 0.

        Its value is ``value``, if that is given. Else it is drawn, or 0 without a generator.
        """
        if len(self.draws) >= 100_000:
            raise self.refuse("more than 100,000 draws in a run")
        self.draws.append(law)
        self.lines.append(source_line(sys._getframe(1)))
        if value is None:
            value = float(sampled(law, self.rng)) if self.rng is not None else 0.0
        self.values.append(value)
        self.ranges.append(support(law))
        return len(self.draws) - 1

    def coin(self, weights: Sequence[float]) -> int:
        """Choose one of several ways with probabilities in proportion to ``weights``; return its number, from 0."""
        total = sum(weights)
        if not total > 0 or any(not w >= 0 for w in weights):
            raise self.refuse("a choice whose weights are no probabilities")
        shares = tuple(w / total for w in weights)
        if len(shares) == 1:
            return 0
        drawn = int(self.rng.choice(len(shares), p=shares)) if self.rng is not None else 0
        return self._choose(len(shares), drawn, shares)

    def _choose(self, options: int, drawn: int, weights: tuple[float, ...] = ()) -> int:
        """Take what the script says of the next choice, or else what was drawn, and note it."""
        at = len(self.choices)
        if at >= 20_000:
            raise self.refuse("more than 20,000 choices in a run")
        taken = self.script[at] if at < len(self.script) else drawn
        if taken >= options:
            raise self.refuse("a choice among fewer things on the neighbour")
        self.choices.append(Choice(options, taken, weights, source_line(sys._getframe(2))))
        return taken

    def reduced(self, of: Affine) -> Affine:
        """Return a number with its known draws replaced by their values, or by other draws."""
        for i in [i for i in self.gone if i in of.terms]:
            self._come_back(i)
        while True:
            known = [i for i in of.terms if i in self.solved]
            if not known:
                return of
            for i in known:
                factor = of.terms.get(i, 0.0)
                rest = Affine(of.offset, {k: f for k, f in of.terms.items() if k != i})
                of = rest.plus(self.solved[i], factor)
            width = max((abs(f) for f in of.terms.values()), default=0.0)
            of = Affine(of.offset, {i: f for i, f in of.terms.items() if abs(f) > 1e-12 * width})

    def discrete(self, of: Affine) -> bool:
        """Tell whether a number has noise, and all its draws are whole numbers."""
        return bool(of.terms) and all(self.draws[i].whole for i in of.terms)

    def value(self, of: Affine) -> float:
        """Return the value of a number at the values that the draws of this run have."""
        return of.offset + sum(f * self.values[i] for i, f in of.terms.items())

    def above(self, of: Affine, strict: bool) -> bool:
        """Tell whether ``of > 0`` (``of >= 0`` if not ``strict``): by a choice, unless what is known decides it."""
        left = self.reduced(of)
        self.compared_after_release |= left != of
        if self.telling and left.terms:
            self.let_out(left)
            left = self.reduced(of)
        scale = sum(abs(f) for f in of.terms.values()) or 1.0
        if not left.terms:
            near = abs(left.offset) <= ROUNDING * scale
            return (not strict) if near else left.offset > 0
        if any(self.draws[i].countless for i in left.terms):
            raise self.refuse("a whole number is compared that was drawn among too many")
        lowest, highest = self.reach(left)
        if lowest > 0 or (lowest >= 0 and not strict):
            return True
        if highest < 0 or (highest <= 0 and strict):
            return False
        implied = self.order.says(left, strict, self.discrete(left))
        if implied is not None:
            return implied
        drawn = self.value(left)
        said = self._choose(2, 0 if drawn > 0 or (drawn == 0 and not strict) else 1) == 0
        self._bound(left if said else left.times(-1.0), strict if said else not strict)
        return said

    def impossible(self) -> bool:
        """Tell whether numbers that were let out contradict an earlier comparison, so that there is no such run."""
        left = (self.reduced(bound.of) for bound in self.bounds)
        return any(not of.terms and of.offset < -ROUNDING for of in left)

    def reach(self, of: Affine) -> tuple[float, float]:
        """Return the lowest and the highest value that a number can have after the comparisons until now."""
        ends = [of.offset, of.offset]
        for i, f in of.terms.items():
            low, high = self.ranges[i]
            ends[0] += f * (low if f > 0 else high)
            ends[1] += f * (high if f > 0 else low)
        return ends[0], ends[1]

    def _bound(self, of: Affine, strict: bool) -> None:
        """Note that a sum is above zero, and narrow the range of a draw that is alone in it."""
        self.bounds.append(Bound(of, strict, source_line(sys._getframe(2))))
        self.order.add(of, strict)
        if len(of.terms) == 1:
            ((i, f),) = of.terms.items()
            at, (low, high) = -of.offset / f, self.ranges[i]
            self.ranges[i] = (max(low, at), high) if f > 0 else (low, min(high, at))

    def let_out(self, of: Affine) -> float:
        """Let a number out: return a plain number in its place, and note it.

        The value is the next of ``self.outputs``, or else that of the draws. Drawn bits, up to `MOST_BITS`, are
        choices instead.
        """
        left = self.reduced(of)
        if not left.terms:
            return left.offset
        if self._is_bit(left):
            (i,) = left.terms
            masses = self.draws[i].masses()
            self.solved[i] = Affine(float(masses[self.coin([m for _, m in masses])][0]))
            self.bits += 1
            return self.reduced(left).offset
        number = len(self.releases)
        value = self.outputs[number] if number < len(self.outputs) else self.value(left)
        pivot = max(left.terms, key=lambda i: (not self.draws[i].whole, i))
        self.releases.append(Release(left, value, pivot, self.lines[pivot]))
        factor = left.terms[pivot]
        rest = {i: -f / factor for i, f in left.terms.items() if i != pivot}
        self.solved[pivot] = Affine((value - left.offset) / factor, rest)
        return value

    def tell(self, of: Affine) -> float:
        """Let a number out as a part of the result."""
        number = len(self.releases)
        value = self.let_out(of)
        self.told |= set(range(number, len(self.releases)))
        return value

    def fold(self, of: Affine) -> float:
        """Let out a number that is taken modulo another, and note the line: a remainder cannot tell the number."""
        if self.reduced(of).terms:
            self.folds.append(source_line(sys._getframe(1)))
        return self.let_out(of)

    def _is_bit(self, left: Affine) -> bool:
        """Tell whether a number has two or three values, and few such were let out: its values are paths."""
        if len(left.terms) != 1 or self.bits >= MOST_BITS:
            return False
        (i,) = left.terms
        law = self.draws[i]
        return law.kind == "binomial" and law.more[0] <= 2 and i not in self.compared()

    def compared(self) -> set[int]:
        """Return the numbers of the draws on which comparisons depend."""
        return {i for b in self.bounds for i in b.of.terms}

    def whole(self, of: Affine, unit: float, offset: float) -> Affine:
        """Return ``floor(of / unit + offset) * unit``, with hidden noise if it is a multiple of a whole draw.

        One continuous draw that nothing has read becomes a whole draw by it. Whole draws may stay hidden too, if
        ``self.hiding``. Of all else the cell of the number is let out, or the number itself if its draws are whole.
        """
        left = self.reduced(of)
        if not left.terms or (self.discrete(left) and unit == 1.0):
            at = left.offset + offset
            # Whole multiples of whole draws move by whole numbers; a half is rounded by what it is added to.
            steps = left.terms and all(f.is_integer() for f in left.terms.values())
            if self.hiding and steps and not (offset and abs(at - round(at)) < ROUNDING):
                return Affine(float(math.floor(at + ROUNDING)), left.terms)
            return Affine(math.floor(self.let_out(of) / unit + offset + ROUNDING) * unit)
        ((i, f), *more) = left.terms.items()
        if more or self.draws[i].kind not in CELLS or self._used(i):
            return Affine(self._cell(left, unit, offset))
        law = Law(f"whole {self.draws[i].kind}", more=(left.offset / unit + offset, f / unit))
        value = math.floor(law.more[0] + law.more[1] * self.values[i])
        self.gone[i] = self.draw(law, float(value))
        self.cells[i] = left, unit, offset
        return Affine(0.0, {self.gone[i]: unit})

    def _used(self, i: int) -> bool:
        """Tell whether a draw was compared, or is known in part by a number that was let out."""
        return any(i in b.of.terms for b in self.bounds) or any(i in s.terms for s in self.solved.values())

    def _cell(self, left: Affine, unit: float, offset: float) -> float:
        """Let out in which cell a number lies, and return the cell's lower end, a multiple of ``unit``."""
        number = len(self.releases)
        value = self.outputs[number] if number < len(self.outputs) else self.value(left)
        cell = math.floor(value / unit + offset)
        low, high = (cell - offset) * unit, (cell + 1 - offset) * unit
        # Only the cell is let out, so that no draw is known from then on: -1.
        self.releases.append(Release(left, value, -1, self.lines[max(left.terms)], unit))
        self._bound(left.plus(Affine(-low)), False)
        self._bound(left.times(-1.0).plus(Affine(high)), True)
        return cell * unit

    def _come_back(self, i: int) -> None:
        """Let out to what a draw was rounded, because the draw itself is used again; refuse if that is too late."""
        number = self.gone[i]
        if i not in self.cells or number in self.solved or self._used(number):
            raise self.refuse("a draw is used again after its logarithm was taken, or after it was rounded")
        left, unit, offset = self.cells.pop(i)
        del self.gone[i]
        self.solved[number] = Affine(round(self._cell(left, unit, offset) / unit))

    def settle(self, of: Affine) -> int:
        """Return a hidden whole number, by a choice among its values; it is let out if these are too many."""
        left = self.reduced(of)
        if not left.terms:
            return round(left.offset)
        ((i, f), *more) = left.terms.items()
        masses = self.draws[i].masses() if self.discrete(left) and not self.draws[i].countless else []
        if more or not 0 < len(masses) <= MOST_VALUES or not float(left.offset).is_integer():
            return int(self.let_out(self.whole(of, 1.0, 0.0)))
        # A law's list of values leaves a tail out.
        self.truncated = True
        taken = self.coin([m for _, m in masses])
        self.solved[i] = Affine(float(masses[taken][0]))
        return round(left.offset + f * masses[taken][0])


def sampled(law: Law, rng: Any) -> float:
    """Return a number that the generator ``rng`` draws from a standard law."""
    return float(_MAKERS[law.kind](rng, *law.more))


_MAKERS: dict[str, Callable[..., Any]] = {
    "laplace": lambda rng: rng.laplace(),
    "normal": lambda rng: rng.standard_normal(),
    "gumbel": lambda rng: rng.gumbel(),
    "logistic": lambda rng: rng.logistic(),
    "exponential": lambda rng: rng.standard_exponential(),
    "uniform": lambda rng: rng.random(),
    "binomial": lambda rng, n, p: rng.binomial(int(n), p),
    "geometric": lambda rng, p: rng.geometric(p),
    "poisson": lambda rng, mean: rng.poisson(mean),
    "gamma": lambda rng, shape: rng.gamma(shape),
    "dlaplace": lambda rng, rate: rng.geometric(-math.expm1(-rate)) - rng.geometric(-math.expm1(-rate)),
    "integer": lambda rng, low, end: rng.integers(int(low), int(end)),
}
