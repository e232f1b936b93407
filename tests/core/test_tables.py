"""Numbers in tables have seven digits, and whole ones all of their own."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from dpbandits.core.tables import rounded, shortened


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (0.123456789, 0.1234568),
        (-12345678.9, -12345680.0),
        (1.23456789e-20, 1.234568e-20),
        (123456789.0, 123456789.0),
        (-(2.0**53), -(2.0**53)),
        (math.inf, math.inf),
    ],
)
def test_seven_digits_or_a_whole_number(given: float, expected: float) -> None:
    """What rounding before can reach is cut off; a number of rounds is not."""
    assert shortened(given) == expected
    table = rounded(pd.DataFrame({"value": [given], "count": [2**62 + 1], "name": ["x"]}))
    assert table.to_dict("list") == {"value": [expected], "count": [2**62 + 1], "name": ["x"]}
