"""charisopoulos2022, Proposition 2.1: the spectral filter's error on corrupted batches, beside other estimators.

Monte Carlo: each case is a batch of n corrupted rewards on the G-optimal design of a random action set. Every
repetition draws a new set. The error of an estimate is its largest over all actions, max |<a, theta~ - theta>|.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core import arrays
from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.distributions import binomial_quantile, student_quantile
from dpbandits.core.fields import Option, Parameters, Tuning
from dpbandits.core.streams import number_of, permute, streams
from dpbandits.core.tables import Row
from dpbandits.settings.linear.algebra import cholesky, moments, product, solved, squared_lengths
from dpbandits.settings.linear.design import Design, approximate_design
from dpbandits.settings.linear.environments.sphere import ENVIRONMENT
from dpbandits.settings.linear.problem import Bandit, Counts, Floats, single_reports
from dpbandits.settings.linear.spectral_filter import filtered_mean
from dpbandits.settings.linear.theory import known_width, proposition_2_1

CONFIDENCE = 0.95
# Where Huber's loss turns linear, in standard deviations: 95 % efficient for normal noise (Huber 1964).
HUBER = 1.345
# Rounds of new weights, at most, and the last step in parts of the estimate.
REWEIGHTED, SETTLED = 1000, 1e-10


class Sample(NamedTuple):
    """A batch of corrupted rewards, and what an estimator may know of it.

    Attributes
    ----------
    state
        The stream, for estimators that draw.
    features : ndarray of float64, shape (k, rank)
        The design's actions, in coordinates in which sum of n_a a a^T is the identity.
    repeats : ndarray of int64, shape (k,)
        Number n_a of rewards of each of these actions.
    rewards : ndarray of float64, shape (n,)
        The rewards, action after action, those of an action with the corrupted ones first.
    probability
        alpha, the probability that a reward is corrupted.
    reach
        Largest ||a||^2 in M^-1 of all actions, M the sum of n_a a a^T.
    square
        Mean square of the rewards before corruption.
    noise
        Standard deviation of a reward before corruption, around its mean.
    """

    state: NDArray[np.uint64]
    features: Floats
    repeats: Counts
    rewards: Floats
    probability: float
    reach: float
    square: float
    noise: float


def _filtered(sample: Sample, threshold: float) -> Floats:
    mean, _ = filtered_mean(sample.state, sample.features, sample.repeats, sample.rewards, threshold)
    return sample.rewards.size * mean


def _least_squares(sample: Sample) -> Floats:
    return _filtered(sample, math.inf)


def _printed(sample: Sample) -> Floats:
    """Algorithm 1, line 7: the threshold is made from the received rewards."""
    return _filtered(sample, sample.reach * float(np.mean(sample.rewards**2)))


def _clean(sample: Sample) -> Floats:
    """Equation 13: the threshold is made from the rewards before corruption, which no learner sees."""
    return _filtered(sample, sample.reach * sample.square)


def _known(sample: Sample) -> Floats:
    """The repair: the threshold is the second moment of a clean reward, over n."""
    return _filtered(sample, (1.0 + sample.noise * sample.noise) / sample.rewards.size)


def _median_of_means(sample: Sample) -> Floats:
    """Weighted least squares on each action's median of means.

    Groups have 1/(4 alpha) rewards, so that about three in four are clean; without corruption there is one.
    """
    size = math.inf if sample.probability == 0.0 else max(1.0, 0.25 / sample.probability)
    centres = np.empty(sample.repeats.size)
    for j, rewards in enumerate(np.split(sample.rewards, np.cumsum(sample.repeats)[:-1])):
        # The corrupted rewards stand first; a median of means needs them in random order.
        order = np.empty(rewards.size, dtype=np.int64)
        permute(sample.state, order)
        groups = max(1, round(rewards.size / size))
        edges = np.arange(groups + 1) * rewards.size // groups
        centres[j] = np.median(np.add.reduceat(rewards[order], edges[:-1]) / np.diff(edges))
    return product(sample.features.T.copy(), sample.repeats * centres)


def _huber(sample: Sample) -> Floats:
    """The minimiser of Huber's loss, by least squares with new weights again and again (Holland & Welsch 1977)."""
    edge, columns = HUBER * sample.noise, sample.features.T.copy()
    first = np.cumsum(sample.repeats) - sample.repeats
    estimate = np.zeros(columns.shape[0])
    for _ in range(REWEIGHTED):
        residuals = sample.rewards - np.repeat(product(sample.features, estimate), sample.repeats)
        weights = edge / np.maximum(np.abs(residuals), edge)
        root = cholesky(moments(sample.features, np.add.reduceat(weights, first)))
        slopes = solved(root, product(columns, np.add.reduceat(weights * residuals, first))[None, :])
        step = solved(root[::-1, ::-1].T.copy(), slopes[:, ::-1].copy())[0, ::-1]
        estimate = estimate + step
        if np.abs(step).max() <= SETTLED * np.abs(estimate).max():
            break
    return estimate


