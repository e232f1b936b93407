"""The configuration's keys: types, ranges, defaults and meanings. Nothing else says what a configuration may hold.

`dpbandits.runs.config` reads files into these models and says what is wrong in the words of a person;
tools/config_readme.py makes config/README.md from them. A cell is an algorithm in one environment at one budget and
horizon. The full set of its runs is the version ``full``; the version ``published`` has the first of them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    WithJsonSchema,
    model_validator,
)

from dpbandits.core.errors import BadInput
from dpbandits.core.fields import MOST_ROOT_SEED
from dpbandits.core.mathematics import power
from dpbandits.runs.values import (
    LARGEST_JOB,
    LONGEST_HORIZON,
    Budget,
    Distinct,
    Given,
    Horizon,
    JobSize,
    Label,
    Model,
    Names,
    NumberOrText,
    PaperId,
    RunCount,
    Text,
    Whole,
    empty,
    left_out,
    listed,
)

# Of budgets, in words.
LIST_OR_GRID = "a list of numbers > 0, or a grid {first, last, number}"


def _budgets(value: object) -> object:
    """Return the budgets of a grid; a list is returned as it is."""
    if isinstance(value, dict) and {"first", "last", "number"} <= set(value):
        return Grid.model_validate(value).budgets
    if not isinstance(value, list):
        raise BadInput((), value, LIST_OR_GRID)
    return value


class Grid(Model):
    """A grid of privacy budgets, at equal distances or at equal ratios."""

    first: Budget = Field(description="Smallest budget.")
    last: Budget = Field(description="Largest budget.")
    number: Annotated[int, Field(ge=2, le=10000), Whole] = Field(description="How many, both ends included.")
    spacing: Literal["even", "geometric"] = Field("even", description="How they are spaced.")

    @property
    def budgets(self) -> list[float]:
        """The budgets of the grid, rounded to as many digits as a person would write.

        `BadInput` is raised if ``last`` is not above ``first``, or if rounding makes two of them equal.
        """
        first, last, steps = self.first, self.last, self.number - 1
        if not first < last:
            raise BadInput("last", last, f"a number > {first:g}, the first")
        if self.spacing == "geometric":
            # From 0.0001 to 1 such a grid has 0.01 and not 0.010000000000000002.
            grid = [float(f"{first * power(last / first, i / steps):.6g}") for i in range(steps + 1)]
        else:
            # From 0.01 to 1 such a grid has 0.07 and not 0.06999999999999999.
            grid = [round(first + (last - first) * i / steps, 12) for i in range(steps + 1)]
        if len(set(grid)) < len(grid):
            raise BadInput("number", self.number, f"fewer budgets from {first:g} to {last:g}")
        return grid


Budgets = Annotated[
    list[Budget],
    BeforeValidator(_budgets),
    Distinct,
    WithJsonSchema(
        {"type": ["array", "grid"], **{key: Grid.model_json_schema()[key] for key in ("properties", "required")}}
    ),
]
Horizons = Annotated[
    list[Horizon],
    BeforeValidator(listed),
    Distinct,
    WithJsonSchema({"type": ["integer", "array"], "minimum": 1, "maximum": LONGEST_HORIZON}),
]


class Folders(Model):
    """Where results go, from the working directory on; DPBANDITS_OUTSIDE must name a folder outside of it."""

    results: Text = Field("results", description="Folder of regret arrays, aggregates, computed tables and logs.")
    figures: Text = Field("figures", description="Folder of figures and of the numbers they plot.")


class Audits(Model):
    """Audits of the privacy claims of all registered algorithms."""

    epsilons: Annotated[list[Budget], Distinct] = Field(
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


class ByDecision(Model):
    """A number for algorithms that decide by batches, and one for those that decide in every round."""

    batches: int
    rounds: int

    def of(self, decides: Literal["batches", "rounds"]) -> int:
        """Return the number for algorithms that decide by batches, or in every round."""
        return self.batches if decides == "batches" else self.rounds


class RunsPerCell(ByDecision):
    """Number of runs of each cell (an algorithm in one environment at one budget and horizon) in the full set."""

    batches: RunCount = Field(10000, description="Runs of an algorithm that decides by batches.")
    rounds: RunCount = Field(400, description="Runs of an algorithm that decides every round.")


class OwnRunsPerCell(ByDecision):
    """Number of runs of an experiment's cells, each an algorithm in one environment at one budget and horizon."""

    batches: RunCount = Field(description="Runs of an algorithm that decides by batches.")
    rounds: RunCount = Field(description="Runs of an algorithm that decides every round.")


