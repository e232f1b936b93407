"""Linear and sublinear regret told apart: how the share of uniform play's regret falls with the horizon."""

from __future__ import annotations

import math

import pandas as pd

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Finding, Labels, Outcome, Where, finding
from dpbandits.claims.expressions import Conditions, chosen
from dpbandits.claims.kinds._tables import named, only, runs_in
from dpbandits.claims.kinds.exponent import fitted, with_errors
from dpbandits.core.options import Option, Options

LEAST_POINTS = 3


def evaluate(
    evidence: Evidence, linear: list[str], sublinear: list[str], where: Conditions, flat: float, last: float
) -> Outcome:
    """Fit the exponent of R/U in each environment, over the last horizons of each algorithm."""
    table = with_errors(chosen(evidence.aggregates, where))
    own = only(table, "algorithm", [*linear, *sublinear])
    own = own[own["mean"] > 0.0]
    own = own.assign(mean=own["mean"] / own["uniform"])

    def tested(points: pd.DataFrame) -> Finding:
        points = points.sort_values("horizon", kind="stable")
        first, final = points.iloc[0], points.iloc[-1]
        part = (
            f"{named(first, ['title', 'environment'])}, T from {first['horizon']:.3g} to {final['horizon']:.3g}, "
            f"share of uniform play's regret from {first['mean']:.3g} to {final['mean']:.3g}"
        )
        asked = _of_linear(flat) if first["algorithm"] in linear else _of_sublinear(flat)
        return finding(part, fitted(points, "horizon"), *asked, runs_in(points), unit="exponent")

    groups = [
        group[group["horizon"] >= group["horizon"].max() / last * (1.0 - 1e-9)]
        for _, group in own.groupby(["algorithm", "environment"], sort=False)
    ]
    return Outcome([tested(group) for group in groups if group["horizon"].nunique() >= LEAST_POINTS])


def _of_linear(flat: float) -> tuple[float, float]:
    return -flat, math.inf


def _of_sublinear(flat: float) -> tuple[float, float]:
    return -math.inf, -flat


def limits(options: Options) -> list[Asked]:
    """Return the limits of the exponent, of linear regret and of sublinear."""
    sides = (("linear", _of_linear), ("sublinear", _of_sublinear))
    return [Asked(*side(options["flat"]), ", ".join(options[name])) for name, side in sides if options[name]]


def words(options: Options) -> str:
    """Return the test in words."""
    return (
        f"{{inside}} (t test). It is the slope of logarithms over the last factor of "
        f"{options['last']:g} of T, in each environment"
    )


def power(options: Options) -> str:
    """Return what would fail the test, in words."""
    return (
        "an algorithm on the wrong side: any fixed share of uniform play's regret has exponent 0, so none is "
        f"sublinear. A share that falls as T^-{options['flat']:g} or faster is not linear"
    )


TEST = ClaimTest(
    title="Linear and sublinear regret, by the trend of the share of uniform play's",
    evaluate=evaluate,
    words=words,
    power=power,
    limits=limits,
    part="fit",
    nothing=f"fewer than {LEAST_POINTS} horizons",
    options={
        "linear": Labels([], "labels of algorithms whose regret is claimed to be linear"),
        "sublinear": Labels([], "labels of algorithms whose regret is claimed to be sublinear"),
        "where": Where(),
        "flat": Option(0.05, "exponent of the share up to which it counts as constant"),
        "last": Option(300.0, "horizons count that are up to so many times smaller than the largest"),
    },
)
