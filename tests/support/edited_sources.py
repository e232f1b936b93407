"""Fuzzer of edits: random edits of sources at random moments of a process that imports and compiles them.

``edited_sources.py FOLDER CASES SEED`` makes small kernels in a copy of the package below ``FOLDER``. Each case
forks a process that has imported none of them, and edits one source at a moment of its life. Then a second
process runs on the edited sources, with the same cache of compiled code. Its number has to be that of the
sources, which is a product of constants. A digest must never stand beside two numbers. The last line of the
output is JSON.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import os
import random
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

# A kernel calls kernels of other modules. One takes a constant from a third, and looks another up in its package.
# One is of a package beside.
SOURCES = {
    "first": "from dpbandits.core.compiled import kernel\nfrom . import second\n"
    "from numba2wasm import beside\nCONSTANT = {}\nsecond_, beside_ = second.call, beside.call\n\n\n"
    "@kernel\ndef call(x):\n    return CONSTANT * second_(x) * beside_(x)\n",
    "second": "from dpbandits.core.compiled import inner\nfrom .third import CONSTANT\n"
    "from dpbandits import tiny\nimport dpbandits.tiny.fourth as fourth_\n\n\n"
    "@inner\ndef call(x):\n    return CONSTANT * tiny.fourth.CONSTANT * x\n",
    "fourth": "CONSTANT = {}\n",
    "third": "CONSTANT = {}\n",
    "beside": "from dpbandits.core.compiled import inner\nCONSTANT = {}\n\n\n"
    "@inner\ndef call(x):\n    return CONSTANT * x\n",
}
MODULES = {name: f"{'numba2wasm' if name == 'beside' else 'dpbandits.tiny'}.{name}" for name in SOURCES}
TIMES = 1_600_000_000
REFUSED = "refused"


KINDS = (
    *("in place", "size and time kept", "replaced", "words", "two edits", "reverted"),
    *("the folder is another", "the link is another"),
)


class Tree:
    """The copy, with its constants; its folders or one of its files may be links."""

    def __init__(self, folder: Path, random_: random.Random) -> None:
        self.folder, self.random = folder, random_
        self.constants = dict.fromkeys(("first", "third", "fourth", "beside"), 11)
        tiny, beside = folder / "src/dpbandits/tiny", folder / "packages/numba2wasm"
        self.files = {name: (beside if name == "beside" else tiny) / f"{name}.py" for name in SOURCES}
        # As a person's own folder, elsewhere; and one file of it somewhere else again.
        elsewhere = folder / "elsewhere"
        for place in (elsewhere, beside):
            place.mkdir(parents=True, exist_ok=True)
            (place / "__init__.py").touch()
        self.tiny = tiny
        tiny.symlink_to(elsewhere)
        (folder / "far.py").touch()
        self.files["third"].symlink_to(folder / "far.py")
        for name in SOURCES:
            self.write(name)
        importlib.invalidate_caches()

    def text(self, name: str) -> str:
        return SOURCES[name].format(self.constants.get(name))

    def write(self, name: str) -> None:
        """Write a source in place, with the time that all have."""
        self.files[name].write_text(self.text(name))
        os.utime(self.files[name], (TIMES, TIMES))

    def number(self) -> int:
        """Return what the sources compute, by what they say."""
        return math.prod(self.constants.values())

    def edit(self) -> str:
        """Edit a source at random, and return how."""
        name = self.random.choice(sorted(self.constants))
        kind = self.random.choice(KINDS)
        before = self.constants[name]
        file = self.files[name].resolve()
        if kind == "words":
            file.write_text(self.text(name) + "# Words.\n")
            return f"{name}: {kind}"
        self.constants[name] = self.random.choice([n for n in range(11, 100) if n != before])
        if kind == "size and time kept":
            self.write(name)
        elif kind in ("the folder is another", "the link is another"):
            self._exchange(by_link=kind == "the link is another")
        elif kind == "replaced":
            aside = file.with_suffix(".new")
            aside.write_text(self.text(name))
            aside.replace(file)
        else:
            file.write_text(self.text(name))
        if kind in ("two edits", "reverted"):
            self.constants[name] = before if kind == "reverted" else before % 89 + 11
            file.write_text(self.text(name))
        return f"{name}: {kind}"

    def _exchange(self, by_link: bool) -> None:
        """Put a copy with the edit in the place of the folder; files of it have the times that they had."""
        # The child edits, and its parent once more: each by names of its own.
        aside = Path(tempfile.mkdtemp(dir=self.folder))
        copy = aside / "copy"
        shutil.copytree(self.tiny, copy, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("first", "fourth"):
            (copy / f"{name}.py").write_text(self.text(name))
            os.utime(copy / f"{name}.py", (TIMES, TIMES))
        # Another's link is followed by both.
        (self.folder / "far.py").write_text(self.text("third"))
        self.files["beside"].write_text(self.text("beside"))
        if by_link:
            (aside / "link").symlink_to(copy)
            (aside / "link").replace(self.tiny)
        else:
            folder = self.tiny.resolve()
            folder.rename(aside / "old")
            copy.rename(folder)


def _import(name: str) -> Any:
    return importlib.import_module(MODULES[name])


def _digest() -> str:
    from dpbandits.core.provenance import source_digest

    return source_digest(MODULES["first"])


def _call() -> float:
    return float(_import("first").call(1))


def _reload() -> None:
    _import("first")
    with contextlib.suppress(ImportError):
        importlib.reload(_import("third"))


def _remove() -> None:
    """Import all, then remove all modules of ours, as Spyder does at each run."""
    _import("first")
    for name in list(sys.modules):
        if name.split(".")[0] in ("dpbandits", "numba2wasm"):
            del sys.modules[name]


def _replace() -> None:
    """Give a constant another value in this process, and compile with it."""
    first = _import("first")
    kept, first.CONSTANT = first.CONSTANT, 999
    first.call(1)
    first.CONSTANT = kept


# What a process did before the edit.
MOMENTS: dict[str, Callable[[], object]] = {
    "nothing": lambda: None,
    "a constant is imported": lambda: _import("third"),
    "a package beside is imported": lambda: _import("beside"),
    "some are imported": lambda: _import("second"),
    "all are imported": lambda: _import("first"),
    "all are digested": _digest,
    "some are imported, all digested": lambda: (_import("third"), _digest()),
    "all are imported and digested": lambda: (_import("first"), _digest()),
    "called": _call,
    "all are removed": _remove,
}
# Beside these, a process that changed a number of its own: its results are named by nothing.
REPLACED = "a number is replaced"


def in_child(action: Callable[[], object]) -> Any:
    """Return what an action returns in a forked process, as JSON has it."""
    readable, writable = os.pipe()
    if os.fork() == 0:
        try:
            os.write(writable, json.dumps(action()).encode())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writable)
    with os.fdopen(readable, "rb") as opened:
        content = opened.read()
    os.wait()
    return json.loads(content) if content else None


def fuzz(folder: Path, cases: int, seed: int) -> dict[str, Any]:
    """Return how many cases there were, and what was wrong."""
    # Fuzzed are edits and moments, not what they stand for.
    random_ = random.Random(seed)
    tree = Tree(folder, random_)
    named: dict[str, float] = {}
    wrong: list[str] = []

    def note(case: str, found: Any) -> None:
        if found is None:
            wrong.append(f"{case}: a process ended")
        if found in (None, REFUSED):
            return
        digest, value = found
        if named.setdefault(digest, value) != value:
            wrong.append(f"{case}: {digest} has {named[digest]} and {value}")

    def fresh(case: str) -> None:
        found = in_child(lambda: (_digest(), _call()))
        note(case, found)
        if found is not None and found[1] != tree.number():
            wrong.append(f"{case}: {found[1]} by sources of {tree.number()}")

    fresh("before")
    for number in range(cases):
        moment = random_.choice([*sorted(MOMENTS), REPLACED])
        later = random_.random() < 0.2
        happened: list[str] = []
        state = random_.getstate()

        def live(moment: str = moment, later: bool = later, state: Any = state) -> tuple[str, float] | str:
            if moment == REPLACED:
                _replace()
            else:
                MOMENTS[moment]()
            # The same in this process and in its parent, which has to know.
            random_.setstate(state)
            tree.edit()
            try:
                if later:
                    _reload()
                value = _call()
            except ImportError as error:
                assert str(error).endswith("start it again")
                return REFUSED
            return REFUSED if moment == REPLACED else (_digest(), value)

        found = in_child(live)
        random_.setstate(state)
        happened.append(tree.edit())
        case = f"{number}, {happened[0]}, {moment}{', reloaded' if later else ''}"
        note(case, found)
        fresh(case)
    return {"cases": cases, "digests": len(named), "wrong": wrong}


def main() -> None:
    """Make the copy, import what takes long, and fuzz."""
    folder, cases, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    if "prepared" not in sys.argv:
        import dpbandits

        here = Path(dpbandits.__file__).parent
        shutil.copytree(here, folder / "src/dpbandits", ignore=shutil.ignore_patterns("__pycache__"))
        path = os.pathsep.join([str(folder / "src"), str(folder / "packages"), str(Path(__file__).parent)])
        environment = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(folder / "cache")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        os.execve(sys.executable, [sys.executable, *sys.argv, "prepared"], environment)
    from dpbandits.core import compiled

    compiled.register()
    import dpbandits.core.linked
    import dpbandits.core.numba_cache

    print(json.dumps(fuzz(folder, cases, seed)))


if __name__ == "__main__":
    main()
