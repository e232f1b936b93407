"""Write the reference of the public names: python tools/api_docs.py [FOLDER]

The pages are made of docstrings by pdoc (pip install '.[docs]'), one a module, into docs/api by default. They are
not committed: they say nothing that the sources do not.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from dpbandits.core.compiled import Kernel

SETTINGS = ("adversarial", "experts", "full_information", "linear", "stochastic")
# Whatever is public is in ``__all__`` of one of these.
MODULES = (
    "dpbandits.api",
    "dpbandits.authoring",
    *(f"dpbandits.settings.{setting}.authoring" for setting in SETTINGS),
    "dpbandits.policies",
    "noisetap",
    "prefork",
    "numba2wasm",
)


def public() -> dict[str, dict[str, object]]:
    """Return the public names of each of `MODULES`, kernels as the functions that they compile."""
    found: dict[str, dict[str, object]] = {}
    for name in MODULES:
        module = importlib.import_module(name)
        values = {public: getattr(module, public) for public in module.__all__}
        found[name] = {
            public: value.function if isinstance(value, Kernel) else value for public, value in values.items()
        }
    return found


def write(folder: Path) -> None:
    """Write a page for each of `MODULES`, and an index, into a folder."""
    import pdoc

    for name, values in public().items():
        vars(sys.modules[name]).update(values)
    pdoc.render.configure(docformat="numpy")
    pdoc.pdoc(*MODULES, output_directory=folder)


if __name__ == "__main__":
    write(Path(*sys.argv[1:2] or ["docs/api"]))
