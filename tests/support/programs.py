"""Small programs with every mechanism on which proofs of privacy rest: each sound, and with its classical mistakes.

A program plays each action in turn, lets something out of its sums by a mechanism, and plays what that says. A
mechanism is a function ``decide`` of the text below, in which ``fault`` is 0 where it is sound. Texts are put into
the skeleton of a setting. In the stochastic setting a reward enters one sum. With full information it enters all.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest import mock

from twins import SUPPORT, _placed, registered

from dpbandits.core import compiled, provenance, registry
from dpbandits.core.algorithm import Algorithm, Privacy

SKELETON = {
    "stochastic": """
from dpbandits.settings.stochastic.problem import collect, play


@kernel
def _simulate(runs, problem, epsilon, delta, fault):
    arms = problem.means.size
    sums, noisy, memory = np.zeros(arms), np.zeros(arms), np.zeros((arms, 64))
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        memory[:] = 0.0
        clock, phase = START, 0
        while clock.t < runs.horizon:
            for arm in range(arms):
                before = clock.t
                clock = play(runs, problem, run, arm, LENGTH, clock)
                if clock.t - before == LENGTH:
                    sums[arm] = collect(state, runs, problem, run, arm, LENGTH, clock)
            if clock.t < runs.horizon:
                phase += 1
                choice = decide(state, runs.recorder, sums, noisy, memory, epsilon, delta, 1.0, phase, fault)
                clock = play(runs, problem, run, choice, 2, clock)
""",
    "full_information": """
from dpbandits.core.recording import pull
from dpbandits.settings.full_information.problem import accumulate_over


@kernel
def _simulate(runs, problem, epsilon, delta, fault):
    arms = runs.pulls.shape[1]
    sums, noisy, memory = np.zeros(arms), np.zeros(arms), np.zeros((arms, 64))
    for run in range(runs.streams.shape[0]):
        state = runs.streams[run]
        memory[:] = 0.0
        clock, phase, choice = START, 0, 0
        while clock.t + LENGTH < runs.horizon:
            accumulate_over(state, runs.recorder, problem, clock, LENGTH, 0, sums)
            clock = pull(runs, run, choice, problem.gaps[choice], LENGTH, clock)
            phase += 1
            choice = decide(state, runs.recorder, sums, noisy, memory, epsilon, delta, float(arms), phase, fault)
        clock = pull(runs, run, choice, problem.gaps[choice], runs.horizon - clock.t, clock)
""",
}
HEAD = '''
import math

import numpy as np

from dpbandits.core.compiled import inner, kernel
from dpbandits.core.gaussian import normal
from dpbandits.core.gaussian import release as release_normal
from dpbandits.core.mathematics import exp, log
from dpbandits.core.mechanisms import DISCRETE_LAPLACE, DISCRETE_NORMAL, above, conceal, release_whole, respond
from dpbandits.core.mechanisms import select_gap
from dpbandits.core.recorder import EXPONENTIAL, GUMBEL, LAPLACE, release
from dpbandits.core.selections import offer, select
from dpbandits.core.recording import START
from dpbandits.core.streams import argmax, argmin, integer_below, laplace, uniform

LENGTH, ANSWERS = 3, 20


@inner
def drawn(state, law, scale):
    if law == LAPLACE:
        return laplace(state, scale)
    exponential = -log(uniform(state))
    return scale * exponential if law == EXPONENTIAL else -scale * log(exponential)


@inner
def chosen(state, recorder, scores, noisy, law, scale):
    """Report the noisy maximum of some scores."""
    for k in range(scores.size):
        noisy[k] = -scores[k]
    offer(state, recorder, noisy, law, scale)
    for k in range(scores.size):
        noisy[k] -= drawn(state, law, scale)
    return select(recorder, noisy, argmin(state, noisy))


@kernel
def decide(state, recorder, sums, noisy, memory, epsilon, delta, width, phase, fault):
'''
TAIL = """

def simulate(runs, problem, *, epsilon, delta=0.0, fault=0):
    _simulate(runs, problem, epsilon, delta, fault)
