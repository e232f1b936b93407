"""Wrappers of numba kernels: C functions that take a kernel's arguments field by field, and their LLVM code.

A kernel is a function compiled by `numba.njit`. Once in a process numba decides which processor it compiles for:
run this where the environment has `GENERIC`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
from numba.core.compiler import Compiler

# numba's types say little of what is asked of it here.
_numba: Any = numba
carray, types = _numba.carray, _numba.types

# What numba is told to compile for, by its environment: this processor's vector instructions are not WebAssembly's.
GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}


class NotCompiled(Exception):
    """A kernel (a function compiled by numba) does not compile to WebAssembly; the message says why."""


@dataclass(frozen=True)
class Slot:
    """One number, or one array, that a kernel's wrapper takes for an argument or a field of one.

    Attributes
    ----------
    path
        Place among the kernel's arguments: ``(0, "streams")`` is the field ``streams`` of the first one.
    kind
        ``"int"``, ``"float"`` or ``"bool"``, or the type of an array's elements, such as ``"float64"``.
    dimensions
        Number of an array's dimensions, 0 for a number. An array is handed over as its address and its lengths.
    """

    path: tuple[int | str, ...]
    kind: str
    dimensions: int


@dataclass(frozen=True)
class Entry:
    """A kernel, wrapped as a C function for callers outside Python.

    Attributes
    ----------
    name
        Name under which the function is exported.
    slots
        Arguments of the function, in order.
    result
        Kind of the result: ``"none"``, ``"float"``, ``"int"`` or ``"array"``. An array is written to one more
        array, the last argument.
    code
        Text of the function in LLVM's intermediate language.
    """

    name: str
    slots: tuple[Slot, ...]
    result: str
    code: str

    def data(self) -> dict[str, object]:
        """Return the arguments and the kind of the result as JSON data, which a caller needs.

        For ``f(x: float)`` it is ``{"slots": [[[0], "float", 0]], "result": "float"}``: a slot is path, kind,
        dimensions.
        """
        slots = [[list(slot.path), slot.kind, slot.dimensions] for slot in self.slots]
        return {"slots": slots, "result": self.result}


class _Wrapper:
    """Source text of a wrapper, made argument by argument."""

    def __init__(self) -> None:
        self.names: dict[str, object] = {"carray": carray}
        self.slots: list[Slot] = []
        self.signature: list[Any] = []
        self.parameters: list[str] = []

    def _parameter(self, kind: Any) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters.append(name)
        self.signature.append(kind)
        return name

    def array(self, kind: Any) -> str:
        """Return the text of an array that is handed over."""
        if kind.layout != "C":
            raise NotCompiled(f"an array of layout {kind.layout}")
        pointer = self._parameter(types.CPointer(kind.dtype))
        lengths = ", ".join(self._parameter(types.int64) for _ in range(kind.ndim))
        return f"carray({pointer}, ({lengths},))"

    def argument(self, kind: Any, path: tuple[int | str, ...]) -> str:
        """Return the text of an argument of numba's type ``kind``."""
        if isinstance(kind, types.BaseNamedTuple):
            made = f"c{len(self.names)}"
            self.names[made] = kind.instance_class
            fields = zip(kind.fields, kind.types, strict=True)
            return f"{made}({', '.join(self.argument(each, (*path, field)) for field, each in fields)})"
        if isinstance(kind, types.NoneType):
            return "None"
        if isinstance(kind, types.Array):
            self.slots.append(Slot(path, str(kind.dtype), kind.ndim))
            return self.array(kind)
        if isinstance(kind, types.Boolean):
            self.slots.append(Slot(path, "bool", 0))
            return f"({self._parameter(types.int64)} != 0)"
        for numbers, name, passed in ((types.Integer, "int", types.int64), (types.Float, "float", types.float64)):
            if isinstance(kind, numbers):
                self.slots.append(Slot(path, name, 0))
                return self._parameter(passed)
        raise NotCompiled(f"an argument of type {kind}")


def _result(kind: Any) -> str:
    """Return the name of a result's type, or raise `NotCompiled`."""
    for known, name in (
        (types.NoneType, "none"),
        (types.Array, "array"),
        (types.Float, "float"),
        (types.Integer, "int"),
    ):
        if isinstance(kind, known):
            return name
    raise NotCompiled(f"a result of type {kind}")


def types_of_first_call(kernel: Any, arguments: int | None = None) -> tuple[Any, ...]:
    """Return numba's types of the arguments for which a kernel was compiled first; arrays get the layout "C".

    These are mostly the arguments of its first call, from Python or from another kernel. Omitted arguments have a
    type too.

    Parameters
    ----------
    kernel
        A function compiled by `numba.njit`.
    arguments
        Number of arguments, without omitted ones. If it is given, the first compilation for so many is meant.

    Raises
    ------
    NotCompiled
        If the kernel was compiled for no such arguments.
    """
    for signature in kernel.signatures:
        if arguments in (None, sum(not isinstance(kind, types.Omitted) for kind in signature)):
            return tuple(kind.copy(layout="C") if isinstance(kind, types.Array) else kind for kind in signature)
    raise NotCompiled(f"{kernel.py_func.__qualname__} was never called")


def types_of(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Return numba's type of each of the ``arguments`` of a call."""
    return tuple(map(_numba.typeof, arguments))


def entry(name: str, kernel: Any, signature: Sequence[Any], pipeline_class: Any = Compiler) -> Entry:
    """Wrap a kernel as a C function for callers outside Python.

    Parameters
    ----------
    name
        Name under which the function is exported; a Python identifier.
    kernel
        A function compiled by `numba.njit`.
    signature
        numba's types of the kernel's arguments; omitted ones, at the end, get their defaults.
    pipeline_class
        Class that compiles the wrapper. numba's own, the default, makes machine code too, which nobody runs.

    Raises
    ------
    NotCompiled
        If an argument or the result is of a type that cannot be handed over.
    """
    given = [kind for kind in signature if not isinstance(kind, types.Omitted)]
    wrapper = _Wrapper()
    wrapper.names["kernel"] = kernel
    call = f"kernel({', '.join(wrapper.argument(kind, (i,)) for i, kind in enumerate(given))})"
    returned = _returned(kernel, signature)
    result = _result(returned)
    body = {
        "none": call,
        "array": f"{wrapper.array(returned)}[...] = {call}" if result == "array" else "",
        "float": f"return float({call})",
        "int": f"return int({call})",
    }[result]
    source = f"def {name}({', '.join(wrapper.parameters)}):\n    {body}\n"
    exec(compile(source, f"<{name}>", "exec"), wrapper.names)
    back = {"float": types.float64, "int": types.int64}.get(result, types.void)
    options = {"error_model": "numpy", "pipeline_class": pipeline_class}
    made = _numba.cfunc(back(*wrapper.signature), **options)(wrapper.names[name])
    # The function gets the name that is asked for: numba's own has dots, dollars and types in it.
    code = re.sub(rf'@"?{re.escape(made._wrapper_name)}"?(?=\()', f"@{name}", made._library.get_llvm_str())
    return Entry(name, tuple(wrapper.slots), result, code)


def _returned(kernel: Any, signature: Sequence[Any]) -> Any:
    kernel.compile(tuple(signature))
    return kernel.overloads[tuple(signature)].signature.return_type
