"""wu2025, Theorem 3: regret on the instance of the lower bound, beside the bound as printed and as repaired."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from dpbandits.core.interactive import Measure, Panel, Plot, PlottedFigure
from dpbandits.core.numbers import number
from dpbandits.papers.wu2025.figures._noises import by_noise
from dpbandits.settings.full_information import theory

# Exp(1/ε) is 2ε-private: its bound is that of twice the budget.
BOUNDS = {
    "lower bound, repaired": "lower",
    "repaired, at 2ε: for Exp(1/ε)": "lower_twice",
    "lower bound, as printed": "lower_printed",
}
OVER = {
    "arms": ("(a) over K", "K (actions)"),
    "epsilon": ("(b) over ε", "budget ε"),
    "horizon": ("(c) over T", "T (rounds)"),
}


def numbers(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of the family ``hidden``, Theorem 3's instance, in the only table of ``computed``.

    The table is that of the computation ``deterministic-regret``.
    """
    (table,) = computed.values()
    return table[table["family"] == "hidden"]


def _finding(table: pd.DataFrame) -> str:
    """Return whether regret is at least the repaired bound, and up to which T the printed one is above it."""
    kept = int((table["regret"] >= table["lower"]).sum())
    where = "everywhere" if kept == len(table) else f"at {kept} of {len(table)} points"
    broken = table[(table["part"] == "horizon") & (table["lower_printed"] > table["regret"])]
    printed = (
        f"the printed one lies above regret up to T = {number(broken['horizon'].max())}"
        if len(broken)
        else "the printed one is not above it"
    )
    return f"Regret is at least the repaired lower bound {where}; {printed}"


def plot(table: pd.DataFrame) -> Plot:
    """Describe regret of each noise, and lower bounds, over K, epsilon and T, on the lower bound's instance.

    ``table`` is that of `numbers`: ``regret``, ``lower`` and ``lower_printed`` by ``part, noise, arms, epsilon``
    and ``horizon``.
    """
    # At small T a bound may be negative, and says nothing.
    rows = table[["arms", "epsilon", "horizon"]].itertuples(index=False)
    twice = [theory.deterministic_lower_bound(float(k), 2.0 * float(e), float(t)) for k, e, t in rows]
    table = table.assign(lower_twice=twice)
    shown = table.assign(**{name: table[name].where(table[name] > 0.0) for name in BOUNDS.values()})
    bounds = {name: column for name, column in BOUNDS.items() if shown[column].notna().any()}
    parts = dict(list(shown.groupby("part")))
    one, other = parts["arms"].iloc[0], parts["epsilon"].iloc[0]
    gap = number(one["gap"])
    return Plot(
        title=_finding(table),
        conditions=(
            f"Gaps (0, {gap}, {gap}, 1, …, 1), deterministic losses, exact\n"
            f"(a, c) ε = {number(one['epsilon'])}; (b, c) K = {number(other['arms'])}; "
            f"(a, b) T = {number(one['horizon'])}"
        ),
        panels=[
            Panel(
                title=title,
                x=x,
                curves=by_noise(parts[x], {"pseudo-regret": Measure("regret")}),
                labels=(label, "pseudo-regret"),
                bounds=bounds,
                shown=tuple(bounds),
            )
            for x, (title, label) in OVER.items()
        ],
        columns=3,
    )


FIGURE = PlottedFigure(title="Regret on the instance of the lower bound", numbers=numbers, plot=plot)
