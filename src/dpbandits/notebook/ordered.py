"""Lists of a person's, which have an order: no sets, mappings, tables or masked arrays."""

from __future__ import annotations

from collections.abc import Mapping, Set

import numpy as np

from dpbandits.core.errors import BadInput


def in_order(key: str, value: object, allowed: str) -> None:
    """Refuse what has no order of its own, or is more than a list.

    Raises
    ------
    BadInput
        If it is a set, a mapping, a table, or an array with masked numbers.
    """
    masked = np.ma.isMaskedArray(value) and np.ma.is_masked(value)
    if isinstance(value, Set | Mapping) or getattr(value, "ndim", 1) > 1 or masked:
        # A table prints several lines.
        raise BadInput(key, type(value).__name__ if "\n" in repr(value) else value, allowed)
