"""The tape of one run of a policy: its random draws, what each was added to or compared with, and the results.

A draw's key is its place ``file:line@decisions`` and a number there. A plan holds draws by key: an output by
``("out", 3.5)``, a value by ``("value", 2)``, a value and the answers to comparisons by
``("said", (0.3, (True,)))``.
"""

from __future__ import annotations

import os
import sys
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, Generic, TypeVar

import numpy as np

from noisetap.form import StatedDraw
from noisetap.laws import Law
from noisetap.seeds import DRAWING, StreamStart

Key = tuple[str, int]
# What a replay holds fixed: an output ("out", y), a draw ("value", n), or the results of comparisons ("said", ...).
Plan = dict[Key, tuple[str, Any]]
Drawn = TypeVar("Drawn")

# Taken before anybody listens: the names in `numpy.random` are replaced while a program runs.
_Bits = np.random.PCG64
OWN_FILES = str(Path(__file__).parent) + os.sep
_NUMPY = f"{Path(np.__file__).parent}{os.sep}"


def plan_from_json(rows: list[list[Any]]) -> Plan:
    """Return a plan, which holds draws of a replay, from JSON rows such as ``["mine.py:11@10", 0, "out", 3.5]``.

    A row has a draw's place ``file:line@decisions``, the number of draws made there before, how the draw is held
    (``out``, ``value`` or ``said``), and to what. The plan is ``{("mine.py:11@10", 0): ("out", 3.5)}``.
    """
    return {(line, number): (how, what) for line, number, how, what in rows}


# Held from setting the generator's state to the end of the draw: a program's threads share the generator.
_SAMPLING = threading.RLock()


def _seeded(seed: int, place: str, number: int, fresh: int) -> np.random.Generator:
    """Return the generator of one draw at its beginning, to be used before the next one is asked for."""
    DRAWING.bit_generator.state = _first_state(seed, place, number, fresh)
    return DRAWING


# Replays make the same draws again and again, and to make a seed into a state takes ten times as long as to set it.
@lru_cache(4096)
def _first_state(seed: int, place: str, number: int, fresh: int) -> Any:
    return _Bits([seed, zlib.crc32(place.encode()), number, fresh]).state


class Refused(Exception):
    """A program, its data or the claim cannot be audited; the message says why, and often at which line."""


def is_library_frame(frame: FrameType) -> bool:
    """Tell whether a frame of the call stack runs code of a library, and not of the audited program.

    Libraries are noisetap, NumPy, torch, frozen modules of Python, such as its import system, and each module with
    a global name ``NOISETAP_ADAPTER``.
    """
    names = frame.f_globals
    if _ours(frame.f_code.co_filename) or "NOISETAP_ADAPTER" in names:
        return True
    name = str(names.get("__name__"))
    # The first test is fast, and false of most frames.
    return name.startswith("torch") and name.partition(".")[0] == "torch"


# Each draw asks it of all frames up to the program's.
@lru_cache(4096)
def _ours(file: str) -> bool:
    """Tell whether a file is noisetap's, NumPy's or Python's import system."""
    return file.startswith((OWN_FILES, _NUMPY, "<frozen"))


def source_line(frame: FrameType | None) -> str:
    """Return ``file:line`` of the innermost frame, from ``frame`` outwards, with code of the program.

    Frames of noisetap, NumPy, torch, and modules with a global name ``NOISETAP_ADAPTER`` are passed over. If all
    frames are such ones, it is ``?:0``.
    """
    while frame is not None and is_library_frame(frame):
        frame = frame.f_back
    return f"{frame.f_code.co_filename.rpartition(os.sep)[2]}:{frame.f_lineno}" if frame else "?:0"


