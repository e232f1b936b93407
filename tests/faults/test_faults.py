"""Planted faults are what the catalogue says: their number, their losses, the events that show them.

False alarms: seeds are fixed. With fresh ones each comparison of a frequency fails with probability below 1/10,000
(four standard errors).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from dpbandits.cli.main import main
from dpbandits.core.errors import BadInput
from dpbandits.faults import catalogue, fault
from dpbandits.faults.catalogue import algorithms, sound
from dpbandits.faults.kinds import KINDS
from dpbandits.policies.noise import DiscreteLaplace, Exponential, Gumbel, Laplace, Noise

Sample = NDArray[np.float64]
RUNS = 200_000
EPSILON = 1.0
STEP = 4.0 / EPSILON

# For each kind an event of its releases: one input has the reward 1, the other 0.
EVENTS: dict[str, Callable[[Sample], NDArray[np.bool_]]] = {
    "half-the-scale": lambda y: y[:, 0] >= 1.0,
    "root-two-missing": lambda y: y[:, 0] >= 1.0,
    "a-tenth-missing": lambda y: y[:, 0] >= 1.0,
    "counted-twice": lambda y: y[:, 0] >= 2.0,
    "added-again": lambda y: (y[:, 0] >= 1.0) & (y[:, 1] >= 1.0),
    "no-noise": lambda y: y[:, 0] == 1.0,
    "first-without-noise": lambda y: y[:, 0] == 1.0,
    "no-noise-after-ten": lambda y: y[:, 10] == 1.0,
    "one-draw-for-all": lambda y: np.isclose(y[:, 0] - y[:, 1], 1.0, atol=1e-9),
    # Of the other input: what lies below the larger value.
    "one-sided": lambda y: y[:, 0] < 1.0,
    "cut-off": lambda y: y[:, 0] < 1.0 - 2.0 / EPSILON,
    "by-coin": lambda y: y[:, 0] == 1.0,
    "rounded-and-leaking": lambda y: np.isclose(y[:, 0] / STEP % 1.0, 0.01 / STEP, atol=1e-9),
}
TURNED = ("one-sided", "cut-off")


def test_there_are_enough() -> None:
    found = catalogue()
    assert len(found) >= 300
    assert len({each.name for each in found}) == len(found)
    held_out = sum(each.held_out for each in found)
    assert 0.4 * len(found) < held_out < 0.6 * len(found)
    assert {each.setting for each in found} == {
        "stochastic", "adversarial", "experts", "full_information", "linear"
    }  # fmt: skip
    assert {each.kind for each in found} == set(KINDS) == set(EVENTS)


@pytest.mark.parametrize("kind", KINDS)
def test_its_event_has_the_stated_loss_and_probability(kind: str) -> None:
    sample = next(each for each in catalogue() if each.kind == kind and each.setting == "stochastic").sampler()
    one, other = (EVENTS[kind](sample(side, RUNS, seed)) for seed, side in enumerate((False, True)))
    if kind in TURNED:
        one, other = other, one
    p, q = one.mean(), other.mean()
    chance, loss = KINDS[kind].chance(EPSILON), KINDS[kind].factor * EPSILON
    assert abs(p - chance) <= 4.0 * math.sqrt(chance * (1.0 - chance) / RUNS)
    expected = chance * math.exp(-loss)
    assert abs(q - expected) <= 4.0 * math.sqrt(expected / RUNS)
    assert math.isfinite(loss) or q == 0.0


@pytest.mark.parametrize("name", algorithms())
def test_faults_are_called_like_their_sound_counterpart(name: str) -> None:
    rng = np.random.default_rng(0)
    for made in (sound(name, 1), *(each.policy(1) for each in catalogue() if each.algorithm == name)):
        inside = getattr(made, "policy", made)
        for _ in range(40):
            reward = rng.random(inside.arms) if inside.feedback == "losses" else float(rng.random())
            made.update(made.choose(), reward)
        assert inside.t == 40


@pytest.mark.parametrize("law", [Laplace, DiscreteLaplace, Exponential, Gumbel])
def test_faulty_noise_claims_and_has_its_own_law(law: type[Noise]) -> None:
    """The claim is that of sound noise, and the noise of an array is that of its entries."""
    made = KINDS["counted-twice"].make(law())
    noisy, claimed = made.add(np.random.default_rng(3), np.array([0.0, 1.0, 2.0]), 0.5, 1.0)
    rng = np.random.default_rng(3)
    alone = [law().add(rng, 2.0 * value, 0.5, 1.0) for value in (0.0, 1.0, 2.0)]
    assert noisy.tolist() == pytest.approx([value for value, _ in alone], rel=1e-15)
    assert claimed == alone[0][1]


def test_it_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    listed = []
    for more in ((), ("--held-out",)):
        assert main(["faults", "--json", *more]) == 0
        listed += json.loads(capsys.readouterr().out)
    assert {each["name"] for each in listed} == {each.name for each in catalogue()}
    assert main(["faults", "--setting", "linear"]) == 0
    assert "private-elimination-m1/" in capsys.readouterr().out
    assert main(["faults", "--setting", "liner"]) == 2
    assert "did you mean 'linear'" in capsys.readouterr().err
    with pytest.raises(BadInput):
        fault("dp-imed/nothing")
