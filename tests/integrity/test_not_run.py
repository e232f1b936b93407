"""A paper that nobody asked for is not damaged; blocks of an older number of runs are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from projects import tiny

import dpbandits
from dpbandits.cli.main import main
from dpbandits.core.files import write_json
from dpbandits.integrity.verify import verify
from dpbandits.runs import config as configuration
from dpbandits.runs import plan
from dpbandits.runs.job import run_to_file


@pytest.fixture
def planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> plan.Cells:
    """Return the cells of two papers with one saved configuration; of the first, all cells are there."""
    monkeypatch.chdir(tmp_path)
    content: dict[str, Any] = tiny()
    content["papers"]["other"] = content["papers"]["azize2025"]
    config = configuration.checked(content)
    Path("figures").mkdir()
    write_json(Path("results/config.json"), {"configuration": config.model_dump(mode="json")})
    cells = plan.all_cells(config)
    for (paper, _), of_experiment in cells.items():
        for cell in of_experiment.values() if paper == "azize2025" else ():
            for file, seeds in zip(cell.files, cell.run_numbers, strict=True):
                run_to_file(cell.job, seeds, Path("results", file))
    return cells


def test_a_paper_that_was_not_asked_for(planned: plan.Cells, capsys: pytest.CaptureFixture[str]) -> None:
    """It is one line with the number of its files, until something of it is there."""
    found = verify([Path("results"), Path("figures")])
    assert found.not_run["other"] > 4
    # The first paper's aggregates are missing, for its cells are there.
    assert {Path(damage.file).parts[1] for damage in found.damaged} == {"azize2025"}
    main(["verify"])
    assert f"other: not run ({found.not_run['other']} files)" in capsys.readouterr().out
    cell = next(iter(planned["other", "small"].values()))
    run_to_file(cell.job, cell.run_numbers[0], Path("results", cell.files[0]))
    found = verify([Path("results"), Path("figures")])
    assert found.not_run == {}
    assert {Path(damage.file).parts[1] for damage in found.damaged} > {"azize2025", "other"}


def test_leftover_blocks(planned: plan.Cells) -> None:
    """They are named, moved aside, and never read."""
    cell = next(iter(planned["azize2025", "small"].values()))
    leftover = Path("results", cell.files[0]).parent / "0-2.npz"
    run_to_file(cell.job, range(3), leftover)
    told = [str(damage) for damage in verify([Path("results")]).damaged if damage.file == str(leftover)]
    assert told == [
        f"{leftover}: a block of another number of runs, not one that is planned; "
        "nothing reads it; `dpbandits repair` moves it aside."
    ]
    frame = dpbandits.results().runs("small", paper="azize2025")
    assert frame.groupby(["algorithm", "epsilon"], dropna=False)["run"].nunique().tolist() == [6, 6, 6, 4]
    main(["repair", "results", "--yes"])
    assert not leftover.exists()
