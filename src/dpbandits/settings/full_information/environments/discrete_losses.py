"""Discrete losses: each action's losses take finitely many values in [0, 1], independently over actions and rounds.

The example of wu2025, Section 3.1 is ``values: [[0.3], [0.4, 0]]``, ``probabilities: [[1], [0.8, 0.2]]``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpbandits.core.errors import within
from dpbandits.settings.full_information.authoring import (
    BadInput,
    Losses,
    Parameters,
    complete,
    environment,
    numbers,
)
from dpbandits.settings.full_information.problem import make_losses


def check(given: Parameters) -> Parameters:
    """Return the parameters ``values`` and ``probabilities``, checked, or raise `BadInput`.

    Each is a list with one list for each action: values of its losses in [0, 1], and probabilities that sum to 1.
    """
    given = complete(given, "values", "probabilities")
    found: dict[str, Any] = {}
    for key in ("values", "probabilities"):
        lists = given[key]
        if not isinstance(lists, list) or len(lists) < 2:
            raise BadInput(key, lists, "a list for each of at least 2 actions")
        with within(key):
            found[key] = [numbers(lists, i, 1) for i in range(len(lists))]
    sizes = [len(row) for row in found["values"]]
    if [len(row) for row in found["probabilities"]] != sizes:
        raise BadInput("probabilities", given["probabilities"], f"lists of lengths {sizes}")
    for i, row in enumerate(found["probabilities"]):
        if not math.isclose(sum(row), 1.0, rel_tol=1e-9):
            raise BadInput(("probabilities", i), row, "numbers that sum to 1")
    return found


def losses(parameters: Parameters) -> Losses:
    """Return the losses as arrays for compiled code; shorter lists are filled up with values of probability 0."""
    most = max(len(row) for row in parameters["values"])

    def filled(rows: list[list[float]]) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.array([[*[0.0] * (most - len(row)), *row] for row in rows])

    return make_losses(filled(parameters["values"]), filled(parameters["probabilities"]))


ENVIRONMENT = environment(
    "Discrete losses",
    {
        "values": "a list for each action: the values its losses take, in [0, 1]",
        "probabilities": "a list for each action: their probabilities",
    },
    check,
    losses,
    lambda parameters: len(parameters["values"]),
)
