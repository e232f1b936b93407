"""charisopoulos2022, line by line: every point, every reward and every recursion by itself, nothing shared or fast.

Independent of the package but for the action set's design, which the paper leaves open, and the default constants.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dpbandits.settings.linear.design import approximate_design

Floats = NDArray[np.float64]


def leading(points: Floats) -> tuple[Floats, float, Floats]:
    """Return mean, and leading eigenvalue and eigenvector of the covariance (Algorithm 2, lines 1 and 2)."""
    mean = points.mean(axis=0)
    away = points - mean
    values, axes = np.linalg.eigh(away.T @ away / len(points))
    return mean, float(values[-1]), axes[:, -1]


def spectral_filter(points: Floats, threshold: float, random: np.random.Generator) -> tuple[Floats, list[int]]:
    """Return the mean that Algorithm 2 returns, and which points it leaves."""
    left = list(range(len(points)))
    while True:
        mean, value, axis = leading(points[left])
        if value < 4.0 * threshold:
            return mean, left
        scores = ((points[left] - mean) @ axis) ** 2
        if not scores.sum() > 0.0:
            return mean, left
        left.pop(random.choice(len(left), p=scores / scores.sum()))


def exact_law(points: Floats, threshold: float) -> dict[tuple[int, ...], float]:
    """Return the probability of every set of points that Algorithm 2 may leave, by following every removal."""

    @cache
    def law(left: tuple[int, ...]) -> dict[tuple[int, ...], float]:
        mean, value, axis = leading(points[list(left)])
        scores = ((points[list(left)] - mean) @ axis) ** 2
        if value < 4.0 * threshold or not scores.sum() > 0.0:
            return {left: 1.0}
        found: dict[tuple[int, ...], float] = {}
        for i, score in enumerate(scores / scores.sum()):
            if score > 0.0:
                for rest, chance in law(left[:i] + left[i + 1 :]).items():
                    found[rest] = found.get(rest, 0.0) + score * chance
        return found

    return law(tuple(range(len(points))))


Draw = Callable[[np.random.Generator, float], float]


def bernoulli(random: np.random.Generator, mean: float) -> float:
    """Return 1 or -1."""
    return 1.0 if random.random() < (1.0 + mean) / 2.0 else -1.0


def gaussian(sigma: float) -> Draw:
    """Return the law of normal noise."""
    return lambda random, mean: random.normal(mean, sigma)


def uniform(width: float) -> Draw:
    """Return the law of uniform noise."""
    return lambda random, mean: random.uniform(mean - width, mean + width)


def elimination(
    random: np.random.Generator,
    actions: Floats,
    theta: Floats,
    draw: Draw,
    T: int,
    B: int,
    epsilon: float,
    delta: float,
    alpha: float,
    nu: float,
    clip: float,
    factor: float,
    model: str,
    printed: bool,
    attack: Callable[[int, float], float],
    of_reports: bool,
) -> NDArray[np.int64]:
    """Return the action of each round of Algorithm 1, shape (T,).

    ``printed`` follows the paper; else with the repairs that the algorithms' docstrings list. ``attack(a, x)`` is
    put in place of an observation x of action a.
    """
    K, d = actions.shape
    active = list(range(K))
    played: list[int] = []
    support_bound = int(4 * d * math.log(math.log(d)) + 16) if d > 1 else 16
    q = T ** (1.0 / B)
    if model == "M2" and not printed:
        q = (T / (1.0 + nu * support_bound)) ** (1.0 / B)
    limit = math.inf if printed else clip
    noise = 2.0 / epsilon if printed else 2.0 * clip / epsilon
    estimate = dict.fromkeys(active, 0.0)
    for i in range(1, B):
        design = approximate_design(actions[active])
        chosen = [active[k] for k in design.arms]
        floor = nu if model == "M2" else 0.0
        counts = [math.ceil(q**i * max(weight, floor)) for weight in design.weights]
        batch = [a for a, n in zip(chosen, counts, strict=True) for _ in range(n)]
        # In random order of the actions, as the regret curve has it.
        order = random.permutation(len(chosen))
        played += [chosen[k] for k in order for _ in range(counts[k])]
        if len(played) >= T:
            return np.array(played[:T])
        rows, reports = [], []
        if model == "M1":
            for a in batch:
                corrupted = random.random() < alpha
                x = draw(random, float(actions[a] @ theta))
                if corrupted and not of_reports:
                    x = attack(a, x)
                x = max(-limit, min(limit, x)) + random.laplace(0.0, noise)
                if corrupted and of_reports:
                    x = attack(a, x)
                rows.append(actions[a])
                reports.append(x)
        else:
            for a, n in zip(chosen, counts, strict=True):
                rewards = []
                for _ in range(n):
                    x = draw(random, float(actions[a] @ theta))
                    if not of_reports and random.random() < alpha:
                        x = attack(a, x)
                    rewards.append(max(-limit, min(limit, x)))
                x = float(np.mean(rewards)) + random.laplace(0.0, noise / n)
                if of_reports and random.random() < alpha:
                    x = attack(a, x)
                rows.append(actions[a])
                reports.append(x)
        design_rows, r = np.array(rows), np.array(reports)
        n = len(r)
        M = design_rows.T @ design_rows
        values, axes = np.linalg.eigh(M)
        kept = values > 1e-10 * values.max()
        root = axes[:, kept] / np.sqrt(values[kept]) @ axes[:, kept].T
        norms = [float(actions[a] @ root @ root @ actions[a]) for a in active]
        pooled = 1 if model == "M1" else min(counts)
        second_moment = min(limit**2, 1.0 + 1.0 / pooled) + 2.0 * (noise / pooled) ** 2
        threshold = max(norms) * float(np.sum(r**2)) / n if printed else second_moment / n
        mean, _ = spectral_filter(design_rows @ root * r[:, None], threshold, random)
        theta_tilde = n * root @ mean
        estimate = {a: float(actions[a] @ theta_tilde) for a in active}
        log = math.log(1.0 / delta)
        if not printed:
            L, v, b = math.log(2.0 / delta), 1.0 / pooled + 2.0 * (noise / pooled) ** 2, noise / pooled
            width = math.sqrt(2.0 * v * L * max(norms)) + b * L * max(norms)
            width += math.sqrt(max(norms) * n * second_moment * alpha)
        elif model == "M1":
            log_size = math.log(q**i / delta)
            width = (
                math.sqrt(d)
                * (math.sqrt(log_size) + log_size / epsilon)
                * (math.sqrt(alpha) + alpha * math.sqrt(d))
            )
            width += alpha + math.sqrt(d * log / q**i) * (1.0 + math.sqrt(log) / epsilon)
        else:
            m, k = q**i, len(chosen)
            width = math.sqrt(d * log / (nu * m)) * (1.0 + 1.0 / epsilon * math.sqrt(log / (nu * m)))
            width += (
                2.0
                * d
                * (1.0 + math.sqrt(math.log(k / delta) / (nu * m)) + math.log(k / delta) / (nu * m * epsilon))
                * (math.sqrt(k * alpha) + math.sqrt(alpha * log))
            )
            width += alpha
        compared = chosen if printed else active
        best = max(estimate[a] for a in compared)
        active = [a for a in compared if estimate[a] >= best - 2.0 * factor * width]
    if printed:
        active = [active[k] for k in approximate_design(actions[active]).arms]
    last = max(active, key=lambda a: (estimate[a], random.random()))
    return np.array(played + [last] * (T - len(played)))
