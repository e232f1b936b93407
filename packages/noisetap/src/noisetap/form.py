"""Types of the JSON data of a certificate about a policy.

A ``key`` names a draw: its place ``file:line@decisions``, and the number of draws that were made there before. The
place ``mine.py:11@10`` is line 11 after 10 decisions. An output is the result of adding a draw to a number.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Side = Literal["x", "y"]
# A checker takes this version alone: the first did not say which run shows its laws.
FORMAT = "noisetap 2"
# Number of further runs for a claim with a delta, and the first of their seeds, so that nobody can choose them.
PATHS, FIRST_SEED = 12, 77_000


class StatedLaw(TypedDict):
    """Law of one number on one input: that of ``place + size * z`` for a standard draw z of the law ``kind``.

    ``kind`` is a name such as ``laplace``. ``more`` has shape parameters, such as ``[n, p]`` of ``binomial`` and
    the probabilities of a ``choice``; else it is empty. Two kinds are stated otherwise. An ``integer`` lies from
    ``place`` to ``size - 1``. An ``order`` has n things drawn in turn from ``size`` things; its ``more`` is
    ``[0.0, n]``, or ``[1.0, n]`` if a thing can be drawn again.
    """

    kind: str
    place: float
    size: float
    more: list[float]


class LawPair(TypedDict):
    """Laws of one random number on the two neighbouring inputs ``x`` and ``y``."""

    x: StatedLaw
    y: StatedLaw


class StatedDraw(LawPair):
    """Number that came out of a draw, as a certificate states it, with its laws on the two inputs.

    Attributes
    ----------
    key
        Key of the draw: its place ``file:line@decisions``, and the number of draws that were made there before.
    line
        ``file:line`` of the program where the number came out.
    moment
        Number of decisions before the draw.
    said
        Sum of the draw (times its factor) and what it was added to; the draw itself if it was added to nothing.
    """

    key: list[Any]
    line: str
    moment: int
    said: Any


class ComparedDraw(LawPair):
    """Draw that was only compared, with its laws and its comparisons on the two inputs.

    Attributes
    ----------
    key, line
        Key of the draw (its place ``file:line@decisions``, and the number of draws made there before), and
        ``file:line`` where it was drawn.
    x_said, y_said
        Comparisons on each input: threshold, 1 if the draw was asked to lie above it (-1 if below), and answer.
    """

    key: list[Any]
    line: str
    x_said: list[tuple[float, float, bool]]
    y_said: list[tuple[float, float, bool]]


class ComparedOutput(LawPair):
    """Noisy output that decisions only compare with one other output, the center; its laws on the two inputs.

    ``key`` is the key of its draw: the place ``file:line@decisions``, and the number of draws made there before.
    ``above`` is true if the output lies above the center.
    """

    key: list[Any]
    above: bool


class PivotCenter(LawPair):
    """Noisy output with which decisions compare others, such as a noisy threshold or the largest noisy score.

    It has its laws on the two inputs, ``x`` and ``y``, and the ``key`` of its draw: the place
    ``file:line@decisions``, and the number of draws made there before.
    """

    key: list[Any]


class Pivot(TypedDict):
    """Noisy outputs that decisions use in one way alone: they tell which ``others`` lie above the ``center``."""

    center: PivotCenter
    others: list[ComparedOutput]


class Transcript(TypedDict):
    """Draws of a run that count for its privacy loss, by the way in which decisions depend on them.

    ``parts`` are numbers that decisions read, and ``asked`` are draws that were only compared. ``pivots`` are
    groups of outputs of which decisions only tell which of them lie above one of the group.
    """

    parts: list[StatedDraw]
    asked: list[ComparedDraw]
    pivots: list[Pivot]


class ClaimedBudget(TypedDict):
    """Claimed budget: (epsilon, delta)-differential privacy."""

    epsilon: float
    delta: float


class Certificate(Transcript):
    """Proof that a claim about a policy is violated, as JSON data.

    Attributes
    ----------
    format
        Version of this form, ``noisetap 2``.
    kind
        ``finite`` for a loss that is added up, ``infinite`` for a decision that differs under equal outputs.
    claim, rewards, seed
        Claimed budget; ``rounds``, ``arms``, ``low``, ``high`` and ``row`` of the rewards; and seed of draws that
        the tapes do not hold.
    row, x, y
        Row in which the two inputs differ, from 0, and their rewards, shape (rounds, arms).
    tape
        Tape of the run on ``x``, with a list for each draw: its place, its number there, how it is held, and to
        what. It is held by ``out`` (its sum), ``value`` or ``said`` (its value and answers).
    paths
        Tapes of 12 further runs on ``x``, for a finite loss and a delta above 0; else empty. Their seeds are
        `FIRST_SEED` and the next ones.
    decision, tape_y, coins
        Number of the decision that differs, from 0, tape of the run on ``y``, and keys of hidden coins. Only an
        infinite loss has them.
    """

    format: str
    kind: str
    claim: ClaimedBudget
    rewards: dict[str, Any]
    seed: int
    row: int
    x: list[list[float]]
    y: list[list[float]]
    tape: list[list[Any]]
    paths: list[list[list[Any]]]
    decision: NotRequired[int]
    tape_y: NotRequired[list[list[Any]]]
    coins: NotRequired[list[list[Any]]]
