"""Curves for pages: what figures of lines and aggregates show, each point with its cell's command, and some runs.

Pages are opened from disk, where they may not fetch. So data are scripts that hand an object to a function. Each
paper has an index, and a script for each figure of lines. Each experiment has a script with all its cells, and
another with some runs of each cell, from which pages resample as many as the paper had. Numbers have `DIGITS`
digits, but regrets of single runs 8 binary ones. A cell is an algorithm with its parameters in one environment, at
one budget and horizon.
"""

from __future__ import annotations

import base64
import json
import math
import shlex
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core import declarations
from dpbandits.core.files import read_arrays, whole
from dpbandits.core.interactive import Curve, Limits, Panel, Plot, PlottedFigure
from dpbandits.core.labels import QUANTITIES, looks
from dpbandits.core.tables import Row, means_of, read_tables
from dpbandits.papers.cell_tables import STATISTICS, CellTable, cell_table, joined, merged
from dpbandits.papers.described import described
from dpbandits.papers.page_data import CurveSettings, Numbers, PageCurve, PagePanel, PageRuns
from dpbandits.papers.plot import called
from dpbandits.settings.stochastic.theory import lower_bound_slope

if TYPE_CHECKING:
    from dpbandits.runs.plan import Cell

DIGITS = 7
# Limits of a cell, in runs and checkpoints, and of the script of an experiment, in bytes.
KEPT_RUNS = 400
KEPT_ROUNDS = 40
KEPT_BYTES = 3_000_000
# Heights that a reader may choose beside those of a figure, by what they are called.
SPREAD = {"median": "q50", "95 % quantile": "q95", "99 % quantile": "q99", "worst run": "maximum"}


def name_of(cell: Cell) -> str:
    """Return a cell's name in its experiment, such as ``dp-imed/mu1/T=1000000/eps=0.1``."""
    return cell.name.removeprefix(f"{cell.experiment}/")


def command_of(cell: Cell) -> str:
    """Return the command, for a shell, that simulates a cell's runs again and writes them to ``out.npz``."""
    return f"dpbandits simulate {shlex.join(cell.command)} --seeds 0-{cell.runs - 1} --output out.npz"


def numbers(values: Iterable[float]) -> list[float | int | None]:
    """Return numbers for JSON, rounded to seven digits: whole ones as int, and ``None`` for those not finite."""
    short = [float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None for value in values]
    return [int(v) if v is not None and abs(v) < 1e15 and v == int(v) else v for v in short]


def _dashes(curve: Curve) -> list[float]:
    """Return a curve's dashes in pixels."""
    return [2.0 * length for length in curve.dashes[1]] if isinstance(curve.dashes, tuple) else []


def curve_data(curve: Curve, panel: Panel, columns: Sequence[str]) -> PageCurve:
    """Return a curve of ``panel`` as JSON data; ``columns`` are the names of columns in the figure's CSV.

    Points are sorted by x. A point without x is left out; if all points lack it, the curve is a horizontal line.
    Heights without any number are left out. If all points belong to cells and the mean is among the heights, the
    median, two quantiles and the worst run are added from their columns, if the table has them.
    """
    level = bool(curve.table[panel.x].isna().all())
    table = curve.table if level else curve.table[curve.table[panel.x].notna()].sort_values(panel.x, kind="stable")
    heights: list[dict[str, object]] = []
    for word, measure in curve.measures.items():
        if measure.value in table and table[measure.value].notna().any():
            parts = {part: name for part, name in zip(("value", "low", "high"), measure, strict=True) if name}
            heights.append(
                {
                    "word": word,
                    **{part: numbers(table[name]) for part, name in parts.items()},
                    # What a test looks up in the figure's CSV.
                    "columns": {part: name for part, name in parts.items() if name in columns},
                }
            )
    if "cell" not in table:
        # Its numbers follow from several rows of the figure.
        table = table.assign(cell=-1, line=-1)
    cells = table["cell"].tolist()
    factor = table[panel.scale] if panel.scale in table else pd.Series(1.0, index=table.index)
    shows_cells = "mean" in curve.measures and min(cells, default=-1) >= 0
    for word, name in SPREAD.items():
        if shows_cells and word not in [height["word"] for height in heights] and name in table:
            heights.append({"word": word, "value": numbers(table[name] * factor), "columns": {}})
    found: PageCurve = {
        "name": called(curve.name),
        "colour": curve.colour,
        "dash": _dashes(curve),
        "points": not curve.joined,
        "mark": curve.mark,
        "hollow": curve.hollow,
        "bars": curve.bars,
        "width": curve.width,
        "x": None if level else numbers(table[panel.x]),
        "heights": heights,
        "bounds": {
            word: numbers(table[name])
            for word, name in panel.bounds.items()
            if name in table and table[name].notna().any()
        },
        "lines": table["line"].tolist(),
    }
    if "runs" in table and table["runs"].notna().all():
        found["runs"] = numbers(table["runs"])
    if max(cells, default=-1) >= 0:
        found["cells"], found["rounds"], found["scale"] = cells, numbers(table["at"]), numbers(factor)
    return found


