"""azize2025's theory: exact tails to many digits, the lower bound's divergence, and where the paper overstates."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from tiers import core

from dpbandits.core.errors import BadInput
from dpbandits.papers.azize2025.computations import dp_lower_bound, private_mean_tail
from dpbandits.papers.azize2025.computations.private_mean_tail import (
    log_binomial,
    log_chernoff,
    log_factor_d3,
    log_laplace_tail,
    log_lemma_d1,
    log_polynomial,
    log_private_tail,
    log_split,
    split_rate,
)
from dpbandits.papers.azize2025.figures import interactive_protocol, reward_representations
from dpbandits.settings.stochastic.divergences import budget, d_eps, kl
from dpbandits.settings.stochastic.theory import regime_change

EPSILONS = (0.01, 0.1, 0.5, 1.0, 3.0)
CASES = [(0.5, 0.75), (0.5, 0.5), (0.05, 0.9), (0.3, 1.0), (0.75, 0.5), (0.98, 0.1), (0.6, 0.0)]


@pytest.fixture(scope="module")
def bounds():
    """The table of the lower bound's divergence."""
    return dp_lower_bound.compute(31, [0.02, 0.5, 3.0], [[0.5, 0.75]])


@pytest.fixture(scope="module")
def tails():
    """The table of exact tails and bounds."""
    return private_mean_tail.compute([[0.5, 0.75], [0.75, 0.5]], [0.1, 0.5, 2.0], 1, 2.0, 40000)


# --- exact tails -----------------------------------------------------------------------------------------


def density(m: int, u: mpf) -> mpf:
    """Return the density of epsilon Z_m at u > 0, by a Bessel function: no sum of ours."""
    order = m - mpf(1) / 2
    return (u / 2) ** order * mpmath.besselk(order, u) / (mpmath.gamma(m) * mpmath.sqrt(mpmath.pi))


def exact_laplace_tail(m: int, u: mpf) -> mpf:
    """Return P[epsilon Z_m >= u] by repeated integration: Gamma times, in 60 digits."""
    v = abs(mpf(u))
    total = mpf(0)
    for k in range(m):
        rest = mpmath.fsum(v**i / mpmath.factorial(i) for i in range(m - k))
        total += mpmath.binomial(m - 1 + k, k) / mpf(2) ** (m + k) * rest
    total *= mpmath.exp(-v)
    return total if u >= 0 else 1 - total


@pytest.mark.parametrize("m", core([1, 2, 5, 17, 30], lambda m: m <= 5))
def test_laplace_sums(m):
    """Against the integral of the density, and symmetric around 0."""
    with mpmath.workdps(30):
        for u in (1e-9, 0.3, 4.0, 60.0, 700.0):
            # Scaled by e^u: quadrature's tolerance is absolute.
            points = [u, u + 1, u + 5, u + 20, u + 60, u + 200]
            integral = mpmath.quad(lambda v, u=u: density(m, v) * mpmath.exp(u), points)
            assert abs(log_laplace_tail(m, u) + u - float(mpmath.log(integral))) < 5e-13
            assert np.exp(log_laplace_tail(m, -u)) == pytest.approx(float(1 - integral * mpmath.exp(-u)), rel=1e-11)


SIZES = [(1, 1), (2, 3), (15, 4), (40, 1), (120, 8)]


# Each number of rewards and each pair of means, in turn; in the slow tier each with each.
@pytest.mark.parametrize(
    ("n", "m", "mu", "x"),
    core(
        [(*size, *case) for size in SIZES for case in CASES],
        lambda both: (SIZES.index(both[:2]) - CASES.index(both[2:])) % len(SIZES) == 0,
    ),
)
def test_tails_of_few_rewards_in_60_digits(n, m, mu, x):
    with mpmath.workdps(60):
        for epsilon in (0.05, 1.0, 7.0):
            sign = 1 if x >= mu else -1
            exact = mpmath.fsum(
                mpmath.binomial(n, s)
                * mpf(mu) ** s
                * (1 - mpf(mu)) ** (n - s)
                * exact_laplace_tail(m, epsilon * sign * (n * mpf(x) - s))
                for s in range(n + 1)
            )
            found = log_private_tail(n, m, mu, x, epsilon)
            assert abs(found - float(mpmath.log(exact))) < 1e-11


