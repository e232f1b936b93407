"""Fingerprints of functions: their code, and every value that a compiler would put into it.

A compiled kernel holds the numbers that its names had when it was compiled, and the code of the kernels it calls.
Sources say what these are, unless a process replaced one: ``module.CONSTANT = 5`` in a notebook, a reloaded cell, a
number out of the environment. So the cache of compiled code knows a kernel by this fingerprint too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

_PLAIN = (int, float, complex, str, bytes, type(None))


class Reached:
    """Maker of fingerprints of functions and of all that they reach; each function is looked at once.

    Numbers, texts, arrays, tuples, lists, mappings and functions count by content, and modules by what is looked
    up in them. Any other object counts by its type and name alone.

    Attributes
    ----------
    functions
        Fingerprints of the functions that were looked at, by function.
    """

    def __init__(self) -> None:
        self.functions: dict[FunctionType, bytes] = {}

    def fingerprint(self, function: Callable[..., Any]) -> bytes:
        """Return 16 bytes that differ if a function's code differs, or a value that it reaches.

        Parameters
        ----------
        function
            A function of Python. What decorators put in its place, and have as ``py_func``, is looked through. Of
            anything else the ``repr`` is returned, of any length.
        """
        function = getattr(function, "py_func", function)
        if not isinstance(function, FunctionType):
            return repr(function).encode()
        if function not in self.functions:
            # Until it is known, the name stands for the fingerprint: the function may call itself.
            self.functions[function] = function.__qualname__.encode()
            told = hashlib.blake2b(digest_size=16)
            for part in self._parts(function):
                told.update(len(part).to_bytes(8, "little") + part)
            self.functions[function] = told.digest()
        return self.functions[function]

    def _parts(self, function: FunctionType) -> Iterator[bytes]:
        code = function.__code__
        yield from self._code(code, function.__doc__)
        yield self._value(function.__defaults__, ())
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            yield name.encode() + self._content(cell, code.co_names)
        names = _names(code)
        for name in names:
            if name in function.__globals__:
                yield name.encode() + self._value(function.__globals__[name], names)

    def _content(self, cell: Any, names: tuple[str, ...]) -> bytes:
        try:
            return self._value(cell.cell_contents, names)
        except ValueError:
            # Nothing is in it yet.
            return b""

    def _code(self, code: CodeType, documentation: str | None) -> Iterator[bytes]:
        """Yield what code does, without its lines and its documentation."""
        yield code.co_code + code.co_exceptiontable
        yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags)).encode()
        for index, constant in enumerate(code.co_consts):
            if isinstance(constant, CodeType):
                yield from self._code(constant, None)
            elif index or constant is None or constant != documentation:
                yield f"{type(constant).__name__} {constant!r}".encode()

    def _value(self, value: Any, names: tuple[str, ...]) -> bytes:
        """Return what a compiler takes a value for.

        Parameters
        ----------
        value
            Of a name.
        names
            All names of the code that has it: of a module those count that are looked up in it.
        """
        kind = f"{type(value).__module__}.{type(value).__qualname__}"
        if isinstance(value, _PLAIN):
            return f"{kind} {value!r}".encode()
        if isinstance(value, np.ndarray | np.generic):
            return f"{kind} {value.dtype} {value.shape} ".encode() + np.ascontiguousarray(value).tobytes()
        if isinstance(value, tuple | list):
            return b"\0".join([kind.encode(), *(self._value(each, names) for each in value)])
        if isinstance(value, Mapping):
            return b"\0".join([kind.encode(), *(self._value(pair, names) for pair in value.items())])
        if isinstance(value, ModuleType):
            return b"\0".join([value.__name__.encode(), *self._members(value, names)])
        if isinstance(value, FunctionType) or hasattr(value, "py_func"):
            return self.fingerprint(value)
        return f"{kind} {getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}".encode()

    def _members(self, module: ModuleType, names: tuple[str, ...]) -> Iterator[bytes]:
        # Of NumPy and the standard library nothing is replaced, and much would be looked at.
        if module.__name__.partition(".")[0] in ("numpy", "math", "numba", "scipy"):
            return
        for name in names:
            if name in vars(module):
                yield name.encode() + self._value(vars(module)[name], names)


def _names(code: CodeType) -> tuple[str, ...]:
    """Return the names that code looks up, and that functions inside it do."""
    inside = (each for each in code.co_consts if isinstance(each, CodeType))
    return tuple(dict.fromkeys([*code.co_names, *(name for each in inside for name in _names(each))]))
