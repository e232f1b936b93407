"""Results of replays: the witness of a violation, the coverage of a search, and what a search returns."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from dpbandits.auditing.certificate import Certificate, Input, described
from dpbandits.auditing.replay.case_replayer import CaseReplayer, Neighbour
from dpbandits.auditing.replay.cases import ReplayCase
from dpbandits.auditing.transcript import Fault, Rewards, Transcript
from dpbandits.core import recorder as at
from dpbandits.core.mechanisms import RESPONSE

# More pulls than any run has.
FAR = 2**62

NOT_RECORDED = (
    "nothing was released through the recorder, so replays saw nothing: let noisy numbers out by "
    "dpbandits.core.recorder.release (docs/audit.md)"
)
# Reasons of an infinite loss, of what is named with it.
ALONE = "is possible on one of two inputs alone"
FAR_OUT = "is possible on both inputs, and the farther out its outputs lie, the more it loses, without a bound"
SCALE = "is possible on both inputs, but the scale of a noise depends on inputs: its loss is taken for infinite"
NOISE_ALONE = (
    "all releases are of 0: if their noise is added to something, release that instead, "
    "release(state, recorder, value, scale)"
)


class Claim(NamedTuple):
    """A claim of privacy.

    Attributes
    ----------
    epsilon, delta
        Epsilon and delta of the claimed budget; ``delta`` is 0 for a pure claim.
    """

    epsilon: float
    delta: float


@dataclass(frozen=True)
class Witness:
    """Evidence against a claim, or the transcript that comes nearest to it.

    Attributes
    ----------
    loss
        Privacy loss of the transcript. It is infinite if a decision, or the scale of a noise, differs under equal
        outputs, if noise is reused, or if normal noise is let out under a claim without a delta.
    violation
        The violation in words, empty if there is none.
    details
        The decision or the releases that show it, in words.
    case
        The case whose run it is.
    neighbour
        The reward that differs, ``None`` if no two neighbours are known that show it.
    certificate
        Certificate for the checker (`dpbandits.auditing.check`). ``None`` if two neighbours cannot be named.
    infinite
        Reason of an infinite loss, in words. ``ALONE`` is for what is possible on one input alone, ``FAR_OUT`` for
        a loss without an upper limit, ``SCALE`` for a scale of noise that depends on inputs. Without meaning if the
        loss is finite.
    """

    loss: float
    violation: str
    details: str
    case: ReplayCase
    neighbour: Neighbour | None
    certificate: Certificate | None = None
    infinite: str = ALONE

    def data(self) -> dict[str, object]:
        """Return the witness as JSON data. Arms are counted from 1, and an infinite loss is the text "infinity"."""
        job = self.case.job
        near = None
        if self.neighbour is not None:
            near = {name: int(value) for name, value in self.neighbour._asdict().items()}
            near["arm"] += 1
        return {
            "loss": self.loss if math.isfinite(self.loss) else "infinity",
            "violation": self.violation,
            "details": self.details,
            "horizon": job.horizon,
            "parameters": dict(job.parameters),
            "seed": job.root_seed,
            "run": self.case.number,
            "arms": len(self.case.rates),
            "rates": np.round(self.case.rates, 6).tolist(),
            "noise": self.case.noise._asdict(),
            "neighbour": near,
        }


class Bypassed(Exception):
    """The algorithm bypasses the recorder in the way that ``fault`` says, which ends a case."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.words)
        self.fault = fault


class Sides(NamedTuple):
    """Two neighbouring inputs, in the form that a replayer takes.

    Attributes
    ----------
    one, other
        Rewards that the recorder pays on the first input, and on the second.
    table_rows
        Number of leading rows of the environment's table that are flipped on the first input, and on the second.
    """

    one: Rewards
    other: Rewards
    table_rows: tuple[int, int] = (0, 0)


def difference(one: Transcript, other: Transcript, row: int) -> tuple[bool, str]:
    """Return how two runs with equal outputs differ in a row, the first in which their events do.

    Returns
    -------
    scale_alone
        Whether only the scale of the noise differs.
    why
        Reason of the infinite loss, in words. If the scales differ and both are > 0, it is ``FAR_OUT`` for a
        released number with additive noise, whose loss has no upper limit, and ``SCALE`` for other noise. Else it
        is ``ALONE``: the event is possible on one input alone.
    """
    # The first four columns of an event say what happens.
    if row >= min(len(one.events), len(other.events)) or (one.events[row, :4] != other.events[row, :4]).any():
        return False, ALONE
    if min(one.numbers[row, at.SCALE], other.numbers[row, at.SCALE]) <= 0.0:
        # Without noise no other value is possible.
        return True, ALONE
    added = one.events[row, at.KIND] == at.RELEASED and one.events[row, at.HOW] not in (RESPONSE, at.GAP)
    return True, FAR_OUT if added else SCALE


def certificate(
    replayer: CaseReplayer, sides: Sides, base: Transcript, row: int, claim: Claim, reused: tuple[int, ...] = ()
) -> Certificate:
    """Return the certificate of a violation, from which the checker can repeat it.

    Parameters
    ----------
    replayer, sides
        The replayer of the case, and the two neighbouring inputs.
    base, row
        The run on the first input, whose outputs are forced, and the row of its event that shows the violation.
    claim
        The claim that is violated.
    reused
        Rows of two outputs with the same noise; empty for any other violation.
    """
    job = replayer.job
    return {
        "format": "dpbandits 1",
        "kind": "reused noise" if reused else "transcript",
        "claim": {"epsilon": claim.epsilon, "delta": claim.delta},
        "job": described(job),
        "together": replayer.together,
        "origin": [f"{int(word):016x}" for word in replayer.origin],
        "stream": [f"{int(word):016x}" for word in replayer.stream],
        "forced": [[int(call), *(f"{int(word):016x}" for word in words)] for call, *words in replayer.forced],
        "one": _input(replayer, sides.one, sides.table_rows[0]),
        "other": _input(replayer, sides.other, sides.table_rows[1]),
        "tape": base.tape.tolist(),
        "events": base.seen(row),
        "rows": list(reused),
    }


