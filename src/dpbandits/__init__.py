"""dpbandits: a replication of four papers on differentially private online decisions.

The package is the *how* of the pipeline; ``config/`` says *what* is run and the ``Snakefile`` *in
which order*. Importing it loads nothing heavy: every command imports what it needs, and so do the
functions for notebooks, which are those of `dpbandits.api`.
"""

_NOTEBOOK = ("load", "lower_bound", "results", "simulate")
_POLICIES = {"policy": "policy", "load_policy": "load"}


def __getattr__(name: str) -> object:
    """Return a function for notebooks, imported when it is first asked for."""
    # Not by statements: what a simulation imports would then have pandas among it.
    import importlib

    if name == "__version__":
        return importlib.import_module("dpbandits.core.provenance").package_version()
    if name == "audit":
        return importlib.import_module("dpbandits.audit")
    if name in _POLICIES:
        return getattr(importlib.import_module("dpbandits.policies"), _POLICIES[name])
    if name not in _NOTEBOOK:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("dpbandits.api"), name)


def __dir__() -> list[str]:
    """Name what is there, functions for notebooks included."""
    return sorted({*globals(), *_NOTEBOOK, *_POLICIES, "__version__", "audit"})
