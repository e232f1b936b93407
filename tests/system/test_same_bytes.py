"""Golden arrays: runs of every algorithm and environment have the bytes that are committed.

A change that is meant to move numbers draws them anew: ``python -m dpbandits.runs.golden 2026-11``, with the month.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from dpbandits.core import registry
from dpbandits.runs import config, golden
from dpbandits.runs.golden import Golden


def of_setting(setting: str) -> Sequence[Golden]:
    """Return the golden runs of one setting."""
    return [cell for cell in golden.known() if registry.setting("algorithm", cell.algorithm) == setting]


@pytest.mark.parametrize(
    "setting", sorted({registry.setting("algorithm", cell.algorithm) for cell in golden.known()})
)
def test_golden_arrays(setting: str) -> None:
    assert [cell.label for cell in golden.changed(of_setting(setting))] == []


def test_everything_has_some(root, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """Every algorithm and every kind of environment of the configuration is among them."""
    monkeypatch.chdir(root)
    _, cells = config.planned([*config.shipped(root / "config"), root / "config" / "small.yaml"])
    jobs = [cell.job for experiment in cells.values() for cell in experiment.values()]
    assert {job.algorithm for job in jobs} == {cell.algorithm for cell in golden.known()}
    assert {job.environment["kind"] for job in jobs} <= {cell.environment["kind"] for cell in golden.known()}


def test_one_other_run_is_noticed() -> None:
    """The control: an array of other runs has another digest."""
    cell = golden.known()[0]
    assert golden.changed([cell]) == []
    other = dataclasses.replace(cell, first=cell.first + 1)
    assert golden.changed([other]) == [other]
