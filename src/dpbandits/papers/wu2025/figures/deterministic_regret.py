"""wu2025, Theorem 4 and Corollary 2: exact regret with deterministic losses over K, and on every instance."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.interactive import Curve, Measure, Panel, Plot, PlottedFigure, Region, at
from dpbandits.core.labels import BLACK, DOTTED, GREY, VERMILION
from dpbandits.core.labels import NOISES as WORDS
from dpbandits.core.numbers import number
from dpbandits.papers.style import rounded_up
from dpbandits.papers.wu2025.figures._noises import NOISES, by_noise

RUNS = ["algorithm", "environment", "epsilon", "horizon", "arms", "runs", "mean", "mean_low", "mean_high", "cell"]
# Distance of the instances of a noise on the axis of noises.
STEP = 0.06


def numbers(aggregates: pd.DataFrame, computed: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return all rows of ``computed``, and those of ``aggregates`` as the part ``runs``, if there are any.

    ``computed`` has the tables of the computations ``deterministic-regret`` and, if it was made, ``random-phase``.
    Rows of ``aggregates`` are taken as a random phase with Gumbel(2/epsilon) noise. The parts ``phase`` and
    ``runs`` also have ``multiple``, regret divided by b s; ``runs`` has its interval too. Here b is the noise's
    scale, and s the expected excess of the largest of K noises of scale 1 over one.
    """
    parts = [
        table.assign(multiple=table["phase"] / table["b_s"]) if "b_s" in table else table
        for table in computed.values()
    ]
    if len(aggregates):
        runs = aggregates[RUNS].assign(part="runs", noise="gumbel")
        # b s: Gumbel noise of scale b = 2/epsilon has s = log K.
        size = 2.0 * np.log(runs["arms"]) / runs["epsilon"]
        ends = {f"multiple{end}": runs[f"mean{end}"] / size for end in ("", "_low", "_high")}
        parts.append(runs.assign(**ends))
    return pd.concat(parts, ignore_index=True)


def over_arms(arms: pd.DataFrame) -> Panel:
    """Describe a panel of RNM-FTNL's regret over K, divided by log K/epsilon and by log^2 K/epsilon.

    At each K it has the largest regret of all instances, and for the first rate a shade down to the smallest.
    ``arms`` has the rows of the part ``arms``: ``regret`` and ``rate`` (log K/epsilon), for each ``noise``, number
    of actions ``arms`` and instance.
    """
    arms = arms.assign(flat=arms["regret"] / arms["rate"])
    by = arms.groupby(["noise", "arms"])["flat"].agg(["min", "max"]).reset_index()
    logs = np.log(by["arms"])
    by = by.assign(falls=by["max"] / logs)
    return Panel(
        title="(a) over K, divided by two rates",
        x="arms",
        curves=[
            *by_noise(by, {"most": Measure("max", "min", "max")}, ", ÷ (log K/ε) – shade over all gaps"),
            *by_noise(by, {"most": Measure("falls")}, ", ÷ (log² K/ε)", DOTTED),
        ],
        labels=("K (actions)", "regret divided by a rate"),
        limits=(None, (0.1, 10)),
        ticks=({}, at(0.1, 0.2, 0.5, 1, 2, 5, 10)),
    )


def places(table: pd.DataFrame) -> pd.Series[float]:
    """Return each row's place on an axis of noises; rows of one ``noise`` stand side by side.

    The k-th row of a noise, from 0, is at the noise's number in `NOISES`, from 0, plus 0.06 (2 + k).
    """
    # At a noise's own place stand the ends of its exact regrets; its other points begin two steps to the right.
    return table["noise"].map(list(NOISES).index) + STEP * (2 + table.groupby("noise").cumcount())


