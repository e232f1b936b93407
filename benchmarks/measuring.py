"""What a command costs: its time on the clock, and the processor time of it and all its descendants."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

Cost = dict[str, float]


def measured(command: Sequence[str | Path], folder: Path, environment: Mapping[str, str]) -> tuple[str, Cost]:
    """Run a command in a folder; return what it said, and its cost: seconds, and megabytes of its own process.

    Raises
    ------
    SystemExit
        With what it said last, if it fails.
    """
    began = time.monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        said.seek(0)
        text = said.read()
    if status:
        raise SystemExit(f"{command}: {text[-3000:]}")
    return text, {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "megabytes": round(usage.ru_maxrss / 1024),
    }


def from_source(root: Path, compiled: Path, python: Path) -> dict[str, str]:
    """Return an environment in which a checkout's own package is run, and nothing is compiled but in a folder."""
    return {
        **os.environ,
        "PATH": f"{python.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(root / "src"),
        "NUMBA_CACHE_DIR": str(compiled),
    }
