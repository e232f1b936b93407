"""Arm elimination in batches: what Algorithm 1 of charisopoulos2022 and what it is compared with share.

A batch plays a G-optimal design on the active actions, the clients report, a spectral filter or plain least squares
estimates every active action's mean reward, and actions far below the best one are dropped. The algorithms differ
in their `Rules`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dpbandits.algorithm import Parameter, Privacy, Setting
from dpbandits.errors import BadInput
from dpbandits.linear.bandit import Block, Clock, Counts, Floats, mean_reports, play, single_reports
from dpbandits.linear.design import Design, approximate_design, support_bound
from dpbandits.linear.spectral_filter import filtered_mean
from dpbandits.linear.theory import known_width
from dpbandits.streams import argmax

# A batch's reports, and the filter's tree of them, take 24 bytes each.
MOST_REPORTS = 10**9


class Model(NamedTuple):
    """Who reports what.

    Attributes
    ----------
    reports
        Draws the reports of a batch.
    aggregated
        Whether an action has one report, the mean of its rewards, instead of one for each reward.
    """

    reports: Callable[..., Floats]
    aggregated: bool


M1 = Model(single_reports, aggregated=False)
M2 = Model(mean_reports, aggregated=True)


class Batch(NamedTuple):
    """What is known of a batch beside its reports.

    Attributes
    ----------
    number
        i = 1, 2, ...
    dimension, support
        d, and the number k of actions in the design's support.
    reports
        Number of reports: n under (M1), k under (M2).
    pooled
        Least number of rewards in a report: 1 under (M1), the smallest n_a under (M2).
    reach
        Largest ||a||^2 in M^-1 of an active action, M the sum of a a^T over reports.
    scale
        Scale of the Laplace noise on a report, at most.
    second_moment
        Bound of E r^2 of a clean report: mean 1, noise of variance 1, both within the clip, and Laplace noise.
    """

    number: int
    dimension: int
    support: int
    reports: int
    pooled: int
    reach: float
    scale: float
    second_moment: float


@dataclass(frozen=True)
class Rules:
    """What an algorithm does in each batch.

    Attributes
    ----------
    batches
        The numbers i of the batches; after them the best action is played on. They may be endless.
    pulls
        ``pulls(i, design)`` returns n_a for the actions of the design's support.
    width
        ``width(batch)`` returns gamma_i; actions more than twice as far below the best are dropped.
    threshold
        ``threshold(batch, reports)`` returns the filter's lambda; infinity is least squares.
    model
        Who reports what.
    clip
        Clients clip rewards to [-clip, clip].
    scale
        Scale of the Laplace noise on a reward, or on the sum of a report's rewards; 0 without privacy.
    support_only
        Whether actions outside the design's support are dropped whatever their estimate, as line 10 is printed.
    """

    batches: Iterable[int]
    pulls: Callable[[int, Design], Counts]
    width: Callable[[Batch], float]
    threshold: Callable[[Batch, Floats], float]
    model: Model = M1
    clip: float = math.inf
    scale: float = 0.0
    support_only: bool = False


def eliminate(block: Block, rules: Rules) -> None:
    """Fill ``block`` with runs of the algorithm that ``rules`` describes.

    Raises
    ------
    BadInput
        If rewards are reported one by one, and are too many to keep those of a batch.
    """
    if not rules.model.aggregated and block.horizon > MOST_REPORTS:
        raise BadInput("horizon", block.horizon, f"at most {MOST_REPORTS}: rewards are reported one by one")
    for run in range(block.streams.shape[0]):
        _run(block, run, rules)


def _run(block: Block, run: int, rules: Rules) -> None:
    state = block.streams[run]
    active = np.arange(block.actions.shape[0])
    estimates = np.zeros(active.size)
    clock = Clock(0, 0, 0.0)
    for number in rules.batches:
        design = approximate_design(block.actions[active])
        # One action is left, or all that are pay nothing: more batches could tell nothing.
        if active.size == 1 or design.rank == 0:
            break
        pulls = rules.pulls(number, design)
        clock = play(block, run, clock, active[design.arms], pulls)
        if clock.t == block.horizon:
            return
        estimates, width = _estimate(block, state, active, design, pulls, number, rules)
        candidates = design.arms if rules.support_only else np.arange(active.size)
        kept = candidates[estimates[candidates] >= estimates[candidates].max() - 2.0 * width]
        active, estimates = active[kept], estimates[kept]
    if rules.support_only:
        kept = approximate_design(block.actions[active]).arms
        active, estimates = active[kept], estimates[kept]
    best = active[argmax(state, estimates)]
    play(block, run, clock, np.array([best]), np.array([block.horizon]))


def _estimate(
    block: Block, state: Any, active: Counts, design: Design, pulls: Counts, number: int, rules: Rules
) -> tuple[Floats, float]:
    """Return every active action's estimated mean reward, shape (active,), and gamma_i (lines 6 to 9)."""
    repeats = np.ones_like(pulls) if rules.model.aggregated else pulls
    points = design.coordinates
    support = points[design.arms]
    root = np.linalg.cholesky((support.T * repeats) @ support)
    # M^(-1/2) a; any root of M^-1 gives the same filter, turned.
    vectors = np.ascontiguousarray(np.linalg.solve(root, points.T).T)
    lengths = np.einsum("ki,ki->k", vectors, vectors)
    pooled = int(pulls.min()) if rules.model.aggregated else 1
    batch = Batch(
        number=number,
        dimension=block.actions.shape[1],
        support=pulls.size,
        reports=int(repeats.sum()),
        pooled=pooled,
        reach=float(lengths.max()),
        scale=rules.scale / pooled,
        second_moment=min(rules.clip**2, 1.0 + 1.0 / pooled) + 2.0 * (rules.scale / pooled) ** 2,
    )
    # A fraction f of reports of size c adds f c^2 to the second moment; three times the clean one is tolerated.
    share = max(block.corruption.probability, lengths[design.arms].max())
    unit = math.sqrt(3.0 * batch.second_moment / share)
    reports = rules.model.reports(state, block, active[design.arms], pulls, rules.clip, rules.scale, unit)
    centre, _ = filtered_mean(state, vectors[design.arms], repeats, reports, rules.threshold(batch, reports))
    return batch.reports * (vectors @ centre), rules.width(batch)