PLAIN = "least squares"
ESTIMATORS: dict[str, Callable[[Sample], Floats]] = {
    PLAIN: _least_squares,
    "filter, printed": _printed,
    "filter, eq. 13": _clean,
    "filter, repaired": _known,
    "median of means": _median_of_means,
    "Huber regression": _huber,
}


class Instance(NamedTuple):
    """A random action set with its design.

    Attributes
    ----------
    bandit
        The problem, with its corruption.
    arms, repeats : ndarray of int64, shape (k,)
        The actions of its approximate G-optimal design, and the number n_a of rewards of each.
    vectors, norms
        All actions in coordinates in which sum of n_a a a^T is the identity, and ||a||^2 in M^-1.
    """

    bandit: Bandit
    arms: Counts
    repeats: Counts
    vectors: Floats
    norms: Floats


def _instance(arms: int, dimension: int, sigma: float, corruption: Parameters, n: int, draw: int) -> Instance:
    given = {"arms": arms, "dimension": dimension, "noise": {"kind": "gaussian", "sigma": sigma}, "draw": draw}
    complete = ENVIRONMENT.check({**given, "corruption": corruption})
    bandit: Bandit = ENVIRONMENT.problem(complete, Tuning(1, arms))
    design = _design(arms, dimension, draw)
    repeats, vectors = batch(design, n)
    return Instance(bandit, design.arms, repeats, vectors, squared_lengths(vectors))


def batch(design: Design, n: int) -> tuple[Counts, Floats]:
    """Return how often a batch of about ``n`` rewards plays each action of a design, and all actions, normalised.

    Returns
    -------
    repeats : ndarray of int64, shape (k,)
        Rewards n_a of each of the design's actions: n times its weight, rounded up.
    vectors : ndarray of float64, shape (arms, rank)
        All actions, in coordinates in which sum of n_a a a^T is the identity.
    """
    repeats = np.ceil(n * design.weights).astype(np.int64)
    support = design.coordinates[design.arms]
    return repeats, solved(cholesky(moments(support, repeats.astype(np.float64))), design.coordinates)


# Each case has the same action sets, whatever its corruption.
@functools.lru_cache(maxsize=128)
def _design(arms: int, dimension: int, draw: int) -> Design:
    checked = ENVIRONMENT.check({"arms": arms, "dimension": dimension, "draw": draw})
    bandit: Bandit = ENVIRONMENT.problem(checked, Tuning(1, arms))
    return approximate_design(bandit.actions)


