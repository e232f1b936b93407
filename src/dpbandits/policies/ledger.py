"""Ledger of releases: which rewards have entered which noisy number, and what they have spent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

EntryData = Mapping[str, Any]
"""One entry of the ledger as JSON data: the fields of `Release`."""


@dataclass
class Release:
    """One release of a noisy number or choice; or one entry for several releases that are alike and in a row.

    Ten releases of 8 rewards each, from an arm's first reward on, have ``first = 1``, ``last = 80`` and
    ``releases = 10``.

    Attributes
    ----------
    arm : int or None
        The arm whose rewards entered; ``None`` if those of all arms did.
    first, last : int
        Numbers of the first and the last reward that entered, from 1 among those of the arm (or among all).
    releases : int
        Number of releases; each has ``(last - first + 1) / releases`` of the rewards, in order.
    law : str
        ``"laplace"``, ``"gumbel"``, ``"exponential"`` or ``"discrete laplace"``.
    scale, sensitivity : float
        Scale of the noise, and the most by which one reward moves what is released.
    epsilon, delta : float
        Privacy that a reward spends by being in one of these releases.
    """

    arm: int | None
    first: int
    last: int
    releases: int
    law: str
    scale: float
    sensitivity: float
    epsilon: float
    delta: float = 0.0


@dataclass(frozen=True, repr=False)
class Spent:
    """Privacy that has been spent.

    Attributes
    ----------
    epsilon, delta : float
        The most that any one reward has spent so far, by basic composition of the releases that it entered; 0
        before the first release. For a policy without privacy that has seen a reward, infinity and 0.
    releases : tuple of Release
        The ledger's entries, in the order of their first releases; empty for a policy without privacy.
    """

    epsilon: float
    delta: float
    releases: tuple[Release, ...]

    def __repr__(self) -> str:
        """Return text with the guarantee and the number of the ledger's entries; ``releases`` has each."""
        return f"(ε, δ) = ({self.epsilon:g}, {self.delta:g}), by {len(self.releases)} kinds of releases"


class Ledger:
    """Ledger of the releases so far, in ``entries``; releases in a row that are alike are one entry.

    Such releases agree in arm, law, scale, sensitivity, cost and number of rewards, and their rewards are in a row.
    """

    def __init__(self) -> None:
        self.entries: list[Release] = []
        self._latest: dict[tuple[int | None, str], Release] = {}

    def add(self, release: Release) -> None:
        """Add a release: to the latest entry of its arm and law if both are alike, else as an entry of its own.

        Alike are releases of equal scale, sensitivity, cost and number of rewards, whose rewards are in a row.
        """
        latest = self._latest.get((release.arm, release.law))
        if latest is not None and _continues(latest, release):
            latest.last = release.last
            latest.releases += 1
            return
        self.entries.append(release)
        self._latest[release.arm, release.law] = release

    def spent(self) -> Spent:
        """Return the most epsilon and the most delta that one reward has spent, and the entries.

        Costs of releases that a reward entered add up (basic composition). Both are 0 before the first release.
        """
        worst, worst_delta = 0.0, 0.0
        for arm in {entry.arm for entry in self.entries}:
            # A reward spends what the entries around it cost. The most is spent by some entry's first reward.
            mine = [entry for entry in self.entries if entry.arm == arm]
            for at in {entry.first for entry in mine}:
                inside = [entry for entry in mine if entry.first <= at <= entry.last]
                worst = max(worst, math.fsum(entry.epsilon for entry in inside))
                worst_delta = max(worst_delta, math.fsum(entry.delta for entry in inside))
        return Spent(worst, worst_delta, tuple(self.entries))

    def data(self) -> list[EntryData]:
        """Return the entries as JSON data: for each the fields of `Release` by name, such as ``"arm"``."""
        return [asdict(entry) for entry in self.entries]

    def restore(self, data: list[EntryData]) -> None:
        """Replace the ledger's entries by those in ``data``, as the method `data` returns them.

        Raises
        ------
        ValueError
            If an entry has numbers that no policy's release has, such as a negative epsilon.
        TypeError
            If the fields of an entry are not those of `Release`.
        """
        self.entries = [Release(**entry) for entry in data]
        if not all(map(_is_possible, self.entries)):
            raise ValueError("a release that no policy makes")
        self._latest = {(entry.arm, entry.law): entry for entry in self.entries}


def _is_possible(entry: Release) -> bool:
    """Tell whether a release has the numbers of one, so that none takes from what others have spent."""
    costs = (entry.epsilon, entry.delta, entry.scale, entry.sensitivity)
    whole = all(type(number) is int for number in (entry.first, entry.last, entry.releases))
    return whole and 1 <= entry.first <= entry.last and entry.releases >= 1 and all(cost >= 0 for cost in costs)


def _continues(latest: Release, new: Release) -> bool:
    each = (latest.last - latest.first + 1) // latest.releases
    same = all(getattr(latest, name) == getattr(new, name) for name in ("scale", "sensitivity", "epsilon", "delta"))
    return same and new.first == latest.last + 1 and new.last - new.first + 1 == each
