"""How the worst regret of an algorithm grows: on logarithmic axes, with its bound and the fitted exponent."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.core.algorithm import Tuning
from dpbandits.core.declarations import Drawing
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.interactive import Curve, InteractiveFigure, Panel
from dpbandits.core.labels import BLACK, GREY
from dpbandits.core.numbers import number
from dpbandits.core.options import Option, Options
from dpbandits.core.tables import learned, matching, worst
from dpbandits.papers import style
from dpbandits.papers.style import count, curves
from dpbandits.settings.adversarial.theory import BOUNDS as ARMS
from dpbandits.settings.experts.theory import BOUNDS as EXPERTS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

BOUNDS = ARMS | EXPERTS
AXES = {"horizon": "horizon T", "arms": "arms K", "epsilon": "privacy budget ε", "experts": "experts N"}
# Points enter a fit if their regret is at most this share of uniform play's, else nothing is learned.
LEARNED = 0.5
LEAST_POINTS = 3
# Up to this number of points, each is named on its axis.
FEW = 6
COLUMNS = ["panel", "over", "algorithm", "title", "horizon", "arms", "epsilon", "experts", "environment", "runs"]
COLUMNS += ["mean", "mean_low", "mean_high", "bound", "fit_exponent", "fit_low", "fit_high", "fit_points"]


@dataclass(frozen=True)
class GrowthPanel:
    """One panel.

    Attributes
    ----------
    of
        Labels of its algorithms.
    bound
        Name of their bound.
    experiments, where
        Whose cells, and what values they have in which columns.
    over
        The axis, one of `AXES`.
    exponent
        Of the bound on that axis, without its logarithms.
    """

    of: list[str]
    bound: str
    experiments: list[str]
    over: str
    exponent: float
    where: Mapping[str, object] = field(default_factory=dict)


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


def _ticks(axes: Axes, values: pd.Series[float], horizon: bool) -> None:
    """Put a tick at each of a few points, and nowhere else."""

    from matplotlib.ticker import NullLocator

    points = sorted(values.unique())
    if len(points) <= FEW:
        axes.set_xticks(points, [count(int(x)) if horizon else f"{x:g}" for x in points])
    axes.xaxis.set_minor_locator(NullLocator())


def _slope(axes: Axes, table: pd.DataFrame, x: str, expected: float) -> None:
    """Draw the bound's power law through the middle of the measured points."""
    part = learned(table, LEARNED)
    if len(part) < LEAST_POINTS:
        return
    places = part[x].to_numpy(dtype=float)
    middle, height = np.exp(np.log(places).mean()), np.exp(np.log(part["mean"]).mean())
    line = height * (places / middle) ** expected
    axes.plot(places, line, color=GREY, linewidth=1.0, zorder=1, label="the bound's exponent, through the data")


def _panel(axes: Axes, table: pd.DataFrame, panel: GrowthPanel) -> pd.DataFrame:
    """Draw one panel and return its numbers with the fits."""
    x, parts, words = panel.over, [], []
    for title, look, own in curves(table):
        fit = exponent(own, x)
        errors = [own["mean"] - own["mean_low"], own["mean_high"] - own["mean"]]
        axes.errorbar(own[x], own["mean"], errors, **look.line, marker=look.mark, markersize=3.5, label=title)
        _slope(axes, own, x, panel.exponent)
        if math.isnan(fit["exponent"]):
            words.append("no fit")
        else:
            words.append(f"exponent {number(fit['exponent'], 2)} ± {number((fit['high'] - fit['low']) / 2, 1)}")
        parts.append(own.assign(**{f"fit_{name}": value for name, value in fit.items()}))
    one = table.drop_duplicates(x)
    axes.plot(one[x], one["bound"], color=BLACK, linestyle="--", label="the theorem's bound")
    axes.set(xscale="log", yscale="log", xlabel=AXES[x])
    axes.set_ylim(table["mean"].min() / 3, 2 * max(one["bound"].max(), one["horizon"].max()))
    axes.fill_between(one[x], one["horizon"], axes.get_ylim()[1], color=GREY, alpha=0.18, linewidth=0)
    held = ", ".join(
        f"{AXES[name].split()[-1]} = {count(int(values[0])) if name == 'horizon' else f'{values[0]:g}'}"
        for name in AXES
        if name != x and len(values := table[name].unique()) == 1 and values[0]
    )
    axes.set_title(f"{words[0]}\nbound's {number(panel.exponent)}; {held}", fontsize="small")
    _ticks(axes, table[x], x == "horizon")
    return pd.concat(parts)


