"""Bandits with expert advice: what every kernel of this setting reads.

Losses and advice repeat with a period; a round's place in it is its context. In context c expert j advises action i
with probability mu^j_c(i), known to everyone, and action i has a Bernoulli loss with mean l_c(i). So following
expert j is playing an arm with Bernoulli losses of mean mu^j_c . l_c: the experts are the arms of an adversarial
bandit (asi2025, Algorithm 5).

Regret is against the best expert up to the same round, with mean losses in place of losses. It is a sum of
differences from the first expert's mean losses, so that equal losses give exactly 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.recording import Runs
from dpbandits.core.uniform_play import summed
from dpbandits.settings.adversarial.problem import Bandit as Arms
from dpbandits.settings.adversarial.problem import make_losses


class Bandit(NamedTuple):
    """A bandit with expert advice: a sequence of losses and advice.

    In its runs (`dpbandits.core.recording.Runs`), ``pulls`` counts how often each expert was followed; exploration
    follows none. Regret adds up mean losses: the expert's in a round that follows one, and the action's in a round
    of exploration. An algorithm that keeps one distribution for a batch has the expected pulls instead, rounded at
    the horizon. Its regret adds up the distribution's mean loss.

    Attributes
    ----------
    advice : ndarray of float64, shape (contexts, actions, experts)
        Probability of an action in an expert's advice. The experts come last, for algorithms that need all experts'
        probabilities of one action.
    means : ndarray of float64, shape (contexts, actions)
        The actions' mean losses.
    followed : dpbandits.settings.adversarial.problem.Bandit
        The experts as arms, with the mean loss of following each; one segment for each context.
    """

    advice: NDArray[np.float64]
    means: NDArray[np.float64]
    followed: Arms

    def runs(self, streams: NDArray[np.uint64], rounds: NDArray[np.int64], kept: int = 0) -> Runs:
        """Return runs for a simulation to fill, whose regret is against the best expert up to each checkpoint.

        Parameters
        ----------
        streams : ndarray of uint64, shape (runs, 4)
            Random stream of each run.
        rounds : ndarray of int64, shape (checkpoints,)
            Checkpoints, increasing; the last one is the horizon.
        kept
            Number of first rounds whose actions are kept.
        """
        return self.followed.runs(streams, rounds, kept)

    def uniform_play(self, rounds: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the expected regret at each of ``rounds`` if each action is equally likely in every round.

        Regret is against the best expert up to that round. The result has the shape of ``rounds``, (checkpoints,).
        """
        experts = self.followed.losses
        best = summed(experts.starts, experts.means, rounds).min(axis=1)
        actions = summed(experts.starts, self.means.mean(axis=1, keepdims=True), rounds)[:, 0]
        regret: NDArray[np.float64] = actions - best
        return regret


def make_bandit(advice: NDArray[np.float64], means: NDArray[np.float64]) -> Bandit:
    """Return the bandit with this advice and these mean losses.

    Parameters
    ----------
    advice : ndarray, shape (contexts, experts, actions)
        Each expert's advice: probabilities that sum to 1.
    means : ndarray, shape (contexts, actions)
        Mean losses, in [0, 1].
    """
    # Relative to one action's mean: where all actions cost the same, so do all experts, to the last bit.
    beyond = np.zeros(advice.shape[:2])
    # One action after the other: a library's product of matrices adds in an order that depends on the processor.
    for action in range(means.shape[1]):
        beyond += advice[:, :, action] * (means[:, action] - means[:, 0])[:, None]
    by_action = np.ascontiguousarray(advice.transpose(0, 2, 1))
    followed = make_losses([1] * len(means), np.clip(means[:, :1] + beyond, 0.0, 1.0), True)
    return Bandit(by_action, means, Arms(followed._replace(advice=by_action, costs=means)))
