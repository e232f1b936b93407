"""From a checked configuration to jobs and files: all the Snakefile needs to know, and it names no algorithm."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpbandits import registry
from dpbandits.algorithm import Algorithm, Value
from dpbandits.errors import BadInput
from dpbandits.provenance import source_digest
from dpbandits.simulate import Job, make_job

Config = Mapping[str, Any]
# Where a job's file lies below the results folder.
CELL = "{paper}/cells/{experiment}/{algorithm}/{environment}/T={horizon}/eps={epsilon}/{seeds}.npz"


@dataclass(frozen=True)
class Cell:
    """One algorithm in one environment at one budget: what is simulated in blocks of runs.

    Attributes
    ----------
    paper, experiment, algorithm, environment
        Labels in the configuration.
    epsilon
        The budget as text, ``"none"`` without privacy.
    job
        What is simulated.
    runs, seeds_per_job
        How many runs, and how many of them one job simulates.
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
    def blocks(self) -> list[str]:
        """The blocks of run numbers, such as ``["0-99", "100-199"]``."""
        starts = range(0, self.runs, self.seeds_per_job)
        return [f"{first}-{min(first + self.seeds_per_job, self.runs) - 1}" for first in starts]

    @property
    def files(self) -> list[str]:
        """The cell's files below the results folder, in the order of the runs."""
        return [
            CELL.format(
                paper=self.paper,
                experiment=self.experiment,
                algorithm=self.algorithm,
                environment=self.environment,
                horizon=self.job.horizon,
                epsilon=self.epsilon,
                seeds=seeds,
            )
            for seeds in self.blocks
        ]

    @property
    def command(self) -> list[str]:
        """The arguments of ``dpbandits simulate`` for this cell, but for seeds, threads and output."""
        job = self.job
        arguments = [job.algorithm, "--environment", json.dumps(dict(job.environment))]
        if job.epsilon is not None:
            arguments += ["--epsilon", number(job.epsilon)]
        for name, value in job.parameters.items():
            arguments += ["--param", f"{name}={number(value)}"]
        arguments += ["--horizon", str(job.horizon), "--checkpoints", str(job.checkpoints)]
        return [*arguments, "--root-seed", str(job.root_seed)]


def horizons(horizon: int | list[int]) -> list[int]:
    """Return the horizons of an experiment."""
    return horizon if isinstance(horizon, list) else [horizon]


def number(value: Value) -> str:
    """Return a number as short text that reads back as the same number: 0.25, 1, 1e-05; text stays text."""
    if isinstance(value, str):
        return value
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def budgets(epsilons: list[float] | Mapping[str, Any]) -> list[float]:
    """Return the budgets of an experiment, from a list or a grid, evenly or geometrically spaced."""
    if isinstance(epsilons, list):
        return [float(epsilon) for epsilon in epsilons]
    first, last, steps = epsilons["first"], epsilons["last"], epsilons["number"] - 1
    if epsilons.get("spacing") == "geometric":
        # Rounded so that a grid from 0.0001 to 1 has 0.01 and not 0.010000000000000002.
        return [float(f"{first * (last / first) ** (i / steps):.6g}") for i in range(steps + 1)]
    # Rounded so that a grid from 0.01 to 1 has 0.07 and not 0.06999999999999999.
    return [round(first + (last - first) * i / steps, 12) for i in range(steps + 1)]


def algorithm_of(config: Config, paper: str, label: str) -> tuple[str, Algorithm]:
    """Return name and declaration of the algorithm that a label stands for, or raise `BadInput`."""
    entry = config["papers"][paper]["algorithms"][label]
    where = f"papers.{paper}.algorithms.{label}"
    if "algorithm" in entry:
        return entry["algorithm"], registry.algorithm(entry["algorithm"], f"{where}.algorithm")
    return label, registry.algorithm(label, where)


