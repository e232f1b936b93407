"""Regret grows as a power of a quantity, with an exponent within limits."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from dpbandits.claims.declarations import (
    Asked,
    ClaimTest,
    Decision,
    Evidence,
    Finding,
    Labels,
    Outcome,
    Where,
    finding,
)
from dpbandits.claims.estimate import Estimate, student
from dpbandits.claims.expressions import Conditions, chosen
from dpbandits.claims.kinds._bounds import bounds
from dpbandits.claims.kinds._tables import LEARNED, WORDS, located, named, only, runs_in, worst_uniform
from dpbandits.core import arrays
from dpbandits.core.fields import Option, Options
from dpbandits.core.numbers import number
from dpbandits.core.tables import worst

LEAST_POINTS = 3
# Stands for "no limit" in the option ``at_most``. With infinity as its default, given limits would have to be
# positive.
NO_LIMIT = -math.inf


def fitted(table: pd.DataFrame, x: str) -> Estimate:
    """Return the estimated exponent: the slope of log(mean) on log(x), by least squares.

    Its error covers the randomness of the runs alone. The fit does not say that the points follow a power law: the
    exponent is an average over the values of ``x``.

    Parameters
    ----------
    table
        Points with the columns ``mean``, ``error`` (its relative standard error), and ``degrees`` of freedom.
    x
        Name of the column whose power is fitted.
    """
    logs = arrays.log(table[x])
    centred = logs - logs.mean()
    weights = centred / (centred * centred).sum()
    slope = float((weights * arrays.log(table["mean"])).sum())
    squares = np.square(weights * table["error"].to_numpy(dtype=float))
    # Welch and Satterthwaite
    parts = float((squares**2 / table["degrees"]).sum())
    degrees = float(squares.sum() ** 2) / parts if parts > 0.0 else math.inf
    return student(slope, math.sqrt(float(squares.sum())), degrees)


def with_relative_errors(table: pd.DataFrame) -> pd.DataFrame:
    """Return aggregates, which have ``mean, sd, runs``, with each mean's relative ``error`` and its ``degrees``.

    The error is sd / mean / sqrt(runs), and the degrees of freedom are runs - 1.
    """
    return table.assign(error=table["sd"] / table["mean"] / np.sqrt(table["runs"]), degrees=table["runs"] - 1.0)


def divided(table: pd.DataFrame, by: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return ``table`` with each mean divided by that in the row of ``by`` with the same ``keys``.

    The error of a quotient is the root of the sum of both squared errors; its degrees of freedom are
    the smaller of both.

    Parameters
    ----------
    table, by
        Tables with the columns ``mean``, ``error``, its relative standard error, and ``degrees`` of freedom.
    keys
        Names of the columns that have to agree. Rows of ``table`` without a partner are left out.
    """
    joined = table.merge(by[[*keys, "mean", "error", "degrees"]], on=keys, suffixes=("", "_by"))
    return joined.assign(
        mean=joined["mean"] / joined["mean_by"],
        error=arrays.distance(joined["error"], joined["error_by"]),
        degrees=np.minimum(joined["degrees"], joined["degrees_by"]),
    )


def evaluate(
    evidence: Evidence,
    algorithms: list[str],
    against: str,
    bound: str,
    over: str,
    where: Conditions,
    by: list[str],
    at_least: float,
    at_most: float,
    learned: float,
    span: float,
    range: bool,
) -> Outcome:
    """Return a finding on the exponent of each algorithm in each group of ``by``, in its worst environments.

    It is the slope of log mean regret in log ``over``, through the environment with the largest mean at each value.
    Means <= 0 are left out. A group with fewer than three values of ``over`` that count has no finding. `BadInput`
    is raised for an unknown ``bound``.

    Parameters
    ----------
    evidence
        Data of the test, which reads the aggregates.
    algorithms
        Labels of the algorithms; all if empty.
    against, bound
        Label of an algorithm, and name of a bound such as ``cor2``, by which regret is divided first; empty for
        none.
    over
        Column whose power is fitted, such as ``horizon``.
    where, by
        Conditions on rows, such as ``{"epsilon": {"at_most": 1}}``; columns whose combinations are fitted apart.
    at_least, at_most
        Limits of the exponent; minus infinity as ``at_most`` stands for none.
    learned
        With a bound: points count up to this share of uniform play's regret, and points above the bound.
    span
        Smallest ratio of the largest to the smallest value of ``over`` with which a part is decided.
    range
        Whether a fit over all values refutes by itself. If not, the slope over the last two values has to fail too;
        of ``epsilon`` these are the two smallest.
    """
    table = chosen(evidence.aggregates, where)
    table = with_relative_errors(table[table["mean"] > 0.0])
    own = only(table, "algorithm", algorithms)
    keys = ["title", *by]
    # The worst environment first: a hard one must not make way for an easy one where it is not learned.
    groups = [
        worst(worst_uniform(group, [over]), [over]) for _, group in own.groupby(keys, dropna=False, sort=False)
    ]
    points_of = [_counting(group, bound, learned) for group in groups]

    def tested(points: pd.DataFrame) -> Finding:
        """Fit one group, and if the range does not suffice also its end."""
        points = points.sort_values(over, kind="stable")
        if against:
            points = divided(points, only(table, "algorithm", [against]), ["environment", "epsilon", "horizon"])
        if bound:
            points = points.assign(mean=points["mean"] / bounds(points, bound))
        ends = f"{WORDS.get(over, over)} from {number(points[over].min())} to {number(points[over].max())}"
        constant = f", largest ratio {number(points['mean'].max())}" if bound else ""
        part = f"{named(points.iloc[0], keys)}, {ends}, local exponents {_local(points, over)}{constant}"
        wide = points[over].max() / points[over].min() >= span * (1.0 - 1e-9)

        def tested_by(estimate: Estimate) -> Finding:
            """Return the finding for an estimated exponent."""
            return finding(
                part,
                estimate,
                *_asked(at_least, at_most),
                runs_in(points),
                unit="exponent",
                cap="holds" if wide else "open",
                cell=located(points.iloc[0], keys),
            )

        fit = tested_by(fitted(points, over))
        return fit if range else _also_at_the_end(fit, tested_by(fitted(_end(points, over), over)))

    return Outcome([tested(points) for points in points_of if points[over].nunique() >= LEAST_POINTS])


