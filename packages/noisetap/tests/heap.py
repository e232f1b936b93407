"""Old objects of a test process, among which generators are looked for once.

pytest holds half a million objects when all tests of this repository are collected, and more later. Each audit
looks through all of them for generators, which took three quarters of the processor's time of these tests.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from noisetap import stand_ins


class Young:
    """Stand in for `gc`: list objects that are not frozen yet, and generators among those that are.

    An audit watches the same generators as without it, as long as no program freezes its objects.
    """

    def __init__(self) -> None:
        self._old: list[Any] = []

    def unfreeze(self) -> None:
        """Leave frozen what is frozen: its generators are known."""

    def get_objects(self) -> list[Any]:
        """Return young objects and old generators."""
        return [*gc.get_objects(), *self._old]

    def thaw(self) -> None:
        """Forget what is known of old objects, so that the next look is at all of them."""
        self._old = []

    def age(self) -> None:
        """Look for generators among young objects, and freeze these."""
        if not self._old:
            # Whoever started these tests may have frozen objects before.
            gc.unfreeze()
        # What is garbage would be kept for ever.
        gc.collect()
        self._old = stand_ins.GeneratorWatch()._found
        gc.freeze()


_young = Young()


@contextmanager
def frozen() -> Iterator[None]:
    """Have audits look through objects that are made inside, and through generators that there are before."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(stand_ins, "gc", _young)
        _young.age()
        yield


@contextmanager
def unknown() -> Iterator[None]:
    """Have audits inside look through all objects, which are frozen; afterwards these are old again.

    An audit thaws them. Left so, each later audit of the file would look through all of them.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(stand_ins, "gc", gc)
        gc.freeze()
        yield
    _young.thaw()
    _young.age()
