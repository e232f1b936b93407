"""One look for all figures: seaborn's theme, a colour-blind-safe colour and a line style for each algorithm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Literal, TypedDict

import numpy as np
import pandas as pd

from dpbandits.core.errors import BadInput
from dpbandits.core.labels import GREY, Look, looks, symbol
from dpbandits.core.numbers import number, power
from dpbandits.core.tables import means_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform


class Placed(TypedDict, total=False):
    """Matplotlib's options of something that is placed beside the data, such as a note."""

    transform: Transform
    clip_on: bool
    ha: Literal["left", "center", "right"]
    va: Literal["bottom", "center", "top"]
    fontsize: str


class Filled(TypedDict):
    """Matplotlib's options of a shaded part."""

    color: str
    alpha: float
    linewidth: float
    label: str | None


def panels(count: int, columns: int, width: float = 7.0, height: float = 2.9) -> tuple[Figure, list[Axes]]:
    """Return a figure with ``count`` axes in rows of ``columns``, and the axes, row by row.

    Seaborn's theme is set, for later figures too.

    Parameters
    ----------
    count, columns
        How many axes, and how many in a row.
    width, height
        Width of the figure and height of a row, in inches.
    """

    import matplotlib.pyplot as plt

    # Every plan of the workflow imports this module; of its start seaborn would be a third.
    import seaborn as sns

    sns.set_theme(
        context="paper",
        style="ticks",
        rc={"axes.grid": True, "grid.alpha": 0.3, "axes.titlesize": "medium", "pdf.fonttype": 42},
    )
    rows = -(-count // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(width, height * rows), squeeze=False, layout="constrained")
    axes = list(grid.flat)
    for extra in axes[count:]:
        extra.remove()
    sns.despine(figure)
    return figure, axes[:count]


# A quantile of 95 % or 99 % is shown from this many runs on.
TAIL_RUNS = 100


def rounded_up(ratio: float) -> str:
    """Return a ratio rounded up to a tenth, as text, so that "at most 2.8 times" stays true.

    Examples
    --------
    >>> rounded_up(2.7143), rounded_up(1.2)
    ('2.8', '1.2')
    """
    # An error of rounding is no reason for another tenth.
    return number(math.ceil(round(10.0 * ratio, 6)) / 10.0)


def say_if_empty(axes: Axes, why: str) -> None:
    """If nothing was drawn in the axes, write in them that there is no data, and why.

    Without this text a reader would take empty axes for broken.
    """
    if not np.isfinite(axes.dataLim.get_points()).all():
        axes.text(0.5, 0.5, f"no data on this scale:\n{why}", transform=axes.transAxes, ha="center", va="center")


def count(number: int) -> str:
    """Return a count as short text, for ticks: from 100,000 on with a power of two or ten.

    A power of two is written as one. Any other count is rounded to two digits times a power of ten.

    Examples
    --------
    >>> count(20_000), count(1_000_000), count(2**20), count(250_000)
    ('20,000', '10⁶', '2²⁰', '2.5·10⁵')
    """
    if number < 10**5:
        return f"{number:,}"
    digits, twos = math.floor(math.log10(number)), number.bit_length() - 1
    if number == 1 << twos:
        return power(2, twos)
    first = f"{number / 10**digits:.2g}"
    return power(10, digits) if first == "1" else f"{first}·{power(10, digits)}"


def bandits(table: pd.DataFrame) -> str:
    """Return the environments of aggregates with their arms' means, as text, two in a line: ``μ1 = (0.75, 0.7)``.

    ``table`` has the columns ``environment``, and ``environment.means.1`` and so on; without the latter brackets
    are empty. An environment that is the only one is called ``μ``.
    """
    named = table.drop_duplicates("environment")
    # Of one bandit alone a figure needs no name.
    names = [symbol(label) for label in named["environment"]] if len(named) > 1 else ["μ"]
    texts = [
        f"{name} = ({', '.join(f'{mean:g}' for mean in means_of(row))})"
        for name, (_, row) in zip(names, named.iterrows(), strict=True)
    ]
    return "\n".join(";  ".join(texts[i : i + 2]) for i in range(0, len(texts), 2))


def from_round(aggregates: pd.DataFrame, first_round: int) -> pd.DataFrame:
    """Return the rows whose ``round`` is at least ``first_round``, or raise `BadInput` if there is none."""
    last = aggregates["round"].max()
    if not first_round <= last:
        raise BadInput("options.first_round", first_round, f"a round up to the last checkpoint, {last}")
    return aggregates[aggregates["round"] >= first_round]


def cases(table: pd.DataFrame) -> pd.DataFrame:
    """Return each environment and budget of aggregates once, or raise `BadInput` if no row has a budget."""
    found = table.loc[table["epsilon"].notna(), ["environment", "epsilon"]].drop_duplicates()
    if found.empty:
        shown = list(table["title"].unique())
        raise BadInput("experiments", shown, "runs of a private algorithm, since each panel has a budget")
    return found


def named(table: pd.DataFrame) -> pd.DataFrame:
    """Return aggregates with the label ``algorithm`` in place of the ``title`` where several labels share a title.

    A label is the name of an algorithm with its parameters in the configuration.
    """
    labels = table.groupby("title")["algorithm"].transform("nunique")
    return table.assign(title=table["title"].where(labels == 1, table["algorithm"]))


def runs(table: pd.DataFrame) -> str:
    """Return how many runs are behind aggregates, as text: ``10,000 runs (400 of IMED, KL-UCB)``.

    ``table`` has the columns ``runs`` and ``title``. The largest number stands first, and in brackets stand smaller
    numbers with their titles.
    """
    numbers = table.groupby("runs")["title"].unique().sort_index(ascending=False)
    most, *fewer = numbers.index
    rest = "; ".join(f"{number(count)} of {', '.join(numbers[count])}" for count in fewer)
    return f"{number(most)} runs" + (f" ({rest})" if rest else "")


def curves(table: pd.DataFrame) -> Iterator[tuple[str, Look, pd.DataFrame]]:
    """Yield each value of ``title``, its look (colour, dashes, mark) and its rows, in the order of first rows."""
    for title, look in looks(list(table["title"].unique())).items():
        yield title, look, table[table["title"] == title]


def computed_rows(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame], **__: object) -> pd.DataFrame:
    """Return the rows of all computations, one table below the other, for a figure that shows them as they are."""
    return pd.concat(computed.values(), ignore_index=True)


