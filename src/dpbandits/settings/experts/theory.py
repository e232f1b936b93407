"""Regret bounds of asi2025 for bandits with expert advice, and where each is the smallest.

A bound is in losses, for losses in [0, 1], and holds for every oblivious sequence of losses and advice. Where delta
enters `BOUNDS`, it is 1/T. Bounds with constants are as printed, or, where O() is printed, with the constants of
their proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from dpbandits.core.fields import Tuning
from dpbandits.settings.adversarial.theory import Bound, budget, htinf


def _exp4(tuning: Tuning) -> float:
    return 2 * math.sqrt(2 * tuning.horizon * tuning.arms * math.log(tuning.experts))


def _cor8(tuning: Tuning) -> float:
    return 2 / budget(tuning) * (htinf(budget(tuning) * tuning.horizon, tuning.experts, 1.0) + 1)


def _thm9(tuning: Tuning) -> float:
    size = tuning.horizon * tuning.arms
    return math.sqrt(size * math.log(tuning.experts)) * math.log(size) / budget(tuning)


def theorem_10(tuning: Tuning, delta: float) -> float:
    """Return the regret bound 100 M + G of batched EXP4, with the constants of the proof of Theorem 10.

    G = N^(1/2) log(1/delta)^(1/2) log(NT) log(N)/epsilon, and M = K^(1/2) T^(2/3) G^(1/3). The proof ends with
    95 M + 12 K^(1/2) T^(1/3) G^(2/3), whose second term is printed without K^(1/2). The bound here holds with it:
    if G <= T/14, the term is at most 5 M, and otherwise both bounds exceed T.

    Parameters
    ----------
    tuning
        Number T of rounds, K of actions and N of experts; and privacy budget epsilon.
    delta
        Privacy's delta, in (0, 1).
    """
    logs = math.log(tuning.experts * tuning.horizon) * math.log(tuning.experts)
    g = math.sqrt(tuning.experts * math.log(1 / delta)) * logs / budget(tuning)
    return 100 * math.sqrt(tuning.arms) * math.cbrt(g * tuning.horizon**2) + g


def _thm10_suppressed(tuning: Tuning) -> float:
    power = _thm10_power(tuning) + math.sqrt(tuning.experts) / budget(tuning)
    return power * math.log(tuning.experts * tuning.horizon)


def _thm10_power(tuning: Tuning) -> float:
    root = math.cbrt(math.sqrt(tuning.experts) * tuning.horizon**2 / budget(tuning))
    return math.sqrt(tuning.arms) * root


BOUNDS = {
    "exp4": Bound(
        "asi2025, proof of Theorem 9 without noise", r"\sqrt{KT\log(N)}", lambda s: _exp4(s) / math.sqrt(8), _exp4
    ),
    "cor8": Bound(
        "asi2025, Corollary 8",
        r"\frac{\sqrt{NT}}{\sqrt{\varepsilon}}",
        lambda tuning: math.sqrt(tuning.experts * tuning.horizon / budget(tuning)),
        _cor8,
    ),
    "thm9": Bound(
        "asi2025, Theorem 9",
        r"\frac{\sqrt{KT\log(N)}\log(KT)}{\varepsilon}",
        _thm9,
        lambda tuning: 16 * _thm9(tuning) + 1,
    ),
    "thm10": Bound(
        "asi2025, Theorem 10",
        r"\frac{N^{1/6}K^{1/2}T^{2/3}\log(NT)}{\varepsilon^{1/3}} + \frac{N^{1/2}\log(NT)}{\varepsilon}",
        _thm10_suppressed,
        lambda tuning: theorem_10(tuning, 1 / tuning.horizon),
    ),
}
# The private bounds without logarithms and constants, as Table 2 compares them. The second term of Theorem 10 is
# left out: it exceeds the first where both exceed T.
POWERS: dict[str, Callable[[Tuning], float]] = {
    "cor8": BOUNDS["cor8"].suppressed,
    "thm9": lambda tuning: math.sqrt(tuning.arms * tuning.horizon) / budget(tuning),
    "thm10": _thm10_power,
}


# The same with the constants of their proofs.
WITH_CONSTANTS = {name: value for name in POWERS if (value := BOUNDS[name].value)}
# What they are called in the paper.
STATEMENTS = {name: BOUNDS[name].source.split(", ")[1] for name in POWERS}


def smallest(bounds: Mapping[str, Callable[[Tuning], float]], tuning: Tuning) -> str | None:
    """Return the name of the smallest of the regret ``bounds``, or ``None`` if none is below T: all are vacuous."""
    name = min(bounds, key=lambda each: bounds[each](tuning))
    return name if bounds[name](tuning) < tuning.horizon else None


def table2(tuning: Tuning) -> tuple[str, ...]:
    """Return which bounds Table 2 of asi2025 calls best: one, two in an overlap, or none.

    Names are ``cor8`` (Corollary 8), ``thm9`` and ``thm10`` (Theorems 9 and 10).
    """
    many = tuning.experts >= tuning.arms
    regimes = {
        "cor8": tuning.experts <= tuning.arms,
        "thm9": many and budget(tuning) >= tuning.arms / tuning.experts,
        "thm10": many and budget(tuning) <= 1 / math.sqrt(tuning.horizon),
    }
    return tuple(name for name, holds in regimes.items() if holds)


def frontiers(horizon: float, arms: int, experts: float) -> dict[str, float]:
    """Return the budgets at which two bounds cross, by names ``a/b``: above that budget ``a`` is smaller.

    The bounds are those of `POWERS`, without logarithms and constants: ``cor8``, ``thm9`` and ``thm10``, as in
    ``thm9/cor8``. Beyond ``thm10/vacuous`` Theorem 10 is below T. All three meet at N = K^(4/3) T^(1/3). Theorem 10
    is below T from K^(3/2) N^(1/2)/T on: so it is the smallest and not vacuous only for N >= K^3.

    Parameters
    ----------
    horizon, arms, experts
        Number T of rounds, K of actions and N of experts.
    """
    return {
        "thm9/cor8": arms / experts,
        "thm9/thm10": (experts * horizon) ** -0.25,
        "cor8/thm10": experts**2 / (arms**3 * horizon),
        "thm10/vacuous": arms**1.5 * math.sqrt(experts) / horizon,
    }
