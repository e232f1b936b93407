"""Names for authors in the linear setting: those of `dpbandits.authoring`, and these.

- The problem: `Bandit`, `Clocks`, `start`, `play`, `mean_reports`, `single_reports`; `environment` declares one.
  `Floats` is the type of arrays of float64.
- Privacy of clipped rewards: the parameter `CLIP`, the exact privacy loss `CLIPPED`, and `NEIGHBOURS` in words.
"""

from dpbandits import authoring
from dpbandits.authoring import *  # noqa: F403
from dpbandits.settings.linear.elimination_declarations import CLIP, CLIPPED, NEIGHBOURS
from dpbandits.settings.linear.problem import Bandit, Clocks, Floats, mean_reports, play, single_reports, start
from dpbandits.settings.linear.scenario import environment

__all__ = [
    "CLIP",
    "CLIPPED",
    "NEIGHBOURS",
    "Bandit",
    "Clocks",
    "Floats",
    "environment",
    "mean_reports",
    "play",
    "single_reports",
    "start",
]
__all__ += authoring.__all__
