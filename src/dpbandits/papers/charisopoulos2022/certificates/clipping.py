"""The constants of docs/charisopoulos2022-clipping.md, Theorem J, in balls and fractions.

*Sums over batches.* With q >= 2 the sum of q^(i/2) over i < B is at most sqrt(T)/(sqrt(2) - 1), and B is at
most L/log(2). A batch of m rounds is followed by 4m rounds at most, of gap 4 gamma at most: a factor of 16.

*Bernstein's inequality.* Take s = x/(1 + bx/3), v = 2L/x^2 and z = v x + bL/3.
The exponent s z - (v s^2/2)/(1 - bs/3) is then equal to the logarithm L.
This is an identity of rational functions, checked in fractions at more points than its degree needs.

*The clip of (J2).* With u = sqrt(2 log(1/A)) and A <= 1/2, c is at least 1 + sqrt(2 log 2) + 2 log(2)/epsilon.

Trusted: the derivation on that page, and python-flint's balls.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

from flint import arb, ctx

from dpbandits.core.declarations import Certificate, Row
from dpbandits.papers.balls import ball
from dpbandits.papers.exact_inequalities import equal, greater

PRECISION = 200
# Coefficients of gamma: alpha sqrt(d), sqrt(dL/m), dL/m. J2's first one is in units of its clip.
J1, J2 = (6, 2, Fraction(10, 3)), (9, 2, Fraction(14, 3))
# Coefficients of the bounds on regret, in the same order; of J1's second bound; and of short batches.
REGRET_J1, REGRET_J2, WITHOUT_SQUARE, SHORT = (96, 78, 78), (144, 78, 108), 170, 12


def exponent(x: Fraction, b: Fraction, level: Fraction) -> Fraction:
    """Return the exponent s z - (v s^2/2)/(1 - bs/3) of Bernstein's inequality, which is L = ``level``.

    Here s = x/(1 + bx/3), v = 2L/x^2 and z = v x + bL/3.
    """
    v = 2 * level / x**2
    s, z = x / (1 + b * x / 3), v * x + b * level / 3
    return s * z - (v * s**2 / 2) / (1 - b * s / 3)


def prove() -> list[Row]:
    """Prove the constants of Theorem J (docs/charisopoulos2022-clipping.md), each inequality in a row.

    A row has ``instance``, ``bound``, ``left``, ``is`` and ``right``, all text.
    """
    with ctx.workprec(PRECISION):
        roots, batches = 1 / (arb(2).sqrt() - 1), 1 / arb(2).log()
        rows = []
        for name, (corrupted, clean, square), bound in (("J1", J1, REGRET_J1), ("J2", J2, REGRET_J2)):
            rows.append(equal(name, f"16 * {corrupted} = {bound[0]}", Fraction(16 * corrupted), Fraction(bound[0])))
            rows.append(greater(name, f"{bound[1]} > sum of roots", ball(bound[1]), 16 * clean * roots))
            rows.append(greater(name, f"{bound[2]} > sum of squares", ball(bound[2]), 16 * ball(square) * batches))
        both = 16 * (2 + ball(J1[2]) / arb(2).sqrt()) * roots
        rows.append(greater("J1, second bound", f"{WITHOUT_SQUARE} > 16 (2 + 10/(3 sqrt 2)) ...", ball(170), both))
        least = 2 * arb(64).log()
        rows.append(greater("J1, second bound", "Y has more than 4/epsilon", least, arb(4)))
        rows.append(greater("short batches", f"{SHORT} > 2 (3 + e)", ball(SHORT), 2 * (3 + arb(1).exp())))
        u = (2 * arb(2).log()).sqrt()
        rows.append(greater("J2, bias", "u > 1", u, arb(1)))
        rows.append(greater("J2, bias", "3 (1 + u) > 4", 3 * (1 + u), arb(4)))
        rows.append(greater("J2, bias", "3 * 2 log 2 > 4", 6 * arb(2).log(), arb(4)))
        rows.append(greater("J2, variance", "3 > 2 sqrt(2)", arb(3), 2 * arb(2).sqrt()))
    some = [Fraction(1, 7), Fraction(1), Fraction(5, 2), Fraction(9)]
    for x, b, level in itertools.product(some, some, some):
        rows.append(equal("Bernstein", f"exponent at x={x}, b={b}", exponent(x, b, level), level))
    return rows


CERTIFICATE = Certificate(
    title="The constants of Theorem J: clip, then least squares",
    source="docs/charisopoulos2022-clipping.md",
    statement=(
        "96, 78, 78, 170 and 12 of J1 (Regret, steps 4 to 6), 144, 78 and 108 of J2 (steps 4 and 6 of one batch), "
        "and the exponent in Bernstein's inequality (step 2)."
    ),
    arithmetic="balls of python-flint, and fractions",
    prove=prove,
)
