"""Values that people give, errors, checkpoints, uniform play, tables and looks, by hand and at their ends."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest

from dpbandits.core import (
    arguments,
    errors,
    escapes,
    fields,
    gaussian,
    labels,
    numbers,
    recording,
    tables,
    uniform_play,
)
from dpbandits.core.errors import BadInput, BrokenFile, DamagedFile, Missing, MissingExtra, MissingFile
from dpbandits.core.fields import Option, Parameter, Tuning
from dpbandits.core.verdicts import (
    FAILS,
    HOLDS,
    OPEN,
    PART,
    UNREFUTED,
    UNTESTED,
    VACUOUS,
    of_every,
    of_sentences,
    of_some,
)

TUNING = Tuning(100, 4, 0.5)


@pytest.mark.parametrize("value", [0, 1, 0.5, np.float64(1.0), np.array(0.0), np.int64(1)])
def test_a_number_in_a_range(value: Any) -> None:
    """At both ends; of NumPy too."""
    assert fields.real("x", value, 0, 1, "a number") == value
    assert isinstance(fields.number({"x": value}, "x", 0, 1), float)


@pytest.mark.parametrize("value", [-1e-9, 1 + 1e-9, math.nan, True, "1", None, np.array([1.0]), np.bool_(1), 1j])
def test_no_number_in_a_range(value: Any) -> None:
    """Beyond both ends; True is no 1."""
    with pytest.raises(BadInput, match=r"x: .*allowed: a number in \[0, 1\]"):
        fields.number({"x": value}, "x", 0, 1)


def test_whole_numbers() -> None:
    """However they are written; finite."""
    assert [fields.whole("x", value, 1, 1e6, "") for value in (1, 1e6, 1e5, np.int64(7))] == [1, 10**6, 10**5, 7]
    assert all(type(fields.whole("x", value, 1, 9, "")) is int for value in (1.0, np.int64(7)))
    for value in (0, 0.5, 1.5, 1e6 + 1, math.inf, math.nan):
        with pytest.raises(BadInput):
            fields.whole("x", value, 1, math.inf if value != 1e6 + 1 else 1e6, "")
    with pytest.raises(BadInput, match=r"an integer in \[1, 9\]"):
        fields.integer({"x": 10}, "x", 1, 9)


def test_ends_of_a_parameter() -> None:
    """Above and below are not in it, at least and at most are; a horizon ends it too."""
    open_, closed = (
        Parameter("p", float, 1.0, "", above=0, below=2),
        Parameter("p", float, 1.0, "", at_least=0, at_most=2),
    )
    assert (open_.range, closed.range) == ("> 0 and < 2", ">= 0 and <= 2")
    assert [closed.check(value, TUNING) for value in (0, 2)] == [0.0, 2.0] and open_.check(1, TUNING) == 1.0
    assert type(closed.check(2, TUNING)) is float
    for parameter, values in ((open_, (0, 2, math.nan)), (closed, (-1e-9, 2.1))):
        for value in values:
            with pytest.raises(BadInput, match="a number"):
                parameter.check(value, TUNING)
    free = Parameter("p", float, 1.0, "")
    assert free.range == "" and free.check(-1e300, TUNING) == -1e300
    for value in (math.inf, -math.inf):
        with pytest.raises(BadInput):
            free.check(value, TUNING)
    long = Parameter("p", int, lambda tuning, _: 2.0 * tuning.horizon, "", at_least=1, at_most_horizon=True)
    assert long.range == ">= 1 and <= T" and long.largest(TUNING) == 100 and long.check(100, TUNING) == 100
    with pytest.raises(BadInput, match=r"an integer >= 1 and <= T = 100"):
        long.check(101, TUNING)
    assert long.default_at(TUNING, {}) == (100, "p: its formula gives 200, beyond >= 1 and <= T; 100 is used")
    assert Parameter("p", int, 3.0, "", at_most=2).default_at(TUNING, {}) == (3, "")
    assert Parameter("p", float, lambda *_: 2, "", at_most=2).default_at(TUNING, {}) == (2.0, "")
    assert Parameter("p", int, 1, "", at_most=9, at_most_horizon=True).largest(TUNING) == 9
    assert (Parameter("p", float, 0.25, "").default_text, fields.one_over_horizon(TUNING, {})) == ("0.25", 0.01)
    assert Parameter("p", float, fields.one_over_horizon, "").default_text == "1/T"


OPTIONS = {
    "whole": Option(1, ""),
    "real": Option(0.0, ""),
    "any": Option(-1.0, ""),
    "yes": Option(False, ""),
    "text": Option("a", ""),
    "list": Option([1, 2.5], ""),
    "mixed": Option([0, "a"], ""),
    "deep": Option([[1.0]], ""),
    "open": Option([], ""),
    "map": Option({}, ""),
}


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("whole", [2], [0, 1.0, True, "1"]),
        ("real", [0, 2.5], [-1.0, math.inf, math.nan, False]),
        ("any", [-5, 1e300], [math.inf, -math.inf, "1"]),
        ("yes", [True], [1, "yes", None]),
        ("text", ["b"], [1, None]),
        ("list", [[], [3, 1e-300]], [[0], [-1], ["a"], [True], 1, [[1]]]),
        ("mixed", [["b", 0, 2.5]], [[-1], [None], [[1]]]),
        ("deep", [[[2.0], []]], [[1.0], [[0.0]], [["a"]]]),
        ("open", [[1, "a", None, [-1]]], ["a", {}]),
        ("map", [{"a": -1}], [[], None]),
    ],
)
def test_options_are_built_like_their_defaults(name: str, right: list[Any], wrong: list[Any]) -> None:
    """Positive where the default is, not negative where it is 0; of the same kinds."""
    for value in right:
        found = fields.resolve(OPTIONS, {name: value})
        assert found[name] == value and type(found[name]) is type(OPTIONS[name].default)
        assert {key: found[key] for key in OPTIONS if key != name} == {
            key: option.default for key, option in OPTIONS.items() if key != name
        }
    for value in wrong:
        with pytest.raises(BadInput) as told:
            fields.resolve(OPTIONS, {name: value})
        assert told.value.path[0] == name
    with pytest.raises(BadInput, match="no options"):
        fields.resolve({}, {name: 1})


def test_signs_and_kinds_in_words() -> None:
    """What is allowed in place of a value."""
    told = {"whole": (0, "> 0"), "real": (-1.0, ">= 0"), "any": (math.inf, "a finite number"), "list": ([0], "> 0")}
    told |= {"yes": (1, "true or false"), "map": (1, "a mapping"), "mixed": ([None], "a number or text")}
    for name, (value, words) in told.items():
        with pytest.raises(BadInput) as fault:
            fields.resolve(OPTIONS, {name: value})
        assert fault.value.allowed.endswith(words)
    with pytest.raises(BadInput, match="an integer"):
        fields.resolve(OPTIONS, {"whole": 1.5})


def test_mappings_lists_and_tables() -> None:
    """Unknown and missing keys; rows of equal length, long enough, in a range, of whole numbers too."""
    assert fields.complete({"a": 1}, "a", b=2) == {"a": 1, "b": 2}
    assert fields.complete({"a": 1, "b": 3}, "a", b=2) == {"a": 1, "b": 3}
    for given, words in (({"a": 1, "c": 1}, "one of a, b"), ({"b": 1}, "the key 'a'")):
        with pytest.raises(BadInput, match=words):
            fields.complete(given, "a", b=2)
    assert fields.choice({"a": "x"}, "a", ("x", "y")) == "x"
    with pytest.raises(BadInput, match="one of x, y"):
        fields.choice({"a": "z"}, "a", ("x", "y"))
    assert fields.numbers({"a": [0, 1]}, "a", 2) == [0.0, 1.0]
    for row in ([0], [0, 1.1], [0, -0.1], (0, 1), "01"):
        with pytest.raises(BadInput):
            fields.numbers({"a": row}, "a", 2)
    for rows in ([[0.0, 1.0]], [[0, 1]], [[0, 0.5], [1.0, 1]]):
        found = fields.table({"a": rows}, "a", 2)
        assert found == rows and all(type(value) is float for row in found for value in row)
        assert found[0] is not rows[0]
    assert fields.table({"a": [[-2.0, 3.0]]}, "a", 2, -2, 3) == [[-2.0, 3.0]]
    for rows in (
        [],
        [[0.0]],
        [[0.0, 1.0], [0.0]],
        [[0.0, 1.1]],
        [[-0.1, 1.0]],
        [[0.0, math.nan]],
        [[0, True]],
        [(0, 1)],
    ):
        with pytest.raises(BadInput):
            fields.table({"a": rows}, "a", 2)
    assert not fields._is_table([[]], 0, 0, 1) and fields._is_table([[1.0]], 1, 0, 1)


def test_run_numbers() -> None:
    """As a number, a range, or one by one without gaps."""
    assert [arguments.run_numbers(value) for value in (3, range(3), [0, 1, 2], np.arange(3), 3.0)] == [range(3)] * 5
    assert arguments.run_numbers([5, 6]) == range(5, 7) and arguments.run_numbers(range(2, 4)) == range(2, 4)
    last = arguments.LAST_RUN
    assert arguments.run_numbers([last - 1]) == range(last - 1, last)
    assert len(arguments.run_numbers(arguments.MOST_RUNS)) == 10**9
    wrong: list[Any] = [0, 10**9 + 1, [], [0, 2], [1, 0], range(0), range(0, 4, 2), range(-1, 2), "3", [-1], [0.5]]
    for value in [*wrong, range(last, last + 1), range(10**9 + 1), None]:
        with pytest.raises(BadInput, match="seeds"):
            arguments.run_numbers(value)
    assert arguments.reals("x", [1, 2.5], "") == [1.0, 2.5] and arguments.reals("x", np.array([1]), "") == [1.0]
    for value in ("12", [math.inf], 1, np.array(1), [True], b"1"):
        with pytest.raises(BadInput):
            arguments.reals("x", value, "")
    for value in ("a\0b", 1, None, b"a"):
        with pytest.raises(BadInput, match="the name of a file"):
            arguments.path("x", value)
    assert arguments.path("x", "a/b") == arguments.path("x", Path("a/b")) == Path("a/b")


def test_errors_say_what_is_wrong() -> None:
    """Where, what, and what is allowed; long values are cut."""
    fault = BadInput(("a", 0), 1, "2")
    assert str(fault) == "a.0: 1 is not allowed; allowed: 2" and str(BadInput((), 1, "2")).startswith(
        "(top level): 1"
    )
    assert str(BadInput("a", Missing, "2")) == "a is missing; needed: 2"
    fault.file = "f"
    assert str(fault).startswith("f: a.0: 1")
    for size, shown in ((98, f"'{'x' * 98}'"), (99, f"'{'x' * 96}...")):
        assert str(BadInput("a", "x" * size, "2")) == f"a: {shown} is not allowed; allowed: 2"
    assert str(BadInput("a", 10**29, "")).startswith(f"a: {10**29} is")
    assert str(BadInput("a", 10**30, "")).startswith("a: an integer of 31 digits")
    assert str(BadInput("a", 10**5000, "")).startswith("a: a value too long to print")
    with pytest.raises(BadInput) as inner, errors.within("x", 1):
        raise BadInput("y", 1, "")
    assert inner.value.path == ("x", 1, "y")
    for names, path in (({"y": "--y"}, ("--y", "z")), ({"y": ("a", "b")}, ("a", "b", "z")), ({}, ("y", "z"))):
        with pytest.raises(BadInput) as renamed, errors.called(names):
            raise BadInput(("y", "z"), 1, "")
        assert renamed.value.path == path
    assert str(MissingExtra("It", "p", "e")) == "It needs p: pip install 'dpbandits[e]'."
    assert str(MissingExtra("It", "p", "")) == "It needs p."
    assert (
        str(MissingFile("f", "No such")) == "f: no such." and str(MissingFile("f", None)) == "f: it cannot be read."
    )
    assert str(DamagedFile("f", "x" * 100, "y", "z")) == f"f: {'x' * 100}, not y; z."
    assert str(DamagedFile("f", "x" * 101, "y", "z")) == f"f: {'x' * 97}..., not y; z."
    assert str(BrokenFile("f", 0, "a\n b")) == "f: a b" and str(BrokenFile("f", 3, "a")) == "f:3: a"
    assert (
        str(errors.ChangedSources("it", "gfedcba"))
        == "sources changed since it began (a, b, c, d, e); start it again."
    )


def test_suggestions() -> None:
    """All of twelve names, of more the nearest, or the first five."""
    twelve = [f"n{i:02}" for i in range(12)]
    assert errors.suggest("zzz", twelve) == f"one of {', '.join(twelve)}"
    assert errors.suggest("zzz", [*twelve, "p"]) == "one of n00, n01, n02, n03, n04 and 8 more"
    assert errors.suggest("alphx", [*twelve, "Alpha"]) == "one of Alpha and 12 more (did you mean 'Alpha'?)"
    assert errors.suggest("x", [], "no options") == "no options"


def test_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    """2 for what a person gave, 4 for a disk, the memory or a source."""
    two = [BadInput("a", 1, "2"), DamagedFile("f", "a", "b"), MissingExtra("It", "p", ""), MissingFile("f", None)]
    four = [MemoryError("m"), OSError(28, "full", "f"), BrokenFile("f", 1, "a"), errors.ChangedSources("it", "a")]
    assert [errors.tell(error) for error in two] == [2] * 4 and [errors.tell(error) for error in four] == [4] * 4
    told = capsys.readouterr().err
    assert "not enough memory (m)" in told and "dpbandits: f: full\n" in told and "f: it cannot be read.\n" in told
    assert errors.tell(OSError("odd")) == 4 and capsys.readouterr().err == "dpbandits: file: odd\n"
    for package, kind in (("seaborn", MissingExtra), ("nothing", ModuleNotFoundError)):
        with pytest.raises(kind), errors.needing_workflow("It"):
            raise ModuleNotFoundError(name=f"{package}.deep")
    with pytest.raises(ModuleNotFoundError), errors.in_source("f"):
        raise ModuleNotFoundError(name="yaml")
    with pytest.raises(BrokenFile), errors.in_source("f"):
        raise ModuleNotFoundError(name="mine")
    with pytest.raises(BrokenFile, match=r"^a/f.py:7: "), errors.in_source("a/f.py"):
        raise ValueError('File "x/f.py", line 7')
    with pytest.raises(BrokenFile, match=r"^f.py:9: "), errors.in_source("f.py"):
        raise SyntaxError("bad", ("f.py", 9, 1, ""))


def test_checkpoints() -> None:
    """Geometric, each once, the horizon last."""
    assert recording.checkpoints(1000, 4).tolist() == [1, 10, 100, 1000]
    assert recording.checkpoints(8, 4).tolist() == [1, 2, 4, 8] and recording.checkpoints(7, 1).tolist() == [7]
    assert recording.checkpoints(3, 100).tolist() == [1, 2, 3] and recording.checkpoints(1, 5).tolist() == [1]


def test_recorded_pulls() -> None:
    """Regret at checkpoints within a batch, from the best arm's; no pull after the horizon; first actions stay."""
    rounds = np.array([1, 3, 4, 6])
    best = np.array([0.0, 0.5, 0.0, 0.0])
    runs = recording.make_runs(np.zeros((2, 4), np.uint64), rounds, 3, 4, best)
    assert (runs.horizon, runs.regret.shape, runs.pulls.shape, runs.played.shape) == (6, (2, 4), (2, 3), (2, 4))
    clock = recording.pull(runs, 1, 2, 0.5, 3, recording.START)
    assert clock == (3, 2, 1.5)
    clock = recording.pull(runs, 1, 1, 1.0, 9, clock)
    assert clock == (6, 4, 4.5) and runs.regret.tolist() == [[0, 0, 0, 0], [0.5, 1.0, 2.5, 4.5]]
    assert runs.pulls.tolist() == [[0, 0, 0], [0, 3, 3]] and runs.played[1].tolist() == [2, 2, 2, 1]
    one = recording.part(runs, 1, 2)
    assert (
        one.regret.tolist() == runs.regret[1:].tolist() and one.played.shape == (1, 4) and one.pulls.shape == (1, 3)
    )
    assert recording.make_runs(np.zeros((1, 4), np.uint64), rounds, 3).best.tolist() == [0.0] * 4


