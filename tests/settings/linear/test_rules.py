"""The rules of elimination algorithms by hand: batches, pulls, widths, levels and noise at one horizon."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpbandits.core import registry
from dpbandits.core.fields import Tuning
from dpbandits.settings.linear.algorithms import (
    clipped_elimination_m1,
    clipped_elimination_m1_low,
    phased_elimination,
    private_elimination_m1,
    private_elimination_m2,
    robust_elimination,
    robust_elimination_m1,
    robust_elimination_m1_printed,
    robust_elimination_m2,
    robust_elimination_m2_printed,
    robust_phased_elimination,
)
from dpbandits.settings.linear.elimination import (
    M1,
    M2,
    Batch,
    Rules,
    known_threshold,
    no_filter,
    printed_threshold,
)

# T = 10,000 and 4 batches: batches grow by 10. Where an action is played nu of a batch at least, of d = 5 actions
# at most 25 are: with nu = 0.6 batches grow by the fourth root of 10,000/16, which is 5.
HORIZON, GIVEN = (
    10_000,
    {"epsilon": 0.5, "B": 4, "delta": 0.05, "alpha": 0.01, "nu": 0.6, "clip": 2.0, "factor": 0.5},
)
MODULES: Any = {
    module.__name__.rpartition(".")[2].replace("_", "-"): module
    for module in (
        clipped_elimination_m1,
        clipped_elimination_m1_low,
        phased_elimination,
        private_elimination_m1,
        private_elimination_m2,
        robust_elimination,
        robust_elimination_m1,
        robust_elimination_m1_printed,
        robust_elimination_m2,
        robust_elimination_m2_printed,
        robust_phased_elimination,
    )
}
BATCH = Batch(2, 5, 7, 100, 4, 0.5, 3.0, 20.0)
LOG = math.log(2 / 0.05)


def rules(name: str, monkeypatch: pytest.MonkeyPatch, **given: float) -> Rules:
    """Return the rules by which an algorithm plays."""
    module = MODULES[name]
    found: list[Rules] = []
    monkeypatch.setattr(module, "eliminate", lambda _, __, rules: found.append(rules))
    runs: Any = SimpleNamespace(horizon=HORIZON)
    bandit: Any = SimpleNamespace(actions=np.empty((9, 5)))
    known = {each.name for each in registry.algorithm(name).parameters}
    if registry.algorithm(name).privacy:
        known |= {"epsilon"}
    module.simulate(runs, bandit, **{key: value for key, value in {**GIVEN, **given}.items() if key in known})
    return found[0]


def pulled(found: Rules, number: int, *weights: float, rank: int = 3) -> list[int]:
    """Return the pulls of a batch, by a design of these weights on 9 actions."""
    design: Any = SimpleNamespace(weights=np.array(weights), rank=rank, coordinates=np.empty((9, rank)))
    return [int(number) for number in found.pulls(number, design)]


def stated(alpha: float, variance: float) -> float:
    """Return the stated width of the batch, times the factor 1/2."""
    return 0.5 * (math.sqrt(2 * variance * LOG * 0.5) + 3 * LOG * 0.5 + math.sqrt(0.5 * 100 * 20 * alpha))


@pytest.mark.parametrize(
    ("name", "threshold", "alpha", "scale"),
    [
        ("private-elimination-m1", no_filter, 0.0, 8.0),
        ("robust-elimination-m1", known_threshold, 0.01, 8.0),
        ("robust-elimination", known_threshold, 0.01, 0.0),
        ("private-elimination-m2", no_filter, 0.0, 8.0),
        ("robust-elimination-m2", known_threshold, 0.01, 8.0),
    ],
)
def test_the_repaired_ones(
    name: str, threshold: object, alpha: float, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches 1 to 3, of sums q^i, and Lap(2 clip/epsilon)."""
    found = rules(name, monkeypatch)
    model = M2 if name.endswith("m2") else M1
    assert (found.batches, found.threshold, found.model) == (range(1, 4), threshold, model)
    assert (found.clip, found.scale, found.level, found.support_only) == (2.0, scale, math.inf, False)
    assert found.width(BATCH) == pytest.approx(stated(alpha, 1.0 / 4.0 + 2.0 * 9.0))
    assert pulled(found, 2, 0.7499, 0.2499) == ([19, 15] if model is M2 else [75, 25])


