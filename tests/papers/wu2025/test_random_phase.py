"""Theorems B (any theta), F and G of docs/wu2025-regret.md on exact values, and the algorithm against them.

The one sampled test has a false alarm in 1e6 by five standard errors.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from dpbandits.core import registry
from dpbandits.core.fields import Tuning
from dpbandits.core.streams import streams
from dpbandits.papers.exact_inequalities import NotProvedError
from dpbandits.papers.wu2025.certificates import random_phase as certificate
from dpbandits.settings.full_information import laws, regret, theory
from dpbandits.settings.full_information.instances import Gaps, equal
from dpbandits.settings.full_information.noises import NOISES
from dpbandits.settings.full_information.problem import deterministic


def test_it_is_proved_and_a_wrong_constant_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(certificate.prove()) == 15
    for name, value in (
        ("SCALE", 5),
        ("RHO", Fraction(4)),
        ("GRID", Fraction(5, 4)),
        ("late_sum", lambda _: arb(2)),
    ):
        with monkeypatch.context() as changed, pytest.raises(NotProvedError):
            changed.setattr(certificate, name, value)
            certificate.prove()


def test_balls_and_quadrature_agree() -> None:
    """The computation's regret lies between the certificate's bounds."""
    with ctx.workprec(certificate.PRECISION):
        for name, groups in certificate.INSTANCES.items():
            low, high = (float(bound) for bound in certificate.expected_regret(groups))
            gaps = Gaps(
                np.array([float(gap) for gap, _ in sorted(groups)]),
                np.array([float(number) for _, number in sorted(groups)]),
            )
            found = regret.random_phase(NOISES["gumbel"], float(certificate.SCALE), gaps)
            assert low < found < high, name
            assert high < 1.005 * low


@pytest.mark.parametrize("noise", ["laplace", "gumbel", "permute-and-flip"])
def test_theorem_f_with_deterministic_losses(noise: str) -> None:
    """Between (ratio/log ratio)(b s - 2) and the upper bound, for several ratios; e is the best one."""
    for gaps, scale in ((equal(2, 1.0), 500.0), (equal(50, 0.3), 100.0)):
        spread = theory.SPREADS[noise](gaps.arms)
        costs = {}
        for ratio in (2.0, math.e, 4.0):
            costs[ratio] = regret.random_phase(NOISES[noise], scale, gaps, ratio)
            assert ratio / math.log(ratio) * (scale * spread - 2.0) <= costs[ratio]
            assert costs[ratio] <= theory.random_phase_bound(spread, scale, ratio)
        assert min(costs, key=lambda ratio: costs[ratio]) == math.e
        # Doubling has a phase of its own, and is at most as good as 2 b s - 1.
        assert (
            2.0 * scale * spread - 1.0 <= regret.doubling(NOISES[noise], scale, gaps) <= 4.0 * scale * spread + 1.0
        )


def test_the_algorithm_has_that_regret() -> None:
    """Mean regret of 4000 runs at T = 2^40 against the exact expectation."""
    gaps = np.array([0.0, *[0.5] * 9])
    losses = deterministic(0.25 + gaps)
    algorithm = registry.algorithm("rnm-ftnl-random-phase")
    for ratio in (2.0, math.e):
        runs = losses.runs(streams(1, f"random phase {ratio}", np.arange(4000)), np.array([2**40]))
        values = algorithm.resolve({"ratio": ratio, "resampling": 0}, Tuning(2**40, 10, 0.02)).values
        algorithm.simulate(runs, losses, epsilon=0.02, **values)
        exact = regret.random_phase(NOISES["gumbel"], 100.0, equal(10, 0.5), ratio)
        error = runs.regret[:, -1].std(ddof=1) / math.sqrt(4000)
        assert abs(runs.regret[:, -1].mean() - exact) < 5.0 * error
        assert error < 0.02 * exact


@pytest.mark.parametrize("noise", ["laplace", "gumbel"])
@pytest.mark.parametrize("means", [(0.1, 0.9), (0.4, 0.4, 0.6)])
def test_step_one_per_round(noise: str, means: tuple[float, ...]) -> None:
    """The sum of h(n)/n over all n is at most b s, of Bernoulli losses; with a tie of best actions too."""
    scale, mu = 3.0, np.array(means)
    summed = 0.0
    for n in range(1, 25):
        law = np.array([laws.binomial(n, mean) for mean in mu])
        # E G_J = sum over j and g of P[G_j = g] g P[J = j given G_j = g]: each g as a point law of action j.
        selected = 0.0
        for j in range(mu.size):
            for g in np.flatnonzero(law[j] > 1e-13):
                point = law.copy()
                point[j] = 0.0
                point[j, g] = 1.0
                share = NOISES[noise].select_random(point, np.ones((1, mu.size)), 1.0 / scale)[0, j]
                selected += law[j, g] * g * share
        summed += (selected - n * mu.min()) / n
        assert summed <= scale * theory.SPREADS[noise](mu.size)
    # Of wide gaps a good part of it is reached; of small ones the sum is negative.
    assert summed > 0.3 * scale * theory.SPREADS[noise](mu.size) or mu.size == 3


def test_what_selection_hides_summed_over_all_rounds() -> None:
    """The sum of e_theta(n)/n, by the bound on e_theta, is below (4 log K + 2 + 1.5/log K)/(theta Delta)."""
    for arms, theta, gap in itertools.product((2, 3, 100), (0.3, 0.5, 0.9), (0.1, 0.3, 1.0)):
        spread, c = math.log(arms), theta * gap
        end = 2.0 * spread / c**2
        n = np.arange(1.0, 60.0 * end + 10.0)
        early = np.sqrt(2.0 * n * spread) + np.sqrt(n / (2.0 * spread))
        late = np.exp(spread * np.maximum(1.0 - n / end, -700.0)) / c
        total = float(np.sum(np.where(n <= end, early, late) / n))
        assert total <= (4.0 * spread + 2.0 + 1.5 / spread) / c


def test_online_bidding() -> None:
    """Schedules of powers: doubling costs 4 thresholds at worst, a random phase of ratio e costs e on average."""

    def cost(bids: np.ndarray, threshold: float) -> float:
        over = int(np.flatnonzero(bids > threshold)[0])
        return float(bids[: over + 1].sum()) / threshold

    for ratio in (1.5, 2.0, 3.0):
        bids = ratio ** np.arange(80.0)
        worst = max(cost(bids, float(bid)) for bid in bids[:60])
        assert worst <= ratio**2 / (ratio - 1.0) + 1e-9
        assert worst > ratio**2 / (ratio - 1.0) - 1e-6 or ratio == 1.5
        assert worst > 3.999
    phases = (np.arange(2000) + 0.5) / 2000
    for threshold in (1e4, 3e4, 1e6):
        mean = np.mean([cost(np.exp(np.arange(-20.0, 40.0) + phase), threshold) for phase in phases])
        assert mean == pytest.approx(math.e, rel=1e-3)
    # The lower bound's thresholds, density 1/(x log M): no ratio of a power schedule is below e (1 - 1/log M).
    top = math.exp(12.0)
    thresholds = top ** ((np.arange(4000) + 0.5) / 4000)
    for ratio in (1.3, 2.0, math.e, 4.0, 10.0):
        mean = np.mean([cost(ratio ** np.arange(0.0, 120.0), float(x)) for x in thresholds])
        assert mean >= math.e * (1.0 - 1.0 / 12.0)
