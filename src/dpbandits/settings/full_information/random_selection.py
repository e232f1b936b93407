"""Report-noisy-max, exactly: which action is selected when the accumulated losses are random.

Losses are independent over actions. So the formula of `dpbandits.settings.full_information.selection` holds with
F(a_i - v) and f(a_j - v) replaced by their expectations over the law of a_i. A selection probability remains a
one-dimensional integral, however many actions there are. The accumulated losses lie on a lattice 0, s, 2s, ... (in
units of the noise's scale): whole numbers for Bernoulli losses.

- Exponential and Laplace noise: between two points of the lattice the expectations are sums of at most a constant,
  e^v and e^-v, whose coefficients are found for all of the lattice by one recursion. Each such panel is integrated
  by a Gauss-Legendre rule.
- Gumbel noise: everything is analytic for abs(Im v) < pi/2, where the trapezoidal rule of step 1/5 errs by e^-37.

Accuracy: 1e-14 absolute for laws of up to 2^10 points and 1e-12 up to 2^18, whatever K is, and about as much
relative down to probabilities of 1e-10: only sums of non-negative terms are taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import inner, kernel
from dpbandits.settings.full_information.selection import NEGLIGIBLE, WHOLE, Floats, below, gauss_legendre

RandomSelection = Callable[[Floats, Floats, float], Floats]

TRAPEZOID = 0.2
# Panels that contribute less are dropped.
FAINT = 1e-24
# Noise does not overcome a step of this size: larger ones are as good.
LARGEST_STEP = 2.0 * NEGLIGIBLE


class Lattice(NamedTuple):
    """Expectations over the random loss of each group's actions, at the lattice points k = 0, 1, ...

    An action's accumulated loss is g steps of the lattice, with g random; s is the step in units of the noise's
    scale. Between two points expectations follow from those at the points.

    Attributes
    ----------
    below, above : ndarray of float64, shape (groups, points)
        P[g <= k] and P[g > k].
    rising, risen : ndarray of float64, shape (groups, points)
        Expectations of e^-(g-k)s and of 1 - e^-(g-k)s where g > k, and of 0 elsewhere.
    falling, fallen : ndarray of float64, shape (groups, points)
        Expectations of e^-(k-g)s and of 1 - e^-(k-g)s where g <= k, and of 0 elsewhere.
    """

    below: Floats
    above: Floats
    rising: Floats
    risen: Floats
    falling: Floats
    fallen: Floats


@kernel
def _lattice(laws: Floats, step: float) -> Lattice:
    """Return the expectations for laws on the lattice 0, ``step``, 2 ``step``, ..., shape (groups, points)."""
    lattice = Lattice(
        laws.copy(), np.zeros_like(laws), np.zeros_like(laws), np.zeros_like(laws), laws.copy(), np.zeros_like(laws)
    )
    decay, loss = math.exp(-step), -math.expm1(-step)
    for i in range(laws.shape[0]):
        for k in range(1, laws.shape[1]):
            lattice.below[i, k] += lattice.below[i, k - 1]
            lattice.falling[i, k] += decay * lattice.falling[i, k - 1]
            lattice.fallen[i, k] = lattice.fallen[i, k - 1] + loss * lattice.falling[i, k - 1]
        for k in range(laws.shape[1] - 2, -1, -1):
            next_point = laws[i, k + 1] + lattice.rising[i, k + 1]
            lattice.above[i, k] = lattice.above[i, k + 1] + laws[i, k + 1]
            lattice.rising[i, k] = decay * next_point
            lattice.risen[i, k] = lattice.risen[i, k + 1] + loss * next_point
    return lattice


@inner
def log_complementary(probability: float, complement: float) -> float:
    """Return log ``probability`` to full relative precision, also next to 1; ``complement`` is 1 - ``probability``.

    Callers multiply the logarithm by up to the number of actions, and with it its error.
    """
    return math.log1p(-complement) if complement < 0.5 else math.log(probability)


@kernel
def _panels(
    lattice: Lattice,
    multiplicities: Floats,
    step: float,
    share: float,
    nodes: Floats,
    node_weights: Floats,
    result: Floats,
) -> None:
    """Add to ``result`` what v in [0, largest point] contributes to P_j, for Exponential or Laplace noise.

    Parameters
    ----------
    lattice, step
        As of `_lattice`.
    multiplicities : ndarray of float64, shape (cases, groups)
        Number of actions in each group, in several cases.
    share : float
        c: 1 for Exponential, 1/2 for Laplace noise.
    nodes, node_weights : ndarray of float64, shape (nodes,)
        A rule on [0, 1] for a panel.
    result : ndarray of float64, shape (cases, groups)
        For one action of each group.
    """
    cases, groups = multiplicities.shape
    logarithm, hazard = np.empty(groups), np.empty(groups)
    parts = math.ceil(step)
    for k in range(lattice.above.shape[1] - 1):
        largest = 0.0
        for i in range(groups):
            upper = share * lattice.rising[i, k] * math.exp(step) + (1.0 - share) * lattice.falling[i, k]
            largest = max(largest, upper * multiplicities[:, i].max())
        if largest * step < FAINT:
            continue
        alive = False
        for q in range(parts * nodes.size):
            at = (q // nodes.size + nodes[q % nodes.size]) / parts * step
            for i in range(groups):
                up = share * lattice.rising[i, k] * math.exp(at)
                down = (1.0 - share) * lattice.falling[i, k] * math.exp(-at)
                smaller = share * lattice.risen[i, k + 1] + up * math.expm1(step - at)
                smaller += (1.0 - share) * lattice.above[i, k] + down
                larger = share * lattice.below[i, k] + up
                larger += (1.0 - share) * (lattice.fallen[i, k] - lattice.falling[i, k] * math.expm1(-at))
                logarithm[i] = log_complementary(smaller, larger)
                hazard[i] = (up + down) / smaller
            weight = step / parts * node_weights[q % nodes.size]
            for c in range(cases):
                total = np.sum(multiplicities[c] * logarithm)
                if total > -2.0 * NEGLIGIBLE:
                    alive = True
                    result[c] += weight * math.exp(total) * hazard
        if not alive:
            return


def _two_exponentials(laws: Floats, multiplicities: Floats, step: float, share: float) -> Floats:
    """Return P_j under Exponential (``share`` 1) or Laplace noise (1/2); see `laplace`."""
    step = min(step, LARGEST_STEP)
    lattice = _lattice(laws, step)
    # E e^-a_i, with which v < 0 is as if the losses were not random.
    weights = laws[:, 0] + lattice.rising[:, 0]
    result = np.array([weights * below(weights, row, share, *WHOLE) for row in multiplicities])
    # Geometric convergence on panels of length h <= 1: errors fall by (h/4)^2 with each node.
    order = max(2, math.ceil(8.5 / math.log10(4.0 * math.ceil(step) / step)))
    _panels(lattice, multiplicities, step, share, *gauss_legendre(order), result)
    if share < 1.0:
        # Beyond the largest point all F fall as e^-v.
        last = multiplicities @ np.log(0.5 * np.maximum(lattice.falling[:, -1], 1e-300))
        result += (np.exp(last) / multiplicities.sum(axis=1))[:, None]
    return result


def exponential(laws: Floats, multiplicities: Floats, step: float) -> Floats:
    """Return, for each group, the probability that report-noisy-max selects one given action of it.

    The noise is Exponential. Accumulated losses are random, with the same known law for all actions of a group.

    ``laws``, shape (groups, points), has in column k the probability that a group's action has accumulated the loss
    k ``step``, in units of the noise's scale. ``multiplicities``, shape (cases, groups), are numbers of actions in
    each group, in several cases. The result has the shape of ``multiplicities``.
    """
    return _two_exponentials(laws, multiplicities, step, 1.0)


def laplace(laws: Floats, multiplicities: Floats, step: float) -> Floats:
    """Return, for each group, the probability that report-noisy-max selects one given action of it.

    The noise is Laplace. Accumulated losses are random, with the same known law for all actions of a group.

    Parameters
    ----------
    laws : ndarray of float64, shape (groups, points)
        Law of the accumulated loss of each group's actions: column k is the probability of the loss k s.
    multiplicities : ndarray of float64, shape (cases, groups)
        Number of actions in each group, in several cases: laws are the costly part.
    step : float
        Step s of the lattice of losses, in units of the noise's scale.

    Returns
    -------
    ndarray of float64, shape (cases, groups)
        Selection probability of one action of each group, in each case.
    """
    return _two_exponentials(laws, multiplicities, step, 0.5)


def gumbel(laws: Floats, multiplicities: Floats, step: float) -> Floats:
    """Return, for each group, the probability that report-noisy-max selects one given action of it.

    The noise is Gumbel. Accumulated losses are random, with the same known law for all actions of a group.

    ``laws``, shape (groups, points), has in column k the probability that a group's action has accumulated the loss
    k ``step``, in units of the noise's scale. ``multiplicities``, shape (cases, groups), are numbers of actions in
    each group, in several cases. The result has the shape of ``multiplicities``.
    """
    return _gumbel(laws, multiplicities, min(step, LARGEST_STEP))


@kernel
def _gumbel(laws: Floats, multiplicities: Floats, step: float) -> Floats:
    cases, groups = multiplicities.shape
    points = laws.shape[1]
    result = np.zeros((cases, groups))
    below_point, above_point = np.zeros((groups, points + 1)), np.zeros((groups, points + 1))
    lowest = points
    for i in range(groups):
        for k in range(points):
            below_point[i, k + 1] = below_point[i, k] + laws[i, k]
            if laws[i, k] > 0.0 and k < lowest:
                lowest = k
        for k in range(points - 1, -1, -1):
            above_point[i, k] = above_point[i, k + 1] + laws[i, k]
    logarithm, hazard = np.empty(groups), np.empty(groups)
    # F(a - v) is 0 to e^-54 for a < v - 4; for a > v + far it is 1, to e^-42 for all actions together.
    far = NEGLIGIBLE + math.log(multiplicities.sum(axis=1).max())
    v = lowest * step - far
    while True:
        first = min(points, max(0, math.ceil((v - 4.0) / step)))
        last = min(points, max(0, math.ceil((v + far) / step)))
        for i in range(groups):
            smaller, larger, density = above_point[i, last], below_point[i, first], 0.0
            for k in range(first, last):
                if laws[i, k] > 0.0:
                    odds = math.exp(v - k * step)
                    part = laws[i, k] * math.exp(-odds)
                    smaller += part
                    density += part * odds
                    larger -= laws[i, k] * math.expm1(-odds)
            logarithm[i] = log_complementary(smaller, larger)
            hazard[i] = density / smaller if smaller > 0.0 else 0.0
        alive = False
        for c in range(cases):
            total = np.sum(multiplicities[c] * logarithm)
            if total > -2.0 * NEGLIGIBLE:
                alive = True
                result[c] += TRAPEZOID * math.exp(total) * hazard
        if not alive:
            return result
        v += TRAPEZOID
