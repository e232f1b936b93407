"""Curves for pages: the figure's own numbers, each point with its cell's command, and runs to draw again."""

from __future__ import annotations

import base64
import json
import re
import shlex
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import projects
import pytest

from dpbandits.core import declarations, registry
from dpbandits.core.files import write_arrays
from dpbandits.core.interactive import PlottedFigure
from dpbandits.core.recording import checkpoints
from dpbandits.core.tables import write_table
from dpbandits.papers import cell_tables, curves
from dpbandits.products import Product, catalogue
from dpbandits.publish import texts
from dpbandits.runs import config, folders, plan
from dpbandits.runs.aggregate import aggregate

# Figures without lines: two diagrams, and a row for each algorithm.
NO_LINES = {"interactive-protocol", "reward-representations", "privacy"}
RUNS = 30


def told(file: Path) -> tuple[str, Any]:
    """Return the name and the data that a script hands over."""
    found = re.fullmatch(r"Look\.\w+\((.*)\);\n", file.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    name, data = json.loads(f"[{found[1]}]")
    return name, data


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Product]:
    """Return the scripts of a paper of one figure, from runs that were made up, and their product."""
    folder = tmp_path_factory.mktemp("curves")
    entry = projects.tiny()
    entry["papers"]["azize2025"]["runs"] = {"batches": RUNS, "rounds": RUNS}
    entry["folders"] = {"results": f"{folder}/results", "figures": f"{folder}/figures"}
    file = folder / "mine.yaml"
    file.write_text(json.dumps(entry), encoding="utf-8")
    # The results are outside of the project: a person names such a folder twice.
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(folders.OUTSIDE, str(folder))
        settled = config.load([file])
    known = plan.all_cells(settled)
    products = catalogue(settled, known, texts.load(settled))
    cells = list(known["azize2025", "small"].values())
    for number, cell in enumerate(cells):
        rounds = checkpoints(cell.job.horizon, cell.job.checkpoints)
        steps = np.random.default_rng(number).pareto(1.5, (RUNS, len(rounds))) + 0.5
        seeds = np.arange(RUNS)
        for name, block in zip(cell.files, cell.run_numbers, strict=True):
            regret = np.cumsum(steps, axis=1)[block.start : block.stop]
            arrays = {"regret": regret, "rounds": rounds, "seeds": seeds[block.start : block.stop]}
            path = folder / "results" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_arrays(path, arrays, cell.job.record)
    table = aggregate(cells, folder / "results", 3, 0.95)
    write_table(table, Path(products["aggregate", "azize2025", "small"].main))
    for (kind, *_), product in products.items():
        if kind == "figure":
            replace(product, files={"csv": product.main}).make()
    product = products["curves", "azize2025"]
    index = Path(product.main)
    written = product.make()
    assert {file.name for file in written} == {file.name for file in index.parent.glob("*.js")} - {index.name}
    return index.parent, product


def test_every_figure_of_lines_has_curves() -> None:
    """All kinds but those that draw none."""
    kinds = {name: declarations.figure(name) for name in registry.modules("figure")}
    drawing = {name for name, kind in kinds.items() if isinstance(kind, PlottedFigure)}
    assert set(kinds) - drawing == NO_LINES


@pytest.mark.parametrize("stem", ["curves", "curves-published"])
def test_curves_are_the_figures_numbers(made: tuple[Path, Product], stem: str) -> None:
    """Every height that the figure's CSV has is the CSV's, in seven digits; each row's mean is there once."""
    folder, product = made
    name, data = told(folder / f"{stem}.js")
    assert name == f"azize2025/{stem}"
    numbers = pd.read_csv(product.figure_tables[stem])
    seen: list[int] = []
    for curve in (curve for panel in data["panels"] for curve in panel["curves"]):
        rows = numbers.iloc[curve["lines"]]
        assert curve["x"] == rows["round"].tolist()
        assert curve["runs"] == rows["runs"].tolist()
        heights = {height["word"]: height for height in curve["heights"]}
        # Panels of the runs' spread show one statistic a curve, of the same rows.
        if "mean" in heights:
            seen += curve["lines"]
            assert heights["mean"]["columns"] == {"value": "mean", "low": "mean_low", "high": "mean_high"}
        else:
            assert len(heights) == 1
        for height in heights.values():
            for part, column in height["columns"].items():
                drawn = [np.nan if value is None else value for value in height[part]]
                # Of a curve whose tail a figure does not show, its CSV has none.
                shown = rows[column].notna()
                np.testing.assert_allclose(np.array(drawn)[shown], rows[column][shown], rtol=1e-6)
    assert sorted(seen) == list(range(len(numbers)))


