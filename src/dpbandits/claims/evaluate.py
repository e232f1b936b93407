"""The findings of a paper's claims: each claim's tests are evaluated, then p-values corrected for their number.

A claim is evaluated in a job of its own, which reads what its tests read. The correction reads the paper's claims.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpbandits.claims.claim import TestData
from dpbandits.claims.declarations import ClaimTest, Decision, Evidence, Finding, Outcome, claim_test
from dpbandits.claims.estimate import Estimate, holm
from dpbandits.claims.expressions import chosen
from dpbandits.claims.power import SURVIVED, smallest_caught
from dpbandits.claims.tails import tails_of
from dpbandits.core.distributions import normal_quantile
from dpbandits.core.files import read_json
from dpbandits.core.tables import Row, read_tables, rounded
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, UNREFUTED, VACUOUS, Verdict
from dpbandits.runs.aggregate import Measured, read_cell

if TYPE_CHECKING:
    from dpbandits.runs.plan import Cell

NUMBERS = ["estimate", "low", "high", "at_least", "at_most", "p", "p_down", "p_up", "power", "published_share"]
COLUMNS = ["paper", "claim", "test", "part", *NUMBERS, "runs", "side", "side_down", "side_up"]
COLUMNS += ["decides", "some", "complete", "about", "unit", "reachable", "rows_read", "rows_run"]
COLUMNS += ["published_runs", "published_shows", "found"]


def at_horizon(aggregates: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of all runs at the horizon."""
    table = aggregates[(aggregates["version"] == "full") & (aggregates["round"] == aggregates["horizon"])]
    return table.reset_index(drop=True)


def at_end(measured: Measured) -> Measured:
    """Return a cell's runs at the horizon alone: of hundreds of cells all checkpoints are gigabytes."""
    return Measured(measured.cell, measured.regret[:, -1:].copy(), measured.rounds[-1:])


def seen_by(evidence: Evidence) -> pd.DataFrame:
    """Return the table that the conditions of a test choose rows of; empty if it reads none."""
    tables = list(evidence.computed.values())
    return pd.concat(tables, ignore_index=True) if tables else evidence.aggregates


def below(scale: Mapping[str, float], evidence: Evidence) -> bool:
    """Return whether data are below the scale from which on a claim can be decided.

    Parameters
    ----------
    scale
        Of columns of tables, or of ``horizon`` and ``runs``, what their largest value has to reach.
    evidence
        What a test looks at.
    """
    tables = [evidence.aggregates, *evidence.computed.values()]
    tables += [
        pd.DataFrame([{"horizon": each.cell.job.horizon, "runs": each.regret.shape[0]}]) for each in evidence.runs
    ]

    def largest(column: str) -> float:
        return max(
            (float(table[column].max()) for table in tables if column in table and len(table)), default=math.inf
        )

    return any(largest(column) < least for column, least in scale.items())


def of_claim(
    tests: Sequence[TestData],
    published_runs: int,
    seed: int,
    results: str,
    cells: Mapping[str, Sequence[Cell]],
    aggregates: Mapping[str, str],
    computed: Mapping[str, str],
    privacy: str | None,
) -> list[Row]:
    """Evaluate the tests of a claim.

    Parameters
    ----------
    tests
        The tests, as JSON data.
    published_runs
        The paper's number of runs.
    seed
        The configuration's root seed, of which sets of few runs are drawn.
    results
        The results folder.
    cells, aggregates, computed
        Of experiments whose runs are read, the cells; of experiments, and of computations, the tables.
    privacy
        The table of audits, if there are any.

    Returns
    -------
    list of dict
        A row of JSON data for each part, before the correction, with these columns:

        - number of the ``test``, ``part``;
        - ``estimate`` with its 95 % interval ``low, high``, and the limits ``at_least, at_most``;
        - ``runs``, ``side`` and ``p``, and both if other seeds had moved the estimate ``down`` or ``up``;
        - numbers of rows that were run and read;
        - the result of the paper's own number of runs;
        - ``found``, what the correction needs of the estimate beside these.
    """
    rows: list[Row] = []
    for number, test in enumerate(tests):
        kind, names = claim_test(test["test"]), test["experiments"]
        files = [Path(aggregates[name]) for name in names] if kind.reads == "aggregates" else []
        runs = [cell for name in names for cell in cells[name]] if kind.reads == "runs" else []
        evidence = Evidence(
            aggregates=at_horizon(read_tables(files)) if files else pd.DataFrame(),
            computed={name: read_tables([Path(computed[name])]) for name in test["computations"]},
            runs=[at_end(read_cell(cell, Path(results))) for cell in runs],
            audits=read_tables([Path(privacy)]) if privacy and kind.reads == "audits" else pd.DataFrame(),
            published_runs=published_runs,
            seed=seed,
            some=test["some"],
        )
        rows += [{"test": number, **row} for row in judged(kind, test, evidence)]
    return [told(row) for row in rows]


