"""How often DP-IMED's regret is far above its median, by the batches that have noise."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, BLUE, SKY, VERMILION, Look, symbol
from dpbandits.papers.style import panels, thousands

# Multiples of the median at which a tick stands.
TICKS = (1, 5, 20, 100)
VARIANTS = {
    "every": ("noise on every batch: DP-IMED", Look(VERMILION, "-")),
    "later": ("on all but each arm's first batch", Look(BLUE, (0, (4, 1)))),
    "first": ("on each arm's first batch alone", Look(SKY, (0, (3, 1, 1, 1)))),
    "none": ("on none", Look(BLACK, (0, (1, 1)))),
}


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw a row for each budget, a column for each environment."""

    (table,) = computed.values()
    environments = list(table["environment"].unique())
    budgets = sorted(table["epsilon"].unique())
    figure, axes = panels(len(budgets) * len(environments), len(environments), height=1.8)
    least = 1.0 / table["runs"].max()
    for place, axis in enumerate(axes):
        epsilon, environment = budgets[place // len(environments)], environments[place % len(environments)]
        part = table[(table["epsilon"] == epsilon) & (table["environment"] == environment)]
        for variant, (label, look) in VARIANTS.items():
            curve = part[part[variant] > 0.0]
            axis.plot(
                curve["multiple"],
                curve[variant],
                **look.line,
                marker="o",
                markersize=2.5,
                linewidth=1.2,
                label=label,
            )
        axis.set(xscale="log", yscale="log", ylim=(least / 1.5, 1.0))
        axis.set_xlim(table["multiple"].min() / 1.2, table["multiple"].max() * 1.2)
        axis.minorticks_off()
        axis.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
        axis.yaxis.set_major_formatter(lambda share, _: f"{100.0 * share:g} %")
        axis.set_title(f"{symbol(environment)}, ε = {epsilon:g}")
        if place // len(environments) == len(budgets) - 1:
            axis.set_xlabel("times the median")
        if place % len(environments):
            axis.tick_params(labelleft=False)
    figure.supylabel("share of runs above", fontsize="medium")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize="small")
    figure.suptitle(
        f"Share of runs whose regret at T = {thousands(table['horizon'].max())} is above a multiple of DP-IMED's "
        f"median\nby the batches that have noise, {table['runs'].max():,} runs each; all but the first not private",
        fontsize="medium",
    )
    return figure, table


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return a panel for each budget and environment."""
    return [
        Panel(
            title=f"{symbol(str(environment))}, ε = {epsilon:g}",
            x="multiple",
            curves=[
                Curve(
                    label, part[part[variant] > 0.0], look.colour, look.dashes, measures={"share": Measure(variant)}
                )
                for variant, (label, look) in VARIANTS.items()
                if (part[variant] > 0.0).any()
            ],
            labels=("multiple of the median", "share of runs above"),
        )
        for (epsilon, environment), part in numbers.groupby(["epsilon", "environment"])
    ]


FIGURE = InteractiveFigure(
    title="How often regret is far above its median, by the batches that have noise", draw=draw, panels=panels_of
)
