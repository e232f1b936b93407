"""azize2025, Theorem 3.1: d_eps with its two regimes, and what it gains on the earlier lower bound (eq. 7)."""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpbandits.core.interactive import Cells, Curve, Measure, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLACK, BLUE, GREEN, GREY, ORANGE, SKY, VERMILION, Dashes
from dpbandits.core.numbers import number
from dpbandits.papers.style import computed_rows, shades

# Colours of pairs of means.
PAIRS = (ORANGE, BLUE, BLACK, GREEN, VERMILION)
GAIN = "gain on eq. 7"
LOW_PRIVACY = "low privacy: no gain"
# Factors from which on a map's colour changes; the first is no gain.
STEPS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
DIVERGENCES: dict[str, tuple[str, str, Dashes, float]] = {
    "ε Δ": ("epsilon_delta", GREEN, (0, (4, 2)), 1.5),
    "kl": ("kl", BLACK, (0, (1, 1)), 1.5),
    "d_ε (eq. 8)": ("d_eps", SKY, "-", 4.0),
    "min{kl, 6εΔ} (eq. 7)": ("earlier", VERMILION, "-", 1.5),
}


def divergence(profile: pd.DataFrame) -> Panel:
    """Describe a panel of the divergences of two lower bounds over the budget, for one pair of means.

    The bounds are Theorem 3.1 (eq. 8) and that of Azize & Basu (2022), eq. 7.

    ``profile`` has the pair's rows of the part ``profile`` of the computation ``dp-lower-bound``: ``kl,
    epsilon_delta, d_eps, earlier, infimum`` and ``threshold`` by ``epsilon``.
    """
    mu_a, mu_star, change = profile[["mu_a", "mu_star", "threshold"]].iloc[0]
    last = profile["epsilon"].max()
    # Found by a search, it is marked at every tenth budget alone.
    infimum = {"divergence": Measure("infimum")}
    return Panel(
        title=f"(a) divergences, µₐ = {mu_a:g}, µ* = {mu_star:g}",
        x="epsilon",
        curves=[
            *(
                Curve(f"(a) {name}", profile, colour, dashes, {"divergence": Measure(column)}, width=width)
                for name, (column, colour, dashes, width) in DIVERGENCES.items()
            ),
            Curve(
                "(a) infimum (eq. 6)",
                *(profile.iloc[::10], BLACK, "-", infimum),
                joined=False,
                mark="D",
                hollow=True,
            ),
        ],
        labels=("budget ε", "divergence (nats)"),
        limits=((profile["epsilon"].min(), last), (profile["d_eps"].min() / 20, profile["kl"].max() * 4)),
        regions=(Region(LOW_PRIVACY, (change, last), None, GREY),),
    )


def gain_over_budget(profiles: pd.DataFrame, largest: float) -> Panel:
    """Describe the gain (eq. 7's divergence / d_eps) over the budget for several pairs of means.

    A dot marks the budget at which the regime changes; the ``largest`` gain of all is a line. ``profiles`` has the
    part ``profile`` of the computation ``dp-lower-bound``: ``improvement`` and ``threshold`` by pair and
    ``epsilon``.
    """
    curves = []
    for ((mu_a, mu_star), own), colour in zip(
        profiles.groupby(["mu_a", "mu_star"]), itertools.cycle(PAIRS), strict=False
    ):
        curves.append(
            Curve(f"(b) µₐ = {mu_a:g}, µ* = {mu_star:g}", own, colour, measures={"gain": Measure("improvement")})
        )
        one = {"gain": Measure("one")}
        # A place that is in no row.
        from_here = pd.DataFrame({"epsilon": own["threshold"].iloc[:1], "one": 1.0})
        curves.append(Curve("(b) no gain from here on", from_here, colour, "-", one, joined=False, mark="o"))
    return Panel(
        title="(b) gain by budget",
        x="epsilon",
        curves=curves,
        labels=("budget ε", GAIN),
        log=(True, False),
        limits=(None, (0.0, 7.0)),
        regions=(Region(f"(b) largest of all: {number(largest)}", None, (largest, largest), GREY),),
    )


def edges(values: Sequence[float]) -> list[float]:
    """Return the edges of a map's cells around ``values``, ascending: halfway between neighbours.

    The outer edges are the first and the last value.
    """
    middles = (np.array(values[1:]) + np.array(values[:-1])) / 2
    return [values[0], *middles.tolist(), values[-1]]


def gain_map(title: str, part: pd.DataFrame) -> Panel:
    """Describe a map of the gain, the divergence of eq. 7 over d_eps, over all pairs of means at one budget.

    ``part`` has the budget's rows of the part ``grid``: ``mu_a``, ``mu_star`` and ``improvement``.
    """
    grid = part.pivot_table(index="mu_star", columns="mu_a", values="improvement")
    gains = grid.to_numpy()
    # A gain of exactly 1 is the low privacy regime, but for rounding.
    levels = np.where(gains <= 1.0 + 1e-9, 0, np.searchsorted(STEPS, gains, side="right"))
    names = [LOW_PRIVACY, *(f"{low:g} to {high:g} times" for low, high in itertools.pairwise((*STEPS, 7.0)))]
    return Panel(
        title=title,
        x="mu_a",
        curves=[],
        labels=("suboptimal mean µₐ", "best mean µ*"),
        log=(False, False),
        limits=((0.0, 1.0), (0.0, 1.0)),
        cells=Cells(
            x=edges([float(str(x)) for x in grid.columns]),
            y=edges(grid.index.tolist()),
            levels=np.where(np.isnan(gains), -1, levels).tolist(),
            names=names,
            colours=["#dadada", *shades(STEPS, "viridis").values()],
        ),
    )


def plot(table: pd.DataFrame) -> Plot:
    """Describe divergences of two lower bounds over the budget, and the gain of Theorem 3.1, over budget and means.

    The gain is the divergence of the earlier bound (eq. 7), divided by d_eps of Theorem 3.1. ``table`` is that of
    the computation ``dp-lower-bound``: ``improvement`` by ``mu_a, mu_star`` and ``epsilon``. Of its parts ``grid``
    and ``profile`` are drawn, the latter with ``kl, epsilon_delta, d_eps, infimum`` too.
    """
    grid, profiles = (table[table["part"] == part] for part in ("grid", "profile"))
    pairs = [own for _, own in profiles.groupby(["mu_a", "mu_star"])]
    largest = float(table["improvement"].max())
    # Rounded down, so that the title does not overstate it.
    shown = math.floor(10 * largest) / 10
    maps = [
        gain_map(f"({letter}) gain at ε = {budget:g}", part)
        for letter, (budget, part) in zip(string.ascii_lowercase[2:], grid.groupby("epsilon"), strict=False)
    ]
    return Plot(
        title=f"The new lower bound gains up to {number(shown, 2)} times at small budgets",
        conditions=(
            "Exact: d_ε of Theorem 3.1 beside the divergence of Azize & Basu (2022), eq. 7\n"
            "The smaller a divergence, the larger its lower bound; gain: eq. 7's divergence ÷ d_ε"
        ),
        panels=[divergence(pairs[len(pairs) // 2]), gain_over_budget(profiles, largest), *maps],
        columns=3,
    )


FIGURE = PlottedFigure(
    title="The lower bound's divergence, its regimes, and its gain on the earlier bound",
    numbers=computed_rows,
    plot=plot,
)
