"""The scale on which a planted effect is measured: logarithmic only if all of it is."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from dpbandits.claims.power import half_width, spread


def finding(logarithmic: bool, unit: str, low: float) -> Any:
    """Return a part with the estimate 4, up to 9, which holds at most at 5."""
    estimate = SimpleNamespace(value=4.0, low=low, high=9.0, logarithmic=logarithmic)
    return SimpleNamespace(estimate=estimate, unit=unit, at_least=-math.inf, at_most=5.0)


@pytest.mark.parametrize(
    ("logarithmic", "unit", "low"),
    [
        (False, "factor", 1.0),
        (True, "share", 1.0),
        (True, "factor", 0.0),
        (True, "factor", -1.0),
        (False, "share", 1.0),
    ],
)
def test_one_of_three_conditions_is_not_enough(logarithmic: bool, unit: str, low: float) -> None:
    found = finding(logarithmic, unit, low)
    assert spread(found) == (half_width(found), unit)


def test_a_logarithmic_error_is_half_the_logarithm_of_the_ends() -> None:
    assert spread(finding(True, "factor", 1.0)) == (pytest.approx(math.log(9.0) / 2.0), "logarithm")
