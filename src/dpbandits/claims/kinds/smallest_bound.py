"""Whether, in the regimes of a table, the bound printed as best is the smallest of the private bounds."""

from __future__ import annotations

import itertools
import math

from dpbandits.claims.declarations import Asked, ClaimTest, Evidence, Finding, Outcome, finding
from dpbandits.claims.estimate import exact
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option, Options, Tuning
from dpbandits.core.numbers import number
from dpbandits.settings.experts.theory import POWERS, STATEMENTS, WITH_CONSTANTS, table2

BOUNDS = {"powers": POWERS, "constants": WITH_CONSTANTS}
HORIZONS = tuple(10**power for power in range(4, 13, 2))
ARMS = (2, 4, 16)
EXPERTS = tuple(2**power for power in range(1, 21))
# Budgets from 1/T, below which no bound is below T, up to 1.
BUDGETS = 25
# Where two bounds are equal, rounding chooses.
LIMITS = -math.inf, 1.0 + 1e-9


def evaluate(_: Evidence, by: str) -> Outcome:
    """Return a finding for each regime, from a grid of K, N, T and the budget.

    It is about the regime's worst point: there the bound printed as best is the largest multiple of the smallest
    one. Of two bounds that are printed as best of one point (N = K) the smaller one counts. A bound above T is
    T: no regret is larger. Points at which no bound is below T are left out. `BadInput` is raised for an unknown
    ``by``.

    Parameters
    ----------
    _
        Data of the test, which reads none.
    by
        ``powers`` for bounds without logarithms and constants, ``constants`` for bounds with both.
    """
    if by not in BOUNDS:
        raise BadInput(("options", "by"), by, suggest(by, BOUNDS))
    worst: dict[str, tuple[float, str]] = {}
    for horizon, arms, experts, step in itertools.product(HORIZONS, ARMS, EXPERTS, range(BUDGETS)):
        epsilon = horizon ** (-step / (BUDGETS - 1))
        tuning = Tuning(horizon, arms, epsilon, experts)
        bounds = {name: min(bound(tuning), horizon) for name, bound in BOUNDS[by].items()}
        smallest = min(bounds.values())
        best = table2(tuning) if smallest < horizon else ()
        for name in best:
            place = f"N = {number(experts)}, K = {arms}, T = {number(horizon)}, ε = {number(epsilon)}"
            ratio = min(bounds[each] for each in best) / smallest
            worst[name] = max(worst.get(name, (0.0, "")), (ratio, place), key=lambda point: point[0])
    findings: list[Finding] = [
        finding(f"regime of {STATEMENTS[name]}, {place}", exact(ratio), *LIMITS)
        for name, (ratio, place) in sorted(worst.items())
    ]
    return Outcome(findings)


def words(options: Options) -> str:
    """Return in words what is asked; ``{inside}`` is later replaced by the limits in words, such as "at most 1"."""
    how = "without logarithms and constants" if options["by"] == "powers" else "with logarithms and constants"
    return (
        f"{{inside}} in its regime, {how}, wherever one of the three is below T: N to 10^6, K to 16, T to 10^12. "
        "Where two are printed the smaller counts, and a bound above T is T"
    )


def fails_if(_: Options) -> str:
    """Return what would fail the test, in words."""
    return "one point of a regime where another bound is smaller, by more than rounding"


TEST = ClaimTest(
    title="Smallest bound in the printed regimes of bandits with experts",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    limits=lambda _: [Asked(*LIMITS)],
    part="regime",
    options={"by": Option("powers", "bounds by powers alone, or with constants: powers or constants")},
    reads="computed",
)
