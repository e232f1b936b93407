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
