"""The regret of uniform play in this setting: against the best fixed arm up to the same round."""

from __future__ import annotations

from dpbandits.core.uniform_play import Floats, Rounds, summed
from dpbandits.settings.adversarial.problem import Bandit


def regret(problem: Bandit, rounds: Rounds) -> Floats:
    """Return the regret of uniform play at each of ``rounds``, shape (rounds,)."""
    arms = summed(problem.losses.starts, problem.losses.means, rounds)
    played: Floats = arms.mean(axis=1) - arms.min(axis=1)
    return played
