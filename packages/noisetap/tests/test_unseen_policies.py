"""Policies that nobody has looked at while the listener was written: none is condemned, none broken passes."""

from __future__ import annotations

import pytest
from unseen_policies import TWINS, Play

from noisetap import Claim, Rewards, audit

# What the listener cannot decide: hidden coins and hidden noise on thresholds.
UNDECIDED: tuple[str, ...] = ()


def verdict_of(name: str, play: Play, tables: int = 6) -> str:
    claim = Claim(1.0, 0.01) if name == "normal noise" else Claim(1.0)
    return audit(lambda: play, rewards=Rewards(30, 2), claim=claim, effort=tables).word


# A third is fast, beside the programs of test_programs.py.
TIERS = [() if number % 3 == 0 else pytest.mark.slow for number in range(len(TWINS))]
SOUND, BROKEN = (
    [pytest.param(twin[0], twin[side], id=twin[0], marks=marks) for twin, marks in zip(TWINS, TIERS, strict=True)]
    for side in (1, 2)
)


@pytest.mark.parametrize("tables", [1, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("name", "sound"), SOUND)
def test_no_sound_policy_is_condemned(name: str, sound: Play, tables: int) -> None:
    """A sound policy is *consistent*, but for the kinds that are named."""
    assert verdict_of(name, sound, tables) == ("refused" if name in UNDECIDED else "consistent")


@pytest.mark.parametrize(("name", "broken"), BROKEN)
def test_no_broken_policy_passes(name: str, broken: Play) -> None:
    """A broken policy is *violated*."""
    assert verdict_of(name, broken) == "violated"
