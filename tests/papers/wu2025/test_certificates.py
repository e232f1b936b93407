"""Certificates of wu2025 can fail: a wrong constant, a wrong instance, a wrong law is refused."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from tiers import core

from dpbandits.core.declarations import Certificate
from dpbandits.papers.exact_inequalities import NotProvedError, equal, greater, shown
from dpbandits.papers.wu2025.certificates import (
    conjecture,
    exponential_scale,
    random_phase,
    step_one,
    theorem_constants,
)
from dpbandits.papers.wu2025.computations import conjecture as computed
from dpbandits.settings.full_information.noises import NOISES

GUMBEL, LAPLACE, EXPONENTIAL, FLIPPED = conjecture.FAMILIES


def test_rows_hold_or_are_refused() -> None:
    """An inequality that fails, or that balls cannot decide, is no row; long fractions are understated."""
    third = Fraction(1, 3)
    assert greater("i", "b", third, Fraction(1, 4)) == {
        "instance": "i",
        "bound": "b",
        "left": "1/3",
        "is": ">",
        "right": "1/4",
    }
    for left, right in (
        (third, third),
        (Fraction(0), third),
        (arb("1 +/- 0.1"), arb(1)),
        (arb(1), arb("1.05 +/- 0.1")),
    ):
        with pytest.raises(NotProvedError):
            greater("i", "b", left, right)
    with pytest.raises(NotProvedError):
        equal("i", "b", third, Fraction(333_333, 10**6))
    long = Fraction(1, 3**400)
    low, high = (Fraction(shown(long, down).split()[0]) for down in (True, False))
    assert low < long < high < low * (1 + Fraction(1, 10**10))


CERTIFIED = (exponential_scale, theorem_constants, step_one, conjecture)


# Of step one the fast tier checks one law, below, and refuses wrong ones.
@pytest.mark.parametrize("module", core(CERTIFIED, lambda module: module is not step_one))
def test_they_are_proved(module: object) -> None:
    declared = module.CERTIFICATE  # type: ignore[attr-defined]
    assert isinstance(declared, Certificate)
    rows = declared.prove()
    assert len(rows) >= 10
    assert all(set(row) == {"instance", "bound", "left", "is", "right"} for row in rows)


def test_the_conjecture_is_not_refuted_beyond_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused: a cut at 64/7 or at kappa, too large a gap, a pair that is to close in on more than the limit."""
    for wrong in (
        GUMBEL._replace(cut=Fraction(64, 7)),
        GUMBEL._replace(cut=Fraction(8)),
        GUMBEL._replace(gap=Fraction(4, 5)),
        EXPONENTIAL._replace(cut=Fraction(16, 3)),
        EXPONENTIAL._replace(factor=2, cut=Fraction(5)),
    ):
        with pytest.raises(NotProvedError):
            conjecture.lemma(wrong)
    monkeypatch.setattr(conjecture, "NEAR_LIMIT", {2: (Fraction(1, 100), Fraction(64, 7))})
    with pytest.raises(NotProvedError):
        conjecture.near_limit(GUMBEL)


@pytest.mark.parametrize("family", [GUMBEL, LAPLACE, EXPONENTIAL], ids=lambda family: family.noise)
def test_the_conjectures_probabilities_are_those_of_the_computation(family: conjecture.Family) -> None:
    """Fractions and balls of small crowds agree with quadrature; the lemma's bounds are below."""
    n = 128
    small = family._replace(gap=conjecture.SMALL_GAP)
    arms = int(small.q**n)
    budget = family.factor * math.log(small.q)
    assert budget < small.gap
    exact = math.exp(
        computed.log_probability(family.noise, computed.crowd(budget, n, float(small.gap), arms + 2.0))
    )
    with ctx.workprec(conjecture.BITS):
        if family.noise == "gumbel":
            found = float(conjecture.gumbel_crowd(small, n, arms))
        else:
            found = float(conjecture.other_crowd(small, n, arms))
    if family.noise == "laplace":
        # What is left out, is that action j is selected by a noise below what it lost.
        assert 0.5 * exact < found < exact
    else:
        assert found == pytest.approx(exact, rel=1e-8)
    assert float(small.crowd * small.psi**n) <= found
    low, high = (1 - family.gap) / 2, (1 + family.gap) / 2
    for rounds in (8, 64):
        budget = family.factor * math.log(family.q)
        pair = computed.Instance("pair", budget, rounds, np.array([float(low), float(high)]), np.ones(2), 1)
        assert float(family.phi**rounds) / 4 <= math.exp(computed.log_probability(family.noise, pair))