class RunsPerJob(ByDecision):
    """Number of runs that a job simulates: one number, or one for each way in which algorithms decide."""

    model_config = ConfigDict(
        json_schema_extra={"type": ["integer", "object"], "minimum": 1, "maximum": LARGEST_JOB}
    )

    batches: JobSize = Field(10000, description="Runs per job of an algorithm that decides by batches.")
    rounds: JobSize = Field(100, description="Runs per job of an algorithm that decides every round.")
    experiments: dict[str, JobSize] = Field(
        {},
        exclude_if=empty,
        description="Runs per job of single experiments in place of these, by `paper/experiment`.",
    )

    def of_experiment(self, paper: str, experiment: str, decides: Literal["batches", "rounds"]) -> int:
        """Return the runs per job in an experiment of a paper, for algorithms that decide as ``decides`` says."""
        return self.experiments.get(f"{paper}/{experiment}", self.of(decides))

    @model_validator(mode="before")
    @classmethod
    def _one_number_for_both(cls, given: object) -> object:
        if isinstance(given, int | float) and not isinstance(given, bool):
            return {"batches": given, "rounds": given}
        if not isinstance(given, dict | RunsPerJob):
            raise BadInput((), given, "an integer or a mapping")
        return given


class Environment(Model):
    """One environment; keys beside `kind` are the kind's parameters."""

    model_config = ConfigDict(extra="allow")

    kind: str = Field(description="A kind of environment of `dpbandits list`.")

    @property
    def data(self) -> dict[str, object]:
        """The key ``kind`` and the other keys as they are given; only the kind's declaration can check these."""
        return {"kind": self.kind, **(self.model_extra or {})}


class Algorithm(Model):
    """One algorithm with its parameters."""

    algorithm: Annotated[str | None, Given] = Field(
        None, exclude_if=left_out, description="An algorithm of `dpbandits list`; the label by default."
    )
    parameters: dict[str, NumberOrText] = Field(
        {},
        description=(
            "Its parameters by name; those not given have the paper's values. Each is a number in the range that "
            "`dpbandits list NAME` prints; of an algorithm that runs another one, `base` is that one's name."
        ),
    )


class Experiment(Model):
    """One experiment: every algorithm in every environment at every budget and horizon."""

    environments: Names = Field(min_length=1, description="Labels of environments or families.")
    algorithms: Names = Field(min_length=1, description="Labels of algorithms or families.")
    epsilons: Budgets = Field(
        description="Privacy budgets, as a list or as a grid. Algorithms without privacy run once."
    )
    horizon: Horizons = Field(
        min_length=1, description="T, the number of rounds; a list runs each of its horizons."
    )
    checkpoints: Annotated[int, Field(ge=1, le=10**6), Whole] = Field(
        100,
        description=(
            "At how many rounds, at most, regret is recorded; geometrically spaced, 1 is the horizon alone."
        ),
    )
    runs: Annotated[OwnRunsPerCell | None, Given] = Field(
        None, exclude_if=left_out, description="Runs of each cell, if not the paper's."
    )


class Computation(Model):
    """One computation, done exactly or from the runs of experiments."""

    compute: str = Field(description="A computation of `dpbandits list`.")
    experiments: Names = Field([], description="Experiments whose runs it reads, if it reads runs.")
    parameters: dict[str, Any] = Field({}, description="Its parameters; those not given have their defaults.")


class Exhibit(Model):
    """Keys that figures and tables share: what is shown, with which options, and the caption."""

    experiments: Names = Field([], description="Experiments whose aggregates it shows.")
    computations: Names = Field([], description="Computations that it shows.")
    options: dict[str, Any] = Field({}, description="Options of its kind.")
    caption: str = Field(description="What is seen, for readers.")

    def caption_of(self, _: str) -> str:
        """Return the caption; a table has only one version."""
        return self.caption


class Figure(Exhibit):
    """One figure."""

    draw: str = Field(description="A kind of figure of `dpbandits list`.")
    versions: Annotated[list[Literal["published", "full"]], Distinct] = Field(
        ["full"],
        min_length=1,
        description="Which runs to show, `published` (the paper's number of runs), `full`, or both; one file each.",
    )
    published_caption: str = Field(
        "",
        exclude_if=empty,
        description="What is seen with the paper's number of runs, if that is something else.",
    )

    def caption_of(self, version: str) -> str:
        """Return the caption of a version, ``"published"`` or ``"full"``."""
        return (self.published_caption if version == "published" else "") or self.caption