def test_uniform_play() -> None:
    """The mean gap in each round; sums over segments that repeat."""
    assert uniform_play.of_gaps(np.array([0.0, 0.5, 1.0]), np.array([1, 4])).tolist() == [0.5, 2.0]
    found = uniform_play.summed(np.array([0, 2, 5]), np.array([[1.0, 0.0], [0.0, 0.5]]), np.array([1, 2, 4, 5, 11]))
    assert found.tolist() == [[1, 0], [2, 0], [2, 1], [2, 1.5], [5, 3]]


def test_parts_of_tables() -> None:
    """Groups' worst rows, what has learned, and rows that match."""
    table = pd.DataFrame({"a": [1, 1, 2], "mean": [3.0, 5.0, 4.0], "uniform": [6.0, 10.0, 9.0]})
    assert tables.worst(table, ["a"])["mean"].tolist() == [5.0, 4.0]
    assert tables.learned(table, 0.5)["mean"].tolist() == [3.0, 5.0, 4.0]
    assert tables.learned(table, 0.45)["mean"].tolist() == [4.0]
    assert tables.matching(table, {"a": 1, "mean": 5.0})["uniform"].tolist() == [10.0]
    row = pd.Series({"environment.means.0": 0.5, "environment.means.1": math.nan, "mean": 3.0})
    assert tables.means_of(row) == [0.5]
    assert tables.rounded(pd.DataFrame({"x": [1 / 3], "n": [12345678]})).to_numpy().tolist() == [
        [0.3333333, 12345678]
    ]
    assert (tables.shortened(123456789.0), tables.shortened(0.123456789)) == (123456789.0, 0.1234568)


