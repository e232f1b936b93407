"""The random streams and the samplers: reference values, independent re-implementations, and laws.

Seeds are fixed, so the tests are deterministic. With fresh seeds, the statistical tests of this file would
raise at least one false alarm with probability at most `FALSE_ALARMS`: each p-value is compared with that
number divided by `P_VALUES`, an upper bound of how many p-values there are.
"""

from __future__ import annotations

import hashlib
import itertools
import math

import mpmath
import numba
import numpy as np
import pytest
from scipy import stats

from dpbandits.core import streams as module
from dpbandits.core.streams import (
    argmax,
    argmin,
    beta,
    binomial,
    bits,
    integer_below,
    laplace,
    log_binomial_pmf,
    permute,
    shuffle,
    streams,
    uniform,
)

FALSE_ALARMS = 1e-3
P_VALUES = 200
LEVEL = FALSE_ALARMS / P_VALUES
MASK = 2**64 - 1
ROOT = 20250801


def one_stream(identity: str) -> np.ndarray:
    return streams(ROOT, identity, np.arange(1))[0]


@numba.njit
def many_binomials(state, n, p, out):
    for i in range(out.size):
        out[i] = binomial(state, n, p)


@numba.njit
def many_betas(state, a, b, out):
    for i in range(out.size):
        out[i] = beta(state, a, b)


@numba.njit
def many_laplaces(state, scale, out):
    for i in range(out.size):
        out[i] = laplace(state, scale)


@numba.njit
def many_uniforms(state, out):
    for i in range(out.size):
        out[i] = uniform(state)


# --- the generator ---


