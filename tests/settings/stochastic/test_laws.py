"""Every algorithm has the law of its literal implementation, in plain and in shortened form.

The package simulates decisions, `literal` plays policies round by round; here samples of both are compared:
regret at two rounds by the Mann-Whitney and the Kolmogorov-Smirnov test, and the pulls of every arm at both by
the chi-square
test of homogeneity.

False alarms. Seeds are fixed, so the file is deterministic. With fresh seeds, correct code would fail somewhere
in this file with probability at most `FALSE_ALARMS` = 1/1000: every p-value is compared with that number divided
by `P_VALUES`, an upper bound of their number, which `test_number_of_p_values` checks. (The tests are asymptotic;
their tails were checked by simulation: below 0.0001 were 1.6 in 10,000 of 50,000 chi-square p-values, and fewer
of the others; `test_p_values_are_not_too_small` is a short form of that.)
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass, field

import literal
import numpy as np
import pytest
from laws import same_law
from numpy.typing import NDArray
from scipy import stats
from tiers import SHARES, fewer_runs

from dpbandits.core import algorithm
from dpbandits.core.streams import bits, streams
from dpbandits.settings.stochastic.algorithms import dp_klucb, imed, kl_ucb
from dpbandits.settings.stochastic.divergences import budget
from dpbandits.settings.stochastic.problem import make_bandit

FALSE_ALARMS = 1e-3
P_VALUES = 1200
LEVEL = FALSE_ALARMS / P_VALUES
ROOT = 20250801

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Setting:
    """An algorithm on a bandit, the rounds at which it is looked at, and the literal's number of runs."""

    name: str
    means: tuple[float, ...]
    rounds: tuple[int, int]
    runs: int
    parameters: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        given = ",".join(f"{key}={value}" for key, value in self.parameters.items())
        return f"{self.name}-K{len(self.means)}-T{self.rounds[1]}-{given}"

    @property
    def p_values(self) -> int:
        return 2 * (2 + len(self.means))


