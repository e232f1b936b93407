"""HTINF: 1/2-Tsallis-INF that skips large losses, for heavy-tailed losses of either sign; without privacy.

Source: Huang, Dai & Huang 2022, Algorithm 1 with alpha = 2, as asi2025 uses it (Corollary 2). It is anytime.
Decision t has the learning rate eta_t = 1/(sigma sqrt(t)):

- x_t minimises eta_t <L, x> - 2 sum sqrt(x_i) over the simplex, and arm i is drawn from x_t.
- Its loss l is skipped if abs(l) > (1 - 2^(-1/3)) sigma sqrt(t x_i). Otherwise L_i grows by l/x_i.
- By default sigma^2 = 2 + 4 lambda^2, for losses in [0, 1] with Laplace noise of scale lambda.

Privacy: none by itself; `conversion` makes it private. Losses are fed as losses: the analysis needs their noise
truncated non-negative.

Deviations: none.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.algorithm import Algorithm
from dpbandits.core.compiled import inner, kernel, lanewise
from dpbandits.core.fields import Parameter, Tuning, Values
from dpbandits.core.lanes import LANES, categorical
from dpbandits.core.mathematics import cbrt
from dpbandits.core.recording import START, Runs
from dpbandits.settings.adversarial.batch_laws import batch_laws
from dpbandits.settings.adversarial.lanes import play_lanes
from dpbandits.settings.adversarial.problem import Bandit

# The factor of the paper's threshold for losses that are skipped: 1 - 2^(-1/3).
SKIP = 1.0 - 1.0 / cbrt(2.0)
# Newton's method stops at this distance of the sum of x from 1; its last step is then exact to about its square.
TOLERANCE = 1e-6


# Default of a parameter, as a function of the facts of a problem: the docstring is its formula, as users see it.
def size_of_losses(tuning: Tuning, _: Values) -> float:
    """sqrt(2 + 4 lambda^2)

    This is the default of ``sigma``, for losses in [0, 1] with Laplace noise of scale lambda.
    """
    return math.sqrt(2 + 4 * (tuning.noise * tuning.noise))


@lanewise
def _lowest(first: bool, estimate: NDArray[np.float64], low: NDArray[np.float64]) -> None:
    for i in range(low.size):
        low[i] = estimate[i] if first else min(low[i], estimate[i])


@lanewise
def _begin(
    eta: float, most: float, low: NDArray[np.float64], z: NDArray[np.float64], below: NDArray[np.float64]
) -> None:
    """Begin at the last root, or where the root can be that is next to it."""
    least = 1.0 / eta
    for i in range(z.size):
        below[i] = min(max(low[i] - z[i], least), most)


@lanewise
def _add(
    first: bool,
    eta: float,
    estimate: NDArray[np.float64],
    low: NDArray[np.float64],
    below: NDArray[np.float64],
    x: NDArray[np.float64],
    total: NDArray[np.float64],
    slope: NDArray[np.float64],
) -> None:
    """Set an arm's ``x`` to the square root of its probability; add to the sums of x and of x^(3/2)."""
    for i in range(x.size):
        root = 1.0 / (eta * (estimate[i] - low[i] + below[i]))
        square = root * root
        x[i] = root
        total[i] = square if first else total[i] + square
        slope[i] = square * root if first else slope[i] + square * root


@lanewise
def _newton(
    eta: float,
    total: NDArray[np.float64],
    slope: NDArray[np.float64],
    below: NDArray[np.float64],
    step: NDArray[np.float64],
) -> int:
    """Compute the step of Newton's method; take it in lanes that are not there yet, and count these."""
    least = 1.0 / eta
    far = 0
    for i in range(total.size):
        # With f = total^(-1/2) - 1: f/f' = (total - total^(3/2))/(eta slope).
        move = (total[i] - total[i] * math.sqrt(total[i])) / (eta * slope[i])
        there = abs(total[i] - 1.0) <= TOLERANCE
        step[i] = move
        below[i] = below[i] if there else max(below[i] - move, least)
        far += 0 if there else 1
    return far


@lanewise
def _finish(eta: float, step: NDArray[np.float64], x: NDArray[np.float64]) -> None:
    """Set x at below - step to first order: exact to about the tolerance's square, and it saves the last turn."""
    for i in range(x.size):
        root = x[i]
        x[i] = root * root * (1.0 + 2.0 * eta * step[i] * root)


