"""The best private choice from t votes over K actions, as exact linear programs (docs/wu2025-regret.md).

A data set is t votes, so a histogram; neighbours differ in one vote. A choice gives each histogram a law on
actions. It is epsilon-private if each probability changes by at most a factor r = e^epsilon between neighbours.
Its worst probability of finding a unanimous action is to be as large as possible. Averaged over permutations of
actions, a choice is as good and as private. So there is a variable x for each partition of t into at most K
parts and each size of a part: the probability of an action with that many votes.

    max x[(t, 0, ..., 0), t]   with   sum of x = 1 over all actions of each partition,   x <= r x' for neighbours,
    x >= 0.

For r = 2 and 3 scipy finds a solution and multipliers in floating point. Both are rounded to fractions, and
then checked exactly: the solution is private, and the multipliers prove that none is better.

Trusted: this derivation, and Python's fractions.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

from dpbandits.core.declarations import Certificate, Row
from dpbandits.papers.exact_inequalities import NotProvedError, equal, greater

RATIOS, ACTIONS, VOTES = (2, 3), (3, 4, 5, 6), (1, 2, 3, 4, 5, 6)
LARGEST_DENOMINATOR = 100_000

Histogram = tuple[int, ...]


class Program(NamedTuple):
    """The linear program of the best private choice from t votes over K actions.

    A variable is the probability of choosing an action with some number of votes in a histogram of votes.

    Attributes
    ----------
    variables
        Number of each variable, by histogram and votes of the action.
    sums
        For each histogram its variables, with the number of actions that each stands for.
    neighbours
        Pairs of variables, the first of which is at most r times the second.
    goal
        The variable to be maximised.
    """

    variables: dict[tuple[Histogram, int], int]
    sums: list[dict[int, int]]
    neighbours: list[tuple[int, int]]
    goal: int


def histograms(votes: int, actions: int, most: int) -> Iterator[Histogram]:
    """Yield the partitions of ``votes`` into ``actions`` parts, 0 allowed, of at most ``most``; large parts first.

    For example ``histograms(2, 3, 2)`` yields (2, 0, 0) and (1, 1, 0).
    """
    if actions == 0:
        if votes == 0:
            yield ()
        return
    for first in range(min(votes, most), -1, -1):
        for rest in histograms(votes - first, actions - 1, first):
            yield (first, *rest)


def program(actions: int, votes: int) -> Program:
    """Return the linear program of the best private choice, for K = ``actions`` and t = ``votes``.

    A histogram of votes is sorted, because averaged over permutations of actions a choice is as good and as
    private.
    """
    every = list(histograms(votes, actions, votes))
    variables = {each: i for i, each in enumerate((h, part) for h in every for part in sorted(set(h)))}
    sums = [{variables[h, part]: h.count(part) for part in set(h)} for h in every]
    pairs = set()
    for h in every:
        for giver, taker in itertools.permutations(range(actions), 2):
            if h[giver]:
                moved = list(h)
                moved[giver] -= 1
                moved[taker] += 1
                # Variables are of sorted histograms; an action keeps its own number of votes.
                other = tuple(sorted(moved, reverse=True))
                pairs |= {(variables[h, a], variables[other, b]) for a, b in zip(h, moved, strict=True)}
    pairs = {(one, other) for one, other in pairs if one != other}
    unanimous = (votes,) + (0,) * (actions - 1)
    return Program(variables, sums, sorted(pairs), variables[unanimous, votes])


def solve(given: Program, ratio: int) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """Return a linear program's solution and dual multipliers for r = e^epsilon = ``ratio``, rounded to fractions.

    The three lists have a number for each variable, each of ``given.sums``, and each of ``given.neighbours``.
    """
    size = len(given.variables)
    sums, private = np.zeros((len(given.sums), size)), np.zeros((len(given.neighbours), size))
    for row, parts in zip(sums, given.sums, strict=True):
        row[list(parts)] = list(parts.values())
    for row, (one, other) in zip(private, given.neighbours, strict=True):
        row[one], row[other] = 1, -ratio
    # SciPy minimises, so the goal and all multipliers have the other sign.
    goal = np.zeros(size)
    goal[given.goal] = -1
    found = linprog(goal, private, np.zeros(len(private)), sums, np.ones(len(sums)), method="highs-ds")

    def exact(numbers: Any) -> list[Fraction]:
        return [Fraction(float(number)).limit_denominator(LARGEST_DENOMINATOR) for number in numbers]

    return exact(found.x), exact(-found.eqlin.marginals), exact(-found.ineqlin.marginals)


def best_probability(actions: int, votes: int, ratio: int) -> Fraction:
    """Return the largest probability with which a private choice finds the action that has all votes, exactly.

    A choice is from t = ``votes`` votes over K = ``actions`` actions, with epsilon = log ``ratio``. Its probability
    is that for the action that it finds least often.

    Raises
    ------
    NotProvedError
        If the rounded solution is not private, or the rounded multipliers do not prove that none is better.
    """
    given = program(actions, votes)
    solution, totals, multipliers = solve(given, ratio)
    private = (
        min(solution) >= 0
        and all(sum(count * solution[i] for i, count in parts.items()) == 1 for parts in given.sums)
        and all(solution[one] <= ratio * solution[other] for one, other in given.neighbours)
    )
    # Duality: a variable's price is its constraints' coefficients times their multipliers. If no price is below
    # the variable's coefficient in the goal, the multipliers of the sums add up to a bound on the goal.
    price = [Fraction(0)] * len(solution)
    for total, parts in zip(totals, given.sums, strict=True):
        for i, count in parts.items():
            price[i] += count * total
    for multiplier, (one, other) in zip(multipliers, given.neighbours, strict=True):
        price[one] += multiplier
        price[other] -= ratio * multiplier
    enough = min(multipliers) >= 0 and all(each >= (i == given.goal) for i, each in enumerate(price))
    if not (private and enough and sum(totals) == solution[given.goal]):
        raise NotProvedError(
            f"K = {actions}, t = {votes}, e^epsilon = {ratio}: rounding broke {private=} {enough=}"
        )
    return solution[given.goal]


def packing(actions: int, votes: int, ratio: int) -> Fraction:
    """Return r^t/(K - 1 + r^t), by packing an upper bound on what `best_probability` returns.

    K is ``actions``, t is ``votes`` and r is ``ratio``.
    """
    return Fraction(ratio**votes, actions - 1 + ratio**votes)


def prove() -> list[Row]:
    """Return two proved rows for each K, t and epsilon: what is best, and that the exponential mechanism is worse.

    A row has ``instance``, ``bound``, ``left``, ``is`` and ``right``, all text.
    """
    rows = []
    for ratio, actions, votes in itertools.product(RATIOS, ACTIONS, VOTES):
        name = f"e^epsilon = {ratio}, K = {actions}, t = {votes}"
        value, most = best_probability(actions, votes, ratio), packing(actions, votes, ratio)
        if value == most:
            rows.append(equal(name, "the best is packing's bound", value, most))
        else:
            rows.append(greater(name, "packing's bound > the best", most, value))
        # Exponential mechanism: w/(K - 1 + w) with w^2 = r^t; it is below value if and only if w is below odds.
        odds = value * (actions - 1) / (1 - value)
        rows.append(
            greater(name, "the best > exponential mechanism, squared odds", odds**2, Fraction(ratio**votes))
        )
    return rows


CERTIFICATE = Certificate(
    title="The best private choice from a few votes, exactly, above the exponential mechanism",
    source="docs/wu2025-regret.md, a second question",
    statement=(
        "The largest worst probability of finding a unanimous action, for 3 to 6 actions, 1 to 6 votes and "
        "e^epsilon 2 and 3: a private choice that has it, multipliers that prove that none has more."
    ),
    arithmetic="fractions; scipy suggests solutions, and is not trusted",
    prove=prove,
)
