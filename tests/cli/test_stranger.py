"""What a stranger asks: how to cite, what draws a figure, what decides a claim, and do results come out again."""

from __future__ import annotations

import dataclasses
import re
import shutil
from pathlib import Path

import pytest

from dpbandits.cli import exhibits, review
from dpbandits.cli.main import main
from dpbandits.core.errors import MissingFile
from dpbandits.core.verdicts import Verdict
from dpbandits.publish.cite import cite
from dpbandits.runs import golden


def test_cite_has_names_version_and_bibtex(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cite"]) == 0
    told = capsys.readouterr().out
    assert re.search(r"version \d+\.\d+", told)
    assert told.count("\n@") == 5
    for key in ("dpbandits", "azize2025optimal", "asi2025faster", "wu2025improved", "charisopoulos2023robust"):
        assert f"{{{key}," in told
    # Every entry is closed, and every field has a value.
    assert told.count("\n}") == 5
    assert "{}" not in told
    # Ours has a year and, without a public address, a note in its place.
    own = told.split("@software{")[1].split("\n}")[0]
    assert re.search(r"^  year = \{20\d\d\},$", own, re.MULTILINE)
    assert ("url = " in own) != ("no public address" in own)


def test_cite_without_its_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="install again"):
        cite(tmp_path)


@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.slow)])
def test_every_name_has_an_answer(known: exhibits.Configuration, every: int) -> None:
    """Each names files that exist, and a line on which the name stands."""
    root = Path(__file__).parents[2]
    for name in list(exhibits.names(known))[::every]:
        answers = exhibits.describe(name, known)
        assert answers, name
        for answer in answers:
            for file, line in re.findall(r"(\S+\.yaml), line (\d+)", answer):
                assert name in (root / file).read_text(encoding="utf-8").splitlines()[int(line) - 1], answer
            for source in re.findall(r"src/\S+\.py", answer):
                assert (root / source).is_file(), answer


def test_what_draws_a_figure_and_decides_a_claim(
    known: exhibits.Configuration, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(exhibits, "configuration", lambda: known)
    main(["list", "cor22"])
    told = capsys.readouterr().out
    assert "src/dpbandits/papers/asi2025/figures/growth.py" in told
    assert "snakemake figures/asi2025/cor22.pdf --cores 2" in told
    main(["list", "cor2-exponents"])
    told = capsys.readouterr().out
    assert "src/dpbandits/claims/kinds/exponent.py" in told
    assert "needs: experiments rates-horizon" in told
    main(["list", "imed-klucb-mean"])
    assert "whose: a reading of ours" in capsys.readouterr().out


def test_what_decides_the_corollaries_of_exp3_and_ftpl_is_drawn(known: exhibits.Configuration) -> None:
    """Figures cor22 and cor24 have every experiment that decides the claims which they show."""
    paper = known.config.papers["asi2025"]
    for name in ("cor22", "cor24"):
        claims = known.claims["asi2025"].claims
        deciding = {
            experiment
            for claim in (claims[name], claims[f"{name}-exponents"])
            for test in claim.tests
            for experiment in test.experiments
        }
        assert deciding <= set(paper.figures[name].experiments)
        (told,) = [told for told in exhibits.describe(name, known) if f"{name}: claim" in told]
        assert all(experiment in told for experiment in claims[name].tests[0].experiments)


def test_a_claim_is_listed_with_its_verdict(
    known: exhibits.Configuration, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of one's own ledger if there is one; else that of the full scale in docs, if they are there."""
    (told,) = exhibits.describe("cor2-exponents", known)
    (snapshot,) = re.findall(r"verdict: (\S.*); .*docs/results/claims.csv", told)
    assert snapshot in {verdict.value for verdict in Verdict}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    here = exhibits.configuration()
    ledger = "paper,id,verdict,effect\nasi2025,cor2-exponents,holds,seen: 3\n"
    (tmp_path / "results" / "claims.csv").write_text(ledger, encoding="utf-8")
    assert "verdict: holds; seen: 3 (results/claims.csv)" in exhibits.describe("cor2-exponents", here)[0]
    (tmp_path / "results" / "claims.csv").write_text("paper,id,verdict,effect\n", encoding="utf-8")
    assert "docs/results/claims.csv" in exhibits.describe("cor2-exponents", here)[0]
    shutil.copytree(here.folder, tmp_path / "config")
    assert "verdict: none yet" in exhibits.describe("cor2-exponents", exhibits.configuration())[0]


def test_a_slip_is_answered_with_what_is_near(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "corr22"]) == 2
    told = capsys.readouterr().err
    assert "did you mean 'cor22'" in told
    assert len(told) < 200


def test_a_review_draws_the_same_and_sees_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells of the quick ones; one whose digest was changed is named, and the page says so."""
    quick = golden.known()[: golden.QUICK]
    monkeypatch.setattr(golden, "known", lambda: quick)
    found = list(review.review_cells(review.random.Random(3)))
    assert len(found) == review.CELLS
    assert all(compared.same for compared in found)
    assert [each.name for each in review.review_cells(review.random.Random(3))] == [each.name for each in found]
    changed = tuple(dataclasses.replace(cell, digest="0" * 16) for cell in quick)
    monkeypatch.setattr(golden, "known", lambda: changed)
    others = list(review.review_cells(review.random.Random(3)))
    assert not any(compared.same for compared in others)
    page = review.as_text([found[0], *others[1:]], 3)
    assert "1 of 3 the same again" in page
    assert page.count("DIFFERS") == page.count("made here") == 2


def test_a_review_needs_the_committed_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(review, "home", lambda: tmp_path)
    with pytest.raises(MissingFile, match="clone"):
        list(review.review_audit(review.random.Random(0)))