class Reference:
    """xoshiro256++ in Python's integers, written from Blackman & Vigna's description."""

    def __init__(self, state: list[int]) -> None:
        self.s = list(state)

    @staticmethod
    def rotate(x: int, k: int) -> int:
        return (x << k | x >> (64 - k)) & MASK

    def __call__(self) -> int:
        s = self.s
        result = (self.rotate((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = self.rotate(s[3], 45)
        return result


def test_published_outputs():
    """The outputs that Rust's `rand_xoshiro` tests against the authors' C code."""
    state = np.array([1, 2, 3, 4], dtype=np.uint64)
    assert [int(bits(state)) for _ in range(10)] == [
        41943041,
        58720359,
        3588806011781223,
        3591011842654386,
        9228616714210784205,
        9973669472204895162,
        14011001112246962877,
        12406186145184390807,
        15849039046786891736,
        10450023813501588000,
    ]


def test_independent_implementation():
    for start in streams(ROOT, "reference", np.arange(5)):
        reference = Reference([int(word) for word in start])
        assert [int(bits(start)) for _ in range(1000)] == [reference() for _ in range(1000)]
        assert [int(word) for word in start] == reference.s


def reference_stream(root_seed: int, identity: str, run: int) -> list[int]:
    """Return a run's initial state in Python's integers: a digest as key, SplitMix64's outputs as words."""
    digest = hashlib.blake2b(f"{root_seed}\0{identity}".encode(), digest_size=32).digest()
    state = []
    for i in range(4):
        z = int.from_bytes(digest[8 * i : 8 * i + 8], "little")
        z = (z + 0x9E3779B97F4A7C15 * (4 * run + i + 1)) & MASK
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        state.append(z ^ z >> 31)
    return state


def test_initial_states_never_change():
    """Results stored today must be regenerated tomorrow."""
    runs = np.array([0, 1, 2, 999, 10**6, 2**40])
    for seed, identity in ((0, ""), (1, "job"), (2**63, "naïve")):
        found = streams(seed, identity, runs).tolist()
        assert found == [reference_stream(seed, identity, run) for run in runs.tolist()]
    assert streams(1, "job", np.array([0])).tolist() == [
        [1893286645347072700, 5617696570626484902, 2026578744932653421, 2371738612712842195]
    ]


def test_streams_depend_on_seed_identity_and_run_alone():
    runs = np.arange(100)
    all_at_once = streams(7, "job", runs)
    rows = {run: streams(7, "job", np.array([run]))[0] for run in (0, 37, 99)}
    for run, row in rows.items():
        assert np.array_equal(all_at_once[run], row)
    backwards = streams(7, "job", runs[::-1])
    assert np.array_equal(backwards[::-1], all_at_once)
    for other in (streams(8, "job", runs), streams(7, "job ", runs), streams(7, "joB", runs)):
        assert not np.any(other == all_at_once)


def test_streams_are_distinct():
    """No state, and no word of a state, is shared by any of 4 times 50,000 runs."""
    states = np.concatenate([streams(seed, name, np.arange(50_000)) for seed in (1, 2) for name in ("a", "b")])
    assert np.unique(states).size == states.size
    # Seed and identity are not just glued together.
    assert not np.array_equal(streams(1, "1x", np.arange(1)), streams(11, "x", np.arange(1)))


def test_first_outputs_across_runs_are_uniform():
    """Neighbouring runs look independent: bits balance, and outputs of run i and i + 1 do not correlate."""
    states = streams(ROOT, "across", np.arange(40_000))
    first = np.array([bits(state) for state in states], dtype=np.uint64)
    balance = np.array([np.sum((first >> np.uint64(i)) & np.uint64(1)) for i in range(64)], dtype=float)
    assert stats.chi2.sf(np.sum((balance - 20_000) ** 2 / 10_000), 64) > LEVEL
    u = first / 2.0**64
    assert stats.kstest(u, "uniform").pvalue > LEVEL
    assert stats.pearsonr(u[:-1], u[1:]).pvalue > LEVEL


# --- uniform numbers, integers, orders ---


def test_uniform_ends():
    """uniform() is in (0, 1]: the smallest and the largest output of the generator."""
    assert uniform(np.array([0, 1, 2, 0], dtype=np.uint64)) == 2.0**-53
    assert uniform(np.array([MASK, 1, 2, 1], dtype=np.uint64)) == 1.0


def test_uniform():
    draws = np.empty(200_000)
    many_uniforms(one_stream("uniform"), draws)
    assert stats.kstest(draws, "uniform").pvalue > LEVEL
    assert stats.pearsonr(draws[:-1], draws[1:]).pvalue > LEVEL
    assert np.all(draws * 2.0**53 == np.floor(draws * 2.0**53))
    assert np.any((draws * 2.0**53) % 2 == 1)


@pytest.mark.parametrize("n", [2, 3, 7, 100])
def test_integer_below(n):
    state = one_stream(f"integer below {n}")
    counts = np.bincount([integer_below(state, n) for _ in range(50_000)])
    assert counts.size == n
    assert integer_below(state, 1) == 0
    assert stats.chisquare(counts).pvalue > LEVEL


def test_integer_below_a_large_number():
    state = one_stream("large integers")
    n = 2**32 - 1
    draws = np.array([integer_below(state, n) for _ in range(50_000)])
    assert draws.min() >= 0
    assert draws.max() < n
    assert stats.kstest(draws / n, "uniform").pvalue > LEVEL


@pytest.mark.parametrize("function", [shuffle, permute])
def test_every_order_comes_up_alike(function):
    state = one_stream("shuffle")
    number = {order: i for i, order in enumerate(itertools.permutations(range(4)))}
    counts = np.zeros(24)
    for _ in range(48_000):
        items = np.arange(4)
        function(state, items)
        counts[number[tuple(items.tolist())]] += 1
    assert stats.chisquare(counts).pvalue > LEVEL


def test_permute_does_not_look_at_what_was_there():
    """A run must not depend on the order that the run before it left behind."""
    orders = np.array([[0, 1, 2, 3, 4], [3, 1, 4, 0, 2], [7, 7, 7, 7, 7]])
    for order in orders:
        permute(one_stream("permute"), order)
    assert np.all(orders == orders[0])
    assert sorted(orders[0].tolist()) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ([1.0, 0.0, 2.0], [1]),
        ([0.0, 0.0], [0, 1]),
        ([3.0, 1.0, 1.0, 2.0, 1.0], [1, 2, 4]),
        ([0.0, 0.0, 0.0, 0.0], [0, 1, 2, 3]),
        ([5.0, 1.0, 1.0, 0.0, 0.0, 7.0], [3, 4]),
        ([math.inf, math.inf, -1.0], [2]),
        ([math.inf, math.inf], [0, 1]),
        ([-0.0, 0.0, 0.0], [0, 1, 2]),
    ],
)
def test_ties_are_broken_uniformly(values, where):
    """argmin and argmax return an extreme value, and each of those that tie equally often."""
    for function, sign, name in ((argmin, 1.0, "argmin"), (argmax, -1.0, "argmax")):
        state = one_stream(f"{name} {values}")
        found = np.bincount([function(state, sign * np.array(values)) for _ in range(12_000)])
        assert np.flatnonzero(found).tolist() == where
        if len(where) > 1:
            assert stats.chisquare(found[where]).pvalue > LEVEL


# --- continuous laws ---


@pytest.mark.parametrize("scale", [1e-3, 1.0, 100.0])
def test_laplace(scale):
    draws = np.empty(200_000)
    many_laplaces(one_stream(f"laplace {scale}"), scale, draws)
    assert stats.kstest(draws, stats.laplace(scale=scale).cdf).pvalue > LEVEL
    # The sign does not depend on the magnitude, and the tail is exponential far out.
    positive = draws > 0
    assert stats.ks_2samp(draws[positive], -draws[~positive], method="asymp").pvalue > LEVEL
    assert stats.binomtest(int(positive.sum()), draws.size).pvalue > LEVEL
    beyond = np.abs(draws)[np.abs(draws) > 6 * scale] - 6 * scale
    assert stats.kstest(beyond, stats.expon(scale=scale).cdf).pvalue > LEVEL
    assert stats.binomtest(beyond.size, draws.size, math.exp(-6)).pvalue > LEVEL


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1.0, 1.0),
        (1.0, 4.0),
        (7.5, 1.0),
        (1.0, 1e6),
        (1.0 + 1e-9, 1.0 + 1e-9),
        (1.001, 30.0),
        (2.0, 2.0),
        (2.0, 3.5),
        (40.0, 1.2),
        (300.0, 700.0),
        (1e6, 2e6),
        (5.0, 1e9),
    ],
)
def test_beta(a, b):
    draws = np.empty(200_000)
    many_betas(one_stream(f"beta {a} {b}"), a, b, draws)
    assert np.all((draws >= 0.0) & (draws <= 1.0))
    assert stats.kstest(draws, stats.beta(a, b).cdf).pvalue > LEVEL


