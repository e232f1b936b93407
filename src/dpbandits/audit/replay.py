"""Replays: the exact privacy loss of whole runs, release by release.

A run is recorded behind a door (`dpbandits.core.door`): what is released, with its true value and the scale of its
noise, and what is decided. Then it is run again, with the same coins, on another input, and what was released is
let out again. If all decisions are functions of releases and coins, both runs decide the same whatever the input,
and the log density ratio of the transcript is the sum over releases of their own. `docs/audit.md` has the theorem.

A study is one run and what is asked of it:

1. *All inputs turned.* 0 for 1 and 1 for 0 in every pull: where decisions differ then, a bisection over pulls finds
   two neighbouring inputs whose decisions differ under equal releases.
   So it is on inputs that are drawn, which every sum that is the same for 0 and 1 turned tells apart.
2. *One output moved*, until something else is decided. Where that happens is a value of the output, the same on any
   input: all are turned again on both sides of it. What is added to an output past its noise moves the place.
3. *Half of the batches turned, in one reward each*, again and again: each release is looked at in every such
   replay, whatever its round. One that loses more than the claim, or moves with a reward of another batch, leads to
4. *single rewards*, whose whole loss is added up; those at the beginning, the ends of batches and the last release
   are asked anyway. Outputs are let out on the side that hurts.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from dpbandits.audit.accounting import epsilon_at
from dpbandits.audit.candidates import OFTEN, draw, fixed_environment, free_parameters, probes
from dpbandits.audit.transcript import (
    HONEST,
    Coins,
    Counts,
    Crowded,
    Fault,
    Floats,
    Losses,
    Noise,
    Stage,
    Transcript,
    World,
    losses,
    marked_at,
    paid,
    reused,
    turned_to,
    world,
)
from dpbandits.core import door as at
from dpbandits.core import registry
from dpbandits.core.algorithm import Values
from dpbandits.core.environment import Fixed, Parameters
from dpbandits.core.errors import BadInput
from dpbandits.core.files import Json
from dpbandits.core.gaussian import NORMAL
from dpbandits.runs.job import Job, make_job

# Losses are sums of a few exact numbers.
ROUNDING = 1e-9
# Arms and rounds of short studies, whose inputs are also there as a table, for kernels that look past the door;
SHORT = ((2, 24), (3, 100), (8, 400))
# arms of long ones, and the rounds of these by default: of algorithms that decide in batches, and in rounds.
LONG = (3, 12)
HORIZONS = {"batches": 10**6, "rounds": 10**5}
# How noise is bent: not at all; far out; all to one side, where batches agree; to nearly nothing, where arms tie.
NOISES = (Noise(), Noise(30.0), Noise(1.0, -1.0), Noise(1.0, 1.0), Noise(1e-6), Noise(1e-4))
# In rounds, where what a single output does drowns in others, also all of it far out to one side.
FAR = (Noise(1e3, -1.0), Noise(1e3, 1.0))
# Studies at each short size, more of them with noise far out, and long ones at each number of arms: of algorithms
# that decide in batches, and in rounds, whose replays cost by the round.
STUDIES, FAR_STUDIES = 10, {"batches": 0, "rounds": 4}
LONG_STUDIES = {"batches": 8, "rounds": 2}
# What arms pay (`_levels`), turn by turn; and in long studies in rounds, which are few, at the first number of arms
# and at the second: there some arms pay alike, so that they are played to the end.
ONE, NOTHING, ALL, MIXED, BUT_ONE = range(5)
LEVELS = (ONE, NOTHING, ALL, MIXED)
LONG_LEVELS = {"batches": (LEVELS, LEVELS), "rounds": ((BUT_ONE,), (ALL,))}
# Replays of a study on other inputs that are drawn, and runs of which one coin is as it seldom is, below or above
# all but so many of 2^64 values: the last are for chance. Long runs in rounds are few, and so these are more,
# without bent noise: which arms are played to the end is for chance too.
DRAWN, RARE, RARE_LONG, SELDOM = 4, 2, 16, 2**34
# Rounds in which inputs are compared one by one, at most.
COMPARED = 5 * 10**5
# Replays of a study in which half of the batches are turned, and single rewards that are asked.
GROUPS, SINGLES = 6, 8
# Of runs with more decisions less is asked, by this factor.
MANY, FEWER = 10**4, 3
# Suspicious releases of a replay that are looked into, and outputs that are let out on the side that hurts.
LOOKED_INTO, FAVOURED = 4, 16
# Events of a run that is looked at: so many, or so many a round of the horizon that a person asks for.
MOST_EVENTS, EVENTS_A_ROUND = 5 * 10**5, 20
# Outputs of a short study and of a long one that are moved to where decisions turn; of runs with more events none.
MOVED, MOVED_LONG, MORE_MOVED, MOST_MOVED = 1, 2, 2, 2 * 10**4
# How far they are moved, in scales of their noise and in what turned inputs would move them, and how exactly.
SCALES_MOVED, RANGES_MOVED, EXACTLY = 100.0, 4.0, 1e-6
# By what share of the rounds before it a run goes on after its last release, where it is made to end there.
SOON = 50
# The least effort.
LEAST = 0.5
# How far out such an output is, in scales of its noise.
ASIDE = 3.0
EVERY = 2**62


class _Size(NamedTuple):
    """Arms and rounds of studies, how many there are and how many more with noise far out, and what arms pay."""

    arms: int
    horizon: int
    number: int
    far: int = 0
    levels: tuple[int, ...] = LEVELS


class Neighbour(NamedTuple):
    """The one reward that two inputs differ in.

    Attributes
    ----------
    arm, pull
        Of which arm, from 0, and of which of its pulls, from 1; where all arms' inputs change, of which round.
    round
        The round, from 1.
    """

    arm: int
    pull: int
    round: int


@dataclass(frozen=True)
class Study:
    """One run that is replayed.

    Attributes
    ----------
    job
        Algorithm, parameters, size.
    turned
        The same job on the inputs turned, as far as they are there as a table.
    number
        Number of the run.
    levels, noise
        What arms pay, and how noise is bent.
    """

    job: Job
    turned: Job
    number: int
    levels: Floats
    noise: Noise


@dataclass(frozen=True)
class Witness:
    """What contradicts a claim, or comes nearest.

    Attributes
    ----------
    loss
        The transcript's loss; infinite where decisions differ, or noise is reused.
    broke
        What broke, in words; empty if nothing.
    told
        Release or decision by release or decision, what lost most.
    study, neighbour
        Which run, and in which reward the two inputs differ, if in one.
    stream
        Where the run's stream began, four words, if it is not that of the run: a coin on it is as it seldom is.
    """

    loss: float
    broke: str
    told: str
    study: Study
    neighbour: Neighbour | None
    stream: tuple[int, ...] = ()

    def data(self) -> Json:
        """Return the witness as JSON data."""
        job = self.study.job
        near = None
        if self.neighbour is not None:
            near = {name: int(value) for name, value in self.neighbour._asdict().items()}
            near["arm"] += 1
        return {
            "loss": self.loss if math.isfinite(self.loss) else "infinity",
            "broke": self.broke,
            "told": self.told,
            "horizon": job.horizon,
            "parameters": dict(job.parameters),
            "seed": job.root_seed,
            "run": self.study.number,
            "stream": [f"{word:016x}" for word in self.stream],
            "arms": len(self.study.levels),
            "levels": np.round(self.study.levels, 6).tolist(),
            "noise": self.study.noise._asdict(),
            "neighbour": near,
        }


@dataclass
class Looked:
    """What a replay looked at."""

    studies: int = 0
    replays: int = 0
    neighbours: int = 0
    outputs: int = 0
    horizons: set[int] = field(default_factory=set)
    arms: set[int] = field(default_factory=set)
    parameters: set[str] = field(default_factory=set)
    mechanisms: set[str] = field(default_factory=set)

    def data(self) -> Json:
        """Return it as JSON data."""
        return {
            "studies": self.studies,
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
    """What replays found.

    Attributes
    ----------
    worst
        What lost most, ``None`` if nothing passed a door.
    refused
        How the algorithm goes round the door, empty if it does not; or, where nothing passes it, what depends on
        inputs all the same.
    seen
        Whether anything was released through the door: else a replay says nothing of what is lost.
    looked
        What was looked at.
    """

    worst: Witness | None
    refused: str
    seen: bool
    looked: Looked

    @property
    def loss(self) -> float:
        """The largest loss of a transcript; NaN if replays saw nothing."""
        return math.nan if self.worst is None else self.worst.loss

    def data(self) -> Json:
        """Return it as JSON data."""
        return {
            "loss": None if self.worst is None else self.worst.data()["loss"],
            "worst": None if self.worst is None else self.worst.data(),
            "refused": self.refused,
            "seen": self.seen,
            "looked": self.looked.data(),
        }

    def lines(self) -> Iterator[str]:
        """Yield what people are told."""
        looked = self.looked
        if self.refused:
            yield f"  replayed: refused, {self.refused}"
        elif not self.seen:
            yield f"  replayed: {UNSEEN}"
        if self.worst is not None:
            worst = self.worst
            said = f"not private: {worst.broke}" if worst.broke else f"a transcript loses {worst.loss:.10g}"
            yield f"  replayed: {said}"
            if worst.told:
                yield f"    {worst.told}"
            if worst.neighbour is not None:
                near = worst.neighbour
                yield f"    neighbours differ in round {near.round}, pull {near.pull} of arm {near.arm + 1}"
            yield f"    run {worst.study.number} of {worst.study.job.horizon} rounds, {worst.study.job.parameters}"
        yield (
            f"    looked at {looked.studies} runs of {_few(looked.horizons)} rounds and {_few(looked.arms)} arms, "
            f"{len(looked.parameters)} settings of parameters, {looked.neighbours} neighbours in {looked.replays} "
            f"replays, {looked.outputs} outputs: {', '.join(sorted(looked.mechanisms)) or 'none'}"
        )


UNSEEN = (
    "nothing was released through the door, so replays saw nothing: let noisy numbers out by "
    "dpbandits.core.door.release (docs/audit.md)"
)
NOISE_ALONE = (
    "all releases are of 0: if their noise is added to something, release that instead, "
    "release(state, door, value, scale)"
)


def _few(numbers: set[int]) -> str:
    return ", ".join(f"{number:,}" for number in sorted(numbers))


# What noise is called, by what a release says of it.
RELEASES = {at.LAPLACE: "Laplace noise", NORMAL: "normal noise"}
MECHANISMS = {
    at.LAPLACE: "report-noisy-max with Laplace noise",
    at.GUMBEL: "report-noisy-max with Gumbel noise",
    at.EXPONENTIAL: "permute-and-flip",
}


class _Broken(Exception):
    """A violation that ends a search."""

    def __init__(self, witness: Witness) -> None:
        super().__init__(witness.broke)
        self.witness = witness


class _Search:
    """Studies of one algorithm: what was seen, and the worst of it."""

    def __init__(self, algorithm: str, fixed: Fixed, epsilon: float, most: int) -> None:
        declared = registry.algorithm(algorithm)
        assert declared.privacy is not None
        self.fixed, self.epsilon, self.together = fixed, epsilon, fixed.together
        self.approximate = declared.privacy.definition == "approximate"
        # An algorithm that runs another one may have batches of a round each.
        self.pace = "rounds" if declared.wraps is not None else declared.decides
        self.looked, self.most = Looked(), most
        self.worst: Witness | None = None
        self.refused = ""
        self.seen = self.past = False
        # Whether all that was released is noise alone.
        self.noise_alone = True
        self.hidden: Witness | None = None

    def study(self, study: Study, rng: np.random.Generator, moves: bool = True) -> int:
        """Replay a run, return the round of its last release, or 0; `_Broken` if it contradicts the claim.

        Outputs are moved on request: that takes most replays, and those of a run that ends sooner are the same.
        """
        stage = Stage(study.job, study.number, study.turned, self.fixed.counts, self.most)
        try:
            last = self._study(study, stage, rng, moves)
        except Crowded:
            # Batches of some rounds at a long horizon: other parameters, and shorter runs, are looked at.
            return 0
        except _Broken:
            self._looked_at(study, stage)
            raise
        self._looked_at(study, stage)
        return last

    def _looked_at(self, study: Study, stage: Stage) -> None:
        self.looked.studies += 1
        self.looked.replays += stage.replays
        self.looked.horizons.add(study.job.horizon)
        self.looked.arms.add(len(study.levels))
        self.looked.parameters.add(repr(sorted(study.job.parameters.items())))

    def _study(self, study: Study, stage: Stage, rng: np.random.Generator, moves: bool) -> int:
        start = world(study.levels)
        base, whole, row = self._turned(study, stage, start)
        tape = base.tape
        if not tape.size:
            # What decides here has not passed the door, or nothing that is read decides yet.
            self.past = self.past or row is not None or base.rows(at.PLAYED).size == 0
            if row is not None and self.hidden is None:
                self.hidden = self._parted(study, stage, start, base, row)
            return 0
        if row is not None:
            raise _Broken(self._parted(study, stage, start, base, row))
        self._check_noise(study, base, whole)
        self._past(study, base, stage.run(start, tape, turned=True))
        apart = np.random.default_rng([study.job.root_seed, study.job.horizon, len(study.levels), study.number])
        share = FEWER if base.rows(at.PLAYED).size > MANY else 1
        # Every second reward, then shares that are spread out.
        for turn in range(DRAWN // share):
            self._elsewhere(study, stage, start, base, _spread(len(study.levels), apart, halves=turn == 0))
        if moves:
            self._move(study, stage, start, base, whole, rng, apart)
        reads = self._reads(base, study.job.horizon)
        if len(reads) == 0:
            return 0
        # Rare coins do not contradict a claim that excuses a rare event.
        if share == 1 and not self.approximate:
            self._rare(study, stage, start, base, apart)
        for _ in range(GROUPS // share):
            self._group(study, stage, start, base, reads, rng)
        for mark in self._single_marks(reads, rng)[: SINGLES // share]:
            self._single(study, stage, start, base, mark)
        outputs = base.outputs[base.outputs < base.end]
        return int(base.played[outputs[-1]]) if outputs.size else 0

    def _turned(self, study: Study, stage: Stage, start: World) -> tuple[Transcript, Transcript, int | None]:
        """Return a run, the same with all inputs turned, and where they part, if they do."""
        base = stage.run(start, noise=study.noise)
        self._note(base)
        same = reused(base)
        if same is not None:
            raise _Broken(self._reused(study, base, *same))
        whole = stage.run(turned_to(start, np.full(len(study.levels), EVERY)), base.tape, turned=True)
        return base, whole, base.parting(whole)

    def _note(self, base: Transcript) -> None:
        out = base.rows(at.RELEASED).size + base.rows(at.SELECTED).size
        self.looked.outputs += out
        released = base.rows(at.RELEASED)
        self.looked.mechanisms |= {RELEASES[int(law)] for law in np.unique(base.events[released, 2])}
        offers = base.rows(at.OFFERED)
        self.looked.mechanisms |= {MECHANISMS[int(law)] for law in np.unique(base.events[offers, 2])}
        self.seen = self.seen or out > 0
        self.noise_alone = self.noise_alone and released.size == out and not base.numbers[released, 0].any()
        for fault in base.faults:
            self._refuse(fault)

    def _refuse(self, fault: Fault) -> None:
        if not self.refused:
            self.refused = fault.words + (f" (after round {fault.round})" if fault.round else "")

    # --- decisions ---

    def _parted(self, study: Study, stage: Stage, start: World, base: Transcript, row: int) -> Witness:
        """Return two neighbouring inputs that decide otherwise under equal releases."""
        tape = base.tape

        def other(rounds: int) -> Transcript:
            return stage.run(turned_to(start, self._pulls(base, rounds, len(study.levels))), tape)

        low, high = 0, int(base.played[-1])
        if base.parting(other(high)) is None:
            # Nothing behind the door makes the difference: it is in the table.
            return Witness(
                math.inf, "rewards are read past the door", self._event(base, row), study, neighbour=None
            )
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if base.parting(other(middle)) is None else (low, middle)
        changed = other(high)
        parted = base.parting(changed)
        if parted is None:
            broke = f"{self._place(base, row)} depends on runs before it"
            return Witness(math.inf, broke, self._event(base, row), study, neighbour=None)
        arm = 0 if self.together else self._arm(base, high)
        pull = high if self.together else int(self._pulls(base, high, len(study.levels))[arm])
        return Witness(
            loss=math.inf,
            broke=f"{self._place(base, parted)} differs under equal releases",
            told=f"{self._event(base, parted)}, on the neighbour {self._event(changed, parted)}",
            study=study,
            neighbour=Neighbour(arm, pull, high),
        )

    def _elsewhere(self, study: Study, stage: Stage, start: World, base: Transcript, levels: Floats) -> None:
        """Replay on other inputs, of these levels: what decides otherwise is shown by two neighbours between."""
        other = world(levels)
        changed = stage.run(other, base.tape)
        row = base.parting(changed)
        if row is None:
            self._check_noise(study, base, changed)
            return
        told = f"{self._event(base, row)}, on other inputs {self._event(changed, row)}"
        broke = f"{self._place(base, row)} differs under equal releases"
        marks, rounds = self._differing(base, start, other, int(base.played[row]))

        def near(k: int) -> Transcript:
            return stage.run(marked_at(start, marks[rounds <= rounds[k - 1]]), base.tape)

        if len(marks) == 0 or base.parting(near(len(marks))) is None:
            raise _Broken(Witness(math.inf, broke, told, study, neighbour=None))
        last = _first(len(marks), lambda k: base.parting(near(k)) is not None)
        before = near(last - 1) if last > 1 else base
        changed = near(last)
        row = before.parting(changed)
        assert row is not None
        told = f"{self._event(before, row)}, on the neighbour {self._event(changed, row)}"
        broke = f"{self._place(before, row)} differs under equal releases"
        arm, pull = (0, int(rounds[last - 1])) if self.together else marks[last - 1]
        raise _Broken(Witness(math.inf, broke, told, study, Neighbour(int(arm), int(pull), int(rounds[last - 1]))))

    def _differing(self, base: Transcript, one: World, other: World, rounds: int) -> tuple[Counts, Counts]:
        """Return where two worlds pay otherwise in the first rounds of a run, and in which round that is, in order.

        Nothing, if these are too many to look at.
        """
        arms = len(one.levels)
        if rounds > COMPARED:
            return np.empty((0, 2), dtype=np.int64), np.empty(0, dtype=np.int64)
        every = np.arange(1, rounds + 1)
        if self.together:
            where = [every] * arms
        else:
            rows = base.rows(at.PLAYED)
            played = np.repeat(base.events[rows, 1], base.events[rows, 2])[:rounds]
            where = [every[played == arm] for arm in range(arms)]
        found = []
        for arm in range(arms):
            pulls = np.arange(1, where[arm].size + 1)
            differ = paid(one, arm, pulls) != paid(other, arm, pulls)
            found.append(np.column_stack([np.full(differ.sum(), arm), pulls[differ], where[arm][differ]]))
        marks = np.concatenate(found)
        marks = marks[np.argsort(marks[:, 2], kind="stable")]
        return marks[:, :2], marks[:, 2]

    def _past(self, study: Study, base: Transcript, behind: Transcript) -> None:
        """Look for what changes where all inputs behind the door are the same, and those past it are turned."""
        row = base.parting(behind)
        if row is not None:
            words = "rewards are read past the door"
            raise _Broken(Witness(math.inf, words, self._event(base, row), study, neighbour=None))
        moved = (base.numbers[:, 0] != behind.numbers[:, 0]) & (base.events[:, 0] != at.READ)
        if moved.any():
            row = int(np.argmax(moved))
            self._refuse(Fault(f"rewards are read past the door and let out: {self._event(base, row)}", 0))

    def _rare(self, study: Study, stage: Stage, start: World, base: Transcript, rng: np.random.Generator) -> None:
        """Run on other streams, on which a coin is very small or very large, and turn all inputs there."""
        coins, stream = Coins(stage.stream, base), stage.stream
        if not coins.places:
            return
        number = RARE
        if self.pace == "rounds" and _is_long(study.job.horizon):
            number, study = RARE_LONG, dataclasses.replace(study, noise=HONEST)
        for turn in range(number):
            bits = int(rng.integers(SELDOM))
            # Small and large ones, of all coins and of those that are drawn just before noise.
            kind = 2 * study.number + turn
            places = coins.last if kind // 2 % 2 == 0 else coins.places
            place = places[int(rng.integers(len(places)))]
            stage.stream = coins.bent(place, bits if kind % 2 == 0 else 2**64 - 1 - bits)
            try:
                self._rarely(study, stage, start, rng)
            except _Broken as broken:
                words = tuple(int(word) for word in stage.stream)
                raise _Broken(dataclasses.replace(broken.witness, stream=words)) from None
        stage.stream = stream

    def _rarely(self, study: Study, stage: Stage, start: World, rng: np.random.Generator) -> None:
        """Run on a stream, turn all inputs, and look at each release."""
        base, whole, row = self._turned(study, stage, start)
        if row is not None:
            raise _Broken(self._parted(study, stage, start, base, row))
        self._check_noise(study, base, whole)
        reads = self._reads(base, study.job.horizon)
        if len(reads):
            self._group(study, stage, start, base, reads, rng)

    def _pulls(self, base: Transcript, rounds: int, arms: int) -> Counts:
        """Return how often each arm was pulled in so many rounds; of inputs that change together, the rounds."""
        if self.together:
            return np.full(arms, rounds)
        rows = base.rows(at.PLAYED)
        before = base.played[rows]
        number = np.clip(rounds - before, 0, base.events[rows, 2])
        return np.bincount(base.events[rows, 1], weights=number, minlength=arms).astype(np.int64)

    def _arm(self, base: Transcript, round_: int) -> int:
        rows = base.rows(at.PLAYED)
        return int(base.events[rows[np.searchsorted(base.played[rows], round_) - 1], 1])

    def _place(self, base: Transcript, row: int) -> str:
        if row >= len(base.events):
            return "the end"
        before = base.events[: row + 1, 0]
        kind = base.events[row, 0]
        names = {at.PLAYED: "decision", at.READ: "reading", at.RELEASED: "release"}
        return f"{names.get(int(kind), 'selection')} {int((before == kind).sum())}"

    def _event(self, transcript: Transcript, row: int) -> str:
        """Return an event in words."""
        if row >= len(transcript.events):
            return "nothing more"
        kind, a, b, c, _ = transcript.events[row]
        value, scale, _ = transcript.numbers[row]
        when = f" after round {transcript.played[row]:,}"
        if kind == at.PLAYED:
            return f"arm {a + 1} is played {b:,} times{when}"
        if kind == at.READ:
            return f"pulls {b + 1:,} to {c:,} of arm {a + 1} are read{when}"
        if kind == at.RELEASED:
            law = "normal noise of deviation" if b == NORMAL else "noise of scale"
            return f"release {a + 1}{when} of {value:g} with {law} {scale:g}"
        return f"selection {transcript.events[row, 1] + 1}{when}"

    # --- outputs ---

    def _move(
        self,
        study: Study,
        stage: Stage,
        start: World,
        base: Transcript,
        whole: Transcript,
        rng: np.random.Generator,
        apart: np.random.Generator,
    ) -> None:
        """Move single outputs to where something else is decided, and turn all inputs there."""
        rows = base.rows(at.RELEASED)
        rows = rows[rows < base.end]
        if rows.size == 0 or len(base.events) > MOST_MOVED:
            return
        # The last one, and of long runs another one of the later half; more where outputs have next to no noise.
        number = MOVED_LONG if _is_long(study.job.horizon) else MOVED
        number += MORE_MOVED if study.noise.factor < 1.0 else 0
        drawn = rng.integers(rows.size // 2, rows.size, size=number)
        drawn[0] = rows.size - 1
        turned = turned_to(start, np.full(len(study.levels), EVERY))
        for i in np.unique(drawn):
            for tape in self._beside_a_turn(study, stage, start, base, whole, int(rows[i]), rng):
                near = stage.run(start, tape, study.noise)
                row = near.parting(stage.run(turned, near.tape, turned=True))
                if row is not None:
                    raise _Broken(self._parted(study, stage, start, near, row))
                self._elsewhere(study, stage, start, near, _spread(len(study.levels), apart))

    def _beside_a_turn(
        self,
        study: Study,
        stage: Stage,
        start: World,
        base: Transcript,
        whole: Transcript,
        row: int,
        rng: np.random.Generator,
    ) -> list[Floats]:
        """Return two tapes with nearly the same value of an output: one decides as the run, and one does not."""
        tape, number = base.tape, int(base.events[row, 1])
        value, scale, out = base.numbers[row]

        def moved(to: float) -> Floats:
            other = tape.copy()
            other[number] = to
            return other

        def decides(to: float) -> bool:
            return base.parting(stage.run(start, moved(to), study.noise)) is None

        far = SCALES_MOVED * scale + RANGES_MOVED * abs(whole.numbers[row, 0] - value)
        first = rng.choice([-1.0, 1.0])
        for side in (first, -first):
            same, other = out, out + side * far
            if decides(other):
                continue
            while abs(other - same) > EXACTLY * scale:
                middle = (same + other) / 2.0
                if middle in (same, other):
                    break
                same, other = (middle, other) if decides(middle) else (same, middle)
            return [moved(same), moved(other)]
        return []

    # --- noise ---

    def _reused(self, study: Study, base: Transcript, first: int, second: int) -> Witness:
        broke = f"{self._place(base, second)} has the noise of {self._place(base, first)}"
        return Witness(math.inf, broke, self._event(base, second), study, neighbour=None)

    def _check_noise(self, study: Study, base: Transcript, other: Transcript) -> None:
        """Noise is none of the inputs' business: neither its scale, nor what an algorithm draws for a selection."""
        rows = base.outputs
        wrong = base.numbers[rows, 1] != other.numbers[rows, 1]
        if wrong.any():
            row = int(rows[np.argmax(wrong)])
            broke = f"the scale of the noise of {self._place(base, row)} depends on rewards"
            told = f"{self._event(base, row)}, on other inputs {self._event(other, row)}"
            raise _Broken(Witness(math.inf, broke, told, study, neighbour=None))
        rows = base.rows(at.OFFERED)
        if rows.size == 0:
            return
        noise, again = (t.numbers[rows, 0] - t.numbers[rows, 2] for t in (base, other))
        size = np.maximum(np.abs(base.numbers[rows, 0]), np.abs(other.numbers[rows, 0])) + np.abs(noise) + 1.0
        wrong = (np.abs(noise - again) > 1e-9 * size) | (noise == 0.0)
        if wrong.any():
            row = int(rows[np.argmax(wrong)])
            action = int(base.events[row, 1]) + 1
            broke = f"{self._place(base, row)}: the score of action {action} is not noised as it is said to be"
            raise _Broken(Witness(math.inf, broke, self._event(base, row), study, neighbour=None))

    # --- losses ---

    def _reads(self, base: Transcript, horizon: int) -> Counts:
        """Return what is read: arm, first and last pull, epoch; where all arms change together, once for all."""
        rows = base.rows(at.READ)
        rows = rows[rows < base.end]
        reads = np.column_stack([base.events[rows, 1:4], base.epochs[rows]])
        reads = reads[reads[:, 2] > reads[:, 1]]
        if self.together:
            reads[:, 0] = 0
            reads[:, 2] = np.minimum(reads[:, 2], horizon)
            reads = np.unique(reads[reads[:, 2] > reads[:, 1]], axis=0)
        return reads

    def _marks(self, marks: Counts, arms: int) -> Counts:
        """Return marks for every arm where all change together."""
        if not self.together:
            return marks
        return np.column_stack([np.tile(np.arange(arms), len(marks)), np.repeat(marks[:, 1], arms)])

    def _marked(self, start: World, marks: Counts) -> World:
        return marked_at(start, self._marks(marks, len(start.levels)))

    def _group(
        self, study: Study, stage: Stage, start: World, base: Transcript, reads: Counts, rng: np.random.Generator
    ) -> None:
        """Turn one reward in each of half of the batches, and look into what should not be."""
        tape = base.tape
        chosen = reads[rng.random(len(reads)) < 0.5]
        if len(chosen) == 0:
            chosen = reads[rng.integers(len(reads))][None]
        inside = rng.integers(chosen[:, 1] + 1, chosen[:, 2] + 1)
        edge = rng.integers(3, size=len(chosen))
        pulls = np.where(edge == 0, chosen[:, 1] + 1, np.where(edge == 1, chosen[:, 2], inside))
        marks = np.column_stack([chosen[:, 0], pulls])

        def other(first: Counts) -> Transcript:
            return stage.run(self._marked(start, first), tape)

        turned = other(marks)
        self.looked.neighbours += len(marks)
        if base.parting(turned) is not None:
            last = _first(len(marks), lambda k: base.parting(other(marks[:k])) is not None)
            changed = other(marks[:last])
            row = base.parting(changed)
            assert row is not None
            told = f"{self._event(base, row)}, on the neighbour {self._event(changed, row)}"
            broke = f"{self._place(base, row)} differs under equal releases"
            raise _Broken(Witness(math.inf, broke, told, study, self._neighbour(base, marks[last - 1])))
        lost = losses(base, turned, self.fixed.selection)
        epochs = base.epochs[lost.rows]
        own = np.isin(epochs, chosen[:, 3])
        far = (lost.most > 0.0) & ~own
        wrong = far if self.approximate else far | (lost.most > self.epsilon * (1.0 + ROUNDING))
        suspicious = np.flatnonzero(wrong)
        for i in suspicious[np.argsort(-lost.most[suspicious], kind="stable")][:LOOKED_INTO]:
            here = chosen[:, 3] == epochs[i]
            for mark in marks[here][:LOOKED_INTO]:
                self._single(study, stage, start, base, mark)
            others = marks[~here]
            row = lost.rows[i]

            def moved(k: int, others: Counts = others, row: int = row) -> bool:
                again = other(others[:k])
                return bool((again.numbers[row, :2] != base.numbers[row, :2]).any())

            if len(others) and far[i]:
                self._single(study, stage, start, base, others[_first(len(others), moved) - 1])
        self._released(base, turned, lost)

    def _released(self, base: Transcript, turned: Transcript, lost: Losses) -> None:
        """Refuse what is read and not let out through the door, before something else is decided."""
        if self.together or len(lost.rows) == 0:
            return
        rows = base.rows(at.READ)
        changed = base.numbers[rows, 0] != turned.numbers[rows, 0]
        moved = np.unique(base.epochs[lost.rows[lost.most > 0.0]])
        epochs = base.epochs[rows]
        # Several changes of an epoch may cancel out.
        alone = np.bincount(epochs[changed], minlength=int(epochs[-1]) + 1)[epochs] == 1
        hidden = changed & alone & ~np.isin(epochs, moved) & (epochs < base.epochs[lost.rows[-1]])
        if hidden.any():
            row = int(rows[np.argmax(hidden)])
            words = f"rewards are read and not released: {self._event(base, row)}"
            self._refuse(Fault(words, 0))

    def _neighbour(self, base: Transcript, mark: Counts) -> Neighbour:
        arm, pull = int(mark[0]), int(mark[1])
        if self.together:
            return Neighbour(0, pull, pull)
        rows = base.rows(at.PLAYED)
        own = rows[base.events[rows, 1] == arm]
        before = np.concatenate([[0], np.cumsum(base.events[own, 2])])
        i = int(np.searchsorted(before, pull)) - 1
        return Neighbour(arm, pull, int(base.played[own[i]] + pull - before[i]) if i < own.size else 0)

    def _single_marks(self, reads: Counts, rng: np.random.Generator) -> Counts:
        """Return single rewards that may matter: of first, last and drawn batches, at their ends."""
        number = len(reads)
        batches = np.unique(np.concatenate([[number - 1, 0, number // 2], rng.integers(number, size=SINGLES)]))
        rng.shuffle(batches)
        some = reads[np.concatenate([[number - 1], batches])]
        pulls = np.where(rng.random(len(some)) < 0.5, some[:, 1] + 1, some[:, 2])
        return np.column_stack([some[:, 0], pulls])

    def _single(self, study: Study, stage: Stage, start: World, base: Transcript, mark: Counts) -> None:
        """Add up what the transcript loses in one reward, with outputs on the side that hurts."""
        self.looked.neighbours += 1
        near = self._marked(start, mark[None])
        other = stage.run(near, base.tape)
        lost = losses(base, other, self.fixed.selection)
        if self.approximate:
            delta = float(study.job.parameters["delta"])
            self._keep(study, base, lost, epsilon_at(lost.shift, delta, lost.normal), mark)
            return
        if (lost.most[lost.normal] > 0.0).any():
            # No output is the worst.
            self._keep(study, base, lost, math.inf, mark)
            return
        most = float(lost.most.sum())
        if self.worst is not None and most <= self.worst.loss * (1.0 + 1e-12):
            return
        for _ in range(FAVOURED):
            chosen = base.events[lost.rows, 0] == at.SELECTED
            reached = np.where(chosen, np.abs(lost.loss), lost.loss)
            unkind = np.flatnonzero(reached < lost.most * (1.0 - 1e-12))
            if unkind.size == 0:
                break
            tape = self._favoured(base, lost, int(unkind[0]))
            base = stage.run(start, tape, study.noise)
            other = stage.run(near, base.tape)
            if base.parting(other) is not None:
                # Looked into where all is turned.
                return
            lost = losses(base, other, self.fixed.selection)
        self._keep(study, base, lost, abs(float(lost.loss.sum())), mark)

    def _favoured(self, base: Transcript, lost: Losses, i: int) -> Floats:
        """Return the tape up to an output, which is let out on the side that hurts."""
        tape = base.tape[: i + 1].copy()
        row = lost.rows[i]
        if base.events[row, 0] == at.SELECTED:
            tape[i] = lost.worst[i]
        else:
            value, scale, _ = base.numbers[row]
            tape[i] = value - np.sign(lost.shift[i]) * ASIDE * scale
        return tape

    def _keep(self, study: Study, base: Transcript, lost: Losses, loss: float, mark: Counts) -> None:
        """Keep what lost most; a loss beyond the claim ends the search."""
        if self.worst is not None and loss <= self.worst.loss:
            return
        moved = np.flatnonzero(lost.most > 0.0)
        told = "; ".join(f"{self._event(base, int(lost.rows[i]))} loses {abs(lost.loss[i]):.6g}" for i in moved[:4])
        beyond = loss > self.epsilon * (1.0 + ROUNDING)
        broke = f"a transcript loses {loss:.6g}, more than {self.epsilon:g}" if beyond else ""
        self.worst = Witness(loss, broke, told, study, self._neighbour(base, mark))
        if beyond:
            raise _Broken(self.worst)


def _first(number: int, holds: Callable[[int], bool]) -> int:
    """Return a k from 1 to ``number`` for which something holds, and not for k - 1; it holds for ``number``."""
    low, high = 0, number
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _is_long(horizon: int) -> bool:
    """Say whether a study of so many rounds is a long one, whose inputs are there behind the door alone."""
    return horizon > SHORT[-1][1]


def _levels(arms: int, rng: np.random.Generator, kind: int, turn: int) -> Floats:
    """Return what arms pay: one much and the others little or the other way round, all the same, or all else."""
    level = rng.random(arms)
    if kind == ONE:
        level[:] = 0.1
        level[rng.integers(arms)] = 0.9
    elif kind == BUT_ONE:
        level[:] = 0.9
        level[turn % arms] = 0.1
    elif kind != MIXED:
        level[:] = kind == ALL
    # At the ends there is no phase.
    return np.column_stack([level, rng.random(arms) * (kind not in (NOTHING, ALL))])


def _spread(arms: int, rng: np.random.Generator, halves: bool = False) -> Floats:
    """Return levels of other inputs: shares that are spread over all arms, or every second reward."""
    level = np.full(arms, 0.5) if halves else (rng.permutation(arms) + rng.random(arms)) / arms
    return np.column_stack([level, rng.random(arms)])


def _studies(
    algorithm: str,
    given: Values,
    epsilon: float,
    seed: int,
    sizes: Sequence[_Size],
    rng: np.random.Generator,
) -> Iterator[Study]:
    """Yield studies of all sizes."""
    declared = registry.algorithm(algorithm)
    _, environment = fixed_environment(registry.setting("algorithm", algorithm))
    fixed = environment.fixed
    assert fixed is not None and fixed.behind is not None and declared.privacy is not None
    probed = [probe.parameters for probe in probes(algorithm)]
    # Turn by turn through all sizes: what is found soon in long runs does not wait for all of the short ones.
    for turn in range(max(size.number + size.far for size in sizes)):
        for place, (arms, horizon, number, far, kinds) in enumerate(sizes):
            if turn >= number + far:
                continue
            levels = _levels(arms, rng, kinds[turn % len(kinds)], turn)
            table = (rng.random((1 if _is_long(horizon) else horizon, arms)) < 0.5).astype(np.float64)
            one, other = (fixed.behind(rows, horizon) for rows in (table, 1.0 - table))
            chosen: dict[str, Any] = dict(given)
            if turn % 3:
                free = free_parameters(declared, given, _tuning(one, horizon, epsilon))
                names = {parameter.name for parameter in free}
                told = probed[turn % len(probed)]
                if turn % 3 == 1:
                    chosen |= {name: value for name, value in told.items() if name in names and name not in given}
                else:
                    around = _tuning(one, horizon, epsilon)
                    chosen |= {
                        parameter.name: draw(parameter, float(default), rng, around)
                        for parameter, default in free.items()
                        if rng.random() < OFTEN
                    }
            jobs = [make_job(algorithm, chosen, inputs, epsilon, horizon, 1, seed) for inputs in (one, other)]
            # Every kind of noise comes at every short size, with one way after another to choose parameters.
            bent = NOISES[(turn + turn // 3 + place) % len(NOISES) if turn else 0]
            noise = bent if turn < number else FAR[(turn + place) % len(FAR)]
            yield Study(jobs[0], jobs[1], turn, levels, noise)


def _ending_after(study: Study, last: int) -> Study:
    """Return a run of the same parameters that ends soon after the round of its last release."""
    horizon = min(study.job.horizon, last + last // SOON + 1)
    jobs = [
        make_job(job.algorithm, job.parameters, job.environment, job.epsilon, horizon, 1, job.root_seed)
        for job in (study.job, study.turned)
    ]
    return Study(jobs[0], jobs[1], study.number, study.levels, study.noise)


def _tuning(place: Parameters, horizon: int, epsilon: float) -> Any:
    environment = registry.environment(place["kind"])
    rest = environment.check({key: value for key, value in place.items() if key != "kind"})
    return environment.tuning(rest, horizon, epsilon)


def replay(
    algorithm: str,
    epsilon: float,
    *,
    parameters: Values | None = None,
    horizon: int | None = None,
    arms: int | None = None,
    effort: float = 1.0,
    seeds: range = range(1),
) -> Replayed:
    """Replay runs of an algorithm, and look for a transcript that contradicts its claim.

    Parameters
    ----------
    algorithm, epsilon, parameters
        As of `dpbandits.audit.audit.audit`; the delta of an (epsilon, delta) claim is among the parameters.
    horizon
        Rounds of long runs, by default one of `HORIZONS`.
    arms
        Arms of long runs, by default those of `LONG`.
    effort
        Multiple of the numbers of studies, from `LEAST` on.
    seeds
        Root seeds of everything random: each is a search of its own.
    """
    given = parameters or {}
    _, environment = fixed_environment(registry.setting("algorithm", algorithm))
    fixed = environment.fixed
    assert fixed is not None
    search = _Search(algorithm, fixed, epsilon, max(MOST_EVENTS, EVENTS_A_ROUND * (horizon or 0)))
    if fixed.behind is None:
        return Replayed(None, "", False, search.looked)
    effort = max(LEAST, effort)
    longest = horizon or HORIZONS[search.pace]
    long = [arms] if arms else [*LONG]
    many, few, far = (
        round(number * effort) for number in (STUDIES, LONG_STUDIES[search.pace], FAR_STUDIES[search.pace])
    )
    sizes = [_Size(*size, many, far) for size in SHORT if size[1] <= longest]
    levels = LONG_LEVELS[search.pace]
    sizes += [_Size(each, longest, max(1, few), levels=kinds) for each, kinds in zip(long, levels, strict=False)]
    try:
        for seed in seeds:
            rng = np.random.default_rng([seed, *algorithm.encode()])
            for study in _studies(algorithm, given, epsilon, seed, sizes, rng):
                last = search.study(study, rng)
                if search.pace == "batches" and last and study.job.horizon == longest:
                    # A shorter horizon may not allow the parameters.
                    with contextlib.suppress(BadInput):
                        search.study(_ending_after(study, last), rng, moves=False)
                if search.past and not search.seen:
                    break
        # Elsewhere it releases through the door: what decided there without any release went round it.
        if search.seen and search.hidden is not None:
            search.worst = search.hidden
    except _Broken as broken:
        search.worst = broken.witness
        if search.seen and search.noise_alone:
            search.worst = dataclasses.replace(search.worst, told=f"{search.worst.told}; {NOISE_ALONE}")
    if not search.seen:
        words = "" if search.hidden is None else f"{search.hidden.broke}; {UNSEEN}"
        return Replayed(None, words, False, search.looked)
    return Replayed(search.worst, search.refused, True, search.looked)
