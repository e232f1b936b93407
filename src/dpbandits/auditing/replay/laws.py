"""Laws of outputs other than releases with Laplace or normal noise, for the search; the checker has its own.

Log probabilities, or densities, of: a selection; a selection with its gap; an answer by randomised response; a
release with discrete noise; and comparisons with one secret.
"""

from __future__ import annotations

import numpy as np

from dpbandits.auditing.transcript import Floats
from dpbandits.core import arrays
from dpbandits.core import recorder as at
from dpbandits.core.mechanisms import DISCRETE_LAPLACE
from dpbandits.settings.full_information import selection
from dpbandits.settings.full_information.privacy import log_selected

# The law of each mechanism's selection, by the recorder's number of the mechanism.
SELECTIONS = {at.LAPLACE: selection.laplace, at.GUMBEL: selection.gumbel, at.EXPONENTIAL: selection.exponential}
# Beyond this many scales noise has no mass in double precision: Laplace noise, and normal noise.
END = 60.0
NORMAL_END = 12.0
NODES, WEIGHTS = selection.gauss_legendre(16)


def log_selections(mechanism: int, scores: Floats, scale: float) -> Floats:
    """Return the log probability with which each action is selected, shape (actions,).

    Parameters
    ----------
    mechanism
        Law of the noise: ``LAPLACE``, ``GUMBEL`` or ``EXPONENTIAL`` of `dpbandits.core.recorder`.
    scores : ndarray of float64, shape (actions,)
        True scores; the action of the smallest score minus noise is selected.
    scale
        Scale of the noise; at 0 each action of the smallest score has log probability 0, and others -inf.
    """
    if scale <= 0.0:
        return np.where(scores == scores.min(), 0.0, -np.inf)
    return log_selected(SELECTIONS[mechanism], scores, scale)


def log_answers(truth: int, answers: int, probability: float) -> Floats:
    """Return the log probability of each answer of randomised response, shape (answers,).

    Parameters
    ----------
    truth, answers
        The true answer, from 0, and the number of possible answers.
    probability
        Probability of the true answer; the others share the rest.
    """
    others = (1.0 - probability) / max(answers - 1, 1)
    with np.errstate(divide="ignore"):
        return arrays.log(np.where(np.arange(answers) == truth, probability, others))


def log_whole(law: int, one: tuple[float, float], other: tuple[float, float]) -> tuple[Floats, Floats]:
    """Return the log probabilities of the noisy numbers that two values may become, for both on the same numbers.

    Parameters
    ----------
    law
        Law of the noise: ``DISCRETE_LAPLACE`` or ``DISCRETE_NORMAL``.
    one, other
        Pairs (value, scale of its noise) on each of two inputs; the values differ by a whole number.
    """
    reach = END if law == DISCRETE_LAPLACE else NORMAL_END
    least, most = (
        sign * max(sign * value + reach * scale for value, scale in (one, other)) for sign in (-1.0, 1.0)
    )
    k = np.arange(np.floor(least), np.ceil(most) + 1.0) + np.mod(one[0], 1.0)
    found = []
    for value, scale in (one, other):
        z = (k - value) / scale
        power = -np.abs(z) if law == DISCRETE_LAPLACE else -0.5 * z * z
        found.append(power - arrays.log(np.array([arrays.exp(np.maximum(power, -700.0)).sum()]))[0])
    return found[0], found[1]


def _panels(kinks: Floats, scale: float) -> tuple[Floats, Floats]:
    """Return nodes and weights of an integral over the reals, split at the kinks.

    Panels are at most one noise scale long, and end `END` scales beyond the outermost kinks.
    """
    ends = np.unique(np.concatenate([[kinks.min() - END * scale, kinks.max() + END * scale], kinks]))
    pieces = np.minimum(np.ceil(np.diff(ends) / scale), 500).astype(int)
    edges = np.concatenate([np.linspace(a, b, n + 1)[:-1] for a, b, n in zip(ends, ends[1:], pieces, strict=False)])
    edges = np.append(edges, ends[-1])
    lengths = np.diff(edges)
    return (edges[:-1, None] + lengths[:, None] * NODES).ravel(), (lengths[:, None] * WEIGHTS).ravel()


