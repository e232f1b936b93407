"""The two tiers of tests: which cases of a family are the core that `pytest` alone runs, and which are slow."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import pytest


def core(cases: Iterable[Any], kept: Callable[[Any], bool]) -> list[Any]:
    """Mark the cases of a test slow, but for those that are kept in the fast tier.

    Parameters
    ----------
    cases
        Arguments of `pytest.mark.parametrize`; a plain tuple holds one case's several arguments.
    kept
        Whether a case belongs to the core.
    """
    return [case if kept(case) else _slow(case) for case in cases]


def one_of_each(cases: Iterable[Any], kind: Callable[[Any], Hashable]) -> list[Any]:
    """Mark the cases of a test slow, but for the first one of each kind."""
    seen: set[Hashable] = set()
    return core(cases, lambda case: kind(case) not in seen and not seen.add(kind(case)))


def _slow(case: Any) -> Any:
    # A named tuple is one argument.
    return pytest.param(*(case if type(case) is tuple else (case,)), marks=pytest.mark.slow)
