"""Parameters and statements of privacy that several elimination algorithms share."""

from __future__ import annotations

import functools
import math

from dpbandits.core import mathematics
from dpbandits.core.algorithm import Privacy, Worst
from dpbandits.core.fields import Parameter, Tuning, Values
from dpbandits.settings.linear.design import support_bound


class _Batches(Parameter):
    """B: at most log2 T, since the batches q, q^2, ..., q^(B-1) sum to more than T = q^B for q < 2."""

    def largest(self, tuning: Tuning) -> float:
        return max(1.0, math.floor(mathematics.log2(tuning.horizon)))

    @property
    def range(self) -> str:
        return ">= 1 and <= log2 T"


def _log_horizon(tuning: Tuning, _: Values) -> float:
    """log T, rounded up, at least 1"""
    return max(1, math.ceil(mathematics.log(tuning.horizon)))


def _one_over_arms_and_squared_horizon(tuning: Tuning, _: Values) -> float:
    """1/(K T^2)"""
    return 1.0 / (tuning.arms * tuning.horizon * tuning.horizon)


def _corruption(tuning: Tuning, _: Values) -> float:
    """the environment's"""
    return tuning.facts.get("corruption", 0.0)


def _bound(tuning: Tuning, _: Values) -> float:
    """the environment's bound on rewards"""
    return tuning.facts.get("bound", 1.0)


def _one_over_support(tuning: Tuning, _: Values) -> float:
    """1/(4 d log log d + 16)"""
    return 1.0 / support_bound(int(tuning.facts.get("dimension", 1.0)))


B = _Batches("B", int, _log_horizon, "number of batches, the last of which plays the best action", at_least=1)
DELTA = Parameter(
    "delta",
    float,
    _one_over_arms_and_squared_horizon,
    "failure probability of one interval; the proof of Theorem 3.4 takes it proportional to the default",
    above=0,
    at_most=1,
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


def loss_of_reports(clip: float, epsilon: float, _: Values) -> Worst:
    """Return the worst privacy loss of one report: a reward, clipped to [-clip, clip], plus Lap(2/epsilon).

    It is the algorithm's loss: decisions follow from the reports alone, and each reward enters one report. For a
    mean of n rewards both the effect of one reward and the noise are n times smaller, so n does not matter.

    ``clip`` is 1, as the unit of rewards does not matter either, or infinite for an algorithm that does not clip.
    Without clipping the loss grows without bound with the distance of two rewards; the rewards here are -3 and 3.
    The loss comes with these two rewards, the event that the report is at least the higher one as clipped, and the
    event's probabilities.
    """
    scale = 2.0 / epsilon
    low, high = (min(clip, max(-clip, reward)) for reward in (-LARGE, LARGE))
    loss = (high - low) / scale
    return Worst(
        loss=loss,
        of=f"one report of a reward{' clipped to [-1, 1]' if clip == 1.0 else ''} with Lap({scale:g})",
        one={"reward": LARGE},
        other={"reward": -LARGE},
        event=f"the report is at least {high:g}",
        probabilities=(0.5, 0.5 * mathematics.exp(-loss)),
    )


# A reward that a mean in [-1, 1] and subgaussian noise often reach.
LARGE = 3.0
CLIPPED, UNCLIPPED = (functools.partial(loss_of_reports, clip) for clip in (1.0, math.inf))
NEIGHBOURS = "the reward of one round replaced"
PRIVACY_M1 = Privacy(
    definition="local",
    neighbours=NEIGHBOURS,
    mechanism="every reward clipped to [-clip, clip] and reported once with Lap(2 clip/epsilon)",
    exact=CLIPPED,
)
PRIVACY_M2 = Privacy(
    definition="pure",
    neighbours=NEIGHBOURS,
    mechanism="means of n rewards in [-clip, clip], each with Lap(2 clip/(n epsilon)); parallel composition",
    exact=CLIPPED,
)
# As printed: the scales are right for rewards in an interval of length 2, and eq. 1 does not bound rewards.
PRIVACY_M1_PRINTED = Privacy(
    definition="local",
    neighbours=NEIGHBOURS,
    mechanism="every reward reported once with Lap(2/epsilon); right if rewards lie in an interval of length 2",
    exact=UNCLIPPED,
)
PRIVACY_M2_PRINTED = Privacy(
    definition="pure",
    neighbours=NEIGHBOURS,
    mechanism="means of n rewards, each with Lap(2/(n epsilon)); right if rewards lie in an interval of length 2",
    exact=UNCLIPPED,
)
