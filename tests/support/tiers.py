"""The two tiers of tests: which cases of a family are the core that `pytest` alone runs, and which are slow."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import pytest

# Rounds of replays in the fast tier: a loss that a first release has is found in them. The slow tier replays all.
FEW_ROUNDS = 24


# What numbers of runs are divided by: all cases with few runs in the fast tier, and all of them with all, slow.
SHARES = [8, pytest.param(1, marks=pytest.mark.slow)]


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


def first_of_each(kinds: Mapping[str, Hashable]) -> list[tuple[str, Any]]:
    """Return names with their marks: none for the first name of each kind, slow for the others."""
    first = {kind: name for name, kind in reversed(kinds.items())}
    return [(name, () if first[kind] == name else pytest.mark.slow) for name, kind in kinds.items()]


def fewer_runs(cases: Iterable[Any], kind: Callable[[Any], Hashable], share: int = 8) -> list[Any]:
    """Return cases with what their runs are divided by: the first of each kind by ``share``, and all by 1, slow.

    Golden arrays notice every change of a kernel: what laws are compared for in the fast tier are gross faults.
    """
    every, seen = list(cases), dict[Hashable, Any]()
    for case in every:
        seen.setdefault(kind(case), case)
    return [*((case, share) for case in seen.values()), *(_slow((case, 1)) for case in every)]


def _slow(case: Any) -> Any:
    # A named tuple is one argument.
    return pytest.param(*(case if type(case) is tuple else (case,)), marks=pytest.mark.slow)
