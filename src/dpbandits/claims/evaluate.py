"""The findings of a paper's claims: tests are evaluated, p-values corrected for their number in the paper."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from dpbandits.claims.declarations import Decision, Evidence, Finding, Outcome, claim_test
from dpbandits.claims.estimate import holm
from dpbandits.core.distributions import normal_quantile
from dpbandits.core.files import Json
from dpbandits.core.tables import Row, read_tables, rounded
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, UNREFUTED, UNSUPPORTED, VACUOUS
from dpbandits.runs.aggregate import Measured, read_cell

if TYPE_CHECKING:
    from dpbandits.runs.plan import Cell

SIDES = {"holds": HOLDS, "fails": FAILS, "refuted": UNREFUTED, "supported": UNSUPPORTED, "vacuous": VACUOUS}
# The side that is left of one that a test cannot decide, by what it can; and the verdict of what is not decided.
ONE_WAY = {"holds": "supported", "fails": "refuted"}
LEFT_OPEN = {"both": OPEN, "holds": UNSUPPORTED, "fails": UNREFUTED}
COLUMNS = ["paper", "claim", "test", "part", "estimate", "low", "high", "at_least", "at_most", "runs", "side", "p"]
COLUMNS += [
    "decides",
    "side_down",
    "p_down",
    "side_up",
    "p_up",
    "published_runs",
    "published_shows",
    "published_share",
]
# The tests of each claim, as JSON data.
Tests = Mapping[str, Sequence[Json]]


def at_horizon(aggregates: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of all runs at the horizon."""
    table = aggregates[(aggregates["version"] == "full") & (aggregates["round"] == aggregates["horizon"])]
    return table.reset_index(drop=True)


def at_end(measured: Measured) -> Measured:
    """Return a cell's runs at the horizon alone: of hundreds of cells all checkpoints are gigabytes."""
    return Measured(measured.cell, measured.regret[:, -1:].copy(), measured.rounds[-1:])


def findings(
    tests: Tests,
    level: float,
    published_runs: int,
    seed: int,
    paper: str,
    results: str,
    cells: Mapping[str, Sequence[Cell]],
    aggregates: Mapping[str, str],
    computed: Mapping[str, str],
    privacy: str | None,
) -> pd.DataFrame:
    """Evaluate the tests of a paper's claims.

    Parameters
    ----------
    tests
        The tests of each claim.
    level
        Chance of any false decision.
    published_runs
        The paper's number of runs.
    seed
        The configuration's root seed, of which sets of few runs are drawn.
    paper
        Its id.
    results
        The results folder.
    cells, aggregates, computed
        Of experiments whose runs are read, the cells; of experiments, and of computations, the tables.
    privacy
        The table of audits, if there are any.

    Returns
    -------
    DataFrame
        A row for each part: ``claim``, number of the ``test``, ``part``, ``estimate`` with its 95 % interval ``low,
        high``, the limits ``at_least, at_most``, ``runs``, ``side`` and ``p`` before correction, the same had other
        seeds moved the estimate ``down`` or ``up``, and what the paper's number of runs shows; then what is
        `corrected`.
    """
    rows = []
    for claim, of_claim in tests.items():
        for number, test in enumerate(of_claim):
            kind, names = claim_test(test["test"]), test["experiments"]
            files = [Path(aggregates[name]) for name in names] if kind.reads == "aggregates" else []
            runs = [cell for name in names for cell in cells[name]] if kind.reads == "runs" else []
            evidence = Evidence(
                aggregates=at_horizon(read_tables(files)) if files else pd.DataFrame(),
                computed={name: read_tables([Path(computed[name])]) for name in test["computations"]},
                runs=[at_end(read_cell(cell, Path(results))) for cell in runs],
                audits=pd.read_csv(privacy) if privacy and kind.reads == "audits" else pd.DataFrame(),
                published_runs=published_runs,
                seed=seed,
                some=test["some"],
            )
            outcome = kind.evaluate(evidence, **kind.resolve(test["options"]))
            first = {"paper": paper, "claim": claim, "test": number}
            rows += [{**first, **row} for row in rows_of(outcome, test["decides"])]
    return rounded(corrected(pd.DataFrame(rows, columns=COLUMNS), level))


