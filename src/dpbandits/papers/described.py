"""Descriptions of figures for paper and pages, with the level of their intervals."""

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
    """Return a figure's `Plot` (title, conditions, panels), with the level of its intervals in the conditions.

    Parameters
    ----------
    kind
        Declaration of the kind of figure.
    numbers
        Table of the figure's numbers, as ``kind.numbers`` makes it.
    options
        All options of the kind, by name.
    confidence
        Confidence level of the intervals of means, from 0 to 1.

    Examples
    --------
    ``Means at T with intervals`` becomes ``Means at T with 95 % intervals``. If ``interval`` or ``intervals`` does
    not occur in the conditions, or only after a ``%``, the level is appended to the first line, as in ``100 runs;
    bars: 95 % intervals``. Conditions stay as they are if no interval is drawn, or if they have the words ``95 %
    intervals`` already.
    """
    plot = kind.plot(numbers, **options)
    drawn = [curve for panel in plot.panels for curve in panel.curves if _has_interval(curve)]
    level = f"{number(100.0 * confidence)} %"
    if not drawn or f"{level} intervals" in plot.conditions:
        return plot
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
    """Return how many intervals of a panel reach below the lower end of its vertical axis, and so are cut there.

    All intervals of all curves count, also those of measures that are not shown at first. If the panel sets no ends
    of this axis, there are 0.
    """
    bottom = panel.limits[1][0] if panel.limits[1] else -math.inf
    measures = [(curve.table, measure) for curve in panel.curves for measure in curve.measures.values()]
    return sum(int((table[measure.low] < bottom).sum()) for table, measure in measures if measure.low)
