"""Names for authors in the adversarial setting: those of `dpbandits.authoring`, and these.

- The problem: `Bandit`, `Losses`, `make_losses`, `play`.
- `worst`: the exact privacy loss of algorithms that release every loss with Laplace noise.
"""

from dpbandits import authoring
from dpbandits.authoring import *  # noqa: F403
from dpbandits.settings.adversarial.privacy import worst
from dpbandits.settings.adversarial.problem import Bandit, Losses, make_losses, play

__all__ = ["Bandit", "Losses", "make_losses", "play", "worst"]
__all__ += authoring.__all__
