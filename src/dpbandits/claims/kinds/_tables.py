"""Selection of rows and quantities for tests, by expressions that a configuration gives.

A cell is an algorithm in one environment at one budget and horizon.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpbandits.claims.declarations import CELL, Evidence, Expression
from dpbandits.claims.estimate import CONFIDENCE
from dpbandits.claims.expressions import Conditions, chosen, quantity
from dpbandits.core import registry
from dpbandits.core.distributions import student_quantile
from dpbandits.core.fields import Options
from dpbandits.core.numbers import number
from dpbandits.core.tables import shortened

if TYPE_CHECKING:
    from dpbandits.runs.aggregate import Measured
    from dpbandits.runs.plan import Cell

# Points count up to this share of uniform play's regret. Above it, a slope is partly uniform play's own
# (docs/verdicts.md, Saturation).
LEARNED = 0.3
# Names of columns in words.
WORDS = {
    "epsilon": "ε",
    "arms": "K",
    "experts": "N",
    "horizon": "T",
    "dimension": "d",
    "corruption": "α",
    "resampling": "B",
}


def rows(evidence: Evidence, where: Conditions) -> pd.DataFrame:
    """Return the rows of the test's computations, or else of its aggregates, that meet the conditions ``where``.

    An example of conditions is ``{"epsilon": {"at_most": 1}}``; empty ones are met by all rows.
    """
    return chosen(evidence.table, where)


def with_errors(table: pd.DataFrame, value: str, interval: list[str], error: str, runs: str) -> pd.DataFrame:
    """Return the table with columns ``value``, its standard ``error`` (NaN if the value is exact) and ``runs``.

    Parameters
    ----------
    table
        The rows.
    value
        The quantity, as an expression of columns.
    interval, error
        Expressions of the two ends of the quantity's 95 % interval (Student's t), or of its standard error. Both
        are empty for an exact quantity.
    runs
        Expression of the number of runs behind the interval or error. Of an exact quantity the column is infinite.
    """
    sampled = bool(interval or error)
    table = table.assign(value=quantity(table, value), runs=quantity(table, runs) if sampled else math.inf)
    if interval:
        low, high = (quantity(table, end) for end in interval)
        half_widths = table["runs"].map(lambda runs: student_quantile(0.5 - CONFIDENCE / 2, runs - 1.0))
        return table.assign(error=(high - low) / 2.0 / half_widths)
    return table.assign(error=quantity(table, error) if error else math.nan)


SAMPLED = {
    "interval": Expression([], "ends of its 95 % interval, two expressions; with `error` empty too it is exact"),
    "error": Expression("", "or its standard error, as an expression"),
    "runs": Expression("runs", "how many runs are behind either, as an expression"),
}


def how(options: Options) -> str:
    """Return "t test" if the options of a test give an ``error`` or an ``interval``, else "compared as it is"."""
    return "t test" if options["error"] or options["interval"] else "compared as it is"


def worst_uniform(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return the table with a column ``worst_uniform``: uniform play's largest regret in each group of ``by``.

    An algorithm that learns all easy environments has its worst regret in a hard one, whose arms are close. There
    uniform play has little regret, so the algorithm would seem to learn nothing. So both are taken at their worst.
    """
    largest = table.groupby(by, dropna=False)["uniform"].transform("max")
    return table.assign(worst_uniform=largest)


def most_runs(runs: Sequence[Measured]) -> list[Measured]:
    """Return the runs of each cell, in their order; if experiments share a cell, only those with the most runs.

    Two cells are the same if algorithm, parameters, environment, budget and horizon agree.
    """
    found: dict[tuple[object, ...], Measured] = {}
    for run in runs:
        job = run.cell.job
        key = job.algorithm, repr(sorted(job.parameters.items())), run.cell.environment, job.epsilon, job.horizon
        if key not in found or found[key].regret.shape[0] < run.regret.shape[0]:
            found[key] = run
    return list(found.values())


def largest_regret(cell: Cell) -> float:
    """Return the largest regret that a run on a Bernoulli bandit can have: the worst arm in every round."""
    means = cell.job.environment["means"]
    return float((max(means) - min(means)) * cell.job.horizon)


def budget(run: Measured) -> float:
    """Return the privacy budget epsilon of a cell from its runs; the cell must have a budget."""
    assert run.cell.job.epsilon is not None
    return run.cell.job.epsilon