def figure_data(plot: Plot, columns: Sequence[str], known: CellTable, published: int) -> Mapping[str, object]:
    """Return a figure as JSON data, with the cells that its points belong to.

    Parameters
    ----------
    plot
        Description of the figure.
    columns
        Names of the columns in the figure's CSV.
    known
        Cells of the figure's experiments.
    published
        Number of runs that the paper has.

    Returns
    -------
    dict
        ``title`` and ``conditions`` as text, ``across`` (number of panels in a row), ``panels`` (empty if nothing
        is drawn), and ``published``. ``cells`` has ``experiment``, ``name`` and ``command`` of each cell that has a
        point. Its keys are numbers of cells in ``known``, as text.
    """
    data: list[PagePanel] = [
        {
            "title": panel.title,
            "x": {**_axis(panel, 0), "column": panel.x},
            "y": _axis(panel, 1),
            "divided": panel.divided,
            "curves": [curve_data(curve, panel, columns) for curve in panel.curves if len(curve.table)],
            "shown": list(panel.shown),
            "limits": [_ends(ends) for ends in panel.limits],
            "regions": [
                {"name": one.name, "x": _ends(one.x), "y": _ends(one.y), "colour": one.colour}
                for one in panel.regions
            ],
            "cells": panel.cells and {name: list(part) for name, part in panel.cells._asdict().items()},
            "notes": [{"x": one.x, "y": one.y, "text": one.text, "side": one.side} for one in panel.notes],
        }
        for panel in plot.panels
    ]
    used = {i for panel in data for curve in panel["curves"] for i in curve.get("cells", []) if i >= 0}
    # A page says in a sentence that nothing is drawn.
    drawn = any(panel["curves"] or panel["regions"] or panel["cells"] for panel in data)
    return {
        "title": plot.title,
        "conditions": plot.conditions,
        "across": plot.columns,
        "panels": data if drawn else [],
        "cells": _cells(known, sorted(used)),
        "published": published,
    }


def _axis(panel: Panel, place: int) -> dict[str, object]:
    """Return the horizontal axis of a panel, or the other, for JSON."""
    ticks = [[*numbers([at]), word] for at, word in panel.ticks[place].items()]
    return {"label": panel.labels[place], "log": panel.log[place], "ticks": ticks}


def _ends(ends: Limits) -> Numbers | None:
    """Return ends on an axis for JSON."""
    return None if ends is None else numbers(ends)


def _cells(known: CellTable, numbers_of: Iterable[int]) -> dict[str, dict[str, str]]:
    """Return cells by number: experiment, name and command."""
    cells = ((i, known.cells[i]) for i in numbers_of)
    return {
        str(i): {"experiment": cell.experiment, "name": name_of(cell), "command": command_of(cell)}
        for i, cell in cells
    }


