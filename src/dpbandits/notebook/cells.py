"""Cells of a grid: what each is, how it is computed, and the cache on disk.

The runs of a compiled algorithm are kept by definition, root seed and digest of the sources, as the workflow's are.
A policy in plain Python is not kept, because nobody knows what its code reaches.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import platformdirs
from numpy.typing import NDArray

from dpbandits.core.arguments import path
from dpbandits.core.errors import BadInput, ChangedSources
from dpbandits.core.files import Json
from dpbandits.core.provenance import replaced_values, sources
from dpbandits.core.recording import checkpoints
from dpbandits.core.streams import number_of
from dpbandits.runs.job import Job, run
from dpbandits.settings.stochastic.problem import Bandit

if TYPE_CHECKING:
    from joblib import Memory

# Regret, rounds, pulls.
Arrays = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]
# Bytes that the cache may hold after a grid; the cells that were not used for longest go first.
LARGEST_CACHE = 2 * 10**9


class Maker(Protocol):
    """A policy's class, or a function that makes a policy.

    Class or function is called with those of the arguments ``arms``, ``epsilon``, ``horizon`` and ``rng`` that its
    signature has.
    """

    def __call__(self, *, arms: int, epsilon: float | None, horizon: int, rng: np.random.Generator) -> Any:
        """Return a policy: its ``choose()`` returns an arm, its ``update(arm, reward)`` takes the arm's reward."""


@dataclass(frozen=True)
class Cell:
    """Runs to compute: of one algorithm in one environment at one budget.

    Attributes
    ----------
    algorithm, environment
        Labels for tables and legends.
    job
        Algorithm, parameters, environment, budget, horizon, checkpoints and root seed. Of a policy in plain Python
        ``job.algorithm`` is its name alone.
    seeds
        Run numbers, >= 0 without gaps: with root seed and job a number gives its run's random stream.
    maker
        Class or function that makes the policy in plain Python; ``None`` for a compiled algorithm.
    """

    algorithm: str
    environment: str
    job: Job
    seeds: range
    maker: Maker | None = None


def folder() -> Path:
    """Return the default folder of the cache, in this user's cache folder: ``~/.cache/dpbandits/grid`` on Linux."""
    return platformdirs.user_cache_path("dpbandits") / "grid"


@functools.cache
def _memory(cache: Path) -> Memory:
    from joblib import Memory

    return Memory(cache, verbose=0)


def clear(cache: str | Path | None = None) -> None:
    """Remove all cells from a cache.

    Parameters
    ----------
    cache
        The cache's folder; by default this user's, ``~/.cache/dpbandits/grid`` on Linux.

    Raises
    ------
    BadInput
        If the folder is no cache.
    """
    place = folder() if cache is None else path("cache", cache)
    # joblib keeps what functions return in folders with the names of their modules; a person's folder has none.
    if cache is not None and not place.joinpath(*__name__.split(".")).is_dir():
        raise BadInput("cache", str(cache), "the folder of a cache, as it was given to dpbandits.grid")
    # Not the whole folder: joblib would remove all folders in it, a person's own among them.
    _memory(place).cache(_simulated, ignore=["job"]).clear(warn=False)


def _digest(arrays: Arrays) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape} ".encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


# joblib names its folder by this function: under another name what is cached is never found again.
def _simulated(job: Job, seeds: range, record: Json) -> tuple[Arrays, str]:  # noqa: ARG001 (the cache's key)
    runs = run(job, seeds)
    arrays = runs.regret, runs.rounds, runs.pulls
    return arrays, _digest(arrays)


def compute_cell(cell: Cell, cache: Path | None) -> Arrays:
    """Return a cell's arrays, from the cache if they are there and undamaged, else computed and then kept there.

    A policy in plain Python is always played, and its arrays are not kept.

    Parameters
    ----------
    cell
        The cell to compute.
    cache
        The cache's folder; ``None`` for no cache.

    Returns
    -------
    regret, rounds, pulls
        Cumulative regret, shape (runs, checkpoints), up to each of the recorded ``rounds``, and the pulls of each
        arm, shape (runs, arms).
    """
    if cell.maker is not None:
        return play_policy(cell.maker, cell.job, cell.seeds)
    if cache is None:
        return _simulated(cell.job, cell.seeds, {})[0]
    kept = _memory(cache).cache(_simulated, ignore=["job"])
    record = {**cell.job.record, "checkpoints": cell.job.checkpoints}
    arrays: Arrays
    arrays, digest = kept(cell.job, cell.seeds, record)
    if digest != _digest(arrays):
        # The file was changed by something else: joblib keeps no digest.
        made = kept.call(cell.job, cell.seeds, record)
        arrays = (made[0] if isinstance(made[1], dict) else made)[0]
    return arrays


