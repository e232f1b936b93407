"""What the register of discrepancies says of wu2025 since its second reading, beside test_theory.py."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dpbandits.papers.wu2025.computations import selection_decay
from dpbandits.settings.full_information import instances, regret, theory
from dpbandits.settings.full_information.instances import Gaps
from dpbandits.settings.full_information.noises import NOISES, PRINTED


def votes(arms: int, epsilon: float, gaps: tuple[float, ...]) -> float:
    """Return the regret at 2^40 of counting, for each action, the rounds in which it lost more than the least.

    Counts have sensitivity 1, so the selection is epsilon-private; on the instance they are losses of 0 and 1.
    """
    counted = regret.deterministic(NOISES["gumbel"], 2 / epsilon, instances.equal(arms, 1.0), 41)
    # Of the suboptimal actions, which look alike to it, each is selected equally often.
    return float(np.mean(gaps[1:])) * float(regret.regret(counted, np.array([2**40]))[0])


def test_no_lower_bound_for_two_actions() -> None:
    """Theorem 3, any K: two actions have one gap, and the regret of counting votes vanishes with it."""
    for epsilon in (0.01, 1.0):
        at_gap_1 = votes(2, epsilon, (0.0, 1.0))
        for gap in (1e-2, 1e-4, 1e-8):
            assert votes(2, epsilon, (0.0, gap)) == pytest.approx(gap * at_gap_1)
        assert votes(2, epsilon, (0.0, 1e-8)) < 1e-6 * math.log(2) / epsilon


def test_the_worst_instance_is_another_one_for_three_actions() -> None:
    """Theorem 3's "Moreover": votes cost Delta at (0, Delta, Delta), but 1/(3 epsilon) at (0, Delta, 1)."""
    for epsilon, gap in itertools.product((0.01, 0.3, 1.0), (1e-2, 1e-6)):
        rate = math.log(3) / epsilon
        assert votes(3, epsilon, (0.0, gap, gap)) < 10 * gap * rate
        least = theory.few_actions_lower_bound(3, epsilon)
        assert votes(3, epsilon, (0.0, gap, 1.0)) >= least > 0.3 * rate
        for noise in ("laplace", "gumbel", "permute-and-flip"):
            expected = regret.deterministic(
                NOISES[noise], NOISES[noise].factor / epsilon, Gaps(np.array([0.0, gap, 1.0]), np.ones(3)), 41
            )
            assert regret.regret(expected, np.array([2**40]))[0] >= least


@pytest.mark.parametrize("arms", [3, 4, 5])
def test_the_lower_bound_of_few_actions(arms: int) -> None:
    """The sum over rounds of e^(-(t-1) epsilon) times the share of actions with loss 1."""
    for epsilon in (0.01, 0.5, 3.0, 30.0):
        share = 1 / 3 if arms == 3 else 1 - 3 / arms
        t = np.arange(3000 + int(30 / epsilon))
        assert theory.few_actions_lower_bound(arms, epsilon) == pytest.approx(
            float((share * np.exp(-t * epsilon)).sum()), rel=1e-9
        )
        assert theory.few_actions_lower_bound(arms, epsilon) >= 0.18 * math.log(arms) / epsilon
    with pytest.raises(ValueError, match="3, 4 or 5"):
        theory.few_actions_lower_bound(2, 1.0)


