"""Published results: small, undamaged, and drawn beside one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

import dpbandits
from dpbandits.core.errors import BadInput, DamagedFile
from dpbandits.notebook import published as module
from dpbandits.notebook.published import FOLDER, manifest, published
from dpbandits.runs import config as configuration

# Of all files together.
MOST_BYTES = 3 * 10**6


def test_all_are_there_small_and_undamaged(root: Path) -> None:
    """Each figure's aggregates can be read; environments are those of the configuration."""
    known = manifest()
    assert {str(file.relative_to(FOLDER)) for file in FOLDER.rglob("*.gz")} == set(known["files"])
    assert sum(file.stat().st_size for file in FOLDER.rglob("*")) <= MOST_BYTES
    assert set(known["seals"]) == set(known["files"])
    for paper, figures in known["figures"].items():
        for figure in figures:
            found = published(paper, figure)
            assert len(found.frame) > 0
            assert found.version in repr(found)
            assert all(seal in repr(found) for seal in found.seals.values())
    config = configuration.load(configuration.shipped(root / "config"))
    drawn = {paper: set(content.figures) for paper, content in config.papers.items()}
    assert {paper: set(figures) for paper, figures in known["figures"].items()} == {**drawn, "all": {"privacy"}}
    for content in config.papers.values():
        for name, given in content.environments.items():
            assert known["environments"][name] == dict(given)


def test_own_curve_beside_a_published_one(tmp_path: Path) -> None:
    """One call each; the panel is that of the same environment and budget."""
    pytest.importorskip("matplotlib").use("Agg")
    mine = dpbandits.grid(
        [("dp-imed", {"n0": 40})], environments=["mu1"], epsilons=[0.1], horizon=2000, runs=5, cache=tmp_path
    )
    behind = published("azize2025", "fig4")
    axes = mine.beside("azize2025", "fig4")
    assert axes.get_title() == "azize2025 fig4: mu1, ε = 0.1"
    assert len(axes.lines) == behind.of_panel("mu1", 0.1)["algorithm"].nunique() + 1


def test_a_damaged_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its digest in the manifest."""
    name = next(iter(manifest()["files"]))
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_bytes((FOLDER / name).read_bytes()[:-1] + b"x")
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    with pytest.raises(DamagedFile, match="install the package again"):
        module._read(name)


@pytest.mark.parametrize(
    ("paper", "figure", "told"), [("azize", "fig4", "azize2025"), ("azize2025", "fig44", "fig4")]
)
def test_unknown_names_are_refused(paper: str, figure: str, told: str) -> None:
    """With the nearest one."""
    with pytest.raises(BadInput, match=told):
        published(paper, figure)
