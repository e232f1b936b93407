"""numba functions as WebAssembly: the same bytes in Node, a file that needs nothing, and clear refusals."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

import numba2wasm
from numba2wasm import compare

WITH_LINKER = pytest.mark.skipif(not numba2wasm.has_linker(), reason="ziglang is not installed")
MODULE = """
import math
from typing import NamedTuple

import numba
import numpy as np


class Walk(NamedTuple):
    steps: np.ndarray
    drift: float


@numba.njit(error_model="numpy")
def logistic(x, y):
    return math.log(1.0 + math.exp(x)) ** y


@numba.njit(error_model="numpy")
def walk(walk, start):
    for i in range(walk.steps.size):
        start += walk.drift + math.sin(start)
        walk.steps[i] = start


FUNCTIONS = {
    "logistic": (logistic, (0.3, 1.7)),
    "walk": (walk, (Walk(np.zeros(100), 0.1), 2.0)),
}
"""
# What makes arrays, and NumPy's own code, take longer to compile than all of the above.
DEAR = """
X = np.random.default_rng(1).random(50)


@numba.njit(error_model="numpy")
def table(x, n):
    found = np.empty((x.size, n))
    for i in range(x.size):
        for j in range(n):
            found[i, j] = x[i] * j
    return found


@numba.njit
def count(x):
    return (x > 0.5).sum()


@numba.njit(error_model="numpy")
def outer(x, n):
    return np.outer(x, np.arange(n).astype(np.float64))


FUNCTIONS |= {"table": (table, (X, 7)), "count": (count, (X,)), "outer": (outer, (X, 7))}
"""


def run(folder: Path, module: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder that has the module."""
    (folder / "mine.py").write_text(module, encoding="utf-8")
    command = [sys.executable, "-m", "numba2wasm", "mine", "out"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def can_run() -> bool:
    """Say whether something here runs 64-bit WebAssembly: a Chromium, or Node from 24."""
    if any(map(shutil.which, ("chromium", "google-chrome", "chrome"))):
        return True
    node = shutil.which("node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True) if node else None
    return version is not None and int(version.stdout[1:].split(".")[0]) >= 24


@WITH_LINKER
@pytest.mark.skipif(not can_run(), reason="neither Chromium nor Node 24 is installed")
@pytest.mark.parametrize("dear", ["", pytest.param(DEAR, marks=pytest.mark.slow)], ids=["loops", "NumPy"])
def test_functions_return_the_native_bytes(dear: str, tmp_path: Path) -> None:
    """Numbers, arrays in named tuples that are written to, and in the slow tier arrays that are returned."""
    done = run(tmp_path, MODULE + dear)
    assert done.returncode == 0, done.stdout + done.stderr
    said = [line.split(" in ")[0] for line in done.stdout.splitlines()]
    names = ["logistic", "walk", *["table", "count", "outer"] * bool(dear)]
    assert said == [f"{name}: same bytes" for name in names]
    # Another argument: the comparison can fail.
    out = tmp_path / "out"
    for name in ("compare.html", "kernels.json"):
        text = (out / name).read_text("utf-8")
        assert "[0.3, 1.7]" in text
        (out / name).write_text(text.replace("[0.3, 1.7]", "[0.31, 1.7]"), "utf-8")
    packed = (out / "compare.html").read_text("utf-8").partition("const packed = ")[2]
    expected = json.loads(packed.partition("; show(packed)")[0])["native"]
    _, found = compare.run_as_wasm(out)
    assert [name for name in expected if expected[name] != found[name]] == ["logistic"]


# In a process of its own: the kernels of this one are compiled for this processor.
ONE_FUNCTION = """
import sys
from pathlib import Path
import numba, numba2wasm
half = numba.njit(lambda x, y: x / 2.0 + y)
entry = numba2wasm.entry("half", half, numba2wasm.types_of((1.0, 2.0)))
module = numba2wasm.link({"half": numba2wasm.assemble(entry)})
assert entry.data() == {"slots": [[[0], "float", 0], [[1], "float", 0]], "result": "float"}
Path(sys.argv[1]).write_bytes(module)
"""


@pytest.mark.slow
@WITH_LINKER
def test_a_file_needs_nothing(tmp_path: Path) -> None:
    """A valid file, of 64-bit memory, which imports nothing and exports the function."""
    made = tmp_path / "half.wasm"
    subprocess.run([sys.executable, "-c", ONE_FUNCTION, str(made)], env=os.environ | numba2wasm.GENERIC, check=True)
    sections = sections_of(made.read_bytes())
    assert 2 not in sections, "it imports something"
    for name in (b"half", b"take", b"sha256"):
        assert bytes([len(name)]) + name in sections[7]
    # Flags of the only memory: it has a largest size, and is addressed by 64 bits.
    assert sections[5][:2] == bytes([1, 5])


def sections_of(module: bytes) -> dict[int, bytes]:
    """Return the sections of a WebAssembly file, by number."""
    assert module[:8] == b"\0asm\1\0\0\0"
    found, at = {}, 8
    while at < len(module):
        number, at, size, shift = module[at], at + 1, 0, 0
        while True:
            byte = module[at]
            size, shift, at = size | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                break
        found[number] = module[at : at + size]
        at += size
    return found


def test_types_that_cannot_be_handed_over_are_refused() -> None:
    """Before anything is compiled."""

    def first(given: Any) -> Any:
        return given[0]

    kernel = numba.njit(first)
    with pytest.raises(numba2wasm.NotCompiled, match="an argument of type"):
        numba2wasm.entry("first", kernel, (numba.typeof("text"),))
    with pytest.raises(numba2wasm.NotCompiled, match="was never called"):
        numba2wasm.types_of_first_call(kernel)
