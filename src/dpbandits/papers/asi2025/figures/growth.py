"""How the worst regret of an algorithm grows: on logarithmic axes, with its bound and the fitted exponent."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option, Options, Tuning
from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure
from dpbandits.core.labels import DOTTED, GREY, ORANGE, SYMBOLS
from dpbandits.core.numbers import number
from dpbandits.core.tables import learned, matching, worst
from dpbandits.papers.style import count, curves
from dpbandits.settings.adversarial.theory import BOUNDS as ARMS
from dpbandits.settings.experts.theory import BOUNDS as EXPERTS

BOUNDS = ARMS | EXPERTS
AXES = {"horizon": "horizon T", "arms": "arms K", "epsilon": "privacy budget ε", "experts": "experts N"}
# Points enter a fit if their regret is at most this share of uniform play's, each in its worst environment; the
# ledger's tests have the same limit (docs/verdicts.md, Saturation).
LEARNED = 0.3
LEAST_POINTS = 3
# Exponents that differ by no more are called alike.
ALIKE = 0.1
POWER = "slope of the bound, through the points"
ABOVE = "T, the most regret there can be: in the grey a bound says nothing"
BOUND = "the paper's bound"
# An interval's half that is less than this needs a third decimal.
NARROW = 0.005
COLUMNS = ["panel", "over", "algorithm", "title", "horizon", "arms", "epsilon", "experts", "environment", "runs"]
COLUMNS += ["mean", "mean_low", "mean_high", "bound", "fit_exponent", "fit_low", "fit_high", "fit_points"]


@dataclass(frozen=True)
class GrowthPanel:
    """Settings of one panel, an entry of the option ``panels``.

    Attributes
    ----------
    of
        Labels of the algorithms that the panel shows.
    bound
        Name of these algorithms' bound, a key of `BOUNDS` such as ``cor2``.
    experiments, where
        Names of the experiments that are shown, and values that their rows must have, by column.
    over
        The quantity on the horizontal axis: ``horizon``, ``arms``, ``epsilon`` or ``experts``.
    exponent
        Exponent of the bound as a power of ``over``, without its logarithms.
    """

    of: list[str]
    bound: str
    experiments: list[str]
    over: str
    exponent: float
    where: Mapping[str, object] = field(default_factory=dict)


def exponent(table: pd.DataFrame, x: str) -> dict[str, float]:
    """Return the exponent of mean regret as a power of the column ``x``, with a 95 % interval.

    The fit is least squares of log(mean) on log(x), over the points whose regret is at most 0.3 times that of
    uniform play. The interval covers the runs' randomness alone; it does not say that a power law holds.

    Parameters
    ----------
    table
        One row for each point: ``x``, the ``mean`` of ``runs`` runs, their ``sd``, and ``uniform`` play's regret.
    x
        Name of the column of which regret is a power, such as ``"horizon"``.

    Returns
    -------
    dict
        ``exponent``, the ends ``low`` and ``high`` of its interval, and the number of ``points`` in the fit. With
        fewer than three points the others are NaN.
    """
    part = learned(table, LEARNED)
    if len(part) < LEAST_POINTS:
        return {"exponent": math.nan, "low": math.nan, "high": math.nan, "points": len(part)}
    logs = np.log(part[x].to_numpy(dtype=float))
    centred = (logs - logs.mean()) / ((logs - logs.mean()) ** 2).sum()
    fitted = float(centred @ np.log(part["mean"].to_numpy()))
    # Standard error of each mean's logarithm.
    error = (part["sd"] / part["mean"] / np.sqrt(part["runs"])).to_numpy()
    half = 1.96 * math.sqrt(float(centred**2 @ error**2))
    return {"exponent": fitted, "low": fitted - half, "high": fitted + half, "points": len(part)}


def bounds(table: pd.DataFrame, bound: str) -> list[float]:
    """Return the value of a bound on regret, in losses, at each row's horizon, arms, budget and experts.

    ``bound`` is its name, such as ``cor2``. The bound has the constants of its proof, or no constants where these
    are not known.
    """
    rows = table[["horizon", "arms", "epsilon", "experts"]].itertuples(index=False)
    value = BOUNDS[bound].value or BOUNDS[bound].suppressed
    return [value(Tuning(int(t), int(k), float(e), int(n))) for t, k, e, n in rows]


def _slope(own: pd.DataFrame, panel: GrowthPanel) -> pd.DataFrame:
    """Return the bound's power law through the middle of the points that entered the fit."""
    part = learned(own, LEARNED) if "uniform" in own else own[:0]
    places = part[panel.over].to_numpy(dtype=float)
    if len(part) < LEAST_POINTS:
        return part.assign(power=math.nan)
    middle, height = np.exp(np.log(places).mean()), np.exp(np.log(part["mean"]).mean())
    return part.assign(power=height * (places / middle) ** panel.exponent)


