"""Bounds of the papers by name, at the tuning of a row of an aggregate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from dpbandits.core import mathematics
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Tuning
from dpbandits.core.tables import means_of
from dpbandits.settings.adversarial import theory as adversarial
from dpbandits.settings.adversarial.theory import BOUNDS as ARMS
from dpbandits.settings.experts.theory import BOUNDS as EXPERTS
from dpbandits.settings.linear import theory as linear
from dpbandits.settings.stochastic.theory import lower_bound_slope


def _setting(row: Any) -> Tuning:
    return Tuning(int(row.horizon), int(row.arms), float(row.epsilon), int(row.experts))


def _declared(name: str) -> Callable[[Any], float]:
    bound = (ARMS | EXPERTS)[name]
    value = bound.value or bound.suppressed
    return lambda row: value(_setting(row))


def _theorem_1(row: Any) -> float:
    return adversarial.converted(adversarial.htinf, _setting(row), int(row.tau))


def _theorem_3_4(row: Any) -> float:
    return linear.theorem_3_4(row.horizon, int(row.dimension), row.corruption, row.epsilon, row.delta)


def _theorem_3_9(row: Any) -> float:
    return linear.theorem_3_9(row.horizon, int(row.dimension), row.corruption, row.epsilon, row.delta, row.nu)


def _slope(row: Any) -> float:
    """Return the asymptotic lower bound (azize2025, Theorem 3.1): its slope times log T."""
    return lower_bound_slope(means_of(row), row.epsilon) * mathematics.log(row.horizon)


BOUNDS: dict[str, Callable[[Any], float]] = {
    **{name: _declared(name) for name in ARMS | EXPERTS},
    "thm1": _theorem_1,
    "theorem 3.4": _theorem_3_4,
    "theorem 3.9": _theorem_3_9,
    "slope": _slope,
}
# Stated up to a constant, for which 1 stands: only how regret grows beside them is tested.
UP_TO_A_CONSTANT = (
    *(name for name, bound in (ARMS | EXPERTS).items() if bound.value is None),
    "theorem 3.4",
    "theorem 3.9",
)


def bounds(table: pd.DataFrame, name: str) -> list[float]:
    """Return the value of a bound, such as ``cor2`` or ``slope``, in each row of a table of aggregates.

    Columns that it reads are ``horizon, arms, epsilon, experts``, for ``thm1`` also ``tau``. For ``theorem 3.4``
    and ``theorem 3.9`` they are ``horizon, dimension, corruption, epsilon, delta``, for the latter also ``nu``. For
    ``slope``, a lower bound, they are ``horizon, epsilon`` and the arms' means, ``environment.means.1`` and so on.
    ``existing`` and both theorems are known up to a constant, for which 1 stands. `BadInput` is raised if ``name``
    is no key of `BOUNDS`.
    """
    if name not in BOUNDS:
        raise BadInput(("options", "bound"), name, suggest(name, BOUNDS))
    return [BOUNDS[name](row) for _, row in table.iterrows()]