def code_of(cell: Cell) -> list[str]:
    """Return texts that identify the code that a cell would run with in this process.

    The texts are sources with their digests, such as ``core.errors 1f2e3d4c``, and names of module attributes that
    this process has replaced. A policy in plain Python has no texts, because nobody knows what its code reaches.
    """
    if cell.maker is not None:
        return []
    return [*sources(*cell.job.modules).split(", "), *replaced_values(*cell.job.modules)]


def check_worker(cell: Cell, caller_code: list[str]) -> None:
    """Raise an error if this process, a worker, has other code for a cell than the process that asks for the cell.

    Parameters
    ----------
    cell
        The cell that is asked for.
    caller_code
        What `code_of` returns in the process that asks: sources with digests, and replaced attributes.

    Raises
    ------
    ChangedSources
        If the code differs; the error names the sources.
    """
    if different := set(caller_code) ^ set(code_of(cell)):
        raise ChangedSources("this process or a worker of it", {name.partition(" ")[0] for name in different})


def bound_cache(cache: Path) -> None:
    """Remove the least recently used cells from the cache in the folder ``cache``, until at most 2 GB are left."""
    _memory(cache).reduce_size(bytes_limit=LARGEST_CACHE)


@contextmanager
def _errors_name_policy(name: str, run_number: int) -> Iterator[None]:
    """Turn any error in a ``with`` block into a `BadInput` that names the policy and the run."""
    try:
        yield
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        raise BadInput(("algorithms", name), told, f"a policy that plays; this was run {run_number}") from error


def play_policy(maker: Maker, job: Job, seeds: range) -> Arrays:
    """Play a policy in plain Python round by round, and return its runs; a round takes some microseconds.

    An error in the policy, or an arm that is none, raises `BadInput`, which names the policy and the run.

    Parameters
    ----------
    maker
        Class of the policy, or a function that makes one, called with those of ``arms``, ``epsilon``, ``horizon``
        and ``rng`` that its signature has.
    job
        Environment, budget and horizon; the environment is a Bernoulli bandit or a table of rewards.
    seeds
        Run numbers.

    Returns
    -------
    regret, rounds, pulls
        Cumulative regret, shape (runs, checkpoints), up to each of the recorded ``rounds``, and the pulls of each
        arm, shape (runs, arms).
    """
    from dpbandits.core import registry

    environment = registry.environment(job.environment["kind"])
    bandit: Bandit = environment.problem(
        job.environment, environment.tuning(job.environment, job.horizon, job.epsilon)
    )
    rounds = checkpoints(job.horizon, job.checkpoints)
    regret = np.zeros((len(seeds), rounds.size))
    pulls = np.zeros((len(seeds), bandit.means.size), np.int64)
    for row, seed in enumerate(seeds):
        stream = np.random.SeedSequence([number_of(job.root_seed, job.identity), seed])
        rewards, own = map(np.random.default_rng, stream.spawn(2))
        with _errors_name_policy(job.algorithm, seed):
            _play(maker, job, bandit, rewards, own, rounds, regret[row], pulls[row])
    return regret, rounds, pulls


def _play(
    maker: Maker,
    job: Job,
    bandit: Bandit,
    reward_generator: np.random.Generator,
    policy_generator: np.random.Generator,
    rounds: NDArray[np.int64],
    regret: NDArray[np.float64],
    pulls: NDArray[np.int64],
) -> None:
    """Play one run of a policy.

    Parameters
    ----------
    maker, job, bandit
        What makes the policy, the run's settings, and the bandit.
    reward_generator, policy_generator
        Generators of rewards, and of the policy.
    rounds
        Rounds at which regret is kept.
    regret, pulls
        Take the regret at these rounds, and the pulls of each arm.
    """
    arms = bandit.means.size
    given: Any = {"arms": arms, "epsilon": job.epsilon, "horizon": job.horizon, "rng": policy_generator}
    policy = maker(**{name: value for name, value in given.items() if name in maker_parameters(maker)})
    lost, after = 0.0, 0
    for t in range(job.horizon):
        arm = policy.choose()
        if not isinstance(arm, int | np.integer) or isinstance(arm, bool) or not 0 <= arm < arms:
            raise ValueError(f"choose() returned {arm!r}, which is no arm from 0 to {arms - 1}")
        # From a table in its order; else drawn.
        reward = (
            float(bandit.table[t, arm])
            if bandit.table.size
            else float(reward_generator.random() < bandit.means[arm])
        )
        policy.update(int(arm), reward)
        pulls[arm] += 1
        lost += bandit.gaps[arm]
        if t + 1 == rounds[after]:
            regret[after] = lost
            after += 1


def maker_parameters(maker: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the parameters of a policy's maker, by name, as `inspect.signature` has them."""
    return inspect.signature(maker).parameters