def measure(
    arms: int,
    dimension: int,
    sigma: float,
    corruption: Parameters,
    n: int,
    repetitions: int,
    delta: float,
    seed: int,
) -> Iterator[Row]:
    """Yield a row for each estimator: its error on batches of about ``n`` rewards, each on its own action set.

    The error is the largest over all actions a, max |<a, theta~ - theta>|.

    A row has ``attack, size, alpha, n``, mean number of ``rewards``, ``estimator`` and ``repetitions``. Of the
    error it has ``mean`` with ``low, high``, ``median`` with ``median_low, median_high``, and ``maximum``. Then
    ``log_ratio`` to least squares, with ``log_ratio_low, log_ratio_high``, and two mean bounds, ``printed_bound``
    and ``repaired_bound``.

    Parameters
    ----------
    arms, dimension, sigma
        Size of the random action sets, and standard deviation of rewards.
    corruption
        Parameters of the corruption: its ``probability``, ``attack`` and ``size``, and what it is ``of``.
    n, repetitions
        Number of rewards of a batch, before rounding up, and number of batches.
    delta, seed
        Failure probability of the bounds, and root of random numbers.
    """
    alpha = corruption["probability"]
    errors, bounds = np.empty((repetitions, len(ESTIMATORS))), np.empty((repetitions, 2))
    totals = np.empty(repetitions)
    identity = f"filter error {arms} {dimension} {sigma} {sorted(corruption.items())} {n}"
    for i, state in enumerate(streams(seed, identity, np.arange(repetitions))):
        draw = number_of(seed, f"filter error, action set {i}")
        bandit, chosen, repeats, vectors, norms = _instance(arms, dimension, sigma, corruption, n, draw)
        total = int(repeats.sum())
        square = float((repeats * np.square(bandit.means[chosen])).sum() / total + sigma * sigma)
        # Attack "threshold" is of this size times its own: as large as the repaired filter still lets pass.
        unit = math.sqrt(3.0 * (1.0 + sigma * sigma) / max(alpha, norms[chosen].max()))
        rewards = single_reports(state, bandit, chosen, repeats, np.zeros_like(repeats), math.inf, 0.0, unit)
        sample = Sample(state, vectors[chosen].copy(), repeats, rewards, alpha, float(norms.max()), square, sigma)
        for k, estimator in enumerate(ESTIMATORS.values()):
            errors[i, k] = np.abs(product(vectors, estimator(sample)) - bandit.means).max()
        totals[i] = total
        bounds[i, 0] = proposition_2_1(norms.max(), total, square, sigma, alpha, delta)
        bounds[i, 1] = known_width(norms.max(), total, 1.0 + sigma * sigma, sigma * sigma, 0.0, alpha, delta)
    quantile = student_quantile(0.5 - CONFIDENCE / 2, repetitions - 1.0)
    printed, repaired = bounds.mean(axis=0)
    # Errors of one batch belong together, and are skew: so of their ratio the logarithm has the interval.
    of_each = dict(zip(ESTIMATORS, errors.T, strict=True))
    for name, error in of_each.items():
        half = quantile * error.std(ddof=1) / math.sqrt(repetitions)
        logs = arrays.log(error) - arrays.log(of_each[PLAIN])
        half_of_logs = quantile * logs.std(ddof=1) / math.sqrt(repetitions)
        yield {
            "attack": corruption["attack"],
            "size": corruption["size"],
            "alpha": alpha,
            "n": n,
            "rewards": totals.mean(),
            "estimator": name,
            "mean": error.mean(),
            "low": error.mean() - half,
            "high": error.mean() + half,
            "median": np.median(error),
            **_around_the_median(error),
            "maximum": error.max(),
            "log_ratio": logs.mean(),
            "log_ratio_low": logs.mean() - half_of_logs,
            "log_ratio_high": logs.mean() + half_of_logs,
            "repetitions": repetitions,
            "printed_bound": printed,
            "repaired_bound": repaired,
        }


def _around_the_median(error: Floats) -> Row:
    """Return the interval of the median, of order statistics: a bound with a probability says nothing of a mean."""
    below = binomial_quantile(0.5 - CONFIDENCE / 2, error.size, 0.5)
    ordered = np.sort(error)
    return {
        "median_low": ordered[max(below - 1, 0)],
        "median_high": ordered[min(error.size - below, error.size - 1)],
    }


