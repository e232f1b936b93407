"""charisopoulos2022, Algorithm 1, line 7: its threshold removes no point, and one replaced reward drops the best
arm.

*Trace argument.* Line 7 filters the points X_i = M^(-1/2) a_i r_i with lambda = max ||a||^2 in M^-1 times the mean
of r_i^2. Their covariance is positive semidefinite, so that its largest eigenvalue is at most its trace, and

    trace = (1/n) sum of r_i^2 a_i^T M^-1 a_i - v^T M^-1 v <= lambda,    v = (1/n) sum of a_i r_i.

Algorithm 2 returns if the eigenvalue is below 4 lambda: at once, unless all rewards are 0. Then w~ is the mean of
the points, theta~ = n M^(-1/2) w~ = M^-1 sum of a_i r_i, and Algorithm 1 is least squares with elimination.

*An instance with regret c T.* Two actions, e_1 and e_2, theta = (1/2, 0), rewards without noise under (M1), alpha =
1/5: the G-optimal design is half of each. With B = ceil(log T) batches q = T^(1/B) is in (2, 4], and the first
batch plays each action twice. The adversary replaces a reward of e_1 by -C, and leaves those of e_2 as they are. In
the first batch a reward of e_1 is replaced with probability 1 - (1 - alpha)^2 = 9/25. Then the estimate of e_1 is
at most 1/4 - C/2 plus the noise of privacy, and the estimate of e_2 is noise. The difference of the two noises is
symmetric, so with probability 1/2 it does not favour e_1. If C/2 - 1/4 > 2 gamma_1, e_1 is eliminated for good, and
each later round costs 1/2. So

    regret >= (9/25) (1/2) (1/2) (T - 4) = (9/100) (T - 4).

Here gamma_1 is line 9 with 1 for its constant. The necessary C grows as log T only, and any larger C serves as
well. The instance refutes that theta~ is near the estimate from clean rewards. It does not refute the *rate* of
Theorem 3.4. For any fixed alpha its term T sqrt(alpha d) is linear in T. As long as batches are clean, elimination
leaves only actions that are nearly as good, whatever happens to them afterwards.

Trusted: the two arguments, Python's fractions for the traces, python-flint's balls for gamma_1 and q.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

from flint import arb, ctx

from dpbandits.core.declarations import Certificate, Row
from dpbandits.papers.balls import ball
from dpbandits.papers.exact_inequalities import NotProvedError, greater

ALPHA = Fraction(1, 5)
# Actions of the family whose traces are enumerated, and what a reward may be.
ACTIONS = {
    "e_1, e_1, e_2, e_2": ((1, 0), (1, 0), (0, 1), (0, 1)),
    "(1, 0), (1, 1), (0, 1), (2, -1), (1, 0)": ((1, 0), (1, 1), (0, 1), (2, -1), (1, 0)),
}
REWARDS = (Fraction(0), Fraction(1, 2), Fraction(-1), Fraction(-1000), Fraction(10) ** 12)
# The instance is checked at T = 10 to these powers.
HORIZONS = (4, 6, 9, 15, 100)
PRECISION = 200


def trace_and_threshold(
    actions: Sequence[tuple[int, int]], rewards: Sequence[Fraction]
) -> tuple[Fraction, Fraction]:
    """Return the trace of the covariance of the points that line 7 filters, and its threshold lambda.

    Actions have two dimensions. Points are M^(-1/2) a_i r_i, where M is the sum of a a^T over the rewards' actions.

    Parameters
    ----------
    actions
        The action that each reward was given for, a vector.
    rewards
        The rewards, in the same order.
    """
    n = len(actions)
    # M, the sum of a a^T, has the entries xx, xy and yy.
    xx, xy, yy = (sum(a[i] * a[j] for a in actions) for i, j in ((0, 0), (0, 1), (1, 1)))
    determinant = xx * yy - xy * xy

    def square(x: Fraction, y: Fraction) -> Fraction:
        """Return (x, y) M^-1 (x, y)^T."""
        return (yy * x * x - 2 * xy * x * y + xx * y * y) / determinant

    squares = [square(Fraction(x), Fraction(y)) for x, y in actions]
    v = [sum((a[i] * r for a, r in zip(actions, rewards, strict=True)), Fraction(0)) / n for i in (0, 1)]
    mean_square = sum((r * r * s for r, s in zip(rewards, squares, strict=True)), Fraction(0)) / n
    return mean_square - square(*v), max(squares) * sum((r * r for r in rewards), Fraction(0)) / n


def first_width(horizon: arb, q: arb) -> arb:
    """Return the first batch's width gamma_1 of line 9 under (M1), for T = ``horizon``, d = 2 and epsilon = 1.

    The failure probability delta is 1/T. ``q`` is the ratio of successive batches, T^(1/B), and alpha is 1/5.
    """
    alpha, delta = ball(ALPHA), 1 / horizon
    log_q, log = (q / delta).log(), (1 / delta).log()
    two = arb(2).sqrt()
    width: arb = two * (log_q.sqrt() + log_q) * (alpha.sqrt() + alpha * two) + alpha
    return width + (2 * log / q).sqrt() * (1 + log.sqrt())


def ceiling(value: arb) -> int:
    """Return a number rounded up, or raise `NotProvedError` if its ball is too wide to tell."""
    found = value.ceil().unique_fmpz()
    if found is None:
        raise NotProvedError(f"{value} may be on either side of an integer")
    return int(found)


def linear_regret(power: int) -> list[Row]:
    """Prove that Algorithm 1 has regret of (9/100) (T - 4) or more, above T/12, under one attack, in four rows.

    Here T is 10^``power``. Actions are e_1 and e_2, theta is (1/2, 0), rewards have no noise, and alpha is 1/5. The
    attack replaces rewards of e_1 by -C.
    """
    horizon = arb(10) ** power
    batches = ceiling(horizon.log())
    q = (horizon.log() / batches).exp()
    width = first_width(horizon, q)
    # C: a little more than the 4 gamma_1 + 1/2 that is needed.
    attack = 4 * ceiling(width + 1) + 1
    where = f"T = 10^{power}, B = {batches}, e_1 and e_2, theta = (1/2, 0), alpha = {ALPHA}, C = {attack}"
    dropped = 1 - (1 - ALPHA) ** 2
    return [
        greater(where, "q > 2: the first batch plays each action twice", q, arb(2)),
        greater(where, "q < 4", arb(4), q),
        greater(where, "C/2 - 1/4 > 2 gamma_1", arb(attack) / 2 - arb(1) / 4, 2 * width),
        greater(
            where,
            "regret >= P[replaced] (1/2) (T - 4)/2 > T/12",
            dropped / 4 * (10**power - 4),
            Fraction(10**power, 12),
        ),
    ]


def prove() -> list[Row]:
    """Return a proved row on the largest trace over lambda for each family of actions, and four for each horizon.

    A row has ``instance``, ``bound``, ``left``, ``is`` and ``right``, all text.
    """
    rows = []
    for name, actions in ACTIONS.items():
        worst = Fraction(0)
        for rewards in itertools.product(REWARDS, repeat=len(actions)):
            trace, threshold = trace_and_threshold(actions, rewards)
            if any(rewards):
                worst = max(worst, trace / threshold)
        number = len(REWARDS) ** len(actions)
        rows.append(
            greater(
                f"actions {name}; {number} vectors of rewards",
                "1 + 10^-12 > trace/lambda",
                1 + Fraction(1, 10**12),
                worst,
            )
        )
    with ctx.workprec(PRECISION):
        for power in HORIZONS:
            rows += linear_regret(power)
    return rows


CERTIFICATE = Certificate(
    title="Line 7's threshold removes nothing; one replaced reward drops the best arm",
    source="charisopoulos2022, Algorithm 1, line 7; Theorem 3.4",
    statement=(
        "The trace of the covariance of the filter's points is at most lambda, of which four are allowed; and an "
        "instance of two actions, noiseless rewards and alpha = 1/5 on which one replaced reward drops the best "
        "arm, so that Algorithm 1 has regret above T/12. Theorem 3.4 itself allows 0.63 T there: it is not refuted."
    ),
    arithmetic="fractions; balls of python-flint for gamma_1 and q",
    prove=prove,
)
