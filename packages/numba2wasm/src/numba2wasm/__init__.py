"""numba functions as one WebAssembly file with a loader. See its README.

Compile in a process whose environment has `GENERIC`; ``python -m numba2wasm MODULE`` starts one.
"""

from pathlib import Path

from numba2wasm.compiler import GENERIC, Entry, NotCompiled, Slot, called, entry, types_of
from numba2wasm.linker import assemble, link, linker

__all__ = ["GENERIC", "Entry", "NotCompiled", "Slot", "assemble", "called", "entry", "link", "linker", "loader"]
__all__ += ["types_of"]


def loader() -> str:
    """Return the loader: JavaScript that loads the file, holds arrays in its memory and calls its functions."""
    return (Path(__file__).parent / "templates" / "loader.js").read_text(encoding="utf-8")
