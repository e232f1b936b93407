"""From the findings of claims to verdicts: parts are put together to tests, tests to claims, claims to a ledger."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from dpbandits.claims.declarations import claim_test
from dpbandits.claims.false_privacy import summary
from dpbandits.claims.kinds._tables import smallest
from dpbandits.core import tables
from dpbandits.core.files import whole
from dpbandits.core.numbers import bracket, number
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, PART, UNREFUTED, UNSUPPORTED, VACUOUS

if TYPE_CHECKING:
    from dpbandits.claims.claim import Claims, Test

# What is left if nothing fails and not all holds, the strongest first.
LEFT = (OPEN, UNSUPPORTED, UNREFUTED, VACUOUS)
VERDICTS = (
    "*Vacuous*: nothing that was measured can show it, for uniform play would have the same verdict. *Only "
    "refutable*: a search for counterexamples found none. *Only supportable*: a statement about a limit, which "
    "finite runs did not support and cannot refute. *Not decided*: open."
)
# Control play, in words.
CONTROLS = {
    "uniform": "Uniform play, put in the place of the algorithm, does not pass it.",
    "perfect": "An algorithm without any regret, put in the place of the algorithm, does not pass it.",
    "none": "",
}
# What is said of a test that decides one way alone.
LIMITED = {
    "both": [],
    "holds": ["can support the claim and not refute it"],
    "fails": ["can refute the claim and not prove it"],
}


def read_findings(paths: Sequence[Path]) -> pd.DataFrame:
    """Return the parts of all papers' claims from their files."""
    tables = [pd.read_csv(path) for path in paths]
    return pd.concat([table for table in tables if len(table)] or tables, ignore_index=True)


def over_parts(verdicts: Sequence[str], some: bool) -> str:
    """Return the verdict of a test from those of its parts, of which every one, or some, is claimed to hold."""
    known = set(verdicts)
    if some:
        return HOLDS if HOLDS in known else FAILS if known == {FAILS} else weakest_verdict(known)
    if FAILS in known:
        return PART if HOLDS in known else FAILS
    return HOLDS if known == {HOLDS} else weakest_verdict(known)


def weakest_verdict(known: set[str]) -> str:
    return next((verdict for verdict in LEFT if verdict in known), OPEN)


def over_tests(verdicts: Sequence[str]) -> str:
    """Return the verdict of a claim from those of its tests, of which all are claimed."""
    known = set(verdicts)
    if known & {FAILS, PART}:
        return PART if known & {HOLDS, PART} else FAILS
    return HOLDS if known == {HOLDS} else weakest_verdict(known)


class Judged(NamedTuple):
    """A claim's verdict.

    Attributes
    ----------
    verdict
        One of `HOLDS`, `PART`, `FAILS`, or of `LEFT`.
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


def effect(tests: Sequence[Test], parts: pd.DataFrame, verdict: str) -> tuple[str, pd.Series[Any] | None]:
    """Return what was measured in the most informative part, in words, and that part; or why a test has none."""
    shown = parts[parts["verdict"] != VACUOUS]
    without = [test for number, test in enumerate(tests) if not (shown["test"] == number).any()]
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
                    "test": "; ".join(dict.fromkeys(_words(test) for test in claim.tests)),
                    "power": "; ".join(dict.fromkeys(_power(test) for test in claim.tests)),
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
                    "parts_open": int(sum(counts.get(verdict, 0) for verdict in LEFT)),
                    "more_runs": number(more) if judged.verdict == OPEN and more > 0.0 else "",
                    "runs": "; ".join(dict.fromkeys(own["runs"].dropna().astype(str))),
                    "sources": "; ".join(sources[paper, name]),
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
    pieces = [str(kind.words(kind.resolve(test.options)))]
    pieces += ["claimed of some part"] if test.some else []
    pieces += LIMITED[test.decides]
    return "; ".join(pieces)


def _power(test: Test) -> str:
    """Return what would fail a test, and which control does not pass it."""
    kind = claim_test(test.test)
    said = test.power or str(kind.power(kind.resolve(test.options)))
    control = CONTROLS[test.control] if kind.reads in ("aggregates", "runs") else ""
    return f"{said}. {control}".strip().replace("..", ".")


def shares(table: pd.DataFrame) -> list[str]:
    """Return what the paper's number of runs shows, in words, for each claim."""
    return [
        f" {shows}; {share:.0%} of sets of so many runs show it." if shows else ""
        for shows, share in zip(table["published"], table["published_share"], strict=True)
    ]