def rows_of(outcome: Outcome, decides: str) -> list[Row]:
    """Return the parts of a test as rows; of one whose data can show nothing, a row that says so."""
    found = [_row(outcome, part, decides) for part in outcome.findings]
    return found or ([_nothing()] if outcome.vacuous else [])


def _row(outcome: Outcome, found: Finding, decides: str) -> Row:
    """Return a part as a row of a table."""

    def decided(decision: Decision, suffix: str) -> Row:
        side = decision.side if decides in ("both", decision.side) else ONE_WAY[decides]
        return {f"side{suffix}": side, f"p{suffix}": decision.p}

    estimate, published = found.estimate, outcome.published
    return {
        "part": found.part,
        "estimate": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "at_least": found.at_least,
        "at_most": found.at_most,
        "runs": found.runs,
        "decides": decides,
        **decided(found.decision, ""),
        **decided(found.moved[0], "_down"),
        **decided(found.moved[1], "_up"),
        "published_runs": published.runs if published else math.nan,
        "published_shows": published.shows if published else "",
        "published_share": published.share if published else math.nan,
    }


def _nothing() -> Row:
    """Return the row of a test whose data can show nothing."""
    numbers = dict.fromkeys(("estimate", "low", "high", "at_least", "at_most", "p", "p_down", "p_up"), math.nan)
    sides = dict.fromkeys(("side", "side_down", "side_up"), "vacuous")
    said = dict.fromkeys(("part", "runs", "published_shows"), "")
    several = {"decides": "both", "published_runs": math.nan, "published_share": math.nan}
    return {**numbers, **sides, **said, **several}


def corrected(parts: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return all parts with their decisions after the correction for the number of tests in a paper.

    Parameters
    ----------
    parts
        Rows of `COLUMNS`.
    level
        Chance of any false decision in a paper.

    Returns
    -------
    DataFrame
        With ``p_corrected``, ``verdict`` (a value of `SIDES`, or of `LEFT_OPEN`), and ``if_down``, ``if_up``: what
        it would be had other seeds moved the estimate. Of what is not decided ``more_runs`` says how many times as
        many runs would decide it, were the effect what it seems; none where it seems to be at the threshold.
    """
    parts = parts.assign(p_corrected=math.nan)
    sampled = parts["p"].notna()
    for _, group in parts[sampled].groupby("paper"):
        parts.loc[group.index, "p_corrected"] = holm(group["p"].to_numpy(dtype=float))
    # A moved estimate meets the same correction.
    factor = (parts["p_corrected"] / parts["p"]).where(parts["p"] > 0.0, 1.0).fillna(1.0)
    for column, side, p in (
        ("verdict", "side", parts["p_corrected"]),
        ("if_down", "side_down", parts["p_down"] * factor),
        ("if_up", "side_up", parts["p_up"] * factor),
    ):
        decided = sampled.eq(False) | (p <= level)
        # What a test cannot decide needs no more runs.
        one_way = parts[side].isin(ONE_WAY.values())
        parts[column] = parts[side].map(SIDES).where(decided | one_way, parts["decides"].map(LEFT_OPEN))
    undecided = parts["verdict"] == OPEN
    more = [_more_runs(p, level / by) for p, by in zip(parts["p"][undecided], factor[undecided], strict=True)]
    parts["more_runs"] = pd.Series(more, parts.index[undecided], dtype=float)
    return parts


def _more_runs(p: float, level: float) -> float:
    """Return how many times as many runs bring a two-sided p-value down to a level: errors fall as 1/√runs."""
    distance = normal_quantile(p / 2.0)
    ratio = normal_quantile(level / 2.0) / distance if distance else math.nan
    return ratio * ratio
