"""Form of a certificate, what the checker needs of a violation, as it lies in JSON; and of the checker's answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

from dpbandits.core.fields import Value
from dpbandits.runs.job import Job

Side = Literal["one", "other"]
"""The two inputs."""


class ClaimedBudget(TypedDict):
    """Privacy budget of the claim."""

    epsilon: float
    delta: float


class JobWithoutInput(TypedDict):
    """The job that is run, without its environment, which each input has."""

    algorithm: str
    parameters: Mapping[str, Value]
    epsilon: float | None
    horizon: int


class Input(TypedDict):
    """One of two neighbouring inputs.

    Attributes
    ----------
    environment
        Parameters of its environment. The rest is absent where actions are counted.
    rates
        Rate and phase, by arm, in [0, 1]: see `dpbandits.core.recorder.Recorder.rates`.
    flipped_ranges
        First and last pull, by arm, of which rewards are flipped.
    flipped_pulls
        Single pulls, by arm, of which rewards are flipped.
    """

    environment: dict[str, Any]
    rates: NotRequired[list[list[float]]]
    flipped_ranges: NotRequired[list[list[int]]]
    flipped_pulls: NotRequired[list[list[int]]]


class Certificate(TypedDict):
    """A violation, in full.

    Attributes
    ----------
    format
        ``dpbandits 1``.
    kind
        ``transcript``, ``reused noise`` or ``actions``.
    claim, job, one, other
        What is claimed, what is run, and the two inputs.
    together
        Whether one round pays all arms.
    origin, stream
        State of the randomness, as 64-bit words in hexadecimal.
    forced
        Calls of the recorder after which the stream has another state.
    tape
        Outputs, in their order.
    events
        Number of events up to the one that shows the violation.
    rows
        Rows of two outputs with the same noise.
    rounds, sequences, runs
        Of an event of actions: its rounds, the actions there, and the number of runs in which it was found.
    """

    format: str
    kind: Literal["transcript", "reused noise", "actions"]
    claim: ClaimedBudget
    job: JobWithoutInput
    one: Input
    other: Input
    together: NotRequired[bool]
    origin: NotRequired[list[str]]
    stream: NotRequired[list[str]]
    forced: NotRequired[list[list[Any]]]
    tape: NotRequired[list[float]]
    events: NotRequired[int]
    rows: NotRequired[list[int]]
    rounds: NotRequired[list[int]]
    sequences: NotRequired[list[list[int]]]
    runs: NotRequired[int]


class Ruling(NamedTuple):
    """Answer of the checker.

    Attributes
    ----------
    accepted
        Whether the certificate proves the claim false.
    loss
        The loss that it shows; a lower bound of it, if draws were drawn again.
    words
        Why, in a sentence.
    excused
        Whether coins explain a finite loss: averaged over those near what differs it is within the claim.
    """

    accepted: bool
    loss: float
    words: str
    excused: bool = False


def described(job: Job) -> JobWithoutInput:
    """Return a job as a certificate names it."""
    return {
        "algorithm": job.algorithm,
        "parameters": dict(job.parameters),
        "epsilon": job.epsilon,
        "horizon": job.horizon,
    }
