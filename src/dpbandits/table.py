"""What a kind of table declares about itself. One kind is one file that defines ``TABLE``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dpbandits.options import Option, resolve

if TYPE_CHECKING:
    import pandas as pd


class Made(NamedTuple):
    """A table, twice.

    Attributes
    ----------
    numbers
        Tidy and in full precision, for CSV.
    text
        The same for readers, all cells and headings text, formulas in TeX between dollar signs: for Markdown and
        LaTeX.
    """

    numbers: pd.DataFrame
    text: pd.DataFrame


@dataclass(frozen=True)
class Table:
    """The declaration of a kind of table.

    Attributes
    ----------
    title
        What it shows.
    make
        ``make(aggregates, computed, **options)`` returns a `Made`. ``aggregates`` is one tidy table (the table's
        experiments, all runs), ``computed`` has the table's computations by id.
    options
        What a configuration may set, by name.
    """

    title: str
    make: Callable[..., Made]
    options: Mapping[str, Option] = field(default_factory=dict)

    def resolve(self, given: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Return all options, checked, with defaults filled in; `BadInput` names ``where``."""
        return resolve(self.options, given, where)
