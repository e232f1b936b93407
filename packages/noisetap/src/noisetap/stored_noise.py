"""Stand-ins for ``np.zeros`` and the like, whose arrays can hold numbers with noise."""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from types import CodeType
from typing import Any

import numpy as np

from noisetap.listen import _library
from noisetap.noisy import Noisy, NoisyArray


def noise_holding(make: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a stand-in for NumPy's function ``make``, such as ``np.zeros``, whose arrays can hold noise.

    If the program itself calls the stand-in by the function's ``name``, such as ``"zeros"``, an array of floats
    comes back as an array of objects. All other calls return what ``make`` does.
    """

    def made(*args: Any, **more: Any) -> Any:
        found = make(*args, **more)
        frame = sys._getframe(1)
        # Libraries, and code in C that the program calls, write plain doubles into the array.
        if found.dtype != float or _library(frame.f_code.co_filename):
            return found
        return found.astype(object).view(NoisyArray) if _calls(frame.f_code, frame.f_lasti, name) else found

    return made


class HeardFloat:
    """Stand-in for ``float`` in a program: a number with noise stays one, and all else is as with ``float``."""

    dtype = np.dtype(float)

    def __call__(self, value: Any = 0.0) -> Any:
        """Return a number with noise as it is, and a float of all else."""
        if (isinstance(value, np.ndarray) and value.size == 1) or hasattr(value, "__torch_function__"):
            value = value.item()
        return value if type(value) is Noisy else float(value)

    def __instancecheck__(self, value: Any) -> bool:
        """Tell whether something is a float."""
        return isinstance(value, float)

    def __subclasscheck__(self, kind: type) -> bool:
        """Tell whether a class is one of floats."""
        return issubclass(kind, float)

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        """Be ``float`` where a class is made of it."""
        return (float,)

    def __eq__(self, other: object) -> bool:
        """Be equal to ``float``: programs ask for the type of a number."""
        return other is float or isinstance(other, HeardFloat)

    def __hash__(self) -> int:
        """Have the hash of ``float``."""
        return hash(float)

    def __or__(self, other: Any) -> Any:
        """Make a union of types."""
        return float | other

    __ror__ = __or__

    def __getattr__(self, name: str) -> Any:
        """Answer with what ``float`` has of this name."""
        return getattr(float, name)


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
