"""How often DP-IMED's regret is far above its median, by the batches that have noise."""

from __future__ import annotations

import pandas as pd

from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure, at
from dpbandits.core.labels import BLACK, BLUE, SKY, VERMILION, Look, symbol
from dpbandits.core.numbers import number
from dpbandits.papers.style import computed_rows

VARIANTS = {
    "every": ("on every batch (DP-IMED itself)", Look(VERMILION, "-")),
    "later": ("on all but each arm's first batch (not private)", Look(BLUE, (0, (4, 1)), "s")),
    "first": ("on each arm's first batch alone (not private)", Look(SKY, (0, (3, 1, 1, 1)), "^")),
    "none": ("on no batch (not private)", Look(BLACK, (0, (1, 1)), "v")),
}
# A run is called bad from this multiple of the median on.
BAD = 5.0
# Multiples of the median, and shares, at which a tick stands.
TICKS = (at(1, 5, 20, 100), {10.0**-k: f"{100.0 / 10**k:g} %" for k in range(6)})


def _finding(shown: pd.DataFrame) -> str:
    """Return how many times as many bad runs noise after the first batch makes as noise on it."""
    bad = shown[shown["multiple"] == shown.loc[shown["multiple"] >= BAD, "multiple"].min()]
    if len(bad) and bool((bad["later"] > bad["first"]).all()) and bool((bad["first"] > 0.0).all()):
        times = (bad["later"] / bad["first"]).to_numpy()
        return (
            f"Noise after each arm's first batch alone makes {number(times.min(), 2)} to "
            f"{number(times.max(), 2)} times as many runs above "
            f"{number(bad['multiple'].iloc[0])} medians as noise on first batches alone"
        )
    return "How rare bad runs are, by the batches that have noise"


def plot(table: pd.DataFrame, epsilon: float) -> Plot:
    """Describe the share of runs with regret above multiples of DP-IMED's median, by which batches have noise.

    There is a panel for each environment, all at the budget ``epsilon``. ``table`` is that of the computation
    ``noise-by-batch``, with shares ``every``, ``first``, ``later`` and ``none`` by ``environment, epsilon`` and
    ``multiple``. `BadInput` is raised if it has no row at ``epsilon``.
    """
    shown = table[table["epsilon"] == epsilon]
    if shown.empty:
        raise BadInput("options.epsilon", epsilon, f"one of {sorted(table['epsilon'].unique())}")
    limits = (shown["multiple"].min() / 1.2, shown["multiple"].max() * 1.2), (1.0 / 1.5 / shown["runs"].max(), 1.0)
    panels = [
        Panel(
            title=symbol(str(environment)),
            x="multiple",
            curves=[
                Curve(label, own, look.colour, look.dashes, {"share": Measure(variant)}, mark=look.mark)
                for variant, (label, look) in VARIANTS.items()
                # A share of none has no place on a logarithmic axis.
                if len(own := part[part[variant] > 0.0])
            ],
            labels=("m, a multiple of DP-IMED's median", "share of runs above m"),
            limits=limits,
            ticks=TICKS,
        )
        for environment, part in shown.groupby("environment", sort=False)
    ]
    return Plot(
        title=_finding(shown),
        conditions=(
            f"DP-IMED with noise on some batches alone; T = {number(shown['horizon'].max())}, "
            f"ε = {number(epsilon)}, {number(shown['runs'].max())} runs each\n"
            f"One run is {number(100.0 / shown['runs'].max(), 1)} %; no mark: no such run; intervals are not drawn"
        ),
        panels=panels,
        columns=min(2, len(panels)),
        height=2.2,
        legend_columns=2,
    )


FIGURE = PlottedFigure(
    title="How often regret is far above its median, by the batches that have noise",
    numbers=computed_rows,
    plot=plot,
    options={"epsilon": Option(0.25, "the budget that is shown")},
)