# --- the binomial law ---

MANY = 1_000_000
BINOMIALS = [
    # One trial, and few: inversion.
    (1, 0.3),
    (1, 1e-3),
    (2, 0.5),
    (5, 0.9),
    (15, 0.5),
    (19, 0.4999),
    (100, 0.05),
    (10**6, 9.99e-6),
    (10**15, 1e-15),
    (2**52, 1.0 - 2.0**-50),
    # At the boundary n p = 10 and above: rejection.
    (20, 0.5),
    (21, 0.5),
    (25, 0.4),
    (25, 0.6),
    (100, 0.1),
    (100, 0.11),
    (1000, 0.99),
    (1000, 0.3),
    (10**5, 1e-4),
    (10**6, 0.5),
    (10**6, 0.999),
    (10**9, 1.2e-8),
    (10**9, 0.7),
    (10**12, 1e-11),
    (10**12, 0.5),
    (10**15, 1e-12),
    (10**15, 0.25),
    (10**15, 1.0 - 1e-9),
    (2**52, 0.5),
]


def distribution(k: np.ndarray, n: int, p: float) -> np.ndarray:
    """Return P[Bin(n, p) <= k] for whole k.

    Poisson's limit is used where p or 1 - p is tiny (its error is below that), the normal law with Edgeworth's
    first correction where the standard deviation exceeds 1000 (error below 1e-6).
    """
    small = min(p, 1.0 - p)
    sd = math.sqrt(n * p * (1.0 - p))
    if small < 1e-6 and sd < 1000.0:
        # 1 - p is exact: p is at least 1/2 here.
        return stats.poisson.cdf(k, n * p) if p < 0.5 else stats.poisson.sf(n - k - 1, n * (1.0 - p))
    if sd < 1000.0:
        return stats.binom.cdf(k, n, p)
    # Deviations from n p are taken in whole numbers first: n p has 16 digits, and so has k.
    x = ((k - math.floor(n * p)) + (0.5 - (n * p - math.floor(n * p)))) / sd
    skew = (1.0 - 2.0 * p) / sd
    return stats.norm.cdf(x) - stats.norm.pdf(x) * skew * (x**2 - 1.0) / 6.0