def clipped(level: float, bias: float) -> float:
    """Return the width with reports that are cut, times the factor 1/2."""
    weights = math.sqrt(100 * 0.5)
    replaced = 0.01 * weights + math.sqrt(2 * 0.01 * 0.5 * LOG) + 0.5 * LOG / 3
    return 0.5 * (math.sqrt(2 * 19.0 * LOG * 0.5) + 3 * LOG * 0.5 + 2 * level * replaced + bias * weights)


@pytest.mark.parametrize(
    ("name", "given", "log", "bias"),
    [
        ("clipped-elimination-m1", {}, LOG, 0.0),
        # Honest reports are beyond the level with a probability of alpha, at least 1/T: a bias of 12 times that.
        ("clipped-elimination-m1-low", {}, math.log(100.0), 0.12),
        ("clipped-elimination-m1-low", {"alpha": 0.0}, math.log(1e4), 0.0012),
    ],
)
def test_the_clipped_ones(
    name: str, given: dict[str, float], log: float, bias: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The level is 2 (1 + sqrt(2 log)) + 8 log."""
    found = rules(name, monkeypatch, **given)
    level = 2.0 * (1.0 + math.sqrt(2.0 * log)) + 8.0 * log
    assert found.level == pytest.approx(level)
    assert (found.batches, found.threshold, found.model, found.scale) == (range(1, 4), no_filter, M1, 8.0)
    assert pulled(found, 2, 0.7499, 0.2499) == [75, 25]
    if not given:
        assert found.width(BATCH) == pytest.approx(clipped(level, bias))
    else:
        flat = BATCH._replace(reach=1e-12)
        assert found.width(flat) == pytest.approx(0.5 * (math.sqrt(38e-12 * LOG) + bias * 1e-5), rel=1e-3)


def test_the_printed_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is clipped, the noise is Lap(2/epsilon), and the second batch has 100 rewards."""
    one = rules("robust-elimination-m1-printed", monkeypatch)
    log_size, log = math.log(100 / 0.05), math.log(20)
    corrupted = math.sqrt(5) * (math.sqrt(log_size) + log_size / 0.5) * (0.1 + 0.01 * math.sqrt(5))
    clean = math.sqrt(5 * log / 100) * (1 + math.sqrt(log) / 0.5)
    assert one.width(BATCH) == pytest.approx(0.5 * (corrupted + 0.01 + clean))
    two = rules("robust-elimination-m2-printed", monkeypatch)
    clean = math.sqrt(5 * log / 60) * (1 + math.sqrt(log / 60) / 0.5)
    largest = 1 + math.sqrt(math.log(140) / 60) + math.log(140) / (60 * 0.5)
    corrupted = 10 * largest * (math.sqrt(7 * 0.01) + math.sqrt(0.01 * log))
    assert two.width(BATCH) == pytest.approx(0.5 * (clean + corrupted + 0.01))
    for found, pulls in ((one, [75, 25]), (two, [75, 60])):
        assert (found.batches, found.threshold, found.clip) == (range(1, 4), printed_threshold, math.inf)
        assert found.scale == 4.0 and found.support_only
        assert pulled(found, 2, 0.7499, 0.2499) == pulls


def test_phased_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches grow by 4, and widths halve; or batches double, from 4 d (log log d + 18)."""
    found = rules("phased-elimination", monkeypatch)
    assert found.batches.start == 1 and found.width(BATCH) == 0.25 and found.threshold is no_filter
    # 4 * 3 * pi * 16 * log(9 * 2 * 3/0.05).
    assert pulled(found, 2, 0.75, 0.25) == [math.ceil(192 * pi * math.log(54 / 0.05)) for pi in (0.75, 0.25)]
    first = 20 * (math.log(math.log(5)) + 18)
    robust = rules("robust-phased-elimination", monkeypatch, C=3.0)
    assert robust.batches.start == 0 and robust.threshold is no_filter
    width = math.sqrt(20 / (4 * first) * math.log(20)) + 3.0 / 4 * math.sqrt(40)
    assert robust.width(BATCH) == pytest.approx(width)
    assert pulled(robust, 2, 0.75, 1e-9) == [math.ceil(4 * first * 0.75), 4]
    (corrupted,) = (each for each in registry.algorithm("robust-phased-elimination").parameters if each.name == "C")
    assert callable(corrupted.default) and corrupted.default(Tuning(100, 2, facts={"corruption": 0.25}), {}) == 25.0
