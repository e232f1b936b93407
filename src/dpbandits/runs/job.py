"""Simulate one job: runs of one algorithm, in one environment, at one budget."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpbandits.core import registry
from dpbandits.core.algorithm import Resolved
from dpbandits.core.environment import Problem
from dpbandits.core.errors import BadInput, BrokenFile, DamagedFile, in_source, within
from dpbandits.core.fields import MOST_ROOT_SEED, Parameters, Tuning, Value, Values, whole
from dpbandits.core.files import Json, read_arrays, write_arrays
from dpbandits.core.provenance import module_path, package_versions, replaced_values, source_digest
from dpbandits.core.recording import Runs, checkpoints, part
from dpbandits.core.streams import number_of, streams

# Counts are exact in double precision up to here.
LONGEST_HORIZON = 2**52
# Looked up when this is imported, which jobs that start warm need not do.
VERSIONS = package_versions()


@dataclass(frozen=True)
class Job:
    """Checked definition of runs: algorithm, environment, budget and horizon, with root seed and checkpoints.

    Attributes
    ----------
    algorithm, parameters
        Name of the algorithm, and all its parameters by name.
    environment
        ``{"kind": ...}`` and its parameters.
    epsilon
        Privacy budget, or ``None`` without privacy.
    horizon
        Number T of rounds.
    checkpoints
        Number of rounds at which regret is recorded, at most.
    root_seed
        Root seed of all random streams.
    notes
        Sentences on defaults whose formulas exceed their range.
    """

    algorithm: str
    parameters: Mapping[str, Value]
    environment: Parameters
    epsilon: float | None
    horizon: int
    checkpoints: int
    root_seed: int
    notes: tuple[str, ...] = ()

    @functools.cached_property
    def definition(self) -> Json:
        """JSON data that decide a run, together with the root seed and the run's number.

        Keys are ``algorithm, parameters, environment, epsilon, horizon``. Checkpoints are no part, nor any name
        that a configuration gives: the same run by hand and in the pipeline has the same stream.
        """
        return {
            "algorithm": self.algorithm,
            "parameters": dict(self.parameters),
            "environment": dict(self.environment),
            "epsilon": self.epsilon,
            "horizon": self.horizon,
        }

    @functools.cached_property
    def identity(self) -> str:
        """The definition as JSON text with sorted keys."""
        return json.dumps(self.definition, sort_keys=True)

    @functools.cached_property
    def record(self) -> Json:
        """The data that determine the job's runs: ``job`` (the definition), ``root_seed``, ``sources`` (digest)."""
        return {"job": self.definition, "root_seed": self.root_seed, "sources": self.sources}

    @functools.cached_property
    def modules(self) -> tuple[str, ...]:
        """The full names of the modules that make the job's runs: of simulation, algorithms and environment."""
        algorithms = [self.algorithm]
        if registry.algorithm(self.algorithm).wraps is not None:
            algorithms.append(str(self.parameters["base"]))
        return (
            __name__,
            *(registry.module("algorithm", name) for name in algorithms),
            registry.module("environment", self.environment["kind"]),
        )

    @functools.cached_property
    def sources(self) -> str:
        """The digest, 16 hexadecimal digits, of the sources that can influence the job's result."""
        return source_digest(*self.modules)


def refuse_replaced(job: Job) -> None:
    """Raise `BrokenFile` if this process replaced a value in one of the modules that make the job's runs.

    A file of these runs would name sources that did not make them. ``module.CONSTANT = 5`` replaces a value.
    """
    if names := replaced_values(*job.modules):
        file = str(module_path(registry.module("algorithm", job.algorithm)))
        what = f"this process replaced {', '.join(names)}, so no source says what runs"
        raise BrokenFile(file, 0, f"{what}; start Python again, or write no file")


class ConfiguredEnvironment:
    """An environment, checked once for all jobs in it.

    ``declared`` is its declaration, ``setting`` the setting's name, ``parameters`` the checked ones with ``kind``.

    Parameters
    ----------
    environment
        ``{"kind": ...}`` and its parameters, as a person gave them.
    root_seed
        Root seed, by which a random instance's number is replaced by one that both decide; ``None`` leaves it.

    Raises
    ------
    BadInput
        If the kind is unknown, or a parameter not what the kind takes.
    """

    def __init__(self, environment: Parameters, root_seed: int | None = None) -> None:
        kind = environment.get("kind")
        with within("kind"):
            self.declared = registry.environment(kind)
        self.setting = registry.setting("environment", kind)
        rest = {key: value for key, value in environment.items() if key != "kind"}
        self.parameters = {"kind": kind, **self.declared.check(rest)}
        if root_seed is not None and (key := self.declared.instance):
            self.parameters[key] = number_of(root_seed, f"instance {self.parameters[key]}")
        self._known = self.declared.tuning(self.parameters, 1, None)

    @property
    def arms(self) -> int:
        """The number K of arms."""
        return self._known.arms

    def tuning(self, horizon: int, epsilon: float | None) -> Tuning:
        """Return the facts on which an algorithm's tuned constants may depend: T, K, N, the budget and others."""
        return self._known._replace(horizon=horizon, epsilon=epsilon)


