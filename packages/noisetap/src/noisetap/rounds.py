"""Number of rounds that a program needs until decisions depend on a draw, or on rewards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from noisetap.compare import other_values
from noisetap.program import Program, Rewards, Table
from noisetap.replay import differing_decision, plan_of, raises
from noisetap.tape import Key, Plan, Refused, Tape

# A program that explores longer than this without noise is refused.
MOST_ROUNDS = 5_120
# Draws of one run that are tried, spread over it.
_TRIED = 24


def with_enough_rounds(program: Program, seed: int) -> Rewards:
    """Double the rounds until a decision depends on a random draw or on rewards; return `Rewards` with that number.

    Each number of rounds is tried on 20 inputs, or 8 after the first doubling. On three of them other seeds are
    tried too, and other values of at most 24 draws. If the program raises an exception, the rounds are enough.

    Raises
    ------
    Refused
        If no decision depends on either in 5,120 rounds: a verdict on privacy would say nothing about noise.
    """
    rewards = program.rewards
    drawn = 0
    while True:
        tables = [np.full((rewards.rounds, rewards.arms), level) for level in (rewards.high, rewards.low)]
        rng = np.random.Generator(np.random.PCG64(seed))
        tables += rewards.tables(rng, 18 if rewards is program.rewards else 6)
        runs = [program.run(table, seed) for table in tables]
        drawn = max(drawn, *(len(run.draws) for run in runs))
        if any(raises(run) for run in runs) or any(
            differing_decision(runs[0], run) is not None for run in runs[1:]
        ):
            return rewards
        if any(
            _depends_on_draws(program, rewards, table, run, seed)
            for table, run in zip(tables[:3], runs, strict=False)
        ):
            return rewards
        if rewards.rounds >= MOST_ROUNDS:
            what = "no noise was heard" if not drawn else "no decision hangs on the noise that was heard"
            raise Refused(f"{what} in {rewards.rounds:,} rounds")
        rewards = replace(rewards, rounds=min(2 * rewards.rounds, MOST_ROUNDS))


def _depends_on_draws(program: Program, rewards: Rewards, table: Table, run: Tape, seed: int) -> bool:
    """Tell whether the decisions of a run change with its seed, or with one of its draws alone."""
    if any(differing_decision(run, program.run(table, seed + again)) is not None for again in (1, 2, 3)):
        return True
    keys = [key for key, draw in run.draws.items() if draw.round < rewards.rounds]
    at = sorted({int(i) for i in np.linspace(0, len(keys) - 1, min(_TRIED, len(keys)))}) if keys else []
    plan = plan_of(run)
    for key in (keys[i] for i in at):
        rest = {k: h for k, h in plan.items() if k != key}
        tried: list[tuple[Plan, dict[Key, int]]] = [(rest, {key: 1}), (rest, {key: 2})]
        tried += [(rest | {key: other}, {}) for other in other_values(run.draws[key])]
        if any(differing_decision(run, program.run(table, seed, *what)) is not None for what in tried):
            return True
    return False
