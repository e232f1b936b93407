"""The privacy of one mean loss released with Laplace noise, exactly.

An algorithm's actions reveal at most the noisy mean, by post-processing. EXP3 and FTPL come as close to it as one
likes. As their learning rate tends to infinity, they keep the arm if the noisy mean is negative, and change it if
the noisy mean is positive.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.algorithm import Worst
from dpbandits.core.fields import Parameters, Values

Floats = NDArray[np.float64]
# What is searched: batch sizes, means of a batch's other losses, and thresholds in scales of the noise.
BATCHES = (1, 2, 5, 10, 100)
LEVELS = np.linspace(0.0, 1.0, 11)
THRESHOLDS = np.linspace(-5.0, 5.0, 101)


def log_at_most(x: Floats) -> Floats:
    """Return log P[Z <= x] of a standard Laplace variable Z, for each element of ``x``."""
    tail = np.minimum(x, 0.0) - np.log(2.0)
    return np.where(x <= 0.0, tail, np.log1p(-0.5 * np.exp(-np.maximum(x, 0.0))))


def of_losses(losses: Floats) -> Parameters:
    """Return ``losses``, shape (rounds, arms), as parameters of an environment: ``{"losses": [[...], ...]}``."""
    return {"losses": losses.tolist()}


def of_losses_and_advice(losses: Floats) -> Parameters:
    """Return ``losses``, shape (rounds, actions), as parameters of an environment with one expert for each action.

    Expert j always advises action j. So the parameter ``advice``, of shape (rounds, experts, actions), is 1 where
    expert and action have the same number, else 0.
    """
    rounds, actions = losses.shape
    return {"losses": losses.tolist(), "advice": np.tile(np.eye(actions), (rounds, 1, 1)).tolist()}


def worst(
    epsilon: float,
    _: Values,
    batches: tuple[int, ...] = (1,),
    of_table: Callable[[Floats], Parameters] = of_losses,
) -> Worst:
    """Return the worst privacy loss of releasing a mean of tau losses in [0, 1] with Lap(1/(tau epsilon)).

    The search covers batch sizes, means of a batch's other losses, and events: the noisy mean is below or above a
    threshold. Such half-lines are the worst events of the Laplace law.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    batches
        Batch sizes tau to search, in rounds.
    of_table
        Function from a table of losses, shape (rounds, 2), to an environment's parameters.

    Returns
    -------
    Worst
        The loss log(p/q), two neighbouring inputs, and the event with its probabilities p and q.
    """
    found = []
    for tau in batches:
        scale = 1.0 / (tau * epsilon)
        for level in LEVELS:
            low = level * (tau - 1) / tau
            high = low + 1.0 / tau
            thresholds = low + THRESHOLDS * scale
            # The law is symmetric: above a threshold is below it with the losses' signs changed.
            below = log_at_most((thresholds - low) / scale), log_at_most((thresholds - high) / scale)
            above = log_at_most((high - thresholds) / scale), log_at_most((low - thresholds) / scale)
            for side, (p, q) in (("at most", below), ("at least", above)):
                losses = np.round(p - q, 12)
                best = int(np.lexsort((p, losses))[-1])
                found.append((float(losses[best]), -tau, -level, p[best], q[best], float(thresholds[best]), side))
    # Of equally bad ones the shortest batch, the simplest table and the likeliest event.
    loss, tau, level, p, q, threshold, side = max(found)
    tau, level = -tau, -level
    table = np.full((2 * tau, 2), level)
    table[0] = 0.0
    changed = table.copy()
    changed[0] = 1.0
    one, other = (table, changed) if side == "at most" else (changed, table)
    return Worst(
        loss=loss,
        of=f"a noisy mean loss of {tau} round{'s' if tau > 1 else ''}, over batch sizes, losses and thresholds",
        one=of_table(one),
        other=of_table(other),
        event=f"the first noisy mean is {side} {threshold:.4g}",
        probabilities=(float(np.exp(p)), float(np.exp(q))),
    )
