"""Test of an O() or an Omega(): a computed quantity, divided by its rate, has stopped growing, or falling."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Expression, Finding, Outcome, Where, finding
from dpbandits.claims.estimate import exact
from dpbandits.claims.expressions import Conditions, quantity
from dpbandits.claims.kinds._tables import SAMPLED, WORDS, how, located, named, rows, runs_in, with_errors
from dpbandits.claims.kinds.exponent import fitted
from dpbandits.core import arrays
from dpbandits.core.fields import Option, Options
from dpbandits.core.numbers import number

LEAST_POINTS = 4
# An O() is followed over two decades at least.
DECADES = 100.0


def evaluate(
    evidence: Evidence,
    value: str,
    rate: str,
    over: str,
    where: Conditions,
    by: list[str],
    lower: bool,
    span: float,
    tolerance: float,
    interval: list[str],
    error: str,
    runs: str,
) -> Outcome:
    """Return a finding for each group of ``by``: the exponent of the ratio to the rate, as a power of ``over``.

    It is fitted to the last values of ``over``, through the most extreme row at each of them. A group with fewer
    than four values has no finding, and one whose values span less than a factor of 100 stays open.

    Parameters
    ----------
    evidence
        Data of the test, which reads computed tables, or else the aggregates.
    value, rate, over
        The quantity, its rate, and what both grow with, as expressions of columns such as ``sqrt(arms)``.
    where, by
        Conditions on rows, such as ``{"epsilon": {"at_most": 1}}``; columns whose combinations are the groups. A
        row without a value in one of these columns is left out.
    lower
        Whether the rate is a lower bound. The smallest row then counts at each value, not the largest.
    span
        Values of ``over`` count that are at most this factor below the largest, and always the last two.
    tolerance
        A part holds if the exponent is at most this number, or, of a lower bound, at least minus this number.
    interval, error, runs
        Expressions of the ends of the quantity's 95 % interval, or of its standard error, and of the number of runs
        behind either. Without the first two it is exact.
    """
    table = rows(evidence, where)
    if table.empty:
        return Outcome([])
    table = with_errors(table, value, interval, error, runs)
    table = table.assign(
        ratio=table["value"] / quantity(table, rate),
        error=table["error"] / table["value"],
        along=quantity(table, over),
    )

    asked = _asked(lower, tolerance)

    def tested(group: pd.DataFrame) -> Finding:
        """Fit the last values of one group, through its most extreme rows."""
        extreme = group.loc[group.groupby("along")["ratio"].agg("idxmin" if lower else "idxmax")]
        along = extreme["along"].to_numpy(dtype=float)
        # At least two values, and all that are within the span of the last one, but for rounding.
        first = min(int(np.searchsorted(along, along[-1] / span * (1.0 - 1e-9))), along.size - 2)
        last = extreme.iloc[first:]
        ends, ratios = along[first:], last["ratio"].to_numpy(dtype=float)
        exactly = bool(last["error"].isna().all())
        points = last.assign(mean=last["ratio"], degrees=last["runs"] - 1.0)
        power = exact(arrays.slope(arrays.log(ends), arrays.log(ratios))) if exactly else fitted(points, "along")
        constant = ratios.min() if lower else ratios.max()
        words = f"{WORDS.get(over, over)} from {number(ends[0])} to {number(ends[-1])}, constant {number(constant)}"
        local = arrays.slope(arrays.log(ends[-2:]), arrays.log(ratios[-2:]))
        words += f", local exponent at the end {number(local)}"
        part = ", ".join(filter(None, [named(group.iloc[0], by), words]))
        wide = group["along"].max() / group["along"].min() >= DECADES * (1.0 - 1e-9)
        return finding(
            part,
            power,
            *asked,
            "exact" if exactly else runs_in(last),
            unit="exponent",
            cap="holds" if wide else "open",
            cell=located(group.iloc[0], by),
        )

    groups = [group for _, group in table.groupby(by, sort=False)] if by else [table]
    return Outcome([tested(group) for group in groups if group["along"].nunique() >= LEAST_POINTS])


def _asked(lower: bool, tolerance: float) -> tuple[float, float]:
    return (-tolerance, math.inf) if lower else (-math.inf, tolerance)


def limits(options: Options) -> list[Asked]:
    """Return the limits of the slope: at most ``tolerance``, or of a lower bound at least -``tolerance``."""
    return [Asked(*_asked(options["lower"], options["tolerance"]))]


def words(options: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    over = WORDS.get(options["over"], options["over"])
    extreme = "smallest" if options["lower"] else "largest"
    return (
        f"{{inside}}. It is a slope in logarithms, through the {extreme} row at each value, over the last "
        f"factor of {number(options['span'])} of {over} (least squares; {LEAST_POINTS} values or more are run; "
        f"{how(options)}). "
        "A constant factor is left open, as O() leaves it"
    )


def fails_if(options: Options) -> str:
    """Return what would fail the test, in words."""
    way = "falls" if options["lower"] else "grows"
    linear = ". Linear regret grows as a power of 1 of T" if options["over"] == "horizon" else ""
    least = number(options["tolerance"])
    return f"a ratio that still {way} as a power of {least} or more at the largest values{linear}"


TEST = ClaimTest(
    title="A computed quantity grows no faster, or no slower, than a rate",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=limits,
    nothing=f"fewer than {LEAST_POINTS} values",
    options={
        "value": Expression("regret", "the quantity, as an expression of columns"),
        **SAMPLED,
        "rate": Expression("1", "its rate, as an expression of columns"),
        "over": Expression("arms", "the quantity over which it is followed, as an expression of columns"),
        "where": Where(),
        "by": Option([], "columns; each combination of their values is a part"),
        "lower": Option(False, "whether the rate is one from below"),
        "span": Option(100.0, "values enter that are up to so many times smaller than the largest"),
        "tolerance": Option(0.05, "exponent that counts as none"),
    },
    reads="computed",
)
