"""Which algorithm for bandits with expert advice is best over (N, epsilon): by bound and by measurement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.core.algorithm import Tuning
from dpbandits.core.declarations import Drawing, Figure
from dpbandits.core.errors import BadInput
from dpbandits.core.labels import BLACK, BLUE, GREEN, ORANGE
from dpbandits.core.options import Option
from dpbandits.core.tables import worst
from dpbandits.papers.style import panels, thousands
from dpbandits.settings.experts.theory import POWERS, STATEMENTS, WITH_CONSTANTS, smallest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# In this order everywhere; the last stands for no choice.
COLOURS = dict(zip(POWERS, (BLUE, ORANGE, GREEN), strict=True))
NONE = "#dddddd"
GRID = 240
# Measured regret this close to that of uniform play shows nothing about which algorithm is better.
UNIFORM = 0.95


def by_bound(
    axes: Axes,
    bounds: Mapping[str, Callable[[Tuning], float]],
    horizon: int,
    arms: int,
    experts: np.ndarray,
    budgets: np.ndarray,
) -> None:
    """Colour the plane by the smallest of ``bounds``, grey where all exceed T."""

    from matplotlib.colors import ListedColormap

    names = list(POWERS)
    xs = np.geomspace(experts.min(), experts.max(), GRID)
    ys = np.geomspace(budgets.min(), budgets.max(), GRID)
    best = np.empty((GRID, GRID))
    for i, epsilon in enumerate(ys):
        for j, number in enumerate(xs):
            name = smallest(bounds, Tuning(horizon, arms, float(epsilon), max(2, round(number))))
            best[i, j] = len(names) if name is None else names.index(name)
    colours = ListedColormap([*COLOURS.values(), NONE])
    axes.pcolormesh(xs, ys, best, cmap=colours, vmin=-0.5, vmax=len(names) + 0.5, alpha=0.6, rasterized=True)


def table_2(axes: Axes, horizon: int, arms: int, experts: np.ndarray) -> None:
    """Outline the printed regimes."""
    axes.axvline(arms, color=BLACK, linewidth=1.0)
    beyond = np.geomspace(arms, experts.max(), 50)
    axes.plot(beyond, arms / beyond, color=BLACK, linewidth=1.0, linestyle="--")
    axes.plot([arms, experts.max()], [horizon**-0.5] * 2, color=BLACK, linewidth=1.0, linestyle=":")


def decide(cell: pd.DataFrame, uniform: float) -> str:
    """Return the label of the algorithm measured best at a point, ``"tie"`` or ``"uniform"``."""
    ordered = cell.sort_values("mean")
    best, second = ordered.iloc[0], ordered.iloc[1]
    if best["mean"] >= UNIFORM * uniform:
        return "uniform"
    return "tie" if best["mean_high"] >= second["mean_low"] else str(best["algorithm"])


def draw(aggregates: pd.DataFrame, __: Mapping[str, pd.DataFrame], algorithms: list[str]) -> Drawing:
    """Draw three panels: by bound without constants and logarithms, with constants, and measured."""

    from matplotlib.patches import Patch
    from matplotlib.ticker import NullLocator

    if len(algorithms) != len(POWERS):
        raise BadInput("options.algorithms", algorithms, f"one label for each of {', '.join(POWERS)}")
    table = worst(aggregates[aggregates["algorithm"].isin(algorithms)], ["algorithm", "experts", "epsilon"])
    horizon, arms = int(table["horizon"].iloc[0]), int(table["arms"].iloc[0])
    experts, budgets = np.sort(table["experts"].unique()), np.sort(table["epsilon"].unique())
    figure, axes = panels(3, 3, height=3.6)
    by_bound(axes[0], POWERS, horizon, arms, experts, budgets)
    by_bound(axes[1], WITH_CONSTANTS, horizon, arms, experts, budgets)
    for axis, title in zip(axes, ("by bound, powers alone", "by bound, with constants", "measured"), strict=True):
        table_2(axis, horizon, arms, experts)
        axis.set(xscale="log", yscale="log", xlabel="experts N", title=title)
        axis.set_xticks(experts, [str(number) for number in experts])
        axis.xaxis.set_minor_locator(NullLocator())
        axis.grid(visible=False)
    colour = dict(zip(algorithms, COLOURS.values(), strict=True)) | {"tie": "white", "uniform": NONE}
    # Uniform play loses what a round loses on average above the best expert: it is the largest measured regret.
    largest = table["mean"].max()
    rows = []
    for _, cell in table.groupby(["experts", "epsilon"]):
        number, epsilon = int(cell["experts"].iloc[0]), float(cell["epsilon"].iloc[0])
        verdict = decide(cell, largest)
        axes[2].plot(
            number, epsilon, marker="s", markersize=14, color=colour[verdict], alpha=0.6, markeredgecolor=BLACK
        )
        axes[2].text(number, epsilon, f"{cell['mean'].min() / horizon:.2f}", fontsize=6, ha="center", va="center")
        rows.append(cell.assign(best=verdict))
    axes[2].set(xlim=(experts.min() / 2, experts.max() * 2), ylim=(budgets.min() / 2.5, budgets.max() * 2.5))
    axes[0].set_ylabel("privacy budget ε")
    titles = table.drop_duplicates("algorithm").set_index("algorithm")["title"]
    handles = [
        Patch(color=COLOURS[name], alpha=0.6, label=f"{titles[label]} ({STATEMENTS[name]})")
        for name, label in zip(POWERS, algorithms, strict=True)
    ]
    handles += [
        Patch(color=NONE, label="no bound below T; all play uniformly"),
        Patch(fc="white", ec=BLACK, label="tie"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize="x-small")
    runs = int(table["runs"].min())
    figure.suptitle(
        f"T = {thousands(horizon)}, K = {arms}, {runs} runs. Lines: Table 2, N = K (full), ε = K/N (dashed), "
        f"ε = $1/\\sqrt{{T}}$ (dotted)",
        fontsize="small",
    )
    columns = [
        "experts",
        "epsilon",
        "algorithm",
        "title",
        "environment",
        "runs",
        "mean",
        "mean_low",
        "mean_high",
        "best",
    ]
    return figure, pd.concat(rows)[columns]


FIGURE = Figure(
    title="Best algorithm for experts over (N, epsilon)",
    draw=draw,
    options={
        "algorithms": Option([], "labels that stand for Corollary 8, Theorem 9 and Theorem 10, in this order")
    },
)
