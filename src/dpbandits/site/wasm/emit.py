"""Compiled kernels as WebAssembly: the one place that knows numba's and LLVM's insides.

A kernel is wrapped in a C function that takes its arguments field by field, as numbers and as pointers to arrays.
numba makes LLVM's intermediate language of it, optimised, for a processor that nothing is asked of; LLVM, inside
llvmlite, makes an object file for 64-bit WebAssembly of that. Zig's package on PyPI has what is missing: a linker,
and musl's mathematical functions, so that nothing is left to a browser's. `runtime.zig` is what numba's code wants
of the process around it.

This runs in a process of its own (see `dpbandits.site.wasm.kernels`): numba is asked once in a process which
processor it compiles for.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba

# numba's types say little of what is asked of it here.
_numba: Any = numba
carray, types = _numba.carray, _numba.types

# What numba is told to compile for, by its environment: this processor's vector instructions are not WebAssembly's.
GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
TRIPLE = "wasm64-unknown-unknown"
FEATURES = "+bulk-memory,+sign-ext,+nontrapping-fptoint,+simd128,+mutable-globals"
# Of musl, as Zig's package has it; what these call is found beside them.
MATHEMATICS = (
    *("log", "log_data", "exp", "exp2", "exp_data", "pow", "pow_data", "log1p", "expm1", "cbrt", "log10"),
    *("lgamma", "lgamma_r", "cos", "sin", "__cos", "__sin", "__rem_pio2", "__rem_pio2_large"),
    *("__math_divzero", "__math_invalid", "__math_oflow", "__math_uflow", "__math_xflow", "scalbn", "signgam"),
)
# Offered to the page beside the kernels: with a browser's own functions a constant could differ in its last bit.
OFFERED = (
    *("log", "exp", "pow", "log1p", "expm1", "cbrt", "log10"),
    *("take", "give", "start_streams", "sha256"),
)
RUNTIME = Path(__file__).parent / "templates" / "runtime.zig"
# Of WebAssembly's stack: kernels keep arrays elsewhere.
STACK = 1 << 20


class NotCompiled(Exception):
    """A kernel cannot be had as WebAssembly; says why."""


@dataclass(frozen=True)
class Slot:
    """One number, or one array, of an entry's arguments.

    Attributes
    ----------
    path
        Where it is among the kernel's arguments, such as ``(0, "streams")``.
    kind
        ``"int"``, ``"float"`` or ``"bool"``, or the type of an array's elements, such as ``"float64"``.
    dimensions
        0 for a number; an array is handed over as its address and its lengths.
    """

    path: tuple[int | str, ...]
    kind: str
    dimensions: int


@dataclass(frozen=True)
class Entry:
    """A kernel, wrapped for callers from outside.

    Attributes
    ----------
    name
        What it is exported as.
    slots
        Its arguments, in order.
    result
        ``"none"``, ``"float"``, ``"int"``, or ``"array"``: written to one more array, the last argument.
    code
        LLVM's intermediate language.
    """

    name: str
    slots: tuple[Slot, ...]
    result: str
    code: str

    def data(self) -> dict[str, Any]:
        """Return what a caller has to know."""
        slots = [[list(slot.path), slot.kind, slot.dimensions] for slot in self.slots]
        return {"slots": slots, "result": self.result}


class _Wrapper:
    """Source text of a wrapper, made argument by argument."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"carray": carray}
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
    for known, name in (
        (types.NoneType, "none"),
        (types.Array, "array"),
        (types.Float, "float"),
        (types.Integer, "int"),
    ):
        if isinstance(kind, known):
            return name
    raise NotCompiled(f"a result of type {kind}")


def called(kernel: Any, arguments: int | None = None) -> tuple[Any, ...]:
    """Return the types with which a kernel was first called from Python, its arrays in the order of C.

    Parameters
    ----------
    kernel
        Made by `dpbandits.core.compiled.kernel`.
    arguments
        How many arguments were given; ``None`` if any number will do.
    """
    for signature in kernel.signatures:
        if arguments in (None, sum(not isinstance(kind, types.Omitted) for kind in signature)):
            return tuple(kind.copy(layout="C") if isinstance(kind, types.Array) else kind for kind in signature)
    raise NotCompiled(f"{kernel.py_func.__qualname__} was never called")


