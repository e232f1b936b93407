"""An audit says what was found: in which sense a loss is infinite, and by which method."""

from __future__ import annotations

import dataclasses
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import planted
import pytest
from twins import registered

from dpbandits.auditing import preflight, table
from dpbandits.auditing.audit import Audit
from dpbandits.auditing.events import Event
from dpbandits.auditing.replay import Coverage, Replayed, replay
from dpbandits.auditing.replay.witness import ALONE, FAR_OUT, SCALE, difference
from dpbandits.auditing.sampled import Sampled
from dpbandits.auditing.transcript import Transcript
from dpbandits.core import recorder as at
from dpbandits.core.algorithm import Worst
from dpbandits.core.gaussian import NORMAL
from dpbandits.core.mechanisms import RESPONSE
from dpbandits.runs.job import make_job

NJIT = "from numba import njit as kernel\n"
NORMAL_NOISE = (("    release,\n", ""), (NJIT, f"{NJIT}from dpbandits.core.gaussian import release\n"))


def test_normal_noise_is_possible_on_both_inputs() -> None:
    """Its density is positive everywhere: the loss of each output is finite, and no number bounds all."""
    with registered("dp-imed", planted.slipped("own-batch", *NORMAL_NOISE), "gaussian-said") as name:
        replayed = replay(name, 1.0, horizon=200, effort=0.5)
    found = dataclasses.replace(result(1.0, None, 0.5), replayed=replayed)
    said = str(found)
    assert found.verdict == "violated" and found.infinite and found.audited == math.inf
    assert "infinite loss" in said and "without a bound" in said and "possible on both inputs" in said
    assert "one of two inputs alone" not in said
    assert "loses any amount by its normal noise, more than 1" in found.words


def run_with(kind: int, law: int, scale: float, arm: int = 0) -> Transcript:
    events, numbers = np.array([[kind, arm, law, 0, 0, 0, 0]]), np.array([[0.5, scale, 1.0, 0.0]])
    return Transcript(events, numbers, (), np.zeros(2, dtype=np.int64))


@pytest.mark.parametrize(
    ("kind", "law", "scale", "arm", "found"),
    [
        (at.RELEASED, at.LAPLACE, 2.0, 0, (True, FAR_OUT)),
        (at.RELEASED, NORMAL, 2.0, 0, (True, FAR_OUT)),
        (at.RELEASED, NORMAL, 0.0, 0, (True, ALONE)),
        (at.RELEASED, RESPONSE, 2.0, 0, (True, SCALE)),
        (at.RELEASED, at.GAP, 2.0, 0, (True, SCALE)),
        (at.OFFERED, at.GUMBEL, 2.0, 0, (True, SCALE)),
        (at.PLAYED, 1, 1.0, 1, (False, ALONE)),
    ],
)
def test_two_scales_are_possible_on_both_inputs(
    kind: int, law: int, scale: float, arm: int, found: tuple[bool, str]
) -> None:
    """Unless one of them is 0, which lets the number out as it is."""
    assert difference(run_with(kind, law, 1.0), run_with(kind, law, scale, arm), 0) == found
    assert difference(run_with(kind, law, 1.0), run_with(kind, law, scale, arm), 1) == (False, ALONE)


def result(exact: float | None, replayed: float | None, bound: float, counts: tuple[int, int] = (9, 1)) -> Audit:
    """Return an audit with these losses, ``None`` where a method has no result."""
    rows = {"rewards": [[0.0, 1.0], [1.0, 0.0]]}
    job = make_job("dp-imed", {}, {"kind": "reward-table", **rows}, 1.0, 2, 1, 0)
    worst: Any = planted_witness(replayed) if replayed is not None else None
    shown = Sampled(bound, job, job, 1, 0.0, Event((1,), 2, np.array([0])), counts, ((0.5, 1.0), (0.0, 0.5)), 10)
    return Audit(
        algorithm="dp-imed",
        title="t",
        parameters={},
        definition="epsilon-DP",
        epsilon=1.0,
        delta=0.0,
        exact=None if exact is None else Worst(exact, "of", {}, {}, "event", (0.5, 0.1)),
        replayed=Replayed(worst, "", worst is not None, Coverage()),
        sampled=shown,
        counted=None,
        effort=10,
        seed=0,
        confidence=0.999,
    )


def planted_witness(loss: float) -> Any:
    data = {"loss": loss, "violation": "", "details": "d", "horizon": 2, "arms": 2, "neighbour": None}
    return SimpleNamespace(loss=loss, violation="", certificate=None, data=lambda: data, infinite=ALONE)


@pytest.mark.parametrize(
    ("exact", "replayed", "bound", "method"),
    [
        (None, None, -math.inf, "sampled"),
        (None, None, 0.5, "sampled"),
        (None, 0.0, -math.inf, "replayed"),
        (None, 0.7, 0.7, "replayed"),
        (None, 0.7, 0.8, "sampled"),
        (0.0, None, -math.inf, "exact"),
        (0.7, 0.7, 0.7, "exact"),
        (0.7 * (1 - 1e-10), 0.7, 0.7, "exact"),
        (0.6, 0.7, 0.5, "replayed"),
        (math.inf, math.inf, 1.0, "exact"),
        (0.6, None, 0.7, "sampled"),
    ],
)
def test_the_method_that_is_named_has_a_result(
    exact: float | None, replayed: float | None, bound: float, method: str
) -> None:
    """Runs without an event show no loss: then no method is named that did not run, and the table has its row."""
    found = result(exact, replayed, bound)
    assert found.method == method
    assert table.row_of(found.data())["method"] == method


def test_counts_alone_prove_no_impossibility() -> None:
    found = result(None, None, 1.5, (9, 0))
    assert found.infinite and "in sampled runs the event below occurs on one of two inputs alone" in str(found)
    assert not result(None, None, 0.5, (9, 0)).infinite


def test_a_round_of_many_arms_is_no_endless_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each arm of a round is read and offered: more than 50 events in a round of 100 arms are no slip."""
    monkeypatch.setattr(preflight, "HORIZONS", (2,))
    assert preflight.slip("rnm-ftnl-exponential", {}, 100, 1.0, 0) is None
