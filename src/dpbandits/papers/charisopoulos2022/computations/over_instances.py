"""charisopoulos2022, Theorems 3.4 and 3.9: exponents, prices and ratios of regret over random instances.

A cell is an algorithm in one environment at one budget and horizon. All its runs share its random instance, so that
an interval over runs says nothing of other instances. Here every quantity is computed in each instance, and its
interval is over instances (Student's t).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpbandits.core import arrays, mathematics, registry
from dpbandits.core.declarations import Computation
from dpbandits.core.fields import Option, Tuning
from dpbandits.core.tables import Row
from dpbandits.papers.simulated import over_draws
from dpbandits.settings.linear.theory import theorem_3_4, theorem_3_9

if TYPE_CHECKING:
    from dpbandits.runs.aggregate import Measured

# Columns that identify a point, beside the algorithm and its budget; ``draw`` identifies the random instance.
PLACE = ["draw", "horizon", "dimension", "arms", "corruption"]
QUANTITIES = ("horizon", "dimension", "arms", "corruption", "epsilon")
# Without privacy: a private algorithm's regret above this one's is the price of privacy.
FREE = "robust-elimination"
# A power that counts as none, of all claims about an O().
TOLERATED = 0.1


def _theorem_3_4(row: Any) -> float:
    return theorem_3_4(row.horizon, row.dimension, row.corruption, row.epsilon, row.delta)


def _theorem_3_9(row: Any) -> float:
    return theorem_3_9(row.horizon, row.dimension, row.corruption, row.epsilon, row.delta, row.nu)


BOUNDS: Mapping[str, Callable[[Any], float]] = {
    "robust-elimination-m1": _theorem_3_4,
    "robust-elimination-m1-printed": _theorem_3_4,
    "robust-elimination-m2": _theorem_3_9,
    "robust-elimination-m2-printed": _theorem_3_9,
}


def points(runs: Sequence[Measured]) -> pd.DataFrame:
    """Return the mean regret of each cell, and its share of uniform play's regret on the same instance.

    A cell is an algorithm on one random instance, at one budget and horizon. Columns are ``algorithm, title,
    epsilon`` (NaN without privacy), ``draw`` (the random instance), ``horizon, dimension, arms, corruption``. Then
    the algorithm's ``delta`` and ``nu`` (NaN if it has none), ``runs``, the mean regret ``value`` and its
    ``share``. A cell that several experiments have has one row.
    """
    rows = []
    for cell, regret, _ in runs:
        given = cell.job.environment
        bandit = registry.environment(given["kind"]).problem(given, Tuning(cell.job.horizon, given["arms"]))
        uniform = cell.job.horizon * float(bandit.means.max() - bandit.means.mean())
        rows.append(
            {
                "algorithm": cell.algorithm,
                "title": registry.algorithm(cell.job.algorithm).titled(cell.job.parameters),
                "epsilon": math.nan if cell.job.epsilon is None else cell.job.epsilon,
                "draw": given["draw"],
                "horizon": cell.job.horizon,
                "dimension": given["dimension"],
                "arms": given["arms"],
                "corruption": given["corruption"]["probability"],
                "delta": cell.job.parameters.get("delta", math.nan),
                "nu": cell.job.parameters.get("nu", math.nan),
                "runs": regret.shape[0],
                "value": float(regret[:, -1].mean()),
                "share": float(regret[:, -1].mean()) / uniform,
            }
        )
    return pd.DataFrame(rows).drop_duplicates(["algorithm", "epsilon", *PLACE])


def with_price_and_scaled(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of `points` with two more columns, ``price`` and ``scaled``.

    ``price`` is the regret less that of the algorithm ``robust-elimination``, which is not private, on the same
    instance at the same horizon and corruption. It is missing where that regret is, and for an algorithm without a
    budget. ``scaled`` is the regret divided by the bound of the algorithm's theorem (3.4 or 3.9), and missing for
    an algorithm without one.
    """
    free = table[table["algorithm"] == FREE].set_index(PLACE)["value"].rename("free")
    table = table.join(free, on=PLACE)
    rows: Any = table.itertuples()
    scaled = [row.value / BOUNDS[row.algorithm](row) if row.algorithm in BOUNDS else math.nan for row in rows]
    price = table["value"] - table["free"]
    return table.assign(price=price.where(table["epsilon"].notna()), scaled=scaled)


def slope(instance: pd.DataFrame, over: str, of: str) -> float:
    """Return the exponent of column ``of`` as a power of column ``over``, by least squares of their logarithms.

    ``instance`` has the points of one instance. Those count at which ``of`` is positive; the exponent is NaN if
    they have fewer than two values of ``over``.
    """
    used = instance[instance[of] > 0.0]
    if used[over].nunique() < 2:
        return math.nan
    return arrays.slope(arrays.log(used[over]), arrays.log(used[of]))


