"""The constants of docs/asi2025-conversion.md, Theorems D and E, in balls.

Write x = tau epsilon, Delta for the gap, C for 8 log(4/3).

*A coin.* KL(Bernoulli(1/2), Bernoulli(1/2 - Delta)) = -log(1 - 4 Delta^2)/2 <= C Delta^2 for Delta <= 1/4, since
-log(1 - y)/y increases in y; equality at Delta = 1/4.

*A Laplace shift.* For d >= 0, KL(Lap(0, b), Lap(d b, b)) = d + e^-d - 1 <= d^2/2. Both sides of the inequality and
their first derivatives agree at 0, and the second derivative e^-d is at most 1.

*Theorem D.* min(x^2/2, C) <= c x with c = sqrt(C/2), so that the regret is at least beta^2 sqrt(2/c)/4 times
sqrt(KT/epsilon), and sqrt(2/c)/4 > 1/3.

*Theorem E.* For a = s epsilon let phi(a) = 2 e^a sinh(a/2)^2/a^2. If the losses of the first s rounds are flipped
with probability q, the divergence is at most phi(a) (q a)^2. The function phi increases, because e^a and sinh(y)/y
do. Such flips are used for x <= X, where a <= X/4 + 1 and phi(X/4 + 1) <= P. Choose X by P X^2 = C, and let
c' = sqrt(P C). Then min(phi x^2, C) <= c' x, and sqrt(2/c')/4 > 1/4.2.

The Kullback-Leibler divergences themselves are compared with the bounds on a grid of gaps, as a check of the
derivation and not as its proof.

Trusted: this derivation, and python-flint's balls.
"""

from __future__ import annotations

from flint import arb, ctx

from dpbandits.core.declarations import Certificate, Row
from dpbandits.papers.exact_inequalities import greater

PRECISION = 200
# P: an upper bound of phi where flips are used.
FLIPS = "2.03"
# Gaps of the grid in units of 1/256, and shifts in units of 1/16 of a noise's scale.
GAPS, SHIFTS = (1, 4, 16, 32, 48, 63), (1, 4, 16, 32, 64)


def coin() -> arb:
    """Return C = 8 log(4/3): for Delta <= 1/4, KL(Bernoulli(1/2), Bernoulli(1/2 - Delta)) is at most C Delta^2."""
    return 8 * (arb(4) / 3).log()


def phi(a: arb) -> arb:
    """Return phi(a) = 2 e^a sinh(a/2)^2/a^2 of Theorem E, for a = s epsilon > 0.

    If the losses of s rounds are flipped with probability q, the divergence of an epsilon-private release is at
    most phi(a) (q a)^2.
    """
    found: arb = 2 * a.exp() * ((a / 2).sinh() / a) ** 2
    return found


def factor(c: arb) -> arb:
    """Return sqrt(2/c)/4, the factor of sqrt(KT/epsilon) in the lower bounds of Theorems D and E.

    ``c`` is such that what a batch of tau rounds tells, a divergence, is at most c gap^2 epsilon tau.
    """
    root: arb = (2 / c).sqrt() / 4
    return root


def prove() -> list[Row]:
    """Prove the constants of Theorems D and E (docs/asi2025-conversion.md), each inequality in a row.

    Rows on a grid check the divergences behind the constants. A row has ``instance``, ``bound``, ``left``, ``is``
    and ``right``, all text.
    """
    with ctx.workprec(PRECISION):
        c, p = coin(), arb(FLIPS)
        x = (c / p).sqrt()
        rows = [
            greater("Theorem D", "sqrt(2/c)/4 > 1/3", factor((c / 2).sqrt()), arb(1) / 3),
            greater("Theorem E", f"{FLIPS} > phi(X/4 + 1)", p, phi(x / 4 + 1)),
            greater("Theorem E", "sqrt(2/c')/4 > 1/4.2", factor((p * c).sqrt()), 1 / arb("4.2")),
        ]
        for gap in GAPS:
            delta = arb(gap) / 256
            divergence = -(1 - 4 * delta**2).log() / 2
            rows.append(greater(f"a coin, gap {gap}/256", "C gap^2 > KL", c * delta**2, divergence))
        for shift in SHIFTS:
            d = arb(shift) / 16
            divergence = d + (-d).exp() - 1
            rows.append(greater(f"a Laplace shift of {shift}/16 scales", "d^2/2 > KL", d**2 / 2, divergence))
        return rows


CERTIFICATE = Certificate(
    title="The constants of Theorems D and E: no base and no batch size beats sqrt(KT/epsilon)",
    source="docs/asi2025-conversion.md",
    statement=(
        "1/8 and 1/3 of Theorem D (Laplace noise on the means of batches) and 1/4.2 of Theorem E (any private "
        "release of each batch), from bounds on what a batch tells."
    ),
    arithmetic="balls of python-flint",
    prove=prove,
)
