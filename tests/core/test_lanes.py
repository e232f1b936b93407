"""Runs side by side draw what each would draw alone, from its own stream."""

from __future__ import annotations

import platform
import re

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from dpbandits.core import lanes, streams
from dpbandits.core.streams import streams as states


@pytest.mark.parametrize("number", [1, 3, 128, 200])
def test_uniform_numbers_are_those_of_a_stream_alone(number: int) -> None:
    """For any number of lanes; and the streams are advanced alike."""
    alone = states(7, "lanes", np.arange(number))
    beside = alone.copy()
    u = np.empty(number)
    for _ in range(100):
        lanes.uniforms(beside.reshape(-1), u)
        assert u.tolist() == [streams.uniform(state) for state in alone]
    assert (beside == alone).all()


# Weights with zeros at either end and between, alone, and that sum to less than the total.
WEIGHTS = np.array(
    [
        [0.0, 1.0, 0.25, 0.0, 0.5, 1e-300],
        [0.5, 0.0, 0.25, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.25, 3.0, 0.5, 1.0],
        [0.5, 0.0, 0.0, 0.0, 0.0, 0.0],
    ]
)


@pytest.mark.parametrize("total", [1.0, 1.3])
def test_an_index_is_what_a_stream_alone_draws(total: float) -> None:
    """Also where by rounding the weights sum to less than the total, as 1.3 makes plain."""
    number = WEIGHTS.shape[1]
    alone = states(8, f"categorical {total}", np.arange(number))
    beside = alone.copy()
    sums = WEIGHTS.sum(axis=0) * total
    u, room, index = np.empty(number), np.empty((2, number)), np.empty(number, np.int64)
    seen = set()
    for _ in range(300):
        lanes.categorical(beside.reshape(-1), WEIGHTS, sums, u, room, index)
        expected = [
            streams.categorical(alone[i], np.ascontiguousarray(WEIGHTS[:, i]), sums[i]) for i in range(number)
        ]
        assert index.tolist() == expected
        seen.update(enumerate(expected))
    assert seen == {(i, k) for k, i in zip(*np.nonzero(WEIGHTS), strict=True)} - {(5, 0)}


@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="names of instructions are those of x86")
def test_a_loop_over_lanes_goes_into_vector_instructions() -> None:
    """Where it does not, lanes cost what runs one after another cost."""

    def caller(weight: NDArray[np.float64], left: NDArray[np.float64]) -> None:
        lanes._pass(1.0, weight, left, left)

    # Code from the cache cannot be looked at.
    fresh = numba.njit(caller, error_model="numpy", nogil=True)
    fresh(np.empty(8), np.empty(8))
    (code,) = fresh.inspect_asm().values()
    assert "subpd" in code
    assert re.search(r"^_ZN\S*_pass\S*:", code, re.MULTILINE), "the loop is no function of its own"
