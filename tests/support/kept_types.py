"""Types of numba that live as long as the process, so that calls stay fast after another test's kernels.

numba's dispatcher remembers a number for each type that it has met, while types themselves are collected when no
kernel has them. One that comes again gets another number: every call then looks for its kernel in Python, and a
replay takes 7 s of the processor in place of 1.4 s. A process that audits one algorithm does not come to that.
"""

from __future__ import annotations

from typing import Any

from numba.core.types import abstract

_KEPT: list[Any] = []


def keep() -> None:
    """Keep every type that is made from now on."""
    intern = abstract._TypeMetaclass._intern

    def kept(cls: Any, made: Any) -> Any:
        found = intern(cls, made)
        if found is made:
            _KEPT.append(made)
        return found

    abstract._TypeMetaclass._intern = kept
