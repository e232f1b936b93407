"""Runs of one cell, as arrays, as a table and as a picture."""

from __future__ import annotations

import contextlib
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.calls import check_call
from dpbandits.core.arguments import path
from dpbandits.core.errors import BadInput, DamagedFile, MissingFile
from dpbandits.core.fields import real
from dpbandits.core.files import Json, is_ours, read_arrays
from dpbandits.notebook.axes import axes_of
from dpbandits.runs.aggregate import statistics
from dpbandits.runs.job import make_job

if TYPE_CHECKING:
    from matplotlib.axes import Axes


CONFIDENCE_ALLOWED = "a number above 0 and below 1, such as 0.95"
# Arrays of a file of runs.
ARRAYS = ("regret", "rounds", "pulls", "seeds")


@dataclass(frozen=True, repr=False)
class Simulated:
    """Runs of an algorithm in an environment.

    Attributes
    ----------
    regret : ndarray of float64, shape (runs, checkpoints)
        Cumulative pseudo-regret of each run up to each recorded round.
    rounds : ndarray of int64, shape (checkpoints,)
        The rounds at which regret was recorded.
    pulls : ndarray of int64, shape (runs, arms)
        How often each arm was pulled, which sums to T in each run. In the experts setting: how often each expert
        was followed, which sums to less than T where exploration follows none.
    seeds : ndarray of int64, shape (runs,)
        Run numbers, integers >= 0 without gaps. With root seed and job a number gives its run's random stream.
    job : dict
        What was simulated: ``algorithm``, ``parameters``, ``environment``, ``epsilon`` (``None`` without privacy),
        ``horizon``.
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
        # An algorithm that is no longer installed has no known defaults: then all its parameters are shown.
        with contextlib.suppress(BadInput):
            job = make_job(self.job["algorithm"], {}, self.job["environment"], budget, self.job["horizon"], 1, 0)
            changed = {key: value for key, value in changed.items() if job.parameters.get(key) != value}
        told = {**changed, **({} if budget is None else {"ε": budget})}
        values = {key: value if isinstance(value, str) else f"{value:g}" for key, value in told.items()}
        return ", ".join([self.job["algorithm"], *(f"{key} = {value}" for key, value in values.items())])

    def to_frame(self) -> pd.DataFrame:
        """Return a table with a row for each run and checkpoint: algorithm, epsilon, run, round and regret."""
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
        """Return a table of regret with a row for each checkpoint.

        Columns are ``round, mean, sd``, the interval ``mean_low, mean_high`` by Student's t, quantiles ``q05, q25,
        q50, q75, q95, q99``, and ``maximum``.

        ``confidence`` is the confidence level of the interval, above 0 and below 1.

        Raises
        ------
        BadInput
            If the confidence is out of this range, or there is one run alone.
        """
        level = real("confidence", confidence, 0.0, 1.0, CONFIDENCE_ALLOWED)
        if not 0.0 < level < 1.0:
            raise BadInput("confidence", confidence, CONFIDENCE_ALLOWED)
        if len(self.seeds) < 2:
            raise BadInput("runs", len(self.seeds), "at least two runs; one has no interval")
        return pd.DataFrame({"round": self.rounds, **statistics(self.regret, level)})

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw mean regret over rounds, with a band from the 5 % to the 95 % quantile of the runs; return the axes.

        ``axes`` are those to draw on; new ones by default.

        Raises
        ------
        BadInput
            If ``axes`` are no axes of Matplotlib.
        MissingExtra
            If Matplotlib, which the extra ``notebook`` has, is not installed.
        """
        axes = axes_of(axes)
        low, high = np.quantile(self.regret, (0.05, 0.95), axis=0)
        (line,) = axes.plot(self.rounds, self.regret.mean(axis=0), label=self.name)
        axes.fill_between(self.rounds, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        axes.set(xscale="log", xlabel="round", ylabel="regret")
        axes.legend(frameon=False)
        return axes


@check_call
def load(file: str | Path) -> Simulated:
    """Return the runs of a file that the workflow, ``dpbandits simulate`` or `dpbandits.simulate` wrote.

    Parameters
    ----------
    file
        Path of the npz file.

    Raises
    ------
    BadInput
        If the file is none of ours, is not as it was written, or holds no runs.
    MissingFile
        If the file is not there, or cannot be read.
    """
    place = path("file", file)
    try:
        # Not the words for a damaged file of ours, below: for another program's file their advice is wrong.
        if place.exists() and not (place.is_file() and is_ours(place)):
            raise BadInput(str(place), "a file that is not ours", "an .npz file of simulated runs")
        arrays, metadata = read_arrays(place)
    except DamagedFile as error:
        allowed = "an .npz file as it was written; take a copy, or simulate again"
        raise BadInput(str(place), error.found, allowed) from None
    except OSError as error:
        raise MissingFile(str(place), error.strerror) from None
    if not _is_job(metadata.get("job")) or not _are_consistent(arrays):
        raise BadInput(str(place), "no runs", "an .npz file of simulated runs")
    return Simulated(arrays["regret"], arrays["rounds"], arrays["pulls"], arrays["seeds"], metadata["job"])


def _is_job(job: object) -> bool:
    """Tell whether a value describes what was simulated: all keys of a job, each with its type."""
    match job:
        case {
            "algorithm": str(),
            "environment": {"kind": str()},
            "parameters": dict() as parameters,
            "epsilon": None | int() | float(),
            "horizon": int(),
        }:
            return all(isinstance(value, str | int | float) for value in parameters.values())
    return False


def _are_consistent(arrays: Mapping[str, np.ndarray]) -> bool:
    """Tell whether all `ARRAYS` of a file of runs exist, hold numbers, and have shapes that agree."""
    shapes = {name: arrays[name].shape for name in ARRAYS if name in arrays and arrays[name].dtype.kind in "fiu"}
    if len(shapes) < len(ARRAYS):
        return False
    if not len(shapes["regret"]) == len(shapes["pulls"]) == 2:
        return False
    runs, rounds = shapes["regret"]
    return (
        shapes["pulls"][0] == runs and shapes["rounds"] == (rounds,) and shapes["seeds"] == (runs,) and rounds > 0
    )
