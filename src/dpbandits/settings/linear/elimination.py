"""Arm elimination in batches: the part that Algorithm 1 of charisopoulos2022 and its rivals share.

A batch plays a G-optimal design on the active actions, and the clients report. Under model (M1) they report each
reward, under (M2) the mean of an action's rewards. A spectral filter or plain least squares estimates every active
action's mean reward. Actions far below the best one are dropped. The algorithms differ in their `Rules`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.errors import BadInput
from dpbandits.core.mathematics import power
from dpbandits.core.recording import Runs
from dpbandits.settings.linear.algebra import cholesky, moments, products, solved, squared_lengths
from dpbandits.settings.linear.design import Design, approximate_design
from dpbandits.settings.linear.problem import Bandit, Clocks, Counts, Floats, start
from dpbandits.settings.linear.side_by_side import play_and_report, play_best, play_out
from dpbandits.settings.linear.spectral_filter import filtered_means
from dpbandits.settings.linear.theory import clipped_width, known_width

# A batch's reports, and the filter's tree of them, take 24 bytes each.
MOST_REPORTS = 10**9
# More batches than fit into any horizon, if each is at least twice as long as the one before.
ENDLESS = 64
# Runs are taken together as long as what is kept of them has no more numbers than this.
AT_ONCE = 2 * 10**6


class Model(NamedTuple):
    """Model of reporting of charisopoulos2022: (M1), a report for each reward; (M2), one for each action.

    Attributes
    ----------
    aggregated
        Whether an action has one report, the mean of its rewards, instead of one for each reward.
    """

    aggregated: bool


M1, M2 = Model(aggregated=False), Model(aggregated=True)


class Batch(NamedTuple):
    """Facts of a batch on which the width gamma_i of its estimates and the filter's threshold may depend.

    Attributes
    ----------
    number
        The batch's number, i = 1, 2, ... in the paper.
    dimension, support
        Dimension d of the actions, and number k of actions in the design's support.
    reports
        Number of reports: n under (M1), k under (M2).
    pooled
        Least number of rewards in a report: 1 under (M1), the smallest n_a under (M2).
    reach
        Largest a^T M^-1 a of an active action a; M is the sum of a a^T over the actions of all reports.
    scale
        Largest scale of the Laplace noise on a report.
    second_moment
        Upper bound of E r^2 of an uncorrupted report r, from its clipping, its Laplace noise, and a mean and noise
        variance of rewards of at most 1.
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
    """The rules by which an elimination algorithm plays, estimates and drops actions in each batch.

    Attributes
    ----------
    batches
        Numbers i of the batches; after the last one, the best action is played to the horizon.
    pulls
        ``pulls(i, design)`` returns the number of pulls n_a of each action in the design's support.
    width
        ``width(batch)`` returns ``factor`` times gamma_i, for an algorithm with this parameter. Actions whose
        estimate is more than two such widths below the best are dropped.
    threshold
        ``threshold(batch, reports)`` returns the filter's lambda, one for each row of ``reports`` (a run), or one
        number for all. With infinity nothing is filtered, and the estimate is least squares.
    model
        Model of reporting, (M1) or (M2).
    clip
        Bound to which clients clip rewards, to [-clip, clip]; infinite for none.
    scale
        Scale of the Laplace noise on a reward, or on the sum of a report's rewards; 0 without privacy.
    support_only
        Whether actions outside the design's support are dropped whatever their estimate, as line 10 of the
        printed Algorithm 1 does.
    level
        Bound to which the server cuts reports, to [-level, level]; infinite for none.
    """

    batches: range
    pulls: Callable[[int, Design], Counts]
    width: Callable[[Batch], float]
    threshold: Callable[[Batch, Floats], float | Floats]
    model: Model = M1
    clip: float = math.inf
    scale: float = 0.0
    support_only: bool = False
    level: float = math.inf


class Group(NamedTuple):
    """Runs that are played together, because they have the same active actions.

    Attributes
    ----------
    runs : ndarray of int64, shape (runs,)
        Numbers of the runs.
    active : ndarray of int64, shape (actions,)
        Numbers of the active actions.
    estimates : ndarray of float64, shape (runs, actions)
        Each run's estimates of the active actions' mean rewards from the batch before; 0 in the first batch.
    design
        The design on the active actions if it is known already, else ``None``.
    """

    runs: Counts
    active: Counts
    estimates: Floats
    design: Design | None


def eliminate(runs: Runs, bandit: Bandit, rules: Rules) -> None:
    """Simulate the elimination algorithm that ``rules`` describes, and record pulls and regret in ``runs``.

    Batches are played one after another. Runs with the same active actions are played together, on one design.

    Raises
    ------
    BadInput
        If rewards are reported one by one, under (M1), and the horizon is above 10^9.
    """
    if not rules.model.aggregated and runs.horizon > MOST_REPORTS:
        raise BadInput("horizon", runs.horizon, f"at most {MOST_REPORTS}: rewards are reported one by one")
    number, arms = runs.pulls.shape
    clocks = start(number)
    for some in _pieces(np.arange(number), arms):
        groups = [Group(some, np.arange(arms), np.zeros((some.size, arms)), None)]
        for i in rules.batches:
            groups = [part for group in groups for part in _batch(runs, bandit, group, i, rules, clocks)]
        for group in groups:
            _finish(runs, bandit, group, rules, clocks)


