"""RNM-FTNL with Exponential noise at the scale that makes it private: permute-and-flip on the last epoch's losses.

Source: ours, a repair of wu2025, Algorithm 1 with Q_epsilon = Exp(1/epsilon): the scale is 2/epsilon.
Report-noisy-max with that noise is permute-and-flip. Theorem 2 of McKenna & Sheldon (2020) compares it with the
exponential mechanism, that is with Gumbel(2/epsilon). The proof of wu2025's Theorem 4 uses that theorem.

Privacy: epsilon-DP. Neighbours differ in the loss vector of one round, in all its entries. It enters the
accumulated losses of one epoch, each by at most 1; permute-and-flip selects an action; epochs are disjoint.

Deviations: the scale. Epochs end at T, as in RNM-FTNL with Laplace noise.
"""

from __future__ import annotations

from dpbandits.core.algorithm import Algorithm
from dpbandits.settings.full_information import rnm_ftnl, selection
from dpbandits.settings.full_information.algorithms.rnm_ftnl_exponential import simulate

ALGORITHM = Algorithm(
    title="RNM-FTNL (permute-and-flip)",
    source=f"{rnm_ftnl.SOURCE}, repaired",
    decides="batches",
    privacy=rnm_ftnl.privacy("Exp(2/epsilon), permute-and-flip", selection.exponential),
    parameters=rnm_ftnl.parameters(2),
    simulate=simulate,
    deviations="Exp(2/epsilon) for the printed Exp(1/epsilon), which is 2 epsilon-DP only",
)
