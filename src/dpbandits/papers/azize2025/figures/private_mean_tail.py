"""azize2025, Proposition 4.1: exact tails of a private mean, their decay rate, and the bounds on them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Option
from dpbandits.core.interactive import Curve, Limits, Measure, Panel, Plot, PlottedFigure, Region
from dpbandits.core.labels import BLUE, GREEN, GREY, ORANGE, SKY, VERMILION, Look
from dpbandits.core.numbers import number, power

# Column of logarithms, number of noise terms, label, and look.
CURVES = (
    ("log_rewards", "one", "exact, no noise", Look(GREY, "-", "^")),
    ("log_tail", "one", "exact, one noise term", Look(SKY, "-", "o")),
    ("log_tail", "batches", "exact, one noise term a batch", Look(BLUE, "-", "s")),
    ("log_split", "batches", "noise and rewards apart (best split)", Look(ORANGE, (0, (4, 1, 1, 1)), "")),
    ("log_chernoff", "batches", "Chernoff bound of the whole sum", Look(GREEN, (0, (5, 1)), "")),
    ("log_d3", "batches", "bound of Lemma D.3", Look(VERMILION, "-", "")),
)
# Rates that tails tend to: d_ε with noise, kl without, and that of the best split, each in its curve's colour.
RATES = {"d_eps": BLUE, "kl": GREY, "split": ORANGE}
LIMIT = "limit of the rate drawn in that colour"


def numbers(_: pd.DataFrame, computed: Mapping[str, pd.DataFrame], mu: float, x: float) -> pd.DataFrame:
    """Return the rows of one case: a mean mu of the rewards, and a threshold x of their private mean.

    Parameters
    ----------
    _
        Table of measured regret; not used.
    computed
        The table of exact tails and bounds, by its computation's name ``private-mean-tail``.
    mu, x
        Mean of the rewards, in (0, 1), and threshold of the private mean, in [0, 1].

    Raises
    ------
    BadInput
        If the computation has no such case.
    """
    (table,) = computed.values()
    cases = sorted(set(zip(table["mu"], table["x"], strict=True)))
    if (mu, x) not in cases:
        raise BadInput("options.mu and options.x", (mu, x), f"a case of the computation: {cases}")
    return table[(table["mu"] == mu) & (table["x"] == x)]


def curves(part: pd.DataFrame, word: str) -> list[Curve]:
    """Return curves over n: exact tails P of a private mean of n rewards, and bounds on P.

    Parameters
    ----------
    part
        Rows of one budget: ``n``, ``noises`` (``one`` term, or one for each of the ``batches``), logarithms such as
        ``log_tail``, and the rates ``d_eps`` and ``kl``.
    word
        ``rate`` for the decay rate -log P / n, or ``constant`` for log10 of the factor P e^(n d_eps). The latter
        leaves out curves whose rate tends to another limit than d_eps.
    """
    found = []
    for column, noises, label, look in CURVES:
        own = part[part["noises"] == noises]
        logs, n = own[column], own["n"]
        if word == "rate":
            # A bound above 1 has none.
            own = own.assign(height=(-logs / n).where(logs < 0.0))
        elif column == "log_split" or (column == "log_rewards" and bool((own["kl"] > own["d_eps"]).any())):
            # With another limit of its rate the factor is off any scale.
            continue
        else:
            own = own.assign(height=(logs + n * own["d_eps"]) / np.log(10.0))
        measures = {word: Measure("height")}
        # Hollow, so that a bound which meets an exact curve is seen on it.
        found.append(Curve(label, own, look.colour, look.dashes, measures, mark=look.mark, hollow=True, width=1.2))
    return found


def plot(table: pd.DataFrame, mu: float, x: float) -> Plot:
    """Describe exact tails P of a private mean of n rewards, and bounds on P, in a column for each budget.

    Above are the decay rates -log P / n, below the factors P e^(n d_eps). ``table`` has the case's rows of the
    computation ``private-mean-tail``: logarithms ``log_tail, log_d3, log_chernoff, log_split, log_rewards`` by
    ``epsilon, noises`` and ``n``, and rates ``d_eps, kl, split``. ``mu`` is the mean of the rewards, ``x`` the
    threshold of their private mean. The tail is the upper one for x >= mu, else the lower one.
    """
    highest = float((table["log_d3"] + table["n"] * table["d_eps"]).max() / np.log(10.0))
    heights: Mapping[str, Limits] = {
        "rate": (table["split"].min() / 6, 2.0),
        "constant": (-0.05 * highest, 1.05 * highest),
    }
    labels = {"rate": "rate −log P / n (nats)", "constant": "log₁₀ of P exp(n d_ε)"}
    batches = table[table["noises"] == "batches"]
    last = table[table["n"] == table["n"].max()]
    rates = -last["log_tail"] / last["n"] / last["d_eps"]
    factor = power(10, round((batches["log_d3"] - batches["log_tail"]).max() / np.log(10.0)))
    notes = {"rate": "\n({})", "constant": ""}
    side = "at least" if x >= mu else "at most"
    cases = [(epsilon, part) for epsilon, part in table.groupby("epsilon")]
    return Plot(
        title=(
            f"At n = {number(last['n'].max())} rates with noise are {number(rates.min(), 2)} to "
            f"{number(rates.max(), 2)} times their limit of Proposition 4.1; "
            f"Lemma D.3's constant is up to {factor} times too large"
        ),
        conditions=(
            f"P: probability that the private mean of n rewards of mean {mu:g} is {side} {x:g}; bounds on it\n"
            f"d_ε: divergence of Theorem 3.1, the limit of the rate with noise (blue dots)\n"
            f"Below: curves with that limit; the best split, and no noise in high privacy, tend to others"
        ),
        panels=[
            Panel(
                title=f"{word}, ε = {epsilon:g}{notes[word].format(part['regime'].iloc[0])}",
                x="n",
                curves=curves(part, word),
                labels=("rewards n", label),
                log=(True, word == "rate"),
                limits=(None, heights[word]),
                regions=[
                    Region(LIMIT, None, (rate, rate), colour)
                    for column, colour in RATES.items()
                    for rate in [part[column].iloc[0]]
                    if word == "rate"
                ],
            )
            for word, label in labels.items()
            for epsilon, part in cases
        ],
        columns=len(cases),
    )


FIGURE = PlottedFigure(
    title="Exact tails of a private mean, their decay rate, and the bounds on them",
    numbers=numbers,
    plot=plot,
    options={
        "mu": Option(0.5, "mean of the rewards"),
        "x": Option(0.75, "threshold of the private mean; with mu a case of the computation"),
    },
)
