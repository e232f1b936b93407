"""Parts at several horizons are apart and named; pairs are held to both limits; a claim's data are read once."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpbandits.claims import evaluate
from dpbandits.claims.declarations import Evidence, Outcome, claim_test
from dpbandits.claims.kinds._tables import horizons_named
from dpbandits.runs import config, plan
from dpbandits.runs.aggregate import Measured


def outcome(kind: str, runs: Any = (), computed: Any = None, **options: Any) -> Outcome:
    test = claim_test(kind)
    seen = Evidence(pd.DataFrame(), computed or {}, runs, pd.DataFrame(), 20)
    found: Outcome = test.evaluate(seen, **test.resolve(options))
    return found


def at_horizons(tiny: Any, means: dict[int, float], rival: float) -> list[Measured]:
    """Return runs of DP-IMED with a mean at each horizon, and of DP-SE with one mean, in one setting."""
    tiny["papers"]["azize2025"]["experiments"]["small"]["algorithms"] = ["dp-imed", "dp-se"]
    found = []
    for cell in plan.cells(config.checked(tiny), "azize2025", "small"):
        for horizon, mean in means.items():
            placed = dataclasses.replace(cell, job=dataclasses.replace(cell.job, horizon=horizon))
            spread = 1.0 + 0.1 * np.random.default_rng(0).standard_normal((400, 1))
            regret = (mean if cell.algorithm == "dp-imed" else rival) * spread
            found.append(Measured(placed, regret, np.array([horizon])))
    return found


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("times-less", {"ours": ["DP-IMED"]}),
        ("exceedance", {"of": "DP-IMED", "against": "DP-SE", "multiple": 1.0}),
    ],
)
def test_a_part_names_its_horizon_where_there_are_several(tiny: Any, kind: str, options: Any) -> None:
    """DP-IMED is worse at the first horizon alone: its runs there are compared with no others."""
    several = outcome(kind, at_horizons(tiny, {1000: 20.0, 2000: 5.0}, 10.0), **options).findings
    alone = outcome(kind, at_horizons(tiny, {1000: 20.0}, 10.0), **options).findings
    assert len(several) == 2 * len(alone) and len({found.part for found in several}) == len(several)
    for horizon, side in ((1000, "fails"), (2000, "holds")):
        own = [found for found in several if f", T = {horizon:,}" in found.part]
        assert len(own) == len(alone)
        assert {(found.decision.side, found.cell["horizon"]) for found in own} == {(side, horizon)}
    # One horizon is not named: the names of parts, and what is drawn by them, stay as they are.
    assert not any("T =" in found.part for found in alone)


def test_names_of_places_are_sorted() -> None:
    named = horizons_named([("b", 1.0, 10), ("a", 0.5, 2000), ("a", 0.5, 1000), ("b", 1.0, 10)])
    assert list(named.values()) == ["a, ε = 0.5, T = 1,000", "a, ε = 0.5, T = 2,000", "b, ε = 1"]


@pytest.mark.parametrize(
    ("limits", "told", "side"),
    [
        ({"at_least": 0.8, "at_most": 3.0}, 0.5, "fails"),
        ({"at_least": 0.1, "at_most": 1.5}, 2.0, "fails"),
        ({"at_least": 0.4, "at_most": 10.0}, 0.5, "holds"),
        ({"at_least": 0.1, "at_most": 2.1}, 2.0, "holds"),
        ({"at_least": -1.0, "at_most": 9.0}, 2.0, "holds"),
        ({"at_most": 9.0}, 2.0, "holds"),
        ({"at_least": 0.1}, 0.5, "holds"),
    ],
)
def test_exact_pairs_are_held_to_both_limits(limits: dict[str, float], told: float, side: str) -> None:
    """Of the ratios 0.5, 1 and 2 the smallest meets the lower limit, and the largest the upper one."""
    values = {"which": ["x", "y"] * 3, "k": [1, 1, 2, 2, 3, 3], "value": [8.0, 4.0, 2.0, 4.0, 1.0, 1.0]}
    options = {"value": "value", "column": "which", "one": "x", "other": "y", "match": ["k"], **limits}
    (found,) = outcome("paired-ratio", computed={"t": pd.DataFrame(values)}, **options).findings
    assert (found.estimate.value, found.decision.side) == (told, side)


def test_what_several_tests_read_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs, tables and audits of one claim, however many of its tests name them."""
    read: list[str] = []
    table = pd.DataFrame({"version": ["full"], "round": [9], "horizon": [9], "value": [1.0]})
    measured = SimpleNamespace(cell="cell", regret=np.zeros((2, 3)), rounds=np.arange(3))
    monkeypatch.setattr(evaluate, "read_tables", lambda files: read.extend(map(str, files)) or table)
    monkeypatch.setattr(evaluate, "read_cell", lambda cell, _: read.append(cell) or measured)

    def test(kind: str, experiments: list[str], computations: list[str]) -> Any:
        return {"test": kind, "experiments": experiments, "computations": computations, "some": False}

    tests = [
        test("trend", ["e"], []),
        test("regret-ratio", ["e"], []),
        test("times-less", ["e", "f"], []),
        test("exceedance", ["f"], []),
        test("paired-ratio", [], ["c"]),
        test("inequality", [], ["c"]),
        test("privacy", [], []),
        test("privacy", [], []),
    ]
    cells: Any = {"e": ["e1", "e2"], "f": ["f1"]}
    found = evaluate.evidence_of_claim(tests, 20, 0, "results", cells, {"e": "e.csv"}, {"c": "c.csv"}, "p.csv")
    assert sorted(read) == ["c.csv", "e.csv", "e1", "e2", "f1", "p.csv"]
    assert [len(each.runs) for each in found] == [0, 0, 3, 1, 0, 0, 0, 0]
    assert [len(each.aggregates) for each in found] == [1, 1, 0, 0, 0, 0, 0, 0]
    assert [len(each.computed) for each in found] == [0, 0, 0, 0, 1, 1, 0, 0]
    assert [len(each.audits) for each in found] == [0, 0, 0, 0, 0, 0, 1, 1]
