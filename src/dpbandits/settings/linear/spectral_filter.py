"""The randomised spectral filter (charisopoulos2022, Algorithm 2): a robust mean, one removal at a time.

The points are X = r x: a few distinct vectors x, each with many scalars r. The law is that of the printed
algorithm: the exact leading eigenvector of the remaining points decides each removal's law. A removal costs
O(d^2 + k d) for k vectors, and log n for the scalars, instead of n d^2, for two reasons:

- The scatter matrix is downdated, and of its eigenvectors only the leading one is computed (`algebra.leading`).
- A removal first draws the vector, from sums of r and r^2 for each vector. Then it draws the scalar, by rejection.
  Proposals mix a uniform draw with one by squared distance to the vector's median scalar. Both come from trees of
  sums.

Sums are computed in full before the rounding of their differences can matter. Where nothing is removed, no median
and no tree is made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import kernel
from dpbandits.core.streams import categorical, integer_below, uniform
from dpbandits.settings.linear.algebra import dot, leading, scratch

Floats = NDArray[np.float64]

# All is computed in full after this many removals, and when the largest eigenvalue has fallen to this fraction.
REFRESH = 1000
FALL = 1e-3
# After this many proposals in vain a removal is drawn one by one.
PROPOSALS = 100


class Points(NamedTuple):
    """The points r x of a filter, removed ones included.

    Attributes
    ----------
    vectors : ndarray of float64, shape (k, d)
        The distinct vectors x.
    starts : ndarray of int64, shape (k + 1,)
        Indices of scalars: those of vector j are ``starts[j]`` up to ``starts[j + 1] - 1``.
    scalars : ndarray of float64, shape (n,)
        The scalars r.
    alive : ndarray of bool, shape (n,)
        True for points that remain.
    tree : ndarray of float64, shape (2 n,)
        For each vector j, from ``2 starts[j]`` on, a binary tree of sums of (r - centre)^2, whose leaves are 0 for
        removed points. Node i has the children 2 i and 2 i + 1; the leaves are the last half.
    centres : ndarray of float64, shape (k,)
        The median scalar of each vector; its mean before anything is removed.
    counts, sums, squares : ndarray of float64, shape (k,)
        Number of each vector's points that remain, and their sums of r - centre and (r - centre)^2.
    """

    vectors: Floats
    starts: NDArray[np.int64]
    scalars: Floats
    alive: NDArray[np.bool_]
    tree: Floats
    centres: Floats
    counts: Floats
    sums: Floats
    squares: Floats


class Moments(NamedTuple):
    """Mean and scatter of the points that remain.

    Attributes
    ----------
    mean : ndarray of float64, shape (d,)
        Mean of the points that remain.
    scatter : ndarray of float64, shape (d, d)
        Sum of (X - mean)(X - mean)^T over these points X: their covariance times their number.
    """

    mean: Floats
    scatter: Floats


@kernel
def _sum_up(points: Points) -> None:
    """Compute each vector's count and sums from what remains of its points."""
    for j in range(points.counts.size):
        count, total, square = 0.0, 0.0, 0.0
        for i in range(points.starts[j], points.starts[j + 1]):
            if points.alive[i]:
                distance = points.scalars[i] - points.centres[j]
                count += 1.0
                total += distance
                square += distance * distance
        points.counts[j], points.sums[j], points.squares[j] = count, total, square


@kernel
def _centre_on_means(points: Points) -> None:
    """Set each vector's centre to the mean of all its points."""
    for j in range(points.counts.size):
        first, last = points.starts[j], points.starts[j + 1]
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        whole = last - (last - first) % 4
        for i in range(first, whole, 4):
            s0 += points.scalars[i]
            s1 += points.scalars[i + 1]
            s2 += points.scalars[i + 2]
            s3 += points.scalars[i + 3]
        for i in range(whole, last):
            s0 += points.scalars[i]
        points.centres[j] = ((s0 + s1) + (s2 + s3)) / (last - first)


@kernel
def _centre_on_medians(points: Points) -> None:
    """Set each vector's centre to the median of what remains of its points."""
    for j in range(points.counts.size):
        first, last = points.starts[j], points.starts[j + 1]
        left = points.scalars[first:last][points.alive[first:last]]
        if left.size > 0:
            points.centres[j] = np.median(left)


@kernel
def _plant(points: Points) -> None:
    """Grow the trees of all vectors."""
    for j in range(points.counts.size):
        first, last = points.starts[j], points.starts[j + 1]
        size = last - first
        tree = points.tree[2 * first : 2 * last]
        for i in range(size):
            distance = points.scalars[first + i] - points.centres[j]
            tree[size + i] = distance * distance if points.alive[first + i] else 0.0
        for i in range(size - 1, 0, -1):
            tree[i] = tree[2 * i] + tree[2 * i + 1]


