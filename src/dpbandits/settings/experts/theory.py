"""Regret bounds of asi2025 for bandits with expert advice, and where each is the smallest.

A bound is in losses, for losses in [0, 1], and holds for every oblivious sequence of losses and advice. Where delta
enters it is 1/T. Bounds with constants are as printed, or, where O() is printed, with the constants of their
proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from dpbandits.core.algorithm import Setting
from dpbandits.settings.adversarial.theory import Bound, budget, htinf


def _exp4(setting: Setting) -> float:
    return 2 * math.sqrt(2 * setting.horizon * setting.arms * math.log(setting.experts))


def _cor8(setting: Setting) -> float:
    return 2 / budget(setting) * (htinf(budget(setting) * setting.horizon, setting.experts, 1.0) + 1)


def _thm9(setting: Setting) -> float:
    size = setting.horizon * setting.arms
    return math.sqrt(size * math.log(setting.experts)) * math.log(size) / budget(setting)


def theorem_10(setting: Setting, delta: float) -> float:
    """Return 100 M + G with the constants of the proof of Theorem 10.

    G = N^(1/2) log(1/delta)^(1/2) log(NT) log(N)/epsilon, and M = K^(1/2) T^(2/3) G^(1/3). The proof has 95 M + 12
    K^(1/2) T^(1/3) G^(2/3); printed is the second term without K^(1/2), which makes no difference: if G <= T the
    first term has room for it, and else both bounds exceed T.

    Parameters
    ----------
    setting
        T, K, N and epsilon.
    delta
        In (0, 1).
    """
    logs = math.log(setting.experts * setting.horizon) * math.log(setting.experts)
    g = math.sqrt(setting.experts * math.log(1 / delta)) * logs / budget(setting)
    return 100 * math.sqrt(setting.arms) * math.cbrt(g * setting.horizon**2) + g


def _thm10_suppressed(setting: Setting) -> float:
    power = _thm10_power(setting) + math.sqrt(setting.experts) / budget(setting)
    return power * math.log(setting.experts * setting.horizon)


def _thm10_power(setting: Setting) -> float:
    root = math.cbrt(math.sqrt(setting.experts) * setting.horizon**2 / budget(setting))
    return math.sqrt(setting.arms) * root


BOUNDS = {
    "exp4": Bound(
        "asi2025, proof of Theorem 9 without noise", r"\sqrt{KT\log(N)}", lambda s: _exp4(s) / math.sqrt(8), _exp4
    ),
    "cor8": Bound(
        "asi2025, Corollary 8",
        r"\frac{\sqrt{NT}}{\sqrt{\varepsilon}}",
        lambda setting: math.sqrt(setting.experts * setting.horizon / budget(setting)),
        _cor8,
    ),
    "thm9": Bound(
        "asi2025, Theorem 9",
        r"\frac{\sqrt{KT\log(N)}\log(KT)}{\varepsilon}",
        _thm9,
        lambda setting: 16 * _thm9(setting) + 1,
    ),
    "thm10": Bound(
        "asi2025, Theorem 10",
        r"\frac{N^{1/6}K^{1/2}T^{2/3}\log(NT)}{\varepsilon^{1/3}} + \frac{N^{1/2}\log(NT)}{\varepsilon}",
        _thm10_suppressed,
        lambda setting: theorem_10(setting, 1 / setting.horizon),
    ),
}
# The private bounds without logarithms and constants, as Table 2 compares them. The second term of Theorem 10 is
# left out: it exceeds the first where both exceed T.
POWERS: dict[str, Callable[[Setting], float]] = {
    "cor8": BOUNDS["cor8"].suppressed,
    "thm9": lambda setting: math.sqrt(setting.arms * setting.horizon) / budget(setting),
    "thm10": _thm10_power,
}


# The same with the constants of their proofs.
WITH_CONSTANTS = {name: value for name in POWERS if (value := BOUNDS[name].value)}
# What they are called in the paper.
STATEMENTS = {name: BOUNDS[name].source.split(", ")[1] for name in POWERS}


def smallest(bounds: Mapping[str, Callable[[Setting], float]], setting: Setting) -> str | None:
    """Return the name of the smallest of ``bounds``, or ``None`` if none is below T: all are vacuous."""
    name = min(bounds, key=lambda each: bounds[each](setting))
    return name if bounds[name](setting) < setting.horizon else None


def table2(setting: Setting) -> tuple[str, ...]:
    """Return what Table 2 of asi2025, as printed, calls best: one bound, two where regimes overlap, or none."""
    many = setting.experts >= setting.arms
    regimes = {
        "cor8": setting.experts <= setting.arms,
        "thm9": many and budget(setting) >= setting.arms / setting.experts,
        "thm10": many and budget(setting) <= 1 / math.sqrt(setting.horizon),
    }
    return tuple(name for name, holds in regimes.items() if holds)


def frontiers(horizon: float, arms: int, experts: float) -> dict[str, float]:
    """Return the budgets where two of `POWERS` cross, by names ``a/b``: from there on the first is the smaller.

    All three meet at N = K^(4/3) T^(1/3). Theorem 10 is below T from K^(3/2) N^(1/2)/T on: so it is the smallest
    and not vacuous only for N >= K^3.

    Parameters
    ----------
    horizon, arms, experts
        T, K and N.
    """
    return {
        "thm9/cor8": arms / experts,
        "thm9/thm10": (experts * horizon) ** -0.25,
        "cor8/thm10": experts**2 / (arms**3 * horizon),
        "thm10/vacuous": arms**1.5 * math.sqrt(experts) / horizon,
    }
