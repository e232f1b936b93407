"""Comparison of two algorithms' regret, with intervals as for the papers' claims; and the lottery of few runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dpbandits.calls import check_call
from dpbandits.claims.estimate import Estimate, Limits, limits_of, quotient
from dpbandits.core.arguments import is_list
from dpbandits.core.distributions import normal_quantile
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import MOST_ROOT_SEED, whole
from dpbandits.core.verdicts import OPEN
from dpbandits.notebook.simulated import Simulated

# The smallest factor between two regrets that is worth a decision.
SMALLEST_FACTOR = 2.0
# Number of means that a lottery draws for each algorithm.
DRAWS = 20_000
# A run settled if it pulled the best arm in this share of the rounds at least.
SETTLED = 0.5
STATISTICS = {"mean": "mean", "median": "median"}


@dataclass(frozen=True)
class Compared:
    """One algorithm's regret divided by another's, at the horizon.

    Attributes
    ----------
    names : tuple of two str
        Names of the two algorithms, numerator first.
    table : DataFrame
        A row for each algorithm: ``algorithm, runs``, then statistics of its regret. They are ``mean`` with its
        95 % interval ``mean_low, mean_high``, ``median, median_low, median_high``, ``q95``, ``q99`` and
        ``largest``. Last is ``never_settled``, the share of runs that pull the best arms in less than half of the
        rounds; NaN unless the environment is a Bernoulli bandit.
    ratios : dict of str to Estimate
        Under ``"mean"`` the ratio of the mean regrets: its ``value`` with the 95 % interval ``low, high``. Under
        ``"median"`` the ratio of the medians.
    runs : int
        Number of runs of the algorithm that has fewer.
    """

    names: tuple[str, str]
    table: pd.DataFrame
    ratios: dict[str, Estimate]
    runs: int

    def verdict(self, statistic: str) -> str:
        """Return whether the first algorithm has ``"less"`` or ``"more"`` regret than the second.

        ``statistic`` is ``"mean"`` or ``"median"``. If the 95 % interval of the ratio contains 1, the text is *not
        decided*.
        """
        found = self._ratio(statistic)
        return "less" if found.high < 1.0 else "more" if found.low > 1.0 else OPEN.value

    def visible(self, statistic: str) -> float:
        """Return the smallest true ratio above 1 that this many runs again would show with a probability of 0.9.

        To show it means that the ratio's 95 % interval lies above 1. ``statistic`` is ``"mean"`` or ``"median"``.
        The number is infinite if the interval of the measured ratio has an end at 0 or infinity.
        """
        found = self._ratio(statistic)
        if not 0.0 < found.low <= found.high < math.inf:
            return math.inf
        # Standard error of the ratio's logarithm: its 95 % interval is 2 * 1.96 of these wide.
        deviation = math.log(found.high / found.low) / (2.0 * normal_quantile(0.025) * -1.0)
        return math.exp(abs(deviation) * (abs(normal_quantile(0.025)) + abs(normal_quantile(0.1))))

    def needed(self, statistic: str) -> float:
        """Return about how many runs of each algorithm the `verdict` needs, if the true ratio is the measured one.

        ``statistic`` is ``"mean"`` or ``"median"``. A measured ratio between 2^-0.1 and 2^0.1 is treated as
        one of these two, so that one near 1 does not need endless runs. The number is at least the attribute
        ``runs``. It is infinite if the ratio's interval has an end at 0 or infinity.
        """
        found = self._ratio(statistic)
        if not 0.0 < found.low <= found.high < math.inf:
            return math.inf
        # The interval's half, in logarithms, shrinks as 1/sqrt(runs); decided is what it does not reach.
        half = math.log(found.high / found.low) / 2.0
        distance = max(abs(math.log(found.value)), math.log(SMALLEST_FACTOR) / 10.0)
        return self.runs * max(1.0, (half / distance) ** 2)

    def _ratio(self, statistic: str) -> Estimate:
        """Return the ratio of ``"mean"`` or ``"median"``, or raise `BadInput`."""
        if not isinstance(statistic, str) or statistic not in self.ratios:
            raise BadInput("statistic", statistic, suggest(statistic, self.ratios))
        return self.ratios[statistic]

    def sentence(self) -> str:
        """Return in words which algorithm has less mean regret, and which less median regret.

        Such a sentence is: "dp-imed has less mean regret than dp-klucb: 0.71 [0.6, 0.83] times."
        """
        return " ".join(self._said(statistic) for statistic in STATISTICS)

    def _said(self, statistic: str) -> str:
        """Return which has less regret in a statistic, in words."""
        found, (one, other) = self.ratios[statistic], self.names
        interval = f"{found.value:.3g} [{found.low:.3g}, {found.high:.3g}] times"
        verdict = self.verdict(statistic)
        if verdict != OPEN:
            return f"{one} has {verdict} {statistic} regret than {other}: {interval}."
        runs = self.needed(statistic)
        more = f": needs about {_rounded(runs):,} runs of each" if math.isfinite(runs) else ""
        return f"Which has less {statistic} regret is not decided{more}. {one} has {interval} that of {other}."

    def row(self) -> dict[str, Any]:
        """Return the comparison as a table's row, by column.

        Columns are ``mean_ratio``, its 95 % interval ``mean_low, mean_high``, ``mean_verdict`` (see `verdict`) and
        ``mean_visible`` (see `visible`); then the same five of medians, such as ``median_ratio``.
        """
        row: dict[str, Any] = {}
        for statistic, found in self.ratios.items():
            row |= {
                f"{statistic}_ratio": found.value,
                f"{statistic}_low": found.low,
                f"{statistic}_high": found.high,
                f"{statistic}_verdict": self.verdict(statistic),
                f"{statistic}_visible": self.visible(statistic),
            }
        return row


def _rounded(runs: float) -> int:
    digits = max(0, math.floor(math.log10(runs)) - 1)
    return int(math.ceil(runs / 10**digits) * 10**digits)


def _regret_range(runs: Simulated) -> tuple[float, float]:
    """Return bounds of regret: a Bernoulli bandit's possible extremes, else plus and minus twice the horizon."""
    horizon, environment = float(runs.job["horizon"]), runs.job["environment"]
    if environment["kind"] == "bernoulli":
        return 0.0, horizon * (max(environment["means"]) - min(environment["means"]))
    return -2.0 * horizon, 2.0 * horizon