def test_points_have_their_cells_command(made: tuple[Path, Product]) -> None:
    """The command is the rule's, with all seeds; statistics beside the figure's are that cell's."""
    folder, product = made
    _, data = told(folder / "curves.js")
    cells = product.experiments["small"]
    table = pd.read_csv(product.aggregates["small"])
    titles = set()
    for curve in (curve for panel in data["panels"] for curve in panel["curves"]):
        (number,) = set(curve["cells"])
        cell = cells[number]
        entry = data["cells"][str(number)]
        assert shlex.split(entry["command"])[2:-4] == cell.command
        assert entry["command"].endswith(f"--seeds 0-{RUNS - 1} --output out.npz")
        assert entry["name"] in cell.files[0]
        titles.add(cell.algorithm)
        own = table[(table["algorithm"] == cell.algorithm) & (table["version"] == "full")].set_index("round")
        heights = {height["word"]: height for height in curve["heights"]}
        for word, column in curves.SPREAD.items() if "mean" in heights else ():
            height = heights[word]
            np.testing.assert_allclose(height["value"], own[column].loc[curve["x"]], rtol=1e-6)
    assert titles == {cell.algorithm for cell in cells}


def test_a_lower_bound_is_that_of_the_bandit(made: tuple[Path, Product]) -> None:
    """It grows as the logarithm of the rounds."""
    _, data = told(made[0] / "curves.js")
    (curve, *_) = data["panels"][0]["curves"]
    (bound,) = curve["bounds"].values()
    slopes = np.array(bound) / np.log(curve["x"])
    np.testing.assert_allclose(slopes, slopes[0], rtol=1e-6)
    assert slopes[0] > 0


def test_kept_runs_are_runs(made: tuple[Path, Product]) -> None:
    """Unpacked as a page does, they are the first runs of each cell at some of its rounds, to 0.4 %."""
    folder, product = made
    name, data = told(folder / "runs-small.js")
    assert name == "azize2025/small"
    for cell in product.experiments["small"]:
        entry = data[curves.name_of(cell)]
        planes = np.frombuffer(zlib.decompress(base64.b64decode(entry["data"]), -15), dtype=np.uint8)
        high, low = planes.reshape(2, -1).astype(np.uint32)
        kept = ((high << 24) | (low << 16)).astype("<u4").view("<f4").reshape(len(entry["rounds"]), entry["runs"])
        regret = np.concatenate([np.load(Path(product.results) / file)["regret"] for file in cell.files])
        rounds = checkpoints(cell.job.horizon, cell.job.checkpoints)
        places = np.searchsorted(rounds, entry["rounds"])
        np.testing.assert_allclose(kept.T, regret[: entry["runs"], places], rtol=1 / 256)
        assert entry["rounds"][-1] == cell.job.horizon


def test_explore_has_every_cell(made: tuple[Path, Product]) -> None:
    """With what tells it apart, its statistics and its command."""
    folder, product = made
    _, data = told(folder / "explore-small.js")
    cells = product.experiments["small"]
    assert {row["algorithm"] for row in data["rows"]} == {cell.algorithm for cell in cells}
    assert data["over_time"]
    table = pd.read_csv(product.aggregates["small"])
    last = table[(table["version"] == "full") & (table["round"] == table["horizon"])].set_index("algorithm")
    for row in data["rows"]:
        assert row["mean"][-1] == pytest.approx(last.loc[row["algorithm"], "mean"], rel=1e-6)
        assert row["runs"] == RUNS


def test_a_row_has_the_statistics_of_the_cell_it_names(made: tuple[Path, Product]) -> None:
    """Cells that share a title, a budget and an environment too; a row without a cell has none."""
    product = made[1]
    cells = product.experiments["small"]
    known = cell_tables.cell_table(cells, [Path(product.aggregates["small"])])
    rows = pd.DataFrame({"cell": [cell.name for cell in cells] + [None], "runs": RUNS})
    found = cell_tables.joined(rows, known, "full")
    assert found["cell"].tolist() == [*range(len(cells)), -1]
    full = known.rows[(known.rows["version"] == "full") & (known.rows["round"] == known.rows["horizon"])]
    for number, cell in enumerate(cells):
        assert found["algorithm"][number] == cell.algorithm
        assert found["q95"][number] == full.set_index("cell")["q95"][number]
    assert np.isnan(found["q95"].iloc[-1])


def test_numbers_are_short() -> None:
    """Seven digits, whole numbers without a point, nothing where there is no number."""
    assert curves.numbers([1.0, 0.1234567891, np.nan, np.inf, 1e20]) == [1, 0.1234568, None, None, 1e20]
