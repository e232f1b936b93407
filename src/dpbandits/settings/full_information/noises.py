"""The noise distributions of RNM-FTNL at the scales of wu2025, with their exact selection probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dpbandits.settings.full_information import random_selection, selection


class Noise(NamedTuple):
    """A noise distribution, with functions for the probabilities that report-noisy-max selects actions under it.

    Attributes
    ----------
    factor
        Scale of the noise times epsilon: 2 for Lap(2/epsilon).
    select
        ``select(excess, multiplicities)`` returns log selection probabilities of groups of actions, such as
        `selection.laplace`. An excess is an accumulated loss less the smallest, in units of the scale.
    select_random
        ``select_random(laws, multiplicities, step)`` returns selection probabilities where accumulated losses are
        random and have these laws, such as `random_selection.laplace`.
    log_overtake
        ``log_overtake(d)`` returns the log probability that the second of two actions is selected, if it has lost d
        scales more than the first.
    """

    factor: float
    select: selection.Selection
    select_random: random_selection.RandomSelection
    log_overtake: Callable[[selection.Floats], selection.Floats]


EXPONENTIAL = (selection.exponential, random_selection.exponential, selection.overtake_exponential)
NOISES = {
    "laplace": Noise(2.0, selection.laplace, random_selection.laplace, selection.overtake_laplace),
    "exponential": Noise(1.0, *EXPONENTIAL),
    "gumbel": Noise(2.0, selection.gumbel, random_selection.gumbel, selection.overtake_gumbel),
    # The repair of Exp(1/epsilon), which is 2 epsilon-DP only.
    "permute-and-flip": Noise(2.0, *EXPONENTIAL),
}
# Those of the paper.
PRINTED = ("laplace", "exponential", "gumbel")
