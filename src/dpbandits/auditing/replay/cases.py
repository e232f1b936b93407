"""Cases: runs to be replayed, with their sizes, reward rates, parameters and noise overrides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpbandits.auditing.candidates import OFTEN, draw, fixed_environment, free_parameters, probes
from dpbandits.auditing.replay.settings import PATTERNS, SETTINGS, Pace, Pattern
from dpbandits.auditing.transcript import Floats, NoiseOverride
from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm, Probe
from dpbandits.core.environment import Fixed
from dpbandits.core.fields import Parameters, Tuning, Value, Values
from dpbandits.runs.job import Job, make_job


@dataclass(frozen=True)
class ReplayCase:
    """One run to be replayed.

    Attributes
    ----------
    job
        Algorithm, parameters, arms and rounds.
    flipped
        The same job with its table of inputs flipped, 0 for 1 and 1 for 0.
    number
        Number of the run, which gives its random stream.
    rates : ndarray of float64, shape (arms, 2)
        Rate and phase of each arm: its first n pulls pay floor(rate n + phase) in sum.
    noise
        Factor of all noise, and a sign that all noise gets, if any.
    """

    job: Job
    flipped: Job
    number: int
    rates: Floats
    noise: NoiseOverride

    def shortened(self, last_release: int) -> ReplayCase:
        """Return the case with fewer rounds: it ends 1/50 later than ``last_release``, the round of a release.

        Raises
        ------
        BadInput
            If a parameter is out of its range at that horizon.
        """
        horizon = min(self.job.horizon, last_release + last_release // SETTINGS.shortened_by + 1)
        job, flipped = (
            make_job(job.algorithm, job.parameters, job.environment, job.epsilon, horizon, 1, job.root_seed)
            for job in (self.job, self.flipped)
        )
        return ReplayCase(job, flipped, self.number, self.rates, self.noise)


class CaseSize(NamedTuple):
    """A size, and how many cases have it.

    Attributes
    ----------
    arms, horizon
        Numbers of arms and rounds.
    cases, far_noise_cases
        Number of cases whose noise is as it is, 30 times as much, of one sign, or nearly none. Number of further
        cases with 1,000 times the noise, all of one sign.
    patterns
        Patterns of the reward rates; each case has the next one, in turn.
    """

    arms: int
    horizon: int
    cases: int
    far_noise_cases: int
    patterns: tuple[Pattern, ...]


def sizes(pace: Pace, effort: float, horizon: int, arms: int | None) -> list[CaseSize]:
    """Return the sizes of a search, and how many cases have each.

    Parameters
    ----------
    pace
        Settings of the algorithm's kind, batch-based or round-based: ``SETTINGS.batches`` or ``SETTINGS.rounds``.
    effort
        Factor of the numbers of cases of each size.
    horizon
        Number of rounds of long cases. Short cases, of 24, 100 or 400 rounds, are left out if they have more.
    arms
        Number of arms of long cases, by default 3 and 12.
    """
    short, far, long = (
        round(number * effort) for number in (SETTINGS.short_cases, pace.far_noise_cases, pace.long_cases)
    )
    found = [CaseSize(*size, short, far, PATTERNS) for size in SETTINGS.short_sizes if size[1] <= horizon]
    long_arms = (arms,) if arms else SETTINGS.long_arms
    found += [
        CaseSize(each, horizon, max(1, long), 0, patterns)
        for each, patterns in zip(long_arms, pace.long_patterns, strict=False)
    ]
    return found


def random_rates(arms: int, rng: np.random.Generator, pattern: Pattern, turn: int) -> Floats:
    """Return each arm's rate and phase, shape (arms, 2): its first n pulls pay floor(rate n + phase) in sum.

    Rates are 0.9 for good and 0.1 for bad arms, all 0, all 1, or random, as the pattern says.

    Parameters
    ----------
    arms
        Number of arms.
    rng
        Generator of the good arm, of random rates, and of the phases.
    pattern
        One arm is good, or one is bad, or all rates are 0, 1 or random.
    turn
        Number of the case; with ``Pattern.ONE_BAD`` the bad arm is ``turn`` modulo ``arms``.
    """
    rate = rng.random(arms)
    if pattern is Pattern.ONE_GOOD:
        rate[:] = 0.1
        rate[rng.integers(arms)] = 0.9
    elif pattern is Pattern.ONE_BAD:
        rate[:] = 0.9
        rate[turn % arms] = 0.1
    elif pattern is not Pattern.RANDOM:
        rate[:] = pattern is Pattern.ALL_ONE
    # A rate of 0 or 1 has no phase.
    return np.column_stack([rate, rng.random(arms) * (pattern not in (Pattern.ALL_ZERO, Pattern.ALL_ONE))])


def spread_rates(arms: int, rng: np.random.Generator, halves: bool = False) -> Floats:
    """Return reward rates spread over [0, 1], or with ``halves`` all 1/2, and random phases; shape (arms, 2).

    Each interval from k / arms to (k + 1) / arms has the rate of one arm. The first n pulls of an arm pay
    floor(rate n + phase) in sum.
    """
    rate = np.full(arms, 0.5) if halves else (rng.permutation(arms) + rng.random(arms)) / arms
    return np.column_stack([rate, rng.random(arms)])


def cases(
    algorithm: str,
    given: Values,
    epsilon: float,
    seed: int,
    all_sizes: Sequence[CaseSize],
    rng: np.random.Generator,
) -> Iterator[ReplayCase]:
    """Yield the cases of all sizes, one of each size in turn, so that long cases need not wait for all short ones.

    The algorithm's parameters are, in turn, the defaults, those of a probe, and random ones. A probe's are chosen
    so that an audit can find a large privacy loss.

    Parameters
    ----------
    algorithm, given, epsilon, seed
        Name of the algorithm, its parameters that the caller fixes, its claimed budget, and the root seed.
    all_sizes
        Numbers of arms and rounds, each with the number of cases that have them.
    rng
        Generator of all that is random in a case but its run.
    """
    declared = registry.algorithm(algorithm)
    _, environment = fixed_environment(registry.setting("algorithm", algorithm))
    fixed = environment.fixed
    assert fixed is not None and declared.privacy is not None
    all_probes = probes(algorithm)
    for turn in range(max(size.cases + size.far_noise_cases for size in all_sizes)):
        for index, size in enumerate(all_sizes):
            if turn >= size.cases + size.far_noise_cases:
                continue
            rates = random_rates(size.arms, rng, size.patterns[turn % len(size.patterns)], turn)
            one, other = _tables(fixed, size, rng)
            tuning = _tuning(one, size.horizon, epsilon)
            chosen = _parameters(declared, given, tuning, all_probes[turn % len(all_probes)], turn, rng)
            job, flipped = (
                make_job(algorithm, chosen, inputs, epsilon, size.horizon, 1, seed) for inputs in (one, other)
            )
            yield ReplayCase(job, flipped, turn, rates, _noise(turn, index, size))


def _tables(fixed: Fixed, size: CaseSize, rng: np.random.Generator) -> tuple[Parameters, Parameters]:
    """Return environments with a random table of inputs, and with the same table flipped."""
    assert fixed.behind is not None
    rows = 1 if SETTINGS.is_long(size.horizon) else size.horizon
    table = (rng.random((rows, size.arms)) < 0.5).astype(np.float64)
    return fixed.behind(table, size.horizon), fixed.behind(1.0 - table, size.horizon)


def _tuning(inputs: Parameters, horizon: int, epsilon: float) -> Tuning:
    """Return the facts that tuned constants depend on, in an environment."""
    environment = registry.environment(inputs["kind"])
    rest = environment.check({key: value for key, value in inputs.items() if key != "kind"})
    return environment.tuning(rest, horizon, epsilon)


def _parameters(
    declared: Algorithm, given: Values, tuning: Tuning, probe: Probe, turn: int, rng: np.random.Generator
) -> dict[str, Value]:
    """Return parameters, in turn: the defaults; those of a probe; random ones.

    Parameters
    ----------
    declared, given, tuning
        The algorithm, parameters that the caller fixes, and the facts that tuned constants depend on.
    probe
        Parameters with which an audit can find a large privacy loss.
    turn, rng
        Which of the three it is, modulo 3, and the generator of random ones.
    """
    chosen: dict[str, Value] = dict(given)
    if turn % 3 == 0:
        return chosen
    free = free_parameters(declared, given, tuning)
    if turn % 3 == 1:
        names = {parameter.name for parameter in free}
        return chosen | {name: value for name, value in probe.parameters.items() if name in names}
    return chosen | {
        parameter.name: draw(parameter, float(default), rng, tuning)
        for parameter, default in free.items()
        if rng.random() < OFTEN
    }


def _noise(turn: int, index: int, size: CaseSize) -> NoiseOverride:
    """Return the noise override of a turn; over the turns each meets each size and each choice of parameters."""
    if turn >= size.cases:
        return SETTINGS.far_noises[(turn + index) % len(SETTINGS.far_noises)]
    return SETTINGS.noises[(turn + turn // 3 + index) % len(SETTINGS.noises) if turn else 0]
