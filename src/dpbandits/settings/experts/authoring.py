"""Names for authors in the setting with expert advice: those of `dpbandits.authoring`, and these.

- The problem: `Bandit`, `make_bandit`. Its field ``followed`` is a `Followed`, a bandit whose arms are experts, for
  `play`.
- `worst` with `of_losses_and_advice`: the exact loss of algorithms that release every loss with Laplace noise.
"""

from dpbandits import authoring
from dpbandits.authoring import *  # noqa: F403
from dpbandits.settings.adversarial.privacy import of_losses_and_advice, worst
from dpbandits.settings.adversarial.problem import Bandit as Followed
from dpbandits.settings.adversarial.problem import play
from dpbandits.settings.experts.problem import Bandit, make_bandit

__all__ = ["Bandit", "Followed", "make_bandit", "of_losses_and_advice", "play", "worst"]
__all__ += authoring.__all__
