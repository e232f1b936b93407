"""New arrays that can hold numbers with noise."""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from types import CodeType
from typing import Any

from noisetap.listen import _library
from noisetap.noisy import NoisyArray


def roomy(make: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a maker of arrays in which numbers with noise can be stored, where floats would be."""

    def made(*args: Any, **more: Any) -> Any:
        found = make(*args, **more)
        frame = sys._getframe(1)
        if found.dtype != float or _library(frame.f_code.co_filename):
            return found
        return found.astype(object).view(NoisyArray) if _calls(frame.f_code, frame.f_lasti, name) else found

    return made


@lru_cache(4096)
def _calls(code: CodeType, at: int, name: str) -> bool:
    """Tell whether an instruction calls a function by this name.

    Compiled code has no frame, and writes doubles into the array that it asks for: its caller calls another name.
    """
    first, last, start, end = next(islice(code.co_positions(), at // 2, None), (None,) * 4)
    if first is None or last is None or start is None or end is None:
        return False
    lines = [linecache.getline(code.co_filename, n).encode() for n in range(first, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return re.match(rf"[\w.\s]*\b{name}\s*\(", b"".join(lines).decode()) is not None
