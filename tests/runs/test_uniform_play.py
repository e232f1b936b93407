"""Uniform play's regret, in each setting, against what it is by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dpbandits.runs.job import make_job
from dpbandits.runs.uniform_play import uniform_play

GOOD_EXPERT = {"experts": 4, "actions": 4, "gap": 0.5, "advice": "near-deterministic"}
# Algorithm, environment, budget, rounds, and the regret there.
KNOWN: list[tuple[str, dict[str, Any], float | None, int, float]] = [
    ("imed", {"kind": "bernoulli", "means": [0.75, 0.7, 0.2]}, None, 1000, (0.05 + 0.55) / 3 * 1000),
    ("exp3", {"kind": "bernoulli-gap", "arms": 10, "gap": 0.5}, None, 1000, 0.45 * 1000),
    # Up to the half arm 1 is better by 1/2, from then on arm 2: at the end they cost the same.
    ("exp3", {"kind": "late-improvement", "improves": None}, None, 1000, 0.25 * 1000),
    # The good expert leaves 0.1 to other actions: uniform play of actions costs 0.5 (0.9 - 1/4) more.
    ("exp4", {"kind": "one-good-expert", **GOOD_EXPERT}, None, 1000, 0.325 * 1000),
    (
        "rnm-ftnl-gumbel",
        {"kind": "hidden-action", "arms": 10, "gap": 0.1, "losses": "deterministic"},
        0.1,
        1000,
        (2 * 0.1 + 7 * 1.0) / 10 * 1000,
    ),
]


@pytest.mark.parametrize(("algorithm", "environment", "epsilon", "rounds", "regret"), KNOWN)
def test_by_hand(
    algorithm: str, environment: dict[str, Any], epsilon: float | None, rounds: int, regret: float
) -> None:
    """At the last round and at an earlier one."""
    job = make_job(algorithm, {}, environment, epsilon, rounds, 1, 0)
    last, before = uniform_play(job, np.array([rounds, rounds // 2]))
    assert last == pytest.approx(regret)
    assert before == pytest.approx(regret / 2)


def test_segments_within_a_period() -> None:
    """Losses that change are summed round by round."""
    environment = {"kind": "drifting-means", "arms": 3, "gap": 0.3}
    job = make_job("exp3", {}, environment, None, 1000, 1, 0)
    rounds = np.arange(1, 1001)
    regret = uniform_play(job, rounds)
    assert regret[0] > 0.0
    # Regret is against the best arm so far, whose lead grows by at most the gap a round.
    assert np.abs(np.diff(regret)).max() <= 0.3 + 1e-9