class ConfiguredAlgorithm:
    """An algorithm with the parameters that a person gave, resolved once for each tuning (T, K, budget and so on).

    ``declared`` is its declaration, ``name`` its name, ``setting`` that of its setting.

    Parameters
    ----------
    algorithm, parameters
        Name of the algorithm, and the parameters that a person gave, by name.

    Raises
    ------
    BadInput
        If there is no such algorithm.
    """

    def __init__(self, algorithm: object, parameters: Values) -> None:
        self.declared = registry.algorithm(algorithm)
        self.name = str(algorithm)
        self.setting = registry.setting("algorithm", algorithm)
        self._parameters = parameters
        self._resolved: dict[tuple[object, ...], Resolved] = {}

    def resolved(self, tuning: Tuning) -> Resolved:
        """Return all parameters, checked, with the defaults that ``tuning`` gives; or raise `BadInput`."""
        key = (*tuning[:-1], *tuning.facts.items())
        if key not in self._resolved:
            with within("parameters"):
                self._resolved[key] = self.declared.resolve(self._parameters, tuning)
        return self._resolved[key]

    def job(
        self, environment: ConfiguredEnvironment, epsilon: object, horizon: int, checkpoints: int, root_seed: int
    ) -> Job:
        """Return the job of this algorithm in an environment, checked.

        Parameters
        ----------
        environment
            The environment, of this algorithm's setting.
        epsilon
            Privacy budget, > 0; ``None`` for an algorithm without privacy.
        horizon, checkpoints, root_seed
            Number T of rounds, >= 1, largest number of recorded rounds, and root seed of all random streams.

        Raises
        ------
        BadInput
            If the environment is of another setting, or a value is out of its range.
        """
        if environment.setting != self.setting:
            kind = environment.parameters["kind"]
            kinds = [
                each
                for each in registry.modules("environment")
                if registry.setting("environment", each) == self.setting
            ]
            allowed = f"an environment of the {self.setting} setting, as {self.name} is: {', '.join(kinds)}"
            raise BadInput(("environment", "kind"), kind, allowed)
        with within("epsilon"):
            budget = self.declared.check_epsilon(epsilon)
        values, notes = self.resolved(environment.tuning(horizon, budget))
        return Job(
            algorithm=self.name,
            parameters=values,
            environment=environment.parameters,
            epsilon=budget,
            horizon=horizon,
            checkpoints=checkpoints,
            root_seed=root_seed,
            notes=notes,
        )


def make_job(
    algorithm: object,
    parameters: Values,
    environment: Parameters,
    epsilon: object,
    horizon: int,
    checkpoints: int,
    root_seed: int,
) -> Job:
    """Return a checked job, the definition of an algorithm's runs in an environment; errors name the argument.

    Parameters
    ----------
    algorithm, parameters
        Name of the algorithm, and parameters by name; those not given have their defaults.
    environment, epsilon
        ``{"kind": ...}`` with the kind's parameters, and the budget, > 0, or ``None`` without privacy.
    horizon, checkpoints, root_seed
        T, from 1 to 2^52, largest number of recorded rounds, >= 1, and root seed, from 0 to 2^64 - 1.

    Raises
    ------
    BadInput
        If a value is unknown or out of range, or algorithm and environment are of different settings.
    """
    horizon = whole("horizon", horizon, 1, LONGEST_HORIZON, f"an integer from 1 to 2**52 = {LONGEST_HORIZON}")
    checkpoints = whole("checkpoints", checkpoints, 1, sys.maxsize, "an integer >= 1")
    root_seed = whole(
        "root_seed", root_seed, 0, MOST_ROOT_SEED, f"an integer from 0 to 2**64 - 1 = {MOST_ROOT_SEED}"
    )
    with within("algorithm"):
        player = ConfiguredAlgorithm(algorithm, parameters)
    with within("environment"):
        checked = ConfiguredEnvironment(environment)
    return player.job(checked, epsilon, horizon, checkpoints, root_seed)


def prepare(job: Job, run_numbers: range, kept: int = 0) -> tuple[Runs, Problem]:
    """Return unfilled runs of these numbers, and their problem; runs keep the actions of ``kept`` first rounds."""
    numbers = np.arange(run_numbers.start, run_numbers.stop, dtype=np.int64)
    environment = registry.environment(job.environment["kind"])
    tuning = environment.tuning(job.environment, job.horizon, job.epsilon)
    problem: Problem = environment.problem(job.environment, tuning)
    states = streams(job.root_seed, job.identity, numbers)
    return problem.runs(states, checkpoints(job.horizon, job.checkpoints), kept), problem


