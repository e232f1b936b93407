"""Approximate G-optimal designs with small support (charisopoulos2022, Definition 1.6)."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core import mathematics
from dpbandits.core.compiled import kernel
from dpbandits.settings.linear.algebra import (
    cholesky,
    dot,
    moments,
    orthogonalise,
    product,
    products,
    solved,
    squared_lengths,
)

Floats = NDArray[np.float64]
# The smallest singular value, in parts of the largest, that second moments still tell to twelve digits.
WELL_CONDITIONED = 1e-4


class Design(NamedTuple):
    """A probability distribution over actions, and the action set in coordinates of its span.

    Attributes
    ----------
    arms : ndarray of int64, shape (support,)
        Numbers of the actions of positive weight, increasing; they count the rows of the action set from 0.
    weights : ndarray of float64, shape (support,)
        Probabilities pi of these actions, of sum 1.
    norm : float
        Largest a^T M(pi)^-1 a of an action a. M(pi), the mean of a a^T under pi, is inverted on the span.
    coordinates : ndarray of float64, shape (actions, rank)
        All actions in coordinates in which the mean of a a^T is the identity; ``rank`` is the dimension of their
        span. Norms in M^-1 and predictions do not depend on the choice of coordinates.
    """

    arms: NDArray[np.int64]
    weights: Floats
    norm: float
    coordinates: Floats

    @property
    def rank(self) -> int:
        """The dimension of the actions' span."""
        return self.coordinates.shape[1]


def support_bound(dimension: int) -> int:
    """Return the largest support of a design, 4 d log log d + 16 rounded down (Kumar & Yildirim 2005).

    Parameters
    ----------
    dimension
        Dimension d >= 1 of the actions. For d = 1, log log d is infinite and is taken as 0.
    """
    return int(4 * dimension * mathematics.log(mathematics.log(dimension)) + 16) if dimension > 1 else 16


def span(actions: Floats) -> Floats:
    """Return ``actions``, shape (K, d), in coordinates of their span, shape (K, rank), whose mean of a a^T is I.

    The columns are the left singular vectors of ``actions``, times sqrt(K). A G-optimal design does not depend on
    the coordinates, and in these nothing is ill-conditioned, however close to collinear the actions are. Directions
    in which the actions extend less than their rounding errors are left out.
    """
    # Squares have to be numbers; a power of two changes no digit.
    scaled = np.ldexp(actions, -np.frexp(np.abs(actions).max())[1])
    few = actions.shape[0] < actions.shape[1]
    root = cholesky(moments(scaled.T.copy() if few else scaled, np.ones(max(actions.shape))))
    rows, scales = _singular(root)
    if scales[-1] > WELL_CONDITIONED * scales[0]:
        # Eigenvectors of L L^T are L w / scale^2, w a row. Of X X^T they are the coordinates, of X^T X the axes.
        axes = products(root, rows.T.copy()) / (scales * scales)
        coordinates = axes if few else products(scaled, axes / scales)
    else:
        rows, scales = _singular(scaled.T)
        kept = scales > scales[0] * max(actions.shape) * np.finfo(float).eps
        coordinates = np.ascontiguousarray((rows[kept] / scales[kept, None]).T)
    return coordinates * math.sqrt(actions.shape[0])


def _singular(matrix: Floats) -> tuple[Floats, Floats]:
    """Return a matrix's right singular vectors, times its singular values, and these, the largest first.

    NaN where it is.
    """
    rows = matrix.copy(order="C")
    orthogonalise(rows)
    scales = np.sqrt(squared_lengths(rows))
    order = np.argsort(-scales, kind="stable")
    return rows[order], scales[order]


