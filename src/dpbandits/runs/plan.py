"""Plan of a checked configuration: jobs and files for the Snakefile, which names no algorithm."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpbandits.core.errors import BadInput, Keys, called, within
from dpbandits.core.fields import Value
from dpbandits.core.provenance import record_digest, sources
from dpbandits.runs.job import ConfiguredAlgorithm, ConfiguredEnvironment, Job

if TYPE_CHECKING:
    from dpbandits.runs.models import Config

# What tells a cell of a paper apart, and where its files lie below the results folder.
NAME = "{experiment}/{algorithm}/{environment}/T={horizon}/eps={epsilon}"
CELL = f"{{paper}}/cells/{NAME}/{{seeds}}.npz"


@dataclass(frozen=True)
class Cell:
    """One algorithm in one environment at one budget and horizon, and the number of its runs.

    Jobs of the workflow simulate the runs in blocks, such as 0 to 99 and 100 to 199.

    Attributes
    ----------
    paper, experiment, algorithm, environment
        Labels in the configuration.
    epsilon
        The budget as text, ``"none"`` without privacy.
    job
        Definition of the runs.
    runs, seeds_per_job
        Number of runs, and largest number of them that one job of the workflow simulates.
    """

    paper: str
    experiment: str
    algorithm: str
    environment: str
    epsilon: str
    job: Job
    runs: int
    seeds_per_job: int

    @property
    def run_numbers(self) -> list[range]:
        """The numbers of the runs, from 0: a range for each block, which one job of the workflow simulates."""
        starts = range(0, self.runs, self.seeds_per_job)
        return [range(first, min(first + self.seeds_per_job, self.runs)) for first in starts]

    @property
    def blocks(self) -> list[str]:
        """The first and last run number of each block in `run_numbers`, as text such as ``["0-99", "100-199"]``."""
        return [f"{block[0]}-{block[-1]}" for block in self.run_numbers]

    @property
    def name(self) -> str:
        """The path of the cell's folder below the paper's cells: ``"curves/dp-imed/mu1/T=1000/eps=0.1"``."""
        return NAME.format(
            experiment=self.experiment,
            algorithm=self.algorithm,
            environment=self.environment,
            horizon=self.job.horizon,
            epsilon=self.epsilon,
        )

    @property
    def files(self) -> list[str]:
        """The cell's files below the results folder, in the runs' order, as ``smith2026/cells/.../0-99.npz``."""
        return [f"{self.paper}/cells/{self.name}/{block}.npz" for block in self.blocks]

    @property
    def fingerprint(self) -> str:
        """The digest, 16 hexadecimal digits, of all that the cell's arrays depend on.

        These are definition, root seed, sources, checkpoints and number of runs, but not their cut into blocks.
        """
        return record_digest({**self.job.record, "checkpoints": self.job.checkpoints, "runs": self.runs})

    @property
    def sources(self) -> str:
        """The modules whose code makes the runs, each with a digest of it: ``"core.errors 1f2e3d4c, ..."``."""
        return sources(*self.job.modules)

    @property
    def command(self) -> list[str]:
        """The arguments of ``dpbandits simulate`` for the cell, but for run numbers, threads and output."""
        job = self.job
        arguments = [job.algorithm, "--environment", json.dumps(dict(job.environment))]
        if job.epsilon is not None:
            arguments += ["--epsilon", number(job.epsilon)]
        for name, value in job.parameters.items():
            arguments += ["--param", f"{name}={number(value)}"]
        arguments += ["--horizon", str(job.horizon), "--checkpoints", str(job.checkpoints)]
        return [*arguments, "--root-seed", str(job.root_seed)]


Cells = Mapping[tuple[str, str], Mapping[tuple[str, ...], Cell]]


def number(value: Value) -> str:
    """Return a number as short text that reads back as the same number: 0.25, 1, 1e-05; text stays text."""
    if isinstance(value, str):
        return value
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def cells(config: Config, paper: str, experiment: str) -> list[Cell]:
    """Return the cells of an experiment: each of its algorithms in each environment at each horizon and budget.

    They are in the order of the configuration. An algorithm without privacy has one cell in place of all budgets.
    """
    return list(_cells_of(config, paper, [experiment])[paper, experiment].values())


def all_cells(config: Config) -> Cells:
    """Return all cells by (paper, experiment), then by (algorithm, environment, horizon, epsilon), all text.

    A cell is an algorithm in one environment at one budget and horizon. Its epsilon is ``"none"`` without privacy.

    Raises
    ------
    BadInput
        If an environment, a parameter or a budget is wrong, a private algorithm has no budget, or a horizon is
        smaller than the number of arms. Also if two cells of an experiment compute the same.
    """
    found: dict[tuple[str, str], Mapping[tuple[str, ...], Cell]] = {}
    for paper, content in config.papers.items():
        found |= _cells_of(config, paper, list(content.experiments))
    return found


def _cells_of(config: Config, paper: str, experiments: list[str]) -> Cells:
    """Return the cells of experiments of a paper; environments and parameters are checked once for all."""
    content = config.papers[paper]
    environments, players = {}, {}
    for label, entry in content.environments.items():
        with within("papers", paper, "environments", label):
            environments[label] = ConfiguredEnvironment(entry.data, config.root_seed)
    for label, algorithm in content.algorithms.items():
        with within("papers", paper, "algorithms", label):
            players[label] = ConfiguredAlgorithm(content.algorithm(label), algorithm.parameters)
    return {(paper, name): _planned(config, paper, name, environments, players) for name in experiments}


def _planned(
    config: Config,
    paper: str,
    experiment: str,
    environments: Mapping[str, ConfiguredEnvironment],
    players: Mapping[str, ConfiguredAlgorithm],
) -> Mapping[tuple[str, ...], Cell]:
    """Return the cells of an experiment by their labels."""
    chosen = config.papers[paper].experiments[experiment]
    here = ("papers", paper, "experiments", experiment)
    found: dict[tuple[str, ...], Cell] = {}
    seen: dict[str, dict[str, str | float | None]] = {}
    for label in chosen.algorithms:
        player = players[label]
        decides = player.declared.decides
        epsilons: Sequence[float | None] = [None]
        if player.declared.privacy is not None:
            epsilons = chosen.epsilons
            if not epsilons:
                raise BadInput((*here, "epsilons"), [], f"at least one budget: {label} is private")
        runs = config.papers[paper].runs_of(experiment).of(decides)
        for environment, horizon, epsilon in itertools.product(chosen.environments, chosen.horizon, epsilons):
            names: dict[str, Keys] = {
                "environment": ("papers", paper, "environments", environment),
                "parameters": ("papers", paper, "algorithms", label, "parameters"),
                "epsilon": (*here, "epsilons"),
            }
            with called(names):
                job = player.job(environments[environment], epsilon, horizon, chosen.checkpoints, config.root_seed)
            if horizon < (arms := environments[environment].arms):
                raise BadInput((*here, "horizon"), horizon, f"at least {arms}, the number of arms")
            labels: dict[str, str | float | None] = {
                "algorithms": label,
                "environments": environment,
                "epsilons": epsilon,
            }
            if job.identity in seen:
                other = seen[job.identity]
                key = next(key for key in labels if labels[key] != other[key])
                raise BadInput((*here, key), labels[key], f"different {key}; {other[key]} is the same")
            seen[job.identity] = labels
            cell = Cell(
                paper=paper,
                experiment=experiment,
                algorithm=label,
                environment=environment,
                epsilon="none" if epsilon is None else number(epsilon),
                job=job,
                runs=runs,
                seeds_per_job=config.seeds_per_job.of_experiment(paper, experiment, decides),
            )
            found[label, environment, str(horizon), cell.epsilon] = cell
    return found


def cell(known: Cells, wildcards: Mapping[str, str]) -> Cell:
    """Return the one of the ``known`` cells whose file Snakemake asks for, by the wildcards in the file's path.

    These are ``paper``, ``experiment``, ``algorithm``, ``environment``, ``horizon`` and ``epsilon``, all text. The
    cells are those of `all_cells`.
    """
    of_experiment = known[wildcards["paper"], wildcards["experiment"]]
    return of_experiment[tuple(wildcards[name] for name in ("algorithm", "environment", "horizon", "epsilon"))]


@dataclass(frozen=True)
class FigureFile:
    """One version of one figure, which is drawn to files of its own.

    Attributes
    ----------
    figure
        Id of the figure in the configuration.
    version
        ``"full"`` with all runs, or ``"published"`` with as many as the paper has.
    """

    figure: str
    version: str

    @property
    def stem(self) -> str:
        """The file name without its suffix: ``fig4``, or ``fig4-published``."""
        return self.figure if self.version == "full" else f"{self.figure}-{self.version}"


def figure_files(config: Config, paper: str) -> list[FigureFile]:
    """Return all versions of all figures of a paper."""
    return [
        FigureFile(figure, version)
        for figure, entry in config.papers[paper].figures.items()
        for version in entry.versions
    ]