def chi_square_bins(n: int, p: float) -> tuple[np.ndarray, np.ndarray]:
    """Return whole numbers that cut the law into bins of probability 0.0005 and more, and these."""
    wanted = np.concatenate([[0.0005, 0.002, 0.01], np.linspace(0.03, 0.97, 30), [0.99, 0.998, 0.9995]])
    mean, sd = n * p, math.sqrt(n * p * (1.0 - p))
    if sd < 1000.0:
        candidates = np.arange(max(0, math.floor(mean - 12 * sd - 20)), min(n, math.ceil(mean + 12 * sd + 20)) + 1)
    else:
        candidates = np.unique(np.floor(mean + sd * np.linspace(-5, 5, 2001)).astype(np.int64))
    below = distribution(candidates, n, p)
    edges = np.unique(candidates[np.clip(np.searchsorted(below, wanted), 0, candidates.size - 1)])
    edges = edges[edges < n]
    probabilities = np.diff(np.concatenate([[0.0], distribution(edges, n, p), [1.0]]))
    while probabilities.size > 2 and probabilities.min() < 1e-4:
        i = int(np.argmin(probabilities))
        edges = np.delete(edges, min(i, edges.size - 1))
        probabilities = np.diff(np.concatenate([[0.0], distribution(edges, n, p), [1.0]]))
    return edges, probabilities


@pytest.mark.parametrize(("n", "p"), BINOMIALS)
def test_binomial(n, p):
    """Mean, variance and shape (chi-square over some 35 bins) of a million draws."""
    draws = np.empty(MANY, dtype=np.int64)
    many_binomials(one_stream(f"binomial {n} {p}"), n, p, draws)
    assert draws.min() >= 0
    assert draws.max() <= n
    # The mean n p need not be a double: deviations are from its whole part.
    whole = math.floor(n * p)
    deviations = (draws - whole) - (n * p - whole)
    variance = n * p * (1.0 - p)
    fourth = variance * (1.0 + 3.0 * variance - 6.0 * p * (1.0 - p))
    z = deviations.mean() / math.sqrt(variance / MANY)
    assert 2.0 * stats.norm.sf(abs(z)) > LEVEL
    spread = (deviations**2).mean() - variance
    error = math.sqrt((fourth - variance**2) / MANY)
    if error > 1e-6:
        assert 2.0 * stats.norm.sf(abs(spread) / error) > LEVEL
    edges, probabilities = chi_square_bins(n, p)
    counts = np.bincount(np.searchsorted(edges, draws, side="left"), minlength=edges.size + 1)
    assert stats.chisquare(counts, MANY * probabilities).pvalue > LEVEL


@pytest.mark.parametrize("n", [0, 1, 2, 50, 10**15])
def test_binomial_ends(n):
    state = one_stream("ends")
    assert {binomial(state, n, 0.0) for _ in range(100)} == {0}
    assert {binomial(state, n, 1.0) for _ in range(100)} == {n}
    assert all(0 <= binomial(state, n, p) <= n for p in (5e-324, 1e-300, 1 - 1e-16) for _ in range(100))


