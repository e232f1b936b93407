"""Follow the perturbed leader with geometric resampling: the decisions of asi2025, Algorithm 4.

Laplace perturbations of scale 1/eta are drawn anew in every decision. An arm's importance weight 1/P is estimated
by the number of fresh perturbations until it wins, at most M.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.algorithm import Parameter, Tuning, Values
from dpbandits.core.compiled import inner, kernel
from dpbandits.core.mathematics import exp, log
from dpbandits.core.recording import START, Runs
from dpbandits.core.streams import State, bits, uniform
from dpbandits.settings.adversarial.problem import Bandit, play


def resamplings(tuning: Tuning, _: Values) -> float:
    """sqrt(nK), rounded up"""
    return float(math.ceil(math.sqrt(tuning.horizon * tuning.arms)))


def learning_rate(tuning: Tuning, _: Values) -> float:
    """min(sqrt(log K/(nK (1 + 10 lambda^2 log^2(nK)))), 1/(sqrt(nK) (1 + 4 lambda log n)))"""
    size = tuning.horizon * tuning.arms
    spread = tuning.noise * log(size)
    heavy = 1 + 10 * (spread * spread)
    return min(
        math.sqrt(log(tuning.arms) / (size * heavy)),
        1 / (math.sqrt(size) * (1 + 4 * tuning.noise * log(tuning.horizon))),
    )


PARAMETERS = (
    Parameter("eta", float, learning_rate, "learning rate, the inverse scale of the perturbations", at_least=0),
    Parameter("resampling", int, resamplings, "resampling threshold M", at_least=1),
)


# Weights are computed anew from their logarithms when the largest leaves this range.
SMALL, LARGE = 1e-100, 1e100


@inner
def _perturbation(state: State) -> float:
    """Return e^Z of a standard Laplace variable Z: with probability 1/2 uniform on (0, 1], else the inverse."""
    b = bits(state)
    u = (np.float64(b >> np.uint64(11)) + 1.0) * 2.0**-53
    # Bits 0 to 10 are not used by u.
    return u if b & np.uint64(1) else 1.0 / u


@inner
def wins(state: State, weight: NDArray[np.float64], arm: int, rival: int, largest: bool) -> bool:
    """Return whether ``arm`` has the largest, or else the smallest, product of weight and fresh perturbation.

    The arm's own perturbation is drawn; one uniform number is compared with the probability, a product, that all
    others stay beyond it, and the product is left as soon as it is too small. ``rival`` comes first: it decides the
    speed alone.
    """
    own = weight[arm] * _perturbation(state)
    u = uniform(state)
    product = 1.0
    for k in range(-1, weight.size):
        other = rival if k < 0 else k
        if other != arm and (k != rival):
            ratio = weight[other] / own if largest else own / weight[other]
            product *= 1.0 - 0.5 * ratio if ratio <= 1.0 else 0.5 / ratio
            if product < u:
                return False
    return True


@inner
def importance(
    state: State, weight: NDArray[np.float64], arm: int, rival: int, resampling: int, printed: bool
) -> int:
    """Return the importance weight of ``arm``: how many fresh perturbations it takes until it wins.

    If ``resampling`` of them do not do, that number; or as printed, where an arm wins by being the largest
    estimate, 0.
    """
    for count in range(1, resampling + 1):
        if wins(state, weight, arm, rival, not printed):
            return count
    return 0 if printed else resampling


@inner
def _extremes(weight: NDArray[np.float64]) -> tuple[int, int]:
    """Return where the weights are largest and smallest."""
    heaviest, lightest = 0, 0
    for k in range(weight.size):
        if weight[k] > weight[heaviest]:
            heaviest = k
        if weight[k] < weight[lightest]:
            lightest = k
    return heaviest, lightest


@kernel
def simulate(runs: Runs, bandit: Bandit, eta: float, resampling: int, printed: bool) -> None:
    """Fill ``runs``.

    With weights w_i = exp(-eta L_i), arm i minimises L_i + Z_i/eta where it maximises w_i exp(-Z_i): no logarithm.

    Parameters
    ----------
    runs, bandit
        What is filled, and the losses, batches and noise.
    eta
        Learning rate.
    resampling
        M, the largest number of resamplings.
    printed
        Whether to resample as printed: until the arm has the *largest* perturbed estimate, and to use 0 and not M
        for the importance weight if M resamplings did not do.
    """
    arms = runs.pulls.shape[1]
    estimate = np.empty(arms)
    weight = np.empty(arms)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        estimate[:] = 0.0
        weight[:] = 1.0
        origin = 0.0
        clock = START
        while clock.t < runs.horizon:
            heaviest, lightest = _extremes(weight)
            if not SMALL < weight[heaviest] < LARGE:
                origin = estimate.min()
                for k in range(arms):
                    weight[k] = exp(-eta * (estimate[k] - origin))
                heaviest, lightest = _extremes(weight)
            arm, highest = heaviest, 0.0
            for k in range(arms):
                perturbed = weight[k] * _perturbation(state)
                if perturbed > highest:
                    arm, highest = k, perturbed
            clock, loss = play(state, runs, bandit, run, arm, clock)
            rival = lightest if printed else heaviest
            estimate[arm] += loss * importance(state, weight, arm, rival, resampling, printed)
            weight[arm] = exp(-eta * (estimate[arm] - origin))