def compute(
    arms: int,
    dimension: int,
    sigma: float,
    n: int,
    alpha: float,
    alphas: Sequence[float],
    attacks: Sequence[Sequence[Any]],
    ns: Sequence[int],
    along_n: Sequence[str],
    sizes: Sequence[float],
    along_size: Sequence[str],
    repetitions: int,
    delta: float,
    seed: int,
) -> pd.DataFrame:
    """Compute errors of the spectral filter and other estimators on corrupted batches, by Monte Carlo.

    The error is the largest over all actions a, max |<a, theta~ - theta>|. One part varies alpha, one n, and one
    the size of the attack.

    Parameters
    ----------
    arms, dimension, sigma
        Number of actions on the sphere, their dimension, and standard deviation of the normal noise.
    n, ns, along_n
        Rewards in a batch where n does not vary, numbers where it does, and names of attacks for which it does.
    alpha, alphas
        Corruption probability where it does not vary, and those along which it does.
    attacks
        Pairs of an attack's name, such as ``flip``, and its size.
    sizes, along_size
        Sizes of an attack, and names of the attacks whose size varies.
    repetitions, delta, seed
        Number of batches for each case, failure probability in the bounds, and seed of random numbers.

    Returns
    -------
    DataFrame
        The case: ``over`` (``alpha``, ``n`` or ``size``), ``attack, size, alpha, n``, the mean number of
        ``rewards`` after rounding up, and ``estimator``. Errors over ``repetitions``: their ``mean`` with its 95 %
        interval ``low, high``, ``median`` with its own, ``median_low, median_high``, and ``maximum``. ``log_ratio``
        is the mean logarithm of an error divided by that of least squares on the same batch, with its interval
        ``log_ratio_low, log_ratio_high``. Mean bounds, with 1 for the constant: ``printed_bound`` of Proposition
        2.1, and ``repaired_bound`` with the repaired threshold.
    """
    cases = [("alpha", attack, size, a, n) for attack, size in attacks for a in alphas]
    cases += [("n", attack, size, alpha, each) for attack, size in attacks if attack in along_n for each in ns]
    cases += [("size", attack, size, alpha, n) for attack in along_size for size in sizes]
    rows = []
    for over, attack, size, a, each in cases:
        corruption = {"probability": a, "attack": attack, "size": size, "of": "reports"}
        rows += [
            {"over": over, **row}
            for row in measure(arms, dimension, sigma, corruption, each, repetitions, delta, seed)
        ]
    return pd.DataFrame(rows)


ATTACKS: list[Any] = [["constant", 30], ["flip", 30], ["second-best", 30], ["threshold", 0.9], ["outlier", 1e6]]

COMPUTATION = Computation(
    title="The spectral filter's error beside least squares, medians of means and Huber regression",
    source="charisopoulos2022, Proposition 2.1",
    compute=compute,
    parameters={
        "arms": Option(1000, "actions on the sphere"),
        "dimension": Option(10, "d"),
        "sigma": Option(1.0, "standard deviation of the normal noise"),
        "n": Option(10000, "rewards in a batch where n does not vary"),
        "alpha": Option(0.05, "corruption probability where it does not vary"),
        "alphas": Option([0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.24], "corruption probabilities"),
        "attacks": Option(ATTACKS, "pairs of an attack and its size"),
        "ns": Option([300, 1000, 3000, 10000, 30000, 100000], "numbers of rewards"),
        "along_n": Option(["constant", "threshold"], "attacks for which n varies"),
        "sizes": Option([1.0, 3.0, 10.0, 30.0, 100.0, 1000.0, 10000.0], "sizes of an attack"),
        "along_size": Option(["constant", "second-best"], "attacks whose size varies"),
        "repetitions": Option(60, "batches for each case"),
        "delta": Option(0.001, "failure probability in the bounds"),
        "seed": SEED,
    },
)
