"""Test of whether a function's result determines the noisy numbers that the function read.

A number that the result contains is determined by it. One that the function reads, by ``float(v)`` or ``v ** 2``,
is determined if no other number leads to the same result: 1.5 and -1.5 have one square.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from noisetap.function import Function, noise_widths
from noisetap.path import Path
from noisetap.records import Data, leaves, same

# Numbers that were read of which at most so many are looked at; programs read arrays element by element.
_MOST_READ = 24
# The search tries these steps, in widths of the noise, both ways: finer near the number, coarser far away.
SEARCH_STEPS = (
    *(0.5 * 2.0**-k for k in range(12, -1, -1)),
    *np.linspace(1.0, 80.0, 48),
    *(100.0 * 2.0**k for k in range(8)),
)
# The checker has steps of its own: none is one of the search's.
CHECK_STEPS = (
    *(0.437 * 1.7**-k for k in range(14, -1, -1)),
    *np.linspace(0.73, 91.3, 61),
    *(117.0 * 1.9**k for k in range(9)),
)
# Numbers in a text, hexadecimal ones too.
_NUMBER = re.compile(
    r"[-+]?0x[0-9a-f]+(?:\.[0-9a-f]+)?p[-+]?\d+|[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE
)


def numbers_and_texts(result: Any) -> list[Any]:
    """Return the numbers and texts of a result, in order; numbers that are written in a text come after it.

    The text ``"at 3.5 m"`` gives ``"at # m"`` and ``3.5``.
    """
    found: list[Any] = []
    for leaf in leaves(result):
        text = leaf.decode("latin-1") if isinstance(leaf, bytes) else leaf
        numbers = _NUMBER.findall(text) if isinstance(text, str) else []
        found.append(_NUMBER.sub("#", text) if numbers else leaf)
        found += [float.fromhex(n) if "x" in n.lower() else float(n) for n in numbers]
    return found


def ambiguous_line(
    function: Function, data: Data, path: Path, result: Any, steps: Sequence[float] = SEARCH_STEPS
) -> str | None:
    """Return the ``file:line`` of a noisy number that was read and that the result does not determine, or ``None``.

    Such a number was turned into a plain one by the function, and the result does not contain it. Numbers are
    tested in turn, by their own parts of the result: those that no other untested number moves. For a continuous
    number, one own part has to be larger at all tried values on one side, and smaller at all on the other side. For
    a whole or rounded number, each of 198 other values has to change an own part. If some own parts are numbers,
    one of these must not be larger on both sides, or smaller on both. Of more than 24 numbers 24 are tested. A
    number that was divided with remainder is not determined.

    Parameters
    ----------
    function, data
        Function of data, and the input.
    path, result
        Record of a run on this input, and the result of this run.
    steps
        Distances from the number at which others are tried, on both sides, in widths of its noise.
    """
    if path.modulo_lines:
        return path.modulo_lines[0]
    script, values = [c.taken for c in path.choices], [r.value for r in path.releases]
    width = noise_widths(path)
    read = [i for i in range(len(values)) if i not in path.in_result]
    read = [read[int(k)] for k in np.linspace(0, len(read) - 1, min(len(read), _MOST_READ))]
    known = numbers_and_texts(result)

    def at(i: int, value: float) -> list[Any] | None:
        """Return the parts of the result for another value of number i; None if there are more or fewer parts."""
        found = numbers_and_texts(function.run(data, script, [*values[:i], value, *values[i + 1 :]])[1])
        return found if len(found) == len(known) else None

    moved = {i: _moved(known, [at(i, values[i] + s * width[i]) for s in (1e-4, 1.37, -12.1)]) for i in read}
    for i in read:
        release = path.releases[i]
        unit = release.cell_width or (
            abs(release.affine.terms[release.solved_draw]) if path.draws[release.solved_draw].is_discrete else 0.0
        )
        if unit:
            moved[i] |= _moved(known, [at(i, values[i] + k * unit) for k in (1, -1, 2)])
    # The parts of the result that a number alone moves have to determine it; then the next number's parts may too.
    left = set(read)
    while left:
        own = {i: moved[i].difference(*(moved[k] for k in left - {i})) for i in left}
        alone = [i for i in sorted(left) if own[i]]
        if not alone:
            return path.releases[min(left)].line
        i = alone[0]
        left.remove(i)
        release = path.releases[i]
        if release.cell_width or path.draws[release.solved_draw].is_discrete:
            unit = release.cell_width or abs(release.affine.terms[release.solved_draw])
            others = [k * unit for n in range(1, 41) for k in (n, -n)]
            others += [k * unit for n in range(6, 65) for k in (2.0**n, -(2.0**n))]
            low, high = path.value_range(release.affine)
            rows = []
            for k in others:
                # The first value that changes nothing ends it: values far out can make a function slow.
                row = at(i, values[i] + k)
                if _alike(own[i], known, row):
                    return release.line
                rows.append((k, row))
            inside = [(k, row) for k, row in rows if row is not None and low <= values[i] + k <= high]
            numbers = [leaf for leaf in own[i] if isinstance(known[leaf], float)]
            if numbers and not any(_rises_or_falls(inside, leaf, known[leaf]) for leaf in numbers):
                return release.line
        elif not any(_one_sided(at, i, path, steps, width[i], leaf, known[leaf]) for leaf in own[i]):
            return release.line
    return None


def _moved(known: list[Any], others: list[list[Any] | None]) -> set[int]:
    """Return which parts of a result differ in any of others."""
    return {
        k for other in others if other for k, (a, b) in enumerate(zip(known, other, strict=True)) if not same(a, b)
    }


def _alike(own: set[int], known: list[Any], other: list[Any] | None) -> bool:
    """Tell whether the parts of a result that one number moves are the same for another number."""
    return other is not None and all(same(known[k], other[k]) for k in own)


def _one_sided(at: Any, i: int, path: Path, steps: Sequence[float], width: float, leaf: int, known: Any) -> bool:
    """Tell whether a part of the result is larger on one side of a number, smaller on the other.

    Parameters
    ----------
    at
        Returns the result for another value of number ``i``.
    i, path, width
        The number, the path on which it was released, and the width of its noise.
    steps
        How far others are tried.
    leaf, known
        The part of the result, and what it is.
    """
    if not isinstance(known, float):
        # Other numbers can lead to the same text, and no few that are tried would show it.
        return False
    release = path.releases[i]
    low, high = path.value_range(release.affine)
    sides: dict[float, set[float]] = {1.0: set(), -1.0: set()}
    for sign, found in sides.items():
        # Each step is a run of the function: none is made after one that decides.
        for step in steps:
            value = release.value + sign * step * width
            other = at(i, value) if low <= value <= high else None
            if other is None:
                continue
            if isinstance(other[leaf], float) and not math.isnan(other[leaf]):
                found.add(float(np.sign(other[leaf] - known)))
                if 0.0 in found or len(found) > 1 or sides[1.0] & sides[-1.0]:
                    return False
    return True


def _rises_or_falls(rows: list[tuple[float, list[Any]]], leaf: int, known: float) -> bool:
    """Tell whether no part of the result is larger on both sides of a number, or smaller on both."""
    signs = {(k > 0, float(np.sign(row[leaf] - known))) for k, row in rows if isinstance(row[leaf], float)}
    return not any((True, sign) in signs and (False, sign) in signs for sign in (1.0, -1.0))
