"""What a kind of figure declares about itself. One kind is one file that defines ``FIGURE``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dpbandits.options import Option, resolve

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd

Drawing = tuple["matplotlib.figure.Figure", "pd.DataFrame"]


@dataclass(frozen=True)
class Figure:
    """The declaration of a kind of figure.

    Attributes
    ----------
    title
        What it shows.
    draw
        ``draw(aggregates, computed, **options)`` returns the figure and the table of the numbers in it.
        ``aggregates`` is one tidy table (the figure's experiments, one version), ``computed`` has the
        figure's computations by id.
    options
        What a configuration may set, by name.
    """

    title: str
    draw: Callable[..., Drawing]
    options: Mapping[str, Option] = field(default_factory=dict)

    def resolve(self, given: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Return all options, checked, with defaults filled in; `BadInput` names ``where``."""
        return resolve(self.options, given, where)