# Early rounds, in which ties and constants show best, with many runs; and later ones, cut inside batches.
SETTINGS = [
    Setting("dp_klucb", (0.7, 0.3), (5, 14), 8000, {"epsilon": 1.0}),
    Setting("dp_klucb", (0.5, 0.4, 0.2), (60, 400), 4000, {"epsilon": 0.3}),
    Setting("dp_klucb", (0.9, 0.8, 0.5, 0.2), (333, 1500), 1540, {"epsilon": 0.5, "alpha": 1.5}),
    Setting("dp_klucb", (0.1, 0.6, 0.3), (200, 700), 3000, {"epsilon": 0.01, "alpha": 1.1, "n0": 10}),
    Setting("dp_klucb", (0.2, 0.75, 0.7, 0.5, 0.3), (100, 1000), 1540, {"epsilon": 0.1, "alpha": 3.0}),
    Setting("dp_imed", (0.7, 0.3), (5, 14), 8000, {"epsilon": 1.0}),
    Setting("dp_imed", (0.5, 0.4, 0.2), (60, 400), 5000, {"epsilon": 0.3}),
    Setting("dp_imed", (0.9, 0.8, 0.5, 0.2), (333, 1500), 2000, {"epsilon": 0.5, "alpha": 1.5}),
    Setting("dp_imed", (0.1, 0.6, 0.3), (200, 700), 4000, {"epsilon": 0.01, "alpha": 1.1, "n0": 10}),
    Setting("dp_imed", (0.2, 0.75, 0.7, 0.5, 0.3), (100, 1000), 2000, {"epsilon": 0.1, "alpha": 3.0}),
    Setting("dp_se", (0.9, 0.6), (500, 1500), 3000, {"epsilon": 1.0, "beta": 1.0}),
    Setting("dp_se", (0.8, 0.5), (1000, 2500), 3000, {"epsilon": 0.05, "beta": 1.0}),
    Setting("dp_se", (0.9, 0.72, 0.6), (1500, 4500), 1540, {"epsilon": 0.25, "beta": 0.5}),
    Setting("dp_se", (0.9, 0.76), (4000, 6000), 1050, {"epsilon": 1.0, "beta": 1.0}),
    Setting("dp_se", (0.2, 0.9, 0.6, 0.55, 0.1), (2000, 3500), 1050, {"epsilon": 0.1, "beta": 1.0}),
    Setting("adap_ucb", (0.7, 0.3), (7, 23), 8000, {"epsilon": 1.0}),
    Setting("adap_ucb", (0.5, 0.4, 0.2), (200, 1300), 4000, {"epsilon": 0.3}),
    Setting("adap_ucb", (0.2, 0.9, 0.6, 0.55, 0.1), (300, 1800), 2500, {"epsilon": 0.05, "alpha": 2.0}),
    Setting("adap_klucb", (0.7, 0.3), (7, 23), 8000, {"epsilon": 1.0}),
    Setting("adap_klucb", (0.5, 0.4, 0.2), (90, 200), 10_000, {"epsilon": 1.0}),
    Setting("adap_klucb", (0.2, 0.9, 0.6, 0.55, 0.1), (300, 1800), 2000, {"epsilon": 0.1, "alpha": 2.0}),
    Setting("adap_klucb", (0.8, 0.7, 0.3), (50, 300), 4000, {"epsilon": 1.0, "alpha": 0.3}),
    Setting("lazy_dp_ts", (0.7, 0.3), (5, 20), 8000, {"epsilon": 1.0}),
    Setting("lazy_dp_ts", (0.9, 0.4, 0.2), (100, 500), 1050, {"epsilon": 1.0}),
    Setting("lazy_dp_ts", (0.1, 0.9, 0.5), (150, 700), 750, {"epsilon": 0.3, "offset": 0.5}),
    Setting("lazy_dp_ts", (0.8, 0.6, 0.5, 0.2), (100, 400), 850, {"epsilon": 0.05, "offset": 1.0}),
    Setting("perfection_test", (1.0, 0.3), (9, 60), 8000, {"epsilon": 1.0, "test": 1}),
    Setting("perfection_test", (0.9, 0.2, 0.1), (40, 900), 2000, {"epsilon": 2.0, "test": 2}),
    Setting("dp_imed_long_start", (0.8, 0.4, 0.2), (20, 90), 5000, {"epsilon": 0.5, "first": 2.0}),
    Setting("dp_klucb_long_start", (0.8, 0.4, 0.2), (20, 90), 4000, {"epsilon": 0.5, "first": 2.0}),
    Setting("dp_imed_polynomial", (0.8, 0.4, 0.2), (20, 90), 5000, {"epsilon": 0.5, "n0": 1, "degree": 1}),
    Setting("dp_imed_tradeoff", (0.8, 0.4, 0.2), (20, 90), 5000, {"epsilon": 0.5, "kappa": 2.0, "alpha": 1.5}),
    Setting("forgetting_dp_imed", (0.8, 0.4, 0.2), (20, 90), 5000, {"epsilon": 1.0, "alpha": 1.5}),
    Setting("forgetting_dp_klucb", (0.8, 0.4, 0.2), (20, 90), 4000, {"epsilon": 1.0, "alpha": 1.5}),
    Setting("lasting_adap_klucb", (0.8, 0.4, 0.2), (20, 90), 4000, {"epsilon": 1.0, "alpha": 0.5}),
    Setting("adap_ucb", (0.7, 0.3), (7, 23), 8000, {"epsilon": 1.0, "clock": 2.0}),
    Setting("imed", (0.9, 0.1), (6, 10), 30_000),
    Setting("imed", (0.5, 0.4, 0.2), (30, 100), 4000),
    Setting("imed", (0.95, 0.9, 0.6, 0.3), (300, 1000), 540),
    Setting("kl_ucb", (0.7, 0.3), (9, 22), 10_000),
    Setting("kl_ucb", (0.5, 0.4, 0.2), (30, 100), 2000),
    Setting("kl_ucb", (0.95, 0.8, 0.6, 0.3), (150, 500), 540),
]
REVERSED = [
    Setting("dp_klucb", (0.6, 0.5, 0.4), (3, 40), 30_000, {"epsilon": 0.05}),
    Setting("dp_imed", (0.6, 0.5, 0.4), (3, 40), 30_000, {"epsilon": 0.05}),
    Setting("dp_se", (0.9, 0.6, 0.55), (301, 2000), 30_000, {"epsilon": 1.0, "beta": 1.0}),
    Setting("adap_ucb", (0.6, 0.5, 0.4), (4, 40), 30_000, {"epsilon": 0.05}),
    Setting("adap_klucb", (0.6, 0.5, 0.4), (4, 40), 30_000, {"epsilon": 0.05}),
    Setting("lazy_dp_ts", (0.6, 0.5, 0.4), (3, 40), 30_000, {"epsilon": 0.2}),
    Setting("imed", (0.6, 0.5, 0.4), (4, 40), 30_000),
    Setting("kl_ucb", (0.6, 0.5, 0.4), (4, 40), 20_000),
]
# Without noise and optimism hardly an early misstep is corrected later: any error of many rounds at once adds up.
TOGETHER = [
    Setting("lazy_dp_ts", (0.95, 0.05), (30, 150), 30_000, {"epsilon": 50.0, "offset": 0.1}),
    Setting("lazy_dp_ts", (0.1, 0.9, 0.3), (50, 300), 12_000, {"epsilon": 10.0, "offset": 0.3}),
    Setting("lazy_dp_ts", (0.9, 0.5), (400, 3000), 3000, {"epsilon": 1.0}),
    Setting("lazy_dp_ts", (0.2, 0.8, 0.5), (300, 2000), 2000, {"epsilon": 0.5, "offset": 1.0}),
    Setting("lazy_dp_ts", (0.95, 0.9, 0.2, 0.1), (1000, 20_000), 200, {"epsilon": 1.0, "offset": 0.3}),
    Setting("lazy_dp_ts", (1.0, 0.3), (1000, 20_000), 400, {"epsilon": 0.3}),
]