# The filter's threshold.


def known_threshold(batch: Batch, _: Floats) -> float:
    """Return the second moment of a clean report, divided by n.

    The reports' vectors x = M^(-1/2) a have sum of x x^T = I, so the covariance of clean points r x is at most
    max E r^2 / n in every direction. Unlike the printed threshold it does not grow with the corruption.
    """
    return batch.second_moment / batch.reports


def printed_threshold(batch: Batch, reports: Floats) -> float:
    """Return max ||a||^2 times the mean square of the received reports (Algorithm 1, line 7).

    It is at least the trace of the points' covariance, so that no eigenvalue reaches 4 times it: the filter never
    removes a point. "max over A" is taken over the active actions, for which Lemma 3.2 bounds it.
    """
    return batch.reach * float(np.mean(reports**2))


def no_filter(_batch: Batch, _reports: Floats) -> float:
    """Return infinity: least squares."""
    return math.inf


# Batch sizes and widths.


def pulls_m1(growth: float) -> Callable[[int, Design], Counts]:
    """Return the rule n_a = ceil(q^i pi(a)), q = ``growth`` (Algorithm 1, line 5)."""
    return pulls_m2(growth, 0.0)


def pulls_m2(growth: float, nu: float) -> Callable[[int, Design], Counts]:
    """Return the rule n_a = ceil(q^i max{pi(a), nu}), q = ``growth`` (Algorithm 1, line 5)."""
    return lambda number, design: np.ceil(growth**number * np.maximum(design.weights, nu)).astype(np.int64)


def stated_width(factor: float, delta: float, alpha: float) -> Callable[[Batch], float]:
    """Return the rule gamma_i = ``factor`` times `dpbandits.linear.theory.known_width`."""

    def width(batch: Batch) -> float:
        variance = 1.0 / batch.pooled + 2.0 * batch.scale**2
        return factor * known_width(
            batch.reach, batch.reports, batch.second_moment, variance, batch.scale, alpha, delta
        )

    return width


# Parameters that several algorithms take.


class _Batches(Parameter):
    """B: at most log2 T, since the batches q, q^2, ..., q^(B-1) sum to more than T = q^B for q < 2."""

    def largest(self, setting: Setting) -> float:
        return max(1.0, math.floor(math.log2(setting.horizon)))

    @property
    def range(self) -> str:
        return ">= 1 and <= log2 T"


def _log_horizon(setting: Setting, _: Mapping[str, Any]) -> float:
    """log T, rounded up, at least 1"""
    return max(1, math.ceil(math.log(setting.horizon)))


def _one_over_arms_and_squared_horizon(setting: Setting, _: Mapping[str, Any]) -> float:
    """1/(K T^2)"""
    return 1.0 / (setting.arms * setting.horizon**2)


def _corruption(setting: Setting, _: Mapping[str, Any]) -> float:
    """the environment's"""
    return setting.facts.get("corruption", 0.0)


def _bound(setting: Setting, _: Mapping[str, Any]) -> float:
    """the environment's bound on rewards"""
    return setting.facts.get("bound", 1.0)


def _one_over_support(setting: Setting, _: Mapping[str, Any]) -> float:
    """1/(4 d log log d + 16)"""
    return 1.0 / support_bound(int(setting.facts.get("dimension", 1.0)))


B = _Batches("B", int, _log_horizon, "number of batches, the last of which plays the best action", at_least=1)
DELTA = Parameter(
    "delta",
    float,
    _one_over_arms_and_squared_horizon,
    "failure probability of one interval; the proof of Theorem 3.4 takes it proportional to the default",
    above=0,
    below=1,
)
ALPHA = Parameter(
    "alpha",
    float,
    _corruption,
    "upper bound of the corruption probability that the learner knows",
    at_least=0,
    below=0.25,
)
NU = Parameter(
    "nu",
    float,
    _one_over_support,
    "truncation: an action of the design is played at least nu q^i times; the default at most doubles a batch",
    above=0,
    at_most=1,
)
CLIP = Parameter("clip", float, _bound, "clients clip rewards to [-clip, clip]", above=0)
FACTOR = Parameter(
    "factor",
    float,
    0.2,
    "multiple of gamma_i; 1 guards against all intervals of all runs at once: 2 gamma_i is some 16 standard "
    "deviations of the least certain estimate; at the default about 3, as the best of 1,000 equal ones stands out",
    above=0,
)
PRINTED_FACTOR = Parameter(
    "factor", float, 1.0, "multiple of gamma_i, whose constant the paper leaves open", above=0
)


# The statements of the algorithms that clip, under either model.
PRIVACY_M1 = Privacy(
    definition="local",
    neighbours="the reward of one round replaced",
    mechanism="every reward clipped to [-clip, clip] and reported once with Lap(2 clip/epsilon)",
)
PRIVACY_M2 = Privacy(
    definition="pure",
    neighbours="the reward of one round replaced",
    mechanism="means of n rewards in [-clip, clip], each with Lap(2 clip/(n epsilon)); parallel composition",
)
