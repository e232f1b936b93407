"""Negative controls: made-up data of algorithms that are known, without a run, to fail a claim's tests.

Uniform play learns nothing, and an algorithm of linear regret keeps a fixed share of its regret. Put in the place
of the algorithm that a claim is about, neither may pass as one that learns; nor may an algorithm without any regret
pass a lower bound. Aggregates and runs of controls are made up from the configuration: labels are those of real
data, and regret is the exact one, with little noise. Rivals, with which a claim compares its algorithm, keep the
regret that was measured. A cell is an algorithm in one environment at one budget and horizon.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from dpbandits.claims.claim import Test
from dpbandits.claims.declarations import ClaimTest, Evidence, claim_test
from dpbandits.claims.evaluate import COLUMNS, corrected, parts_of_test
from dpbandits.claims.judgement import judge
from dpbandits.core import registry
from dpbandits.runs.aggregate import Measured, labels, parameters
from dpbandits.runs.plan import Cell
from dpbandits.runs.uniform_play import uniform_play

# Regret of each control, as a share of uniform play's.
CONTROLS = {"uniform": 1.0, "perfect": 0.0}
# The same of algorithms of linear regret.
LINEAR = (0.5, 0.3, 0.1)
# Relative standard deviation of a control's runs, and how many there are.
SPREAD, RUNS = 1e-3, 1000
# Kinds of tests of one algorithm's regret beside others', which a linear regret that is smaller than theirs passes.
COMPARISONS = ("regret-ratio", "times-less")
# Options that name the algorithms that a test compares the claimed ones with.
COMPARED = ("against", "others")
_UNIFORM: dict[str, float] = {}


def _rivals(test: Test, cells: Sequence[Cell]) -> Collection[str]:
    """Return labels of the algorithms that a test compares the claimed ones with.

    Options in `COMPARED` name them. If a test names its own algorithms by ``ours``, all others are rivals.
    """
    named = [test.options[key] for key in COMPARED if key in test.options]
    rivals = {label for value in named for label in (value if isinstance(value, list) else [value])}
    ours = claim_test(test.test).resolve(test.options).get("ours")
    if ours:
        rivals |= {cell.algorithm for cell in cells if _title(cell) not in ours}
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


def made_up_runs(cells: Sequence[Cell], share: float) -> list[Measured]:
    """Return made-up runs of a control for each cell, at its horizon: 1,000 runs that differ by about 0.1 %.

    Parameters
    ----------
    cells, share
        Cells of experiments, and the control's regret as a share of uniform play's.
    """
    noise = 1.0 + SPREAD * np.random.default_rng(0).standard_normal((RUNS, 1))
    return [Measured(cell, share * _uniform(cell) * noise, np.array([cell.job.horizon])) for cell in cells]


def evidence(
    test: Test, cells: Sequence[Cell], published_runs: int, share: float, measured: Evidence | None = None
) -> Evidence:
    """Return the data that a test would read if a control were in the place of the algorithms that it is about.

    Parameters
    ----------
    test
        A test that reads aggregates or runs.
    cells
        Cells of the test's experiments.
    published_runs
        The paper's number of runs; unused with ``measured``.
    share
        The control's regret, as a share of uniform play's.
    measured
        The measured data of the test. From these the rivals, with which the claim compares its algorithm, keep
        their regret. Without them rivals get the control's regret too.

    Raises
    ------
    ValueError
        If there is no cell: nothing would be judged.
    """
    if not cells:
        raise ValueError("a control needs cells of an experiment in which it is put")
    rivals = _rivals(test, cells) if measured else ()
    runs = made_up_runs([cell for cell in cells if cell.algorithm not in rivals], share)
    kept = measured or Evidence(pd.DataFrame(), {}, [], pd.DataFrame(), published_runs)
    kind: ClaimTest = claim_test(test.test)
    if kind.reads == "runs":
        runs += [each for each in kept.runs if each.cell.algorithm in rivals]
        return kept._replace(computed={}, runs=runs, some=test.some)
    made_up = pd.DataFrame(
        {
            **labels(cell, "full", RUNS),
            "round": cell.job.horizon,
            "mean": regret.mean(),
            "sd": regret.std(ddof=1),
            "uniform": _uniform(cell),
            **parameters(cell),
        }
        for cell, regret, _ in runs
    )
    theirs = kept.aggregates[kept.aggregates["algorithm"].isin(rivals)] if rivals else kept.aggregates[:0]
    return kept._replace(
        aggregates=pd.concat([made_up, theirs], ignore_index=True) if len(theirs) else made_up,
        computed={},
        runs=[],
        some=test.some,
    )


def control_shares(test: Test) -> Sequence[float]:
    """Return the regrets of the controls that may not pass a test, as shares of uniform play's; empty for none.

    Uniform play has 1, an algorithm without regret 0. Uniform play is joined by 0.5, 0.3 and 0.1, algorithms of
    linear regret, unless the test compares algorithms or follows another quantity than T.
    """
    if test.control == "none" or not test.experiments:
        return ()
    # Linear regret may grow as claimed with other quantities, such as a budget: with T it never does.
    over_time = test.options.get("over", "horizon") == "horizon"
    linear = test.control == "uniform" and test.test not in COMPARISONS and over_time
    return (CONTROLS[test.control], *(LINEAR if linear else ()))


def control_verdicts(
    tests: Sequence[Test], cells: Mapping[str, Sequence[Cell]], measured: Sequence[Evidence], level: float
) -> Sequence[Collection[str]]:
    """Return, for each test of a claim, the set of verdicts that its controls get at the sizes that are run.

    Parameters
    ----------
    tests
        The tests of a claim.
    cells
        Cells of the experiments that the tests read, by experiment.
    measured
        What each test reads of the algorithms that were run.
    level
        The largest chance of any false decision.
    """
    found = []
    for test, seen in zip(tests, measured, strict=True):
        own = [cell for name in test.experiments for cell in cells[name]]
        played = [evidence(test, own, seen.published_runs, share, seen) for share in control_shares(test)]
        found.append({verdict_on_control([test], [each], level) for each in played})
    return found


def verdict_on_control(tests: Sequence[Test], played: Sequence[Evidence], level: float) -> str:
    """Return the verdict of tests on a control, as if the paper had no other claim.

    Parameters
    ----------
    tests, played
        Tests that read aggregates or runs, and for each its data with the control, as `evidence` returns them.
    level
        Largest chance of any false decision.
    """
    rows = []
    for number, (test, seen) in enumerate(zip(tests, played, strict=True)):
        said = test.model_dump(mode="json")
        if "published" in claim_test(test.test).options:
            # What few runs would show is no verdict.
            said["options"] = {**said["options"], "published": False}
        found = parts_of_test(claim_test(test.test), said, seen)
        rows += [{"paper": "", "claim": "", "test": number, **row} for row in found]
    return judge(tests, corrected(pd.DataFrame(rows, columns=COLUMNS), level)).verdict
