"""Approximate G-optimal designs with small support (charisopoulos2022, Definition 1.6)."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Design(NamedTuple):
    """A probability distribution over actions, and the action set in coordinates of its span.

    Attributes
    ----------
    arms : ndarray of int64, shape (support,)
        The actions of positive weight, as rows of the action set, increasing.
    weights : ndarray of float64, shape (support,)
        Their probabilities pi, sum 1.
    norm : float
        Largest squared norm ||a||^2 in M(pi)^-1 of an action, the inverse taken on the span.
    coordinates : ndarray of float64, shape (actions, rank)
        The actions in coordinates in which their second moments are the identity; ``rank`` is the dimension of
        their span. Norms in M^-1 and predictions do not depend on the choice of coordinates.
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
    """Return 4 d log log d + 16 rounded down, the support that a design needs at most (Kumar & Yildirim 2005).

    Parameters
    ----------
    dimension
        d >= 1; log log d is taken as 0 for d = 1, where it is infinite.
    """
    return int(4 * dimension * math.log(math.log(dimension)) + 16) if dimension > 1 else 16


def span(actions: Floats) -> Floats:
    """Return actions, shape (K, d), in coordinates of their span, shape (K, rank), with second moments identity.

    What is a design does not depend on coordinates; in these nothing is ill-conditioned, however close to collinear
    the actions are. Directions below the rounding of the actions themselves are left out.
    """
    left, scales, _ = np.linalg.svd(actions, full_matrices=False)
    smallest = scales[0] * max(actions.shape) * np.finfo(float).eps
    coordinates: Floats = left[:, scales > smallest] * math.sqrt(actions.shape[0])
    return coordinates


def core(points: Floats) -> NDArray[np.int64]:
    """Return one point for each dimension: the longest along a direction orthogonal to those before.

    A uniform design on them is at most O(d log d) from the optimal log det, so that few steps lead from it to an
    approximate design (Kumar & Yildirim 2005; of a centrally symmetric set one of each pair of points).

    Parameters
    ----------
    points
        Shape (K, rank), of full rank.
    """
    rank = points.shape[1]
    chosen = np.empty(rank, dtype=np.int64)
    basis = np.zeros((rank, rank))
    for i in range(rank):
        # Of the coordinate axes the one that is least in the span so far.
        direction = np.zeros(rank)
        direction[np.argmin((basis**2).sum(axis=0))] = 1.0
        direction -= basis.T @ (basis @ direction)
        chosen[i] = np.argmax(np.abs(points @ direction))
        new = points[chosen[i]].copy()
        # Twice is enough: what rounding leaves of the span after the first time is gone after the second.
        for _ in range(2):
            new -= basis.T @ (basis @ new)
        basis[i] = new / np.linalg.norm(new)
    return chosen


def frank_wolfe(points: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield the weights and squared norms of all points, each shape (K,), before every step of Frank-Wolfe.

    It maximises log det M(pi) from a uniform design on `core`; a step moves weight to the longest point, as much
    as helps most (Fedorov 1972; Khachiyan 1996). Each step adds at most one point to the support.

    Parameters
    ----------
    points
        Shape (K, rank), of full rank >= 1.
    """
    rank = points.shape[1]
    weights = np.zeros(points.shape[0])
    weights[core(points)] = 1.0 / rank
    while True:
        support = np.flatnonzero(weights)
        inverse = np.linalg.inv((points[support].T * weights[support]) @ points[support])
        norms = np.einsum("ki,ki->k", points @ inverse, points)
        # Norms are downdated in O(K d) and computed anew before rounding can be seen.
        for _ in range(50):
            yield weights, norms
            longest = np.argmax(norms)
            height = norms[longest]
            if height <= rank * (1.0 + 1e-12):
                continue
            step = (height / rank - 1.0) / (height - 1.0)
            image = inverse @ points[longest]
            shrink = step / (1.0 - step + step * height)
            inverse = (inverse - shrink * np.outer(image, image)) / (1.0 - step)
            norms = (norms - shrink * (points @ image) ** 2) / (1.0 - step)
            weights = weights * (1.0 - step)
            weights[longest] += step


def approximate_design(actions: Floats) -> Design:
    """Return a design with max ||a||^2 <= 2 rank and support at most `support_bound` (rank).

    Parameters
    ----------
    actions
        Shape (K, d), K >= 1, finite. They may span fewer than d dimensions; zero actions alone have rank 0, and
        the design is then the first of them.

    Notes
    -----
    Deterministic: of equally long actions the first is taken. The last design is remembered, since an active set
    often stays as it is from one batch, and one run, to the next.
    """
    return _remembered(actions.tobytes(), actions.shape)


@functools.lru_cache(maxsize=4)
def _remembered(content: bytes, shape: tuple[int, int]) -> Design:
    points = span(np.frombuffer(content).reshape(shape))
    rank = points.shape[1]
    if rank == 0:
        return Design(np.zeros(1, dtype=np.int64), np.ones(1), 0.0, points)
    weights, norms = next((w, norms) for w, norms in frank_wolfe(points) if norms.max() <= 2 * rank)
    arms = np.flatnonzero(weights)
    return Design(arms, weights[arms], float(norms.max()), points)
