"""Proposition 2.1 of charisopoulos2022: the filter's error against alpha, n and the attack's size."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure
from dpbandits.core.labels import BLUE, DOTTED, GREEN, GREY, ORANGE, PURPLE, VERMILION, Look
from dpbandits.core.numbers import number
from dpbandits.papers.style import computed_rows, count

LOOKS = {
    # The printed filter is least squares: the line below is broad.
    "least squares": Look("#b3b3b3", "-", ""),
    "filter, printed": Look(ORANGE, (0, (2, 2)), "s"),
    "filter, eq. 13": Look(PURPLE, (0, (5, 1)), "v"),
    "filter, repaired": Look(VERMILION, "-", "D"),
    "median of means": Look(GREEN, (0, (3, 1, 1, 1)), "^"),
    "Huber regression": Look(BLUE, (0, (5, 1)), "<"),
}
X = {"alpha": "corruption α", "n": "rewards n", "size": "size of the attack"}
BOUNDS = {
    "Proposition 2.1, constant 1": ("printed_bound", GREY),
    "bound of the repair, constant 1": ("repaired_bound", VERMILION),
}
ATTACKS = {
    "constant": "corrupted to {size:g}",
    "flip": "corrupted to −{size:g} times itself",
    "second-best": "corrupted to favour the second best",
    "threshold": "corrupted to just below the threshold",
    "outlier": "corrupted to a million",
}
# The same where the size is along the axis.
GROWING = {
    "constant": "a constant of growing size",
    "flip": "a growing multiple of −itself",
    "second-best": "in favour of the second best, growing",
    "threshold": "near the threshold, growing",
    "outlier": "an outlier of growing size",
}
# What tells cases of an estimator apart, and up to which share two errors are the same.
CASE = ["over", "attack", "alpha", "n", "size"]
ALIKE = 0.01
MEASURES = {
    "mean": Measure("mean", "drawn_low", "high"),
    "median": Measure("median"),
    "worst batch": Measure("maximum"),
}


def panel(part: pd.DataFrame, over: str, attack: str, limits: tuple[float, float]) -> Panel:
    """Describe a panel of each estimator's error over one quantity under one attack, and of two bounds.

    The bounds are Proposition 2.1's and that of the repaired filter, both with 1 for their constants.

    Parameters
    ----------
    part
        Rows of the computation ``filter-error``, of one attack along one quantity: ``estimator``, its errors
        ``mean, low, high, median, maximum``, both bounds, and ``alpha, n, size``.
    over
        The quantity: ``alpha``, ``n`` or ``size``.
    attack
        Name of the attack: ``constant``, ``flip``, ``second-best``, ``threshold`` or ``outlier``.
    limits
        Ends of the vertical axis.
    """
    first = part.iloc[0]
    words = GROWING[attack] if over == "size" else ATTACKS[attack].format(size=first["size"])
    held = {"alpha": f"n = {count(int(first['n']))}", "n": f"α = {first['alpha']:g}"}
    # A mean may be smaller than its error; the axis is logarithmic.
    part = part.assign(drawn_low=part["low"].clip(lower=1e-3)).sort_values(over)
    own = {name: part[part["estimator"] == name] for name in LOOKS}
    return Panel(
        title=f"{words}\n{held.get(over, ', '.join(held.values()))}",
        x=over,
        curves=[
            *(
                Curve(
                    name if look.mark else f"{name}, no filter",
                    own[name],
                    look.colour,
                    look.dashes,
                    MEASURES,
                    mark=look.mark,
                    bars=bool(look.mark),
                    width=1.1 if look.mark else 4.0,
                )
                for name, look in LOOKS.items()
            ),
            *(
                Curve(name, own["filter, repaired"], colour, DOTTED, {"bound": Measure(column)}, width=1.0)
                for name, (column, colour) in BOUNDS.items()
            ),
        ],
        labels=(X[over], "largest error over all actions"),
        log=(over != "alpha", True),
        limits=(None, limits),
    )


def _finding(shown: pd.DataFrame) -> str:
    """Return whether the printed filter is least squares, and what the repaired one makes of the largest attack."""
    names = ("least squares", "filter, printed", "filter, repaired")
    plain, printed, repaired = (shown[shown["estimator"] == name].set_index(CASE)["mean"] for name in names)
    same = bool((abs(printed / plain.reindex(printed.index) - 1.0) <= ALIKE).all())
    largest, of_repaired = plain.max(), repaired.reindex(plain.index).iloc[int(plain.argmax())]
    words = "is least squares" if same else "is not always least squares"
    return (
        f"The filter as printed {words}; under the largest attack the repaired one errs by "
        f"{number(of_repaired, 2)} in place of {number(float(f'{largest:.2g}'))}"
    )


def plot(table: pd.DataFrame, panels: Sequence[Sequence[str]] = ()) -> Plot:
    """Describe a panel for each quantity and attack of ``panels``, or for all if there is none.

    ``table`` is that of the computation ``filter-error``: ``mean, low, high, median, maximum``, ``printed_bound``
    and ``repaired_bound`` by ``over, attack, estimator, alpha, n`` and ``size``. A panel is a pair such as
    ``["alpha", "flip"]``, of a quantity (``alpha``, ``n`` or ``size``) and an attack.

    Raises
    ------
    BadInput
        If the computation has no such pair.
    """
    known = list(dict.fromkeys(zip(table["over"], table["attack"], strict=True)))
    shown = [(over, attack) for over, attack in panels] or known
    for i, case in enumerate(shown):
        if case not in known:
            raise BadInput(("options", "panels", i), list(case), f"a case of the computation: {known}")
    parts = {case: table[(table["over"] == case[0]) & (table["attack"] == case[1])] for case in shown}
    means = pd.concat([part["mean"] for part in parts.values()])
    limits = (means.min() / 1.5, means.max() * 2.0)
    return Plot(
        title=_finding(pd.concat(parts.values())),
        conditions=f"Means of {number(table['repetitions'].min())} batches, with intervals",
        panels=[panel(part, over, attack, limits) for (over, attack), part in parts.items()],
        columns=min(3, len(shown)),
        height=3.2,
    )


FIGURE = PlottedFigure(
    title="Error of the spectral filter beside other estimators",
    numbers=computed_rows,
    plot=plot,
    options={"panels": Option([], f"panels: [quantity, attack], all if empty; quantities {', '.join(X)}")},
)
