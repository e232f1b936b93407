"""azize2025, Proposition 4.1: exact tails of a private mean, their decay rate, and the bounds on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.errors import BadInput
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, BLUE, GREEN, ORANGE, SKY, VERMILION
from dpbandits.core.options import Option
from dpbandits.papers.style import LineOptions, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Column of logarithms, number of noise terms, label, and look.
CURVES: tuple[tuple[str, str, str, LineOptions], ...] = (
    ("log_rewards", "one", "exact, no noise", {"color": BLACK, "linestyle": (0, (1, 1))}),
    ("log_tail", "one", "exact, one noise term", {"color": SKY, "marker": "o"}),
    ("log_tail", "batches", "exact, one noise term a batch", {"color": BLUE, "marker": "s"}),
    (
        "log_split",
        "batches",
        "noise and rewards apart (best split)",
        {"color": ORANGE, "linestyle": (0, (4, 1, 1, 1))},
    ),
    ("log_chernoff", "batches", "Chernoff bound of the whole sum", {"color": GREEN, "linestyle": (0, (5, 1))}),
    ("log_d3", "batches", "bound of Lemma D.3", {"color": VERMILION}),
)


def rates(axis: Axes, part: pd.DataFrame) -> None:
    """Draw -log P / n over n with the rates that it tends to; a bound above 1 has none."""
    for column, noises, label, look in CURVES:
        rows = part[(part["noises"] == noises) & (part[column] < 0.0)]
        axis.loglog(rows["n"], -rows[column] / rows["n"], label=label, markersize=3, linewidth=1.2, **look)
    d_eps, kl, split = part[["d_eps", "kl", "split"]].iloc[0]
    limits = {"$d_\\epsilon$": (d_eps, BLUE), "kl": (kl, BLACK), "apart": (split, ORANGE)}
    if d_eps == kl:
        limits = {"$d_\\epsilon$ = kl": (kl, BLACK), "apart": (split, ORANGE)}
    for label, (rate, colour) in limits.items():
        axis.axhline(rate, color=colour, linewidth=0.7, zorder=1)
        axis.text(1.01, rate, label, transform=axis.get_yaxis_transform(), va="center", color=colour, fontsize=8)


def factors(axis: Axes, part: pd.DataFrame) -> None:
    """Draw tails and bounds as multiples of e^(-n d_eps); noise and rewards apart are off any scale."""
    for column, noises, _, look in CURVES:
        if column not in ("log_rewards", "log_split"):
            rows = part[part["noises"] == noises]
            factor = (rows[column] + rows["n"] * rows["d_eps"]) / np.log(10.0)
            axis.semilogx(rows["n"], factor, markersize=3, linewidth=1.2, **look)


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame], mu: float, x: float) -> Drawing:
    """Draw a column for each budget: decay rates above, the factor beside e^(-n d_eps) below."""
    (table,) = computed.values()
    cases = sorted(set(zip(table["mu"], table["x"], strict=True)))
    if (mu, x) not in cases:
        raise BadInput("options.mu and options.x", (mu, x), f"a case of the computation: {cases}")
    table = table[(table["mu"] == mu) & (table["x"] == x)]
    budgets = sorted(table["epsilon"].unique())
    figure, axes = panels(2 * len(budgets), len(budgets), height=2.6)
    highest = (table["log_d3"] + table["n"] * table["d_eps"]).max() / np.log(10.0)
    above, below = axes[: len(budgets)], axes[len(budgets) :]
    for budget, upper, lower in zip(budgets, above, below, strict=True):
        part = table[table["epsilon"] == budget]
        rates(upper, part)
        factors(lower, part)
        upper.set_title(f"$\\epsilon$ = {budget:g} ({part['regime'].iloc[0]})")
        upper.set_ylim(table["split"].min() / 6, 2.0)
        lower.set_ylim(-0.05 * highest, 1.05 * highest)
        lower.set_xlabel("rewards n")
    above[0].set_ylabel("rate: right\n($-$log P / n, nats per reward)", fontsize="small")
    orders = f"{highest:.0f} orders of magnitude off"
    below[0].set_ylabel(
        f"constant: up to {orders}\n(powers of ten beside e$^{{-n d_\\epsilon}}$)", fontsize="small"
    )
    figure.legend(*above[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8)
    return figure, table


def panels_of(numbers: pd.DataFrame, **_: object) -> list[Panel]:
    """Return a panel of decay rates for each budget."""
    found = []
    for (epsilon, regime), part in numbers.groupby(["epsilon", "regime"]):
        rates_of = []
        for column, noises, label, look in CURVES:
            rows = part[(part["noises"] == noises) & (part[column] < 0.0)]
            rows = rows.assign(rate=-rows[column] / rows["n"])
            measures = {"decay rate": Measure("rate")}
            rates_of.append(Curve(label, rows, look["color"], look.get("linestyle", "-"), measures=measures))
        labels = ("rewards n", "decay rate −log P / n (nats per reward)")
        bounds = {"d_ε": "d_eps", "kl": "kl", "noise and rewards apart": "split"}
        found.append(Panel(f"ε = {epsilon:g} ({regime})", "n", rates_of, labels, bounds=bounds))
    return found


FIGURE = InteractiveFigure(
    title="Exact tails of a private mean, their decay rate, and the bounds on them",
    draw=draw,
    panels=panels_of,
    options={
        "mu": Option(0.5, "mean of the rewards"),
        "x": Option(0.75, "threshold of the private mean; with mu a case of the computation"),
    },
)
