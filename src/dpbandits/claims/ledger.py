"""Ledger of claims: findings of parts are combined into tests, tests into claims, and claims into a ledger.

``table`` is a ledger as `ledger` returns it, and ``line`` is one of its rows by names of columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpbandits.claims import counting, judgement, sentences
from dpbandits.claims.declarations import CELL
from dpbandits.claims.false_privacy import summary
from dpbandits.claims.kinds.bound_holds import SLACK
from dpbandits.core import tables
from dpbandits.core.escapes import markdown as plain
from dpbandits.core.files import whole
from dpbandits.core.numbers import number
from dpbandits.core.tables import Row, read_tables
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, UNREFUTED, UNTESTED, VACUOUS

if TYPE_CHECKING:
    from dpbandits.claims.claim import Claims

VERDICTS = (
    "*Not contradicted*: a search, an audit, or a grid found nothing against it. *Untested*: linear regret would "
    "keep the bound too. *Not decided*: shown neither way; more runs, a larger scale or a proof might decide it. "
    "*Vacuous*: no data of this "
    "kind could show it. The rules are in docs/verdicts.md."
)
# Of columns from which on a claim can be decided, in words.
SCALES = {
    "horizon": "T of at least",
    "runs": "runs of each cell: at least",
    "instances": "instances: at least",
    "repetitions": "repetitions: at least",
    "arms": "K of at least",
}
# Whose a sentence is, as it stands behind it.
READINGS = {"paper": "", "ours": " *(our reading)*", "asked": " *(asked by the paper)*"}
# What stands behind a sentence of a paper that has conditions here which are not printed.
RESTATED = " *(restated)*"


def read_findings(paths: Sequence[Path]) -> pd.DataFrame:
    """Return the parts of all papers' claims, one row for each, from a file of CSV for each paper.

    The files have the tables of `dpbandits.claims.evaluate.findings`.
    """
    found = [read_tables([path]) for path in paths]
    return pd.concat([table for table in found if len(table)] or found, ignore_index=True)


def ledger(claims: Claims, parts: pd.DataFrame, sources: Mapping[tuple[str, str], Sequence[str]]) -> pd.DataFrame:
    """Return the ledger: a row for each claim, with its verdict.

    Parameters
    ----------
    claims
        The claims of each paper.
    parts
        Parts of all claims, with their verdicts after the correction (`read_findings`).
    sources
        Names of what the tests of a claim read, by the ids of paper and claim.

    Returns
    -------
    DataFrame
        In the order of the claims: ``paper``, ``id`` and the claim's words, ``verdict``, and texts for readers.
        ``estimate`` to ``p`` are those of the part that tells most. ``parts_hold`` and others are numbers of parts.

    Raises
    ------
    ValueError
        If a test compared with other limits than its sentence says, or runs contradict a proof.
    """
    lines = []
    for paper, stated in claims.items():
        of_paper = judgement.with_premises(stated, parts[parts["paper"] == paper])
        for name, claim in stated.claims.items():
            own = of_paper[of_paper["claim"] == name]
            wrong = sentences.disagreements(claim.tests, own)
            if wrong:
                raise ValueError(f"{paper}, {name}: a sentence is not of the limits compared: {'; '.join(wrong)}")
            if against := judgement.contradicted(claim.tests, own):
                raise ValueError(f"{paper}, {name}: a proof is contradicted by runs: {against}")
            judged = judgement.judge(claim.tests, own)
            found = judgement.effect(claim.tests, own, judged.verdict)
            nothing = dict.fromkeys(("estimate", "low", "high", "at_least", "at_most", "p_corrected"), math.nan)
            numbers = nothing | dict.fromkeys((*CELL, "unit")) if found.part is None else found.part
            counts = own["verdict"].value_counts()
            more = own["more_runs"].max()
            few = own[own["published_shows"].fillna("") != ""]
            lines.append(
                {
                    "paper": paper,
                    "id": name,
                    "row": claim.row,
                    "place": claim.place,
                    "statement": claim.statement,
                    "test": "; ".join(dict.fromkeys(sentences.of_test(test) for test in claim.tests)),
                    "power": "; ".join(dict.fromkeys(sentences.of_failure(test) for test in claim.tests)),
                    "reading": claim.reading,
                    "verdict": judged.verdict,
                    "near_threshold": "yes" if judged.near else "no",
                    "effect": found.text,
                    "quantity": found.quantity,
                    "told": found.told,
                    **{column: numbers[column] for column in ("unit", *CELL)},
                    "estimate": numbers["estimate"],
                    "low": numbers["low"],
                    "high": numbers["high"],
                    "at_least": numbers["at_least"],
                    "at_most": numbers["at_most"],
                    "p": numbers["p_corrected"],
                    "parts_hold": int(counts.get(HOLDS, 0)),
                    "parts_fail": int(counts.get(FAILS, 0)),
                    "parts_unrefuted": int(counts.get(UNREFUTED, 0)),
                    "parts_untested": int(counts.get(UNTESTED, 0)),
                    "parts_open": int(counts.get(OPEN, 0) + counts.get(VACUOUS, 0)),
                    "parts_leaning": sentences.leaning(own),
                    "parts_of_tests": "; ".join(
                        str(int((own["test"] == place).sum())) for place in range(len(claim.tests))
                    ),
                    "support": judgement.support(claim.tests, own, judged.verdict),
                    "subject": claim.subject,
                    "printed": claim.printed,
                    "printed_at": claim.printed_at or "",
                    "restated": claim.restated,
                    "boundary": claim.boundary,
                    "seen": judgement.effects_seen(claim.tests, own),
                    "slack": judgement.slack(own),
                    "rows": judgement.rows_read(own),
                    "scale": "; ".join(f"{SCALES[name]} {number(least)}" for name, least in claim.scale.items()),
                    "more_runs": number(more) if judged.verdict == OPEN and more > 0.0 else "",
                    "runs": "; ".join(dict.fromkeys(own["runs"].dropna().astype(str))),
                    "sources": "; ".join(sources[paper, name]),
                    "shown": f"{paper}/{claim.shown}" if "/" in claim.shown else claim.shown,
                    "published": "; ".join(few["published_shows"].unique()),
                    "published_share": few["published_share"].min() if len(few) else math.nan,
                    "remark": claim.remark,
                    "revised": claim.revised,
                    "says": sentences.of_parts(claim.tests, own),
                }
            )
    return pd.DataFrame(lines)


def published_in_words(table: pd.DataFrame) -> list[str]:
    """Return what the paper's number of runs shows, for each row of the ledger; empty if not known.

    An example begins " 20 runs show it in 3 of 4 cells; 35% of sets".
    """
    return [
        f" {shows}; {share:.0%} of sets of so many runs show it." if shows else ""
        for shows, share in zip(table["published"], table["published_share"], strict=True)
    ]


def text(table: pd.DataFrame, escape: Callable[[str], str] = str) -> pd.DataFrame:
    """Return the ledger for readers, as text: ``verdict, claim, effect``, and ``more``, a link to its section.

    Parameters
    ----------
    table
        The ledger.
    escape
        Function that makes plain words safe for the format that is written.
    """
    runs = table["runs"].astype(str).map(lambda runs: "" if runs in ("", "exact", "proved") else f", {runs} runs")
    return pd.DataFrame(
        {
            "verdict": table["verdict"] + table["near_threshold"].map({"yes": " (near threshold)", "no": ""}),
            "claim": table["statement"].map(escape)
            + table["reading"].map(READINGS)
            + np.where(table["printed"] != "", RESTATED, ""),
            "effect": [
                escape(f"{quantity}: {told}" if told else quantity)
                for quantity, told in zip(table["quantity"], table["told"], strict=True)
            ]
            + runs,
            "more": [f"[{name}](#{paper}-{name})" for paper, name in zip(table["paper"], table["id"], strict=True)],
        }
    )


def records(table: pd.DataFrame) -> list[Row]:
    """Return the rows of a table, by names of columns."""
    return [{str(key): value for key, value in line.items()} for line in table.to_dict("records")]


def _quoted(line: Row) -> str:
    """Return what a paper prints, its own words, and what the sentence has beside."""
    where = f"line {line['printed_at']} of the paper's text"
    return f"*Restated.* Printed is: “{line['printed'].strip()}” ({where}). {line['restated'].strip()}"


def section(line: Row) -> str:
    """Return the section of one claim in Markdown: its test, parts, power, and what else a reader should know.

    In ``line`` the column ``published`` has words as `published_in_words` returns them.
    """
    published = line["published"]
    line = {key: plain(value) if isinstance(value, str) else value for key, value in line.items()}
    parts = sum(line[f"parts_{kind}"] for kind in ("hold", "fail", "unrefuted", "untested", "open"))
    pieces = [
        f'### <a id="{line["paper"]}-{line["id"]}"></a>{line["id"]}: {line["verdict"]}',
        f"{line['statement']} ({line['place']})",
        *([f"*Found.* {line['says']}"] if line["says"] else []),
        *([_quoted(line)] if line["printed"] else []),
        f"*Effect.* {line['effect']}.{published}",
        f"*Test.* {line['test']}.",
        f"*Parts.* {line['parts_hold']} of {parts} hold, {line['parts_fail']} do not, "
        f"{line['parts_unrefuted']} are not contradicted, {line['parts_untested']} are untested; "
        f"runs: {line['runs'] or 'none'}; see {line['shown']}.",
        f"*What would fail it.* {line['power']}",
    ]
    pieces += [f"*Rests on.* What is {line['support']}."] if line["support"] else []
    if line["seen"]:
        pieces += [f"*Power.* The smallest effect that this design sees with 90 %: {line['seen']}."]
    if math.isfinite(line["slack"]) and line["verdict"] != UNTESTED:
        near = "a run approaches the bound" if line["slack"] <= SLACK else "no run approaches the bound"
        pieces += [f"*Slack.* A factor of {number(line['slack'])}: {near}."]
    pieces += [f"*Fails in a boundary case alone.* {line['boundary'].strip()}"] if line["boundary"] else []
    pieces += [f"*Rows.* Read: {line['rows']} of those that were run; the test says which."] if line["rows"] else []
    pieces += [f"*Scale.* To be decided it needs {line['scale']}."] if line["scale"] else []
    if line["more_runs"]:
        pieces += [f"*What would decide it.* {line['more_runs']} times as many runs, were effects what they seem."]
    pieces += [f"*Remark.* {line['remark'].strip()}"] if line["remark"] else []
    pieces += [f"*Revised after results had been seen.* {line['revised'].strip()}"] if line["revised"] else []
    return "\n\n".join(pieces)


def markdown(table: pd.DataFrame, level: float, titles: Mapping[str, str]) -> str:
    """Return the ledger as Markdown: counts, a table for each paper, then a section for each claim.

    ``level`` is the largest chance of any false verdict in a paper; ``titles`` has papers' titles by their ids.
    """
    caption = (
        "Effects with 95 % intervals; verdicts at a level that keeps the chance of any false one in a paper below "
        f"{level:.0%} (Holm)."
    )
    table = table.assign(published=published_in_words(table))
    heads, *counts = counting.table(records(table))
    counted = pd.DataFrame([list(row) for row in counts], columns=list(heads))
    pieces = ["# Claims", caption, tables.markdown(counted, VERDICTS).strip(), counting.conditions(records(table))]
    pieces += [summary(records(table))]
    for paper, title in titles.items():
        own = table[table["paper"] == paper]
        if len(own):
            pieces += [f"## {paper}: {plain(title)}", tables.markdown(text(own, plain), "").strip()]
    for paper in titles:
        own = table[table["paper"] == paper]
        if len(own):
            pieces += [f"## Claims of {paper}, one by one"]
            pieces += [section(line) for line in records(own)]
    return "\n\n".join(pieces) + "\n"


def latex(table: pd.DataFrame, level: float) -> str:
    """Return the ledger as LaTeX for booktabs and longtable; ``level`` is the chance of any false verdict."""
    caption = f"Claims and verdicts; the chance of any false one in a paper is below {level:.0%}."
    shown = text(table)[["claim", "verdict", "effect"]].replace(r" \*\(([a-z ]+)\)\*$", r" (\1)", regex=True)
    shown.insert(0, "id", table["id"])
    shown.insert(0, "paper", table["paper"])
    return tables.latex(shown, caption, columns="llp{5cm}lp{5cm}", environment="longtable")


def write(table: pd.DataFrame, level: float, titles: Mapping[str, str], outputs: Sequence[Path]) -> None:
    """Write a `ledger`; the suffix of each of ``outputs`` says the format: ``.csv``, ``.md`` or ``.tex``.

    Parameters
    ----------
    table
        The ledger.
    level
        Largest chance of any false verdict in a paper.
    titles
        Papers' titles, by their ids.
    outputs
        Paths of the files to write.
    """
    for output in outputs:
        if output.suffix == ".csv":
            tables.write_table(table, output)
        else:
            content = markdown(table, level, titles) if output.suffix == ".md" else latex(table, level)
            with whole(output) as aside:
                aside.write_text(content, encoding="utf-8")
