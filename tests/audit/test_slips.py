"""Slips that a tool plants in published kernels: each gets one line with file and line number.

A slip is made at each call where it can be: a batch is collected too long or twice, a clock is not kept, an arm is
out of range, a scale is 0 or no number, noise is drawn from another stream, arguments are exchanged, a number is
read before it is written, a loop has no end.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from tiers import core
from twins import direct, mutated, registered

from dpbandits.auditing import checked_calls, fresh_arrays
from dpbandits.auditing.candidates import probes
from dpbandits.auditing.preflight import slip
from dpbandits.core import compiled, registry
from dpbandits.core.provenance import module_path

Change = Callable[[re.Match[str]], str]
# Where slips are planted: an algorithm, and the module of its calls, its own by default.
OF_SELECTIONS = ("rnm-ftnl-gumbel", "rnm-ftnl-laplace", "rnm-ftnl-exponential", "rnm-ftnl-random-phase")
PLACES = (
    *((name, "") for name in ("dp-se", "lazy-dp-ts", "perfection-test", *OF_SELECTIONS)),
    *(("dp-imed", "settings.stochastic.batches"), ("adap-ucb", "settings.stochastic.doubling")),
)
ARM = r"(?P<arm>int\([^()]*\)|[\w.\[\]0]+)"
COLLECT = re.compile(rf"collect\((?P<state>state), runs, \w+, run, {ARM}, (?P<number>[^,]+), clock\)")
PLAY = re.compile(rf"clock = (?P<call>play\(runs, (?P<on>\w+), run, {ARM}, (?P<number>.*), clock\))")
SCALE = re.compile(r"(?P<call>release\(state, runs\.recorder, (?P<value>.*), )(?P<scale>[^,()]+(?:\[.*\]\])?)\)")
OFFER = re.compile(r"(?P<call>offer\(state, runs\.recorder, (?P<scores>\w+), (?P<law>\w+), )(?P<scale>\w+)\)")
STREAM = re.compile(r"(release|offer)\(state, ")
SELECT = re.compile(r"select\(runs\.recorder, (?P<noisy>\w+), (?P<action>argmin\(state, \w+\))\)")
BELOW = re.compile(r"integer_below\(state, (?P<number>[\w.]+)\)")
SUM = re.compile(r"accumulate\(state, runs\.recorder, losses, clock, (?P<resampled>\w+), (?P<total>\w+)\)")
SHUFFLE = re.compile(r"shuffle\(state, (?P<items>[\w\[\]:]+)\)")
OF_RUNS = re.compile(
    r"\b(?P<array>runs\.(?:pulls|regret|rounds)|bandit\.gaps)\[(?P<row>run, )?(?P<place>[^\[\]]+)\]"
)
INDEX = re.compile(r"\b(?P<array>mean|active|index|noisy|arms\.(?:n|m|mean|clipped|noisy_sum))\[(?P<place>\w+)\]")
FILLED = re.compile(
    r"(?<=^        )(?P<array>arms\.\w+|mean|noisy|index)\[[^\]]*\] = .*$|(?<=^    )arms\.\w+\[:\] = .*$"
)
LOOP = re.compile(r"while clock\.t < (?P<end>runs\.horizon)\b")
# What each slip makes of a call, by the words of the slip; its line is the one that is named.
HERE: dict[str, tuple[re.Pattern[str], Change]] = {
    "a round more is collected": (COLLECT, lambda m: m[0].replace(m["number"], f"{m['number']} + 1")),
    "twice as many are collected": (COLLECT, lambda m: m[0].replace(m["number"], f"2 * {m['number']} + 1")),
    "collected twice": (COLLECT, lambda m: f"{m[0]} + {m[0]}"),
    "collected of another arm": (COLLECT, lambda m: on_arm(m, f"{m['arm']} + 50")),
    "a negative number is collected": (COLLECT, lambda m: put(m, number="-({})")),
    "half a number is collected": (COLLECT, lambda m: put(m, number="({}) / 2")),
    "a number with a point is collected": (COLLECT, lambda m: put(m, number="float({})")),
    "no number is collected": (COLLECT, lambda m: put(m, number="float('nan')")),
    "more than there are rounds is collected": (COLLECT, lambda m: put(m, number="2**70")),
    "collected of a negative arm": (COLLECT, lambda m: put(m, arm="-1 - ({})")),
    "collected of an arm with a point": (COLLECT, lambda m: put(m, arm="float({})")),
    "collected of all arms": (COLLECT, lambda m: put(m, arm="np.arange(2)")),
    "collected with a copy of the stream": (COLLECT, lambda m: put(m, state="{}.copy()")),
    "collected with no stream": (COLLECT, lambda m: put(m, state="run")),
    "collected of the next run": (COLLECT, lambda m: m[0].replace(", run,", ", run + 1,")),
    "number and clock exchanged": (
        COLLECT,
        lambda m: m[0].replace(f"{m['number']}, clock", f"clock, {m['number']}"),
    ),
    "stream and runs exchanged": (COLLECT, lambda m: m[0].replace("state, runs", "runs, state")),
    "collected by the first clock": (COLLECT, lambda m: m[0].replace("clock)", "START)")),
    "collected without a clock": (COLLECT, lambda m: m[0].replace(", clock)", ")")),
    "the clock is not kept": (PLAY, lambda m: m["call"]),
    "an arm too high": (PLAY, lambda m: on_arm(m, f"{m['arm']} + 50")),
    "an arm one too high": (PLAY, lambda m: on_arm(m, f"{m['arm']} + runs.pulls.shape[1]")),
    "an arm below 0": (PLAY, lambda m: on_arm(m, f"-1 - {m['arm']}")),
    "an arm with a point": (PLAY, lambda m: on_arm(m, f"float({m['arm']})")),
    "an arm that is a list": (PLAY, lambda m: on_arm(m, f"[{m['arm']}]")),
    "an arm that is no number": (PLAY, lambda m: on_arm(m, "float('nan')")),
    "a negative number is played": (PLAY, lambda m: put(m, number="-1 - ({})")),
    "a number with a point is played": (PLAY, lambda m: put(m, number="1.0 * ({})")),
    "half a number is played": (PLAY, lambda m: put(m, number="({}) / 2")),
    "more than all rounds are played": (PLAY, lambda m: put(m, number="2**62 + ({})")),
    "another run is played": (PLAY, lambda m: m[0].replace(", run,", ", run + 1,")),
    "number and arm exchanged": (
        PLAY,
        lambda m: m[0].replace(f"{m['arm']}, {m['number']}, clock", f"clock, {m['arm']}, 1"),
    ),
    "played without a clock": (PLAY, lambda m: m[0].replace(", clock)", ", 0)")),
    "collected before it is played": (
        PLAY,
        lambda m: f"collect(runs.streams[run], runs, {m['on']}, run, {m['arm']}, 1, clock); {m[0]}",
    ),
    "a scale below 0": (SCALE, lambda m: f"{m['call']}-({m['scale']}))"),
    "a scale that is no number": (SCALE, lambda m: f"{m['call']}0.0 * float('inf') * ({m['scale']}))"),
    "a scale of 0": (SCALE, lambda m: f"{m['call']}0.0 * ({m['scale']}))"),
    "a scale of whole numbers": (SCALE, lambda m: f"{m['call']}1 // 2)"),
    "a scale without end": (SCALE, lambda m: f"{m['call']}float('inf'))"),
    "a scale that leaves the numbers": (SCALE, lambda m: f"{m['call']}({m['scale']}) * 1e308 * 1e308)"),
    "a scale that is text": (SCALE, lambda m: f"{m['call']}'1')"),
    "a scale that is none": (SCALE, lambda m: f"{m['call']}None)"),
    "a scale that follows the rewards": (SCALE, lambda m: f"{m['call']}({m['scale']}) * (1.0 + ({m['value']})))"),
    "value and scale exchanged": (SCALE, lambda m: f"release(state, runs.recorder, {m['scale']}, {m['value']})"),
    "a value that is no number": (SCALE, lambda m: f"release(state, runs.recorder, float('nan'), {m['scale']})"),
    "a value without end": (SCALE, lambda m: f"release(state, runs.recorder, float('inf'), {m['scale']})"),
    "a value that is an array": (SCALE, lambda m: f"release(state, runs.recorder, np.ones(2), {m['scale']})"),
    "released past the recorder": (SCALE, lambda m: m[0].replace("runs.recorder", "None")),
    "stream and recorder exchanged": (
        SCALE,
        lambda m: m[0].replace("state, runs.recorder", "runs.recorder, state"),
    ),
    "noise that NumPy draws": (SCALE, lambda m: f"release(state, runs.recorder, np.random.random(), {m['scale']})"),
    "a name with a letter exchanged": (SCALE, lambda m: m[0].replace("release", "relaese")),
    "an offer with a scale below 0": (OFFER, lambda m: f"{m['call']}-({m['scale']}))"),
    "an offer with no scale": (OFFER, lambda m: f"{m['call']}float('nan'))"),
    "an offer with a scale of 0": (OFFER, lambda m: f"{m['call']}0.0)"),
    "an offer with a scale without end": (OFFER, lambda m: f"{m['call']}float('inf'))"),
    "an offer of an unknown law": (OFFER, lambda m: m[0].replace(m["law"], "7")),
    "an offer of no scores": (OFFER, lambda m: m[0].replace(f"{m['scores']},", f"{m['scores']} * float('nan'),")),
    "an offer of one score": (OFFER, lambda m: m[0].replace(f"{m['scores']},", f"{m['scores']}[0],")),
    "another stream": (STREAM, lambda m: f"{m[1]}(state.copy(), "),
    "a stream of nobody": (STREAM, lambda m: f"{m[1]}(state + np.uint64(1), "),
    "a stream turned round": (STREAM, lambda m: f"{m[1]}(state[::-1], "),
    "a stream of whole numbers": (STREAM, lambda m: f"{m[1]}(np.arange(4), "),
    "a stream that is a number": (STREAM, lambda m: f"{m[1]}(1, "),
    "an action one too high is selected": (SELECT, lambda m: put(m, action="{} + noisy.size")),
    "an action below 0 is selected": (SELECT, lambda m: put(m, action="-1")),
    "an action with a point is selected": (SELECT, lambda m: put(m, action="1.0 * {}")),
    "selected among what is no number": (
        SELECT,
        lambda m: m[0].replace("recorder, noisy", "recorder, noisy * float('nan')"),
    ),
    "selected among other scores": (SELECT, lambda m: m[0].replace("recorder, noisy", "recorder, noisy + 9.0")),
    "a number below 0 is drawn": (BELOW, lambda m: put(m, number="-{}")),
    "a number below none is drawn": (BELOW, lambda m: put(m, number="0 * {}")),
    "a number below a point is drawn": (BELOW, lambda m: put(m, number="float({})")),
    "losses are added up twice": (SUM, lambda m: f"{m[0]}; {m[0]}"),
    "losses are added up by the first clock": (
        SUM,
        lambda m: f"if clock.t: {m[0].replace('clock', 'START')}\n            else: {m[0]}",
    ),
    "losses are resampled twice": (SUM, lambda m: m[0].replace(m["resampled"], "2")),
    "numbers with a point are shuffled": (SHUFFLE, lambda m: put(m, items="1.0 * {}")),
    "another stream shuffles": (SHUFFLE, lambda m: m[0].replace("state", "state.copy()")),
    "a place one past the end": (INDEX, lambda m: f"{m['array']}[{m['array']}.size]"),
    "a place one past the end of the runs": (
        OF_RUNS,
        lambda m: put(m, place="{} + runs.streams.size + bandit.means.size"),
    ),
    "a place with a point in the runs": (OF_RUNS, lambda m: put(m, place="1.0 * ({})")),
    "a place with a point": (INDEX, lambda m: f"{m['array']}[1.0 * {m['place']}]"),
    "a place far below 0": (INDEX, lambda m: f"{m['array']}[-1 - {m['array']}.size]"),
}
# Those that show at another line: at the next call, or where a number is read.
LATER: dict[str, tuple[re.Pattern[str], Change]] = {
    "never collected": (COLLECT, lambda _: "0.0"),
    "none is played": (PLAY, lambda m: put(m, number="0 * ({})")),
    "the clock keeps another name": (PLAY, lambda m: m[0].replace("clock = ", "later = ")),
    "the clock begins again": (PLAY, lambda m: f"{m[0]}; clock = START"),
    "the horizon is not kept by the clock": (
        PLAY,
        lambda m: m[0].replace("clock = ", "clock = clock if clock.t else "),
    ),
    "the clock goes back a round": (PLAY, lambda m: f"{m[0]}; clock = clock._replace(t=clock.t - 1)"),
    "pulls are counted by hand": (PLAY, lambda m: f"{m[0]}; runs.pulls[run, 0] += 1"),
    "losses are never added up": (SUM, lambda _: "pass"),
    "read before it is written": (FILLED, lambda _: "pass"),
    "a loop without end": (LOOP, lambda _: "while True"),
    "a round too many": (LOOP, lambda _: "while clock.t <= runs.horizon"),
    "twice as many rounds": (LOOP, lambda _: "while clock.t < 2 * runs.horizon"),
    "a round too few": (LOOP, lambda _: "while clock.t < runs.horizon - 1"),
}
SLIPS = HERE | LATER


@pytest.fixture(autouse=True)
def preflight_of_tier() -> None:
    """Leave the preflight whole: it is tested here."""


def put(found: re.Match[str], **parts: str) -> str:
    """Return a call with one of its arguments, ``{}``, made another one."""
    ((name, form),) = parts.items()
    begin, end = found.start(name) - found.start(), found.end(name) - found.start()
    return found[0][:begin] + form.format(found[name]) + found[0][end:]


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


# What a change leaves a sound algorithm: the last play of a run, phases that nobody has to play or to read, and a
# loop whose end is also asked for inside.
HARMLESS = {
    ("dp-se", "a loop without end", "while"),
    ("dp-se", "a round too many", "while"),
    ("dp-se", "twice as many rounds", "while"),
    ("dp-se", "a round too few", "while"),
    ("dp-se", "the clock keeps another name", "active[0]"),
    ("dp-se", "the clock begins again", "active[0]"),
    ("dp-se", "the clock goes back a round", "active[0]"),
    ("perfection-test", "a loop without end", "while"),
    ("perfection-test", "a round too many", "while"),
    ("perfection-test", "twice as many rounds", "while"),
    ("perfection-test", "none is played", "order[0]"),
    ("perfection-test", "none is played", "active[0]"),
    ("perfection-test", "the horizon is not kept by the clock", "order[0]"),
    ("perfection-test", "the horizon is not kept by the clock", "active[0]"),
    ("perfection-test", "never collected", "number"),
}
# Lines that the algorithm of a module does not reach, by their beginning, and one that does.
REACHED_BY = {
    "arms.noisy_sum[arm] = 0.0": "forgetting-dp-imed",
    "arms.n[arm] = 0": "forgetting-dp-imed",
    "noisy_sum += ": "lasting-adap-klucb",
    "arms.n[arm] += wanted": "lasting-adap-klucb",
}


def planted() -> list[Slip]:
    """Return all slips."""
    return [
        Slip(
            next((n for begin, n in REACHED_BY.items() if line.strip().startswith(begin)), name),
            module,
            number,
            words,
        )
        for name, module in PLACES
        for number, line in enumerate(source_of(name, module).splitlines(), start=1)
        for words, (where, _) in SLIPS.items()
        if where.search(line) and not any((name, words) == (n, w) and part in line for n, w, part in HARMLESS)
    ]


def said(slipped: Slip) -> str:
    """Return what is said of a slip; empty if it passes."""
    source = source_of(slipped.algorithm, slipped.module)
    lines = source.splitlines(keepends=True)
    where, made = SLIPS[slipped.words]
    lines[slipped.line - 1] = where.sub(made, lines[slipped.line - 1], count=1)
    twin = mutated(slipped.algorithm, {slipped.module: {source: "".join(lines)}})
    with registered(slipped.algorithm, twin) as name:
        found = slip(name, {}, probes(slipped.algorithm)[0].arms, 1.0, 0)
    return "" if found is None else str(found)


def line_of(words: str) -> int:
    """Return the line number that is named, 0 without any; more lines than one are none."""
    found = re.search(r"\.py:(\d+): \S", words)
    return int(found[1]) if found and "\n" not in words else 0


def test_there_are_hundreds() -> None:
    assert len(planted()) >= 600
    assert len(SLIPS) >= 90


KEPT = {
    ("dp-se", "an arm too high"),
    ("dp-se", "the clock is not kept"),
    ("perfection-test", "a negative number is collected"),
    ("perfection-test", "the clock goes back a round"),
    ("lazy-dp-ts", "a scale without end"),
    ("adap-ucb", "a scale that follows the rewards"),
    ("dp-imed", "noise that NumPy draws"),
    ("rnm-ftnl-gumbel", "losses are never added up"),
}
OF_TIER = core(sorted({(s.algorithm, s.words) for s in planted()}), KEPT.__contains__)


@pytest.mark.parametrize(("algorithm", "words"), OF_TIER)
def test_a_slip_gets_its_line(algorithm: str, words: str) -> None:
    for each in planted():
        if (each.algorithm, each.words) == (algorithm, words):
            heard = said(each)
            line = line_of(heard)
            assert line == each.line if words in HERE else line, (each, heard)


def test_a_loop_that_waits_for_nothing_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checked_calls, "LONGEST_RUN", 0.2)
    twin = mutated("perfection-test", {"": {"            level += 1\n": "            while True: level += 1\n"}})
    with registered("perfection-test", twin) as name:
        found = slip(name, {}, 2, 1.0, 0)
    assert "there is no end" in str(found)
    assert line_of(str(found))


def test_nothing_is_left_of_a_watched_run() -> None:
    """Kernels and NumPy are called as before, and no array that remembers gets out."""
    before = compiled.Kernel.__call__, np.empty, np.empty_like
    assert slip("kl-ucb", {}, 3, None, 0) is None
    assert (compiled.Kernel.__call__, np.empty, np.empty_like) == before
    assert type(np.empty(3)) is np.ndarray


SOUND = core(sorted(registry.modules("algorithm")), {"dp-se"}.__contains__)


@pytest.mark.parametrize("name", SOUND)
def test_no_algorithm_of_ours_has_a_slip(name: str) -> None:
    if registry.algorithm(name).privacy is None:
        assert all(slip(name, {}, arms, None, arms) is None for arms in (2, 3, 7))
        return
    for seed, epsilon in enumerate((0.1, 1.0, 10.0)):
        probe = probes(name)[seed % len(probes(name))]
        for given in ({}, dict(probe.parameters)):
            assert slip(name, given, probe.arms, epsilon, seed) is None


def test_numbers_that_were_not_written_are_known() -> None:
    """In views and in sums too; what NumPy may have written is not claimed."""
    with fresh_arrays.remembered(lambda: True):
        numbers, others = np.empty((2, 3)), np.empty(4)
    numbers[0] = 1.0
    row = numbers[1]
    row[2] = 5.0
    assert numbers[0].sum() == 3.0
    assert numbers[1, 2] == 5.0
    for read in (lambda: numbers[1, 0], lambda: row + 1.0, lambda: numbers.max(), lambda: others[np.array([0, 2])]):
        with pytest.raises(ValueError, match="before one was written"):
            read()
    np.copyto(others, 2.0)
    assert others[3] == 2.0
    assert type(fresh_arrays.settled((others,))[0]) is np.ndarray
