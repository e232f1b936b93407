"""Tables of what batches lose have the binomial law, and runs with them the law of runs without."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpbandits.core import registry
from dpbandits.core.recording import Runs
from dpbandits.core.streams import streams
from dpbandits.settings.adversarial.batch_laws import batch_laws, lookup
from dpbandits.settings.adversarial.problem import Bandit, make_losses

# With fresh seeds correct code fails somewhere in this file with probability at most 1/1000.
P_VALUES = 32
LEVEL = 1e-3 / P_VALUES


def unfilled(bandit: Bandit, name: str, runs: int, horizon: int) -> Runs:
    return bandit.runs(streams(20261123, name, np.arange(runs)), np.array([horizon]))


@pytest.mark.parametrize("n", [2, 7, 100, 1000, 10**6, 13_000_000])
def test_a_table_has_the_probabilities_of_the_binomial_law(n: int) -> None:
    """To 1e-9 of each that matters, and to 1e-11 in sum; outcomes that are sure stay sure."""
    means = [0.0, 1.0, 0.5, 0.3, 0.999, 1e-4]
    bandit = Bandit(make_losses([1], np.array([means]), True), batch=n)
    least, keep, other = batch_laws(unfilled(bandit, "none", 1, n << 20), bandit)
    cells = keep.shape[1]
    assert cells & (cells - 1) == 0
    for arm, p in enumerate(means):
        law = np.bincount(np.arange(cells), keep[arm], cells)
        law += np.bincount(other[arm].astype(int), 1 - keep[arm], cells)
        exact = stats.binom.pmf(least[arm] + np.arange(cells), n, p)
        assert np.abs(law / cells - exact).sum() < 1e-11
        assert law.sum() == pytest.approx(cells, rel=1e-12)
        assert (keep[arm] >= 0.0).all()
        assert stats.binom.sf(least[arm] + cells - 1, n, p) + stats.binom.cdf(least[arm] - 1, n, p) < 1e-15


def test_a_look_at_a_table_draws_from_it() -> None:
    """Each arm from its own, all lanes alike."""
    bandit = Bandit(make_losses([1], np.array([[0.3, 0.8]]), True), batch=12)
    laws = batch_laws(unfilled(bandit, "none", 1, 10**6), bandit)
    arms = np.arange(200_000) % 2
    drawn = np.random.default_rng(3).random(arms.size)
    lookup(laws, arms, drawn)
    for arm, p in enumerate((0.3, 0.8)):
        counts = np.bincount(drawn[arms == arm].astype(int), minlength=13)
        expected = stats.binom.pmf(np.arange(13), 12, p) * (arms == arm).sum()
        common = expected >= 5
        rest = expected[~common].sum()
        pooled = np.append(counts[common], counts[~common].sum()), np.append(expected[common], rest)
        assert stats.chisquare(*pooled).pvalue > LEVEL


def test_there_is_no_table_where_none_pays_or_none_is_right() -> None:
    """Few decisions, huge batches, means that change, losses that are no draws, and batches of one round."""
    constant = make_losses([1], np.array([[0.3, 0.8]]), True)
    changing = make_losses([3, 2], np.array([[0.3, 0.8], [0.5, 0.1]]), True)
    for losses, batch, horizon in (
        (constant, 12, 12 * 31),
        (constant, 10**9, 2**52),
        (changing, 12, 10**6),
        (constant._replace(bernoulli=False), 12, 10**6),
        (constant, 1, 10**6),
    ):
        bandit = Bandit(losses, batch=batch)
        assert batch_laws(unfilled(bandit, "none", 1, horizon), bandit).least.size == 0


# An algorithm, its parameters, arms.
PLAYED = (
    ("exp3", {"eta": 0.02, "gamma": 0.1}, 3),
    ("htinf", {"sigma": 1.0}, 3),
    ("ftpl", {"eta": 0.05, "resampling": 6}, 2),
    ("ftpl-printed", {"eta": 0.05, "resampling": 6}, 2),
)


@pytest.mark.parametrize(("name", "parameters", "arms"), PLAYED)
def test_runs_with_tables_have_the_law_of_runs_without(name: str, parameters: dict[str, float], arms: int) -> None:
    """The same losses, once as one segment and once as two equal ones, which have no table."""
    means = np.array([[0.5, 0.4, 0.6][:arms]])
    plain = Bandit(make_losses([1], means, True), batch=9, noise=0.2)
    parted = plain._replace(losses=make_losses([5, 4], np.repeat(means, 2, axis=0), True))
    filled = []
    for bandit in (plain, parted):
        runs = unfilled(bandit, f"{name} {bandit.losses.means.shape[0]}", 3000, 9 * 600)
        assert (batch_laws(runs, bandit).least.size > 0) == (bandit is plain)
        registry.algorithm(name).simulate(runs, bandit, **parameters)
        filled.append(runs)
    one, other = filled
    assert stats.ks_2samp(one.regret[:, -1].round(6), other.regret[:, -1].round(6)).pvalue > LEVEL
    for arm in range(arms):
        assert stats.ks_2samp(one.pulls[:, arm], other.pulls[:, arm]).pvalue > LEVEL
