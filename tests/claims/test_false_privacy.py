"""False sentences about privacy are counted once, and each is behind audits that contradict what they audit."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from dpbandits.claims.false_privacy import false_privacy, summary
from dpbandits.core import registry

CLAIM = {"paper": "a", "place": "Theorem 1", "reading": "paper", "subject": "privacy"}


def rows(file: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


@pytest.mark.parametrize(
    ("change", "number"),
    [
        ({"verdict": "does not hold"}, 1),
        ({"verdict": "holds in part"}, 1),
        ({"verdict": "holds"}, 0),
        ({"verdict": "does not hold", "reading": "ours"}, 0),
        ({"verdict": "does not hold", "subject": ""}, 0),
    ],
)
def test_what_counts(change: dict[str, str], number: int) -> None:
    """A paper's own sentence, on privacy, that is false at least in part."""
    claims = [{**CLAIM, **change}, {**CLAIM, "verdict": "holds"}]
    assert len(false_privacy(claims)) == number
    assert summary(claims).startswith("1 sentence of" if number else "No sentence")


def test_audits_and_sentences_agree(root: Path) -> None:
    """In the snapshot papers with violated audits have a false sentence; docs/findings.md has the number."""
    false = false_privacy(rows(root / "docs/results/claims.csv"))
    violated = {row["algorithm"] for row in rows(root / "docs/results/privacy.csv") if row["verdict"] == "violated"}
    papers = {name: [p for p in registry.papers() if p in registry.algorithm(name).source] for name in violated}
    assert all(papers.values())
    assert {paper for found in papers.values() for paper in found} == {claim["paper"] for claim in false}
    assert f"{len(false)} sentences of the papers about privacy are false:" in (
        root / "docs" / "findings.md"
    ).read_text("utf-8")
