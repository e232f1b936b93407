"""Decisions on other inputs: all checks that a decision, given the outputs, depends on nothing but random draws.

Each check replays a run with equal outputs on other inputs. A decision that differs is an infinite loss. A
bisection over the inputs then finds two neighbouring ones between which it changes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dpbandits.auditing.replay.case_replayer import ARM, EPOCH, UP_TO, CaseReplayer, Neighbour
from dpbandits.auditing.replay.cases import spread_rates
from dpbandits.auditing.replay.draws import NonNoiseDraws
from dpbandits.auditing.replay.findings import Findings
from dpbandits.auditing.replay.losses import most_revealing_selection
from dpbandits.auditing.replay.settings import SETTINGS
from dpbandits.auditing.replay.witness import Bypassed, Sides, ViolationFound, Witness, certificate, difference
from dpbandits.auditing.transcript import Fault, Floats, Rewards, Transcript
from dpbandits.core import recorder as at


class FlippedPair(NamedTuple):
    """Two runs with equal outputs: one on the original inputs, one with all inputs flipped.

    Attributes
    ----------
    base, flipped
        The two transcripts.
    divergence
        Number of the first row in which their events differ, ``None`` if there is none.
    """

    base: Transcript
    flipped: Transcript
    divergence: int | None


def flip_all(findings: Findings, replayer: CaseReplayer) -> FlippedPair:
    """Run a case, replay it with all inputs flipped, and return both runs.

    Outputs, mechanisms and faults of the first run are noted in ``findings``.

    Raises
    ------
    ViolationFound
        If two outputs of the run have the same noise.
    """
    base = replayer.on_original(noise=replayer.case.noise)
    findings.add_run(base)
    reused = base.reused_noise()
    if reused is not None:
        raise _reused(findings, replayer, base, reused)
    flipped = replayer.with_all_flipped(base.tape)
    return FlippedPair(base, flipped, base.first_divergence(flipped))


def _reused(findings: Findings, replayer: CaseReplayer, base: Transcript, rows: tuple[int, int]) -> ViolationFound:
    """Return the violation of two outputs with the same noise; its neighbour is a reward that one of them has.

    Parameters
    ----------
    findings, replayer
        Findings so far, and what replays the case.
    base, rows
        The run, and its rows of the two outputs.
    """
    first, second = rows
    words = f"{base.name(second)} has the noise of {base.name(first)}"
    witness = Witness(math.inf, words, base.describe(second), replayer.case, None)

    def bare(run: Transcript) -> float:
        """Return the difference of the two outputs without noise, each times the other's scale."""
        (x, b, _), (z, c, _) = run.numbers[list(rows), :3]
        return float(x * c - z * b)

    reads = replayer.reads(base)
    for flip in reads[np.isin(reads[:, EPOCH], base.epochs[list(rows)])][:, [ARM, UP_TO]]:
        sides = Sides(replayer.original, replayer.flipped(replayer.original, flip[None]))
        changed = replayer.run(sides.other, base.tape)
        if base.first_divergence(changed) is None and bare(base) != bare(changed):
            made = certificate(replayer, sides, base, second, findings.claim, rows)
            near = replayer.neighbour(base, flip)
            return ViolationFound(dataclasses.replace(witness, neighbour=near, certificate=made))
    return ViolationFound(witness)


def violation_between(
    findings: Findings,
    replayer: CaseReplayer,
    sides: Sides,
    one: Transcript,
    other: Transcript,
    neighbour: Neighbour,
) -> ViolationFound:
    """Return the exception for two runs with equal outputs on neighbouring inputs, of which some event differs.

    Parameters
    ----------
    findings
        Findings so far.
    replayer
        The replayer of the case.
    sides
        The two neighbouring inputs.
    one, other
        The runs on the first input and on the second.
    neighbour
        The reward in which the inputs differ.
    """
    row = one.first_divergence(other)
    assert row is not None
    details = f"{one.describe(row)}, on the neighbour {other.describe(row)}"
    scale_alone, why = difference(one, other, row)
    if scale_alone:
        violation = f"the scale of the noise of {one.name(row)} depends on rewards"
        one = _far_out(replayer, sides, one, other, row)
        if one.events[row, at.KIND] == at.OFFERED:
            # What is offered shows in what is selected.
            row += int(np.argmax(one.events[row:, at.KIND] == at.SELECTED))
    else:
        violation = f"{one.name(row)} differs under equal releases"
    made = certificate(replayer, sides, one, row, findings.claim)
    return ViolationFound(Witness(math.inf, violation, details, replayer.case, neighbour, made, why))


