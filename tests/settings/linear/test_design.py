"""Approximate G-optimal designs: Definition 1.6 of charisopoulos2022 on every action set, and the steps to it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from itertools import islice

import costs
import numpy as np
import pytest
import tiers
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dpbandits.settings.linear.design import approximate_design, core, frank_wolfe, span, support_bound

Floats = NDArray[np.float64]
RANDOM = np.random.default_rng(20260101)


def sphere(K: int, d: int) -> Floats:
    points = RANDOM.normal(size=(K, d))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def collinear(d: int, angle: float) -> Floats:
    basis = np.eye(d)
    basis[-1, 0], basis[-1, -1] = math.cos(angle), math.sin(angle)
    return basis


# Each with the dimension of its span.
SETS: dict[str, tuple[Callable[[], Floats], int]] = {
    **{
        f"sphere-{K}-{d}": (lambda K=K, d=d: sphere(K, d), d)
        for K, d in itertools.product((60, 1000), (2, 3, 10, 50))
    },
    "sphere-100000-50": (lambda: sphere(100_000, 50), 50),
    "cube-100000-10": (lambda: RANDOM.uniform(-1, 1, (100_000, 10)) / math.sqrt(10), 10),
    "corners-12": (lambda: np.array(list(itertools.product((-1.0, 1.0), repeat=12))) / math.sqrt(12), 12),
    "basis-7": (lambda: np.eye(7), 7),
    "collinear-1e-3": (lambda: collinear(10, 1e-3), 10),
    "collinear-1e-12": (lambda: collinear(10, 1e-12), 10),
    "collinear-0": (lambda: collinear(10, 0.0), 9),
    "one": (lambda: np.array([[0.3, -0.4]]), 1),
    "line": (lambda: np.linspace(-1.0, 1.0, 101)[:, None], 1),
    "copies": (lambda: np.repeat(sphere(5, 3), 40, axis=0), 3),
    "with-zeros": (lambda: np.vstack([np.zeros((20, 4)), sphere(20, 4)]), 4),
    "rank-3-of-30": (lambda: sphere(500, 3) @ np.linalg.qr(RANDOM.normal(size=(30, 3)))[0].T, 3),
    "few-in-many-dimensions": (lambda: sphere(4, 40), 4),
    "heavy-tails": (lambda: 1e-3 * RANDOM.standard_cauchy((2000, 8)), 8),
    "scales": (lambda: sphere(3000, 20) * np.geomspace(1.0, 1e-9, 20), 20),
    "moment-curve": (lambda: np.linspace(0.0, 1.0, 2000)[:, None] ** np.arange(12) / 4.0, 12),
}


@pytest.mark.parametrize("name", tiers.core(SETS, lambda name: name != "sphere-100000-50"))
def test_a_design_is_approximately_optimal_and_small(name: str) -> None:
    """max ||a||^2 <= 2 d (1 + 1e-6), support <= 4 d log log d + 16, in seconds; d the dimension of the span."""
    make, rank = SETS[name]
    actions = make()
    with costs.within(10.0):
        design = approximate_design(actions)
    assert design.rank == rank
    assert design.arms.size <= support_bound(rank)
    assert design.weights.sum() == pytest.approx(1.0)
    assert (design.weights > 0.0).all()
    assert (np.diff(design.arms) > 0).all()
    # From the definition, in the actions' own coordinates: ||a||^2 = |root^-1 a|^2 by least squares on the support.
    weighted = actions[design.arms].T * np.sqrt(design.weights)
    norms = (np.linalg.lstsq(weighted, actions.T, rcond=1e-14)[0] ** 2).sum(axis=0)
    assert norms.max() <= 2 * rank * (1 + 1e-6)
    assert norms.max() == pytest.approx(design.norm, rel=1e-3)
    assert norms.max() >= rank * (1 - 1e-6)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(1, 40),
    st.integers(1, 6),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1.0, 1e-8]),
    st.integers(1, 3),
)
def test_any_small_set(K: int, d: int, seed: int, scale: float, values: int) -> None:
    """Integer points with many ties, collinear or of low rank by chance, one direction tiny."""
    actions = np.random.default_rng(seed).integers(-values, values + 1, (K, d)).astype(float)
    actions[:, -1] *= scale
    design = approximate_design(actions)
    rank = np.linalg.matrix_rank(
        actions / np.where(np.abs(actions).max(axis=0) > 0, np.abs(actions).max(axis=0), 1)
    )
    assert design.rank == rank
    assert design.norm <= 2 * rank * (1 + 1e-6)
    assert design.arms.size <= support_bound(max(1, rank))


def test_zero_actions_have_rank_zero() -> None:
    design = approximate_design(np.zeros((3, 4)))
    assert (design.rank, design.arms.tolist(), design.norm) == (0, [0], 0.0)


def test_an_orthonormal_basis_is_its_own_design() -> None:
    design = approximate_design(np.eye(6))
    assert design.weights == pytest.approx(np.full(6, 1 / 6))
    assert design.norm == pytest.approx(6.0)


def test_coordinates_do_not_matter() -> None:
    """After an ill-conditioned linear map the same weights have the same norms, and designs stay as good."""
    actions = sphere(300, 6)
    design = approximate_design(actions)
    mapped = actions @ np.diag(np.geomspace(1.0, 1e-4, 6)) @ sphere(6, 6)
    points = span(mapped)
    inverse = np.linalg.inv((points[design.arms].T * design.weights) @ points[design.arms])
    assert np.einsum("ki,ij,kj->k", points, inverse, points).max() == pytest.approx(design.norm, rel=1e-6)
    assert approximate_design(mapped).norm <= 12.0


def test_steps_only_improve() -> None:
    """log det M(pi) rises in every step to the optimum, where the largest norm is d (Kiefer & Wolfowitz 1960)."""
    points = span(sphere(200, 5))
    path = list(islice(frank_wolfe(points), 3000))
    volumes = [np.linalg.slogdet((points.T * weights) @ points)[1] for weights, _ in path[:300]]
    assert (np.diff(volumes[:50]) > 0.0).all()
    assert (np.diff(volumes) > -1e-12).all()
    for weights, norms in (path[0], path[49], path[50], path[333], path[-1]):
        inverse = np.linalg.inv((points.T * weights) @ points)
        assert norms == pytest.approx(np.einsum("ki,ij,kj->k", points, inverse, points), rel=1e-9)
        assert norms @ weights == pytest.approx(5.0)
    assert path[-1][1].max() == pytest.approx(5.0, rel=5e-3)
    # No other step toward the longest point would have helped more: afterwards its norm is d.
    for (_, before), (_, after) in itertools.pairwise(path[:41]):
        assert after[before.argmax()] == pytest.approx(5.0)


def test_the_core_spans() -> None:
    points = span(sphere(50, 8))
    chosen = core(points)
    assert np.linalg.matrix_rank(points[chosen]) == 8


def test_support_bound() -> None:
    assert [support_bound(d) for d in (1, 2, 3, 10, 50)] == [16, 13, 17, 49, 288]


def test_in_one_dimension_the_first_design_stays() -> None:
    """A step from there would divide by zero."""
    for weights, norms in islice(frank_wolfe(np.array([[1.0], [2.0]])), 3):
        assert weights.tolist() == [0.0, 1.0]
        assert norms.tolist() == [0.25, 1.0]
