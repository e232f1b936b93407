"""Replays of a policy's run on a neighbouring input, with equal draws; and the privacy loss of its outputs.

An output is the result of adding a draw to a number. A plan holds draws, by key, to their outputs
(``("out", 3.5)``), values, or answers to comparisons; so does a replay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from noisetap.laws import Law, log_of
from noisetap.program import Program, Table
from noisetap.seeds import depends_on_data
from noisetap.tape import Draw, Key, Plan, Refused, Tape, first_difference

# Losses below this are rounding.
TINY = 1e-9


@dataclass
class Part:
    """A random draw of a policy, and what it adds to the privacy loss of a run.

    Attributes
    ----------
    key
        Key of the draw: its place ``file:line@decisions``, and the number of draws made there before.
    draw, other
        The draw in the run on the first input, and in the replay on the neighbour.
    loss : float
        Log ratio of the probabilities (or densities), on the two inputs, of what the draw gave: an output, answers
        to comparisons, or a value.
    """

    key: Key
    draw: Draw
    other: Draw
    loss: float

    @property
    def line(self) -> str:
        """``file:line`` of the program where the draw was added to a number, or else made."""
        return self.draw.line

    @property
    def scale_differs(self) -> bool:
        """Whether the scale of Laplace or normal noise differs between the two inputs."""
        a, b = self.draw.output_law, self.other.output_law
        return a.kind in ("laplace", "normal") and not math.isclose(a.scale, b.scale, rel_tol=1e-9)


@dataclass
class Pair:
    """A run of a policy, its replay on a neighbouring input, and where the two differ.

    Attributes
    ----------
    x, y : ndarray of float64, shape (rounds, arms)
        Rewards of the two inputs.
    row : int
        Row in which the two inputs differ, from 0.
    run, replay : Tape
        Run on ``x``, and run on ``y`` with each draw held to its output, answers or value on ``x``.
    parts : list of Part
        Draws of both runs, up to the decision that differs, whose probability differs. Left out are draws that the
        two runs use in different ways, and draws that are both added and compared.
    differs_at : int or None
        Number of the first decision that differs, from 0; ``None`` if none does.
    """

    x: Table
    y: Table
    row: int
    run: Tape
    replay: Tape
    parts: list[Part]
    differs_at: int | None

    @property
    def loss(self) -> float:
        """Sum of the losses of the parts."""
        return sum(p.loss for p in self.parts)


def plan_of(tape: Tape) -> Plan:
    """Return the plan that holds each draw of another run to its output, answers or value in this one.

    Its keys are the draws' places and numbers, and its entries like ``("out", 3.5)`` or ``("value", 2)``.
    """
    return {key: draw.plan_entry for key, draw in tape.draws.items()}


def differing_decision(a: Tape, b: Tape) -> int | None:
    """Return the number, from 0, of the first decision in which two runs differ; ``None`` if all are equal.

    If one run has the decisions of the other and more, it is the number of the first further one.
    """
    return first_difference(a.decisions, b.decisions)


def raises(tape: Tape) -> bool:
    """Return whether the program raised an exception of its own in a run."""
    # Its text then stands as the last decision.
    return any(isinstance(d, str) for d in tape.decisions)


def answers_probability(law: Law, comparisons: list[tuple[float, float, bool]]) -> float:
    """Return the probability that a draw of a law gives certain answers to comparisons.

    Each of ``comparisons`` has a threshold, 1 if the draw was asked to lie above it (-1 if below), and the answer.
    """
    # A draw that was said to be above a threshold, or not below it, has this threshold as a lower end.
    low, high = -math.inf, math.inf
    for threshold, sign, said in comparisons:
        if (sign > 0) == said:
            low = max(low, threshold)
        else:
            high = min(high, threshold)
    top = 1.0 if high == math.inf else law.cdf(high)
    bottom = 0.0 if low == -math.inf else law.cdf(low)
    return max(top - bottom, 0.0)


def log_probability(draw: Draw) -> float:
    """Return the log probability (or density) of what a draw gave: an output, answers to comparisons, or a value.

    For a drawn order of things it is taken as 0.
    """
    if draw.role == "out":
        assert draw.output is not None
        return draw.output_law.log_density(draw.output)
    if draw.plan_entry[0] == "said":
        return log_of(answers_probability(draw.law, draw.comparisons))
    if draw.law.kind == "integer":
        low, high = draw.law.location, draw.law.scale
        return -math.log(high - low) if low <= draw.value < high else -math.inf
    if draw.law.kind == "order":
        return 0.0
    return draw.law.log_density(draw.value)


def replay(program: Program, run: Tape, x: Table, y: Table, row: int, seed: int) -> Pair:
    """Run a program on a neighbouring input, with each draw held as in ``run``, and compare the two runs.

    Parameters
    ----------
    program
        Program that is audited.
    run
        Run on ``x``, to whose outputs, answers and values the draws are held.
    x, y
        Rewards of the two inputs, shape (rounds, arms).
    row
        Row in which the inputs differ, from 0.
    seed
        Seed of the draws of both runs.

    Returns
    -------
    Pair
        Both runs, with the first decision that differs, and the draws that add to the loss or take from it.

    Raises
    ------
    Refused
        If the seed of a generator depends on rewards, or if a draw cannot be recorded.
    """
    plan = plan_of(run)
    again = program.run(y, seed, plan)
    at = differing_decision(run, again)
    if run.seeds and _seeds(run, at) != _seeds(again, at):
        # A seed that is made of the time differs between two runs on one input too.
        more = (_seeds(program.run(table, seed, plan), at) for table in (x, y))
        if depends_on_data(_seeds(run, at), _seeds(again, at), *more):
            raise Refused("the seed of a generator depends on rewards: seed it by a fixed number or by none")
    parts = []
    for key, draw in run.draws.items():
        if at is not None and draw.round > at:
            continue
        other = again.draws.get(key)
        if other is None or other.role != draw.role:
            continue
        if draw.role == "out":
            assert draw.output is not None
            loss = draw.output_law.log_density(draw.output) - other.output_law.log_density(draw.output)
        elif draw.role == "mixed":
            continue
        else:
            loss = log_probability(draw) - log_probability(other)
        if math.isnan(loss):
            # Both densities are zero, or both infinite: their ratio tells nothing.
            loss = 0.0
        if abs(loss) > TINY:
            parts.append(Part(key, draw, other, loss))
    return Pair(x, y, row, run, again, parts, at)


def _seeds(tape: Tape, at: int | None) -> list[Any]:
    """Return the seeds whose first draws came before two runs part."""
    return [key for moment, key in tape.seeds if at is None or moment <= at]


def most_losing_plan(pair: Pair, far: bool) -> Plan:
    """Return a plan of the run on ``x`` that moves draws of ``pair.parts`` to where the privacy loss is largest.

    An output with Laplace, normal, Gumbel or logistic noise is moved to the side on which the neighbour ``y`` is
    less likely to give it; if ``far``, at least 30 scales of its noise from the middle. One with exponential or
    uniform noise is moved to where ``y`` cannot give it, if there is such a place. A choice or binomial draw gets
    the value with the largest loss, and a draw that was compared once the answer with the largest loss. All other
    draws stay as they were on ``x``.
    """
    plan = plan_of(pair.run)
    for part in pair.parts:
        a, b = part.draw.output_law, part.other.output_law
        if part.draw.role == "out" and a.kind in ("laplace", "normal", "gumbel", "logistic") and a.scale:
            plan[part.key] = ("out", _worst(a, b, part.draw.output or 0.0, far))
        elif part.draw.role == "out" and a.kind in ("exponential", "uniform") and a.scale:
            # Where the supports differ, an output can be possible on one input alone.
            gap = b.location - a.location
            if gap * a.scale > 0:
                share = 0.1 + 0.8 * abs(math.sin(part.draw.value * 1e4))  # no two at the same place
                plan[part.key] = ("out", a.location + share * min(1.0, gap / a.scale) * a.scale)
        elif part.draw.role != "out":
            plan[part.key] = _worst_coin(part)
    return plan


def _worst_coin(part: Part) -> tuple[str, Any]:
    """Return what holds a coin to the value with the largest loss: it may be unlikely on both inputs."""
    draw, a, b = part.draw, part.draw.law, part.other.law
    if draw.plan_entry[0] == "said" and len(draw.comparisons) == 1 == len(part.other.comparisons):
        ratios = {}
        for said in (True, False):
            p, q = (
                answers_probability(law, [(*c[:2], said)])
                for law, c in ((a, draw.comparisons[0]), (b, part.other.comparisons[0]))
            )
            ratios[said] = math.log(p / q) if p > 0 and q > 0 else -math.inf
        return "said", (draw.value, (max(ratios, key=lambda k: ratios[k]),))
    if a.kind in ("choice", "binomial"):
        values = range(len(a.params) if a.kind == "choice" else int(a.params[0]) + 1)
        likely = [v for v in values if a.log_density(v) > -math.inf and b.log_density(v) > -math.inf]
        return "value", max(likely, key=lambda v: a.log_density(v) - b.log_density(v), default=draw.value)
    return draw.plan_entry


def _worst(a: Law, b: Law, y: float, far: bool) -> float:
    """Return an output about as far from the middle of ``a`` as y, on the side where ``b`` is less likely."""
    width = abs(a.scale)
    reach = abs(y - a.location) + 0.1 * width
    # Far out, an output keeps its distance from the others, so that no two are at one place.
    reach = reach + 30.0 * width if far and reach < 30.0 * width else reach
    ends = [a.location + reach, a.location - reach]
    return max(ends, key=lambda end: a.log_density(end) - b.log_density(end))
