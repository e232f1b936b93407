"""Claims, sentences, data and numbers of the article by hand; and how the package and papers are cited."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dpbandits.core.verdicts import FAILS, HOLDS, OPEN, PART, UNREFUTED, UNTESTED, VACUOUS
from dpbandits.publish import cite, claim_review
from dpbandits.publish.article import claim_support, to_typst
from dpbandits.publish.article.build import Figures, _for_typst
from dpbandits.publish.article.context import Claim, Claims, Facts
from dpbandits.publish.crate import digests
from dpbandits.runs.resource_usage import JobUsage


def row(**columns: str) -> dict[str, str]:
    """Return a row of a ledger."""
    known = {"paper": "p", "id": "c", "verdict": HOLDS, "near_threshold": "no", "sources": "", "reading": "paper"}
    known |= {
        "parts_hold": "4",
        "parts_fail": "13",
        "parts_unrefuted": "1",
        "parts_untested": "2",
        "parts_open": "3",
    }
    known |= {"estimate": "2.5", "low": "2", "high": "3", "at_least": "-inf", "at_most": "4", "runs": "100"}
    known |= {"statement": "A.", "place": "T", "effect": "e", "quantity": "q", "revised": "", "subject": ""}
    return {**known, **columns}


def test_a_claim_for_templates() -> None:
    """Counts as words up to twelve; the first finite limit; columns as attributes."""
    claim = Claim(row())
    assert claim.parts == 23 and claim.name == "p/c" and claim.place == "T" and not claim.is_near
    assert {key: claim.measured[key] for key in ("hold", "fail", "parts", "runs", "limit")} == {
        **{"hold": "four", "fail": "13", "parts": "23", "runs": "100", "limit": "4"},
    }
    assert Claim(row(at_most="inf", at_least="2")).measured["limit"] == "2"
    assert Claim(row(at_most="", at_least="")).measured["limit"] == "–"
    assert Claim(row(at_most="3", at_least="2")).measured["limit"] == "3"
    with pytest.raises(AttributeError):
        _ = claim.nothing
    assert claim.is_about("q") and not claim.is_about("r")


def test_claims_for_templates() -> None:
    """By paper and by whose they are; what does not hold, the clearest failure first; which are near."""
    verdicts = [OPEN, UNTESTED, UNREFUTED, VACUOUS, PART, FAILS, HOLDS]
    claims = Claims([row(id=str(i), verdict=verdict) for i, verdict in enumerate(verdicts)])
    assert [each.id for each in claims.not_holding("p")] == ["5", "4", "3", "2", "1", "0"]
    assert claims.not_holding("q") == [] and len(claims.of("p")) == 7
    both = Claims([row(), row(id="d", reading="ours"), row(id="e", paper="q", verdict=FAILS)])
    assert both.counts() == {HOLDS: 2, FAILS: 1} and both.counts("q") == {FAILS: 1}
    assert both.counts("p", of_papers=True) == {HOLDS: 1} == both.counts(of_papers=False)
    near = Claims([row(id="c"), row(id="d", near_threshold="yes"), row(id="e", near_threshold="yes")])

    def told(*names: str) -> str:
        return near.together({f"p/{name}": "holds" for name in names}, "All.")

    assert told("c") == "All." and told("d") == "All. Another seed could change this verdict."
    which = "Another seed could change the verdict on the"
    assert told("c", "d") == f"All. {which} last of these statements."
    assert told("d", "c") == f"All. {which} first of these statements."
    assert told("c", "d", "e") == f"All. {which} second and the last of these statements."


def facts(claims: list[dict[str, str]], **about: Any) -> Any:
    """Return facts of the article."""
    known: Any = {
        "config": {"papers": {"p": {"discrepancies": []}}},
        "audits": [],
        "certificates": {},
        "usages": [],
    }
    known |= {"from_papers": {}, "cost": {}, "results": Path("results"), "claims": Claims(claims)}
    return Facts(**{**known, **about})


def test_what_claims_rest_on(tmp_path: Path) -> None:
    """Minutes and megabytes of an experiment with its cells, of a computation, and of all audits."""
    for name, size in (("p/cells/e/a", 2_000_000), ("p/aggregates/e.csv", 500_000), ("privacy/x", 1_000_000)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x" * size)
    (tmp_path / "privacy.csv").write_bytes(b"x" * 250_000)
    usages = [
        JobUsage(("p", "cells", "e", "1.tsv"), 60.0, 1.0),
        JobUsage(("p", "aggregates", "e.tsv"), 30.0, 1.0),
        JobUsage(("p", "computations", "k.tsv"), 12.0, 1.0),
        JobUsage(("p", "figures"), 99.0, 1.0),
        JobUsage(("privacy", "a.tsv"), 6.0, 1.0),
        JobUsage(("privacy", "b.tsv"), 6.0, 1.0),
        JobUsage(("site", "x", "y.tsv"), 99.0, 1.0),
    ]
    claims = [
        row(sources="p/cells/e/; p/computations/k.csv"),
        row(id="d", sources="privacy.csv; p/aggregates/e.csv"),
    ]
    found = claim_support.data_of_claims(facts(claims, usages=usages, results=tmp_path))
    assert [(each.minutes, each.megabytes, each.claims) for each in found] == [
        (0.2, 1.25, ["p/d"]),
        (1.5, 2.5, ["p/c", "p/d"]),
        (0.2, 0.0, ["p/c"]),
    ]
    base = tmp_path.as_posix()
    assert [each.target for each in found[1:]] == [f"{base}/p/aggregates/e.csv", f"{base}/p/computations/k.csv"]


def test_reasons_of_revisions() -> None:
    """Of two claims or more, the most frequent first."""
    revised = ["a", "b", "b", "c", "c", "c", ""]
    found = facts([row(id=str(i), revised=reason) for i, reason in enumerate(revised)])
    assert found.revision_reasons == [("c", 3), ("b", 2)]
    of = {"verdict": "violated", "algorithm": "a", "title": "A", "witness": "w", "epsilon": "1", "audited": "2"}
    audits = [of, {**of, "epsilon": "0.5", "audited": "3", "title": "B", "witness": "x"}, {"verdict": "consistent"}]
    told = facts([], audits=[*audits, {**of, "epsilon": "2", "audited": "9", "witness": '"y"'}])
    assert told.violations[:2] == audits[:2] and len(told.violations) == 3
    losses = [(0.5, 3.0), (1.0, 2.0), (2.0, 9.0)]
    assert told.refuted_algorithms == [{"algorithm": "a", "titles": ["A", "B"], "losses": losses, "witness": "y"}]
    papers = {name: {"discrepancies": [{"id": name, "kind": kind}]} for name, kind in (("p", "k"), ("q", "k"))}
    register = facts([], config={"papers": papers})
    assert register.kinds() == {"k": 2} and register.kinds("p") == {"k": 1} and list(register.entries) == ["p", "q"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1e-5 and 2.5e3", "10#super[−5] and 2.5 · 10#super[3]"),
        ("x_i^2 (y)", "x#sub[i]#super[2] (y)"),
        ("T^(1/2)(a)", "T#super[1/2]\u2060(a)"),
        ("a // b #c [d]", r"a \// b \#c \[d\]"),
        ("a/", r"a\/"),
        ("a\x01b", "a\ufffdb"),
        ('`a "b"`', r'#raw("a \"b\"")'),
    ],
)
def test_texts_for_typst(text: str, written: str) -> None:
    """What typst would read as its own is escaped."""
    assert to_typst.typst(text) == written


def test_numbers_for_typst() -> None:
    """Words up to twelve; shares in per cent; powers as formulas."""
    assert [to_typst.count(value) for value in (0, 1, 12, 13, 1234, -1)] == [
        "no",
        "one",
        "twelve",
        "13",
        "1,234",
        "-1",
    ]
    assert [to_typst.share(value) for value in (0.5, 0.123456)] == ["50 %", "12.3 %"]
    assert to_typst.powers("10⁻⁵, 2 · 10⁷") == "$10^(-5)$, $2 times 10^(7)$"


def test_figures_and_talks() -> None:
    """A figure that is not drawn is told; a paper with pages stays one."""
    shown = Figures({"p/f": "x"}, {"p/f": "20 runs"})
    assert shown.show("p/f", "C", "80%") == '#figure(image("p-f.pdf", width: 80%), caption: [C _20 runs_]) <p-f>'
    assert shown.show("p/g", "C", "80%") == "" and shown.refer("p/f") == "@p-f" and "not draw" in shown.refer("p/g")
    entry = "@inproceedings{a,\n  booktitle = {B},\n}\n"
    paged = "@inproceedings{a,\n  booktitle = {B},\n  pages = {1},\n}\n"
    assert _for_typst(entry + paged) == "@article{a,\n  journal = {B},\n}\n" + paged


WORK: Any = {
    "authors": [{"family-names": "Asi", "given-names": "H."}, {"name": "A Group"}],
    "title": "The new Bandits",
    "year": 2025,
    "doi": "d",
    "identifiers": [{"value": "arXiv:1"}],
}


def test_entries_of_bibtex(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A paper without a conference is none; the key is of a long word; fields without a value are left out."""
    plain = cite._paper(WORK)
    assert plain.startswith(
        "@misc{asi2025bandits,\n  author = {Asi, H. and {A Group}},\n  title = {{The new Bandits}},"
    )
    assert "booktitle" not in plain and "note = {arXiv:1}," in plain and plain.endswith("},\n}")
    talk = cite._paper({**WORK, "conference": {"name": "C"}, "volume": 3, "notes": "n"})
    assert talk.startswith("@inproceedings{") and "booktitle = {C}" in talk and "note = {arXiv:1. n}" in talk
    own = {
        "title": "X",
        "authors": [{"name": "We"}],
        "license": "MIT",
        "date-released": "2026-01-02",
        "references": [WORK],
    }
    monkeypatch.setattr(cite, "citation", lambda _: own)
    text = cite.cite(tmp_path)
    assert (
        "by We\n\n@software" in text
        and "year = {2026}" in text
        and "no public address" in text
        and "url" not in text
    )
    monkeypatch.setattr(cite, "citation", lambda _: {**own, "repository-code": "u"})
    assert "url = {u}" in cite.cite(tmp_path) and "no public address" not in cite.cite(tmp_path)