def cells(config: Config, paper: str, experiment: str) -> list[Cell]:
    """Return the cells of an experiment.

    Raises
    ------
    BadInput
        If an algorithm, environment or budget is not what it should be, or two cells compute the same.
    """
    content = config["papers"][paper]
    chosen = content["experiments"][experiment]
    top = f"papers.{paper}"
    here = f"{top}.experiments.{experiment}"
    block = config["seeds_per_job"]
    found: list[Cell] = []
    seen: dict[str, str] = {}
    for label in chosen["algorithms"]:
        name, declared = algorithm_of(config, paper, label)
        epsilons: list[float] | list[None] = [None]
        if declared.privacy is not None:
            epsilons = budgets(chosen["epsilons"])
            if not epsilons:
                raise BadInput(f"{here}.epsilons", [], f"at least one budget: {label} is private")
        runs = (chosen if "runs" in chosen else content)["runs"][declared.decides]
        for environment, horizon, epsilon in itertools.product(
            chosen["environments"], horizons(chosen["horizon"]), epsilons
        ):
            job = make_job(
                name,
                content["algorithms"][label]["parameters"],
                content["environments"][environment],
                epsilon,
                horizon,
                chosen["checkpoints"],
                config["root_seed"],
                where={
                    "parameters": f"{top}.algorithms.{label}.parameters",
                    "environment": f"{top}.environments.{environment}",
                    "epsilon": f"{here}.epsilons",
                    "horizon": f"{here}.horizon",
                },
            )
            if job.identity in seen:
                raise BadInput(
                    f"{here}.algorithms", label, f"different algorithms; {seen[job.identity]} is the same"
                )
            seen[job.identity] = label
            found.append(
                Cell(
                    paper=paper,
                    experiment=experiment,
                    algorithm=label,
                    environment=environment,
                    epsilon="none" if epsilon is None else number(epsilon),
                    job=job,
                    runs=runs,
                    seeds_per_job=block if isinstance(block, int) else block[declared.decides],
                )
            )
    return found


def all_cells(config: Config) -> dict[tuple[str, str], dict[tuple[str, ...], Cell]]:
    """Return all cells by (paper, experiment), then by (algorithm, environment, horizon, epsilon)."""
    return {
        (paper, experiment): {
            (cell.algorithm, cell.environment, str(cell.job.horizon), cell.epsilon): cell
            for cell in cells(config, paper, experiment)
        }
        for paper, content in config["papers"].items()
        for experiment in content["experiments"]
    }


def cell(known: Mapping[tuple[str, str], Mapping[tuple[str, ...], Cell]], wildcards: Mapping[str, str]) -> Cell:
    """Return the cell that a file's wildcards name."""
    of_experiment = known[wildcards["paper"], wildcards["experiment"]]
    return of_experiment[tuple(wildcards[name] for name in ("algorithm", "environment", "horizon", "epsilon"))]


@dataclass(frozen=True)
class FigureFile:
    """One version of one figure.

    Attributes
    ----------
    paper, figure
        Ids in the configuration.
    version
        ``"full"`` or ``"published"``.
    """

    paper: str
    figure: str
    version: str

    @property
    def stem(self) -> str:
        """The file name without its suffix: ``fig4``, or ``fig4-published``."""
        return self.figure if self.version == "full" else f"{self.figure}-{self.version}"


def figure_files(config: Config) -> list[FigureFile]:
    """Return all versions of all figures of all papers."""
    return [
        FigureFile(paper, figure, version)
        for paper, content in config["papers"].items()
        for figure, entry in content["figures"].items()
        for version in entry["versions"]
    ]


def figure_sources(config: Config, file: FigureFile) -> str:
    """Return the digest of the sources that can influence a figure, its data apart."""
    kind = config["papers"][file.paper]["figures"][file.figure]["draw"]
    return source_digest("dpbandits.render", registry.module("figure", kind, "draw"))


def computation_sources(config: Config, paper: str, computation: str) -> str:
    """Return the digest of the sources that can influence a computation."""
    kind = config["papers"][paper]["computations"][computation]["compute"]
    return source_digest(registry.module("computation", kind, "compute"))


def table_sources(config: Config, paper: str, table: str) -> str:
    """Return the digest of the sources that can influence a table, its data apart."""
    kind = config["papers"][paper]["tables"][table]["make"]
    return source_digest("dpbandits.tabulate", registry.module("table", kind, "make"))