def named(row: Any, columns: Iterable[str]) -> str:
    """Return the values of ``columns`` in a row, in words: ``mu1, ε = 0.1``; missing ones are left out."""
    parts = []
    for column in columns:
        value = row[column]
        if isinstance(value, str):
            parts.append(value)
        elif not (isinstance(value, float) and math.isnan(value)):
            parts.append(f"{WORDS.get(column, column)} = {number(value)}")
    return ", ".join(parts)


def over_instances(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the table with one row for all random instances of a cell, as if each instance were a run.

    In this row ``mean`` and ``sd`` are those of the instances' means, and ``runs`` is the number of instances. All
    other columns are the first instance's. A cell with one instance keeps its row.

    Parameters
    ----------
    table
        Rows with ``mean, sd, runs`` of regret, or of a share of another regret.
    column
        Name of the column that numbers the instances.
    """
    # Instances of one cell agree in all parameters of the environment but their number.
    shared = [
        name
        for name in map(str, table)
        if name != column and (name.startswith("environment.") or name in ("algorithm", "horizon", "epsilon"))
    ]
    rows = []
    for _, group in table.groupby(shared, dropna=False, sort=False):
        if len(group) > 1:
            means = group["mean"]
            group = group.head(1).assign(mean=means.mean(), sd=means.std(ddof=1), runs=len(group))
        rows.append(group)
    return pd.concat(rows)


def horizons_named(places: Iterable[tuple[str, float, int]]) -> dict[tuple[str, float, int], str]:
    """Return the name of each place, such as ``mu1, ε = 0.1``, by place, in sorted order.

    A place is an environment, a budget and a horizon; ``places`` may have one several times. The horizon is named
    only where its environment has several at that budget, as in ``mu1, ε = 0.1, T = 1,000``.
    """
    known = sorted(set(places))
    number_of = Counter((environment, epsilon) for environment, epsilon, _ in known)
    return {
        (environment, epsilon, horizon): f"{environment}, ε = {number(epsilon)}"
        + (f", T = {number(horizon)}" if number_of[environment, epsilon] > 1 else "")
        for environment, epsilon, horizon in known
    }


def located(row: Any, columns: Iterable[str]) -> dict[str, str | float]:
    """Return where a row was measured, by ``algorithm``, ``environment``, ``epsilon`` and ``horizon``.

    Only those of ``columns`` are returned; the column ``title`` is returned as ``algorithm``. Missing values are
    left out.

    Examples
    --------
    >>> located({"title": "DP-IMED", "epsilon": 0.1, "arms": 2}, ["title", "epsilon", "arms"])
    {'algorithm': 'DP-IMED', 'epsilon': 0.1}
    """
    named = {"algorithm" if column == "title" else column: row[column] for column in columns}
    return {column: named[column] for column in CELL if column in named and not pd.isna(named[column])}


def run_in(cell: Cell, *columns: str) -> dict[str, str | float]:
    """Return where a cell was run, by ``algorithm`` (its title), ``environment``, ``epsilon`` and ``horizon``.

    With ``columns`` only these are returned. A cell without a budget has no ``epsilon``.
    """
    job = cell.job
    found: dict[str, str | float] = {
        "algorithm": registry.algorithm(job.algorithm).titled(job.parameters),
        "environment": cell.environment,
        "horizon": float(job.horizon),
    }
    if job.epsilon is not None:
        found["epsilon"] = job.epsilon
    return {column: found[column] for column in columns or CELL if column in found}


def smallest(table: pd.DataFrame, key: pd.Series[float]) -> pd.Series[Any]:
    """Return the row where ``key`` is smallest; the first one, if several are equal but for rounding."""
    label: Any = key.map(shortened).idxmin()
    row: pd.Series[Any] = table.loc[label]
    return row


def runs_in(table: pd.DataFrame) -> str:
    """Return the numbers of runs in the column ``runs`` as text: ``10,000``, or ``20 to 100`` if rows differ."""
    return runs_text(table["runs"])


def runs_text(numbers: Iterable[float]) -> str:
    """Return numbers of runs as text: ``10,000``, or ``20 to 100``."""
    least, most = min(numbers), max(numbers)
    return f"{least:,.0f}" if least == most else f"{least:,.0f} to {most:,.0f}"


def only(table: pd.DataFrame, column: str, values: Sequence[str]) -> pd.DataFrame:
    """Return the rows with one of ``values`` in ``column``, in the order of ``values``; all if there are none."""
    if not values:
        return table
    order = {value: place for place, value in enumerate(values)}
    return table[table[column].isin(order)].sort_values(column, key=lambda s: s.map(order), kind="stable")
