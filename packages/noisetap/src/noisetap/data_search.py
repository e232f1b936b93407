"""Search inputs of a function of data, and results, for a loss that a claim does not allow."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

from noisetap.aims import MANY, boundary_values, directions
from noisetap.approximate import constant_shift, needed_delta, normal_divergence, renyi_divergence
from noisetap.data_check import objection
from noisetap.data_form import DATA_FORMAT, claim_as_json, relation_as_json
from noisetap.elsewhere import alternative_line
from noisetap.function import BUDGET_NAMES, Function, OutOfTime, TooManyPaths, noise_widths, real_generator
from noisetap.laws import TooManyValues
from noisetap.measure import integrated_log_probability
from noisetap.path import Path
from noisetap.probabilities import normal_delta
from noisetap.records import Data, Relation
from noisetap.rehearsal import NotRepeatable, check_equal_runs, check_repeats, kinds_in
from noisetap.results import (
    RARE_NOTE,
    Outcome,
    counterpart,
    is_too_rare,
    is_unknown,
    loses_infinitely,
    outcomes,
    undetermined_line,
    why_reachable,
)
from noisetap.seeds import depends_on_data
from noisetap.stand_ins import GeneratorWatch
from noisetap.tape import Refused
from noisetap.telling import WeighedResult, blamed_line, result_in_words
from noisetap.verdict import Claim, Verdict

# How far outputs are moved to where they may lose more, in widths of their noise.
_STEPS = (1.0, 8.0, 28.0)


class Search:
    """One search for a violation by a function of data, while it runs.

    Parameters
    ----------
    function, relation, claim, seed, seconds
        Function with its data; relation (``add-remove``, ``replace-one``, ``one-event``, ``user``, or a function
        that lists neighbours of an input); claim, seed of inputs, and processor time in seconds.

    Attributes
    ----------
    largest
        Largest loss that was seen and is within the claim; under a claim with a delta, largest delta needed.
    undecided, notes
        Why losses were not judged (then a verdict without a violation is *refused*); notes for the verdict.
    pairs, finished_pairs, raised, returned
        Numbers of pairs of inputs begun, and finished; the function's last exception in words, or ``None``; and
        whether it ever returned.
    left_out_rare
        Whether a result was, or may be, left out because its probability is too small to be known.
    outcomes_by_input, kinds
        Results computed lately, by input and released numbers; and the kinds of all results, as ``{"number"}``.
    """

    def __init__(self, function: Function, relation: Relation, claim: Claim, seed: int, seconds: float) -> None:
        """Start with nothing seen."""
        self.function, self.relation, self.claim, self.seed = function, relation, claim, seed
        self.rng = real_generator(seed)
        self.began, self.seconds = time.process_time(), seconds
        self.largest = 0.0
        self.undecided: list[str] = []
        self.pairs = self.finished_pairs = 0
        self.notes: list[str] = []
        self.raised: str | None = None
        self.returned = self.left_out_rare = False
        self.kinds: set[frozenset[str]] = set()
        self.outcomes_by_input: dict[tuple[Data, tuple[float, ...]], list[Outcome]] = {}

    def run(self, effort: int) -> Verdict:
        """Search pairs of neighbours until one proves a violation, or time is over, and return the verdict.

        ``effort`` is the number of inputs, >= 1, each tried with some neighbours; a few further pairs follow.

        Raises
        ------
        NotRepeatable
            If the function returns something else under the same draws.
        TooManyPaths
            If an input has too many paths, or the first pair of inputs takes too long.
        """
        function, records, watched = self.function, self.function.records, GeneratorWatch(self.rng)
        try:
            first = next(records.inputs(self.rng, 1))
            path, result = function.run(first, rng=real_generator(5))
            for _ in range(2):
                check_equal_runs(path, result, *function.run(first, rng=real_generator(5)))
            # One record cannot be judged on fewer ones: its first pair may take all the time.
            function.deadline = self.began + self.seconds / (8 if records.number > 1 else 1)
            enough: Data | None = None
            for row, data, other in self._neighbours(effort):
                if data is enough:
                    continue
                found = self._pair(data, other, row)
                if found is not None:
                    return found
                self.finished_pairs += 1
                function.deadline = self.began + self.seconds
                enough = data if len(self.undecided) > 4 else None
        except OutOfTime:
            if not self.finished_pairs:
                raise TooManyPaths("one pair of inputs takes too long") from None
            self.notes.append(f"{self.finished_pairs} pairs of inputs were tried in {self.seconds:.0f} seconds")
        except NotRepeatable:
            raise
        except (Refused, TooManyValues) as refusal:
            return self._verdict("refused", f"not heard: {refusal}", math.nan)
        function.deadline = math.inf
        # If the function keeps a memory of other inputs, the first input now gives another result.
        check_equal_runs(path, result, *function.run(first, rng=real_generator(5)))
        if watched.any_drawn_from():
            unheard = "a generator made before the function is listened to is drawn from: pass it as rng="
            return self._verdict("refused", f"not heard: {unheard}", math.nan)
        if self.raised is not None and not self.returned:
            return self._verdict("refused", f"the function raises {self.raised} on all that was tried", math.nan)
        if self.undecided:
            return self._verdict("refused", f"not judged: {self.undecided[0]}", math.nan)
        if not self.pairs:
            return self._verdict("refused", "the relation lists no neighbours", math.nan)
        if not self.function.most_draws:
            return self._verdict("refused", f"no noise was heard on {records.number} records", math.nan)
        self.notes += [RARE_NOTE] if self.left_out_rare else []
        what, most = ("delta", self.claim.delta) if self.claim.delta > 0 else ("loss", self.claim.allowed)
        why = f"no counterexample found; the largest {what} seen is {self.largest:.4g} of {most:g}"
        return self._verdict("consistent", why, self.largest)

    def _neighbours(self, effort: int) -> Iterator[tuple[int | None, Data, Data]]:
        """Yield pairs of neighbours; if records are added or removed, also one record, whose neighbour is empty."""
        records = self.function.records
        inputs = list(records.inputs(real_generator(self.seed), effort))
        if self.relation in ("add-remove", "user") and records.number > 1:
            inputs += [(level,) for level in records.typical_records()[:6]]
        for data in inputs:
            for row, other in records.neighbours(data, self.relation):
                yield row, data, other
        yield from records.further_pairs(real_generator(self.seed + 77), self.relation)

    def _verdict(self, word: str, why: str, loss: float, **more: Any) -> Verdict:
        function = self.function
        heard = {"records": function.records.number, "draws": function.most_draws, "outputs": function.most_outputs}
        taken = time.process_time() - self.began
        return Verdict(word, why, loss, runs=function.runs, seconds=taken, heard=heard, notes=self.notes, **more)

    def _pair(self, x: Data, y: Data, row: int | None) -> Verdict | None:
        """Search one pair of neighbours both ways; return a verdict if a violation is proved."""
        self.pairs += 1
        for one, other in ((x, y), (y, x)):
            path = self._longest(one, other)
            outputs = [r.value for r in path.releases]
            self._compare_seeds(one, other, path)
            if self.finished_pairs < 2 and not self.undecided:
                self._note_draws_read(one, other, path)
            facing, _ = self.function.run(other, [c.taken for c in path.choices], outputs)
            for moved in self._moved(one, other, path, facing):
                found = self._worst_result(one, other, moved)
                verdict = None if found is None else self._prove(one, other, row, found)
                if verdict is not None:
                    return verdict
        return None

    def _compare_seeds(self, x: Data, y: Data, path: Path) -> None:
        """Refuse a function that makes a seed of data: its noise is a fixed function of them."""
        script, outputs = [c.taken for c in path.choices], [r.value for r in path.releases]
        runs = (self.function.run(data, script, outputs)[0].seeds for data in (y, x, y))
        if path.seeds and (other := next(runs)) != path.seeds and depends_on_data(path.seeds, other, *runs):
            raise Refused("the seed of a generator depends on data: seed it by a fixed number or by none")

    def _note_draws_read(self, x: Data, y: Data, path: Path) -> None:
        """Note a function whose only noise are draws that it reads before they are added to data.

        With these numbers held a result has no noise, so that few of them say nothing of the others.
        """
        if not path.releases or path.in_result or path.bounds or any(c.weights for c in path.choices):
            return
        script, outputs = [c.taken for c in path.choices], [r.value for r in path.releases]
        other, _ = self.function.run(y, script, outputs)
        if [r.affine for r in path.releases] != [r.affine for r in other.releases]:
            return
        again, result = self.function.run(x, script, outputs)
        line = undetermined_line(self.function, x, again, result)
        if line is not None:
            self.undecided.append(f"a draw is read by a function before it is added to data ({line})")

    def _longest(self, x: Data, y: Data) -> Path:
        """Return a path that releases most numbers: each path has to release the same ones as far as it goes."""
        longest, _ = self.function.run(x, rng=real_generator(1000 * self.seed))
        for data in (x, y) if longest.choices else ():
            known = [r.value for r in longest.releases]
            for path, _ in self.function.paths(data, known, real_generator(7)):
                longest = max(longest, path, key=lambda p: len(p.releases))
        return longest

    def _outcomes(self, data: Data, outputs: list[float]) -> list[Outcome]:
        """Return the results of an input under these outputs; they are kept, as each is asked for often."""
        key = data, tuple(outputs)
        if key not in self.outcomes_by_input:
            if len(self.outcomes_by_input) > 64:
                self.outcomes_by_input.clear()
            self.outcomes_by_input[key] = outcomes(self.function, data, outputs, integrated_log_probability)
            for outcome in self.outcomes_by_input[key]:
                self._note(outcome.result)
        return self.outcomes_by_input[key]

    def _note(self, result: Any) -> None:
        """Note whether a function ever returns: one that only raises was not called as it wants to be."""
        self.kinds.add(kinds_in(result))
        if isinstance(result, tuple) and len(result) == 3 and result[0] == "raised":
            self.raised = f"{result[1]}: {str(result[2])[:100]}"
        else:
            self.returned = True

    def _worst_result(self, x: Data, y: Data, outputs: list[float]) -> WeighedResult | None:
        """Return the result of an input with the largest loss, if these numbers are released."""
        if not self.claim.is_pure:
            return self._weigh_normal(x, y, outputs) or self._weigh_approximately(x, y, outputs)
        mine, others = self._outcomes(x, outputs), self._outcomes(y, outputs)
        worst = None
        for outcome in mine:
            rare = is_too_rare(outcome)
            other = None if rare or not outcome.paths else counterpart(outcome, others)
            rare = rare or is_unknown(other, others, self.claim.epsilon)
            self.left_out_rare |= rare or any(path.truncated for path in outcome.paths)
            if rare or not outcome.paths:
                continue
            if other is not None and other.paths and min(outcome.dimensions) > min(other.dimensions):
                continue
            loss = math.inf if other is None or loses_infinitely(outcome, other) else outcome.log_p - other.log_p
            if worst is None or loss > worst.loss:
                worst = WeighedResult(loss, outcome, other, outputs)
        return worst

    def _weigh_normal(self, x: Data, y: Data, outputs: list[float]) -> WeighedResult | None:
        """Weigh normal noise that is moved by the same whatever came before: its sums need no integral."""
        shift = constant_shift(self.function, x, y, outputs)
        if shift is None:
            return None
        path, result = self.function.run(x, (), outputs)
        self._note(result)
        outcome = Outcome(result, paths=[path])
        if self.claim.bounds_divergence:
            return WeighedResult(normal_divergence(self.claim, shift), outcome, None, outputs)
        return WeighedResult(math.nan, outcome, None, outputs, normal_delta(shift, self.claim.epsilon))

    def _weigh_approximately(self, x: Data, y: Data, outputs: list[float]) -> WeighedResult | None:
        """Return the loss under a claim with rho, an order or delta; note why if it is not computed."""
        claim = self.claim
        if claim.rho is not None:
            why = "a claim of zCDP is judged for normal noise alone, moved by the same whatever came before"
            self.undecided.append(why)
            return None
        mine, others = self._outcomes(x, outputs), self._outcomes(y, outputs)
        worst = max(mine, key=lambda o: o.log_p)
        if claim.alpha is not None:
            loss = None if outputs else renyi_divergence(mine, others, claim.alpha)
            if loss is None:
                self.undecided.append(
                    "a Rényi claim is judged for normal noise, moved by the same whatever came before, "
                    "and for results without noise on them"
                )
                return None
            return WeighedResult(loss, worst, counterpart(worst, others), outputs)
        over = needed_delta(self.function, x, y, outputs, mine, others, claim.epsilon, integrated_log_probability)
        if over is None:
            why = "this delta is not judged: more than one number is let out, and not all are normal"
            self.undecided.append(why)
            return None
        return WeighedResult(math.nan, worst, counterpart(worst, others), outputs, over)

    def _moved(self, x: Data, y: Data, path: Path, facing: Path) -> Iterator[list[float]]:
        """Yield outputs at which ``x`` loses much against ``y``: those that lose most, then two milder ones.

        All outputs are moved together, in each of the `directions`, by each of `_STEPS` widths of their noise.
        Then each is moved by itself: far out, and to values that one input alone can give.

        Parameters
        ----------
        x, y, path, facing
            The two inputs, a path of ``x``, and one of ``y`` that releases the same numbers.
        """
        outputs, width, only = [r.value for r in path.releases], noise_widths(path), boundary_values(path, facing)
        if not outputs or not self.claim.is_pure:
            yield outputs
            return
        best, most = outputs, self._loss(x, y, outputs)
        milder: list[list[float]] = []
        for step in _STEPS:
            for signs in directions(path, facing):
                moved = [v + sign * step * w for v, sign, w in zip(outputs, signs, width, strict=True)]
                loss = self._loss(x, y, moved)
                # By more than grids get wrong.
                if loss > self.claim.epsilon + 0.01:
                    milder.append(moved)
                if loss > most:
                    best, most = moved, loss
        tried = range(len(outputs)) if len(outputs) <= MANY else self.rng.integers(0, len(outputs), MANY)
        for i in map(int, tried):
            far = [outputs[i] + step * width[i] for step in (_STEPS[-1], -_STEPS[-1])] if len(outputs) > 1 else []
            for value in [*far, *(only[i] if i < len(only) else ())]:
                moved = [*best[:i], value, *best[i + 1 :]]
                loss = self._loss(x, y, moved)
                if loss > most:
                    best, most = moved, loss
        yield best
        # What is far out can be too improbable to be checked.
        yield from milder[:2]

    def _loss(self, x: Data, y: Data, outputs: Sequence[float]) -> float:
        """Return the largest loss of a result under these outputs; -inf if no result is weighed."""
        found = self._worst_result(x, y, list(outputs))
        return -math.inf if found is None else found.loss

    def _prove(self, x: Data, y: Data, row: int | None, found: WeighedResult) -> Verdict | None:
        """Return the verdict on a loss if the checker accepts its certificate; else note why it is none.

        Parameters
        ----------
        x, y
            The two inputs.
        row
            Number of the record in which they differ, if there is one.
        found
            The result that loses.
        """
        claim = self.claim
        if len(self.undecided) > 8:
            return None
        if claim.delta > 0:
            self.largest = max(self.largest, found.needed_delta)
            if found.needed_delta <= claim.delta * 1.01 + 1e-9:
                return None
        else:
            if found.loss <= claim.allowed + (2e-3 if found.outcome.integrated else 1e-6):
                self.largest = max(self.largest, found.loss)
                return None
        path = found.outcome.paths[0]
        for data in (x, y):
            check_repeats(self.function, data, path, found.outputs)
        scripts = [[c.taken for c in p.choices] for p in found.outcome.paths[:200]]
        certificate: Any = {
            "format": DATA_FORMAT,
            "claim": claim_as_json(claim),
            "parameters": {k: v for k, v in self.function.parameters.items() if k in BUDGET_NAMES},
            "relation": relation_as_json(self.relation),
            "x": [list(r) for r in x],
            "y": [list(r) for r in y],
            "outputs": [float(v) for v in found.outputs],
            "scripts": scripts,
            "stored": self.function.stores_noise,
            "loss": "infinite" if math.isinf(found.loss) else None if math.isnan(found.loss) else found.loss,
        }
        line = undetermined_line(self.function, x, path, found.outcome.result)
        if line is not None:
            self.undecided.append(
                f"a number is let out that the result does not tell: it was read by a function ({line})"
            )
            return None
        line = alternative_line(self.function, y, found.outcome, found.outputs)
        if line is not None:
            self.undecided.append(f"the neighbour may return the same by another number, which is read ({line})")
            return None
        if math.isinf(found.loss) and not claim.bounds_divergence and loses_infinitely(found.outcome, found.other):
            impossible = found.other is not None and not found.other.paths
            why = None if impossible else why_reachable(self.function, y, found.outcome, found.outputs)
            if why is not None:
                self.undecided.append(why)
                return None
        fault = objection(
            certificate,
            self.function.function,
            self.function.records,
            claim,
            self.function.parameters,
            self.relation,
        )
        if fault is not None:
            self.undecided.append(
                f"a loss of {found.loss:.4g} of {claim.allowed:g} was seen, and not accepted: {fault}"
            )
            return None
        where = blamed_line(self.function, x, y, found)
        why = result_in_words(claim, found)
        return self._verdict(
            "violated",
            why,
            found.loss,
            line=where,
            record=None if row is None else row + 1,
            certificate=certificate,
        )
