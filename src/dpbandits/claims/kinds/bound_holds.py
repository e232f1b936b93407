"""Mean regret is at most a printed bound, wherever that is below uniform play's regret and so says something."""

from __future__ import annotations

import math

import numpy as np

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Labels, Outcome, Where, finding
from dpbandits.claims.estimate import student
from dpbandits.claims.expressions import Conditions, chosen
from dpbandits.claims.kinds._bounds import UP_TO_A_CONSTANT, bounds
from dpbandits.claims.kinds._tables import located, named, only, over_instances, runs_in
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Option, Options

# Columns that identify a part, beside the algorithm.
PLACE = ["environment", "horizon", "epsilon"]
LIMITS = -math.inf, 1.0
# A bound this many times above regret, or above this share of uniform play's, tells nothing of a rate: a linear
# regret keeps it.
SLACK, LINEAR = 10.0, 0.1


def evaluate(evidence: Evidence, algorithms: list[str], bound: str, where: Conditions, instances: str) -> Outcome:
    """Return a finding for each cell whose bound is below uniform play's regret: mean regret over the bound.

    A cell is an algorithm in one environment at one budget and horizon. If there are cells, but no such one, the
    outcome is vacuous. A part is at best *untested* if mean regret is at most a tenth of the bound, or the bound at
    least a tenth of uniform play's regret; at best *not contradicted* else. `BadInput` is raised for a bound that
    is unknown, and for those that are stated up to a constant: ``existing``, ``theorem 3.4`` and ``theorem 3.9``.

    Parameters
    ----------
    evidence
        Data of the test, which reads the aggregates.
    algorithms, bound
        Labels of the algorithms, all if empty, and the name of a bound, such as ``cor2``.
    where, instances
        Conditions on rows, such as ``{"epsilon": {"at_most": 1}}``; column that numbers random instances, each of
        which counts as a run, empty for none.
    """
    if bound in UP_TO_A_CONSTANT:
        raise BadInput(("options", "bound"), bound, "a bound with its constant; of others the exponent is tested")
    table = chosen(only(evidence.aggregates, "algorithm", algorithms), where)
    # Experiments may share cells.
    table = table.drop_duplicates(["algorithm", *PLACE])
    table = table.assign(bound=bounds(table, bound))
    cells = len(table)
    table = table[table["bound"] < table["uniform"]]
    if instances and len(table):
        table = over_instances(table, instances)
    # Small regrets may be negative where a sequence changes: no logarithms.
    error = table["sd"] / np.sqrt(table["runs"])
    table = table.assign(ratio=table["mean"] / table["bound"], error=error / table["bound"])
    return Outcome(
        [
            finding(
                named(row, ["title", *PLACE]),
                student(row["ratio"], row["error"], row["runs"] - 1),
                *LIMITS,
                runs=runs_in(table),
                cap="holds"
                if row["ratio"] * SLACK > 1.0 and row["bound"] < LINEAR * row["uniform"]
                else "untested",
                cell=located(row, ["title", *PLACE]),
            )
            for _, row in table.iterrows()
        ],
        vacuous=cells > 0,
    )


def words(options: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    return (
        f"{{inside}} (t test) wherever the bound {options['bound']}, with the constants of its proof, is below "
        "uniform play's regret. Elsewhere the bound says nothing"
    )


def fails_if(options: Options) -> str:
    """Return what would fail the test; `dpbandits.claims.sentences.filled` puts "above" in place of ``{way}``."""
    return (
        f"one setting in which mean regret is {{way}} the bound {options['bound']}. Uniform play's is, wherever "
        "the bound says anything. A setting leaves it untested where regret is below a tenth of the bound, or "
        "where the bound is above a tenth of uniform play's regret"
    )


TEST = ClaimTest(
    title="Mean regret below a printed bound",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=lambda _: [Asked(*LIMITS)],
    part="setting",
    nothing="the bound is above uniform play's regret in every cell measured, and says nothing there",
    options={
        "algorithms": Labels([], "labels of the algorithms"),
        "bound": Option("", "name of the bound"),
        "where": Where(),
        "instances": Option("", "column that numbers random instances, over which intervals are; none if empty"),
    },
    about="constant",
    refutes=True,
)