def kept_places(rounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indices of the recorded rounds that pages keep: at most 40, evenly spaced as indices, ascending.

    ``rounds`` are all recorded ones. The first and the last are kept.
    """
    places = np.linspace(0, len(rounds) - 1, min(KEPT_ROUNDS, len(rounds)))
    return np.unique(np.round(places).astype(np.int64))


def packed(values: NDArray[np.float64]) -> str:
    """Return an array as text: the upper half of each number in single precision, rounded, deflated, in base 64.

    Each number keeps 8 binary digits, an error of at most 0.4 %. The more significant bytes of all numbers, row by
    row, come before the other ones, which deflates better.
    """
    bits = np.ascontiguousarray(values, dtype="<f4").view("<u4").astype(np.uint64)
    halves = ((bits + 0x8000) >> np.uint64(16)).astype("<u2")
    planes = np.concatenate([(halves >> 8).astype(np.uint8).ravel(), (halves & 0xFF).astype(np.uint8).ravel()])
    squeezed = zlib.compressobj(6, zlib.DEFLATED, -15)
    return base64.b64encode(squeezed.compress(planes.tobytes()) + squeezed.flush()).decode("ascii")


def sample(cells: Sequence[Cell], results: Path) -> dict[str, PageRuns]:
    """Return regret of the first runs of each cell at some recorded rounds, by the cell's name in its experiment.

    ``results`` is the folder with the cells' files. A value has ``rounds``, the number of ``runs``, and ``data``,
    the regret as text (see `packed`), shape (rounds, runs). Of a cell at most 400 runs are kept. If these need more
    than the cell's equal share of 3,000,000 bytes, fewer are kept, but 20 at least if the cell has as many.
    """
    found: dict[str, PageRuns] = {}
    share = KEPT_BYTES // max(1, len(cells))
    for cell in cells:
        regret: list[NDArray[np.float64]] = []
        for name in cell.files:
            arrays, _ = read_arrays(results / name)
            regret.append(arrays["regret"])
            if sum(map(len, regret)) >= KEPT_RUNS:
                break
        rounds = arrays["rounds"]
        places = kept_places(rounds)
        # Two bytes a number, and four letters for three bytes.
        number = min(KEPT_RUNS, cell.runs, max(20, int(share / (2 * 4 / 3 * len(places)))))
        part = np.concatenate(regret)[:number][:, places]
        found[name_of(cell)] = {"rounds": rounds[places].tolist(), "runs": len(part), "data": packed(part.T)}
    return found


def experiment_data(known: CellTable, experiment: str, published: int) -> Mapping[str, object]:
    """Return an experiment as JSON data: its cells with statistics, and the quantities that vary between them.

    ``known`` has the cells of ``experiment`` alone; ``published`` is the number of runs that the paper has.

    Returns
    -------
    dict
        ``axes`` has words for the quantities that vary, such as ``arms``, by column. ``over_time`` tells if a cell
        has several recorded rounds. ``rows`` has a mapping for each cell: labels, ``colour``, ``dash``, ``runs``,
        and ``at``, its budget, horizon and quantities that vary. Lists have a number for each round that is kept:
        ``round``, statistics of all runs' regret, and the ``lower`` bound (azize2025, Theorem 3.1) if it is private
        on a Bernoulli bandit. ``cells`` has each cell's ``experiment``, ``name`` and ``command``, by number as
        text; ``published`` is as given.
    """
    of_cells = known.labels[known.labels["experiment"] == experiment]
    full = known.rows[(known.rows["version"] == "full") & (known.rows["experiment"] == experiment)]
    axes = [name for name in QUANTITIES if name in of_cells and len(of_cells[name].dropna().unique()) > 1]
    styles = looks(list(dict.fromkeys(of_cells["title"])))
    found = []
    for row in of_cells.to_dict("records"):
        table = full[full["cell"] == row["cell"]]
        rows = table.iloc[kept_places(table["round"].to_numpy())]
        look = styles[row["title"]]
        means = means_of(rows.iloc[0])
        own: Row = {
            "cell": row["cell"],
            "algorithm": row["algorithm"],
            "title": called(row["title"]),
            "colour": look.colour,
            "dash": [] if isinstance(look.dashes, str) else [2.0 * length for length in look.dashes[1]],
            "environment": row["environment"],
            "runs": int(rows["runs"].iloc[0]),
            "at": {name: numbers([row[name]])[0] for name in ("epsilon", "horizon", *axes)},
            "round": numbers(rows["round"]),
            **{name: numbers(rows[name]) for name in STATISTICS},
        }
        if len(means) > 1 and pd.notna(row["epsilon"]):
            own["lower"] = numbers(lower_bound_slope(means, row["epsilon"]) * np.log(rows["round"]))
        found.append(own)
    return {
        "axes": {name: QUANTITIES[name] for name in axes},
        "over_time": bool((full.groupby("cell").size() > 1).any()),
        "rows": found,
        "cells": _cells(known, of_cells.index),
        "published": published,
    }


def _script(path: Path, call: str, *arguments: object) -> Path:
    """Write a script that hands data to a function."""
    text = ", ".join(json.dumps(a, ensure_ascii=False, separators=(",", ":")) for a in arguments)
    with whole(path) as aside:
        aside.write_text(f"Look.{call}({text});\n", encoding="utf-8")
    return path


def write(
    definition: CurveSettings,
    paper: str,
    results: str,
    cells: Mapping[str, Sequence[Cell]],
    aggregates: Mapping[str, str],
    drawn: Mapping[str, str],
    index: Path,
) -> list[Path]:
    """Write a paper's JavaScript files of data for pages, and return the paths of all but the index.

    Beside the index they are ``<figure>.js``, ``explore-<experiment>.js`` and ``runs-<experiment>.js``.

    Parameters
    ----------
    definition
        Title, number of runs and figures of the paper, from the configuration.
    paper
        The paper's id.
    results
        Path of the results folder.
    cells, aggregates
        Cells, and path of the CSV file of aggregates, by the experiment's name.
    drawn
        Path of the CSV of each figure of lines, by its file name without suffix.
    index
        Path of the paper's index. The other scripts are put beside it; all further ``*.js`` there are deleted.
    """
    known = {name: cell_table(of_one, [Path(aggregates[name])]) for name, of_one in cells.items()}
    published, written = definition["published_runs"], []
    for stem, figure in definition["figures"].items():
        kind = declarations.figure(figure["draw"])
        assert isinstance(kind, PlottedFigure), figure["draw"]
        options = kind.resolve(figure["options"])
        own = merged([known[name] for name in figure["experiments"]])
        table = read_tables([Path(drawn[stem])])
        found = joined(table, own, figure["version"])
        shown = described(kind, found, options, figure["confidence"])
        data = figure_data(shown, [str(name) for name in table], own, published)
        written.append(_script(index.with_name(f"{stem}.js"), "figure", f"{paper}/{stem}", data))
    for name, of_one in known.items():
        place = f"{paper}/{name}"
        data = experiment_data(of_one, name, published)
        written.append(_script(index.with_name(f"explore-{name}.js"), "experiment", place, data))
        written.append(
            _script(index.with_name(f"runs-{name}.js"), "runs", place, sample(of_one.cells, Path(results)))
        )
    about = {name: len(of_one.cells) for name, of_one in known.items()}
    _script(index, "paper", paper, {"title": definition["title"], "experiments": about})
    for stale in set(index.parent.glob("*.js")) - {*written, index}:
        stale.unlink()
    return written
