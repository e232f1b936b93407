"""Search through the values of a run's hidden coins (random choices) for ones that lead to given decisions.

A coin is hidden if no observer of the decisions sees its value.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection
from typing import Any

from noisetap.probabilities import log_missed, lower, upper
from noisetap.program import Program, Table
from noisetap.tape import Draw, Key, Plan, first_difference

# Most calls of `CoinSearch.reaches_decisions` in a search, each of one run (`_again` makes more). If it is cut, a
# search proves nothing.
MOST_CALLS = 3000
# Most values of a coin that are tried; times that a draw with more of them is made again.
MOST_COIN_VALUES, REDRAWS = 1000, 6
# Times that noise is drawn again by the checker: at most where nothing changes, and where decisions do.
MOST_DRAWS_UNCHANGED, DRAWS_CHANGED = 300, 400
# Probability that noise which excuses a decision is missed, and that a bound is false.
MISS_PROBABILITY, RISK = 1e-5, 1e-9


class TooManyCoinValues(Exception):
    """A search gave up: after 3,000 calls, or as decisions change with a random choice of too many values."""


def coin_values(draw: Draw) -> list[tuple[str, Any]] | None:
    """Return entries of a plan that hold a draw, each to one of its possible values; ``None`` if they are too many.

    An entry is such as ``("value", 3)``. For a draw that was only compared, one value z stands for each interval
    between its thresholds, and beyond them: ``("said", (z, answers))``, with the answers to comparisons that z
    gives. Some entries may have probability 0. It is ``None`` for more than 1,000 values, and for noise that was
    added, beta draws and orders of things.
    """
    law = draw.law
    if draw.role == "asked" and draw.plan_entry[0] == "said":
        cuts, ends = {t for t, _, _ in draw.comparisons}, (-math.inf, math.inf)
        if law.kind == "uniform":
            ends = (law.location, law.location + law.scale)
        inside = sorted({t for t in cuts if ends[0] < t < ends[1]})
        low, high = max(ends[0], min(cuts) - 1.0), min(ends[1], max(cuts) + 1.0)
        middles = [(a + b) / 2 for a, b in itertools.pairwise([low, *inside, high])]
        return [
            ("said", (z, tuple(z > t if sign > 0 else z < t for t, sign, _ in draw.comparisons))) for z in middles
        ]
    ranges = {
        "choice": (0, len(law.params)),
        "integer": (int(law.location), int(law.scale)),
        "binomial": (0, int(law.params[0]) + 1 if law.params else 0),
    }
    first, last = (
        ranges.get(law.kind, (0, MOST_COIN_VALUES + 1)) if draw.role != "out" else (0, MOST_COIN_VALUES + 1)
    )
    return None if last - first > MOST_COIN_VALUES else [("value", i) for i in range(first, last)]


class CoinSearch:
    """Search for values of hidden coins (random choices that nobody sees) under which a run makes given decisions.

    The decisions are those of a run on another input. If the search finds such values, the decisions of the two
    runs may differ by these coins alone, which proves no violation.

    Parameters
    ----------
    program, table, seed
        Program, rewards up to the last decision that is looked for, shape (rounds, arms), and seed of draws that
        are not held.
    decisions
        Decisions that are looked for, in order.
    coins
        Keys of draws that are hidden: place ``file:line@decisions`` and number there. Draws that no plan holds are
        hidden too.
    other_plan
        Output, value or answers of each draw in the run on the other input, by key. If a draw has too many values
        to try each, its value there is among those that are tried.
    other_table, epsilon
        Rewards of the other input, up to the same decision; and claimed epsilon.
    secret
        Number that no author of a certificate knows. It changes the draws with which hidden noise is drawn again.
    """

    def __init__(
        self,
        program: Program,
        table: Table,
        seed: int,
        decisions: list[Any],
        coins: Collection[Key],
        other_plan: Plan,
        other_table: Table,
        epsilon: float,
        secret: int,
    ) -> None:
        self.program, self.table, self.seed, self.other_plan = program, table, seed, other_plan
        self.other_table, self.epsilon, self.secret = other_table, epsilon, secret
        self.decisions, self.coins, self.calls = decisions, set(coins), 0

    def reaches_decisions(self, plan: Plan, fixed: frozenset[Key] = frozenset()) -> bool:
        """Return whether some values of the hidden coins lead to the decisions looked for.

        This calls itself. Coins of the run are taken in order: for each other value of the coin, a call tries all
        values of the later ones. Then the coin is held to its own value, and the next one is taken. A draw with too
        many values is drawn again six times instead. Hidden noise is drawn again more often, by the outermost call:
        if decisions change with it, and these draws show no ratio of probabilities above e^epsilon, the answer is
        true too.

        Parameters
        ----------
        plan
            Output, value or answers to which draws of the run are held, by key.
        fixed
            Keys of coins that keep their values in this call; empty in the outermost call.

        Raises
        ------
        TooManyCoinValues
            After 3,000 calls; or if decisions change with a coin of too many values, and none of the values that
            were tried leads to the decisions looked for.
        """
        self.calls += 1
        if self.calls > MOST_CALLS:
            raise TooManyCoinValues
        first = not fixed
        run = self.program.run(self.table, self.seed, plan)
        if run.decisions[: len(self.decisions)] == self.decisions:
            return True
        last = first_difference(run.decisions, self.decisions)
        assert last is not None
        for key, draw in run.draws.items():
            # Draws beyond the first decision that differs cannot mend it. What no plan holds is hidden too.
            hidden = key in self.coins or key not in plan
            if draw.round > last or key in fixed or not hidden:
                continue
            tried = coin_values(draw)
            fixed |= {key}
            if tried is None:
                coin = draw.role == "coin"
                if self._again(plan, key, coin, run.decisions):
                    return True
                if first and not coin and self._noise(plan, key, run.decisions):
                    return True
                continue
            plan = plan | {key: draw.plan_entry}
            for value in tried:
                if _answers(value) != _answers(draw.plan_entry) and self.reaches_decisions(
                    plan | {key: value}, fixed
                ):
                    return True
        return False

    def _again(self, plan: Plan, key: Key, coin: bool, decisions: list[Any]) -> bool:
        """Tell whether another value of a draw with many of them makes the decisions.

        Parameters
        ----------
        plan, key
            What is held, and the draw.
        coin
            Whether the draw is a coin, and not noise.
        decisions
            Those that it makes as it fell.

        Raises
        ------
        TooManyCoinValues
            If the decisions that are made change with a coin: another of its values may make those looked for.
        """
        rest = {k: what for k, what in plan.items() if k != key}
        tried: list[tuple[Plan, dict[Key, int]]] = [(rest, {key: 900 + n}) for n in range(REDRAWS)]
        if key in self.other_plan:
            tried.append((rest | {key: self.other_plan[key]}, {}))
        until = len(self.decisions)
        found = [self.program.run(self.table, self.seed, *what).decisions[:until] for what in tried]
        if coin and self.decisions not in found and any(other != decisions[:until] for other in found):
            raise TooManyCoinValues
        return self.decisions in found

    def _noise(self, plan: Plan, key: Key, decisions: list[Any]) -> bool:
        """Tell whether hidden noise excuses the decisions, drawn again on both inputs.

        Noise that excuses is met, up to a budget of 3: see `log_missed`. Where decisions change with it, the
        probabilities of those looked for are compared: the claim allows a factor of e^epsilon.
        """
        rest, there = ({k: what for k, what in held.items() if k != key} for held in (plan, self.other_plan))
        number = math.ceil(math.log(MISS_PROBABILITY) / log_missed(self.epsilon))
        until, changed, drawn, met = len(self.decisions), False, 0, [0, 0]
        while drawn < (DRAWS_CHANGED if changed else min(number, MOST_DRAWS_UNCHANGED)):
            fresh = {key: self.secret + drawn}
            for side, (table, held, before) in enumerate(
                ((self.other_table, there, self.decisions), (self.table, rest, decisions[:until]))
            ):
                found = self.program.run(table, self.seed, held, fresh).decisions[:until]
                met[side] += found == self.decisions
                changed = changed or found != before
            drawn += 1
        least, most = lower(met[0] / drawn, drawn, RISK), upper(met[1] / drawn, drawn, RISK)
        return changed and not least > math.exp(min(self.epsilon, 700.0)) * most


def _answers(value: tuple[str, Any]) -> Any:
    """Return what a value says: of a draw that is only compared, the answers."""
    how, what = value
    return tuple(what[1]) if how == "said" else what
