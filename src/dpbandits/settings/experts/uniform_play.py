"""The regret of uniform play in this setting: of actions played uniformly, against the best expert."""

from __future__ import annotations

from dpbandits.core.uniform_play import Floats, Rounds, summed
from dpbandits.settings.experts.problem import Bandit


def regret(problem: Bandit, rounds: Rounds) -> Floats:
    """Return the regret of uniform play at each of ``rounds``, shape (rounds,)."""
    experts = problem.followed.losses
    best = summed(experts.starts, experts.means, rounds).min(axis=1)
    actions = summed(experts.starts, problem.means.mean(axis=1, keepdims=True), rounds)[:, 0]
    played: Floats = actions - best
    return played