@dataclass
class Draw:
    """One random draw of a policy: its law, its value, and how the program used it.

    Attributes
    ----------
    key : tuple of str and int
        Place ``file:line@decisions`` of the draw, and number of draws that were made there before.
    law : Law
        Law of the draw by itself.
    value : float, int or array
        Value that was drawn.
    round : int
        Number of decisions before the draw.
    additions : list of (float, float)
        For each addition: the number that the draw was added to, and the draw's factor.
    comparisons : list of (float, float, bool)
        For each comparison: the threshold of the draw itself, 1 if it was asked to lie above (-1 if below), and the
        answer.
    unheard_use : str or None
        How the program read the draw as a plain number, whose further use is not recorded: as an ``integer`` (or
        truth value), a ``number`` (a float), or in ``arithmetic`` with a drawn integer; ``None`` if it did not.
    output : float or None
        Result of the first addition; ``None`` without one.
    line : str
        ``file:line`` of the program where the draw was made, or of its first addition.
    """

    key: Key
    law: Law
    value: Any
    round: int
    additions: list[tuple[float, float]] = field(default_factory=list)
    comparisons: list[tuple[float, float, bool]] = field(default_factory=list)
    unheard_use: str | None = None
    output: float | None = None
    line: str = ""

    @property
    def role(self) -> str:
        """Use of the draw in one word.

        A draw that was only added to numbers is ``out``. One that was compared, but not added, nor read as a float,
        is ``asked``. With other uses beside these a draw is ``mixed``. A draw that was neither added nor compared
        is a ``coin`` if it was read as an integer or truth value, or if it is a choice, permutation, integer,
        binomial or beta draw. All other draws are ``unheard``.
        """
        if self.additions:
            return "mixed" if self.comparisons or self.unheard_use else "out"
        if self.comparisons:
            return "mixed" if self.unheard_use == "number" else "asked"
        if self.law.kind in ("choice", "integer", "order", "binomial", "beta") or self.unheard_use == "integer":
            return "coin"
        return "unheard"

    @property
    def output_law(self) -> Law:
        """Law of the output: the draw's own law, stretched and moved by its first addition, if there is one."""
        if not self.additions:
            return self.law
        added, factor = self.additions[0]
        if self.law.kind == "binomial":
            return Law("binomial", added, factor, self.law.params)
        return Law(self.law.kind, added + factor * self.law.location, factor * self.law.scale, self.law.params)

    @property
    def plan_entry(self) -> tuple[str, Any]:
        """Entry of a plan that holds this draw, in another run, to its output, value or answers to comparisons.

        A draw whose `role` is ``out`` keeps its output: ``("out", 3.5)``. Laplace, normal, Gumbel, exponential and
        uniform draws of the role ``asked`` keep value and answers: ``("said", (0.3, (True,)))``. All other draws
        keep their value: ``("value", 2)``.
        """
        if self.role == "out":
            return "out", self.output
        if self.role == "asked" and self.law.kind in ("uniform", "laplace", "normal", "gumbel", "exponential"):
            return "said", (self.value, tuple(said for _, _, said in self.comparisons))
        return "value", self.value

    def as_json(self, other: Draw) -> StatedDraw:
        """Return the draw as JSON data for a certificate; its role must not be ``mixed``.

        ``other`` is the same draw in the run on the other input. The data are ``key``, ``line``, ``moment`` (number
        of decisions before the draw), ``said`` (its output, or else its value), and its laws on the two inputs,
        ``x`` and ``y``.
        """
        return {
            "key": list(self.key),
            "line": self.line,
            "moment": self.round,
            "said": self.output if self.role == "out" else self.value,
            "x": self.output_law.as_json(),
            "y": other.output_law.as_json(),
        }


def first_difference(decisions: list[Any], others: list[Any]) -> int | None:
    """Return the number, from 0, of the first decision that differs; ``None`` if all are the same.

    A decision that one list alone has differs.
    """
    for number, (one, other) in enumerate(zip(decisions, others, strict=False)):
        if one != other:
            return number
    return None if len(decisions) == len(others) else min(len(decisions), len(others))


class Listener(Generic[Drawn]):
    """Base of the records of runs: of a policy (`Tape`), and of a function of data (`Path`).

    ``refusal`` says why the program is refused, or is ``None``. ``seeds`` has a pair for each generator that the
    run itself seeded: the number of decisions before its first draw, and the name of its stream of draws.
    ``decisions`` are those of a policy so far; a function of data has none.
    """

    def __init__(self) -> None:
        self.refusal: str | None = None
        # By stream: kinds and draws so far, in order. By generator: its place on its stream.
        self._streams: dict[Any, list[tuple[Any, Drawn]]] = {}
        self._places: dict[int, tuple[int, Any]] = {}
        # Streams of generators that the run seeded, each after the number of decisions before its first draw.
        self.seeds: list[tuple[int, Any]] = []
        self.decisions: list[Any] = []

    def refuse(self, what: str, line: str | None = None) -> Refused:
        """Return an exception to be raised, and note it: a program that catches it is refused all the same.

        Its text is ``what`` and, in brackets, ``line`` (by default that of the program now). Of several refusals in
        a run each has the text of the first one.
        """
        line = line or source_line(sys._getframe(1))
        self.refusal = self.refusal or f"{what} ({line})"
        return Refused(self.refusal)

    def is_impossible(self) -> bool:
        """Tell whether released numbers contradict the run's comparisons: only a `Path` can answer true."""
        return False

    def next_draw(self, start: StreamStart, kind: Any, make: Callable[[], Drawn], is_own_seed: bool) -> Drawn:
        """Return the next draw of a generator, the same as that of an earlier generator with the same seed.

        If no generator of the seed has come so far on their stream of draws, a new draw is made.

        Parameters
        ----------
        start
            State in which the generator began, which names its stream of draws. Without a ``key`` each draw is new.
        kind
            Law or kind of the draw.
        make
            Function that makes a new draw.
        is_own_seed
            Whether the run itself made the seed.

        Raises
        ------
        Refused
            If the earlier generator made a draw of another kind at this position.
        """
        if start.key is None:
            return make()
        # The owner is kept, so that no other object gets its ``id``.
        at, _ = self._places.get(id(start.owner), (0, None))
        if at == 0 and is_own_seed:
            self.seeds.append((len(self.decisions), start.key))
        kept = self._streams.setdefault(start.key, [])
        if at == len(kept):
            kept.append((kind, make()))
        elif kept[at][0] != kind:
            raise self.refuse("a seed is used again for draws of another kind")
        self._places[id(start.owner)] = at + 1, start.owner
        return kept[at][1]


