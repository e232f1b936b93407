"""The article says what results say: no number is typed, and other results make another article, or none."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import shipped

from dpbandits.core.errors import BadInput, MissingExtra
from dpbandits.papers.azize2025.article import ratios_by_budget
from dpbandits.products import Products
from dpbandits.publish.article import build
from dpbandits.publish.article.build import CHAPTERS, TEMPLATES, article_source, references, render, typeset
from dpbandits.publish.article.claim_support import data_of_claims
from dpbandits.publish.article.context import VERDICTS_BY_NAME, Claim, Claims, Facts, facts_of_papers
from dpbandits.publish.compose import article_content
from dpbandits.publish.html.view_models import CLAIM_SIGNS, NO_CLAIM, read_rows
from dpbandits.publish.spoken import with_signs

# Templates of all papers, and of each.
PROSE = sorted(file for folder in (TEMPLATES, *CHAPTERS.values()) for file in folder.glob("*.jinja2"))
PROOFS = CHAPTERS["wu2025"] / "appendix.typ.jinja2"
NAME = (
    r"(?:Theorem|Corollar(?:y|ies)|Lemma|Proposition|Figure|Table|Section|Remark|Algorithm|Step|eqs?\.|Appendix)s?"
)
# The only literals: statements, figures and tables of the papers by number, ids and keys, code, widths, integers
# up to 3 in formulas, names of models and dates of journals, and what code of templates indexes and divides by.
ALLOWED = (
    re.compile(rf"{NAME}[ ~]\d+(?:\.\d+)*(?:(?:, | and |, and )\d+(?:\.\d+)*)*"),
    re.compile(r"(?:azize|asi|wu|charisopoulos)\d{4}(?:/[\w.-]+)?|[a-z]+\d{4}(?=>|\b)"),
    re.compile(r"\(M[12]\)|robust-elimination-m[12]-printed"),
    re.compile(r"`[^`\n]*`"),
    # A quantity, in words that have to be the ledger's.
    re.compile(r"of=\"[^\"]*\"|\"(?:holds|part|fails|open): [^\"]*\""),
    re.compile(r"\d+fr\b|\d+(?:\.\d+)?(?:cm|pt|em)\b|\"\d+%\""),
    re.compile(
        r"/ 60\b|/ 1e[69]\b|\* 2 >|number\(2\)|\[[01]\]|\{[0-3]\.(?:interval|estimate)\}|rows\[:6\]|\"%\.\df\""
    ),
    re.compile(r"issn: 2430-3658|EXP3|jinja2|\.q99"),
    re.compile(r"index0 \+ 2|length - 1"),
)
FORMULA = re.compile(r"\$[^$]*\$")
SMALL = re.compile(r"(?<![\d.])[123](?![\d.])")
# "Two" and "both" are grammar; from three on it is a count.
WORDS = re.compile(
    r"\b(three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred|thousand|million)\b", re.I
)


def typed(template: str) -> list[str]:
    """Return the numbers of a template that are neither made from facts nor among the allowed literals."""
    text = FORMULA.sub(
        lambda formula: SMALL.sub("", formula[0]), re.sub(r"\{#.*?#\}", "", template, flags=re.DOTALL)
    )
    for allowed in ALLOWED:
        text = allowed.sub("", text)
    return re.findall(r"\d[\d.,]*", text) + WORDS.findall(text)


@pytest.fixture(scope="module")
def full() -> Products:
    """Return the products of the full scale."""
    return shipped.catalogue()


@pytest.fixture
def facts(root: Path, full: Products, tmp_path: Path) -> Facts:
    """Return the facts of the snapshot in docs/results: claims and audits of the full scale, without logs."""
    snapshot = root / "docs" / "results"
    return Facts(
        config=article_content(shipped.settled(), list(full["article",].figures)),
        claims=Claims(read_rows(snapshot / "claims.csv")),
        audits=[row for row in read_rows(snapshot / "privacy.csv") if row["verdict"] != NO_CLAIM.verdict],
        certificates={},
        from_papers=facts_of_papers({}),
        cost={"parts": {}, "kinds": {}, "bytes": 0},
        usages=[],
        results=tmp_path / "results",
    )


def changed(facts: Facts, name: str, **columns: str) -> Facts:
    """Return facts with a claim that differs."""
    rows = [{**each.row, **(columns if each.name == name else {})} for each in facts.claims]
    return dataclasses.replace(facts, claims=Claims(rows))


@pytest.mark.parametrize("file", [file for file in PROSE if file != PROOFS], ids=str)
def test_no_number_is_typed(file: Path) -> None:
    """Every number of the prose comes from facts."""
    assert typed(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("text", ["regret of 3.03", "in 20 runs", "$5 epsilon$", "$0.1$", "twelve claims", "113"])
def test_typed_numbers_are_found(text: str) -> None:
    """The rule above can fail."""
    assert typed(text)


def test_numbers_of_proofs_are_those_of_the_tested_text(root: Path) -> None:
    """The appendix has no number that docs/wu2025-regret.md, whose steps tests check, does not have."""
    proofs = PROOFS.read_text(encoding="utf-8")
    numbers = re.compile(r"\d+(?:\.\d+)?")
    known = set(numbers.findall((root / "docs" / "wu2025-regret.md").read_text(encoding="utf-8")))
    used = set(numbers.findall(re.sub(r"\{[{%].*?[%}]\}|[a-z]+\d{4}|\"\(1\)\"", "", proofs, flags=re.DOTALL)))
    assert used - known == set()
    # The constants of the three theorems are there.
    assert {"55", "41", "4", "2", "7", "3.42", "13.7", "10.2", "1.51183"} <= used


def test_every_verdict_has_a_word() -> None:
    """A sentence can be given for each verdict of the ledger, and for no other."""
    assert sorted(VERDICTS_BY_NAME.values()) == sorted(sign.verdict for sign in CLAIM_SIGNS)


SENTENCES = {"holds": "It holds: {interval}.", "fails": "It fails."}


def row(**columns: str) -> dict[str, str]:
    """Return a row of a ledger."""
    parts = {"parts_hold": "1", "parts_fail": "0", "parts_open": "0"}
    numbers = {"estimate": "2.5", "low": "2", "high": "3", "at_least": "-inf", "at_most": "4", "runs": "100"}
    said = {"statement": "A is B.", "place": "Theorem 1", "effect": "ratio: 2.5", "reading": "paper", "revised": ""}
    said |= {"quantity": "ratio"}
    known = {"paper": "p", "id": "c", "verdict": "holds", "near_threshold": "no", "sources": ""}
    return {**known, **parts, **numbers, **said, **columns}


def test_a_sentence_is_chosen_by_the_verdict() -> None:
    """With another verdict another sentence is said, and a plain one where the template has none."""
    assert Claim(row()).says(of="ratio", **SENTENCES) == r"It holds: 2.50 \[2.00, 3.00\]."
    # The number is of another quantity now: what was said of this one is not said.
    assert "It holds" not in Claim(row(quantity="share")).says(of="ratio", **SENTENCES)
    assert Claim(row(verdict="does not hold")).says(of="ratio", **SENTENCES) == "It fails."
    plain = Claim(row(verdict="not decided")).says(of="ratio", **SENTENCES)
    assert "not decided" in plain
    assert "A is B." in plain
    assert "ratio: 2.5" in plain
    assert Claim(row(near_threshold="yes")).says(of="ratio", **SENTENCES).endswith("(Near its threshold.)")


def test_several_claims_share_a_sentence_only_if_each_is_as_it_says() -> None:
    """One claim that differs, and each is told by itself."""
    expected = {"p/c": "holds: ratio", "p/d": "fails"}
    rows = [row(), row(id="d", verdict="does not hold")]
    assert Claims(rows).together(expected, "Both: {0.estimate}.") == "Both: 2.5."
    other = Claims(rows).together({"p/c": "holds: share", "p/d": "fails"}, "Both: {0.estimate}.")
    assert "Both" not in other
    told = Claims([row(), row(id="d")]).together(expected, "Both: {0.estimate}.")
    assert "Both" not in told
    assert told.count("*holds*") == 2
    assert Claims([row(), row(id="d")]).together(expected, "Both: {0.estimate}.", "See below.") == "See below."


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: Claim(row()).says(hold="…"), "hold"),
        (lambda: Claim(row()).says(holds="{guess}"), "guess"),
        (lambda: Claim(row()).says(holds="{estimate}"), "quantity"),
        (lambda: Claims([row()])("p/missing"), "p/missing"),
    ],
)
def test_what_a_template_cannot_say_is_refused(make: Callable[[], object], names: str) -> None:
    """A verdict, a number or a claim that does not exist."""
    with pytest.raises(BadInput, match=names):
        make()


def test_other_results_make_another_article(facts: Facts) -> None:
    """A verdict or a number that changes changes what is said, everywhere."""
    before = article_source(facts, {})
    name = "azize2025/imed-klucb-far"
    assert "medians are more frequent with it" in before
    after = article_source(changed(facts, name, verdict="holds"), {})
    assert "Runs far above the median are no more frequent" in after
    assert "medians are more frequent with it" not in after
    holding = facts.claims.tallies_by_reading()["ours"].verdicts["holds"]
    assert f"{holding} hold (" in before
    assert f"{holding + 1} hold (" in after
    worse = {"verdict": "does not hold", "estimate": "7.77", "low": "7.7", "high": "7.8"}
    other = article_source(changed(facts, "azize2025/imed-klucb-mean", **worse), {})
    assert "7.77" in other
    assert "7.77" not in before


def test_an_unexpected_violation_is_named(facts: Facts) -> None:
    """That only printed variants are contradicted is said only while it is so."""
    assert "no audit contradicts a repaired version" in article_source(facts, {})
    audits = [{**each, "verdict": "violated"} if each["algorithm"] == "dp-imed" else each for each in facts.audits]
    told = article_source(dataclasses.replace(facts, audits=audits), {})
    assert "no audit contradicts a repaired version" not in told
    assert "`dp-imed`" in told


def test_a_missing_claim_is_refused_by_name(facts: Facts) -> None:
    """An article that would speak of what was not tested is not written."""
    fewer = [each.row for each in facts.claims if each.id != "cure-mean"]
    with pytest.raises(BadInput, match="azize2025/cure-mean"):
        article_source(dataclasses.replace(facts, claims=Claims(fewer)), {})


def test_what_is_missing_is_said(facts: Facts) -> None:
    """Without logs there is no cost, without a figure no reference to it."""
    told = article_source(facts, {})
    assert "kept no logs" in told
    assert "a figure that this configuration does not draw" in told


def test_counts_are_those_of_readme(facts: Facts, root: Path) -> None:
    """The abstract has README's numbers of claims, of verdicts on a fresh seed, and of false statements."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    (total,) = re.findall(r"^- (\d+) \[claims\]", readme, re.MULTILINE)
    (papers,) = re.findall(r"^\| sentences of the papers \| (\d+) \|", readme, re.MULTILINE)
    confirmed = re.findall(
        rf"^- (\d+) of {total} verdicts rest on random numbers\. (?:All )?\[(\d+)\]\S+ of these came out the same",
        readme,
        re.MULTILINE,
    )
    told = " ".join(article_source(facts, {}).split())
    assert f"test {total} claims: {papers} sentences of the papers" in told
    # A run on a fresh seed is told only if it was of these claims.
    again = re.findall(r"(\d+) verdicts rest on random numbers; (\d+) of these came out the same", told)
    assert again == confirmed


