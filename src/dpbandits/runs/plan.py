"""From a checked configuration to jobs and files: all the Snakefile needs to know, and it names no algorithm."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm, Value
from dpbandits.core.errors import BadInput
from dpbandits.core.provenance import record_digest, source_digest
from dpbandits.runs.job import Job, make_job

Config = Mapping[str, Any]
# What a product is made from: definitions and digests of sources, as JSON data. It is the parameter of the rule, is
# sealed with the product, and what is read is compared with it.
Record = dict[str, Any]
# Where files lie below the results folder.
AGGREGATE = "{paper}/aggregates/{experiment}.csv"
COMPUTED = "{paper}/computed/{computation}.csv"
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
    def seeds(self) -> list[range]:
        """The blocks of run numbers."""
        starts = range(0, self.runs, self.seeds_per_job)
        return [range(first, min(first + self.seeds_per_job, self.runs)) for first in starts]

    @property
    def blocks(self) -> list[str]:
        """The same as text, such as ``["0-99", "100-199"]``."""
        return [f"{seeds[0]}-{seeds[-1]}" for seeds in self.seeds]

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
    def record(self) -> Record:
        """What the cell's runs are made from."""
        return {**self.job.record, "checkpoints": self.job.checkpoints, "runs": self.runs}

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


Cells = Mapping[tuple[str, str], Mapping[tuple[str, ...], Cell]]


def horizons(horizon: int | list[int]) -> list[int]:
    """Return the horizons of an experiment."""
    return horizon if isinstance(horizon, list) else [horizon]


def number(value: Value) -> str:
    """Return a number as short text that reads back as the same number: 0.25, 1, 1e-05; text stays text."""
    if isinstance(value, str):
        return value
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def budgets(epsilons: list[float] | Mapping[str, Any], where: str = "epsilons") -> list[float]:
    """Return the budgets of an experiment, from a list or a grid, evenly or geometrically spaced.

    Raises
    ------
    BadInput
        If a grid does not end above its beginning, or is finer than its budgets are rounded.
    """
    if isinstance(epsilons, list):
        return [float(epsilon) for epsilon in epsilons]
    first, last, steps = epsilons["first"], epsilons["last"], epsilons["number"] - 1
    if not first < last:
        raise BadInput(f"{where}.last", last, f"a number > {first}, the first")
    if epsilons.get("spacing") == "geometric":
        # Rounded so that a grid from 0.0001 to 1 has 0.01 and not 0.010000000000000002.
        grid = [float(f"{first * (last / first) ** (i / steps):.6g}") for i in range(steps + 1)]
    else:
        # Rounded so that a grid from 0.01 to 1 has 0.07 and not 0.06999999999999999.
        grid = [round(first + (last - first) * i / steps, 12) for i in range(steps + 1)]
    if len(set(grid)) < len(grid):
        raise BadInput(f"{where}.number", epsilons["number"], f"fewer budgets from {first} to {last}")
    return grid


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
    seen: dict[str, dict[str, Any]] = {}
    for label in chosen["algorithms"]:
        name, declared = algorithm_of(config, paper, label)
        epsilons: list[float] | list[None] = [None]
        if declared.privacy is not None:
            epsilons = budgets(chosen["epsilons"], f"{here}.epsilons")
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
            labels = {"algorithms": label, "environments": environment, "epsilons": epsilon}
            if job.identity in seen:
                other = seen[job.identity]
                key = next(key for key in labels if labels[key] != other[key])
                raise BadInput(f"{here}.{key}", labels[key], f"different {key}; {other[key]} is the same")
            seen[job.identity] = labels
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


def cell(known: Cells, wildcards: Mapping[str, str]) -> Cell:
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


def experiment_record(config: Config, known: Cells, paper: str, experiment: str) -> Record:
    """Return what an experiment's aggregate is made from."""
    return {
        "paper": paper,
        "experiment": experiment,
        "published_runs": config["papers"][paper]["published_runs"],
        "confidence": config["confidence"],
        "sources": source_digest("dpbandits.runs.aggregate"),
        "cells": [cell.record for cell in known[paper, experiment].values()],
    }


def computation_record(config: Config, known: Cells, paper: str, computation: str) -> Record:
    """Return what a computation is made from."""
    entry = config["papers"][paper]["computations"][computation]
    return {
        "paper": paper,
        "computation": computation,
        "definition": entry,
        "sources": source_digest(registry.module("computation", entry["compute"], "compute")),
        "cells": [cell.record for name in entry["experiments"] for cell in known[paper, name].values()],
    }


def inputs(config: Config, known: Cells, paper: str, entry: Mapping[str, Any]) -> dict[str, str]:
    """Return the digests of the records of what a figure or a table shows, by file below the results folder."""
    made_from = {
        AGGREGATE.format(paper=paper, experiment=name): experiment_record(config, known, paper, name)
        for name in entry["experiments"]
    } | {
        COMPUTED.format(paper=paper, computation=name): computation_record(config, known, paper, name)
        for name in entry["computations"]
    }
    return {file: record_digest(record) for file, record in made_from.items()}


def figure_record(config: Config, known: Cells, file: FigureFile) -> Record:
    """Return what a figure is made from."""
    entry = config["papers"][file.paper]["figures"][file.figure]
    return {
        "paper": file.paper,
        "figure": file.figure,
        "version": file.version,
        "definition": entry,
        "sources": source_digest("dpbandits.pipeline.render", registry.module("figure", entry["draw"], "draw")),
        "inputs": inputs(config, known, file.paper, entry),
    }


def table_record(config: Config, known: Cells, paper: str, table: str) -> Record:
    """Return what a table is made from."""
    entry = config["papers"][paper]["tables"][table]
    return {
        "paper": paper,
        "table": table,
        "definition": entry,
        "sources": source_digest("dpbandits.pipeline.tabulate", registry.module("table", entry["make"], "make")),
        "inputs": inputs(config, known, paper, entry),
    }
