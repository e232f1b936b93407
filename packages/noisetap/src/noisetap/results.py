"""Results that a function can have on an input, with probabilities; and whether they determine released numbers.

A number with noise is released where the function returns it, or reads it as a plain number. A result determines
it if no other value of the number leads to the same result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from noisetap.determined import SEARCH_STEPS, ambiguous_line
from noisetap.function import Function, noise_widths
from noisetap.path import Path
from noisetap.records import Data, leaves, same

Measure = Callable[[Path], tuple[float, int, bool]]
# Probabilities below this, if they were integrated on a grid or values were left out, are not known.
LOWEST_LOG = -28.0
RARE_NOTE = f"results less probable than {math.exp(LOWEST_LOG):.0e} were left out: they are not known well enough"


@dataclass
class Outcome:
    """A result of a function, with its probability and all paths (runs) that lead to it.

    Paths are runs that differ in outcomes of comparisons with noise, and in random choices.

    Attributes
    ----------
    result
        Result of the function, as numbers, texts and nested tuples of them.
    log_p
        Log of the probability, or of the density, summed over the paths; -inf without a path.
    dimensions : set of int
        One entry: the number of continuous numbers that each path releases. Without a path it is empty.
    integrated
        Whether any probability was integrated on a grid, or misses values that were left out.
    paths : list of Path
        Paths to the result: of all that are possible, those that release the fewest continuous numbers.
    lookup_key
        Rough form of the result, by which equal results are found quickly.
    """

    result: Any
    log_p: float = -math.inf
    dimensions: set[int] = field(default_factory=set)
    integrated: bool = False
    paths: list[Path] = field(default_factory=list)
    lookup_key: Any = None

    def add(self, path: Path, measure: tuple[float, int, bool]) -> None:
        """Add a path to the result, if it is possible and releases no more continuous numbers than those before.

        Paths that release more than the new one are dropped: beside it, their density counts for nothing.
        ``measure`` is the path's log probability (or density), its number of continuous outputs, and whether it was
        integrated on a grid.
        """
        log, dimension, integrated = measure
        self.integrated = self.integrated or integrated
        if log > -math.inf and self.dimensions and dimension > min(self.dimensions):
            return
        if log > -math.inf and self.dimensions and dimension < min(self.dimensions):
            # Where a result has a probability, a density at it counts for nothing.
            self.log_p, self.dimensions, self.paths = -math.inf, set(), []
        if log > -math.inf:
            self.log_p = float(np.logaddexp(self.log_p, log))
            self.dimensions.add(dimension)
            self.paths.append(path)


def is_too_rare(outcome: Outcome) -> bool:
    """Tell whether a result may be possible, and has a probability that is too small to be weighed."""
    if outcome.integrated:
        return outcome.log_p < LOWEST_LOG
    # Doubles hold no far smaller ones. Many outputs, each some widths from its middle, are improbable together.
    return -math.inf < outcome.log_p < -600.0 - 30.0 * min(outcome.dimensions, default=0)


def is_unknown(other: Outcome | None, others: list[Outcome], epsilon: float) -> bool:
    """Tell whether a neighbour's result is known too badly to be compared: a loss could come from what is left out.

    Parameters
    ----------
    other
        The result, or ``None`` if no run of the neighbour has it.
    others
        All results of the neighbour. Without ``other``, values of a draw that were left out could lead to it.
    epsilon
        Privacy budget of the claim: a result of the first input is known from e^-28 on, and this one from e^-(29 +
        epsilon) on, if it is a sum on a grid or misses values that were left out.
    """
    if other is None:
        return any(path.truncated for each in others for path in each.paths)
    return other.integrated and other.log_p < LOWEST_LOG - epsilon - 1.0


def outcomes(function: Function, data: Data, outputs: Sequence[float], measure: Measure) -> list[Outcome]:
    """Return all results that a function can have on an input while it releases given numbers.

    Each has its probability. A result that only impossible runs have is among them, without a path.

    Parameters
    ----------
    function, data
        Function of data, and the input.
    outputs
        Values of the noisy numbers that are released, in order.
    measure
        Function that returns a path's log probability (or density), its number of continuous outputs, and whether
        it was integrated on a grid.
    """
    found: dict[Any, list[Outcome]] = {}
    for path, result in function.paths(data, outputs):
        shape = _shape(result)
        beside = found.setdefault(shape, [])
        outcome = next((o for o in beside if same(o.result, result)), None)
        if outcome is None:
            outcome = Outcome(result, lookup_key=shape)
            beside.append(outcome)
        outcome.add(path, measure(path))
    return [o for beside in found.values() for o in beside]


def _shape(result: Any) -> Any:
    """Return what equal results have in common, to look results up by: each number's cell of width 1/7, each text.

    The borders of cells are moved by an odd offset, so that no round number lies near one.
    """
    return tuple(
        (math.floor(leaf * 7.0 + 0.31415926) if abs(leaf) < 1e300 else str(leaf))
        if isinstance(leaf, float)
        else leaf
        for leaf in leaves(result)
    )


def counterpart(outcome: Outcome, others: list[Outcome]) -> Outcome | None:
    """Return the one of ``others`` that has the same result as ``outcome``, or ``None``."""
    near = next((o for o in others if o.lookup_key == outcome.lookup_key and same(o.result, outcome.result)), None)
    return near or next((o for o in others if same(o.result, outcome.result)), None)


def places_in_result(path: Path, result: Any) -> dict[int, int]:
    """Return which released numbers a result contains: places in the result, by index in ``path.releases``.

    Both count from 0; places count the numbers and texts of the result in order. A number is found by its value, at
    the first place that has it. Numbers that are known only rounded (``solved_draw`` < 0) are left out.
    """
    found: dict[int, int] = {}
    numbers = leaves(result)
    for number, release in enumerate(path.releases):
        if release.solved_draw < 0:
            continue
        for at, leaf in enumerate(numbers):
            if isinstance(leaf, float) and abs(leaf - release.value) <= 1e-12 * max(1.0, abs(leaf)):
                found[number] = at
                break
    return found


def undetermined_line(
    function: Function, data: Data, path: Path, result: Any, steps: Sequence[float] = SEARCH_STEPS
) -> str | None:
    """Return the ``file:line`` of a released number that the result does not determine, or ``None``.

    First each released number that the result does not contain is moved alone: the result has to differ. Then the
    changes of the result by small moves of these numbers have to be linearly independent. At last each number that
    the function read as a plain one is tested by `determined.ambiguous_line` at the distances ``steps``.

    Parameters
    ----------
    function, data
        Function of data, and the input.
    path, result
        Path of the input, and the result on it.
    steps
        Distances from a number that was read at which others are tried, in widths of its noise, > 0.
    """
    script, values = [c.taken for c in path.choices], [r.value for r in path.releases]
    width, shown = noise_widths(path), places_in_result(path, result)
    rest = [i for i in range(len(values)) if i not in shown]
    rows = []
    for i in rest:
        release = path.releases[i]
        for step in (1.0, -1.0, 12.0, -12.0, 1000.0, -1000.0):
            moved = [*values[:i], values[i] + step * width[i], *values[i + 1 :]]
            if release.solved_draw < 0 and abs(step) == 1.0:
                # A rounded number may stay in its cell.
                continue
            if same(function.run(data, script, moved)[1], result):
                return release.line
        if release.solved_draw >= 0:
            # A whole number moves by one.
            unit = (
                abs(release.affine.terms[release.solved_draw])
                if path.draws[release.solved_draw].is_discrete
                else 1e-4 * width[i]
            )
            small = [*values[:i], values[i] + unit, *values[i + 1 :]]
            rows.append(_difference(function.run(data, script, small)[1], result))
    # If changes of the result by several numbers are dependent, these can move together unseen.
    if rows:
        sizes = {len(row) for row in rows}
        if len(sizes) > 1 or np.linalg.matrix_rank(np.array(rows), tol=1e-7) < len(rows):
            return path.releases[rest[0]].line
    return ambiguous_line(function, data, path, result, steps)


def _difference(a: Any, b: Any) -> list[float]:
    """Return by how much each number of two results differs; 1 for other parts that differ."""
    pairs = zip(leaves(a), leaves(b), strict=False)
    return [p - q if isinstance(p, float) and isinstance(q, float) else float(p != q) for p, q in pairs]


def why_reachable(function: Function, data: Data, outcome: Outcome, outputs: Sequence[float]) -> str | None:
    """Return why a function might return a result on an input after all, by other released numbers; or ``None``.

    The reason is such as "a path leads to it"; a path is one run, by its outcomes of comparisons and choices. A
    path gives no reason if some part of its result differs from the result asked for, and does not change when each
    released number is moved, alone, by five distances. A number that stands in an equal part of the result is not
    moved. A result of another length differs as long as its length stays. If ``outcome`` has a probability, a path
    whose result states a number from a continuous law gives no reason either.

    Parameters
    ----------
    function, data
        Function of data, and the input.
    outcome
        Outcome of another input, whose result is looked for.
    outputs
        Numbers that are released, in order, before any is moved.
    """
    wanted = leaves(outcome.result)
    for path, result in function.paths(data, outputs):
        got = leaves(result)
        shown = places_in_result(path, result)
        told = {leaf for n, leaf in shown.items() if not path.draws[path.releases[n].solved_draw].is_discrete}
        if outcome.dimensions == {0} and len(got) == len(wanted) and told:
            # This path gives the result by a value of a continuous law, which has probability zero.
            continue
        if len(got) != len(wanted):
            # Another length counts as a part, -1, that differs and never moves.
            at = [-1]
        else:
            at = [i for i, (p, q) in enumerate(zip(got, wanted, strict=True)) if not same(p, q)]
        if not at:
            return "a path leads to it"
        script, values = [c.taken for c in path.choices], [r.value for r in path.releases]
        width = noise_widths(path)
        stated = {n for n, leaf in shown.items() if len(got) == len(wanted) and leaf not in at}
        # Equal values are no proof that a leaf states a number: it has to move with it.
        stated = {n for n in stated if shown[n] in _moves(function, data, script, values, n, width[n], got)}
        fixed = set(at)
        for i, release in enumerate(path.releases):
            if i in stated:
                continue
            # Near and far, both ways, and no round numbers, to which a function may round.
            for step in (0.37, 5.3, -7.1, 211.0, -190.0):
                moved = [*values[:i], values[i] + step * width[i], *values[i + 1 :]]
                other = leaves(function.run(data, script, moved)[1])
                if len(other) != len(got):
                    return f"a number was let out before it was added to data ({release.line})"
                fixed = {k for k in fixed if k < 0 or same(other[k], got[k])}
            if not fixed:
                return f"a number was let out before it was added to data ({release.line})"
    return None


def _moves(
    function: Function, data: Data, script: list[int], values: list[float], at: int, width: float, got: list[Any]
) -> list[int]:
    """Return the parts of a result that move with one number that is released."""
    moved = [*values[:at], values[at] + 1.37 * width, *values[at + 1 :]]
    other = leaves(function.run(data, script, moved)[1])
    return [k for k, (p, q) in enumerate(zip(got, other, strict=False)) if not same(p, q)]


def loses_infinitely(outcome: Outcome, other: Outcome | None) -> bool:
    """Return whether a result of one input, ``outcome``, is infinitely less probable on the neighbour, ``other``.

    That is so if it is impossible there, or has a probability here and a density there; or if both are densities,
    but there of more dimensions, that is released continuous numbers. ``outcome`` has to be possible.
    """
    if other is None or not other.paths:
        return True
    return min(outcome.dimensions) < min(other.dimensions)
