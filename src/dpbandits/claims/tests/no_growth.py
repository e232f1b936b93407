"""An O() or an Omega(): what is computed, divided by its rate, has stopped growing, or falling."""

from __future__ import annotations

import math

import pandas as pd

from dpbandits.claims.estimate import exact
from dpbandits.claims.evidence import ClaimTest, Evidence, Finding, Outcome, finding
from dpbandits.claims.tests._tables import WORDS, named, quantity, rows
from dpbandits.core.options import Option, Options

LEAST_POINTS = 4


def evaluate(
    evidence: Evidence, value: str, rate: str, over: str, where: str, by: list[str], lower: bool, tolerance: float
) -> Outcome:
    """Fit a power to the last two values of ``over`` in each group of ``by``, the most extreme row at each."""
    table = rows(evidence, where)
    if table.empty:
        return Outcome([])
    table = table.assign(ratio=quantity(table, value) / quantity(table, rate), along=quantity(table, over))

    limits = (-tolerance, math.inf) if lower else (-math.inf, tolerance)

    def tested(group: pd.DataFrame) -> Finding:
        extreme = group.groupby("along")["ratio"].agg("min" if lower else "max")
        (before, last), ends = extreme.to_numpy()[-2:], extreme.index.to_numpy(dtype=float)
        power = math.log(last / before) / math.log(ends[-1] / ends[-2])
        words = f"{WORDS.get(over, over)} from {ends[0]:g} to {ends[-1]:g}"
        return finding(", ".join(filter(None, [named(group.iloc[0], by), words])), exact(power), *limits)

    groups = [group for _, group in table.groupby(by, sort=False)] if by else [table]
    return Outcome([tested(group) for group in groups if group["along"].nunique() >= LEAST_POINTS])


def words(options: Options) -> str:
    """Return the test in words."""
    extreme = "smallest" if options["lower"] else "largest"
    end = f"at least -{options['tolerance']:g}" if options["lower"] else f"at most {options['tolerance']:g}"
    over = WORDS.get(options["over"], options["over"])
    rate = "" if options["rate"] == "1" else f" / ({options['rate']})"
    return (
        f"exponent of the {extreme} {options['value']}{rate} as a power of {over} between its two largest values "
        f"(of at least {LEAST_POINTS}): {end}, compared; a constant factor is left open, as O() leaves it"
    )


TEST = ClaimTest(
    title="A computed quantity grows no faster, or no slower, than a rate",
    evaluate=evaluate,
    words=words,
    nothing="fewer than 4 values",
    options={
        "value": Option("regret", "the quantity, as an expression of columns"),
        "rate": Option("1", "its rate, as an expression of columns"),
        "over": Option("arms", "the quantity over which it is followed, as an expression of columns"),
        "where": Option("", "which rows, as an expression of columns"),
        "by": Option([], "columns; each combination of their values is a part"),
        "lower": Option(False, "whether the rate is one from below"),
        "tolerance": Option(0.05, "exponent that counts as none"),
    },
    reads="computed",
)
