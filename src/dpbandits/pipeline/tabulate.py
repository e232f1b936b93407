"""Make a table and save it as CSV, Markdown, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from dpbandits.core import exhibit
from dpbandits.core.exhibit import Made
from dpbandits.core.files import whole
from dpbandits.runs.aggregate import read_tables, write_table
from dpbandits.site.pages import sortable


def markdown(text: pd.DataFrame, caption: str) -> str:
    """Return a table as Markdown, its caption below."""
    # A bar ends a cell, in a formula too.
    cells = text.replace(r"\|", r"\\vert ", regex=True)
    return f"{cells.to_markdown(index=False, disable_numparse=True)}\n\n{caption}\n"


def latex(text: pd.DataFrame, caption: str, columns: str = "", environment: str | None = None) -> str:
    """Return a table as LaTeX for the package booktabs; text outside formulas is escaped.

    ``columns`` are TeX's, all to the left if empty; ``environment`` is tabular by default.
    """
    escaped = text.map(_escaped).rename(columns=_escaped)
    body = escaped.style.hide(axis="index").to_latex(
        hrules=True,
        caption=_escaped(caption),
        column_format=columns or "l" * text.shape[1],
        environment=environment,
    )
    return f"% needs \\usepackage{{booktabs}}\n{body}"


def _escaped(text: str) -> str:
    """Return text with TeX's special characters escaped outside of formulas."""
    special = {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}"}
    special |= {"^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "ε": r"$\varepsilon$", "δ": r"$\delta$"}
    special |= {"≤": r"$\leq$", "≥": r"$\geq$", "±": r"$\pm$", "×": r"$\times$", "–": "--"}
    special |= {
        "α": r"$\alpha$",
        "γ": r"$\gamma$",
        "η": r"$\eta$",
        "τ": r"$\tau$",
        "Δ": r"$\Delta$",
        "Θ": r"$\Theta$",
    }
    special |= {"√": r"$\surd$", "²": r"$^2$", "∞": r"$\infty$", "Õ": r"\~O", "…": r"\dots{}"}
    parts = text.split("$")
    parts[::2] = ["".join(special.get(letter, letter) for letter in part) for part in parts[::2]]
    # Text stands at even places, formulas at odd ones.
    return "$".join(parts)


def tabulate(
    kind: str,
    options: Mapping[str, Any],
    caption: str,
    aggregates: Sequence[Path],
    computed: Mapping[str, Path],
    outputs: Sequence[Path],
) -> None:
    """Make a table of a kind and save it.

    Parameters
    ----------
    kind
        A kind of table of `dpbandits list`.
    options
        Options of the kind.
    caption
        What it shows, below the table.
    aggregates
        Tables of experiments; all runs are used.
    computed
        Tables of computations, by id.
    outputs
        Where to, as in `save`.
    """
    declared = exhibit.table(kind)
    table = read_tables(aggregates) if aggregates else pd.DataFrame({"version": []})
    made = declared.make(
        table[table["version"] == "full"],
        {name: read_tables([path]) for name, path in computed.items()},
        **declared.resolve(options, "options"),
    )
    save(made, caption, outputs)


def save(made: Made, caption: str, outputs: Sequence[Path]) -> None:
    """Save a table; each output's suffix says the format: ``.csv``, ``.md``, ``.tex`` or ``.html``."""
    forms = {".md": markdown, ".tex": latex, ".html": sortable}
    for output in outputs:
        if output.suffix == ".csv":
            write_table(made.numbers, output)
        else:
            with whole(output) as aside:
                aside.write_text(forms[output.suffix](made.text, caption), encoding="utf-8")
