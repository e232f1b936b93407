"""Lazy pandas, for processes that plan: they import modules that compute with tables, and read none.

Half a second of every start of Snakemake is saved. numba waits by itself (`dpbandits.core.compiled.Kernel`);
matplotlib and SciPy are imported inside the functions that use them. The standard library's `LazyLoader` does not
do: before Python 3.13 the second ``import`` of a module loads it.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any


class Waiting(ModuleType):
    """A module that is imported when something of it is first used."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
            vars(self).update(vars(importlib.import_module(self.__name__)))
        return getattr(sys.modules[self.__name__], name)


def begin() -> None:
    """Let pandas be imported when something of it is first used, unless it has been imported."""
    sys.modules.setdefault("pandas", Waiting("pandas"))
