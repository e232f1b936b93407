"""Limits and constants that modules compute, written out: a slip in a power moves no test of what they bound."""

from __future__ import annotations

import math
from types import ModuleType

import pytest

from dpbandits.auditing import (
    admission,
    audit,
    candidates,
    check,
    checked_calls,
    counted,
    events,
    preflight,
    sampled,
    told,
)
from dpbandits.auditing.replay import case_replayer, draws, witness
from dpbandits.claims import declarations
from dpbandits.claims.kinds import privacy as claims_kinds_privacy
from dpbandits.claims.kinds import smallest_bound
from dpbandits.cli import doctor
from dpbandits.cli.commands import privacy as cli_commands_privacy
from dpbandits.core import arguments, fields, mathematics, origin, recorder
from dpbandits.engine import terminal
from dpbandits.integrity import compare, expected, verify
from dpbandits.notebook import bundle, cells
from dpbandits.papers.azize2025.computations import dp_lower_bound
from dpbandits.papers.wu2025.computations import deterministic_regret, selection_decay, stochastic_regret
from dpbandits.policies import make, noise, one_stream
from dpbandits.publish.crate import digests
from dpbandits.runs import duration, job, safe_yaml, values
from dpbandits.settings.adversarial import batch_laws, theory
from dpbandits.settings.adversarial.algorithms import htinf
from dpbandits.settings.adversarial.environments import bernoulli_gap
from dpbandits.settings.experts import weights
from dpbandits.settings.experts.environments import one_good_expert
from dpbandits.settings.full_information import random_selection, regret
from dpbandits.settings.full_information import scenario as settings_full_information_scenario
from dpbandits.settings.full_information.algorithms import rnm_ftnl_random_phase
from dpbandits.settings.linear import elimination
from dpbandits.settings.linear import scenario as settings_linear_scenario

