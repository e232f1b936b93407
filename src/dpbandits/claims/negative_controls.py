"""Controls: what a claim's tests would find of an algorithm of which the truth is known without a run.

Uniform play learns nothing. Put in the place of the algorithm that a claim is about, it must not pass any test of
learning; nor may an algorithm without any regret pass a lower bound. Aggregates and runs of controls are made up
from the configuration: labels as they would be, regret as it is exactly, with little noise.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from dpbandits.claims.claim import Test
from dpbandits.claims.declarations import ClaimTest, Evidence, claim_test
from dpbandits.claims.evaluate import COLUMNS, corrected, rows_of
from dpbandits.claims.ledger import judge
from dpbandits.core import registry
from dpbandits.runs.aggregate import Measured, labels, parameters
from dpbandits.runs.plan import Cell
from dpbandits.runs.uniform_play import uniform_play

# Of uniform play's regret: what the control has, and what the algorithms have that it is compared with.
CONTROLS = {"uniform": 1.0, "perfect": 0.0}
OTHERS = 0.5
# Relative standard deviation of a control's runs, and how many there are.
SPREAD, RUNS = 1e-3, 1000
# Options that name the algorithms that a test compares the claimed ones with.
COMPARED = ("against", "others")
_UNIFORM: dict[str, float] = {}


def _rivals(test: Test, cells: Sequence[Cell]) -> Collection[str]:
    """Return the labels of algorithms that a test compares with: their regret is that of one that learns."""
    named = [test.options[key] for key in COMPARED if key in test.options]
    rivals = {label for value in named for label in (value if isinstance(value, list) else [value])}
    titles = claim_test(test.test).resolve(test.options).get("ours")
    if titles:
        rivals |= {cell.algorithm for cell in cells if _title(cell) not in titles}
    return rivals


def _uniform(cell: Cell) -> float:
    """Return uniform play's regret at a cell's horizon; many algorithms share an environment."""
    job = cell.job
    known = json.dumps([dict(job.environment), job.epsilon, job.horizon], sort_keys=True)
    if known not in _UNIFORM:
        _UNIFORM[known] = float(uniform_play(job, np.array([job.horizon]))[0])
    return _UNIFORM[known]


def _title(cell: Cell) -> str:
    return registry.algorithm(cell.job.algorithm).titled(cell.job.parameters)


def measured(test: Test, cells: Sequence[Cell]) -> list[Measured]:
    """Return a control's runs at the horizons of cells, some of which have algorithms that it is compared with."""
    rivals = _rivals(test, cells)
    noise = 1.0 + SPREAD * np.random.default_rng(0).standard_normal((RUNS, 1))
    found = []
    for cell in cells:
        rounds = np.array([cell.job.horizon])
        share = OTHERS if cell.algorithm in rivals else CONTROLS[test.control]
        found.append(Measured(cell, share * _uniform(cell) * noise, rounds))
    return found


def evidence(test: Test, cells: Sequence[Cell], published_runs: int) -> Evidence:
    """Return what a test would look at if the control were in the place of the algorithms that it is about.

    Parameters
    ----------
    test
        Of aggregates or runs, with a control.
    cells
        Of its experiments.
    published_runs
        The paper's number of runs.
    """
    runs = measured(test, cells)
    kind: ClaimTest = claim_test(test.test)
    if kind.reads == "runs":
        return Evidence(pd.DataFrame(), {}, runs, pd.DataFrame(), published_runs, some=test.some)
    rows = [
        {
            **labels(cell, "full", RUNS),
            "round": cell.job.horizon,
            "mean": regret.mean(),
            "sd": regret.std(ddof=1),
            "uniform": _uniform(cell),
            **parameters(cell),
        }
        for cell, regret, _ in runs
    ]
    return Evidence(pd.DataFrame(rows), {}, [], pd.DataFrame(), published_runs, some=test.some)


def verdict(test: Test, cells: Sequence[Cell], published_runs: int, level: float) -> str:
    """Return the verdict of a test on its control, as if the paper had no other claim."""
    kind = claim_test(test.test)
    options = dict(kind.resolve(test.options))
    # What few runs would show is no verdict.
    options |= {"published": False} if "published" in options else {}
    outcome = kind.evaluate(evidence(test, cells, published_runs), **options)
    first = {"paper": "", "claim": "", "test": 0}
    rows = [{**first, **row} for row in rows_of(outcome, test.decides)]
    return judge([test], corrected(pd.DataFrame(rows, columns=COLUMNS), level)).verdict
