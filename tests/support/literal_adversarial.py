"""Adversarial policies on loss sequences, round by round: what the tests compare simulations with.

The policies are those of `dpbandits.policies.adversarial`, written from asi2025 and from formulas in the original
papers; simulations share nothing with them. Losses are a table of means with one row for each round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.policies import algorithms

Rng = np.random.Generator
Table = list[list[float]]


# --- loss sequences: mean losses by round and arm, and whether losses are Bernoulli draws ---


def bernoulli_gap(T: int, *, arms: int, gap: float, level: float = 0.5) -> tuple[Table, bool]:
    """Arm 1 has mean loss level - gap, the others level."""
    return [[level - gap] + [level] * (arms - 1) for _ in range(T)], True


def hardest_gap(T: int, *, arms: int, model: str, epsilon: float, scale: float = 1.0) -> tuple[Table, bool]:
    """The gap is scale sqrt(K/(epsilon T)) or scale sqrt(K/T)/epsilon, at most 1/2."""
    factor = {"central": math.sqrt(1 / epsilon), "local": 1 / epsilon}[model]
    return bernoulli_gap(T, arms=arms, gap=min(0.5, scale * factor * math.sqrt(arms / T)))


def drifting_means(T: int, *, arms: int, gap: float, growth: float = 1.6) -> tuple[Table, bool]:
    """Phases of growing length, with means (0, gap, ..., gap) and (1 - gap, 1, ..., 1) in turn."""
    table: Table = []
    phase = 0
    while len(table) < T:
        high = (1 - gap) * (phase % 2)
        table += [[high] + [high + gap] * (arms - 1)] * round(growth**phase)
        phase += 1
    return table[:T], True


def late_improvement(T: int, *, improves: float | None) -> tuple[Table, bool]:
    """Lemma 11: arm 1 has loss 1/2; arm 2 has loss 1, and 0 after the round (or fraction of T) ``improves``."""
    last = T if improves is None else round(improves * T) if improves < 1 else improves
    return [[0.5, 1.0 if t <= last else 0.0] for t in range(1, T + 1)], False


def periodic(T: int, *, losses: Table) -> tuple[Table, bool]:
    """The rows of ``losses``, repeated."""
    return [losses[t % len(losses)] for t in range(T)], False


def segments(T: int, *, lengths: Sequence[int], means: Table) -> tuple[Table, bool]:
    """Bernoulli losses whose means repeat with a period of several segments: no environment of the package."""
    period = [row for length, row in zip(lengths, means, strict=True) for _ in range(length)]
    return [period[t % len(period)] for t in range(T)], True


SEQUENCES: dict[str, Callable[..., tuple[Table, bool]]] = {
    "bernoulli-gap": bernoulli_gap,
    "hardest-gap": hardest_gap,
    "drifting-means": drifting_means,
    "late-improvement": late_improvement,
    "periodic": periodic,
    "segments": segments,
}


def run(
    name: str, parameters: dict[str, Any], sequence: tuple[Table, bool], rounds: Sequence[int], rng: Rng
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return pulls of each arm, shape (rounds, arms), and regret, shape (rounds,), after each of ``rounds``."""
    table, bernoulli = sequence
    policy = algorithms()[name](len(table[0]), rng, **parameters)
    uniforms = rng.random(len(table)).tolist() if bernoulli else [None] * len(table)
    actions = []
    for row, u in zip(table, uniforms, strict=True):
        action = policy.choose()
        actions.append(action)
        policy.update(action, row[action] if u is None else float(u < row[action]))
    means = np.array(table)
    pulls, regret = [], []
    for t in rounds:
        pulls.append(np.bincount(actions[:t], minlength=policy.arms))
        regret.append(means[np.arange(t), actions[:t]].sum() - means[:t].sum(axis=0).min())
    return np.array(pulls), np.array(regret)
