"""Which sources can influence a result, and which versions ran.

Snakemake sees a changed file or parameter, but not a changed import. The digest made here goes into the
parameters of a job (so that editing one algorithm reruns exactly its cells), into the metadata of every
array, and into the place of the compiled code's cache.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.metadata
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import platformdirs

from dpbandits import __version__

PACKAGE = "dpbandits"
ROOT = Path(__file__).parents[1]
RECORDED_PACKAGES = ("numpy", "numba", "llvmlite", "scipy", "pandas")
# What can change a picture.
DRAWING_PACKAGES = ("matplotlib", "seaborn")


def module_path(module: str) -> Path:
    """Return the source file of a module of this package, or of a package's ``__init__``."""
    base = ROOT.joinpath(*module.split(".")[1:])
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


def _is_module(name: str) -> bool:
    return module_path(name).is_file()


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all statements below it, but for the branches that only checkers of types read."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    yield node
    for child in ast.iter_child_nodes(node):
        # Expressions are most of a module, and hold no statement.
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _running(child)


def _imported(source: bytes) -> Iterator[str]:
    """Yield the names of this package that a module's source imports anywhere, but for types alone."""
    for node in _running(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))


class _Imports:
    """What sources import, by their digests: kept on disk, because parsing all takes a third of a second.

    Nothing there can be stale, and nothing is lost with it: a source that is not known is parsed.
    """

    # Some fifty versions of the whole package: time to begin anew.
    MOST = 10_000

    def __init__(self, file: Path) -> None:
        self.file = file
        self.new = False
        # Read in another way, a source may import something else.
        self.way = hashlib.blake2b(Path(__file__).read_bytes(), digest_size=16).digest()
        self.known: dict[str, list[str]] = {}
        with contextlib.suppress(OSError, ValueError, TypeError):
            self.known = dict(**json.loads(file.read_bytes()))

    def of(self, source: bytes) -> list[str]:
        """Return the names of this package that a source imports."""
        digest = hashlib.blake2b(source, digest_size=16, key=self.way).hexdigest()
        if digest not in self.known:
            self.known[digest] = sorted({name for name in _imported(source) if name.split(".")[0] == PACKAGE})
            self.new = True
        return self.known[digest]

    def keep(self) -> None:
        """Write what is new to the disk, if that can be."""
        if not self.new:
            return
        self.new = False
        if len(self.known) > self.MOST:
            self.known.clear()
        with contextlib.suppress(OSError):
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=self.file.parent, encoding="utf-8", delete=False) as aside:
                json.dump(self.known, aside)
            Path(aside.name).replace(self.file)


@functools.cache
def _imports() -> _Imports:
    return _Imports(compiled_cache() / "imports.json")


@functools.cache
def direct_imports(module: str) -> frozenset[str]:
    """Return the modules of this package that ``module`` imports anywhere in its source, but for types alone."""
    return frozenset(name for name in _imports().of(module_path(module).read_bytes()) if _is_module(name))


@functools.cache
def transitive_imports(module: str) -> tuple[str, ...]:
    """Return ``module`` and all modules of this package it imports, directly or not, sorted."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(direct_imports(name))
    _imports().keep()
    return tuple(sorted(seen))


@functools.cache
def _digest_of(module: str) -> bytes:
    """Return the digest of a module's source, and of the templates beside it: what its pages look like."""
    digest = hashlib.blake2b(digest_size=8)
    path = module_path(module)
    for file in (path, *sorted((path.parent / "templates").glob("*.*"))):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.digest()


@functools.cache
def sources(*modules: str) -> str:
    """Return the sources of ``modules``, and of all they import from this package, with a digest of each.

    It is what a job's sources are compared by, and what is shown where they differ.

    Parameters
    ----------
    *modules
        Full module names, such as ``"dpbandits.settings.stochastic.algorithms.dp_imed"``.

    Returns
    -------
    str
        ``"core.errors 1f2e3d4c, core.streams ..."``, sorted. Independent of the machine, the folder and file times.
    """
    names = sorted({name for module in modules for name in transitive_imports(module)})
    return ", ".join(f"{name.removeprefix(PACKAGE + '.')} {_digest_of(name)[:4].hex()}" for name in names)


@functools.cache
def source_digest(*modules: str) -> str:
    """Return one digest of the sources of ``modules``, 16 hexadecimal digits, and of all they import from here."""
    names = sorted({name for module in modules for name in transitive_imports(module)})
    digest = hashlib.blake2b(digest_size=8)
    for name in names:
        digest.update(name.encode() + b"\0" + _digest_of(name))
    return digest.hexdigest()


def record_digest(record: Mapping[str, Any]) -> str:
    """Return the digest of JSON data, 16 hexadecimal digits."""
    return hashlib.blake2b(json.dumps(record, sort_keys=True).encode(), digest_size=8).hexdigest()


def package_versions(names: Iterable[str] = RECORDED_PACKAGES) -> dict[str, str]:
    """Return the versions of this package, of the interpreter and of packages, those that can change a number."""
    versions = {name: importlib.metadata.version(name) for name in names}
    return {PACKAGE: __version__, "python": platform.python_version(), **versions}


def compiled_cache() -> Path:
    """Return the folder of compiled code. A user's own NUMBA_CACHE_DIR counts: clusters often want a local disk."""
    return Path(os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_path("dpbandits") / "numba")


def call_this_installation() -> None:
    """Make processes started from here find this interpreter's commands, and this copy of the package, first."""
    for name, folder in (("PATH", Path(sys.executable).parent), ("PYTHONPATH", ROOT.parent)):
        rest = [part for part in os.environ.get(name, "").split(os.pathsep) if part and part != str(folder)]
        os.environ[name] = os.pathsep.join([str(folder), *rest])
