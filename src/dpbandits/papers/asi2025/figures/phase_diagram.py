"""Which algorithm for bandits with expert advice is best over (N, epsilon): by bound and by measurement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.core.algorithm import Tuning
from dpbandits.core.declarations import Drawing, Figure
from dpbandits.core.errors import BadInput
from dpbandits.core.labels import BLACK, looks
from dpbandits.core.options import Option
from dpbandits.core.tables import worst
from dpbandits.papers.style import count, panels, runs
from dpbandits.settings.experts.theory import POWERS, STATEMENTS, WITH_CONSTANTS, smallest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# No choice: every bound exceeds T, or nothing is learned.
NONE = "#dddddd"
GRID = 240
# Above this share of the plane its emptiness is what there is to see.
EMPTY = 0.95
# Measured regret this close to that of uniform play shows nothing about which algorithm is better.
UNIFORM = 0.95


def by_bound(
    axes: Axes,
    bounds: Mapping[str, Callable[[Tuning], float]],
    horizon: int,
    arms: int,
    experts: np.ndarray,
    budgets: np.ndarray,
    colours: Sequence[str],
) -> set[int]:
    """Colour the plane by the smallest of ``bounds``, grey where all exceed T; return the colours that occur."""

    from matplotlib.colors import ListedColormap

    names = list(POWERS)
    xs = np.geomspace(experts.min(), experts.max(), GRID)
    ys = np.geomspace(budgets.min(), budgets.max(), GRID)
    best = np.empty((GRID, GRID))
    for i, epsilon in enumerate(ys):
        for j, number in enumerate(xs):
            name = smallest(bounds, Tuning(horizon, arms, float(epsilon), max(2, round(number))))
            best[i, j] = len(names) if name is None else names.index(name)
    palette = ListedColormap([*colours, NONE])
    axes.pcolormesh(xs, ys, best, cmap=palette, vmin=-0.5, vmax=len(names) + 0.5, alpha=0.6, rasterized=True)
    occurring = {int(place) for place in np.unique(best)}
    if np.mean(best == len(names)) > EMPTY:
        words = "every bound\nexceeds T:\nit says nothing"
        axes.text(0.4, 0.62, words, transform=axes.transAxes, ha="center", va="center", fontsize="small")
    return occurring


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
    titles = table.drop_duplicates("algorithm").set_index("algorithm")["title"]
    styles = looks([titles[label] for label in algorithms])
    colours = [styles[titles[label]].colour for label in algorithms]
    figure, axes = panels(3, 3, height=3.4)
    occurring = set()
    for axis, bounds in zip(axes, (POWERS, WITH_CONSTANTS), strict=False):
        occurring |= by_bound(axis, bounds, horizon, arms, experts, budgets, colours)
        table_2(axis, horizon, arms, experts)
    headings = ("smallest bound, without constants", "smallest bound, with constants", "measured: best regret / T")
    for axis, title in zip(axes, headings, strict=True):
        axis.set(xscale="log", yscale="log", xlabel="experts N")
        axis.set_title(title, fontsize="small")
        axis.set_xticks(experts, [str(number) for number in experts])
        axis.xaxis.set_minor_locator(NullLocator())
        axis.grid(visible=False)
    colour = dict(zip(algorithms, colours, strict=True)) | {"tie": "white", "uniform": NONE}
    # Uniform play loses what a round loses on average above the best expert: it is the largest measured regret.
    largest = table["mean"].max()
    rows, verdicts = [], set()
    for _, cell in table.groupby(["experts", "epsilon"]):
        place = (int(cell["experts"].iloc[0]), float(cell["epsilon"].iloc[0]))
        verdict = decide(cell, largest)
        box = {"boxstyle": "square,pad=0.35", "facecolor": colour[verdict], "alpha": 0.6, "edgecolor": BLACK}
        share = f"{cell['mean'].min() / horizon:.2f}"
        axes[2].text(*place, share, fontsize=7.5, ha="center", va="center", bbox=box)
        verdicts.add(verdict)
        rows.append(cell.assign(best=verdict))
    axes[2].set(xlim=(experts.min() / 2, experts.max() * 2), ylim=(budgets.min() / 2.5, budgets.max() * 2.5))
    axes[0].set_ylabel("privacy budget ε")
    handles = [
        Patch(color=colour[label], alpha=0.6, label=f"{titles[label]} ({STATEMENTS[name]})")
        for i, (name, label) in enumerate(zip(POWERS, algorithms, strict=True))
        if i in occurring or label in verdicts
    ]
    handles.append(Patch(color=NONE, label="no bound below T; all play uniformly"))
    if "tie" in verdicts:
        handles.append(Patch(fc="white", ec=BLACK, label="tie"))
    figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize="small")
    figure.suptitle(
        f"T = {count(horizon)}, K = {arms}, {runs(table)}. Lines, Table 2: N = K, ε = K/N (dashed), "
        f"ε = 1/√T (dotted)",
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
