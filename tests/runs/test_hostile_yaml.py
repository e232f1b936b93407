"""YAML of a stranger is read, or refused in one line, in little time and stack."""

from __future__ import annotations

import functools
from pathlib import Path

import costs
import numpy as np
import pytest

from dpbandits.core.errors import BadInput
from dpbandits.runs.config import shipped
from dpbandits.runs.safe_yaml import parsed, read

TAGS = ["int", "float", "bool", "null", "timestamp", "binary", "set", "omap", "pairs", "seq", "map", "str", "merge"]
TAGS += ["python/object/apply:os.system", "python/name:os.system", "value"]
TEXTS = ["''", "x", "[]", "{}", "[1, [2]]", "0x", "1:99:1", ".", "2020-99-99", "'='", "{a: 1}", "~", '"\\ud800"']


@functools.cache
def bombs() -> list[str]:
    """Return what is too deep, too wide, too long or too often repeated, each in several sizes."""
    found = []
    for size in (10**3, 10**5):
        found += [
            f"z: {'[' * size}{']' * size}",
            f"z: {'{a: ' * size}{'}' * size}",
            f"z: {'- ' * size}x",
            "[" * size,
        ]
        found += [
            f"z: {','.join('[')}{'x,' * size * 10}]",
            f"z: 0x{'f' * size}",
            f"z: {'1:' * size}1",
            f"z: {'9' * size}",
        ]
        found += [
            "\n".join(" " * (depth % 2000) + "a:" for depth in range(size)),
            "".join(f"k{i}: 1\n" for i in range(size * 3)),
        ]
    for width in (7, 9, 20):
        head = f"a0: &a0 [{','.join('x' * width)}]\n"
        found.append(head + "".join(f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * width)}]\n" for i in range(1, 12)))
    return [
        *found,
        "a: &a [*a]",
        "a: &a {b: *a}",
        "a: *b",
        'a: "\\e[2J"',
        'a: "\\x01"',
        'a: "\\u202e"',
        "? [a]\n: b",
    ]


@pytest.mark.parametrize("number", range(len(bombs())))
def test_a_bomb_is_one_line(number: int, tmp_path: Path) -> None:
    """In a second or two on a busy machine."""
    file = tmp_path / "a.yaml"
    file.write_text(bombs()[number], encoding="utf-8")
    with costs.within(5.0):
        try:
            read(file)
        except BadInput as error:
            assert "\n" not in str(error)
            assert len(str(error)) < 1000


def test_tags_are_data_or_refused(tmp_path: Path) -> None:
    """Any tag on any text, nested: 2,000 of them."""
    chance = np.random.default_rng(29)
    file = tmp_path / "a.yaml"
    for _ in range(2000):
        tag, text = TAGS[chance.integers(len(TAGS))], TEXTS[chance.integers(len(TEXTS))]
        form = ["a: {}", "{}: a", "a: [{}, b]", "a: {{<<: {}}}", "a: {{b: {}, c: 1}}"][chance.integers(5)]
        file.write_text(form.format(f"!!{tag} {text}") + "\n", encoding="utf-8")
        try:
            parsed(file)
        except BadInput as error:
            assert str(error).isprintable()


def test_ours_are_far_below_the_limits(root: Path) -> None:
    """So that a person's may be larger."""
    for file in shipped(root / "config"):
        assert read(file)