LIMITS: dict[ModuleType, dict[str, object]] = {
    admission: {"MOST": 4_611_686_018_427_387_904},
    audit: {"MOST_ARMS": 1000, "MOST_ROUNDS": 10_000, "MOST": 9_223_372_036_854_775_807},
    candidates: {"LATE": 0.6666666666666666},
    check: {"FAR": ((1.0, 1.0), (1.0, -1.0), (3.0, 0.0)) * 3},
    checked_calls: {
        "MOST": 4_503_599_627_370_496,
        "MOST_ITEMS": 4_294_967_296,
        "MOST_CALLS": 200_000,
        "LONGEST_RUN": 60.0,
    },
    counted: {"FRESH": 2_305_843_009_213_693_952, "STAGES": 3, "MOST_RUNS": 4_000_000},
    events: {"DIRECT": 4096},
    preflight: {
        "MOST_ROUNDS": {"batches": 1_000_000, "rounds": 10_000},
        "MOST_EVENTS": 1_000_000,
        "LONG": 100_000,
        "LOOKAHEAD": 16_384,
    },
    case_replayer: {"ALL": 4_611_686_018_427_387_904},
    draws: {"WORD": 18_446_744_073_709_551_615},
    witness: {"FAR": 4_611_686_018_427_387_904},
    sampled: {"STAGE_SHARE": 0.0625, "CHUNK": 65_536, "APART": 1_099_511_627_776},
    told: {"WORD": 18_446_744_073_709_551_615},
    declarations: {"ANOTHER_SEED": pytest.approx(2.16461260)},
    claims_kinds_privacy: {"LIMITS": (-math.inf, pytest.approx(1.0, abs=1e-5))},
    smallest_bound: {
        "HORIZONS": (10_000, 1_000_000, 100_000_000, 10_000_000_000, 1_000_000_000_000),
        "LIMITS": (-math.inf, 1.000000001),
    },
    cli_commands_privacy: {"LONGEST_CHECK": 3600.0, "LONGEST_AUDIT": 10_000_000.0},
    doctor: {"MEMORY_OF_JOB": 1e9, "DISK_OF_FULL_SCALE": 2e9, "DISK_AT_LEAST": 2e8},
    arguments: {"LAST_RUN": 9_223_372_036_854_775_807, "MOST_RUNS": 1_000_000_000},
    fields: {"MOST_ROOT_SEED": 18_446_744_073_709_551_615},
    mathematics: {
        "ROUND": 6_755_399_441_055_744.0,
        "LEAST_NORMAL": 2.2250738585072014e-308,
        "LARGEST_ANGLE": 524_288.0,
    },
    origin: {"LOOKED_AT": 1_048_576},
    recorder: {"ROUNDING": 1e-9, "LOOKAHEAD_DRAWS": 1_048_576},
    terminal: {"MEMORY": 0.15, "SCALED": (pytest.approx(0.3333333333333333), 3.0)},
    compare: {"LARGEST": 16_777_216},
    expected: {"MOST_RUNS": 1_000_000},
    verify: {"MOST_MISSING": 100_000},
    bundle: {"LONGEST": 3600, "LONGEST_WAIT": 10_800, "LARGEST": 1_073_741_824},
    cells: {"LARGEST_CACHE": 2_000_000_000},
    dp_lower_bound: {"GOLDEN": pytest.approx(0.6180339887498949)},
    selection_decay: {
        "PROVED": {
            "laplace": 9.6,
            "exponential": pytest.approx(5.3333333333),
            "gumbel": pytest.approx(9.1428571428),
        },
    },
    stochastic_regret: {"LAST": 1_099_511_627_776},
    make: {
        "TRIAL_HORIZONS": (1_099_511_627_776.0, 1_125_899_906_842_624.0),
        "MOST_ARMS": 10_000_000,
        "LONGEST_HORIZON": 4_503_599_627_370_496,
    },
    noise: {"LEAST_STEPS_PER_SCALE": 1_048_576},
    digests: {"LARGEST": 8_388_608},
    duration: {
        "SHORT": 1_000_000_000_000,
        "PATIENCE": 2_592_000.0,
        "UNITS": (("years", 31_557_600.0), ("days", 86_400.0), ("hours", 3600.0)),
    },
    job: {"LONGEST_HORIZON": 4_503_599_627_370_496},
    safe_yaml: {"LARGEST": 1_048_576},
    values: {
        "MOST_RUNS": 10_000_000,
        "LARGEST_JOB": 1_000_000_000,
        "LONGEST_HORIZON": 4_503_599_627_370_496,
    },
    htinf: {"SKIP": pytest.approx(0.20629947401590026)},
    batch_laws: {"LARGEST": 65_536},
    bernoulli_gap: {"LARGEST": 1_000_000},
    theory: {"COIN": pytest.approx(2.3014565796142)},
    one_good_expert: {"LARGEST": 100_000_000},
    weights: {"ROUND": 6_755_399_441_055_744.0},
    rnm_ftnl_random_phase: {"LONGEST": 4_503_599_627_370_496.0},
    regret: {"LONGEST_EPOCH": 262_144},
    settings_full_information_scenario: {"MOST_ARMS": 1_000_000},
    elimination: {"MOST_REPORTS": 1_000_000_000, "AT_ONCE": 2_000_000},
    settings_linear_scenario: {"MOST_ARMS": 1_000_000, "ROUNDING": 1.000000000001},
}


@pytest.mark.parametrize("module", LIMITS, ids=lambda module: module.__name__)
def test_limits(module: ModuleType) -> None:
    """Each is as it is written out here."""
    assert {name: getattr(module, name) for name in LIMITS[module]} == LIMITS[module]


def test_numbers_of_experts_and_octaves() -> None:
    """Powers of two."""
    experts, octave = smallest_bound.EXPERTS, deterministic_regret.OCTAVE
    assert experts[:4] == (2, 4, 8, 16) and experts[-1] == 1_048_576 and len(experts) == 20
    assert octave.size == 8 and octave[4] == pytest.approx(1.4142135623730951) and octave[0] == 1.0
    assert one_stream.FORWARD.bit_length() == one_stream.BITS and one_stream.FORWARD & (one_stream.FORWARD - 1) == 0
    assert random_selection.LARGEST_STEP == random_selection.NEGLIGIBLE + random_selection.NEGLIGIBLE
