"""The spectral filter of charisopoulos2022 (Algorithm 2), line by line: one removal at a time."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def leading_direction(points: Floats) -> tuple[Floats, float, Floats]:
    """Return the mean of ``points``, the largest eigenvalue of their covariance, and a unit eigenvector of it.

    These are lines 1 and 2 of Algorithm 2. ``points`` has shape (points, dimension); mean and eigenvector have
    shape (dimension,).
    """
    mean = points.mean(axis=0)
    away = points - mean
    values, axes = np.linalg.eigh(away.T @ away / len(points))
    return mean, float(values[-1]), axes[:, -1]


def spectral_filter(points: Floats, threshold: float, random: Generator) -> tuple[Floats, list[int]]:
    """Return the robust mean of charisopoulos2022's Algorithm 2, and the row numbers of the points that it keeps.

    While the covariance's largest eigenvalue is at least 4 lambda, one random point is removed: its probability is
    proportional to the squared distance from the mean along the eigenvector.

    Parameters
    ----------
    points : ndarray of float64, shape (points, dimension)
        The points; some of them may be corrupted.
    threshold : float
        The paper's lambda.
    random : numpy.random.Generator
        Generator that chooses which point is removed.
    """
    left = list(range(len(points)))
    while True:
        mean, value, axis = leading_direction(points[left])
        if value < 4.0 * threshold:
            return mean, left
        scores = ((points[left] - mean) @ axis) ** 2
        # All points are equal along the axis, and lambda is 0: no point stands out.
        if not scores.sum() > 0.0:
            return mean, left
        left.pop(int(random.choice(len(left), p=scores / scores.sum())))