def _limits(runs: Simulated, statistic: str) -> Limits:
    return limits_of(statistic, np.ascontiguousarray(runs.regret[:, -1]), *_regret_range(runs))


def _never_settled(runs: Simulated) -> float:
    """Return the share of runs that pulled the best arms in less than half of the rounds; NaN if unknown."""
    if runs.job["environment"]["kind"] != "bernoulli":
        return math.nan
    means = np.array(runs.job["environment"]["means"])
    best = runs.pulls[:, means == means.max()].sum(axis=1)
    return float((best < SETTLED * runs.job["horizon"]).mean())


def comparison_row(runs: Simulated, name: str) -> dict[str, Any]:
    """Return an algorithm's row of `Compared.table`, by column; ``name`` is the algorithm's name in the table.

    Columns are ``algorithm, runs``, then of regret at the horizon ``mean`` with its 95 % interval ``mean_low,
    mean_high``, ``median, median_low, median_high``, ``q95, q99`` and ``largest``. Last is ``never_settled``, the
    share of runs that pull the best arms in less than half of the rounds; NaN unless the environment is a Bernoulli
    bandit.
    """
    regret = runs.regret[:, -1]
    row: dict[str, Any] = {"algorithm": name, "runs": len(regret)}
    for statistic in STATISTICS:
        found = _limits(runs, statistic).estimate()
        row |= {statistic: found.value, f"{statistic}_low": found.low, f"{statistic}_high": found.high}
    row |= {"q95": float(np.quantile(regret, 0.95)), "q99": float(np.quantile(regret, 0.99))}
    return {**row, "largest": float(regret.max()), "never_settled": _never_settled(runs)}


