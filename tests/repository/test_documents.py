"""Numbers in README, docs and captions come from results: documents are fresh, and no measured number is typed."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

LARGEST_PICTURE = 100_000


@pytest.fixture(scope="module")
def documents() -> ModuleType:
    """Return tools/documents.py."""
    file = Path(__file__).parents[2] / "tools" / "documents.py"
    specification = importlib.util.spec_from_file_location("documents", file)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture
def copy(root: Path, tmp_path: Path, documents: ModuleType) -> Path:
    """Return a folder with what the documents are made from."""
    others = ("config", "docs", "profiles", "benchmarks/audits.json", "benchmarks/replays.json", "CITATION.cff")
    for name in (*documents.REGIONS, *others):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if (root / name).is_dir():
            shutil.copytree(root / name, place, dirs_exist_ok=True)
        else:
            shutil.copy(root / name, place)
    return tmp_path


@pytest.mark.budget(1)
def test_documents_say_what_the_snapshot_says(root: Path, documents: ModuleType) -> None:
    """If this fails: python tools/documents.py."""
    for name, text in documents.documents():
        assert (root / name).read_text(encoding="utf-8") == text, name


def test_every_region_is_there_once(root: Path, documents: ModuleType) -> None:
    """A region that was lost would no longer be checked."""
    for name, regions in documents.REGIONS.items():
        found = [match[2] for match in documents.REGION.finditer((root / name).read_text(encoding="utf-8"))]
        assert sorted(each for each in found if each in regions) == sorted(regions), name


def test_a_confirmation_of_earlier_tests_is_told_so(
    root: Path, copy: Path, documents: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A root seed that was drawn and not run yet confirms nothing of today, in README and in the findings."""
    full = documents.full_scale(root)
    monkeypatch.setattr(documents, "full_scale", lambda _: full)
    with (copy / "config" / "seeds.csv").open("a", encoding="utf-8") as log:
        log.write("1,now,tests changed,\n")
    earlier = "no verdict of today"
    assert earlier in documents.found(copy)
    assert earlier in documents.confirmed(copy)
    monkeypatch.setattr(documents, "of_today", lambda *_: True)
    assert earlier not in documents.found(copy)
    assert earlier not in documents.confirmed(copy)


@pytest.mark.budget(1)
def test_a_changed_number_is_noticed(copy: Path, documents: ModuleType) -> None:
    """The check can fail: on a changed document, and on a changed snapshot."""
    page = copy / "docs" / "findings.md"
    kept = page.read_text(encoding="utf-8")
    page.write_text(kept.replace(" microseconds at T", "1 microseconds at T"), encoding="utf-8")
    assert documents.fresh("docs/findings.md", copy) == kept != page.read_text(encoding="utf-8")
    readme = documents.fresh("README.md", copy)
    ledger = copy / documents.SNAPSHOT / "claims.csv"
    ledger.write_text(ledger.read_text(encoding="utf-8").replace("does not hold", "not decided"), encoding="utf-8")
    assert documents.fresh("README.md", copy) != readme


def test_no_measured_number_is_typed(root: Path, documents: ModuleType) -> None:
    """A number with a unit stands in a region or in code, in documents and in captions."""
    files = [root / "README.md", root / "benchmarks/README.md", *root.glob("docs/*.md"), *root.glob("config/*.md")]
    texts = {str(file): file.read_text(encoding="utf-8") for file in files} | dict(documents.captions())
    assert len(texts) > 40
    assert {where: found for where, text in texts.items() if (found := documents.stray(text))} == {}


TYPED = ("some 20 minutes", "15 µs", "1,200.5 GB", "in 3 nanoseconds", "99.5 % of it", "7%", "3.5 s")


@pytest.mark.parametrize("typed", TYPED)
def test_typed_numbers_are_found(typed: str, documents: ModuleType) -> None:
    """The rule above can fail."""
    assert documents.stray(f"It takes {typed}.")
    assert not documents.stray(f"<!-- begin: x -->\n{typed}\n<!-- end: x -->\nand `{typed}` on 2 cores, T = 10")
    assert not documents.stray("its 99 % quantile")


@pytest.mark.budget(1)
def test_pictures_are_drawn_from_the_snapshot(root: Path, documents: ModuleType, tmp_path: Path) -> None:
    """If this fails: python tools/documents.py. A picture older than its figure's code says what was."""
    documents.draw_pictures(tmp_path)
    for drawn in tmp_path.iterdir():
        assert drawn.read_bytes() == (root / documents.SNAPSHOT / drawn.name).read_bytes(), drawn.name
    assert len(list(tmp_path.iterdir())) == len(documents.featured()) > 0


def test_pictures_are_small(root: Path, documents: ModuleType) -> None:
    """Figures of README and docs are there, and small enough for a repository."""
    shown = [*(f"{paper}-{figure}.png" for paper, figure in documents.featured()), "rare-runs.png"]
    for name in shown:
        assert 0 < (root / documents.SNAPSHOT / name).stat().st_size < LARGEST_PICTURE


def test_the_snapshot_is_of_the_results(root: Path, documents: ModuleType) -> None:
    """Where full-scale results are, the snapshot's ledger and privacy table are theirs."""
    results = root / "results"
    complete = all((results / name).is_file() for name in documents.COPIED)
    if not complete or not documents.of_full_scale(results):
        pytest.skip("no full-scale results here")
    for name in documents.COPIED:
        assert (results / name).read_bytes() == (root / documents.SNAPSHOT / name).read_bytes(), name
