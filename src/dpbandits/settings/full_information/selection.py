"""Report-noisy-max, exactly: which action is selected, given the accumulated losses.

The noises Q_1, ..., Q_K have distribution function F and density f, in units of their scale. In the same unit,
a_i >= 0 is the excess of action i's loss over the smallest. Action j is selected with probability

    P_j = integral over v of f(a_j - v) prod_{i != j} F(a_i - v).

Gumbel noise makes it a soft-max. For the others v is minus the largest noisy score, and u = e^v:

- Exponential noise lives on v < 0, where F(a_i - v) = 1 - u e^(-a_i) is linear in u. So P_j is an integral of a
  polynomial over u in [0, 1] (it is permute-and-flip).
- Laplace noise is the same with halved weights on v < 0. On v > 0 actions are *passed* one by one, at the kinks
  v = a_i. A passed action has F = e^(a_i - v)/2, so that after some seventy of them nothing is left.

Actions of equal loss are one group with a multiplicity, which may be any number >= 1 (K = e^200 is fine). No array
is longer than the number of groups. Logarithms are returned, so that nothing overflows or vanishes, however large
the losses are.

Accuracy. Cut-off tails and quadrature err by less than 1e-15 relative: the integrands are polynomials or entire in
strips where they are bounded (see `below`, `_above`), which Gauss-Legendre rules integrate geometrically fast.
Rounding adds some 1e-16 for each group, and 1e-16 a_j to log P_j: the losses themselves have no more digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel

Floats = NDArray[np.float64]
Selection = Callable[[Floats, Floats], Floats]

# Factors e^-NEGLIGIBLE and smaller are dropped.
NEGLIGIBLE = 42.0


def gauss_legendre(number: int) -> tuple[Floats, Floats]:
    """Return nodes and weights of the Gauss-Legendre rule on [0, 1] with ``number`` nodes."""
    nodes, weights = np.polynomial.legendre.leggauss(number)
    return 0.5 * nodes + 0.5, 0.5 * weights


# Enough for e^(-42 u) and polynomials of degree 63 on [0, 1]; and for one panel of a smooth integrand.
WHOLE, PANEL = gauss_legendre(32), gauss_legendre(12)
# Panels are at most that long: e^v is integrated to 1e-16.
LONGEST = 6.0


@inner
def multiply(product: Floats, logarithm: Floats, x: Floats, weight: float, multiplicity: float) -> None:
    """Multiply the numbers ``product`` e^``logarithm`` by (1 - weight x)^multiplicity, in place and elementwise.

    For single actions ``product`` is multiplied, which is 16 times faster than to add logarithms. Where it
    underflows, the number is negligible.

    Parameters
    ----------
    product, logarithm : ndarray of float64, shape (nodes,)
        Changed in place: ``product`` for a single action, ``logarithm`` for a group.
    x : ndarray of float64, shape (nodes,)
        Numbers in [0, 1].
    weight
        Factor of ``x``, in [0, 1].
    multiplicity
        Number of actions, >= 1.
    """
    if multiplicity == 1.0:
        for q in range(x.size):
            product[q] *= 1.0 - weight * x[q]
    elif weight > 0.0:
        for q in range(x.size):
            logarithm[q] += multiplicity * math.log1p(-weight * x[q])


@kernel
def below(weights: Floats, multiplicities: Floats, share: float, nodes: Floats, node_weights: Floats) -> Floats:
    """Return c times the integral over u in [0, 1] of prod_{i != j} (1 - c u w_i), for an action j of each group.

    Times w_j = e^(-a_j) it is the probability that j's noise less a_j, its excess loss, is positive and the largest
    of all. The product is below e^(-c u (W - 1)), with W the sum of all weights, so beyond c u W = 42 nothing is
    left.

    Parameters
    ----------
    weights : ndarray of float64, shape (groups,)
        w_i = e^(-a_i), in [0, 1].
    multiplicities : ndarray of float64, shape (groups,)
        Number of actions in each group.
    share : float
        c: 1 for Exponential, 1/2 for Laplace noise.
    nodes, node_weights : ndarray of float64, shape (nodes,)
        Nodes and weights of a quadrature rule on [0, 1].

    Returns
    -------
    ndarray of float64, shape (groups,)
        The integral for one action of each group.
    """
    end = min(1.0, NEGLIGIBLE / (share * np.sum(weights * multiplicities)))
    u = share * end * nodes
    product = np.ones(u.size)
    logarithm = np.zeros(u.size)
    faint = math.exp(-NEGLIGIBLE) / multiplicities.sum()
    for i in range(weights.size):
        if weights[i] > faint:
            multiply(product, logarithm, u, weights[i], multiplicities[i])
    integrand = share * end * node_weights * product * np.exp(logarithm)
    result = np.full(weights.size, integrand.sum())
    for j in range(weights.size):
        if weights[j] > faint:
            result[j] = 0.0
            for q in range(u.size):
                result[j] += integrand[q] / (1.0 - u[q] * weights[j])
    return result


@kernel
def _above(excess: Floats, multiplicities: Floats, nodes: Floats, node_weights: Floats, result: Floats) -> None:
    """Add to ``result`` what v > 0 contributes to e^(a_j) P_j under Laplace noise.

    The integrand of all actions together is e^v prod_i F(a_i - v), which never increases. It is integrated in
    panels between kinks. A panel is at most 1 long, and so short that the integrand falls by a factor of e^-4 or so
    at most. Where all actions not yet passed are far away, a closed form is used instead.

    Parameters
    ----------
    excess : ndarray of float64, shape (groups,)
        a_i, strictly increasing from 0.
    multiplicities : ndarray of float64, shape (groups,)
        Number of actions in each group.
    nodes, node_weights : ndarray of float64, shape (nodes,)
        A rule on [0, 1].
    result : ndarray of float64, shape (groups,)
        For one action of each group.
    """
    groups = excess.size
    actions = multiplicities.sum()
    # Actions further away than this have F = 1 to e^-42, all of them together.
    far = NEGLIGIBLE + math.log(actions)
    growth, product, logarithm = np.empty(nodes.size), np.empty(nodes.size), np.empty(nodes.size)
    # v = origin + t: apart, so that kinks at 10^12 and beyond lose no digits.
    origin, t = 0.0, 0.0
    # How many groups and actions are passed, and the log of e^v prod F(a_i - v) over them.
    passed, number, height = 0, 0.0, 0.0
    while True:
        while passed < groups and excess[passed] - origin <= t:
            number += multiplicities[passed]
            height -= multiplicities[passed] * math.log(2.0)
            passed += 1
        level, mass = height, 0.0
        near = passed
        while near < groups and excess[near] - origin < t + LONGEST + far:
            weight = 0.5 * math.exp(t - (excess[near] - origin))
            level += multiplicities[near] * math.log1p(-weight)
            mass += multiplicities[near] * weight / (1.0 - weight)
            near += 1
        if level < -far:
            return
        if near == passed:
            # Nothing near: the integrand falls exponentially until something is, or for good.
            length = excess[passed] - origin - far - t if passed < groups else math.inf
            width = length if number == 1.0 else -math.expm1(-(number - 1.0) * length) / (number - 1.0)
            for j in range(passed, groups):
                result[j] += 0.5 * math.exp(height) * width
            for j in range(passed):
                result[j] -= math.exp(height + excess[j] - origin - t) * math.expm1(-number * length) / number
            if passed == groups:
                return
            height -= (number - 1.0) * length
            origin, t = excess[passed], -far
            continue
        kink = excess[passed] - origin if passed < groups else math.inf
        length = min(LONGEST, max(1.0, -math.log(2.0 * mass)), 4.0 / (number - 1.0 + mass), kink - t)
        steps = length * nodes
        growth[:] = np.exp(steps)
        product[:] = 1.0
        logarithm[:] = height - (number - 1.0) * steps
        for i in range(passed, near):
            multiply(product, logarithm, growth, 0.5 * math.exp(t - (excess[i] - origin)), multiplicities[i])
        integrand = length * node_weights * product * np.exp(logarithm)
        for j in range(passed):
            result[j] += math.exp(excess[j] - origin - t) * np.sum(integrand / growth)
        for j in range(passed, near):
            weight = 0.5 * math.exp(t - (excess[j] - origin))
            for q in range(growth.size):
                result[j] += 0.5 * integrand[q] / (1.0 - weight * growth[q])
        result[near:] += 0.5 * integrand.sum()
        height -= (number - 1.0) * length
        t = kink if length == kink - t else t + length


def gumbel(excess: Floats, multiplicities: Floats) -> Floats:
    """Return the log probability that report-noisy-max with Gumbel noise selects one action of each group.

    It is the soft-max of the negative losses.

    Parameters
    ----------
    excess : ndarray of float64, shape (groups,)
        Each group's loss less the smallest one, in units of the noise's scale.
    multiplicities : ndarray of float64, shape (groups,)
        The number of actions in each group.

    Returns
    -------
    ndarray of float64, shape (groups,)
        The log probability for one action of each group.
    """
    normaliser: np.float64 = np.logaddexp.reduce(np.log(multiplicities) - excess)
    return -excess - normaliser


def exponential(excess: Floats, multiplicities: Floats) -> Floats:
    """Return the log probability that report-noisy-max with Exponential noise selects one action of each group.

    Parameters
    ----------
    excess : ndarray of float64, shape (groups,)
        Each group's loss less the smallest one, in units of the noise's scale: increasing from 0.
    multiplicities : ndarray of float64, shape (groups,)
        Number of actions in each group, >= 1.

    Returns
    -------
    ndarray of float64, shape (groups,)
        The log probability for one action of each group.
    """
    return np.log(below(np.exp(-excess), multiplicities, 1.0, *WHOLE)) - excess


def laplace(excess: Floats, multiplicities: Floats) -> Floats:
    """Return the log probability that report-noisy-max with Laplace noise selects one action of each group.

    Parameters
    ----------
    excess : ndarray of float64, shape (groups,)
        Each group's loss less the smallest one, in units of the noise's scale: strictly increasing from 0.
    multiplicities : ndarray of float64, shape (groups,)
        The number of actions in each group.

    Returns
    -------
    ndarray of float64, shape (groups,)
        The log probability for one action of each group.
    """
    result = below(np.exp(-excess), multiplicities, 0.5, *WHOLE)
    _above(excess, multiplicities, *PANEL, result)
    return np.log(result) - excess


def overtake_gumbel(d: Floats) -> Floats:
    """Return log P[Q_2 - Q_1 >= d] of two standard Gumbel noises, for each element of ``d``.

    It is the log probability that the second of two actions is selected if it has lost d scales more.
    """
    negative: Floats = -np.logaddexp(0.0, d)
    return negative


def overtake_exponential(d: Floats) -> Floats:
    """Return log P[Q_2 - Q_1 >= d] of two standard Exponential noises, for each element of ``d``.

    It is the log probability that the second of two actions is selected if it has lost d scales more.
    """
    return np.where(d >= 0.0, -math.log(2.0) - d, np.log1p(-0.5 * np.exp(np.minimum(d, 0.0))))


def overtake_laplace(d: Floats) -> Floats:
    """Return log P[Q_2 - Q_1 >= d] of two standard Laplace noises, for each element of ``d``.

    It is the log probability that the second of two actions is selected if it has lost d scales more.
    """
    size = np.abs(d)
    log_tail = np.log(0.5 + size / 4.0) - size
    return np.where(d >= 0.0, log_tail, np.log1p(-np.exp(log_tail)))
