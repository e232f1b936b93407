"""Both ledgers side by side: what is confirmed, what changed, and claims changed after they were frozen."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
# By its file: that folder on the path would hide modules of others, such as ``coverage``, which numba looks for.
_spec = importlib.util.spec_from_file_location("verdicts", ROOT / "benchmarks" / "verdicts.py")
assert _spec is not None and _spec.loader is not None
verdicts = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(verdicts)


def ledger(verdict: str, near: str = "no", estimate: float = 1.0) -> pd.DataFrame:
    """Return a ledger of two claims, one of which always holds."""
    rows = [("p", "one", "holds", "no", "ratio: 2"), ("p", "two", verdict, near, "ratio: 1")]
    table = pd.DataFrame(rows, columns=["paper", "id", "verdict", "near_threshold", "effect"])
    return table.assign(estimate=[2.0, estimate], low=2.0, high=2.0, p=0.0)


def test_what_moves_less_than_is_printed_could_change() -> None:
    """An effect has few digits; two seeds differ in others."""
    both = verdicts.compared(ledger("holds"), ledger("holds", estimate=1.0 + 1e-9))
    assert both["could_change"].tolist() == [False, True]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a frozen configuration and two ledgers' places."""
    (tmp_path / "config" / "p").mkdir(parents=True)
    for name in verdicts.FROZEN:
        (tmp_path / "config" / "p" / name).write_text("claims: {}\n", encoding="utf-8")
    (tmp_path / "config" / "confirm.yaml").write_text("root_seed: 1\nfolders: {}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    said = tmp_path / "explained.yaml"
    said.write_text("p: {two: It was near its threshold.}\n", encoding="utf-8")
    monkeypatch.setattr(verdicts, "EXPLAINED", said)
    assert verdicts.main(["--freeze"]) == 0
    return tmp_path


@pytest.mark.parametrize(
    ("other", "near", "status"), [("holds", "no", 0), ("does not hold", "yes", 0), ("does not hold", "no", 1)]
)
def test_both_verdicts_are_printed(folder: Path, other: str, near: str, status: int) -> None:
    """A verdict that differs without being marked as near its threshold is an error; the page has both."""
    ledger("holds").to_csv("one.csv", index=False)
    ledger(other, near).to_csv("other.csv", index=False)
    assert verdicts.main(["one.csv", "other.csv", "confirmed.md"]) == status
    page = (folder / "confirmed.md").read_text(encoding="utf-8")
    # One claim has the same numbers in both, and could not change.
    assert f"{int(other != 'holds')} of 2 verdicts could change" in page
    assert "SHA-256" in page
    assert page.count("| same numbers ") == 1 + (other == "holds")
    assert ("It was near its threshold." in page) == (other != "holds")
    assert pd.read_csv("confirmed.csv")["verdict_other"].tolist() == ["holds", other]


def test_a_verdict_that_differs_is_explained(folder: Path) -> None:
    """Without a word about it there is no page."""
    ledger("holds").to_csv("one.csv", index=False)
    ledger("does not hold", "yes").to_csv("other.csv", index=False)
    (folder / "explained.yaml").write_text("{}\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="nothing is said of p two"):
        verdicts.main(["one.csv", "other.csv", "confirmed.md"])
    assert not (folder / "confirmed.md").exists()


def test_claims_that_were_changed_are_refused(folder: Path) -> None:
    """A claim that is reworded after the freeze, or a new file, ends the comparison."""
    code = "src/dpbandits/claims/kinds/new.py"
    for name in ("p/claims.yaml", "p/experiments.yaml", "q/claims.yaml", "config.yaml", code):
        file = folder / name if name == code else folder / "config" / name
        before = file.read_text(encoding="utf-8") if file.exists() else None
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text("claims: {one: {}}\n", encoding="utf-8")
        with pytest.raises(SystemExit, match=f"changed since they were frozen: {name}"):
            verdicts.main(["one.csv", "other.csv"])
        file.unlink() if before is None else file.write_text(before, encoding="utf-8")


def test_numbers_that_differ_are_what_is_confirmed(folder: Path) -> None:
    """A verdict whose effect differs between the root seeds counts as confirmed, an equal one does not."""
    one = ledger("holds")
    one.to_csv("one.csv", index=False)
    one.assign(effect=["ratio: 2", "ratio: 1.01"]).to_csv("other.csv", index=False)
    assert verdicts.main(["one.csv", "other.csv", "confirmed.md"]) == 0
    page = (folder / "confirmed.md").read_text(encoding="utf-8")
    assert "1 of 2 verdicts could change" in page
    assert "Of these 1 are confirmed, and 0 changed" in page


def test_what_is_frozen_is_all_that_decides() -> None:
    """Of the repository: each paper's files, the configuration, every kind of test and every computation."""
    names = set(verdicts.digests(ROOT / "config"))
    assert {"config.yaml", "src/dpbandits/core/verdicts.py", "src/dpbandits/claims/evaluate.py"} <= names
    kinds = {
        f"src/dpbandits/claims/kinds/{file.name}" for file in (ROOT / "src/dpbandits/claims/kinds").glob("*.py")
    }
    assert kinds <= names
    assert sum(name.endswith("claims.yaml") for name in names) == 4
    assert sum("/computations/" in name for name in names) > 15


def test_the_fresh_root_seed_is_drawn_from_what_is_frozen(folder: Path) -> None:
    """Nobody chooses it: it follows every claim and the code that decides, but not a docstring."""
    module = folder / "src/dpbandits/claims/kinds/new.py"
    module.parent.mkdir(parents=True)
    seeds = []
    for text in ('"""One."""\nx = 1\n', '"""Another."""\nx = 1  # why\n', "x = 2\n"):
        module.write_text(text, encoding="utf-8")
        assert verdicts.main(["--freeze"]) == 0
        seeds.append((folder / "config" / "confirm.yaml").read_text(encoding="utf-8"))
    assert seeds[0] == seeds[1] != seeds[2]
    assert f"root_seed: {verdicts.fresh_seed(verdicts.digests(folder / 'config'))}\n" in seeds[2]