@kernel
def _measure(points: Points, moments: Moments) -> float:
    """Compute mean and scatter from the sums, and return the number of points."""
    mean, scatter, d = moments.mean, moments.scatter, moments.mean.size
    n = points.counts.sum()
    mean[:] = 0.0
    for j in range(points.counts.size):
        total = points.sums[j] + points.counts[j] * points.centres[j]
        for p in range(d):
            mean[p] += total * points.vectors[j, p] / n
    scatter[:] = 0.0
    offset = np.empty(d)
    for j in range(points.counts.size):
        x = points.vectors[j]
        # With r = c + s: (r x - m) = s x + (c x - m).
        for p in range(d):
            offset[p] = points.centres[j] * x[p] - mean[p]
        for p in range(d):
            row = scatter[p]
            of_x = points.squares[j] * x[p] + points.sums[j] * offset[p]
            of_offset = points.sums[j] * x[p] + points.counts[j] * offset[p]
            for q in range(p + 1):
                row[q] += of_x * x[q] + of_offset * offset[q]
    for p in range(d):
        for q in range(p):
            scatter[q, p] = scatter[p, q]
    return n


@kernel
def _draw(state: np.ndarray, points: Points, axis: Floats, height: float, weights: Floats) -> tuple[int, int]:
    """Return a point (its vector and its place) drawn with probability proportional to its outlier score.

    The score of point r x is (u r - h)^2, u = <axis, x> and h = ``height`` = <axis, mean>. Where no score is
    positive the vector is -1. ``weights``, shape (k,), is scratch.
    """
    total = 0.0
    for j in range(points.counts.size):
        slope = dot(axis, points.vectors[j], axis.size)
        offset = slope * points.centres[j] - height
        weights[j] = max(
            0.0,
            slope * slope * points.squares[j]
            + 2.0 * slope * offset * points.sums[j]
            + points.counts[j] * offset * offset,
        )
        total += weights[j]
    if not total > 0.0:
        return -1, 0
    j = categorical(state, weights, total)
    slope = dot(axis, points.vectors[j], axis.size)
    offset = slope * points.centres[j] - height
    first = points.starts[j]
    size = points.starts[j + 1] - first
    tree = points.tree[2 * first :]
    # (s x + o)^2 <= 2 (s x)^2 + 2 o^2: propose from the right side, accept with the quotient. It is at least 1/8 on
    # average while the centre is within a standard deviation of the mean, as a median is. The second part is
    # uniform over all points; those removed are never accepted.
    by_distance = slope * slope * tree[1]
    both = by_distance + offset * offset * size
    for _ in range(PROPOSALS):
        if uniform(state) * both <= by_distance:
            node = 1
            left = uniform(state) * tree[1]
            while node < size:
                node *= 2
                if left > tree[node]:
                    left -= tree[node]
                    node += 1
            i = first + node - size
        else:
            i = first + integer_below(state, size)
        near = slope * (points.scalars[i] - points.centres[j])
        bound = 2.0 * (near * near + offset * offset)
        if points.alive[i] and uniform(state) * bound <= (near + offset) ** 2:
            return j, i
    return _draw_one_by_one(state, points, j, slope, height)


@kernel
def _draw_one_by_one(state: np.ndarray, points: Points, j: int, slope: float, height: float) -> tuple[int, int]:
    """Return ``j`` and one of its points, or -1 if it has no positive score: from the scores of all its points."""
    first, last = points.starts[j], points.starts[j + 1]
    scores = np.zeros(last - first)
    for i in range(first, last):
        if points.alive[i]:
            scores[i - first] = (slope * points.scalars[i] - height) ** 2
    total = scores.sum()
    if not total > 0.0:
        return -1, 0
    return j, first + categorical(state, scores, total)


@kernel
def _remove(points: Points, moments: Moments, n: float, j: int, i: int, away: Floats) -> None:
    """Take point ``i`` of vector ``j`` out of the ``n`` that remain; ``away``, shape (d,), is scratch."""
    points.alive[i] = False
    distance = points.scalars[i] - points.centres[j]
    points.counts[j] -= 1.0
    points.sums[j] -= distance
    points.squares[j] -= distance * distance
    first = points.starts[j]
    size = points.starts[j + 1] - first
    tree = points.tree[2 * first :]
    node = size + i - first
    tree[node] = 0.0
    while node > 1:
        node //= 2
        # Summed in full, not downdated, so that large scalars leave no rounding error behind.
        tree[node] = tree[2 * node] + tree[2 * node + 1]
    x, mean, d = points.vectors[j], moments.mean, moments.mean.size
    for q in range(d):
        away[q] = points.scalars[i] * x[q] - mean[q]
    share = n / (n - 1.0)
    for p in range(d):
        row, factor = moments.scatter[p], share * away[p]
        for q in range(d):
            row[q] -= factor * away[q]
    for p in range(d):
        mean[p] -= away[p] / (n - 1.0)


