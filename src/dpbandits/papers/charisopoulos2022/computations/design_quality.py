"""charisopoulos2022, Definition 1.6: how good designs are, and how large, step after step of Frank-Wolfe."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from dpbandits.core.declarations import Computation
from dpbandits.core.environment import Environment
from dpbandits.core.errors import BadInput, suggest, within
from dpbandits.core.fields import Option, Parameters, Tuning
from dpbandits.settings.linear.design import approximate_design, frank_wolfe, span, support_bound
from dpbandits.settings.linear.environments import collinear_basis, cube, sphere
from dpbandits.settings.linear.problem import Floats

KINDS: dict[str, Environment] = {
    "sphere": sphere.ENVIRONMENT,
    "cube": cube.ENVIRONMENT,
    "collinear-basis": collinear_basis.ENVIRONMENT,
}


def _actions(given: Parameters) -> Floats:
    if given.get("kind") not in KINDS:
        raise BadInput("kind", given.get("kind"), suggest(given.get("kind"), KINDS))
    environment = KINDS[given["kind"]]
    complete = environment.check({key: value for key, value in given.items() if key != "kind"})
    actions: Floats = environment.problem(complete, Tuning(1, 1)).actions
    return actions


def compute(sets: Sequence[Parameters], steps: int) -> pd.DataFrame:
    """Compute largest norm and support of Frank-Wolfe's design on each action set, before each of its steps.

    A design is a law pi on the actions, and its largest norm is max ||a||^2 in M(pi)^-1.

    Parameters
    ----------
    sets
        Action sets: the ``kind`` of environment (``sphere``, ``cube`` or ``collinear-basis``), with its parameters.
    steps
        Number of steps of Frank-Wolfe.

    Returns
    -------
    DataFrame
        ``set`` (kind, K and d), ``rank``, ``step`` from 0, and the design's largest ``norm`` and ``support``
        (number of actions of positive weight). ``support_bound`` is 4 d log log d + 16, rounded down, where d is
        the rank. ``used`` says whether the algorithms use this design: it is the first of norm <= 2 d. If ``steps``
        are too few for one, step 0 is marked.
    """
    parts = []
    for i, given in enumerate(sets):
        with within("parameters", "sets", i):
            actions = _actions(given)
        points = span(actions)
        path = [(norms.max(), np.count_nonzero(weights)) for weights, norms in islice(frank_wolfe(points), steps)]
        used = approximate_design(actions)
        table = pd.DataFrame(path, columns=["norm", "support"])
        K, d = actions.shape
        table.insert(0, "set", f"{given['kind']}, K = {K:,}, d = {d}")
        table.insert(1, "rank", used.rank)
        table.insert(2, "step", table.index)
        table["support_bound"] = support_bound(used.rank)
        table["used"] = table.index == int((table["norm"] <= 2 * used.rank).argmax())
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


SETS: list[Any] = [
    {"kind": "sphere", "arms": 1000, "dimension": 10},
    {"kind": "sphere", "arms": 100000, "dimension": 50},
    {"kind": "cube", "arms": 10000, "dimension": 20},
    {"kind": "collinear-basis", "dimension": 10, "angle": 0.001},
]

COMPUTATION = Computation(
    title="Quality and support of approximate G-optimal designs over the steps of Frank-Wolfe",
    source="charisopoulos2022, Definition 1.6",
    compute=compute,
    parameters={
        "sets": Option(SETS, "action sets: kind sphere, cube or collinear-basis, and its parameters"),
        "steps": Option(300, "steps"),
    },
)
