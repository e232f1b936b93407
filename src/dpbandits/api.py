"""Python interface: simulate, load, look at results and audit, as the command line does, with objects.

>>> import dpbandits
>>> runs = dpbandits.simulate("dp-imed", means=[0.75, 0.7], epsilon=0.25, horizon=10**6, seeds=range(3))
>>> runs.regret.shape, runs.to_frame().columns.tolist()
((3, 200), ['algorithm', 'epsilon', 'run', 'round', 'regret'])
"""

from __future__ import annotations

import contextlib
import json
import math
import textwrap
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.auditing.audit import audit
from dpbandits.core.arguments import integer, number, numbers, path, run_numbers
from dpbandits.core.environment import Parameters
from dpbandits.core.errors import BadInput, needing_workflow
from dpbandits.core.files import Json, check, is_ours, read_arrays, read_json
from dpbandits.core.tables import read_tables
from dpbandits.policies import load as load_policy
from dpbandits.policies import policy
from dpbandits.runs import duration
from dpbandits.runs.aggregate import statistics
from dpbandits.runs.job import make_job, run, write_runs
from dpbandits.settings.stochastic.theory import lower_bound_slope

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEANS = "at least two numbers in [0, 1], as [0.75, 0.7]"
# As of a configuration.
MOST_THREADS = 1024

__all__ = [
    "Results",
    "Simulated",
    "audit",
    "load",
    "load_policy",
    "lower_bound",
    "policy",
    "results",
    "simulate",
]


@dataclass(frozen=True, repr=False)
class Simulated:
    """Runs of an algorithm.

    Attributes
    ----------
    regret : ndarray of float64, shape (runs, checkpoints)
        Cumulative pseudo-regret.
    rounds : ndarray of int64, shape (checkpoints,)
        The rounds at which regret was recorded.
    pulls : ndarray of int64, shape (runs, arms)
        How often each arm was pulled, which sums to T. In the experts setting: how often each expert was followed,
        which sums to less than T where exploration follows none.
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

    def __repr__(self) -> str:
        """Return six lines, where the arrays would be hundreds."""
        environment = {key: value for key, value in self.job["environment"].items() if key != "kind"}
        shape = " x ".join(map(str, self.regret.shape))
        lines = {
            "algorithm": f"{self.name}, {len(self.seeds)} runs of {self.job['horizon']:,} rounds",
            "environment": f"{self.job['environment']['kind']} {json.dumps(environment)}",
            "parameters": json.dumps(self.job["parameters"]),
            "regret": f"{shape}, mean at the end {self.regret[:, -1].mean():g}",
            "pulls": f"sum to {self._pulled:.6g} of {self.job['horizon']:,} rounds",
            "methods": "summary(), to_frame(), plot(); arrays regret, rounds, pulls, seeds",
        }
        return "\n".join(f"{key:12}{textwrap.shorten(text, 100)}" for key, text in lines.items())

    @property
    def _pulled(self) -> float:
        return float(self.pulls.sum(axis=1).mean())

    @property
    def name(self) -> str:
        """The algorithm, parameters that are not its defaults, and the budget: ``dp-imed, n0 = 40, ε = 0.25``."""
        changed, budget = dict(self.job["parameters"]), self.job["epsilon"]
        # Of an algorithm that is no longer there, all are told.
        with contextlib.suppress(BadInput):
            job = make_job(self.job["algorithm"], {}, self.job["environment"], budget, self.job["horizon"], 1, 0)
            changed = {key: value for key, value in changed.items() if job.parameters.get(key) != value}
        told = {**changed, **({} if budget is None else {"ε": budget})}
        values = {key: value if isinstance(value, str) else f"{value:g}" for key, value in told.items()}
        return ", ".join([self.job["algorithm"], *(f"{key} = {value}" for key, value in values.items())])

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
        low, high = np.quantile(self.regret, (0.05, 0.95), axis=0)
        (line,) = axes.plot(self.rounds, self.regret.mean(axis=0), label=self.name)
        axes.fill_between(self.rounds, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        axes.set(xscale="log", xlabel="round", ylabel="regret")
        axes.legend(frameon=False)
        return axes


def simulate(
    algorithm: str,
    *,
    horizon: int,
    means: Sequence[float] | None = None,
    environment: Parameters | None = None,
    epsilon: float | None = None,
    seeds: int | Iterable[int] = 20,
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
        Number of runs, or run numbers without gaps: 20, ``range(5, 25)``, ``[0, 1, 2]``.
    checkpoints
        Largest number of rounds at which regret is recorded.
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
    chosen = run_numbers(seeds)
    threads = integer("threads", threads, 1, MOST_THREADS, f"an integer from 1 to {MOST_THREADS}")
    file = None if output is None else path("output", output)
    if file is not None and file.suffix != ".npz":
        raise BadInput("output", str(file), "a file name that ends in .npz")
    if means is not None:
        environment = {"kind": "bernoulli", "means": numbers("means", means, MEANS)}
    elif not isinstance(environment, Mapping):
        raise BadInput(
            "environment", environment, "a mapping with its kind, as {'kind': 'bernoulli', 'means': [0.9, 0.1]}"
        )
    job = make_job(algorithm, parameters, environment, epsilon, horizon, checkpoints, root_seed)
    expected = duration.seconds(job, len(chosen), threads)
    if expected > duration.PATIENCE:
        warnings.warn(f"{algorithm}: {duration.words(expected)}, for it decides in every round", stacklevel=2)
    runs = run(job, chosen, threads)
    if file is not None:
        write_runs(job, chosen, runs, file)
    return Simulated(
        runs.regret, runs.rounds, runs.pulls, np.arange(chosen.start, chosen.stop, dtype=np.int64), job.definition
    )


def load(file: str | Path) -> Simulated:
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
        If it is none of ours, or holds no runs.
    OSError
        If it is not there, or cannot be read.
    """
    place = path("file", file)
    if place.exists() and not is_ours(place):
        # Whose it is nobody knows, and so what to do with it.
        raise BadInput(str(place), "a file that is not ours", "an .npz file of simulated runs")
    arrays, metadata = read_arrays(place)
    if not isinstance(metadata.get("job"), dict):
        raise BadInput(str(place), "no job", "a file of simulated runs")
    return Simulated(arrays["regret"], arrays["rounds"], arrays["pulls"], arrays["seeds"], metadata["job"])


@dataclass(frozen=True)
class Results:
    """Results of a finished workflow; each table is checked against its seal when it is read.

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
    place = path("folder", folder)
    if not place.is_dir():
        raise BadInput("folder", str(place), "a folder of results, which snakemake makes")
    return Results(place)


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

    Raises
    ------
    BadInput
        For fewer than two means, or a value out of range.
    """
    given = numbers("means", means, MEANS)
    if len(given) < 2 or not all(0 <= mean <= 1 for mean in given):
        raise BadInput("means", given, MEANS)
    budget = number("epsilon", epsilon, 1e-100, 1e100, "a number > 0, from 1e-100 to 1e100")
    rounds = number("horizon", horizon, 1, 1e300, "a number of rounds >= 1")
    return lower_bound_slope(given, float(budget)) * math.log(rounds)
