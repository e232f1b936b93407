"""Bernoulli bandits: arm a pays 1 with probability ``means[a]``, else 0 (azize2025, Appendix G)."""

from __future__ import annotations

import numpy as np

from dpbandits.settings.stochastic.authoring import (
    Bandit,
    Environment,
    Parameters,
    Tuning,
    complete,
    make_bandit,
    numbers,
)


def check(given: Parameters) -> Parameters:
    """Return the parameter ``means``, checked: at least two numbers in [0, 1]; or raise `BadInput`."""
    return {"means": numbers(complete(given, "means"), "means", 2)}


def problem(parameters: Parameters, _: Tuning) -> Bandit:
    """Return the bandit with these means, as arrays for compiled code."""
    return make_bandit(np.array(parameters["means"]))


ENVIRONMENT = Environment(
    title="Bernoulli bandit",
    parameters={"means": "the arms' means, at least 2 numbers in [0, 1]"},
    check=check,
    problem=problem,
    arms=lambda parameters: len(parameters["means"]),
)
