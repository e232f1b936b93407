"""Descriptions of figures for all renderers, with the level of their intervals."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import TYPE_CHECKING

from dpbandits.core.interactive import Curve, Panel, Plot, PlottedFigure
from dpbandits.core.numbers import number

if TYPE_CHECKING:
    import pandas as pd

    from dpbandits.core.fields import Options

# Confidence of the intervals of computations, and of the configuration's unless it says another.
CONFIDENCE = 0.95
# The lower end of an interval has the first of these words in its name. With the second too it is a mean less its
# standard deviation.
END, NO_END = "low", "sd"


def described(kind: PlottedFigure, numbers: pd.DataFrame, options: Options, confidence: float = CONFIDENCE) -> Plot:
    """Return the description of a figure; its conditions tell the level of the intervals that are drawn.

    Parameters
    ----------
    kind
        Declaration of the kind of figure.
    numbers
        Table of the figure's numbers.
    options
        All options of the kind, by name.
    confidence
        Confidence level of the intervals of means, from 0 to 1.

    Examples
    --------
    Conditions that speak of intervals get the level there, others a part that says how intervals are drawn:
    ``Means at T with their 95 % intervals`` and ``100 runs; bars: 95 % intervals``.
    """
    plot = kind.plot(numbers, **options)
    drawn = [curve for panel in plot.panels for curve in panel.curves if _has_interval(curve)]
    if not drawn:
        return plot
    level = f"{number(100.0 * confidence)} %"
    said, found = re.subn(r"(?<!% )\b(intervals?)\b", rf"{level} \1", plot.conditions, count=1)
    if not found:
        looks = " and ".join(dict.fromkeys("bars" if curve.bars else "shaded" for curve in drawn))
        first, *rest = plot.conditions.split("\n")
        said = "\n".join([f"{first}; {looks}: {level} intervals", *rest])
    return dataclasses.replace(plot, conditions=said)


def _has_interval(curve: Curve) -> bool:
    """Return whether a curve is drawn with intervals of confidence, by the name of their lower end."""
    low = next(iter(curve.measures.values())).low
    words = re.split("[^a-z]", low)
    known = low in curve.table and bool(curve.table[low].notna().any())
    return known and END in words and NO_END not in words


def cut_below(panel: Panel) -> int:
    """Return how many intervals of a panel go on below its axis."""
    bottom = panel.limits[1][0] if panel.limits[1] else -math.inf
    measures = [(curve.table, measure) for curve in panel.curves for measure in curve.measures.values()]
    return sum(int((table[measure.low] < bottom).sum()) for table, measure in measures if measure.low)
