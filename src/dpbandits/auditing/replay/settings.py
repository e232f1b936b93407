"""Settings of replays: how many cases, of which sizes, and how far each is searched.

A round-based algorithm decides in every round. A batch-based one decides once a batch: a run of a million rounds
costs a few dozen decisions. So round-based algorithms get fewer and shorter long cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from dpbandits.auditing.transcript import UNCHANGED, NoiseOverride


class Pattern(Enum):
    """Reward rates of the arms of a case."""

    ONE_GOOD = auto()
    """A random arm has the rate 0.9, the others 0.1."""

    ALL_ZERO = auto()
    """All rates are 0."""

    ALL_ONE = auto()
    """All rates are 1."""

    RANDOM = auto()
    """Rates are uniform on [0, 1]."""

    ONE_BAD = auto()
    """One arm has the rate 0.1, the others 0.9."""


# Patterns of short cases, in turn.
PATTERNS = (Pattern.ONE_GOOD, Pattern.ALL_ZERO, Pattern.ALL_ONE, Pattern.RANDOM)


@dataclass(frozen=True)
class Pace:
    """Settings that depend on how often an algorithm decides."""

    long_horizon: int
    """Rounds of a long case, unless the caller gives them."""

    long_cases: int
    """Long cases for each number of arms, at effort 1."""

    long_patterns: tuple[tuple[Pattern, ...], ...]
    """Patterns of long cases, in turn: one tuple for each entry of ``Settings.long_arms``."""

    far_noise_cases: int
    """Further short cases of each size, at effort 1, with a noise of ``Settings.far_noises``."""

    extreme_draws_long: int
    """Runs of a long case in which one non-noise draw is forced to an extreme value."""

    extreme_draws_keep_noise: bool
    """Whether these runs keep the noise override of a long case."""


@dataclass(frozen=True)
class Settings:
    """All numbers that tune a search by replays."""

    # --- cases ---

    short_sizes: tuple[tuple[int, int], ...] = ((2, 24), (3, 100), (8, 400))
    """(arms, rounds) of short cases. Their inputs also exist as a table, so that a kernel that reads the table
    without the recorder is caught."""

    short_cases: int = 10
    """Short cases of each size, at effort 1."""

    long_arms: tuple[int, ...] = (3, 12)
    """Arms of long cases. Their inputs exist in the recorder alone."""

    least_effort: float = 0.5
    """The smallest effort: a multiple of the numbers of cases."""

    noises: tuple[NoiseOverride, ...] = (
        UNCHANGED,
        NoiseOverride(30.0),
        NoiseOverride(1.0, -1.0),
        NoiseOverride(1.0, 1.0),
        NoiseOverride(1e-6),
        NoiseOverride(1e-4),
    )
    """Noise overrides, in turn: none; 30 times the noise; all noise of one sign, so that batches agree; and nearly
    no noise, so that arms tie."""

    far_noises: tuple[NoiseOverride, ...] = (NoiseOverride(1e3, -1.0), NoiseOverride(1e3, 1.0))
    """Further overrides for round-based algorithms, where many outputs hide the effect of one."""

    most_events: int = 5 * 10**5
    """A run with more events is skipped, unless an earlier run of its case made room: at most for twice as many."""

    events_per_round: int = 20
    """Where the caller gives the horizon, ``most_events`` is at least this number times the horizon."""

    many_decisions: int = 10**4
    """A case with more decisions gets fewer replays: see ``fewer``."""

    fewer: int = 3
    """The numbers of replays of a case with many decisions are divided by this."""

    shortened_by: int = 50
    """A long case is repeated at a horizon that ends soon after its last release: 1/50 of the rounds later."""

    # --- inputs that differ ---

    random_inputs: int = 4
    """Replays of a case on random inputs."""

    compared_rounds: int = 5 * 10**5
    """Random inputs that differ from the original in more rounds than this are not bisected."""

    group_replays: int = 6
    """Replays of a case in which one reward is flipped in each of a random half of its batches."""

    single_rewards: int = 8
    """Replays of a case in which a single reward is flipped: in the last, first, middle and random batches."""

    suspicious_releases: int = 4
    """Releases of one group replay that are examined further, and single rewards that are flipped for each."""

    # --- outputs that are moved ---

    moved_outputs: int = 1
    """Outputs of a short case that are moved to the point where a decision changes."""

    moved_outputs_long: int = 2
    """The same in a long case."""

    moved_outputs_small_noise: int = 2
    """Further outputs in a case whose override makes the noise smaller."""

    moved_most_events: int = 2 * 10**4
    """In runs with more events no output is moved."""

    moved_scales: float = 100.0
    """An output is moved by at most ``moved_scales`` scales of its noise plus ``moved_ranges`` times a change."""

    moved_ranges: float = 4.0
    """The change is that of the output's value when all inputs are flipped."""

    moved_tolerance: float = 1e-6
    """How exactly the point where a decision changes is found, in scales of the noise."""

    far_out: float = 40.0
    """Privacy loss of an output that is moved far out, to show that the scale of its noise depends on rewards."""

    again: int = 0x9E3779B97F4A7C15
    """Any number other than 0: XORed to a run's key, it gives the draws with which noise is drawn again."""

    rejected: int = 4
    """A search ends when the checker has not accepted this many certificates, and each probe was tried."""

    cases_after_proof: int = 9
    """Cases that are examined with the proof of a finite loss in hand, the one that showed it included: a larger
    loss tells more."""

    worst_outputs: int = 16
    """Outputs that are moved, one after another, to the side on which a transcript loses most."""

    worst_answers: int = 256
    """Number of comparisons that are made to say "below", so that one secret has many answers."""

    worst_output_scales: float = 3.0
    """Distance of an output that is moved to its worst side from its true value, in scales of its noise."""

    # --- draws that are forced ---

    extreme_draws: int = 2
    """Runs of a case in which one non-noise draw is forced to an extreme value."""

    extreme_draw_bits: int = 34
    """An extreme draw is a 64-bit word below 2^34, or at least 2^64 - 2^34."""

    # --- how often an algorithm decides ---

    batches: Pace = Pace(
        long_horizon=10**6,
        long_cases=8,
        long_patterns=(PATTERNS, PATTERNS),
        far_noise_cases=0,
        extreme_draws_long=2,
        extreme_draws_keep_noise=True,
    )
    """Settings of batch-based algorithms."""

    # Arms that pay alike are all played until the end. Which arms these are, is random too: so more draws are
    # forced.
    rounds: Pace = Pace(
        long_horizon=10**5,
        long_cases=2,
        long_patterns=((Pattern.ONE_BAD,), (Pattern.ALL_ONE,)),
        far_noise_cases=4,
        extreme_draws_long=16,
        extreme_draws_keep_noise=False,
    )
    """Settings of round-based algorithms, whose replays cost time by the round."""

    def is_long(self, horizon: int) -> bool:
        """Whether a case of this horizon, above 400 rounds, is a long one, whose inputs do not exist as a table."""
        return horizon > self.short_sizes[-1][1]


SETTINGS = Settings()
# Relative error of a sum of losses: each of them is exact but for rounding.
ROUNDING = 1e-9
