"""Compiled code: the one place where numba is configured.

numba's cache on disk does not notice a change in *another* file that a kernel calls. Here every kernel's
cache folder is named after a digest of all sources the kernel can reach, so stale code cannot be loaded.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import functools
import importlib
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
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
# Those that Python called, but for learned ones: module, name, types, and seconds of compiling.
CALLED: list[tuple[str, str, Any, float]] = []


class _Work(threading.local):
    """How many kernels, each called by the one before, this thread compiles or loads."""

    depth = 0


_work = _Work()


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
    options |= {"cache": True, "nogil": True, "error_model": "numpy"}
    # Small kernels pass arrays by their many fields; inlined they cost nothing (measured: a tenth of a run).
    options["forceinline"] = True
    # Each would be compiled with a form for callers in C, of whom there are none.
    options["no_cfunc_wrapper"] = True
    compiled = KERNELS[function.__module__, function.__qualname__] = numba.njit(**options)(function)
    compiled.compile = functools.partial(_compile_once, compiled, compiled.compile)
    return cast(Function, compiled)


def _compile_once(kernel: Any, compile_: Callable[[Any], Any], types: Any) -> Any:
    """Compile a kernel for some types, or load it: what several processes want at a time, one of them compiles."""
    if types in kernel.overloads:
        return compile_(types)
    function = kernel.py_func
    began = time.monotonic()
    _work.depth += 1
    try:
        with _alone(kernel, types) as missing:
            if missing and _work.depth == 1:
                print(f"{function.__module__}: compiling, once for these sources", file=sys.stderr, flush=True)
            found = compile_(types)
    finally:
        _work.depth -= 1
    if _work.depth == 0:
        seconds = time.monotonic() - began if missing else 0.0
        CALLED.append((function.__module__, function.__qualname__, types, seconds))
    return found


@contextlib.contextmanager
def _alone(kernel: Any, types: Any) -> Iterator[bool]:
    """Say whether a kernel is missing in the cache; if so, keep other processes from compiling it too.

    Those wait, and load it. Without locks in the file system several compile the same.
    """
    cache = kernel._cache
    key = cache._index_key(types, kernel.targetctx.codegen())

    def missing() -> bool:
        return key not in cache._cache_file._load_index()

    with contextlib.ExitStack() as held:
        if missing():
            with contextlib.suppress(OSError):
                place = Path(cache.cache_path, f"{kernel.py_func.__qualname__}.lock")
                fcntl.flock(held.enter_context(place.open("w")), fcntl.LOCK_EX)
        yield missing()


def lessons() -> list[str]:
    """Return which kernels this process called, but for those it learned, as texts for `learn`."""
    return [base64.b85encode(pickle.dumps(called)).decode() for called in CALLED]


def learn(lesson: str) -> None:
    """Have the kernel that another process with these sources had: from the cache, where that has put it."""
    module, name, types, seconds = pickle.loads(base64.b85decode(lesson))
    if seconds:
        print(f"{module}: compiled in {seconds:.0f} s, once for these sources", file=sys.stderr)
    importlib.import_module(module)
    KERNELS[module, name].compile(types)
    CALLED.clear()
