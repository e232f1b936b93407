"""Small pictures, tests, violations, headlines and models of pages, by hand: places, limits and counts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dpbandits.core.pictures import Line, Lines, Pair, Pairs
from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, PART, UNREFUTED, UNTESTED, VACUOUS, Verdict
from dpbandits.publish import headlines, spoken
from dpbandits.publish.html import claim_tests, pictures, svg, to_html
from dpbandits.publish.html.build import _cited, _command, _configuration_parts
from dpbandits.publish.html.svg import Axis, Bar
from dpbandits.publish.html.view_models import Item, Paper, read_papers
from dpbandits.publish.html.violations import Refuted, Violation, refuted_by

NONE = math.nan
PLACES = re.compile(r' (?:x|y|cx|cy|width|height|r|d)="([^"]*)"|>([^<>]+)</text>')


def places(markup: str) -> list[str]:
    """Return what is drawn, piece by piece: places, sizes, paths, and texts."""
    pieces = re.findall(r"<(?:rect|path|circle|text)[^<]*(?:</text>)?", markup)
    return [" ".join(own or text for own, text in PLACES.findall(piece)) for piece in pieces]


def test_scales() -> None:
    """Logarithmic from over 20 times on; six hundredths of room; what has no place is at an end."""
    even, far = Axis([0.0, 10.0], 0.0, 100.0), Axis([1.0, 21.0], 0.0, 100.0)
    assert [even(value) for value in (0.0, 5.0, 10.0, 11.0, -9.0)] == [5.4, 50.0, 94.6, 100.0, 0.0]
    assert (even.log, far.log, Axis([1.0, 20.0], 0.0, 1.0).log) == (False, True, False)
    assert not Axis([0.0, 21.0], 0.0, 1.0).log and not Axis([1.0, 21.0], 0.0, 1.0, linear=True).log
    assert [far(value) for value in (0.0, -1.0, 1.0, math.sqrt(21.0), 21.0)] == [0.0, 0.0, 5.4, 50.0, 94.6]
    assert [even(math.inf), even(-math.inf), far(math.inf)] == [100.0, 0.0, 100.0]
    assert [Axis([3.0, math.inf], 10.0, 70.0)(value) for value in (0.0, 3.0, 6.0)] == [10.0, 40.0, 70.0]
    assert [Axis([0.0], 100.0, 0.0)(value) for value in (-1.0, 0.0, 1.0)] == [100.0, 50.0, 0.0]
    assert Axis([math.nan], 0.0, 100.0)(1.0) == 94.6


# On an axis from -0.54 to 9.54.
BARS = (
    Bar(2.0, 1.0, 3.0, 1.5, math.inf, "good"),
    Bar(math.inf, 2.0, math.inf, NONE, 4.0, "bad"),
    Bar(NONE, NONE, NONE, 0.0, 9.0, "open"),
)


def test_strips() -> None:
    """What is allowed, the axis, limits, interval and estimate; one at infinity is an arrow."""
    one, far, none = svg.strips(BARS)
    assert places(one) == [
        *("60.7 1 239.3 20.0", "M0 11.0H300.0", "M60.7 0V22.0", "M45.8 11.0H105.4", "75.6 11.0 5"),
    ]
    assert places(far) == [
        *(
            "0.0 1 135.1 20.0",
            "M0 11.0H300.0",
            "M135.1 0V22.0",
            "M75.6 11.0H300.0",
            "M292.0 4L300.0 11.0L292.0 18.0",
        ),
    ]
    assert places(none) == ["16.1 1 267.8 20.0", "M0 11.0H300.0", "M16.1 0V22.0", "M283.9 0V22.0"]
    assert 'viewBox="0 0 300 22"' in one and 'aria-label="2, interval 1 to 3; asked: at least 1.5"' in one
    assert "asked: at least 0 and at most 9" in none and "asked: at most 4" in far
    (free,) = svg.strips([Bar(1.0, NONE, 2.0, -math.inf, math.inf, "part")])
    assert "asked: nothing" in free and len(places(free)) == 3


def test_the_axis_of_strips() -> None:
    """Limits first; what would touch another is left out, and texts at the ends are moved in."""
    ends = ["M0 0H300.0", "150.0 29.0 linear axis"]
    assert places(svg.strip_axis(BARS)) == [
        *("M60.7 0V5", "60.7 16.0 1.5", "M135.1 0V5", "135.1 16.0 4", "M283.9 0V5", "268.0 16.0 9"),
        *ends,
    ]
    assert places(svg.strip_axis([Bar(1.0, 1.0, 400.0, NONE, 20.0, "part")])) == [
        *("M150.0 0V5", "150.0 16.0 20", "M16.1 0V5", "32.0 16.0 1", "M283.9 0V5", "268.0 16.0 400"),
        *("M0 0H300.0", "150.0 29.0 logarithmic axis"),
    ]
    assert places(svg.strip_axis([BARS[2]._replace(at_least=-math.inf, at_most=math.inf)])) == ends


def test_lines() -> None:
    """Over an axis with its ends, named where they end, at least 13 apart."""
    one, two = Line("one", [(0.0, 0.0), (10.0, 10.0)], "red"), Line("two", [(0.0, 1.0), (10.0, 9.8)], "blue", "4 2")
    assert places(svg.picture(Lines("said", [two, one], ("x", "y")))) == [
        *("M46.0 12.0V140.0H228.0", "55.8 153.0 0", "218.3 153.0 10", "42.0 137.1 0", "42.0 22.9 10"),
        *("137.0 167.0 x", "6.0 9.0 y", "M55.8 133.1L218.3 18.9", "232.0 22.9 one"),
        *("M55.8 121.7L218.3 21.1", "232.0 35.9 two"),
    ]


def test_pairs() -> None:
    """A row for each from 0 on, the first number hollow."""
    rows = [Pair("a", 0.0, 10.0, "red"), Pair("b", 5.0, 2.5, "blue")]
    drawn = svg.picture(Pairs("said", rows, ("first", "second"), "things"))
    assert places(drawn) == [
        *("6.0 15.0 a", "310.0 15.0 first 0 · second 10", "M22.3 28.0H310.0", "M22.3 28.0H293.7"),
        *("293.7 28.0 6", "22.3 28.0 5", "6.0 57.0 b", "310.0 57.0 first 5 · second 2.5"),
        *("M22.3 70.0H310.0", "M158.0 70.0H90.1", "90.1 70.0 6", "158.0 70.0 5", "M22.3 18V100.0"),
        *("19.3 113.0 0", "38.3 113.0 ○ first, ● second things"),
    ]
    assert 'viewBox="0 0 320 118"' in drawn


def test_a_divided_bar() -> None:
    """Eighths of 320; a part of no more than 24 has no text."""
    shares = {"✓": (3, "good"), "≈": (4, "part"), "✗": (1, "bad"), "?": (0, "open")}
    drawn = svg.divided_bar("said", shares)
    assert places(drawn) == [
        *("0.0 8 118.0 30", "59.0 28.0 ✓ 3", "120.0 8 158.0 30", "199.0 28.0 ≈ 4"),
        *("280.0 8 38.0 30", "299.0 28.0 ✗ 1", "320.0 8 0.0 30"),
    ]
    assert re.findall(r'middle" fill="(.*?)"', drawn) == ["#fff", "#000", "#fff"]
    assert places(svg.divided_bar("said", {"✓": (37, "good"), "≈": (3, "part")}))[2:] == ["296.0 8 22.0 30"]
    assert places(svg.divided_bar("said", {})) == []


def test_multiples_of_a_claim() -> None:
    """The line at 1; twice the claim, or 1.3 times the largest, fit; an infinite one is an arrow."""
    assert places(svg.multiples("said", [("a", 1.5), ("b", math.inf)], "claimed")) == [
        *("M130 6.0H239.5V24.0H130Z", "0.0 19.0 a", "234.5 19.0 1.5"),
        *("M130 34.0H296.0L306.0 43.0L296.0 52.0H130Z", "0.0 47.0 b", "291.0 47.0 ∞"),
        *("M203.0 0V62.0", "203.0 76.0 claimed"),
    ]
    drawn = svg.multiples("said", [("a", 10.0)], "claimed")
    assert places(drawn) == [
        *("M130 6.0H242.3V24.0H130Z", "0.0 19.0 a", "237.3 19.0 10", "M141.2 0V34.0", "141.2 48.0 claimed"),
    ]
    assert 'viewBox="0 0 320 54"' in drawn


def paper(name: str = "p", **more: Any) -> Paper:
    """Return a paper."""
    return Paper(
        **{
            "name": name,
            "title": "t",
            "authors": "A",
            "year": "1",
            "claims": [],
            "discrepancies": [],
            "figures": [],
        }
        | more
    )


def claim(verdict: str, reading: str = "paper", **more: str) -> dict[str, str]:
    """Return a row of the ledger."""
    return {
        "verdict": verdict,
        "reading": reading,
        "paper": "p",
        "id": "c",
        "statement": "s",
        "quantity": "",
    } | more


def test_pictures_of_headlines() -> None:
    """Counts by verdict; of each algorithm its largest loss; a figure's rows, if they are there."""
    shown = pictures.verdicts([paper(claims=[claim(HOLDS), claim(FAILS), claim(HOLDS), claim(OPEN, "ours")])], [])
    assert "Sentences of the papers: 2 holds, 1 does not hold" in shown
    assert [piece[-3:] for piece in places(shown)[1::2]] == ["✓ 2", "✗ 1"]
    losses = [("One elimination, printed of x", 2.0), ("One elimination", 3.0), ("Two (Exponential)", 8.0)]
    made: Any = [SimpleNamespace(algorithm_title=title, times_the_claim=value) for title, value in losses[::-1]]
    told = pictures.privacy([], [*made[:2], *made[:1]])
    assert "Two (Exponential): 8 times the claimed loss; One elimination: 3 times the claimed loss" in told
    assert places(told)[1::3][:2] == ["0.0 19.0 Two (Exp.)", "0.0 47.0 One elim."]
    assert pictures.privacy([], []) == ""


