"""The findings of a paper's claims: each claim's tests are evaluated, then p-values corrected for their number.

A claim is evaluated in a job of its own, which reads what its tests read. The correction reads the paper's claims.
A cell is an algorithm in one environment at one budget and horizon.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpbandits.claims.claim import TestData
from dpbandits.claims.declarations import CELL, ClaimTest, Decision, Evidence, Finding, Labels, Outcome, claim_test
from dpbandits.claims.estimate import holm
from dpbandits.claims.expressions import chosen
from dpbandits.claims.power import INTEREST, half_width, smallest_seen, spread
from dpbandits.core.distributions import normal_quantile
from dpbandits.core.fields import Options
from dpbandits.core.files import read_json
from dpbandits.core.tables import Row, read_tables, rounded
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, UNREFUTED, UNTESTED, VACUOUS, Verdict
from dpbandits.runs.aggregate import Measured, read_cell

if TYPE_CHECKING:
    from dpbandits.runs.plan import Cell

NUMBERS = [
    "estimate",
    "low",
    "high",
    "at_least",
    "at_most",
    "p",
    "p_down",
    "p_up",
    "half",
    "spread",
    "power",
    "published_share",
]
COLUMNS = ["paper", "claim", "test", "part", *NUMBERS, "runs", "side", "side_down", "side_up"]
COLUMNS += ["decides", "some", "complete", "about", "unit", "spread_unit", "cap", *CELL, "rows_read", "rows_run"]
COLUMNS += ["published_runs", "published_shows", "controls", "draws"]


def at_horizon(aggregates: pd.DataFrame) -> pd.DataFrame:
    """Return the aggregates over all runs, at the horizon.

    Their ``version`` is ``full``. Aggregates over the paper's number of runs are ``published``, and left out.
    """
    table = aggregates[(aggregates["version"] == "full") & (aggregates["round"] == aggregates["horizon"])]
    return table.reset_index(drop=True)


def at_end(measured: Measured) -> Measured:
    """Return a cell's runs at the horizon alone: all checkpoints of hundreds of cells would be gigabytes."""
    return Measured(measured.cell, measured.regret[:, -1:].copy(), measured.rounds[-1:])


def rows_of(kind: ClaimTest, options: Options, evidence: Evidence) -> pd.DataFrame:
    """Return the rows that a test reads: those that meet its conditions, of the algorithms that it names.

    For a test of single runs there is a row for each cell, with its ``horizon`` and number of ``runs``.
    """
    if evidence.runs:
        return pd.DataFrame(
            [{"horizon": each.cell.job.horizon, "runs": each.regret.shape[0]} for each in evidence.runs]
        )
    table = evidence.table
    if len(table) and options.get("where"):
        table = chosen(table, options["where"])
    named = [options[key] for key, option in kind.options.items() if isinstance(option, Labels) and options[key]]
    labels = {label for given in named for label in ([given] if isinstance(given, str) else given)}
    return table[table["algorithm"].isin(labels)] if labels and "algorithm" in table else table


# Columns of which the smallest row counts: one that is run more often does not make up for another.
OF_EACH = ("runs", "repetitions", "instances")


def below_scale(scale: Mapping[str, float], rows: pd.DataFrame) -> bool:
    """Return whether the rows that a test reads are below the scale from which on it can be decided.

    Parameters
    ----------
    scale
        The least value of each column. ``runs``, ``repetitions`` and ``instances`` have to reach it in every row,
        other columns in at least one. A column that no row has does not reach it.
    rows
        The rows that the test reads.
    """

    def reached(column: str) -> float:
        values = rows[column] if column in rows else pd.Series(dtype=float)
        if values.isna().all() or (column in OF_EACH and values.isna().any()):
            return -math.inf
        return float(values.min() if column in OF_EACH else values.max())

    return any(reached(column) < least for column, least in scale.items())


def evidence_of_claim(
    tests: Sequence[TestData],
    published_runs: int,
    seed: int,
    results: str,
    cells: Mapping[str, Sequence[Cell]],
    aggregates: Mapping[str, str],
    computed: Mapping[str, str],
    privacy: str | None,
) -> list[Evidence]:
    """Return the data that each test of one claim reads. What several tests read is read once.

    Parameters
    ----------
    tests
        The tests as JSON data, as `dpbandits.claims.claim.definition` returns them.
    published_runs
        The paper's number of runs.
    seed
        Root seed of the configuration, with which sets of few runs are drawn.
    results
        The results folder.
    cells, aggregates, computed
        Cells whose runs are read, and files of aggregates, by experiment; files of tables, by computation.
    privacy
        File of the table of audits, ``None`` if there are none.
    """
    found = []

    @functools.cache
    def table(*files: str) -> pd.DataFrame:
        return read_tables([Path(file) for file in files])

    @functools.cache
    def runs_of(experiment: str) -> list[Measured]:
        return [at_end(read_cell(cell, Path(results))) for cell in cells[experiment]]

    for test in tests:
        kind, names = claim_test(test["test"]), test["experiments"]
        files = [aggregates[name] for name in names] if kind.reads == "aggregates" else []
        evidence = Evidence(
            aggregates=at_horizon(table(*files)) if files else pd.DataFrame(),
            computed={name: table(computed[name]) for name in test["computations"]},
            runs=[run for name in names for run in runs_of(name)] if kind.reads == "runs" else [],
            audits=table(privacy) if privacy and kind.reads == "audits" else pd.DataFrame(),
            published_runs=published_runs,
            seed=seed,
            some=test["some"],
        )
        found.append(evidence)
    return found


