"""azize2025, Algorithm 1: how many rare runs DP-IMED has, from the private path of the best arm.

docs/azize2025-tails.md, Theorem H: let [mu~_m] be the best arm's private mean after its batches 0 to m, clipped,
and y the largest mean of the other arms. With

    X = max over m with [mu~_m] < y of n_m exp(n_m d_eps([mu~_m], y))

suboptimal arms are pulled about X times. Here the best arm's path is drawn, some twenty numbers a run. If one arm
has mean y, its number of pulls is the smallest n_k that is at least X, and at most T rounds. If several arms have
mean y, their paths are drawn too, and each is pulled until its index among them is at least log X.

The pulls of an arm of mean y in a typical run are subtracted. Their number is the smallest n_k with
n_k d_eps(y, mu_1) + log n_k >= log T. No parameter is fitted, and no run of the algorithm is used.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core import registry
from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.fields import Option
from dpbandits.core.tables import Row
from dpbandits.settings.stochastic.batches import cumulative_pulls, long_start

if TYPE_CHECKING:
    from dpbandits.runs.aggregate import Measured

Floats = NDArray[np.float64]
# Paths that are drawn at once.
PIECE = 100_000


class PathLaw(NamedTuple):
    """Quantities that determine the law of the best arm's path, its private means after each batch.

    Attributes
    ----------
    best, other
        Mean mu_1 of the best arm, and y, the largest mean of the other arms.
    epsilon
        Privacy budget, > 0.
    counts : ndarray of int64, shape (batches,)
        Numbers n_m of an arm's pulls after its batches 0 to m, strictly increasing.
    horizon
        Number T of rounds.
    """

    best: float
    other: float
    epsilon: float
    counts: NDArray[np.int64]
    horizon: int


def divergence(x: Floats, y: Floats, epsilon: float) -> Floats:
    """Return d_eps(x, y) for 0 <= x <= y <= 1, elementwise (azize2025, eq. 8)."""
    weight = y * math.exp(-epsilon)
    linear = -np.log1p(y * math.expm1(-epsilon)) - epsilon * x
    with np.errstate(divide="ignore", invalid="ignore"):
        kl = np.where(x > 0.0, x * np.log(x / y), 0.0) + (1.0 - x) * np.log((1.0 - x) / (1.0 - y))
    found = np.where(x * (1.0 - y + weight) >= weight, kl, linear)
    return np.maximum(0.0, np.where(x >= y, 0.0, found))


def log_x(path: PathLaw, rng: np.random.Generator, runs: int, plain: bool = False) -> Floats:
    """Draw log X, shape (runs,): X is about how often suboptimal arms are pulled.

    X is the maximum of n_m exp(n_m d_eps(mean, y)) over the batches m of the best arm after which its private mean
    is below y, the largest mean of the other arms. Without such a batch log X is -inf.

    Parameters
    ----------
    path
        The law of the path.
    rng
        Source of randomness.
    runs
        Number of paths.
    plain
        Whether X has no factor n_m, as for DP-KLUCB.
    """
    total, largest = np.zeros(runs), np.full(runs, -math.inf)
    before = 0
    for n in path.counts[path.counts <= path.horizon].tolist():
        total += rng.binomial(n - before, path.best, runs) + rng.laplace(0.0, 1.0 / path.epsilon, runs)
        before = n
        mean = np.clip(total / n, 0.0, 1.0)
        below = mean < path.other
        found = n * divergence(np.minimum(mean, path.other), np.array(path.other), path.epsilon)
        found += 0.0 if plain else math.log(n)
        largest = np.where(below, np.maximum(largest, found), largest)
    return largest


def pulls_alone(path: PathLaw, log_largest: Floats) -> Floats:
    """Return how often a single suboptimal arm of mean y is pulled in each run: the smallest n_k >= X, at most T.

    X is what `log_x` draws, and n_k is the number of an arm's pulls after its batch k.

    Parameters
    ----------
    path
        The law of the best arm's path.
    log_largest : ndarray of float64, shape (runs,)
        log X of each run; where it is -inf, the arm has 0 pulls.
    """
    logs = np.log(path.counts.astype(np.float64))
    # Less 1e-12, so that an X which is equal to an n_k but for rounding has this n_k.
    at = np.minimum(np.searchsorted(logs, log_largest - 1e-12), path.counts.size - 1)
    pulls: Floats = np.where(log_largest == -math.inf, 0.0, np.minimum(path.counts[at], path.horizon))
    return pulls


def pulls_shared(path: PathLaw, log_largest: Floats, rivals: int, rng: np.random.Generator) -> Floats:
    """Return how often several suboptimal arms of mean y are pulled in each run, together, at most T.

    They are pulled until their indices are all at least log X, which `log_x` draws. The indices are DP-IMED's among
    these arms alone; ties go to the first. Each arm has its first batch, also where log X is -inf.

    Parameters
    ----------
    path
        The law of the best arm's path.
    log_largest : ndarray of float64, shape (runs,)
        log X of each run.
    rivals
        Number of arms of mean y, >= 1.
    rng
        Source of randomness.
    """
    runs = np.arange(log_largest.size)
    stage = np.zeros((runs.size, rivals), dtype=np.int64)
    shape = (runs.size, rivals)
    total = rng.binomial(path.counts[0], path.other, shape) + rng.laplace(0.0, 1.0 / path.epsilon, shape)
    # Runs in which some arm is pulled again.
    active = np.flatnonzero(log_largest > math.log(path.counts[0]))
    while active.size:
        n = path.counts[stage[active]]
        mean = np.clip(total[active] / n, 0.0, 1.0)
        index = n * divergence(mean, mean.max(axis=1, keepdims=True), path.epsilon) + np.log(n)
        arm = index.argmin(axis=1)
        here = np.arange(active.size)
        again = (index[here, arm] < log_largest[active] - 1e-12) & (n.sum(axis=1) < path.horizon)
        active, arm = active[again], arm[again]
        if active.size:
            at = stage[active, arm]
            batch = path.counts[at + 1] - path.counts[at]
            noise = rng.laplace(0.0, 1.0 / path.epsilon, active.size)
            total[active, arm] += rng.binomial(batch, path.other) + noise
            stage[active, arm] += 1
    found: Floats = np.minimum(path.counts[stage].sum(axis=1), path.horizon).astype(np.float64)
    return found


def typical(path: PathLaw, mean: float) -> int:
    """Return how often a suboptimal arm of this mean is pulled in a typical run of DP-IMED, at most T.

    It is the smallest n_k, an arm's pulls after a batch, with n_k d_eps(mean, mu_1) + log n_k >= log T.
    """
    # The argmax of truth values is the first that is true.
    cost = path.counts * float(divergence(np.array(mean), np.array(path.best), path.epsilon))
    return int(min(path.counts[np.argmax(cost + np.log(path.counts) >= math.log(path.horizon))], path.horizon))


def rare_regret(path: PathLaw, log_largest: Floats, rivals: int, rng: np.random.Generator) -> Floats:
    """Return each run's regret beyond that of a typical run, at least 0, shape (runs,).

    Parameters
    ----------
    path, log_largest, rivals, rng
        Law of the best arm's path, log X of each run, number of arms of mean y, and source of randomness.
    """
    pulls = pulls_shared(path, log_largest, rivals, rng) if rivals > 1 else pulls_alone(path, log_largest)
    usual = min(path.horizon, rivals * typical(path, path.other))
    return (path.best - path.other) * np.maximum(pulls - usual, 0.0)


def draw_rare_regret(path: PathLaw, seed: int, runs: int, rivals: int = 1, plain: bool = False) -> Floats:
    """Draw paths of the best arm, and return each one's regret beyond that of a typical run, shape (runs,).

    Parameters
    ----------
    path
        The law of the best arm's path.
    seed
        Seed of the random numbers, which also depend on the path's means, budget, first batch and horizon.
    runs
        Number of paths.
    rivals
        Number of arms of mean y, >= 1.
    plain
        Whether X has no factor n_m, as for DP-KLUCB.
    """
    identity = f"best-arm path {path.best} {path.other} {path.epsilon} {path.counts[0]} {path.horizon}".encode()
    digest = int.from_bytes(hashlib.blake2b(identity, digest_size=8).digest(), "little")
    rng = np.random.default_rng([seed, digest])
    pieces = [min(PIECE, runs - done) for done in range(0, runs, PIECE)]
    return np.concatenate([rare_regret(path, log_x(path, rng, size, plain), rivals, rng) for size in pieces])


def prediction(
    means: Sequence[float], epsilon: float, counts: NDArray[np.int64], horizon: int
) -> tuple[PathLaw, int, float]:
    """Return the quantities that predict DP-IMED's regret on a bandit, for `draw_rare_regret`.

    Parameters
    ----------
    means
        Mean rewards of the arms, in any order; one arm is the best.
    epsilon
        Privacy budget, > 0.
    counts : ndarray of int64, shape (batches,)
        Numbers n_m of an arm's pulls after its batches 0 to m, strictly increasing.
    horizon
        Number T of rounds.

    Returns
    -------
    path
        The law of the best arm's path.
    rivals
        Number of arms with the second largest mean.
    usual
        Regret of a typical run.
    """
    ordered = sorted(means)
    path = PathLaw(ordered[-1], ordered[-2], epsilon, counts, horizon)
    usual = sum((path.best - mean) * typical(path, mean) for mean in ordered[:-1])
    return path, ordered.count(ordered[-2]), float(usual)


# Algorithms that the theorem is about, and the size n0 of their first batch, from parameters, epsilon and T.
FIRST_BATCH = {
    "dp-imed": lambda given, epsilon, horizon: int(given["n0"]),  # noqa: ARG005
    "dp-imed-long-start": lambda given, epsilon, horizon: long_start(float(given["first"]), epsilon, horizon),
}


def compute(runs: Sequence[Measured], paths: int, seed: int) -> pd.DataFrame:
    """Compute DP-IMED's regret as the best arm's private path alone predicts it, beside what was measured.

    Parameters
    ----------
    runs
        Regret of each cell's runs, shape (runs, rounds). A cell is an algorithm in one environment, here a
        Bernoulli bandit with one best arm, at one budget and horizon. Only cells of DP-IMED count, with any first
        batch.
    paths, seed
        Number of paths drawn for each cell, and seed of their random numbers.

    Returns
    -------
    DataFrame
        One row for each cell: ``environment, epsilon, algorithm, title, n0, horizon, runs, cell, paths``, and
        ``rivals``, the number of arms with the second largest mean. Measured: ``mean, mean_error, median, q99`` and
        ``excess``, mean - median. Predicted: ``typical``, for the median; ``rare`` with its standard error
        ``rare_error``, for the excess; ``predicted``, their sum, for the mean; ``predicted_q99``. ``ratio`` is rare
        / excess, NaN without an excess; ``mean_ratio`` is predicted / mean.
    """
    rows: list[Row] = []
    for cell, regret, _ in runs:
        job = cell.job
        if job.algorithm not in FIRST_BATCH:
            continue
        assert job.epsilon is not None
        n0 = FIRST_BATCH[job.algorithm](job.parameters, job.epsilon, job.horizon)
        counts = cumulative_pulls(n0, float(job.parameters["alpha"]), job.horizon)
        path, rivals, usual = prediction(job.environment["means"], job.epsilon, counts, job.horizon)
        rare = draw_rare_regret(path, seed, paths, rivals)
        final = regret[:, -1]
        mean, median = float(final.mean()), float(np.median(final))
        predicted = usual + float(rare.mean())
        rows.append(
            {
                "environment": cell.environment,
                "epsilon": job.epsilon,
                "algorithm": job.algorithm,
                "title": registry.algorithm(job.algorithm).titled(job.parameters),
                "n0": n0,
                "rivals": rivals,
                "horizon": job.horizon,
                "runs": final.size,
                "cell": cell.name,
                "paths": paths,
                "mean": mean,
                "mean_error": float(final.std(ddof=1)) / math.sqrt(final.size),
                "median": median,
                "q99": float(np.quantile(final, 0.99)),
                "excess": mean - median,
                "typical": usual,
                "rare": float(rare.mean()),
                "rare_error": float(rare.std(ddof=1)) / math.sqrt(paths),
                "predicted": predicted,
                "predicted_q99": usual + float(np.quantile(rare, 0.99)),
                "ratio": float(rare.mean()) / (mean - median) if mean > median else math.nan,
                "mean_ratio": predicted / mean,
            }
        )
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    title="Rare runs of DP-IMED, predicted from the best arm's private path",
    source="azize2025, Algorithm 1; docs/azize2025-tails.md, Theorem H",
    compute=compute,
    parameters={"paths": Option(200_000, "paths drawn for each cell"), "seed": SEED},
    reads_runs=True,
)
