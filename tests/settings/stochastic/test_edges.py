"""Every algorithm at the edges of what it may be asked, and what holds of every run whatever the law.

The algorithms are found as the package finds them: by being a file in `dpbandits.settings.stochastic.algorithms`.
"""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest
from numpy.typing import NDArray

from dpbandits.core.algorithm import Algorithm, Tuning
from dpbandits.core.recording import Runs, checkpoints, part
from dpbandits.core.streams import streams
from dpbandits.settings.stochastic import algorithms
from dpbandits.settings.stochastic.batches import cumulative_pulls
from dpbandits.settings.stochastic.problem import Bandit, make_bandit

FOUND: dict[str, Algorithm] = {
    module.name: importlib.import_module(f"{algorithms.__name__}.{module.name}").ALGORITHM
    for module in pkgutil.iter_modules(algorithms.__path__)
}
NAMES = sorted(FOUND)
# A counterexample to a theorem, which goes on with an arm that has not failed yet: it need not look at the others.
EXPLORING = [name for name in NAMES if name != "perfection_test"]
BATCHED = [name for name in NAMES if FOUND[name].decides == "batches"]
TOGETHER = (1, 2, 3, 5, 17, 100, 777, 1000)


def parameters(name: str, horizon: int, epsilon: float = 0.3, **given: float) -> dict[str, float]:
    """Return the algorithm's parameters with a budget if it takes one."""
    algorithm = FOUND[name]
    budget = {} if algorithm.privacy is None else {"epsilon": epsilon}
    return {**algorithm.resolve(given, Tuning(horizon, 5)).values, **budget}


def unfilled(
    means: list[float],
    horizon: int,
    rounds: NDArray[np.int64] | None = None,
    runs: int = 6,
    first: int = 0,
    identity: str = "edges",
) -> tuple[Runs, Bandit]:
    """Return unfilled runs ``first``, ``first + 1``, ..."""
    bandit = make_bandit(np.array(means, dtype=float))
    states = streams(1, identity, np.arange(first, first + runs))
    return bandit.runs(states, checkpoints(horizon, 12) if rounds is None else rounds), bandit


def simulated(name: str, means: list[float], horizon: int, **kwargs: object) -> Runs:
    """Return filled runs, after checking what holds of all."""
    epsilon = kwargs.pop("epsilon", 0.3)
    given = kwargs.pop("given", {})
    runs, bandit = unfilled(means, horizon, **kwargs)
    FOUND[name].simulate(runs, bandit, **parameters(name, horizon, epsilon, **given))
    check(runs, bandit)
    return runs


def check(runs: Runs, bandit: Bandit) -> None:
    """Check the invariants of filled runs."""
    assert np.all(runs.pulls >= 0)
    assert runs.pulls.sum(axis=1).tolist() == [runs.horizon] * len(runs.pulls)
    assert np.all(np.isfinite(runs.regret))
    # Nondecreasing, but for the rounding of sums added up in different orders.
    assert np.all(np.diff(runs.regret, axis=1, prepend=0.0) >= -1e-14 * runs.regret)
    assert np.all(runs.regret <= bandit.gaps.max() * runs.rounds * (1 + 1e-12))
    assert runs.regret[:, -1] == pytest.approx(runs.pulls @ bandit.gaps, rel=1e-9, abs=0.0)


def same_bytes(one: Runs, other: Runs) -> bool:
    return all(getattr(one, part).tobytes() == getattr(other, part).tobytes() for part in ("regret", "pulls"))


def test_eight_algorithms_are_found():
    assert {FOUND[name].title for name in NAMES} >= {
        *("DP-KLUCB", "DP-IMED", "DP-SE", "AdaP-KLUCB", "AdaP-UCB", "Lazy-DP-TS", "IMED", "KL-UCB")
    }