def parts_of_claim(tests: Sequence[TestData], evidence: Sequence[Evidence]) -> list[Row]:
    """Evaluate the tests of one claim, each on its data, and return their parts.

    Parameters
    ----------
    tests, evidence
        The tests, as JSON data, and the data of each.

    Returns
    -------
    list of dict
        A row of JSON data for each part, before the correction. Keys are columns of `COLUMNS`, among them:

        - number of the ``test``, and ``part``;
        - ``estimate`` with its 95 % interval ``low, high``, its ``half`` (`dpbandits.claims.power.half_width`), and
          the limits ``at_least, at_most``;
        - ``runs``; ``side`` and ``p`` of the decision; ``side_down``, ``p_down``, ``side_up`` and ``p_up`` if other
          seeds had moved the estimate down or up;
        - numbers of rows that were run and read;
        - the result of the paper's own number of runs.
    """
    rows = [
        {"test": number, **row}
        for number, (test, seen) in enumerate(zip(tests, evidence, strict=True))
        for row in parts_of_test(claim_test(test["test"]), test, seen)
    ]
    # Numbers of NumPy become those of Python.
    plain: list[Row] = json.loads(json.dumps(rows, default=lambda numbers: numbers.tolist()))
    return plain


def findings(paper: str, claims: Mapping[str, str], level: float) -> pd.DataFrame:
    """Return the parts of a paper's claims, with p-values corrected for their number.

    Parameters
    ----------
    paper
        Id of the paper.
    claims
        Path of the JSON file of each claim, by the claim's id; its key ``parts`` has what `parts_of_claim` returns.
    level
        Largest chance of any false decision.

    Returns
    -------
    DataFrame
        A row for each part: the columns `COLUMNS`, with ``p_corrected``, ``verdict`` and others of `corrected`.
        Numbers are rounded.
    """
    rows = [
        {"paper": paper, "claim": claim, **row}
        for claim, file in claims.items()
        for row in read_json(Path(file))["parts"]
    ]
    return rounded(corrected(pd.DataFrame(rows, columns=COLUMNS), level))


def parts_of_test(kind: ClaimTest, test: TestData, evidence: Evidence) -> list[Row]:
    """Evaluate a test, and return its parts as rows of `COLUMNS`, before the correction.

    Parts below the scale of a test have their estimates, and the side ``below`` instead of a decision. If no part
    is found, one row has the side ``below`` or, if the data can show nothing, ``vacuous``; else there is none.

    Parameters
    ----------
    kind, test
        The kind of test, and the test as JSON data.
    evidence
        Data that the test reads.
    """
    options = kind.resolve(test["options"])
    # A proof reads no data, which no scale could ask for.
    reads = bool(evidence.runs or len(evidence.table))
    small = reads and below_scale(test.get("scale", {}), rows_of(kind, options, evidence))
    outcome = kind.evaluate(evidence, **options)
    if not outcome.findings:
        return [_nothing("below" if small else "vacuous")] if small or outcome.vacuous else []
    table = evidence.table
    read = len(chosen(table, options["where"])) if "where" in options and len(table) else len(table)
    said = {"rows_read": read, "rows_run": len(table), **(_undecided("below") if small else {})}
    return [{**_row(outcome, part, kind, test), **said} for part in outcome.findings]


def _row(outcome: Outcome, found: Finding, kind: ClaimTest, test: TestData) -> Row:
    """Return a part as a row of a table.

    Parameters
    ----------
    outcome, found
        What the test returned, and one part of it.
    kind
        The kind of test.
    test
        The test as JSON data.
    """

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
        "cap": found.cap,
        **{column: found.cell.get(column, math.nan) for column in CELL},
        **decided(found.decision, ""),
        **decided(found.moved[0], "_down"),
        **decided(found.moved[1], "_up"),
        "published_runs": published.runs if published else math.nan,
        "published_shows": published.shows if published else "",
        "published_share": published.share if published else math.nan,
        "half": half_width(found),
        **dict(zip(("spread", "spread_unit"), spread(found), strict=True)),
        "controls": "",
        "draws": kind.draws,
    }


