"""Certificates of wu2025 can fail: a wrong constant, a wrong instance, a wrong law is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from tiers import core

from dpbandits.core.declarations import Certificate
from dpbandits.papers.exact_inequalities import NotProvedError, equal, greater, shown
from dpbandits.papers.wu2025.certificates import conjecture, exponential_scale, step_one, theorem_constants
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
