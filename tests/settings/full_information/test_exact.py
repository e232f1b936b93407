"""Exact selection probabilities and regrets agree with independent computations in high precision.

Nothing is random here but instances with fixed seeds. The references are Arb's quadrature of the defining integral
between its kinks (with a proved error below 1e-20), the polynomial of permute-and-flip in rational numbers, and
enumeration of all accumulated losses.
"""

from __future__ import annotations

import functools
import itertools
import math
from fractions import Fraction
from math import comb

import costs
import mpmath
import numpy as np
import pytest
from flint import acb, arb, ctx
from mpmath import mpf
from numpy.typing import NDArray

from dpbandits.settings.full_information import instances, laws, random_selection, regret, selection
from dpbandits.settings.full_information.instances import FAMILIES, Gaps
from dpbandits.settings.full_information.noises import NOISES, PRINTED

Floats = NDArray[np.float64]
SELECT = {name: NOISES[name].select for name in PRINTED}
mpmath.mp.dps = 25
ctx.prec = 100


# --- given the accumulated losses ------------------------------------------------------------------------


def distribution(noise: str, z: acb, positive: bool) -> acb:
    """F of the noise of scale 1, from its definition, on the side of 0 where z is."""
    if noise == "exponential":
        return 1 - (-z).exp() if positive else acb(0)
    if noise == "gumbel":
        return (-(-z).exp()).exp()
    return 1 - (-z).exp() / 2 if positive else z.exp() / 2


def density(noise: str, z: acb, positive: bool) -> acb:
    """f of the same."""
    if noise == "exponential":
        return (-z).exp() if positive else acb(0)
    if noise == "gumbel":
        return (-z - (-z).exp()).exp()
    return (-z if positive else z).exp() / 2


def reference(noise: str, excess: list[float], actions: list[int], j: int) -> mpf:
    """P_j e^(a_j), where P_j = E over Q_j = q of prod_{i != j} P[Q_i - a_i < q - a_j], by quadrature.

    The factor makes it a number of order 1: the error is absolute, and proved.
    """
    # Where some action's noise has its kink, and tails.
    kinks = sorted({excess[j] - x for x in excess} | {0.0})
    points = [kinks[0] - d for d in (70, 30, 12, 4)] + kinks + [kinks[-1] + d for d in (4, 12, 30, 80)]
    found = acb(0)
    for low, high in itertools.pairwise(points):
        middle = (low + high) / 2

        def integrand(q: acb, _: bool, middle: float = middle) -> acb:
            value = arb(excess[j]).exp() * density(noise, q, middle > 0)
            for i, (x, number) in enumerate(zip(excess, actions, strict=True)):
                side = middle - excess[j] + x > 0
                value *= distribution(noise, q - arb(excess[j]) + arb(x), side) ** (number - (i == j))
            return value

        found += acb.integral(integrand, low, high)
    assert found.real.rad() < 1e-20
    return mpf(found.real.str(25, radius=False))


RNG = np.random.default_rng(3)
GIVEN: list[tuple[list[float], list[int]]] = [
    ([0.0, 1.0], [1, 1]),
    ([0.0, 1e-9], [1, 1]),
    ([0.0, 30.0], [1, 1]),
    ([0.0, 0.3, 0.3001, 4.0], [1, 2, 1, 7]),
    ([0.0, 0.5], [40, 3]),
    ([0.0, 60.0, 61.0], [1, 40, 1000]),
    ([0.0, 0.1, 5.0, 60.0], [3, 1, 1000, 1]),
    ([0.0, 1e-3, 20.0], [1, 200, 10**6]),
    ([0.0, 2.0, 20.0], [1, 1, 10**8]),
    (list(np.cumsum([0.0, *RNG.exponential(0.4, 6)])), [1] * 7),
    (list(np.cumsum([0.0, *RNG.exponential(3.0, 4)])), [1, 5, 1, 300, 10]),
]