def test_a_headline_without_numbers_has_no_picture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its figure is one of its paper's, by name, with a CSV file that exists."""
    file = tmp_path / "f.csv"
    file.write_text("a\n1\n", encoding="utf-8")
    rows = Pairs("said", [Pair("a", 0.0, 1.0, "red")], ("", ""), "")
    declared = SimpleNamespace(figure="f", draw=lambda read: rows if read == [{"a": "1"}] else None)
    monkeypatch.setattr(pictures.registry, "load", lambda *_: declared)

    def drawn(of: str, name: str, files: Mapping[str, Path], figure: str = "q") -> bool:
        point = headlines.ShownHeadline("n", "", "", [], "p", figure)
        figures = [Item(of, name, "", "figure", "full", "", "", files)]
        return bool(pictures.picture(point, [paper(of, figures=figures)], []))

    assert drawn("p", "f", {"csv": file})
    assert not drawn("p", "f", {"csv": file}, figure="")
    assert not drawn("other", "f", {"csv": file})
    assert not drawn("p", "other", {"csv": file})
    assert not drawn("p", "f", {"png": file})
    assert not drawn("p", "f", {"csv": tmp_path / "none.csv"})


def test_shortened_statements() -> None:
    """At most so many letters; the first word that differs is shown, with three before it."""
    assert to_html.shorten_apart(["one two three", "one two three"], 7) == ["one two…", "one two…"]
    assert to_html.shorten_apart(["one two three"], 6) == ["one…"]
    assert to_html.shorten_apart(["a b c d e x", "a b c d e y"], 11) == ["a b c d e x", "a b c d e y"]
    assert to_html.shorten_apart(["a b c d e x", "a b c d e y"], 10) == ["… c d e x", "… c d e y"]
    assert to_html.shorten_apart(["a b, c", "a b; d"], 3) == ["a b…", "a b…"]
    assert to_html.shorten_apart(["one two three", "one two three", "four"], 3) == ["one…", "one…", "four"]
    assert to_html.shorten_apart(["", "a"], 3) == ["", "a"]
    assert to_html.shorten_apart(["a b c d e", "a b c d e f"], 5) == ["… b c d e", "… c d e f"]


