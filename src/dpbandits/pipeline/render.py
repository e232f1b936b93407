"""Draw a figure and save it as PDF and PNG, with the numbers in it as CSV beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd

from dpbandits.core import exhibit
from dpbandits.core.files import whole
from dpbandits.runs.aggregate import read_tables, write_table

DOTS_PER_INCH = 200


def render(
    kind: str,
    version: str,
    options: Mapping[str, Any],
    aggregates: Sequence[Path],
    computed: Mapping[str, Path],
    outputs: Sequence[Path],
) -> None:
    """Draw a figure of a kind and save it.

    Parameters
    ----------
    kind
        A kind of figure of `dpbandits list`.
    version
        Which rows of the aggregates are shown, ``"full"`` or ``"published"``.
    options
        Options of the kind.
    aggregates
        Tables of experiments.
    computed
        Tables of computations, by id.
    outputs
        Where to; a ``.csv`` gets the numbers, other suffixes the figure.
    """
    mpl.use("agg")
    declared = exhibit.figure(kind)
    table = read_tables(aggregates) if aggregates else pd.DataFrame({"version": []})
    figure, numbers = declared.draw(
        table[table["version"] == version],
        {name: read_tables([path]) for name, path in computed.items()},
        **declared.resolve(options, "options"),
    )
    for output in outputs:
        if output.suffix == ".csv":
            write_table(numbers, output)
        else:
            # Without dates, equal figures are equal files.
            dates = {"CreationDate": None} if output.suffix == ".pdf" else None
            with whole(output) as aside:
                figure.savefig(aside, dpi=DOTS_PER_INCH, metadata=dates)
