"""HTINF: 1/2-Tsallis-INF that skips large losses, for heavy-tailed losses of either sign; without privacy.

Source: Huang, Dai & Huang 2022, Algorithm 1 with alpha = 2, as asi2025 uses it (Corollary 2). In decision t, with
eta_t = 1/(sigma sqrt(t)), x_t minimises eta_t <L, x> - 2 sum sqrt(x_i) over the simplex; arm i is drawn from x_t;
its loss l is skipped if abs(l) > (1 - 2^(-1/3)) sigma sqrt(t x_i), else L_i grows by l/x_i. It is anytime.

Privacy: none by itself; `conversion` makes it private. Losses are fed as losses: the analysis needs their noise
truncated non-negative.

Deviations: none.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.algorithm import Algorithm, Parameter, Tuning, Values
from dpbandits.core.compiled import inner, kernel
from dpbandits.core.mathematics import cbrt
from dpbandits.core.recording import START, Runs
from dpbandits.core.streams import categorical
from dpbandits.settings.adversarial.problem import Bandit, play

SKIP = 1.0 - 1.0 / cbrt(2.0)
# Newton's method stops at this distance of the sum of x from 1; its last step is then exact to about its square.
TOLERANCE = 1e-6


def size_of_losses(tuning: Tuning, _: Values) -> float:
    """sqrt(2 + 4 lambda^2)"""
    return math.sqrt(2 + 4 * (tuning.noise * tuning.noise))


@inner
def distribution(
    estimate: NDArray[np.float64], eta: float, x: NDArray[np.float64], z: float
) -> tuple[float, float]:
    """Fill ``x`` with the minimiser of eta <L, x> - 2 sum sqrt(x_i) over the simplex.

    x_i = (eta (L_i - z))^-2, with z the root of sum x_i = 1, between min L - sqrt(K)/eta and min L - 1/eta. The
    function (sum x_i)^(-1/2) - 1 of z is decreasing and concave: Newton's method goes down to the root from every
    point right of it, and from the left jumps to its right. It follows min L - z, so that the size of L does not
    matter.

    Parameters
    ----------
    estimate : ndarray, shape (arms,)
        L, of either sign.
    eta : float
        Learning rate > 0.
    x : ndarray, shape (arms,)
        The probabilities, filled in, with a relative error below 1e-10 for K up to 10,000.
    z : float
        Where to begin, +inf if nothing is known; it decides the speed alone.

    Returns
    -------
    z, slope
        The root, and sum x_i^(3/2), by which it follows changes of L and eta.
    """
    low = math.inf
    for k in range(estimate.size):
        low = min(low, estimate[k])
    least = 1.0 / eta
    below = min(max(low - z, least), math.sqrt(estimate.size) * least)
    while True:
        total, slope = 0.0, 0.0
        for k in range(estimate.size):
            root = 1.0 / (eta * (estimate[k] - low + below))
            square = root * root
            x[k] = root
            total += square
            slope += square * root
        # With f = total^(-1/2) - 1: f/f' = (total - total^(3/2))/(eta slope).
        step = (total - total * math.sqrt(total)) / (eta * slope)
        if abs(total - 1.0) <= TOLERANCE:
            break
        below = max(below - step, least)
    # x at below - step to first order: exact to about the tolerance's square, and it saves the loop's last turn.
    for k in range(x.size):
        root = x[k]
        x[k] = root * root * (1.0 + 2.0 * eta * step * root)
    return low - (below - step), slope


@kernel
def _simulate(runs: Runs, bandit: Bandit, sigma: float) -> None:
    arms = runs.pulls.shape[1]
    estimate = np.empty(arms)
    x = np.empty(arms)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        estimate[:] = 0.0
        z = math.inf
        clock = START
        decision = 0
        while clock.t < runs.horizon:
            decision += 1
            spread = sigma * math.sqrt(decision)
            z, slope = distribution(estimate, 1.0 / spread, x, z)
            arm = categorical(state, x, 1.0)
            clock, loss = play(state, runs, bandit, run, arm, clock)
            # The root's move to first order: 1/eta_t grows, and so may L_i.
            z -= sigma * (math.sqrt(decision + 1.0) - math.sqrt(decision)) / slope
            if abs(loss) <= SKIP * spread * math.sqrt(x[arm]):
                estimate[arm] += loss / x[arm]
                z += loss * math.sqrt(x[arm]) / slope


def simulate(runs: Runs, bandit: Bandit, *, sigma: float) -> None:
    """Fill ``runs`` with those of HTINF."""
    _simulate(runs, bandit, sigma)


ALGORITHM = Algorithm(
    title="HTINF",
    source="Huang, Dai & Huang 2022, Algorithm 1 with alpha = 2 (asi2025, Corollary 2)",
    decides="rounds",
    privacy=None,
    parameters=(
        Parameter(
            "sigma",
            float,
            size_of_losses,
            "root mean square of the losses, at most",
            at_least=1e-6,
            # So that 1/eta, its square root and its inverse are in double precision in every decision.
            at_most=1e150,
        ),
    ),
    simulate=simulate,
    any_loss=True,
)
