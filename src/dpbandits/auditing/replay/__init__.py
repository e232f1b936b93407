"""Replays: the exact privacy loss of whole runs, output by output.

A run is recorded: every decision, and every output with its true value and the scale of its noise. It is run again
on another input, with the same random stream and the same outputs. If decisions are functions of outputs and random
draws alone, both runs decide the same. Then the log density ratio of the transcript is the sum of those of its
outputs. `docs/audit.md` has the theorem.

A case is one run with these checks:

1. All inputs are flipped, 0 for 1 and 1 for 0. If a decision differs, bisection finds two neighbouring inputs with
   equal outputs and different decisions. The same is done on random inputs, to catch statistics that flipping every
   reward leaves unchanged, such as a variance.
2. Single outputs are moved to the point where a decision changes, and inputs are flipped on both sides of it. If
   something is added to the output after its release, the point differs between inputs.
3. One reward is flipped in each of a random half of the batches. A release that loses more than the claim, or
   changes with a reward of another batch, is suspicious.
4. Single rewards are flipped: those of suspicious releases, and those in the first, last and random batches. The
   loss of the whole transcript is computed, for the outputs that lose most.
"""

from dpbandits.auditing.replay.case_replayer import Neighbour
from dpbandits.auditing.replay.search import replay
from dpbandits.auditing.replay.witness import (
    NOISE_ALONE,
    NOT_RECORDED,
    Coverage,
    Replayed,
    ViolationFound,
    Witness,
)

__all__ = [
    "NOISE_ALONE",
    "NOT_RECORDED",
    "Coverage",
    "Neighbour",
    "Replayed",
    "ViolationFound",
    "Witness",
    "replay",
]
