"""Axes that a caller gives to draw on, or new ones, and a curve of mean regret on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpbandits.core.errors import BadInput, needing_workflow

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# What axes of mean regret are set to.
MEAN_REGRET = {"xscale": "log", "xlabel": "round", "ylabel": "mean regret, with its 95 % interval"}


def axes_of(axes_or_none: Any) -> Axes:
    """Return Matplotlib's axes as they are, or the axes of a new figure for ``None``.

    Raises
    ------
    BadInput
        If ``axes_or_none`` is neither, such as a figure or an array of axes.
    MissingExtra
        If Matplotlib, which the extra ``notebook`` has, is not installed.
    """
    if axes_or_none is not None and not hasattr(axes_or_none, "fill_between"):
        raise BadInput("axes", axes_or_none, "axes of Matplotlib")
    with needing_workflow("A plot", "notebook"):
        import matplotlib.pyplot as plt

    axes: Axes = plt.subplots()[1] if axes_or_none is None else axes_or_none
    return axes


def draw_mean(axes: Axes, table: pd.DataFrame, label: str, shade: float, linestyle: str = "-") -> None:
    """Draw mean regret over rounds, with its interval shaded; a negative lower end is drawn as 0.

    Parameters
    ----------
    axes
        Axes to draw on.
    table
        Table with columns ``round, mean, mean_low, mean_high``.
    label
        Name of the curve in a legend.
    shade
        Opacity of the interval, in [0, 1].
    linestyle
        Matplotlib's style of the curve.
    """
    (line,) = axes.plot(table["round"], table["mean"], label=label, linestyle=linestyle)
    low = table["mean_low"].clip(lower=0)
    axes.fill_between(table["round"], low, table["mean_high"], color=line.get_color(), alpha=shade, lw=0)