def test_looks_that_are_left() -> None:
    """In turn, from the first again after the last."""
    many = [f"t{i}" for i in range(len(labels.SPARE) + 1)]
    given = labels.looks([*many[:1], "IMED", *many[1:]])
    assert [given[title] for title in many] == [*labels.SPARE, labels.SPARE[0]]
    assert given["IMED"] == labels.LOOKS["IMED"]
    assert labels.Look("c", "--").line == {"color": "c", "linestyle": "--"}
    assert [labels.symbol(each) for each in ("mu", "mu12", "mu3x", "mug", "mu-a")] == [
        "µ",
        "µ₁₂",
        "mu3x",
        "mug",
        "µ-a",
    ]


def test_stand_ins() -> None:
    """A value that has no dimensions is no list."""
    assert (
        not arguments.is_list(SimpleNamespace()) and arguments.is_list({1}) and not arguments.is_list(np.array(1))
    )


@pytest.mark.parametrize("x", [-34.9, -35.1, -38.0, -60.0, -1e3, -3.0, 0.0, 5.0])
def test_logarithms_of_normal_tails(x: float) -> None:
    """To 1e-12, far out too."""
    with mpmath.workdps(40):
        exact = float(mpmath.log(mpmath.ncdf(x)))
    assert gaussian._log_below(x) == pytest.approx(exact, rel=2e-12)


