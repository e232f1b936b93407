"""Compiled code: the one place where numba is configured.

numba's cache on disk does not notice a change in *another* file that a kernel calls. Here every kernel's
cache folder is named after a digest of all sources the kernel can reach, as this process imported them. Each entry
there is known by a fingerprint of all values that were compiled into it, because a process may have replaced some.
So stale code cannot be loaded.
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import functools
import gc
import importlib
import inspect
import os
import pickle
import platform
import re
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, TextIO, TypeVar, cast

import numpy as np

from dpbandits.core.errors import BrokenFile
from dpbandits.core.imported import BESIDE, PACKAGE
from dpbandits.core.provenance import compiled_cache, source_digest
from dpbandits.core.reached import Reached

Function = TypeVar("Function", bound=Callable[..., object])

OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    # Small kernels pass arrays by their many fields; inlined they cost nothing (measured: a tenth of a run).
    "forceinline": True,
    # Each would be compiled with a form for callers in C, of whom there are none.
    "no_cfunc_wrapper": True,
}
CACHE = compiled_cache()
# For another process that compiles the same: without a word, and at most, in seconds.
SILENT_WAIT, LONGEST_WAIT = 5.0, 120.0
# Functions that kernels may call, and that numba has not been told of.
JITABLE: list[Callable[..., object]] = []
# All kernels of this process, by module and name.
KERNELS: dict[tuple[str, str], Kernel] = {}
# Those that Python called, but for preloaded ones: module, name, types, and seconds of compiling.
CALLED: list[tuple[str, str, Any, float]] = []


class _Work(threading.local):
    """How many kernels, each called by the one before, this thread compiles or loads; whether it compiles none.

    Beside it, what they reach, while the first of them is made.
    """

    depth = 0
    interpreted = False
    reached: Reached | None = None


_work = _Work()
# Fingerprints of the functions that are compiled here already, and so are part of what calls them.
_compiled_as: weakref.WeakKeyDictionary[FunctionType, bytes] = weakref.WeakKeyDictionary()


# numba's configuration is global: kernels that several threads use first are made one by one.
_making = threading.RLock()


@functools.cache
def _numba() -> Any:
    """Return numba, imported when the first kernel is needed: to plan or to list, nobody waits for it."""
    # numba looks for BLAS by importing scipy.linalg, a quarter of a short job's start-up. No kernel uses BLAS, so
    # the first look is made to find none; scipy.linalg itself stays importable.
    if "scipy.linalg" not in sys.modules:
        sys.modules["scipy.linalg"] = None  # type: ignore[assignment]
        import numba.np.arraymath

        del sys.modules["scipy.linalg"]
    import numba
    import numba.extending

    return numba


class Kernel:
    """A function that numba compiles when it is first called; `kernel`, `inner` and `lanewise` return it.

    It is compiled as ``dispatcher`` for Python and as ``linked`` for kernels that call it, each when first needed.
    Inside ``with interpreted():`` it runs as plain Python, and nothing is compiled. It has all attributes of
    numba's dispatcher, such as ``signatures``. numba reads ``_numba_type_`` where a kernel calls it, and sees
    ``linked``.

    Parameters
    ----------
    function
        A function of numba's subset of Python.
    **options
        Options of ``numba.njit``, beside `OPTIONS` or in their place.
    """

    def __init__(self, function: Callable[..., object], **options: Any) -> None:
        functools.update_wrapper(self, function)
        self.function = self.py_func = function
        self.options = options
        # Called only when the digest is needed; it is then of the sources as this process imported them.
        self.digest = functools.partial(_sources_of, function)

    @functools.cached_property
    def dispatcher(self) -> Any:
        """Compiled form of the function, a dispatcher of numba, for callers in Python."""
        with _making:
            return self.__dict__.get("dispatcher") or _compiled(self.function, self.digest(), **self.options)

    @functools.cached_property
    def linked(self) -> Any:
        """Compiled form of the function, a dispatcher of numba, for kernels that call it."""
        with _making:
            return self.__dict__.get("linked") or _linked(self.function, self.digest(), **self.options)

    @property
    def _numba_type_(self) -> Any:
        return _numba().typeof(self.linked)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if _work.interpreted:
            return self.function(*arguments, **named)
        return self.dispatcher(*arguments, **named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            # Copying and pickling ask for such names; the dispatcher must not be compiled for that.
            raise AttributeError(name)
        return getattr(self.dispatcher, name)


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """Run kernels as plain Python in a ``with`` block, in this thread: slowly, with checks and tracebacks."""
    before, _work.interpreted = _work.interpreted, True
    try:
        # Random streams compute with integers of 64 bits that overflow on purpose.
        with np.errstate(all="ignore"):
            yield
    finally:
        _work.interpreted = before


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
    return _kernel(function)


def inner(function: Function) -> Function:
    """Compile ``function`` as `kernel` does, for use inside kernels alone.

    ``function`` must not allocate arrays, since it is compiled without numba's counting of references. Counting
    would cost two atomic operations for every array in every call, up to 30 ns for one decision of an algorithm.
    """
    return _kernel(function, _nrt=False)


def lanewise(function: Function) -> Function:
    """Compile a function that is a loop over runs side by side, for use inside kernels alone.

    Step i of the loop is of run i, so LLVM can use vector instructions. ``function`` is not inlined: in a long
    kernel LLVM would have to prove that too many arrays do not overlap. It must not allocate, as with `inner`.
    """
    return _kernel(function, _nrt=False, forceinline=False)


def jitable(function: Function) -> Function:
    """Register ``function`` so that kernels can call it, compiled as by `inner`, and return it unchanged.

    Called from Python it runs uncompiled, which saves compiling for a few numbers. Both ways give the same bits if
    ``function`` uses only what IEEE 754 defines: + - * /, square roots, comparisons, and integers.
    """
    JITABLE.append(function)
    return function


def register() -> Any:
    """Return the module numba, after registering with it the functions of `jitable`, which kernels may call."""
    numba = _numba()
    from dpbandits.core import linked

    while JITABLE:
        numba.extending.register_jitable(pipeline_class=linked.ForKernels, _nrt=False, **OPTIONS)(JITABLE.pop())
    return numba


def _kernel(function: Function, **options: Any) -> Function:
    made = KERNELS[function.__module__, function.__qualname__] = Kernel(function, **options)
    return cast(Function, made)


def _sources_of(function: Callable[..., object]) -> str:
    """Return the digest of the sources that a kernel can reach.

    One of a notebook's cell or of a person's own module has no source of ours. Its code is in its fingerprint, and
    sources of ours that it calls are in this digest.
    """
    modules = {function.__module__}
    if function.__module__.partition(".")[0] not in (PACKAGE, *BESIDE):
        reached = Reached()
        reached.fingerprint(function)
        modules = {each.__module__ for each in reached.functions} | {__name__}
        modules = {name for name in modules if name.partition(".")[0] in (PACKAGE, *BESIDE)}
    return source_digest(*sorted(modules))


def _fingerprint(function: Callable[..., object]) -> str:
    """Return a function's fingerprint, or refuse where one that it calls was compiled as something else.

    A kernel keeps the numbers that it was compiled with, whatever its names say later. What calls it gets these.
    """
    reached = _work.reached or Reached()
    found = reached.fingerprint(function)
    for each, fingerprint in reached.functions.items():
        if _compiled_as.get(each, fingerprint) != fingerprint:
            file, line = each.__code__.co_filename, each.__code__.co_firstlineno
            what = f"a value that {each.__name__} uses was replaced after it was compiled"
            raise BrokenFile(file, line, f"{what}; start Python again")
    return found.hex()


def _compiled(function: Callable[..., object], digest: str, **options: Any) -> Any:
    from numba.core.caching import FunctionCache

    compiled = register().njit(**{**OPTIONS, **options})(function)
    return _kept(compiled, CACHE / digest, FunctionCache)


def _linked(function: Callable[..., object], digest: str, **options: Any) -> Any:
    from dpbandits.core import linked

    compiled = register().njit(pipeline_class=linked.ForKernels, **{**OPTIONS, **options})(function)
    return _kept(compiled, CACHE / digest / "linked", linked.Cache)


def _kept(compiled: Any, folder: Path, cache: Any) -> Any:
    """Let a dispatcher keep in ``folder`` what it compiles, and compile what no other process does."""
    # It imports numba.
    from dpbandits.core import numba_cache

    settings = {
        "CACHE_DIR": str(folder),
        "CACHE_LOCATOR_CLASSES": "dpbandits.core.numba_cache.ByContent",
    }
    for name, value in settings.items():
        setattr(_numba().config, name, value)
    compiled._cache = cache(compiled.py_func)
    numba_cache.sealed(compiled._cache)
    usual = compiled._cache._index_key
    compiled._cache._index_key = lambda *key: (*usual(*key), _fingerprint(compiled.py_func))
    compiled.compile = functools.partial(_compile_once, compiled, compiled.compile)
    return compiled


def _compile_once(kernel: Any, compile_: Callable[[Any], Any], types: Any) -> Any:
    """Compile a kernel for some types, or load it: what several processes want at a time, one of them compiles."""
    if types in kernel.overloads:
        return compile_(types)
    function = kernel.py_func
    began = time.monotonic()
    if not _work.depth:
        _work.reached = Reached()
    _work.depth += 1
    try:
        with _alone(kernel, types) as missing:
            if missing and _work.depth == 1:
                print(f"{function.__module__}: compiling, once for these sources", file=sys.stderr, flush=True)
            try:
                with _uncollected():
                    found = compile_(types)
            except _numba().core.errors.NumbaError as error:
                raise _slip(function, error) from error
        _compiled_as.update(cast(Reached, _work.reached).functions)
    finally:
        _work.depth -= 1
        if not _work.depth:
            _work.reached = None
    if _work.depth == 0:
        seconds = time.monotonic() - began if missing else 0.0
        CALLED.append((function.__module__, function.__qualname__, types, seconds))
    return found


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Keep Python's collector away: a tenth of compiling goes into looking at what numba will need to the end."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _slip(function: Any, error: Exception) -> Exception:
    """Return what a kernel cannot be compiled for, with file and line, from numba or of the name."""
    text = str(error)
    places = re.findall(r'File "([^"]+)", line (\d+)', text)
    unknown = re.search(r"NameError: name '(\w+)' is not defined", text)
    if unknown and not places:
        code = function.__code__
        lines = enumerate(inspect.getsourcelines(function)[0], code.co_firstlineno)
        places = [(code.co_filename, str(n)) for n, line in lines if re.search(rf"\b{unknown[1]}\b", line)]
    wrong = re.search(r"(?:NameError|TypingError|TypeError|Cannot|No implementation|Untyped).*", text)
    if not places:
        return error
    file, line = places[0]
    return BrokenFile(file, int(line), wrong[0] if wrong else text.splitlines()[0])


def _wait_for(lock: TextIO, module: str) -> None:
    """Lock a file, with this process's number in it; say who is waited for, and wait for nobody for ever.

    A holder may be stopped, or on another machine.
    """
    began, said = time.monotonic(), False
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waited = time.monotonic() - began
            if waited > LONGEST_WAIT:
                print(f"{module}: compiling here too, after {waited:.0f} s of waiting", file=sys.stderr, flush=True)
                return
            if waited > SILENT_WAIT and not said:
                said = True
                lock.seek(0)
                holder = lock.read() or "another process"
                print(f"{module}: waiting for {holder}, which compiles it", file=sys.stderr, flush=True)
            time.sleep(0.02)
        else:
            lock.truncate(0)
            print(f"process {os.getpid()} of {platform.node()}", end="", file=lock, flush=True)
            return


@contextlib.contextmanager
def _alone(kernel: Any, types: Any) -> Iterator[bool]:
    """Say whether a kernel is missing in the cache; if so, keep other processes from compiling it too.

    Those wait for a while, and load it. Without locks in the file system several compile the same.
    """
    cache = kernel._cache
    key = cache._index_key(types, kernel.targetctx.codegen())

    def missing() -> bool:
        return key not in cache._cache_file._load_index()

    with contextlib.ExitStack() as held:
        if missing():
            with contextlib.suppress(OSError):
                place = Path(cache.cache_path, f"{kernel.py_func.__qualname__}.lock")
                _wait_for(held.enter_context(place.open("a+")), kernel.py_func.__module__)
        yield missing()


def preloads() -> list[str]:
    """Return a text for each kernel that this process called, unless it was preloaded, for another's `preload`."""
    return [base64.b85encode(pickle.dumps(called)).decode() for called in CALLED]


def preload(text: str) -> None:
    """Load a kernel from the cache on disk, or compile it, before it is called.

    ``text`` is one of `preloads` in a process with the same sources. If that one compiled it, stderr says so.
    """
    module, name, types, seconds = pickle.loads(base64.b85decode(text))
    if seconds:
        print(f"{module}: compiled in {seconds:.0f} s, once for these sources", file=sys.stderr)
    importlib.import_module(module)
    KERNELS[module, name].compile(types)
    # Compiling noted the kernel as called, which it is not: `preloads` shall not name it.
    CALLED.clear()
