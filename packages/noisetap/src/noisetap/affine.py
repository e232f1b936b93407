"""Sums of a number and multiples of random draws: what a number with noise is in a run of a function of data."""

from __future__ import annotations

from dataclasses import dataclass, field

Terms = dict[int, float]


@dataclass(frozen=True)
class Affine:
    """A number with noise, ``offset + sum(terms[i] * z[i])``; z[i] is draw i of a run, of a standard law."""

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
