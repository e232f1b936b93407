"""Ledger of claims: findings of parts are combined into tests, tests into claims, and claims into a ledger."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from dpbandits.claims import sentences
from dpbandits.claims.declarations import claim_test
from dpbandits.claims.false_privacy import summary
from dpbandits.claims.kinds._tables import smallest
from dpbandits.core import tables
from dpbandits.core.escapes import markdown as plain
from dpbandits.core.files import whole
from dpbandits.core.numbers import bracket, number
from dpbandits.core.tables import Row, read_tables
from dpbandits.core.verdicts import (
    FAILS,
    HOLDS,
    OPEN,
    PART,
    UNREFUTED,
    VACUOUS,
    Verdict,
    of_every,
    of_sentences,
    of_some,
)

if TYPE_CHECKING:
    from dpbandits.claims.claim import Claims, Test

VERDICTS = (
    "*Not contradicted*: a search, an audit, a grid, or a test that would not have seen a small deviation, found "
    "nothing against it. *Not decided*: more runs, or a larger scale, can decide it. *Vacuous*: no data of this "
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
# What a planted effect of a unit is, in words.
PLANTED = {
    "factor": "a factor of {}",
    "logarithm": "a factor of {}",
    "exponent": "{} in an exponent",
    "difference": "{} in the difference",
}
# Whose a sentence is, as it stands behind it.
READINGS = {"paper": "", "ours": " *(our reading)*", "asked": " *(asked by the paper)*"}
# From this slack on a bound is not approached.
APPROACHED = 10.0


def read_findings(paths: Sequence[Path]) -> pd.DataFrame:
    """Return the parts of all papers' claims from their files."""
    found = [read_tables([path]) for path in paths]
    return pd.concat([table for table in found if len(table)] or found, ignore_index=True)


