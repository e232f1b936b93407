"""What tests of noisetap share."""

from collections.abc import Iterator

import heap
import pytest


@pytest.fixture(scope="module", autouse=True)
def few_objects() -> Iterator[None]:
    """Look once through what a file's tests begin with, not once an audit."""
    with heap.frozen():
        yield
