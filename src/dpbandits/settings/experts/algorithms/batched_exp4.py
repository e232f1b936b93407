"""Private, batched EXP4: exponential weights over experts on noisy estimates from batches.

Source: asi2025, Algorithm 2 and Theorem 10. Weights stay for a batch of tau rounds, with Q_t as in `exp4`; at its
end each expert's mean importance-weighted loss gets Lap(3K sqrt(N log(1/delta))/(gamma tau epsilon)), and w_j <-
w_j exp(-eta of it). An unfinished last batch is played and not learned from.

Privacy: (epsilon, delta)-DP. Neighbours differ in the losses of one round. A loss enters one batch, whose N
estimates have sensitivity K/(gamma tau) each; advanced composition over the experts, parallel composition over
batches. Advice is public. Stated for epsilon <= 1, and for delta <= 0.4: nearer 1 the composition does not give it.

Deviations: the mixing weight gamma has the factor log(1/delta)^(1/3) that the proof of Theorem 10 uses, and its
statement lacks (see `batched_exp4_printed`). delta is left open; it is 1/T by default. tau is rounded up.
"""

from __future__ import annotations

from dpbandits.core.algorithm import Algorithm
from dpbandits.settings.experts import batched_exponential_weights as batched

ALGORITHM = Algorithm(
    title="Batched EXP4",
    source="asi2025, Algorithm 2, Theorem 10 (repaired)",
    decides="batches",
    privacy=batched.PRIVACY,
    parameters=batched.parameters(batched.mixing),
    simulate=batched.simulate,
    deviations="gamma has the factor log(1/delta)^(1/3) of the proof; batched-exp4-printed does as printed",
)
