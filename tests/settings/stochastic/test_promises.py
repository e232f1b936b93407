"""What only some stochastic algorithms promise; what all promise is in `tests/contract`."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from dpbandits.core import registry
from dpbandits.core.fields import Tuning
from dpbandits.core.recording import Runs, checkpoints
from dpbandits.core.streams import streams
from dpbandits.settings.stochastic.batches import cumulative_pulls
from dpbandits.settings.stochastic.problem import make_bandit

# All of azize2025: each pulls every arm once before it decides, and has logarithmic regret.
PUBLISHED = ("adap-klucb", "adap-ucb", "dp-imed", "dp-klucb", "dp-se", "imed", "kl-ucb", "lazy-dp-ts")
BATCHED = ("adap-klucb", "adap-ucb", "dp-imed", "dp-klucb", "dp-se")
# Lazy-DP-TS plays the same beginning in law only: where its windows end depends on T.
WITHOUT_HORIZON = tuple(name for name in PUBLISHED if name != "lazy-dp-ts")
ROUNDS = (1, 2, 3, 5, 17, 100, 777, 1000)


def simulated(
    name: str,
    means: list[float],
    horizon: int,
    *,
    rounds: NDArray[np.int64] | None = None,
    number: int = 6,
    epsilon: float = 0.3,
    given: dict[str, float] | None = None,
) -> Runs:
    """Return filled runs; their streams do not depend on the horizon."""
    algorithm = registry.algorithm(name)
    budget = {} if algorithm.privacy is None else {"epsilon": epsilon}
    bandit = make_bandit(np.array(means, dtype=float))
    rounds = checkpoints(horizon, 12) if rounds is None else rounds
    runs = bandit.runs(streams(1, "promises", np.arange(number)), rounds)
    algorithm.simulate(runs, bandit, **algorithm.resolve(given or {}, Tuning(horizon, 5)).values, **budget)
    return runs


def test_the_published_algorithms_are_there() -> None:
    found = {registry.algorithm(name).title for name in PUBLISHED}
    assert found == {"DP-KLUCB", "DP-IMED", "DP-SE", "AdaP-KLUCB", "AdaP-UCB", "Lazy-DP-TS", "IMED", "KL-UCB"}


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("arms", [2, 100])
def test_every_arm_is_pulled(name: str, arms: int) -> None:
    """None of them can be sure of anything without."""
    for horizon in (1000, 1234):
        assert np.all(simulated(name, np.linspace(0.9, 0.1, arms).tolist(), horizon).pulls > 0)


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("horizon", [1, 2, 3, 4, 5, 6])
def test_fewer_rounds_than_arms(name: str, horizon: int) -> None:
    """Different arms are pulled in the first K rounds, and not always the same ones."""
    runs = simulated(name, [0.5, 0.1, 0.9, 0.3, 0.7, 0.2], horizon, number=200)
    assert runs.pulls.max() == 1
    assert np.all(runs.pulls.sum(axis=0) > 0)


@pytest.mark.parametrize("name", ["imed", "kl-ucb"])
def test_an_arm_that_never_fails(name: str) -> None:
    """Without noise it is left once for each other arm, and for no longer."""
    assert np.all(simulated(name, [0.0, 1.0, 0.0], 5000).pulls == [1, 4998, 1])


@pytest.mark.parametrize("name", ["dp-imed", "dp-klucb"])
@pytest.mark.parametrize("n0", [1, 7, 100])
@pytest.mark.parametrize("alpha", [1.1, 1.5, 2.0, 3.0])
def test_pulls_are_batches(name: str, n0: int, alpha: float) -> None:
    """At the horizon every arm but the last has pulled whole batches; equal arms pull beyond 32 bits each."""
    for means, horizon in (([0.3, 0.8, 0.5], 50), ([0.3, 0.8, 0.5], 777), ([0.5, 0.5, 0.5], 10**15)):
        runs = simulated(name, means, horizon, given={"n0": n0, "alpha": alpha}, number=20)
        whole = np.isin(runs.pulls, [0, *cumulative_pulls(n0, alpha, horizon)])
        assert np.all(whole.sum(axis=1) >= 2)


@pytest.mark.parametrize("name", ["adap-klucb", "adap-ucb"])
def test_pulls_are_doublings(name: str) -> None:
    for means, horizon in (([0.3, 0.8, 0.5], 10**6), ([0.5, 0.5, 0.5], 10**15)):
        runs = simulated(name, means, horizon, number=20)
        assert np.all(np.isin(runs.pulls, 2 ** np.arange(50)).sum(axis=1) >= 2)


@pytest.mark.parametrize("name", BATCHED)
@pytest.mark.parametrize("horizon", [10**12, 10**15, 10**15 + 1, 2**52])
def test_astronomic_horizons(name: str, horizon: int) -> None:
    """Counts leave 32 bits; regret is logarithmic, far below any power of T."""
    runs = simulated(name, [0.8, 0.75, 0.2], horizon, number=20, epsilon=0.1)
    assert np.all(runs.pulls.sum(axis=1) == horizon)
    assert np.all(runs.pulls.max(axis=1) > 0.9 * horizon)
    assert np.all(runs.regret[:, -1] < 1e6)
    assert np.all(runs.regret[:, -1] > 0.0)


@pytest.mark.parametrize("name", WITHOUT_HORIZON)
def test_a_shorter_run_is_a_beginning(name: str) -> None:
    """An algorithm that does not know T plays the same beginning whatever T is, with the same stream."""
    given = {"beta": 0.5} if name == "dp-se" else {}
    long = simulated(name, [0.3, 0.8, 0.5], 1000, rounds=np.array(ROUNDS), given=given)
    for at, shorter in enumerate(ROUNDS):
        short = simulated(name, [0.3, 0.8, 0.5], shorter, rounds=np.array(ROUNDS[: at + 1]), given=given)
        assert short.regret.tobytes() == long.regret[:, : at + 1].tobytes()


@pytest.mark.parametrize("name", PUBLISHED)
def test_regret_is_logarithmic_not_linear(name: str) -> None:
    """From T = 10^5 to 10^6 the mean regret grows by a factor below 4, ten being linear growth."""
    small, large = (
        simulated(name, [0.8, 0.2], horizon, number=20, epsilon=1.0).regret[:, -1].mean()
        for horizon in (10**5, 10**6)
    )
    assert large < 4.0 * small