@pytest.mark.parametrize("p", [0.01, 0.99])
def test_both_ends_are_drawn_by_rejection(p):
    """0 of 1,000 has a probability of 4.3e-5 at p = 0.01, too little for the tests of the law: 43 in 10^6 draws."""
    end, draws = 0 if p < 0.5 else 1000, np.empty(10**6, np.int64)
    many_binomials(one_stream(f"end {p}"), 1000, p, draws)
    found = stats.binomtest(int((draws == end).sum()), draws.size, 0.99**1000)
    assert found.pvalue > LEVEL


def test_binomial_branches_agree_at_the_boundary():
    """Just below and just above n p = 10, the two samplers draw from the same law."""
    below, above = np.empty(MANY, dtype=np.int64), np.empty(MANY, dtype=np.int64)
    many_binomials(one_stream("below"), 1000, np.nextafter(0.01, 0.0), below)
    many_binomials(one_stream("above"), 1000, 0.01, above)
    assert below.tobytes() != above.tobytes()
    table = np.array([np.bincount(np.clip(d, 2, 20), minlength=21)[2:] for d in (below, above)])
    assert stats.chi2_contingency(table).pvalue > LEVEL


def exact_log_pmf(k: int, n: int, p: float) -> mpmath.mpf:
    with mpmath.workdps(50):
        q = mpmath.mpf(p)
        choose = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
        return choose + k * mpmath.log(q) + (n - k) * mpmath.log1p(-q)


@pytest.mark.parametrize("n", [1, 2, 3, 15, 16, 17, 30, 1000, 10**6, 10**9, 10**12, 10**15, 2**52])
def test_log_binomial_pmf(n):
    """Within 12 standard deviations the error is below 1e-11 up to n = 10^9, and 4e-8 at n = 2^52.

    It comes from rounding n p, half a unit in its last place, and so grows like the square root of n; gamma
    functions in doubles would be off by 1 and more.
    """
    for p in (1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.99, 1.0 - 1e-9):
        sd = math.sqrt(n * p * (1.0 - p))
        near = {0, n, *(round(n * p + z * sd) for z in (-12, -8, -3, -1, 0, 1, 3, 8, 12))}
        near |= {1, 2, 15, 16, 17, n - 1, n - 16, n - 17}
        for k in near:
            if 0 <= k <= n and abs(k - n * p) <= 12.0 * sd + 20.0:
                exact = exact_log_pmf(k, n, p)
                tolerance = 1e-11 + 1e-15 * abs(float(exact)) + 6e-16 * math.sqrt(n)
                assert abs(log_binomial_pmf(float(k), float(n), p) - exact) <= tolerance, (k, n, p)


def test_log_binomial_pmf_sums_to_one():
    for n, p in ((1, 0.3), (17, 0.5), (40, 0.01), (500, 0.9)):
        assert sum(math.exp(log_binomial_pmf(float(k), float(n), p)) for k in range(n + 1)) == (
            pytest.approx(1.0, rel=1e-12)
        )


def test_loaders_terms():
    """The Stirling error and the deviance, where they change formula."""
    with mpmath.workdps(40):
        for n in (1.0, 2.0, 15.0, 16.0, 17.0, 1e3, 1e8, 1e15):
            x = mpmath.mpf(n)
            exact = mpmath.loggamma(x + 1) - (x + 0.5) * mpmath.log(x) + x - mpmath.log(2 * mpmath.pi) / 2
            assert abs(module.stirling_error(n) - exact) < 1e-14
        for mean in (1e-5, 1.0, 37.5, 1e9):
            for ratio in (1e-3, 0.5, 0.81, 0.82, 0.999, 1.0 - 1e-9, 1.0, 1.0 + 1e-9, 1.2, 1.3, 50.0):
                x = mean * ratio
                exact = x * mpmath.log(mpmath.mpf(x) / mean) + mean - x
                assert abs(module._deviance(x, mean) - exact) <= 1e-15 * max(float(exact), 1e-30) * 4
