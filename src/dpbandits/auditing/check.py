"""Check of a violation's certificate, without any knowledge of the search that found it.

A certificate names a program, two inputs that differ in one round, random draws, and outputs. The checker runs the
program on both inputs with these draws and outputs, and computes how much likelier they are on one. Its formulas
are those of `noisetap.probabilities`, which no search has. Draws that could have hidden a difference are drawn
again, thousands of times.

All functions name their parameters alike. ``programs`` is the program on each of the two inputs; ``runs``
and ``paths`` are its runs, and what is seen of them. ``tape`` has the outputs, and ``length`` says how many events
are seen. ``hidden`` and ``near`` are calls of the recorder whose draws are hidden; outputs in ``idle`` decide
nothing.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Collection
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.auditing.admission import admit, contradiction, differing_rounds
from dpbandits.auditing.certificate import Certificate, Ruling
from dpbandits.auditing.counted import actions
from dpbandits.auditing.densities import LAPLACE, NORMAL, OUTPUTS, WHOLE, WHOLE_NORMAL, laws_of, log_density
from dpbandits.auditing.told import (
    LONG,
    SEEN,
    TIMES,
    Path,
    Program,
    decided_by_coins,
    draws_after,
    hidden_draws,
    path,
    random_states,
    states_to_try,
    without_effect,
)
from dpbandits.core import recorder as at
from dpbandits.core.errors import BadInput
from dpbandits.core.recorder import Recorder
from noisetap.probabilities import delta_lower_bound, lower, upper

# Secrets of what is drawn: of an audit that checks what it has found, whose verdict is the same each time, and of
# this process, for a certificate that may be anybody's.
OWN, SECRET = b"", secrets.token_bytes(16)
# Probability with which a bound of this file may be false.
RISK = 1e-9
# Relative error of a loss that is added up by formulas, and of one that is integrated.
ROUNDING = 1e-6
# An estimate of a loss over coins, which errs by some percent, explains it up to this multiple of the claim.
# Up to another multiple it is made again of more draws.
EXCUSED, UNCLEAR = 1.1, 2.0
# Times that hidden draws are drawn again, paths on which a delta is asked, and free runs of decisions that part.
AGAIN, PATHS, FREELY = 4000, (24, 240, 2400), 300
# Noises of further paths: a factor, and a sign that all have.
FAR = 3 * ((1.0, 1.0), (1.0, -1.0), (3.0, 0.0))


def neighbours(certificate: Certificate, run: Recorder) -> bool:
    """Tell whether the two inputs differ in one round alone: in single pulls that are flipped, and rows of tables.

    ``run`` is a run on the first input, which tells in which round each pull is made.
    """
    one, other = certificate["one"], certificate["other"]
    if one["rates"] != other["rates"] or one["flipped_ranges"] != other["flipped_ranges"]:
        return False
    singles = [{(arm, p) for arm, row in enumerate(x["flipped_pulls"]) for p in row} for x in (one, other)]
    pulls = singles[0] ^ singles[1]
    rounds = differing_rounds(certificate, one["environment"], other["environment"])
    if rounds is None:
        return False
    if certificate["together"]:
        return len({pull for _, pull in pulls} | rounds) == 1
    for arm, pull in pulls:
        rounds.add(_round_of(run, arm, pull))
    return len(pulls) <= 1 and len(rounds) == 1


def _round_of(run: Recorder, arm: int, pull: int) -> int:
    """Return the round of an arm's pull."""
    pulls, t = 0, 0
    for kind, played, number, *_ in run.events.tolist():
        if kind == at.PLAYED:
            if played == arm and pulls < pull <= pulls + number:
                return int(t + pull - pulls)
            pulls, t = pulls + number * (played == arm), t + number
    return 0


def check(certificate: Certificate, secret: bytes | None = None) -> Ruling:
    """Return the ruling whether a certificate proves its claim false, with the loss and the reason.

    Parameters
    ----------
    certificate
        The certificate, as JSON data.
    secret
        Part of the seed of the checker's own draws, at most 64 bytes. By default it is this process's own, so that
        no author can choose a certificate to suit the draws. An audit gives `OWN`, for what it has found itself.

    Raises
    ------
    BadInput
        If the certificate has another form than those of `dpbandits.auditing`, or the secret is too long.
    """
    secret = SECRET if secret is None else secret
    if not isinstance(secret, bytes) or len(secret) > blake2b.MAX_KEY_SIZE:
        raise BadInput("secret", secret, f"at most {blake2b.MAX_KEY_SIZE} bytes")
    admit(certificate)
    wrong = contradiction(certificate)
    if wrong:
        return Ruling(False, 0.0, wrong)
    if certificate["kind"] == "actions":
        return actions(certificate, secret)
    one, other = Program(certificate, "one", secret), Program(certificate, "other", secret)
    runs = [program.run(certificate["tape"]) for program in (one, other)]
    if any(run.counters[at.FAULT] for run in runs):
        return Ruling(False, 0.0, "the program bypasses the recorder")
    if not neighbours(certificate, runs[0]):
        return Ruling(False, 0.0, "the inputs do not differ in one round")
    idle = without_effect(certificate)
    judge = _reused if certificate["kind"] == "reused noise" else _transcript
    return judge(certificate, (one, other), runs, idle)


