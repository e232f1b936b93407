"""wu2025, Lemma 1: selection probabilities in order of the means, with resampling and without."""

from __future__ import annotations

import pandas as pd

from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLACK
from dpbandits.core.numbers import number
from dpbandits.papers.style import computed_rows, shades
from dpbandits.papers.wu2025.figures._noises import by_noise, parts, six_variants

# Of exact probabilities, computed in doubles.
ROUNDING = 1e-12
LINEAR = (False, False)


def probabilities(spread: pd.DataFrame) -> Panel:
    """Describe a panel of P[J_r = j] over epochs r, a line for each action j; J_r is the selected action.

    ``spread`` has this ``probability`` by ``r`` and ``j`` on one instance with Laplace noise. From the first epoch
    on at which some probability is below 1e-6, epochs are left out, unless that is epoch 1.
    """
    # Up to the epoch at which one becomes too rare for the axis.
    rare = spread.loc[spread["probability"] < 1e-6, "r"].min()
    spread = spread[spread["r"] < rare] if rare > 1 else spread
    colours = shades(spread["j"], "viridis", end=0.85)
    return Panel(
        title="(a) with resampling, Laplace",
        x="r",
        curves=[
            Curve(f"j = {j:g}", rows, colours[j], measures={"probability": Measure("probability")}, mark=".")
            for j, rows in parts(spread, "j")
        ],
        labels=("epoch r", "P[Jᵣ = j], exact"),
        log=(False, True),
        named_at_ends=True,
    )


def multiples(spread: pd.DataFrame) -> Panel:
    """Describe a panel of the largest j P[J_r = j] of all actions j, over epochs r, a line for each noise.

    J_r is the selected action, and Lemma 1 bounds the number by 1. ``spread`` has the ``probability`` by ``noise,
    r`` and ``j`` on one instance.
    """
    multiple = spread.assign(multiple=spread["j"] * spread["probability"])
    largest = multiple.groupby(["noise", "r"])["multiple"].max().reset_index()
    return Panel(
        title="(b) with resampling",
        x="r",
        curves=by_noise(largest, {"largest multiple": Measure("multiple")}),
        labels=("epoch r", "largest j·P[Jᵣ = j]"),
        log=LINEAR,
        limits=(None, (0.0, 1.1)),
        regions=(Region("the lemma's bound", None, (1.0, 1.0), BLACK),),
    )


def rises(misled: pd.DataFrame) -> Panel:
    """Describe a panel of P[J_r = 2] - P[J_r = 1] over epochs r, for three noises with resampling and without.

    ``misled`` has the ``probability`` by ``noise, resampling, r`` and ``j`` on the instance of misleading losses.
    """
    wide = misled.pivot_table(index=["noise", "resampling", "r"], columns="j", values="probability")
    rise = (wide[2] - wide[1]).rename("rise").reset_index()
    return Panel(
        title="(c) misleading losses",
        x="r",
        curves=six_variants(rise, {"difference": Measure("rise")}),
        labels=("epoch r", "P[Jᵣ = 2] − P[Jᵣ = 1]"),
        log=LINEAR,
        regions=(Region("equally often", None, (0.0, 0.0), BLACK),),
    )


def plot(table: pd.DataFrame) -> Plot:
    """Describe P[J_r = j] and j P[J_r = j] with resampling, and how the order of P[J_r = j] fails without.

    ``table`` is that of the computation ``selection-monotonicity``. Its part ``profile`` has ``probability`` by
    ``instance, resampling, noise, r`` and ``j``; its part ``search`` has ``rise`` and ``multiple``.
    """
    profile, search = table[table["part"] == "profile"], table[table["part"] == "search"]
    spread = profile[profile["instance"] == "spread means"]
    misled = profile[profile["instance"] == "misleading losses"]
    rise, multiple = search["rise"].max(), search["multiple"].max()
    found = "none breaks the order" if rise <= ROUNDING else f"the order is broken by {number(rise, 1)}"
    within = "none exceeds 1/j" if multiple <= 1.0 + ROUNDING else f"1/j is exceeded by {number(multiple - 1.0, 1)}"
    return Plot(
        title=_finding(misled, rise <= ROUNDING),
        conditions=(
            f"Exact. With resampling, of {len(search)} random instances {found}, and {within}\n"
            f"(a, b) mean losses {_means(spread)}; (b) largest over j\n"
            f"(c) mean losses {_means(misled)}; (a, b, c) ε = {number(profile['epsilon'].max())}"
        ),
        panels=[
            probabilities(spread[spread["noise"] == "laplace"]),
            multiples(spread),
            rises(misled),
        ],
        columns=3,
        height=3.4,
    )


def _means(misled: pd.DataFrame) -> str:
    """Return the mean losses of actions, in order."""
    return ", ".join(number(mean) for mean in misled.drop_duplicates("j").sort_values("j")["mean"])


def _finding(misled: pd.DataFrame, ordered: bool) -> str:
    """Return whether resampling keeps the order of actions, and what becomes of equal means without it."""
    kept = (
        "is selected at least as often as a worse one"
        if ordered
        else "is not always selected as often as a worse one"
    )
    first, second = (misled.loc[misled["j"] == j, "mean"].iloc[0] for j in (1, 2))
    without = misled[misled["resampling"] == 0].pivot_table(index=["noise", "r"], columns="j", values="probability")
    rise = without[2] - without[1]
    # Of equal means either may be called the first.
    broken = (rise.abs() if first == second else rise) > ROUNDING
    if not broken.any():
        return f"With resampling a better action {kept}"
    unlike = "two equally good ones are not selected equally often" if first == second else "that can fail"
    return f"With resampling a better action {kept}; without it {unlike}"


FIGURE = PlottedFigure(title="Selection probabilities in order of the means", numbers=computed_rows, plot=plot)
