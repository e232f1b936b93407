"""From claims to verdicts: tests are evaluated, p-values corrected in a paper, parts put together to a ledger."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from dpbandits.audit import table as audits
from dpbandits.claims.estimate import holm
from dpbandits.claims.evidence import ClaimTest, Decision, Evidence, Finding, Outcome, claim_test
from dpbandits.claims.tests._tables import smallest
from dpbandits.core.files import whole
from dpbandits.pipeline import tabulate
from dpbandits.runs.aggregate import Measured, read_cell, read_tables, write_table
from dpbandits.runs.plan import AGGREGATE, COMPUTED, Cells

if TYPE_CHECKING:
    from dpbandits.claims.claim import Claim, Claims, Test

HOLDS, PART, FAILS, OPEN = "holds", "holds in part", "does not hold", "not decided"
SIDES = {"holds": HOLDS, "fails": FAILS, "open": OPEN}
# What is said of a test that decides one way alone.
LIMITED = {
    "both": [],
    "holds": ["can support the claim and not refute it"],
    "fails": ["can refute the claim and not prove it"],
}
COLUMNS = ["paper", "claim", "test", "part", "estimate", "low", "high", "at_least", "at_most", "runs", "side", "p"]
COLUMNS += ["side_down", "p_down", "side_up", "p_up", "published_runs", "published_shows", "published_share"]


def at_horizon(aggregates: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of all runs at the horizon, with facts of the environment and parameters as columns."""
    table = aggregates[(aggregates["version"] == "full") & (aggregates["round"] == aggregates["horizon"])]
    table = table.reset_index(drop=True)
    for column in ("facts", "parameters"):
        known = pd.DataFrame([json.loads(text) for text in table[column]], index=table.index)
        table = table.join(known[[name for name in known if name not in table]])
    return table


def at_end(measured: Measured) -> Measured:
    """Return a cell's runs at the horizon alone: of hundreds of cells all checkpoints are gigabytes."""
    return Measured(measured.cell, measured.regret[:, -1:].copy(), measured.rounds[-1:])


def evidence(known: Cells, paper: str, published_runs: int, test: Test, kind: ClaimTest, folder: Path) -> Evidence:
    """Return what a test looks at."""
    names = test.experiments
    reads_runs = kind.reads == "runs"
    files = [] if reads_runs else [folder / AGGREGATE.format(paper=paper, experiment=name) for name in names]
    runs = [cell for name in names for cell in known[paper, name].values()] if reads_runs else []
    computed = {name: folder / COMPUTED.format(paper=paper, computation=name) for name in test.computations}
    privacy = folder / audits.TABLE
    return Evidence(
        aggregates=at_horizon(read_tables(files)) if files else pd.DataFrame(),
        computed={name: read_tables([file]) for name, file in computed.items()},
        runs=[at_end(read_cell(cell, folder)) for cell in runs],
        audits=pd.read_csv(privacy) if kind.reads == "audits" else pd.DataFrame(),
        published_runs=published_runs,
        some=test.some,
    )


def findings(
    known: Cells, paper: str, claims: Mapping[str, Claim], published_runs: int, level: float, folder: Path
) -> pd.DataFrame:
    """Evaluate the tests of a paper's claims.

    Parameters
    ----------
    known, paper
        All cells, and the paper.
    claims
        Its claims, by id.
    published_runs
        Runs behind its own figures.
    level
        Chance of any false decision.
    folder
        The results.

    Returns
    -------
    DataFrame
        A row for each part: ``claim``, number of the ``test``, ``part``, ``estimate`` with its 95 % interval ``low,
        high``, the limits ``at_least, at_most``, ``runs``, ``side`` and ``p`` before correction, the same had other
        seeds moved the estimate ``down`` or ``up``, and what the paper's number of runs shows; then what is
        `corrected`.
    """
    rows = []
    for name, claim in claims.items():
        for number, test in enumerate(claim.tests):
            kind = claim_test(test.test)
            options = kind.resolve(test.options, "options")
            outcome = kind.evaluate(evidence(known, paper, published_runs, test, kind, folder), **options)
            first = {"paper": paper, "claim": name, "test": number}
            rows += [{**first, **_row(outcome, found, test.decides)} for found in outcome.findings]
    return corrected(pd.DataFrame(rows, columns=COLUMNS), level)


def _row(outcome: Outcome, found: Finding, decides: str) -> dict[str, Any]:
    """Return a part as a row of a table."""

    def decided(decision: Decision, suffix: str) -> dict[str, Any]:
        side = decision.side if decides in ("both", decision.side) else "open"
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
        **decided(found.decision, ""),
        **decided(found.moved[0], "_down"),
        **decided(found.moved[1], "_up"),
        "published_runs": published.runs if published else math.nan,
        "published_shows": published.shows if published else "",
        "published_share": published.share if published else math.nan,
    }