@pytest.mark.parametrize(("excess", "actions"), GIVEN)
@pytest.mark.parametrize("noise", PRINTED)
def test_selection_given_losses(noise: str, excess: list[float], actions: list[int]) -> None:
    """1e-10 relative, as the accuracy statement says; in fact some 1e-14."""
    found = SELECT[noise](np.array(excess), np.array(actions, dtype=float))
    for j in {0, len(excess) // 2, len(excess) - 1}:
        expected = mpmath.log(reference(noise, excess, actions, j)) - excess[j]
        assert abs(found[j] - expected) < 1e-10, (j, float(expected))
    assert np.exp(found) @ actions == pytest.approx(1.0, abs=1e-12)


def test_exponential_noise_is_permute_and_flip() -> None:
    """P_j = w_j * integral of prod_{i != j} (1 - u w_i), a polynomial, in rational numbers."""
    weights = [Fraction(1), Fraction(9, 10), Fraction(1, 2), Fraction(1, 2), Fraction(1, 1000), Fraction(1, 10**12)]
    groups = sorted(set(weights), reverse=True)
    counts = np.array([float(weights.count(w)) for w in groups])
    found = selection.exponential(np.array([-math.log(w) for w in groups]), counts)
    for w, log_p in zip(groups, found, strict=True):
        others = list(weights)
        others.remove(w)
        polynomial = [Fraction(1)]
        for other in others:
            shifted = [Fraction(0), *(-other * c for c in polynomial)]
            polynomial = [c + s for c, s in itertools.zip_longest(polynomial, shifted, fillvalue=Fraction(0))]
        exact = w * sum(c / (k + 1) for k, c in enumerate(polynomial))
        assert math.exp(log_p) == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize("noise", PRINTED)
def test_two_actions_have_a_closed_form(noise: str) -> None:
    """`log_overtake`, and quadrature up to differences of 10^12 and 10^100: nothing overflows."""
    for d in (1e-12, 0.1, 3.0, 700.0, 1e4, 1e8, 1e12, 1e100):
        tail = {
            "gumbel": -mpmath.log(1 + mpmath.e ** mpf(d)) if d < 1e5 else -mpf(d),
            "exponential": -mpf(d) - mpmath.log(2),
            "laplace": -mpf(d) + mpmath.log(mpf(1) / 2 + mpf(d) / 4),
        }[noise]
        pair = SELECT[noise](np.array([0.0, d]), np.ones(2))
        assert float(pair[1]) == pytest.approx(float(tail), rel=1e-13)
        assert float(NOISES[noise].log_overtake(np.array([d]))[0]) == pytest.approx(float(tail), rel=1e-13)
        behind = float(NOISES[noise].log_overtake(np.array([-d]))[0])
        assert behind == pytest.approx(float(mpmath.log(1 - mpmath.e**tail)), rel=1e-12)
        assert float(pair[0]) == pytest.approx(behind, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("noise", PRINTED)
def test_ties_and_order(noise: str) -> None:
    """Equal losses are equally likely; groups are as good as single actions; smaller losses are likelier."""
    excess = np.array([0.0, 0.0, 0.7, 0.7, 0.7, 2.0])
    single = SELECT[noise](excess, np.ones(6))
    grouped = SELECT[noise](np.array([0.0, 0.7, 2.0]), np.array([2.0, 3.0, 1.0]))
    assert np.allclose(single, grouped[[0, 0, 1, 1, 1, 2]], rtol=0, atol=1e-13)
    assert np.all(np.diff(grouped) < 0)
    assert np.allclose(SELECT[noise](np.zeros(1), np.array([7.0])), -math.log(7.0), rtol=1e-14)


@pytest.mark.parametrize("noise", PRINTED)
def test_astronomic_numbers_of_actions(noise: str) -> None:
    """K = e^200: beside a crowd of total weight A the best action has about 1/(1 + A)."""
    depth = 200.0
    found = SELECT[noise](np.array([0.0, depth]), np.array([1.0, math.exp(depth)]))
    assert np.exp(found[0]) + np.exp(found[1] + depth) == pytest.approx(1.0, abs=1e-12)
    assert 0.3 < np.exp(found[0]) < 0.7


# --- random losses -----------------------------------------------------------------------------------------

ENUMERATED = [
    (1, (0.3, 0.32), 0.5),
    (4, (0.1, 0.5, 0.9), 0.05),
    (4, (0.2, 0.2, 0.7), 3.0),
    (8, (0.0, 0.5, 1.0), 0.5),
    (2, (0.1, 0.4, 0.6, 0.9), 1.0),
    (16, (0.3, 0.5), 20.0),
    (3, (0.3, 0.5, 0.6), 1e-3),
    (1, (0.3, 0.32), 1e9),
]


@pytest.mark.parametrize(("n", "means", "step"), ENUMERATED)
@pytest.mark.parametrize("noise", PRINTED)
def test_random_losses_by_enumeration(noise: str, n: int, means: tuple[float, ...], step: float) -> None:
    """The one-dimensional integral against the sum over all values of all accumulated losses."""
    each = [[comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)] for p in means]
    expected = np.zeros(len(means))
    for g in itertools.product(range(n + 1), repeat=len(means)):
        weight = math.prod(law[k] for law, k in zip(each, g, strict=True))
        values, groups, counts = np.unique((np.array(g) - min(g)) * step, return_inverse=True, return_counts=True)
        expected += weight * np.exp(SELECT[noise](values, counts.astype(float)))[groups]
    law = np.array([laws.binomial(n, p) for p in means])
    found = NOISES[noise].select_random(law, np.ones((1, len(means))), step)[0]
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-15)


