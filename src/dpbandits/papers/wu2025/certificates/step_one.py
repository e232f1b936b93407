"""Step 1 of Theorem B of docs/wu2025-regret.md, exactly, on all laws of a finite family.

The family is the product of three:

- laws of a loss vector with values in a finite set, whose weights are multiples of 1/WEIGHTS (entries may depend on
  one another);
- laws of identically distributed noises with atoms, independent or drawn without replacement;
- both ways of breaking ties.

M(g) is E max_j (Q_j - g_j), and P_j(g) is the probability of selecting j. G(n) are the actions' losses of n rounds,
and mu is the smallest mean loss of a round. With them h(n) = E G_J(n) - n mu is the regret of a selection, and
W(n) = E M(G(n)) + n mu. For n = 1, 2, 4 these are checked:

- *convexity*: M(g) >= M(g') + sum over j of P_j(g') (g'_j - g_j) for all g and g' that occur. That is, -P is a
  subgradient, with atoms or without;
- *exchangeability*: of 2n rounds the selected action has lost, in expectation, as much in the second half as in the
  first, E P_J(G(2n)) G'_J = E G_J(2n)(2n)/2;
- *telescoping*: W(0) - W(1) >= h(1), W(n) - W(2n) >= h(2n)/2, W(n) >= E Q_1, and sum of h <= 2 (W(0) - E Q_1) + 1.

No law of the family is left out. Those with a tied best action are included: Step 1 does not need a unique one.

Trusted: Python's fractions, and the enumeration below. That the three hold for every law is the proof in the text.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from dpbandits.core.declarations import Certificate, Row
from dpbandits.papers.exact_inequalities import NotProvedError

Vector = tuple[Fraction, ...]
Law = Mapping[Vector, Fraction]

# Weights are multiples of 1/WEIGHTS; rounds are 1, 2, 4.
WEIGHTS = 3
ROUNDS = (1, 2, 4)
# Values of the losses, by K.
LOSSES = {2: (Fraction(0), Fraction(1, 2), Fraction(1)), 3: (Fraction(0), Fraction(1))}


def noises(arms: int) -> dict[str, Law]:
    """Return laws of K = ``arms`` identically distributed noises, independent and dependent ones, by name.

    A law has the probability of each vector of K noises.
    """
    # Values of one noise, as often as they weigh.
    half = Fraction(1, 2)
    values: dict[str, tuple[int | Fraction, ...]] = {
        "0 or 1": (0, 1),
        "0, 1 or 3": (0, 1, 3),
        "0, 1/2 or 5/2, unequal weights": (0, 0, 0, half, half, 5 * half),
    }
    found: dict[str, Law] = {}
    for name, points in values.items():
        law: dict[Vector, Fraction] = {}
        for drawn in itertools.product(points, repeat=arms):
            vector = tuple(map(Fraction, drawn))
            law[vector] = law.get(vector, Fraction(0)) + Fraction(1, len(points) ** arms)
        found[f"independent, {name}"] = law
    orders = list(itertools.permutations([Fraction(i) for i in range(arms)]))
    found["a permutation of 0, 1, ..., K - 1"] = {order: Fraction(1, len(orders)) for order in orders}
    return found


def laws(arms: int) -> Iterator[Law]:
    """Yield all laws of a loss vector of K = ``arms`` actions whose weights are multiples of 1/3.

    K is 2, with losses 0, 1/2 and 1, or 3, with losses 0 and 1. A law has the probability of each vector.
    """
    vectors = list(itertools.product(LOSSES[arms], repeat=arms))
    for support in itertools.combinations_with_replacement(vectors, WEIGHTS):
        law: dict[Vector, Fraction] = {}
        for vector in support:
            law[vector] = law.get(vector, Fraction(0)) + Fraction(1, WEIGHTS)
        yield law


def law_of_sum(one: Law, other: Law) -> Law:
    """Return the law of the sum of two independent vectors."""
    total: dict[Vector, Fraction] = {}
    for (a, p), (b, q) in itertools.product(one.items(), other.items()):
        vector = tuple(x + y for x, y in zip(a, b, strict=True))
        total[vector] = total.get(vector, Fraction(0)) + p * q
    return total


class Selection(NamedTuple):
    """M and P at a vector of losses.

    Attributes
    ----------
    potential
        M(g), the mean of the largest noise less loss.
    probabilities
        P_j(g), the probability that action j is selected, for each j.
    """

    potential: Fraction
    probabilities: Vector


class Selector:
    """The functions M and P of a vector g of losses, for one law of noises and one way to break ties.

    M(g) is the mean of max over j of (Q_j - g_j), and P_j(g) the probability that action j attains it. Values are
    remembered.

    Parameters
    ----------
    noise
        Law of the noises of all actions.
    evenly
        Whether ties are broken evenly; if not, the first of the best actions is selected.
    """

    def __init__(self, noise: Law, evenly: bool) -> None:
        self.noise, self.evenly = noise, evenly
        self.known: dict[Vector, Selection] = {}

    def __call__(self, losses: Vector) -> Selection:
        """Return M(g) and P(g) at ``losses``, a vector g with one entry for each action."""
        if losses not in self.known:
            potential, probabilities = Fraction(0), [Fraction(0)] * len(losses)
            for noise, weight in self.noise.items():
                scores = [q - g for q, g in zip(noise, losses, strict=True)]
                best = max(scores)
                potential += weight * best
                first = [j for j, score in enumerate(scores) if score == best]
                for j in first if self.evenly else first[:1]:
                    probabilities[j] += weight / (len(first) if self.evenly else 1)
            self.known[losses] = Selection(potential, tuple(probabilities))
        return self.known[losses]


def check(law: Law, select: Selector, base: Fraction) -> Fraction:
    """Check Step 1 of Theorem B for a law of losses, and return by how much the sum of h stays below its bound.

    h(n) is the expected loss in n rounds of the action that is selected on them, less n times the smallest mean
    loss. The sum is over n = 1, 2, 4, and its bound is 2 (M(0) - E Q_1) + 1.

    Parameters
    ----------
    law
        Law of the vector of all actions' losses in a round.
    select
        The functions M and P of the selection.
    base
        Mean E Q_1 of one noise.

    Raises
    ------
    NotProvedError
        If a step does not hold.
    """

    def require(holds: bool, step: str) -> None:
        if not holds:
            raise NotProvedError(f"{step} fails at the law {dict(law)}")

    arms = len(next(iter(law)))
    best = min(sum((w * loss[j] for loss, w in law.items()), Fraction(0)) for j in range(arms))
    zero = (Fraction(0),) * arms
    potentials = {0: select(zero).potential}
    summed = Fraction(0)
    half: Law = {zero: Fraction(1)}
    for n in ROUNDS:
        total = law if n == 1 else law_of_sum(half, half)
        mean, other_half, potential = Fraction(0), Fraction(0), Fraction(0)
        # At n = 1 all is in the second half, of one round.
        rest = law if n == 1 else half
        for (before, p), (new, q) in itertools.product(half.items(), rest.items()):
            after = tuple(a + b for a, b in zip(before, new, strict=True))
            one, two = select(before), select(after)
            gained = sum((share * loss for share, loss in zip(two.probabilities, new, strict=True)), Fraction(0))
            require(one.potential >= two.potential + gained, "convexity")
            other_half += p * q * gained
        for losses, weight in total.items():
            found = select(losses)
            potential += weight * found.potential
            mean += weight * sum(
                (share * loss for share, loss in zip(found.probabilities, losses, strict=True)), Fraction(0)
            )
        require(other_half == (mean if n == 1 else mean / 2), "exchangeability")
        h = mean - n * best
        potentials[n] = potential + n * best
        require(potentials[n // 2] - potentials[n] >= (h if n == 1 else h / 2), "telescoping")
        require(potentials[n] >= base, "W(n) >= E Q_1")
        summed += h
        half = total
    slack = 2 * (potentials[0] - base) + 1 - summed
    require(slack >= 0, "the sum of h <= 2 b s + 1")
    return slack


def prove() -> list[Row]:
    """Check Step 1 of Theorem B for each K, law of noises and way of breaking ties, in a row each.

    A row has ``instance``, ``bound``, ``left``, ``is`` and ``right``, all text. ``left`` is the least slack of all
    laws of losses; `NotProvedError` is raised if a step fails at one of them.
    """
    rows = []
    for arms in LOSSES:
        for (name, noise), evenly in itertools.product(noises(arms).items(), (True, False)):
            select = Selector(noise, evenly)
            base = sum((weight * q[0] for q, weight in noise.items()), Fraction(0))
            slacks = [check(law, select, base) for law in laws(arms)]
            rows.append(
                {
                    "instance": f"K = {arms}, noises {name}, ties {'evenly' if evenly else 'for the first action'}",
                    "bound": f"Step 1 for all {len(slacks)} laws, n = 1, 2, 4: least 2 b s + 1 - sum of h",
                    "left": str(min(slacks)),
                    "is": ">=",
                    "right": "0",
                }
            )
    return rows


CERTIFICATE = Certificate(
    title="Step 1 of Theorem B on all laws of a finite family",
    source="docs/wu2025-regret.md, Theorem B",
    statement=(
        "Convexity with atoms, exchangeability of the two halves, and the telescoping sum, of all laws of loss "
        "vectors with few values and weights, for dependent and independent noises with atoms; two tie-breaks."
    ),
    arithmetic="fractions, by enumeration",
    prove=prove,
)