def _noise(mechanism: int, z: Floats) -> tuple[Floats, Floats]:
    """Return density and distribution function of a mechanism's noise."""
    if mechanism == at.EXPONENTIAL:
        rest = np.where(z >= 0.0, arrays.exp(-np.maximum(z, 0.0)), 0.0)
        return rest, np.where(z >= 0.0, 1.0 - rest, 0.0)
    if mechanism == at.GUMBEL:
        inner = arrays.exp(np.minimum(-z, 700.0))
        below = arrays.exp(-inner)
        return inner * below, below
    tail = arrays.exp(-np.abs(z)) / 2.0
    return tail, np.where(z < 0.0, tail, 1.0 - tail)


def log_gap(mechanism: int, scores: Floats, scale: float, action: int, gap: float) -> float:
    """Return the log density of selecting an action and releasing its gap to the next noisy score.

    Parameters
    ----------
    mechanism, scale
        Law of the noise, such as ``LAPLACE``, and its scale, > 0.
    scores : ndarray of float64, shape (actions,)
        True scores; the action with the smallest score minus noise is selected.
    action
        The selected action.
    gap
        Next noisy score less that of the selected action; below 0 it is impossible, and -inf is returned.
    """
    v, weights = _panels(np.concatenate([scores, scores - gap]), scale)
    # A noisy score s - Z is at least u with the probability of Z <= s - u.
    own, _ = _noise(mechanism, (scores[action] - v) / scale)
    others = np.delete(scores, action)[:, None]
    dense, beyond = _noise(mechanism, (others - v - gap) / scale)
    product = np.zeros(v.size)
    for i in range(len(others)):
        product += dense[i] * np.prod(np.delete(beyond, i, axis=0), axis=0)
    total = float((weights * own * product).sum()) / scale**2
    return float(arrays.log(np.array([total]))[0]) if gap >= 0.0 and total > 0.0 else -np.inf


def log_comparisons(secret: tuple[float, float], values: Floats, scales: Floats, said: Floats) -> Floats:
    """Return the log probability of both answers of each comparison with one noisy secret, given earlier answers.

    A comparison answers 1 if the noisy value is at least the noisy secret, else 0.

    Parameters
    ----------
    secret
        True value of the secret, and the scale of its Laplace noise.
    values, scales, said : ndarray of float64, shape (comparisons,)
        Values that are compared with it, the scales of their Laplace noise, and the answers, 0 or 1.

    Returns
    -------
    ndarray of float64, shape (2, comparisons)
        Log probabilities of the answer 0, in the first row, and of the answer 1, in the second.
    """
    place, wide = secret
    if wide <= 0.0:
        v, weights = np.array([place]), np.array([1.0])
    else:
        v, weights = _panels(np.append(np.unique(values), place), wide)
        weights = weights * _noise(at.LAPLACE, (v - place) / wide)[0] / wide
    logs = np.zeros((2, values.size))
    for i in range(values.size):
        if scales[i] > 0.0:
            # By symmetry value + noise >= v with the probability of noise <= value - v.
            above = _noise(at.LAPLACE, (values[i] - v) / scales[i])[1]
        else:
            above = (values[i] >= v) * 1.0
        both = np.stack([weights * (1.0 - above), weights * above])
        with np.errstate(divide="ignore", invalid="ignore"):
            logs[:, i] = arrays.log(both.sum(axis=1) / weights.sum()) if weights.sum() > 0.0 else -np.inf
        # Only ratios count: long rows of answers would else leave double precision.
        weights = both[int(said[i] > 0.5)]
        weights = weights / max(float(weights.max()), 1e-300)
    return logs
