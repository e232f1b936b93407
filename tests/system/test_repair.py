"""Damaged files are noticed, and repaired to the same bytes: flipped, cut, removed, exchanged, edited by hand."""

from __future__ import annotations

import shutil
from pathlib import Path

import damages
import numpy as np
import pytest
from projects import Finished, environment
from snakemakes import Snakemake
from tiers import core

from dpbandits.cli.main import main
from dpbandits.core.files import write_json
from dpbandits.integrity.verify import examine, repair

FOLDERS = [Path("results"), Path("figures")]
SAVED = FOLDERS[0] / "config.json"


@pytest.fixture
def project(tiny_run: Finished, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the finished tiny project, and work in it."""
    folder = tmp_path / "copy"
    shutil.copytree(tiny_run.folder, folder, symlinks=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.usefixtures("project")
def test_every_file_of_a_run_can_be_checked() -> None:
    """But for logs: so nothing can be damaged unnoticed."""
    examined = examine(FOLDERS)
    assert not examined.damaged
    assert set(damages.state(FOLDERS)) == set(examined.damage)


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("seed", core(range(20), lambda seed: seed < 4))
def test_random_damages_are_noticed(seed: int) -> None:
    """Each is named, or its seal, or what it is the seal of."""
    seals = examine(FOLDERS).seals
    damaged = damages.damage(FOLDERS, 5, np.random.default_rng(seed))
    assert not damages.unnoticed(damaged, damages.named(FOLDERS), seals)


@pytest.mark.parametrize("at_hand", [True, False])
def test_exchanged_arrays_are_noticed_without_the_configuration(project: Path, at_hand: bool) -> None:
    """It says what belongs where; if it is damaged as well, one at hand does, or seals of what was made of them."""
    if not at_hand:
        (project / "mine.yaml").unlink()
    one, other, *_ = sorted(project.glob("results/*/cells/**/*.npz"))
    content = one.read_bytes(), other.read_bytes()
    for file, exchanged in zip((one, other), reversed(content), strict=True):
        file.write_bytes(exchanged)
    (project / SAVED).unlink()
    assert {one.relative_to(project), other.relative_to(project)} <= damages.named(FOLDERS)
    one.write_bytes(content[0])
    other.write_bytes(content[1])
    assert damages.named(FOLDERS) == {SAVED}


@pytest.mark.parametrize("at_hand", [True, False])
def test_missing_arrays_are_noticed_without_the_configuration(project: Path, at_hand: bool) -> None:
    """By one at hand, or by what was made of them."""
    if not at_hand:
        (project / "mine.yaml").unlink()
    folder = next(project.glob("results/*/cells/*/dp-imed/*/*/*"))
    (whole,) = folder.glob("*.npz")
    assert whole.name == "0-5.npz"
    content = whole.read_bytes()
    whole.unlink()
    (project / SAVED).unlink()
    assert damages.named(FOLDERS) == {whole.relative_to(project), SAVED}
    whole.write_bytes(content)
    assert damages.named(FOLDERS) == {SAVED}


def test_what_is_no_seal_in_the_place_of_one_is_noticed(project: Path) -> None:
    """Even though it is a file that we wrote."""
    ours = {file for file in project.glob("results/**/*.json") if file.with_suffix(".csv").is_file()}
    write_json(project / "other.json", {"text": "not a seal"})
    for seal in ours:
        content = seal.read_bytes()
        shutil.copy(project / "other.json", seal)
        assert seal.relative_to(project) in damages.named(FOLDERS)
        seal.write_bytes(content)


@pytest.mark.slow
def test_random_damages_are_repaired_to_the_same_bytes(project: Path) -> None:
    """By removing what is damaged and one plain run of Snakemake."""
    before = damages.state(FOLDERS)
    for seed in range(2):
        assert damages.damage(FOLDERS, 12, np.random.default_rng(100 + seed), [SAVED] * seed)
        assert repair(FOLDERS)
        Snakemake(project, ("--cores", "2", "--configfile", "mine.yaml"), environment(project)).end()
        assert damages.state(FOLDERS) == before
        assert not examine(FOLDERS).damaged


def test_what_is_not_ours_stays(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file without a seal is named, not removed; a seal cannot name a file elsewhere."""
    mine, elsewhere = project / "results" / "mine.csv", project / "mine.yaml"
    mine.write_text("x\n1\n", encoding="utf-8")
    write_json(project / "results" / "hostile.json", {"files": {"../mine.yaml": "0"}})
    assert main(["repair"]) == 0
    said = capsys.readouterr().out
    assert "results/mine.csv: a file without a seal" in said
    assert "hostile.json: a seal of files elsewhere" in said
    assert mine.exists()
    assert elsewhere.exists()
    assert not (project / "results" / "hostile.json").exists()
    assert main(["verify"]) == 1


def test_missing_files_are_named_without_configuration_and_seals(project: Path) -> None:
    """By the seals of what was made from them."""
    aggregate = next(project.glob("results/*/aggregates/*.csv"))
    for file in (aggregate, aggregate.with_suffix(".json"), project / SAVED, project / "mine.yaml"):
        file.unlink()
    assert aggregate.with_suffix(".json").relative_to(project) in damages.named(FOLDERS)


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("seed", core(range(10), lambda seed: seed < 2))
def test_a_configuration_at_hand_stands_for_the_damaged_one(seed: int) -> None:
    """All damages are named, that of the configuration among them: ``mine.yaml`` lies in the project."""
    seals = examine(FOLDERS).seals
    chance = np.random.default_rng(1000 + seed)
    damaged = damages.damage(FOLDERS, 9, chance, [SAVED])
    assert not damages.unnoticed(damaged, damages.named(FOLDERS), seals)


def test_a_configuration_of_something_else_is_not_believed(project: Path) -> None:
    """Arrays that are whole stay, if no configuration at hand plans them."""
    (project / SAVED).unlink()
    other = (project / "mine.yaml").read_text(encoding="utf-8")
    (project / "mine.yaml").write_text(other.replace("2000", "3000"), encoding="utf-8")
    assert {file.suffix for file in damages.named(FOLDERS)} <= {".json"}
    repair(FOLDERS)
    assert len(list(project.glob("results/**/*.npz"))) == 4


def test_results_without_snakemakes_memory_are_known_by_what_they_are(project: Path) -> None:
    """As they were made, nothing is done; with another root seed, stale ones are named and left."""
    shutil.rmtree(project / ".snakemake")
    surroundings, words = environment(project), ("-n", "--configfile", "mine.yaml")
    assert "Nothing to be done" in Snakemake(project, words, surroundings).end()
    shutil.rmtree(project / ".snakemake")
    text = (project / "mine.yaml").read_text(encoding="utf-8")
    (project / "mine.yaml").write_text(text.replace("root_seed: 5", "root_seed: 6"), encoding="utf-8")
    told = Snakemake(project, words, surroundings).end(status=1)
    assert "0-5.npz" in told
    assert "move these files away" in told
