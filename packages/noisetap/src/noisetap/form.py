"""Form of a certificate, as it lies in JSON."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

Side = Literal["x", "y"]
# A checker takes this version alone: the first did not say which run shows its laws.
FORMAT = "noisetap 2"
# Number of further runs for a claim with a delta, and the first of their seeds, so that nobody can choose them.
PATHS, FIRST_SEED = 12, 77_000


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
    key
        Which draw of the tape it is: its place and number.
    line
        ``file:line`` of the program.
    moment
        How many decisions had been made.
    said
        The number.
    """

    key: list[Any]
    line: str
    moment: int
    said: Any


class Asked(Sides):
    """A draw that was only compared: thresholds, the comparison's sign, and the answer, on both inputs."""

    key: list[Any]
    line: str
    x_said: list[tuple[float, float, bool]]
    y_said: list[tuple[float, float, bool]]


class Other(Sides):
    """A number that was compared with the pivot's, and whether it lies above."""

    key: list[Any]
    above: bool


class Center(Sides):
    """The number that others are compared with."""

    key: list[Any]


class Pivot(TypedDict):
    """A number that others were compared with, and on which side of it each of them lies."""

    center: Center
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
        ``noisetap 2``.
    kind
        ``finite``, a loss that is added up, or ``infinite``, a decision that differs.
    claim, rewards, seed
        What is claimed, what inputs the program takes, and the seed of its run.
    row, x, y
        Two inputs, and the row in which they differ.
    tape
        What is held of the run on the first input.
    paths
        What is held of further runs, for a delta: their outputs. Their coins are those of `FIRST_SEED` and on.
    decision, tape_y, coins
        Of an infinite loss: the decision that differs, what is held of the second run, and draws that are coins.
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
