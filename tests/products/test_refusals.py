"""Configurations that fit the models and would make nothing, or one file twice, are refused with the plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import projects
import pytest

from dpbandits import products
from dpbandits.core.errors import BadInput
from dpbandits.products import refusals
from dpbandits.publish import texts
from dpbandits.runs import plan
from dpbandits.runs.config import checked, load, shipped

PAPER = ("papers", "azize2025")
FIGURE = (*PAPER, "figures", "curves")
SILENT: list[tuple[Sequence[str], object, str]] = [
    ((*FIGURE, "experiments"), [], "papers.azize2025.figures.curves.experiments: [] is not allowed"),
    (
        FIGURE,
        {"draw": "regret-over-time", "computations": [], "caption": "Nothing."},
        "papers.azize2025.figures.curves.computations: [] is not allowed",
    ),
    ((*FIGURE, "caption"), "", "papers.azize2025.figures.curves.caption: '' is not allowed"),
    ((*FIGURE, "caption"), " \n", "papers.azize2025.figures.curves.caption: ' \\n'"),
    ((*PAPER, "title"), "", "papers.azize2025.title: '' is not allowed; allowed: text that is not empty"),
    ((*PAPER, "title"), "  ", "papers.azize2025.title: '  '"),
    (
        ("folders",),
        {"results": "mine", "figures": "mine"},
        "folders.figures: 'mine' is not allowed; allowed: another",
    ),
    (("folders",), {"results": "mine", "figures": "./mine/"}, "folders.figures: './mine/'"),
]


def catalogue(content: Any) -> object:
    """Return the products of a configuration."""
    config = checked(content)
    return products.catalogue(config, plan.all_cells(config), texts.load(config))


@pytest.mark.parametrize(("keys", "value", "told"), SILENT)
def test_nothing_passes_in_silence(keys: Sequence[str], value: object, told: str) -> None:
    content: Any = projects.tiny()
    inner = content
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    with pytest.raises(BadInput) as caught:
        catalogue(content)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_folders_in_one_another_are_allowed() -> None:
    assert catalogue(projects.tiny(folders={"results": "mine", "figures": "mine/figures"}))


def test_what_is_shipped_passes() -> None:
    """Figures of a formula show no experiment."""
    refusals.check(load(shipped(projects.ROOT / "config")))
