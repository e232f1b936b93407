"""Thompson sampling of many rounds at once, between two releases, for the algorithm Lazy-DP-TS.

In round t an arm draws theta from Beta(m O + 1, (1 - m) O + 1). The arm of the largest theta is pulled. O is the
size of the arm's last finished batch. The optimistic mean m is its private mean plus offset log t/(epsilon O),
clipped onto [0, 1].

A *window* has no release. *Parts* of it are drawn one after another. In a part each arm has a smallest probability
to be pulled. A round whose arm is drawn with these is *settled*, and how many such rounds each arm has is drawn at
once. The other rounds are drawn one by one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.mathematics import exp, log, log1p
from dpbandits.core.recording import Clock, Runs
from dpbandits.core.streams import State, beta, binomial, uniform
from dpbandits.settings.stochastic.chebyshev import DEGREE, bend, evaluate, fit, last_terms, point
from dpbandits.settings.stochastic.largest_draw import Scratch, largest_draw
from dpbandits.settings.stochastic.ordering import first_of_order
from dpbandits.settings.stochastic.problem import Bandit, play

# Rounds played one by one after a release, before probabilities are computed; a matter of speed alone.
PATIENCE = 48
# Number of rounds of a part that are drawn one by one, on average; a matter of speed alone.
ALONE = 8.0
# A part ends after this many rounds that are drawn one by one.
AT_MOST = 64
# Standard deviations by which a posterior may move within a window; a matter of speed alone.
MOVES = 1.5
# Largest error of a window's probabilities: of a round in total variation, and of all its rounds together.
ROUNDING, ERROR = 1e-12, 3e-7


class Arms(NamedTuple):
    """State of the arms when many rounds of Lazy-DP-TS are drawn at once.

    A window is a range of rounds without a release, and a part is a range of a window's rounds that is drawn at
    once. Each array has shape (arms,) unless another is given.

    Attributes
    ----------
    mean, size
        Private mean and size of the last finished batch.
    batch, done
        Size of the running batch, and number of pulls in it so far.
    m
        The arms' optimistic means in a round, in [0, 1].
    theta
        The arms' posterior draws in a round.
    p, p_end
        Probability that an arm's draw is the largest, in the first or present round of a part, and in the last.
    certain
        Lower bound of this probability within a part.
    values, coefficients
        An arm's probability at Chebyshev points of a window in log t, and the coefficients of the series through
        them; both of shape (arms, DEGREE + 1).
    place, pulled
        Rounds of a part that are drawn one by one, counted in it from 1, and the arms they pull: shape (AT_MOST,).
    settled
        Number of each arm's settled rounds in a part: those that fall to ``certain``, and are only counted.
    before, counts, found, half, spare
        Scratch arrays with which `play_many` draws the order of settled rounds; ``spare`` has shape (4,).
    order
        The arms in the order of their first pull.
    """

    mean: NDArray[np.float64]
    size: NDArray[np.float64]
    batch: NDArray[np.int64]
    done: NDArray[np.int64]
    m: NDArray[np.float64]
    theta: NDArray[np.float64]
    p: NDArray[np.float64]
    p_end: NDArray[np.float64]
    certain: NDArray[np.float64]
    values: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    place: NDArray[np.int64]
    pulled: NDArray[np.int64]
    settled: NDArray[np.int64]
    before: NDArray[np.int64]
    counts: NDArray[np.int64]
    found: NDArray[np.int64]
    half: NDArray[np.int64]
    spare: State
    order: NDArray[np.int64]


class Window(NamedTuple):
    """Rounds without a release, in which each arm's probability to be pulled is a series in log t.

    Attributes
    ----------
    until
        Last round of the window.
    first, half
        Logarithm of the first round, and half the difference between the logarithms of the last and first round.
    degree
        Degree of the series; 0 if the probabilities do not change, or the window is empty.
    """

    until: int
    first: float
    half: float
    degree: int


@kernel
def start(arms: int) -> Arms:
    """Return the state of ``arms`` arms; their arrays are not filled in, but ``order`` is 0, 1, ..."""
    # In the order of the fields of `Arms`.
    return Arms(
        np.empty(arms),
        np.empty(arms),
        np.empty(arms, dtype=np.int64),
        np.empty(arms, dtype=np.int64),
        np.empty(arms),
        np.empty(arms),
        np.empty(arms),
        np.empty(arms),
        np.empty(arms),
        np.empty((arms, DEGREE + 1)),
        np.empty((arms, DEGREE + 1)),
        np.empty(AT_MOST, dtype=np.int64),
        np.empty(AT_MOST, dtype=np.int64),
        np.empty(arms, dtype=np.int64),
        np.empty(arms, dtype=np.int64),
        np.empty(arms, dtype=np.int64),
        np.empty(arms, dtype=np.int64),
        np.empty(arms, dtype=np.int64),
        np.empty(4, dtype=np.uint64),
        np.arange(arms),
    )


@inner
def _be_optimistic(arms: Arms, bonus: float) -> None:
    """Fill in the optimistic means; ``bonus`` is offset log t/epsilon."""
    for k in range(arms.size.size):
        arms.m[k] = min(1.0, max(0.0, arms.mean[k] + bonus / arms.size[k]))


@inner
def draw_all(state: State, arms: Arms, bonus: float) -> int:
    """Return the arm with the largest draw from its posterior in one round.

    ``bonus``, offset log t/epsilon rewards, is added to the private sum of each arm's last batch.
    """
    _be_optimistic(arms, bonus)
    best = 0
    for k in range(arms.size.size):
        a, b = arms.m[k] * arms.size[k], (1.0 - arms.m[k]) * arms.size[k]
        arms.theta[k] = beta(state, a + 1.0, b + 1.0)
        if arms.theta[k] > arms.theta[best]:
            best = k
    return best


@kernel
def _probabilities(arms: Arms, bonus: float, i: int, scratch: Scratch) -> None:
    """Compute the probabilities to have the largest theta, as those of a window's point ``i``."""
    _be_optimistic(arms, bonus)
    largest_draw(arms.m, arms.size, arms.p, scratch)
    for k in range(arms.p.size):
        arms.values[k, i] = arms.p[k]


