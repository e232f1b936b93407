"""Search by replays: all checks of all cases of one algorithm."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable

import numpy as np

from dpbandits.auditing.budget import OutOfTime, within_seconds
from dpbandits.auditing.candidates import fixed_environment, probes
from dpbandits.auditing.replay.bypasses import check_noise_is_forgotten, check_table
from dpbandits.auditing.replay.case_replayer import ARM, UP_TO, CaseReplayer
from dpbandits.auditing.replay.cases import ReplayCase, cases, sizes, spread_rates
from dpbandits.auditing.replay.decisions import (
    bisect_rounds,
    check_moved_outputs,
    check_random_inputs,
    flip_all,
    force_extreme_draws,
)
from dpbandits.auditing.replay.findings import Findings
from dpbandits.auditing.replay.settings import SETTINGS, Pace
from dpbandits.auditing.replay.single_rewards import check_groups, check_single, likely_worst
from dpbandits.auditing.replay.witness import NOISE_ALONE, NOT_RECORDED, Bypassed, Claim, Replayed, ViolationFound
from dpbandits.auditing.transcript import UNCHANGED, TooManyEvents, Transcript
from dpbandits.core import recorder as at
from dpbandits.core import registry
from dpbandits.core.environment import Fixed
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Values


class Search:
    """A search for transcripts of one algorithm that contradict its claim: `examine` it case by case.

    Parameters
    ----------
    fixed
        The setting's declaration of neighbouring inputs.
    findings
        Findings so far; the search adds its own.
    pace
        Settings of round-based or of batch-based algorithms.
    most_events
        Runs with more events are skipped, unless an earlier run of the case made room for them.
    """

    def __init__(self, fixed: Fixed, findings: Findings, pace: Pace, most_events: int) -> None:
        self.fixed, self.findings, self.pace, self.most_events = fixed, findings, pace, most_events

    def examine(self, case: ReplayCase, rng: np.random.Generator, move_outputs: bool = True) -> int:
        """Replay one case with all checks.

        Parameters
        ----------
        case
            The case.
        rng
            Generator of all that the checks draw.
        move_outputs
            Whether outputs are moved too. That takes most of the replays, and a shortened case need not repeat it.

        Returns
        -------
        int
            Rounds played before the last output that precedes the last decision. It is 0 if there is none, if
            nothing is read, or if the case ended early.

        Raises
        ------
        ViolationFound
            If a transcript contradicts the claim, and the checker accepts its certificate.
        """
        replayer = CaseReplayer(case, self.fixed, self.most_events)
        try:
            last = self._checked(replayer, rng, move_outputs)
        except TooManyEvents:
            # Short batches at a long horizon. Other parameters and shorter cases are examined.
            return 0
        except Bypassed as found:
            self.findings.refuse(found.fault)
            last = 0
        except ViolationFound as found:
            self.findings.coverage.add(case, replayer.replays)
            self.findings.judge(found)
            return 0
        self.findings.coverage.add(case, replayer.replays)
        return last

    def _checked(self, replayer: CaseReplayer, rng: np.random.Generator, move_outputs: bool) -> int:
        """Make all checks of a case, and return what `examine` returns."""
        findings, case = self.findings, replayer.case
        pair = flip_all(findings, replayer)
        base = pair.base
        if not base.tape.size:
            self._without_outputs(replayer, base, pair.divergence)
            return 0
        check_noise_is_forgotten(replayer, base)
        if pair.divergence is not None:
            raise bisect_rounds(findings, replayer, base, pair.divergence)
        check_table(findings, replayer, base)
        rng_inputs = np.random.default_rng([case.job.root_seed, case.job.horizon, replayer.arms, case.number])
        divisor = SETTINGS.fewer if base.row_numbers(at.PLAYED).size > SETTINGS.many_decisions else 1
        for turn in range(SETTINGS.random_inputs // divisor):
            check_random_inputs(findings, replayer, base, spread_rates(replayer.arms, rng_inputs, halves=turn == 0))
        if move_outputs:
            check_moved_outputs(findings, replayer, pair, rng, rng_inputs)
        reads = replayer.reads(base)
        if len(reads) == 0:
            return 0
        # An extreme draw is a rare event, which an (epsilon, delta) claim excuses.
        if divisor == 1 and not findings.approximate:
            self._check_extreme_draws(replayer, base, rng_inputs)
        for _ in range(SETTINGS.group_replays // divisor):
            check_groups(findings, replayer, base, reads, rng)
        flips = likely_worst(reads, rng)[: SETTINGS.single_rewards // divisor]
        if findings.approximate:
            # A delta excuses what few paths come to: the first batch is read on most of them.
            flips = np.concatenate([reads[:1, [ARM, UP_TO]], flips])
        for flip in flips:
            check_single(findings, replayer, base, flip)
        outputs = base.outputs[base.outputs < base.last_decision]
        return int(base.played[outputs[-1]]) if outputs.size else 0

    def _without_outputs(self, replayer: CaseReplayer, base: Transcript, divergence: int | None) -> None:
        """Note a run without outputs: its decisions may bypass the recorder, or not depend on inputs yet."""
        findings = self.findings
        findings.unrecorded = findings.unrecorded or divergence is not None or base.row_numbers(at.PLAYED).size == 0
        if divergence is not None and findings.hidden is None:
            findings.hidden = bisect_rounds(findings, replayer, base, divergence).witness

    def _check_extreme_draws(self, replayer: CaseReplayer, base: Transcript, rng: np.random.Generator) -> None:
        """Repeat the checks of decisions and groups with one non-noise draw extremely small or large."""
        number, case = SETTINGS.extreme_draws, replayer.case
        if SETTINGS.is_long(case.job.horizon):
            number = self.pace.extreme_draws_long
            if not self.pace.extreme_draws_keep_noise:
                replayer.case = dataclasses.replace(case, noise=UNCHANGED)

        def check(replayer: CaseReplayer) -> None:
            pair = flip_all(self.findings, replayer)
            if pair.divergence is not None:
                raise bisect_rounds(self.findings, replayer, pair.base, pair.divergence)
            reads = replayer.reads(pair.base)
            if len(reads):
                check_groups(self.findings, replayer, pair.base, reads, rng)

        force_extreme_draws(replayer, base, number, rng, check)
        replayer.case = case


def replay(
    algorithm: str,
    epsilon: float,
    *,
    parameters: Values | None = None,
    horizon: int | None = None,
    arms: int | None = None,
    effort: float = 1.0,
    seeds: range = range(1),
    seconds: float = math.inf,
    report: Callable[[int, int], None] = lambda _done, _of: None,
) -> Replayed:
    """Replay runs of an algorithm, and look for a transcript that contradicts its claim of privacy.

    Parameters
    ----------
    algorithm, epsilon
        Name of the algorithm, and its claimed budget, > 0.
    parameters
        Parameters that are kept; the delta of an (epsilon, delta) claim must be among them.
    horizon
        Rounds of long cases, by default 10^6, or 10^5 for an algorithm that decides in every round or wraps another
        one.
    arms
        Number of arms of long cases, by default 3 and 12.
    effort
        Factor of the usual numbers of cases; it counts as 0.5 if it is less.
    seeds
        Root seeds. Each is a search of its own; a violation ends all.
    seconds
        Processor time of the search in seconds, > 0. Its findings up to then count.
    report
        Function that is called with the number of finished cases, and the number of all.

    Returns
    -------
    Replayed
        The transcript with the largest loss, or the first violation if the checker accepted none; the first
        refusal; and the extent of the search.

    Raises
    ------
    BadInput
        For an unknown algorithm or a value out of its range.
    """
    given = parameters or {}
    declared = registry.algorithm(algorithm)
    _, environment = fixed_environment(registry.setting("algorithm", algorithm))
    fixed = environment.fixed
    assert declared.privacy is not None and fixed is not None
    delta = float(given["delta"]) if declared.privacy.definition == "approximate" else 0.0
    findings = Findings(Claim(epsilon, delta))
    if fixed.behind is None:
        return Replayed(None, "", False, findings.coverage)
    # An algorithm that runs another one may have batches of one round each.
    by_rounds = declared.wraps is not None or declared.decides == "rounds"
    pace = SETTINGS.rounds if by_rounds else SETTINGS.batches
    search = Search(fixed, findings, pace, max(SETTINGS.most_events, SETTINGS.events_per_round * (horizon or 0)))
    longest = horizon or pace.long_horizon
    all_sizes = sizes(pace, max(SETTINGS.least_effort, effort), longest, arms)
    # By then each probe has been tried at each size, and so have the defaults and random parameters.
    enough = 3 * len(probes(algorithm)) * len(all_sizes)

    def examine(case: ReplayCase, rng: np.random.Generator) -> None:
        last = search.examine(case, rng)
        if not by_rounds and last and case.job.horizon == longest:
            # Parameters may be out of range at the shorter horizon.
            with contextlib.suppress(BadInput):
                search.examine(case.shortened(last), rng, move_outputs=False)

    done, in_all = 0, len(seeds) * sum(size.cases + size.far_noise_cases for size in all_sizes)
    late, more = False, SETTINGS.cases_after_proof
    try:
        with within_seconds(seconds):
            for seed in seeds:
                rng = np.random.default_rng([seed, *algorithm.encode()])
                for case in cases(algorithm, given, epsilon, seed, all_sizes, rng):
                    try:
                        examine(case, rng)
                    except ViolationFound as found:
                        # The worst loss so far: only a larger one is looked at again.
                        findings.worst = found.witness
                    done += 1
                    report(done, in_all)
                    more -= findings.proved
                    if more == 0 or findings.proved_infinite or findings.stopped(enough):
                        break
                if findings.proved:
                    break
            # Some runs release through the recorder, so the decisions of a run without any release bypass it.
            if findings.seen and findings.hidden is not None and not findings.proved:
                findings.judge(ViolationFound(findings.hidden))
    except ViolationFound as found:
        findings.worst = found.witness
    except OutOfTime:
        late = not findings.proved
    if findings.proved and findings.seen and findings.noise_alone:
        assert findings.worst is not None
        details = f"{findings.worst.details}; {NOISE_ALONE}"
        findings.worst = dataclasses.replace(findings.worst, details=details)
    if not findings.seen:
        refused = "" if findings.hidden is None else f"{findings.hidden.violation}; {NOT_RECORDED}"
        return Replayed(None, refused, False, findings.coverage, late=late)
    if findings.suspicious and not findings.proved:
        worst, words = findings.suspicious[0]
        return Replayed(worst, findings.refused, True, findings.coverage, words, late)
    return Replayed(findings.worst, findings.refused, True, findings.coverage, late=late)
