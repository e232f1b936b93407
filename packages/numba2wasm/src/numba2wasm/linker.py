"""One WebAssembly file of LLVM code: objects by llvmlite, linked by Zig's package with a runtime and musl.

The file imports nothing: a browser's own logarithm could differ in its last bit.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from numba2wasm.compiler import Entry, NotCompiled

TRIPLE = "wasm64-unknown-unknown"
FEATURES = "+bulk-memory,+sign-ext,+nontrapping-fptoint,+simd128,+mutable-globals"
# Files of musl, as Zig's package has it; what these call is found beside them.
MATHEMATICS = (
    *("log", "log_data", "exp", "exp2", "exp_data", "pow", "pow_data", "log1p", "expm1", "cbrt", "log10"),
    *("lgamma", "lgamma_r", "cos", "sin", "__cos", "__sin", "__rem_pio2", "__rem_pio2_large"),
    *("__math_divzero", "__math_invalid", "__math_oflow", "__math_uflow", "__math_xflow", "scalbn", "signgam"),
)
# Exported beside the kernels.
EXPORTED = ("take", "give", "sha256")
RUNTIME = Path(__file__).parent / "templates" / "runtime.zig"
# Bytes of WebAssembly's stack: kernels keep arrays elsewhere.
STACK = 1 << 20


def _machine() -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(opt=3, reloc="static", codemodel="default", features=FEATURES)


def _trap(declared: re.Match[str]) -> str:
    return f"define internal {declared[1]} {{\n  call void @llvm.trap()\n  unreachable\n}}"


def assemble(entry: Entry) -> bytes:
    """Compile an entry, and return its object file for WebAssembly, which `link` takes in any process.

    Raises
    ------
    NotCompiled
        If the entry does not compile.
    """
    try:
        return _object(_machine(), entry.code)
    except RuntimeError as error:
        raise NotCompiled(str(error).splitlines()[0]) from None


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
    _optimise(machine, module)
    return bytes(machine.emit_object(module))


def _optimise(machine: Any, module: Any) -> None:
    """Optimise for WebAssembly's own vectors; what this processor has instead does not matter."""
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization, options.slp_vectorization = True, False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def has_linker() -> bool:
    """Return whether the linker, Zig's package, is installed: ``pip install ziglang==0.14.1``."""
    return importlib.util.find_spec("ziglang") is not None


def _zig_folder() -> Path:
    found = importlib.util.find_spec("ziglang")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent


def _link(folder: Path, objects: Sequence[Path], exported: Sequence[str], sources: Sequence[Path]) -> bytes:
    """Return one WebAssembly file of objects, Zig sources and musl's functions.

    Parameters
    ----------
    folder
        Where files are written.
    objects, sources
        Object files, and Zig sources.
    exported
        Names of the functions that callers see.
    """
    zig, made, root = _zig_folder(), folder / "kernels.wasm", folder / "root.zig"
    # Zig takes one root; a file that it imports has to lie beside or below it.
    for source in sources:
        shutil.copyfile(source, folder / source.name)
    imports = "".join(f'    _ = @import("{source.name}");\n' for source in sources)
    root.write_text(f"comptime {{\n{imports}}}\n", encoding="utf-8")
    musl, headers = zig / "lib" / "libc" / "musl", zig / "lib" / "libc" / "include"
    # 64-bit WebAssembly has the sizes of types of x86-64, but for long doubles, which are not used.
    includes = [
        *(musl / "src" / "include", musl / "src" / "internal", musl / "arch" / "generic"),
        *(headers / "generic-musl", headers / "x86_64-linux-musl"),
    ]
    command = [
        *(sys.executable, "-m", "ziglang", "build-exe", str(root), *map(str, objects)),
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


def link(objects: Mapping[str, bytes], sources: Sequence[Path] = (), exports: Sequence[str] = ()) -> bytes:
    """Link object files into one WebAssembly file, and return its bytes.

    It also exports the runtime's ``take`` and ``give``, for memory, and ``sha256``.

    Parameters
    ----------
    objects
        Object files that `assemble` returned, by the names of their entries, which are exported.
    sources, exports
        Paths of further files in Zig, and names of their functions that are exported too.

    Raises
    ------
    NotCompiled
        If the linker fails; the message has the end of the linker's own.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [folder / f"{each}.o" for each in objects]
        for file, content in zip(files, objects.values(), strict=True):
            file.write_bytes(content)
        return _link(folder, files, [*objects, *EXPORTED, *exports], [RUNTIME, *sources])