def test_budgets_of_normal_noise() -> None:
    """None is needed where delta covers it; noise for a sensitivity grows with it."""
    even = gaussian.delta_at(0.0, 0.5)
    with mpmath.workdps(30):
        assert even == pytest.approx(float(mpmath.ncdf(0.25) - mpmath.ncdf(-0.25)), rel=1e-12)
    assert gaussian.epsilon_at(0.0, 1e-9) == 0.0 == gaussian.epsilon_at(0.5, even)
    assert gaussian.epsilon_at(0.5, even * 0.999) > 0.0
    assert gaussian.deviation_for(1.0, 1e-5, 3.0) == pytest.approx(3.0 * gaussian.deviation_for(1.0, 1e-5))
    assert gaussian.delta_at(1.0, 1.0 / gaussian.deviation_for(1.0, 1e-5)) == pytest.approx(1e-5, rel=1e-9)


@pytest.mark.parametrize(
    ("tex", "known"),
    [
        (r"a\,b\;\{x\}", True),
        (r"\mu_{1}", True),
        (r"\input{x}", False),
        (r"{a}}{", False),
        (r"{a", False),
        ("a^^b", False),
        ("a%b", False),
        (r"a\%b", True),
        (r"\1", False),
    ],
)
def test_formulas_of_known_commands(tex: str, known: bool) -> None:
    """Spaces and braces too; brackets close what they open."""
    assert escapes._is_formula(tex) == known