def fill(job: Job, runs: Runs, problem: Problem) -> None:
    """Play ``runs``, all or a part of those of `prepare`, on their ``problem``: fill in their regret and pulls."""
    budget = {} if job.epsilon is None else {"epsilon": job.epsilon}
    with in_source(str(module_path(registry.module("algorithm", job.algorithm)))):
        registry.algorithm(job.algorithm).simulate(runs, problem, **job.parameters, **budget)


def run(job: Job, run_numbers: range, threads: int = 1, report: Callable[[int], None] = lambda _: None) -> Runs:
    """Simulate runs of a job, and return them with their results.

    `BadInput` is raised if regret is not finite, or pulls do not sum to T (with experts: if they sum to more).

    Parameters
    ----------
    job, run_numbers
        The job to simulate, and the numbers of its runs.
    threads
        Number of threads that share the runs, >= 1; the result does not depend on it.
    report
        Function that is called, now and then, with the number of finished runs.

    Returns
    -------
    Runs
        One run for each number in ``run_numbers``, in their order.
    """
    runs, problem = prepare(job, run_numbers)

    def simulate(first: int, last: int) -> None:
        fill(job, part(runs, first, last), problem)

    # Runs are cut into pieces for progress and to keep threads evenly busy; no result depends on the cut.
    share = max(1, -(-len(run_numbers) // threads))
    piece = max(-(-share // 50), min(share, registry.algorithm(job.algorithm).lanes))
    starts = range(0, len(run_numbers), piece)
    ends = [min(first + piece, len(run_numbers)) for first in starts]
    if threads == 1:
        for first, last in zip(starts, ends, strict=True):
            simulate(first, last)
            report(last)
    else:
        from joblib import Parallel, delayed

        # Kernels release the GIL, so threads do; processes would start Python once more each. Runs are filled in
        # place, so a backend that a caller has chosen for cells does not share them.
        shared = Parallel(n_jobs=threads, require="sharedmem", return_as="generator")
        for last, _ in zip(ends, shared(map(delayed(simulate), starts, ends)), strict=True):
            report(last)
    _check_account(job, runs)
    return runs


def _check_account(job: Job, runs: Runs) -> None:
    """Refuse runs whose pulls do not sum to T, or whose regret is no number.

    Pulls of experts may sum to less: exploration follows none.
    """
    environment = registry.environment(job.environment["kind"])
    experts = environment.tuning(job.environment, job.horizon, job.epsilon).experts
    total = runs.pulls.sum(axis=1)
    # Followed experts are counted in expectation, and each count is rounded, by at most half a round.
    wrong = total > job.horizon + experts if experts else total != job.horizon
    if wrong.any():
        pulls = total[int(np.argmax(wrong))]
        raise BadInput("algorithm", job.algorithm, f"one whose pulls sum to T = {job.horizon}; they sum to {pulls}")
    if not np.isfinite(runs.regret).all():
        raise BadInput("algorithm", job.algorithm, "one whose regret is a finite number at every checkpoint")


def run_to_file(job: Job, run_numbers: range, output: Path, threads: int = 1) -> None:
    """Simulate runs, and write them to an npz file as `write_runs` does: regret, pulls and so on.

    Parameters
    ----------
    job, run_numbers, output
        The job to simulate, the numbers of its runs, and the npz file to write.
    threads
        Number of threads that share the runs; results do not depend on it.
    """
    write_runs(job, run_numbers, run(job, run_numbers, threads), output)


def refuse_overwriting(job: Job, run_numbers: range, output: Path) -> None:
    """Raise `BadInput` if the file ``output`` exists, and holds anything but ``job``'s runs of these numbers."""
    if not output.is_file():
        return
    try:
        arrays, metadata = read_arrays(output)
        same = metadata["job"] == job.definition and metadata["root_seed"] == job.root_seed
        same = same and arrays["seeds"].tolist() == list(run_numbers)
    except (DamagedFile, OSError, LookupError, AttributeError):
        same = False
    if not same:
        raise BadInput("output", str(output), "a file that is not there yet, or holds the same runs")


def write_runs(job: Job, run_numbers: range, runs: Runs, output: Path) -> None:
    """Write simulated runs as npz: ``regret``, ``rounds``, ``pulls``, ``seeds``, ``parameters`` and metadata.

    Shapes are (runs, checkpoints), (checkpoints,) for the recorded rounds, (runs, arms), and (runs,) for the run
    numbers, ``seeds``; ``parameters`` is a JSON text.

    Parameters
    ----------
    job, run_numbers, output
        The job, the numbers of its runs, and the npz file to write.
    runs
        The simulated runs, one for each number in ``run_numbers``.

    Raises
    ------
    BrokenFile
        If this process replaced a value of the job's sources.
    """
    refuse_replaced(job)
    write_arrays(
        output,
        {
            "regret": runs.regret,
            "rounds": runs.rounds,
            "pulls": runs.pulls,
            "seeds": np.arange(run_numbers.start, run_numbers.stop, dtype=np.int64),
            "parameters": np.array(json.dumps(dict(job.parameters), sort_keys=True)),
        },
        {**job.record, "notes": list(job.notes), "versions": VERSIONS},
    )
