"""Bandits with expert advice: a block of runs, what every kernel of this wing reads and fills.

Losses and advice repeat with a period; a round's place in it is its context. In context c expert j advises action i
with probability mu^j_c(i), known to everyone, and action i has a Bernoulli loss with mean l_c(i). So following
expert j is playing an arm with Bernoulli losses of mean mu^j_c . l_c: the experts are the arms of an adversarial
bandit (asi2025, Algorithm 5).

Regret is against the best expert up to the same round, with mean losses in place of losses. It is added up as what
the first expert would not have cost, so that equal losses are exactly no regret.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.settings.adversarial import problem
from dpbandits.settings.adversarial.problem import Losses, make_losses


class Block(NamedTuple):
    """Runs of one algorithm on one sequence of losses and advice.

    Attributes
    ----------
    streams : ndarray of uint64, shape (runs, 4)
        Each run's random stream, advanced in place.
    advice : ndarray of float64, shape (contexts, actions, experts)
        Probability of an action in an expert's advice. The experts come last, for algorithms that need all experts'
        probabilities of one action.
    means : ndarray of float64, shape (contexts, actions)
        The actions' mean losses.
    followed : Losses
        The experts as arms: the mean loss of who follows an expert, one segment for each context.
    horizon : int
        T, at most 2**52.
    rounds : ndarray of int64, shape (checkpoints,)
        Where regret is recorded; the last one is the horizon.
    best : ndarray of float64, shape (checkpoints,)
        The best expert's mean losses beyond the first expert's, summed up to each checkpoint.
    regret : ndarray of float64, shape (runs, checkpoints)
        Regret, filled in. A round in which an expert is followed counts that expert's mean loss, a round of
        exploration its action's; of algorithms that keep one distribution for a batch, that distribution's.
    pulls : ndarray of int64, shape (runs, experts)
        How often each expert was followed, filled in; zero at first. Exploration follows no one. Of algorithms that
        keep one distribution for a batch, what it expects, rounded at the horizon.
    played : ndarray of int16, shape (runs, kept)
        Actions of the first rounds, filled in; kept is 0 but in audits of privacy.
    """

    streams: NDArray[np.uint64]
    advice: NDArray[np.float64]
    means: NDArray[np.float64]
    followed: Losses
    horizon: int
    rounds: NDArray[np.int64]
    best: NDArray[np.float64]
    regret: NDArray[np.float64]
    pulls: NDArray[np.int64]
    played: NDArray[np.int16]


def make_block(
    advice: NDArray[np.float64],
    means: NDArray[np.float64],
    streams: NDArray[np.uint64],
    horizon: int,
    rounds: NDArray[np.int64],
) -> Block:
    """Return an unfilled block.

    Parameters
    ----------
    advice : ndarray, shape (contexts, experts, actions)
        Each expert's advice: probabilities that sum to 1.
    means : ndarray, shape (contexts, actions)
        Mean losses, in [0, 1].
    streams : ndarray of uint64, shape (runs, 4)
        One row for each run.
    horizon, rounds
        As in `Block`.
    """
    # Relative to one action's mean: where all actions cost the same, so do all experts, to the last bit.
    beyond = np.einsum("cji,ci->cj", advice, means - means[:, :1])
    by_action = np.ascontiguousarray(advice.transpose(0, 2, 1))
    followed = make_losses([1] * len(means), np.clip(means[:, :1] + beyond, 0.0, 1.0), True)
    followed = followed._replace(advice=by_action, costs=means)
    arms = problem.make_block(followed, streams, horizon, rounds)
    return Block(
        streams=streams,
        advice=by_action,
        means=means,
        followed=followed,
        horizon=horizon,
        rounds=rounds,
        best=arms.best,
        regret=arms.regret,
        pulls=arms.pulls,
        played=arms.played,
    )


def experts_as_arms(block: Block) -> problem.Block:
    """Return the same runs on the bandit whose arms are the experts; what is filled in there is filled in here."""
    return problem.Block(
        streams=block.streams,
        losses=block.followed,
        horizon=block.horizon,
        rounds=block.rounds,
        best=block.best,
        regret=block.regret,
        pulls=block.pulls,
        batch=1,
        noise=0.0,
        played=block.played,
        local=False,
    )