def _legend(axes: Sequence[Axes]) -> list[Artist]:
    """Return what is drawn in any panel, each once."""

    from matplotlib.patches import Patch

    found = {
        label: handle for each in axes for handle, label in zip(*each.get_legend_handles_labels(), strict=True)
    }
    return [
        *found.values(),
        Patch(color=GREY, alpha=0.18, linewidth=0, label="above T: a bound here says nothing"),
    ]


def draw(aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame], panels: list[Options], columns: int) -> Drawing:
    """Draw a panel for each entry of ``panels``."""
    entries = _entries(panels, aggregates)
    figure, axes = style.panels(len(entries), min(columns, len(entries)), height=3.1 if len(entries) < 4 else 2.7)
    parts = []
    for i, (axis, panel) in enumerate(zip(axes, entries, strict=True)):
        part = matching(aggregates[aggregates["experiment"].isin(panel.experiments)], panel.where)
        part = part[part["algorithm"].isin(panel.of)]
        if part.empty:
            raise BadInput(
                ("options", "panels", i), ", ".join(panel.experiments), "experiments that have such cells"
            )
        table = worst(part, ["title", panel.over])
        table = table.assign(panel=i, over=panel.over, bound=bounds(table, panel.bound))
        parts.append(_panel(axis, table, panel))
    for axis in axes[:: min(columns, len(entries))]:
        axis.set_ylabel("regret (losses)")
    figure.legend(handles=_legend(axes), loc="outside lower center", ncols=2, fontsize="small")
    numbers = pd.concat(parts)
    sources = dict.fromkeys(BOUNDS[panel.bound].source.partition(", ")[2] for panel in entries)
    spread = dict.fromkeys(f"{number:,}" for number in (numbers["runs"].min(), numbers["runs"].max()))
    figure.suptitle(
        f"{' · '.join(sources)}: mean regret in the worst environment, {' to '.join(spread)} runs",
        fontsize="medium",
    )
    return figure, numbers[COLUMNS]


def _entries(panels: list[Options], aggregates: pd.DataFrame) -> list[GrowthPanel]:
    """Return the panels that options describe, their names checked."""
    known: Mapping[str, Collection[str]] = {
        "of": aggregates["algorithm"].unique(),
        "bound": BOUNDS,
        "over": AXES,
        "experiments": aggregates["experiment"].unique(),
    }
    found = []
    for i, entry in enumerate(panels):
        panel = GrowthPanel(**entry)
        for key, names in known.items():
            value = getattr(panel, key)
            for name in value if isinstance(value, list) else [value]:
                if name not in names:
                    raise BadInput(("options", "panels", i, key), name, suggest(name, names))
        found.append(panel)
    return found


def panels_of(numbers: pd.DataFrame, **__: object) -> list[Panel]:
    """Return the same panels: regret, its bound, and T, above which a bound says nothing."""
    numbers = numbers.assign(trivial=numbers["horizon"])
    found = []
    for _, part in numbers.groupby("panel"):
        x = str(part["over"].iloc[0])
        shown = [Curve(title, own, look.colour, look.dashes) for title, look, own in curves(part)]
        title = f"{part['title'].iloc[0]}, over {AXES[x]}"
        bounds_of = {"the theorem's bound": "bound", "T": "trivial"}
        found.append(Panel(title, x, shown, (AXES[x], "regret (losses)"), bounds=bounds_of))
    return found


FIGURE = InteractiveFigure(
    title="Growth of the worst regret with its bound and fitted exponent",
    draw=draw,
    panels=panels_of,
    options={
        "panels": Option(
            [],
            "panels, each {of: [algorithms' labels], bound: name, experiments: [names], over: an axis, exponent: "
            f"the bound's, where: {{column: value}}}}; axes {', '.join(AXES)}",
        ),
        "columns": Option(3, "panels in a row"),
    },
)
