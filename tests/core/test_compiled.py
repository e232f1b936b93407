"""Kernels are compiled once, by one of the processes that want them, and handed down to those that start warm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PERMUTE = """
import numpy as np
from dpbandits.core import compiled, streams

def call():
    order = np.empty(5, dtype=np.int64)
    streams.permute(streams.streams(1, "a run", np.arange(1))[0], order)
    return order.tolist()
"""


def started(cache: Path, then: str) -> subprocess.Popen[str]:
    """Start a process that has its compiled code in ``cache``."""
    return subprocess.Popen(
        [sys.executable, "-c", PERMUTE + then],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_one_of_several_processes_compiles(tmp_path: Path) -> None:
    """It says so, the others wait, and all have the same; later ones say nothing."""
    said = [process.communicate(timeout=200) for process in [started(tmp_path, "print(call())") for _ in range(3)]]
    assert len({out for out, _ in said}) == 1
    assert sorted(err for _, err in said) == ["", "", "dpbandits.core.streams: compiling, once for these sources\n"]
    assert started(tmp_path, "print(call())").communicate(timeout=200) == (said[0][0], "")


def test_a_failed_compilation_lets_others_try(tmp_path: Path) -> None:
    """The lock is not kept by whoever found that a call makes no sense."""
    wrong = "\ntry:\n    streams.permute('no state', 'no order')\nexcept Exception:\n    print('refused')\n"
    process = started(tmp_path, f"{wrong}print(call(), flush=True)\ninput()")
    assert process.stdout is not None
    assert process.stdout.readline() == "refused\n"
    assert process.stdout.readline()
    second = started(tmp_path, f"{wrong}print(call())")
    assert second.communicate(timeout=200)[0].startswith("refused")
    process.kill()
    process.communicate()


def test_what_was_called_is_handed_down(tmp_path: Path) -> None:
    """With the seconds that it took if it was compiled; a process that preloaded has nothing to tell itself."""
    preloads, said = started(tmp_path, "call(); call(); print(*compiled.preloads())").communicate(timeout=200)
    assert "compiling" in said
    assert len(preloads.split()) == 1
    preloaded = (
        f"compiled.preload({preloads.strip()!r}); print(streams.permute.signatures, call(), compiled.preloads())"
    )
    out, said = started(tmp_path, preloaded).communicate(timeout=200)
    assert out.startswith("[(Array")
    assert out.rstrip().endswith("[]")
    assert "compiled in" in said
