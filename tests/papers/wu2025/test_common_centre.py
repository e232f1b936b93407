"""Theorem L of docs/wu2025-regret.md by enumeration of all loss sequences; the programs of votes; certificates."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import flint
import numpy as np
import pytest
from scipy import stats

from dpbandits.papers.exact_inequalities import NotProvedError
from dpbandits.papers.wu2025.certificates import common_centre, selection_on_votes

K = 3


def law(best: int | None) -> dict[tuple[int, ...], float]:
    """Return P_l of a round's losses, or C, for sets of one action."""
    found: dict[tuple[int, ...], float] = {}
    for chosen in range(K):
        direct = tuple(int(j == chosen) for j in range(K))
        inverse = tuple(1 - x for x in direct)
        weight = 0.0 if chosen == best else 0.5
        found[direct] = found.get(direct, 0) + weight / K
        found[inverse] = found.get(inverse, 0) + (1 - weight) / K
    return found


def chosen(losses: tuple[tuple[int, ...], ...], epsilon: float) -> np.ndarray:
    """Return the law of the exponential mechanism of scale 2/epsilon."""
    weights = np.exp(-epsilon / 2 * np.array(losses).sum(axis=0)) if losses else np.ones(K)
    return weights / weights.sum()


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("n", [0, 1, 3, 5])
def test_steps_three_to_five(n: int, epsilon: float) -> None:
    """For a private selection: group privacy from the centre, in expectation, and the bound on the mean of P_l."""
    half = (1 + math.exp(-epsilon)) / 2
    centre, right, bounds = np.zeros(K), np.zeros(K), np.zeros(K)
    for losses in itertools.product(law(None), repeat=n):
        centre += math.prod(law(None)[each] for each in losses) * chosen(losses, epsilon)
    for best in range(K):
        under = law(best)
        for losses in itertools.product([each for each in under if under[each] > 0], repeat=n):
            weight = math.prod(under[each] for each in losses) * chosen(losses, epsilon)[best]
            inverse = tuple(int(j != best) for j in range(K))
            right[best] += weight
            bounds[best] += weight * half ** sum(each == inverse for each in losses)
    assert centre.sum() == pytest.approx(1)
    assert np.all(centre >= bounds - 1e-12)
    for m in range(n + 1):
        most = math.exp(epsilon * m / 2) / K + stats.binom.sf(m, n, 1 / K)
        assert right.mean() <= most + 1e-12


def test_the_bound_in_closed_form() -> None:
    """The sum of step 6 with exact binomial tails is above the theorem's bound, and above 1.4 log K/epsilon."""
    actions, epsilon = 50, 0.01
    sigma = 1 / actions
    longest = math.ceil(2 * math.log(actions) / (sigma * epsilon))
    for eta in (0.1, 0.3, 1.0):
        n = np.arange(longest)
        part = (
            1
            - np.exp(epsilon * (1 + eta) * n * sigma / 2) / actions
            - stats.binom.sf((1 + eta) * n * sigma, n, sigma)
        )
        total = sigma * np.clip(part, 0, None).sum()
        bound = 2 / (1 + eta) * (math.log(actions) - 1 + 1 / actions) / epsilon - 3 / eta**2
        assert total >= bound
    best = max(2 / (1 + eta) * (math.log(actions) - 1 + 0.02) / epsilon - 3 / eta**2 for eta in (0.1, 0.2, 0.3))
    assert best > math.log(actions) / epsilon


@pytest.mark.parametrize("actions", [3, 50, 1000])
@pytest.mark.parametrize("n", [10, 1000, 100_000])
def test_the_tail_of_step_five_is_chernoffs(actions: int, n: int) -> None:
    """It is above the tail that it bounds, and at most n + 1 times as large: there are n + 1 types of sequences."""
    # So small that the other term, of order 1/sqrt(K), does not hide it.
    half = min(0.5, actions * math.log(actions) / (2 * n))
    m = min(common_centre.good_m(n, 1.0 / actions, half, actions), n - 1)
    found = float(common_centre.wrong_probability(n, actions, flint.arb(2 * half)).mid())
    tail = 1.0 - math.exp(half * m) / actions - found
    exact = stats.binom.sf(m - 1, n, 1.0 / actions)
    assert exact * (1.0 - 1e-9) <= tail <= exact * (n + 1) + 1e-12