def read_findings(paths: Sequence[Path]) -> pd.DataFrame:
    """Return the parts of all papers' claims from their files."""
    tables = [pd.read_csv(path) for path in paths]
    return pd.concat([table for table in tables if len(table)] or tables, ignore_index=True)


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
        With ``p_corrected``, ``verdict`` (of `SIDES`), and ``if_down``, ``if_up``: what it would be had other seeds
        moved the estimate.
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
        parts[column] = parts[side].map(SIDES).where(decided, OPEN)
    return parts


def over_parts(verdicts: Sequence[str], some: bool) -> str:
    """Return the verdict of a test from those of its parts, of which every one, or some, is claimed to hold."""
    known = set(verdicts)
    if not known:
        return OPEN
    if some:
        return HOLDS if HOLDS in known else FAILS if known == {FAILS} else OPEN
    if FAILS in known:
        return PART if HOLDS in known else FAILS
    return HOLDS if known == {HOLDS} else OPEN


def over_tests(verdicts: Sequence[str]) -> str:
    """Return the verdict of a claim from those of its tests, of which all are claimed."""
    known = set(verdicts)
    if known & {FAILS, PART}:
        return PART if known & {HOLDS, PART} else FAILS
    return HOLDS if known == {HOLDS} else OPEN


class Judged(NamedTuple):
    """A claim's verdict.

    Attributes
    ----------
    verdict
        One of `HOLDS`, `PART`, `FAILS`, `OPEN`.
    near
        Whether other seeds might change it.
    """

    verdict: str
    near: bool


def judge(tests: Sequence[Test], parts: pd.DataFrame) -> Judged:
    """Return a claim's verdict from its corrected parts, and whether it is near a threshold.

    It is if another verdict would come out had other seeds moved all estimates down, or all up.
    """

    def verdict(column: pd.Series[str]) -> str:
        of_tests = [list(column[parts["test"] == number]) for number in range(len(tests))]
        return over_tests([over_parts(found, test.some) for found, test in zip(of_tests, tests, strict=True)])

    now = verdict(parts["verdict"])
    return Judged(now, any(verdict(parts[moved]) != now for moved in ("if_down", "if_up")))


def room(parts: pd.DataFrame) -> pd.Series[float]:
    """Return how far each part is inside its limits, relative to limit or estimate; negative outside."""

    def inside(low: str, high: str) -> pd.Series[float]:
        scale = parts[[low, high]].abs().max(axis=1).replace(0.0, 1.0)
        return ((parts[high] - parts[low]) / scale).fillna(math.inf)

    return pd.concat([inside("at_least", "estimate"), inside("estimate", "at_most")], axis=1).min(axis=1)


def telling(tests: Sequence[Test], parts: pd.DataFrame, verdict: str) -> pd.Series[Any]:
    """Return the part that tells most about a verdict: the narrowest that holds, or the clearest that does not."""
    wanted = parts[parts["verdict"] == {HOLDS: HOLDS, OPEN: OPEN}.get(verdict, FAILS)]
    wanted = wanted if len(wanted) else parts
    # Of what some part shows the clearest tells most, of what every part has to show the narrowest.
    some = wanted["test"].map(lambda number: tests[number].some)
    return smallest(wanted, room(wanted).mask(some, -room(wanted)))