def _ends(table: pd.DataFrame, over: str) -> Row:
    """Return the ends of ``over``, and the largest horizon, which a claim's scale asks for."""
    return {"first": table[over].min(), "last": table[over].max(), "horizon": table["horizon"].max()}


def exponents(table: pd.DataFrame, over: str, saturated: float) -> list[Row]:
    """Return rows with exponents: regret, its price and regret over its bound as powers of the quantity ``over``.

    An exponent is fitted on each random instance. A row has ``part`` (always exponent), ``of`` (``value``,
    ``price`` or ``scaled``), ``algorithm, title``, the ends ``first, last`` of ``over``, and the largest
    ``horizon``. Then the exponents' mean ``value`` and standard ``error`` over ``instances``. With fewer than two
    instances there is no row.

    Parameters
    ----------
    table
        Points of each algorithm, by ``horizon, dimension, arms, corruption, epsilon`` and instance ``draw``: regret
        ``value``, its ``share`` of uniform play's, its ``price`` of privacy, and ``scaled``, regret over its bound.
    over
        The quantity along which points lie, a column such as ``horizon``.
    saturated
        Largest share of uniform play's regret at which a point counts; points above their bound count always.
    """
    rows = []
    # Points near uniform play's regret show no rate, but those above their bound refute one.
    counting = (table["share"] <= saturated) | (table["scaled"] > 1.0)
    used = table[counting & (table[over] > 0.0)]
    for of in ("value", "price", "scaled"):
        for (algorithm, title), group in used.groupby(["algorithm", "title"], sort=False):
            found = [slope(instance, over, of) for _, instance in group.groupby("draw")]
            found = [exponent for exponent in found if not math.isnan(exponent)]
            if len(found) > 1:
                ends = _ends(group, over)
                labels = {"part": "exponent", "of": of, "algorithm": algorithm, "title": title}
                rows.append(labels | ends | over_draws(found))
    return rows


def growths(table: pd.DataFrame, over: str) -> list[Row]:
    """Return, for each algorithm, whether the price of privacy grows along ``over`` by more than logarithms allow.

    Let p be the price (regret beyond that without privacy), divided by log T log(1/delta). On each random instance
    the value is p at the last value of ``over``, divided by (last/first)^0.1, less p at the first one. Its unit is
    the mean p at the first. A value above 0 is a growth beyond logarithms and a small power. Prices are subtracted,
    not divided, because a price may be negative.

    A row has ``part`` (always growth), ``of`` (price), ``algorithm, title``, the ends ``first, last`` of ``over``,
    the largest ``horizon``, and mean ``value`` and standard ``error`` over ``instances``. An algorithm has no row
    with fewer than two instances, with several points of an instance at an end, or unless 0 < first < last.

    Parameters
    ----------
    table, over
        Points with ``price`` and ``delta``, and the column along which they lie, such as ``epsilon``.
    """
    rows = []
    logs = arrays.log(1.0 / table["delta"]) * arrays.log(table["horizon"])
    divided = table.assign(divided=table["price"] / logs).dropna(subset=["divided"])
    for (algorithm, title), group in divided.groupby(["algorithm", "title"], sort=False):
        first, last = group[over].min(), group[over].max()
        if not 0.0 < first < last:
            continue
        # By instance: at the last value over (last/first)^0.1, less that at the first value.
        at = {end: group[group[over] == end].set_index("draw")["divided"] for end in (first, last)}
        grown = (at[last] / mathematics.exp(TOLERATED * mathematics.log(last / first)) - at[first]).dropna()
        if len(grown) > 1 and grown.index.is_unique:
            labels = {"part": "growth", "of": "price", "algorithm": algorithm, "title": title}
            found = over_draws(grown.to_numpy() / float(at[first].mean()))
            rows.append({**labels, **_ends(group, over), **found})
    return rows


