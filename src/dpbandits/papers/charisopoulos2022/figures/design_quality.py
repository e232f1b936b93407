"""Definition 1.6 of charisopoulos2022: norm and support of approximate G-optimal designs, step after step."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure, Region, at
from dpbandits.core.labels import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION
from dpbandits.core.numbers import number

# Names of both bounds on its own panel, and colours of sets of actions.
BOUNDS = "bound (left: 2 d; right: 4 d log log d + 16)"
COLOURS = (VERMILION, BLUE, GREEN, PURPLE, ORANGE, GREY)


def numbers(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return all steps of all designs, with ``norm_over_d`` (norm / rank) and ``share`` (support / support_bound).

    ``computed`` has tables of the computation ``design-quality``: ``norm``, ``support``, ``support_bound`` and the
    actions' ``rank``, which stands for the dimension d.
    """
    table = pd.concat(computed.values(), ignore_index=True)
    return table.assign(norm_over_d=table["norm"] / table["rank"], share=table["support"] / table["support_bound"])


def curves(table: pd.DataFrame, column: str, word: str) -> list[Curve]:
    """Return a curve over the steps for each set of actions, the first six at most, and dots for designs in use.

    ``table`` has ``set``, ``from_one`` (the step, from 1) and ``used``. ``column`` has the heights, which readers
    know by the name ``word``.
    """
    found = []
    for (name, path), colour in zip(table.groupby("set", sort=False), COLOURS, strict=False):
        measures = {word: Measure(column)}
        # A label such as collinear-basis is of a collinear basis.
        found.append(Curve(str(name).replace("-", " "), path, colour, measures=measures, width=1.2))
        used = path[path["used"]]
        found.append(Curve("the design in use", used, colour, "-", measures, joined=False, mark="o"))
    return found


def _finding(table: pd.DataFrame) -> str:
    """Return whether the designs in use keep both bounds."""
    used = table[table["used"]]
    kept = bool((used["norm_over_d"] <= 2.0).all() and (used["share"] <= 1.0).all())
    found = f"the designs in use (dots) {'keep both bounds' if kept else 'break a bound'}"
    return f"At most {number(used['from_one'].max())} steps are enough: {found}" if kept else f"T{found[1:]}"


def plot(table: pd.DataFrame) -> Plot:
    """Describe the designs' largest norm on the left and their support on the right, over the steps of Frank-Wolfe.

    ``table`` is that of `numbers`: ``norm_over_d``, ``share`` and ``used`` by ``set`` and ``step``, from 0.
    """
    table = table.assign(from_one=table["step"] + 1)
    highest = float(table["norm_over_d"].max())
    return Plot(
        title=_finding(table),
        conditions="Frank–Wolfe from a Kumar–Yıldırım core; exact",
        panels=[
            Panel(
                title="largest norm",
                x="from_one",
                curves=curves(table, "norm_over_d", "largest norm"),
                labels=("step, from 1", "max ‖a‖² / d"),
                limits=(None, (0.8, 1.2 * highest)),
                ticks=({}, at(*(tick for tick in (1, 2, 3, 5, 10) if tick < 1.1 * highest))),
                regions=(
                    Region(BOUNDS, None, (2.0, 2.0), BLACK),
                    Region("left: optimum d", None, (1.0, 1.0), GREY),
                ),
            ),
            Panel(
                title="support",
                x="from_one",
                curves=curves(table, "share", "support"),
                labels=("step, from 1", "support / bound"),
                log=(True, False),
                regions=(Region(BOUNDS, None, (1.0, 1.0), BLACK),),
            ),
        ],
        columns=2,
        height=3.2,
        legend_columns=2,
    )


FIGURE = PlottedFigure(
    title="Norm and support of approximate G-optimal designs over steps and action sets",
    numbers=numbers,
    plot=plot,
)
