"""Theorem J of docs/charisopoulos2022-clipping.md: each step, by code of its own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.random import Generator

from dpbandits.papers.charisopoulos2022.certificates import clipping as certificate
from dpbandits.papers.exact_inequalities import NotProvedError


def batch(rng: Generator, arms: int, d: int, m: float) -> tuple[np.ndarray, np.ndarray]:
    """Return actions, and weights c_j of the first action's estimate, of a design with ||a||^2 <= 2d.

    The weights of the design are those of a multiplicative algorithm, run until it is good enough.
    """
    actions = rng.normal(size=(arms, d))
    actions /= np.linalg.norm(actions, axis=1, keepdims=True)
    design = np.full(arms, 1 / arms)
    while (
        norms := np.einsum("id,de,ie->i", actions, np.linalg.inv(actions.T * design @ actions), actions)
    ).max() > 2 * d:
        design *= norms / d
        design /= design.sum()
    played = np.repeat(actions, np.ceil(m * design).astype(int), axis=0)
    return played, played @ np.linalg.inv(played.T @ played)


@pytest.mark.parametrize("d", [1, 2, 5, 20])
def test_weights_of_a_batch(d: int) -> None:
    """Step 1: the sum of |c_j| is at most 2 sqrt(d), |c_j| at most 2d/m."""
    rng = np.random.default_rng(d)
    for m in (100, 1000):
        played, solved = batch(rng, 30, d, m)
        assert m <= len(played) <= 2 * m
        for action in played[:: len(played) // 7]:
            c = np.abs(solved @ action)
            assert c.max() <= 2 * d / m
            assert c.sum() <= 2 * math.sqrt(d)


def test_replaced_reports() -> None:
    """Step 3 at L = 3: beyond the bound in fewer than e^-3 of 4000 draws, and not by a wide margin."""
    rng = np.random.default_rng(3)
    played, solved = batch(rng, 12, 4, 400)
    c = np.abs(solved @ played[0])
    level, d, m = 3.0, 4, 400
    for alpha in (0.002, 0.02, 0.3):
        drawn = (rng.random((4000, c.size)) < alpha) @ c
        bernstein = alpha * c.sum() + math.sqrt(2 * alpha * (c * c).sum() * level) + c.max() * level / 3
        assert bernstein <= 3 * alpha * math.sqrt(d) + 5 / 3 * d * level / m
        # A binomial law of 4000 trials with e^-3 exceeds this with probability below 1e-4.
        assert (drawn > bernstein).mean() < math.exp(-level) + 4 * math.sqrt(math.exp(-level) / 4000)
        assert np.quantile(drawn, 0.99) > bernstein / 3


def clip_of_j1(level: float, epsilon: float) -> float:
    return 1 + math.sqrt(2 * level) + 2 * level / epsilon


def clip_of_j2(alpha: float, epsilon: float) -> float:
    ell = math.log(1 / alpha)
    return 1 + math.sqrt(2 * ell) + 2 / epsilon * ell


def worst_errors(rng: Generator, alpha: float, epsilon: float, c: float) -> tuple[float, int, int]:
    """Return the largest error of 200 estimates under four attacks, with d and m."""
    d, m = 8, 2000
    played, solved = batch(rng, 40, d, m)
    theta = rng.normal(size=d)
    theta /= np.linalg.norm(theta)
    a = played[0]
    worst = 0.0
    for number in range(200):
        means = played @ theta
        reports = means + rng.choice([-1.0, 1.0], len(played)) + rng.laplace(0, 2 / epsilon, len(played))
        signs = np.sign(solved @ a)
        value = (1e9, c, 30.0, 3.0)[number % 4] * (signs if number % 2 else -signs)
        bad = rng.random(len(played)) < alpha
        estimate = np.clip(np.where(bad, value, reports), -c, c) @ solved
        worst = max(worst, abs(a @ (estimate - theta)))
    return worst, d, m


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.04, 0.4])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_errors_are_within_the_width(alpha: float, epsilon: float) -> None:
    """Steps 5 and 6, at L = 9 for 200 estimates: five exceptions of e^-9 each, so a false alarm has 0.12."""
    rng = np.random.default_rng(17)
    level = 9.0
    c = clip_of_j1(level, epsilon)
    worst, d, m = worst_errors(rng, alpha, epsilon, c)
    width = 6 * c * alpha * d**0.5 + 2 * (1 + 4 / epsilon) * (d * level / m) ** 0.5 + 10 / 3 * c * d * level / m
    assert worst <= width
    c = clip_of_j2(alpha, epsilon)
    worst, d, m = worst_errors(rng, alpha, epsilon, c)
    width = 9 * c * alpha * d**0.5 + 2 * (1 + 3 / epsilon) * (d * level / m) ** 0.5 + 14 / 3 * c * d * level / m
    assert worst <= width
    # The attack is felt: more than a tenth of alpha sqrt(d) clip.
    assert worst > 0.1 * alpha * d**0.5 * c


@pytest.mark.parametrize("A", [1e-6, 1e-3, 0.05, 0.5])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_bias_of_clipping(A: float, epsilon: float) -> None:
    """Step 6 by quadrature, normal noise and the farthest mean: the bias is at most (2 + 2/epsilon) A."""
    c = clip_of_j2(A, epsilon)
    grid = np.linspace(-9, 9, 2001)
    normal = np.exp(-(grid**2) / 2)
    normal /= normal.sum()
    b = 2 / epsilon
    # E (x + xi - c)+ of Laplace noise, in closed form.
    room = c - (1 + grid)
    excess = np.where(room >= 0, b / 2 * np.exp(-np.abs(room) / b), -room + b / 2 * np.exp(-np.abs(room) / b))
    assert normal @ excess <= (2 + 2 / epsilon) * A
    assert 3 * c >= 4 + 4 / epsilon


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0])
def test_one_law_for_all(epsilon: float) -> None:
    """Lower bound, steps 1 and 3: inner products of drawn vectors; replaced Laplace reports have one law."""
    rng = np.random.default_rng(5)
    K, alpha, tau = 60, 0.1, math.tanh(epsilon / 2)
    d = math.ceil(16 * math.log(K))
    g = 2 * math.sqrt(math.log(K) / d)
    draws = (rng.choice([-1.0, 1.0], (K, d)) / math.sqrt(d) for _ in range(20))
    # A draw is good with probability above 1/K by the union bound, and in truth with about 1/2.
    assert min(np.abs(vectors @ vectors.T - np.eye(K)).max() for vectors in draws) <= g <= 0.5
    x = np.linspace(-1, 1, 41) * min(1, alpha / (g * tau)) * g
    grid = np.linspace(-60 / epsilon, 60 / epsilon, 20001)
    high, low = (np.exp(-np.abs(grid - sign) * epsilon / 2) for sign in (1, -1))
    high, low = high / high.sum(), low / low.sum()
    assert np.abs(high - low).sum() / 2 <= tau
    Q = (high + low) / 2 + np.multiply.outer(x, high - low) / 2
    H = Q.max(axis=0)
    assert (1 - alpha) * H.sum() <= 1
    R = (1 - alpha) * H + (1 - (1 - alpha) * H.sum()) * high
    N = (R - (1 - alpha) * Q) / alpha
    assert N.min() >= -1e-15
    assert np.allclose(N.sum(axis=1), 1)


def test_the_constants_are_proved_and_tight(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(certificate.prove()) > 70
    for name, value in (("REGRET_J1", (96, 77, 78)), ("REGRET_J1", (96, 78, 76)), ("J2", (9, 2, 5)), ("SHORT", 11)):
        with monkeypatch.context() as changed, pytest.raises(NotProvedError):
            changed.setattr(certificate, name, value)
            certificate.prove()