def test_a_wrong_scale_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a neighbour to move sums by more, or a noise's law another one, the largest ratio would not be q^2."""
    q = Fraction(2)
    assert exponential_scale.largest_ratio(2, 2, q)[0] == q**2
    # Two actions behind by d: by hand.
    for behind in range(4):
        assert exponential_scale.selected((behind, 0), 0, q) == 1 / q**behind / 2
        assert sum(exponential_scale.selected((behind, 0, 1), j, q) for j in range(3)) == 1
    log_p = NOISES["exponential"].select(np.array([0.0, 1.0, 3.0]) * math.log(2), np.ones(3))
    for j, lost in enumerate((0, 1, 3)):
        assert math.log(exponential_scale.selected((0, 1, 3), j, q)) == pytest.approx(log_p[j], abs=1e-12), lost
    right = exponential_scale.selected
    monkeypatch.setattr(exponential_scale, "selected", lambda losses, j, q: right(losses, j, q**2))
    with pytest.raises(NotProvedError):
        exponential_scale.prove()


@pytest.mark.parametrize(("name", "value"), [("sum_of_roots", "3.45"), ("late_sum", "1.7")])
def test_wrong_sums_are_refused(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """13.7 and 10.2 leave little room."""
    monkeypatch.setattr(theorem_constants, name, lambda *_: arb(value))
    with pytest.raises(NotProvedError):
        theorem_constants.prove()


def test_theorem_as_constants_are_reached_where_b_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """For few actions the ratio stays away from 2 and 4."""
    monkeypatch.setattr(theorem_constants, "ARMS", 100)
    with pytest.raises(NotProvedError):
        theorem_constants.prove()


def test_step_one_needs_its_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused: noises of different laws, a selection that does not see the noise, halves that are not alike."""
    half, one = Fraction(1, 2), Fraction(1)
    law = {(Fraction(0), one): half, (half, Fraction(0)): half}
    fair = step_one.Selector(step_one.noises(2)["independent, 0 or 1"], True)
    assert step_one.check(law, fair, half) >= 0
    mirrored = {losses[::-1]: weight for losses, weight in law.items()}
    # E Q_1 of the first action says nothing of the best one if laws differ.
    with pytest.raises(NotProvedError, match="E Q_1"):
        step_one.check(mirrored, step_one.Selector({(Fraction(5), Fraction(0)): one}, True), Fraction(5))

    class Blind(step_one.Selector):
        """Selects the second action whatever the losses."""

        def __call__(self, losses: tuple[Fraction, ...]) -> step_one.Selection:
            return super().__call__(losses)._replace(probabilities=(Fraction(0), one))

    with pytest.raises(NotProvedError, match="convexity"):
        step_one.check(law, Blind(fair.noise, True), half)
    monkeypatch.setattr(step_one, "law_of_sum", lambda a, _: {tuple(2 * x for x in v): w for v, w in a.items()})
    with pytest.raises(NotProvedError):
        step_one.check(law, fair, half)


def test_the_families_numbers_by_hand() -> None:
    """Of Gumbel noise at a gap of 1/5: q = 1.1, and means of q^(-D), of q^(-loss) and under the tilted law."""
    assert (GUMBEL.kappa, EXPONENTIAL.kappa) == (8, 4)
    assert (GUMBEL.q, EXPONENTIAL.q) == (Fraction(11, 10), Fraction(11, 10))
    q, low, high = 1.1, 0.4, 0.6
    # Two losses of 0 or 1: the difference is 1, 0 or -1.
    law = {1: high * (1 - low), 0: high * low + (1 - high) * (1 - low), -1: low * (1 - high)}
    assert float(GUMBEL.phi) == pytest.approx(sum(mass * q**-d for d, mass in law.items()))
    assert float(GUMBEL.psi) == pytest.approx(0.8 + 0.2 / q)
    tilted = {
        (a, b): (low if a else 1 - low) * (high if b else 1 - high) * q ** (a - b)
        for a, b in itertools.product((0, 1), repeat=2)
    }
    total = sum(tilted.values())
    means = [sum(mass for both, mass in tilted.items() if both[k]) / total for k in (0, 1)]
    assert [float(mean) for mean in GUMBEL.tilted] == pytest.approx(means)
    # (phi q^(kappa Delta/c2))^45 of c2 = 9, and (psi q^(1 - kappa (1 - Delta)/c2))^45.
    growth, power = GUMBEL.growth(crowd=False)
    assert power == 45 and float(growth) == pytest.approx((float(GUMBEL.phi) * q ** (1.6 / 9)) ** 45)
    growth, power = GUMBEL.growth(crowd=True)
    assert power == 45 and float(growth) == pytest.approx((float(GUMBEL.psi) * q ** (1 - 6.4 / 9)) ** 45)


def test_powers_are_rounded_down() -> None:
    """By less than 2^-390 of themselves, and never up."""
    assert conjecture.rounded_down(Fraction(7, 2)) == Fraction(7, 2)
    third = conjecture.rounded_down(Fraction(1, 3))
    assert 0 < Fraction(1, 3) - third < Fraction(1, 2**conjecture.BITS)
    for base, exponent in ((Fraction(4, 3), 1), (Fraction(4, 3), 12), (Fraction(10, 9), 37)):
        exact = base**exponent
        assert 0 <= 1 - conjecture.power_down(base, exponent) / exact < Fraction(1, 2**390)
    assert conjecture.power_down(Fraction(3, 2), 0) == 1 and conjecture.power_down(Fraction(2), 10) == 1024


def test_the_first_instances_that_rule_a_constant_out() -> None:
    """For c1 = 10 the number of rounds is the first power of 2 from 8 on that is enough."""
    for family, crowd, share in ((GUMBEL, False, 1 / 4), (GUMBEL, True, 1 / 6), (EXPONENTIAL, True, 2 / 27)):
        growth, power = family.growth(crowd)
        which = "crowd" if crowd else "pair"
        (row,) = [
            row
            for row in conjecture.lemma(family)
            if f"; {which}, every" in row["instance"] and row["bound"] == "the least c1 > 10"
        ]
        n = int(row["instance"].rpartition("n = ")[2])
        assert n & (n - 1) == 0 and row["right"] == "10"
        assert share * float(growth) ** (n // power) > 10 >= share * float(growth) ** (n // 2 // power)
        left = float(row["left"].split(" (")[0]) if "(" in row["left"] else float(Fraction(row["left"]))
        assert left == pytest.approx(share * float(growth) ** (n // power))
        arms = row["instance"].rpartition("K = ")[2].partition(",")[0]
        assert arms == (f"floor((11/10)^{n}) + 2" if crowd else "2")


@pytest.mark.parametrize(("family", "end"), [(EXPONENTIAL, 1.0), (LAPLACE, 0.5)])
def test_probabilities_of_small_crowds_are_integrals(family: conjecture.Family, end: float) -> None:
    """Of (1 - w) (1 - w/q^n)^N, times psi^n."""
    with ctx.workprec(conjecture.BITS):
        found = float(conjecture.other_crowd(family, 4, 7))
    integral = mpmath.quad(lambda w: (1 - w) * (1 - w / 1.1**4) ** 7, [0, end])
    assert found == pytest.approx(float(integral) * float(family.psi) ** 4)


def test_small_crowds_are_the_first_that_violate_the_bound() -> None:
    """For c1 = 2 and c2 = 16: the probability and the bound of the row, by floats."""
    (row, *_) = conjecture.small_crowds(GUMBEL)
    n = int(row["instance"].rpartition("n = ")[2])
    small = GUMBEL._replace(gap=Fraction(1, 16))
    q, gap = float(small.q), 1 / 16

    def sides(n: int) -> tuple[float, float]:
        crowd = int(small.q**n)
        mass = [math.comb(n, g) * gap**g * (1 - gap) ** (n - g) for g in range(n + 1)]
        p = sum(m * q**-g / (1 + crowd / q**n + q**-g) for g, m in enumerate(mass))
        own, rest = q ** (-8 * n * gap / 16), q ** (-8 * n / 16)
        return p, 2 * own / (1 + own + crowd * rest)

    p, bound = sides(n)
    assert p > bound and (n == 32 or sides(n // 2)[0] <= sides(n // 2)[1])
    assert f"K = {int(small.q**n) + 2}," in row["instance"]
    shown = [float(Fraction(side.split(" (")[0])) if "/" in side else float(side.split(" (")[0]) for side in
             (row["left"], row["right"])]  # fmt: skip
    assert shown == pytest.approx([p, bound])


def test_sums_of_the_theorems_constants() -> None:
    """S, the late sum, and the ratio of ten thousand actions, by floats."""
    with ctx.workprec(theorem_constants.PRECISION):
        assert float(theorem_constants.sum_of_roots()) == pytest.approx(2 + math.sqrt(2))
        for arms in (2, 3, 10):
            series = sum(float(arms) ** (1 - 2**i) for i in range(9))
            assert float(theorem_constants.late_sum(arms)) == pytest.approx(series)
    rows = {row["bound"]: row for row in theorem_constants.prove()}
    right = {name: float(row["right"].strip("[").split(" ")[0]) for name, row in rows.items()}
    root, late = 2 + math.sqrt(2), 1 + 1 / 2 + 1 / 8 + 1 / 128 + 1 / 2**15
    assert right["13.7 > 4 S, of log K/Delta"] == pytest.approx(4 * root)
    assert right["10.2 > 2 S + 2 (1 + K^-1 + K^-3 + ...), of 1/Delta"] == pytest.approx(
        2 * root + 2 * late, rel=1e-6
    )
    assert right["7 > 2 S"] == pytest.approx(2 * root)
    assert right["55 > 4 * 13.7"] == pytest.approx(54.8) and right["41 > 4 * 10.2"] == pytest.approx(40.8)


def test_the_ratio_of_few_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regret of 100 actions at b log K = 1.5 2^6, divided by it."""
    monkeypatch.setattr(theorem_constants, "ARMS", 2)
    with ctx.workprec(2 * theorem_constants.PRECISION):
        found = float(theorem_constants.ratio(6, arb("1.5")))
    scale = 96 / math.log(100)
    terms = [n * 99 / (99 + math.exp(n / scale)) for n in (2.0**k for k in range(13))]
    assert found == pytest.approx((0.99 + 2 * sum(terms)) / 96)


def test_pieces_of_a_random_phase() -> None:
    """Between whole numbers and whole numbers over e, with ceil(u) and ceil(e u)."""
    with ctx.workprec(random_phase.PRECISION):
        found = random_phase.pieces(3)
        ends = sorted([*(1.0, 2.0, 3.0), *(n / math.e for n in range(3, 9))])
        assert [float(width) for width, *_ in found] == pytest.approx(
            [math.log(high / low) for low, high in itertools.pairwise(ends)]
        )
        middles = [(low + high) / 2 for low, high in itertools.pairwise(ends)]
        assert [(n, length) for _, n, length in found] == [(math.ceil(u), math.ceil(math.e * u)) for u in middles]
        instance = random_phase.Instance([(Fraction(0), 2), (Fraction(1, 10), 3), (Fraction(1), 5)])
        weights = [2, 3 * math.exp(-0.1 * 50 / 200), 5 * math.exp(-50 / 200)]
        assert float(instance.g(50)) == pytest.approx((0.1 * weights[1] + weights[2]) / sum(weights))
        assert float(instance.rest(arb(50))) == pytest.approx(200 * (weights[1] + weights[2]))
        assert instance.arms == 10


def test_theorem_b_and_g_by_floats() -> None:
    """Theorem B's bound of ten actions, and epochs until a ratio is impossible: 2, 1 and a bit, then next to 0."""
    log_k, root = math.log(10), 2 + math.sqrt(2)
    for theta in (0.5, 0.075):
        noise_free = (root * (2 * log_k + 1) + 1.64) / (theta * 0.5)
        expected = (4 * 2000 * log_k + 2 + 2 * noise_free) / (1 - theta) + 1
        with ctx.workprec(random_phase.PRECISION):
            assert float(random_phase.theorem_b(10, 2000, arb("0.5"), arb(theta))) == pytest.approx(expected)
    assert random_phase.steps_until_impossible(Fraction(2)) == 3
    assert random_phase.steps_until_impossible(Fraction(1, 2)) == 1
    # 3, then 3 (1 - 1/3) = 2, then 3/2, then 1, then 0.
    assert random_phase.steps_until_impossible(Fraction(3)) == 5
    with pytest.raises(NotProvedError, match="200 epochs"):
        random_phase.steps_until_impossible(Fraction(4))


def test_regret_of_a_pair_in_random_phase_by_quadrature() -> None:
    """The integral of ceil(e u) g(ceil u)/u from 1 on, after the first one, within the certificate's ends."""
    with ctx.workprec(random_phase.PRECISION):
        low, high = random_phase.expected_regret(random_phase.INSTANCES["pair"])
    g = lambda n: 1 / (1 + math.exp(n / 200))  # noqa: E731
    ends = sorted([*range(1, 2500), *(n / math.e for n in range(3, 6790))])
    total = 0.5 * (3 - math.log(2))
    for a, b in itertools.pairwise(ends):
        u = (a + b) / 2
        total += math.log(b / a) * math.ceil(math.e * u) * g(math.ceil(u))
    rest = math.e * sum(g(n) for n in range(2501, 10_000))
    assert float(low) < total + rest < float(high) and float(high) / float(low) < 1.004
