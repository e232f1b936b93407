"""FTPL with geometric resampling (Neu & Bartok 2016) and Laplace perturbations, without privacy.

Source: asi2025, Algorithm 4 and Corollary 24. The pulled arm's importance weight is the number of fresh
perturbations until it is selected again, at most M.

Privacy: none by itself; `conversion` makes it private.

Deviations: as printed, resampling waits until the arm *maximises* the perturbed losses while selection minimises
them, and yields 0 instead of M if that never happens (see `ftpl_printed`). Here it repeats the selection and yields
M, as in Neu & Bartok and as the proof of Lemma 25 needs it. M = sqrt(nK) is rounded up.
"""

from __future__ import annotations

from dpbandits.core.lanes import LANES
from dpbandits.settings.adversarial import follow_the_perturbed_leader
from dpbandits.settings.adversarial.authoring import Algorithm, Bandit, Runs


def simulate(runs: Runs, bandit: Bandit, *, eta: float, resampling: int) -> None:
    """Simulate FTPL, and record it in ``runs``.

    Parameters
    ----------
    eta, resampling
        Learning rate, >= 0, the inverse scale of the perturbations; and resampling threshold M, >= 1.
    """
    follow_the_perturbed_leader.simulate(runs, bandit, eta, resampling, False)


ALGORITHM = Algorithm(
    title="FTPL",
    source="asi2025, Algorithm 4 (repaired), Corollary 24; Neu & Bartok 2016",
    decides="rounds",
    privacy=None,
    parameters=follow_the_perturbed_leader.PARAMETERS,
    simulate=simulate,
    deviations="resampling repeats the selection rule and yields M when exhausted; ftpl-printed does as printed",
    any_loss=True,
    lanes=LANES,
)
