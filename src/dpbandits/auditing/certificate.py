"""Form of a certificate, the JSON data from which the checker can show a violation; and of the checker's answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

from dpbandits.core.fields import Value
from dpbandits.runs.job import Job
from noisetap.form import ClaimedBudget

Side = Literal["one", "other"]
"""Name of one of the two neighbouring inputs."""


class JobWithoutInput(TypedDict):
    """The job that is run, without its environment: each of the two inputs has its own environment."""

    algorithm: str
    parameters: Mapping[str, Value]
    epsilon: float | None
    horizon: int


class Input(TypedDict):
    """One of two neighbouring inputs.

    Attributes
    ----------
    environment
        Parameters of the input's environment. The other keys are absent in a certificate of kind ``actions``.
    rates
        Rate and phase of each arm, in [0, 1]: its first n pulls pay floor(rate n + phase) in sum.
    flipped_ranges
        By arm, a pair (first, last): rewards of the pulls first + 1 to last are flipped, 0 for 1 and 1 for 0.
    flipped_pulls
        By arm, the numbers, from 1, of further pulls whose rewards are flipped.
    """

    environment: dict[str, Any]
    rates: NotRequired[list[list[float]]]
    flipped_ranges: NotRequired[list[list[int]]]
    flipped_pulls: NotRequired[list[list[int]]]


class Certificate(TypedDict):
    """All that is needed to repeat a violation. Which of the later keys are there depends on ``kind``.

    Attributes
    ----------
    format
        ``dpbandits 1``.
    kind
        ``transcript``: a run whose outputs lose more than the claim. ``reused noise``: a run with two outputs of
        the same noise. ``actions``: actions that are too frequent on one input, by counting runs.
    claim, job, one, other
        The claimed budget, the job that is run, and the two inputs.
    together
        Whether neighbours differ in the inputs of all arms in a round, as in full information.
    origin, stream
        The run's key, and the state of its random stream at the start: four 64-bit words each, in hexadecimal. The
        key fixes where the stream goes on after each call of the recorder.
    forced
        Calls of the recorder after which the stream has another state: rows of the call's number and four words.
    tape
        Outputs of the run, in their order; the runs on both inputs get them.
    events
        Number of events that outsiders see, up to the one that shows the violation.
    rows
        For kind ``reused noise``: numbers of the two events with the same noise, from 0.
    rounds, sequences, runs
        For kind ``actions``: rounds, from 1; sequences of actions there, from 1; number of runs of the search.
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
        The privacy loss that it shows, in nats; a lower bound if random draws were repeated, and 0 if none shows.
        Of a transcript under a claim with a delta it is the claimed epsilon, or infinite if decisions differ.
    words
        The reason, in a sentence.
    excused
        Whether the program's random draws explain the loss: averaged over them it is within the claim.
    """

    accepted: bool
    loss: float
    words: str
    excused: bool = False


def described(job: Job) -> JobWithoutInput:
    """Return the entry ``job`` of a certificate: algorithm, parameters, budget and horizon."""
    return {
        "algorithm": job.algorithm,
        "parameters": dict(job.parameters),
        "epsilon": job.epsilon,
        "horizon": job.horizon,
    }
