"""Audits of privacy claims: a search for neighbouring inputs and an event that contradict a claim."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any


class _Callable(types.ModuleType):
    """In a notebook ``dpbandits.audit(...)`` is the function; as a name of the package it is this folder."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        # Not by a statement: whoever imports a part would then have the whole audit among its sources.
        return importlib.import_module("dpbandits.audit.audit").audit(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