def told(row: Row) -> Row:
    """Return a part as JSON data; of its finding what no column has."""
    found: Finding | None = row["found"]
    if found is not None:
        estimate = found.estimate
        kept = {"exact": estimate.exact, "logarithmic": estimate.logarithmic, "tails": asdict(estimate.tails)}
        row = {**row, "found": kept}
    told: Row = json.loads(json.dumps(row, default=lambda numbers: numbers.tolist()))
    return told


def _finding(row: Row) -> Finding | None:
    """Return the finding of a part that `told` returned."""
    kept = row["found"]
    if kept is None:
        return None
    numbers = row["estimate"], row["low"], row["high"]
    estimate = Estimate(*numbers, tails_of(kept["tails"]), kept["logarithmic"], kept["exact"])
    decision, down, up = (Decision(row[f"side{way}"], row[f"p{way}"]) for way in ("", "_down", "_up"))
    limits = row["at_least"], row["at_most"]
    return Finding(row["part"], estimate, *limits, row["runs"], decision, (down, up), row["unit"], row["reachable"])


def findings(paper: str, claims: Mapping[str, str], level: float) -> pd.DataFrame:
    """Correct the parts of a paper's claims for their number.

    Parameters
    ----------
    paper
        Its id.
    claims
        The file of each claim, with the parts that `of_claim` returns.
    level
        Chance of any false decision.

    Returns
    -------
    DataFrame
        All parts as `corrected` returns them, with ``paper`` and ``claim``.
    """
    rows = [
        {"paper": paper, "claim": claim, **row, "found": _finding(row)}
        for claim, file in claims.items()
        for row in read_json(Path(file))["parts"]
    ]
    return rounded(corrected(pd.DataFrame(rows, columns=COLUMNS), level).drop(columns="found"))


def judged(kind: ClaimTest, test: TestData, evidence: Evidence) -> list[Row]:
    """Return the parts of a test as rows.

    Of a test whose data can show nothing, or are below the scale of its claim, a row says so.

    Parameters
    ----------
    kind, test
        The kind of test, and the test as JSON data.
    evidence
        What it looks at.
    """
    if below(test.get("scale", {}), evidence):
        return [_nothing("below")]
    options = kind.resolve(test["options"])
    outcome = kind.evaluate(evidence, **options)
    if not outcome.findings:
        return [_nothing("vacuous")] if outcome.vacuous else []
    table = seen_by(evidence)
    read = len(chosen(table, options["where"])) if "where" in options and len(table) else len(table)
    return [
        {**_row(outcome, part, kind, test), "rows_read": read, "rows_run": len(table)} for part in outcome.findings
    ]