def test_reviews_of_claims() -> None:
    """The better a verdict, the larger its number; an open one has none."""
    of = {"test": "t"}
    reviews: list[Any] = [
        claim_review.claim_review(row(verdict=each, **of), {}) for each in (FAILS, PART, HOLDS, OPEN)
    ]
    ratings = [each["reviewRating"] for each in reviews]
    assert [each.get("ratingValue") for each in ratings] == [1, 2, 3, None]
    assert (ratings[0]["bestRating"], ratings[0]["worstRating"]) == (3, 1) and "bestRating" not in ratings[3]
    near: Any = claim_review.claim_review(row(near_threshold="yes", **of), {})
    assert near["reviewRating"]["alternateName"] == f"{HOLDS}, near its threshold" != ratings[2]["alternateName"]
    assert "<" not in claim_review.json_ld([{"a": "</script>"}])


def test_members_of_an_archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A member may unpack to so many bytes beyond the archive's size."""
    monkeypatch.setattr(digests, "LARGEST", 10)
    made = SimpleNamespace(read=lambda count: b"x" * min(count, size))

    class Member:
        def __enter__(self) -> Any:
            return made

        def __exit__(self, *_: object) -> None:
            return None

    opened: Any = SimpleNamespace(open=lambda _: Member())
    size = 15
    assert len(digests.read_member(opened, "a", 5)) == 15
    size = 16
    with pytest.raises(ValueError, match="a"):
        digests.read_member(opened, "a", 5)
    assert digests._types({"@type": "File"}) == ["File"] == digests._types({"@type": ["File"]})
    (tmp_path / "a").write_bytes("ä".encode())
    assert digests.digest(tmp_path / "a") == digests.digest_of_text("ä")