@inner
def _end(arms: Arms, t: int, horizon: int, scale: float) -> float:
    """Return log t of where a window from round t + 1 on should end; p and m are those of that round."""
    first = log(t + 1.0)
    rounds, fastest = float(horizon - t), 0.0
    for k in range(arms.size.size):
        # By then a release is likely.
        need = float(arms.batch[k] - arms.done[k])
        rounds = min(rounds, (need + 4.0 * math.sqrt(need) + 16.0) / max(arms.p[k], 1e-300))
    end = log(t + rounds)
    for k in range(arms.size.size):
        rate, m = scale / arms.size[k], arms.m[k]
        if m < 1.0:
            # Where the optimistic mean begins or ceases to be clipped the probabilities have a kink.
            kink = ((1.0 if arms.mean[k] + rate * first > 0.0 else 0.0) - arms.mean[k]) / rate
            end = min(end, max(first, kink))
            if m > 0.0 and arms.p[k] > 1e-13:
                fastest = max(fastest, rate * arms.size[k] / math.sqrt(max(m * (1.0 - m) * arms.size[k], 0.25)))
    return min(end, first + MOVES / max(fastest, 1e-300))


@kernel
def look_ahead(arms: Arms, t: int, horizon: int, scale: float, scratch: Scratch) -> Window:
    """Return a window of rounds without a release, from round t + 1 on, and fill in its probabilities as series.

    They are the arms' probabilities to be pulled. If they change too fast, the window is empty, with ``until`` = t,
    and rounds have to be played one by one.

    Parameters
    ----------
    arms
        The state of the arms; series of their probabilities are filled in.
    t, horizon
        Number of rounds played, and number T of all rounds.
    scale
        Optimism: ``scale`` log t rewards are added to a batch's sum.
    scratch
        Scratch arrays for as many arms, as `make_scratch` of `largest_draw` returns them.
    """
    first = log(t + 1.0)
    _probabilities(arms, scale * first, DEGREE, scratch)
    end = _end(arms, t, horizon, scale)
    while True:
        until = int(min(float(horizon), max(math.floor(exp(end)), t + 1.0)))
        # Half of next to nothing if the window is one round.
        half = max(0.5 * (log(float(until)) - first), 1e-18)
        if arms.m.min() >= 1.0:
            for k in range(arms.p.size):
                arms.coefficients[k, 0] = arms.p[k]
            return Window(until, first, half, 0)
        _probabilities(arms, scale * (first + 2.0 * half), 0, scratch)
        degree = 1
        while degree < DEGREE:
            degree *= 2
            step = DEGREE // degree
            for i in range(step, DEGREE, 2 * step):
                _probabilities(arms, scale * (first + half * (1.0 + point(i))), i, scratch)
            fit(arms.values, degree, arms.coefficients)
            if last_terms(arms.coefficients, degree) <= max(ROUNDING, ERROR / (until - t)):
                return Window(until, first, half, degree)
        if until <= t + PATIENCE:
            return Window(t, first, half, 0)
        end = first + half


