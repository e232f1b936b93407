"""asi2025, Section G.1: how the privacy loss of one round of EXP3 grows, K = 2.

Two neighbouring sequences differ in the losses of round 1. Given the actions so far, EXP3 chooses action i in round
t with probability P_t(i) on one and P'_t(i) on the other: the privacy loss of the round is
abs(log(P_t(i)/P'_t(i))). It follows x_t = log(w_t(2)/w_t(1)) on both sequences, so weights neither overflow nor
underflow.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.declarations import SEED, Computation
from dpbandits.core.fields import Option
from dpbandits.core.recording import checkpoints
from dpbandits.core.streams import streams, uniform

Floats = NDArray[np.float64]
# Learning rates at which all sequences are enumerated.
ENUMERATED_RATES = (0.5, 0.2, 0.05)


@inner
def _second(x: float, gamma: float) -> float:
    """Return P_t(2)."""
    return (1.0 - gamma) / (1.0 + math.exp(-x)) + 0.5 * gamma


@kernel
def alternating(eta: float, gamma: float, first: float, rounds: NDArray[np.int64]) -> Floats:
    """Return EXP3's probability P_t(2) of action 2 in ``rounds``, when actions 2, 1, 2, 1, ... were taken before.

    There are two actions. All losses are 1, but that of action 2 in round 1 is ``first``.

    Parameters
    ----------
    eta, gamma
        Learning rate and mixing weight.
    first
        Loss of action 2 in round 1.
    rounds : ndarray, shape (checkpoints,)
        Rounds t, increasing.

    Returns
    -------
    ndarray of float64, shape (checkpoints,)
    """
    found = np.empty(rounds.size)
    x, at = 0.0, 0
    for t in range(1, rounds[-1] + 1):
        second = _second(x, gamma)
        if t == rounds[at]:
            found[at] = second
            at += 1
        # Action 2 in odd rounds, action 1 in even ones.
        if t % 2 == 1:
            x -= eta * (first if t == 1 else 1.0) / second
        else:
            x += eta / (1.0 - second)
    return found


def figure_1(eta: float, points: int) -> pd.DataFrame:
    """Return both curves of Figure 1, EXP3's probability P_t(2) on neighbouring sequences, for T = 100/eta.

    Parameters
    ----------
    eta
        Learning rate, and mixing weight gamma.
    points
        Number of evenly spaced rounds. Half as many are added, closer together in early rounds.

    Returns
    -------
    DataFrame
        ``eta, gamma, round``, and P_t(2): ``p`` if action 2 has no loss in round 1, ``p_neighbour`` if it has 1.
    """
    horizon = round(100 / eta)
    rounds = np.union1d(checkpoints(horizon, points // 2), np.linspace(1, horizon, points).astype(np.int64))
    p, p_neighbour = (alternating(eta, eta, first, rounds) for first in (0.0, 1.0))
    return pd.DataFrame({"eta": eta, "gamma": eta, "round": rounds, "p": p, "p_neighbour": p_neighbour})


def loss_of_round(first: Floats, second: Floats) -> Floats:
    """Return the privacy loss of rounds, shape (rounds,): the larger abs(log(P_t(i)/P'_t(i))) of both actions i.

    ``first`` and ``second`` are the probabilities of action 2 on two neighbouring sequences, P_t(2) and P'_t(2).
    """
    return np.maximum(np.abs(np.log(first / second)), np.abs(np.log((1 - first) / (1 - second))))


def growth(eta: float) -> pd.DataFrame:
    """Return Figure 1's curves for gamma = ``eta``, up to T = 100/eta, with the privacy ``loss`` of each round.

    Other columns are ``eta, gamma, round``, and P_t(2) on both sequences: ``p`` and ``p_neighbour``.
    """
    table = figure_1(eta, 400)
    return table.assign(loss=loss_of_round(table["p"].to_numpy(), table["p_neighbour"].to_numpy()))


def worst(eta: float, gamma: float, rounds: int) -> pd.DataFrame:
    """Return the exact worst privacy loss of each round of EXP3, K = 2, over all actions and losses 0 or 1 so far.

    Neighbouring sequences differ in the loss of round 1's action, 0 or 1; by symmetry this is action 2. A later
    round leaves the weights (loss 0) or lowers one of them (loss 1 of either action): all three are followed.

    Parameters
    ----------
    eta, gamma
        Learning rate and mixing weight.
    rounds
        Number of rounds. The last one takes 3^(rounds - 1) sequences.

    Returns
    -------
    DataFrame
        ``eta, gamma, round``, and the round's ``loss``.
    """

    from scipy.special import expit

    x = np.array([0.0])
    # P_1(2) = 1/2.
    neighbour = np.array([-eta / 0.5])
    losses = [0.0]
    for _ in range(2, rounds + 1):
        p, q = ((1 - gamma) * expit(y) + gamma / 2 for y in (x, neighbour))
        losses.append(float(loss_of_round(p, q).max()))
        # Loss 0; loss 1 of action 2; loss 1 of action 1.
        x = np.concatenate([x, x - eta / p, x + eta / (1 - p)])
        neighbour = np.concatenate([neighbour, neighbour - eta / q, neighbour + eta / (1 - q)])
    return pd.DataFrame({"eta": eta, "gamma": gamma, "round": np.arange(1, rounds + 1), "loss": losses})


@kernel
def _sampled(
    states: NDArray[np.uint64], eta: float, gamma: float, rounds: NDArray[np.int64], losses: Floats
) -> None:
    for run in range(states.shape[0]):
        state = states[run]
        x, neighbour, at = 0.0, 0.0, 0
        for t in range(1, rounds[-1] + 1):
            p, q = _second(x, gamma), _second(neighbour, gamma)
            if t == rounds[at]:
                losses[run, at] = max(abs(math.log(p / q)), abs(math.log((1.0 - p) / (1.0 - q))))
                at += 1
            if uniform(state) <= p:
                x -= eta * (0.0 if t == 1 else 1.0) / p
                neighbour -= eta / q
            else:
                # Only action 2's loss differs in round 1.
                x += eta / (1.0 - p)
                neighbour += eta / (1.0 - q)


def sampled(horizon: int, runs: int, points: int, seed: int) -> pd.DataFrame:
    """Return the mean privacy loss of rounds, with interval and 95 % quantile, when EXP3 draws the actions.

    All losses are 1, but in round 1 that of action 2 is 0 on one of two neighbouring sequences. The actions are
    drawn on this one. The learning rate sqrt(log 2/(4T)) is tuned for losses in [0, 1], and gamma is twice that.

    Parameters
    ----------
    horizon
        T, for which eta is tuned.
    runs
        Number of runs.
    points
        Number of rounds that are reported, at most.
    seed
        Root of the runs' random streams.

    Returns
    -------
    DataFrame
        ``eta, gamma, horizon, runs, round``. Privacy loss of the round: its mean ``loss`` with the interval
        ``loss_low, loss_high``, and its quantile ``loss_q95``.
    """
    eta = math.sqrt(math.log(2) / (4 * horizon))
    rounds = checkpoints(horizon, points)
    losses = np.empty((runs, rounds.size))
    _sampled(streams(seed, f"exp3-privacy-loss {horizon}", np.arange(runs)), eta, 2 * eta, rounds, losses)
    error = losses.std(axis=0, ddof=1) / math.sqrt(runs)
    return pd.DataFrame(
        {
            "eta": eta,
            "gamma": 2 * eta,
            "horizon": horizon,
            "runs": runs,
            "round": rounds,
            "loss": losses.mean(axis=0),
            "loss_low": losses.mean(axis=0) - 1.96 * error,
            "loss_high": losses.mean(axis=0) + 1.96 * error,
            "loss_q95": np.quantile(losses, 0.95, axis=0),
        }
    )


def compute(
    eta: float, etas: list[float], enumerated: int, horizons: list[int], runs: int, seed: int
) -> pd.DataFrame:
    """Compute privacy losses of rounds of EXP3, K = 2, in three parts, and Figure 1's probabilities in a fourth.

    Parameters
    ----------
    eta, etas
        Learning rate and mixing weight of Figure 1, and learning rates of the part ``growth``.
    enumerated
        Number of rounds in which all sequences are followed, in the part ``worst``.
    horizons, runs, seed
        Horizons T and number of runs in the part ``sampled``, and root of their random streams.

    Returns
    -------
    DataFrame
        ``part`` is ``figure-1``, ``growth``, ``worst`` or ``sampled``. All have ``eta, gamma, round``; in ``worst``
        both rates are 0.5, 0.2 or 0.05. ``figure-1`` and ``growth`` have P_t(2) on both sequences, ``p,
        p_neighbour``; all but ``figure-1`` the privacy ``loss`` of a round. ``sampled`` also has ``horizon, runs``,
        and of the loss an interval ``loss_low, loss_high`` and the quantile ``loss_q95``.
    """
    parts = [figure_1(eta, 2000).assign(part="figure-1")]
    parts += [growth(rate).assign(part="growth") for rate in etas]
    parts += [worst(rate, rate, enumerated).assign(part="worst") for rate in ENUMERATED_RATES]
    parts += [sampled(horizon, runs, 100, seed).assign(part="sampled") for horizon in horizons]
    table = pd.concat(parts, ignore_index=True)
    return table[["part", *table.columns.drop("part")]]


COMPUTATION = Computation(
    title="The privacy loss of the rounds of EXP3",
    source="asi2025, Section G.1 and Figure 1",
    compute=compute,
    parameters={
        "eta": Option(1e-4, "learning rate and mixing weight of Figure 1"),
        "etas": Option(
            [1e-2, 1e-3, 1e-4], "learning rates for which the growth on Figure 1's sequences is followed"
        ),
        "enumerated": Option(13, "rounds for which all sequences are enumerated; the cost is 3 to this power"),
        "horizons": Option([10**3, 10**4, 10**5, 10**6], "horizons of sampled runs"),
        "runs": Option(200, "sampled runs"),
        "seed": SEED,
    },
)
