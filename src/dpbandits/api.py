"""Python interface: simulate, load, look at results and audit, as the command line does, with objects.

>>> import dpbandits
>>> runs = dpbandits.simulate("dp-imed", means=[0.75, 0.7], epsilon=0.25, horizon=10**6, seeds=range(3))
>>> runs.regret.shape, runs.to_frame().columns.tolist()
((3, 200), ['algorithm', 'epsilon', 'run', 'round', 'regret'])
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core.errors import BadInput, needing_workflow
from dpbandits.core.files import Json, check, read_arrays, read_json
from dpbandits.core.tables import read_tables
from dpbandits.runs.aggregate import statistics
from dpbandits.runs.job import make_job, run, write_runs
from dpbandits.settings.stochastic.theory import lower_bound_slope

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Results", "Simulated", "load", "lower_bound", "results", "simulate"]


@dataclass(frozen=True)
class Simulated:
    """Runs of an algorithm.

    Attributes
    ----------
    regret : ndarray of float64, shape (runs, checkpoints)
        Cumulative pseudo-regret.
    rounds : ndarray of int64, shape (checkpoints,)
        The rounds at which regret was recorded.
    pulls : ndarray of int64, shape (runs, arms)
        How often each arm was pulled.
    seeds : ndarray of int64, shape (runs,)
        Run numbers.
    job
        What was simulated: algorithm, parameters, environment, budget, horizon.
    """

    regret: NDArray[np.float64]
    rounds: NDArray[np.int64]
    pulls: NDArray[np.int64]
    seeds: NDArray[np.int64]
    job: Json

    def to_frame(self) -> pd.DataFrame:
        """Return a tidy table: a row for each run and checkpoint."""
        runs, checkpoints = self.regret.shape
        return pd.DataFrame(
            {
                "algorithm": self.job["algorithm"],
                "epsilon": self.job["epsilon"],
                "run": np.repeat(self.seeds, checkpoints),
                "round": np.tile(self.rounds, runs),
                "regret": self.regret.ravel(),
            }
        )

    def summary(self, confidence: float = 0.95) -> pd.DataFrame:
        """Return mean, its interval, quantiles and maximum of regret at each checkpoint; at least two runs."""
        return pd.DataFrame({"round": self.rounds, **statistics(self.regret, confidence)})

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw mean regret over rounds, with the band of the 5 % to 95 % quantiles; return the axes.

        Raises
        ------
        MissingExtra
            Without Matplotlib, which the extra ``workflow`` has.
        """
        with needing_workflow("A plot"):
            import matplotlib.pyplot as plt

        axes = plt.subplots()[1] if axes is None else axes
        budget = "" if self.job["epsilon"] is None else f", ε = {self.job['epsilon']:g}"
        low, high = np.quantile(self.regret, (0.05, 0.95), axis=0)
        (line,) = axes.plot(self.rounds, self.regret.mean(axis=0), label=f"{self.job['algorithm']}{budget}")
        axes.fill_between(self.rounds, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        axes.set(xscale="log", xlabel="round", ylabel="regret")
        axes.legend(frameon=False)
        return axes


def simulate(
    algorithm: str,
    *,
    horizon: int,
    means: Sequence[float] | None = None,
    environment: Mapping[str, Any] | None = None,
    epsilon: float | None = None,
    seeds: range = range(20),
    checkpoints: int = 200,
    root_seed: int = 0,
    threads: int = 1,
    output: str | Path | None = None,
    **parameters: Any,
) -> Simulated:
    """Simulate runs, which are those that ``dpbandits simulate`` with the same arguments writes.

    Parameters
    ----------
    algorithm
        A name of ``dpbandits list``.
    horizon
        T.
    means, environment
        Means of a Bernoulli bandit, or an environment as ``{"kind": ...}`` with its parameters: one of the two.
    epsilon
        Privacy budget, for private algorithms.
    seeds
        Run numbers, a range without gaps.
    checkpoints
        At most so many rounds are recorded.
    root_seed
        Of all streams.
    threads
        That share the runs; results do not depend on it.
    output
        A file to write, ending in ``.npz``: the command line's, to the byte.
    **parameters
        The algorithm's, such as ``n0=40``.

    Raises
    ------
    BadInput
        For an unknown name, or a value out of range.
    """
    if (means is None) == (environment is None):
        raise BadInput("environment", environment, "this or means, one of the two")
    if not seeds or seeds.step != 1 or seeds.start < 0:
        raise BadInput("seeds", seeds, "run numbers without gaps, as range(100)")
    if output is not None and Path(output).suffix != ".npz":
        raise BadInput("output", str(output), "a file name that ends in .npz")
    given = {"kind": "bernoulli", "means": [float(mean) for mean in means]} if means is not None else environment
    assert given is not None
    job = make_job(algorithm, parameters, given, epsilon, horizon, checkpoints, root_seed)
    runs = run(job, seeds, threads)
    if output is not None:
        write_runs(job, seeds, runs, Path(output))
    numbers = np.arange(seeds.start, seeds.stop, dtype=np.int64)
    return Simulated(runs.regret, runs.rounds, runs.pulls, numbers, job.definition)


def load(path: str | Path) -> Simulated:
    """Return the runs of a file that a cell, ``dpbandits simulate`` or `simulate` wrote.

    Parameters
    ----------
    path
        The npz file.

    Raises
    ------
    DamagedFile
        If the file is not the one that was written.
    BadInput
        If it holds no runs.
    """
    arrays, metadata = read_arrays(Path(path))
    if not isinstance(metadata.get("job"), dict):
        raise BadInput(str(path), "no job", "a file of simulated runs")
    return Simulated(arrays["regret"], arrays["rounds"], arrays["pulls"], arrays["seeds"], metadata["job"])


@dataclass(frozen=True)
class Results:
    """What a finished workflow found, each table checked against its seal when it is read.

    Attributes
    ----------
    folder
        Where the results are.
    """

    folder: Path

    @property
    def aggregates(self) -> pd.DataFrame:
        """Every experiment's regret: a row for each cell and checkpoint, with its ``paper`` and ``experiment``."""
        return pd.concat(
            [
                self._table(path).assign(paper=path.parts[-3], experiment=path.stem)
                for path in sorted(self.folder.glob("*/aggregates/*.csv"))
            ],
            ignore_index=True,
        )

    @property
    def claims(self) -> pd.DataFrame:
        """The claims ledger: a row for each part of each claim's tests."""
        return self._table(self.folder / "claims.csv")

    @property
    def privacy(self) -> pd.DataFrame:
        """The audits: a row for each algorithm and budget."""
        return self._table(self.folder / "privacy.csv")

    @property
    def discrepancies(self) -> pd.DataFrame:
        """The register: a row for each discrepancy, with column ``paper``."""
        path = self.folder / "discrepancies.md"
        check(path)
        register = read_json(path.with_suffix(".json"))["made_from"]["definition"]["register"]
        return pd.DataFrame([{"paper": paper, **entry} for paper, entries in register.items() for entry in entries])

    def _table(self, path: Path) -> pd.DataFrame:
        check(path)
        return read_tables([path])


def results(folder: str | Path = "results") -> Results:
    """Return what a workflow wrote to a folder.

    Raises
    ------
    BadInput
        If there is no such folder.
    DamagedFile
        Later, if a table is missing or damaged.
    """
    if not Path(folder).is_dir():
        raise BadInput("folder", str(folder), "a folder of results, which snakemake makes")
    return Results(Path(folder))


def lower_bound(means: Sequence[float], epsilon: float, horizon: float) -> float:
    """Return the leading term of the least regret of a consistent ε-private policy (azize2025, Theorem 3.1).

    Parameters
    ----------
    means
        Of a Bernoulli bandit.
    epsilon
        Privacy budget, > 0.
    horizon
        T.
    """
    return lower_bound_slope(means, epsilon) * math.log(horizon)
