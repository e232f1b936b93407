"""What RNM-FTNL alone promises, and its environments; what all algorithms promise is in `tests/contract`."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpbandits.core import registry
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Tuning
from dpbandits.core.recording import Runs
from dpbandits.core.streams import streams
from dpbandits.runs.job import fill, make_job, prepare
from dpbandits.settings.full_information.problem import (
    Losses,
    bernoulli,
    deterministic,
    make_losses,
)

NAMES = ["rnm-ftnl-laplace", "rnm-ftnl-exponential", "rnm-ftnl-gumbel", "rnm-ftnl-permute-and-flip"]
ALL = [*NAMES, "rnm-ftnl-random-phase"]
MIXED = make_losses(np.array([[0.0, 0.3], [0.2, 0.9], [0.5, 1.0]]), np.array([[0.0, 1.0], [0.7, 0.3], [0.9, 0.1]]))


def simulated(name: str, losses: Losses, rounds: list[int], number: int = 6, **given: float) -> Runs:
    """Return filled runs; their streams do not depend on the horizon."""
    epsilon = given.pop("epsilon", 0.5)
    algorithm = registry.algorithm(name)
    values = algorithm.resolve(given, Tuning(rounds[-1], losses.means.size, epsilon)).values
    runs = losses.runs(streams(1, "promises", np.arange(number)), np.array(rounds))
    algorithm.simulate(runs, losses, epsilon=epsilon, **values)
    return runs


# --- simulation ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("B", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_an_epoch_plays_one_action(name: str, B: int) -> None:
    """Epochs are 1, 2, 4, ... rounds long, the last one is cut off at T; another action may follow each."""
    for horizon in (1, 2, 3, 4, 64, 100):
        equal = {"kind": "bernoulli-losses", "means": [0.5, 0.5]}
        job = make_job(name, {"resampling": B}, equal, 0.5, horizon, 5, 0)
        runs, losses = prepare(job, range(200), kept=horizon)
        fill(job, runs, losses)
        switches = np.flatnonzero((np.diff(runs.played, axis=1) != 0).any(axis=0)) + 2
        assert switches.tolist() == [2**k for k in range(1, 7) if 2**k <= horizon]


@pytest.mark.parametrize("B", [0, 1])
@pytest.mark.parametrize("name", ALL)
def test_astronomic_horizons_and_budgets(name: str, B: int) -> None:
    """T up to 2^52, epsilon 2^r up to 10^12 and far beyond, and down to 1e-100: the best action is found."""
    for horizon, epsilon in ((2**40, 1.0), (2**52, 0.1), (2**30, 1e12), (2**20, 1e100), (2**52, 1e-100)):
        runs = simulated(name, MIXED, [3, horizon], epsilon=epsilon, resampling=B)
        assert runs.pulls.sum(axis=1).tolist() == [horizon] * 6
        assert runs.regret[:, -1] == pytest.approx(runs.pulls @ MIXED.gaps, rel=1e-9)
        if epsilon > 1e-3:
            assert (runs.pulls[:, 0] > 0.99 * horizon).all()


def test_nearly_equal_deterministic_losses_are_told_apart() -> None:
    """After 2^51 rounds a gap of 1e-13 is 225 losses: far above noise, but few of the digits of 2^51/3."""
    losses = deterministic([1 / 3, 1 / 3 + 1e-13])
    for name in ALL:
        assert (simulated(name, losses, [2**52], epsilon=1.0, resampling=0).pulls[:, 0] > 2**50).all()


@pytest.mark.parametrize("name", ALL)
def test_ties_are_broken_evenly(name: str) -> None:
    """Equal means: every action is played alike, whatever its place."""
    for losses in (deterministic([0.4] * 5), bernoulli([0.4] * 5)):
        shares = (simulated(name, losses, [16], number=4000, resampling=0).pulls >= 1).mean(axis=0)
        # Five standard deviations of a share of 4000 runs.
        assert np.ptp(shares) < 5 * math.sqrt(0.5 / 4000)


@pytest.mark.parametrize("B", [0, 1])
@pytest.mark.parametrize("name", ALL)
def test_a_shorter_run_is_a_beginning(name: str, B: int) -> None:
    """They do not know T."""
    rounds = [1, 2, 3, 10, 100, 500, 777]
    whole = simulated(name, MIXED, rounds, resampling=B)
    for at in range(len(rounds)):
        short = simulated(name, MIXED, rounds[: at + 1], resampling=B)
        assert short.regret.tobytes() == whole.regret[:, : at + 1].tobytes()


def test_resampling_changes_nothing_for_binary_losses() -> None:
    """Bernoulli losses, B = 0 and 1: the same law of sums, here even the same draws."""
    losses = bernoulli([0.2, 0.6, 0.7])
    for name in ALL:
        one, two = (simulated(name, losses, [5, 300], number=50, resampling=B) for B in (0, 1))
        assert one.pulls.tobytes() == two.pulls.tobytes()


def test_100000_actions() -> None:
    losses = deterministic(np.linspace(0.0, 1.0, 10**5))
    runs = simulated("rnm-ftnl-gumbel", losses, [2**40], number=2, resampling=0)
    assert runs.pulls.shape == (2, 10**5)


@pytest.mark.parametrize("ratio", [1.5, math.e, 4.0])
def test_epochs_of_random_phase(ratio: float) -> None:
    """The first of ceil(ratio^(k + phase)) rounds is n with probability log(n/(n - 1))/log(ratio)."""
    horizon = 300
    equal = {"kind": "bernoulli-losses", "means": [0.5] * 40}
    job = make_job("rnm-ftnl-random-phase", {"ratio": ratio}, equal, 0.5, horizon, 5, 0)
    runs, losses = prepare(job, range(4000), kept=horizon)
    fill(job, runs, losses)
    switched = np.diff(runs.played, axis=1) != 0
    ends = [np.flatnonzero(row) + 1 for row in switched]
    first = np.array([row[0] for row in ends])
    # One selection in forty changes nothing: the first change then comes after two epochs.
    whole = first[first <= math.ceil(ratio)]
    assert whole.size > 0.95 * first.size
    for n in range(2, math.ceil(ratio) + 1):
        odds = (math.log(min(n, ratio)) - math.log(n - 1)) / math.log(ratio)
        # Five standard deviations, and one switch in forty that is not seen.
        assert abs((whole == n).mean() - odds) < 5 * math.sqrt(0.25 / 4000) + 0.03
    for row in ends[:200]:
        lengths = np.diff(row)
        grown = lengths[1:] / lengths[:-1]
        assert (grown > ratio - 1.0).all()


def test_privacy_statements_and_scales() -> None:
    """Printed scales by default; any other one by the parameter."""
    for name, factor in zip(NAMES, (2, 1, 2, 2), strict=True):
        algorithm = registry.algorithm(name)
        assert algorithm.resolve({}, Tuning(10, 3, 0.25))[0] == {"resampling": 1, "scale": 4 * factor}
        assert algorithm.resolve({"scale": 7.5}, Tuning(10, 3, 0.25))[0]["scale"] == 7.5
        assert algorithm.privacy is not None
        assert algorithm.privacy.definition == "pure"
        assert f"{factor}/epsilon" in algorithm.declaration()["parameters"]["scale"]
    assert "2 epsilon" in registry.algorithm(NAMES[1]).privacy.mechanism


# --- environments and bad input --------------------------------------------------------------------------------

GOOD = [
    {"kind": "bernoulli-losses", "means": [0.2, 0.9]},
    {"kind": "deterministic-losses", "means": [0.9, 0, 1]},
    {"kind": "discrete-losses", "values": [[0.3], [0.4, 0]], "probabilities": [[1], [0.8, 0.2]]},
    {"kind": "equal-gaps", "arms": 5, "gap": 0.1, "best": 0.9},
    {"kind": "hidden-action", "arms": 4, "gap": 0.1, "losses": "deterministic"},
    {"kind": "geometric-gaps", "arms": 6, "gap": 0.01},
]


@pytest.mark.parametrize("environment", GOOD, ids=lambda entry: entry["kind"])
def test_environments(environment: dict) -> None:
    """Gaps are as declared."""
    gaps = {
        "bernoulli-losses": [0, 0.7],
        "deterministic-losses": [0.9, 0, 1],
        "discrete-losses": [0, 0.02],
        "equal-gaps": [0, 0.1, 0.1, 0.1, 0.1],
        "hidden-action": [0, 0.1, 0.1, 1],
        "geometric-gaps": [0, *np.geomspace(0.01, 1, 5)],
    }[environment["kind"]]
    job = make_job(NAMES[0], {}, environment, 0.5, 1000, 5, 0)
    assert prepare(job, range(4))[1].gaps == pytest.approx(np.array(gaps), abs=1e-12)
    assert registry.environment(environment["kind"]).arms(job.environment) == len(gaps)


BAD = [
    ({"kind": "bernoulli-losses", "means": [0.2, 1.5]}, "means.1"),
    ({"kind": "bernoulli-losses", "means": [0.2]}, "means"),
    ({"kind": "deterministic-losses", "means": [True, 0.5]}, "means.0"),
    ({"kind": "discrete-losses", "values": [[0.3], [1.4]], "probabilities": [[1], [1]]}, "values.1.0"),
    ({"kind": "discrete-losses", "values": [[0.3], [0.4]], "probabilities": [[1], [0.9]]}, "probabilities.1"),
    ({"kind": "discrete-losses", "values": [[0.3], [0.4]], "probabilities": [[1], [0.5, 0.5]]}, "probabilities"),
    ({"kind": "discrete-losses", "values": [[0.3], []], "probabilities": [[1], []]}, "values.1"),
    ({"kind": "equal-gaps", "arms": 1, "gap": 0.1}, "arms"),
    ({"kind": "equal-gaps", "arms": 2.5, "gap": 0.1}, "arms"),
    ({"kind": "hidden-action", "arms": 3, "gap": 0.1}, "arms"),
    ({"kind": "equal-gaps", "arms": 3, "gap": 0}, "gap"),
    ({"kind": "equal-gaps", "arms": 3, "gap": 0.5, "best": 0.6}, "best"),
    ({"kind": "equal-gaps", "arms": 3, "gap": 0.5, "losses": "gaussian"}, "losses"),
    ({"kind": "geometric-gaps", "arms": 3, "gap": 0.5, "gaps": 1}, "gaps"),
]


@pytest.mark.parametrize(("environment", "key"), BAD)
def test_bad_environments(environment: dict, key: str) -> None:
    with pytest.raises(BadInput) as refused:
        make_job("rnm-ftnl-laplace", {}, environment, 0.5, 1000, 5, 0)
    assert refused.value.where == f"environment.{key}"
