"""Pages of algorithms say what docstrings, audits and measurements say; each printed line has its code."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from dpbandits.core import registry
from dpbandits.publish.algorithms import line_number, pseudocode


@pytest.fixture(scope="module")
def tool(root: Path) -> ModuleType:
    """Return tools/algorithm_pages.py."""
    file = root / "tools" / "algorithm_pages.py"
    specification = importlib.util.spec_from_file_location("algorithm_pages", file)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_every_algorithm_has_its_page(root: Path, tool: ModuleType) -> None:
    """If this fails: python tools/algorithm_pages.py."""
    made = tool.pages(root)
    for file, text in made.items():
        assert (root / file).read_text(encoding="utf-8") == text, file
    assert {file.name for file in (root / tool.PAGES).glob("*.md")} == {file.name for file in made}


def test_every_algorithm_was_measured(root: Path, tool: ModuleType) -> None:
    measured = {row["algorithm"] for row in tool.rows_of(root / tool.GLANCE)}
    assert measured == set(registry.modules("algorithm"))


def test_every_listing_has_algorithms_lines_and_code(root: Path) -> None:
    """Lines are in the printed order; each is a line of our code."""
    for listing in pseudocode().values():
        assert set(listing["algorithms"]) <= set(registry.modules("algorithm"))
        printed = [line for line, *_ in listing["lines"]]
        assert printed == sorted(printed)
        for _, words, file, code in listing["lines"]:
            assert words
            assert line_number(root / "src" / "dpbandits", file, code) > 0


def test_a_line_that_is_gone_is_noticed(root: Path, tmp_path: Path) -> None:
    """The check can fail: a renamed variable, and the page cannot be made."""
    file = "settings/stochastic/batches.py"
    place = tmp_path / file
    place.parent.mkdir(parents=True)
    shutil.copy(root / "src" / "dpbandits" / file, place)
    assert line_number(tmp_path, file, "arms.n[arm] += batch") > 0
    place.write_text(place.read_text(encoding="utf-8").replace("+= batch", "+= length"), encoding="utf-8")
    with pytest.raises(ValueError, match="has no line"):
        line_number(tmp_path, file, "arms.n[arm] += batch")
