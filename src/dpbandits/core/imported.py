"""Import hook: a process imports and digests one state of the sources, that of each file's first reading.

Sources may be edited while a process lives, such as a notebook that imported them an hour ago. A digest of the file
as it is by then would name code that never ran. Here the importer and `dpbandits.core.provenance` share what either
of them has read, so a digest is always of the code that runs. No file is read twice.

Python itself trusts bytecode by the source's time and size. Two edits within a second can have both in common. This
hook trusts bytecode by a digest of the source, in the form of PEP 552.

A person may also remove modules and import them again, as Spyder does at each run. What was read stays with the
process then, not with the module that read it. A module that was edited meanwhile is refused.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import BYTECODE_SUFFIXES, ModuleSpec, SourceFileLoader

# `typing` takes longer to import than all the rest here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import CodeType, ModuleType
    from typing import Any, Final

PACKAGE = "dpbandits"
# Packages beside this one whose sources can decide what is made.
BESIDE = ("numba2wasm",)

# The second word of bytecode that is checked by a digest, not by a time; see PEP 552.
_CHECKED = (0b11).to_bytes(4, "little")


class _State:
    """Sources that this process has read, and modules that it has imported.

    Attributes
    ----------
    read
        Sources by their paths.
    ran
        Paths of sources that were imported, or failed to be.
    made
        Names and values of modules when their import ended, by the modules' names.
    """

    def __init__(self) -> None:
        self.read: dict[str, bytes] = {}
        self.ran: set[str] = set()
        self.made: dict[str, dict[str, Any]] = {}


def _of_process() -> _State:
    """Return the state of an earlier import of this module, whose finder it takes off; else a new one."""
    for finder in sys.meta_path:
        if getattr(finder, "of_dpbandits", None) is not None:
            sys.meta_path.remove(finder)
            state: _State = finder.of_dpbandits  # type: ignore[attr-defined]
            return state
    return _State()


_STATE: Final = _of_process()


def source_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content that a source file had when this process first read it, to import it or for a digest."""
    key = os.path.normpath(path)
    if key not in _STATE.read:
        with open(key, "rb") as opened:  # noqa: PTH123 - what pathlib imports, `import dpbandits` need not wait for.
            # If two threads read the file, the content that the first one read counts for both.
            _STATE.read.setdefault(key, opened.read())
    return _STATE.read[key]


def replaced(modules: Iterable[str]) -> list[str]:
    """Return the names in modules, as ``package.module.NAME``, whose values this process replaced after the import.

    Parameters
    ----------
    modules
        Full names of modules. In one that this process has not imported nothing is replaced.
    """
    return [
        f"{module}.{name}"
        for module in modules
        if module in sys.modules
        for name, value in _STATE.made.get(module, {}).items()
        if not name.startswith("__") and not _stands(vars(sys.modules[module]), name, value)
    ]


def _stands(now: dict[str, Any], name: str, value: Any) -> bool:
    """Say whether a name has its value still; a submodule of the same name may have taken its place."""
    return name in now and (now[name] is value or type(now[name]) is type(sys))


def forget() -> None:
    """Forget what `source_bytes` has read, so that it reads files again: for tests that edit copies of sources."""
    _STATE.read.clear()


class _Loader(SourceFileLoader):
    """Loader of a source as `source_bytes` has it."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the source, or refuse to import one again that was edited."""
        if self.path in _STATE.ran and super().get_data(self.path) != source_bytes(self.path):
            raise ImportError(f"{self.path} changed since this process began; start it again", name=fullname)
        _STATE.ran.add(self.path)
        return super().get_code(fullname)

    def exec_module(self, module: ModuleType) -> None:
        """Import a module, and note what its names are."""
        super().exec_module(module)
        _STATE.made[module.__name__] = dict(vars(module))

    def get_data(self, path: str) -> bytes:
        """Return the content of a file; none, if it is bytecode of another source."""
        if path == self.path:
            return source_bytes(path)
        data = super().get_data(path)
        if path.endswith(tuple(BYTECODE_SUFFIXES)) and data[4:16] != self._check():
            return b""
        return data

    def set_data(self, path: str, data: Any, **options: Any) -> None:
        """Write bytecode, with the source's digest in place of its time and size."""
        super().set_data(path, data[:4] + self._check() + data[16:], **options)

    def _check(self) -> bytes:
        from importlib.util import source_hash

        return _CHECKED + source_hash(source_bytes(self.path))


class _Finder:
    """Finder of this package and those beside it, as others find them, with a loader of our own."""

    of_dpbandits = _STATE

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module is, if it is ours."""
        if name.partition(".")[0] not in (PACKAGE, *BESIDE):
            return None
        for finder in sys.meta_path:
            found = None if finder is cls else finder.find_spec(name, path, target)
            if found is not None:
                if type(found.loader) is SourceFileLoader:
                    found.loader = _Loader(found.loader.name, found.loader.path)
                return found
        return None


def install() -> None:
    """Install the import hook by which this process reads each of our source files once.

    A second call does nothing. Our files are those of dpbandits and of the packages beside it (`BESIDE`). Those
    imported before are noted as read.
    """
    if _Finder in sys.meta_path:
        return
    sys.meta_path.insert(0, _Finder)
    # Modules imported before the hook: this one, its packages, and others of ours that a user imported.
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name.partition(".")[0] in (PACKAGE, *BESIDE) and file:
            source_bytes(file)
            _STATE.ran.add(file)


install()
