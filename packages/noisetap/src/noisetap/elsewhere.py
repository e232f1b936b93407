"""Test of whether the neighbour may return a result on another branch, by another value of a noisy number.

``exp(v) if v > 0 else 1 / exp(v)`` returns 3.04 for two numbers, and each is released (read as a plain number) on
a branch of its own. With the number of one branch held the other branch seems not to lead there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from noisetap.determined import SEARCH_STEPS, numbers_and_texts
from noisetap.function import Function, noise_widths
from noisetap.path import Path
from noisetap.records import Data, same
from noisetap.results import Outcome, undetermined_line

# Near and far, both ways: whether a part of the result moves at all.
_FEW = (0.37, 5.3, 211.0)


def alternative_line(
    function: Function,
    data: Data,
    outcome: Outcome,
    outputs: Sequence[float],
    steps: Sequence[float] = SEARCH_STEPS,
) -> str | None:
    """Return the ``file:line`` of a noisy number, another value of which may lead to the same result, or ``None``.

    A branch is a run of the neighbour, with its own outcomes of comparisons and random choices. On each branch the
    released numbers are first ``outputs``, and are then moved, one by one. The branch gives a line if every part of
    its result may come to ``outcome.result``. But it gives none if its result determines the numbers that were
    read, and is ``outcome.result`` or has more continuous numbers. Passed over are branches that release no number,
    and those where, as in ``outcome``, no number is read before the result tells it.

    Parameters
    ----------
    function, data
        Function of data, and the neighbour.
    outcome
        Outcome of the other input, whose result is looked for.
    outputs
        Values of the other input's releases, in order; the neighbour's runs release them too.
    steps
        Distances from these numbers at which others are tried, in widths of their noise.
    """
    first = outcome.paths[0]
    wanted, most, read = numbers_and_texts(outcome.result), _continuous(first), _read(first)
    for path, result in function.paths(data, outputs):
        own = _read(path)
        if not path.releases or not (read or own):
            continue
        if same(result, outcome.result):
            line = undetermined_line(function, data, path, result, steps) if own else None
        elif not _comes_near(function, data, path, numbers_and_texts(result), wanted, steps):
            continue
        elif _continuous(path) > most and undetermined_line(function, data, path, result, steps) is None:
            # With more continuous numbers, its density counts for nothing beside that of the outcome.
            continue
        else:
            line = path.releases[0].line
        if line is not None:
            return line
    return None


def _read(path: Path) -> bool:
    """Tell whether a number was released before the result told it."""
    return len(path.in_result) < len(path.releases)


def _continuous(path: Path) -> int:
    return sum(r.solved_draw >= 0 and not path.draws[r.solved_draw].is_discrete for r in path.releases)


def _comes_near(
    function: Function, data: Data, path: Path, got: list[Any], wanted: list[Any], steps: Sequence[float]
) -> bool:
    """Tell whether each part that differs can become what is wanted, or lie on both sides of it.

    Parameters
    ----------
    function, data, path
        The function, the input, and a path of it.
    got, wanted
        Parts of the result on this path, and of the one that is asked for.
    steps
        As `alternative_line` takes them.
    """
    if len(got) == len(wanted):
        apart = [k for k, (a, b) in enumerate(zip(got, wanted, strict=True)) if not same(a, b)]
    else:
        apart = list(range(len(wanted)))
    for some in (_FEW, steps):
        rows = [list(_results(function, data, path, i, some)) for i in range(len(path.releases))]
        fitting = [[(v, row) for v, row in of if len(row) == len(wanted)] for of in rows]
        if some is _FEW:
            moving = {
                k for of in fitting for _, row in of for k in apart if len(got) != len(row) or row[k] != got[k]
            }
            if moving != set(apart):
                return False
    if len(path.releases) == 1:
        return _passes(fitting[0], _unit(path, 0), wanted)
    return all(any(_meets([row[k] for _, row in of], wanted[k]) for of in fitting) for k in apart)


def _unit(path: Path, i: int) -> float:
    """Return the least step of a number that was released; 0 of a continuous one."""
    release = path.releases[i]
    whole = release.solved_draw >= 0 and path.draws[release.solved_draw].is_discrete
    return abs(release.affine.terms[release.solved_draw]) if whole else 0.0


def _results(
    function: Function, data: Data, path: Path, i: int, steps: Sequence[float]
) -> Iterator[tuple[float, list[Any]]]:
    """Yield other values of one number, from below to above as far as it can go, with parts of their results."""
    script, values = [c.taken for c in path.choices], [r.value for r in path.releases]
    low, high = path.value_range(path.releases[i].affine)
    at, width, unit = min(max(values[i], low), high), noise_widths(path)[i], _unit(path, i)
    apart = {s * sign * width for s in (0.0, *steps) for sign in (1.0, -1.0)}
    if unit:
        apart = {round(step / unit) * unit for step in apart} | {k * unit for k in range(-8, 9)}
    for step in sorted(apart):
        if low <= at + step <= high:
            moved = [*values[:i], at + step, *values[i + 1 :]]
            yield at + step, numbers_and_texts(function.run(data, script, moved)[1])


def _passes(rows: list[tuple[float, list[Any]]], unit: float, wanted: list[Any]) -> bool:
    """Tell whether results of one number become what is wanted, or pass it between two that follow each other.

    Parameters
    ----------
    rows
        Values of the number, and parts of the result for each.
    unit
        The least step of the number, between whose ends nothing lies; 0 of a continuous one.
    wanted
        Parts of the result that is asked for.
    """
    if any(all(map(same, row, wanted)) for _, row in rows):
        return True
    return any(
        (not unit or v - u > 1.5 * unit)
        and all(_meets([a, b], part) for a, b, part in zip(one, other, wanted, strict=True))
        for (u, one), (v, other) in pairwise(rows)
    )


def _meets(found: list[Any], wanted: Any) -> bool:
    """Tell whether a part of the result is once what is wanted, or on both sides of it."""
    if any(same(one, wanted) for one in found):
        return True
    numbers = [one for one in found if isinstance(one, float)]
    return isinstance(wanted, float) and len(set(np.sign(np.array(numbers) - wanted).tolist())) > 1