@pytest.mark.parametrize("noise", PRINTED)
def test_two_actions_with_random_losses(noise: str) -> None:
    """Long epochs, small and large steps, against the sum over the law of the difference."""
    for n, means, step in ((1000, (0.45, 0.5), 0.02), (1000, (0.1, 0.15), 3.0), (300, (0.5, 0.52), 1e-3)):
        law = np.array([laws.binomial(n, p) for p in means])
        difference = np.convolve(law[1], law[0][::-1])
        tails = np.exp(NOISES[noise].log_overtake(step * np.arange(-n, n + 1)))
        found = NOISES[noise].select_random(law, np.ones((1, 2)), step)[0]
        assert found[1] == pytest.approx(difference @ tails, rel=1e-11)


@pytest.mark.parametrize("noise", PRINTED)
def test_fixed_losses_are_a_special_case(noise: str) -> None:
    """Point masses on the lattice: both ways of computing agree, for up to 10^6 actions and in several cases."""
    law = np.zeros((3, 41))
    law[[0, 1, 2], [5, 8, 40]] = 1.0
    actions = np.array([[1.0, 2.0, 10.0], [1.0, 1.0, 1e6], [4.0, 1e5, 1.0]])
    found = NOISES[noise].select_random(law, actions, 0.3)
    for row, case in zip(found, actions, strict=True):
        assert row == pytest.approx(np.exp(SELECT[noise](np.array([0.0, 0.9, 10.5]), case)), rel=1e-10)


@pytest.mark.parametrize("noise", PRINTED)
def test_probabilities_sum_to_one(noise: str) -> None:
    """Up to 2^16 rounds and 2^20 actions, to the twelve digits that are promised."""
    for n, step in ((2**10, 0.5), (2**16, 0.05)):
        law = np.array([laws.binomial(n, p) for p in np.linspace(0.1, 0.9, 9)])
        actions = np.array([[1.0] + [2.0**k] * 8 for k in (0, 10, 17)])
        total = np.sum(actions * NOISES[noise].select_random(law, actions, step), axis=1)
        assert total == pytest.approx(np.ones(3), abs=1e-12)


def test_laws_of_sums() -> None:
    """Binomial laws to 1e-12 relative, and repeated convolution to 1e-14 of the largest mass."""
    n, p = 64, 0.3
    exact = np.array([float(mpmath.binomial(n, k) * mpf(p) ** k * (1 - mpf(p)) ** (n - k)) for k in range(n + 1)])
    assert laws.binomial(n, p) == pytest.approx(exact, rel=1e-12, abs=1e-40)
    one = np.array([[1 - p, p], [0.0, 1.0]])
    for law, m in zip(laws.summed(one), (1, 2, 4, 8, 16, 32, 64), strict=False):
        assert law.shape == (2, m + 1)
        assert law[0] == pytest.approx(laws.binomial(m, p), abs=1e-14)
        assert law[1] == pytest.approx(laws.binomial(m, 1.0), abs=1e-14)


# --- regret --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("horizon", [1, 2, 3, 4, 7, 8, 100, 1023, 1024, 1025])
def test_regret_is_a_sum_over_rounds(horizon: int) -> None:
    """Round t plays J_r with r = floor(log2 t)."""
    gaps = Gaps(np.array([0.0, 0.1, 0.4]), np.array([1.0, 3.0, 2.0]))
    expected = regret.deterministic(NOISES["laplace"], 4.0, gaps, regret.epochs(horizon))
    by_rounds = np.cumsum([expected[t.bit_length() - 1] for t in range(1, horizon + 1)])
    assert regret.regret(expected, np.arange(1, horizon + 1)) == pytest.approx(by_rounds, rel=1e-12)


