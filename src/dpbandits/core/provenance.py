"""Sources that can influence a result, and versions that ran.

Snakemake sees a changed file or parameter, but not a changed import. The digest made here goes into a job's
parameters, so that editing one algorithm reruns exactly its cells. It also goes into the metadata of every array,
and into the place of the compiled code's cache. It is of code: comments, docstrings, the layout of lines and the
package's version are no part of it. And it is of the code that this process runs: see `dpbandits.core.imported`.
Packages beside this one whose sources count too are in `BESIDE`; it is numba2wasm alone.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import resolve_name
from pathlib import Path
from typing import Any, NamedTuple

import platformdirs

from dpbandits.core.imported import BESIDE, replaced, source_bytes
from dpbandits.core.imported import PACKAGE as PACKAGE

ROOT = Path(__file__).parents[1]
RECORDED_PACKAGES = ("numpy", "numba", "llvmlite", "scipy", "pandas")
# What can change a picture.
DRAWING_PACKAGES = ("matplotlib", "seaborn")


@functools.cache
def _beside(package: str) -> Path:
    """Return the folder of a package beside this one. It may be installed elsewhere, or not at all."""
    found = importlib.util.find_spec(package)
    return Path(found.origin).parent if found is not None and found.origin else ROOT.parent / package


def module_path(module: str) -> Path:
    """Return the path of a module's source by its full name; for a package, that of its ``__init__.py``.

    The module is one of dpbandits, or of a package beside it whose sources count too (`BESIDE`).
    """
    package, *rest = module.split(".")
    base = (ROOT if package == PACKAGE else _beside(package)).joinpath(*rest)
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


def source_folders() -> list[Path]:
    """Return the folders of dpbandits and of the packages beside it whose sources count too (`BESIDE`)."""
    return [ROOT, *map(_beside, BESIDE)]


@functools.cache
def _is_module(name: str) -> bool:
    return module_path(name).is_file()


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all statements below it, but for the branches that only checkers of types read."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        for statement in node.orelse:
            yield from _running(statement)
        return
    yield node
    for child in ast.iter_child_nodes(node):
        # Expressions are most of a module, and hold no statement.
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _running(child)


def _imported(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module imports anywhere, but for types alone, and names that it looks up in these.

    Relative names begin with their dots.
    """
    known: dict[str, str] = {}
    for node in _running(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
                root = alias.name.partition(".")[0]
                known |= {alias.asname: alias.name} if alias.asname else {root: root}
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            # Names of a module that only re-exports stand for the modules that define them.
            if not _only_reexports(module):
                yield module
            for alias in node.names:
                name = f"{module}{'' if module.endswith('.') else '.'}{alias.name}"
                yield name
                known[alias.asname or alias.name] = name
    # As ``package.module.CONSTANT``, which needs no import of the module here.
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield from _looked_up(node, known)


def _looked_up(node: ast.Attribute, known: Mapping[str, str]) -> Iterator[str]:
    """Yield the full dotted name of an attribute of an imported name, if it is one."""
    names: list[str] = []
    inner: ast.expr = node
    while isinstance(inner, ast.Attribute):
        names.append(inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name) and inner.id in known:
        yield ".".join([known[inner.id], *reversed(names)])


def _only_reexports(module: str) -> bool:
    """Return whether a module is `dpbandits.authoring`, or a setting's module of that name."""
    return module.split(".")[0] == PACKAGE and module.rpartition(".")[2] == "authoring"


@functools.cache
def _reexports(module: str) -> dict[str, str]:
    """Return the modules that define the names of a module that only re-exports, by name."""
    found: dict[str, str] = {}
    for node in ast.parse(source_bytes(module_path(module))).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if alias.name == "*":
                    found |= _reexports(node.module)
                else:
                    found[alias.asname or alias.name] = node.module
    return found


def _defining(name: str) -> str:
    """Return the module that defines a re-exported name, such as ``dpbandits.authoring.kernel``, else the name."""
    module, _, last = name.rpartition(".")
    return _reexports(module).get(last, module) if module and _only_reexports(module) else name


def _without_docstring(node: ast.AST) -> list[ast.stmt]:
    """Return the statements of a module, class or function, but for its docstring."""
    body: list[ast.stmt] = getattr(node, "body", [])
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
    return body


def _code(node: object) -> str:
    """Return a syntax tree as text, docstrings left out.

    As `ast.dump`, but for empty fields, of which every version of Python has others.
    """
    if isinstance(node, list):
        return f"[{','.join(map(_code, node))}]"
    if not isinstance(node, ast.AST):
        return f"{type(node).__name__}:{node!r}"
    documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    parts = []
    for name in node._fields:
        value = _without_docstring(node) if documented and name == "body" else getattr(node, name, None)
        if value is not None and value != []:
            parts.append(f"{name}={_code(value)}")
    return f"{type(node).__name__}({','.join(parts)})"


class Source(NamedTuple):
    """Imports and code of a module's source, as far as digests depend on them.

    Attributes
    ----------
    imports
        Full names in dpbandits, and in packages beside it (`BESIDE`), that the source imports or looks up in
        modules. Names of relative imports begin with dots.
    code_digest
        A digest of the source's code, without comments and docstrings: 16 hexadecimal digits.
    """

    imports: list[str]
    code_digest: str


def _parsed(source: bytes) -> Source:
    tree = ast.parse(source)
    # The first part of a relative name is empty.
    names = sorted({name for name in _imported(tree) if name.split(".")[0] in (PACKAGE, *BESIDE, "")})
    return Source(names, hashlib.blake2b(_code(tree).encode(), digest_size=8).hexdigest())


class _Sources:
    """Parsed sources by the digests of their bytes: kept on disk, because parsing all takes some seconds.

    Nothing there can be stale, and nothing is lost with it: a source that is not known is parsed.
    """

    # Some fifty versions of the whole package. The cache is emptied then.
    MOST = 10_000

    def __init__(self, file: Path) -> None:
        self.file = file
        self.new = False
        # Read in another way, a source may be something else.
        self.way = hashlib.blake2b(source_bytes(__file__), digest_size=16).digest()
        self.known: dict[str, list[Any]] = {}
        with contextlib.suppress(OSError, ValueError, TypeError):
            self.known = dict(**json.loads(file.read_bytes()))

    def of(self, source: bytes) -> Source:
        """Return what a source is."""
        digest = hashlib.blake2b(source, digest_size=16, key=self.way).hexdigest()
        if digest not in self.known:
            self.known[digest] = list(_parsed(source))
            self.new = True
        return Source(*self.known[digest])

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
def _sources() -> _Sources:
    return _Sources(compiled_cache() / "sources.json")


@functools.cache
def source(module: str) -> Source:
    """Return what the source of a module imports, and the digest of its code; ``module`` is its full name."""
    return _sources().of(source_bytes(module_path(module)))


@functools.cache
def direct_imports(module: str) -> frozenset[str]:
    """Return the full names of our modules that ``module`` imports itself, not through another one.

    Ours are those of dpbandits and of packages beside it (`BESIDE`). An import anywhere in the source counts,
    except below ``if TYPE_CHECKING:``. A name from an ``authoring`` module, which only re-exports, counts as an
    import of the module that defines it.
    """
    package = module if module_path(module).name == "__init__.py" else module.rpartition(".")[0]
    names = (_defining(resolve_name(name, package)) for name in source(module).imports)
    return frozenset(name for name in names if _is_module(name))


@functools.cache
def transitive_imports(module: str) -> tuple[str, ...]:
    """Return the full names of ``module`` and of all our modules that it imports, directly or not, sorted.

    Ours are those of dpbandits and of packages beside it (`BESIDE`).
    """
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(direct_imports(name))
    _sources().keep()
    return tuple(sorted(seen))


@functools.cache
def _digest_of(module: str) -> bytes:
    """Return the digest of a module's code, and of the templates beside it: what its pages look like."""
    path = module_path(module)
    digest = hashlib.blake2b(f"{path.name}\0{source(module).code_digest}".encode(), digest_size=8)
    for file in sorted((path.parent / "templates").glob("*.*")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.digest()


@functools.cache
def sources(*modules: str) -> str:
    """Return ``modules`` and all that they import from this package as one text, with a digest of each one's code.

    Snakemake compares this text to see whether a job's sources changed. `dpbandits compare` shows where two differ.

    Parameters
    ----------
    *modules
        Full module names, such as ``"dpbandits.settings.stochastic.algorithms.dp_imed"``.

    Returns
    -------
    str
        ``"core.errors 1f2e3d4c, core.streams ..."``, sorted. It does not depend on the machine, the folder and the
        times of files.
    """
    names = sorted({name for module in modules for name in transitive_imports(module)})
    return ", ".join(f"{name.removeprefix(PACKAGE + '.')} {_digest_of(name)[:4].hex()}" for name in names)


@functools.cache
def source_digest(*modules: str) -> str:
    """Return one digest of the sources of ``modules`` and of all that they import from this package.

    ``modules`` are full names. The digest has 16 hexadecimal digits.
    """
    names = sorted({name for module in modules for name in transitive_imports(module)})
    digest = hashlib.blake2b(digest_size=8)
    for name in names:
        digest.update(name.encode() + b"\0" + _digest_of(name))
    return digest.hexdigest()


def replaced_values(*modules: str) -> list[str]:
    """Return names that this process gave other values than their sources do, as ``package.module.NAME``.

    Parameters
    ----------
    *modules
        Full module names; all that they import from this package are looked at.
    """
    return replaced(sorted({name for module in modules for name in transitive_imports(module)}))


def record_digest(record: Mapping[str, Any]) -> str:
    """Return the digest of JSON data, 16 hexadecimal digits; the order of keys makes no difference."""
    return hashlib.blake2b(json.dumps(record, sort_keys=True).encode(), digest_size=8).hexdigest()


@functools.cache
def package_version() -> str:
    """Return the version of this package, from its metadata."""
    return importlib.metadata.version(PACKAGE)


def package_versions(names: Iterable[str] = RECORDED_PACKAGES) -> dict[str, str]:
    """Return the versions of this package, of Python and of the packages ``names``, by name."""
    versions = {name: importlib.metadata.version(name) for name in names}
    return {PACKAGE: package_version(), "python": platform.python_version(), **versions}


def compiled_cache() -> Path:
    """Return the folder of compiled code: ``NUMBA_CACHE_DIR`` if it is set, else one in the user's cache folder."""
    return Path(os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_path("dpbandits") / "numba")


def call_this_installation() -> None:
    """Make processes that this one starts find this interpreter's commands and this copy of the package first.

    Their folders are put in front of ``PATH`` and ``PYTHONPATH`` in this process's environment.
    """
    for name, folder in (("PATH", Path(sys.executable).parent), ("PYTHONPATH", ROOT.parent)):
        rest = [part for part in os.environ.get(name, "").split(os.pathsep) if part and part != str(folder)]
        os.environ[name] = os.pathsep.join([str(folder), *rest])