@inner
def _at(window: Window, t: float) -> float:
    """Return the place of round ``t`` in the window, from -1 to 1."""
    return min(1.0, max(-1.0, (log(t) - window.first) / window.half - 1.0))


@inner
def _room_for(mean: float) -> float:
    """Return what pulls with this sum of probabilities exceed with probability below 1e-17 (Bernstein)."""
    return mean + 13.0 + math.sqrt(169.0 + 78.0 * mean)


@inner
def _part(arms: Arms, window: Window, t: int, until: int) -> tuple[int, float]:
    """Choose a part of the window, from round t + 1 on, of which all but some rounds can be drawn at once.

    In a part a round is settled with the smallest probability that each arm has in it, ``arms.certain``. An arm
    that may finish its batch before the part ends has none: then it is known when.

    Returns
    -------
    rounds, settled
        How many rounds there are, and the probability that one of them is settled.
    """
    x = _at(window, t + 1.0)
    evaluate(arms.coefficients, window.degree, x, arms.p)
    rounds = until - t
    for k in range(arms.p.size):
        # About how many pulls there are before it may finish.
        need = float(arms.batch[k] - arms.done[k])
        mean = 0.97 * (need - 13.0 - math.sqrt(169.0 + 78.0 * need))
        rounds = int(min(float(rounds), max(need, max(1.0, mean) / max(arms.p[k], 1e-16))))
    while True:
        x_end = _at(window, float(t + rounds))
        evaluate(arms.coefficients, window.degree, x_end, arms.p_end)
        settled, moving = 0.0, 0.0
        for k in range(arms.p.size):
            arms.certain[k] = 0.0
            # Between two points a function is off its chord by as much as it bends.
            sag = bend(arms.coefficients, window.degree, k) * (x_end - x) * (x_end - x) / 8.0 + 1e-15
            need = float(arms.batch[k] - arms.done[k])
            if need >= rounds or need >= _room_for(rounds * (max(arms.p[k], arms.p_end[k]) + sag)):
                arms.certain[k] = max(0.0, min(arms.p[k], arms.p_end[k]) - sag)
                settled += arms.certain[k]
                moving += arms.p[k] - arms.certain[k]
        alone = (1.0 - settled) * rounds
        if rounds <= ALONE or alone <= ALONE:
            return rounds, settled
        # What moves, grows with the square of the rounds.
        moving *= rounds
        factor = math.sqrt(0.9 * ALONE / moving) if 2.0 * moving > alone else 0.7
        rounds = int(rounds * min(factor, 0.9))