class Table(Exhibit):
    """One table, of all runs."""

    make: str = Field(description="A kind of table of `dpbandits list`.")


CompanionFile = Annotated[str | None, Given]


def _beside(what: str, name: str) -> Any:
    """Return the key for a file of a paper that lies beside its experiments."""
    said = f"File of the paper's {what}; `{name}` beside the paper's `experiments.yaml` by default."
    return Field(None, exclude_if=left_out, description=said)


class Paper(Model):
    """One replicated paper: its environments, algorithms, experiments, computations, figures and tables."""

    title: str = Field(
        description="The paper's title; that of `src/dpbandits/papers/<paper>/` if there is such a package."
    )
    authors: str = Field("", description="Its authors, likewise.")
    year: str = Field("", description="The year of its version that is replicated, likewise.")
    published_runs: RunCount = Field(
        20,
        description=(
            "Runs behind the paper's own figures; the first that many of each cell are the published version."
        ),
    )
    runs: RunsPerCell = Field(RunsPerCell(), description="Runs of each cell in the full set.")
    environments: dict[Label, Environment] = Field(
        {}, description="Environments by label, or families, each with its kind and that kind's parameters."
    )
    algorithms: dict[Label, Algorithm] = Field(
        {}, description="Algorithms by label, or families; a label without `algorithm` names one itself."
    )
    experiments: dict[Label, Experiment] = Field(
        {}, description="Experiments by id: every algorithm in every environment at every budget."
    )
    computations: dict[Label, Computation] = Field(
        {}, description="Results beyond aggregates by id, computed exactly or from the runs of experiments."
    )
    figures: dict[Label, Figure] = Field({}, description="Figures by id.")
    tables: dict[Label, Table] = Field({}, description="Tables by id.")
    claims: CompanionFile = _beside("claims", "claims.yaml")
    discrepancies: CompanionFile = _beside("part of the register", "discrepancies.yaml")
    words: CompanionFile = _beside("words", "paper.yaml")

    def runs_of(self, experiment: str) -> ByDecision:
        """Return the numbers of runs per cell of an experiment: the experiment's own, or else the paper's.

        ``batches`` is the number for algorithms that decide by batches, ``rounds`` that for all others.
        """
        return self.experiments[experiment].runs or self.runs

    def algorithm(self, label: str) -> str:
        """Return the algorithm that ``label`` in ``algorithms`` names, or else the label: ``"dp-imed"``, say."""
        return self.algorithms[label].algorithm or label


class Config(Model):
    """Configuration of the whole workflow."""

    root_seed: Annotated[int, Field(ge=0, le=MOST_ROOT_SEED), Whole] = Field(
        0,
        description=(
            "Root seed of all random streams. A run's stream depends on it, on what the run computes and on the "
            "run's number, and on nothing else."
        ),
    )
    folders: Folders = Field(Folders(), description="Where results go, relative to the working directory.")
    confidence: float = Field(0.95, gt=0.5, lt=1, description="Confidence level of the intervals of means.")
    level: float = Field(
        0.05,
        gt=0,
        lt=0.5,
        description=(
            "The chance of any false decision among all parts of a paper's claims is at most this (Holm's "
            "correction)."
        ),
    )
    privacy: Audits = Field(Audits(), description="Audits of the privacy claims of all registered algorithms.")
    seeds_per_job: RunsPerJob = Field(
        RunsPerJob(),
        description=(
            "Runs per job, one number or one for each way of deciding. Results do not depend on it; 1 is one job "
            "per seed."
        ),
    )
    threads: Annotated[int, Field(ge=1, le=1024), Whole] = Field(
        1, description="Threads of one job, which share its runs. Results do not depend on it."
    )
    papers: dict[PaperId, Paper] = Field(min_length=1, description="The replicated papers, by their ids.")
    # What stood behind ``--configfile``: said in commands, and no part of any result.
    _configfiles: tuple[str, ...] = PrivateAttr(())

    @property
    def configfiles(self) -> tuple[str, ...]:
        """Paths of files that were laid over the shipped ones, such as ``config/small.yaml``."""
        return self._configfiles

    def note_configfiles(self, configfiles: tuple[str, ...]) -> None:
        """Note the paths of the files that were laid over the shipped ones, such as ``config/small.yaml``."""
        self._configfiles = configfiles
