"""azize2025, Theorem 3.1: d_eps with its two regimes, and what it gains on the earlier lower bound (eq. 7)."""

from __future__ import annotations

import itertools
import string
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Drawing
from dpbandits.core.interactive import Curve, InteractiveFigure, Measure, Panel
from dpbandits.core.labels import BLACK, BLUE, GREEN, GREY, ORANGE, SKY, VERMILION, Look
from dpbandits.papers.style import panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

LOW_PRIVACY = "#DADADA"
# Of pairs of means.
PAIRS = (ORANGE, BLUE, BLACK, GREEN, VERMILION)
GAIN = "gain on eq. 7 (factor)"


def divergence(axis: Axes, profile: pd.DataFrame) -> None:
    """Draw the divergences of the two bounds over the budget, for one pair of means."""
    mu_a, mu_star, change = profile[["mu_a", "mu_star", "threshold"]].iloc[0]
    epsilon = profile["epsilon"]
    axis.axvspan(change, epsilon.max(), color=LOW_PRIVACY, linewidth=0)
    axis.loglog(epsilon, profile["epsilon_delta"], color=GREEN, linestyle=(0, (4, 2)), label="$\\epsilon\\Delta$")
    axis.loglog(epsilon, profile["kl"], color=BLACK, linestyle=(0, (1, 1)), label="kl")
    axis.loglog(epsilon, profile["d_eps"], color=SKY, linewidth=4, label="$d_\\epsilon$ (eq. 8)")
    few = profile.iloc[::10]
    axis.loglog(few["epsilon"], few["infimum"], ".", color=BLUE, label="infimum (eq. 6)")
    axis.loglog(epsilon, profile["earlier"], color=VERMILION, label="min{kl, 6$\\epsilon\\Delta$} (eq. 7)")
    axis.set(xlim=(epsilon.min(), epsilon.max()), ylim=(profile["d_eps"].min() / 20, profile["kl"].max() * 4))
    axis.text(
        np.sqrt(change * epsilon.max()),
        profile["kl"].max() / 1.6,
        "low\nprivacy",
        fontsize=7,
        ha="center",
        va="top",
    )
    axis.legend(loc="lower right", fontsize=7, framealpha=1.0, handlelength=1.6, borderpad=0.3)
    axis.set(xlabel="budget $\\epsilon$", ylabel="divergence (nats per pull)")
    axis.set_title(f"(a) $\\mu_a$ = {mu_a:g}, $\\mu^*$ = {mu_star:g}")


def gain_over_budget(axis: Axes, table: pd.DataFrame) -> None:
    """Draw the gain over the budget for several pairs of means; a dot where the regime changes."""
    profiles = table[table["part"] == "profile"].groupby(["mu_a", "mu_star"])
    for ((mu_a, mu_star), profile), colour in zip(profiles, itertools.cycle(PAIRS), strict=False):
        axis.semilogx(profile["epsilon"], profile["improvement"], color=colour, label=f"{mu_a:g}, {mu_star:g}")
        axis.plot(profile["threshold"].iloc[0], 1.0, "o", color=colour, ms=5, zorder=3)
    largest = table["improvement"].max()
    axis.axhline(largest, color=GREY, linestyle=(0, (2, 2)))
    axis.text(
        0.98,
        largest + 0.1,
        f"largest of all: {largest:.2f}",
        ha="right",
        transform=axis.get_yaxis_transform(),
        fontsize=7,
    )
    axis.text(0.03, 0.02, "exactly 1 from the dot on", transform=axis.transAxes, fontsize=7)
    axis.set(ylim=(0.1, 7.4), yticks=range(1, 8), xlabel="budget $\\epsilon$", ylabel=GAIN)
    axis.set_title("(b) gain by budget")
    axis.set_xlim(right=30 * axis.get_xlim()[1])
    axis.legend(title="$\\mu_a$, $\\mu^*$", loc="center right", fontsize=7, title_fontsize=8, handlelength=1.2)


