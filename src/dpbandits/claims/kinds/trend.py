"""Linear and sublinear regret told apart: how the share of uniform play's regret falls with the horizon."""

from __future__ import annotations

import math

import pandas as pd

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Finding, Labels, Outcome, Where, finding
from dpbandits.claims.expressions import Conditions, chosen
from dpbandits.claims.kinds._tables import located, named, only, runs_in
from dpbandits.claims.kinds.exponent import fitted, with_errors
from dpbandits.core.fields import Option, Options
from dpbandits.core.numbers import number

LEAST_POINTS = 3
# A share whose exponent is between the one that is sublinear and this part of it falls too slowly to be told apart,
# as that of T/log T does: it decides nothing.
GAP = 5.0


def evaluate(
    evidence: Evidence,
    linear: list[str],
    sublinear: list[str],
    where: Conditions,
    by: list[str],
    flat: float,
    last: float,
) -> Outcome:
    """Fit the exponent of R/U in each group of ``by``, over the last horizons of each algorithm."""
    table = with_errors(chosen(evidence.aggregates, where))
    own = only(table, "algorithm", [*linear, *sublinear])
    own = own[own["mean"] > 0.0]
    own = own.assign(mean=own["mean"] / own["uniform"])

    def tested(points: pd.DataFrame) -> Finding:
        points = points.sort_values("horizon", kind="stable")
        first, final = points.iloc[0], points.iloc[-1]
        part = (
            f"{named(first, ['title', *by])}, T from {number(first['horizon'])} to {number(final['horizon'])}, "
            f"share of uniform play's regret from {number(first['mean'])} to {number(final['mean'])}"
        )
        side = _of_linear if first["algorithm"] in linear else _of_sublinear
        return finding(
            part,
            fitted(points, "horizon"),
            *side(flat)[0],
            runs_in(points),
            unit="exponent",
            cell=located(first, ["title", *by]),
            refuted=side(flat)[1],
        )

    groups = [
        group[group["horizon"] >= group["horizon"].max() / last * (1.0 - 1e-9)]
        for _, group in own.groupby(["algorithm", *by], sort=False)
    ]
    return Outcome([tested(group) for group in groups if group["horizon"].nunique() >= LEAST_POINTS])


Both = tuple[tuple[float, float], tuple[float, float]]


def _of_linear(flat: float) -> Both:
    return (-flat / GAP, math.inf), (-flat, math.inf)


def _of_sublinear(flat: float) -> Both:
    return (-math.inf, -flat), (-math.inf, -flat / GAP)


def limits(options: Options) -> list[Asked]:
    """Return the limits of the exponent, of linear regret and of sublinear."""
    sides = (("linear", _of_linear), ("sublinear", _of_sublinear))
    return [Asked(*side(options["flat"])[0], ", ".join(options[name])) for name, side in sides if options[name]]


def words(options: Options) -> str:
    """Return the test in words."""
    each = f", in each {' and '.join(options['by'])}" if options["by"] else ""
    last = number(options["last"])
    return f"{{inside}} (t test). It is the slope of logarithms over the last factor of {last} of T{each}"


def fails_if(options: Options) -> str:
    """Return what would fail the test, in words."""
    flat, below = number(options["flat"]), number(options["flat"] / GAP)
    return (
        "an algorithm on the wrong side: any fixed share of uniform play's regret has exponent 0, so none is "
        f"sublinear, and a share that falls as T^-{flat} or faster is not linear. One that falls more slowly than "
        f"that, but faster than T^-{below}, leaves both open"
    )


TEST = ClaimTest(
    title="Linear and sublinear regret, by the trend of the share of uniform play's",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=limits,
    part="fit",
    nothing=f"fewer than {LEAST_POINTS} horizons",
    options={
        "linear": Labels([], "labels of algorithms whose regret is claimed to be linear"),
        "sublinear": Labels([], "labels of algorithms whose regret is claimed to be sublinear"),
        "where": Where(),
        "by": Option(["environment"], "columns; each combination of their values is fitted for itself"),
        "flat": Option(0.05, "exponent of the share up to which it counts as constant"),
        "last": Option(300.0, "horizons count that are up to so many times smaller than the largest"),
    },
)