def _far_out(replayer: CaseReplayer, sides: Sides, one: Transcript, other: Transcript, row: int) -> Transcript:
    """Return the run on the first input with the output in a row so far out that two scales of noise show."""
    (x, b, _), (z, c, _) = one.numbers[row, :3], other.numbers[row, :3]
    if one.events[row, at.KIND] == at.OFFERED and min(b, c) > 0.0:
        return _selecting(replayer, sides, one, other, row)
    if one.events[row, at.KIND] != at.RELEASED or min(b, c) <= 0.0:
        return one
    rate = abs(1.0 / b - 1.0 / c)
    reach = (SETTINGS.far_out + abs(x - z) / min(b, c)) / rate
    tape = one.tape.copy()
    # Where the first scale is the larger one, its density is the larger one far out, and the other way round.
    tape[int(one.events[row, at.WHICH])] = x + reach
    return replayer.run(sides.one, tape, table_rows=sides.table_rows[0])


def _selecting(replayer: CaseReplayer, sides: Sides, one: Transcript, other: Transcript, row: int) -> Transcript:
    """Return the run on the first input that selects the action which loses most, of those offered in a row."""
    selected = row + int(np.argmax(one.events[row:, at.KIND] == at.SELECTED))
    tape = one.tape.copy()
    tape[int(one.events[selected, at.WHICH])] = most_revealing_selection(one, other, selected)
    return replayer.run(sides.one, tape, table_rows=sides.table_rows[0])


def bisected(number: int, holds: Callable[[int], bool]) -> int:
    """Return, by bisection, a k from 1 to ``number`` for which ``holds(k)`` is true and ``holds(k - 1)`` is false.

    ``holds(number)`` must be true; ``holds(0)`` is taken to be false.
    """
    low, high = 0, number
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def bisect_rounds(findings: Findings, replayer: CaseReplayer, base: Transcript, row: int) -> ViolationFound:
    """Return the violation of a run that differs in a row from the run with all inputs flipped.

    The inputs of its first rounds are flipped: bisection finds the round that changes that event.

    Parameters
    ----------
    findings, replayer
        Findings so far, and the replayer of the case.
    base
        A run of the case on the original inputs.
    row
        Number of the row of the first event that differs.

    Raises
    ------
    Bypassed
        If the decision depends neither on rewards that the recorder pays nor on a table with a row for each round,
        or differs when a run is repeated.
    """
    horizon, decided = int(base.played[-1]), replayer.job.horizon

    def partly(rounds: int, table: bool) -> Transcript:
        """Return the run with the rewards of the first rounds flipped, and if ``table`` their table rows too."""
        return replayer.run(
            replayer.rounds_flipped(base, rounds), base.tape, table_rows=min(rounds, decided) if table else 0
        )

    # Where the recorder's rewards make no difference, the table does.
    table = base.first_divergence(partly(horizon, False)) is None
    if table and (replayer.inputs(1) == replayer.inputs(0) or base.first_divergence(partly(horizon, True)) is None):
        raise Bypassed(Fault(f"unrecorded rewards are read: {base.describe(row)}", 0))
    round_ = bisected(horizon, lambda rounds: base.first_divergence(partly(rounds, table)) is not None)
    before, changed = partly(round_ - 1, table), partly(round_, table)
    neighbour = replayer.neighbour_in_round(base, round_)
    rewards = replayer.rounds_flipped(base, round_ - 1)
    other = replayer.flipped(rewards, np.array([[neighbour.arm, neighbour.pull]]))
    if before.first_divergence(changed) is None:
        raise Bypassed(Fault(f"{base.name(row)} depends on runs before it", 0))
    sides = Sides(rewards, other, (round_ - 1, round_) if table else (0, 0))
    found = violation_between(findings, replayer, sides, before, changed, neighbour)
    if table:
        words = f"unrecorded rewards are read: {found.witness.violation}"
        return ViolationFound(dataclasses.replace(found.witness, violation=words))
    return found


