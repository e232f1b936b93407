"""Linear and sublinear regret told apart: how the share of uniform play's regret falls with the horizon.

Sublinear and linear are limits, and horizons are finite: a trend can support either, but cannot show or refute it.
It can decide a sentence about the range of horizons that is run (the option ``range``).
"""

from __future__ import annotations

import math

import pandas as pd

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Finding, Labels, Outcome, Where, finding
from dpbandits.claims.expressions import Conditions, chosen
from dpbandits.claims.kinds._tables import located, named, only, over_instances, runs_in
from dpbandits.claims.kinds.exponent import fitted, with_relative_errors
from dpbandits.core.fields import Option, Options
from dpbandits.core.numbers import number

LEAST_POINTS = 3
# A share whose exponent is between the one that speaks for sublinear regret and this part of it falls too slowly to
# be told apart, as that of T/log T does: it speaks for neither.
GAP = 5.0
# No exponent at finite horizons refutes a limit.
NEVER = -math.inf, math.inf


def evaluate(
    evidence: Evidence,
    linear: list[str],
    sublinear: list[str],
    where: Conditions,
    by: list[str],
    flat: float,
    last: float,
    range: bool,
    instances: str,
) -> Outcome:
    """Return a finding for each algorithm in each group of ``by``, over the last horizons.

    It has the exponent, as a power of the horizon, of regret divided by uniform play's. Means <= 0 are left out. A
    group with fewer than three horizons has no finding.

    Parameters
    ----------
    evidence
        Data of the test, which reads the aggregates.
    linear, sublinear
        Labels of the algorithms whose regret is claimed to be linear, and of those claimed to be sublinear.
    where, by
        Conditions on rows, such as ``{"epsilon": {"at_most": 1}}``; columns whose combinations are fitted apart. A
        row without a value in one of these columns is left out.
    flat
        Sublinear regret asks for an exponent of at most -``flat``, linear regret for at least -``flat`` / 5.
    last
        Horizons count that are at most this factor below the group's largest.
    range
        Whether the claim is about the horizons that were run. If not, a trend never refutes it, nor shows it.
    instances
        Column that numbers random instances, each of which counts as a run; empty for none.
    """
    own = only(chosen(evidence.aggregates, where), "algorithm", [*linear, *sublinear])
    own = own[own["mean"] > 0.0]
    # Instances differ in uniform play's regret, of which the share is taken first.
    own = own.assign(mean=own["mean"] / own["uniform"], sd=own["sd"] / own["uniform"])
    if instances and len(own):
        own = over_instances(own, instances)
    own = with_relative_errors(own)

    def tested(points: pd.DataFrame) -> Finding:
        """Fit the last horizons of one algorithm in one group."""
        points = points.sort_values("horizon", kind="stable")
        first, final = points.iloc[0], points.iloc[-1]
        part = (
            f"{named(first, ['title', *by])}, T from {number(first['horizon'])} to {number(final['horizon'])}, "
            f"share of uniform play's regret from {number(first['mean'])} to {number(final['mean'])}"
        )
        asked = (_of_linear if first["algorithm"] in linear else _of_sublinear)(flat)
        return finding(
            part,
            fitted(points, "horizon"),
            *asked,
            runs_in(points),
            unit="exponent",
            cell=located(first, ["title", *by]),
            cap="holds" if range else "unrefuted",
            refuted=asked if range else NEVER,
        )

    groups = [
        group[group["horizon"] >= group["horizon"].max() / last * (1.0 - 1e-9)]
        for _, group in own.groupby(["algorithm", *by], sort=False)
    ]
    return Outcome([tested(group) for group in groups if group["horizon"].nunique() >= LEAST_POINTS])


def _of_linear(flat: float) -> tuple[float, float]:
    return -flat / GAP, math.inf


def _of_sublinear(flat: float) -> tuple[float, float]:
    return -math.inf, -flat


def limits(options: Options) -> list[Asked]:
    """Return the limits of the exponent, first of linear and then of sublinear regret, where each is claimed."""
    sides = (("linear", _of_linear), ("sublinear", _of_sublinear))
    return [Asked(*side(options["flat"]), ", ".join(options[name])) for name, side in sides if options[name]]


def words(options: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    each = f", in each {' and '.join(options['by'])}" if options["by"] else ""
    last = number(options["last"])
    return f"{{inside}} (t test). It is the slope of logarithms over the last factor of {last} of T{each}"


def fails_if(options: Options) -> str:
    """Return what would fail the test, with marks that `dpbandits.claims.sentences.filled` replaces.

    ``{a} ... {outside}`` becomes "a ... not at most 1", for example. It becomes
    "no ... at most 1" where the claim holds if only some part is within the limits.
    Without ``range`` nothing fails it, and the text has no marks.
    """
    flat, below = number(options["flat"]), number(options["flat"] / GAP)
    which = (
        "Any fixed share of uniform play's regret has exponent 0, which does not speak for sublinear regret; a "
        f"share that falls faster than T^-{below} does not speak for linear regret"
    )
    if options["range"]:
        return f"{{a}} slope that is {{outside}} over the horizons that were run. {which}"
    return (
        "no trend: horizons are finite, and sublinear and linear are limits, so that none shows or refutes them. "
        f"{which}. One that falls more slowly than T^-{flat}, but faster than T^-{below}, speaks for neither"
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
        "instances": Option("", "column that numbers random instances, over which intervals are; none if empty"),
        "range": Option(
            False, "whether the sentence is about the horizons that are run, which alone a trend refutes"
        ),
        "last": Option(300.0, "horizons count that are up to so many times smaller than the largest"),
    },
)
