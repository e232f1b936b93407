"""Logarithms of random draws: minus that of a uniform draw is exponential, of an exponential one Gumbel noise."""

from __future__ import annotations

import math

from noisetap.affine import Affine
from noisetap.laws import Law
from noisetap.path import Path


def logarithm(path: Path, affine: Affine) -> Affine | None:
    """Return the logarithm of a number with noise as a sum of draws, if it has such a law; else ``None``.

    It has one for a number that is uniform from 0 on, such as ``2 * u`` or ``1 - u``: the log is a constant less an
    exponential draw. It has one for a positive multiple of an exponential draw that was not compared: the log is a
    constant less a Gumbel draw.

    Parameters
    ----------
    path
        Record of the run; the draw whose logarithm is taken is replaced by the new one in it.
    affine
        Number whose logarithm is taken: a sum of draws.
    """
    left = path.substituted(affine)
    if len(left.terms) != 1:
        return None
    ((i, f),) = left.terms.items()
    law, (low, high) = path.draws[i], path.ranges[i]
    ends = sorted((left.offset + f * low, left.offset + f * high))
    fresh = not any(i in b.affine.terms for b in path.bounds)
    if law.kind == "uniform" and abs(ends[0]) < 1e-12 and ends[1] > 0:
        number = path.draw(Law("exponential"))
        # Given its comparisons, the draw is uniform on a part of [0, 1), whose length is their probability.
        path.bounds = [b for b in path.bounds if b.affine.terms.keys() != {i}]
        if (low, high) != (0.0, 1.0):
            path.comparison_probabilities.append(high - low)
        path.values[number] = -math.log(max(path.value(path.substituted(affine)) / ends[1], 1e-300))
        place = math.log(ends[1])
    elif law.kind == "exponential" and left.offset == 0 and f > 0 and fresh:
        number = path.draw(Law("gumbel"))
        path.values[number] = -math.log(max(path.values[i], 1e-300))
        place = math.log(f)
    else:
        return None
    path.replaced_by[i] = number
    return Affine(place, {number: -1.0})