@kernel
def core(points: Floats) -> NDArray[np.int64]:
    """Return the row numbers, shape (rank,), of points that span all dimensions, each long in a new direction.

    Each is the longest along a direction orthogonal to all points before it. The log det of M, the mean of x x^T
    under the uniform design on these points, is at most O(d log d) below the optimum (Kumar & Yildirim 2005). So
    few steps of Frank-Wolfe lead from there to an approximate design.

    Parameters
    ----------
    points
        The points, shape (K, rank), of full rank. Of a centrally symmetric set, give one point of each pair.
    """
    rank = points.shape[1]
    chosen = np.empty(rank, dtype=np.int64)
    basis = np.empty((rank, rank))
    inside = np.zeros(rank)
    for i in range(rank):
        # Of the coordinate axes the one that is least in the span so far.
        axis = np.argmin(inside)
        direction = np.zeros(rank)
        direction[axis] = 1.0
        for j in range(i):
            direction -= basis[j, axis] * basis[j]
        longest = -1.0
        for k in range(points.shape[0]):
            length = abs(dot(points[k], direction, rank))
            if length > longest:
                longest, chosen[i] = length, k
        new = points[chosen[i]].copy()
        # Twice is enough: what rounding leaves of the span after the first time is gone after the second.
        for _ in range(2):
            for j in range(i):
                new -= dot(basis[j], new, rank) * basis[j]
        length = math.sqrt(dot(new, new, rank))
        for j in range(rank):
            basis[i, j] = new[j] / length
        inside += basis[i] * basis[i]
    return chosen


@kernel
def _measured(points: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return M(pi)^-1, pi = ``weights``, shape (K,), and the squared norm of every point in it."""
    rank = points.shape[1]
    root = cholesky(moments(points, weights))
    # Rows of the inverse of the root's transpose: L^-1 has them as columns.
    columns = solved(root, np.eye(rank))
    return products(columns, columns.T.copy()), squared_lengths(solved(root, points))


@kernel
def _moved(points: Floats, weights: Floats, inverse: Floats, norms: Floats) -> tuple[Floats, Floats, Floats]:
    """Return weights, inverse and norms of `_measured` after a step to the longest point, as far as helps most."""
    rank = points.shape[1]
    longest = np.argmax(norms)
    height = norms[longest]
    step = (height / rank - 1.0) / (height - 1.0)
    image = product(inverse, points[longest])
    shrink = step / (1.0 - step + step * height)
    moved = np.empty((rank, rank))
    for p in range(rank):
        for q in range(rank):
            moved[p, q] = (inverse[p, q] - shrink * image[p] * image[q]) / (1.0 - step)
    along = product(points, image)
    weights = weights * (1.0 - step)
    weights[longest] += step
    return weights, moved, (norms - shrink * along * along) / (1.0 - step)


def frank_wolfe(points: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield weights pi and norms x^T M(pi)^-1 x of all points x, each shape (K,), before every step of Frank-Wolfe.

    Steps maximise log det M(pi), from a uniform design on `core`. Each moves weight to the point of largest norm,
    by the amount that helps most (Fedorov 1972; Khachiyan 1996). It adds at most one point to the support. The
    iterator never ends: at the optimum it yields the same design again and again, so its caller has to stop.

    Parameters
    ----------
    points
        The points, shape (K, rank), of full rank >= 1.
    """
    rank = points.shape[1]
    weights = np.zeros(points.shape[0])
    weights[core(points)] = 1.0 / rank
    while True:
        inverse, norms = _measured(points, weights)
        # Norms are downdated in O(K d), and computed in full before rounding can be seen.
        for _ in range(50):
            yield weights, norms
            if norms.max() > rank * (1.0 + 1e-12):
                weights, inverse, norms = _moved(points, weights, inverse, norms)


def approximate_design(actions: Floats) -> Design:
    """Return a design whose ``norm`` is at most 2 rank, on at most `support_bound` (rank) actions.

    Parameters
    ----------
    actions
        The actions, float64, shape (K, d), K >= 1, finite. They may span fewer than d dimensions; zero actions
        alone have rank 0, and the design is then the first of them.

    Notes
    -----
    The design is deterministic: of equally long actions the first is taken. The last four designs are remembered,
    since an active set often stays the same from one batch, or one run, to the next.
    """
    return _remembered(actions.tobytes(), actions.shape)


@functools.lru_cache(maxsize=4)
def _remembered(content: bytes, shape: tuple[int, int]) -> Design:
    actions = np.frombuffer(content).reshape(shape)
    if not actions.any():
        return Design(np.zeros(1, dtype=np.int64), np.ones(1), 0.0, np.empty((shape[0], 0)))
    points = span(actions)
    rank = points.shape[1]
    weights, norms = next((w, norms) for w, norms in frank_wolfe(points) if norms.max() <= 2 * rank)
    arms = np.flatnonzero(weights)
    return Design(arms, weights[arms], float(norms.max()), points)
