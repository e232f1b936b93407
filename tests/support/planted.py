"""Algorithms that keep the contract, and algorithms that break it, each in one way: a plugin for pytest.

`pytest -p planted tests/contract -k planted` runs the contract on them. Two are correct and promise nothing more:
following the leader, whose regret is linear, and Thompson sampling, which may leave an arm alone for long.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from twins import registered

from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.compiled import register
from dpbandits.core.fields import Parameter, Value
from dpbandits.core.recording import START, Runs
from dpbandits.core.streams import State, argmax, beta, permute
from dpbandits.settings.stochastic.problem import Bandit, collect, play

# What a kernel may do wrong, and the tests of the contract that say so.
FAULTS = {
    "stops-early": ("test_runs_are_accounted_for", "test_every_horizon_cuts"),
    "no-last-checkpoint": ("test_runs_are_accounted_for", "test_every_horizon_cuts"),
    "first-of-ties": ("test_ties_are_broken_evenly",),
    "favours-its-first-arm": ("test_arms_have_no_names", "test_ties_are_broken_evenly"),
    "own-generator": ("test_same_streams_same_bytes", "test_a_block_is_its_runs"),
    "remembers-runs": ("test_a_block_is_its_runs",),
    "looks-at-checkpoints": ("test_checkpoints_only_look",),
    "one-stream": ("test_runs_differ", "test_a_block_is_its_runs"),
    "one-pull-too-many": ("test_runs_are_accounted_for",),
    "regret-of-rewards": ("test_equal_means_cost_nothing", "test_a_round_costs_what_its_arm_costs"),
}
NUMBERS = {name: number for number, name in enumerate(FAULTS, start=1)}


@numba.njit
def _index(state: State, successes: float, pulls: int, thompson: bool, fault: int) -> float:
    """Return an arm's mean, or a draw of its posterior, or what a fault makes of it."""
    index = beta(state, successes + 1.0, pulls - successes + 1.0) if thompson else successes / pulls
    return index + np.random.random() if fault == 5 else index  # noqa: NPY002


@numba.njit
def _simulate(runs: Runs, bandit: Bandit, thompson: bool, fault: int) -> None:
    arms = bandit.means.size
    order, successes, pulls, indices = np.arange(arms), np.zeros(arms), np.zeros(arms, np.int64), np.zeros(arms)
    for run in range(runs.streams.shape[0]):
        state = runs.streams[0].copy() if fault == 8 else runs.streams[run]
        unfilled = runs.regret[run, -1]
        if fault != 6:
            successes[:] = 0.0
            pulls[:] = 0
        if fault == 3:
            order[:] = np.arange(arms)
        else:
            permute(state, order)
        clock = START
        until = runs.horizon - runs.horizon // 10 if fault == 1 else runs.horizon
        while clock.t < until:
            if clock.t < arms:
                arm = order[clock.t]
            else:
                for k in range(arms):
                    indices[k] = _index(state, successes[k], max(1, pulls[k]), thompson, fault)
                if fault == 4:
                    indices[0] += 0.2
                if fault == 7 and runs.rounds.size > 100:
                    indices[order[0]] += 0.2
                arm = np.argmax(indices) if fault == 3 else argmax(state, indices)
            clock = play(runs, bandit, run, arm, 1, clock)
            successes[arm] += collect(state, runs, bandit, run, arm, 1, clock)
            pulls[arm] += 1
        if fault == 2:
            runs.regret[run, -1] = unfilled
        if fault == 9:
            runs.pulls[run, 0] += 1
        if fault == 10:
            runs.regret[run] += runs.rounds * 0.01 - successes.sum() / runs.horizon


def _leader(thompson: bool, fault: int) -> Algorithm:
    title = "Thompson sampling" if thompson else "Following the leader"
    return Algorithm(
        title=f"{title}, {fault}",
        source="tests/support/planted.py",
        decides="rounds",
        privacy=None,
        simulate=functools.partial(_simulate_one, thompson=thompson, fault=fault),
    )


def _simulate_one(runs: Runs, bandit: Bandit, *, thompson: bool, fault: int) -> None:
    _simulate(runs, bandit, thompson, fault)


# Faults of a private algorithm that decides by batches, and of its declaration.


