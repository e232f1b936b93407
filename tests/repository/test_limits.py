"""Limits and constants that modules compute, written out: a slip in a power moves no test of what they bound."""

from __future__ import annotations

import importlib
import math

import pytest

LIMITS: dict[str, dict[str, object]] = {
    "auditing.admission": {"MOST": 4_611_686_018_427_387_904},
    "auditing.audit": {"MOST_ARMS": 1000, "MOST_ROUNDS": 10_000, "MOST": 9_223_372_036_854_775_807},
    "auditing.candidates": {"LATE": 0.6666666666666666},
    "auditing.check": {"FAR": ((1.0, 1.0), (1.0, -1.0), (3.0, 0.0)) * 3},
    "auditing.checked_calls": {
        "MOST": 4_503_599_627_370_496,
        "MOST_ITEMS": 4_294_967_296,
        "MOST_CALLS": 200_000,
        "LONGEST_RUN": 60.0,
    },
    "auditing.counted": {"FRESH": 2_305_843_009_213_693_952, "STAGES": 3, "MOST_RUNS": 4_000_000},
    "auditing.events": {"DIRECT": 4096},
    "auditing.preflight": {
        "MOST_ROUNDS": {"batches": 1_000_000, "rounds": 10_000},
        "MOST_EVENTS": 1_000_000,
        "LONG": 100_000,
        "LOOKAHEAD": 16_384,
    },
    "auditing.replay.case_replayer": {"ALL": 4_611_686_018_427_387_904},
    "auditing.replay.draws": {"WORD": 18_446_744_073_709_551_615},
    "auditing.replay.witness": {"FAR": 4_611_686_018_427_387_904},
    "auditing.sampled": {"STAGE_SHARE": 0.0625, "CHUNK": 65_536, "APART": 1_099_511_627_776},
    "auditing.told": {"WORD": 18_446_744_073_709_551_615},
    "claims.declarations": {"ANOTHER_SEED": pytest.approx(2.16461260)},
    "claims.kinds.privacy": {"LIMITS": (-math.inf, pytest.approx(1.0, abs=1e-5))},
    "claims.kinds.smallest_bound": {
        "HORIZONS": (10_000, 1_000_000, 100_000_000, 10_000_000_000, 1_000_000_000_000),
        "LIMITS": (-math.inf, 1.000000001),
    },
    "cli.commands.privacy": {"LONGEST_CHECK": 3600.0, "LONGEST_AUDIT": 10_000_000.0},
    "cli.doctor": {"MEMORY_OF_JOB": 1e9, "DISK_OF_FULL_SCALE": 2e9, "DISK_AT_LEAST": 2e8},
    "core.arguments": {"LAST_RUN": 9_223_372_036_854_775_807, "MOST_RUNS": 1_000_000_000},
    "core.fields": {"MOST_ROOT_SEED": 18_446_744_073_709_551_615},
    "core.mathematics": {
        "ROUND": 6_755_399_441_055_744.0,
        "LEAST_NORMAL": 2.2250738585072014e-308,
        "LARGEST_ANGLE": 524_288.0,
    },
    "core.origin": {"LOOKED_AT": 1_048_576},
    "core.recorder": {"ROUNDING": 1e-9, "LOOKAHEAD_DRAWS": 1_048_576},
    "engine.terminal": {"MEMORY": 0.15, "SCALED": (pytest.approx(0.3333333333333333), 3.0)},
    "integrity.compare": {"LARGEST": 16_777_216},
    "integrity.expected": {"MOST_RUNS": 1_000_000},
    "integrity.verify": {"MOST_MISSING": 100_000},
    "notebook.bundle": {"LONGEST": 3600, "LONGEST_WAIT": 10_800, "LARGEST": 1_073_741_824},
    "notebook.cells": {"LARGEST_CACHE": 2_000_000_000},
    "papers.azize2025.computations.dp_lower_bound": {"GOLDEN": pytest.approx(0.6180339887498949)},
    "papers.wu2025.computations.selection_decay": {
        "PROVED": {
            "laplace": 9.6,
            "exponential": pytest.approx(5.3333333333),
            "gumbel": pytest.approx(9.1428571428),
        },
    },
    "papers.wu2025.computations.stochastic_regret": {"LAST": 1_099_511_627_776},
    "policies.make": {
        "TRIAL_HORIZONS": (1_099_511_627_776.0, 1_125_899_906_842_624.0),
        "MOST_ARMS": 10_000_000,
        "LONGEST_HORIZON": 4_503_599_627_370_496,
    },
    "policies.noise": {"LEAST_STEPS_PER_SCALE": 1_048_576},
    "publish.crate.digests": {"LARGEST": 8_388_608},
    "runs.duration": {
        "SHORT": 1_000_000_000_000,
        "PATIENCE": 2_592_000.0,
        "UNITS": (("years", 31_557_600.0), ("days", 86_400.0), ("hours", 3600.0)),
    },
    "runs.job": {"LONGEST_HORIZON": 4_503_599_627_370_496},
    "runs.safe_yaml": {"LARGEST": 1_048_576},
    "runs.values": {
        "MOST_RUNS": 10_000_000,
        "LARGEST_JOB": 1_000_000_000,
        "LONGEST_HORIZON": 4_503_599_627_370_496,
    },
    "settings.adversarial.algorithms.htinf": {"SKIP": pytest.approx(0.20629947401590026)},
    "settings.adversarial.batch_laws": {"LARGEST": 65_536},
    "settings.adversarial.environments.bernoulli_gap": {"LARGEST": 1_000_000},
    "settings.adversarial.theory": {"COIN": pytest.approx(2.3014565796142)},
    "settings.experts.environments.one_good_expert": {"LARGEST": 100_000_000},
    "settings.experts.weights": {"ROUND": 6_755_399_441_055_744.0},
    "settings.full_information.algorithms.rnm_ftnl_random_phase": {"LONGEST": 4_503_599_627_370_496.0},
    "settings.full_information.regret": {"LONGEST_EPOCH": 262_144},
    "settings.full_information.scenario": {"MOST_ARMS": 1_000_000},
    "settings.linear.elimination": {"MOST_REPORTS": 1_000_000_000, "AT_ONCE": 2_000_000},
    "settings.linear.scenario": {"MOST_ARMS": 1_000_000, "ROUNDING": 1.000000000001},
}


@pytest.mark.parametrize("module", LIMITS)
def test_limits(module: str) -> None:
    """Each is as it is written out here."""
    found = importlib.import_module(f"dpbandits.{module}")
    assert {name: getattr(found, name) for name in LIMITS[module]} == LIMITS[module]


def test_numbers_of_experts_and_octaves() -> None:
    """Powers of two."""
    bound = importlib.import_module("dpbandits.claims.kinds.smallest_bound")
    octave = importlib.import_module("dpbandits.papers.wu2025.computations.deterministic_regret").OCTAVE
    assert bound.EXPERTS[:4] == (2, 4, 8, 16) and bound.EXPERTS[-1] == 1_048_576 and len(bound.EXPERTS) == 20
    assert octave.size == 8 and octave[4] == pytest.approx(1.4142135623730951) and octave[0] == 1.0
    stream = importlib.import_module("dpbandits.policies.one_stream")
    assert stream.FORWARD.bit_length() == stream.BITS and stream.FORWARD & (stream.FORWARD - 1) == 0
    random = importlib.import_module("dpbandits.settings.full_information.random_selection")
    assert random.LARGEST_STEP == random.NEGLIGIBLE + random.NEGLIGIBLE
