"""Theorems B, F and G of docs/wu2025-regret.md: constants, regret of a random phase, schedules that forget.

*Theorem B, any theta.* After N rounds e_theta(n) <= K^(1 - n/N)/(theta Delta). The later n are powers of two, so
that n/N is rho, 2 rho, 4 rho and so on, for some rho > 1. Hence the sum is below
(1 + K^-1 + K^-3 + K^-7 + ...)/(theta Delta), which is largest at K = 2. On one instance theta = 0.075 gives at most
0.58 of the bound for theta = 1/2.

*Theorem F.* Gumbel noise of scale b = 200, five instances. With g(n) = sum of m_j Delta_j e^(-n Delta_j/b) over sum
of m_j e^(-n Delta_j/b), which does not increase, the expected regret at infinity is

    g(0) int_1^e ceil(u) du/u + int_1^inf ceil(e u) g(ceil(u)) du/u.

Up to u = 400 the integral is summed over the pieces on which both ceilings are constant. Beyond, on [u, v], it is
at least e (v - u) g(v + 1) and at most (e + 1/u) (v - u) g(u). After the last point u it is at most (e + 1) times
the sum of m_j b e^(-u Delta_j/b).

*Theorem G, deterministic lengths.* Let q_r be the ratio of the sums of the first r + 1 and of the first r record
lengths. If no threshold costs more than rho times itself, q_1 <= rho and q_(r+1) <= rho (1 - 1/q_r). That map
increases, and from rho = 3.99 it falls below 1, which no ratio is.

*Theorem G, random lengths.* With thresholds between 1 and M the ratio is at least e (1 - 1/log M).

Trusted: this derivation, Python's fractions, and python-flint's balls.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

from flint import arb, ctx

from dpbandits.core.declarations import Certificate, Row
from dpbandits.papers.balls import ball
from dpbandits.papers.exact_inequalities import NotProvedError, greater
from dpbandits.papers.wu2025.certificates.theorem_constants import late_sum, sum_of_roots

PRECISION = 128
# b.
SCALE = 200
# Gaps and multiplicities; the first gap is 0.
INSTANCES: dict[str, list[tuple[Fraction, int]]] = {
    "pair": [(Fraction(0), 1), (Fraction(1), 1)],
    "crowd": [(Fraction(0), 1), (Fraction(1), 999)],
    "harmonic": [(Fraction(0), 1), *((Fraction(1, j), 1) for j in range(1, 41))],
    "two crowds": [(Fraction(0), 1), (Fraction(1, 10), 10), (Fraction(1), 10**6)],
    "hidden": [(Fraction(0), 1), (Fraction(1, 100), 2), (Fraction(1), 997)],
}
# Pieces are summed one by one up to there, then on a grid whose points grow by this factor.
EXACT, GRID = 400, Fraction(401, 400)
# Multiples of b/Delta_min after which only a bound is taken, beyond log K.
FAR = 40
RHO = Fraction(399, 100)
STEPS = 200


class Instance:
    """The function g of an instance, in balls: g(n) is the expected gap of the action selected after n rounds.

    Losses are deterministic, and noise is Gumbel's of scale b = 200.

    Parameters
    ----------
    groups
        Gaps Delta_j with their multiplicities m_j; the first gap is 0.
    """

    def __init__(self, groups: Sequence[tuple[Fraction, int]]) -> None:
        self.groups = [(ball(gap), arb(number)) for gap, number in groups]
        self.arms = sum(number for _, number in groups)

    def g(self, n: arb | int) -> arb:
        """Return g(n), the mean of the gaps with the weights m_j e^(-n Delta_j/b)."""
        weights = [number * (-gap * n / SCALE).exp() for gap, number in self.groups]
        above = [gap * weight for (gap, _), weight in zip(self.groups, weights, strict=True)]
        found: arb = sum(above, arb(0)) / sum(weights, arb(0))
        return found

    def rest(self, u: arb) -> arb:
        """Return an upper bound on the integral of g from u on."""
        found: arb = sum((number * SCALE * (-gap * u / SCALE).exp() for gap, number in self.groups[1:]), arb(0))
        return found


def pieces(until: int) -> list[tuple[arb, int, int]]:
    """Return the integral of 1/u, ceil(u) and ceil(e u) for each piece of [1, ``until``] with constant ceilings."""
    e = arb(1).exp()
    # Integers and integers/e never meet: each is told from the next by balls.
    ends = [(arb(n), True) for n in range(1, until + 1)]
    last = int(float(e * until))
    ends += [(arb(n) / e, False) for n in range(3, last + 1)]
    ends.sort(key=lambda end: float(end[0]))
    found = []
    # On the first piece, just above u = 1, ceil(u) is 2 and ceil(e u) is 3; one of them rises at each end.
    n, length = 2, 3
    for (low, _), (high, whole) in itertools.pairwise(ends):
        if not high > low:
            raise NotProvedError("two ends of pieces are not told apart")
        found.append(((high / low).log(), n, length))
        n, length = (n + 1, length) if whole else (n, length + 1)
    return found


def expected_regret(groups: Sequence[tuple[Fraction, int]]) -> tuple[arb, arb]:
    """Return a lower and an upper bound on expected regret at T = infinity, with epochs of random phase, ratio e.

    Noise is Gumbel's of scale b = 200. ``groups`` are the gaps Delta_j with their multiplicities m_j; the first gap
    is 0.
    """
    instance, e = Instance(groups), arb(1).exp()
    g = [instance.g(n) for n in range(EXACT + 1)]
    # int_1^e ceil(u) du/u = 2 log 2 + 3 (1 - log 2).
    start = g[0] * (3 - arb(2).log())
    low = high = start + sum((width * length * g[n] for width, n, length in pieces(EXACT)), arb(0))
    factor = ball(GRID)
    u, g_u = arb(EXACT), g[EXACT]
    smallest = min(gap for gap, _ in groups[1:])
    while not u > SCALE * smallest.denominator / arb(smallest.numerator) * (arb(instance.arms).log() + FAR):
        v = u * factor
        low += e * (v - u) * instance.g(v + 1)
        high += (e + 1 / u) * (v - u) * g_u
        u, g_u = v, instance.g(v)
    return low, high + (e + 1) * instance.rest(u)


def theorem_b(arms: int, scale: int, gap: arb, theta: arb) -> arb:
    """Return Theorem B's upper bound on regret for one theta, with Gumbel noise.

    Parameters
    ----------
    arms, scale
        Number K of actions, and scale b of the noise.
    gap
        Smallest gap Delta_min, > 0.
    theta
        The proof's free number, in (0, 1).
    """
    log_k = arb(arms).log()
    # 1.64 is above the sum of late terms, 1 + K^-1 + K^-3 + ..., which is largest at K = 2.
    without_noise = (sum_of_roots() * (2 * log_k + 1) + arb("1.64")) / (theta * gap)
    bound: arb = (4 * scale * log_k + 2 + 2 * without_noise) / (1 - theta) + 1
    return bound


def steps_until_impossible(rho: Fraction) -> int:
    """Return the number of epochs after which Theorem G's bound on q_r falls below 1.

    q_r is a ratio of sums of epochs' lengths, so it is at least 1: then the schedule is impossible. ``rho`` is the
    most that a threshold may cost, in multiples of itself. `NotProvedError` is raised if 199 epochs are not enough.
    """
    ratio = rho
    for step in range(1, STEPS):
        if ratio < 1:
            return step
        # Rounded up, as the map increases: fractions stay short.
        ratio = Fraction(math.floor(rho * (1 - 1 / ratio) * 10**12) + 1, 10**12)
    raise NotProvedError(f"{STEPS} epochs with ratio {rho} are not impossible")


def prove() -> list[Row]:
    """Prove constants of Theorems B, F and G (docs/wu2025-regret.md), each inequality in a row.

    A row has ``instance``, ``bound``, ``left``, ``is`` and ``right``, all text.
    """
    with ctx.workprec(PRECISION):
        e = arb(1).exp()
        half, small = (theorem_b(10, 2000, arb("0.5"), arb(theta)) for theta in ("0.5", "0.075"))
        rows = [
            greater("Theorem B, K = 2", "1.64 > 1 + K^-1 + K^-3 + ...", arb("1.64"), late_sum(2)),
            greater("Theorem B, K = 3", "the late sum at K = 2 is larger", late_sum(2), late_sum(3)),
            greater(
                "Theorem B, K = 10, Delta = 1/2, b = 2000",
                "0.58 > bound with theta = 0.075, divided by that with theta = 1/2",
                arb("0.58"),
                small / half,
            ),
        ]
        for name, groups in INSTANCES.items():
            low, high = expected_regret(groups)
            size = SCALE * arb(sum(number for _, number in groups)).log()
            where = f"Theorem F, {name}, Gumbel noise, b = {SCALE}"
            rows += [
                greater(where, "regret at infinity > 0.99 e b s", low, arb("0.99") * e * size),
                greater(where, "regret at infinity < 1.01 e b s", arb("1.01") * e * size, high),
            ]
        steps = steps_until_impossible(RHO)
        rows += [
            greater("Theorem G", f"{STEPS} > epochs after which a ratio of {RHO} is impossible", STEPS, steps),
            greater(
                "Theorem G, thresholds from 1 to e^200", "e (1 - 1/200) > 2.70", e * (1 - arb(1) / 200), arb("2.70")
            ),
        ]
        return rows


CERTIFICATE = Certificate(
    title="The optimal constants 4 and e of RNM-FTNL's epochs",
    source="docs/wu2025-regret.md, Theorems B, F and G",
    statement=(
        "Theorem B's late sum for every theta; regret of a random phase within 1 % of e b s on five instances; "
        "no lengths of epochs have costs below 3.99 times every threshold, nor random ones below 2.70."
    ),
    arithmetic="balls of python-flint; fractions for the recursion",
    prove=prove,
)
