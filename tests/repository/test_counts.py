"""Counts of one thing agree in README, findings, site and article: all are of the snapshot in docs/results."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
import shipped
import yaml

from dpbandits.claims.confirmation import confirmation
from dpbandits.claims.false_privacy import false_privacy
from dpbandits.core.verdicts import Verdict


def rows(root: Path, name: str) -> list[dict[str, str]]:
    """Return the rows of a table of the snapshot."""
    with (root / "docs" / "results" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def module_from(file: Path) -> ModuleType:
    """Return a module of tools."""
    specification = importlib.util.spec_from_file_location(file.stem, file)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    """Return README's generated lines."""
    text = (root / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- begin: found -->\n(.*?)<!-- end: found -->", text, re.DOTALL)
    assert found is not None
    return found[1]


def numbers(line: str) -> list[int]:
    """Return the whole numbers of a line, its links left out."""
    return [int(number) for number in re.findall(r"\b\d+\b", re.sub(r"\(docs/[^)]*\)", "", line))]


@pytest.fixture(scope="module")
def lines(readme: str) -> list[str]:
    """Return its lines below the table, but for the first one, on conditions of the table's sentences."""
    return [line for line in readme.splitlines() if line.startswith("- ")][1:]


def test_claims(root: Path, readme: str, lines: list[str]) -> None:
    """README's table and first line are about all claims of the ledger, each with one verdict."""
    total = len(rows(root, "claims"))
    assert numbers(lines[0])[0] == total
    # Kinds of support stand behind a colon.
    table = [re.sub(r":[^|]*", "", line) for line in readme.splitlines() if line.startswith("| ")]
    counts = [numbers(line) for line in table][1:]
    assert [count for count, *_ in counts] == [sum(verdicts) for _, *verdicts in counts]
    assert sum(count for count, *_ in counts) == total


def test_confirmed(root: Path, lines: list[str]) -> None:
    """The article's count of verdicts that were compared is README's; of earlier tests it is said so."""
    found = confirmation(shipped.claims())
    assert found is not None
    movable, total = found["movable"], found["total"]
    today = found["today"]
    assert total == len(rows(root, "claims")) or not today
    same = found["same"]
    assert numbers(lines[1]) == ([movable, total, same] if today else [same, movable])
    assert ("no verdict of today" in lines[1]) != today


def test_privacy(root: Path, lines: list[str]) -> None:
    """Audits and false statements are counted apart, and each by one rule."""
    verdicts = Counter(row["verdict"] for row in rows(root, "privacy") if row["epsilon"])
    false = len(false_privacy(rows(root, "claims")))
    assert numbers(lines[2]) == [sum(verdicts.values()), verdicts["violated"], false]
    findings = (root / "docs" / "findings.md").read_text(encoding="utf-8")
    assert f"{false} sentences of the papers about privacy are false:" in findings
    assert f"Audits: {sum(verdicts.values())}," in findings


def test_register(root: Path, lines: list[str]) -> None:
    """README has the number of the register's entries, each of which has a test."""
    (entries,) = numbers(lines[3])
    text = (root / "docs" / "discrepancies.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^\*Test\.\*", text, re.MULTILINE)) == entries


def test_jobs(root: Path) -> None:
    """Nowhere in docs does the full scale have two numbers of jobs: each is generated, and from the same plan."""
    text = (root / "docs" / "running.md").read_text(encoding="utf-8")
    measured = re.search(r"in ([\d,]+) jobs", text)
    assert measured is not None
    assert text.count(measured[1]) == 1
    # What was measured on another day says of which commit it is, and at the small scale.
    others = [line for line in text.splitlines() if re.search(r"[\d,]+ jobs\b", line) and measured[1] not in line]
    assert [line for line in others if "at commit" not in line and "small scale" not in line] == []


def test_submissions_are_of_the_jobs_that_were_measured(root: Path) -> None:
    """All kinds of jobs have a rule in the profiles' groups, so that a run with more jobs says more submissions."""
    tool = module_from(root / "tools" / "documents.py")
    cost = json.loads((root / "docs" / "results" / "cost.json").read_text(encoding="utf-8"))
    assert set(cost["kinds"]) == set(tool.RULES)
    groups = yaml.safe_load((root / "profiles" / "groups.yaml").read_text(encoding="utf-8"))
    assert set(tool.RULES.values()) - {"simulate"} <= set(groups)
    # A pack of cells is 200, other groups are smaller.
    least = sum(kind["jobs"] for kind in cost["kinds"].values()) / 200
    said = re.findall(r"about (\d+)", tool.submissions(root))
    assert len(said) == (1 if "either profile" in tool.submissions(root) else 2)
    assert all(int(number) > least for number in said)


# What README's findings say, by their numbers: a claim of the ledger and the verdict that the sentence rests on.
SENTENCES = (
    (1, "azize2025", "imed-klucb-far", Verdict.FAILS),
    (2, "azize2025", "cure-mean", Verdict.HOLDS),
    (4, "wu2025", "thm2", Verdict.HOLDS),
    (5, "wu2025", "conjecture", Verdict.FAILS),
)


@pytest.mark.parametrize(("number", "paper", "name", "verdict"), SENTENCES)
def test_a_finding_rests_on_its_claim(root: Path, number: int, paper: str, name: str, verdict: Verdict) -> None:
    """If this fails, the verdict has changed: write the sentence again."""
    text = (root / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"^{number}\. \*\*", text, re.MULTILINE)
    (claim,) = (row for row in rows(root, "claims") if (row["paper"], row["id"]) == (paper, name))
    assert claim["verdict"] == verdict


def test_papers_with_a_false_statement_are_counted(root: Path) -> None:
    """Finding 3 counts them."""
    papers = {row["paper"] for row in false_privacy(rows(root, "claims"))}
    assert len(papers) == 3
    readme = (root / "README.md").read_text(encoding="utf-8")
    assert "3. **In each of three papers a sentence about privacy is false" in readme