@inner
def _draw_rest(state: State, arms: Arms, window: Window, t: int, rest: float) -> int:
    """Return the arm that round ``t`` pulls, given that it is not settled; ``rest`` is the probability of that."""
    evaluate(arms.coefficients, window.degree, _at(window, float(t)), arms.p)
    left = uniform(state) * rest
    arm = int(np.argmax(arms.p))
    for k in range(arms.p.size):
        more = arms.p[k] - arms.certain[k]
        if more > 0.0:
            arm = k
            if left <= more:
                break
            left -= more
    return arm


@kernel
def draw_many(state: State, arms: Arms, window: Window, t: int) -> tuple[int, int, int]:
    """Draw which arms are pulled in the next rounds of the window after round ``t``, at most to the end of a batch.

    Parameters
    ----------
    arms
        The state of the arms, which is updated.
    window
        The window, as `look_ahead` returns it.
    t
        Number of rounds played; the window begins at round t + 1 or before.

    Returns
    -------
    rounds, alone, finished
        Number of rounds that are drawn. Number of those that are drawn one by one: their places and arms are in
        ``arms.place`` and ``arms.pulled``, and the others are counted in ``arms.settled``. The arm whose batch
        ends, or -1.
    """
    most, settled = _part(arms, window, t, window.until)
    rest = 1.0 - settled
    rounds, alone, finished = 0, 0, -1
    while rounds < most and finished < 0 and alone < arms.place.size:
        quiet = float(most)
        if rest >= 1.0:
            quiet = 0.0
        elif rest > 1e-13:
            quiet = math.floor(log(uniform(state)) / log1p(-rest))
        rounds += int(min(quiet, float(most - rounds)))
        if rounds < most:
            rounds += 1
            arm = _draw_rest(state, arms, window, t + rounds, rest)
            arms.place[alone], arms.pulled[alone] = rounds, arm
            alone += 1
            arms.done[arm] += 1
            if arms.done[arm] >= arms.batch[arm]:
                finished = arm
    # The likeliest arm has what the others leave.
    last, left = int(np.argmax(arms.certain)), rounds - alone
    arms.settled[:] = 0
    for k in range(arms.size.size):
        if k != last and left > 0 and arms.certain[k] > 0.0:
            drawn = binomial(state, left, min(1.0, arms.certain[k] / settled))
            arms.settled[k] = min(drawn, max(0, arms.batch[k] - arms.done[k]))
            settled -= arms.certain[k]
            left -= arms.settled[k]
    arms.settled[last] += left
    for k in range(arms.size.size):
        arms.done[k] += arms.settled[k]
        if arms.settled[k] > 0 and arms.done[k] >= arms.batch[k]:
            finished = k
    return rounds, alone, finished


@kernel
def play_many(
    state: State, runs: Runs, bandit: Bandit, run: int, arms: Arms, rounds: int, alone: int, clock: Clock
) -> Clock:
    """Play the rounds that `draw_many` has drawn, and return the run's clock after them.

    Rounds of which only each arm's number is drawn come in random order. Of this order only what a checkpoint needs
    is drawn.

    Parameters
    ----------
    arms
        The state of the arms, as `draw_many` leaves it.
    rounds, alone
        Number of rounds, and number of those that were drawn one by one, as `draw_many` returns them.
    """
    t, at = clock.t, 0
    arms.before[:] = 0
    while clock.t < t + rounds:
        until = min(rounds, runs.rounds[clock.at] - t)
        while at < alone and arms.place[at] <= until:
            clock = play(runs, bandit, run, int(arms.pulled[at]), 1, clock)
            at += 1
        for k in range(arms.size.size):
            arms.counts[k] = arms.settled[k]
        first_of_order(state, arms.counts, until - at, arms.found, arms.half, arms.spare)
        for k in range(arms.size.size):
            if arms.found[k] > arms.before[k]:
                clock = play(runs, bandit, run, k, arms.found[k] - arms.before[k], clock)
                arms.before[k] = arms.found[k]
    return clock