def test_misprints() -> None:
    """Signs in the proofs of Lemmas 1 and 5, and an index in Remark 4's sum, that are not what is used."""
    # Lemma 5: exp(-epsilon (-G_j)) over their sum prefers what lost more; exp(epsilon (-G_j)) is meant.
    losses = np.array([0.0, 3.0])
    printed = np.exp(-1.0 * -losses) / np.exp(-1.0 * -losses).sum()
    meant = np.exp(NOISES["gumbel"].select(losses, np.ones(2)))
    assert printed[1] > 0.9 > 0.1 > meant[1]
    # Appendix B has N = G + Q where the algorithm has -G + Q: with it the worse action comes first.
    noise = np.random.default_rng(1).gumbel(size=(20_000, 2))
    assert (np.argmax(noise - losses, axis=1) == 0).mean() > 0.9
    assert (np.argmax(noise + losses, axis=1) == 0).mean() < 0.1
    # Remark 4: were every term of the sum over j that of i, as printed, gaps in the sum would make no difference.
    exponents = np.array([1.0, 8.0])
    assert 2 * math.exp(-exponents[0] / 8) != pytest.approx(float(np.exp(-exponents / 8).sum()), rel=0.1)


def test_equation_5() -> None:
    """The proof's two inequalities, its constants, and that no instance needs more, and some nearly as much."""
    d = np.linspace(-60.0, 60.0, 4801)
    means = np.array([[0.0, 1.0], [0.1, 0.3], [0.45, 0.55], [0.0, 0.2], [0.7, 1.0]])
    for noise, (factor, share, c1) in {
        "exponential": (1, 1.0, 1.0),
        "gumbel": (2, 1.0, 1.0),
        "laplace": (2, 0.949, 2.0),
    }.items():
        assert NOISES[noise].factor == factor
        for t in share * np.array([0.01, 0.3, 0.7, 1.0]):
            assert (NOISES[noise].log_overtake(d) <= math.log(c1) - t * d + 1e-12).all()
        c2 = 4 / (share / factor - share**2 / (4 * factor**2))
        assert c2 == pytest.approx(selection_decay.PROVED[noise], abs=0.04)
        assert c2 <= selection_decay.PROVED[noise] + 1e-12
    for a, (best, worse) in itertools.product((0.01, 0.5, 1.0, 3.0), means):
        each = (1 - worse + worse * math.exp(-a)) * (1 - best + best * math.exp(a))
        assert each <= math.exp(-a * (worse - best) + a**2 / 4) * (1 + 1e-12)
    table = selection_decay.compute(
        [2.0, 50.0], [2.0**-k for k in range(7)], [2.0**-k for k in range(-3, 8)], 15, 6, 3
    )
    assert (table["c2"] <= table["proved"]).all()
    nearest = (table["c2"] / table["proved"]).groupby([table["part"], table["noise"]]).max()
    assert (nearest["centre"] > 0.95).all()
    assert set(table["part"]) == {"centre", "bottom", "crowd", "deterministic"}


def test_the_probabilities_behind_equation_5() -> None:
    """Of one round by hand; two actions by pairs are two by quadrature; a crowd only takes from an action."""
    gap, epsilon = 0.5, 2.0
    table = selection_decay.compute([2.0, 10.0], [gap], [epsilon], 4, 4, 1)
    assert (table["x"] == 4 * table["n"] * gap * gap).all()
    found = table.set_index(["part", "noise", "arms", "n"])["log_p"]
    for noise in PRINTED:
        win = np.exp(NOISES[noise].log_overtake(epsilon / NOISES[noise].factor * np.array([-1.0, 0.0, 1.0])))
        by_hand = 0.25 * 0.25 * win[0] + (0.25 * 0.75 + 0.75 * 0.25) * win[1] + 0.75 * 0.75 * win[2]
        assert math.exp(found["centre", noise, 2.0, 1.0]) == pytest.approx(by_hand, rel=1e-12)
        fixed = NOISES[noise].log_overtake(np.array([epsilon / NOISES[noise].factor * gap]))[0]
        assert found["deterministic", noise, 2.0, 1.0] == pytest.approx(fixed, rel=1e-12)
        for n in (1.0, 2.0, 4.0, 8.0):
            assert found["crowd", noise, 2.0, n] == pytest.approx(found["centre", noise, 2.0, n], abs=1e-9)
            assert found["crowd", noise, 10.0, n] < found["crowd", noise, 2.0, n]
