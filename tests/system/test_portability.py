"""Golden arrays have their bytes whatever the processor offers and whichever variants libraries choose."""

from __future__ import annotations

import os
import subprocess
import sys

import llvmlite.binding as llvm
import pytest

# Libraries believe to be on a processor without these; names that a version of glibc does not know it ignores.
OLD_LIBC = "glibc.cpu.hwcaps=" + ",".join(
    f"-{name}{suffix}" for name in ("FMA", "FMA4", "AVX2", "AVX512F") for suffix in ("", "_Usable")
)
OLD_NUMPY = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
WORST = {
    "GLIBC_TUNABLES": OLD_LIBC,
    "NPY_DISABLE_CPU_FEATURES": OLD_NUMPY,
    "OPENBLAS_CORETYPE": "Prescott",
    "OPENBLAS_NUM_THREADS": "2",
}
GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
VARIANTS: dict[str, dict[str, str]] = {
    "glibc": {"GLIBC_TUNABLES": OLD_LIBC},
    "glibc without FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4"},
    "NumPy without AVX-512": {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"},
    "NumPy's baseline": {"NPY_DISABLE_CPU_FEATURES": OLD_NUMPY},
    **{f"OpenBLAS for {core}": {"OPENBLAS_CORETYPE": core} for core in ("Haswell", "Zen", "Prescott", "SkylakeX")},
    **{f"{n} threads": {"OPENBLAS_NUM_THREADS": n, "OMP_NUM_THREADS": n} for n in ("1", "2", "8")},
    "numba for any processor": GENERIC,
    "the worst": WORST,
    "all at once": WORST | GENERIC,
}
GOLDEN = """\
from dpbandits.runs import golden
for cell in golden.changed(golden.known()):
    print(cell.label)
"""
QUICK_GOLDEN = GOLDEN.replace("golden.known()", "golden.known()[: golden.QUICK]")
# What libraries choose variants of: if it is the same in two processes, there is nothing to test.
LIBRARIES = """\
import hashlib, math, random
import numpy as np
random.seed(1)
numbers = [random.random() for _ in range(100000)]
libm = np.array([(math.log(x), math.exp(x), x**0.3) for x in numbers])
print(hashlib.md5(libm.tobytes() + np.exp(numbers).tobytes()).hexdigest())
"""


def _said(program: str, variant: dict[str, str]) -> list[str]:
    """Return the lines that a program prints in an environment."""
    # A processor without a feature has it disabled already, of which NumPy warns.
    command = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(command, env=os.environ | variant, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.slow
def test_worst_variant() -> None:
    """Libraries for the oldest processor, with two threads; all golden arrays are slow."""
    assert _said(QUICK_GOLDEN, WORST) == []


def test_variants_are_variants() -> None:
    """The control: logarithms and exponentials of libraries do differ, if this processor has what is disabled."""
    if not llvm.get_host_cpu_features()["fma"]:
        pytest.skip("this processor has no FMA")
    assert _said(LIBRARIES, WORST) != _said(LIBRARIES, {})


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_variants(name: str) -> None:
    """Each variant by itself, and all together."""
    assert _said(GOLDEN, VARIANTS[name]) == []
