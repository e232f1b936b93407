"""Evidence by content: a slow test that has passed on these very sources need not run again.

Seeds are fixed and bytes are promised, so the outcome of a test is a function of its sources. ``tests/passed.json``
holds, for each file with slow tests, a digest of what they reach and the tests that passed on it. ``--record``
writes it, ``--cite`` reads it; without either nothing is cited. A tenth of what could be cited runs all the same:
the commit's hash draws it.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dpbandits.core import provenance

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests" / "passed.json"
# Folders of modules that tests share, as `pythonpath` in pyproject.toml.
SHARED = (ROOT / "tests" / "support", ROOT / "packages" / "noisetap" / "tests")
LOCKS = ("requirements.lock", "tests/requirements.lock", "pyproject.toml", "tests/conftest.py")
# Algorithms, environments and policies are found by being in these folders, not by an import; what papers compute,
# by those who ask for declarations or import some of it.
FOUND = ("settings", "policies")
ASKS_FOR_PAPERS = ("dpbandits.core.declarations", "dpbandits.papers.")
PACKAGES = {folder.name: folder / "src" for folder in (ROOT / "packages").glob("*/")}
# From these parts of the package everything can be reached: they start jobs, or read what the repository ships.
WHOLE = {"api", "claims", "cli", "engine", "integrity", "notebook", "products", "publish"}
# What results and messages do not depend on.
UNREAD = ("tests/", "docs/results/", "docs/api/", "benchmarks/", ".ci/")
TENTHS = 10
CITED, UNTIMELY = "cited", "not run"


def _names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@functools.cache
def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@functools.cache
def _found(folder: str) -> frozenset[str]:
    """Return the modules of a folder of the package, with all that they import."""
    names = set[str]()
    for path in (provenance.ROOT / folder).rglob("*.py"):
        parts = path.relative_to(provenance.ROOT.parent).with_suffix("").parts
        names.update(provenance.transitive_imports(".".join(parts).removesuffix(".__init__")))
    return frozenset(names)


@functools.cache
def _roots(path: Path) -> frozenset[str]:
    """Return the packages that a file imports from."""
    return frozenset(name.partition(".")[0] for name in _names(ast.parse(path.read_text(encoding="utf-8"))))


@functools.cache
def reached(file: Path) -> tuple[frozenset[str], frozenset[Path]]:
    """Return what the tests of a file depend on: modules of the package, and other files.

    A file that starts processes, or imports what does, depends on all that the repository ships.
    """
    waiting, files, named, starts, roots = [file], set[Path](), set[str](), False, set[str]()
    while waiting:
        path = waiting.pop()
        if path in files:
            continue
        files.add(path)
        text = path.read_text(encoding="utf-8")
        names = set(_names(ast.parse(text)))
        starts = starts or bool(names & {"subprocess", "dpbandits", "multiprocessing"})
        named |= {name for name in names if name.startswith("dpbandits.")}
        roots |= {name.partition(".")[0] for name in names}
        beside = {folder / f"{name.partition('.')[0]}.py" for name in names for folder in SHARED}
        waiting += [shared for shared in beside if shared.is_file()]
    modules = {name for name in named if provenance.module_path(name).is_file()}
    closure = {part for name in modules for part in provenance.transitive_imports(name)}
    if starts or any(name.split(".")[1:2] and name.split(".")[1] in WHOLE for name in closure):
        shipped = _git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
        files |= {ROOT / name for name in shipped if not name.startswith(UNREAD)}
    else:
        papers = any(name.startswith(ASKS_FOR_PAPERS) for name in closure)
        for folder in (*FOUND, *["papers"] * papers) if closure else ():
            closure |= _found(folder)
        roots |= {root for name in closure for root in _roots(provenance.module_path(name))}
        files |= {path for name, source in PACKAGES.items() if name in roots for path in source.rglob("*.py")}
    return frozenset(closure), frozenset({*files, *(ROOT / name for name in LOCKS)})


@functools.cache
def digest(file: Path) -> str:
    """Return the digest of what the tests of a file depend on, of the locks, and of Python's version."""
    modules, files = reached(file)
    found = hashlib.blake2b(digest_size=8)
    found.update(f"{sys.version_info[:2]} {provenance.sources(*sorted(modules))}".encode())
    for path in sorted(files):
        if path.is_file():
            found.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def recorded() -> dict[str, dict[str, Any]]:
    """Return the record: for each file the digest of its sources, and the tests that passed on it."""
    found: dict[str, dict[str, Any]] = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    return found


def tenth(commit: str, test: str) -> int:
    """Return which tenth of the tests, from 0 to 9, the hash of a commit draws a test into."""
    return int.from_bytes(hashlib.blake2b(f"{commit} {test}".encode(), digest_size=8).digest(), "big") % TENTHS


class Evidence:
    """Plugin of pytest: cites, orders by the commit's hash, ends in time, records, and says what it did."""

    def __init__(self, *, cite: bool, within: float | None, record: bool) -> None:
        self.cite = cite
        self.record = record
        self.until = None if within is None else time.monotonic() + within
        self.outcomes: dict[str, set[str]] = {}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Mark what is cited. What runs begins with a tenth that the commit's hash draws, then the next one."""
        if not self.cite:
            return
        record, commit = recorded(), _git("rev-parse", "HEAD")
        turn = {}
        for item in items:
            name, turn[item] = item.nodeid.partition("::")[0], -1
            if item.get_closest_marker("slow") is not None:
                turn[item] = tenth(commit, item.nodeid)
                kept = record.get(name, {"sources": "", "passed": ()})
                passed = item.nodeid in kept["passed"] and kept["sources"] == digest(item.path)
                if passed and turn[item] > 0:
                    item.add_marker(pytest.mark.skip(reason=f"{CITED}: it passed on these sources"))
        items.sort(key=turn.__getitem__)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Begin no slow test after the time that there is."""
        late = self.until is not None and time.monotonic() > self.until
        if late and item.get_closest_marker("slow") is not None:
            pytest.skip(f"{UNTIMELY}: the time for slow tests was over")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the outcome of each phase of a test."""
        if report.when == "call" or report.outcome != "passed":
            self.outcomes.setdefault(report.nodeid, set()).add(report.outcome)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the record, in the process that hears of all tests."""
        if self.record and not hasattr(session.config, "workerinput"):
            record = recorded()
            passed = {test for test, outcomes in self.outcomes.items() if outcomes == {"passed"}}
            failed = {test for test, outcomes in self.outcomes.items() if "failed" in outcomes}
            for name in {test.partition("::")[0] for test in passed | failed}:
                sources = digest(ROOT / name)
                kept = set(record[name]["passed"]) if record.get(name, {}).get("sources") == sources else set()
                new = {test for test in passed if test.startswith(f"{name}::")}
                record[name] = {"sources": sources, "passed": sorted((kept | new) - failed)}
            text = json.dumps(record, indent=0, sort_keys=True, ensure_ascii=False)
            RECORD.write_text(text + "\n", encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how many tests were cited, and how many no time was left for."""
        if not (self.cite or self.until):
            return
        skipped = terminalreporter.stats.get("skipped", [])
        for reason in (CITED, UNTIMELY):
            files = [
                report.nodeid.partition("::")[0] for report in skipped if f": {reason}: " in str(report.longrepr)
            ]
            each = ", ".join(f"{file} ({files.count(file)})" for file in sorted(set(files)))
            terminalreporter.write_line(f"slow tests {reason}: {len(files)}{': ' * bool(each)}{each}")
