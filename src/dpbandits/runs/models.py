"""The configuration's keys: types, ranges, defaults and meanings. Nothing else says what a configuration may hold."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

MOST_RUNS = 10**7
LONGEST_HORIZON = 2**52

Label = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._=-]*$")]
PaperId = Annotated[str, Field(pattern=r"^[a-z0-9]+$")]


def _whole(value: Any) -> Any:
    """Return 2.0 as 2: to a reader of YAML both are whole numbers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Integer = Annotated[int, BeforeValidator(_whole)]
Runs_ = Annotated[Integer, Field(ge=2, le=MOST_RUNS)]
Horizon = Annotated[Integer, Field(ge=1, le=LONGEST_HORIZON)]
Budget = Annotated[float, Field(gt=0)]


class Model(BaseModel):
    """Keys that are not known are refused, values keep their types, and what is read is not changed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Folders(Model):
    """Where results go, relative to the working directory."""

    results: str = Field(
        "results", min_length=1, description="Folder of regret arrays, aggregates, computed tables and logs."
    )
    figures: str = Field("figures", min_length=1, description="Folder of figures and of the numbers they plot.")


class Audits(Model):
    """Audits of the privacy claims of all registered algorithms."""

    epsilons: list[Budget] = Field(
        [], description="Claimed budgets that are audited; without any there are no audits."
    )
    delta: float = Field(1e-6, gt=0, lt=1, description="The delta at which (epsilon, delta) claims are audited.")
    effort: float = Field(
        1.0, gt=0, le=1000, description="Runs that an audit may take, as a multiple of its algorithm's default."
    )
    confidence: float = Field(
        0.999, ge=0.5, lt=1, description="Confidence of a sampled bound, and so of a violation that it shows."
    )
    caption: str = Field(
        "Privacy losses shown by audits, exact ones and lower bounds from runs, beside the claimed budgets.",
        description="What is seen, below the table.",
    )


class Each(Model):
    """A number for each way of deciding."""

    batches: Runs_ = Field(10000, description="Runs of an algorithm that decides by batches.")
    rounds: Runs_ = Field(400, description="Runs of an algorithm that decides every round.")


class Blocks(Model):
    """Runs per job. Results do not depend on it; 1 is one job per seed."""

    batches: Annotated[Integer, Field(ge=1, le=10**9)] = Field(
        10000, description="Runs per job of an algorithm that decides by batches."
    )
    rounds: Annotated[Integer, Field(ge=1, le=10**9)] = Field(
        100, description="Runs per job of an algorithm that decides every round."
    )


class Environment(Model):
    """One environment; keys beside `kind` are the kind's parameters."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, allow_inf_nan=False)

    kind: str = Field(description="A kind of environment of `dpbandits list`.")

    @property
    def parameters(self) -> dict[str, Any]:
        """The kind's parameters."""
        return dict(self.model_extra or {})


class Algorithm(Model):
    """One algorithm with its parameters."""

    algorithm: str | None = Field(None, description="An algorithm of `dpbandits list`; the label by default.")
    parameters: dict[str, int | float | str] = Field(
        {}, description="Its parameters; those not given have the paper's values."
    )


class Experiment(Model):
    """One experiment: every algorithm in every environment at every budget."""

    environments: list[str] = Field(min_length=1, description="Labels of environments.")
    algorithms: list[str] = Field(min_length=1, description="Labels of algorithms.")
    epsilons: list[Budget] = Field(
        description="Privacy budgets, as a list or as a grid. Algorithms without privacy run once."
    )
    horizon: list[Horizon] = Field(
        min_length=1, description="T, the number of rounds; a list runs each of its horizons."
    )
    checkpoints: Annotated[Integer, Field(ge=1, le=10**6)] = Field(
        100,
        description="At how many rounds, at most, regret is recorded; geometrically spaced, 1 is the horizon alone.",
    )
    runs: Each | None = Field(None, description="Runs of each cell, if not the paper's.")


class Shown(Model):
    """What a figure or a table shows."""

    experiments: list[str] = Field([], description="Experiments whose aggregates it shows.")
    computations: list[str] = Field([], description="Computations that it shows.")
    options: dict[str, Any] = Field({}, description="Options of its kind.")
    caption: str = Field(description="What is seen, for readers.")


class Computation(Model):
    """One computation: exactly, or from the runs of experiments."""

    compute: str = Field(description="A computation of `dpbandits list`.")
    experiments: list[str] = Field([], description="Experiments whose runs it reads, if it reads runs.")
    parameters: dict[str, Any] = Field({}, description="Its parameters; those not given have their defaults.")


class Figure(Shown):
    """One figure."""

    draw: str = Field(description="A kind of figure of `dpbandits list`.")
    versions: list[Literal["published", "full"]] = Field(
        ["full"],
        min_length=1,
        description="Which runs to show, `published` (the paper's number of runs), `full`, or both; one file each.",
    )


class Table(Shown):
    """One table."""

    make: str = Field(description="A kind of table of `dpbandits list`.")


class Paper(Model):
    """One paper."""

    title: str = Field(description="The paper's title; by default that of `papers/<paper>/`.")
    published_runs: Runs_ = Field(
        20,
        description="Runs behind the paper's own figures; the first that many of each cell are the published version.",
    )
    runs: Each = Field(Each(), description="Runs of each cell in the full set.")
    environments: dict[Label, Environment] = Field(
        {}, description="Environments by label, each with its kind and that kind's parameters."
    )
    algorithms: dict[Label, Algorithm] = Field(
        {}, description="Algorithms by label; a label without `algorithm` names one itself."
    )
    experiments: dict[Label, Experiment] = Field({}, description="Simulated experiments by id.")
    computations: dict[Label, Computation] = Field({}, description="Results beyond aggregates by id.")
    figures: dict[Label, Figure] = Field({}, description="Figures by id.")
    tables: dict[Label, Table] = Field({}, description="Tables by id.")
    claims: str | None = Field(
        None, description="File of the paper's claims; `config/<paper>/claims.yaml` where it is."
    )
    discrepancies: str | None = Field(
        None,
        description="File of what the register says of the paper; `config/<paper>/discrepancies.yaml` where it is.",
    )


class Config(Model):
    """What the pipeline runs."""

    root_seed: Annotated[Integer, Field(ge=0, le=2**64 - 1)] = Field(
        0,
        description="Root seed of all random streams. A run's stream depends on it, on what the run computes and on the run's number, and on nothing else.",
    )
    folders: Folders = Field(Folders(), description="Where results go, relative to the working directory.")
    confidence: float = Field(0.95, gt=0.5, lt=1, description="Confidence level of the intervals of means.")
    level: float = Field(
        0.05,
        gt=0,
        lt=0.5,
        description="The chance of any false decision among all parts of a paper's claims is at most this (Holm's correction).",
    )
    privacy: Audits = Field(Audits(), description="Audits of the privacy claims of all registered algorithms.")
    seeds_per_job: Blocks = Field(Blocks(), description="Runs per job, one number or one for each way of deciding.")
    threads: Annotated[Integer, Field(ge=1, le=1024)] = Field(
        1, description="Threads of one job, which share its runs. Results do not depend on it."
    )
    papers: dict[PaperId, Paper] = Field(min_length=1, description="The replicated papers, by their ids.")
