"""Names for authors in the setting with full information: those of `dpbandits.authoring`, and these.

- The problem: `Losses`, `bernoulli`, `play`, `accumulate`; `environment` declares one.
- `exact` with `select_laplace`, `select_gumbel` or `select_exponential`: the exact privacy loss of a selection.
"""

from dpbandits import authoring
from dpbandits.authoring import *  # noqa: F403
from dpbandits.settings.full_information.privacy import exact
from dpbandits.settings.full_information.problem import Losses, accumulate, bernoulli, play
from dpbandits.settings.full_information.scenario import environment
from dpbandits.settings.full_information.selection import exponential as select_exponential
from dpbandits.settings.full_information.selection import gumbel as select_gumbel
from dpbandits.settings.full_information.selection import laplace as select_laplace

__all__ = [
    "Losses",
    "accumulate",
    "bernoulli",
    "environment",
    "exact",
    "play",
    "select_exponential",
    "select_gumbel",
    "select_laplace",
]
__all__ += authoring.__all__