def _ignores_its_budget(simulate: Any, runs: Any, bandit: Any, epsilon: float, **rest: Any) -> None:
    simulate(runs, bandit, epsilon=0.0 * epsilon + 0.5, **rest)


def _counts_in_32_bits(simulate: Any, runs: Any, bandit: Any, **rest: Any) -> None:
    simulate(runs, bandit, **rest)
    runs.pulls[:] = runs.pulls.astype(np.int32)


def _keeps_no_actions(simulate: Any, runs: Any, bandit: Any, **rest: Any) -> None:
    simulate(runs._replace(played=runs.played[:, :0]), bandit, **rest)


def _needs_a_round_for_each_arm(simulate: Any, runs: Any, bandit: Any, **rest: Any) -> None:
    if runs.pulls.shape[1] > runs.rounds[-1]:
        raise IndexError("order")
    simulate(runs, bandit, **rest)


def _overflows(simulate: Any, runs: Any, bandit: Any, alpha: float, **rest: Any) -> None:
    simulate(runs, bandit, alpha=alpha, **rest)
    if alpha > 1e6:
        runs.regret[:] = np.inf


def _bypasses_the_recorder(simulate: Any, runs: Any, bandit: Any, **rest: Any) -> None:
    simulate(runs._replace(recorder=None), bandit, **rest)


# A newcomer's slips, in `newcomer.py`, chosen at run time: one compilation makes them all. Each with the tests of
# the contract that say so; the first one is no slip.
SLIPS: dict[str, tuple[str, ...]] = {
    "own-batch": (),
    "noise-of-numpy": (
        "test_same_streams_same_bytes",
        "test_a_block_is_its_runs",
        "test_releases_are_recorded",
    ),
    "oracle": ("test_releases_are_recorded",),
    "collects-twice": ("test_releases_are_recorded",),
    "budget-unused": ("test_the_budget_is_used",),
}
OWN_BATCH = """
@kernel
def _batch(state, runs, bandit, run, arms, arm, batches, clock, slip):
    number, before = batches.counts[arms.m[arm] + 1] - runs.pulls[run, arm], clock.t
    clock = play(runs, bandit, run, arm, number, clock)
    if clock.t - before == number:
        rewards = collect(state, runs, bandit, run, arm, number, clock)
        if slip == "collects-twice":
            rewards = collect(state, runs, bandit, run, arm, number, clock)
        arms.m[arm] += 1
        scale = batches.noise[arms.m[arm]]
        if slip == "noise-of-numpy":
            arms.noisy_sum[arm] += rewards + np.random.laplace(0.0, scale)
        else:
            arms.noisy_sum[arm] += release(state, runs.recorder, rewards, scale)
        arms.n[arm] += number
        arms.clipped[arm] = min(1.0, max(0.0, arms.noisy_sum[arm] / arms.n[arm]))
    return clock


@kernel
def _simulate("""
OWN = {
    "\n@kernel\ndef _simulate(": OWN_BATCH,
    "batches: Schedule) -> None:": "batches: Schedule, slip: int) -> None:",
    "alpha: float) -> None:": "alpha: float, slip: int) -> None:",
    "arms.clipped + deviation": '(bandit.means if slip == "oracle" else arms.clipped) + deviation',
    "(epsilon * arms.n)": '((1.0 if slip == "budget-unused" else epsilon) * arms.n)',
    "runs.horizon), epsilon))": 'runs.horizon), 1.0 if slip == "budget-unused" else epsilon), slip)',
    "clock = next_batch(state, runs, bandit, run, arms, arm, batches, clock)": (
        "clock = _batch(state, runs, bandit, run, arms, arm, batches, clock, slip)"
    ),
    "    kernel,\n": "    collect,\n    play,\n    release,\n",
    "import numpy as np\n": "import numpy as np\nfrom numba import njit as kernel\n",
}


