"""What is said to be printed is printed: each quotation is found in the paper's text, where that is at hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import shipped

from dpbandits.claims import claim as statements
from dpbandits.core.errors import BadInput

ROOT = Path(__file__).parents[2]
CHECKED = shipped.configuration()
QUOTED = [
    pytest.param(paper, claim, id=f"{paper}-{name}")
    for paper, stated in shipped.claims().items()
    for name, claim in stated.claims.items()
    if claim.printed
]


def text_of(paper: str) -> list[str]:
    """Return the lines of a paper's text, which is not ours to publish, from a folder beside a checkout."""
    for folder in ROOT.parents:
        file = folder / "shared/papers" / f"{paper}.txt"
        if file.is_file():
            return file.read_text(encoding="utf-8").splitlines()
    pytest.skip("the papers are not at hand")


def found(quotation: str, lines: list[str], at: int) -> bool:
    """Say whether the pieces of a quotation follow each other, from a line of the text on, within ten lines."""
    text = " ".join(" ".join(lines[at - 1 : at + 9]).split())
    place, first = 0, " ".join(lines[at - 1].split())
    pieces = [" ".join(piece.split()) for piece in quotation.split("...")]
    if not pieces[0] or pieces[0] not in first:
        return False
    for piece in pieces:
        place = text.find(piece, place)
        if place < 0:
            return False
        place += len(piece)
    return True


@pytest.mark.parametrize(("paper", "claim"), QUOTED)
def test_each_quotation_is_in_the_paper(paper: str, claim: statements.Claim) -> None:
    """Word by word, on the line that is stored with it; formulas are left out."""
    lines = text_of(paper)
    assert found(claim.printed, lines, claim.printed_at), (claim.printed, lines[claim.printed_at - 1][:300])
    # Short: a quotation, and not a copy.
    assert len(claim.printed.split()) <= 40
    assert claim.reading == "paper"


@pytest.mark.parametrize("paper", sorted(CHECKED.papers))
def test_what_a_remark_quotes_is_in_the_paper(paper: str) -> None:
    """In a sentence that says what the paper says: "The paper prints ..."."""
    text = " ".join(" ".join(text_of(paper)).split()).lower()
    for name, claim in shipped.claims()[paper].claims.items():
        for sentence in re.split(r"(?<=[.;])\s+(?=[A-Z])", claim.remark):
            for quotation in re.findall('"([^"]+)"', sentence) if "paper" in sentence.lower() else []:
                pieces = [piece.strip().lower() for piece in quotation.split("...")]
                assert all(piece in text for piece in pieces), (name, quotation)


def test_a_misquotation_is_noticed() -> None:
    """Other words, another order, and another line."""
    lines = ["Theorem 1.", "Assume that x is small. Then regret is bounded.", "End."]
    assert found("Assume that ... regret is bounded", lines, 2)
    for quotation, at in (
        ("Suppose that", 2),
        ("regret ... Assume that", 2),
        ("Assume that", 1),
        ("Assume that", 3),
    ):
        assert not found(quotation, lines, at)


def test_a_quotation_says_what_is_restated() -> None:
    """It comes with its line and with what the sentence here has beside, or not at all."""
    assert len(QUOTED) >= 10
    stated = shipped.claims()["wu2025"]
    silent = {**stated.claims, "thm4": stated.claims["thm4"].model_copy(update={"restated": ""})}
    cited = {"wu2025-theorem-3", "wu2025-equation-5", "wu2025-conjecture"}
    with pytest.raises(BadInput, match="a quotation with its line"):
        statements._check_meaning(stated.model_copy(update={"claims": silent}), CHECKED.papers["wu2025"], cited)
