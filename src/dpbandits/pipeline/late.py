"""Planning reads what modules declare: what only drawing and computing need is imported when it is first used.

To see what a figure, a kind of test or an algorithm declares, a plan imports its module, and that imports at its
top, as a module should, what it draws and computes with: matplotlib, pandas, SciPy, numba. It was a third of what a
start of Snakemake took, and nothing of it is used. In a process that plans, each such import gives a stand-in
(`wrapt.LazyObjectProxy`), which imports the real thing when something is done with it; each kernel is one too.
Python 3.15 has it in the language (PEP 810). What other packages import is left alone, and so is every other
process: jobs, notebooks, ``dpbandits`` itself.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import wrapt

from dpbandits.core.provenance import PACKAGE

COMPILED = "dpbandits.core.compiled"
LATE = {"matplotlib", "mpl_toolkits", "pandas", "scipy", "seaborn"}
# How kernels are found, by their stand-ins' ids.
KERNELS: dict[int, Callable[[], Any]] = {}

usual = builtins.__import__


@functools.cache
def begin() -> None:
    """Let this package's modules that are imported from now on wait for what they compute with."""
    builtins.__import__ = imported


def imported(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    """Be ``__import__``, the function that import statements call."""
    if globals is None or not str(globals.get("__name__")).startswith(f"{PACKAGE}."):
        return usual(name, globals, locals, fromlist, level)
    if name == COMPILED and fromlist and set(fromlist) <= DECORATORS.keys():
        return types.SimpleNamespace(**DECORATORS)
    package, _, rest = name.partition(".")
    if package not in LATE:
        return usual(name, globals, locals, fromlist, level)
    if fromlist:
        return types.SimpleNamespace(**{attribute: stand_in(name, attribute) for attribute in fromlist})
    # Of `import a.b as c` Python asks `a` for `b`.
    return Package(name) if rest else stand_in(name)


@functools.cache
def stand_in(name: str, attribute: str = "") -> Any:
    """Return what stands for a module, or for something in it, until it is used."""

    def find() -> object:
        module = importlib.import_module(name)
        return getattr(usual(name, fromlist=[attribute]), attribute) if attribute else module

    return wrapt.LazyObjectProxy(find, interface=Callable if attribute else types.ModuleType)


class Package:
    """What stands for a package of which a module is imported."""

    def __init__(self, module: str) -> None:
        self._package, own, *rest = module.split(".")
        setattr(self, own, Package(".".join((own, *rest))) if rest else stand_in(module))

    def __getattr__(self, name: str) -> Any:
        return getattr(usual(self._package), name)


def decorator(name: str) -> Callable[[Callable[..., object]], Any]:
    """Return what stands for a decorator of kernels."""

    def decorated(function: Callable[..., object]) -> Any:
        find = functools.cache(lambda: getattr(importlib.import_module(COMPILED), name)(function))
        kernel = wrapt.LazyObjectProxy(functools.partial(found, find), interface=Callable)
        KERNELS[id(kernel)] = find
        return kernel

    return decorated


def found(find: Callable[[], Any]) -> Any:
    """Return a kernel. Others that it calls have to be kernels too: all are put where their stand-ins are."""
    for module in [module for name, module in sys.modules.items() if name.startswith(f"{PACKAGE}.")]:
        for name, value in list(vars(module).items()):
            if id(value) in KERNELS:
                setattr(module, name, KERNELS[id(value)]())
    return find()


DECORATORS = {name: decorator(name) for name in ("inner", "kernel")}