"""


class Program(NamedTuple):
    """A program: how it decides, and what is wrong with its faults.

    Attributes
    ----------
    decide
        Text of the function.
    faults
        By number from 1: the words of its mistakes, and what an audit may say of each.
    definition
        Its claim: ``pure`` or ``approximate``.
    only
        The settings where it makes sense; all if empty.
    """

    decide: str
    faults: dict[str, str]
    definition: str = "pure"
    only: tuple[str, ...] = ()


V, R = "violated", "refused"
RELEASED = """
    for k in range(sums.size):
        noisy[k] = {release}
    return argmax(state, noisy)
"""
RAW = "sums[k]"


def released(text: str) -> str:
    """Return a program that lets each sum out, and plays the largest."""
    return RELEASED.format(release=text)


PROGRAMS: dict[str, Program] = {
    "laplace": Program(
        released(
            "sums[k] if fault == 2 and k == 1 else "
            "release(state, recorder, sums[k], width / epsilon / (2.0 if fault == 1 else 1.0))"
        ),
        {"half the noise": V, "no noise on the second": V},
    ),
    "tie": Program(
        """
    for k in range(sums.size):
        noisy[k] = release(state, recorder, sums[k], width / epsilon)
    best = 0
    for k in range(1, sums.size):
        near = abs(noisy[k] - noisy[best]) < 0.5
        raw = sums[k] > sums[best]
        best = k if (raw if near and fault == 1 else noisy[k] > noisy[best]) else best
    return best
""",
        {"raw sums between near ones": V},
    ),
    "whole": Program(
        released(
            "release_whole(state, recorder, sums[k] / (2.0 if fault == 2 else 1.0), "
            "width / epsilon / (2.0 if fault == 1 else 1.0), DISCRETE_LAPLACE)"
        ),
        {"half the noise": V, "halves are no whole numbers": V},
    ),
    "normal": Program(
        released("release_normal(state, recorder, sums[k], delta / (2.0 if fault == 1 else 1.0))"),
        {"half the deviation": V},
        "approximate",
    ),
    "whole-normal": Program(
        released(
            "release_whole(state, recorder, sums[k], 1.05 * delta / (2.0 if fault == 1 else 1.0), DISCRETE_NORMAL)"
        ),
        {"half the deviation": V},
        "approximate",
    ),
    "response": Program(
        """
    budget = (2.0 if fault == 1 else 1.0) * epsilon / width
    for k in range(sums.size):
        noisy[k] = respond(state, recorder, int(sums[k] > 1.5), 2, 1.0 / (1.0 + exp(-budget)))
    return argmax(state, noisy)
""",
        {"twice the budget": V},
    ),
    "tree": Program(
        """
    # Dwork, Naor, Pitassi & Rothblum (2010); Chan, Shi & Song (2011): a node of each level, 6 levels for 63 phases.
    if phase > 63:
        return 0
    level, rest = 0, phase
    while rest % 2 == 0:
        level, rest = level + 1, rest // 2
    levels = 3.0 if fault == 1 else 6.0
    for k in range(sums.size):
        node = sums[k]
        for i in range(level):
            node += memory[k, i]
            memory[k, i], memory[k, 32 + i] = 0.0, 0.0
        memory[k, level] = node
        memory[k, 32 + level] = release(state, recorder, node, levels * width / epsilon)
        noisy[k] = 0.0
        for i in range(6):
            noisy[k] += memory[k, 32 + i]
    return argmax(state, noisy)
""",
        {"noise for half of the levels": V},
    ),
    "hybrid": Program(
        """
    # Chan, Shi & Song (2011), Section 4: a sum for each power of two, and a tree of one level within it.
    for k in range(sums.size):
        memory[k, 0] += sums[k]
        within = release(state, recorder, sums[k], 2.0 * width / epsilon)
        memory[k, 2] += within
        if phase & (phase - 1) == 0:
            share = 1.0 if fault == 1 else 2.0
            memory[k, 1] += release(state, recorder, memory[k, 0], share * width / epsilon)
            memory[k, 0], memory[k, 2] = 0.0, 0.0
        noisy[k] = memory[k, 1] + memory[k, 2]
    return argmax(state, noisy)