def number(value: float) -> str:
    """Return a number as text, in four digits at most."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}"


def effect(tests: Sequence[Test], parts: pd.DataFrame, verdict: str) -> tuple[str, pd.Series[Any] | None]:
    """Return what was measured in the telling part, in words, and that part; or why a test has none."""
    without = [test for number, test in enumerate(tests) if not (parts["test"] == number).any()]
    if parts.empty or (without and verdict == OPEN and not (parts["verdict"] == OPEN).any()):
        reason = without[0].otherwise or claim_test(without[0].test).nothing
        return f"{without[0].effect}: {reason}", None
    part = telling(tests, parts, verdict)
    interval = "" if part["low"] == part["high"] else f" [{number(part['low'])}, {number(part['high'])}]"
    where = f" ({part['part']})" if part["part"] else ""
    return f"{tests[int(part['test'])].effect}: {number(part['estimate'])}{interval}{where}", part


def ledger(
    claims: Claims, parts: pd.DataFrame, sources: Callable[[str, Sequence[Test]], Sequence[str]]
) -> pd.DataFrame:
    """Return the ledger: a row for each claim, with its verdict.

    Parameters
    ----------
    claims
        Of each paper.
    parts
        Of all claims, `corrected`.
    sources
        ``sources(paper, tests)``: what tests read.
    """
    lines = []
    for paper, stated in claims.items():
        for name, claim in stated.claims.items():
            own = parts[(parts["paper"] == paper) & (parts["claim"] == name)]
            judged = judge(claim.tests, own)
            told, part = effect(claim.tests, own, judged.verdict)
            nothing = dict.fromkeys(("estimate", "low", "high", "at_least", "at_most", "p_corrected"), math.nan)
            numbers = nothing if part is None else part
            counts = own["verdict"].value_counts()
            few = own[own["published_shows"].fillna("") != ""]
            lines.append(
                {
                    "paper": paper,
                    "id": name,
                    "row": claim.row,
                    "place": claim.place,
                    "statement": claim.statement,
                    "test": "; ".join(dict.fromkeys(_words(test) for test in claim.tests)),
                    "verdict": judged.verdict,
                    "near_threshold": "yes" if judged.near else "no",
                    "effect": told,
                    "estimate": numbers["estimate"],
                    "low": numbers["low"],
                    "high": numbers["high"],
                    "at_least": numbers["at_least"],
                    "at_most": numbers["at_most"],
                    "p": numbers["p_corrected"],
                    "parts_hold": int(counts.get(HOLDS, 0)),
                    "parts_fail": int(counts.get(FAILS, 0)),
                    "parts_open": int(counts.get(OPEN, 0)),
                    "runs": "; ".join(dict.fromkeys(own["runs"].astype(str))),
                    "sources": "; ".join(sources(paper, claim.tests)),
                    "shown": f"{paper}/{claim.shown}" if "/" in claim.shown else claim.shown,
                    "published": "; ".join(few["published_shows"].unique()),
                    "published_share": few["published_share"].min() if len(few) else math.nan,
                    "remark": claim.remark,
                    "revised": claim.revised,
                }
            )
    return pd.DataFrame(lines)


def _words(test: Test) -> str:
    kind = claim_test(test.test)
    pieces = [str(kind.words(kind.resolve(test.options, "options")))]
    pieces += ["claimed of some part"] if test.some else []
    pieces += LIMITED[test.decides]
    return "; ".join(pieces)


def shares(table: pd.DataFrame) -> list[str]:
    """Return what the paper's number of runs shows, in words, for each claim."""
    return [
        f" {shows}; {share:.0%} of sets of so many runs show it." if shows else ""
        for shows, share in zip(table["published"], table["published_share"], strict=True)
    ]


def text(table: pd.DataFrame) -> pd.DataFrame:
    """Return the ledger for readers: fewer columns, all text."""
    parts = table["parts_hold"] + table["parts_fail"] + table["parts_open"]
    return pd.DataFrame(
        {
            "claim": table["id"],
            "statement": table["statement"],
            "verdict": table["verdict"] + table["near_threshold"].map({"yes": " (near threshold)", "no": ""}),
            "effect": table["effect"] + "." + shares(table),
            "parts that hold": table["parts_hold"].astype(str) + " of " + parts.astype(str),
            "runs": table["runs"],
            "test": table["test"],
            "shown by": table["shown"],
            "remark": table["remark"],
            "test revised after results had been seen": table["revised"],
        }
    )


def markdown(table: pd.DataFrame, level: float, titles: Mapping[str, str]) -> str:
    """Return the ledger as Markdown, a table for each paper."""
    caption = (
        "Effects with 95 % intervals; verdicts at a level that keeps the chance of any false one in a paper below "
        f"{level:.0%} (Holm)."
    )
    pieces = ["# Claims", caption]
    for paper, title in titles.items():
        part = table[table["paper"] == paper]
        pieces += [f"## {paper}: {title}", tabulate.markdown(text(part), "").strip()]
    return "\n\n".join(pieces) + "\n"


def latex(table: pd.DataFrame, level: float) -> str:
    """Return the ledger as LaTeX for the packages booktabs and longtable."""
    caption = f"Claims and verdicts; the chance of any false one in a paper is below {level:.0%}."
    shown = text(table)[["claim", "statement", "verdict", "effect"]]
    shown.insert(0, "paper", table["paper"])
    return tabulate.latex(shown, caption, columns="llp{5cm}lp{5cm}", environment="longtable")


def write(table: pd.DataFrame, level: float, titles: Mapping[str, str], outputs: Sequence[Path]) -> None:
    """Write a `ledger`; the suffix of each of ``outputs`` says the format: ``.csv``, ``.md`` or ``.tex``."""
    for output in outputs:
        if output.suffix == ".csv":
            write_table(table, output)
        else:
            content = markdown(table, level, titles) if output.suffix == ".md" else latex(table, level)
            with whole(output) as aside:
                aside.write_text(content, encoding="utf-8")
