"""A digest is of the code that runs, whenever sources are edited."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

FUZZER = Path(__file__).parents[1] / "support" / "edited_sources.py"


@pytest.mark.parametrize(("cases", "seed"), [(4, 1), pytest.param(40, 2, marks=pytest.mark.slow)])
def test_no_old_number_stands_under_a_new_digest(tmp_path: Path, cases: int, seed: int) -> None:
    """Edits in place, replaced, behind links, of a package beside, with size and time kept, at any moment."""
    said = subprocess.run(
        [sys.executable, FUZZER, tmp_path, str(cases), str(seed)], capture_output=True, text=True, check=True
    )
    found = json.loads(said.stdout.splitlines()[-1])
    assert found["cases"] == cases
    assert found["digests"] > cases / 3
    assert found["wrong"] == []


def test_an_edited_module_is_not_reloaded(tmp_path: Path) -> None:
    """It would be half old, half new; unedited, it may be."""
    package = tmp_path / "numba2wasm"
    package.mkdir()
    (package / "__init__.py").write_text("a = 1\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "import dpbandits, importlib, numba2wasm\n"
        "importlib.reload(numba2wasm)\n"
        "open(numba2wasm.__file__, 'w').write('a = 2\\n')\n"
        "importlib.reload(numba2wasm)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert said.stderr.splitlines()[-1].endswith("changed since this process began; start it again")


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """Return the folder of a package beside this one."""
    package = tmp_path / "numba2wasm"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "inner.py").write_text("a = 1\n")
    return package


def last_line(package: Path, code: str) -> str:
    """Return the last line that a process says which finds a package beside."""
    code = f"import sys; sys.path.insert(0, {str(package.parent)!r})\nimport dpbandits\n{code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines()[-1]


REMOVED = """
from numba2wasm import inner
open(inner.__file__, "w").write({text!r})
for name in [name for name in sys.modules if name.split(".")[0] in ("dpbandits", "numba2wasm")]:
    del sys.modules[name]
from numba2wasm import inner
from dpbandits.core.imported import source_bytes
finders = [finder for finder in sys.meta_path if hasattr(finder, "of_dpbandits")]
print(inner.a, source_bytes(inner.__file__), len(finders))
"""


@pytest.mark.parametrize(("text", "said"), [("a = 1\n", r"1 b'a = 1\n' 1"), ("a = 2\n", "start it again")])
def test_modules_that_are_removed_and_imported_again(beside: Path, text: str, said: str) -> None:
    """As Spyder does: the same, if nothing was edited; else refused."""
    before = "import dpbandits.core.imported\n"
    assert last_line(beside, before + REMOVED.format(text=text)).endswith(said)


def test_a_slip_that_is_mended_is_refused(beside: Path) -> None:
    """Its first reading may have been digested, so it is not read again."""
    (beside / "inner.py").write_text("a = = 1\n")
    code = (
        "try:\n    import numba2wasm.inner\nexcept SyntaxError:\n"
        f"    open({str(beside / 'inner.py')!r}, 'w').write('a = 1')\nimport numba2wasm.inner\n"
    )
    assert last_line(beside, code).endswith("start it again")


def test_replaced_values_are_named(beside: Path) -> None:
    """But for new names, submodules and what Python itself notes; equal values are others."""
    (beside / "__init__.py").write_text("inner, b, c, d, e = 1, 2, [], 4, 5\n")
    code = (
        "import numba2wasm, numba2wasm.inner\n"
        "numba2wasm.b, numba2wasm.c, numba2wasm.new, numba2wasm.__spec__ = 3, [], 7, None\n"
        "del numba2wasm.d\nfrom dpbandits.core import imported\n"
        "print(imported.replaced(['numba2wasm', 'numba2wasm.inner', 'nothing']))\n"
    )
    assert last_line(beside, code) == str([f"numba2wasm.{name}" for name in "bcd"])
