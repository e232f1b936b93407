"""What docs/policies.md promises is run: the A/B test on a table, and the adapters."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpbandits

PAGE = (Path(__file__).parents[2] / "docs" / "policies.md").read_text(encoding="utf-8")


def code(mark: str) -> list[str]:
    """Return the page's programs that follow a mark."""
    return re.findall(rf"<!-- {mark} -->\n```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_ab_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    sales = rng.random((4000, 3)) < [0.1, 0.3, 0.6]
    with (tmp_path / "visits.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["plain", "question", "number"])
        writer.writerows(sales.astype(int).tolist())
    monkeypatch.chdir(tmp_path)
    (program,) = code("example")
    exec(compile(program, "docs/policies.md", "exec"), {})
    said = capsys.readouterr().out
    found = re.fullmatch(r"sales (\d+), shown \[(\d+), (\d+), (\d+)\], epsilon 1 by \d+ kinds of release\n", said)
    assert found is not None
    # The best headline earns 0.6; a uniform choice 1,333 in expectation.
    assert int(found[1]) > 2000
    assert int(found[4]) > 3000


def test_adapters() -> None:
    names: dict[str, Any] = {}
    for program in code("adapter"):
        exec(compile(program, "docs/policies.md", "exec"), names)
    wise = dpbandits.BanditEstimator("dp-imed", arms=["a", "b"], epsilon=1.0, random_state=1)
    river = names["AsRiver"](dpbandits.policy("dp-imed", arms=2, epsilon=1.0, seed=1))
    for _ in range(50):
        name = wise.predict()
        wise.partial_fit([name], [1.0])
        (arm,) = river.pull(["a", "b"])
        river.update(arm, 1.0, arm_ids=["a", "b"])
        assert arm == name
