"""Path: one run of a function of data, with its random draws, comparisons and released numbers.

A number with noise is ``offset + sum(factor * draw)``. Three things can happen to it:

- It is *compared*. This is a choice: a script says which outcome the path takes, and another path takes the other.
- It is *released* ("let out" in messages): it becomes a plain number, of a value that the caller of the run gives.
  It counts as seen, and one of its draws is known from then on.
- It is added to or scaled, and stays a number with noise.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from noisetap.affine import Affine
from noisetap.laws import ROUNDABLE, Law, support
from noisetap.order import Order
from noisetap.tape import Listener, source_line

# A hidden whole number with more values than these is not made known by a choice.
MOST_PATH_VALUES = 250
# Most bits that are released as choices, each value a path; further ones are numbers that the run is told.
MOST_BITS = 6
# Offsets closer than this, in units of the noise, are equal: doubles stand for real numbers.
ROUNDING = 1e-9


@dataclass
class Release:
    """A number with noise that a function returned, or read as a plain number; it counts as seen.

    Attributes
    ----------
    affine : Affine
        The number, as a sum of random draws that were not known before.
    value : float
        Value with which it was released; of a number that was released rounded, the value before rounding.
    solved_draw : int
        Number of the draw that is solved for, and so is known from then on; -1 if none is.
    line : str
        ``file:line`` of the program where that draw was made; without one, where the last draw of the sum was.
    cell_width : float
        If the number was released rounded: width of the interval that it is rounded down in. Else 0.
    """

    affine: Affine
    value: float
    solved_draw: int
    line: str
    cell_width: float = 0.0


@dataclass
class Bound:
    """Outcome of a comparison at ``line``: the number with noise ``affine`` is > 0, or >= 0 if not ``strict``.

    The release of a rounded number is noted as two: the ends of the interval that is rounded to this number.
    """

    affine: Affine
    strict: bool
    line: str


@dataclass
class Choice:
    """A point at which a run takes one of several ways: a comparison with noise, or a random choice (a coin).

    Attributes
    ----------
    options, taken
        Number of ways, and number of the way that is taken, from 0. A comparison has two: 0 if it is true, else 1.
    weights
        Probabilities of the ways of a coin; empty for a comparison.
    line
        ``file:line`` of the program.
    """

    options: int
    taken: int
    weights: tuple[float, ...]
    line: str


class Path(Listener[Any]):
    """Record of one run of a function of data, whose choices and released (seen) numbers the caller can give.

    It keeps the laws (``draws``), ``values`` and ``lines`` of all draws by number, and its ``choices``,
    ``releases`` and comparisons (``bounds``) in order. If the caller sets ``releases_compared``, a comparison
    releases the number that it compares; if ``keeps_rounded_hidden``, rounding whole numbers releases none.

    Parameters
    ----------
    script : sequence of int
        Number of the way that each choice takes, from 0, in order. Further choices go as the drawn values say.
    outputs : sequence of float
        Values of the released numbers, in order. Further ones have the values that follow from the drawn values.
    rng : generator, optional
        Generator that makes the draws. Without it each draw is 0, and a coin takes its first way.
    """

    # Class of the generators that draw in such a run; `draws` sets it, which imports this module.
    generator_class: ClassVar[Any] = None

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
        # Draws that are known since a number was released, as sums of other draws.
        self.solved: dict[int, Affine] = {}
        # Lowest and highest value that comparisons have left of each draw.
        self.ranges: list[tuple[float, float]] = []
        self.order = Order()
        self.bit_choices = 0
        self.compared_after_release = False
        self.releases_compared = self.keeps_rounded_hidden = False
        # Numbers that were released as parts of the result, and lines that divided with remainder.
        self.in_result: set[int] = set()
        self.modulo_lines: list[str] = []
        # Whether values too improbable to matter were left out.
        self.truncated = False
        # Probabilities of comparisons of draws whose logarithm was taken since.
        self.comparison_probabilities: list[float] = []
        # Draws whose logarithm was taken, or that were rounded: the draw that each has become.
        self.replaced_by: dict[int, int] = {}
        # By rounded draw: the number that was rounded, the unit, and the offset that was added before.
        self.roundings: dict[int, tuple[Affine, float, float]] = {}

    def draw(self, law: Law, value: float | None = None) -> int:
        """Add a draw of a law, of location 0 and scale 1, to the run, and return its number, from 0.

        Its value is ``value`` if given, else it is drawn, or 0 without a generator. More than 100,000 are refused.
        """
        if len(self.draws) >= 100_000:
            raise self.refuse("more than 100,000 draws in a run")
        self.draws.append(law)
        self.lines.append(source_line(sys._getframe(1)))
        if value is None:
            value = float(sample(law, self.rng)) if self.rng is not None else 0.0
        self.values.append(value)
        self.ranges.append(support(law))
        return len(self.draws) - 1

    def coin(self, weights: Sequence[float]) -> int:
        """Make a random choice, with probabilities in proportion to ``weights``; return the way taken, from 0."""
        total = sum(weights)
        if not total > 0 or any(not w >= 0 for w in weights):
            raise self.refuse("a choice whose weights are no probabilities")
        shares = tuple(w / total for w in weights)
        if len(shares) == 1:
            return 0
        drawn = int(self.rng.choice(len(shares), p=shares)) if self.rng is not None else 0
        return self._choose(len(shares), drawn, shares)

    def _choose(self, number_of_ways: int, drawn: int, weights: tuple[float, ...] = ()) -> int:
        """Take what the script says of the next choice, or else what was drawn, and note it."""
        at = len(self.choices)
        if at >= 20_000:
            raise self.refuse("more than 20,000 choices in a run")
        taken = self.script[at] if at < len(self.script) else drawn
        if taken >= number_of_ways:
            raise self.refuse("a choice among fewer things on the neighbour")
        self.choices.append(Choice(number_of_ways, taken, weights, source_line(sys._getframe(2))))
        return taken

    def substituted(self, affine: Affine) -> Affine:
        """Return a number with each known draw replaced by its value, or by the draws that it is a sum of.

        Each number that was released makes one of its draws known. If a draw in the number was rounded before, the
        rounded value is released first. If its logarithm was taken before, the program is refused.
        """
        for i in [i for i in self.replaced_by if i in affine.terms]:
            self._release_rounded(i)
        while True:
            known = [i for i in affine.terms if i in self.solved]
            if not known:
                return affine
            for i in known:
                factor = affine.terms.get(i, 0.0)
                rest = Affine(affine.offset, {k: f for k, f in affine.terms.items() if k != i})
                affine = rest.plus(self.solved[i], factor)
            width = max((abs(f) for f in affine.terms.values()), default=0.0)  # Far smaller factors are rounding.
            affine = Affine(affine.offset, {i: f for i, f in affine.terms.items() if abs(f) > 1e-12 * width})

    def is_discrete(self, affine: Affine) -> bool:
        """Tell whether a number has noise, and all its draws are whole numbers."""
        return bool(affine.terms) and all(self.draws[i].is_discrete for i in affine.terms)

    def value(self, affine: Affine) -> float:
        """Return the value of a number with noise: that which the values of this run's draws give."""
        return affine.offset + sum(f * self.values[i] for i, f in affine.terms.items())

    def is_positive(self, affine: Affine, strict: bool) -> bool:
        """Return whether a number with noise is above 0, or at least 0 if not ``strict``.

        The laws' supports, earlier comparisons or released numbers may decide that. If not, it is a `Choice`, of
        which other runs take the other way. If ``releases_compared``, the number is released first.
        """
        left = self.substituted(affine)
        self.compared_after_release |= left != affine
        if self.releases_compared and left.terms:
            self.release(left)
            left = self.substituted(affine)
        scale = sum(abs(f) for f in affine.terms.values()) or 1.0
        if not left.terms:
            near = abs(left.offset) <= ROUNDING * scale
            return (not strict) if near else left.offset > 0
        # A comparison of one draw alone needs no sum over its values.
        if len(left.terms) > 1 and any(self.draws[i].has_too_many_values for i in left.terms):
            raise self.refuse("a whole number is compared that was drawn among too many")
        lowest, highest = self.value_range(left)
        if lowest > 0 or (lowest >= 0 and not strict):
            return True
        if highest < 0 or (highest <= 0 and strict):
            return False
        implied = self.order.is_positive(left, strict, self.is_discrete(left))
        if implied is not None:
            return implied
        drawn = self.value(left)
        said = self._choose(2, 0 if drawn > 0 or (drawn == 0 and not strict) else 1) == 0
        self._note_bound(left if said else left.times(-1.0), strict if said else not strict)
        return said

    def is_impossible(self) -> bool:
        """Tell whether this run cannot happen: draws that are known by now contradict a comparison."""
        left = (self.substituted(bound.affine) for bound in self.bounds)
        return any(not of.terms and of.offset < -ROUNDING for of in left)

    def value_range(self, affine: Affine) -> tuple[float, float]:
        """Return lower and upper bounds of a number, by its draws' laws and comparisons of one draw alone."""
        ends = [affine.offset, affine.offset]
        for i, f in affine.terms.items():
            low, high = self.ranges[i]
            ends[0] += f * (low if f > 0 else high)
            ends[1] += f * (high if f > 0 else low)
        return ends[0], ends[1]

    def _note_bound(self, affine: Affine, strict: bool) -> None:
        """Note that a sum is above zero, and narrow the range of a draw that is alone in it."""
        self.bounds.append(Bound(affine, strict, source_line(sys._getframe(2))))
        self.order.add(affine, strict)
        if len(affine.terms) == 1:
            ((i, f),) = affine.terms.items()
            at, (low, high) = -affine.offset / f, self.ranges[i]
            self.ranges[i] = (max(low, at), high) if f > 0 else (low, min(high, at))

    def release(self, affine: Affine) -> float:
        """Release a number: return a plain number in its place, which counts as seen from now on.

        The value is the next of ``self.outputs``, or else what the draws give. If all draws in the number are known
        already, no release is noted. Nor is one of a single binomial draw with at most two trials, not compared
        before: it is a `Choice` among its values, at most six times in a run.
        """
        left = self.substituted(affine)
        if not left.terms:
            return left.offset
        if self._is_bit(left):
            (i,) = left.terms
            masses = self.draws[i].probabilities()
            self.solved[i] = Affine(float(masses[self.coin([m for _, m in masses])][0]))
            self.bit_choices += 1
            return self.substituted(left).offset
        number = len(self.releases)
        value = self.outputs[number] if number < len(self.outputs) else self.value(left)
        pivot = max(left.terms, key=lambda i: (not self.draws[i].is_discrete, i))  # The last continuous one.
        self.releases.append(Release(left, value, pivot, self.lines[pivot]))
        factor = left.terms[pivot]
        rest = {i: -f / factor for i, f in left.terms.items() if i != pivot}
        self.solved[pivot] = Affine((value - left.offset) / factor, rest)
        return value

    def release_in_result(self, affine: Affine) -> float:
        """Release a number because the function's result contains it, and return its plain value."""
        number = len(self.releases)
        value = self.release(affine)
        self.in_result |= set(range(number, len(self.releases)))
        return value

    def release_for_modulo(self, affine: Affine) -> float:
        """Release a number that is divided with remainder, and return its plain value.

        Many numbers have one remainder: the line is noted in ``modulo_lines``, unless the number is known already.
        """
        if self.substituted(affine).terms:
            self.modulo_lines.append(source_line(sys._getframe(1)))
        return self.release(affine)

    def _is_bit(self, left: Affine) -> bool:
        """Tell whether a number has two or three values, and few such were released: its values are paths."""
        if len(left.terms) != 1 or self.bit_choices >= MOST_BITS:
            return False
        (i,) = left.terms
        law = self.draws[i]
        return law.kind == "binomial" and law.params[0] <= 2 and i not in self.compared_draws()

    def compared_draws(self) -> set[int]:
        """Return the numbers of the draws on which comparisons depend."""
        return {i for b in self.bounds for i in b.affine.terms}

    def rounded_down(self, affine: Affine, unit: float, offset: float) -> Affine:
        """Return ``floor(affine / unit + offset) * unit``, with noise if the noise can stay hidden.

        One continuous draw, not of a gamma law and not compared or released before, stays hidden, as a discrete
        draw. So may discrete draws with ``unit`` 1 if ``self.keeps_rounded_hidden``. Else the result is plain: a
        number with discrete draws and ``unit`` 1 is released itself, and of all others the rounded result.
        """
        left = self.substituted(affine)
        if not left.terms or (self.is_discrete(left) and unit == 1.0):
            at = left.offset + offset
            # Whole multiples of whole draws move by whole numbers; a half is rounded by what it is added to.
            steps = left.terms and all(f.is_integer() for f in left.terms.values())
            if self.keeps_rounded_hidden and steps and not (offset and abs(at - round(at)) < ROUNDING):
                return Affine(float(math.floor(at + ROUNDING)), left.terms)
            return Affine(math.floor(self.release(affine) / unit + offset + ROUNDING) * unit)
        ((i, f), *more) = left.terms.items()
        if more or self.draws[i].kind not in ROUNDABLE or self._is_used(i):
            return Affine(self._release_cell(left, unit, offset))
        law = Law(f"whole {self.draws[i].kind}", params=(left.offset / unit + offset, f / unit))
        value = math.floor(law.params[0] + law.params[1] * self.values[i])
        self.replaced_by[i] = self.draw(law, float(value))
        self.roundings[i] = left, unit, offset
        return Affine(0.0, {self.replaced_by[i]: unit})

    def _is_used(self, i: int) -> bool:
        """Tell whether a draw was compared, or is known in part by a number that was released."""
        return any(i in b.affine.terms for b in self.bounds) or any(i in s.terms for s in self.solved.values())

    def _release_cell(self, left: Affine, unit: float, offset: float) -> float:
        """Release in which cell a number lies, and return the cell's lower end, a multiple of ``unit``."""
        number = len(self.releases)
        value = self.outputs[number] if number < len(self.outputs) else self.value(left)
        cell = math.floor(value / unit + offset)
        low, high = (cell - offset) * unit, (cell + 1 - offset) * unit
        # Only the cell is released, so that no draw is known from then on: -1.
        self.releases.append(Release(left, value, -1, self.lines[max(left.terms)], unit))
        self._note_bound(left.plus(Affine(-low)), False)
        self._note_bound(left.times(-1.0).plus(Affine(high)), True)
        return cell * unit

    def _release_rounded(self, i: int) -> None:
        """Release to what a draw was rounded, because the draw itself is used again; refuse if that is too late."""
        number = self.replaced_by[i]
        if i not in self.roundings or number in self.solved or self._is_used(number):
            raise self.refuse("a draw is used again after its logarithm was taken, or after it was rounded")
        left, unit, offset = self.roundings.pop(i)
        del self.replaced_by[i]
        self.solved[number] = Affine(round(self._release_cell(left, unit, offset) / unit))

    def choose_value(self, affine: Affine) -> int:
        """Return a number with noise as an int: by a `Choice` among its values, or else rounded down and released.

        The choice needs a number with a single discrete draw of at most 250 values, and a whole offset.
        """
        left = self.substituted(affine)
        if not left.terms:
            return round(left.offset)
        ((i, f), *more) = left.terms.items()
        masses = (
            self.draws[i].probabilities()
            if self.is_discrete(left) and not self.draws[i].has_too_many_values
            else []
        )
        if more or not 0 < len(masses) <= MOST_PATH_VALUES or not float(left.offset).is_integer():
            return int(self.release(self.rounded_down(affine, 1.0, 0.0)))
        # The list of values that a law has leaves its tails out.
        self.truncated = True
        taken = self.coin([m for _, m in masses])
        self.solved[i] = Affine(float(masses[taken][0]))
        return round(left.offset + f * masses[taken][0])


def sample(law: Law, rng: Any) -> float:
    """Return a number drawn by ``rng``, a generator of NumPy, from a standard law: location 0 and scale 1."""
    return float(_MAKERS[law.kind](rng, *law.params))


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