def test_formulas_and_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A formula that is long, or deep, is code; powers and indices; figures and tables have addresses."""
    assert (to_html.DEEPEST, to_html.LONGEST) == (60, 5000)
    monkeypatch.setattr(to_html, "LONGEST", 40)
    assert to_html.formula("x" * 40).startswith("<math") and to_html.formula("x" * 41).startswith("<code>$x")
    assert to_html.formula("{x}" * 4).startswith("<math") and to_html.formula("{x}" * 5).startswith("<code>")
    monkeypatch.setattr(to_html, "DEEPEST", 1)
    assert to_html.formula("z").startswith("<code>")
    monkeypatch.setattr(to_html, "DEEPEST", 2)
    assert to_html.formula("w").startswith("<math")
    assert str(to_html.prose("a_(b) and x_i^(-1/4), 2^r; `a_b^c` of register: p.one.")) == (
        "a<sub>b</sub> and x<sub>i</sub><sup>-1/4</sup>, 2<sup>r</sup>; <code>a_b^c</code> of "
        '<a href="discrepancies.html#p.one">the register, p.one</a>.'
    )
    assert to_html.anchor("a b", "c/d.e") == "a-b-c-d.e" and to_html.claim_page("p", "c 1") == "claim-p-c-1"
    assert to_html.evidence_address("a/b") == "a/b.html"


ROW = {
    "test": "0",
    "part": "x",
    "estimate": "1.2",
    "low": "1.1",
    "high": "1.3",
    "at_least": "1.0",
    "at_most": "inf",
}
ROW |= {"runs": "20", "verdict": "holds"}


def test_tests_of_a_claim() -> None:
    """What is unexpected first; three limits at most in words; of one part, no example."""
    rows = [{**ROW, "part": f"n{i}", "at_least": f"{i}"} for i in range(1, 5)]
    rows += [{**ROW, "part": "bad", "verdict": "does not hold"}, {**ROW, "part": "no", "test": "1"}]
    one, two = claim_tests.shown_tests(rows, {}, ["ratio", "other"])
    assert [part.name for part in one.parts] == ["bad", "n1", "n2", "n3", "n4"]
    assert one.limits == "at least 1 or at least 2 or at least 3; …" and two.limits == "at least 1"
    (three,) = claim_tests.shown_tests(rows[:3], {}, ["ratio"])
    assert three.limits == "at least 1 or at least 2 or at least 3"
    assert one.parts[0].effect == "1.20 [1.10, 1.30]" and one.parts[0].runs == "20"
    near = {**ROW, "if_down": "not decided"}
    (alone,) = claim_tests.shown_tests([near], {}, ["ratio"])
    assert alone.near_threshold == "Then the only part might be “not decided”."
    (pair,) = claim_tests.shown_tests(
        [{**near, "if_down": "", "if_up": "does not hold", "runs": ""}, {**near, "part": "y"}], {}, ["ratio"]
    )
    assert pair.near_threshold == "Then 2 of 2 parts might be “does not hold” or “not decided”, such as x."


@pytest.mark.parametrize(
    ("about", "reason"),
    [
        ({"side": "below", "cap": "open"}, "fewer runs"),
        ({"cap": "open"}, "too short a range"),
        ({"p_corrected": "", "side": "fails", "some": "True"}, "one that fails leaves others"),
        ({"p_corrected": "", "side": "fails", "some": "True", "complete": "True"}, ""),
        ({"p_corrected": "", "side": "holds", "some": "True"}, ""),
        ({"p_corrected": "", "side": "fails"}, ""),
        ({"side": "open"}, "the claim is about a limit"),
        ({"low": "1.01"}, "Holm"),
        ({"low": "1.0"}, "inside the interval"),
        ({"low": "0.5", "high": "0.99"}, "Holm"),
        ({"low": "0.5", "high": "1.0"}, "inside the interval"),
    ],
)
def test_reasons_why_a_part_is_open(about: Mapping[str, str], reason: str) -> None:
    """Of what it lacks; an interval that ends at the limit does not exclude it."""
    told = claim_tests._reason({**ROW, "p_corrected": "0.5", **about})
    assert (reason in told) if reason else not told
    rows = [{**ROW, "p_corrected": "0.5", **about, "verdict": "not decided"}]
    assert claim_tests._reasons_open(rows) == ([f"1 part is not decided: {told}"] if told else [])


def violation(**more: str) -> Violation:
    """Return a violation with two inputs."""
    row = {"algorithm": "b", "base": "", "epsilon": "0.50", "audited": "1.5", "title": "B of c of d"} | more
    sampled = {"one": {"x": [1, 2.0, None], "y": [1], "z": 3}, "other": {"x": [1, 3.5, 0], "y": [2], "z": 4}}
    exact = {"one": {}, "other": {}, "probabilities": ["0.5", 0.25]}
    audit: Any = {"exact": exact, "sampled": {**sampled, "horizon": 3}}
    return Violation(row, audit)


def test_violations() -> None:
    """Multiples of the claim, commands, and entries that differ, counted from 1."""
    found, of = violation(), violation(base="k", epsilon="2")
    assert (found.page, of.page, found.algorithm_title) == ("violation-b-0.50", "violation-b-k-2", "B")
    assert found.times_the_claim == 3.0 and found.probabilities == (0.5, 0.25)
    assert found.command == "dpbandits audit b --epsilon 0.5"
    assert of.command == "dpbandits audit b --epsilon 2 --param base=k"
    assert found.differing_entries == [("x, round 2", "2", "3.5"), ("x, round 3", "–", "0")]
    assert Refuted(None, [found, of]).algorithm_titles == ["B"]
    claims = [{"paper": "q", "id": "1"}, {"paper": "p", "id": "2"}]
    assert refuted_by(found, claims, {"p": {"2": ["b"]}}) == claims[1]
    assert refuted_by(found, claims, {"q": {"1": ["a"]}, "p": {"2": ["a"]}}) is None


def test_counts_of_claims_in_words() -> None:
    """One holds, two hold; what is left over; a question alone, or two."""
    told = headlines.verdict_counts
    end = " Each has a test that says what would make it fail."
    rows = [claim(HOLDS), claim(HOLDS), claim(FAILS), claim(PART), claim(UNREFUTED)]
    rest = "2 hold, 1 holds in part and 1 does not hold. Against the remaining one we found nothing."
    assert told(rows) == f"Of 5 sentences of the papers, {rest}{end}"
    assert told(rows, follows_heading=True) == f"{rest}{end}"
    more = [claim(each) for each in (UNTESTED, OPEN, VACUOUS, UNREFUTED)]
    assert told([*rows, *more]) == (
        "Of 9 sentences of the papers, 2 hold, 1 holds in part and 1 does not hold. Against 2 more we found "
        "nothing. Linear regret would keep 1 too, which we call untested. What we measured cannot decide 1. "
        f"Of 1 no data of this kind could show it.{end}"
    )
    supported = [claim(HOLDS, support="proved"), claim(FAILS, support="computed", boundary="x"), claim(FAILS)]
    assert told([{**each, "reading": "ours"} for each in supported], follows_heading=True) == (
        "Of 3 statements of ours, 1 holds (1 proved), 0 hold in part and 2 do not hold (1 computed; 1 of these "
        f"only in a boundary case).{end}"
    )
    assert told([claim(HOLDS, "asked")]) == (
        f"One more claim is a question that a paper asks; the answer is yes.{end}"
    )
    assert told([claim(HOLDS, "asked"), claim(FAILS, "asked")]) == (
        f"Two more claims are questions that papers ask; the answers are yes, no.{end}"
    )


def test_headings_of_all_papers() -> None:
    """None, one or two do not hold; one of the papers, or ten, or 11."""
    heads = [headlines._verdicts([claim(HOLDS)] + [claim(FAILS)] * count).heading for count in range(3)]
    assert heads == [
        "Of 1 sentences of the papers, none does not hold",
        "Of 2 sentences of the papers, 1 does not hold",
        "Of 3 sentences of the papers, 2 do not hold",
    ]
    assert [headlines.in_words(count) for count in (0, 1, 10, 11)] == ["none", "one", "ten", "11"]


def test_what_was_measured() -> None:
    """Numbers in words, and parts added up; where it was, without what is empty."""
    row = {"estimate": "2", "low": "1", "high": "3", "effect": "mu1", "environment": "mu1", "parts_hold": "4"}
    row |= {"parts_fail": "2", "parts_open": "1", "parts_untested": "8", "parts_unrefuted": "16", "epsilon": "0.1"}
    assert spoken.measured(row, {"mu1": "µ₁"}) == {
        **{"estimate": "2", "interval": "2.00 [1.00, 3.00]", "low": "1", "where": "µ₁, ε = 0.1", "effect": "µ₁"},
        **{"hold": "4", "fail": "2", "parts": "31"},
    }
    assert spoken.measured({"effect": ""}, {})["parts"] == "0"
    assert [spoken.short_citation(names, "1") for names in ("A", "A & B", "A, B & C")] == [
        *("A (1)", "A & B (1)", "A et al. (1)")
    ]
    assert spoken.vocabulary({"mu1": "µ₁", "sphere": "ball", "k10": "k10", "thm9": "x", "thm9-a": "y"}) == {
        "mu1": "µ₁",
        "thm9-a": "y",
    }
    assert spoken.with_words("10^6 and x^2, thm4.3 - lemma2 (register: a) in docs/a.md", {}) == (
        "10⁶ and x², Theorem 4.3 − Lemma 2 (see the register) in `docs/a.md`"
    )


def test_papers_of_a_site() -> None:
    """Each has its own claims, in the order that it tells them; items have those that they show."""
    about = {"title": "t", "caption": "c", "scale": "s", "is_interactive": True, "files": {"png": "a/x.png"}}
    items = [
        {**about, "name": name, "kind": kind, "version": version}
        for name, kind, version in (("x", "figure", "full"), ("x", "table", "full"), ("x", "figure", "published"))
    ]
    content = {"title": "t", "authors": "A & B", "year": "2", "discrepancies": [], "items": items, "words": {}}
    content |= {"vocabulary": {}, "findings": "r/f.csv", "story": ["2", "1"]}
    rows = [claim(HOLDS, id="1", shown="p/figure/x"), claim(FAILS, id="2", shown="p/table/x")]
    rows += [claim(PART, "ours", id="3", shown="p"), claim(HOLDS, paper="q", shown="p/figure/x")]
    contents: Any = {"p": content}
    (found,) = read_papers(contents, rows)
    assert [each["id"] for each in found.claims] == ["1", "2", "3"]
    assert [each["id"] for each in found.story] == ["2", "1"] == [each["id"] for each in found.sentences]
    assert [each["id"] for each in found.sorted_claims] == ["2", "1", "3"]
    assert [each["id"] for each in found.unexpected_sentences] == ["2"]
    assert [len(found.figures), len(found.published), len(found.tables)] == [1, 1, 1]
    (figure,), (table,) = found.figures, found.tables
    assert [each["id"] for each in figure.claims] == ["1"] and [each["id"] for each in table.claims] == ["2"]
    assert (figure.place, table.place, figure.target) == ("p/x", "p/tables/x", "a/x.png")
    assert found.measurements_file("1") == "r/claims/1.json" and found.main_figure == figure
    assert paper().main_figure is None


def test_parts_of_a_configuration_and_commands() -> None:
    """What is on all papers, and each paper; targets come before the file of configuration."""
    assert _configuration_parts({"seed": 1, "papers": {"p": {"a": 2}}}) == {
        "All papers": {"seed": 1},
        "papers.p": {"a": 2},
    }
    assert _command("a b", "x", "y") == "snakemake --cores 2 x y --configfile a b"
    assert _command("") == "snakemake --cores 2"
    assert (
        _cited({"asi2025": "Asi"}, "asi2025, asi2025-x, a/asi2025, `asi2025")
        == "Asi, asi2025-x, a/asi2025, `asi2025"
    )


def test_verdicts_have_signs() -> None:
    """Each once, in what comes first too."""
    from dpbandits.publish.html.view_models import CLAIM_SIGNS, UNEXPECTED_FIRST

    assert sorted(UNEXPECTED_FIRST) == sorted(Verdict) == sorted(sign.verdict for sign in CLAIM_SIGNS)