def text(table: pd.DataFrame) -> pd.DataFrame:
    """Return the ledger for readers: four columns, all text, the last one where the claim is told."""
    runs = table["runs"].astype(str).map(lambda runs: "" if runs in ("", "exact", "proved") else f", {runs} runs")
    return pd.DataFrame(
        {
            "verdict": table["verdict"] + table["near_threshold"].map({"yes": " (near threshold)", "no": ""}),
            "claim": table["statement"] + table["reading"].map({"paper": "", "ours": " *(our reading)*"}),
            "effect": table["effect"].map(_short) + runs,
            "more": [f"[{name}](#{paper}-{name})" for paper, name in zip(table["paper"], table["id"], strict=True)],
        }
    )


def _short(effect: str) -> str:
    """Return an effect without the cell that it was measured in, which the claim's own section has."""
    head, bracket, tail = effect.rpartition(" (")
    return head if bracket and tail.endswith(")") and any(letter.isdigit() for letter in head) else effect


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, by names of columns."""
    return [{str(key): value for key, value in line.items()} for line in table.to_dict("records")]


def section(line: Mapping[str, Any]) -> str:
    """Return the section of one claim: its test, its parts, its power, and what else a reader should know."""
    parts = line["parts_hold"] + line["parts_fail"] + line["parts_open"]
    pieces = [
        f'### <a id="{line["paper"]}-{line["id"]}"></a>{line["id"]}: {line["verdict"]}',
        f"{line['statement']} ({line['place']})",
        f"*Effect.* {line['effect']}.{line['published']}",
        f"*Test.* {line['test']}.",
        f"*Parts.* {line['parts_hold']} of {parts} hold, {line['parts_fail']} do not; "
        f"runs: {line['runs'] or 'none'}; shown by {line['shown']}.",
        f"*What would fail it.* {line['power']}",
    ]
    if line["more_runs"]:
        pieces += [f"*What would decide it.* {line['more_runs']} times as many runs, were effects what they seem."]
    pieces += [f"*Remark.* {line['remark'].strip()}"] if line["remark"] else []
    pieces += [f"*Revised after results had been seen.* {line['revised'].strip()}"] if line["revised"] else []
    return "\n\n".join(pieces)


def counted(table: pd.DataFrame) -> pd.DataFrame:
    """Return how many claims have each verdict: sentences of the papers, and readings of ours."""
    order = [HOLDS, PART, FAILS, *LEFT]
    counts = pd.crosstab(table["verdict"], table["reading"])
    counts = counts.reindex(index=order, columns=["paper", "ours"], fill_value=0)
    counts.columns = pd.Index(["sentences of the papers", "readings of ours"])
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
            pieces += [f"## {paper}: {title}", tables.markdown(text(own), "").strip()]
    for paper in titles:
        own = table[table["paper"] == paper]
        if len(own):
            pieces += [f"## Claims of {paper}, one by one"]
            pieces += [section(line) for line in records(own)]
    return "\n\n".join(pieces) + "\n"


def latex(table: pd.DataFrame, level: float) -> str:
    """Return the ledger as LaTeX for the packages booktabs and longtable."""
    caption = f"Claims and verdicts; the chance of any false one in a paper is below {level:.0%}."
    shown = text(table)[["claim", "verdict", "effect"]].replace(
        r" \*\(our reading\)\*", " (our reading)", regex=True
    )
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
