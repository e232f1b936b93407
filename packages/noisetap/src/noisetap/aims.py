"""Values of released numbers at which the privacy loss may be large: the search tries them.

A number with noise is released where a function returns it, or reads it as a plain number; it counts as seen then.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from noisetap.affine import Affine
from noisetap.path import Path

# Of more outputs not each is moved by itself.
MANY = 32


def boundary_values(path: Path, other: Path) -> list[list[float]]:
    """Return, for each released number, values at which the privacy loss may be large.

    Where the number's ranges on ``path`` and on ``other`` end at different places, one value between the two ends
    is taken, which one input alone can give; for whole numbers both ends are. Laplace and normal noise give no
    value, unless a comparison cut their range. A number with a single draw, binomial or ``integer``, gives all its
    values too if they are at most eight.

    Parameters
    ----------
    path, other
        Runs on two neighbours that release the same numbers.

    Returns
    -------
    list of list of float
        A list of values for each released number, in order; many such lists are empty.
    """
    found: list[list[float]] = []
    for a, b in zip(path.releases, other.releases, strict=False):
        found.append(
            list(_beyond(path.value_range(a.affine), other.value_range(b.affine), path.is_discrete(a.affine)))
        )
        found[-1] += _few(path, a.affine)
    return found


def directions(path: Path, other: Path) -> list[list[float]]:
    """Return directions in which all released numbers are moved together: lists with a sign, 1, -1 or 0, for each.

    The last two are all up, and all down. If more than 32 (`MANY`) numbers are released, another one comes first:
    each number moves away from its counterpart on ``other``, as the values without noise lie. It is left out if it
    moves no number, or all alike.

    Parameters
    ----------
    path, other
        Runs on two neighbours that release the same numbers.
    """
    found = [[sign] * len(path.releases) for sign in (1.0, -1.0)]
    # Few outputs are each moved alone by the search, which finds as much.
    if MANY < len(path.releases) == len(other.releases):
        apart = [a.affine.offset - b.affine.offset for a, b in zip(path.releases, other.releases, strict=True)]
        away = [math.copysign(1.0, by) if by else 0.0 for by in apart]
        if len({sign for sign in away if sign}) > 1:
            found.insert(0, away)
    return found


def _beyond(mine: tuple[float, float], other: tuple[float, float], whole: bool) -> Iterator[float]:
    """Yield values between the ends of two ranges, which one range alone holds; of whole numbers the ends too."""
    for a, b in zip(mine, other, strict=True):
        if math.isfinite(a) and math.isfinite(b) and a != b:
            # A share that no rounding of a function meets. At an end itself a density says nothing.
            yield from (a, b) if whole else (a + 0.4142 * (b - a),)


def _few(path: Path, of: Affine) -> list[float]:
    """Return all values of a number that can have at most eight, such as a bit that was drawn."""
    if len(of.terms) != 1 or not path.is_discrete(of):
        return []
    ((i, f),) = of.terms.items()
    law = path.draws[i]
    masses = law.probabilities() if law.kind in ("binomial", "integer") and not law.has_too_many_values else []
    return [of.offset + f * k for k, _ in masses] if len(masses) <= 8 else []
