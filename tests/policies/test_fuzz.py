"""Policies and saved ones under fuzz: what a person gives ends well, or as `BadInput`, or as `MissingFile`."""

from __future__ import annotations

import copy
import datetime
import decimal
import fractions
import json
import os
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpbandits
from dpbandits.core.errors import BadInput, MissingFile
from dpbandits.core.files import read_json, write_json
from dpbandits.core.registry import setting
from dpbandits.policies.make import algorithms

# Of all types of Python and NumPy that a person may have at hand, and a few that nobody has.
VALUES: list[Any] = [
    *(0, 1, -1, 2, 10**400, -(10**400), 2**63, 2**64, 10**10, True, False, None, 0.5, -0.0, 1.5, 1e308, 5e-324),
    *(float("nan"), float("inf"), float("-inf"), 1j, "", "1", "laplace", b"1", [], [0], [[0.5]], {}, {0: 1}, set()),
    *((), (1, 2), object(), int, Ellipsis, range(3), slice(1), np.array([0, 1]), np.array(1), np.array([]), "é\0"),
    *(
        np.float64("nan"),
        np.int64(1),
        np.array([0.5, None], dtype=object),
        np.datetime64("2020"),
        np.timedelta64(1, "s"),
        np.ma.masked,
        np.float16(0.5),
        np.bool_(True),
        np.array([[0.5, 0.5]], dtype=np.float32),
        np.random.default_rng(1),
        np.random.RandomState(1),
        np.random.PCG64(1),
        decimal.Decimal("0.5"),
        decimal.Decimal("NaN"),
        fractions.Fraction(1, 3),
        datetime.date(2026, 1, 1),
        iter([1]),
        (x for x in (0.5, 0.5)),
        memoryview(b"1"),
        bytearray(b"1"),
        frozenset({1}),
        NotImplemented,
        Exception("1"),
        [float("nan")] * 2,
        [[0.5, 0.5], [0.5]],
        [[0.5, 0.5]] * 2,
        [0.5, 0.5],
        {"arms": 2},
        lambda: 0,
        Path(),
    ),
]
# The fast tier tries the first of these.
CALLS = [1000, pytest.param(8000, marks=pytest.mark.slow)]
SAVED = [100, pytest.param(600, marks=pytest.mark.slow)]


def _arguments(name: str) -> dict[str, Any]:
    where = setting("algorithm", name)
    found: dict[str, Any] = {"epsilon": 1.0, "horizon": 50, "seed": 1}
    if where == "linear":
        found["actions"] = [[1.0, 0.0], [0.0, 1.0]]
    else:
        found["arms"] = 2
    if where == "experts":
        found["experts"] = 2
    return found


def _made(name: str, **changes: Any) -> Any:
    try:
        return dpbandits.policy(name, **{**_arguments(name), **changes})
    except BadInput:
        return dpbandits.policy(name, **{**_arguments(name), **changes, "epsilon": None})


@pytest.mark.parametrize("calls", CALLS)
def test_calls_of_policies(calls: int) -> None:
    """On every policy, with what is no number, no array, or none that it takes."""
    generator, names, faults = random.Random(1), sorted(algorithms()), []
    for number in range(calls):
        name, value = names[number % len(names)], generator.choice(VALUES)
        what = generator.choice(
            ("arms", "epsilon", "horizon", "seed", "experts", "actions", "noise", "act", "learn")
        )
        try:
            if what in ("act", "learn"):
                policy = _made(name)
                advised = {"advice": [[0.5, 0.5]] * 2} if setting("algorithm", name) == "experts" else {}
                arm = policy.choose(**advised)
                policy.update(*((value, 0.5) if what == "act" else (arm, value)))
            else:
                _made(name, **{what: value})
        except BadInput as error:
            str(error)
        except Exception as error:
            faults.append(f"{name}, {what} {value!r:.40}: {type(error).__name__}: {error}"[:200])
    assert faults == []


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_copy_would_draw_the_same_noise(copied: Callable[[object], object]) -> None:
    """So a private policy has none; one without noise does."""
    for name in sorted(algorithms()):
        policy = _made(name)
        if policy.private:
            with pytest.raises(BadInput, match="draws the same noise"):
                copied(policy)
        else:
            copied(policy)


@pytest.mark.parametrize("value", ["1", b"1", "0.5"])
def test_text_is_no_reward(value: object) -> None:
    """As it is no number anywhere else."""
    policy = _made("dp-imed")
    with pytest.raises(BadInput, match="allowed: a number from 0 to 1"):
        policy.update(policy.choose(), value)


def _places(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the places of all values in JSON data."""
    items = content.items() if isinstance(content, dict) else enumerate(content)
    inner = [(*path, key) for key, _ in items]
    items = content.items() if isinstance(content, dict) else enumerate(content)
    return inner + [
        place for key, value in items if isinstance(value, dict | list) for place in _places(value, (*path, key))
    ]


@pytest.mark.parametrize("number_of_files", SAVED)
def test_saved_policies_with_one_value_exchanged(number_of_files: int, tmp_path: Path) -> None:
    """With a digest made anew: refused, or a policy that goes on."""
    generator, names, faults = random.Random(2), sorted(algorithms()), []
    values = [0, -1, 10**400, 2**64, True, None, 0.5, 1e308, "", "1", [], [0], [[]], {}, {"array": 1}, {"part": {}}]
    file, altered = tmp_path / "policy.json", tmp_path / "altered.json"
    for number in range(number_of_files):
        policy = _made(names[number % len(names)])
        if setting("algorithm", names[number % len(names)]) != "experts":
            policy.update(policy.choose(), [0.5, 0.5] if policy.feedback == "losses" else 0.5)
        policy.save(file)
        content = json.loads(json.dumps(read_json(file)))
        *path, last = generator.choice(_places(content))
        inner = content
        for key in path:
            inner = inner[key]
        inner[last] = generator.choice(values)
        write_json(altered, content)
        try:
            dpbandits.load_policy(altered)
        except (BadInput, MissingFile) as error:
            str(error)
        except Exception as error:
            faults.append(f"{names[number % len(names)]}, {path} {last} {inner[last]}: {error!r}"[:200])
    assert faults == []


def test_a_saved_policy_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Results are for whom the umask says, raw sums of rewards for nobody."""
    before = os.umask(0o022)
    try:
        for umask, mode in ((0o022, 0o644), (0o077, 0o600), (0o002, 0o664)):
            os.umask(umask)
            _made("dp-imed").save(tmp_path / "policy.json")
            assert (tmp_path / "policy.json").stat().st_mode & 0o777 == 0o600
            write_json(tmp_path / "result.json", {})
            assert (tmp_path / "result.json").stat().st_mode & 0o777 == mode
    finally:
        os.umask(before)