def ratios(table: pd.DataFrame, over: str, pairs: Sequence[Sequence[str]], saturated: float) -> list[Row]:
    """Return rows on ratios of two algorithms' regrets: their logarithms, and their exponents along ``over``.

    A row of the part ``ratio`` has the logarithm at one value of ``over``. A row of the part ``exponent`` has the
    ratio's power of ``over``. Both have ``algorithm``, ``against``, the ends ``first, last`` of ``over``, the
    largest ``horizon``, and mean ``value`` and standard ``error`` over ``instances``, which are two or more.

    Near uniform play's regret the larger of two regrets hardly grows. So an exponent is of points at which both are
    far below. A logarithm needs no such limit: two regrets may become alike, but keep their order.
    Unless ``over`` is ``epsilon``, the table has to have one budget of each algorithm. Of each instance it has one
    point at each value of ``over``, as every point counts as an instance.

    Parameters
    ----------
    table
        Regret of each algorithm at each point and instance, and its share of uniform play's.
    over
        The quantity along which points lie, a column such as ``horizon``.
    pairs
        Names of two algorithms each: the regret of the first is divided by that of the second.
    saturated
        Largest share of uniform play's regret at which a point counts for an exponent.
    """
    rows = []
    for one, other in pairs:
        upper, lower = (table[table["algorithm"] == name] for name in (one, other))
        keys = [*PLACE, *(["epsilon"] if over == "epsilon" else [])]
        joined = upper.merge(lower[[*keys, "value", "share"]], on=keys, suffixes=("", "_other"))
        joined["ratio"] = joined["value"] / joined["value_other"]
        labels = {"algorithm": one, "against": other}
        used = joined[(joined[over] > 0.0) & (joined[["share", "share_other"]].max(axis=1) <= saturated)]
        found = [slope(instance, over, "ratio") for _, instance in used.groupby("draw")]
        found = [exponent for exponent in found if not math.isnan(exponent)]
        if len(found) > 1:
            ends = _ends(used, over)
            rows.append({"part": "exponent", "of": "ratio", **labels, **ends, **over_draws(found)})
        for _, group in joined.groupby(over):
            if len(group) > 1:
                ends = _ends(group, over)
                rows.append({"part": "ratio", **labels, **ends, **over_draws(arrays.log(group["ratio"]))})
    return rows


def compute(
    runs: Sequence[Measured], over: str, where: str, saturated: float, pairs: Sequence[Sequence[str]]
) -> pd.DataFrame:
    """Compute exponents, prices of privacy and ratios of regret along a quantity, over random instances.

    Parameters
    ----------
    runs
        Regret of each cell's runs, shape (runs, rounds). Environments have random actions.
    over
        The quantity: ``horizon``, ``dimension``, ``arms``, ``corruption`` or ``epsilon``.
    where
        Which points, as an expression of columns of the part ``point``, but for ``price`` and ``scaled``, and of
        ``delta`` and ``nu``. An example is ``horizon == 1000000 and epsilon > 0``. Prices are known only if points
        without privacy, whose ``epsilon`` is NaN, are among them.
    saturated
        Exponents are fitted to points whose regret is at most this share of uniform play's, or above its bound.
        Those of ratios are fitted to points at which both regrets are at most this share.
    pairs
        Labels of two algorithms whose regrets are divided.

    Returns
    -------
    DataFrame
        ``over``, ``part``, and columns that depend on ``part``:

        - ``point``: ``algorithm, title, epsilon, draw, horizon, dimension, arms, corruption, runs``. Regret: its
          mean ``value``, its ``share`` of uniform play's, ``price`` (its excess over regret without privacy) and
          ``scaled`` (divided by the bound of its theorem).
        - ``exponent``: the quantity ``of`` (``value``, ``price``, ``scaled`` or ``ratio``) from the ``first`` to
          the ``last`` value of ``over`` at which points count. Its mean ``value`` and standard ``error`` are
          over ``instances``, and its ``horizon`` is the largest of its points.
        - ``growth``: let p be the price divided by the logarithms of Theorem 3.9's proof, log T log(1/delta). The
          value is p at ``last`` over (last/first)^0.1, less p at ``first``, in multiples of the mean p at
          ``first``.
        - ``ratio``: the logarithm of the regret of ``algorithm`` divided by that of ``against``, at the value
          ``first`` = ``last`` of ``over``: its mean ``value`` and standard ``error`` over ``instances``.
    """
    table = points(runs)
    table = with_price_and_scaled(table.query(where, engine="python"))
    summed = [*exponents(table, over, saturated), *growths(table, over), *ratios(table, over, pairs, saturated)]
    found = pd.concat([table.assign(part="point"), pd.DataFrame(summed)], ignore_index=True)
    return found.drop(columns=["delta", "nu"]).assign(over=over)


DEFAULT_PAIRS: list[Any] = [["robust-elimination-m2", "robust-elimination-m1"]]

COMPUTATION = Computation(
    title="Exponents, prices of privacy and ratios of regret, with intervals over random instances",
    source="charisopoulos2022, Theorems 3.4 and 3.9",
    compute=compute,
    parameters={
        "over": Option("horizon", f"the quantity: {', '.join(QUANTITIES)}"),
        "where": Option("horizon >= 100000", "which points, as an expression of their columns"),
        "saturated": Option(0.3, "exponents are of points with at most this part of uniform play's regret"),
        "pairs": Option(DEFAULT_PAIRS, "pairs of labels of algorithms whose regrets are divided"),
    },
    reads_runs=True,
)
