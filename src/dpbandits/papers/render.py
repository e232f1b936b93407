"""Tables, made by their kind and saved in all formats, and helpers of figures: for their input and their titles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpbandits.core import declarations
from dpbandits.core.declarations import Made
from dpbandits.core.fields import Options
from dpbandits.core.files import whole
from dpbandits.core.tables import latex, markdown, read_tables, write_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH = 200
# Beside each row of the paper's few runs, what all runs of that cell say at that round.
OF_ALL: Mapping[str, str] = {
    "runs": "all_runs",
    "mean": "all_mean",
    "mean_low": "all_mean_low",
    "mean_high": "all_mean_high",
}


def read(version: str, aggregates: Sequence[Path], computed: Mapping[str, Path]) -> tuple[Any, Any]:
    """Read aggregates as one table, of version ``full`` or ``published``, and computations' tables by id.

    ``aggregates`` are paths of the experiments' tables; without any the table has no rows. ``computed`` has the
    path of each computation's table by id. Version ``full`` is of all runs, ``published`` of as many as the paper
    has. Rows of the latter also have the statistics of all runs, ``all_runs``, ``all_mean``, ``all_mean_low`` and
    ``all_mean_high``. So a title can tell if many runs contradict few.
    """
    table = read_tables(aggregates) if aggregates else pd.DataFrame({"version": []})
    found = table[table["version"] == version]
    if version == "published" and len(found):
        of_all = table.loc[table["version"] == "full", ["cell", "round", *OF_ALL]].rename(columns=OF_ALL)
        found = found.merge(of_all.drop_duplicates(["cell", "round"]), on=["cell", "round"], how="left")
    return found, {name: read_tables([path]) for name, path in computed.items()}


def fit_titles(figure: Figure) -> None:
    """Make titles smaller, in place, so that none is cut off at the figure's edge or meets its neighbour.

    A title at the left of a panel ends before the next one in its row begins. Titles of panels all shrink by the
    same factor, and the figure's own texts all by another.
    """
    figure.draw_without_rendering()
    width = figure.bbox.width
    at_left = [axes._left_title for axes in figure.axes]  # type: ignore[attr-defined]
    for centred, left in ((figure.texts, []), ([axes.title for axes in figure.axes], at_left)):
        boxes = [text.get_window_extent() for text in centred if text.get_text()]
        # A text grows to both sides of its middle.
        room = [2.0 * min((box.x0 + box.x1) / 2.0, width - (box.x0 + box.x1) / 2.0) / box.width for box in boxes]
        boxes = [text.get_window_extent() for text in left if text.get_text()]
        for box in boxes:
            row = (other.x0 for other in boxes if other.x0 > box.x0 and other.y0 < box.y1 and box.y0 < other.y1)
            end = min(row, default=width)
            # What has room keeps its size.
            room += [(end - box.x0) / box.width] if box.x1 > end else []
        factor = min(1.0, 0.95 * min(room, default=2.0))
        for text in (*centred, *left):
            text.set_fontsize(factor * text.get_fontproperties().get_size_in_points())


def tabulate(
    make: str,
    options: Options,
    caption: str,
    aggregates: Sequence[Path],
    computed: Mapping[str, Path],
    outputs: Sequence[Path],
) -> None:
    """Make a table of a kind from all runs, and save it.

    Parameters
    ----------
    make
        Name of the kind of table, as `dpbandits list` shows it.
    options
        Options that the configuration sets, by name; all others have their defaults.
    caption
        Caption below the table, in ``.md`` and ``.tex`` alone.
    aggregates
        Paths of the experiments' tables.
    computed
        Paths of the computations' tables, by id.
    outputs
        Paths to write, each ending in ``.csv``, ``.md`` or ``.tex``.
    """
    declared = declarations.table(make)
    made = declared.make(*read("full", aggregates, computed), **declared.resolve(options))
    save(made, caption, outputs)


def save(made: Made, caption: str, outputs: Sequence[Path]) -> None:
    """Save a table by suffix: ``made.numbers`` as ``.csv``, ``made.text`` and caption as ``.md`` or ``.tex``."""
    forms = {".md": markdown, ".tex": latex}
    for output in outputs:
        if output.suffix == ".csv":
            write_table(made.numbers, output)
        else:
            with whole(output) as aside:
                aside.write_text(forms[output.suffix](made.text, caption), encoding="utf-8")