def _transcript(
    certificate: Certificate, programs: tuple[Program, Program], runs: list[Recorder], idle: frozenset[int]
) -> Ruling:
    """Say whether a transcript loses more than its claim, averaged over draws that may hide the difference."""
    tape, length = certificate["tape"], certificate["events"]
    paths = [path(run, length, idle) for run in runs]
    epsilon, delta = certificate["claim"]["epsilon"], certificate["claim"]["delta"]
    hidden = hidden_draws(programs, tape, length, paths, noise=False, idle=idle)
    if hidden_draws(programs, tape, length, paths, noise=True, idle=idle):
        return Ruling(False, 0.0, "the program knows more of its noise than what it let out")
    if delta > 0.0:
        if _near(programs, tape, length, paths, hidden, idle):
            return Ruling(False, 0.0, "coins of the program may excuse what a delta does not")
        return _approximate(certificate, idle, programs[0].secret)
    loss = _loss(*paths)
    if math.isinf(loss) and not hidden and any(decided_by_coins(epsilon, run, length) for run in runs):
        return Ruling(False, 0.0, f"at a budget of {epsilon:g}, coins may excuse it that are too rare to be met")
    words = f"it loses {loss:.6g}, and no draw of the program hides that"
    size = len(runs[0].events)
    # A long run is drawn again less often: the bound is weaker, never wrong.
    again = AGAIN if size < LONG else AGAIN // 10 if size < 5 * LONG else AGAIN // 40
    near = _near(programs, tape, length, paths, hidden, idle)
    if near:
        excuse = loss
        if math.isfinite(loss):
            for turns in (again // 8, AGAIN):
                excuse = _estimated(_again(programs, tape, paths[0], near, idle, range(turns))[0])
                # An estimate of few draws errs by tenths.
                if excuse <= epsilon * EXCUSED or excuse > epsilon * UNCLEAR:
                    break
        if excuse <= epsilon * EXCUSED:
            words = f"it loses {loss:.4g}, and {excuse:.4g} averaged over the program's coins"
            return Ruling(False, excuse, words, excused=True)
        loss = _averaged(programs, tape, paths[0], near, idle, epsilon, again)
        words = f"it loses at least {loss:.4g}, averaged over {len(near)} places where the program draws coins"
    return Ruling(loss > epsilon * (1.0 + ROUNDING) + ROUNDING, loss, words)


def _near(
    programs: tuple[Program, Program],
    tape: Any,
    length: int,
    paths: list[Path],
    hidden: list[int],
    idle: Collection[int],
) -> list[int]:
    """Return the hidden draws that have a part in what differs between the inputs.

    Outputs are forced, and draws after different calls are independent. So the probability of a path is a product
    over groups of draws that touch the same outputs, and a group that is the same on both inputs cancels.
    """
    if not paths[0].agrees(paths[1]):
        return hidden
    # The last column is whether a run leaves the path.
    touched = np.zeros((len(hidden), len(paths[0].logs) + 1), dtype=bool)
    differ = np.append(paths[0].logs != paths[1].logs, False)
    number = draws_after([program.run(tape) for program in programs]) if hidden else {}
    for i, call in enumerate(hidden):
        for states in states_to_try(call, number.get(call, 0), TIMES, programs[0].salt):
            views = [path(program.run(tape, states), length, idle) for program in programs]
            left = [not view.agrees(before) for view, before in zip(views, paths, strict=True)]
            touched[i, -1] |= any(left)
            differ[-1] |= left[0] != left[1]
            if not any(left):
                touched[i, :-1] |= (views[0].logs != paths[0].logs) | (views[1].logs != paths[1].logs)
                differ[:-1] |= views[0].logs != views[1].logs
    near = np.zeros(len(hidden), dtype=bool)
    while (more := (touched & differ).any(axis=1) & ~near).any():
        near |= more
        differ |= touched[near].any(axis=0)
    return [call for call, one in zip(hidden, near.tolist(), strict=True) if one]


def _loss(one: Path, other: Path) -> float:
    """Return the loss of a transcript: infinite if it is possible on the first input alone."""
    if not one.agrees(other):
        return math.inf
    if np.isnan([*one.logs, *other.logs]).any() or np.isneginf(one.logs).any():
        # Outputs that the first input has not either, such as halves with whole noise, tell nothing.
        return 0.0
    total = one.logs.sum() - other.logs.sum()
    return math.inf if np.isneginf(other.logs).any() else abs(float(total))


def _again(
    programs: tuple[Program, Program],
    tape: Any,
    path_: Path,
    hidden: list[int],
    idle: Collection[int],
    turns: range,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw hidden draws again on both inputs, and return log densities of a path's outputs, and their peaks."""
    length = len(path_.logs)
    logs, peaks = np.full((2, len(turns), length), -np.inf), np.full(length, -np.inf)
    for i, turn in enumerate(turns):
        for side, program in enumerate(programs):
            states = random_states(hidden, 1000 + 2 * turn + side, program.salt)
            found = path(program.run(tape, states), length, idle)
            if found.agrees(path_):
                logs[side, i] = found.logs
                peaks = np.maximum(peaks, found.peaks)
    return logs, peaks


def _estimated(logs: NDArray[np.float64]) -> float:
    """Return an estimate of the loss, of probabilities averaged over runs."""
    total = logs.sum(axis=2)
    most = total.max()
    if not np.isfinite(most):
        return math.inf
    p, q = np.exp(total - most).mean(axis=1).tolist()
    return abs(math.log(p / q)) if p > 0.0 and q > 0.0 else math.inf


def _averaged(
    programs: tuple[Program, Program],
    tape: Any,
    path_: Path,
    hidden: list[int],
    idle: Collection[int],
    epsilon: float,
    again: int,
) -> float:
    """Return a lower bound of the loss, of probabilities averaged over hidden draws.

    An eighth of the runs goes first, and may decide already.
    """
    logs, peaks = np.empty((2, 0, len(path_.logs))), np.full(len(path_.logs), -np.inf)
    least = 0.0
    for turns in (range(again // 8), range(again // 8, again)):
        more, tops = _again(programs, tape, path_, hidden, idle, turns)
        logs, peaks = np.concatenate([logs, more], axis=1), np.maximum(peaks, tops)
        met = np.isfinite(logs).all(axis=2)
        if not met.any():
            continue
        # What is the same in all runs is a factor of both probabilities; the rest is a number in [0, 1].
        moved = np.ptp(logs[met], axis=0) > 0.0
        weights = np.exp((logs[:, :, moved] - peaks[moved]).sum(axis=2)) * met
        number = logs.shape[1]
        (p, most_p), (q, most_q) = (
            (lower(mean, number, RISK / 4), upper(mean, number, RISK / 4)) for mean in weights.mean(axis=1).tolist()
        )
        least = max(math.log(low / high) if low > 0.0 else 0.0 for low, high in ((p, most_q), (q, most_p)))
        decided = min(p, q) > 0.0 and max(math.log(most_p / q), math.log(most_q / p)) <= epsilon
        if least > epsilon or decided:
            break
    return least


def _approximate(certificate: Certificate, idle: Collection[int], secret: bytes) -> Ruling:
    """Say whether paths need more than the claimed delta: paths as they come, and paths with noise far out."""
    one, other = Program(certificate, "one", secret), Program(certificate, "other", secret)
    length, (epsilon, delta) = certificate["events"], (certificate["claim"][name] for name in ("epsilon", "delta"))

    def both(turn: int, noise: tuple[float, float]) -> list[Recorder]:
        """Return a run on the first input from a fresh origin, and one on the second with its outputs."""
        for program in (one, other):
            program.fresh(turn)
        run = one.run([], noise=noise)
        return [run, other.run(run.numbers[_outputs(run), at.OUTPUT])]

    def differ(run: Recorder, again: Recorder) -> bool:
        """Tell whether decisions differ under equal outputs."""
        return not path(run, length).agrees(path(again, length))

    run, again = both(0, (1.0, 0.0))
    if not differ(run, again) and _needed(run, again, idle, epsilon) < _needed(again, run, idle, epsilon):
        # The input that loses more against the other one goes first.
        one, other = other, one
    needed, parted, reached, paths = [], 0, 0, 0
    for stage in PATHS:
        # Paths with noise far out are looked at once, beside the first stage.
        far = FAR if paths == 0 else ()
        for turn in range(paths, stage + len(far)):
            own = turn < stage
            run, again = both(turn, (1.0, 0.0) if own else far[turn - stage])
            if differ(run, again):
                parted += 1
                continue
            # A path that does not come to what differs between the inputs loses nothing.
            found = _needed(run, again, idle, epsilon)
            if found > 0.0:
                needed.append(found)
                reached += own
        paths = stage
        least = lower(reached / paths, paths, RISK) * min(needed, default=0.0)
        if parted or reached < paths or least > delta or min(needed) <= delta:
            break
    if parted:
        runs = (both(PATHS[-1] + turn, (1.0, 0.0)) for turn in range(FREELY))
        free = sum(differ(run, again) for run, again in runs)
        least = lower(free / FREELY, FREELY, RISK)
        words = f"decisions part in {free} of {FREELY} runs"
    else:
        words = f"a delta of at least {least:.4g} would be needed: {reached} of {paths} paths show it"
    return Ruling(least > delta * (1.0 + ROUNDING), math.inf if parted else epsilon, words)


def _needed(run: Recorder, again: Recorder, idle: Collection[int], epsilon: float) -> float:
    """Return the delta that the outputs of a path need: with Laplace or normal noise by shifts, else exactly.

    Parameters
    ----------
    run, again
        A run on the first input, and the run on the second with its outputs.
    idle
        Numbers of outputs that decide nothing.
    epsilon
        The claimed budget.
    """
    rows = _outputs(run)
    rows = rows[~np.isin(run.events[rows, at.WHICH], list(idle))]
    kinds, laws = run.events[rows, at.KIND], run.events[rows, at.HOW]
    (x, b, _), (z, _, _) = run.numbers[rows, :3].T, again.numbers[rows, :3].T
    moved = (z - x) / np.maximum(b, 1e-300)
    told = (moved != 0.0) & (kinds == at.RELEASED)
    logs = np.stack([log_density(side, np.arange(len(side.events)))[rows] for side in (run, again)], axis=1)
    least = ~((kinds == at.RELEASED) & np.isin(laws, (LAPLACE, NORMAL, at.GAP)))
    differ = least & (logs[:, 0] != logs[:, 1])
    return delta_lower_bound(
        moved[told & (laws == LAPLACE)],
        moved[told & (laws == NORMAL)],
        epsilon,
        [laws_of(run, again, int(row), (p, q)) for row, (p, q) in zip(rows[differ], logs[differ], strict=True)],
    )


def _outputs(run: Recorder) -> NDArray[np.int64]:
    """Return the rows of all outputs."""
    return np.flatnonzero(np.isin(run.events[:, at.KIND], OUTPUTS))


def _reused(
    certificate: Certificate, _: tuple[Program, Program], runs: list[Recorder], idle: frozenset[int]
) -> Ruling:
    """Say whether two numbers have one noise, so that their difference has none and tells the inputs apart.

    Parameters
    ----------
    certificate, runs, idle
        As `_transcript` takes them. Programs need not be run again.
    """
    views, rows = [path(run, certificate["events"]) for run in runs], certificate["rows"]
    if not views[0].agrees(views[1]):
        return Ruling(False, 0.0, "the inputs lead to other decisions")
    bare, drawn = [], []
    for view, run in zip(views, runs, strict=True):
        if rows[1] >= len(run.events) or np.isin(run.events[: rows[1] + 1, at.KIND], SEEN).sum() > len(view.events):
            return Ruling(False, 0.0, "the two numbers are not among the events")
        (x, b, y), (z, c, v) = run.numbers[rows, :3].tolist()
        kinds, laws, places = run.events[rows, at.KIND], run.events[rows, at.HOW], run.events[rows, at.POSITION]
        # Discrete noises of one draw are multiples of each other only where their scales are equal.
        stretched = laws[0] in (LAPLACE, NORMAL) or (laws[0] in (WHOLE, WHOLE_NORMAL) and b == c)
        if (kinds != at.RELEASED).any() or laws[0] != laws[1] or places[0] != places[1] or not stretched:
            return Ruling(False, 0.0, "the two numbers have noises of their own")
        if not idle.isdisjoint(run.events[rows, at.WHICH].tolist()):
            return Ruling(False, 0.0, "one of the two numbers decides nothing")
        bare.append(c * x - b * z)
        drawn.append(c * y - b * v)
    near = ROUNDING * (abs(bare[0]) + abs(bare[1]) + abs(c * y) + abs(b * v))
    # The outputs are some that the first input may have, and the second may not.
    found = abs(drawn[0] - bare[0]) <= near < abs(bare[0] - bare[1])
    return Ruling(found, math.inf if found else 0.0, "the noise cancels, and the difference of two outputs is bare")
