"""FTPL with geometric resampling exactly as asi2025 prints it, without privacy.

Source: asi2025, Algorithm 4. Line 10 resamples until the pulled arm *maximises* the perturbed losses, while line 5
selects the minimiser; and M_t stays 0 if no resampling succeeds.

Privacy: none by itself; `conversion` makes it private.

Deviations: none, but that M = sqrt(nK) is rounded up. `ftpl` is the repair.
"""

from __future__ import annotations

from dpbandits.core.lanes import LANES
from dpbandits.settings.adversarial import follow_the_perturbed_leader
from dpbandits.settings.adversarial.authoring import Algorithm, Bandit, Runs


def simulate(runs: Runs, bandit: Bandit, *, eta: float, resampling: int) -> None:
    """Simulate FTPL as printed, and record it in ``runs``.

    Parameters
    ----------
    eta, resampling
        Learning rate, >= 0, the inverse scale of the perturbations; and resampling threshold M, >= 1.
    """
    follow_the_perturbed_leader.simulate(runs, bandit, eta, resampling, True)


ALGORITHM = Algorithm(
    title="FTPL as printed",
    source="asi2025, Algorithm 4, Corollary 24",
    decides="rounds",
    privacy=None,
    parameters=follow_the_perturbed_leader.PARAMETERS,
    simulate=simulate,
    any_loss=True,
    lanes=LANES,
)
