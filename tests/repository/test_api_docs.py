"""The reference of public names: each has a docstring that names all of its parameters, and a page."""

from __future__ import annotations

import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dpbandits import authoring

TOOL = Path(__file__).parents[2] / "tools" / "api_docs.py"
_spec = importlib.util.spec_from_file_location("api_docs", TOOL)
assert _spec is not None and _spec.loader is not None
api_docs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(api_docs)

# A setting offers again what is common.
SEEN = {
    id(value): (module, name, value) for module, names in api_docs.public().items() for name, value in names.items()
}
PUBLIC = {f"{module}.{name}": value for module, name, value in SEEN.values()}
# Parameters that mean the same everywhere are explained once; a name that begins with _ is of no use to a function.
COMMON = set(re.findall(r"^- ``(\w+)``", authoring.__doc__ or "", re.MULTILINE)) | {"run"}


def faults(value: object) -> list[str]:
    """Return what a docstring lacks."""
    if not (inspect.isfunction(value) or inspect.isclass(value)):
        # A constant is explained where its module is.
        return []
    text = inspect.getdoc(value) or ""
    if not text or text.startswith(f"{value.__name__}("):
        return ["no docstring"]
    if inspect.isclass(value) and issubclass(value, BaseException):
        return []
    named = {*re.findall(r"\w+", text), *COMMON}
    own = inspect.signature(value).parameters.values()
    fixed = [one.name for one in own if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    missing = [name for name in fixed if name not in named and not name.startswith("_")]
    arrays = [one.name for one in own if re.search(r"NDArray|Floats|Counts", str(one.annotation))]
    return missing + [f"shape of {name}" for name in arrays if "shape" not in text and name not in COMMON]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_documented(name: str) -> None:
    """Its docstring names every parameter, with shapes, units and errors where they are no matter of course."""
    assert not faults(PUBLIC[name])


@pytest.mark.parametrize("name", PUBLIC)
def test_errors_that_are_raised_are_documented(name: str) -> None:
    """A public function that raises an error of ours says so."""
    value = PUBLIC[name]
    if inspect.isfunction(value):
        raised = set(
            re.findall(r"\braise (BadInput|MissingExtra|MissingFile|DamagedFile)\(", inspect.getsource(value))
        )
        assert raised <= set(re.findall(r"\w+", inspect.getdoc(value) or ""))


def test_what_is_missing_is_seen() -> None:
    """Neither nothing, nor a dataclass's own signature, nor a parameter that is left out passes."""

    def silent(a: int) -> int:
        return a

    def partial(first: int, second: int) -> int:
        """Return ``first``."""
        return first + second

    assert faults(silent) == ["no docstring"]
    assert faults(partial) == ["second"]


@pytest.mark.parametrize(
    "modules",
    [("dpbandits.settings.linear.authoring", "prefork"), pytest.param(api_docs.MODULES, marks=pytest.mark.slow)],
    ids=["two", "all"],
)
def test_the_pages_are_made(tmp_path: Path, modules: tuple[str, ...]) -> None:
    """One for each module, with its public names."""
    pytest.importorskip("pdoc")
    # In a process of its own, whose kernels it replaces by their functions.
    code = (
        f"import sys; sys.path.insert(0, {str(TOOL.parent)!r})\n"
        f"import api_docs, pathlib; api_docs.MODULES = {modules}; api_docs.write(pathlib.Path({str(tmp_path)!r}))"
    )
    command = [TOOL, tmp_path] if modules == api_docs.MODULES else ["-c", code]
    subprocess.run([sys.executable, *command], check=True, capture_output=True, text=True)
    for module, names in api_docs.public().items():
        if module not in modules:
            continue
        page = (tmp_path / f"{module.replace('.', '/')}.html").read_text(encoding="utf-8")
        assert not [name for name in names if f'id="{name}"' not in page], module
