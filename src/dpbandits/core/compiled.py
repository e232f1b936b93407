"""Compiled code: the one place where numba is configured.

numba's cache on disk does not notice a change in *another* file that a kernel calls. Here every kernel's
cache folder is named after a digest of all sources the kernel can reach, so stale code cannot be loaded.
"""

from __future__ import annotations

import base64
import importlib
import pickle
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import UserProvidedCacheLocator

from dpbandits.core.provenance import compiled_cache, source_digest

# numba looks for BLAS by importing scipy.linalg, a quarter of a short job's start-up. No kernel uses BLAS, so
# the first look is made to find none; scipy.linalg itself stays importable.
if "scipy.linalg" not in sys.modules:
    sys.modules["scipy.linalg"] = None  # type: ignore[assignment]
    import numba.np.arraymath

    del sys.modules["scipy.linalg"]

Function = TypeVar("Function", bound=Callable[..., object])

CACHE = compiled_cache()
# All kernels of this process, by module and name.
KERNELS: dict[tuple[str, str], Any] = {}
# For how many types a kernel was learned.
LEARNED: Counter[tuple[str, str]] = Counter()


class ByContent(UserProvidedCacheLocator):
    """Where numba keeps compiled code: the digest says enough, and equal copies of the repository share it."""

    @classmethod
    def get_suitable_cache_subpath(cls, _: str) -> str:
        """Return no folder of the source's own: numba would name one after the copy's place."""
        return ""


def kernel(function: Function) -> Function:
    """Compile ``function`` in numba's nopython mode, without the GIL, cached on disk.

    Parameters
    ----------
    function
        A function of numba's subset of Python. Division by zero follows IEEE 754, as in NumPy.

    Returns
    -------
    Function
        The compiled function; its Python form stays reachable as ``.py_func``.
    """
    return _compiled(function)


def inner(function: Function) -> Function:
    """Compile ``function`` as `kernel` does, for use inside kernels alone.

    It must not allocate: references to arrays are not counted. Counting them costs two atomic operations for every
    array of a block in every call, up to 30 ns of a decision.
    """
    return _compiled(function, _nrt=False)


def _compiled(function: Function, **options: Any) -> Function:
    settings = {
        "CACHE_DIR": str(CACHE / source_digest(function.__module__)),
        "CACHE_LOCATOR_CLASSES": f"{__name__}.{ByContent.__name__}",
    }
    for name, value in settings.items():
        setattr(numba.config, name, value)
    # Small kernels pass arrays by their many fields; inlined they cost nothing (measured: a tenth of a run).
    compile_ = numba.njit(cache=True, nogil=True, error_model="numpy", forceinline=True, **options)
    compiled = KERNELS[function.__module__, function.__qualname__] = compile_(function)
    return cast(Function, compiled)


def lessons() -> list[str]:
    """Return which kernels this process has beside those it learned, and for which types, as texts for `learn`."""
    return [
        base64.b85encode(pickle.dumps((*name, types))).decode()
        for name, kernel in KERNELS.items()
        for types in kernel.signatures[LEARNED[name] :]
    ]


def learn(lesson: str) -> None:
    """Have the kernel that another process with these sources had: from the cache, where that has put it."""
    module, name, types = pickle.loads(base64.b85decode(lesson))
    importlib.import_module(module)
    kernel = KERNELS[module, name]
    kernel.compile(types)
    LEARNED[module, name] = len(kernel.signatures)
