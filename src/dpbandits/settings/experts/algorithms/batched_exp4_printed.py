"""Private, batched EXP4 tuned exactly as asi2025 prints it.

Source: asi2025, Algorithm 2 and Theorem 10. The first term of the mixing weight, (eta N)^(1/3) (K log(NT)/(epsilon
tau))^(2/3), lacks the factor log(1/delta)^(1/3) that its proof goes on with; privacy is not touched.

Privacy: (epsilon, delta)-DP, as of `batched_exp4`.

Deviations: none, but that delta is left open and tau is rounded up. `batched_exp4` is the repair.
"""

from __future__ import annotations

from dpbandits.settings.experts import batched_exponential_weights as batched
from dpbandits.settings.experts.authoring import Algorithm

ALGORITHM = Algorithm(
    title="Batched EXP4 as printed",
    source="asi2025, Algorithm 2, Theorem 10",
    decides="batches",
    privacy=batched.PRIVACY,
    parameters=batched.parameters(batched.mixing_printed),
    simulate=batched.simulate,
)
