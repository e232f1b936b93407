"""Aggregates: tidy tables of regret arrays, one row for each cell, version and checkpoint.

A cell is an algorithm in one environment at one budget and horizon. A checkpoint is a round at
which regret is recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core import registry
from dpbandits.core.distributions import student_quantile
from dpbandits.core.errors import DamagedFile
from dpbandits.core.files import differing, read_arrays
from dpbandits.core.recording import checkpoints
from dpbandits.core.tables import Row
from dpbandits.runs.uniform_play import uniform_play

if TYPE_CHECKING:
    from dpbandits.runs.plan import Cell

# Of a longer list than this nobody wants a column for each element.
LONGEST = 20
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


def statistics(regret: NDArray[np.float64], confidence: float) -> dict[str, NDArray[np.float64]]:
    """Return the statistics of regret at each checkpoint.

    Parameters
    ----------
    regret
        Regret of at least two runs, shape (runs, checkpoints).
    confidence
        Confidence level of the mean's interval by Student's t, in (0, 1). With heavy tails and few runs the
        interval is too short; the quantiles and the maximum show when.

    Returns
    -------
    dict of ndarray, shape (checkpoints,)
        ``mean``, ``sd`` (of a run, n - 1 in the denominator), ``mean_low``, ``mean_high``, the quantiles ``q05``,
        ``q25``, ``q50``, ``q75``, ``q95`` and ``q99``, and ``maximum``.
    """
    runs = regret.shape[0]
    mean = regret.mean(axis=0)
    sd = regret.std(axis=0, ddof=1)
    half = student_quantile(0.5 - confidence / 2, runs - 1.0) * sd / np.sqrt(runs)
    table = {"mean": mean, "sd": sd, "mean_low": mean - half, "mean_high": mean + half}
    for q, values in zip(QUANTILES, np.quantile(regret, QUANTILES, axis=0), strict=True):
        table[f"q{round(100 * q):02d}"] = values
    return table | {"maximum": regret.max(axis=0)}


class Measured(NamedTuple):
    """Regret of the runs of a cell: an algorithm in one environment at one budget and horizon.

    Attributes
    ----------
    cell
        The cell that was simulated.
    regret : ndarray of float64, shape (runs, checkpoints)
        Regret of each run up to each checkpoint.
    rounds : ndarray of int64, shape (checkpoints,)
        Checkpoints: the rounds at which regret was recorded.
    """

    cell: Cell
    regret: NDArray[np.float64]
    rounds: NDArray[np.int64]


def read_cell(cell: Cell, folder: Path) -> Measured:
    """Return the regret of a cell's runs, read from the cell's files below ``folder``, the folder of results.

    A cell is an algorithm in one environment at one budget and horizon. Each file has a block of its runs.

    Raises
    ------
    DamagedFile
        If a file is damaged, of another job, root seed or sources than planned, or has other runs or recorded
        rounds.
    """
    rounds = checkpoints(cell.job.horizon, cell.job.checkpoints)
    regret = []
    for name, numbers in zip(cell.files, cell.run_numbers, strict=True):
        file = folder / name
        arrays, metadata = read_arrays(file)
        if (key := differing(metadata, cell.job.record)) is not None:
            raise DamagedFile(str(file), f"{key} {metadata.get(key)}", f"the {key} {cell.job.record[key]}")
        if not np.array_equal(arrays["seeds"], numbers):
            raise DamagedFile(str(file), f"runs {arrays['seeds']}", "the runs of its name")
        if not np.array_equal(arrays["rounds"], rounds):
            raise DamagedFile(str(file), f"{arrays['rounds'].size} checkpoints", "the configuration's checkpoints")
        regret.append(arrays["regret"])
    return Measured(cell, np.concatenate(regret), rounds)


def _repeated(row: Row, times: int) -> pd.DataFrame:
    """Return a table of equal rows, ``times`` of them."""
    return pd.DataFrame(row, index=range(times))


def flat(name: str, value: Any) -> Row:
    """Return nested data as the columns of a row, with dotted names that begin with ``name``.

    The elements of a list are numbered from 1. Lists of more than 20 elements and ``None`` are left out.

    Examples
    --------
    >>> flat("noise", {"kind": "uniform", "width": 0.5}), flat("means", [0.75, 0.7])
    ({'noise.kind': 'uniform', 'noise.width': 0.5}, {'means.1': 0.75, 'means.2': 0.7})
    """
    if isinstance(value, Mapping):
        return {key: below for part in value for key, below in flat(f"{name}.{part}", value[part]).items()}
    if isinstance(value, list):
        numbered = {str(i): element for i, element in enumerate(value, 1)} if len(value) <= LONGEST else {}
        return flat(name, numbered)
    return {} if value is None else {name: value}


def labels(cell: Cell, version: str, runs: int) -> Row:
    """Return the values that tell a cell apart, by column, for its rows in a table of aggregates.

    A cell is an algorithm in one environment at one budget and horizon. The columns are ``paper, experiment,
    version, algorithm, title, environment, arms, experts, epsilon, horizon, runs, notes`` (on defaults whose
    formulas exceed their range) and ``cell``, the cell's name. ``algorithm`` and ``environment`` are labels of the
    configuration. ``epsilon`` is NaN without privacy. The argument ``version`` is ``"full"``, or ``"published"``
    with as many runs as the paper has; ``runs`` is the number of runs.
    """
    declared = registry.environment(cell.job.environment["kind"])
    return {
        "paper": cell.paper,
        "experiment": cell.experiment,
        "version": version,
        "algorithm": cell.algorithm,
        "title": registry.algorithm(cell.job.algorithm).titled(cell.job.parameters),
        "environment": cell.environment,
        "arms": declared.arms(cell.job.environment),
        "experts": declared.experts(cell.job.environment),
        "epsilon": np.nan if cell.job.epsilon is None else cell.job.epsilon,
        "horizon": cell.job.horizon,
        "runs": runs,
        "notes": "; ".join(cell.job.notes),
        "cell": cell.name,
    }


def parameters(cell: Cell) -> Row:
    """Return the parameters of a cell's algorithm and environment, by column, for a table of aggregates.

    A cell is an algorithm in one environment at one budget and horizon. Parameters of the algorithm, and public
    facts of the environment such as a dimension, have columns of their own names. Parameters of the environment
    have columns such as ``environment.kind`` or ``environment.means.1``.
    """
    declared = registry.environment(cell.job.environment["kind"])
    return {
        **cell.job.parameters,
        **declared.facts(cell.job.environment),
        **flat("environment", cell.job.environment),
    }


def aggregate(cells: Iterable[Cell], folder: Path, published_runs: int, confidence: float) -> pd.DataFrame:
    """Return the tidy table of an experiment: a row for each cell, version and recorded round.

    Parameters
    ----------
    cells
        The experiment's cells: algorithms in environments, each at one budget and horizon.
    folder
        The results folder.
    published_runs
        Number of runs of a cell that its ``published`` version has, the first ones. The ``full`` version has all.
    confidence
        Confidence level of the intervals of means, in (0, 1).

    Returns
    -------
    DataFrame
        ``paper, experiment, version, algorithm, title, environment, arms, experts, epsilon`` (missing without
        privacy), ``horizon, runs, notes, cell`` (its name), ``round, mean, sd, mean_low, mean_high, q05, q25, q50,
        q75, q95, q99, maximum, uniform`` (the exact regret of uniform play). Then the algorithm's parameters and
        the environment's facts by their names, and the environment's parameters as ``environment.gap`` or
        ``environment.means.1``.
    """
    tables = []
    for cell in cells:
        _, regret, rounds = read_cell(cell, folder)
        uniform, known = uniform_play(cell.job, rounds), parameters(cell)
        for version, part in (("published", regret[:published_runs]), ("full", regret)):
            told = labels(cell, version, part.shape[0])
            table = pd.DataFrame({"round": rounds, **statistics(part, confidence), "uniform": uniform})
            tables.append(pd.concat([_repeated(told, len(rounds)), table, _repeated(known, len(rounds))], axis=1))
    return pd.concat(tables, ignore_index=True)