""",
        {"the whole budget for one of two counters": V},
    ),
    "matrix": Program(
        """
    # Correlated noise by the root of the matrix of prefix sums (Fichtenberger, Henzinger & Upadhyay 2023).
    if phase > 40:
        return 0
    norm, weight = 0.0, 1.0
    for i in range(40):
        norm += weight * weight
        weight *= (2.0 * i + 1.0) / (2.0 * i + 2.0)
    for k in range(sums.size):
        for i in range(62, 22, -1):
            memory[k, i] = memory[k, i - 1]
        memory[k, 22] = sums[k]
        value, weight = 0.0, 1.0
        for i in range(40):
            value += weight * memory[k, 22 + i]
            weight *= (2.0 * i + 1.0) / (2.0 * i + 2.0)
        deviation = delta * (0.5 if fault == 1 else math.sqrt(norm))
        noisy[k] = release_normal(state, recorder, value, deviation)
    return argmax(state, noisy)
""",
        {"noise for half of one entry": V},
        "approximate",
    ),
    **{
        f"max-{law.lower()}": Program(
            f"""
    scale = 2.0 / epsilon / (2.5 if fault == 1 else 1.0)
    if fault == 2:
        scale = (0.2 + sums[0]) / epsilon
    if fault == 3:
        choice = chosen(state, recorder, sums, noisy, {law}, scale)
        return choice if noisy[choice] < -3.0 else 0
    return chosen(state, recorder, sums, noisy, {law}, scale)
""",
            {"less noise": V, "a scale by the first raw sum": V, "noisy scores are read after": R},
        )
        for law in ("LAPLACE", "GUMBEL", "EXPONENTIAL")
    },
    "gap": Program(
        """
    # Ding, Wang, Zhang & Kifer (2019): the gap to the next is free.
    choice = chosen(state, recorder, sums, noisy, LAPLACE, 2.0 / epsilon / (3.0 if fault == 1 else 1.0))
    gap = select_gap(recorder, noisy)
    return choice if gap > 1.0 else 0
""",
        {"a third of the noise": V},
    ),
    "top-two": Program(
        """
    # A score that alone grows by 1 loses half of what scores that move both ways lose: 2/epsilon would be enough.
    scale = (1.0 if fault == 1 else 4.0) / epsilon
    first = chosen(state, recorder, sums, noisy, GUMBEL, scale)
    for k in range(sums.size - 1):
        memory[0, k] = sums[k if k < first else k + 1]
    second = chosen(state, recorder, memory[0, : sums.size - 1], noisy[: sums.size - 1], GUMBEL, scale)
    return second if second < first else second + 1
""",
        {"the whole budget for each": V},
    ),
    "sparse": Program(
        """
    # Lyu, Su & Li (2017), Algorithm 1 with one answer "above"; mistakes: their Algorithms 5, 6 and 3.
    bar = conceal(state, recorder, 1.5, 2.0 / epsilon)
    scale = 0.0 if fault == 1 else 4.0 / epsilon
    if fault == 2:
        # Who is above most often: one secret answers, and never stops. Later phases ask nothing: this takes time.
        noisy[:] = 0.0
        for _ in range(ANSWERS if phase <= 5 else 0):
            for k in range(sums.size):
                noisy[k] -= 1.0 if above(state, recorder, sums[k], scale, bar) else 0.0
        return argmin(state, noisy)
    if fault == 3:
        scale = 2.0 / epsilon
    for k in range(sums.size):
        if above(state, recorder, sums[k], scale, bar):
            if fault == 3:
                noisy[k] = release(state, recorder, sums[k], 2.0 / epsilon)
                return k if noisy[k] > 2.0 else 0
            if fault != 1:
                return k
            memory[0, 0] = float(k)
    if fault == 4:
        return int(bar > 1.5)
    return int(memory[0, 0])
""",
        {"no noise on queries": V, "no end": V, "the noisy answer is told": V, "the secret decides": R},
        only=("full_information",),
    ),
    "sparse-bars": Program(
        """
    # A bar for each sum, all in use at once.
    for k in range(sums.size):
        memory[k, 0] = conceal(state, recorder, 1.5, 2.0 * width / epsilon)
    for k in range(sums.size):
        bar = memory[k, 0] + (0.1 if fault == 1 else 0.0)
        if above(state, recorder, sums[k], 4.0 * width / epsilon, bar):
            return k
    return 0
