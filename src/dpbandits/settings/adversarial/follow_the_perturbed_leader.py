"""Follow the perturbed leader with geometric resampling: the decisions of asi2025, Algorithm 4.

Every decision draws new Laplace perturbations of scale 1/eta. An arm's importance weight 1/P is estimated by the
number of further perturbations until it wins, up to a threshold M, the parameter ``resampling``.

The docstrings of `resamplings` and `learning_rate` are the defaults of M and eta, for n decisions among K arms.
Their losses have Laplace noise of scale lambda.

With two arms the law of a decision is known: the difference of two Laplace variables exceeds a >= 0 with
probability (2 + a) exp(-a)/4. Then two uniform numbers decide, and runs go side by side. With more arms
perturbations are drawn.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.fields import Parameter, Tuning, Values
from dpbandits.core.lanes import LANES, uniforms
from dpbandits.core.mathematics import exp, log, log1p, log_unchecked
from dpbandits.core.recording import START, Runs
from dpbandits.core.streams import State, bits, uniform
from dpbandits.settings.adversarial.batch_laws import batch_laws
from dpbandits.settings.adversarial.lanes import play_lanes
from dpbandits.settings.adversarial.problem import Bandit, play


def resamplings(tuning: Tuning, _: Values) -> float:
    """sqrt(nK), rounded up

    This is the default of ``resampling``, M, for n decisions among K arms.
    """
    return float(math.ceil(math.sqrt(tuning.horizon * tuning.arms)))


def learning_rate(tuning: Tuning, _: Values) -> float:
    """min(sqrt(log K/(nK (1 + 10 lambda^2 log^2(nK)))), 1/(sqrt(nK) (1 + 4 lambda log n)))

    This is the default of ``eta``, for n decisions among K arms on losses with Laplace noise of scale lambda.
    """
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


# Weights are computed again from the estimates when the largest leaves this range.
SMALL, LARGE = 1e-100, 1e100
# An arm this far ahead, in units of the perturbations' scale, is not selected in any run.
FARTHEST = 700.0


@inner
def _perturbation(state: State) -> float:
    """Return e^Z of a standard Laplace variable Z: with probability 1/2 uniform on (0, 1], else the inverse."""
    b = bits(state)
    u = (np.float64(b >> np.uint64(11)) + 1.0) * 2.0**-53
    # Bits 0 to 10 are not used by u.
    return u if b & np.uint64(1) else 1.0 / u


@inner
def wins(state: State, weight: NDArray[np.float64], arm: int, rival: int, largest: bool) -> bool:
    """Return whether ``arm`` wins with fresh perturbations: whether its weight times e^Z is the largest.

    Z is standard Laplace. If ``largest`` is false, the smallest product wins. Only the arm's own Z is drawn. Given
    it, the arm wins with a probability that has a factor for each other arm. One uniform number is compared with
    that probability, and factors are left out as soon as the number exceeds it. The factor of ``rival`` comes
    first, which affects the speed alone.

    Parameters
    ----------
    weight : ndarray of float64, shape (arms,)
        exp(-eta L) of each arm, L its estimated loss so far, up to a common factor; > 0.
    arm
        Number of the arm that wins or not.
    rival
        Number of the arm that ``arm`` is compared with first.
    largest
        Whether the largest product wins, and not the smallest.
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
    """Return the importance weight of ``arm``: the number of fresh perturbations that are drawn until it wins.

    If the arm wins with none of the first ``resampling`` perturbations, the weight is ``resampling``; as printed,
    it is 0.

    Parameters
    ----------
    weight, arm, rival
        Weights exp(-eta L) of all arms, shape (arms,); number of the arm; number of the arm to compare with first.
    resampling
        M, the largest number of fresh perturbations, >= 1.
    printed
        Whether an arm wins by the largest perturbed loss, as printed, and M vain tries count as 0.
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
def _any_arms(runs: Runs, bandit: Bandit, eta: float, resampling: int, printed: bool) -> None:
    """Fill ``runs``, one after another.

    With weights w_i = exp(-eta L_i), arm i minimises L_i + Z_i/eta where it maximises w_i exp(-Z_i): no logarithm.
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


@inner
def _select(
    eta: float,
    u: NDArray[np.float64],
    ahead: NDArray[np.float64],
    tail: NDArray[np.float64],
    arm: NDArray[np.int64],
) -> None:
    """Select one of two arms in each lane, and keep the probability of the one with the larger estimate.

    ``ahead`` is the first arm's estimate minus the second one's.
    """
    for i in range(arm.size):
        distance = min(eta * abs(ahead[i]), FARTHEST)
        tail[i] = (0.5 + 0.25 * distance) * exp(-distance)
        larger = u[i] <= tail[i]
        arm[i] = 0 if larger == (ahead[i] > 0.0) else 1


@inner
def _count(
    resampling: int,
    printed: bool,
    u: NDArray[np.float64],
    ahead: NDArray[np.float64],
    tail: NDArray[np.float64],
    arm: NDArray[np.int64],
    count: NDArray[np.float64],
) -> None:
    """Draw in each lane what `importance` draws: a geometric number, cut at M."""
    for i in range(arm.size):
        larger = (arm[i] == 0) == (ahead[i] > 0.0)
        # The logarithm of the probability that a resampling does not do. As printed the other arm has to win.
        failure = log1p(-tail[i]) if larger != printed else log_unchecked(tail[i])
        tries = np.floor(log_unchecked(u[i]) / failure) + 1.0
        count[i] = tries if tries <= resampling else 0.0 if printed else np.float64(resampling)


@kernel
def _two_arms(runs: Runs, bandit: Bandit, eta: float, resampling: int, printed: bool) -> None:
    """Fill ``runs``, side by side."""
    laws = batch_laws(runs, bandit)
    for first in range(0, runs.streams.shape[0], LANES):
        n = min(LANES, runs.streams.shape[0] - first)
        streams = runs.streams[first : first + n].reshape(-1)
        ahead, excess = np.zeros(n), np.zeros(n)
        u, tail, count, loss, arm = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n, np.int64)
        clock = START
        while clock.t < runs.horizon:
            uniforms(streams, u)
            _select(eta, u, ahead, tail, arm)
            clock = play_lanes(runs, bandit, first, streams, arm, clock, excess, loss, laws)
            uniforms(streams, u)
            _count(resampling, printed, u, ahead, tail, arm, count)
            for i in range(n):
                step = loss[i] * count[i]
                ahead[i] += step if arm[i] == 0 else -step


def simulate(runs: Runs, bandit: Bandit, eta: float, resampling: int, printed: bool) -> None:
    """Simulate follow the perturbed leader with geometric resampling, and record it in ``runs``.

    Parameters
    ----------
    runs, bandit
        The runs that are filled, and the bandit with its losses, batches and noise.
    eta
        Learning rate, >= 0, the inverse scale of the perturbations.
    resampling
        M, the largest number of resamplings, >= 1.
    printed
        Whether to resample as printed, until the arm has the *largest* perturbed estimate. If that does not happen
        in M resamplings, the importance weight is 0 and not M.
    """
    if runs.pulls.shape[1] == 2:
        _two_arms(runs, bandit, eta, resampling, printed)
    else:
        _any_arms(runs, bandit, eta, resampling, printed)
