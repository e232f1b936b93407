"""``python -m numba2wasm MODULE FOLDER``: compile a module's functions, and compare them with native ones."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from numba2wasm.compare import CannotRun, compare
from numba2wasm.linker import has_linker


def main() -> int:
    """Compile a module's functions to WebAssembly, and compare them with native calls; arguments are the process's.

    Returns 0 if all functions give the same bytes, else 1. The process ends with a message if there is no linker,
    or neither browser nor Node.
    """
    parser = argparse.ArgumentParser(prog="python -m numba2wasm", description=__doc__)
    parser.add_argument("module", help='has FUNCTIONS = {"name": (function, arguments)}')
    parser.add_argument("folder", type=Path, help="gets kernels.wasm, kernels.json, loader.js and compare.html")
    arguments = parser.parse_args()
    sys.path.insert(0, "")
    if not has_linker():
        sys.exit("numba2wasm needs a linker: pip install ziglang==0.14.1")
    try:
        runner, same = compare(arguments.module, arguments.folder)
    except CannotRun as fault:
        sys.exit(str(fault))
    for name, equal in same.items():
        print(f"{name}: {'same bytes' if equal else 'DIFFERENT, or not compiled'} in {runner}")
    return 0 if all(same.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
