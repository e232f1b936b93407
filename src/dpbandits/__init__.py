"""dpbandits: a replication of four papers on differentially private online decisions.

The package does the work of the pipeline: ``config/`` says what is run, and the ``Snakefile`` in which order. The
import of the package loads nothing heavy. Every command imports the modules that it needs, and so do the functions
for notebooks, which are those of `dpbandits.api`.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - a clone's sources run without being installed.
    sys.exit("dpbandits needs Python 3.11 or later; this is %d.%d" % sys.version_info[:2])  # noqa: UP031

# It notes the sources of all that is imported after it.
from dpbandits.core import imported as _imported  # noqa: F401

# Where each function is: policies are NumPy alone, and `dpbandits.api` imports pandas.
_FACE = {name: ("dpbandits.api", name) for name in ("load", "lower_bound", "results", "simulate")}
_FACE |= {"grid": ("dpbandits.notebook.grid", "grid"), "cache": ("dpbandits.notebook.cells", "")}
_FACE |= {name: ("dpbandits.notebook.compare", name) for name in ("compared", "lottery")}
_FACE |= {name: (f"dpbandits.notebook.{name}", name) for name in ("published", "rewards")}
_FACE |= {"algorithms": ("dpbandits.notebook.catalogue", "algorithms")}
_FACE |= {"BanditEstimator": ("dpbandits.notebook.estimator", "BanditEstimator")}
_FACE |= {"audit": ("dpbandits.auditing.audit", "audit")}
_FACE |= {"algorithm": ("dpbandits.notebook.described", "algorithm")}
_FACE |= {"policy": ("dpbandits.policies", "policy"), "load_policy": ("dpbandits.policies", "load")}


def __getattr__(name: str) -> object:
    """Return a function for notebooks, imported when it is first asked for."""
    # Not by statements: what a simulation imports would then have pandas among it.
    import importlib

    if name == "__version__":
        return importlib.import_module("dpbandits.core.provenance").package_version()
    if name not in _FACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, function = _FACE[name]
    found = importlib.import_module(module)
    return getattr(found, function) if function else found


def __dir__() -> list[str]:
    """Name what is there, functions for notebooks included."""
    return sorted({*globals(), *_FACE, "__version__"})
