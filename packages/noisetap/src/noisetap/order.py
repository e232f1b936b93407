"""Differences of draws that comparisons have bounded, and all bounds that follow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noisetap.path import Affine

# A draw times its factor; ``None`` is zero.
Variable = tuple[int, float] | None
# Differences closer than this are equal: doubles stand for real numbers.
_NEAR = 1e-9


class Order:
    """Hold lower bounds of differences of two draws, each times a factor, with all that follow by adding them."""

    def __init__(self) -> None:
        self._above: dict[Variable, dict[Variable, tuple[float, bool]]] = {}
        self._below: dict[Variable, set[Variable]] = {}

    def is_positive(self, affine: Affine, strict: bool, discrete: bool) -> bool | None:
        """Return whether the sum of draws ``of`` is above 0, or not below 0 if it is not ``strict``.

        It is ``None`` if the bounds leave that open, or the sum has more than two draws.

        ``whole`` says whether the draws are whole numbers, for which equality counts.
        """
        pair = _difference(affine)
        if pair is None:
            return None
        u, v = pair
        least, bare = self._above.get(u, {}).get(v, (-math.inf, False))
        if least + affine.offset > _NEAR or (
            least + affine.offset >= -_NEAR and (bare or not strict or not discrete)
        ):
            return True
        least, bare = self._above.get(v, {}).get(u, (-math.inf, False))
        if least - affine.offset > _NEAR or (least - affine.offset >= -_NEAR and (bare or strict or not discrete)):
            return False
        return None

    def add(self, affine: Affine, strict: bool) -> None:
        """Note the bound ``of > 0`` (``of >= 0`` if not ``strict``), and all bounds that follow."""
        pair = _difference(affine)
        if pair is None:
            return
        u, v = pair
        over = [(u, 0.0, False), *((p, *self._above[p][u]) for p in self._below.get(u, ()))]
        under = [(v, 0.0, False), *((q, *known) for q, known in self._above.get(v, {}).items())]
        for p, first, bare in over:
            for q, last, too in under:
                known = first - affine.offset + last, bare or strict or too
                if p != q and known > self._above.setdefault(p, {}).get(q, (-math.inf, False)):
                    self._above[p][q] = known
                    self._below.setdefault(q, set()).add(p)


def _difference(of: Affine) -> tuple[Variable, Variable] | None:
    """Return variables u and v so that the sum is u - v and its offset; ``None`` for a sum of more draws."""
    if not 1 <= len(of.terms) <= 2:
        return None
    (i, f), *rest = sorted(of.terms.items())
    if not rest:
        return ((i, f), None) if f > 0 else (None, (i, -f))
    ((j, g),) = rest
    return ((j, g), (i, -f)) if g > 0 > f else ((i, f), (j, -g))
