"""Lemma 11 of asi2025: regret on its sequences, and the lower bound that a quick drop of arm 2 implies."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Limits, Measure, Note, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLACK, GREY
from dpbandits.core.numbers import number
from dpbandits.papers.style import count, curves, runs

# The second panel ends at this multiple of the round at which arm 2 improves.
SHOWN = 10
OVER_TIME = ["algorithm", "title", "environment", "epsilon", "horizon", "runs", "round"]
OVER_TIME += ["mean", "mean_low", "mean_high", "cell"]
RATE = "√(T/ε)"
# Where pulls are none, their multiple is drawn here: the axis is logarithmic.
NONE = 0.1
OPEN = "hollow, lower left: not decided"


def numbers(
    aggregates: pd.DataFrame, computed: Mapping[str, pd.DataFrame], epsilon: float, environment: str
) -> pd.DataFrame:
    """Return regret over time on two of Lemma 11's sequences at one budget, and regret at the horizon on all.

    Parameters
    ----------
    aggregates
        Measured regret, a row for each algorithm, environment, budget and recorded ``round``.
    computed
        The table of Lemma 11's lower bounds, by its computation's name ``quick-drop``.
    epsilon
        Privacy budget of the curves over time.
    environment
        Label of the second sequence, on which arm 2 improves at a fraction of T. On the first one it never does.

    Returns
    -------
    DataFrame
        ``part`` is ``"over time"`` for rows of ``aggregates`` on the two sequences, at ``epsilon`` or without a
        budget. It is ``"sequences"`` for all rows of the table in ``computed``.

    Raises
    ------
    BadInput
        If no row of ``aggregates`` has ``environment``.
    """
    (bounds,) = computed.values()
    if environment not in set(aggregates["environment"]):
        raise BadInput("options.environment", environment, suggest(environment, aggregates["environment"].unique()))
    (never,) = bounds.loc[bounds["improves"].isna(), "environment"].unique()
    shown = aggregates[aggregates["epsilon"].isna() | (aggregates["epsilon"] == epsilon)]
    shown = shown[shown["environment"].isin([never, environment])]
    of_both = pd.concat([bounds.assign(part="sequences"), shown[OVER_TIME].assign(part="over time")])
    return of_both.reset_index(drop=True)


def over_time(table: pd.DataFrame, title: str, log: bool, limits: tuple[Limits, Limits], turn: float) -> Panel:
    """Describe a panel of regret over time on one sequence, on linear axes with the round at which arm 2 improves.

    Parameters
    ----------
    table
        Rows of one sequence: ``title``, ``round``, and ``mean`` with its interval.
    title
        The panel's title.
    log
        Whether both axes are logarithmic.
    limits
        Ends of both axes.
    turn
        The round from which arm 2 is better, marked on linear axes.
    """
    # A note names a line where it stands: in a legend three dotted lines look alike.
    lines = (Region("", (turn, turn), None, BLACK), Region("", None, (0.0, 0.0), GREY))
    top, right = (0.0 if ends is None else ends[1] for ends in (limits[1], limits[0]))
    notes = (Note(turn * 1.1, 0.93 * top, "arm 2 improves"), Note(right, 0.015 * top, "no regret", "left"))
    return Panel(
        title=title,
        x="round",
        curves=[Curve(name, part, look.colour, look.dashes) for name, look, part in curves(table)],
        labels=("round t", "mean regret (losses)"),
        # Where an arm improves regret may be negative.
        log=(log, log),
        limits=limits,
        regions=() if log else lines,
        notes=() if log else notes,
    )


def over_budget(bounds: pd.DataFrame) -> Panel:
    """Describe a panel of regret on the worst sequence over the budget, and Lemma 11's bound where it applies.

    ``bounds`` are rows of the computation ``quick-drop``: ``regret`` with its ``error``, and ``lower_bound``.
    """
    bounds = bounds.assign(
        low=bounds["regret"] - 2 * bounds["error"],
        high=bounds["regret"] + 2 * bounds["error"],
        rate=np.sqrt(bounds["horizon"] / bounds["epsilon"]),
    )
    worst = bounds.loc[bounds.groupby(["title", "epsilon"])["regret"].idxmax()]
    applies = bounds[bounds["lower_bound"].notna()]
    regret, lower = {"mean": Measure("regret", "low", "high")}, {"lower bound": Measure("lower_bound")}
    return Panel(
        title="worst of all sequences",
        x="epsilon",
        curves=[
            *(
                Curve(title, part, look.colour, look.dashes, regret, mark=look.mark, bars=True)
                for title, look, part in curves(worst)
            ),
            *(
                Curve(f"{title}: Lemma 11's lower bound", part, look.colour, "-", lower, joined=False, mark="D")
                for title, look, part in curves(applies)
            ),
        ],
        labels=("privacy budget ε", "mean regret at T"),
        # An order, which a reader may add: drawn at first it would look like a lower bound that is violated.
        bounds={RATE: "rate"},
    )


def conditions(bounds: pd.DataFrame) -> pd.DataFrame:
    """Return, for each algorithm and budget, whether Lemma 11's conditions are shown to hold.

    The conditions concern pulls of arm 2 on the sequence on which it never improves. ``bounds`` are rows of the
    computation ``quick-drop``. Those of this sequence are returned, with a column ``found``. It is ``met`` if both
    conditions are shown to hold. It is ``missed`` if the smallest median of pulls in a window, as a multiple of p,
    is above 1 by more than two standard errors. Otherwise it is ``open``.
    """
    never = bounds[bounds["improves"].isna()]
    # Of no window at all nothing is known: the least multiple is infinite.
    far = np.isfinite(never["closest"]) & (never["closest"] - 2 * never["closest_error"].fillna(0.0) > 1.0)
    found = np.where(never["lower_bound"].notna(), "met", np.where(far, "missed", "open"))
    return never.assign(found=found)


def condition_panel(bounds: pd.DataFrame) -> Panel:
    """Describe a panel of how far algorithms are from Lemma 11's condition (2), few pulls of arm 2 in a window.

    The condition allows p pulls. Heights are the smallest median of pulls in a window, divided by p, over the
    budget. Hollow marks are cases in which the conditions are neither shown nor missed (see `conditions`).
    ``bounds`` are rows of the computation ``quick-drop``. Those count that are of the sequence on which arm 2 never
    improves, and have a window.
    """
    never = conditions(bounds)
    never = never[np.isfinite(never["closest"])]
    error = 2 * never["closest_error"].fillna(0.0)
    drawn = {"least": never["closest"], "low": never["closest"] - error, "high": never["closest"] + error}
    never = never.assign(**{f"drawn_{end}": value.clip(lower=NONE) for end, value in drawn.items()})
    measure = {"pulls ÷ p": Measure("drawn_least", "drawn_low", "drawn_high")}
    return Panel(
        title="condition (2): arm 2 is dropped",
        x="epsilon",
        curves=[
            Curve(title, part, look.colour, look.dashes, measure, mark=look.mark, bars=True)
            for title, look, part in curves(never)
        ]
        + [
            Curve(OPEN, part, look.colour, "-", measure, joined=False, mark=look.mark, hollow=True, bars=True)
            for title, look, part in curves(never[never["found"] == "open"])
        ],
        labels=("privacy budget ε", "fewest pulls in a window ÷ p"),
        limits=(None, (0.8 * NONE, 1.5 * max(2.0, never["drawn_high"].max()))),
        ticks=({}, {NONE: f"≤ {number(NONE)}", 1.0: "1", 10.0: "10", 100.0: "100"}),
        regions=(Region("", None, (1.0, 1.0), BLACK),),
        notes=(Note(3.5 * never["epsilon"].min(), 1.05, "condition (2): at most 1"),),
    )


def plot(table: pd.DataFrame, epsilon: float, environment: str) -> Plot:
    """Describe four panels: regret over time on two sequences, Lemma 11's condition (2), and the worst sequence.

    ``table`` is that of `numbers`. Its part ``over time``, at the budget ``epsilon``, has ``title, environment,
    round`` and ``mean`` with its interval; ``sequences`` has the columns of the computation ``quick-drop``.
    ``environment`` is the label of the second sequence, on which arm 2 improves at a fraction of T.
    """
    bounds, shown = (table[table["part"] == part] for part in ("sequences", "over time"))
    horizon = int(table["horizon"].iloc[0])
    improves = float(bounds.loc[bounds["environment"] == environment, "improves"].iloc[0])
    # A fraction of T, or a round.
    turn = improves * horizon if improves < 1.0 else improves
    improving = shown["environment"] == environment
    early = shown.loc[improving & (shown["round"] <= SHOWN * turn), "mean"]
    margin = 0.05 * (early.max() - early.min())
    zoomed = ((0.0, SHOWN * turn), (early.min() - margin, early.max() + margin))
    found = conditions(bounds)["found"]
    met, missed, open_ = (int((found == word).sum()) for word in ("met", "missed", "open"))
    return Plot(
        title=(
            f"The conditions of Lemma 11 are shown to hold in {met} of {len(found)} cases, and to fail in {missed}"
            + (f"; {open_} {'is' if open_ == 1 else 'are'} not decided" if open_ else "")
        ),
        conditions=(
            f"T = {count(horizon)}, {runs(shown)}; over time at ε = {number(epsilon)}, or without privacy\n"
            f"A case: an algorithm at one budget; the lemma's lower bound applies where they hold\n"
            f"Above, shaded: intervals; below, bars: two standard errors to either side"
        ),
        panels=[
            over_time(shown[~improving], "arm 2 never improves", True, (None, None), turn),
            over_time(shown[improving], f"arm 2 improves after {count(round(turn))} rounds", False, zoomed, turn),
            condition_panel(bounds),
            over_budget(bounds),
        ],
        columns=2,
        height=2.6,
    )


FIGURE = PlottedFigure(
    title="Regret on Lemma 11's sequences and its lower bound",
    numbers=numbers,
    plot=plot,
    options={
        "epsilon": Option(0.1, "budget of the curves over time"),
        "environment": Option("", "sequence of the second panel, on which arm 2 improves"),
    },
)
