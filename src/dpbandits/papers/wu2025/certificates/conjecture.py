"""wu2025, Remark 4: no constants c1, c2 satisfy the conjectured bound, for any of the noises.

The conjecture is about all actions j with Delta_j > epsilon. Selection J_r is made on n = 2^(r-1) rounds, and
x_i = 4 n Delta_i epsilon. It says that

    P[J_r = j] <= c1 exp(-x_j/c2) / (1 + sum over i with Delta_i > epsilon of exp(-x_i/c2)).

**Lemma.** Write q = e^(1/b), where b is the scale of the noise. Choose the budget such that q = 1 + Delta/2 if
b = 2/epsilon, and q = 1 + Delta if b = 1/epsilon. Then epsilon < Delta, because log(1 + y) < y. Let kappa be 8 or 4
respectively, so that exp(-x_i) = q^(-kappa n Delta_i), and let ``cut`` be a number above kappa. For every n:

- *A pair*: Bernoulli losses with means mu_1 = (1 - Delta)/2 and mu_2 = (1 + Delta)/2. It needs

      c1 >= phi^n q^(kappa n Delta/cut)/4 for every c2 <= cut, phi = (1 + mu_1 (q - 1)) (1 - mu_2 (1 - 1/q)).

  Here phi = E q^(-D) for the difference D of two losses.
- *A crowd*: action 1 has loss 0, action j Bernoulli losses of mean Delta, and N = floor(q^n) actions have loss 1.
  It needs

      c1 >= m psi^n N q^(-kappa n (1 - Delta)/cut) for every c2 >= cut, psi = 1 - Delta (1 - 1/q).

  Here m is 1/3 (Gumbel), 1/8 (Laplace) or 4/27 (exponential). Permute-and-flip is exponential noise with b =
2/epsilon. N >= q^n/2, since q^n >= 2 for the n below.

*Proof, pair.* If action 2 has lost d >= 0 more, it is selected with probability at least q^(-d)/2. The reason is
the tail of the difference of two noises:

- Gumbel: 1/(1 + q^d);
- Laplace: (2 + d log q) q^(-d)/4;
- exponential: q^(-d)/2.

So P[J = 2] >= E[q^(-D); D >= 0]/2 = phi^n P'[D >= 0]/2, where P' is the law tilted by q^(-D). Under P' the losses
are two binomials again. P'[D >= 0] >= 1/2 if the tilted mean of action 2 is no smaller, which is checked. The
bound's right side is at most c1 exp(-x_2/c2) <= c1 q^(-kappa n Delta/cut).

*Proof, crowd.* Let g be the loss of action j. For Gumbel noise

    P[J = j | g] = q^(-g)/(1 + q^(-g) + N q^(-n)) >= q^(-g)/3.

For the other two, consider the event that Q_j >= g + tau, Q_1 <= tau and all other noises are at most n + tau. Let
u = e^(-tau/b), and use N <= q^n. The event's probability is at least

- exponential: q^(-g) u (1 - u)^2, which is 4/27 q^(-g) at u = 1/3;
- Laplace: q^(-g) (u/2) (1 - u/2)^2, which is 1/8 q^(-g) at u = 1.

And E q^(-g) = psi^n. With x = x_j/Delta the bound's right side is at most c1 exp(-x_j/c2)/(N exp(-x/c2)). This is
c1 exp((x - x_j)/c2)/N, which falls as c2 grows.

So every (c1, c2) is refuted at once if both growths, phi q^(kappa Delta/cut) and psi q^(1 - kappa (1 - Delta)/cut),
are above 1, because then the least c1 grows with n. Some powers of the growths are fractions, and are checked. For
some c1 a power of two n is written out that rules it out, with K = 2 and K = floor(q^n) + 2. Budget, gap and means
are fixed, and only K and n grow. So constants that depend on epsilon and Delta_min do not help either.

A last row of each noise has a pair of smaller gap, which rules out all c2 up to nearly 64/7 or 16/3, the limits.

Small crowds are included too. There the probability itself, not the lemma's bound of it, refutes a given (c1, c2).
For Gumbel noise it is computed in fractions. For exponential and Laplace noise it is computed in balls,
conditionally on g:

    P[J = j | g] = q^(-g) int_0^1 (1 - w) (1 - w q^(-n))^N dw (exponential);

    P[J = j | g] >= q^(-g)/2 int_0^1 (1 - w/2) (1 - w q^(-n)/2)^N dw (Laplace; the rest is Q_j < g).

Both follow from Q_j = g + b log(1/w) and g <= n, and both integrals are elementary.

Trusted: the two proofs above, the identities exp(-epsilon) = q^-2 or q^-1, Python's integers, python-flint's balls.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb, ctx

from dpbandits.core.declarations import Certificate, Row
from dpbandits.papers.balls import ball
from dpbandits.papers.exact_inequalities import NotProvedError, greater

# Fractions that would grow too long are rounded down to this many binary digits. Balls have this precision.
BITS = 400


class Family(NamedTuple):
    """Two instances for one noise and any number n of rounds, a pair and a crowd, which together refute Remark 4.

    Action i has the gap Delta_i, and x_i = 4 n Delta_i epsilon. Remark 4 bounds P[J_r = j] by c1 exp(-x_j/c2),
    divided by a sum.

    Attributes
    ----------
    noise
        Name of the noise: ``gumbel``, ``laplace``, ``exponential`` or ``permute-and-flip``.
    factor
        Scale of the noise times epsilon, 2 or 1.
    gap
        The gap Delta.
    cut
        The value of c2 up to which the pair is used, and from which on the crowd is used.
    crowd
        The factor m of the crowd's bound.
    """

    noise: str
    factor: int
    gap: Fraction
    cut: Fraction
    crowd: Fraction

    @property
    def kappa(self) -> int:
        """The number kappa, 8 or 4, for which exp(-x_i) = q^(-kappa n Delta_i)."""
        return 4 * self.factor

    @property
    def q(self) -> Fraction:
        """The number q = e^(1/b), where b is the scale of the noise."""
        return 1 + self.gap / self.factor

    @property
    def phi(self) -> Fraction:
        """The number phi = E q^(-D), where D is the loss of the pair's action 2 minus that of action 1."""
        return (1 + (1 - self.gap) / 2 * (self.q - 1)) * (1 - (1 + self.gap) / 2 * (1 - 1 / self.q))

    @property
    def psi(self) -> Fraction:
        """The number psi = E q^(-loss), for the loss of the crowd's action j in one round."""
        return 1 - self.gap * (1 - 1 / self.q)

    @property
    def tilted(self) -> tuple[Fraction, Fraction]:
        """Mean losses of the pair's actions 1 (better) and 2 under the tilted law.

        Its density with respect to the pair's law is proportional to q^(-D), where q > 1. D is the loss of action 2
        minus that of action 1 in one round. Without the tilt the means are (1 - gap)/2 and (1 + gap)/2.
        """
        low, high, q = (1 - self.gap) / 2, (1 + self.gap) / 2, self.q
        return low * q / (1 - low + low * q), high / q / (1 - high + high / q)

    def growth(self, crowd: bool) -> tuple[Fraction, int]:
        """Return growth^k, as a fraction, and k: of the crowd if ``crowd``, else of the pair.

        The growth is the factor by which the least c1 with which the bound holds grows in each round. The power k
        makes it a fraction.
        """
        # The growth is base q^exponent.
        if crowd:
            exponent, base = 1 - self.kappa * (1 - self.gap) / self.cut, self.psi
        else:
            exponent, base = self.kappa * self.gap / self.cut, self.phi
        return base**exponent.denominator * self.q**exponent.numerator, exponent.denominator


