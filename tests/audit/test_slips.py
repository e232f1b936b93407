"""Slips that a tool plants in published kernels: each gets one line with file and line number.

A slip is made at each call where it can be: a batch is collected too long or twice, a clock is not kept, an arm is
out of range, a scale is negative or no number, noise is drawn from another stream.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from tiers import core
from twins import direct, mutated, registered

from dpbandits.auditing.candidates import probes
from dpbandits.auditing.preflight import slip
from dpbandits.core import registry
from dpbandits.core.provenance import module_path

# Where slips are planted: an algorithm, and the module of its calls, its own by default.
OF_SELECTIONS = ("rnm-ftnl-gumbel", "rnm-ftnl-laplace", "rnm-ftnl-exponential", "rnm-ftnl-random-phase")
PLACES = (
    *((name, "") for name in ("dp-se", "lazy-dp-ts", "perfection-test", *OF_SELECTIONS)),
    *(("dp-imed", "settings.stochastic.batches"), ("adap-ucb", "settings.stochastic.doubling")),
)
ARM = r"(?P<arm>int\([^()]*\)|[\w.\[\]0]+)"
COLLECT = re.compile(rf"collect\(state, runs, \w+, run, {ARM}, (?P<number>[^,]+), clock\)")
PLAY = re.compile(rf"clock = (?P<call>play\(runs, \w+, run, {ARM}, .*)")
SCALE = re.compile(r"(?P<call>release\(state, runs\.recorder, .*, )(?P<scale>[^,()]+(?:\[.*\]\])?)\)")
OFFER = re.compile(r"(?P<call>offer\(state, runs\.recorder, \w+, \w+, )(?P<scale>\w+)\)")
STREAM = re.compile(r"(release|offer)\(state, ")
# What each slip makes of a call, by the words of the slip.
SLIPS = {
    "a round more is collected": (COLLECT, lambda m: m[0].replace(m["number"], f"{m['number']} + 1")),
    "twice as many are collected": (COLLECT, lambda m: m[0].replace(m["number"], f"2 * {m['number']} + 1")),
    "collected twice": (COLLECT, lambda m: f"{m[0]} + {m[0]}"),
    "collected of another arm": (COLLECT, lambda m: on_arm(m, f"{m['arm']} + 50")),
    "the clock is not kept": (PLAY, lambda m: m["call"]),
    "an arm too high": (PLAY, lambda m: on_arm(m, f"{m['arm']} + 50")),
    "an arm one too high": (PLAY, lambda m: on_arm(m, f"{m['arm']} + runs.pulls.shape[1]")),
    "an arm below 0": (PLAY, lambda m: on_arm(m, f"-1 - {m['arm']}")),
    "a scale below 0": (SCALE, lambda m: f"{m['call']}-({m['scale']}))"),
    "a scale that is no number": (SCALE, lambda m: f"{m['call']}0.0 * float('inf') * ({m['scale']}))"),
    "an offer with a scale below 0": (OFFER, lambda m: f"{m['call']}-({m['scale']}))"),
    "an offer with no scale": (OFFER, lambda m: f"{m['call']}float('nan'))"),
    "another stream": (STREAM, lambda m: f"{m[1]}(state.copy(), "),
    "a stream of nobody": (STREAM, lambda m: f"{m[1]}(state + np.uint64(1), "),
}


def on_arm(found: re.Match[str], arm: str) -> str:
    """Return a call with another arm."""
    return found[0].replace(f"run, {found['arm']}", f"run, {arm}")


class Slip(NamedTuple):
    """A slip at a line of a module."""

    algorithm: str
    module: str
    line: int
    words: str


def source_of(algorithm: str, module: str) -> str:
    name = f"dpbandits.{module}" if module else registry.module("algorithm", algorithm)
    return direct(module_path(name).read_text(encoding="utf-8"))


def planted() -> list[Slip]:
    """Return all slips."""
    return [
        Slip(algorithm, module, number, words)
        for algorithm, module in PLACES
        for number, line in enumerate(source_of(algorithm, module).splitlines(), start=1)
        for words, (where, _) in SLIPS.items()
        if where.search(line)
    ]


def said(slipped: Slip) -> str:
    """Return what is said of a slip; empty if it passes."""
    source = source_of(slipped.algorithm, slipped.module)
    lines = source.splitlines(keepends=True)
    where, made = SLIPS[slipped.words]
    lines[slipped.line - 1] = where.sub(made, lines[slipped.line - 1])
    twin = mutated(slipped.algorithm, {slipped.module: {source: "".join(lines)}})
    with registered(slipped.algorithm, twin) as name:
        found = slip(name, {}, probes(slipped.algorithm)[0].arms, 1.0, 0)
    return "" if found is None else str(found)


def line_of(words: str) -> int:
    """Return the line number that is named, 0 without any; more lines than one are none."""
    found = re.search(r"\.py:(\d+): \S", words)
    return int(found[1]) if found and "\n" not in words else 0


def test_there_are_a_hundred() -> None:
    assert len(planted()) >= 100


KEPT = {("dp-se", "an arm too high"), ("dp-se", "the clock is not kept")}
OF_TIER = core(sorted({(s.algorithm, s.words) for s in planted()}), KEPT.__contains__)


@pytest.mark.parametrize(("algorithm", "words"), OF_TIER)
def test_a_slip_gets_its_line(algorithm: str, words: str) -> None:
    for each in planted():
        if (each.algorithm, each.words) == (algorithm, words):
            heard = said(each)
            assert line_of(heard) == each.line, (each, heard)
