"""State of the process in which a job begins: no import in a server may change it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

# Variables that joblib and scikit-learn set when they are imported, for Intel's OpenMP alone.
_HARMLESS = ("KMP_INIT_AT_FORK", "KMP_DUPLICATE_LIB_OK")


def attribute_or_none(module: object, name: str) -> object:
    """Return an attribute of a module; ``None`` if it has none, or if asking for it raises an error."""
    try:
        return getattr(module, name, None)
    except Exception:
        return None


def inherited_state(path_entries: int) -> dict[str, object]:
    """Return the state of this process that a forked job inherits, by descriptions such as "its environment".

    It has the working directory, the environment (without two variables of OpenMP), the mask of new files, what
    signals do, and the first ``path_entries`` folders of ``sys.path``, in which modules are found.
    """
    # The mask can only be read by setting another one.
    os.umask(mask := os.umask(0o77))
    try:
        folder = os.getcwd()  # noqa: PTH109 - an error is a name here.
    except OSError as error:
        folder = str(error)
    return {
        "its working directory": folder,
        "its environment": {name: value for name, value in os.environ.items() if name not in _HARMLESS},
        "its mask of new files": mask,
        # What is appended later, as by Snakemake when it is imported, takes no module's place.
        "where modules are found": sys.path[:path_entries],
        "what it does with signals": [signal.getsignal(number) for number in sorted(signal.valid_signals())],
    }


def thread_count() -> int:
    """Return how many threads this process has: on Linux all of them, elsewhere those that Python knows of."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.is_dir() else threading.active_count()


def kilobytes(peak: int) -> int:
    """Return in kilobytes the peak memory that `os.wait4` gave: in bytes on macOS, in kilobytes elsewhere."""
    return peak // 1024 if sys.platform == "darwin" else peak
