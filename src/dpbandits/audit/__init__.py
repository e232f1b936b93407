"""Audits of privacy claims: searches for two neighbouring inputs and an event that contradict a claim."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any


class _Callable(types.ModuleType):
    """A module that can be called: ``dpbandits.audit(...)`` is `dpbandits.audit.audit.audit`."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        # No import statement: it would make the whole audit a source of everything that imports one part of it.
        return importlib.import_module("dpbandits.audit.audit").audit(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