def _input(replayer: CaseReplayer, rewards: Rewards, table_rows: int) -> Input:
    """Return one input as a certificate has it: its environment, rates and flips, without the padding of pulls."""
    pulls = [[int(p) for p in row if p < FAR] for row in rewards.flipped_pulls.tolist()]
    return {
        "environment": dict(replayer.inputs(table_rows)),
        "rates": rewards.rates.tolist(),
        "flipped_ranges": rewards.flipped_ranges.tolist(),
        "flipped_pulls": pulls,
    }


class ViolationFound(Exception):
    """A violation, shown by ``witness``; it ends the search if the checker accepts its certificate."""

    def __init__(self, witness: Witness) -> None:
        super().__init__(witness.violation)
        self.witness = witness


@dataclass
class Coverage:
    """Extent of a search so far.

    Attributes
    ----------
    cases, replays, neighbours, outputs
        Numbers of cases, of their replays, of single rewards that were flipped, and of outputs in the cases' runs.
    horizons, arms, parameters
        Horizons, numbers of arms, and parameters (as text) of the cases.
    mechanisms
        Names of the mechanisms that released something, such as ``Laplace noise``.
    """

    cases: int = 0
    replays: int = 0
    neighbours: int = 0
    outputs: int = 0
    horizons: set[int] = field(default_factory=set)
    arms: set[int] = field(default_factory=set)
    parameters: set[str] = field(default_factory=set)
    mechanisms: set[str] = field(default_factory=set)

    def add(self, case: ReplayCase, replays: int) -> None:
        """Add a case and the number of its replays."""
        self.cases += 1
        self.replays += replays
        self.horizons.add(case.job.horizon)
        self.arms.add(len(case.rates))
        self.parameters.add(repr(sorted(case.job.parameters.items())))

    def data(self) -> dict[str, object]:
        """Return the coverage as JSON data, by names of attributes; sets become sorted lists."""
        return {
            "cases": self.cases,
            "replays": self.replays,
            "neighbours": self.neighbours,
            "outputs": self.outputs,
            "horizons": sorted(self.horizons),
            "arms": sorted(self.arms),
            "parameters": sorted(self.parameters),
            "mechanisms": sorted(self.mechanisms),
        }


@dataclass(frozen=True)
class Replayed:
    """Result of a search by replays.

    Attributes
    ----------
    worst
        The witness with the largest loss; the first one that the checker rejected, if ``suspicious`` has a reason.
        ``None`` if no loss was computed, as where nothing was released through the recorder.
    refused
        Way in which the algorithm bypasses the recorder, in words. Empty if none was met.
    seen
        Whether anything was released through the recorder. If not, replays say nothing of the loss.
    coverage
        Extent of the search.
    suspicious
        The checker's reason to reject the certificate of ``worst``. Empty if it rejected none, or accepted another.
    late
        Whether the budget of processor time ended the search before anything was proved.
    """

    worst: Witness | None
    refused: str
    seen: bool
    coverage: Coverage
    suspicious: str = ""
    late: bool = False

    @property
    def loss(self) -> float:
        """The loss of ``worst``; NaN if that is ``None``."""
        return math.nan if self.worst is None else self.worst.loss

    def data(self) -> dict[str, object]:
        """Return the result as JSON data, by names of attributes but ``late``; ``loss`` is ``None`` for NaN."""
        worst = None if self.worst is None else self.worst.data()
        return {
            "loss": None if worst is None else worst["loss"],
            "worst": worst,
            "refused": self.refused,
            "seen": self.seen,
            "suspicious": self.suspicious,
            "coverage": self.coverage.data(),
        }

    def lines(self) -> Iterator[str]:
        """Yield the result line by line, for people, such as "  replayed: a transcript loses 0.98"."""
        if self.refused:
            yield f"  replayed: refused, {self.refused}"
        elif not self.seen:
            yield f"  replayed: {NOT_RECORDED}"
        if self.worst is not None:
            worst = self.worst
            violation = f"{'suspicious' if self.suspicious else 'not private'}: {worst.violation}"
            yield f"  replayed: {violation if worst.violation else f'a transcript loses {worst.loss:.10g}'}"
            if self.suspicious:
                yield f"    the checker did not accept it: {self.suspicious}"
            if worst.details:
                yield f"    {worst.details}"
            if worst.neighbour is not None:
                near = worst.neighbour
                yield f"    neighbours differ in round {near.round}, pull {near.pull} of arm {near.arm + 1}"
            yield f"    run {worst.case.number} of {worst.case.job.horizon} rounds, {worst.case.job.parameters}"
        if self.late:
            yield "    the search is unfinished: its time was spent"
        seen = self.coverage
        yield (
            f"    looked at {seen.cases} runs of {_listed(seen.horizons)} rounds and {_listed(seen.arms)} arms, "
            f"{len(seen.parameters)} settings of parameters, {seen.neighbours} neighbours in {seen.replays} "
            f"replays, {seen.outputs} outputs: {', '.join(sorted(seen.mechanisms)) or 'none'}"
        )


def _listed(numbers: set[int]) -> str:
    return ", ".join(f"{number:,}" for number in sorted(numbers))