def every_instance(table: pd.DataFrame) -> Panel:
    """Describe a panel, by noise, of the smallest and the largest regret of all instances, divided by b s.

    Here b is the noise's scale, and s the expected excess of the largest of K noises of scale 1 over one. Lines are
    the bounds of Theorem A. If ``table`` has the part ``phase``, the panel shows the exact regret with epochs of
    random phase (Theorem F). If it has ``runs``, it shows means of such runs with Gumbel(2/epsilon) noise.

    ``table``, that of `numbers`, has the part ``arms`` with ``regret`` and ``theorem_a_high`` by ``noise``. The
    other two parts have ``multiple``, regret divided by b s.
    """
    arms, phase, runs = (table[table["part"] == part] for part in ("arms", "phase", "runs"))
    # b s, from Theorem A's upper bound 4 b s + 1.
    size = (arms["theorem_a_high"] - 1.0) / 4.0
    ends = (arms["regret"] / size).groupby(arms["noise"]).agg(["min", "max"]).reset_index()
    ends = ends.assign(place=ends["noise"].map(list(NOISES).index))
    curves = [
        Curve(f"{word} of all instances", ends, BLACK, "-", {"regret / b s": measure}, False, mark, bars=True)
        for word, measure, mark in (("most", Measure("max", "min", "max"), "v"), ("least", Measure("min"), "^"))
    ]
    if len(phase):
        shown = phase.assign(place=places(phase))
        measure = {"regret / b s": Measure("multiple")}
        curves.append(Curve("random phase, exact", shown, VERMILION, "-", measure, False, "o", hollow=True))
    if len(runs):
        shown = runs.assign(place=places(runs) + STEP * (len(phase[phase["noise"] == "gumbel"]) + 1))
        measure = {"regret / b s": Measure("multiple", "multiple_low", "multiple_high")}
        arms_of = " and ".join(number(arms) for arms in sorted(set(runs["arms"])))
        curves.append(
            Curve(f"random phase, runs (Gumbel, K = {arms_of})", shown, BLACK, "-", measure, False, "s", bars=True)
        )
    bounds = "2 b s and 4 b s (Theorem A, but for its −1 and +1)"
    return Panel(
        title="(b) every instance, within Theorem A",
        x="place",
        curves=curves,
        labels=("noise", "regret ÷ (b s)"),
        log=(False, False),
        limits=((-0.4, len(NOISES) - 0.1), (1.8, 4.2)),
        ticks=({place: WORDS[noise].replace("-and", "-\nand") for place, noise in enumerate(NOISES)}, {}),
        regions=(
            Region(bounds, None, (2.0, 2.0), BLACK),
            Region(bounds, None, (4.0, 4.0), BLACK),
            Region("e b s (Theorem F)", None, (np.e, np.e), VERMILION),
            Region("mean over all gaps, 2 b s/log 2", None, (2.0 / np.log(2.0), 2.0 / np.log(2.0)), GREY),
        ),
    )


def _changes(arms: pd.DataFrame) -> float:
    """Return how many times as large as its smallest value a noise's regret divided by log K/epsilon gets."""
    largest = (arms["regret"] / arms["rate"]).groupby([arms["noise"], arms["arms"]]).max().groupby("noise")
    return float((largest.max() / largest.min()).max())


def _circles(phase: pd.DataFrame) -> str:
    """Return what is of circles alone: their budgets and gaps, and regret without a horizon."""
    budgets, gaps = (f"{number(phase[name].min())} to {number(phase[name].max())}" for name in ("epsilon", "gap"))
    return (
        f", but for circles\n(b) Circles: epochs of random phase (Theorem F), ε = {budgets}, "
        f"smallest gap {gaps}, T = ∞"
    )


def plot(table: pd.DataFrame) -> Plot:
    """Describe regret over K in units of two rates, and every instance between the bounds of Theorem A.

    ``table``, that of `numbers`, has the part ``arms`` with exact ``regret``, ``rate`` and ``theorem_a_high`` by
    ``noise, arms`` and ``gap``. It may have the parts ``phase`` and ``runs`` with ``multiple`` by ``noise``.
    """
    arms = table[table["part"] == "arms"]
    one, sampled, phase = arms.iloc[0], table["part"] == "runs", table[table["part"] == "phase"]
    return Plot(
        title=(
            f"With deterministic losses RNM-FTNL's regret is of order log K/ε: divided by that "
            f"it changes at most {rounded_up(_changes(arms))}-fold over K"
        ),
        conditions=(
            f"Losses not resampled, exact; ε = {number(one['epsilon'])}, smallest gap "
            f"{number(one['gap'])} to {number(2 * one['gap'])}, T = {number(one['horizon'])}"
            + (_circles(phase) if len(phase) else "")
            + "\n(b) b: scale of the noise; s = E max Q − E Q of K noises Q of scale 1"
            + (
                f"; square: mean of {number(table.loc[sampled, 'runs'].max())} runs, with its interval"
                if sampled.any()
                else ""
            )
        ),
        panels=[over_arms(arms), every_instance(table)],
        columns=2,
        height=4.0,
    )


FIGURE = PlottedFigure(title="Exact regret with deterministic losses", numbers=numbers, plot=plot)
