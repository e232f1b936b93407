"""Events: sets of action sequences. A sampled audit chooses the one that shows the largest privacy loss."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.auditing.bounds import approximate_bounds
from dpbandits.core import arrays

Codes = NDArray[np.int64]
Played = NDArray[np.int16]
# An event over several rounds must show a loss larger by this factor: short events are easier to check by hand.
SIMPLER = 1.01
# Single rounds are tried among the first and the last NEAR rounds.
NEAR = 12
# Up to this many possible sequences are counted without sorting.
DIRECT = 1 << 12


class Event(NamedTuple):
    """A set of action sequences in some rounds.

    Attributes
    ----------
    rounds
        The rounds, from 1.
    arms
        Number of actions.
    codes : ndarray of int64, shape (sequences,)
        The sequences, increasing, each as one number: actions, from 0, are its digits to the base ``arms``.
    """

    rounds: tuple[int, ...]
    arms: int
    codes: Codes

    def count(self, played: Played) -> int:
        """Return the number of runs with the event; ``played`` has their actions, from 0, shape (runs, rounds)."""
        return int(np.isin(encode(played, self.rounds, self.arms), self.codes).sum())

    @property
    def sequences(self) -> list[list[int]]:
        """The event's sequences of actions, from 1: a list for each, with an action for each of ``rounds``."""
        powers = self.arms ** np.arange(len(self.rounds) - 1, -1, -1)
        found: list[list[int]] = (self.codes[:, None] // powers % self.arms + 1).tolist()
        return found

    @property
    def words(self) -> str:
        """The event in words, such as "the actions of rounds 1 to 3 are 1 2 1 or 2 1 1"; at most five sequences."""
        sequences = self.sequences
        shown = ", ".join(" ".join(map(str, sequence)) for sequence in sequences[:5])
        more = f", ... ({len(sequences)} sequences)" if len(sequences) > 5 else ""
        first, last = self.rounds[0], self.rounds[-1]
        rounds = f"rounds {', '.join(map(str, self.rounds))}"
        if last - first + 1 == len(self.rounds):
            rounds = f"round {first}" if first == last else f"rounds {first} to {last}"
        return f"the actions of {rounds} are {' or '.join(shown.rsplit(', ', 1)) if not more else shown + more}"


def encode(played: Played, rounds: Sequence[int], arms: int) -> Codes:
    """Return each run's actions in some ``rounds``, from 1, as one number, shape (runs,).

    The actions ``played``, from 0, shape (runs, rounds), are its digits to the base ``arms``, the first one
    leading.
    """
    codes = np.zeros(played.shape[0], dtype=np.int64)
    for t in rounds:
        codes *= arms
        codes += played[:, t - 1]
    return codes


def spans(horizon: int, arms: int) -> Iterator[tuple[int, ...]]:
    """Yield the sets of rounds, from 1, whose actions are looked at together for an event.

    They are single rounds near the beginning and the end, the first rounds together, and in long runs one of the
    last rounds with the first ones. The first rounds show in which order arms are played, the last ones what was
    decided.
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
    """Return how often each code, a sequence of actions as one number, occurs in each half of each sample.

    Parameters
    ----------
    samples
        Each run's actions in some rounds as one number, for each sample. All have the same even number of runs.
    possible
        Number of possible codes: they are 0 to ``possible`` - 1.

    Returns
    -------
    codes, counts
        Codes that occur, increasing, and their counts, shape (codes, 2 samples): a column for each half, in the
        order of the samples.
    """
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
    """An event that exploratory runs found, with its approximate loss.

    Attributes
    ----------
    bound
        Approximate lower bound of the loss, by Wilson intervals of both frequencies.
    event
        The event.
    swapped
        Whether the event is more probable on the second input.
    one, other, runs
        Number of runs with the event on the input where it is more probable, the same number on the other input,
        and the number of all runs on each input.
    """

    bound: float
    event: Event
    swapped: bool
    one: int
    other: int
    runs: int

    def bound_at(self, z: float, delta: float) -> float:
        """Return the approximate lower bound of the loss at ``z`` standard deviations and the claim's ``delta``."""
        return float(approximate_bounds(np.array([self.one]), np.array([self.other]), self.runs, delta, z)[0])


def best_event(one: Played, other: Played, arms: int, delta: float, z: float) -> Found:
    """Return the event with the largest approximate loss, given runs on two inputs.

    By the Neyman-Pearson lemma the best event of a given probability contains the sequences with the largest
    likelihood ratios. One half of the runs sorts the sequences by that ratio. The other half decides how many to
    take. An event over several rounds replaces one that was found before only if its loss is larger by 1 %. If
    nothing shows a loss, the event is empty and its bound minus infinity.

    Parameters
    ----------
    one, other : ndarray of int16, shape (runs, rounds)
        Actions, from 0, of the same number of runs on each input.
    arms, delta
        Number of actions, and the delta of the claim.
    z
        Half the width of the intervals, in standard deviations.
    """
    best = Found(-np.inf, Event((1,), arms, np.zeros(0, dtype=np.int64)), False, 0, 0, 1)
    half = one.shape[0] // 2
    for rounds in spans(one.shape[1], arms):
        samples = [encode(rows[: 2 * half], rounds, arms) for rows in (one, other)]
        codes, counts = tally(samples, arms ** len(rounds))
        # Halves of both samples: the first half sorts sequences, the second half counts them.
        sorts_one, one_half, sorts_other, other_half = counts.T
        ratio = arrays.log((sorts_one + 0.5) / (sorts_other + 0.5))
        for swapped, order in (
            (False, np.argsort(-ratio, kind="stable")),
            (True, np.argsort(ratio, kind="stable")),
        ):
            often, seldom = (other_half, one_half) if swapped else (one_half, other_half)
            more, fewer = np.cumsum(often[order]), np.cumsum(seldom[order])
            bounds = approximate_bounds(more, fewer, half, delta, z)
            top = int(np.argmax(bounds))
            if bounds[top] > (best.bound if len(rounds) == 1 else best.bound * SIMPLER):
                event = Event(rounds, arms, np.sort(codes[order[: top + 1]]))
                best = Found(float(bounds[top]), event, swapped, int(more[top]), int(fewer[top]), half)
    return best