def test_digits_in_a_bracket() -> None:
    """The same decimals up to a thousand times, and where none needs a power of ten; a missing end is none."""
    shown = [
        numbers.bracket(*of) for of in ((5.0, 1.0, 999.0), (5.0, 1.0, 1000.0), (0.0, -1.0, 1.0), (5.0, 0.0, 6.0))
    ]
    assert shown == ["5.00 [1.00, 999.00]", "5 [1, 1,000]", "0 [−1, 1]", "5.00 [0.00, 6.00]"]
    shown = [
        numbers.bracket(*of)
        for of in ((5.0, -math.inf, 6.0), (2e7, 1e7, 3e7), (5.0, math.nan, 6.0), (5.0, 5.0, 6.0))
    ]
    assert shown == ["5 [−∞, 6]", "2 · 10⁷ [10⁷, 3 · 10⁷]", "5", "5.00 [5.00, 6.00]"]
    assert numbers.bracket(1234.5, 1000.0, 1500.0) == "1,235 [1,000, 1,500]"
    assert numbers.bracket(-0.5, -0.001, 0.25) == "−0.500 [−0.001, 0.250]"
    assert [numbers.number(value) for value in (1e7, 9_994_999.0, 1e-4, 0.99e-4, 2.0**24, 12_345_678.0)] == [
        *("10⁷", "9,994,999", "0.0001", "9.9 · 10⁻⁵", "2²⁴", "1.23 · 10⁷")
    ]
    assert [numbers.chance(p) for p in (1e-16, 0.99e-16, 0.5)] == ["10⁻¹⁶", "below 10⁻¹⁶", "0.5"]


def test_what_parts_decide() -> None:
    """One that fails refutes all, one that holds proves some; of the rest the least that is known."""
    f, h, o, u, n, v = FAILS, HOLDS, OPEN, UNREFUTED, UNTESTED, VACUOUS
    parts = [[], [h], [f], [h, f], [h, o], [o, u], [u, n], [h, n], [n, v], [v], [f, u], [h, v]]
    assert [of_every(each) for each in parts] == [o, h, f, f, o, o, u, u, n, v, f, u]
    assert [of_some(each) for each in parts] == [o, h, f, h, h, o, u, h, n, v, u, h]
    assert [of_sentences(each) for each in ([h, f], [f, u], [h, u], [h], [])] == [PART, f, u, h, o]