@pytest.mark.parametrize(("n", "m"), [(20000, 1), (131071, 17)])
@pytest.mark.parametrize(
    ("mu", "x", "epsilon"), [(0.5, 0.75, 0.1), (0.75, 0.5, 0.5), (0.3, 0.6, 3.0), (0.01, 0.7, 2.0)]
)
def test_tails_of_many_rewards_in_40_digits(n, m, mu, x, epsilon):
    """Relative 1e-10 for tails down to e^-175000: by recursion over all terms above e^-60 of the largest."""
    log_terms = log_binomial(n, mu) + log_laplace_tail(
        m, epsilon * (n * x - np.arange(n + 1)) * (1 if x >= mu else -1)
    )
    first, *_, last = np.flatnonzero(log_terms > log_terms.max() - 60)
    with mpmath.workdps(40):
        p, sign = mpf(mu), 1 if x >= mu else -1
        weights = [
            mpmath.fsum(mpmath.binomial(m - 1 + k, k) / mpf(2) ** (m + k) for k in range(m - i))
            / mpmath.factorial(i)
            for i in range(m)
        ]
        log_first = mpmath.loggamma(n + 1) - mpmath.loggamma(first + 1) - mpmath.loggamma(n - first + 1)
        mass = mpmath.exp(log_first + first * mpmath.log(p) + (n - first) * mpmath.log(1 - p))
        odds, total = p / (1 - p), mpf(0)
        shrink = mpmath.exp(mpf(epsilon) * sign)
        tail_exponential = mpmath.exp(-mpf(epsilon) * sign * (n * mpf(x) - int(first)))
        for s in range(int(first), int(last) + 1):
            u = mpf(epsilon) * sign * (n * mpf(x) - s)
            value = mpmath.polyval(weights, abs(u), asc=True)
            total += mass * (value * tail_exponential if u >= 0 else 1 - value / tail_exponential)
            mass *= odds * (n - s) / (s + 1)
            tail_exponential *= shrink
        exact = float(mpmath.log(total))
    assert exact < -100
    assert abs(log_private_tail(n, m, mu, x, epsilon) - exact) < 1e-10


@pytest.mark.parametrize(("mu", "x"), [(0.5, 0.6), (0.3, 0.15)])
def test_tails_by_simulation(mu, x):
    rng, runs, n, m, epsilon = np.random.default_rng(7), 400_000, 50, 4, 0.5
    total = rng.binomial(n, mu, runs) + rng.laplace(scale=1 / epsilon, size=(m, runs)).sum(axis=0)
    hits = np.mean(total >= n * x if x >= mu else total <= n * x)
    exact = math.exp(log_private_tail(n, m, mu, x, epsilon))
    assert abs(hits - exact) < 4.5 * math.sqrt(exact * (1 - exact) / runs)


def test_binomial_probabilities_sum_to_one():
    for n, mu in itertools.product((1, 2, 17, 131071), (1e-3, 0.5, 0.9)):
        assert np.logaddexp.reduce(log_binomial(n, mu)) == pytest.approx(0.0, abs=1e-11)


def test_stirling_s_error_in_30_digits():
    """To 1e-14, on both sides of n = 16, where the series takes over."""
    with mpmath.workdps(30):
        for n in (1, 2, 15, 16, 17, 20, 100, 10**6):
            exact = mpmath.loggamma(n + 1) - mpmath.log(mpmath.sqrt(2 * mpmath.pi * n)) - n * (mpmath.log(n) - 1)
            assert abs(float(private_mean_tail.stirling_error(n)) - float(exact)) < 3e-14, n


def test_the_bounds_of_lemma_d3_by_hand():
    """With d = n |x - mu|: log of 1 + e^p (1 + d log(1/mu)), p = 1 + m log(1 + m epsilon d); at x = mu it is e."""
    for mu, x, entropy in ((0.5, 0.75, math.log(2)), (0.75, 0.5, math.log(4))):
        power = 1 + 3 * math.log1p(3 * 0.1 * 25)
        expected = math.log(1 + math.exp(power) * (1 + 25 * entropy))
        assert log_factor_d3(100, 3, mu, x, 0.1) == pytest.approx(expected)
    assert log_factor_d3(100, 3, 0.5, 0.5, 0.1) == pytest.approx(math.log(1 + math.e))
    assert log_lemma_d1(3, 2.0) == pytest.approx(1 + 3 * math.log(7) - 2)
    assert split_rate(0.5, 0.5, 0.1) == log_chernoff(100, 3, 0.5, 0.5, 0.1) == 0.0