def _words(fits: pd.Series[float]) -> str:
    """Return a fitted exponent with its interval's half."""
    if math.isnan(fits["fit_exponent"]):
        return "no exponent fitted"
    half = (fits["fit_high"] - fits["fit_low"]) / 2
    digits = 2 if half >= NARROW else 3
    # Of the runs' randomness alone: of few runs on a straight line it is next to nothing.
    half = max(half, 0.1**digits)
    return f"exponent {fits['fit_exponent']:.{digits}f} ± {half:.{digits}f}".replace("-", "−")


def _panel(table: pd.DataFrame, panel: GrowthPanel, heading: str) -> Panel:
    """Describe one panel: regret, its bound, the bound's power, and T, above which a bound says nothing."""
    x, one = panel.over, table.drop_duplicates(panel.over).sort_values(panel.over)
    top = 2 * max(one["bound"].max(), one["horizon"].max())
    shown = [
        Curve(title, own, look.colour, look.dashes, mark=look.mark, bars=True) for title, look, own in curves(table)
    ]
    first = table.drop_duplicates("title").iloc[0]
    # The exponent above the panel, and so the slope beside it, is the first algorithm's.
    power = _slope(table[table["title"] == first["title"]], panel)
    held = ", ".join(
        f"{AXES[name].split()[-1]} = {count(int(values[0])) if name == 'horizon' else number(values[0])}"
        for name in AXES
        if name != x and len(values := table[name].unique()) == 1 and values[0]
    )
    return Panel(
        title=f"{heading}{_words(first)}\n(of its bound: {number(panel.exponent, 2)})",
        x=x,
        curves=[
            *(
                Curve(POWER, own, ORANGE, DOTTED, {"power": Measure("power")}, width=2.2)
                for own in [power]
                if len(own) >= LEAST_POINTS
            ),
            *shown,
            Curve(ABOVE, one.assign(top=top), GREY, "-", {"T": Measure("horizon", "horizon", "top")}, width=0.8),
        ],
        labels=(f"{AXES[x]}\n({held})" if held else AXES[x], "regret (losses)"),
        bounds={BOUND: "bound"},
        shown=(BOUND,),
        limits=(None, (table["mean"].min() / 3, top)),
    )


def numbers(
    aggregates: pd.DataFrame, _: Mapping[str, pd.DataFrame], panels: list[Options], **__: object
) -> pd.DataFrame:
    """Return regret in the worst environment at each point of each panel, with bounds and fits.

    Added columns are the panel's number ``panel``, ``over`` and ``bound`` in losses. Of each algorithm's fit they
    are ``fit_exponent``, its interval ``fit_low, fit_high``, and the number ``fit_points`` of points.

    Parameters
    ----------
    aggregates, _
        Measured regret, a row for each algorithm, environment, budget, horizon and recorded ``round``; and tables
        of computations, not used.
    panels
        A mapping for each panel: ``of`` (labels of algorithms), ``bound`` (name), ``experiments`` (names), ``over``
        (a column such as ``horizon``) and ``exponent`` (the bound's). ``where`` may fix values by column.
    **__
        Further options of the figure; not used.

    Raises
    ------
    BadInput
        If a panel has a name that is not known, or no row is as it asks.
    """
    parts = []
    for i, panel in enumerate(_entries(panels, aggregates)):
        part = matching(aggregates[aggregates["experiment"].isin(panel.experiments)], panel.where)
        part = part[part["algorithm"].isin(panel.of)]
        if part.empty:
            raise BadInput(
                ("options", "panels", i), ", ".join(panel.experiments), "experiments that have such cells"
            )
        largest = part.groupby(["title", panel.over], dropna=False)["uniform"].transform("max")
        table = worst(part.assign(uniform=largest), ["title", panel.over])
        table = table.assign(panel=i, over=panel.over, bound=bounds(table, panel.bound))
        for _title, _look, own in curves(table):
            parts.append(own.assign(**{f"fit_{name}": value for name, value in exponent(own, panel.over).items()}))
    return pd.concat(parts)


