"""Lower bounds of differences of random draws, known from comparisons, and all sums of such bounds.

A draw times another factor, or with another sign, counts as another one: of ``2 a > 2 b`` nothing follows for
``a > b``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noisetap.affine import Affine

# A draw times its factor; ``None`` is zero.
Variable = tuple[int, float] | None
# Differences closer than this are equal: doubles stand for real numbers.
_NEAR = 1e-9


class Order:
    """Lower bounds of differences of two random draws, each times a factor, and all bounds that follow by adding.

    If ``a - b`` is at least 1, and ``b - c`` at least 2, then ``a - c`` is at least 3.
    """

    def __init__(self) -> None:
        # By draw, and by the draw that is subtracted: the bound of the difference, and whether it is strict.
        self._above: dict[Variable, dict[Variable, tuple[float, bool]]] = {}
        self._below: dict[Variable, set[Variable]] = {}

    def is_positive(self, affine: Affine, strict: bool, discrete: bool) -> bool | None:
        """Return whether a sum of draws is above 0, as far as the bounds tell.

        It is ``None`` if the bounds do not tell, or if the sum has no draw, or more than two.

        Parameters
        ----------
        affine
            The sum: an offset, and draws, by number, times their factors.
        strict
            Whether the sum has to be above 0; if not, 0 is enough.
        discrete
            Whether the draws are whole numbers; if not, the sum is 0 with probability 0.
        """
        pair = _difference(affine)
        if pair is None:
            return None
        u, v = pair
        lower, is_strict = self._above.get(u, {}).get(v, (-math.inf, False))
        least = lower + affine.offset
        if least > _NEAR or (least >= -_NEAR and (is_strict or not strict or not discrete)):
            return True
        lower, is_strict = self._above.get(v, {}).get(u, (-math.inf, False))
        least = lower - affine.offset
        if least > _NEAR or (least >= -_NEAR and (is_strict or strict or not discrete)):
            return False
        return None

    def add(self, affine: Affine, strict: bool) -> None:
        """Note that a sum of draws is above 0, or at least 0 if not ``strict``, and all bounds that follow.

        A sum of no draw, or of more than two, is left out.
        """
        pair = _difference(affine)
        if pair is None:
            return
        # From u - v >= -offset follows a bound of p - q for all p known to lie above u, and all q below v.
        u, v = pair
        over = [(u, 0.0, False), *((p, *self._above[p][u]) for p in self._below.get(u, ()))]
        under = [(v, 0.0, False), *((q, *bound) for q, bound in self._above.get(v, {}).items())]
        for p, first, first_strict in over:
            for q, last, last_strict in under:
                bound = first - affine.offset + last, first_strict or strict or last_strict
                if p != q and bound > self._above.setdefault(p, {}).get(q, (-math.inf, False)):
                    self._above[p][q] = bound
                    self._below.setdefault(q, set()).add(p)


def _difference(affine: Affine) -> tuple[Variable, Variable] | None:
    """Return variables u and v so that the sum is u - v and its offset; ``None`` for a sum of more draws."""
    if not 1 <= len(affine.terms) <= 2:
        return None
    (i, f), *rest = sorted(affine.terms.items())
    if not rest:
        return ((i, f), None) if f > 0 else (None, (i, -f))
    ((j, g),) = rest
    return ((j, g), (i, -f)) if g > 0 > f else ((i, f), (j, -g))