class Tape(Listener[Draw]):
    """Record of one run of a policy, in which draws can be held to given outputs, answers or values.

    It keeps the ``draws`` by key, in order, and the ``decisions`` of the policy. A key is a place
    ``file:line@decisions`` and the number of draws made there before.

    Parameters
    ----------
    seed : int
        Seed of the draws; each is a function of this and of its key.
    plan : dict
        Outputs, values or answers to which draws are held, by key: ``{("mine.py:11@10", 0): ("out", 3.5)}``.
    redraws : dict
        Draws that are made once more, by key, each with a number above 0: other numbers give other draws.
    """

    def __init__(self, seed: int, plan: Plan | None = None, redraws: dict[Key, int] | None = None) -> None:
        """Begin with nothing drawn."""
        super().__init__()
        self.seed = seed
        self.plan = plan or {}
        self.redraws = redraws or {}
        self.draws: dict[Key, Draw] = {}
        self._draws_at: dict[str, int] = {}

    def draw(self, law: Law, sample: Any) -> Draw:
        """Record a new draw, and return it; its value is the one that the plan holds, or ``sample(generator)``."""
        line = source_line(sys._getframe(1))
        # The place has the decision, so that one draw more or less before it does not change the draws after it.
        place = f"{line}@{len(self.decisions)}"
        number = self._draws_at.get(place, 0)
        self._draws_at[place] = number + 1
        key = (place, number)
        # See `Draw.plan_entry`. "out" holds what comes out of an addition, in `add`, so the draw is made as usual.
        # "value" holds the draw's value, "said" a pair of that and the answers.
        held = self.plan.get(key)
        if held is None or held[0] == "out":
            with _SAMPLING:
                value = sample(_seeded(self.seed, place, number, self.redraws.get(key, 0)))
        else:
            value = held[1] if held[0] == "value" else held[1][0]
        found = Draw(key, law, value, len(self.decisions), line=line)
        self.draws[key] = found
        return found

    def add(self, draw: Draw, added: float, factor: float) -> float:
        """Record an addition, and return its result: ``added + factor * draw``, or what the plan holds it to.

        If the draw was added before, the new result is computed from the first one, which may be held: a multiple
        of it, and an offset rounded to 2^-30 of the noise.
        """
        line = source_line(sys._getframe(1))
        added = float(added)
        held = self.plan.get(draw.key)
        if not draw.additions:
            draw.line = line
            out = held[1] if held is not None and held[0] == "out" else added + factor * draw.value
            draw.output = out
        else:
            first_added, first_factor = draw.additions[0]
            assert draw.output is not None
            if (added, factor) == (first_added, first_factor):
                out = draw.output
            elif first_factor:
                # A second use of the draw tells no more than the first output and an offset. The offset is rounded
                # to 2^-30 of the noise, so that it is the same number on both inputs.
                quantum = 2.0**-30 * abs(factor * draw.law.scale)
                ratio = factor / first_factor
                offset = added - ratio * first_added
                out = ratio * draw.output + (round(offset / quantum) * quantum if quantum else offset)
            else:
                out = added + factor * draw.value
        draw.additions.append((added, factor))
        return float(out)

    def compare(self, draw: Draw, threshold: float, factor: float, above: bool) -> bool:
        """Record a comparison of ``factor * draw`` with a threshold, and return its answer.

        The answer is the one that the plan prescribes for this comparison, or else the true one.

        Parameters
        ----------
        draw
            Draw that is compared.
        threshold, factor
            Threshold, and factor of the draw. The record has the threshold of the draw itself,
            ``threshold / factor``, and 0 for the factor 0.
        above
            Whether the program asks if ``factor * draw > threshold``; otherwise it asks if it is ``< threshold``.
        """
        threshold = float(threshold)
        held = self.plan.get(draw.key)
        number = len(draw.comparisons)
        if held is not None and held[0] == "said" and number < len(held[1][1]):
            said = held[1][1][number]
        else:
            said = factor * draw.value > threshold if above else factor * draw.value < threshold
        draw.comparisons.append(
            (threshold / factor if factor else 0.0, 1.0 if above == (factor > 0) else -1.0, said)
        )
        return bool(said)