@check_call
def compared(one: Simulated, other: Simulated, names: tuple[str, str] | None = None) -> Compared:
    """Compare two algorithms' regret at the horizon: return the first one's divided by the second one's.

    Parameters
    ----------
    one, other
        Runs in the same environment over the same horizon, at least two of each.
    names
        Names to call the algorithms by, two different ones; their own names by default.

    Returns
    -------
    Compared
        Ratios of mean and of median regret with 95 % intervals, and a table of both algorithms.

    Raises
    ------
    BadInput
        If environment or horizon differ, there are fewer than two runs, both are the same runs, or ``names`` are
        not two different texts.
    """
    for name, runs in (("one", one), ("other", other)):
        if not isinstance(runs, Simulated):
            raise BadInput(name, runs, "runs, as dpbandits.simulate() returns them")
    for key in ("environment", "horizon"):
        if one.job[key] != other.job[key]:
            raise BadInput(key, other.job[key], f"that of {one.name}: {one.job[key]}")
    fewest = min(len(one.seeds), len(other.seeds))
    if fewest < 2:
        raise BadInput("runs", fewest, "at least two runs of each")
    if one.job == other.job and np.array_equal(one.seeds, other.seeds) and np.array_equal(one.regret, other.regret):
        raise BadInput("other", other.name, "other runs than these; runs with one number are the same run")
    called = (one.name, other.name) if names is None else names
    if not (is_list(called) and len(called) == 2 and all(isinstance(name, str) and name for name in called)):
        raise BadInput("names", names, "two names, as ('mine', 'dp-imed')")
    if names is not None and called[0] == called[1]:
        raise BadInput("names", names, "two different names; a sentence about one name says nothing")
    ratios = {name: quotient(_limits(one, name), _limits(other, name)).estimate() for name in STATISTICS}
    table = pd.DataFrame([comparison_row(runs, name) for runs, name in zip((one, other), called, strict=True)])
    return Compared(called, table, ratios, fewest)


@check_call
def lottery(
    frame: pd.DataFrame, runs: int = 20, *, by: str = "algorithm", value: str = "regret", seed: int = 0
) -> pd.DataFrame:
    """Return how often means of a few runs rank two algorithms in the other order than means of all runs do.

    Parameters
    ----------
    frame
        Any table with a row for each run. If it has a column ``round``, only the rows of its largest value count.
    runs
        Number of runs in each mean, from 1 to 10^6; they are drawn with replacement.
    by, value
        Names of two columns: the algorithms' names, and the measured number, of which less is better.
    seed
        Seed of the draws, an integer >= 0.

    Returns
    -------
    DataFrame
        A row for each pair, with columns ``first, second, runs, otherwise``. ``first`` has the smaller mean over
        all runs, ``second`` the larger one. ``otherwise`` is the share of 20,000 draws in which the mean of
        ``runs`` runs of the first is the larger one.

    Raises
    ------
    BadInput
        If a column is missing, a number is not finite, there are fewer than two names, or a name has fewer than two
        runs.
    """
    count = whole("runs", runs, 1, 10**6, "an integer from 1 to 1,000,000")
    for column in (by, value):
        columns = getattr(frame, "columns", ())
        if column not in columns:
            raise BadInput("frame", ", ".join(map(str, columns)), f"a table with a column {column!r}")
    measured = pd.to_numeric(frame[value], errors="coerce")
    if not np.isfinite(measured).all():
        raise BadInput(value, frame[value][~np.isfinite(measured)].iloc[0], "finite numbers")
    last = frame[frame["round"] == frame["round"].max()] if "round" in frame.columns else frame
    groups = {str(name): rows[value].to_numpy(np.float64) for name, rows in last.groupby(by, sort=False)}
    if len(groups) < 2:
        raise BadInput(by, list(groups), "at least two names")
    for name, values in groups.items():
        if len(values) < 2:
            raise BadInput(by, name, "at least two runs of each name; a mean of one run is no mean of few")
    random = np.random.default_rng(whole("seed", seed, 0, MOST_ROOT_SEED, "an integer >= 0"))
    means = {name: _means(values, count, random) for name, values in groups.items()}
    ordered = sorted(groups, key=lambda name: groups[name].mean())
    rows = [
        {"first": one, "second": other, "runs": count, "otherwise": float((means[one] > means[other]).mean())}
        for at, one in enumerate(ordered)
        for other in ordered[at + 1 :]
    ]
    return pd.DataFrame(rows)


def _means(values: np.ndarray[Any, np.dtype[np.float64]], count: int, random: np.random.Generator) -> Any:
    """Return means of drawn runs, some at a time: a draw of all would not fit into memory."""
    parts = np.array_split(np.arange(DRAWS), max(1, DRAWS * count // 10**7))
    return np.concatenate([random.choice(values, (part.size, count)).mean(axis=1) for part in parts])