def types_of(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Return numba's types of arguments."""
    return tuple(map(_numba.typeof, arguments))


def entry(name: str, kernel: Any, signature: Sequence[Any]) -> Entry:
    """Return a kernel for callers from outside.

    Parameters
    ----------
    name
        What it is to be exported as.
    kernel
        Made by `dpbandits.core.compiled.kernel` or `inner`.
    signature
        numba's types of its arguments; those that are omitted, at the end, get their defaults.

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
    made = _numba.cfunc(back(*wrapper.signature), error_model="numpy")(wrapper.names[name])
    # numba's own name has dots, dollars and the types in it.
    code = re.sub(rf'@"?{re.escape(made._wrapper_name)}"?(?=\()', f"@{name}", made._library.get_llvm_str())
    return Entry(name, tuple(wrapper.slots), result, code)


def _returned(kernel: Any, signature: Sequence[Any]) -> Any:
    kernel.compile(tuple(signature))
    return kernel.overloads[tuple(signature)].signature.return_type


def _machine() -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(opt=3, reloc="static", codemodel="default", features=FEATURES)


def _trap(declared: re.Match[str]) -> str:
    return f"define internal {declared[1]} {{\n  call void @llvm.trap()\n  unreachable\n}}"


def _object(machine: Any, code: str) -> bytes:
    """Return intermediate language, made for this processor, as an object file for WebAssembly."""
    code = re.sub(r'target datalayout = ".*"', f'target datalayout = "{machine.target_data}"', code)
    code = re.sub(r'target triple = ".*"', f'target triple = "{TRIPLE}"', code)
    code = re.sub(r'"target-(cpu|features)"="[^"]*"', "", code)
    # How numba gives an array back, on x86; `runtime.zig` has it.
    code = code.replace("@llvm.x86.atomic.sub.cc.i64", "@x86_sub_cc")
    code = re.sub(r"(declare i8 @x86_sub_cc\(ptr, i64, i32) immarg", r"\1", code)
    # Instructions of WebAssembly, some of which are called both ways.
    for name in ("sqrt", "floor", "ceil", "fabs"):
        if f"declare double @llvm.{name}.f64(" in code:
            code = re.sub(rf"^declare double @{name}\(.*$", "", code, flags=re.MULTILINE)
        code = code.replace(f"@{name}(", f"@llvm.{name}.f64(")
    # Its name has a number that depends on what else this process has compiled.
    code = re.sub(r'\[\d+ x i8\] c"missing Environment: [^"]*"', r'[20 x i8] c"missing Environment\\00"', code)
    # Every module has its own; only the process around numba's code would share them.
    code = re.sub(r"= common ", "= internal ", code)
    # Where Python would raise an exception a kernel ends: its caller is told of a trap.
    code = re.sub(r"^declare (.*@(?:Py|_Py|numba_(?!attempt))\w+\(.*)$", _trap, code, flags=re.MULTILINE)
    code = re.sub(
        r"^(@PyExc_\w+ =) external (?:\w+ )*global i8", r"\1 internal global i8 0", code, flags=re.MULTILINE
    )
    module = llvm.parse_assembly(code)
    module.verify()
    left = sorted(set(re.findall(r"@(llvm\.(?:x86|aarch64)[\w.]*)", code)))
    if left:
        raise NotCompiled(f"instructions of this processor: {', '.join(left)}")
    return bytes(machine.emit_object(module))


def linker() -> bool:
    """Say whether Zig's package is installed: the extra ``site``."""
    return importlib.util.find_spec("ziglang") is not None


def _zig_folder() -> Path:
    found = importlib.util.find_spec("ziglang")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent


def _link(folder: Path, objects: Sequence[Path], exported: Sequence[str]) -> bytes:
    """Return one WebAssembly file of objects, `runtime.zig` and musl's functions."""
    zig, made = _zig_folder(), folder / "kernels.wasm"
    musl, headers = zig / "lib" / "libc" / "musl", zig / "lib" / "libc" / "include"
    # 64-bit WebAssembly has the sizes of types of x86-64, but for long doubles, which are not used.
    includes = [
        *(musl / "src" / "include", musl / "src" / "internal", musl / "arch" / "generic"),
        *(headers / "generic-musl", headers / "x86_64-linux-musl"),
    ]
    command = [
        *(sys.executable, "-m", "ziglang", "build-exe", str(RUNTIME), *map(str, objects)),
        *("-cflags", "-O2", "-std=c99", "-ffp-contract=off", "-fbuiltin", "-w", "-D_XOPEN_SOURCE=700", "-nostdinc"),
        *(flag for include in includes for flag in ("-isystem", str(include))),
        *("--", *(str(musl / "src" / "math" / f"{name}.c") for name in MATHEMATICS)),
        *("-target", "wasm64-freestanding", "-mcpu=generic+bulk_memory+sign_ext+nontrapping_fptoint+simd128"),
        *("-O", "ReleaseFast", "-fno-entry", "-fno-compiler-rt", "-fstrip", "--gc-sections"),
        *("--stack", str(STACK), "--initial-memory=4194304", "--max-memory=17179869184"),
        *(f"--export={each}" for each in exported),
        *("--cache-dir", str(folder / "cache"), "--global-cache-dir", str(folder / "cache")),
        f"-femit-bin={made}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotCompiled(f"zig: {done.stderr.strip()[-3000:]}")
    return made.read_bytes()


def link(entries: Sequence[Entry]) -> tuple[bytes, Mapping[str, str]]:
    """Return one WebAssembly file with all entries that can be had, and why others cannot, by their names."""
    machine = _machine()
    refused: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        objects = []
        for each in entries:
            try:
                content = _object(machine, each.code)
            except (NotCompiled, RuntimeError) as error:
                refused[each.name] = str(error).splitlines()[0]
                continue
            place = folder / f"{each.name}.o"
            place.write_bytes(content)
            objects.append(place)
        names = [each.name for each in entries if each.name not in refused]
        return _link(folder, objects, [*names, *OFFERED]), refused
