"""Reason why two runs differ: the line of a kernel that decided or released, and what it read beside releases.

Both runs of a certificate are repeated in Python. Where the event happens, the names of the kernel whose values
differ between the two runs are what it knows of the inputs beside the outputs, which are equal.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dpbandits.auditing.certificate import Certificate, Side
from dpbandits.auditing.densities import OUTPUTS
from dpbandits.auditing.told import SEEN, Program, path, without_effect
from dpbandits.core import compiled
from dpbandits.core import recorder as at
from dpbandits.core.provenance import ROOT
from dpbandits.core.recorder import Recorder

# Later events are not looked at: Python takes a tenth of a millisecond for a draw.
MOST_EVENTS = 3_000
# Most scores of a selection that are printed.
SHOWN = 8
# Files of this package's machinery, which are between the recorder and an author's code on the call stack.
BLOCKS = ("problem.py", "told.py", "explain.py")


class Place(NamedTuple):
    """Line of code at which an event happened: file, line, function, and the function's local variables."""

    file: str
    line: int
    function: str
    names: Mapping[str, Any]


class _Reached(BaseException):
    """Exception that ends a run at an event; a `BaseException`, so that no handler of errors catches it."""

    def __init__(self, place: Place | None) -> None:
        super().__init__()
        self.place = place


class _Watched(np.ndarray[Any, Any]):
    """Events of a recorder that stop the run at a row."""

    row = -1

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        if key == (_Watched.row, at.KIND):
            raise _Reached(_author())


def _author() -> Place | None:
    """Return the innermost place on the call stack that is in an author's file, not in this package's machinery."""
    frame = sys._getframe(2)
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        if file.name in BLOCKS[1:]:
            return None
        if ROOT / "core" not in file.parents and file.name not in BLOCKS:
            names = {name: _copied(value) for name, value in frame.f_locals.items()}
            return Place(str(file), frame.f_lineno, frame.f_code.co_name, names)
        assert frame.f_back is not None
        frame = frame.f_back
    return None


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) and not isinstance(value, _Watched) else value


def _place(certificate: Certificate, side: Side, row: int, events: int) -> Place | None:
    """Return where the event in a row of a run happens, on one of the inputs of a certificate."""
    watched = Program(certificate, side)
    watched.kept, _Watched.row = _Watched, row
    watched.capacity = max(1024, events + 1)
    try:
        with compiled.interpreted():
            watched.run(certificate["tape"])
    except _Reached as reached:
        return reached.place
    return None


def _losing(certificate: Certificate) -> tuple[list[Recorder], int, bool]:
    """Return both runs, the row that tells them apart, and whether that is an output with a finite loss."""
    programs = [Program(certificate, side) for side in ("one", "other")]
    runs = [program.run(certificate["tape"]) for program in programs]
    rows = np.flatnonzero(np.isin(runs[0].events[:, at.KIND], SEEN))[: certificate["events"]]
    idle = without_effect(certificate)
    views = [path(run, certificate["events"], idle) for run in runs]
    if len(rows) and views[0].agrees(views[1]):
        lost = np.abs(views[0].logs - views[1].logs)
        row = int(rows[int(np.argmax(np.where(np.isfinite(lost), lost, 0.0)))])
        if lost.any() and np.isfinite(lost).all() and runs[0].events[row, at.KIND] in OUTPUTS:
            return runs, row, True
    return runs, int(rows[-1]) if len(rows) else -1, False


def _differ(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape != b.shape or not np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return isinstance(a, int | float | np.generic) and isinstance(b, int | float | np.generic) and a != b


def _sources(place: Place) -> Iterator[set[str]]:
    """Yield the names that a line reads, then the names that their assignments read, and so on."""
    try:
        tree = ast.parse("".join(linecache.getlines(place.file)))
    except SyntaxError:
        return
    made: dict[str, set[str]] = {}
    line: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == place.function:
            for part in ast.walk(node):
                read = {n.id for n in ast.walk(part) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
                if isinstance(part, ast.Assign | ast.AugAssign):
                    targets = part.targets if isinstance(part, ast.Assign) else [part.target]
                    for target in (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)):
                        made.setdefault(target, set()).update(read)
                if isinstance(part, ast.stmt) and not isinstance(part, ast.FunctionDef | ast.For | ast.While):
                    inside = part.lineno <= place.line <= (part.end_lineno or part.lineno)
                    line |= (read if not isinstance(part, ast.If) else _condition(part)) if inside else set()
    known: set[str] = set()
    while line - known:
        yield line - known
        known |= line
        line = set().union(*(made.get(name, set()) for name in line))


def _condition(node: ast.If) -> set[str]:
    return {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}


def explain(certificate: Certificate) -> str:
    """Return one line of text: the line of code at which an output or decision tells the two runs apart, and why.

    With a finite loss the reason is both inputs' values before noise. Otherwise it is the names that the line read
    beside releases, if any are found. Empty for a certificate of another kind than ``transcript``, after more than
    3,000 events, or if no line of an author's file is found.

    Examples
    --------
    For a kernel that decides by a raw mean it returns, on one line::

        mine.py:31, `arm = argmax(mu)`, reads `mu` beside releases: release that, or decide by what was released
    """
    if certificate["kind"] != "transcript":
        return ""
    runs, row, finite = _losing(certificate)
    if not 0 <= row <= MOST_EVENTS:
        return ""
    one, other = (_place(certificate, side, row, len(runs[0].events)) for side in ("one", "other"))
    if one is None:
        return ""
    where = f"{Path(one.file).name}:{one.line}, `{linecache.getline(one.file, one.line).strip()}`"
    if finite and runs[0].events[row, at.KIND] == at.SELECTED:
        first = row
        while first and runs[0].events[first - 1, at.KIND] == at.OFFERED:
            first -= 1
        scores = [", ".join(f"{x + 0.0:g}" for x in run.numbers[first:row, at.VALUE][:SHOWN]) for run in runs]
        action, scale = int(runs[0].numbers[row, at.OUTPUT]) + 1, float(runs[0].numbers[first, at.SCALE])
        given = f"scores {scores[0]} on one input, {scores[1]} on the other"
        return f"{where}: {given}, scale {scale:g}, action {action} is selected"
    if finite:
        (value, scale, out), (neighbour, _, _) = (run.numbers[row, :3].tolist() for run in runs)
        return f"{where}: {value:g} on one input, {neighbour:g} on the other, scale {scale:g}, {out:g} comes out"
    if other is None or other.function != one.function:
        return where
    differing = {name for name, value in one.names.items() if _differ(value, other.names.get(name))}
    for depth, names in enumerate(_sources(one)):
        # The line itself names the decision; what that is made of is what it read.
        found = sorted(names & differing)
        if found and depth:
            read = " and ".join(f"`{name}`" for name in found)
            return f"{where}, reads {read} beside releases: release that, or decide by what was released"
    return where