def ours(
    setting: Setting, runs: int, identity: str = "ours", **more: object
) -> tuple[Counts, Counts, NDArray[np.float64]]:
    """Return the pulls at both rounds, and regret at both rounds, of the package's implementation.

    The pulls at the first round are those of other runs, with that horizon; DP-SE alone depends on the
    horizon (through beta), and is given beta.
    """
    module = importlib.import_module(f"dpbandits.settings.stochastic.algorithms.{setting.name}")
    pulls = []
    for horizon in setting.rounds:
        bandit = make_bandit(np.array(setting.means))
        filled = bandit.runs(
            streams(ROOT, f"{identity} {setting} {horizon}", np.arange(runs)),
            np.array([r for r in setting.rounds if r <= horizon]),
        )
        given = {key: value for key, value in setting.parameters.items() if key != "epsilon"}
        parameters = module.ALGORITHM.resolve(given, algorithm.Tuning(horizon, len(setting.means))).values
        if "epsilon" in setting.parameters:
            parameters["epsilon"] = setting.parameters["epsilon"]
        if more:
            module._simulate(filled, bandit, parameters["epsilon"], parameters["offset"], more["together"])
        else:
            module.ALGORITHM.simulate(filled, bandit, **parameters)
        pulls.append(filled.pulls)
    return pulls[0], pulls[1], filled.regret


def theirs(setting: Setting, runs: int) -> tuple[Counts, Counts, NDArray[np.float64]]:
    """Return the same of the literal implementation, played round by round."""
    rng = np.random.default_rng([ROOT, SETTINGS.index(setting)])
    pulls = np.array(
        [
            literal.run(setting.name.replace("_", "-"), setting.means, setting.rounds, rng, **setting.parameters)
            for _ in range(runs)
        ]
    )
    gaps = max(setting.means) - np.array(setting.means)
    return pulls[:, 0], pulls[:, 1], pulls @ gaps


def assert_same_law(one: tuple, other: tuple) -> None:
    p_values = same_law(one, other)
    assert min(p_values.values()) > LEVEL, sorted(p_values.items(), key=lambda item: item[1])[:4]


def test_number_of_p_values():
    """A setting of `REVERSED` is used for two permutations."""
    first = {setting.name: setting for setting in reversed(SETTINGS)}
    number = sum(setting.p_values for setting in [*SETTINGS, *first.values(), *TOGETHER, *REVERSED, *REVERSED])
    # `test_no_arm_is_first`, and ties.
    assert number + 3 * len(REVERSED) + 5 * len(TIES) <= P_VALUES