""",
        {"a comparison with a changed secret": R},
    ),
    "sparse-whole": Program(
        """
    # AboveThreshold on differences of two sums, which move both ways. By mistake the bar has the whole budget.
    if phase == 1:
        memory[0, 0] = conceal(state, recorder, 0.0, (1.0 if fault == 1 else 2.0) * 2.0 / epsilon)
        memory[0, 1] = 0.0
    if memory[0, 1] > 0.0:
        return int(memory[0, 1]) - 1
    for k in range(sums.size):
        memory[k, 2] += sums[k] - sums[(k + 1) % sums.size]
        if above(state, recorder, memory[k, 2], (2.0 if fault == 1 else 4.0) * 2.0 / epsilon, memory[0, 0]):
            memory[0, 1] = k + 1.0
            return k
    return 0
""",
        {"the whole budget for the bar": V},
        only=("full_information",),
    ),
    "sparse-last": Program(
        """
    # The last that is above: Algorithm 1 of Lyu, Su & Li (2017) read backwards. No other answer is told.
    bar = conceal(state, recorder, 1.5, 2.0 / epsilon)
    last = 0
    for k in range(sums.size):
        if above(state, recorder, sums[k], 4.0 / epsilon if fault == 0 else 1.0 / epsilon, bar):
            last = k
    return last
""",
        {"a quarter of the noise": "any"},
        only=("full_information",),
    ),
    "subsampling": Program(
        """
    # Each one counts if a coin says so, which nobody sees: noise for log(1 + 2(e^epsilon - 1)) is enough. That of
    # whole batches would not do: where the sum is large, what is let out says whether the batch was kept.
    inner_budget = log(1.0 + 2.0 * (exp(epsilon) - 1.0)) * (2.0 if fault == 1 else 1.0)
    kept = uniform(state) <= 0.5
    for k in range(sums.size):
        counted = 0.0
        for _ in range(int(sums[k])):
            if fault != 2:
                kept = uniform(state) <= 0.5
            counted += 1.0 if kept else 0.0
        noisy[k] = release(state, recorder, counted, width / inner_budget)
    return argmax(state, noisy)
""",
        {"half the noise": "any", "a coin for whole batches": "any"},
    ),
    "thinning": Program(
        """
    for k in range(sums.size):
        counted = 0.0
        for _ in range(int(sums[k])):
            if uniform(state) <= 0.5:
                counted += 1.0
        noisy[k] = release(state, recorder, counted, width / epsilon / (3.0 if fault == 1 else 1.0))
    return argmax(state, noisy)
""",
        {"a third of the noise": "any"},
    ),
    "skipping": Program(
        """
    for k in range(sums.size):
        for _ in range(int(sums[k]) % 8):
            uniform(state)
        noisy[k] = release(state, recorder, sums[k], width / epsilon / (2.0 if fault == 1 else 1.0))
    return argmax(state, noisy) if uniform(state) < 0.9 else integer_below(state, sums.size)
""",
        {"half the noise": V},
    ),
    "shuffling": Program(
        """
    # The order in which sums are let out is random, or, by mistake, that of the raw sums.
    first = integer_below(state, sums.size)
    if fault == 1:
        first = int(np.argmax(sums))
    for j in range(sums.size):
        k = (first + j) % sums.size
        noisy[k] = release(state, recorder, sums[k], width / epsilon)
    return argmax(state, noisy)
""",
        {"the order is that of raw sums": V},
    ),
    "rejection": Program(
        """
    # Noise twice as large, drawn for a sum again and again until a coin accepts: the coins are not the noise.
    for k in range(sums.size):
        while uniform(state) > 0.3 + 0.1 * sums[k]:
            uniform(state)
        noisy[k] = release(state, recorder, sums[k], width / epsilon / (2.0 if fault == 1 else 1.0))
    return argmax(state, noisy)
""",
        {"half the noise": V},
    ),
    "schedule": Program(
        """
    # A coin says which sums are let out at all.
    for k in range(sums.size):
        if uniform(state) <= (0.3 + 0.2 * sums[k] if fault == 1 else 0.6):
            noisy[k] = release(state, recorder, sums[k], width / epsilon)
    return argmax(state, noisy)
""",
        {"the coin is biased by raw sums": "any"},
    ),
    "unused": Program(
        """
    # A second release of the same sum decides nothing.
    for k in range(sums.size):
        noisy[k] = release(state, recorder, sums[k], width / epsilon)
        second = release(state, recorder, sums[k], width / epsilon)
        if fault == 1:
            noisy[k] += second
    return argmax(state, noisy)