def _pieces(some: Counts, each: int) -> Iterator[Counts]:
    """Yield the runs ``some`` in pieces of which ``each`` numbers a run can be kept."""
    size = max(1, AT_ONCE // each)
    for first in range(0, some.size, size):
        yield some[first : first + size]


def _finish(runs: Runs, bandit: Bandit, group: Group, rules: Rules, clocks: Clocks) -> None:
    """Play the best action to the horizon (line 12)."""
    kept = np.arange(group.active.size)
    if rules.support_only:
        kept = approximate_design(bandit.actions[group.active]).arms
    play_best(runs, bandit, group.runs, group.active[kept], group.estimates[:, kept], clocks)


def _batch(runs: Runs, bandit: Bandit, group: Group, number: int, rules: Rules, clocks: Clocks) -> Iterator[Group]:
    """Play a batch, and yield the runs that it leaves before the horizon, by the actions that they keep."""
    active = group.active
    design = group.design or approximate_design(bandit.actions[active])
    # One action is left, or all that are pay nothing: more batches could tell nothing.
    if active.size == 1 or design.rank == 0:
        yield group._replace(design=design)
        return
    arms, pulls = active[design.arms], rules.pulls(number, design)
    rounds_left = runs.horizon - clocks.t[group.runs]
    over = rounds_left <= pulls.sum()
    play_out(runs, bandit, group.runs[over], arms, pulls, clocks)
    if over.all():
        return
    plan = _plan(bandit, design, arms, pulls, number, rules)
    width = rules.width(plan.batch)
    candidates = design.arms if rules.support_only else np.arange(active.size)
    for some in _pieces(group.runs[~over], plan.batch.reports):
        estimates = _estimates(runs, bandit, some, plan, rules, clocks)[:, candidates]
        kept = estimates >= estimates.max(axis=1, keepdims=True) - 2.0 * width
        for rows in _equal_rows(kept):
            left = np.flatnonzero(kept[rows[0]])
            known = design if left.size == active.size else None
            yield Group(some[rows], active[candidates[left]], estimates[np.ix_(rows, left)], known)


def _equal_rows(table: NDArray[np.bool_]) -> Iterator[Counts]:
    """Yield the numbers of the rows that are equal to one another, one such set after the other."""
    packed = np.packbits(table, axis=1)
    order = np.lexsort(packed.T)
    new = (packed[order[1:]] != packed[order[:-1]]).any(axis=1)
    yield from np.split(order, np.flatnonzero(new) + 1)


class Plan(NamedTuple):
    """A batch's actions, numbers of pulls and vectors, as they are known before it is played.

    Attributes
    ----------
    arms, pulls : ndarray of int64, shape (k,)
        Numbers of the actions in the design's support, and the number of pulls of each.
    repeats : ndarray of int64, shape (k,)
        Number of reports on each of these actions.
    vectors : ndarray of float64, shape (active, rank)
        Vectors M^(-1/2) a of the active actions a, in coordinates of their span; M is the sum of a a^T over the
        actions of all reports.
    support : ndarray of float64, shape (k, rank)
        Rows of ``vectors`` that belong to ``arms``.
    batch
        Facts on which the width of the estimates and the filter's threshold may depend.
    unit
        Largest size of corrupted reports that the filter tolerates: an adaptive adversary's unit.
    """

    arms: Counts
    pulls: Counts
    repeats: Counts
    vectors: Floats
    support: Floats
    batch: Batch
    unit: float


def _plan(bandit: Bandit, design: Design, arms: Counts, pulls: Counts, number: int, rules: Rules) -> Plan:
    repeats = np.ones_like(pulls) if rules.model.aggregated else pulls
    points = design.coordinates
    support = points[design.arms]
    # M^(-1/2) a; any root of M^-1 gives the same filter, turned.
    vectors = solved(cholesky(moments(support, repeats.astype(np.float64))), points)
    norms = squared_lengths(vectors)
    pooled = int(pulls.min()) if rules.model.aggregated else 1
    scale = rules.scale / pooled
    batch = Batch(
        number=number,
        dimension=bandit.actions.shape[1],
        support=pulls.size,
        reports=int(repeats.sum()),
        pooled=pooled,
        reach=float(norms.max()),
        scale=scale,
        second_moment=min(rules.clip * rules.clip, 1.0 + 1.0 / pooled) + 2.0 * scale * scale,
    )
    # A fraction f of reports of size c adds f c^2 to the second moment; three times the clean one is tolerated.
    share = max(bandit.corruption.probability, norms[design.arms].max())
    unit = math.sqrt(3.0 * batch.second_moment / share)
    return Plan(arms, pulls, repeats, vectors, vectors[design.arms], batch, unit)


def _estimates(runs: Runs, bandit: Bandit, some: Counts, plan: Plan, rules: Rules, clocks: Clocks) -> Floats:
    """Play a batch and return every active action's estimated mean reward, shape (some, active) (lines 6 to 9)."""
    aggregated, clip, scale = rules.model.aggregated, rules.clip, rules.scale
    reports = play_and_report(runs, bandit, some, plan.arms, plan.pulls, clocks, aggregated, clip, scale, plan.unit)
    if rules.level < math.inf:
        reports = np.minimum(rules.level, np.maximum(-rules.level, reports))
    thresholds = np.broadcast_to(rules.threshold(plan.batch, reports), some.shape).copy()
    centres = filtered_means(runs.streams, some, plan.support, plan.repeats, reports, thresholds)
    return plan.batch.reports * products(centres, plan.vectors.T.copy())


# The filter's threshold.


def known_threshold(batch: Batch, _: Floats) -> float:
    """Return the filter's threshold from known scales: a bound of E r^2 of an uncorrupted report r, divided by n.

    There are n reports. The filter's points are r x, with the vectors x = M^(-1/2) a of the reports' actions, whose
    sum of x x^T is the identity. So in every direction the uncorrupted points have a mean second moment of at most
    max E r^2 / n. Unlike the printed threshold, this one does not grow with the corruption.
    """
    return batch.second_moment / batch.reports


def printed_threshold(batch: Batch, reports: Floats) -> Floats:
    """Return the printed threshold, max a^T M^-1 a times the mean square of the reports (Algorithm 1, line 7).

    ``reports`` has shape (runs, n), and the thresholds have shape (runs,). Each is at least the trace of the
    covariance of the filter's points. So no eigenvalue of it reaches 4 times the threshold, and the filter never
    removes a point. The printed "max over A" is taken over the active actions, for which Lemma 3.2 bounds it.
    """
    thresholds: Floats = batch.reach * np.mean(np.square(reports), axis=-1)
    return thresholds


def no_filter(_batch: Batch, _reports: Floats) -> float:
    """Return infinity, with which the filter removes nothing: least squares."""
    return math.inf


# Batch sizes and widths.


def pulls_m1(growth: float) -> Callable[[int, Design], Counts]:
    """Return the function ``pulls`` of `Rules` under (M1): n_a = ceil(q^i pi(a)) (Algorithm 1, line 5).

    That function takes the batch's number i and the design pi, and returns n_a for each action of positive weight.
    ``growth`` is q, by which the batches grow.
    """
    return pulls_m2(growth, 0.0)


def pulls_m2(growth: float, nu: float) -> Callable[[int, Design], Counts]:
    """Return the function ``pulls`` of `Rules` under (M2): n_a = ceil(q^i max{pi(a), nu}) (Algorithm 1, line 5).

    That function takes the batch's number i and the design pi, and returns n_a for each action of positive weight.
    ``growth`` is q, by which the batches grow; ``nu`` is the least weight of an action.
    """
    return lambda number, design: np.ceil(power(growth, number) * np.maximum(design.weights, nu)).astype(np.int64)


def stated_width(factor: float, delta: float, alpha: float) -> Callable[[Batch], float]:
    """Return a function from a `Batch` to ``factor`` (sqrt(2 v L r) + b L r + sqrt(r n s ``alpha``)).

    With factor 1 it is the width gamma_i of the filter's estimates, `theory.known_width`. L is log(2/``delta``),
    for the failure probability ``delta``. The batch has reach r and n reports, which have variance v, second moment
    s, and Laplace noise of scale b. ``alpha`` is the corruption probability that the learner allows for.
    """

    def width(batch: Batch) -> float:
        variance = 1.0 / batch.pooled + 2.0 * batch.scale * batch.scale
        return factor * known_width(
            batch.reach, batch.reports, batch.second_moment, variance, batch.scale, alpha, delta
        )

    return width


def clipping_width(
    factor: float, delta: float, alpha: float, level: float, bias: float
) -> Callable[[Batch], float]:
    """Return a function from a `Batch` to ``factor`` times the width of least squares on cut reports.

    The width is a bound of an estimate's error: `theory.clipped_width`, from Theorem J of
    docs/charisopoulos2022-clipping.md.

    Parameters
    ----------
    factor
        Multiple of the width, > 0.
    delta, alpha
        Failure probability of the bound, and corruption probability that it allows for.
    level
        Bound to which the server cuts reports, to [-level, level].
    bias
        Bound of how far cutting shifts the mean of an uncorrupted report.
    """

    def width(batch: Batch) -> float:
        variance = 1.0 + 2.0 * batch.scale * batch.scale
        return factor * clipped_width(batch.reach, batch.reports, variance, batch.scale, alpha, delta, level, bias)

    return width
