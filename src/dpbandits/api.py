"""Python interface: simulate, load, look at results and audit, as the command line does, with objects.

>>> import dpbandits
>>> runs = dpbandits.simulate("dp-imed", means=[0.75, 0.7], epsilon=0.25, horizon=10**6, seeds=range(3))
>>> runs.regret.shape, runs.to_frame().columns.tolist()
((3, 175), ['algorithm', 'epsilon', 'run', 'round', 'regret'])
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpbandits.auditing.audit import audit
from dpbandits.auditing.preflight import check_short_runs
from dpbandits.calls import check_call
from dpbandits.core import registry
from dpbandits.core.arguments import MEANS, MOST_THREADS, SEEDS, path, reals, run_numbers
from dpbandits.core.errors import BadInput, DamagedFile, needing_workflow, suggest
from dpbandits.core.fields import Parameters, real, whole
from dpbandits.core.files import check, read_json
from dpbandits.core.tables import read_tables
from dpbandits.notebook.memory import refuse_too_many
from dpbandits.notebook.ordered import require_ordered
from dpbandits.notebook.simulated import Simulated, load
from dpbandits.policies import load as load_policy
from dpbandits.policies import policy
from dpbandits.runs import duration
from dpbandits.runs.job import make_job, refuse_overwriting, refuse_replaced, run, write_runs
from dpbandits.settings.stochastic.theory import lower_bound_slope

if TYPE_CHECKING:
    from dpbandits.runs.plan import Cell

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


@check_call
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
    """Simulate the runs that ``dpbandits simulate`` writes for the same arguments.

    Parameters
    ----------
    algorithm
        Name of an algorithm in ``dpbandits list``.
    horizon
        Number T of rounds of each run, >= 1.
    means, environment
        Mean rewards in [0, 1] of a Bernoulli bandit's arms, at least two; or an environment of a kind in
        ``dpbandits list`` with parameters: ``{"kind": "bernoulli", "means": [0.9, 0.1]}``. One of the two is given.
    epsilon
        Privacy budget, > 0; ``None`` for an algorithm without privacy.
    seeds
        Number of runs, or run numbers in order and without gaps: 20, ``range(5, 25)``, ``[0, 1, 2]``.
    checkpoints
        Largest number of rounds at which regret is recorded, geometrically spaced; the last one is T.
    root_seed
        Seed of all random streams, an integer from 0 to 2^64 - 1.
    threads
        Number of threads that share the runs, from 1 to 1024; results do not depend on it.
    output
        Path of a file to write, ending in ``.npz``; its bytes are those that the command line writes.
    **parameters
        Parameters of the algorithm, such as ``n0=40``. ``dpbandits.algorithm("dp-imed")`` has all of them with
        range, default and meaning, and so has ``dpbandits list dp-imed``.

    Returns
    -------
    Simulated
        Its arrays are ``regret``, shape (runs, recorded rounds), ``rounds``, the recorded ones, ``pulls``, shape
        (runs, arms), and ``seeds``, the run numbers. ``job`` is the definition of the runs.

    Raises
    ------
    BadInput
        For an unknown name, a value out of range, or an ``output`` that holds anything but these runs.

    Warns
    -----
    UserWarning
        If the simulation is expected to take more than a month.
    """
    if (means is None) == (environment is None):
        raise BadInput("environment", environment, "this or means, one of the two")
    require_ordered("seeds", seeds, SEEDS)
    require_ordered("means", means, MEANS)
    chosen = run_numbers(seeds)
    threads = whole("threads", threads, 1, MOST_THREADS, f"an integer from 1 to {MOST_THREADS}")
    file = None if output is None else path("output", output)
    if file is not None and file.suffix != ".npz":
        raise BadInput("output", str(file), "a file name that ends in .npz")
    if means is not None:
        environment = {"kind": "bernoulli", "means": reals("means", means, MEANS)}
    elif not isinstance(environment, Mapping):
        raise BadInput(
            "environment", environment, "a mapping with its kind, as {'kind': 'bernoulli', 'means': [0.9, 0.1]}"
        )
    job = make_job(algorithm, parameters, environment, epsilon, horizon, checkpoints, root_seed)
    refuse_too_many([job], len(chosen), "seeds")
    if registry.environment(job.environment["kind"]).fixed is not None:
        check_short_runs(job)
    if file is not None:
        refuse_overwriting(job, chosen, file)
        # Before anything runs, though `write_runs` checks this again.
        refuse_replaced(job)
    expected = duration.seconds(job, len(chosen), threads)
    if expected > duration.PATIENCE:
        warnings.warn(f"{algorithm}: {duration.words(expected)}, for it decides in every round", stacklevel=3)
    runs = run(job, chosen, threads)
    if file is not None:
        write_runs(job, chosen, runs, file)
    return Simulated(
        runs.regret, runs.rounds, runs.pulls, np.arange(chosen.start, chosen.stop, dtype=np.int64), job.definition
    )


@dataclass(frozen=True)
class Results:
    """Results of a finished workflow; each table is checked by its seal, the digest beside it, when it is read.

    Attributes
    ----------
    folder
        Path of the folder that the workflow wrote, such as ``results``.
    """

    folder: Path

    @property
    def aggregates(self) -> pd.DataFrame:
        """Regret of all experiments: a row for each cell, ``version`` and ``round`` at which it was recorded.

        A cell is an algorithm in an environment with a budget and a horizon. The ``version`` "full" is of all runs,
        and "published" of as many as the paper has. Labels are in ``paper``, ``experiment``, ``algorithm``,
        ``environment``, ``epsilon`` and ``horizon``. Statistics are ``runs``, ``mean``, ``mean_low``,
        ``mean_high``, and quantiles ``q05`` to ``q99``; ``uniform`` is the regret of uniform play. Parameters have
        columns of their names.
        """
        files = sorted(self.folder.glob("*/aggregates/*.csv"))
        if not files:
            raise BadInput("folder", str(self.folder), "one with aggregates, which snakemake makes")
        tables = [self._table(path).assign(paper=path.parts[-3], experiment=path.stem) for path in files]
        return pd.concat(tables, ignore_index=True)

    @property
    def claims(self) -> pd.DataFrame:
        """The claims ledger: a row for each claim, with ``paper``, ``id``, ``statement``, ``verdict`` and others.

        Verdicts are texts such as ``holds``, ``does not hold`` and ``not decided``. The numbers ``estimate``,
        ``low``, ``high`` and ``p`` belong to one part of a claim's tests; ``effect`` has that part in words.
        ``parts_hold``, ``parts_fail`` and others are numbers of parts; further columns are texts for readers.
        """
        return self._table(self.folder / "claims.csv")

    @property
    def privacy(self) -> pd.DataFrame:
        """The results of the privacy audits: a row for each private algorithm and audited budget that it may have.

        A conversion has rows for each ``base`` that it runs. ``epsilon`` is the claimed budget, ``audited`` the
        largest privacy loss shown. The ``verdict`` is ``consistent``, ``violated``, ``suspicious``, ``refused`` or
        ``unfinished``. An algorithm without privacy has one row, with the verdict ``no claim``.
        """
        return self._table(self.folder / "privacy.csv")

    @property
    def discrepancies(self) -> pd.DataFrame:
        """The register of discrepancies of the papers' texts: a row for each, with the paper's id as ``paper``.

        Other columns are texts: ``id``, ``kind`` (such as "misprint"), ``place`` in the paper, what is ``printed``,
        ``why`` it is here, what ``stands`` and what was ``done``. The last are the ``test`` that shows it, and a
        proof's name as ``certificate``, empty without one.
        """
        path = self._checked(self.folder / "discrepancies.md")
        register = read_json(path.with_suffix(".json"))["made_from"]["definition"]["register"]
        return pd.DataFrame([{"paper": paper, **entry} for paper, entries in register.items() for entry in entries])

    def runs(self, experiment: str, paper: str | None = None) -> pd.DataFrame:
        """Return all runs of an experiment, as the configuration that the workflow saved plans them.

        Parameters
        ----------
        experiment
            Label of the experiment in the configuration, such as ``fig4``.
        paper
            Id of its paper, such as ``smith2026``; needed only if several papers have an experiment of this label.

        Returns
        -------
        DataFrame
            A row for each run and recorded round: ``algorithm`` and ``environment`` by their labels, ``epsilon``
            (missing without privacy), ``horizon``, ``run`` (its number), ``round`` and ``regret`` up to it.

        Raises
        ------
        BadInput
            If there is no such experiment, or several papers have one.
        DamagedFile
            If a file of runs is damaged, or holds other runs than the configuration plans.
        """
        from dpbandits.runs import config, plan

        with needing_workflow("A configuration"):
            saved = config.checked(dict(read_json(self._saved)["configuration"]))
        cells = plan.all_cells(saved)
        having = [name for name, label in cells if label == experiment and paper in (None, name)]
        if len(having) != 1:
            labels = [label for name, label in cells if paper in (None, name)]
            allowed = f"with paper=, one of {', '.join(having)}" if having else suggest(experiment, labels)
            raise BadInput("experiment", experiment, allowed)
        return pd.concat(map(self._runs, cells[having[0], experiment].values()), ignore_index=True)

    @property
    def _saved(self) -> Path:
        place = self.folder / "config.json"
        if not place.is_file():
            raise BadInput("folder", str(self.folder), f"one with a configuration: snakemake {place}")
        return place

    def _runs(self, cell: Cell) -> pd.DataFrame:
        """Return the runs of a cell, a row for each, with its labels."""
        parts = []
        for name in cell.files:
            runs = load(self.folder / name)
            if runs.job != cell.job.definition:
                raise DamagedFile(str(self.folder / name), "other runs", "what the configuration plans")
            parts.append(runs.to_frame())
        return pd.concat(parts, ignore_index=True).assign(
            algorithm=cell.algorithm, environment=cell.environment, horizon=cell.job.horizon
        )

    def _checked(self, path: Path) -> Path:
        if not path.is_file():
            raise BadInput("folder", str(self.folder), f"one with this table: snakemake {path}")
        check(path)
        return path

    def _table(self, path: Path) -> pd.DataFrame:
        self._checked(path)
        return read_tables([path])


@check_call
def results(folder: str | Path = "results") -> Results:
    """Return the results that a workflow wrote to a folder; a table is read when it is asked for.

    Raises
    ------
    BadInput
        If there is no such folder, or later if a table is not in it.
    DamagedFile
        Later, if a table that is read is damaged.
    """
    place = path("folder", folder)
    if not str(folder) or not place.is_dir():
        raise BadInput("folder", str(folder), "a folder of results, which snakemake makes")
    return Results(place)


@check_call
def lower_bound(means: Sequence[float], epsilon: float, horizon: float) -> float:
    """Return the leading term of the least regret of a consistent ε-private policy (azize2025, Theorem 3.1).

    Parameters
    ----------
    means
        Mean rewards in [0, 1] of the arms of a Bernoulli bandit, at least two.
    epsilon
        Privacy budget, > 0.
    horizon
        Number T of rounds, >= 1.

    Returns
    -------
    float
        The term: a slope that depends on ``means`` and ``epsilon``, times log T; 0 if all means are equal. If the
        largest mean is 1 it is no bound: the algorithm ``perfection-test`` has bounded regret there.

    Raises
    ------
    BadInput
        For fewer than two means, or a value out of range.
    """
    require_ordered("means", means, MEANS)
    given = reals("means", means, MEANS)
    if len(given) < 2 or not all(0 <= mean <= 1 for mean in given):
        raise BadInput("means", given, MEANS)
    budget = real("epsilon", epsilon, 1e-100, 1e100, "a number > 0, from 1e-100 to 1e100")
    rounds = real("horizon", horizon, 1, 1e300, "a number of rounds >= 1")
    return lower_bound_slope(given, float(budget)) * math.log(rounds)