def test_rows_of_tails():
    """Named by side and regime, with batches of 1, 3 and 7 rewards; the bound has the rate n times."""
    change = regime_change(0.5, 0.75)
    table = private_mean_tail.compute([[0.75, 0.5], [0.5, 0.5], [0.5, 0.75]], [change, 2 * change], 1, 2.0, 7)
    assert table.groupby(["mu", "x"], sort=False)["tail"].unique().str[0].tolist() == ["lower", "upper", "upper"]
    assert set(table.loc[table["epsilon"] > change, "regime"]) == {"low privacy"}
    small = private_mean_tail.compute([[0.75, 0.5]], [0.5 * change], 1, 2.0, 7)
    assert set(small["regime"]) == {"high privacy"}
    assert small[["n", "m", "noises"]].to_numpy().tolist() == [
        [n, m, noises]
        for batch, n in enumerate((1, 3, 7), start=1)
        for noises, m in (("one", 1), ("batches", batch))
    ]
    for row in small.itertuples():
        of = (row.n, row.m, 0.75, 0.5, 0.5 * change)
        assert row.log_d3 == pytest.approx(log_factor_d3(*of) - row.n * row.d_eps)
        assert row.log_rewards == pytest.approx(math.log(sum(math.comb(row.n, k) * 0.75**k * 0.25 ** (row.n - k)
                                                             for k in range(row.n // 2 + 1))))  # fmt: skip


# --- Proposition 4.1 -------------------------------------------------------------------------------------


def test_the_tail_decays_at_d_eps(tails):
    """Prop. 4.1 and its converse: -log P / n tends to d_eps; with one noise term e^(-n d_eps) is a bound."""
    last = tails[tails["n"] == tails["n"].max()]
    assert np.allclose(-last["log_tail"] / last["n"], last["d_eps"], rtol=0.12)
    one = tails[tails["noises"] == "one"]
    assert (one["log_tail"] <= -one["n"] * one["d_eps"]).all()
    largest = one[one["n"] == one["n"].max()]
    assert np.allclose(-largest["log_tail"] / largest["n"], largest["d_eps"], rtol=0.003)


def test_noise_and_rewards_apart_decay_more_slowly(tails):
    """Discussion (c): even the best split of the exact probabilities has a lower rate, in both regimes."""
    assert (tails["split"] < 0.75 * tails["d_eps"]).all()
    assert (tails["log_tail"] <= tails["log_split"]).all()
    last = tails[tails["n"] == tails["n"].max()]
    assert np.allclose(-last["log_split"] / last["n"], last["split"], rtol=0.12)
    for mu, x in CASES:
        assert split_rate(mu, x, 0.5) <= d_eps(x, mu, budget(0.5)) + 1e-15


def test_the_split_is_the_best_one():
    """No c of a fine grid does better than the candidates just before the steps."""
    n, m, mu, x, epsilon = 40, 3, 0.5, 0.75, 0.5
    rewards = np.exp(log_binomial(n, mu))
    for c in np.linspace(-3.0, 25.0, 2001):
        apart = rewards[np.arange(n + 1) >= n * x - c].sum() + math.exp(log_laplace_tail(m, epsilon * c))
        assert math.log(apart) >= log_split(n, m, mu, x, epsilon) - 1e-12


def test_the_printed_split_bounds_nothing(tails):
    """Discussion (c) prints P(X + Y >= a) <= P(X >= a) + P(Y >= 0): never below 1/2, so no rate at all."""
    printed = np.logaddexp(tails["log_rewards"], math.log(0.5))
    assert (printed >= math.log(0.5)).all()
    assert (tails["log_split"] <= printed).all()
    assert tails["log_split"].min() < -1000


def test_lemma_d1_holds():
    u = np.geomspace(1e-6, 1e5, 400)
    for m in (1, 2, 3, 5, 10, 20, 50, 200):
        assert np.all(log_laplace_tail(m, u) <= log_lemma_d1(m, u))


def test_lemma_d3_holds():
    """As printed, and Chernoff's bound of the whole sum lies between it and the tail everywhere."""
    counts = ((1, 1), (3, 2), (20, 1), (20, 20), (100, 7), (100, 60), (1000, 10), (4000, 2))
    for (n, m), (mu, x), epsilon in itertools.product(counts, CASES, EPSILONS):
        of = (n, m, mu, x, epsilon)
        tail, chernoff = log_private_tail(*of), log_chernoff(*of)
        printed = log_factor_d3(*of) - n * d_eps(x, mu, budget(epsilon))
        assert tail <= chernoff + 1e-10, of
        assert chernoff <= printed, of


def test_lemma_d3_holds_though_its_proof_ends_with_a_larger_factor():
    """Eq. 24 ends with n log(1/mu) where the statement has (x - n mu) log(1/mu); the steps do not give less.

    They bound n kl(x/n, mu), which at x = n is n log(1/mu): more than the statement's (1 - mu) n log(1/mu).
    The statement is true all the same, even without that term: P <= (1 + 2 p) e^(-n d_eps) with
    p = p_m(epsilon (x - n mu)), and 2 p_m(u) <= (1 + u)^(m-1) <= e (1 + m u)^m.
    """
    n, mu = 100, 0.5
    assert n * kl(1.0, mu) == pytest.approx(n * math.log(1 / mu))
    assert n * kl(1.0, mu) > 1.9 * (n - n * mu) * math.log(1 / mu)
    u = np.geomspace(1e-6, 1e5, 200)
    for m in (1, 2, 5, 20, 100):
        assert np.all(math.log(2.0) + log_polynomial(m, u) <= (m - 1) * np.log1p(u) + 1e-12)
    for (n, m), (mu, x), epsilon in itertools.product(((5, 2), (100, 7), (1000, 10)), CASES, EPSILONS):
        p = float(log_polynomial(m, epsilon * n * abs(x - mu)))
        bound = np.logaddexp(0.0, math.log(2.0) + p) - n * d_eps(x, mu, budget(epsilon))
        assert log_private_tail(n, m, mu, x, epsilon) <= bound + 1e-12


def test_lemma_d3_does_not_give_proposition_4_1():
    """Prop. 4.1 asks for m/n = o(1); Lemma D.3 needs m log(n)/n = o(1), as Algorithm 1's batches have.

    With m = n / log n its factor is e^(2n), which no e^(a n) with a small covers: the bound is above 1 for every
    n. The proposition itself is true: Chernoff's bound of the whole sum decays at d_eps.
    """
    mu, x, epsilon = 0.5, 0.75, 0.5
    rate = d_eps(x, mu, budget(epsilon))
    excess = []
    for n in (1e10, 1e50, 1e150):
        of = (n, int(n / math.log(n)), mu, x, epsilon)
        assert log_factor_d3(*of) / n > 1.5 > 10 * rate
        excess.append(rate + log_chernoff(*of) / n)
    assert excess == sorted(excess, reverse=True)
    assert excess[-1] < 0.02
    # m = log2 n, as with alpha = 2
    assert log_factor_d3(1e6, 20, mu, x, epsilon) / 1e6 < 0.001


# --- Theorem 3.1 -----------------------------------------------------------------------------------------


def test_the_closed_form_is_the_infimum(bounds):
    assert bounds["error"].abs().max() < 1e-14
    assert {0.0, 1e-6}.issubset(bounds["mu_a"])
    assert {1.0, 1 - 1e-6}.issubset(bounds["mu_star"])


def test_rows_of_divergences():
    """At the threshold privacy is low; profiles go from a hundredth of it to ten times it, in equal ratios."""
    change = regime_change(0.25, 0.75)
    at = dp_lower_bound.divergences(
        *(np.full(2, value) for value in (0.25, 0.75)), np.array([change, 0.9 * change])
    )
    assert at["regime"].tolist() == ["low privacy", "high privacy"]
    assert at["epsilon_delta"].tolist() == pytest.approx([0.5 * change, 0.45 * change])
    table = dp_lower_bound.compute(3, [0.5], [[0.25, 0.75]])
    budgets = table.loc[table["part"] == "profile", "epsilon"].to_numpy()
    assert len(budgets) == 120 and budgets[[0, -1]] == pytest.approx([0.01 * change, 10 * change])
    assert budgets[1:] / budgets[:-1] == pytest.approx(1000 ** (1 / 119))
    # Nine means, of which 36 pairs; without those at mu* = 1 there are 28.
    assert (table["part"] == "grid").sum() == 36 and (table["part"] == "peak").sum() == 28
    peak = table[table["part"] == "peak"]
    assert np.allclose(peak["kl"], 6 * peak["epsilon_delta"])


def test_the_regimes_meet_at_the_threshold():
    """Eq. 8's condition, in 60 digits: from there on the infimum is at its left end, where the slope is >= 0."""
    for x, y in ((0.25, 0.75), (0.7, 0.75), (0.001, 0.9), (0.5, 0.999)):
        change = regime_change(x, y)
        with mpmath.workdps(60):
            # d/dz [kl(z, y) + epsilon (z - x)] at z = x is epsilon - (logit y - logit x)
            slope = mpmath.log(mpf(x) / (1 - mpf(x))) - mpmath.log(mpf(y) / (1 - mpf(y)))
        assert change == pytest.approx(-float(slope), rel=1e-13)
        assert d_eps(x, y, budget(change * (1 + 1e-12))) == kl(x, y)
        assert d_eps(x, y, budget(change * 0.99)) < kl(x, y)


def test_the_lower_bound_is_no_strict_improvement_in_the_low_privacy_regime(bounds):
    """The paper: "strictly improves on the existing ones across all epsilon values". Not in its own low regime.

    There d_eps = kl (eq. 8), and kl(mu_a, mu*) + kl(mu*, mu_a) = threshold Delta <= epsilon Delta, so that eq. 7
    has min{kl, 6 epsilon Delta} = kl as well: the bounds are equal. In the high-privacy regime the minimiser
    lies strictly between mu_a and mu*, and the improvement is strict.
    """
    low = bounds["regime"] == "low privacy"
    assert 200 < low.sum() < len(bounds) - 200
    assert (bounds.loc[low, "improvement"] == 1.0).all()
    # The same by search, without eq. 8
    assert np.allclose(bounds.loc[low, "infimum"], bounds.loc[low, "earlier"], rtol=0.0, atol=1e-14)
    assert (bounds.loc[low, "kl"] <= bounds.loc[low, "epsilon_delta"]).all()
    # The gain starts with the square of the distance to the threshold
    high = ~low & (bounds["epsilon"] < 0.999 * bounds["threshold"])
    assert (bounds.loc[high, "improvement"] > 1.0).all()
    assert (bounds["infimum"] < bounds["earlier"])[high].all()


def test_the_largest_gain_on_the_earlier_bound(bounds):
    """An arm's term grows by 6 as epsilon -> 0, by more up to kl/(6 Delta), by at most 1/(1 - e^(-1/6)) = 6.51."""
    for x, y in ((0.25, 0.75), (0.01, 0.02), (0.9, 0.99)):
        small = dp_lower_bound.divergences(np.array([x]), np.array([y]), np.array([1e-7]))
        assert small["improvement"].item() == pytest.approx(6.0, rel=1e-4)
    peak = bounds[bounds["part"] == "peak"]
    supremum = 1.0 / -math.expm1(-1 / 6)
    assert (peak["improvement"] >= 6.0).all()
    assert (bounds["improvement"] < supremum).all()
    assert peak["improvement"].max() == pytest.approx(supremum, rel=1e-6)
    at = peak.loc[peak["improvement"].idxmax()]
    assert (at["mu_a"], at["mu_star"]) == (0.0, 1e-6)
    # No budget gains more than that of the peak
    x, y = np.full(200, 0.5), np.full(200, 0.75)
    gains = dp_lower_bound.divergences(x, y, np.geomspace(1e-3, 5.0, 200))["improvement"]
    top = dp_lower_bound.divergences(x[:1], y[:1], np.array([kl(0.5, 0.75) / (6.0 * 0.25)]))["improvement"].item()
    assert gains.max() <= top == pytest.approx(6.2275, abs=1e-4)


# --- Figures 2 and 3 -------------------------------------------------------------------------------------


def test_the_channels_differ_in_the_challenge_round_alone():
    """Appendix B: the policy observes the left channel, but for b = R at t*. Figure 2's caption has L twice."""
    rounds = interactive_protocol.protocol()
    seen = rounds.pivot_table(index="round", columns="channel", values="observed", aggfunc="first")
    assert (seen["L"] == "left").all()
    assert seen.index[seen["L"] != seen["R"]].tolist() == ["t^*"]
    assert seen.loc["t^*", "R"] == "right"


def test_the_rewards_that_figure_3_highlights():
    table = reward_representations.representations(2, [1, 2, 1])
    assert table.groupby("representation").size().to_dict() == {"list": 3, "table": 6, "tree": 2 + 4 + 8}
    seen = table[table["highlighted"]].groupby("representation")["actions"].apply(list).to_dict()
    assert seen == {"list": ["", "", ""], "table": ["1", "2", "1"], "tree": ["1", "1,2", "1,2,1"]}


@pytest.mark.parametrize(("arms", "trajectory"), [(1, [1, 1]), (3, [3, 1]), (4, [2, 4, 1, 3])])
def test_every_representation_has_one_observed_reward_a_step(arms, trajectory):
    table = reward_representations.representations(arms, trajectory)
    assert (table.groupby(["representation", "step"])["highlighted"].sum() == 1).all()
    sizes = table.groupby("representation").size()
    T = len(trajectory)
    assert sizes.to_dict() == {"list": T, "table": T * arms, "tree": sum(arms**t for t in range(1, T + 1))}


@pytest.mark.parametrize("trajectory", [[], [1, 3], [0], ["1"]])
def test_impossible_trajectories_are_refused(trajectory):
    with pytest.raises(BadInput, match="trajectory"):
        reward_representations.draw(None, {}, 2, trajectory)