class Judged(NamedTuple):
    """A claim's verdict.

    Attributes
    ----------
    verdict
        One of `dpbandits.core.verdicts`.
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
        found = []
        for place, test in enumerate(tests):
            of_parts = list(column[parts["test"] == place])
            found.append(of_some(of_parts) if test.some else of_every(of_parts))
        # Beside a proof what does not refute takes nothing away.
        proved = any(test.test == "argument" and each == HOLDS for test, each in zip(tests, found, strict=True))
        return of_sentences([each for each in found if each in (HOLDS, FAILS)] if proved else found)

    now = verdict(parts["verdict"])
    return Judged(now, any(verdict(parts[moved]) != now for moved in ("if_down", "if_up")))


def margin(parts: pd.DataFrame) -> pd.Series[float]:
    """Return how far each part is inside its limits, relative to limit or estimate; negative outside."""

    def inside(low: str, high: str) -> pd.Series[float]:
        scale = parts[[low, high]].abs().max(axis=1).replace(0.0, 1.0)
        return ((parts[high] - parts[low]) / scale).fillna(math.inf)

    return pd.concat([inside("at_least", "estimate"), inside("estimate", "at_most")], axis=1).min(axis=1)


def most_informative_part(tests: Sequence[Test], parts: pd.DataFrame, verdict: str) -> pd.Series[Any]:
    """Return the part that tells most about a verdict: the narrowest that holds, or the clearest that does not."""
    wanted = parts[parts["verdict"] == (FAILS if verdict == PART else verdict)]
    wanted = wanted if len(wanted) else parts
    # Of what some part shows the clearest tells most, of what every part has to show the narrowest.
    some = wanted["test"].map(lambda number: tests[number].some)
    return smallest(wanted, margin(wanted).mask(some, -margin(wanted)))


def caught(tests: Sequence[Test], parts: pd.DataFrame) -> str:
    """Return the smallest planted effect that would have taken *holds* away from a part of each test, in words.

    Of what is claimed of every part, the most sensitive one loses it first; of what some part shows, the last.
    """
    found = []
    for place, test in enumerate(tests):
        passed = parts["verdict"].isin([HOLDS, UNREFUTED]) & parts["power"].notna()
        own = parts[passed & (parts["test"] == place)]
        if own.empty:
            continue
        effect = own["power"].max() if test.some else own["power"].min()
        told = PLANTED[own["unit"].iloc[0]].format(f"{effect:.3g}")
        found.append(told if math.isfinite(effect) else "nothing that was planted")
    return "; ".join(dict.fromkeys(found))


def slack(parts: pd.DataFrame) -> float:
    """Return by what factor the part that comes nearest to a bound, or a constant, stays inside it."""
    about = parts[(parts["about"] == "constant") & (parts["estimate"] > 0.0)]
    below = (about["at_most"] / about["estimate"])[about["at_most"] > 0.0]
    above = (about["estimate"] / about["at_least"])[about["at_least"] > 0.0]
    inside = pd.concat([below, above])
    return float(inside[inside < math.inf].min())


def rows(parts: pd.DataFrame) -> str:
    """Return how many of the rows that were run the tests read, in words, where some are left out."""
    left = parts[parts["rows_read"] < parts["rows_run"]].drop_duplicates("test")
    return "; ".join(f"{row.rows_read:,.0f} of {row.rows_run:,.0f}" for row in left.itertuples())


def effect(tests: Sequence[Test], parts: pd.DataFrame, verdict: str) -> tuple[str, pd.Series[Any] | None]:
    """Return what was measured in the most informative part, in words, and that part; or why a test has none."""
    shown = parts[parts["verdict"] != VACUOUS]
    # Of a claim that is proved the number that comes nearest to a limit tells more than the proof's name.
    measured = shown[(shown["runs"] != "proved") & shown["verdict"].isin([HOLDS, UNREFUTED])]
    if len(measured) and ((shown["runs"] == "proved") & (shown["verdict"] == HOLDS)).any() and verdict == HOLDS:
        shown = measured
    without = [test for number, test in enumerate(tests) if not (shown["test"] == number).any()]
    if (parts["side"] == "below").any():
        return f"{tests[0].effect}: what was run is below the scale at which it can be decided", None
    if shown.empty or (without and verdict in (OPEN, VACUOUS) and not (shown["verdict"] == OPEN).any()):
        reason = without[0].otherwise or claim_test(without[0].test).nothing
        return f"{without[0].effect}: {reason}", None
    part = most_informative_part(tests, shown, verdict)
    if math.isnan(part["estimate"]):
        return f"{tests[int(part['test'])].effect} ({part['part']})", part
    told = bracket(part["estimate"], part["low"], part["high"])
    where = f" ({part['part']})" if part["part"] else ""
    return f"{tests[int(part['test'])].effect}: {told}{where}", part


def ledger(claims: Claims, parts: pd.DataFrame, sources: Mapping[tuple[str, str], Sequence[str]]) -> pd.DataFrame:
    """Return the ledger: a row for each claim, with its verdict.

    Parameters
    ----------
    claims
        Of each paper.
    parts
        Of all claims, `corrected`.
    sources
        What the tests of each claim of each paper read.
    """
    lines = []
    for paper, stated in claims.items():
        for name, claim in stated.claims.items():
            own = parts[(parts["paper"] == paper) & (parts["claim"] == name)]
            wrong = sentences.disagreements(claim.tests, own)
            if wrong:
                raise ValueError(f"{paper}, {name}: a sentence is not of the limits compared: {'; '.join(wrong)}")
            judged = judge(claim.tests, own)
            told, part = effect(claim.tests, own, judged.verdict)
            nothing = dict.fromkeys(("estimate", "low", "high", "at_least", "at_most", "p_corrected"), math.nan)
            numbers = nothing if part is None else part
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
                    "effect": told,
                    "estimate": numbers["estimate"],
                    "low": numbers["low"],
                    "high": numbers["high"],
                    "at_least": numbers["at_least"],
                    "at_most": numbers["at_most"],
                    "p": numbers["p_corrected"],
                    "parts_hold": int(counts.get(HOLDS, 0)),
                    "parts_fail": int(counts.get(FAILS, 0)),
                    "parts_unrefuted": int(counts.get(UNREFUTED, 0)),
                    "parts_open": int(counts.get(OPEN, 0) + counts.get(VACUOUS, 0)),
                    "caught": caught(claim.tests, own),
                    "slack": slack(own),
                    "rows": rows(own),
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


def shares(table: pd.DataFrame) -> list[str]:
    """Return what the paper's number of runs shows, in words, for each claim."""
    return [
        f" {shows}; {share:.0%} of sets of so many runs show it." if shows else ""
        for shows, share in zip(table["published"], table["published_share"], strict=True)
    ]


def text(table: pd.DataFrame, escape: Callable[[str], str] = str) -> pd.DataFrame:
    """Return the ledger for readers: four columns, all text, the last one where the claim is told."""
    runs = table["runs"].astype(str).map(lambda runs: "" if runs in ("", "exact", "proved") else f", {runs} runs")
    return pd.DataFrame(
        {
            "verdict": table["verdict"] + table["near_threshold"].map({"yes": " (near threshold)", "no": ""}),
            "claim": table["statement"].map(escape) + table["reading"].map(READINGS),
            "effect": table["effect"].map(_short).map(escape) + runs,
            "more": [f"[{name}](#{paper}-{name})" for paper, name in zip(table["paper"], table["id"], strict=True)],
        }
    )


