"""Exact pseudo-regret of RNM-FTNL: epoch r plays one action J_(r-1), so regret is linear between powers of two.

Pseudo-regret (wu2025, eq. 1) is the sum over epochs of their rounds times the expected gap of J_(r-1), and J_r is
selected on the losses of 2^(r-1) rounds. B is 1 if losses are resampled as Bernoulli variables, and else 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.errors import BadInput
from dpbandits.settings.full_information.instances import Gaps
from dpbandits.settings.full_information.noises import Noise
from dpbandits.settings.full_information.selection import Floats

# Regret that is left out is smaller than this.
REST = 1e-12
# Longest epoch whose laws are computed.
LONGEST_EPOCH = 2**18
# Of `random_phase`: up to this round terms are summed one by one; then an integral over log u has this step, and
# ends this many scales beyond log K.
ROUNDED, STEP, FAR = 1000, 0.01, 45.0


def epochs(horizon: int) -> int:
    """Return the number of epochs of 1, 2, 4, ... rounds up to the horizon T: floor(log2 T) + 1."""
    return horizon.bit_length()


def regret(expected: Floats, rounds: NDArray[np.int64]) -> Floats:
    """Return the pseudo-regret up to each of ``rounds`` of an algorithm that plays one action in each epoch.

    Parameters
    ----------
    expected : ndarray of float64, shape (..., epochs)
        Expected gap of the action that is played in each epoch; epochs have 1, 2, 4, ... rounds.
    rounds : ndarray of int64, shape (rounds,)
        Rounds, each in 1, ..., 2^epochs - 1.

    Returns
    -------
    ndarray of float64, shape (..., rounds)
        Expected gaps of the actions played, summed up to each of ``rounds``.
    """
    before = 2 ** np.arange(expected.shape[-1])
    played = np.clip(rounds[:, None] - before + 1, 0, before)
    return expected @ played.T.astype(np.float64)


def deterministic(noise: Noise, scale: float, gaps: Gaps, number: int) -> Floats:
    """Return the expected gap of the action that RNM-FTNL plays in each epoch, for deterministic losses.

    Epochs have 1, 2, 4, ... rounds, and losses are not resampled (wu2025's B = 0).

    Parameters
    ----------
    noise, scale
        The noise's law, and its scale > 0.
    gaps
        The actions' gaps; 10^5 groups and more are feasible.
    number
        Number of epochs.

    Returns
    -------
    ndarray of float64, shape (number,)
        The expected gaps, exact to some 1e-16 for each group.
    """
    weights = gaps.gaps * gaps.multiplicities
    expected = np.empty(number)
    expected[0] = weights.sum() / gaps.arms
    for r in range(1, number):
        probabilities = np.exp(noise.select(2.0 ** (r - 1) / scale * gaps.gaps, gaps.multiplicities))
        expected[r] = weights @ probabilities
    return expected


def doubling(noise: Noise, scale: float, gaps: Gaps) -> float:
    """Return RNM-FTNL's expected pseudo-regret at T = infinity for deterministic losses.

    Epochs have 1, 2, 4, ... rounds, and losses are not resampled (wu2025's B = 0). ``noise`` has the noise's law,
    ``scale`` > 0 is its scale, and ``gaps`` are the actions' gaps.
    """
    total, n = float(gaps.gaps @ gaps.multiplicities) / gaps.arms, 1.0
    while True:
        term = 2.0 * n * expected_gap(noise, scale, gaps, n)
        total += term
        # From here on terms fall faster than by half.
        if term < REST and n * gaps.smallest > scale:
            return total
        n *= 2.0


def expected_gap(noise: Noise, scale: float, gaps: Gaps, rounds: float) -> float:
    """Return the expected gap of the action that report-noisy-max selects on the losses of n rounds.

    Losses are deterministic, and not resampled (wu2025's B = 0).

    Parameters
    ----------
    noise, scale
        The noise's law, and its scale.
    gaps
        The actions' gaps; 10^5 groups and more are feasible.
    rounds
        Number n >= 0 of rounds, which need not be whole.
    """
    probabilities = np.exp(noise.select(rounds / scale * gaps.gaps, gaps.multiplicities))
    return float((gaps.gaps * gaps.multiplicities) @ probabilities)


def random_phase(noise: Noise, scale: float, gaps: Gaps, ratio: float = math.e) -> float:
    """Return RNM-FTNL's expected pseudo-regret at T = infinity, in epochs of ceil(ratio^(k + phase)) rounds.

    Losses are deterministic and not resampled (wu2025's B = 0), and the phase is uniform on [0, 1]. With g(n), the
    expected gap of the action that is selected on the losses of n rounds, the regret is

        g(0) E ceil(ratio^phase) + 1/log(ratio) int_1^inf ceil(ratio u) g(ceil(u)) du/u.

    For u up to 1,000 the integral is exact. Beyond, ceil(x) is replaced by x + 1/2, with a relative error of the
    integral below 1/x^2. Simpson's rule over log u is used there, up to a u beyond which nothing is left.

    Parameters
    ----------
    noise, scale, gaps
        The noise's law, its scale, and the actions' gaps.
    ratio
        Ratio of successive epochs' lengths, > 1.
    """
    grow = math.log(ratio)
    # Ends of pieces on which both ceilings are constant.
    ends = np.union1d(np.arange(1.0, ROUNDED + 1.0), np.arange(1.0, ratio * ROUNDED + 1.0) / ratio)
    ends = ends[(ends >= 1.0) & (ends <= ROUNDED)]
    middle = 0.5 * (ends[1:] + ends[:-1])
    known = np.array([expected_gap(noise, scale, gaps, float(n)) for n in range(ROUNDED + 1)])
    weights = np.diff(np.log(ends))
    exact = float(np.sum(weights * np.ceil(ratio * middle) * known[np.ceil(middle).astype(np.int64)]))
    # A phase is one piece of the first integral without g: int_1^ratio ceil(u) du/u.
    steps = np.append(np.arange(1.0, ratio), ratio)
    first = float(np.sum(np.diff(np.log(steps)) * np.ceil(steps[1:]))) / grow
    far = max(ROUNDED * 2.0, scale / gaps.smallest * (math.log(gaps.arms) + FAR))
    points = 2 * math.ceil(math.log(far / ROUNDED) / STEP) + 1
    logs, step = np.linspace(math.log(ROUNDED), math.log(far), points, retstep=True)
    u = np.exp(logs)
    values = (ratio * u + 0.5) * np.array([expected_gap(noise, scale, gaps, float(n) + 0.5) for n in u])
    simpson = (
        float(step) / 3.0 * float(values[0] + values[-1] + 4.0 * values[1::2].sum() + 2.0 * values[2:-1:2].sum())
    )
    return first * known[0] + (exact + simpson) / grow


def random(
    noise: Noise,
    scale: float,
    laws: Iterator[Floats],
    step: float,
    gaps: Floats,
    multiplicities: Floats,
    number: int,
) -> Floats:
    """Return the expected gap of the action that RNM-FTNL plays in each epoch, for random losses.

    Epochs have 1, 2, 4, ... rounds.

    Parameters
    ----------
    noise, scale
        The noise's law, and its scale > 0.
    laws, step
        Iterator of the laws of the losses accumulated over 1, 2, 4, ... rounds, such as `laws.bernoulli`. Each has
        shape (groups, points), and its column k is the probability of the loss k ``step``.
    gaps : ndarray of float64, shape (groups,)
        Gap of each group, increasing from 0.
    multiplicities : ndarray of float64, shape (cases, groups)
        Number of actions in each group, in several cases.
    number
        Number of epochs.

    Returns
    -------
    ndarray of float64, shape (cases, number)
        The expected gaps in each case. They are 0 from the epoch on from which all further regret is below 1e-12,
        by Hoeffding's inequality and the tails of the noise.

    Raises
    ------
    BadInput
        If epochs longer than 2^18 rounds matter: regret with gaps this small has to be sampled.
    """
    weights = gaps * multiplicities
    expected = np.zeros((multiplicities.shape[0], number))
    expected[:, 0] = weights.sum(axis=1) / multiplicities.sum(axis=1)
    for r in range(1, number):
        if _rest(weights, gaps, scale, r).max() < REST:
            break
        if 2 ** (r - 1) > LONGEST_EPOCH:
            raise BadInput("gaps", gaps[1], f"gaps whose regret ends within {LONGEST_EPOCH} rounds")
        expected[:, r] = np.sum(weights * noise.select_random(next(laws), multiplicities, step / scale), axis=1)
    return expected


def _rest(weights: Floats, gaps: Floats, scale: float, first: int) -> Floats:
    """Return a bound on the regret due to J_first, J_(first+1), ..., shape (cases,).

    Source: wu2025, proof of Lemma 5. With n = 2^(r-1) rounds,

        P[J_r = j] <= exp(-n Delta^2/4) + P[difference of two noises >= n Delta/2].

    The second term is at most exp(-n Delta/(4 scale)) for each of the noises.
    """
    n = 2.0 ** np.arange(first - 1, first + 200)[:, None]
    probabilities = np.exp(-n * gaps**2 / 4.0) + np.exp(-n * gaps / (4.0 * scale))
    bound: Floats = weights @ np.sum(2.0 * n * probabilities, axis=0)
    return bound