@functools.cache
def _newcomer(*changes: tuple[str, str]) -> Algorithm:
    """Return what the beginning declares, with a batch of its own and every slip in it, and texts exchanged."""
    text = Path(__file__).with_name("newcomer.py").read_text(encoding="utf-8")
    for old, new in [*OWN.items(), *changes]:
        assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
        text = text.replace(old, new)
    for number, name in enumerate(SLIPS):
        text = text.replace(f'"{name}"', str(number))
    module: dict[str, Any] = {"__name__": "planted_newcomer"}
    # numba's own decorator knows nothing of functions that kernels of this package may call.
    register()
    exec(compile(text, "newcomer", "exec"), module)
    declared: Algorithm = module["ALGORITHM"]
    return declared


def slipped(name: str, *changes: tuple[str, str]) -> Algorithm:
    """Return what the beginning declares, with one of the slips, and texts exchanged."""
    declared = _newcomer(*changes)
    simulate = functools.partial(declared.simulate, slip=[*SLIPS].index(name))
    return dataclasses.replace(declared, title=name, simulate=simulate)


class Anything(Parameter):
    """A parameter that takes everything."""

    def check(self, value: Any, *_: object) -> Value:
        """Return the value."""
        return value


# A wrapper of `simulate`, and the tests of the contract that see through it.
WRAPPED = {
    _ignores_its_budget: ("test_the_budget_is_used",),
    _counts_in_32_bits: ("test_astronomic_horizons",),
    _keeps_no_actions: ("test_tables_of_inputs",),
    _needs_a_round_for_each_arm: ("test_fewer_rounds_than_arms", "test_every_horizon_cuts"),
    _overflows: ("test_extreme_parameters_run",),
    _bypasses_the_recorder: ("test_releases_are_recorded",),
}


def _declared(original: Algorithm) -> dict[str, tuple[Algorithm, tuple[str, ...]]]:
    """Return declarations of `original` with something wrong, and the tests that say so."""
    n0, alpha = original.parameters
    change = functools.partial(dataclasses.replace, original)
    privacy = functools.partial(dataclasses.replace, original.privacy)
    return {
        "no-source": (change(source=""), ("test_it_says_where_it_comes_from",)),
        "no-neighbours": (change(privacy=privacy(neighbours="")), ("test_privacy_is_stated",)),
        "nothing-to-audit": (change(privacy=privacy(exact=None, probes=())), ("test_privacy_is_stated",)),
        "bad-default": (
            change(parameters=(n0, dataclasses.replace(alpha, default=1.0))),
            ("test_defaults_are_in_their_range", "test_a_checked_job_is_a_job"),
        ),
        "takes-anything": (
            change(
                parameters=(n0, Anything(**{f.name: getattr(alpha, f.name) for f in dataclasses.fields(alpha)}))
            ),
            ("test_bad_parameters_are_refused",),
        ),
        "takes-nothing": (change(parameters=(n0,)), ("test_parameters_are_described",)),
        "old-title": (original, ("test_titles_tell_algorithms_apart",)),
    }


def planted() -> dict[str, tuple[str, Algorithm, tuple[str, ...]]]:
    """Return by name: an algorithm of the same setting, the planted one, and the tests that must fail for it."""
    found: dict[str, tuple[str, Algorithm, tuple[str, ...]]] = {
        "leader": ("imed", _leader(thompson=False, fault=0), ()),
        "thompson": ("imed", _leader(thompson=True, fault=0), ()),
    }
    for name, number in NUMBERS.items():
        found[name] = ("imed", _leader(thompson=False, fault=number), FAULTS[name])
    original = registry.algorithm("dp-imed")
    for wrapper, tests in WRAPPED.items():
        name = wrapper.__name__.strip("_").replace("_", "-")
        changed = dataclasses.replace(original, title=name, simulate=functools.partial(wrapper, original.simulate))
        found[name] = ("dp-imed", changed, tests)
    for name, tests in SLIPS.items():
        found[name] = ("dp-imed", slipped(name), tests)
    for name, (changed, tests) in _declared(original).items():
        title = original.title if name == "old-title" else name
        found[name] = ("dp-imed", dataclasses.replace(changed, title=title), tests)
    return {f"planted-{name}": entry for name, entry in found.items()}


def pytest_configure(config: pytest.Config) -> None:
    """Make the planted algorithms known as long as pytest runs."""
    stack = contextlib.ExitStack()
    config.add_cleanup(stack.close)
    for name, (original, declaration, _) in planted().items():
        stack.enter_context(registered(original, declaration, name))