@pytest.mark.parametrize("noise", NOISES)
def test_deterministic_regret_in_high_precision(noise: str) -> None:
    """The whole regret of four actions up to T = 60 against mpmath: 1e-10 relative."""
    delta, epsilon, name = [0.0, 0.05, 0.05, 1.0], 0.7, "exponential" if noise == "permute-and-flip" else noise
    scale = NOISES[noise].factor / epsilon
    total = mpf(0)
    for r in range(regret.epochs(60)):
        if r == 0:
            mean = mpf(sum(delta)) / 4
        else:
            excess = [2 ** (r - 1) * d / scale for d in (0.0, 0.05, 1.0)]
            pairs = zip((0.05, 1.0), (2, 1), (1, 2), strict=True)
            mean = mpf(0)
            for d, number, j in pairs:
                mean += number * mpf(d) * mpmath.e ** -mpf(excess[j]) * reference(name, excess, [1, 2, 1], j)
        total += min(2**r, 60 - 2**r + 1) * mean
    expected = regret.deterministic(NOISES[noise], scale, instances.grouped(np.array(delta)), 6)
    assert regret.regret(expected, np.array([60]))[0] == pytest.approx(float(total), rel=1e-10)


def test_regret_that_is_left_out_is_negligible() -> None:
    """The bound on the rest holds: where it ends the sum, computing on changes nothing that is promised."""
    gaps, actions = np.array([0.0, 0.2, 0.5]), np.array([[1.0, 2.0, 30.0]])
    for noise in NOISES.values():
        scale = noise.factor / 0.5
        expected = regret.random(noise, scale, laws.bernoulli(0.3 + gaps), 1.0, gaps, actions, 40)
        last = int(np.flatnonzero(expected[0]).max())
        law = next(itertools.islice(laws.bernoulli(0.3 + gaps), last, None))
        more = (gaps * actions) @ noise.select_random(law, actions, 1.0 / scale)[0] * 2.0 ** (last + 1)
        assert more[0] < 1e-11
        bounded = regret._rest(gaps * actions, gaps, scale, last + 1)[0]
        assert more[0] <= bounded + 1e-11
        assert bounded < 1e-12


@functools.cache
def large(family: str) -> Gaps:
    return instances.grouped(np.linspace(0.0, 1.0, 10**5)) if family == "linear" else FAMILIES[family](10**5, 1e-3)


@pytest.mark.parametrize("family", ["linear", "geometric", "equal", "hidden"])
@pytest.mark.parametrize("noise", PRINTED)
def test_many_actions_and_rounds_in_time(noise: str, family: str) -> None:
    """K = 10^5, T = 2^40: under 2 seconds when nothing else runs; here the probabilities have to sum to 1."""
    gaps, scale = large(family), NOISES[noise].factor / 0.1
    NOISES[noise].select(np.array([0.0, 1.0]), np.ones(2))
    # Generous for a shared core; benchmarks/test_speed_full_information.py has the measured times.
    with costs.within(6.0):
        expected = regret.deterministic(NOISES[noise], scale, gaps, 41)
    value = regret.regret(expected, np.array([2**40]))[0]
    assert 2.0 < value / (scale * math.log(10**5)) < 4.0
    for r in (1, 5, 12, 30):
        chosen = np.exp(NOISES[noise].select(2.0 ** (r - 1) / scale * gaps.gaps, gaps.multiplicities))
        assert chosen @ gaps.multiplicities == pytest.approx(1.0, abs=1e-10)


def test_laws_are_not_computed_for_too_long_epochs() -> None:
    gaps = np.array([0.0, 1e-4])
    with pytest.raises(ValueError, match="gaps whose regret ends within"):
        noise = NOISES["gumbel"]
        laws_ = itertools.repeat(np.array([[1.0], [1.0]]))
        regret.random(noise, 2.0, laws_, 1.0, gaps, np.ones((1, 2)), 30)


def test_a_huge_step_is_as_good_as_no_noise() -> None:
    """Steps beyond what noise can overcome cost no more, and ties are broken evenly."""
    law = np.array([[0.5, 0.5], [0.2, 0.8]])
    for noise in PRINTED:
        found = NOISES[noise].select_random(law, np.ones((1, 2)), 1e12)[0]
        assert found == pytest.approx([0.5 * 0.8 + 0.25 * 2 * 0.5, 0.5 * 0.2 + 0.25 * 2 * 0.5], rel=1e-12)
    assert random_selection.LARGEST_STEP < 100
