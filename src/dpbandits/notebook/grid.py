"""Grids: many algorithms in many environments at many budgets, shared by joblib among cores or machines."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpbandits.calls import check_call
from dpbandits.core import registry
from dpbandits.core.arguments import MEANS, is_list, path, run_numbers
from dpbandits.core.errors import BadInput, Keys, MissingExtra, called, within
from dpbandits.core.fields import Parameters, whole
from dpbandits.core.provenance import replaced_values
from dpbandits.notebook import cells, published
from dpbandits.notebook.cells import Cell
from dpbandits.notebook.grid_results import Grid as Grid
from dpbandits.notebook.memory import refuse_too_many
from dpbandits.notebook.simulated import Simulated
from dpbandits.runs.job import ConfiguredEnvironment, Job, make_job

# What a caller may give for an algorithm: its name, the name with parameters, or a policy in plain Python.
AlgorithmOrPolicy = str | tuple[str, Mapping[str, Any]] | Callable[..., Any]
# Times that cells of a worker that died are tried again.
TRIES = 3


@check_call
def grid(
    algorithms: Sequence[AlgorithmOrPolicy] | str,
    *,
    environments: Mapping[str, Parameters | Sequence[float]] | Sequence[str],
    horizon: int,
    epsilons: Sequence[float | None] = (None,),
    runs: int | Sequence[int] = 100,
    checkpoints: int = 200,
    root_seed: int = 0,
    n_jobs: int = -1,
    cache: str | Path | bool = True,
    progress: bool | None = None,
) -> Grid:
    """Simulate algorithms in environments at budgets, shared among cores.

    A cell is the runs of one algorithm in one environment at one budget.

    Parameters
    ----------
    algorithms
        Names of ``dpbandits list``, or one name; names with parameters as ``("dp-imed", {"n0": 40})``; or policies
        in plain Python: a class whose instances have ``choose()`` and ``update(arm, reward)``, or a function that
        makes such an instance. Class or function is called with those of ``arms, epsilon, horizon, rng`` that its
        signature has. Policies in plain Python are slow, not kept in the cache, and for Bernoulli bandits and
        tables of rewards alone.
    environments
        Environments by labels of your own: means of a Bernoulli bandit, ``{"kind": ...}``, or `dpbandits.rewards`.
        Or names of environments of the papers, such as ``["mu1", "mu2"]``.
    horizon
        Number T of rounds of each run.
    epsilons
        Privacy budgets. Algorithms without privacy run once in each environment.
    runs
        Number of runs of each cell, or run numbers, >= 0 without gaps.
    checkpoints, root_seed
        Number of rounds at which regret is recorded, at most, and seed of all random streams. A cell of a named
        algorithm has the bytes of `dpbandits.simulate` with the same arguments.
    n_jobs
        Number of cells at once; -1 for all cores. ``joblib.parallel_config(backend="loky")``, ``"dask"`` or
        ``"ray"`` around the call takes other processes or machines; results do not depend on it. With Ray there is
        no bar.
    cache
        Whether to keep cells in the user's cache folder, or a folder of your own. Cells that are kept there are
        read, not simulated again. At most 2 GB are kept.
    progress
        Whether to show a bar with the time left; by default, on a terminal and in a notebook.

    Returns
    -------
    Grid
        Runs of all cells, with tables, comparisons and a plot; after Ctrl-C, of those that were finished.

    Raises
    ------
    BadInput
        For an unknown name, or a value out of range, before anything runs. Also if a policy in plain Python raises
        an error or chooses no arm.
    MissingExtra
        If ``progress`` is true, and tqdm is not installed.
    ChangedSources
        If a worker has imported other sources of this package than this process.
    """
    asked = plan_cells(algorithms, environments, epsilons, horizon, runs, checkpoints, root_seed)
    place = cells.folder() if cache is True else None if cache is False else path("cache", cache)
    names = {name for cell in asked if cell.maker is None for name in replaced_values(*cell.job.modules)}
    if place is not None and names:
        print(f"nothing is kept: {', '.join(sorted(names))} was replaced in this process", file=sys.stderr)
        place = None
    if place is not None and place.exists() and not place.is_dir():
        raise BadInput("cache", str(place), "a folder")
    jobs = "a number of cores, or -1 for all"
    n_jobs = whole("n_jobs", n_jobs, -1024, 1024, jobs)
    if n_jobs == 0:
        raise BadInput("n_jobs", 0, jobs)
    done: dict[int, cells.Arrays] = {}
    try:
        for index, arrays in _with_progress_bar(_compute_all(asked, place, n_jobs), len(asked), progress):
            done[index] = arrays  # noqa: PERF403 (what is done stays, after Ctrl-C)
    except KeyboardInterrupt:
        print(f"stopped: {len(done)} of {len(asked)} cells are finished", file=sys.stderr)
    if place is not None:
        cells.bound_cache(place)
    finished = [asked[index] for index in sorted(done)]
    results = [
        Simulated(regret, rounds, pulls, _seeds(cell), cell.job.definition)
        for cell, (regret, rounds, pulls) in zip(finished, (done[index] for index in sorted(done)), strict=True)
    ]
    return Grid(results, finished, len(asked) - len(done))


def _seeds(cell: Cell) -> Any:
    import numpy as np

    return np.arange(cell.seeds.start, cell.seeds.stop, dtype=np.int64)


def _compute_indexed(index: int, cell: Cell, cache: Path | None, code: list[str]) -> tuple[int, cells.Arrays]:
    cells.check_worker(cell, code)
    return index, cells.compute_cell(cell, cache)


def _compute_all(
    cells_to_compute: Sequence[Cell], cache: Path | None, n_jobs: int
) -> Iterator[tuple[int, cells.Arrays]]:
    """Yield cells as they are finished. Those of a worker that died are tried again, with what is left."""
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool
    from joblib.parallel import get_active_backend

    # Kernels release the GIL, so threads do; policies in plain Python hold it.
    hint = "processes" if any(cell.maker is not None for cell in cells_to_compute) else "threads"
    # Ray's backend tells nothing before all is finished.
    backend, _ = get_active_backend(prefer=hint)
    told = "generator_unordered" if backend.supports_return_generator else "list"
    waiting = dict(enumerate(cells_to_compute))
    for tries in itertools.count(1):
        try:
            parallel = Parallel(n_jobs=n_jobs, prefer=hint, return_as=told)
            for index, arrays in parallel(
                delayed(_compute_indexed)(index, cell, cache, cells.code_of(cell))
                for index, cell in list(waiting.items())
            ):
                del waiting[index]
                yield index, arrays
            return
        except BrokenProcessPool:
            if tries == TRIES:
                raise
            print(f"a worker died; {len(waiting)} cells are tried again", file=sys.stderr)


def _with_progress_bar(
    finished: Iterator[tuple[int, cells.Arrays]], total: int, progress: bool | None
) -> Iterator[tuple[int, cells.Arrays]]:
    """Yield finished cells as they come, and show a progress bar if one is wanted and tqdm is installed."""
    try:
        from tqdm.auto import tqdm
    except ModuleNotFoundError:
        if progress:
            raise MissingExtra("A bar", "tqdm", "notebook") from None
        yield from finished
        return
    # None: not where standard error is a file.
    yield from tqdm(finished, total=total, unit="cell", disable=None if progress is None else not progress)


def plan_cells(
    algorithms: Sequence[AlgorithmOrPolicy] | str,
    environments: Mapping[str, Parameters | Sequence[float]] | Sequence[str],
    epsilons: Sequence[float | None],
    horizon: int,
    runs: int | Sequence[int],
    checkpoints: int = 200,
    root_seed: int = 0,
) -> list[Cell]:
    """Return the cells of a grid in order of environments, algorithms and budgets, or raise `BadInput`.

    An algorithm without privacy, or a policy whose maker takes no ``epsilon``, has one cell in an environment. Runs
    that do not fit into memory are refused.

    Parameters
    ----------
    algorithms, environments
        Names, names with parameters, or policies in plain Python; environments by label, or names of environments
        of the papers.
    epsilons, horizon, runs
        Privacy budgets, number T of rounds, and number of runs of each cell, or run numbers without gaps.
    checkpoints, root_seed
        Number of rounds at which regret is recorded, at most, and seed of all random streams.
    """
    seeds = run_numbers(runs)
    asked: list[Cell] = []
    algorithms = [algorithms] if isinstance(algorithms, str) else algorithms
    algorithms = _distinct_list("algorithms", algorithms, "a list of names, names with parameters, or policies")
    epsilons = _distinct_list("epsilons", epsilons, "a list of budgets, as [0.3, 1.0]")
    for label, environment in _environments(environments).items():
        for given in algorithms:
            for epsilon in epsilons:
                with called({"epsilon": "epsilons"}):
                    cell = _cell(given, environment, epsilon, horizon, checkpoints, root_seed)
                asked.append(replace(cell, environment=label, seeds=seeds))
                # Without privacy there is one cell for all budgets.
                if cell.job.epsilon is None:
                    break
    refuse_too_many([cell.job for cell in asked], len(seeds), "runs")
    return asked


def _nonempty_list(key: Keys | str, value: object, allowed: str) -> list[Any]:
    """Return a value as a list of at least one element, or raise `BadInput`; a text counts as no list."""
    found: list[Any] = list(value) if is_list(value) else []
    if not found:
        raise BadInput(key, value, allowed)
    return found


def _distinct_list(key: str, value: object, allowed: str) -> list[Any]:
    """Return a value as a list of at least one element, all of them different, or raise `BadInput`."""
    found = _nonempty_list(key, value, allowed)
    for i, each in enumerate(found):
        if each in found[:i]:
            raise BadInput(key, each, "each once")
    return found


def _environments(given: Mapping[str, Parameters | Sequence[float]] | Sequence[str]) -> dict[str, Parameters]:
    """Return environments by label, from names, from means or from environments; refuse anything else."""
    if isinstance(given, str):
        given = [given]
    several: Any = given
    alone = [several] if isinstance(several, Mapping) else several if isinstance(several, list | tuple) else []
    if any(isinstance(each, Mapping) and isinstance(each.get("kind"), str) for each in alone):
        raise BadInput("environments", "an environment", "each by a label of your own, as {'mine': environment}")
    if not isinstance(given, Mapping):
        allowed = "a list of names of environments, or environments by a label of your own"
        return {name: published.environment(name) for name in _distinct_list("environments", given, allowed)}
    found: dict[str, Parameters] = {}
    for label in _nonempty_list("environments", list(given), "environments by a label of your own, of text"):
        if not isinstance(label, str):
            raise BadInput("environments", label, "a label of text")
        environment = given[label]
        with within("environments", label):
            found[label] = (
                dict(environment)
                if isinstance(environment, Mapping)
                else {"kind": "bernoulli", "means": _nonempty_list((), environment, MEANS)}
            )
    return found


def _cell(
    algorithm: AlgorithmOrPolicy,
    environment: Parameters,
    epsilon: float | None,
    horizon: int,
    checkpoints: int,
    root_seed: int,
) -> Cell:
    """Return the cell of an algorithm or a policy's class on one environment, or raise `BadInput`.

    Parameters
    ----------
    algorithm
        A name, a name with parameters, or a policy's class.
    environment, epsilon, horizon, checkpoints, root_seed
        As of `dpbandits.simulate`.
    """
    if not callable(algorithm):
        name, parameters = algorithm if isinstance(algorithm, tuple) and len(algorithm) == 2 else (algorithm, {})
        if not isinstance(name, str) or not isinstance(parameters, Mapping):
            allowed = "a name, as 'dp-imed'; with parameters, as ('dp-imed', {'n0': 40}); or a policy's class"
            raise BadInput("algorithms", algorithm, allowed)
        with within("algorithms"):
            private = registry.algorithm(name).privacy is not None
        job = make_job(name, parameters, environment, epsilon if private else None, horizon, checkpoints, root_seed)
        changed = ", ".join(f"{key} = {value}" for key, value in parameters.items())
        return Cell(f"{name}, {changed}" if changed else name, "", job, range(0))
    checked = ConfiguredEnvironment(environment)
    if checked.setting != "stochastic":
        raise BadInput(
            "environments",
            environment["kind"],
            "a Bernoulli bandit or a table of rewards, for a policy in plain Python",
        )
    own = getattr(algorithm, "__name__", type(algorithm).__name__)
    job = Job(
        own,
        {},
        checked.parameters,
        epsilon if "epsilon" in cells.maker_parameters(algorithm) else None,
        horizon,
        checkpoints,
        root_seed,
    )
    return Cell(own, "", job, range(0), algorithm)
