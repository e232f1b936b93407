"""Names for authors in the stochastic setting: those of `dpbandits.authoring`, and these.

- The problem: `Bandit`, `make_bandit`, `play`, `collect`.
- Batches of one arm, each released once: `Schedule`, `schedule`, `cumulative_pulls`, `start`, `first_batches`,
  `next_batch`.
- `worst`: the exact loss of algorithms that release disjoint batch sums with Laplace noise.
"""

from dpbandits import authoring
from dpbandits.authoring import *  # noqa: F403
from dpbandits.settings.stochastic.batches import (
    Schedule,
    cumulative_pulls,
    first_batches,
    next_batch,
    schedule,
    start,
)
from dpbandits.settings.stochastic.privacy import worst
from dpbandits.settings.stochastic.problem import Bandit, collect, make_bandit, play

__all__ = [
    "Bandit",
    "Schedule",
    "collect",
    "cumulative_pulls",
    "first_batches",
    "make_bandit",
    "next_batch",
    "play",
    "schedule",
    "start",
    "worst",
]
__all__ += authoring.__all__
