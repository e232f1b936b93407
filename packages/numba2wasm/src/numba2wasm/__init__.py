"""numba functions as one WebAssembly file with a loader. See its README.

Compile in a process whose environment has `GENERIC`; ``python -m numba2wasm MODULE`` starts one.
"""

from pathlib import Path

from numba2wasm.compiler import GENERIC, Entry, NotCompiled, Slot, entry, types_of, types_of_first_call
from numba2wasm.linker import assemble, has_linker, link

__all__ = [
    "GENERIC",
    "Entry",
    "NotCompiled",
    "Slot",
    "assemble",
    "entry",
    "has_linker",
    "link",
    "loader",
    "types_of_first_call",
]
__all__ += ["types_of"]


def loader() -> str:
    """Return the loader: JavaScript that loads the WebAssembly file, fills arrays in its memory, and calls it."""
    return (Path(__file__).parent / "templates" / "loader.js").read_text(encoding="utf-8")