def plot(table: pd.DataFrame, panels: list[Options], columns: int) -> Plot:
    """Describe a panel for each entry of ``panels``: regret over a quantity, its bound, and the fitted exponent.

    At most ``columns`` panels stand in a row. ``table`` is that of `numbers`: ``mean`` with its interval, ``bound``
    and ``fit_exponent`` with its own, by ``panel``, the entry's number from 0, and ``title``. An entry has the keys
    ``of, bound, experiments, over, exponent``, and may have ``where``.
    """
    entries = [GrowthPanel(**entry) for entry in panels]
    parts = [table[table["panel"] == i] for i in range(len(entries))]
    sources = dict.fromkeys(BOUNDS[panel.bound].source.partition(", ")[2] for panel in entries)
    spread = dict.fromkeys(number(value) for value in (table["runs"].min(), table["runs"].max()))
    fits = zip(entries, (part.iloc[0]["fit_exponent"] for part in parts), strict=True)
    found = [(panel, value) for panel, value in fits if not math.isnan(value)]
    titles = [str(part["title"].iloc[0]) for part in parts]
    several = len(set(titles)) > 1
    # Of several algorithms each has the quantities in which a fit is of it.
    of = {" ".join(panel.of): title.partition(" of ")[0] for panel, title in zip(entries, titles, strict=True)}
    of = of if several else {}
    most = number((table["mean"] / table["bound"]).max(), 1)
    finding = (
        _finding(found, of)
        if found
        else f"regret is at most {most} times its bound; too few points learn for a fit"
    )
    if 0 < len(found) < len(entries):
        # In the other panels too few points learn: of them the finding says nothing.
        finding += f"; {len(found)} of {len(entries)} panels have a fit"
    conditions = f"{' · '.join(sources)}: mean regret in the worst environment, {' to '.join(spread)} runs"
    return Plot(
        title=f"R{finding[1:]}" if several else f"{titles[0]}: {finding}",
        conditions=conditions
        + (
            f"\nExponents within {ALIKE} of each other count as about equal; ±: half of the exponent's "
            f"95 % interval, of the runs' randomness alone: it does not say that a power law holds"
            if found
            else ""
        ),
        panels=[
            _panel(part, panel, f"{title.partition(' of ')[0]}\n" if several else "")
            for part, panel, title in zip(parts, entries, titles, strict=True)
        ],
        columns=min(columns, len(entries)),
        height=3.1 if several else 2.9,
        legend_columns=2,
    )


def _finding(fits: Sequence[tuple[GrowthPanel, float]], of: Mapping[str, str]) -> str:
    """Return in which quantities regret grows as its bound, slower and faster; a smaller budget is harder.

    Parameters
    ----------
    fits
        Panels and their exponents.
    of
        What the algorithm of a panel is called, by its labels; empty if all panels are of one algorithm.
    """
    words: dict[str, set[str]] = {}
    named: dict[str, list[str]] = {}
    for panel, value in fits:
        inverse = panel.over == "epsilon"
        beyond = (panel.exponent - value) if inverse else (value - panel.exponent)
        word = "about as its bound" if abs(beyond) <= ALIKE else "faster" if beyond > 0.0 else "slower"
        symbol = "1/ε" if inverse else SYMBOLS[panel.over]
        words.setdefault(symbol, set()).add(word)
        if of:
            named.setdefault(symbol, []).append(of[" ".join(panel.of)])
    # Of panels that differ, what holds in all of them.
    said = {
        symbol: found.copy().pop() if len(found) == 1 else "faster in places" if "faster" in found else "no faster"
        for symbol, found in words.items()
    }
    called = {symbol: f"{symbol} ({', '.join(dict.fromkeys(named[symbol]))})" if of else symbol for symbol in said}
    told = [
        f"{word} with {' and '.join(called[symbol] for symbol in said if said[symbol] == word)}"
        for word in ("about as its bound", "no faster", "slower", "faster in places", "faster")
        if word in said.values()
    ]
    suffix = "" if told[0].startswith("about") else " than its bound"
    first = told[0].replace(" with", f"{suffix} with", 1)
    return f"regret grows {', '.join([first, *told[1:]])}"


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


FIGURE = PlottedFigure(
    title="Growth of the worst regret with its bound and fitted exponent",
    numbers=numbers,
    columns=COLUMNS,
    plot=plot,
    options={
        "panels": Option(
            [],
            "panels, each {of: [algorithms' labels], bound: name, experiments: [names], over: an axis, exponent: "
            f"the bound's, where: {{column: value}}}}; axes {', '.join(AXES)}",
        ),
        "columns": Option(3, "panels in a row"),
    },
)
