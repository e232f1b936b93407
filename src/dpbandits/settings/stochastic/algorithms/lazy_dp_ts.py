"""Lazy-DP-TS: Thompson sampling under pure differential privacy, with lazily updated posteriors.

Source: Hu & Hegde 2022, as compared with in azize2025, Section 5. Each batch of an arm is twice as long as the
last. Its posterior is built from its last finished batch alone, whose size is O and whose private mean is mu~,
offset and clipped: m = clip(mu~ + offset log t/(epsilon O)). In every round each arm draws
theta ~ Beta(m O + 1, (1 - m) O + 1), and the arm of the largest theta is pulled.

Privacy: epsilon-DP. Neighbours differ in the reward of one round. A reward enters exactly one batch mean, of
sensitivity 1/O, released once with Lap(1/(epsilon O)); parallel composition.

Deviations: none but numerical. The offset's constant 3 is from a secondary source, hence a parameter. It decides
every round, but many rounds are played at once. Between two releases the pulled arm is drawn with probabilities
that change with log t alone. They are computed by quadrature at a few points of a window (`largest_draw`), and are
a polynomial in log t between. Each arm's smallest probability within a part of the window is set aside. Rounds that
fall there are *settled*: their counts are multinomial. The others are drawn one by one. Checkpoints look at a
random order of the settled rounds.

Errors are in total variation of a run's law. Over 3,000 random windows they were at most 3e-7 a window and 1.5e-12
a round. That is 2e-5 for T = 10^6 (some 60 windows) and 2e-3 for T = 10^9. On average a window's error is 2e-10, so
a run's is nearer to 1e-7. Rounds whose action is recorded are played one by one, without this error.
"""

from __future__ import annotations

from dpbandits.core.algorithm import Algorithm, Privacy, Probe, Worst
from dpbandits.core.compiled import kernel
from dpbandits.core.fields import Parameter, Values
from dpbandits.core.mathematics import exp, log
from dpbandits.core.recorder import release
from dpbandits.core.recording import START, Runs
from dpbandits.core.streams import permute
from dpbandits.settings.stochastic.largest_draw import make_scratch
from dpbandits.settings.stochastic.posterior_windows import (
    PATIENCE,
    Window,
    draw_all,
    draw_many,
    look_ahead,
    play_many,
    start,
)
from dpbandits.settings.stochastic.problem import Bandit, collect, play


@kernel
def _simulate(runs: Runs, bandit: Bandit, epsilon: float, offset: float, together: bool) -> None:
    arms = start(bandit.means.size)
    scratch = make_scratch(bandit.means.size)
    scale = offset / epsilon
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        clock = START
        permute(state, arms.order)
        arms.batch[:] = 1
        arms.done[:] = 0
        # Rounds whose action is kept are played one by one.
        alone = runs.horizon if not together else max(runs.played.shape[1], arms.order.size)
        window = Window(0, 0.0, 1.0, 0)
        while clock.t < runs.horizon:
            if clock.t < alone:
                if clock.t < arms.order.size:
                    arm = arms.order[clock.t]
                else:
                    arm = draw_all(state, arms, scale * log(clock.t + 1.0))
                clock = play(runs, bandit, run, arm, 1, clock)
                arms.done[arm] += 1
                finished = arm if arms.done[arm] >= arms.batch[arm] else -1
            else:
                if clock.t >= window.until:
                    window = look_ahead(arms, clock.t, runs.horizon, scale, scratch)
                if clock.t >= window.until:
                    alone, finished = clock.t + PATIENCE, -1
                else:
                    rounds, one_by_one, finished = draw_many(state, arms, window, clock.t)
                    clock = play_many(state, runs, bandit, run, arms, rounds, one_by_one, clock)
            if finished >= 0:
                rewards = collect(state, runs, bandit, run, finished, arms.batch[finished], clock)
                noisy_sum = release(state, runs.recorder, rewards, 1.0 / epsilon)
                arms.mean[finished] = noisy_sum / arms.batch[finished]
                arms.size[finished] = arms.batch[finished]
                arms.batch[finished] *= 2
                arms.done[finished] = 0
                window = Window(0, 0.0, 1.0, 0)
                alone = max(alone, clock.t + PATIENCE)


def worst(epsilon: float, _: Values) -> Worst:
    """Return the worst privacy loss of a batch's private mean, of any size O: one reward moves its sum by 1.

    Below both sums the Laplace density decays at the rate epsilon, so a half-line there has exactly the loss
    epsilon. The loss comes with an example: a batch of one reward, 0 or 1, and the event that the private mean is
    at most 0.
    """
    return Worst(
        loss=epsilon,
        of="the private mean of a batch of any size, in closed form",
        one={"rewards": [0.0]},
        other={"rewards": [1.0]},
        event="the private mean is at most 0",
        probabilities=(0.5, 0.5 * exp(-epsilon)),
    )


def simulate(runs: Runs, bandit: Bandit, *, epsilon: float, offset: float) -> None:
    """Simulate Lazy-DP-TS, and record pulls and regret in ``runs``.

    Parameters
    ----------
    epsilon
        Privacy budget, > 0.
    offset
        Optimism, > 0: offset log t/(epsilon O) is added to a private mean of O rewards.
    """
    _simulate(runs, bandit, epsilon, offset, True)


ALGORITHM = Algorithm(
    title="Lazy-DP-TS",
    source="Hu & Hegde 2022, Algorithm 1 (azize2025, Section 5)",
    decides="rounds",
    privacy=Privacy(
        definition="pure",
        neighbours="the reward of one round replaced",
        mechanism="batch means of sensitivity 1/O, each with Lap(1/(epsilon O)); parallel composition",
        exact=worst,
        # Little optimism: posteriors are near the private means.
        probes=(Probe(12, 2, {"offset": 0.1}),),
    ),
    parameters=(Parameter("offset", float, 3.0, "optimism: offset log t/(epsilon O)", above=0),),
    simulate=simulate,
    deviations="the constant of the offset comes from a secondary source",
)
