"""Worst regret over the batch size of a conversion, with Theorem 1's bound and the printed choice."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from dpbandits.core.algorithm import Tuning
from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Panel
from dpbandits.core.labels import BLACK, BLUE, GREEN, VERMILION
from dpbandits.core.numbers import number
from dpbandits.core.tables import worst
from dpbandits.papers.style import count, panels, runs
from dpbandits.settings.adversarial import theory


def draw(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw a panel for each budget."""
    tau = aggregates["tau"].astype(int)
    table = worst(aggregates.assign(tau=tau), ["epsilon", "tau"])
    budgets = sorted(table["epsilon"].unique())
    figure, axes = panels(len(budgets), len(budgets), width=min(7.0, 4.6 * len(budgets)), height=3.2)
    rows = table[["horizon", "arms", "epsilon", "tau"]].itertuples(index=False)
    table["bound"] = [
        theory.converted(theory.htinf, Tuning(int(t), int(k), float(e)), int(size)) for t, k, e, size in rows
    ]
    for axis, epsilon, colour in zip(axes, budgets, (VERMILION, BLUE, GREEN), strict=False):
        part = table[table["epsilon"] == epsilon]
        errors = [part["mean"] - part["mean_low"], part["mean_high"] - part["mean"]]
        axis.errorbar(
            part["tau"], part["mean"], errors, color=colour, marker="o", markersize=3, label="measured mean"
        )
        axis.plot(part["tau"], part["bound"], color=BLACK, linestyle="--", label="Theorem 1's bound")
        chosen = math.ceil((1 - 1e-12) / epsilon)
        axis.axvline(chosen, color=BLACK, linewidth=0.8, linestyle=":")
        axis.text(chosen * 1.1, 0.97, "τ = ⌈1/ε⌉", transform=axis.get_xaxis_transform(), fontsize="small", va="top")
        above = float((part["bound"] / part["mean"]).min())
        words = f"the bound is at least {number(above, 2)} times the regret"
        axis.text(0.97, 0.03, words, transform=axis.transAxes, fontsize="small", ha="right")
        axis.set(xscale="log", yscale="log", title=f"ε = {epsilon:g}", xlabel="rounds in a batch τ")
        axis.set_ylim(table["mean"].min() / 3, table["bound"].max() * 2)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize="small")
    axes[0].set_ylabel("regret (losses)")
    title, horizon = table["title"].iloc[0], int(table["horizon"].iloc[0])
    figure.suptitle(f"{title}, worst environment; T = {count(horizon)}, {runs(aggregates)}", fontsize="medium")
    return figure, table[["epsilon", "tau", "environment", "runs", "mean", "mean_low", "mean_high", "bound"]]


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return a panel for each budget."""
    return [
        Panel(
            title=f"ε = {epsilon:g}",
            x="tau",
            curves=[Curve("measured, worst environment", part, colour)],
            labels=("rounds in a batch τ", "regret (losses)"),
            bounds={"Theorem 1's bound": "bound"},
        )
        for (epsilon, part), colour in zip(numbers.groupby("epsilon"), (VERMILION, BLUE, GREEN), strict=False)
    ]


FIGURE = InteractiveFigure(title="Worst regret over the batch size of a conversion", draw=draw, panels=panels_of)