def _nothing(side: str) -> Row:
    """Return the row of a test whose data can show nothing, or are below a claim's scale."""
    said = dict.fromkeys(("part", "runs", "published_shows", "about", "unit", "spread_unit", "controls"), "")
    several = {"decides": "both", "some": False, "complete": False, "cap": HOLDS.value, "draws": False}
    return {**dict.fromkeys(NUMBERS, math.nan), **_undecided(side), **said, **several, "published_runs": math.nan}


def _undecided(side: str) -> Row:
    """Return what replaces a decision: data that can show nothing, or that are below a claim's scale."""
    sides = dict.fromkeys(("side", "side_down", "side_up"), side)
    return {**sides, **dict.fromkeys(("p", "p_down", "p_up"), math.nan)}


def verdict_of(row: Any, side: str, p: float, level: float) -> Verdict:
    """Return the verdict on a part, by the rules of docs/verdicts.md.

    Parameters
    ----------
    row
        The part, a named tuple of the columns `COLUMNS`, of which ``cap``, ``decides``, ``some``, ``complete``,
        ``about`` and ``half`` are read.
    side, p
        Side to which the part leans (``holds``, ``fails`` or ``open``; ``below`` its scale; ``vacuous``), and its
        corrected p-value, NaN if the part was computed exactly.
    level
        Largest chance of any false decision.
    """
    if side in ("vacuous", "below"):
        return VACUOUS if side == "vacuous" else OPEN
    if row.cap == "open":
        return OPEN
    exact = math.isnan(p)
    shown = exact or p <= level
    # Exact rows that are a part of what is claimed can refute a claim of all, and show a claim of some.
    less = exact and not row.complete
    if side == "fails" and shown and row.decides != "holds":
        return OPEN if row.some and less else FAILS
    if row.cap == "vacuous":
        return VACUOUS
    if side != "holds" or not shown:
        return OPEN
    if row.cap == "untested":
        return UNTESTED
    # An interval that is too wide to see the smallest effect of interest.
    blind = row.half >= INTEREST.get(row.about, math.inf)
    weak = row.cap == "unrefuted" or row.decides == "fails" or (less and not row.some) or blind
    return UNREFUTED if weak else HOLDS


def corrected(parts: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return all parts with their decisions after the correction for the number of tests in a paper.

    Parameters
    ----------
    parts
        Rows of `COLUMNS`.
    level
        Largest chance of any false decision in a paper.

    Returns
    -------
    DataFrame
        The rows with ``p_corrected``, ``power`` (the smallest effect that is seen), ``verdict``, and ``if_down``,
        ``if_up``: the verdicts if other seeds had moved the estimate. A part that holds, or is not contradicted, is
        untested if a negative control has the same verdict (``controls``). ``more_runs`` says how many times as
        many runs would decide an open part, were the effect what it seems. It is NaN for all others, at the
        threshold, over too short a range, and for a count of drawn units.
    """
    parts = parts.assign(p_corrected=math.nan)
    sampled = parts["p"].notna()
    for _, group in parts[sampled].groupby("paper"):
        parts.loc[group.index, "p_corrected"] = holm(group["p"].to_numpy(dtype=float))
    # A moved estimate meets the same correction.
    factor = (parts["p_corrected"] / parts["p"]).where(parts["p"] > 0.0, 1.0).fillna(1.0).astype(float)
    parts["power"] = [
        smallest_seen(half, unit, level / by) if shown else math.nan
        for half, unit, by, shown in zip(parts["spread"], parts["spread_unit"], factor, sampled, strict=True)
    ]
    for column, suffix in (("verdict", ""), ("if_down", "_down"), ("if_up", "_up")):
        p = parts["p_corrected"] if suffix == "" else parts[f"p{suffix}"] * factor
        rows = zip(parts.itertuples(index=False), parts[f"side{suffix}"], p, strict=True)
        words = [str(verdict_of(row, side, float(chance), level)) for row, side, chance in rows]
        # What an algorithm that learns nothing gets too is not said of one that does.
        known = parts.get("controls", pd.Series("", parts.index)).fillna("").str.split("; ")
        parts[column] = [
            str(UNTESTED) if word in (HOLDS, UNREFUTED) and word in passed else word
            for word, passed in zip(words, known, strict=True)
        ]
    drawn = parts.get("draws", pd.Series(False, parts.index)).eq(True)
    undecided = (parts["verdict"] == OPEN) & sampled & (parts["cap"] != "open") & ~drawn
    more = [_more_runs(p, level / by) for p, by in zip(parts["p"][undecided], factor[undecided], strict=True)]
    parts["more_runs"] = pd.Series(more, parts.index[undecided], dtype=float)
    return parts


def _more_runs(p: float, level: float) -> float:
    """Return how many times as many runs bring a two-sided p-value down to a level: errors fall as 1/√runs."""
    distance = normal_quantile(p / 2.0)
    ratio = normal_quantile(level / 2.0) / distance if distance else math.nan
    return ratio * ratio