""",
        {"it does": V},
    ),
    "weighted": Program(
        """
    # Importance weights: the sum of an arm that was looked at with probability p, divided by p.
    for k in range(sums.size):
        p = 1.0 / (1.0 + phase % 4)
        seen = sums[k] if uniform(state) <= p else 0.0
        noisy[k] = release(state, recorder, seen / p, width / epsilon / (1.0 if fault == 1 else p))
    return argmax(state, noisy)
""",
        {"noise without the weight": "any"},
    ),
    "copy": Program(
        """
    # The referee's program: noise is drawn from a copy of the run's stream, and so known.
    for k in range(sums.size):
        scale = width / epsilon
        first, second, third, fourth = state[0], state[1], state[2], state[3]
        out = release(state, recorder, sums[k], scale)
        if fault > 0:
            kept = memory_stream(first, second, third, fourth)
            b = kept
            magnitude = -scale * log((np.float64(b >> np.uint64(11)) + 1.0) * 2.0**-53)
            noise = magnitude if b & np.uint64(1) else -magnitude
            memory[k, 0] += math.floor(out - noise + 0.5)
        noisy[k] = memory[k, 0] if fault > 0 and phase > 3 else out
    return argmax(state, noisy)


@inner
def memory_stream(first, second, third, fourth):
    total = first + fourth
    return ((total << np.uint64(23)) | (total >> np.uint64(41))) + first
""",
        {"the noise is drawn from a copy": R},
    ),
}
SETTINGS = {"stochastic": "dp-imed", "full_information": "rnm-ftnl-laplace"}


@functools.cache
def compiled_program(name: str, setting: str) -> Any:
    """Return the function that fills runs of a program: one compilation makes all its faults."""
    text = HEAD + PROGRAMS[name].decide + SKELETON[setting] + TAIL
    own = registry.module("algorithm", SETTINGS[setting])
    # What the text imports beside the recorder is none of the original's.
    known = provenance.source_digest(own, "dpbandits.core.mechanisms", "dpbandits.core.gaussian")
    digest = hashlib.blake2b(known.encode(), digest_size=8)
    digest.update(text.encode())
    for file in sorted(SUPPORT.glob("*.py")):
        digest.update(file.stem.encode())
    module = f"program_{setting}_{name.replace('-', '_')}_{digest.hexdigest()}"
    folder = _placed({module: text}, digest.hexdigest())
    with mock.patch.object(compiled, "source_digest", lambda _: folder.name):
        spec = importlib.util.spec_from_file_location(module, folder / f"{module}.py")
        loaded = importlib.util.module_from_spec(spec)
        sys.modules[module] = loaded
        spec.loader.exec_module(loaded)
    return loaded.simulate


def declared(name: str, setting: str, fault: int) -> Algorithm:
    """Return the declaration of a program."""
    from dpbandits.core.gaussian import deviation_for

    program, simulate = PROGRAMS[name], compiled_program(name, setting)
    original = registry.algorithm(SETTINGS[setting])

    def run(runs: Any, problem: Any, *, epsilon: float, delta: float = 0.0) -> None:
        width = runs.pulls.shape[1] if setting == "full_information" else 1
        deviation = deviation_for(epsilon, delta, width**0.5) if delta else 0.0
        simulate(runs, problem, epsilon=epsilon, delta=deviation, fault=fault)

    parameters = () if program.definition == "pure" else (DELTA,)
    privacy = Privacy(
        definition=program.definition, neighbours=original.privacy.neighbours, mechanism=name, exact=None
    )
    return dataclasses.replace(
        original, title=name, decides="rounds", privacy=privacy, parameters=parameters, simulate=run, wraps=None
    )


DELTA = next(p for p in registry.algorithm("batched-exp4").parameters if p.name == "delta")


@contextmanager
def program(name: str, setting: str, fault: int = 0) -> Iterator[str]:
    """Make a program known, sound or with one of its faults, and give its name."""
    with registered(SETTINGS[setting], declared(name, setting, fault), f"program-{name}-{fault}") as known:
        yield known


def where(name: str) -> tuple[str, ...]:
    """Return the settings where a program makes sense."""
    return PROGRAMS[name].only or tuple(SETTINGS)