def shades(values: Iterable[float], palette: str, end: float = 1.0) -> dict[float, str]:
    """Return a colour ``#rrggbb`` for each distinct value, ascending, from a palette of Matplotlib.

    ``palette`` is a name such as ``"viridis"``, of which colours are used from 0 up to the share ``end``.
    """

    import matplotlib as mpl

    known = sorted({float(value) for value in values})
    colours = mpl.colormaps[palette]
    return {v: mpl.colors.to_hex(colours(end * i / max(1, len(known) - 1))) for i, v in enumerate(known)}


def label_ends(axes: Axes, ends: Mapping[str, tuple[float, Look]], gap: float = 0.09) -> None:
    """Write each title to the right of its curve's end.

    Labels that would overlap are moved apart as little as can be, and joined to their curves by short lines.

    Parameters
    ----------
    axes
        Axes whose limits are final.
    ends
        Height of the curve's end, in data, and the curve's look, by title.
    gap
        Least distance of two labels, in heights of the axes.
    """

    from scipy.optimize import isotonic_regression

    to_axes = axes.transData + axes.transAxes.inverted()
    places = {title: to_axes.transform((1.0, end))[1] for title, (end, _) in ends.items()}
    order = sorted(places, key=lambda title: places[title])
    # With k gaps subtracted from the k-th place, places have to be non-decreasing alone.
    steps = gap * np.arange(len(order))
    spread = isotonic_regression(np.array([places[title] for title in order]) - steps).x + steps
    for title, y in zip(order, spread, strict=True):
        _, look = ends[title]
        # Thin, grey and apart from the sample, so that neither looks like data beyond the axis.
        axes.plot(
            [1.0, 1.04], [places[title], y], color=GREY, linewidth=0.5, clip_on=False, transform=axes.transAxes
        )
        axes.plot([1.05, 1.12], [y, y], **look.line, clip_on=False, transform=axes.transAxes)
        axes.text(1.14, y, title, transform=axes.transAxes, va="center", fontsize="small")