def test_p_values_are_not_too_small():
    """Among null comparisons about one p-value in a hundred, or fewer, is below 0.01: ties make them larger."""
    setting = next(s for s in SETTINGS if s.name == "dp_imed" and s.rounds[1] == 400)
    pool = ours(setting, 150_000, "calibration")
    small = total = 0
    for i in range(25):
        part, rest = slice(1000 * i, 1000 * (i + 1)), slice(25_000 + 5000 * i, 25_000 + 5000 * (i + 1))
        p_values = same_law(tuple(x[part] for x in pool), tuple(x[rest] for x in pool))
        small += sum(p < 0.01 for p in p_values.values())
        total += len(p_values)
    # One-sided, with room for the dependence of a comparison's ten p-values.
    assert stats.binom.sf(small / 4 - 1, total // 4, 0.01) > 1e-4


@pytest.mark.parametrize(("setting", "share"), fewer_runs(SETTINGS, lambda setting: setting.name, 16), ids=str)
def test_literal_law(setting, share):
    """The package's law is that of the pseudocode, played round by round.

    Ours are ten times theirs, at most 20,000: of n runs and of m, nm/(n + m) tell what is seen, here 10/11 of n.
    """
    runs = setting.runs // share
    assert_same_law(theirs(setting, runs), ours(setting, min(20_000, 10 * runs)))


@pytest.mark.parametrize(
    ("setting", "share"),
    [(TOGETHER[-1], 4), *(pytest.param(setting, 1, marks=pytest.mark.slow) for setting in TOGETHER)],
    ids=str,
)
def test_many_rounds_at_once_are_plain(setting, share):
    """Lazy-DP-TS with many rounds at once has the law of Lazy-DP-TS with all draws in all rounds."""
    together = ours(setting, max(1000, 2 * setting.runs), "together", together=True)
    assert_same_law(ours(setting, setting.runs // share, "plain", together=False), together)


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("setting", REVERSED, ids=str)
@pytest.mark.parametrize("order", [(2, 1, 0), pytest.param((1, 2, 0), marks=pytest.mark.slow)])
def test_arms_have_no_names(setting, order, share):
    """Arms in another order are pulled alike, also before each arm has been pulled."""
    moved = Setting(
        setting.name,
        tuple(setting.means[k] for k in order),
        setting.rounds,
        setting.runs,
        setting.parameters,
    )
    runs = setting.runs // share
    first, second, regret = ours(moved, runs, "moved")
    back = np.argsort(order)
    assert_same_law(ours(setting, runs), (first[:, back], second[:, back], regret))


@pytest.mark.parametrize("setting", REVERSED, ids=str)
def test_no_arm_is_first(setting):
    """In fewer rounds than arms, each arm is pulled in the same share of the runs: T of K."""
    means = (0.1, 0.5, 0.9, 0.3)
    for horizon in (1, 2, 3):
        short = Setting(setting.name, means, (horizon, horizon), 20_000, setting.parameters)
        pulls = ours(short, 20_000)[1]
        assert pulls.max() == 1
        # Summed over arms and divided by the variance: chi-square with K - 1 degrees of freedom.
        share = horizon / 4
        statistic = np.sum((pulls.sum(axis=0) - 20_000 * share) ** 2) / (20_000 * share * (1 - share)) * 3 / 4
        assert stats.chi2.sf(statistic, 3) > LEVEL


# --- the shortcuts, taken by themselves ---


def states(arms: int, number: int, seed: int) -> list[tuple[Counts, Counts]]:
    """Return successes and pulls that a good run may have: a leader with many pulls, and others with few."""
    rng = np.random.default_rng([ROOT, seed])
    found = []
    for _ in range(number):
        n = np.append(rng.integers(1, 60, arms - 1), int(10 ** rng.uniform(0.5, 6)))
        successes = rng.binomial(n, np.append(rng.uniform(0.0, 0.6, arms - 1), rng.uniform(0.5, 1.0)))
        order = rng.permutation(arms)
        found.append((successes[order], n[order]))
    return found


def futures(successes: Counts, n: Counts, arm: int, window: int) -> list[tuple[Counts, Counts, int]]:
    """Return what may be known in a window's rounds, the worst included: ``successes, n, rounds played``."""
    rng = np.random.default_rng(window)
    found = []
    for played in {0, 1, window // 2, window - 2, window - 1} & set(range(window)):
        for won in (0, played, int(rng.integers(played + 1))):
            later = successes.copy(), n.copy()
            later[0][arm] += won
            later[1][arm] += played
            found.append((*later, played))
    return found


# Means, pulls, and which arms have the largest index at t = 50; ties at a lower level come first.
TIES = [
    ([0.0, 0.0, 0.5, 0.5], [4, 4, 4, 4], [2, 3]),
    ([0.5, 0.0, 0.5, 0.0], [4, 4, 4, 4], [0, 2]),
    ([0.25, 0.25, 0.5, 0.5, 0.5], [4, 4, 2, 2, 2], [2, 3, 4]),
    ([1.0, 0.5, 1.0], [8, 8, 3], [0, 2]),
]


@pytest.mark.parametrize(("mean", "n", "largest"), TIES)
def test_largest_indices_tie(mean, n, largest):
    """Whichever arm is supposed to win, the arms of largest index are drawn alike; in both forms of KL-UCB."""
    log_t, privacy = math.log(50.0), budget(20.0)
    state = streams(ROOT, f"ties {mean}", np.arange(1))[0]
    mean = np.array(mean)
    for likely in range(mean.size):
        found = [kl_ucb._largest_index(state, mean, np.array(n) + 0.0, log_t, likely) for _ in range(3000)]
        found += [dp_klucb._largest_index(state, mean, np.array(n), log_t, privacy, likely) for _ in range(3000)]
        count = np.bincount(found, minlength=mean.size)
        assert np.flatnonzero(count).tolist() == largest
        assert stats.chisquare(count[largest]).pvalue > LEVEL


def test_imed_windows_are_certain():
    """While a window lasts, the arm that fills it has the one smallest index, whatever its rewards are."""
    state = streams(ROOT, "imed windows", np.arange(1))[0]
    used = 0
    for successes, n in states(3, 400, 1):
        mean = successes / n
        fixed = np.array(
            [
                n_k * sum(x * math.log(x) for x in (m, 1 - m) if x > 0) + math.log(n_k)
                for n_k, m in zip(n, mean, strict=True)
            ]
        )
        arm, window = imed._decide(state, successes + 0.0, n + 0.0, mean, fixed, np.empty(3), 2**16)
        used += window > 1
        for won, pulled, _ in futures(successes, n, arm, window) if window > 1 else ():
            best = max(won / pulled)
            index = [k * literal.kl(m, best) + math.log(k) for m, k in zip(won / pulled, pulled, strict=True)]
            assert index[arm] < min(index[:arm] + index[arm + 1 :]), (successes, n, window)
    assert used > 100


def test_kl_ucb_windows_are_certain():
    state = streams(ROOT, "kl-ucb windows", np.arange(1))[0]
    used = 0
    for successes, n in states(3, 400, 2):
        t = int(n.sum())
        mean = successes / n
        index = [literal.kl_index(m, math.log(t + 1) / k) for m, k in zip(mean, n, strict=True)]
        # Whichever arm is supposed to win, the largest index does.
        for likely in range(3):
            arm = kl_ucb._largest_index(state, mean, n + 0.0, math.log(t + 1.0), likely)
            assert index[arm] == max(index)
        window = kl_ucb._certain(successes + 0.0, mean, n + 0.0, t, arm, 2**16)
        used += window > 1
        for won, pulled, played in futures(successes, n, arm, window) if window > 1 else ():
            log_t = math.log(t + 1 + played)
            later = [literal.kl_index(m, log_t / k) for m, k in zip(won / pulled, pulled, strict=True)]
            assert later[arm] > max(later[:arm] + later[arm + 1 :]), (successes, n, window)
    assert used > 100


@pytest.mark.parametrize(("name", "plain"), [("imed", 20_000), ("kl_ucb", 20_000), ("lazy_dp_ts", 80_000)])
def test_shortcuts_are_in_use(name, plain):
    """What is compared above is the shortened form: it draws less than half as often as ``plain`` rounds must.

    Those are one reward a round, or two posteriors of two numbers each. A draw advances the stream one step.
    """
    module = importlib.import_module(f"dpbandits.settings.stochastic.algorithms.{name}")
    states = streams(ROOT, "shortcuts", np.arange(10))
    before = states.copy()
    bandit = make_bandit(np.array([0.9, 0.3]))
    runs = bandit.runs(states, np.array([20_000]))
    module.ALGORITHM.simulate(runs, bandit, **({"epsilon": 1.0, "offset": 1.0} if name == "lazy_dp_ts" else {}))
    steps = 0
    for start, end in zip(before, runs.streams, strict=True):
        while steps < 5 * plain and not np.array_equal(start, end):
            bits(start)
            steps += 1
    assert steps < 5 * plain
