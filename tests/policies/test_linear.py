"""What elimination on given actions decides by, at numbers: widths, thresholds, levels and batch sizes.

A policy's formulas are compared with `dpbandits.settings.linear.theory`, which is written apart from them, and with
numbers by hand.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from dpbandits.policies.linear import clipped, elimination, phased, printed
from dpbandits.policies.linear.elimination import Batch, Elimination
from dpbandits.settings.linear import theory

MAKERS = {**clipped.POLICIES, **elimination.POLICIES, **phased.POLICIES, **printed.POLICIES}
D, T, B, EPSILON, DELTA, ALPHA, CLIP, NU, FACTOR, C = 3, 4096, 4, 0.7, 0.02, 0.13, 1.5, 0.3, 0.25, 5.0
GIVEN = {
    **{"B": B, "epsilon": EPSILON, "delta": DELTA, "alpha": ALPHA, "clip": CLIP, "nu": NU, "factor": FACTOR},
    "C": C,
}
# Parameters of each policy beside actions and horizon.
TAKEN = {
    "phased-elimination": ("delta",),
    "robust-phased-elimination": ("delta", "C"),
    "robust-elimination": ("B", "delta", "alpha", "clip", "factor"),
    "robust-elimination-m1-printed": ("B", "delta", "alpha", "factor", "epsilon"),
    "robust-elimination-m2-printed": ("B", "delta", "alpha", "factor", "epsilon", "nu"),
}
PRIVATE = ("B", "delta", "alpha", "clip", "factor", "epsilon")
NUMBER, SUPPORT, REPORTS, POOLED, REACH, NOISE, SECOND = 2, 5, 90, 7, 0.21, 0.9, 3.7
BATCH = Batch(NUMBER, SUPPORT, REPORTS, POOLED, REACH, NOISE, SECOND)
# Numbers of the published support bound: 4 d log log d + 16 at d = 3, rounded down.
BOUND = 17


def make(name: str, **more: Any) -> Any:
    """Return a policy on three unit vectors and one more action."""
    taken = TAKEN.get(name, (*PRIVATE, *(("nu",) if name.endswith("-m2") else ())))
    given = {key: GIVEN[key] for key in taken} | more
    actions = np.vstack([np.eye(D), [[0.5, 0.5, 0.0]]])
    return MAKERS[name](D + 1, np.random.default_rng(0), actions=actions, horizon=T, **given)


def known(second_variance: float) -> float:
    """Return the width of known constants at `BATCH`, without its factor."""
    return theory.known_width(REACH, REPORTS, SECOND, second_variance, NOISE, ALPHA, DELTA)


def clipped(log: float, bias: float) -> tuple[float, float]:
    """Return level and width of reports that are cut, at `BATCH`, without the width's factor."""
    level = theory.clipping_level(log, CLIP, 2.0 * CLIP / EPSILON)
    variance = 1.0 + 2.0 * NOISE**2
    return level, theory.clipped_width(REACH, REPORTS, variance, NOISE, ALPHA, DELTA, level, bias)


def test_every_policy_has_its_width_here() -> None:
    assert set(MAKERS) == {*WIDTHS, *CUT}


# Rounds of batch 2: q^2 with q = T^(1/4) = 8, and with q = (T/(1 + nu times the support))^(1/4).
SIZE = 64.0
OF_M2 = math.sqrt(T / (1.0 + NU * BOUND))
POOLED_VARIANCE = 1.0 / POOLED + 2.0 * NOISE**2
M0 = 4.0 * D * (math.log(math.log(3.0)) + 18.0)
WIDTHS = {
    "phased-elimination": 0.25,
    "robust-phased-elimination": math.sqrt(D * math.log(50.0) / M0) + C * math.sqrt(24.0) / 4.0,
    "robust-elimination-m1-printed": FACTOR * theory.printed_width_m1(D, SIZE, ALPHA, EPSILON, DELTA),
    "robust-elimination-m2-printed": FACTOR * theory.printed_width_m2(D, SUPPORT, SIZE, ALPHA, EPSILON, DELTA, NU),
    **{
        name: FACTOR * known(POOLED_VARIANCE)
        for name in (
            "robust-elimination",
            "robust-elimination-m1",
            "robust-elimination-m2",
            "private-elimination-m1",
            "private-elimination-m2",
        )
    },
}
# The log 1/p of the level, and the bound of the bias that the cut makes.
CUT = {
    "clipped-elimination-m1": (math.log(2.0 / DELTA), 0.0),
    "clipped-elimination-m1-low": (math.log(1.0 / ALPHA), (2.0 * CLIP + 2.0 * CLIP / EPSILON) * ALPHA),
}