def _row(outcome: Outcome, found: Finding, kind: ClaimTest, test: TestData) -> Row:
    """Return a part as a row of a table."""

    def decided(decision: Decision, suffix: str) -> Row:
        return {f"side{suffix}": decision.side, f"p{suffix}": decision.p}

    estimate, published = found.estimate, outcome.published
    return {
        "part": found.part,
        "estimate": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "at_least": found.at_least,
        "at_most": found.at_most,
        "runs": found.runs,
        "decides": "fails" if kind.refutes else test["decides"],
        "some": test["some"],
        # A proof needs no rows, and runs have a p-value.
        "complete": test["complete"] or found.runs == "proved",
        "about": test["about"] or ("exponent" if found.unit == "exponent" else kind.about),
        "unit": found.unit,
        "reachable": found.reachable,
        **decided(found.decision, ""),
        **decided(found.moved[0], "_down"),
        **decided(found.moved[1], "_up"),
        "published_runs": published.runs if published else math.nan,
        "published_shows": published.shows if published else "",
        "published_share": published.share if published else math.nan,
        "found": found,
    }


def _nothing(side: str) -> Row:
    """Return the row of a test whose data can show nothing, or are below a claim's scale."""
    sides = dict.fromkeys(("side", "side_down", "side_up"), side)
    said = dict.fromkeys(("part", "runs", "published_shows", "about", "unit"), "")
    several = {"decides": "both", "some": False, "complete": False, "reachable": True, "found": None}
    return {**dict.fromkeys(NUMBERS, math.nan), **sides, **said, **several, "published_runs": math.nan}


def verdict_of(row: Any, side: str, p: float, level: float) -> Verdict:
    """Return the verdict on a part, by the rules of docs/verdicts.md.

    Parameters
    ----------
    row
        A row of `COLUMNS`.
    side, p
        To which side it leans, and the corrected p-value, missing if it was computed exactly.
    level
        Chance of any false decision.
    """
    if side in ("vacuous", "below"):
        return VACUOUS if side == "vacuous" else OPEN
    exact = math.isnan(p)
    shown = exact or p <= level
    # Of rows that are not all that is claimed: each can refute what is claimed of all, and show what is of some.
    less = exact and not row.complete
    if side == "fails" and shown and row.decides != "holds":
        return OPEN if row.some and less else FAILS
    if not row.reachable:
        return VACUOUS
    if side != "holds" or not shown:
        return OPEN
    blind = row.power >= SURVIVED.get(row.about, math.inf)
    if row.decides == "fails" or (less and not row.some) or (blind and not (row.complete and exact)):
        return UNREFUTED
    return HOLDS


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
        With ``p_corrected``, ``power`` (the smallest planted effect that is caught), ``verdict``, and ``if_down``,
        ``if_up``: what it would be had other seeds moved the estimate. Of what is not decided ``more_runs`` says
        how many times as many runs would decide it, were the effect what it seems; none where it seems to be at
        the threshold.
    """
    parts = parts.assign(p_corrected=math.nan)
    sampled = parts["p"].notna()
    for _, group in parts[sampled].groupby("paper"):
        parts.loc[group.index, "p_corrected"] = holm(group["p"].to_numpy(dtype=float))
    # A moved or planted estimate meets the same correction.
    factor = (parts["p_corrected"] / parts["p"]).where(parts["p"] > 0.0, 1.0).fillna(1.0).astype(float)
    parts["power"] = [
        math.nan if found is None or found != found else smallest_caught(found, level / by)
        for found, by in zip(parts["found"], factor, strict=True)
    ]
    for column, suffix in (("verdict", ""), ("if_down", "_down"), ("if_up", "_up")):
        p = parts["p_corrected"] if suffix == "" else parts[f"p{suffix}"] * factor
        rows = zip(parts.itertuples(index=False), parts[f"side{suffix}"], p, strict=True)
        parts[column] = [str(verdict_of(row, side, float(chance), level)) for row, side, chance in rows]
    undecided = (parts["verdict"] == OPEN) & sampled
    more = [_more_runs(p, level / by) for p, by in zip(parts["p"][undecided], factor[undecided], strict=True)]
    parts["more_runs"] = pd.Series(more, parts.index[undecided], dtype=float)
    return parts


def _more_runs(p: float, level: float) -> float:
    """Return how many times as many runs bring a two-sided p-value down to a level: errors fall as 1/√runs."""
    distance = normal_quantile(p / 2.0)
    ratio = normal_quantile(level / 2.0) / distance if distance else math.nan
    return ratio * ratio
