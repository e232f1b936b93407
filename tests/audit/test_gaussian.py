"""A Gaussian mechanism is audited: tight at its claim, violated with less noise, and never pure."""

from __future__ import annotations

import dataclasses
import functools
import math

import planted
import pytest
from twins import registered

from dpbandits.auditing.replay import Replayed, replay
from dpbandits.core.algorithm import Algorithm, Privacy
from dpbandits.core.fields import Parameter
from dpbandits.core.gaussian import deviation_for

DELTA = 1e-6
# The second and later batches of an arm are released with normal noise, the first ones with Laplace noise.
NJIT = "from numba import njit as kernel\n"
CHANGES = (("    release,\n", ""), (NJIT, f"{NJIT}from dpbandits.core.gaussian import release\n"))


@pytest.fixture(scope="module")
def mechanism() -> Algorithm:
    """Return what the stochastic beginning declares, with normal noise of deviation 1/epsilon on its batch sums."""
    return planted.slipped("own-batch", *CHANGES)


def replayed(mechanism: Algorithm, factor: float, delta: float = DELTA) -> Replayed:
    """Replay it with the noise that (1, delta) needs, times a factor, and with that claim."""

    # Each replay asks for the same one, which costs 20 ms in Python.
    deviation_of = functools.cache(deviation_for)

    def simulate(runs, bandit, *, epsilon, delta, alpha):
        deviation = factor * deviation_of(epsilon, delta)
        mechanism.simulate(runs, bandit, epsilon=1.0 / deviation, alpha=alpha)

    privacy = Privacy(
        "approximate", "the reward of one round replaced", "batch sums with normal noise", tied=("delta",)
    )
    parameters = (*mechanism.parameters, Parameter("delta", float, DELTA, "delta", above=0, below=1))
    changed = dataclasses.replace(mechanism, privacy=privacy, simulate=simulate, parameters=parameters)
    with registered("dp-imed", changed, "gaussian-claim") as name:
        return replay(name, 1.0, parameters={"delta": delta}, horizon=200, effort=0.5)


def test_the_claim_is_tight(mechanism: Algorithm) -> None:
    """A reward enters one release, whose exact budget at delta is the claimed one."""
    found = replayed(mechanism, 1.0)
    assert not found.refused
    assert found.loss == pytest.approx(1.0, rel=1e-6)
    assert found.worst.violation == ""
    assert {"normal noise", "Laplace noise"} <= found.coverage.mechanisms


def test_less_noise_is_a_violation(mechanism: Algorithm) -> None:
    """By a tenth: the loss is what the theorem says of that deviation."""
    found = replayed(mechanism, 0.9)
    assert found.loss > 1.05
    assert found.worst.violation.startswith("a transcript loses")
    assert "normal noise of deviation" in found.worst.details


def test_normal_noise_is_not_pure(mechanism: Algorithm) -> None:
    """Whatever the budget: no output bounds what it loses."""
    with registered("dp-imed", mechanism, "gaussian-pure") as name:
        found = replay(name, 100.0, horizon=200, effort=0.5)
    assert math.isinf(found.loss)
    assert "a transcript loses any amount" in found.worst.violation
