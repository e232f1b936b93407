"""Budget of processor time of one audit: replays and checks ask whether any is left."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator
from contextvars import ContextVar

_END: ContextVar[float] = ContextVar("_END", default=math.inf)


class OutOfTime(Exception):
    """The processor time of an audit is spent."""


@contextlib.contextmanager
def within_seconds(seconds: float) -> Iterator[None]:
    """Give a ``with`` block a limit of processor time, in seconds: beyond it `raise_if_late` raises `OutOfTime`."""
    token = _END.set(time.process_time() + seconds)
    try:
        yield
    finally:
        _END.reset(token)


def raise_if_late() -> None:
    """Raise `OutOfTime` if the seconds of `within_seconds` are over; without such a limit do nothing."""
    end = _END.get()
    if end < math.inf and time.process_time() > end:
        raise OutOfTime