@pytest.mark.parametrize("name", EXPLORING)
@pytest.mark.parametrize("arms", [2, 100])
def test_few_and_many_arms(name, arms):
    means = np.linspace(0.9, 0.1, arms).tolist()
    for horizon in (1000, 1234):
        runs = simulated(name, means, horizon)
        # No algorithm can be sure of anything without having pulled each arm.
        assert np.all(runs.pulls > 0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("means", [[0.0, 1.0], [1.0, 0.5, 0.0], [0.0, 0.0], [1.0, 1.0, 1.0], [0.0, 0.3]])
def test_certain_rewards(name, epsilon, means):
    simulated(name, means, 3000, epsilon=epsilon)


@pytest.mark.parametrize("name", ["imed", "kl_ucb"])
def test_certain_rewards_without_noise(name):
    """A best arm that never fails is left once for each other arm, and for no longer."""
    runs = simulated(name, [0.0, 1.0, 0.0], 5000)
    assert np.all(runs.pulls == [1, 4998, 1])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mean", [0.0, 0.3, 1.0])
def test_equal_means_cost_nothing(name, mean):
    assert not simulated(name, [mean] * 3, 2000).regret.any()


@pytest.mark.parametrize("name", EXPLORING)
@pytest.mark.parametrize("horizon", [1, 2, 3, 4, 5, 6])
def test_fewer_rounds_than_arms(name, horizon):
    """Different arms are pulled in the first K rounds, and not always the same ones."""
    runs = simulated(name, [0.5, 0.1, 0.9, 0.3, 0.7, 0.2], horizon, runs=200)
    assert runs.pulls.max() == 1
    assert np.all(runs.pulls.sum(axis=0) > 0)


@pytest.mark.parametrize("name", NAMES)
def test_every_horizon_cuts(name):
    """Consecutive horizons end in every position inside batches, epochs and windows."""
    for horizon in range(1, 130):
        simulated(name, [0.3, 0.8, 0.5], horizon, runs=2)
        simulated(name, [0.3, 0.8], 40 * horizon, runs=1)


@pytest.mark.parametrize("name", ["dp_imed", "dp_klucb"])
@pytest.mark.parametrize("n0", [1, 7, 100])
@pytest.mark.parametrize("alpha", [1.1, 1.5, 2.0, 3.0])
def test_pulls_are_batches(name, n0, alpha):
    """At the horizon every arm but the last has pulled whole batches; equal arms pull beyond 32 bits each."""
    for means, horizon in (([0.3, 0.8, 0.5], 50), ([0.3, 0.8, 0.5], 777), ([0.5, 0.5, 0.5], 10**15)):
        runs = simulated(name, means, horizon, given={"n0": n0, "alpha": alpha}, runs=20)
        whole = np.isin(runs.pulls, [0, *cumulative_pulls(n0, alpha, horizon)])
        assert np.all(whole.sum(axis=1) >= 2)


@pytest.mark.parametrize("name", ["adap_klucb", "adap_ucb"])
def test_pulls_are_doublings(name):
    for means, horizon in (([0.3, 0.8, 0.5], 10**6), ([0.5, 0.5, 0.5], 10**15)):
        runs = simulated(name, means, horizon, runs=20)
        assert np.all(np.isin(runs.pulls, 2 ** np.arange(50)).sum(axis=1) >= 2)


@pytest.mark.parametrize("name", BATCHED)
@pytest.mark.parametrize("horizon", [10**12, 10**15, 10**15 + 1, 2**52])
def test_astronomic_horizons(name, horizon):
    """Counts leave 32 bits and stay exact: they sum to T, and whole batches remain whole."""
    runs = simulated(name, [0.8, 0.75, 0.2], horizon, runs=20, epsilon=0.1)
    assert runs.pulls.max(axis=1).min() > 2**31
    assert np.all(runs.pulls.max(axis=1) > 0.9 * horizon)
    # Logarithmic regret: far below any power of T.
    assert np.all(runs.regret[:, -1] < 1e6)
    assert np.all(runs.regret[:, -1] > 0.0)


@pytest.mark.parametrize("name", NAMES)
def test_same_streams_same_bytes(name):
    means = [0.2, 0.6, 0.5]
    runs = simulated(name, means, 2500)
    assert same_bytes(runs, simulated(name, means, 2500))
    other = simulated(name, means, 2500, identity="other")
    assert not same_bytes(runs, other)


@pytest.mark.parametrize("name", NAMES)
def test_runs_differ(name):
    runs = simulated(name, [0.2, 0.6, 0.5, 0.55, 0.4], 4000, runs=12)
    assert len({row.tobytes() for row in runs.regret}) > 6


@pytest.mark.parametrize("name", NAMES)
def test_runs_do_not_depend_on_their_company(name):
    """Runs do not leave anything behind: alone, in any grouping and as views they give the same bytes."""
    means, horizon, runs = [0.5, 0.1, 0.9, 0.85], 1500, 9
    whole = simulated(name, means, horizon, runs=runs)
    for groups in ([(0, 9)], [(0, 4), (4, 9)], [(0, 1), (1, 8), (8, 9)], [(k, k + 1) for k in range(9)]):
        parts = [simulated(name, means, horizon, runs=b - a, first=a) for a, b in groups]
        assert np.concatenate([some.regret for some in parts]).tobytes() == whole.regret.tobytes()
        assert np.concatenate([some.pulls for some in parts]).tobytes() == whole.pulls.tobytes()
    filled, bandit = unfilled(means, horizon, runs=runs)
    for first, last in ((5, 9), (0, 5)):
        FOUND[name].simulate(part(filled, first, last), bandit, **parameters(name, horizon))
    assert same_bytes(filled, whole)
    assert filled.streams.tobytes() == whole.streams.tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_checkpoints_only_look(name):
    """Where regret is recorded changes neither the pulls nor what is recorded elsewhere."""
    means, horizon = [0.3, 0.8, 0.5], 1000
    every = simulated(name, means, horizon, rounds=np.arange(1, horizon + 1))
    # A round costs some arm's gap.
    steps = np.diff(every.regret, axis=1, prepend=0.0)
    assert np.all(np.min(np.abs(steps[..., None] - make_bandit(np.array(means)).gaps), axis=-1) < 1e-9)
    for rounds in ([horizon], list(TOGETHER), [1, horizon]):
        some = simulated(name, means, horizon, rounds=np.array(rounds))
        assert some.pulls.tobytes() == every.pulls.tobytes()
        assert some.regret == pytest.approx(every.regret[:, np.array(rounds) - 1], rel=1e-12, abs=1e-12)
        assert some.streams.tobytes() == every.streams.tobytes()


@pytest.mark.parametrize("name", [name for name in NAMES if name != "lazy_dp_ts"])
def test_a_shorter_run_is_a_beginning(name):
    """An algorithm that does not know T plays the same beginning whatever T is, with the same stream.

    Lazy-DP-TS does so in law only: where its thinning looks ahead depends on T.
    """
    means, horizon = [0.3, 0.8, 0.5], 1000
    given = {"beta": 0.5} if name == "dp_se" else {}
    long = simulated(name, means, horizon, rounds=np.array(TOGETHER), given=given)
    for at, shorter in enumerate(TOGETHER):
        short = simulated(name, means, shorter, rounds=np.array(TOGETHER[: at + 1]), given=given)
        assert short.regret.tobytes() == long.regret[:, : at + 1].tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_regret_is_logarithmic_not_linear(name):
    """From T = 10^5 to 10^6 the mean regret grows by a factor below 4, ten being linear growth."""
    small, large = (
        simulated(name, [0.8, 0.2], horizon, runs=20, epsilon=1.0).regret[:, -1].mean()
        for horizon in (10**5, 10**6)
    )
    assert large < 4.0 * small