@pytest.mark.slow
def test_it_is_typeset(facts: Facts) -> None:
    """Typst compiles it, to the same bytes twice; a fault is one line."""
    pytest.importorskip("typst")
    # Twelve pages, without figures, and appendices; Typst itself counts the first.
    source, limit = article_source(facts, {}), "#show: appendix\n#context assert(here().page() <= 13)"
    assert source.count("#show: appendix") == 1
    limited = source.replace("#show: appendix", limit)
    pdf = typeset(limited, {})
    assert bytes(pdf).startswith(b"%PDF")
    assert pdf == typeset(limited, {})
    assert 9 <= len(typeset(limited, {}, "png")) <= 18
    with pytest.raises(BadInput, match="unknown variable"):
        typeset("#nothing", {})


def test_without_typst_it_says_what_to_install(facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(__import__("sys").modules, "typst", None)
    with pytest.raises(MissingExtra, match=r"dpbandits\[article\]"):
        typeset(article_source(facts, {}), {})


def test_letters_have_every_entry_strongest_first(facts: Facts) -> None:
    """Nothing of the register is left out of a letter, and it is a draft."""
    for paper, told in facts.config["papers"].items():
        letter = render("letter.md.jinja2", facts, paper=paper, told=told)
        assert "sends nothing" in letter
        places = [
            letter.index(f"## {kind.capitalize()}")
            for kind in facts.config["kinds"][:3]
            if f"## {kind.capitalize()}" in letter
        ]
        assert places == sorted(places)
        for entry in told["discrepancies"]:
            assert with_signs(" ".join(entry["place"].split())) in letter, entry["id"]
            if entry["kind"] != "left open, our choice":
                assert entry["test"] in letter


def test_every_claim_is_supported(facts: Facts) -> None:
    """The artefact appendix names for each claim what it reads, or that it is proved."""
    text = render("artefact.md.jinja2", facts, supports=data_of_claims(facts))
    for each in facts.claims:
        assert each.name.replace("/", " ") in text or each.name in text, each.name
    for name in ("checklist.md.jinja2", "metadata.yaml.jinja2"):
        assert render(name, facts)


def test_rare_runs_are_ratios_over_environments() -> None:
    """By hand: two environments, one budget."""
    rows = [
        {
            "experiment": "story",
            "environment": environment,
            "epsilon": "1",
            "algorithm": algorithm,
            "statistic": kind,
        }
        | {"value": str(value)}
        for environment, factor in (("a", 2.0), ("b", 3.0))
        for kind in ("mean", "median", "q99", "far")
        for algorithm, value in (("dp-imed", factor), ("dp-klucb", 2.0))
    ]
    (line,) = ratios_by_budget(rows)
    assert line == {"epsilon": 1.0, "mean": (1.0, 1.5), "median": (1.0, 1.5), "q99": (1.0, 1.5), "far": (2.0, 3.0)}


def test_every_citation_is_in_the_bibliography() -> None:
    """And every entry is cited, with arXiv's number where there is a DOI of arXiv's."""
    text = "".join(file.read_text(encoding="utf-8") for file in PROSE)
    cited = set(re.findall(r"#cite\(<(\w+)>", text)) | set(re.findall(r"@([a-z]+\d{4})\b", text))
    known = references()
    assert cited | {"azize2025", "asi2025", "wu2025", "charisopoulos2022"} == set(known)
    for entry in known.values():
        if "eprint" in entry:
            assert entry["doi"] == f"10.48550/arXiv.{entry['eprint']}"


def test_templates_are_found_where_their_digest_is_taken() -> None:
    """A changed template remakes the article."""
    assert build.TEMPLATES.parent == Path(build.__file__).parent
