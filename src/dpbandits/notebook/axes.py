"""Axes that a caller gives to draw on, or new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpbandits.core.errors import BadInput, needing_workflow

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes_of(given: Any) -> Axes:
    """Return the axes that were given, or those of a new figure if it is ``None``.

    Raises
    ------
    BadInput
        For what is no axes, such as a figure or an array of axes.
    MissingExtra
        Without Matplotlib, which the extra ``notebook`` has.
    """
    if given is not None and not hasattr(given, "fill_between"):
        raise BadInput("axes", given, "axes of Matplotlib")
    with needing_workflow("A plot", "notebook"):
        import matplotlib.pyplot as plt

    axes: Axes = plt.subplots()[1] if given is None else given
    return axes
