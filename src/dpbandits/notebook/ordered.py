"""Check of lists that a caller gives: they have an order, so sets, mappings, tables and masked arrays are none."""

from __future__ import annotations

from collections.abc import Mapping, Set

import numpy as np

from dpbandits.core.errors import BadInput


def require_ordered(key: str, value: object, allowed: str) -> None:
    """Refuse a set, a mapping, a table or an array with masked numbers, where an ordered list is wanted.

    Any other value passes, also one that is no list.

    Parameters
    ----------
    key, allowed
        The argument's name, and what is allowed, for the error.
    value
        The argument's value.

    Raises
    ------
    BadInput
        If it is a set, a mapping, a table or array of two dimensions or more, or an array with masked numbers.
    """
    masked = np.ma.isMaskedArray(value) and np.ma.is_masked(value)
    if isinstance(value, Set | Mapping) or getattr(value, "ndim", 1) > 1 or masked:
        # A table prints several lines.
        raise BadInput(key, type(value).__name__ if "\n" in repr(value) else value, allowed)
