"""Looks and names: every algorithm has both, and no two of a setting look alike."""

from __future__ import annotations

from collections import defaultdict

from dpbandits.core import registry
from dpbandits.core.labels import LOOKS, NOISES, looks


def test_every_algorithm_has_a_look() -> None:
    """So no figure gives it a colour of its own; what runs another algorithm may take a look that is left over."""
    for name in registry.modules("algorithm"):
        declared = registry.algorithm(name)
        assert declared.title in LOOKS, name


def test_no_two_algorithms_of_a_setting_look_alike() -> None:
    """By colour and dashes, or by mark: each is enough."""
    lines, marks = defaultdict(set), defaultdict(set)
    number = defaultdict(int)
    for name in registry.modules("algorithm"):
        setting, look = registry.setting("algorithm", name), LOOKS[registry.algorithm(name).title]
        lines[setting].add((look.colour, look.dashes))
        marks[setting].add((look.colour, look.mark))
        number[setting] += 1
    assert {setting: len(found) for setting, found in lines.items()} == dict(number)
    assert {setting: len(found) for setting, found in marks.items()} == dict(number)


def test_titles_without_a_look_differ() -> None:
    """They take the looks that are left over, in turn."""
    given = looks(["one", "other", "DP-IMED"])
    assert given["one"] != given["other"]
    assert given["DP-IMED"] == LOOKS["DP-IMED"]


def test_every_noise_has_a_word() -> None:
    """It is in the title of the algorithm that has it."""
    for noise, word in NOISES.items():
        assert registry.algorithm(f"rnm-ftnl-{noise}").title == f"RNM-FTNL ({word})"