def test_the_gap() -> None:
    mean = common_centre.means(5, 2, 3)
    assert [each - mean[3] for each in mean] == [Fraction(3, 10)] * 3 + [0, Fraction(3, 10)]


@pytest.mark.slow
def test_certificates_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(common_centre.prove()) > 30
    monkeypatch.setattr(common_centre, "SUMS", ((100, 100, "1.45"),))
    with pytest.raises(NotProvedError):
        common_centre.prove()


def test_votes_by_another_program() -> None:
    """Three actions, two votes, without orbits: a program with all nine sequences of votes gives 2/3 too."""
    from scipy.optimize import linprog

    votes = list(itertools.product(range(3), repeat=2))
    index = {(v, a): i for i, (v, a) in enumerate(itertools.product(votes, range(3)))}
    rows = []
    for one, other in itertools.product(votes, votes):
        if sum(x != y for x, y in zip(one, other, strict=True)) == 1:
            for a in range(3):
                row = np.zeros(len(index) + 1)
                row[index[one, a]], row[index[other, a]] = 1, -2
                rows.append(row)
    for a in range(3):
        row = np.zeros(len(index) + 1)
        row[index[(a, a), a]], row[-1] = -1, 1
        rows.append(row)
    sums = np.zeros((len(votes), len(index) + 1))
    for i, v in enumerate(votes):
        sums[i, [index[v, a] for a in range(3)]] = 1
    goal = np.zeros(len(index) + 1)
    goal[-1] = -1
    found = linprog(goal, np.array(rows), np.zeros(len(rows)), sums, np.ones(len(votes)))
    assert -found.fun == pytest.approx(2 / 3)
    assert selection_on_votes.best_probability(3, 2, 2) == Fraction(2, 3)
    # By hand: e^(t epsilon)/(K - 1 + e^(t epsilon)) is 4/(2 + 4), and 8/(3 + 8). At 2 twice products are powers.
    assert selection_on_votes.packing(3, 2, 2) == Fraction(2, 3)
    assert selection_on_votes.packing(4, 3, 2) == Fraction(8, 11)


def permute_and_flip(actions: int, ratio: float) -> float:
    """Return the probability of the best of ``actions`` actions, where each other one accepts with ``ratio``.

    By permutations: the best one accepts surely, so it is taken if all before it refuse.
    """
    return sum((1 - ratio) ** before for before in range(actions)) / actions


@pytest.mark.parametrize("actions", [3, 6])
@pytest.mark.parametrize("votes", [1, 2, 3])
def test_permute_and_flip_lies_between(actions: int, votes: int) -> None:
    """Permute-and-flip lies between the exponential mechanism and the best choice (docs/wu2025-regret.md)."""
    ratio = 2 ** (-votes / 2)
    exponential = 1 / (1 + (actions - 1) * ratio)
    assert (
        exponential
        < permute_and_flip(actions, ratio)
        < float(selection_on_votes.best_probability(actions, votes, 2))
    )
    if (actions, votes) == (3, 1):
        assert (exponential, permute_and_flip(3, ratio)) == pytest.approx((0.414, 0.460), abs=5e-4)
    if (actions, votes) == (6, 3):
        assert (exponential, permute_and_flip(6, ratio)) == pytest.approx((0.361, 0.437), abs=5e-4)


def test_rounding_that_breaks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection_on_votes, "LARGEST_DENOMINATOR", 5)
    with pytest.raises(NotProvedError):
        selection_on_votes.best_probability(4, 4, 2)