FAMILIES = (
    Family("gumbel", 2, Fraction(1, 5), Fraction(9), Fraction(1, 3)),
    Family("laplace", 2, Fraction(1, 5), Fraction(9), Fraction(1, 8)),
    Family("exponential", 1, Fraction(1, 10), Fraction(5), Fraction(4, 27)),
    Family("permute-and-flip", 2, Fraction(1, 5), Fraction(9), Fraction(4, 27)),
)
# Values of c1 whose instances are written out.
CONSTANTS = (1, 10, 1000, 10**6, 10**100)
# (c1, c2) of small crowds, Delta = 1/16; kappa/c2 is a power of 1/2, so that the bound is a fraction.
SMALL = ((2, 16), (10, 32), (100, 64), (1000, 128))
SMALL_GAP = Fraction(1, 16)
# Delta and c2 of the pair near the limit, by the noise's factor.
NEAR_LIMIT = {2: (Fraction(1, 100), Fraction(913, 100)), 1: (Fraction(1, 200), Fraction(532, 100))}


def rounded_down(value: Fraction) -> Fraction:
    """Return a fraction rounded down to a multiple of 2^-400."""
    return Fraction((value.numerator << BITS) // value.denominator, 1 << BITS)


def power_down(base: Fraction, exponent: int) -> Fraction:
    """Return a lower bound of base^exponent: squares and products are rounded down to multiples of 2^-400."""
    result, square = Fraction(1), base
    while exponent:
        if exponent % 2:
            result = rounded_down(result * square)
        square, exponent = rounded_down(square * square), exponent // 2
    return result


def lemma(family: Family) -> list[Row]:
    """Return proved rows for a noise: its pair and its crowd rule out each c1 up to 10^100 with every c2.

    First come the conditions of the module's lemma, then instances with K and n written out. `NotProvedError` is
    raised if one does not hold.
    """
    name = f"{family.noise}, Delta = {family.gap}, e^(1/b) = {family.q}"
    low, high = family.tilted
    rows = [
        greater(name, "tilted mean of action 2 > that of action 1", high, low),
        greater(name, "the cut is above kappa", family.cut, Fraction(family.kappa)),
    ]
    for crowd in (False, True):
        growth, power = family.growth(crowd)
        which = f"{name}; crowd, every c2 >= {family.cut}" if crowd else f"{name}; pair, every c2 <= {family.cut}"
        rows.append(greater(which, f"growth of the least c1 in {power} rounds > 1", growth, Fraction(1)))
        # N >= q^n/2 costs the crowd a factor of 2.
        share = family.crowd / 2 if crowd else Fraction(1, 4)
        for c1 in CONSTANTS:
            # The growth is that of ``power`` rounds, so n rounds have it n // power times.
            n = 8
            while share * power_down(growth, n // power) <= c1:
                n *= 2
            arms = f"floor(({family.q})^{n}) + 2" if crowd else "2"
            instance = f"{which}; K = {arms}, n = {n}"
            # Rounded down: q^n itself has as many digits as n.
            if power_down(family.q, n) < 2:
                raise NotProvedError(f"{instance}: the crowd may be of less than q^n/2 actions")
            needed = share * power_down(growth, n // power)
            rows.append(greater(instance, f"the least c1 > {float(c1):g}", needed, Fraction(c1)))
    return rows


def near_limit(family: Family) -> Row:
    """Return the row on a pair of small gap, which rules out every c2 up to nearly 64/7 or 16/3, with any c1."""
    gap, c2 = NEAR_LIMIT[family.factor]
    growth, power = family._replace(gap=gap, cut=c2).growth(crowd=False)
    instance = f"{family.noise}, Delta = {gap}; pair, every c2 <= {c2}"
    return greater(instance, f"growth of the least c1 in {power} rounds > 1", growth, Fraction(1))


def gumbel_crowd(family: Family, n: int, crowd: int) -> Fraction:
    """Return a lower bound of P[J = j] for Gumbel noise, a sum over action j's loss with each term rounded down.

    J is the action selected after ``n`` rounds: action 1 has no loss, j Bernoulli losses of mean ``family.gap``,
    and ``crowd`` = N others have losses 1.
    """
    q, gap = family.q, family.gap
    others = 1 + crowd / q**n
    total, law = Fraction(0), (1 - gap) ** n
    for g in range(n + 1):
        own = q**-g
        total += rounded_down(law * own / (others + own))
        law *= gap / (1 - gap) * Fraction(n - g, g + 1)
    return total


def other_crowd(family: Family, n: int, crowd: int) -> arb:
    """Return P[J = j] for exponential noise, or a lower bound of it for Laplace noise, in balls.

    J is the action selected after ``n`` rounds: action 1 has no loss, j Bernoulli losses of mean ``family.gap``,
    and ``crowd`` = N others have losses 1. Permute-and-flip counts as exponential. With a = q^-n, the integral of
    (1 - w) (1 - a w)^N over [0, 1] is

        1/(a (N + 1)) - (1 - (1 - a)^(N + 2))/(a^2 (N + 1) (N + 2)).

    With w/2 in place of w the integral ends at 1/2, and 1 - (1 - a)^(N + 2) is split into both its ends.
    """
    a = ball(1 / family.q**n)
    end = arb(1) / 2 if family.noise == "laplace" else arb(1)
    more = 1 - a * end
    # By parts: (1 - w) (1 - (1 - a w)^(N + 1))/(a (N + 1)), and the integral of what is left.
    boundary = (1 - end) * (1 - more ** (crowd + 1)) / (a * (crowd + 1))
    rest = (end - (1 - more ** (crowd + 2)) / (a * (crowd + 2))) / (a * (crowd + 1))
    return (boundary + rest) * ball(family.psi) ** n


def small_crowds(family: Family) -> list[Row]:
    """Return a row for each (c1, c2) of `SMALL`: a crowd whose action j is selected too often for Remark 4's bound.

    The number n of rounds is doubled until the bound is a fraction and P[J = j] is above it.
    """
    family = family._replace(gap=SMALL_GAP)
    rows = []
    for c1, c2 in SMALL:
        n = 16
        while True:
            crowd = int(family.q**n)
            # Of q in the bound, for action j and for the crowd. Only whole ones make the bound a fraction.
            exponents = family.kappa * n * family.gap / c2, Fraction(family.kappa * n, c2)
            if all(exponent.denominator == 1 for exponent in exponents):
                own, rest = (family.q**-exponent.numerator for exponent in exponents)
                bound: Any = c1 * own / (1 + own + crowd * rest)
                p: Any
                if family.noise == "gumbel":
                    p = gumbel_crowd(family, n, crowd)
                else:
                    p, bound = other_crowd(family, n, crowd), ball(bound)
                if p > bound:
                    break
            n *= 2
        instance = f"{family.noise}, Delta = {family.gap}, e^(1/b) = {family.q}; K = {crowd + 2}, n = {n}"
        what = f"P[J = j] > the bound with c1 = {c1}, c2 = {c2}"
        rows.append(greater(instance, what, p, bound))
    return rows


def prove() -> list[Row]:
    """Prove that no constants c1, c2 satisfy Remark 4's bound, for any noise, each inequality in a row.

    A row has ``instance``, ``bound``, ``left``, ``is`` and ``right``, all text.
    """
    with ctx.workprec(BITS):
        return [row for family in FAMILIES for row in (*lemma(family), near_limit(family), *small_crowds(family))]


CERTIFICATE = Certificate(
    title="No constants c1, c2 satisfy the conjecture of Remark 4",
    source="wu2025, Remark 4, third point",
    statement=(
        "For each of the noises, one budget and one gap: whatever c1, an instance with two actions violates the "
        "bound for all c2 up to a cut, and one with K = floor(q^n) + 2 actions for all c2 from it on; n and K are "
        "given."
    ),
    arithmetic="fractions; balls of python-flint for Laplace and exponential noise in small crowds",
    prove=prove,
)