@kernel
def filtered_mean(
    state: np.ndarray, vectors: Floats, repeats: NDArray[np.int64], scalars: Floats, threshold: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the mean of the points that the filter (Algorithm 2) does not remove, and a mask of these points.

    The points are X = r x: scalars r times vectors x, of which many points share one.

    Parameters
    ----------
    state
        The run's stream.
    vectors : ndarray of float64, shape (k, d)
        The distinct vectors x, k >= 1 and d >= 1.
    repeats : ndarray of int64, shape (k,)
        Number of points of each vector, >= 1; n is their sum.
    scalars : ndarray of float64, shape (n,)
        The scalars r, vector after vector: point X_i is ``scalars[i]`` times its vector. Finite.
    threshold : float
        lambda >= 0. Points are removed while the largest eigenvalue of their covariance is 4 lambda or more.

    Returns
    -------
    mean : ndarray of float64, shape (d,)
        Mean of the points that are left.
    alive : ndarray of bool, shape (n,)
        True for points that are left, of which there is at least one.

    Notes
    -----
    The filter removes one point after another, each with probability proportional to its score. This is the squared
    distance from the mean along the leading eigenvector of the covariance. If all scores are zero, as for equal
    points and lambda = 0, the printed algorithm does not say what to remove. Here the filter then ends.
    """
    k, d = vectors.shape
    starts = np.zeros(k + 1, dtype=np.int64)
    for j in range(k):
        starts[j + 1] = starts[j] + repeats[j]
    alive = np.ones(scalars.size, dtype=np.bool_)
    centres, counts, sums, squares = np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    moments, solver = Moments(np.empty(d), np.empty((d, d))), scratch(d)
    whole = Points(vectors, starts, scalars, alive, np.empty(0), centres, counts, sums, squares)
    _centre_on_means(whole)
    _sum_up(whole)
    n = _measure(whole, moments)
    value = leading(moments.scatter, solver)
    if value < 4.0 * threshold * n:
        return moments.mean, alive
    points = Points(vectors, starts, scalars, alive, np.empty(2 * scalars.size), centres, counts, sums, squares)
    weights, away = np.empty(k), np.empty(d)
    # The first turn computes all in full: a centre that is a mean is not good enough for draws.
    fresh, age = np.inf, 0
    while True:
        fallen = value < FALL * fresh
        if fallen or age == REFRESH:
            if fallen:
                # A centre may have been of the size of what is gone.
                _centre_on_medians(points)
                _plant(points)
            _sum_up(points)
            n = _measure(points, moments)
            value = leading(moments.scatter, solver)
            fresh, age = value, 0
        if n == 1.0 or value < 4.0 * threshold * n:
            break
        j, i = _draw(state, points, solver.axis, dot(solver.axis, moments.mean, d), weights)
        if j < 0:
            break
        _remove(points, moments, n, j, i, away)
        n -= 1.0
        age += 1
        value = leading(moments.scatter, solver)
    return moments.mean, alive


@kernel
def filtered_means(
    states: np.ndarray,
    runs: NDArray[np.int64],
    vectors: Floats,
    repeats: NDArray[np.int64],
    scalars: Floats,
    thresholds: Floats,
) -> Floats:
    """Return the mean of the points that the filter leaves, for each of several samples, shape (samples, d).

    A sample's points are scalars times vectors; all samples have the same vectors, and each has its own scalars.
    Each sample is filtered by itself, as by `filtered_mean`.

    Parameters
    ----------
    states : ndarray of uint64, shape (all runs, 4)
        Random streams, advanced in place.
    runs : ndarray of int64, shape (samples,)
        Row of ``states`` that belongs to each sample.
    vectors, repeats
        Distinct vectors, shape (k, d), and number of points of each, shape (k,): the same for all samples.
    scalars : ndarray of float64, shape (samples, n)
        The scalars of each sample.
    thresholds : ndarray of float64, shape (samples,)
        The lambda of each sample: points are removed while the largest eigenvalue of their covariance is 4 lambda
        or more.
    """
    means = np.empty((scalars.shape[0], vectors.shape[1]))
    for i in range(scalars.shape[0]):
        mean, _ = filtered_mean(states[runs[i]], vectors, repeats, scalars[i], thresholds[i])
        for p in range(mean.size):
            means[i, p] = mean[p]
    return means
