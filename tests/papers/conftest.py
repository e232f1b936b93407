"""What all tests of papers do."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

mpl.use("agg")


@pytest.fixture(autouse=True)
def close() -> Iterator[None]:
    """Close what a test draws."""
    yield
    plt.close("all")
