"""Events: sets of action sequences, of which the definitions of privacy speak and audits choose one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.audit.bounds import promise

Codes = NDArray[np.int64]
Played = NDArray[np.int16]
# An event over more rounds must be worth this much more: short events are checked by hand more easily.
SIMPLER = 1.01
# Single rounds are looked at up to so many from the beginning and from the end.
NEAR = 12
# Up to so many possible codes are counted without sorting.
DIRECT = 1 << 12


class Event(NamedTuple):
    """That the actions of some rounds are one of some sequences.

    Attributes
    ----------
    rounds
        The rounds, from 1.
    arms
        Number of actions.
    codes : ndarray of int64
        The sequences as numbers to the base of ``arms``, increasing.
    """

    rounds: tuple[int, ...]
    arms: int
    codes: Codes

    def count(self, played: Played) -> int:
        """Return how many rows of ``played``, shape (runs, kept), are in the event."""
        return int(np.isin(encode(played, self.rounds, self.arms), self.codes).sum())

    @property
    def sequences(self) -> list[list[int]]:
        """The sequences of actions, each from 1."""
        powers = self.arms ** np.arange(len(self.rounds) - 1, -1, -1)
        found: list[list[int]] = (self.codes[:, None] // powers % self.arms + 1).tolist()
        return found

    @property
    def words(self) -> str:
        """The event in words, long ones shortened."""
        sequences = self.sequences
        shown = ", ".join(" ".join(map(str, sequence)) for sequence in sequences[:5])
        more = f", ... ({len(sequences)} sequences)" if len(sequences) > 5 else ""
        first, last = self.rounds[0], self.rounds[-1]
        rounds = f"rounds {', '.join(map(str, self.rounds))}"
        if last - first + 1 == len(self.rounds):
            rounds = f"round {first}" if first == last else f"rounds {first} to {last}"
        return f"the actions of {rounds} are {' or '.join(shown.rsplit(', ', 1)) if not more else shown + more}"


def encode(played: Played, rounds: Sequence[int], arms: int) -> Codes:
    """Return each run's actions in some rounds as a number to the base of ``arms``."""
    codes = np.zeros(played.shape[0], dtype=np.int64)
    for t in rounds:
        codes *= arms
        codes += played[:, t - 1]
    return codes


def spans(horizon: int, arms: int) -> Iterator[tuple[int, ...]]:
    """Yield the rounds whose actions are looked at together: single ones, beginnings, and what they led to.

    Of long runs the last rounds tell what was decided, and the first ones in which order arms take their turns.
    """
    late = range(max(NEAR, horizon - NEAR) + 1, horizon + 1)
    for t in (*range(1, min(NEAR, horizon) + 1), *late):
        yield (t,)
    longest = min(horizon, int(62 / np.log2(max(arms, 2))))
    for last in sorted({length for length in (2, 3, 4, 6, 8, 12, 16, 24, 32, longest) if 2 <= length <= longest}):
        yield tuple(range(1, last + 1))
    if horizon > longest:
        for t in late:
            yield (*range(1, arms), t)


def tally(samples: Sequence[Codes], possible: int) -> tuple[Codes, Codes]:
    """Return the codes seen, increasing, and how often in each half of each sample, shape (codes, 2 samples)."""
    halves = [half for sample in samples for half in np.split(sample, 2)]
    if possible <= DIRECT:
        counts = np.stack([np.bincount(half, minlength=possible) for half in halves], axis=1)
        codes = np.flatnonzero(counts.any(axis=1))
        return codes, counts[codes]
    codes, which = np.unique(np.concatenate(halves), return_inverse=True)
    size = len(halves)
    places = size * which + np.repeat(np.arange(size), halves[0].size)
    return codes, np.bincount(places, minlength=size * codes.size).reshape(-1, size)


class Found(NamedTuple):
    """An event, and what it promises.

    Attributes
    ----------
    promise
        A rough lower bound of the loss that it shows.
    event
        The event.
    swapped
        Whether it is likelier on the second input.
    one, other, runs
        In how many of how many runs it was seen, on the input where it is likelier and on the other.
    """

    promise: float
    event: Event
    swapped: bool
    one: int
    other: int
    runs: int

    def at(self, z: float, delta: float) -> float:
        """Return what it promises at another number of standard deviations."""
        return float(promise(np.array([self.one]), np.array([self.other]), self.runs, delta, z)[0])


def best_event(one: Played, other: Played, arms: int, delta: float, z: float) -> Found:
    """Return the event that promises the largest loss, given runs on two inputs.

    One half of the runs sorts the sequences of a span by likelihood ratio, the other half says how many of them to
    take: by Neyman and Pearson's lemma no other event of that probability has a larger ratio.

    Parameters
    ----------
    one, other : ndarray of int16, shape (runs, kept)
        Actions on each input; the same number of runs.
    arms, delta
        Number of actions, and the delta of the claim.
    z
        Standard deviations of the intervals.
    """
    best = Found(-np.inf, Event((1,), arms, np.zeros(0, dtype=np.int64)), False, 0, 0, 1)
    half = one.shape[0] // 2
    for rounds in spans(one.shape[1], arms):
        samples = [encode(rows[: 2 * half], rounds, arms) for rows in (one, other)]
        codes, counts = tally(samples, arms ** len(rounds))
        ratio = np.log((counts[:, 0] + 0.5) / (counts[:, 2] + 0.5))
        for swapped, order in (
            (False, np.argsort(-ratio, kind="stable")),
            (True, np.argsort(ratio, kind="stable")),
        ):
            seen = np.cumsum(counts[order][:, [3, 1] if swapped else [1, 3]], axis=0)
            promises = promise(seen[:, 0], seen[:, 1], half, delta, z)
            top = int(np.argmax(promises))
            if promises[top] > (best.promise if len(rounds) == 1 else best.promise * SIMPLER):
                event = Event(rounds, arms, np.sort(codes[order[: top + 1]]))
                best = Found(float(promises[top]), event, swapped, int(seen[top, 0]), int(seen[top, 1]), half)
    return best