def check_random_inputs(findings: Findings, replayer: CaseReplayer, base: Transcript, rates: Floats) -> None:
    """Replay a run on other inputs, with the same outputs, and refuse one whose events differ.

    An event is what is played, read or released, by which mechanism, and with which scale of noise. This finds
    statistics that flipping all rewards leaves unchanged, such as a variance.

    Parameters
    ----------
    findings, replayer
        Findings so far, and the replayer of the case.
    base
        A run of the case on the original inputs.
    rates : ndarray of float64, shape (arms, 2)
        Rate and phase of each arm in the other inputs: its first n pulls pay floor(rate n + phase) in sum.

    Raises
    ------
    ViolationFound
        If an event differs. The witness has two neighbouring inputs between the original and the other inputs, or
        no neighbour if single rewards do not show it or more than 500,000 rounds are to be compared.
    """
    other = Rewards.at_rates(rates)
    changed = replayer.run(other, base.tape)
    row = base.first_divergence(changed)
    if row is None:
        return
    pulls, rounds = replayer.differences(base, other, int(base.played[min(row + 1, len(base.events))]))

    def partly(k: int) -> Rewards:
        """Return the inputs with the flips of the first k differing pulls, in order of their rounds."""
        return replayer.flipped(replayer.original, pulls[rounds <= rounds[k - 1]]) if k else replayer.original

    def differs(k: int) -> bool:
        """Tell whether an event of the run differs on the inputs of `partly`."""
        return base.first_divergence(replayer.run(partly(k), base.tape)) is not None

    if len(pulls) == 0 or not differs(len(pulls)):
        words, (_, why) = f"{base.name(row)} differs on other inputs", difference(base, changed, row)
        raise ViolationFound(Witness(math.inf, words, base.describe(row), replayer.case, None, None, why))
    last = bisected(len(pulls), differs)
    # Inputs of one round and several arms change together only where neighbours do.
    sides = Sides(partly(last - 1), partly(last))
    before, changed = (replayer.run(rewards, base.tape) for rewards in (sides.one, sides.other))
    arm, pull = (0, rounds[last - 1]) if replayer.together else pulls[last - 1]
    neighbour = Neighbour(int(arm), int(pull), int(rounds[last - 1]))
    raise violation_between(findings, replayer, sides, before, changed, neighbour)


def check_moved_outputs(
    findings: Findings,
    replayer: CaseReplayer,
    pair: FlippedPair,
    rng: np.random.Generator,
    rng_inputs: np.random.Generator,
) -> None:
    """Move single outputs to the points where a decision changes, and replay on other inputs on both sides.

    The point is a value of the output, the same on every input. If something is added to the output after its
    release, the point differs between inputs. A run without releases, or of more than 20,000 events, is skipped.

    Parameters
    ----------
    findings, replayer
        Findings so far, and the replayer of the case.
    pair
        The case's run, and the run with all inputs flipped.
    rng, rng_inputs
        Generators of the outputs that are moved, and of the other inputs.

    Raises
    ------
    ViolationFound
        If an event differs: what is played, read or released, the mechanism, or the scale of its noise.
    """
    base = pair.base
    rows = base.row_numbers(at.RELEASED)
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
                raise bisect_rounds(findings, replayer, near, row)
            check_random_inputs(findings, replayer, near, spread_rates(replayer.arms, rng_inputs))


def _tapes_at_a_change(
    replayer: CaseReplayer, pair: FlippedPair, row: int, rng: np.random.Generator
) -> list[Floats]:
    """Return two tapes that differ slightly in one output: with one the run decides as before, with one not.

    The list is empty if no decision changes within reach of the output.

    Parameters
    ----------
    replayer, pair
        What replays the case; the run, and the run with all inputs flipped.
    row
        The row of the output.
    rng
        Decides to which side the output is moved first.
    """
    base = pair.base
    tape, number = base.tape, int(base.events[row, at.WHICH])
    value, scale, out = base.numbers[row, :3]

    def moved(to: float) -> Floats:
        """Return the tape with the output moved to a value."""
        other = tape.copy()
        other[number] = to
        return other

    def same(to: float) -> bool:
        """Tell whether the run decides as before with the output there."""
        return base.first_divergence(replayer.on_original(moved(to), replayer.case.noise)) is None

    change = abs(pair.flipped.numbers[row, at.VALUE] - value)
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
    """Repeat a case on random streams in which one draw that is not noise is extremely small or large.

    As a 64-bit word it is below 2^34, or as near to the largest. Without such a draw nothing is repeated.

    Parameters
    ----------
    replayer, base
        The replayer of the case, and the case's run on the original inputs.
    number
        Number of streams.
    rng
        Generator of the draws and their values.
    check
        Function that runs and checks the case; it is called once for each stream.

    Raises
    ------
    ViolationFound
        If ``check`` raises it; the certificate has the forced draw.
    """
    stream, forced = replayer.stream, replayer.forced
    draws = NonNoiseDraws(stream, replayer.origin, base)
    if not draws.draws:
        return
    for turn in range(number):
        bits = int(rng.integers(2**SETTINGS.extreme_draw_bits))
        # Small and large values in turn, of any draw and of those just before noise.
        kind = 2 * replayer.case.number + turn
        among = draws.before_noise if kind // 2 % 2 == 0 and draws.before_noise else draws.draws
        draw = among[int(rng.integers(len(among)))]
        state = draws.state_with(draw, bits if kind % 2 == 0 else 2**64 - 1 - bits)
        if draw.call == 0:
            replayer.stream = state
        else:
            replayer.forced = np.array([[draw.call, *state]], dtype=np.uint64)
        check(replayer)
        replayer.stream, replayer.forced = stream, forced
