"""Form of a certificate, as it lies in JSON."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Side = Literal["x", "y"]


class Told(TypedDict):
    """Law of one number on one input: ``place + size * z`` for a standard draw z of that kind; see `laws.Law`."""

    kind: str
    place: float
    size: float
    more: list[float]


class Sides(TypedDict):
    """Laws of one number on both inputs."""

    x: Told
    y: Told


class Said(Sides):
    """A number that came out.

    Attributes
    ----------
    line
        ``file:line`` of the program.
    moment
        How many decisions had been made.
    said
        The number.
    """

    line: str
    moment: int
    said: Any


class Asked(Sides):
    """A draw that was only compared: thresholds, the comparison's sign, and the answer, on both inputs."""

    line: str
    x_said: list[tuple[float, float, bool]]
    y_said: list[tuple[float, float, bool]]


class Other(Sides):
    """A number that a noisy maximum was compared with, and whether it lies above."""

    above: bool


class Pivot(TypedDict):
    """A noisy maximum: the number in the middle, and the others."""

    center: Sides
    others: list[Other]


class Transcript(TypedDict):
    """What came out: numbers, answers of comparisons, noisy maxima."""

    parts: list[Said]
    asked: list[Asked]
    pivots: list[Pivot]


class ClaimedBudget(TypedDict):
    """Privacy budget of the claim."""

    epsilon: float
    delta: float


class Certificate(Transcript):
    """A violation, in full.

    Attributes
    ----------
    format
        ``noisetap 1``.
    kind
        ``finite``, of which the formulas of `noisetap.check` suffice, or ``infinite``.
    claim, rewards, seed
        What is claimed, what inputs the program takes, and the seed of its run.
    row, x, y
        Two inputs, and the row in which they differ.
    paths
        Further transcripts, for a delta.
    decision, tape, tape_y, coins
        Of an infinite loss: the decision that differs, what is held of both runs, and draws that are coins.
    """

    format: str
    kind: str
    claim: ClaimedBudget
    rewards: dict[str, Any]
    seed: int
    row: int
    x: list[list[float]]
    y: list[list[float]]
    paths: list[Transcript]
    decision: NotRequired[int]
    tape: NotRequired[list[list[Any]]]
    tape_y: NotRequired[list[list[Any]]]
    coins: NotRequired[list[list[Any]]]
