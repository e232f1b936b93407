"""Search for excuses of a policy's privacy loss: hidden random choices, outputs that nobody reads, noisy maxima.

A draw's key is its place ``file:line@decisions`` and a number there. An output is the sum of a draw and a number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from noisetap.compare import other_values, outputs_at, outputs_with_keys, runs_differ, same_law
from noisetap.program import Program, Table
from noisetap.replay import Pair, Part, differing_decision, plan_of
from noisetap.tape import Key, Plan, Tape


@dataclass
class Pivot:
    """Event that some noisy outputs lie above one of them, the center, and others below; decisions tell this alone.

    Attributes
    ----------
    center : Key
        Key of the output that the others are compared with.
    above : dict of Key to bool
        Whether each other output lies above the center, by key.
    """

    center: Key
    above: dict[Key, bool]


@dataclass
class Ruling:
    """What is left of a policy's privacy loss after every excuse was tried.

    Attributes
    ----------
    parts
        Draws that decisions depend on, with what each adds to the loss.
    pivots
        Comparisons between outputs, if decisions depend on their answers alone.
    doubts
        Excuses, in words, that could not be ruled out: the loss is no proof then.
    read_indirectly, unheard
        In words: outputs that decisions depend on only through a later output, and draws that were used unheard.
    """

    parts: list[Part] = field(default_factory=list)
    pivots: list[Pivot] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    read_indirectly: list[str] = field(default_factory=list)
    unheard: list[str] = field(default_factory=list)


@dataclass
class Excuse:
    """Whether other values of hidden coins explain that runs on two inputs decide differently.

    A coin is a random choice that is not added to data; it is hidden if no observer of decisions sees it.

    Attributes
    ----------
    line : str
        ``file:line`` of the coin that explains the difference; empty if none does.
    applies : bool
        Whether the neighbour may decide the same: under other values of coins, or as hidden noise moves decisions.
    same_outputs : bool
        Whether the program makes the same outputs under these values. If not, the decision may still differ.
    decision : int
        If no coin explains it, number of the decision that differs whatever coins were tried, from 0.
    plan, hidden, redraws
        Output, value or answers to which the neighbour's draws are held, by key; keys of hidden coins; and coins
        that are drawn again, by key, each with a number above 0 that chooses the new draw.
    """

    line: str
    applies: bool
    same_outputs: bool
    decision: int
    plan: Plan
    hidden: list[Key]
    redraws: dict[Key, int]


class Judge:
    """Test of excuses of a policy's privacy loss, by running the program again with one thing changed.

    Parameters
    ----------
    program, seed
        Program that is audited, and seed of its runs.
    tables : list of array
        Rewards of other inputs, shape (rounds, arms), which show which draws depend on data.
    """

    def __init__(self, program: Program, seed: int, tables: list[Table]) -> None:
        self.program, self.seed, self.tables = program, seed, tables

    def _run(self, table: Table, plan: Plan, fresh: dict[Key, int] | None = None) -> Tape:
        return self.program.run(table, self.seed, plan, fresh)

    def data_dependent_draws(self, run: Tape) -> set[Key]:
        """Return keys of the draws that depend on data: by law, use, or whether they are made; outputs are held."""
        plan, found = plan_of(run), set()
        for table in self.tables:
            other = self._run(table, plan)
            at = differing_decision(run, other)
            for key, draw in run.draws.items():
                twin = other.draws.get(key)
                late = at is not None and draw.round > at
                # One that is not drawn at all on another input depends on data by that.
                if not late and (twin is None or not same_law(draw, twin)):
                    found.add(key)
        return found

    def unheard_uses(self, pair: Pair, dependent: set[Key]) -> list[str]:
        """Return in words which draws were used in a way that was not recorded; an empty list if none was.

        An example is "a draw is used out of hearing (mine.py:9)". ``dependent`` has the keys of the draws that
        depend on data, as `data_dependent_draws` returns them.
        """
        last = math.inf if pair.differs_at is None else pair.differs_at
        lines = [f"a draw is compared or read before it is added ({d.line})" for d in pair.run.draws.values()
                 if d.role == "mixed" and d.round <= last]  # fmt: skip
        lines += [
            f"a beta draw's parameters depend on data, and it is not summed over ({d.line})"
            for k, d in pair.run.draws.items()
            if d.law.kind == "beta" and k in dependent and d.round <= last
        ]
        # Draws that nothing was heard of: if decisions change with them, they are used unheard.
        quiet = [
            k for k, d in pair.run.draws.items() if d.role == "unheard" and k not in dependent and d.round <= last
        ]
        for table, tape in ((pair.x, pair.run), (pair.y, pair.replay)):
            plan = plan_of(tape)
            for key in quiet:
                plan.pop(key, None)
            for again in range(1, 4) if quiet else ():
                other = self._run(table, plan, dict.fromkeys(quiet, again))
                if runs_differ(tape, other, last):
                    lines.append(f"a draw is used out of hearing ({pair.run.draws[quiet[0]].line})")
                    break
        lines += [
            f"a whole number that was drawn enters a sum ({d.line})"
            for d in pair.run.draws.values()
            if d.unheard_use == "arithmetic" and d.round <= last and d.law.kind in ("integer", "choice")
        ]
        return sorted(set(lines))

    @staticmethod
    def unmatched_line(pair: Pair, added_count: bool) -> str | None:
        """Return ``file:line`` of a draw that only one of two runs makes, before decisions differ; or ``None``.

        ``added_count`` says whether draws that were added to numbers count too.
        """
        last = math.inf if pair.differs_at is None else pair.differs_at
        a, b = ({k: d for k, d in t.draws.items() if d.round <= last} for t in (pair.run, pair.replay))
        alone = [(a.get(k) or b[k]) for k in sorted(a.keys() ^ b.keys())]
        return next((d.line for d in alone if added_count or d.role != "out"), None)

    def find_excuse(self, pair: Pair, dependent: set[Key]) -> Excuse:
        """Look for values of hidden coins with which the neighbour decides the same, or makes other outputs.

        Hidden are all draws but the ``dependent`` ones: keys of draws whose law depends on data. A single hidden
        draw excuses if one value of it makes all decisions equal. Several excuse if some values make the first
        unequal decision equal: others may mend later ones. Hidden noise excuses if a decision moves with it.
        """
        assert pair.differs_at is not None
        at, plan = pair.differs_at, plan_of(pair.run)
        hidden = [k for k, d in pair.run.draws.items() if d.round <= at and k not in dependent]
        # Draws of the whole run that carry no data.
        everywhere = {k for k, d in pair.run.draws.items() if k not in dependent}
        if len(everywhere) == 1 == len(hidden):
            return self._only(pair, plan, hidden[0])
        for key in hidden:
            # Hidden noise has too many values to be tried; it may not matter on either input.
            if pair.run.draws[key].role == "out" and self._matters(pair, key, at):
                return Excuse(pair.run.draws[key].line, True, True, at, plan, hidden, {})
        other_outputs = None
        for keys in self._windows(pair, hidden, at):
            for changed, fresh in self._redraws(pair, plan, keys):
                other = self._run(pair.y, changed, fresh)
                further = differing_decision(pair.run, other)
                mended = further is None or further > at
                line, among = pair.run.draws[keys[0]].line, other.draws.keys() - everywhere
                same = outputs_with_keys(pair.run, at, dependent) == outputs_with_keys(other, at, among)
                if mended and same:
                    return Excuse(line, True, True, at, plan, hidden, {})
                # If outputs are other ones, the coin decides which numbers are released at all.
                if not same and (mended or further == at):
                    other_outputs = Excuse(line, True, False, at, plan, hidden, {})
        return other_outputs or Excuse("", False, True, at, plan, hidden, {})

    def _matters(self, pair: Pair, key: Key, at: int) -> bool:
        """Tell whether decisions up to ``at`` depend on a hidden draw, on either input."""
        for table, tape in ((pair.x, pair.run), (pair.y, pair.replay)):
            if key not in tape.draws:
                return True
            rest = {k: h for k, h in plan_of(tape).items() if k != key}
            moved = {**rest, key: ("value", tape.draws[key].value + 50.0 * tape.draws[key].law.scale)}
            tried: list[tuple[Plan, dict[Key, int]]] = [(rest, {key: again}) for again in range(1, 9)]
            for plan, fresh in [*tried, (moved, {})]:
                further = differing_decision(tape, self._run(table, plan, fresh))
                if further is not None and further <= at:
                    return True
        return False

    def _only(self, pair: Pair, plan: Plan, coin: Key) -> Excuse:
        """Return the excuse of a single hidden coin: its value under which decisions differ the latest."""
        draw = pair.run.draws[coin]
        rest = {k: h for k, h in plan.items() if k != coin}
        tried: list[tuple[Plan, dict[Key, int]]] = [(plan, {})] + [(rest, {coin: again}) for again in range(1, 200)]
        tried += [(rest | {coin: value}, {}) for value in other_values(draw)]
        if draw.role == "out":
            tried += [(rest | {coin: ("out", (draw.output or 0.0) + s)}, {}) for s in np.arange(-3, 3.1, 0.25)]
        best = (-1, plan, dict[Key, int]())
        for changed, fresh in tried:
            further = differing_decision(pair.run, self._run(pair.y, changed, fresh))
            if further is None:
                return Excuse(draw.line, True, True, pair.differs_at or 0, plan, [coin], {})
            best = max(best, (further, changed, fresh), key=lambda b: b[0])
        return Excuse("", False, True, best[0], best[1], [coin], best[2])

    def _windows(self, pair: Pair, hidden: list[Key], at: int) -> list[list[Key]]:
        """List which coins are drawn again together: each alone, those before the decision that differs, all."""
        near = [k for k in hidden if pair.run.draws[k].round >= pair.row]
        early = [k for k in hidden if pair.run.draws[k].round < pair.row][-12:]
        windows = [[k] for k in (*near[-40:], *early)]
        return [*windows, [k for k in hidden if pair.run.draws[k].round == at], near, hidden]

    def swapped_line(self, pair: Pair, dependent: set[Key]) -> str | None:
        """Return ``file:line`` of two outputs that the neighbour makes in the other order, or ``None``.

        With the values of the two outputs swapped, the first decision that differs becomes equal.
        ``dependent`` has the keys of draws whose law depends on data.
        """
        assert pair.differs_at is not None
        plan, draws = plan_of(pair.run), pair.run.draws
        keys = [k for k, d in draws.items() if d.role == "out" and d.round <= pair.differs_at and k in dependent]
        for a, b in combinations(keys[-12:], 2):
            if draws[a].round != draws[b].round or draws[a].line != draws[b].line:
                continue
            swapped = plan | {a: ("out", draws[b].output), b: ("out", draws[a].output)}
            at = differing_decision(pair.run, self._run(pair.y, swapped))
            if at is None or at > pair.differs_at:
                return draws[a].line
        return None

    def _redraws(self, pair: Pair, plan: Plan, keys: list[Key]) -> list[tuple[Plan, dict[Key, int]]]:
        """List plans of the neighbour in which some coins are drawn again, with the numbers of the new draws."""
        if not keys:
            return []
        rest = {k: h for k, h in plan.items() if k not in keys}
        found: list[tuple[Plan, dict[Key, int]]] = [(rest, dict.fromkeys(keys, again)) for again in range(1, 9)]
        only = pair.run.draws[keys[0]]
        if len(keys) == 1:
            found += [(rest | {keys[0]: value}, {}) for value in other_values(only)]
        return found

    def finite_ruling(self, pair: Pair, dependent: set[Key]) -> Ruling:
        """Return which draws count for a finite loss: those that decisions depend on.

        Outputs that decisions only compare with each other count as one event, a `Pivot`. ``dependent`` has the
        keys of draws that depend on data, as `data_dependent_draws` returns them.
        """
        ruling = Ruling(unheard=self.unheard_uses(pair, dependent))
        seen = [p for p in pair.parts if self._shows(pair, p, ruling)]
        thresholds = self._thresholds(pair, dependent)
        if thresholds:
            self._against(pair, seen, thresholds, ruling)
            return ruling
        for moment in sorted({p.draw.round for p in seen}):
            group = [p for p in seen if p.draw.round == moment]
            beside = [k for k, d in pair.run.draws.items() if d.role == "out" and d.round == moment]
            if len({*beside, *(p.key for p in group)}) == 1:
                ruling.parts += group
            else:
                self._joint(pair, group, beside, ruling)
        return ruling

    def _shows(self, pair: Pair, part: Part, ruling: Ruling) -> bool:
        """Tell whether a decision depends on this output alone, all others held."""
        feeds = False
        for value in other_values(part.draw):
            other = self._run(pair.x, plan_of(pair.run) | {part.key: value})
            if differing_decision(pair.run, other) is not None:
                return True
            feeds = feeds or runs_differ(pair.run, other, math.inf)
        if feeds:
            ruling.read_indirectly.append(
                f"an output is read through a later one alone: noises that add up ({part.line})"
            )
        return False

    def _thresholds(self, pair: Pair, dependent: set[Key]) -> list[Key]:
        """Return outputs that carry no data and that decisions depend on: thresholds with hidden noise."""
        found = []
        for key, draw in pair.run.draws.items():
            if draw.role != "out" or key in dependent:
                continue
            for value in other_values(draw):
                if differing_decision(pair.run, self._run(pair.x, plan_of(pair.run) | {key: value})) is not None:
                    found.append(key)
                    break
        return found

    def _against(self, pair: Pair, seen: list[Part], thresholds: list[Key], ruling: Ruling) -> None:
        """Rule on outputs that are compared with a hidden threshold."""
        line = pair.run.draws[thresholds[0]].line
        if len(thresholds) > 1 or not self._sided(pair, [p.key for p in seen], thresholds[0]):
            ruling.doubts.append(f"hidden noise on a threshold could excuse this ({line})")
            return
        center = pair.run.draws[thresholds[0]].output or 0.0
        ruling.pivots.append(Pivot(thresholds[0], {p.key: (p.draw.output or 0.0) > center for p in seen}))

    def _sided(self, pair: Pair, keys: list[Key], center: Key) -> bool:
        """Tell whether decisions depend on outputs only by which side of the threshold ``center`` they lie on."""
        outs = all(pair.run.draws[k].role == "out" for k in keys)
        return outs and self._shifts(pair, [*keys, center]) and self._compared(pair, keys, center)

    def _joint(self, pair: Pair, group: list[Part], keys: list[Key], ruling: Ruling) -> None:
        """Rule on several outputs before one decision: are all let out, or only which one is largest?

        Parameters
        ----------
        pair
            The runs on the two inputs.
        group
            Draws before one decision that lose anything.
        keys
            All outputs before that decision.
        ruling
            Takes what is decided.
        """
        line = group[0].line
        if any(p.draw.role != "out" for p in group):
            ruling.doubts.append(f"several hidden coins before one decision depend on data ({line})")
            return
        plan = plan_of(pair.run)
        for part in group:
            moment = part.draw.round
            others = [self._run(pair.x, plan | {part.key: value}) for value in other_values(part.draw)]
            telling = [o for o in others if differing_decision(pair.run, o) is not None]
            if not any(outputs_at(o, moment) == outputs_at(pair.run, moment) for o in telling):
                ruling.doubts.append(f"an output only says whether there is a further one: a rejection? ({line})")
                return
        outputs = {k: pair.run.draws[k].output or 0.0 for k in keys}
        if self._shifts(pair, keys):
            for center in (max(keys, key=lambda k: outputs[k]), min(keys, key=lambda k: outputs[k])):
                rest = [k for k in keys if k != center]
                if self._compared(pair, rest, center):
                    ruling.pivots.append(Pivot(center, {k: outputs[k] > outputs[center] for k in rest}))
                    return
            # One change behind noise that reaches everywhere: differences from others show it all, far enough out.
            everywhere = all(
                pair.run.draws[k].output_law.kind in ("laplace", "gumbel", "logistic", "normal") for k in keys
            )
            if len(group) > 1 or not everywhere:
                ruling.doubts.append(f"only differences of these outputs are read: a noisy maximum? ({line})")
                return
        ruling.parts += group

    def _shifts(self, pair: Pair, keys: list[Key]) -> bool:
        """Tell whether decisions depend on outputs only by their differences."""
        plan, draws = plan_of(pair.run), pair.run.draws
        width = max(abs(draws[k].output_law.scale) for k in keys)
        # Near and far, both ways, and no round numbers, which a program may round to.
        for step in (0.37, 5.3, -7.1, 211.0, -190.0):
            moved: Plan = {k: ("out", (draws[k].output or 0.0) + step * width) for k in keys}
            if runs_differ(pair.run, self._run(pair.x, plan | moved), math.inf):
                return False
        return True

    def _compared(self, pair: Pair, keys: list[Key], center: Key) -> bool:
        """Tell whether decisions depend on outputs only by which side of one of them they lie on."""
        if any(pair.run.draws[k].law.kind == "binomial" for k in (*keys, center)):
            return False
        # Moved on its own side, an output may change nothing. Moved across the center, it has to change a decision.
        rng = np.random.Generator(np.random.PCG64(7))
        middle = pair.run.draws[center].output or 0.0
        for table, tape in ((pair.x, pair.run), (pair.y, pair.replay)):
            plan = plan_of(tape)
            for _ in range(4):
                moved: Plan = {}
                for key in keys:
                    y, width = tape.draws[key].output or 0.0, abs(tape.draws[key].output_law.scale)
                    moved[key] = ("out", y + math.copysign(float(rng.exponential(20.0)) * width, y - middle))
                if runs_differ(tape, self._run(table, plan | moved), math.inf):
                    return False
            for key in keys:
                width = abs(tape.draws[key].output_law.scale) + abs(tape.draws[center].output_law.scale)
                y = tape.draws[key].output or 0.0
                crossed = middle - math.copysign(1000.0 * width, y - middle)
                if differing_decision(tape, self._run(table, plan | {key: ("out", crossed)})) is None:
                    return False
        return bool(keys)