@pytest.mark.parametrize("name", sorted(WIDTHS))
def test_a_width_is_its_formula(name: str) -> None:
    assert make(name).width(BATCH) == pytest.approx(WIDTHS[name], rel=1e-12)


@pytest.mark.parametrize("name", sorted(CUT))
def test_level_and_width_of_reports_that_are_cut(name: str) -> None:
    """Without corruption the lower level is that of one round in T."""
    log, bias = CUT[name]
    level, width = clipped(log, bias)
    policy = make(name)
    assert policy.level == pytest.approx(level, rel=1e-12)
    assert policy.width(BATCH) == pytest.approx(FACTOR * width, rel=1e-12)
    honest = make(name, alpha=0.0)
    rare = math.log(T) if bias else log
    assert honest.level == pytest.approx(theory.clipping_level(rare, CLIP, 2.0 * CLIP / EPSILON), rel=1e-12)


def test_thresholds() -> None:
    """Least squares has none; as printed it is of the reports themselves; else of what a clean report can be."""
    reports = np.array([1.0, -2.0, 0.5])
    for name in MAKERS:
        found = make(name).threshold(BATCH, reports)
        if name.endswith("-printed"):
            assert found == pytest.approx(REACH * 5.25 / REPORTS), name
        elif name.startswith("robust-elimination"):
            assert found == pytest.approx(SECOND / REPORTS), name
        else:
            assert found == math.inf, name


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        # 4 rank w 4^i log(active i (i + 1)/delta), rank 3, i = 2, of 4 active actions: log 1200.
        ("phased-elimination", [math.ceil(192 * w * math.log(1200.0)) for w in (0.5, 0.3, 0.2, 0.001)]),
        # As many as the least size, 4, even for the least weight.
        ("robust-phased-elimination", [math.ceil(4.0 * M0 * w) for w in (0.5, 0.3, 0.2)] + [4]),
        ("robust-elimination", [32, 20, 13, 1]),
        ("robust-elimination-m1", [32, 20, 13, 1]),
        ("robust-elimination-m1-printed", [32, 20, 13, 1]),
        # As printed the base is T^(1/B), and no weight is below nu = 0.3.
        ("robust-elimination-m2-printed", [32, 20, 20, 20]),
        ("robust-elimination-m2", [math.ceil(OF_M2 * max(w, NU)) for w in (0.5, 0.3, 0.2, 0.001)]),
    ],
)
def test_sizes_of_the_second_batch(name: str, sizes: list[int]) -> None:
    policy: Elimination = make(name)
    assert policy.pulls_per_action(2, np.array([0.5, 0.3, 0.2, 0.001]), 4, 3) == sizes


def test_the_last_batch_and_the_first() -> None:
    """Batches are numbered from 1 to B - 1; those of robust phased elimination from 0."""
    for name in MAKERS:
        policy = make(name)
        assert policy.first_batch() == (0 if name == "robust-phased-elimination" else 1), name
        assert policy.number == policy.first_batch() - 1
        assert policy.last_batch() == (63 if "phased" in name else B - 1), name


@pytest.mark.parametrize(("name", "pulls"), [("robust-elimination-m1", 1), ("robust-elimination-m2", 4)])
def test_a_report_is_a_mean_with_noise_of_one_reward_s_share(name: str, pulls: int) -> None:
    """The scale and what a reward moves both fall with the number of rewards; rewards are cut before."""
    policy = make(name)
    released: list[tuple[float, ...]] = []
    policy.release = lambda *given: released.append(given) or 0.0
    policy.report(2, 3.0, pulls)
    assert policy.scale == pytest.approx(2.0 * CLIP / EPSILON)
    ((value, scale, moved, arm, number),) = released
    assert (value, arm, number) == (3.0 / pulls, 2, pulls)
    assert scale == pytest.approx(2.0 * CLIP / EPSILON / pulls) and moved == pytest.approx(2.0 * CLIP / pulls)
    assert moved / scale == pytest.approx(EPSILON)


def test_as_printed_noise_is_for_rewards_in_1() -> None:
    for name in printed.POLICIES:
        policy = make(name)
        assert policy.scale == pytest.approx(2.0 / EPSILON) and (policy.low, policy.high) == (-1.0, 1.0)
        assert 2.0 * policy.bound / policy.scale == pytest.approx(EPSILON)