@lanewise
def _root(
    low: NDArray[np.float64], below: NDArray[np.float64], step: NDArray[np.float64], z: NDArray[np.float64]
) -> None:
    for i in range(z.size):
        z[i] = low[i] - (below[i] - step[i])


@inner
def distribution(
    estimate: NDArray[np.float64],
    eta: float,
    x: NDArray[np.float64],
    z: NDArray[np.float64],
    slope: NDArray[np.float64],
    room: NDArray[np.float64],
) -> None:
    """Fill ``x`` with the minimiser of eta <L, x> - 2 sum sqrt(x_i) over the simplex, for each of several runs.

    Runs are computed side by side, each in a lane.

    x_i = (eta (L_i - z))^-2, with z the root of sum x_i = 1, between min L - sqrt(K)/eta and min L - 1/eta. The
    function (sum x_i)^(-1/2) - 1 of z is decreasing and concave. So Newton's method goes down to the root from any
    point right of it, and one step leads from a point left of it to its right. The method follows min L - z. So the
    size of L does not matter.

    Parameters
    ----------
    estimate : ndarray, shape (arms, lanes)
        Estimated losses L, of either sign.
    eta : float
        Learning rate > 0.
    x : ndarray, shape (arms, lanes)
        The probabilities, filled in, with a relative error below 1e-10 for K up to 10,000.
    z : ndarray, shape (lanes,)
        A guess of the root, or +inf, which affects the speed alone; it is replaced by the root.
    slope : ndarray, shape (lanes,)
        The sum of x_i^(3/2), filled in, from which callers update the root when L and eta change.
    room : ndarray, shape (4, lanes)
        Scratch space.
    """
    low, below, total, step = room[0], room[1], room[2], room[3]
    arms = estimate.shape[0]
    for k in range(arms):
        _lowest(k == 0, estimate[k], low)
    _begin(eta, math.sqrt(arms) * (1.0 / eta), low, z, below)
    while True:
        for k in range(arms):
            _add(k == 0, eta, estimate[k], low, below, x[k], total, slope)
        if _newton(eta, total, slope, below, step) == 0:
            break
    for k in range(arms):
        _finish(eta, step, x[k])
    _root(low, below, step, z)


@inner
def _learn(
    sigma: float,
    decision: int,
    arm: NDArray[np.int64],
    loss: NDArray[np.float64],
    x: NDArray[np.float64],
    slope: NDArray[np.float64],
    estimate: NDArray[np.float64],
    z: NDArray[np.float64],
) -> None:
    """Add the losses that are not skipped, over their arms' probabilities; let the roots follow to first order."""
    spread = sigma * math.sqrt(decision)
    growth = sigma * (math.sqrt(decision + 1.0) - math.sqrt(decision))
    for i in range(z.size):
        p = x[arm[i], i]
        root = math.sqrt(p)
        kept = loss[i] if abs(loss[i]) <= SKIP * spread * root else 0.0
        estimate[arm[i], i] += kept / p
        # 1/eta_t grows, and so may L_i.
        z[i] = z[i] - growth / slope[i] + kept * root / slope[i]


@kernel
def _simulate(runs: Runs, bandit: Bandit, sigma: float) -> None:
    arms = runs.pulls.shape[1]
    laws = batch_laws(runs, bandit)
    for first in range(0, runs.streams.shape[0], LANES):
        n = min(LANES, runs.streams.shape[0] - first)
        streams = runs.streams[first : first + n].reshape(-1)
        estimate, x = np.zeros((arms, n)), np.empty((arms, n))
        z, slope, room = np.full(n, math.inf), np.empty(n), np.empty((4, n))
        u, one, loss, excess = np.empty(n), np.ones(n), np.empty(n), np.zeros(n)
        arm = np.empty(n, np.int64)
        clock = START
        decision = 0
        while clock.t < runs.horizon:
            decision += 1
            distribution(estimate, 1.0 / (sigma * math.sqrt(decision)), x, z, slope, room)
            categorical(streams, x, one, u, room, arm)
            clock = play_lanes(runs, bandit, first, streams, arm, clock, excess, loss, laws)
            _learn(sigma, decision, arm, loss, x, slope, estimate, z)


def simulate(runs: Runs, bandit: Bandit, *, sigma: float) -> None:
    """Simulate HTINF, and record it in ``runs``; ``sigma`` > 0 bounds the root mean square of the losses."""
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
    lanes=LANES,
)