def _short(effect: str) -> str:
    """Return an effect without the cell that it was measured in, which the claim's own section has."""
    head, bracket, tail = effect.rpartition(" (")
    return head if bracket and tail.endswith(")") and any(letter.isdigit() for letter in head) else effect


def records(table: pd.DataFrame) -> list[Row]:
    """Return the rows of a table, by names of columns."""
    return [{str(key): value for key, value in line.items()} for line in table.to_dict("records")]


def section(line: Row) -> str:
    """Return the section of one claim: its test, its parts, its power, and what else a reader should know."""
    published = line["published"]
    line = {key: plain(value) if isinstance(value, str) else value for key, value in line.items()}
    parts = sum(line[f"parts_{kind}"] for kind in ("hold", "fail", "unrefuted", "open"))
    pieces = [
        f'### <a id="{line["paper"]}-{line["id"]}"></a>{line["id"]}: {line["verdict"]}',
        f"{line['statement']} ({line['place']})",
        *([f"*Found.* {line['says']}"] if line["says"] else []),
        f"*Effect.* {line['effect']}.{published}",
        f"*Test.* {line['test']}.",
        f"*Parts.* {line['parts_hold']} of {parts} hold, {line['parts_fail']} do not, "
        f"{line['parts_unrefuted']} are not contradicted; runs: {line['runs'] or 'none'}; "
        f"see {line['shown']}.",
        f"*What would fail it.* {line['power']}",
    ]
    if line["caught"]:
        pieces += [f"*Power.* Planted, the smallest effect that takes *holds* away: {line['caught']}."]
    if math.isfinite(line["slack"]):
        near = "a run approaches the bound" if line["slack"] <= APPROACHED else "no run approaches the bound"
        pieces += [f"*Slack.* A factor of {number(line['slack'])}: {near}."]
    pieces += [f"*Rows.* Read: {line['rows']} of those that were run; the test says which."] if line["rows"] else []
    pieces += [f"*Scale.* To be decided it needs {line['scale']}."] if line["scale"] else []
    if line["more_runs"]:
        pieces += [f"*What would decide it.* {line['more_runs']} times as many runs, were effects what they seem."]
    pieces += [f"*Remark.* {line['remark'].strip()}"] if line["remark"] else []
    pieces += [f"*Revised after results had been seen.* {line['revised'].strip()}"] if line["revised"] else []
    return "\n\n".join(pieces)


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many claims have each verdict, by whose the sentences are."""
    order = list(Verdict)
    counts = pd.crosstab(table["verdict"], table["reading"])
    counts = counts.reindex(index=order, columns=list(READINGS), fill_value=0)
    counts.columns = pd.Index(["sentences of the papers", "readings of ours", "asked by the papers"])
    return counts.astype(str).reset_index()


def markdown(table: pd.DataFrame, level: float, titles: Mapping[str, str]) -> str:
    """Return the ledger as Markdown: counts, a table for each paper, then a section for each claim."""
    caption = (
        "Effects with 95 % intervals; verdicts at a level that keeps the chance of any false one in a paper below "
        f"{level:.0%} (Holm)."
    )
    table = table.assign(published=shares(table))
    pieces = ["# Claims", caption, tables.markdown(counted(table), VERDICTS).strip()]
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
    """Return the ledger as LaTeX for the packages booktabs and longtable."""
    caption = f"Claims and verdicts; the chance of any false one in a paper is below {level:.0%}."
    shown = text(table)[["claim", "verdict", "effect"]].replace(r" \*\(([a-z ]+)\)\*$", r" (\1)", regex=True)
    shown.insert(0, "id", table["id"])
    shown.insert(0, "paper", table["paper"])
    return tables.latex(shown, caption, columns="llp{5cm}lp{5cm}", environment="longtable")


def write(table: pd.DataFrame, level: float, titles: Mapping[str, str], outputs: Sequence[Path]) -> None:
    """Write a `ledger`; the suffix of each of ``outputs`` says the format: ``.csv``, ``.md`` or ``.tex``."""
    for output in outputs:
        if output.suffix == ".csv":
            tables.write_table(table, output)
        else:
            content = markdown(table, level, titles) if output.suffix == ".md" else latex(table, level)
            with whole(output) as aside:
                aside.write_text(content, encoding="utf-8")
