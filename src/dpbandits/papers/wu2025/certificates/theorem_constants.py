"""The constants of Theorems A, B and C of docs/wu2025-regret.md, in balls, and that A's 2 and 4 cannot be bettered.

Write S = sum over i >= 0 of 2^(-i/2) = 2 + sqrt 2: the sum of sqrt n over n = 1, 2, 4, ... <= N is at most S sqrt
N.

*Theorem B, step 2.* While n <= N = 8 log K/Delta^2, e(n) <= x + n/x with x = sqrt(2 n log K). Summed,

    sum of x <= S sqrt(2 N log K) = 4 S log K/Delta,    sum of n/x <= S sqrt(N/(2 log K)) = 2 S/Delta.

Later e(n) <= (2/Delta) K^(1 - n/N), and n/N is rho, 2 rho, 4 rho and so on, for some rho > 1. So the sum is at most
(2/Delta) (1 + K^-1 + K^-3 + K^-7 + ...), which is largest at K = 2. Together the two parts are at most

    (4 S log K + 2 S + 2 (1 + 1/2 + 1/8 + ...))/Delta < (13.7 log K + 10.2)/Delta.

Finally 4 * 13.7 < 55, 4 * 10.2 < 41, 1 + 4 = 5.

*Theorem C.* Only n <= T/2 count: the sum of sqrt(2 n log K) is at most S sqrt(T log K), and 2 S < 7; 1 + 2 = 3.

*Theorem A.* With Gumbel noise of scale b and K - 1 gaps of 1 the regret at infinity is, exactly,

    1 - 1/K + 2 sum over n = 1, 2, 4, ... of n (K - 1)/(K - 1 + e^(n/b)).

Here b s = b log K, and terms matter while n is below b log K or so. Let b log K move from a power of two to the
next. Then the ratio of the sum to it runs over (2, 4). One b near each end shows that the lower constant cannot
exceed 2.001, and the upper one cannot be below 3.999. Where n/b >= log K + 2, a term is less than half of the one
before, so that the rest is at most the last one.

Trusted: this derivation, and python-flint's balls.
"""

from __future__ import annotations

from flint import arb, ctx

from dpbandits.core.declarations import Certificate, Row
from dpbandits.papers.exact_inequalities import greater

PRECISION = 200
# K = 10^ARMS for A's constants; log K of some 230,000.
ARMS = 100_000
# Powers of K in the tail of step 2: 2^0 - 1, 2^1 - 1, ...; what is left after the last of them is less than it.
TERMS = 9


def sum_of_roots() -> arb:
    """Return S = 2 + sqrt 2, the sum of 2^(-i/2) over i >= 0."""
    return 2 + arb(2).sqrt()


def late_sum(arms: int) -> arb:
    """Return an upper bound of 1 + K^-1 + K^-3 + K^-7 + ..., for K = ``arms``."""
    terms = [arb(arms) ** (1 - 2**i) for i in range(TERMS)]
    bound: arb = sum(terms, arb(0)) + terms[-1]
    return bound


def ratio(doublings: int, share: arb) -> arb:
    """Return RNM-FTNL's regret at T = infinity with K - 1 gaps of 1 and Gumbel noise, divided by b log K.

    Here K is 10^100,000.

    Parameters
    ----------
    doublings, share
        Exponent and factor that set the scale b: b log K = share 2^doublings.
    """
    arms = arb(10) ** ARMS
    log_k = arms.log()
    scale = share * 2**doublings / log_k
    regret, n = 1 - 1 / arms, arb(1)
    while True:
        term = n * (arms - 1) / (arms - 1 + (n / scale).exp())
        regret += 2 * term
        if n > scale * (log_k + 2) and term < arb(2) ** -PRECISION:
            # The rest of the sum is between 0 and this term.
            rest = term * arb("0.5 +/- 0.5")
            found: arb = (regret + 2 * rest) / (scale * log_k)
            return found
        n *= 2


def prove() -> list[Row]:
    """Prove the constants of Theorems A, B and C (docs/wu2025-regret.md), each inequality in a row.

    A row has ``instance``, ``bound``, ``left``, ``is`` and ``right``, all text.
    """
    with ctx.workprec(2 * PRECISION):
        s = sum_of_roots()
        rows = [
            greater("Theorem B, step 2", "13.7 > 4 S, of log K/Delta", arb("13.7"), 4 * s),
            greater(
                "Theorem B, step 2, K = 2",
                "10.2 > 2 S + 2 (1 + K^-1 + K^-3 + ...), of 1/Delta",
                arb("10.2"),
                2 * s + 2 * late_sum(2),
            ),
            greater("Theorem B, step 2", "the late sum at K = 2 > that at K = 3", 2 * late_sum(2), 2 * late_sum(3)),
            greater("Theorem B", "55 > 4 * 13.7", arb(55), 4 * arb("13.7")),
            greater("Theorem B", "41 > 4 * 10.2", arb(41), 4 * arb("10.2")),
            greater("Theorem C", "7 > 2 S", arb(7), 2 * s),
        ]
        high, low = ratio(64, arb("1.0001")), ratio(64, arb("1.9999"))
        instance = f"Theorem A, Gumbel noise, K = 10^{ARMS}, K - 1 gaps of 1, b log K ="
        rows += [
            greater(f"{instance} 1.0001 2^64", "regret at infinity > 3.999 b s", high, arb("3.999")),
            greater(f"{instance} 1.0001 2^64", "regret at infinity < 4 b s + 1", arb(4) + arb(2) ** -64, high),
            greater(f"{instance} 1.9999 2^64", "regret at infinity < 2.001 b s", arb("2.001"), low),
            greater(f"{instance} 1.9999 2^64", "regret at infinity > 2 b s - 1", low, arb(2) - arb(2) ** -64),
        ]
    return rows


CERTIFICATE = Certificate(
    title="The constants of Theorems A, B and C",
    source="docs/wu2025-regret.md",
    statement=(
        "13.7 and 10.2 of Theorem B's step 2, 55 and 41 of the theorem, 7 of Theorem C; and instances on which the "
        "regret is above 3.999 b s and below 2.001 b s, so that Theorem A's 4 and 2 cannot be bettered."
    ),
    arithmetic="balls of python-flint",
    prove=prove,
)
