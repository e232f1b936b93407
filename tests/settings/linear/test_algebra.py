"""Linear algebra in a fixed order is right: against LAPACK, on definite, clustered and degenerate matrices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from dpbandits.settings.linear import algebra

Floats = NDArray[np.float64]
RANDOM = np.random.default_rng(20260202)
# Points whose second moments are taken, by dimension. Squares of some of these moments leave double precision.
KINDS: dict[str, Callable[[int], Floats]] = {
    "scales": lambda d: RANDOM.normal(size=(3 * d, d)) * RANDOM.choice([1.0, 1e3], d),
    "alike": lambda d: RANDOM.normal(size=(2000 * d, d)),
    "identity": lambda d: np.eye(d),
    "ties": lambda d: np.diag(RANDOM.choice([1.0, 2.0, 3.0], d)),
    "integers": lambda d: RANDOM.integers(-1, 2, (2 * d, d)) + np.eye(2 * d, d),
    "rank one": lambda d: RANDOM.normal(size=(1, d)) * 1e100,
    "opposite": lambda d: np.eye(d) - 1.0 / d,
}


@pytest.mark.parametrize("d", [1, 2, 3, 10, 50])
@pytest.mark.parametrize("kind", KINDS)
def test_the_leading_eigenpair_is_that_of_lapack(kind: str, d: int) -> None:
    points = np.asarray(KINDS[kind](d), dtype=float)
    a, scratch = points.T @ points, algebra.scratch(d)
    value = algebra.leading(a, scratch)
    largest = np.linalg.eigvalsh(a)[-1]
    assert value == pytest.approx(largest, rel=1e-12, abs=1e-15)
    assert np.linalg.norm(scratch.axis) == pytest.approx(1.0)
    assert np.abs(a @ scratch.axis - value * scratch.axis).max() <= 1e-13 * max(value, 1e-300) + 1e-15


def test_nothing_has_an_axis_all_the_same() -> None:
    scratch = algebra.scratch(3)
    assert algebra.leading(np.zeros((3, 3)), scratch) == 0.0
    assert scratch.axis.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("d", [1, 2, 7, 8, 9, 33])
def test_products_roots_and_solutions_are_those_of_lapack(d: int) -> None:
    points, weights = RANDOM.normal(size=(40, d)), RANDOM.choice([0.0, 0.5, 2.0], 40)
    weights[:d] = 1.0
    a = algebra.moments(points, weights)
    assert a == pytest.approx((points.T * weights) @ points, rel=1e-12, abs=1e-12)
    root = algebra.cholesky(a)
    assert root == pytest.approx(np.linalg.cholesky(a), rel=1e-9, abs=1e-12)
    assert algebra.solved(root, points) == pytest.approx(np.linalg.solve(root, points.T).T, rel=1e-8, abs=1e-11)
    assert algebra.product(points, points[0]) == pytest.approx(points @ points[0])
    assert algebra.products(points, a) == pytest.approx(points @ a)
    assert algebra.squared_lengths(points) == pytest.approx((points**2).sum(axis=1))


def test_what_is_not_definite_has_no_root() -> None:
    assert np.isnan(algebra.cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]))).any()


@pytest.mark.parametrize("shape", [(1, 5), (6, 6), (10, 400), (12, 5)])
def test_orthogonal_rows_have_the_singular_values(shape: tuple[int, int]) -> None:
    """With scales of nine decades: each to nearly full precision, which second moments would not give."""
    matrix = RANDOM.normal(size=shape) * np.geomspace(1.0, 1e-9, shape[0])[:, None]
    rows = matrix.copy()
    algebra.orthogonalise(rows)
    found = np.sort(np.sqrt(algebra.squared_lengths(rows)))[::-1][: min(shape)]
    assert found == pytest.approx(np.linalg.svd(matrix, compute_uv=False), rel=1e-6)