def gain_map(axis: Axes, part: pd.DataFrame) -> QuadMesh:
    """Draw the gain over all pairs of means at one budget; grey is the low-privacy regime, no gain at all."""

    from matplotlib.colors import LogNorm

    epsilon = part["epsilon"].iloc[0]
    grid = part.pivot_table(index="mu_star", columns="mu_a", values="improvement")
    scale = LogNorm(1.0, 6.6)
    mesh = axis.pcolormesh(grid.columns, grid.index, grid, cmap="viridis", norm=scale, rasterized=True)
    # The regimes meet where logit(mu*) - logit(mu_a) = epsilon. Cells that reach over are covered.
    x = np.linspace(0.0, 1.0, 201)
    border = x * np.exp(epsilon) / (x * np.exp(epsilon) + 1.0 - x)
    axis.fill_between(x, x, border, color=LOW_PRIVACY, linewidth=0, zorder=2)
    axis.fill_between(x, 0.0, x, color="white", linewidth=0, zorder=2)
    axis.plot(x, border, color=BLACK, linewidth=0.8)
    axis.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="suboptimal mean $\\mu_a$")
    axis.grid(visible=False)
    return mesh


def draw(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the divergences and the gain over the budget, and maps of the gain."""
    (table,) = computed.values()
    grid = table[table["part"] == "grid"]
    budgets = sorted(grid["epsilon"].unique())
    figure, axes = panels(3 + len(budgets), 3, height=2.6)
    profiles = [profile for _, profile in table[table["part"] == "profile"].groupby(["mu_a", "mu_star"])]
    divergence(axes[0], profiles[len(profiles) // 2])
    gain_over_budget(axes[1], table)
    for letter, axis, budget in zip(string.ascii_lowercase[2:], axes[3:], budgets, strict=False):
        mesh = gain_map(axis, grid[grid["epsilon"] == budget])
        axis.set_title(f"({letter}) gain at ε = {budget:g}")
    axes[3].set_ylabel("best mean µ*")
    axes[2].axis("off")
    words = "Maps below: the gain at each\npair of means. Grey: low\nprivacy, the gain is exactly 1."
    axes[2].text(0.02, 0.95, words, transform=axes[2].transAxes, va="top", fontsize=8)
    bar = figure.colorbar(mesh, ax=axes[2], ticks=(1, 2, 3, 4, 6), format="%g", orientation="horizontal", aspect=14)
    bar.minorticks_off()
    bar.set_label(GAIN)
    return figure, table


DIVERGENCES = {
    "ε Δ": ("epsilon_delta", Look(GREEN, (0, (4, 2)))),
    "kl": ("kl", Look(BLACK, (0, (1, 1)))),
    "d_ε (eq. 8)": ("d_eps", Look(SKY, "-")),
    "infimum (eq. 6)": ("infimum", Look(BLUE, (0, (1, 3)))),
    "min{kl, 6εΔ} (eq. 7)": ("earlier", Look(VERMILION, "-")),
}


def panels_of(numbers: pd.DataFrame) -> list[Panel]:
    """Return the divergences of each pair of means and the gain over the budget; maps are no curves."""
    profiles = [
        (f"μ_a = {mu_a:g}, μ* = {mu_star:g}", part)
        for (mu_a, mu_star), part in numbers[numbers["part"] == "profile"].groupby(["mu_a", "mu_star"])
    ]
    found = []
    for name, part in profiles:
        of_kinds = [
            Curve(label, part, look.colour, look.dashes, measures={"divergence": Measure(column)})
            for label, (column, look) in DIVERGENCES.items()
        ]
        found.append(Panel(name, "epsilon", of_kinds, ("budget ε", "divergence (nats per pull)")))
    gains = [
        Curve(name, part, colour, measures={"gain": Measure("improvement")})
        for (name, part), colour in zip(profiles, itertools.cycle(PAIRS), strict=False)
    ]
    return [*found, Panel("gain by budget", "epsilon", gains, ("budget ε", GAIN), log=(True, False))]


FIGURE = InteractiveFigure(
    title="The lower bound's divergence, its regimes, and its gain on the earlier bound",
    draw=draw,
    panels=panels_of,
)
