"""Search for two neighbouring inputs of a policy, and outputs of a run, that a claim of privacy does not allow."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from noisetap.certificate import certify, further_tapes, tape_as_json
from noisetap.check import check
from noisetap.compare import inverted_plans
from noisetap.form import Certificate, Transcript
from noisetap.formulas import finite_loss, uncovered_delta
from noisetap.judge import Judge
from noisetap.program import Program, Rewards, Table
from noisetap.replay import Pair, differing_decision, most_losing_plan, plan_of, raises, replay
from noisetap.rounds import with_enough_rounds
from noisetap.stand_ins import GeneratorWatch
from noisetap.tape import Refused, Tape
from noisetap.telling import line_of_difference, loss_in_words
from noisetap.verdict import Claim, Verdict

# Losses of a kind that are judged on one input: each takes many runs.
_MOST_INFINITE, _MOST_FINITE = 24, 8
# Most rounds of a table of which every row is changed, and how many rows are drawn from a longer one.
_SHORT, _DRAWN = 48, 12
_OUTSIDE = "a generator that was made before the program was listened to is drawn from: make it in the policy"
# Distances of the seeds of inputs, and of other runs on one input.
_PER_INPUT, _PER_START = 10_000, 500


def audit(
    make_policy: Callable[[], Any],
    *,
    rewards: Rewards | None = None,
    claim: Claim | float = 1.0,
    seed: int = 0,
    effort: int = 12,
    seconds: float = 60.0,
) -> Verdict:
    """Audit a bandit policy, whose decisions are claimed to be private.

    Parameters
    ----------
    make_policy : callable
        Function without arguments that returns a new policy with ``choose()`` and ``update(arm, reward)``. Or a
        function of ``pull``, or a maker of one: it decides by ``pull(arm)``, and gets the reward back.
    rewards : Rewards, optional
        Inputs, by default 40 rounds of two arms with rewards in [0, 1]; neighbours differ in one round. The rounds
        are doubled, up to 5,120, until decisions depend on draws or rewards.
    claim : Claim or float
        Claim, or its epsilon (>= 0).
    seed, effort, seconds
        Seed of inputs and draws, number of inputs, and seconds by the clock, after which no input is begun.

    Returns
    -------
    Verdict
        Its ``word`` is violated, suspicious, refused (a draw was not recorded), or consistent (no counterexample).
        It is violated only with a certificate that the checker has accepted, suspicious for a loss without a proof.
    """
    claim = claim if isinstance(claim, Claim) else Claim(float(claim))
    return _Audit(make_policy, rewards or Rewards(), claim, seed).run(effort, seconds)


class _Audit:
    """Hold one audit while it runs.

    Attributes
    ----------
    largest
        The largest loss that was seen and is within the claim.
    heard
        Whether any draw had another probability on a neighbour.
    doubts
        Losses beyond the claim that are no proof, each with why.
    unheard
        Why something was not heard: with an entry, and without a doubt, the program is refused.
    judged
        Number of losses that were judged on the current input, by kind.
    """

    def __init__(self, make: Callable[[], Any], rewards: Rewards, claim: Claim, seed: int) -> None:
        """Prepare the program, and let its runs, draws and outputs be counted; arguments are those of `audit`."""
        self.make, self.rewards, self.claim, self.seed = make, rewards, claim, seed
        self.program = Program(make, rewards)
        self.rng = np.random.Generator(np.random.PCG64(seed))
        self.started = time.monotonic()
        self.largest = 0.0
        self.heard = False
        self.doubts: list[tuple[float, str]] = []
        self.unheard: list[str] = []
        self.runs = self.draws = self.outputs = 0
        self.judged: dict[str, int] = {}
        inner = self.program.run

        def counted(*args: Any, **kwargs: Any) -> Tape:
            self.runs += 1
            tape = inner(*args, **kwargs)
            self.draws = max(self.draws, len(tape.draws))
            self.outputs = max(self.outputs, sum(draw.role == "out" for draw in tape.draws.values()))
            return tape

        self.program.run = counted  # type: ignore[method-assign]

    def run(self, effort: int, seconds: float) -> Verdict:
        """Try inputs until one gives a verdict, or time is over, and return the verdict."""
        try:
            watched = GeneratorWatch(self.rng)
            lowest = np.full((self.rewards.rounds, self.rewards.arms), self.rewards.low)
            begun = self.program.run(lowest, self.seed)
            self.rewards = self.program.rewards = with_enough_rounds(self.program, self.seed)
            if watched.any_drawn_from():
                raise Refused(_OUTSIDE)
            self._repeats()
            for attempt, table in enumerate(self.rewards.tables(self.rng, effort)):
                found = self._input(table, attempt)
                if found is not None:
                    return found
                if time.monotonic() - self.started > seconds:
                    break
            if watched.any_drawn_from():
                raise Refused(_OUTSIDE)
            if differing_decision(begun, self.program.run(lowest, self.seed)) is not None:
                raise Refused("after other runs one differs with the same coins: it keeps a memory")
        except Refused as refusal:
            return self._verdict("refused", f"not heard: {refusal}", math.nan)
        if self.doubts:
            loss, why = max(self.doubts)
            return self._verdict("suspicious", why, loss)
        if self.unheard:
            return self._verdict("refused", f"not heard: {self.unheard[0]}", math.nan)
        if not self.heard and self._depends_on_raw_rewards():
            return self._verdict(
                "refused", "not heard: rewards move decisions, and no noise was heard on them", math.nan
            )
        why = f"no counterexample found; the largest loss seen is {self.largest:.4g} of {self.claim.epsilon:g}"
        return self._verdict("consistent", why, self.largest)

    def _verdict(self, word: str, why: str, loss: float, **more: Any) -> Verdict:
        """Return a verdict with what was heard until now."""
        r = self.rewards
        heard = {"rounds": r.rounds, "arms": r.arms, "draws": self.draws, "outputs": self.outputs}
        return Verdict(
            word, why, loss, runs=self.runs, seconds=time.monotonic() - self.started, heard=heard, **more
        )

    def _repeats(self) -> None:
        """Refuse a program that does not decide the same twice under the same coins, or that stops."""
        table = self.rewards.random_extremes(self.rng)
        first = self.program.run(table, self.seed)
        second = self.program.run(table, self.seed, plan_of(first))
        third = self.program.run(table, self.seed)
        if any(isinstance(d, str) for d in first.decisions):
            raise Refused(f"the program stops: {first.decisions[-1]}")
        if differing_decision(first, second) is not None or differing_decision(first, third) is not None:
            raise Refused("two runs on one input with the same coins differ: it keeps a memory or draws unheard")

    def _depends_on_raw_rewards(self) -> bool:
        """Tell whether decisions depend on rewards, although no output that was heard does."""
        r = self.rewards
        runs = [self.program.run(np.full((r.rounds, r.arms), v), self.seed) for v in (r.low, r.high)]
        runs += [self.program.run(t, self.seed) for t in self.rewards.tables(self.rng, 3)]
        return any(differing_decision(runs[0], other) is not None for other in runs[1:])

    def _neighbours(self, table: Table, rows: list[int]) -> Iterator[tuple[int, Table]]:
        """Yield rows and the tables that differ there: the whole row at its other end, or one entry of it."""
        r = self.rewards
        for row in rows:
            other = table.copy()
            other[row] = np.where(table[row] * 2 > r.low + r.high, r.low, r.high)
            yield row, other
            if r.row and r.arms > 1:
                # One action's entry alone: what a decision by differences of raw sums would show.
                other = table.copy()
                arm = int(self.rng.integers(r.arms))
                other[row, arm] = r.low if table[row, arm] * 2 > r.low + r.high else r.high
                yield row, other

    def _rows(self, table: Table) -> list[int]:
        """Choose rows to change: all of a short table, some of a long one."""
        rounds = len(table)
        if rounds <= _SHORT:
            return list(range(rounds))
        return sorted({0, 1, rounds // 2, *(int(i) for i in self.rng.integers(0, rounds, _DRAWN))})

    def _between(self, table: Table, run: Tape, seed: int) -> Verdict | None:
        """Judge decisions that differ between an input and its opposite, in which all rewards are turned over.

        Bisection finds the row that changes a decision, when the rows before it are turned over already.
        """
        opposite = self.rewards.low + self.rewards.high - table

        def mixed(k: int) -> Table:
            """Return the input with its first k rows turned over."""
            return np.concatenate([opposite[:k], table[k:]])

        def differs(k: int) -> bool:
            """Tell whether the program decides otherwise there, under equal outputs."""
            return differing_decision(run, self.program.run(mixed(k), seed, plan_of(run))) is not None

        low, high = 0, len(table)
        if not differs(high):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if differs(middle) else (middle, high)
        again = self.program.run(mixed(low), seed, plan_of(run))
        if raises(again):
            return None
        pair = replay(self.program, again, mixed(low), mixed(high), low, seed)
        return self._infinite(pair, seed) if pair.differs_at is not None else None

    def _input(self, table: Table, attempt: int) -> Verdict | None:
        """Try all neighbours of one input, first for decisions that differ, then for the largest losses."""
        seed = self.seed * _PER_INPUT + attempt
        self.judged.clear()
        run = self.program.run(table, seed)
        if raises(run):
            raise Refused(f"the program stops: {run.decisions[-1]}")
        for start, of in self._starts(table, run, seed):
            found = self._between(table, start, of)
            if found is not None:
                return found
        pairs: list[Pair] = []
        for row, other in self._neighbours(table, self._rows(table)):
            pair = replay(self.program, run, table, other, row, seed)
            pairs.append(pair)
            self.heard = self.heard or bool(pair.parts)
            if pair.differs_at is not None:
                found = self._infinite(pair, seed)
                if found is not None:
                    return found
        # Pairs that lose most are pushed further, and one at random.
        pairs.sort(key=lambda p: -sum(abs(part.loss) for part in p.parts))
        for pair in [*pairs[:3], *(pairs[int(i)] for i in self.rng.integers(0, len(pairs), 1))]:
            back = self.program.run(pair.y, seed)
            if raises(back):
                continue
            for either in (pair, replay(self.program, back, pair.y, pair.x, pair.row, seed)):
                for far in (False, True):
                    found = self._moved_to_worst(either, seed, far)
                    if found is not None:
                        return found
        return None

    def _starts(self, table: Table, run: Tape, seed: int) -> Iterator[tuple[Tape, int]]:
        """Yield runs with their seeds: on this seed, on other seeds, and with the coins of a line turned over."""
        yield run, seed
        lines = sorted({draw.line for draw in run.draws.values() if draw.plan_entry[0] == "said"})
        for again in range(1, 7 if lines else 3):
            other = seed + _PER_START * again
            yield self.program.run(table, other), other
        for line in lines:
            for plan in inverted_plans(run, line):
                turned_over = self.program.run(table, seed, plan)
                if not raises(turned_over):
                    yield turned_over, seed

    def _moved_to_worst(self, pair: Pair, seed: int, far: bool) -> Verdict | None:
        """Move outputs to where the pair loses most until nothing changes, and judge its loss."""
        # A move can change decisions, and so which outputs there are: it is made again, four times at most.
        for _ in range(4):
            if pair.differs_at is not None or not pair.parts:
                break
            run = self.program.run(pair.x, seed, most_losing_plan(pair, far))
            if raises(run):
                return None
            pushed = replay(self.program, run, pair.x, pair.y, pair.row, seed)
            same = differing_decision(run, pair.run) is None
            if same and (pushed.loss == pair.loss or abs(pushed.loss - pair.loss) < 1e-12):
                pair = pushed
                break
            pair = pushed
        if pair.differs_at is not None:
            return self._infinite(pair, seed)
        if pair.loss <= self.claim.epsilon * (1 + 1e-6) + 1e-6:
            self.largest = max(self.largest, pair.loss)
            return None
        return self._finite(pair, seed)

    def _judge(self, seed: int) -> Judge:
        """Return a judge with other inputs: all low, all high, and three of random ends."""
        r = self.rewards
        shape = (r.rounds, r.arms)
        bits: list[Any] = [
            np.zeros(shape),
            np.ones(shape),
            *((self.rng.random(shape) < 0.5) * 1.0 for _ in range(3)),
        ]
        return Judge(self.program, seed, [r.low + (r.high - r.low) * b for b in bits])

    def _enough_judged(self, kind: str, most: int) -> bool:
        """Count a loss of a kind, and tell whether ``most`` of it were judged on this input before."""
        self.judged[kind] = self.judged.get(kind, 0) + 1
        return self.judged[kind] > most

    def _infinite(self, pair: Pair, seed: int) -> Verdict | None:
        """Judge two runs whose decisions differ under equal outputs: return a verdict, or note why it is none."""
        if self._enough_judged("infinite", _MOST_INFINITE) or raises(pair.run) or raises(pair.replay):
            return None
        judge = self._judge(seed)
        # Other reasons for decisions that differ: noise used unheard, draws that do not match, a hidden coin, and
        # outputs in an order that data decide.
        dependent = judge.data_dependent_draws(pair.run) | {p.key for p in pair.parts}
        unheard = judge.unheard_uses(pair, dependent)
        if unheard:
            self.unheard += unheard
            return None
        alone = judge.unmatched_line(pair, added_count=False)
        if alone is not None:
            self.unheard.append(f"data say how many coins are drawn ({alone})")
            return None
        excuse = judge.find_excuse(pair, dependent)
        if excuse.applies and excuse.same_outputs:
            self.unheard.append(
                f"decisions depend on data and on a hidden coin, which is not summed over ({excuse.line})"
            )
            return None
        if excuse.applies:
            self.doubts.append(
                (math.inf, f"a coin says whether decisions read raw data; it is hidden ({excuse.line})")
            )
            return None
        swapped = judge.swapped_line(pair, dependent)
        if swapped is not None:
            self.unheard.append(f"data say in which order outputs come out ({swapped})")
            return None
        at = excuse.decision
        other = self.program.run(pair.y, seed, excuse.plan, excuse.redraws)
        certificate: Certificate = {
            **certify(self.program, self.claim, pair, seed, "infinite"),
            "decision": at,
            "tape": tape_as_json(pair.run, plan_of(pair.run)),
            "tape_y": tape_as_json(
                other, excuse.plan | {k: other.draws[k].plan_entry for k in excuse.redraws if k in other.draws}
            ),
            "coins": [list(k) for k in excuse.hidden],
        }
        line = line_of_difference(self.program, pair, seed, certificate)
        a, b = ((t.decisions[at : at + 1] or ["none"])[0] for t in (pair.run, other))
        why = f"infinite loss: decision {at + 1} is {a}, on the neighbour {b}, under equal outputs"
        self.program.check_repeats((pair.x, pair.y), seed)
        if not check(certificate, self.make, self.claim, secret=0):
            self.doubts.append((math.inf, f"{why}; the checker does not accept it ({line})"))
            return None
        return self._verdict("violated", why, math.inf, line=line, round=pair.row + 1, certificate=certificate)

    def _finite(self, pair: Pair, seed: int) -> Verdict | None:
        """Judge a loss that is added up over draws: return a verdict, or note why it is none."""
        if self._enough_judged("finite", _MOST_FINITE):
            return None
        if self.claim.delta > 0 and self._covered(pair):
            return None
        judge = self._judge(seed)
        dependent = judge.data_dependent_draws(pair.run) | {p.key for p in pair.parts}
        alone = judge.unmatched_line(pair, added_count=True)
        if alone is not None:
            self.unheard.append(f"data say how many numbers are drawn ({alone})")
            return None
        ruling = judge.finite_ruling(pair, dependent)
        if ruling.unheard:
            self.unheard += ruling.unheard
            return None
        certificate = certify(self.program, self.claim, pair, seed, "finite", ruling)
        loss = finite_loss(certificate)
        # Probabilities of comparisons are integrated on grids, and err more than sums of log ratios.
        margin = 1e-3 if ruling.pivots else 1e-6
        if loss <= max(self.claim.epsilon + margin, self.claim.epsilon * (1 + 1e-6)):
            self.largest = max(self.largest, loss)
            self.doubts += [(pair.loss, d) for d in ruling.doubts]
            self.unheard += ruling.read_indirectly
            return None
        if ruling.doubts:
            self.doubts += [(loss, d) for d in ruling.doubts]
            return None
        worst = max(ruling.parts, key=lambda p: p.loss, default=None)
        line = worst.line if worst else pair.run.draws[ruling.pivots[0].center].line
        why = loss_in_words(self.claim.epsilon, ruling, loss, worst)
        if self.claim.delta > 0:
            certificate["paths"] = further_tapes(self.program, pair)
        self.program.check_repeats((pair.x, pair.y), seed)
        if not check(certificate, self.make, self.claim, secret=0):
            # Otherwise delta excuses it, or the events that it does not were not found.
            if self.claim.delta == 0:
                self.doubts.append((loss, f"{why}; unchecked"))
            return None
        return self._verdict("violated", why, loss, line=line, round=pair.row + 1, certificate=certificate)

    def _covered(self, pair: Pair) -> bool:
        """Tell whether delta excuses the whole transcript, whatever of it is seen."""
        kinds = {p.draw.output_law.kind for p in pair.parts if p.draw.role == "out" and not p.scale_differs}
        if kinds != {"normal"} or any(p.draw.role != "out" or p.scale_differs for p in pair.parts):
            return False
        whole: Transcript = {"parts": [p.draw.as_json(p.other) for p in pair.parts], "asked": [], "pivots": []}
        return uncovered_delta(whole, self.claim.epsilon) <= self.claim.delta
