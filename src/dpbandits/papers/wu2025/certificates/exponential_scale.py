"""wu2025, Theorems 2 and 4: with noise Exp(1/epsilon) one selection is exactly 2 epsilon-private; Exp(2/epsilon)
mends it.

Write q = e^(1/b), b the noise's scale: q = e^epsilon as printed, q = e^(epsilon/2) as mended. If action i has lost
g_i, the smallest of them 0, then with v = e^(-Q_j/b), uniform on (0, 1),

    P[J = j] = int_0^(q^(-g_j)) product over i != j of (1 - v q^(g_j - g_i)) dv,

a polynomial's integral and a fraction if q is one: action j is selected if Q_i <= Q_j - g_j + g_i for all i.

**At most two scales, for every K, every length of an epoch and all losses in [0, 1].** A neighbour changes every
g_i by at most 1 either way. P[J = j] falls if g_j rises or another g_i falls, and does not change if all g_i move
together. So P[J = j] falls at most to its value at g_j + 2. Let m be the largest score of the other actions. For
every real m, P[Q_j >= m + 2] >= q^-2 P[Q_j >= m]. So the loss is at most 2/b, which is 2 epsilon as printed and
epsilon as mended.

**Attained.** All pairs of neighbouring inputs of losses 0 and 1 are tried, for few actions and rounds and some q.
In epochs of two rounds or more the largest ratio of probabilities is exactly q^2, for two actions already. The
first selection is made after one round, and later ones after two or more. So the loss of 2 epsilon occurs for
T >= 4. An epoch of one round loses less. For two actions it is log(2 q - 1), which is 1.490 at epsilon = 1. With K
actions the ratio is q^2 (1 - (1 - 1/q)^K), which tends to q^2 as K grows.

Trusted: that paragraph, the formula above, Python's fractions, and python-flint's ball of log(2 e - 1).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

from flint import arb, ctx

from dpbandits.core.declarations import Certificate, Row
from dpbandits.papers.exact_inequalities import equal, greater

# e^(1/b); what is proved of a few rational values holds of all by the identities in q that they show.
VALUES = (Fraction(11, 10), Fraction(2), Fraction(19, 7))
# Numbers of actions and rounds of the epochs whose inputs are enumerated.
EPOCHS = ((2, 1), (3, 1), (4, 1), (2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2))


def selected(losses: Sequence[int], action: int, q: Fraction) -> Fraction:
    """Return exactly the probability that exponential noise of scale b selects ``action``; ``q`` is e^(1/b).

    ``losses`` has what each action lost. The selected action has the largest noise less loss.
    """
    own = losses[action] - min(losses)
    # The product's coefficients of 1, v, v^2, ...
    polynomial = [Fraction(1)]
    for i, lost in enumerate(losses):
        if i != action:
            slope = q ** (losses[action] - lost)
            polynomial = [
                a - slope * b for a, b in zip((*polynomial, Fraction(0)), (Fraction(0), *polynomial), strict=True)
            ]
    # Its integral from 0 to q^(-g_j).
    end = q**-own
    return sum((a * end ** (k + 1) / (k + 1) for k, a in enumerate(polynomial)), Fraction(0))


def largest_ratio(arms: int, rounds: int, q: Fraction) -> tuple[Fraction, str]:
    """Return the largest ratio of an action's probabilities on two neighbouring inputs, and the inputs in words.

    All inputs with losses 0 and 1 are compared; neighbours differ in the losses of one round. Noise is exponential.
    The action is action 0, and by symmetry any.

    Parameters
    ----------
    arms, rounds
        Number K of actions, and number of rounds that the selection is made on.
    q
        The number e^(1/b), where b is the scale of the noise.
    """
    worst, where = Fraction(0), ""
    vectors = list(itertools.product((0, 1), repeat=arms))
    # Sums of all other rounds' vectors; probabilities depend on differences alone.
    others = {tuple(lost - min(total) for lost in total) for total in itertools.product(range(rounds), repeat=arms)}
    for rest in sorted(others):
        laws = {vector: selected([a + b for a, b in zip(rest, vector, strict=True)], 0, q) for vector in vectors}
        for one, other in itertools.permutations(vectors, 2):
            if laws[one] > worst * laws[other]:
                worst = laws[one] / laws[other]
                where = f"other rounds' losses {rest}, this round's {other} for {one}"
    return worst, where


def prove() -> list[Row]:
    """Return proved rows: the largest ratio of selection probabilities between neighbours is q^2, q = e^(1/b).

    After an epoch of one round it is less. A row has ``instance``, ``bound``, ``left``, ``is`` and ``right``, all
    text.
    """
    rows = []
    for q, (arms, rounds) in itertools.product(VALUES, EPOCHS):
        ratio, where = largest_ratio(arms, rounds, q)
        instance = f"e^(1/b) = {q}, K = {arms}, epoch of {rounds} rounds: {where}"
        if rounds == 1:
            expected = q**2 * (1 - (1 - 1 / q) ** arms)
            rows.append(equal(instance, "largest ratio = q^2 (1 - (1 - 1/q)^K)", ratio, expected))
            rows.append(greater(instance, "q^2 > largest ratio", q**2, ratio))
        else:
            rows.append(equal(instance, "largest ratio = q^2", ratio, q**2))
        if (arms, rounds) == (2, 1):
            rows.append(equal(instance, "largest ratio = 2 q - 1", ratio, 2 * q - 1))
    instance = "Exp(1/epsilon), epsilon = 1, K = 2, epoch of one round"
    with ctx.workprec(100):
        loss = (2 * arb(1).exp() - 1).log()
        rows.append(greater(instance, "loss > 1.4895", loss, arb("1.4895")))
        rows.append(greater(instance, "loss < 1.4905", arb("1.4905"), loss))
    return rows


CERTIFICATE = Certificate(
    title="Exp(1/epsilon) is exactly 2 epsilon-private, Exp(2/epsilon) exactly epsilon-private",
    source="wu2025, Section 3.1, Theorems 2 and 4",
    statement=(
        "Over all neighbouring inputs of few actions and rounds the largest ratio of probabilities of a selection "
        "is e^(2/b) exactly, b the noise's scale, where an epoch has two rounds or more; no input exceeds it."
    ),
    arithmetic="fractions, for rational e^(1/b); one ball of python-flint",
    prove=prove,
)