def _end(points: pd.DataFrame, over: str) -> pd.DataFrame:
    """Return the points at the two values that a rate is about: the largest, or the smallest budgets."""
    values = points[over].drop_duplicates().sort_values(ascending=over == "epsilon")
    return points[points[over].isin(values.iloc[:2])]


def _also_at_the_end(fit: Finding, end: Finding) -> Finding:
    """Return a fit that fails only if the end does too: an O() is about large values, and a fit no power law."""

    def both(of_fit: Decision, of_end: Decision) -> Decision:
        if of_fit.side != "fails":
            return of_fit
        return Decision("fails", max(of_fit.p, of_end.p)) if of_end.side == "fails" else Decision("open", 1.0)

    down, up = map(both, fit.moved, end.moved)
    return fit._replace(decision=both(fit.decision, end.decision), moved=(down, up))


def _counting(points: pd.DataFrame, bound: str, learned: float) -> pd.DataFrame:
    """Return the points that can show a rate or refute a bound; a point above the bound always stays."""
    if not bound:
        return points
    above = points["mean"] > np.asarray(bounds(points, bound))
    return points[above | (points["mean"] <= learned * points["worst_uniform"])]


def _local(points: pd.DataFrame, over: str) -> str:
    """Return the exponents from each point to the next, in words."""
    along, means = arrays.log(points[over]), arrays.log(points["mean"])
    slopes = np.diff(means) / np.diff(along)
    return ", ".join(f"{slope:.2f}" for slope in slopes[np.isfinite(slopes)])


def _asked(at_least: float, at_most: float) -> tuple[float, float]:
    return at_least, math.inf if at_most == NO_LIMIT else at_most


def limits(options: Options) -> list[Asked]:
    """Return the limits of the exponent: from ``at_least`` to ``at_most``, of which minus infinity means none."""
    return [Asked(*_asked(options["at_least"], options["at_most"]))]


def words(options: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    over = WORDS.get(options["over"], options["over"])
    points = f", which decide over a factor of {number(options['span'])}" if options["span"] > 1.0 else ""
    against = f", divided by that of {options['against']}" if options["against"] else ""
    learned = (
        f". Points count where regret is at most {number(options['learned'])} of uniform play's, in the worst "
        "environment for each, or above the bound"
        if options["bound"]
        else ""
    )
    return (
        f"{{inside}} (t test). It is the slope of log mean regret"
        f"{against} in log {over}, in the worst environment, through at least {LEAST_POINTS} points{points}"
        f"{learned}"
    )


def fails_if(options: Options) -> str:
    """Return what would fail the test, with marks that `dpbandits.claims.sentences.filled` replaces.

    ``{a} ... {outside}`` becomes "a ... not at most 1", for example. It becomes
    "no ... at most 1" where the claim holds if only some part is within the limits.
    """
    also = "" if options["range"] else ", through all points and through the last two"
    slope = f"{{a}} slope that is {{outside}}{also}"
    if not options["bound"]:
        return slope
    return f"{slope}. Where hardly anything is learned a point counts against the claim alone"


TEST = ClaimTest(
    title="Exponent of regret as a power of a quantity",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=limits,
    part="fit",
    nothing=f"fewer than {LEAST_POINTS} points at which regret is far enough below uniform play's to show a rate",
    about="exponent",
    options={
        "algorithms": Labels([], "labels of the algorithms"),
        "against": Labels("", "label of an algorithm by whose regret it is divided first; none if empty"),
        "bound": Option(
            "", "name of a bound by which it is divided first: an O() is that this is flat; none if empty"
        ),
        "over": Option("horizon", "the quantity, a column"),
        "where": Where(),
        "by": Option([], "columns; each combination of their values is fitted for itself"),
        "at_least": Option(-math.inf, "smallest exponent"),
        "at_most": Option(NO_LIMIT, "largest exponent; none if not given"),
        "learned": Option(
            LEARNED,
            "with a bound, points enter if their regret is at most this share of uniform play's, or above it; both "
            "are of the worst environment",
        ),
        "span": Option(100.0, "the largest value of the quantity divided by the smallest has to be so much"),
        "range": Option(
            False, "whether the sentence is about the values that are run, so that a fit alone refutes it"
        ),
    },
)
