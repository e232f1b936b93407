"""How the worst regret of an algorithm grows: on logarithmic axes, with its bound and the fitted exponent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpbandits.core.algorithm import Tuning
from dpbandits.core.declarations import Drawing
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.interactive import Curve, InteractiveFigure, Panel
from dpbandits.core.labels import BLACK, BLUE, GREY, looks
from dpbandits.core.options import Option
from dpbandits.core.tables import learned, matching, worst
from dpbandits.papers.style import panels, thousands
from dpbandits.settings.adversarial.theory import BOUNDS as ARMS
from dpbandits.settings.experts.theory import BOUNDS as EXPERTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BOUNDS = ARMS | EXPERTS
AXES = {"horizon": "horizon T", "arms": "arms K", "epsilon": "privacy budget ε", "experts": "experts N"}
# Points enter a fit if their regret is at most this share of uniform play's, else nothing is learned.
LEARNED = 0.5
LEAST_POINTS = 3
# So many points are named on their axis one by one.
FEW = 6
COLUMNS = ["over", "horizon", "arms", "epsilon", "experts", "environment", "runs", "mean", "mean_low", "mean_high"]
COLUMNS += ["bound", "fit_exponent", "fit_low", "fit_high", "fit_points"]


def exponent(table: pd.DataFrame, x: str) -> dict[str, float]:
    """Return the exponent of regret as a power of ``x``, with a 95 % interval, from the sublinear points.

    Least squares of log(mean) on log(x). The interval is that of the runs' randomness alone, carried through the
    fit; it does not say that a power law holds. Without `LEAST_POINTS` points the exponent is missing: not decided.
    """
    part = learned(table, LEARNED)
    if len(part) < LEAST_POINTS:
        return {"exponent": math.nan, "low": math.nan, "high": math.nan, "points": len(part)}
    logs = np.log(part[x].to_numpy(dtype=float))
    centred = (logs - logs.mean()) / ((logs - logs.mean()) ** 2).sum()
    fitted = float(centred @ np.log(part["mean"].to_numpy()))
    error = (part["sd"] / part["mean"] / np.sqrt(part["runs"])).to_numpy()
    half = 1.96 * math.sqrt(float(centred**2 @ error**2))
    return {"exponent": fitted, "low": fitted - half, "high": fitted + half, "points": len(part)}


def bounds(table: pd.DataFrame, bound: str) -> list[float]:
    """Return the bound at each row's tuning."""
    rows = table[["horizon", "arms", "epsilon", "experts"]].itertuples(index=False)
    value = BOUNDS[bound].value or BOUNDS[bound].suppressed
    return [value(Tuning(int(t), int(k), float(e), int(n))) for t, k, e, n in rows]


def _panel(axes: Axes, table: pd.DataFrame, x: str, colour: str, expected: float) -> dict[str, float]:
    """Draw one panel and return its fit."""

    from matplotlib.ticker import NullLocator

    fit = exponent(table, x)
    axes.plot(table[x], table["bound"], color=BLACK, linestyle="--", label="bound")
    axes.plot(
        table[x],
        table["horizon"],
        color=GREY,
        linewidth=0.8,
        linestyle=":",
        label="T: a bound above it says nothing",
    )
    axes.errorbar(
        table[x],
        table["mean"],
        [table["mean"] - table["mean_low"], table["mean_high"] - table["mean"]],
        color=colour,
        marker="o",
        markersize=3,
        label="measured, worst environment",
    )
    words = "no fit: fewer than 3\npoints below half of\nuniform play's regret"
    if not math.isnan(fit["exponent"]):
        half = (fit["high"] - fit["low"]) / 2
        words = f"exponent {fit['exponent']:.3f} ± {half:.3f}\nbound: {expected:g}"
    held = {name: table[name].unique() for name in AXES if name != x}
    words += "\n" + ", ".join(
        f"{AXES[name][-1]} = {thousands(found[0]) if name == 'horizon' else f'{found[0]:g}'}"
        for name, found in held.items()
        if found[0] and len(found) == 1
    )
    # Where the curve is not: it falls with the budget and rises with all else.
    place, side = (0.03, "left") if x == "epsilon" else (0.97, "right")
    axes.text(place, 0.03, words, transform=axes.transAxes, fontsize="small", va="bottom", ha=side)
    axes.set(xscale="log", yscale="log", xlabel=AXES[x])
    if x != "horizon" and len(table) <= FEW:
        axes.set_xticks(table[x], [f"{value:g}" for value in table[x]])
        axes.xaxis.set_minor_locator(NullLocator())
    return fit


def draw(
    aggregates: pd.DataFrame,
    _: Mapping[str, pd.DataFrame],
    algorithm: str,
    bound: str,
    over: dict[str, Any] | list[Any],
) -> Drawing:
    """Draw a panel for each experiment of ``over``."""
    known = aggregates["algorithm"].unique()
    if algorithm not in known:
        raise BadInput("options.algorithm", algorithm, suggest(algorithm, known))
    if bound not in BOUNDS:
        raise BadInput("options.bound", bound, suggest(bound, BOUNDS))
    own = aggregates[aggregates["algorithm"] == algorithm]
    figure, axes = panels(len(over), len(over), height=3.2)
    colour = looks([own["title"].iloc[0]])[own["title"].iloc[0]].colour
    parts = []
    for axis, (experiment, x, expected, *fixed) in zip(axes, over, strict=True):
        part = matching(own[own["experiment"] == experiment], fixed[0] if fixed else {})
        if part.empty:
            raise BadInput("options.over", [experiment, x, expected, *fixed], "an experiment that has such cells")
        table = worst(part, [x])
        table = table.assign(bound=bounds(table, bound), over=x)
        fit = _panel(axis, table, x, colour, expected)
        parts.append(table.assign(**{f"fit_{name}": value for name, value in fit.items()}))
    low = min(part["mean"].min() for part in parts) / 30
    for axis in axes:
        axis.set_ylim(bottom=low)
    axes[0].set_ylabel("regret (losses)")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, fontsize="small")
    spread = " to ".join(str(number) for number in sorted({own["runs"].min(), own["runs"].max()}))
    figure.suptitle(f"{own['title'].iloc[0]}: {BOUNDS[bound].source}; {spread} runs", fontsize="medium")
    return figure, pd.concat(parts)[COLUMNS]


def panels_of(numbers: pd.DataFrame, **__: object) -> list[Panel]:
    """Return a panel for each quantity: regret, its bound, and T, above which a bound says nothing."""
    numbers = numbers.assign(trivial=numbers["horizon"])
    found = []
    for (x, _, _), part in numbers.groupby(["over", "fit_exponent", "fit_points"], sort=False, dropna=False):
        title = f"over {AXES[str(x)]}"
        curve = Curve("measured, worst environment", part, BLUE)
        bounds = {"bound": "bound", "T": "trivial"}
        found.append(Panel(title, str(x), [curve], (AXES[str(x)], "regret (losses)"), bounds=bounds))
    return found


FIGURE = InteractiveFigure(
    title="Growth of the worst regret with its bound and fitted exponent",
    draw=draw,
    panels=panels_of,
    options={
        "algorithm": Option("", "label of the algorithm"),
        "bound": Option("", "name of its bound"),
        "over": Option(
            [],
            "panels: [experiment, axis, the bound's exponent, {what is fixed: at what}]; axes " + ", ".join(AXES),
        ),
    },
)
