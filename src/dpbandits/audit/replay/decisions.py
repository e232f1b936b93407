"""Decisions on other inputs: every check that a decision, given the outputs, depends on nothing but random draws.

Each check replays a run with equal outputs on other inputs. A decision that differs is an infinite loss. A
bisection over the inputs then finds two neighbouring ones between which it changes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dpbandits.audit.replay.case_replayer import CaseReplayer
from dpbandits.audit.replay.cases import spread_rates
from dpbandits.audit.replay.draws import NonNoiseDraws
from dpbandits.audit.replay.findings import Findings
from dpbandits.audit.replay.settings import SETTINGS
from dpbandits.audit.replay.witness import Neighbour, ViolationFound, Witness
from dpbandits.audit.transcript import Fault, Floats, Rewards, Transcript
from dpbandits.core import recorder as at

# Relative error of noise that is the difference of two scores.
NOISE_ROUNDING = 1e-9


class FlippedPair(NamedTuple):
    """A run on its original inputs and on all inputs flipped, with equal outputs.

    Attributes
    ----------
    base, flipped
        The two transcripts.
    divergence
        The first row in which they differ, ``None`` if there is none.
    """

    base: Transcript
    flipped: Transcript
    divergence: int | None


def flip_all(findings: Findings, replayer: CaseReplayer) -> FlippedPair:
    """Run a case, and replay it with all inputs flipped.

    Raises
    ------
    ViolationFound
        If two outputs of the run have the same noise.
    """
    base = replayer.on_original(noise=replayer.case.noise)
    findings.add_run(base)
    reused = base.reused_noise()
    if reused is not None:
        first, second = reused
        violation = f"{base.name(second)} has the noise of {base.name(first)}"
        raise violated(replayer, violation, base.describe(second))
    flipped = replayer.with_all_flipped(base.tape)
    return FlippedPair(base, flipped, base.first_divergence(flipped))


def violated(
    replayer: CaseReplayer, violation: str, details: str, neighbour: Neighbour | None = None
) -> ViolationFound:
    """Return the exception for an infinite loss."""
    return ViolationFound(Witness(math.inf, violation, details, replayer.case, neighbour))


def differing(
    replayer: CaseReplayer, one: Transcript, other: Transcript, row: int, neighbour: Neighbour | None, where: str
) -> ViolationFound:
    """Return the exception for a decision that differs under equal outputs; ``where`` names the other input."""
    violation = f"{one.name(row)} differs under equal releases"
    details = f"{one.describe(row)}, on {where} {other.describe(row)}"
    return violated(replayer, violation, details, neighbour)


def first_true(number: int, holds: Callable[[int], bool]) -> int:
    """Return a k in 1, ..., ``number`` that holds while k - 1 does not, by bisection; ``number`` must hold."""
    low, high = 0, number
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def bisect_rounds(replayer: CaseReplayer, base: Transcript, row: int) -> ViolationFound:
    """Return the violation of a run that differs in a row from the run with all inputs flipped.

    The inputs of its first rounds are flipped: bisection finds the round that changes a decision.
    """

    def same(rounds: int) -> bool:
        return base.first_divergence(replayer.with_rounds_flipped(base, rounds)) is None

    horizon = int(base.played[-1])
    if same(horizon):
        # The recorder's rewards make no difference, so the table does.
        return violated(replayer, "unrecorded rewards are read", base.describe(row))
    round_ = first_true(horizon, lambda rounds: not same(rounds))
    changed = replayer.with_rounds_flipped(base, round_)
    found = base.first_divergence(changed)
    if found is None:
        return violated(replayer, f"{base.name(row)} depends on runs before it", base.describe(row))
    neighbour = replayer.neighbour_in_round(base, round_)
    return differing(replayer, base, changed, found, neighbour, "the neighbour")


def check_random_inputs(replayer: CaseReplayer, base: Transcript, rates: Floats) -> None:
    """Replay a run on other inputs, with reward rates ``rates``.

    This finds statistics that flipping all rewards leaves unchanged, such as a variance.

    Raises
    ------
    ViolationFound
        If a decision differs. The witness has two neighbouring inputs between the original and the other inputs.
    """
    other = Rewards.at_rates(rates)
    changed = replayer.run(other, base.tape)
    row = base.first_divergence(changed)
    if row is None:
        check_noise(replayer, base, changed)
        return
    pulls, rounds = replayer.differences(base, other, int(base.played[row]))

    def partly(k: int) -> Transcript:
        """Return the run on inputs that differ up to the round of the k-th difference."""
        return replayer.run(replayer.original.with_pulls_flipped(pulls[rounds <= rounds[k - 1]]), base.tape)

    if len(pulls) == 0 or base.first_divergence(partly(len(pulls))) is None:
        raise differing(replayer, base, changed, row, None, "other inputs")
    last = first_true(len(pulls), lambda k: base.first_divergence(partly(k)) is not None)
    before, changed = partly(last - 1) if last > 1 else base, partly(last)
    found = before.first_divergence(changed)
    assert found is not None
    arm, pull = (0, rounds[last - 1]) if replayer.together else pulls[last - 1]
    neighbour = Neighbour(int(arm), int(pull), int(rounds[last - 1]))
    raise differing(replayer, before, changed, found, neighbour, "the neighbour")


def check_table(findings: Findings, replayer: CaseReplayer, base: Transcript) -> None:
    """Replay a run with only its table of inputs flipped, which a kernel must not read.

    Raises
    ------
    ViolationFound
        If a decision differs. If only a released value differs, the algorithm is refused.
    """
    changed = replayer.run(replayer.original, base.tape, table_flipped=True)
    row = base.first_divergence(changed)
    if row is not None:
        raise violated(replayer, "unrecorded rewards are read", base.describe(row))
    moved = (base.numbers[:, 0] != changed.numbers[:, 0]) & (base.events[:, 0] != at.READ)
    if moved.any():
        row = int(np.argmax(moved))
        findings.refuse(Fault(f"unrecorded rewards are read and released: {base.describe(row)}", 0))


def check_noise(replayer: CaseReplayer, base: Transcript, other: Transcript) -> None:
    """Compare the noise of a run on two inputs: its scales, and the noise that an algorithm draws for a selection.

    Raises
    ------
    ViolationFound
        If they differ, or a selection has no noise.
    """
    rows = base.outputs
    wrong = base.numbers[rows, 1] != other.numbers[rows, 1]
    if wrong.any():
        row = int(rows[np.argmax(wrong)])
        violation = f"the scale of the noise of {base.name(row)} depends on rewards"
        raise violated(replayer, violation, f"{base.describe(row)}, on other inputs {other.describe(row)}")
    rows = base.rows(at.OFFERED)
    if rows.size == 0:
        return
    noise, again = (run.numbers[rows, 0] - run.numbers[rows, 2] for run in (base, other))
    size = np.maximum(np.abs(base.numbers[rows, 0]), np.abs(other.numbers[rows, 0])) + np.abs(noise) + 1.0
    wrong = (np.abs(noise - again) > NOISE_ROUNDING * size) | (noise == 0.0)
    if wrong.any():
        row = int(rows[np.argmax(wrong)])
        action = int(base.events[row, 1]) + 1
        violation = f"{base.name(row)}: the noise on the score of action {action} is not the declared noise"
        raise violated(replayer, violation, base.describe(row))


def check_moved_outputs(
    replayer: CaseReplayer,
    pair: FlippedPair,
    rng: np.random.Generator,
    rng_inputs: np.random.Generator,
) -> None:
    """Move single outputs to the points where a decision changes, and replay on other inputs on both sides.

    The point is a value of the output, the same on every input. If something is added to the output after its
    release, the point differs between inputs.

    Raises
    ------
    ViolationFound
        If a decision differs.
    """
    base = pair.base
    rows = base.rows(at.RELEASED)
    rows = rows[rows < base.last_decision]
    if rows.size == 0 or len(base.events) > SETTINGS.moved_most_events:
        return
    is_long = SETTINGS.is_long(replayer.job.horizon)
    number = SETTINGS.moved_outputs_long if is_long else SETTINGS.moved_outputs
    number += SETTINGS.moved_outputs_small_noise if replayer.case.noise.factor < 1.0 else 0
    # The last output, and others of the later half.
    drawn = rng.integers(rows.size // 2, rows.size, size=number)
    drawn[0] = rows.size - 1
    for i in np.unique(drawn):
        for tape in _tapes_at_a_change(replayer, pair, int(rows[i]), rng):
            near = replayer.on_original(tape, replayer.case.noise)
            row = near.first_divergence(replayer.with_all_flipped(near.tape))
            if row is not None:
                raise bisect_rounds(replayer, near, row)
            check_random_inputs(replayer, near, spread_rates(replayer.arms, rng_inputs))


def _tapes_at_a_change(
    replayer: CaseReplayer, pair: FlippedPair, row: int, rng: np.random.Generator
) -> list[Floats]:
    """Return two tapes that differ slightly in one output: with one the run decides as before, with one not.

    The list is empty if no decision changes within reach of the output.
    """
    base = pair.base
    tape, number = base.tape, int(base.events[row, 1])
    value, scale, out = base.numbers[row]

    def moved(to: float) -> Floats:
        other = tape.copy()
        other[number] = to
        return other

    def same(to: float) -> bool:
        return base.first_divergence(replayer.on_original(moved(to), replayer.case.noise)) is None

    change = abs(pair.flipped.numbers[row, 0] - value)
    reach = SETTINGS.moved_scales * scale + SETTINGS.moved_ranges * change
    first = rng.choice([-1.0, 1.0])
    for side in (first, -first):
        low, high = out, out + side * reach
        if same(high):
            continue
        while abs(high - low) > SETTINGS.moved_tolerance * scale:
            middle = (low + high) / 2.0
            if middle in (low, high):
                break
            low, high = (middle, high) if same(middle) else (low, middle)
        return [moved(low), moved(high)]
    return []


def force_extreme_draws(
    replayer: CaseReplayer,
    base: Transcript,
    number: int,
    rng: np.random.Generator,
    check: Callable[[CaseReplayer], None],
) -> None:
    """Repeat a case on random streams in which one non-noise draw is extremely small or large.

    Parameters
    ----------
    replayer, base
        The case, and its run.
    number
        Number of streams.
    rng
        Generator of the draws and their values.
    check
        Run and check the case; called once for each stream.

    Raises
    ------
    ViolationFound
        As ``check`` does; the witness has the stream.
    """
    stream = replayer.stream
    draws = NonNoiseDraws(stream, base)
    if not draws.draws:
        return
    for turn in range(number):
        bits = int(rng.integers(2**SETTINGS.extreme_draw_bits))
        # Small and large values in turn, of any draw and of those just before noise.
        kind = 2 * replayer.case.number + turn
        among = draws.before_noise if kind // 2 % 2 == 0 else draws.draws
        draw = among[int(rng.integers(len(among)))]
        replayer.stream = draws.stream_with(draw, bits if kind % 2 == 0 else 2**64 - 1 - bits)
        try:
            check(replayer)
        except ViolationFound as found:
            words = tuple(int(word) for word in replayer.stream)
            raise ViolationFound(dataclasses.replace(found.witness, stream=words)) from None
    replayer.stream = stream
