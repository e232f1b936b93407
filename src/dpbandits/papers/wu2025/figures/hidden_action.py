"""wu2025, Theorem 3: regret on the instance of the lower bound, beside the bound as printed and as repaired."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.interactive import Measure, Panel, Plot, PlottedFigure
from dpbandits.core.numbers import number
from dpbandits.papers.wu2025.figures._noises import by_noise

BOUNDS = {"lower bound, repaired": "lower", "lower bound, as printed": "lower_printed"}
OVER = {
    "arms": ("(a) over K", "K (actions)"),
    "epsilon": ("(b) over ε", "budget ε"),
    "horizon": ("(c) over T", "T (rounds)"),
}


def numbers(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of the lower bound's instance."""
    (table,) = computed.values()
    return table[table["family"] == "hidden"]


def plot(table: pd.DataFrame) -> Plot:
    """Describe regret and bounds over K, epsilon and T."""
    # At small T a bound may be negative, and says nothing.
    shown = table.assign(**{name: table[name].where(table[name] > 0.0) for name in BOUNDS.values()})
    parts = dict(list(shown.groupby("part")))
    one, other = parts["arms"].iloc[0], parts["epsilon"].iloc[0]
    gap = number(one["gap"])
    return Plot(
        title="Regret lies above the repaired lower bound; at small T the printed one lies above regret",
        conditions=(
            f"Gaps (0, {gap}, {gap}, 1, …, 1), deterministic losses, exact: (a) ε = {number(one['epsilon'])}; "
            f"(b) K = {number(other['arms'])}; (a, b) T = {number(one['horizon'])}"
        ),
        panels=[
            Panel(
                title=title,
                x=x,
                curves=by_noise(parts[x], {"pseudo-regret": Measure("regret")}),
                labels=(label, "pseudo-regret"),
                bounds=BOUNDS,
                shown=tuple(BOUNDS),
            )
            for x, (title, label) in OVER.items()
        ],
        columns=3,
    )


FIGURE = PlottedFigure(title="Regret on the instance of the lower bound", numbers=numbers, plot=plot)
