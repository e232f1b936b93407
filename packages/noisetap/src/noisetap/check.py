"""Checker of certificates of *violated* for policies; it knows nothing of the search that found them.

A certificate names two tables of rewards that differ in one row, and to what each draw is held. The program is run
on both with these draws. For a finite loss the runs have to show the laws of noise that the certificate states, at
its lines; for an infinite one their decisions have to differ. The claim is the caller's, or else the certificate's.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from noisetap.coins import CoinSearch, TooManyCoinValues
from noisetap.form import FIRST_SEED, PATHS, Certificate, Transcript
from noisetap.formulas import comparisons_probability, density, finite_loss, uncovered_delta
from noisetap.laws import CONTINUOUS, Law
from noisetap.probabilities import lower
from noisetap.program import Program, Rewards
from noisetap.schema import fault_of_form
from noisetap.tape import Draw, Key, Plan, Refused, Tape, plan_from_json
from noisetap.verdict import Claim

# Losses have to exceed a claim by this much: rounding of sums, and of integrals of events.
_ROUNDING, _INTEGRALS = 1e-6, 1e-3
# Beginning of what is said where a run of the program is refused.
UNHEARD = "the program cannot be heard"
# Times that what is accepted is run once more, on both inputs.
REPEATS = 8
# What the draws of this process depend on.
SECRET = secrets.randbits(48)


def check(
    certificate: Certificate,
    program: Callable[[], Any],
    claim: Claim | float | None = None,
    rewards: Rewards | None = None,
    secret: int | None = None,
) -> bool:
    """Return whether a certificate proves a claim about a bandit policy false.

    Parameters
    ----------
    certificate : dict
        Certificate, as `Verdict.save` writes it.
    program : callable
        Maker of a policy, function of ``pull``, or what returns one, as `noisetap.audit` takes them. It is run.
    claim : Claim or float, optional
        Claim, or its epsilon; by default the claim of the certificate.
    rewards : Rewards, optional
        Range of rewards, and whether a policy sees whole rows, that the certificate has to have; by default any.
    secret : int, optional
        Number >= 0 that changes the checker's own draws. By default it is random, once in a process, so that no
        author can suit a certificate to the draws.

    Returns
    -------
    bool
        True if the claim is proved false. False if not, or if something that the program draws cannot be recorded.
    """
    return objection(certificate, program, claim, rewards, secret) is None


def objection(
    certificate: Certificate,
    program: Callable[[], Any],
    claim: Claim | float | None = None,
    rewards: Rewards | None = None,
    secret: int | None = None,
) -> str | None:
    """Return why a certificate does not prove a claim about a bandit policy false, or ``None`` if it does.

    If a run of the program is refused, the reason begins with "the program cannot be heard" (`UNHEARD`).

    Parameters
    ----------
    certificate, program, claim, rewards, secret
        As `check` takes them: the certificate as JSON data, the program, which is run, the claim or its epsilon,
        the range of rewards that the certificate has to have, and a number >= 0 that changes the checker's draws.
    """
    fault = fault_of_form(certificate)
    if fault is not None:
        return fault
    stated = Rewards(**certificate["rewards"])
    if rewards is not None and (rewards.low, rewards.high, rewards.row) != (stated.low, stated.high, stated.row):
        return "it is about rewards of another range or kind"
    if claim is None:
        claim = Claim(certificate["claim"]["epsilon"], certificate["claim"]["delta"])
    claim = claim if isinstance(claim, Claim) else Claim(float(claim))
    try:
        case = _Case(certificate, Program(program, stated), claim, SECRET if secret is None else secret)
        return case.finite() if certificate["kind"] == "finite" else case.infinite()
    except Refused as refusal:
        return f"{UNHEARD}: {refusal}"
    except TooManyCoinValues:
        return "its hidden coins have too many values to be walked through"
    except (ArithmeticError, ValueError, KeyError, IndexError, TypeError) as error:
        return f"its numbers cannot be computed with: {error!r}"


class _Case:
    """Hold one certificate while it is checked."""

    def __init__(self, certificate: Certificate, program: Program, claim: Claim, secret: int) -> None:
        self.certificate, self.program, self.claim, self.secret = certificate, program, claim, secret
        self.x, self.y = np.array(certificate["x"], float), np.array(certificate["y"], float)
        self.seed = certificate["seed"]

    def finite(self) -> str | None:
        """Return why the stated loss is not above the claim, or ``None``."""
        plan = plan_from_json(self.certificate["tape"])
        a, b = (self.program.run(table, self.seed, plan) for table in (self.x, self.y))
        told = self.certificate
        stated: Transcript = {"parts": told["parts"], "asked": told["asked"], "pivots": told["pivots"]}
        fault = _same_transcript(a, b) or _impossible(a)
        fault = fault or self._as_stated(stated, a, b) or self._read(stated, a, plan)
        if fault is not None:
            return fault
        margin = _INTEGRALS if stated["pivots"] else _ROUNDING
        loss = finite_loss(stated)
        if not (math.isfinite(loss) or loss == math.inf) or not loss > self.claim.epsilon + margin:
            return f"the loss is {loss:.6g}, and the claim allows {self.claim.epsilon:g}"
        if self.claim.delta > 0:
            seeds = range(FIRST_SEED, FIRST_SEED + PATHS)
            if len(self.certificate["paths"]) != PATHS:
                return f"it has not {PATHS} further runs, as a claim with a delta needs"
            further = zip(seeds, map(plan_from_json, self.certificate["paths"]), strict=True)
            paths = [stated, *(self._path(seed, plan) for seed, plan in further)]
            if not min(uncovered_delta(path, self.claim.epsilon) for path in paths) > self.claim.delta:
                return "delta covers it"
        return self._repeats(a, b, plan, plan)

    def _path(self, seed: int, plan: Plan) -> Transcript:
        """Return the transcript of a run with coins of its own seed, that releases what a certificate says."""
        outputs = {key: what for key, what in plan.items() if what[0] == "out"}
        a = self.program.run(self.x, seed, outputs)
        b = self.program.run(self.y, seed, {key: draw.plan_entry for key, draw in a.draws.items()})
        if _same_transcript(a, b) is not None or _impossible(a) is not None:
            return {"parts": [], "asked": [], "pivots": []}
        both = [(draw, b.draws[key]) for key, draw in a.draws.items() if draw.role == "out"]
        parts = [draw.as_json(other) for draw, other in both if not _alike(draw, other)]
        return {"parts": parts, "asked": [], "pivots": []}

    def _as_stated(self, stated: Transcript, a: Tape, b: Tape) -> str | None:
        """Return which number, comparison or law of those stated the two runs do not show, or ``None``."""
        for part in stated["parts"]:
            draw = a.draws.get((part["key"][0], part["key"][1]))
            said = None if draw is None else draw.output if draw.role == "out" else draw.value
            if draw is None or (draw.line, draw.round, said) != (part["line"], part["moment"], part["said"]):
                return f"no run shows the number that it states at {part['line']}"
        for found in stated["asked"]:
            key = (found["key"][0], found["key"][1])
            if key not in a.draws or a.draws[key].line != found["line"]:
                return f"no run shows the comparison that it states at {found['line']}"
            for tape, said in ((a, found["x_said"]), (b, found["y_said"])):
                if [tuple(c) for c in said] != [tuple(c) for c in tape.draws[key].comparisons]:
                    return f"the comparisons at {found['line']} are others"
        for event in stated["pivots"]:
            center = a.draws[event["center"]["key"][0], event["center"]["key"][1]]
            for other in event["others"]:
                draw = a.draws[other["key"][0], other["key"][1]]
                if ((draw.output or 0.0) > (center.output or 0.0)) != other["above"]:
                    return "a number lies on the other side of the one that it is compared with"
        for item in _items(stated):
            key = (item["key"][0], item["key"][1])
            both = (item["x"], a.draws.get(key)), (item["y"], b.draws.get(key))
            if any(draw is None or law != draw.output_law.as_json() for law, draw in both):
                return f"no run shows the law that it states of {key[0]}"
        keys = [(i["key"][0], i["key"][1]) for i in _items(stated)]
        return "a draw is counted twice" if len(set(keys)) != len(keys) else None

    def _read(self, stated: Transcript, a: Tape, plan: Plan) -> str | None:
        """Return which draw is counted wrongly: of those whose law differs, those that decisions read count."""
        b = self.program.run(self.y, self.seed, plan)
        counted = {(i["key"][0], i["key"][1]) for i in _items(stated)}
        moved = {k for k, d in a.draws.items() if not _alike(d, b.draws[k])}
        for key in moved | counted:
            read = any(
                self.program.run(self.x, self.seed, plan | {key: other}).decisions != a.decisions
                for other in _others(a.draws[key])
            )
            if read != (key in counted):
                fault = "read a draw that it leaves out" if read else "do not read a draw that it counts"
                return f"decisions {fault} ({a.draws[key].line})"
        for event in stated["pivots"]:
            objected = self._one_sided(event, a, plan)
            if objected is not None:
                return objected
        return None

    def _one_sided(self, event: Any, a: Tape, plan: Plan) -> str | None:
        """Return why a pivot is none: decisions change when numbers move and stay on their sides of its center."""
        rng = np.random.Generator(np.random.PCG64(11))
        center = (event["center"]["key"][0], event["center"]["key"][1])
        for _ in range(12):
            at = (a.draws[center].output or 0.0) + float(rng.normal()) * 7.0 * abs(a.draws[center].output_law.scale)
            changed: Plan = {center: ("out", at)}
            for other in event["others"]:
                key = (other["key"][0], other["key"][1])
                gap = (0.01 + float(rng.exponential(5.0))) * abs(a.draws[key].output_law.scale)
                changed[key] = ("out", at + (gap if other["above"] else -gap))
            if self.program.run(self.x, self.seed, plan | changed).decisions != a.decisions:
                return "decisions read more than the side on which numbers lie"
        return None

    def infinite(self) -> str | None:
        """Return why the decision that differs may not be a violation, or ``None``."""
        last = self.certificate["decision"]
        plans: list[Plan] = [plan_from_json(self.certificate["tape"]), plan_from_json(self.certificate["tape_y"])]
        a, b = (self.program.run(t, self.seed, p) for t, p in zip((self.x, self.y), plans, strict=True))
        if a.decisions[:last] != b.decisions[:last] or a.decisions[: last + 1] == b.decisions[: last + 1]:
            return "decisions of the two runs do not part where it says"
        if (fault := _impossible(a, last)) is not None:
            return fault
        # Noise has to be held by what came out of it: held by its value it may be any number, which nobody drew.
        for plan, tape in zip(plans, (a, b), strict=True):
            for key, draw in tape.draws.items():
                used = draw.additions or draw.comparisons or draw.unheard_use
                if draw.round > last or draw.law.kind not in CONTINUOUS or not used:
                    continue
                if plan.get(key, draw.plan_entry)[0] == "value":
                    return f"a draw is held by its value, which proves nothing ({draw.line})"
        stated = {(c[0], c[1]) for c in self.certificate["coins"]}
        coins = stated | (b.draws.keys() - self._data_dependent_draws(a, b, plans[0], last))
        outs = [(k, d, b.draws.get(k)) for k, d in a.draws.items() if d.role == "out" and d.round <= last]
        # Outputs are equal; a coin may differ, but its law may not. Only what comes out last may be missing.
        if any(twin is None and draw.round < last for _, draw, twin in outs):
            return "an output of the first run is missing in the second"
        if any(t and (t.output_law != d.output_law if k in stated else t.output != d.output) for k, d, t in outs):
            return "outputs of the two runs differ"
        # Hidden coins might make the first run's decisions on the second input too: they are tried from both tapes.
        looked_for = a.decisions[: last + 1]
        tables = self.y[: last + 1], self.x[: last + 1]
        walk = CoinSearch(
            self.program,
            tables[0],
            self.seed,
            looked_for,
            coins,
            plans[0],
            tables[1],
            self.claim.epsilon,
            self.secret,
        )
        if walk.reaches_decisions(plans[1]) or walk.reaches_decisions(
            {k: plans[0].get(k, h) for k, h in plans[1].items()}
        ):
            return "values of hidden coins bring the decisions together"
        if self.claim.delta > 0 and not self._often() > self.claim.delta:
            return "delta covers it"
        return self._repeats(a, b, *plans)

    def _repeats(self, a: Tape, b: Tape, *plans: Plan) -> str | None:
        """Return how runs on one input differ, or ``None``: a program may have a memory, or look at a clock."""
        for _ in range(REPEATS):
            for first, table, plan in zip((a, b), (self.x, self.y), plans, strict=True):
                again = self.program.run(table, self.seed, plan)
                if again.decisions != first.decisions or again.draws.keys() != first.draws.keys():
                    return "two runs on one input differ: the program has a memory, or draws unheard"
                if any(
                    d.output_law != first.draws[k].output_law or d.output != first.draws[k].output
                    for k, d in again.draws.items()
                ):
                    return "two runs on one input differ in their laws: the program has a memory, or draws unheard"
        return None

    def _data_dependent_draws(self, a: Tape, b: Tape, plan: Plan, last: int) -> set[Key]:
        """Return the draws whose law depends on any input: what comes out of them is seen.

        Parameters
        ----------
        a, b
            The two runs.
        plan
            What is held of the first run.
        last
            The decision that differs: later draws are not asked for.
        """
        rng = np.random.Generator(np.random.PCG64(5))
        low, high = self.program.rewards.low, self.program.rewards.high
        tables = [np.full(self.x.shape, low), np.full(self.x.shape, high)]
        tables += [np.where(rng.random(self.x.shape) < 0.5, low, high) for _ in range(4)]
        found = {k for k, d in a.draws.items() if k not in b.draws or not _alike(d, b.draws[k])}
        for table in tables:
            other = self.program.run(table, self.seed, plan)
            agree = next(
                (t for t, (p, q) in enumerate(zip(a.decisions, other.decisions, strict=False)) if p != q), last
            )
            for key, draw in a.draws.items():
                if draw.round <= agree and (key not in other.draws or not _alike(draw, other.draws[key])):
                    found.add(key)
        return found

    def _often(self) -> float:
        """Return a lower bound of the probability that decisions part under equal outputs."""
        apart = 0
        # The bound errs with probability 1e-6. With 200 runs it is 0.93 at most: no delta above that is judged.
        for seed in range(200):
            free = self.program.run(self.x, seed)
            again = self.program.run(self.y, seed, {key: draw.plan_entry for key, draw in free.draws.items()})
            apart += free.decisions != again.decisions
        return lower(apart / 200, 200, 1e-6)


def _impossible(tape: Tape, last: float = math.inf) -> str | None:
    """Return why a run has probability zero up to a decision, or ``None``: a draw says what none of its law can."""
    for draw in tape.draws.values():
        law = draw.law
        if draw.round > last:
            continue
        if (
            law.kind in CONTINUOUS
            and draw.comparisons
            and not comparisons_probability(draw.comparisons, law.as_json()) > 0
        ):
            return f"comparisons with a draw say what no draw says ({draw.line})"
        if law.kind in CONTINUOUS and draw.role == "out":
            if draw.output_law.scale and not density(draw.output_law.as_json(), draw.output) > 0:
                return f"an output is one that no run has ({draw.line})"
        elif not (draw.comparisons and law.kind in CONTINUOUS) and not _can_be(law, draw.value):
            return f"a draw has a value that no draw has ({draw.line})"
    return None


def _can_be(law: Law, value: Any) -> bool:
    """Tell whether a draw of a law by itself can have a value."""
    if law.kind == "order":
        entries, again, number = np.ravel(value), law.params[0], int(law.params[1])
        whole = entries.dtype.kind in "iu" and len(entries) == number
        inside = whole and all(0 <= entry < law.scale for entry in entries)
        return bool(inside and (again or len(set(entries.tolist())) == number))
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
        return False
    if law.kind in CONTINUOUS:
        return bool(density(law.as_json(), float(value)) > 0)
    if law.kind == "beta":
        return bool(0.0 < value < 1.0)
    if value != int(value):
        return False
    if law.kind == "choice":
        return bool(0 <= value < len(law.params)) and law.params[int(value)] > 0
    if law.kind == "integer":
        return bool(law.location <= value < law.scale)
    return bool(density(law.as_json(), float(value)) > 0)


def _items(stated: Transcript) -> Iterable[Any]:
    """Yield everything in a transcript that has laws: numbers, answers, and the numbers of pivots."""
    yield from stated["parts"]
    yield from stated["asked"]
    for event in stated["pivots"]:
        yield event["center"]
        yield from event["others"]


def _alike(a: Draw, b: Draw) -> bool:
    """Tell whether a draw says the same with the same probability on both inputs."""
    p, q = a.output_law, b.output_law
    far = max(abs(p.location - q.location), abs(p.scale - q.scale))
    thresholds = [c[0] for c in a.comparisons], [c[0] for c in b.comparisons]
    return (
        (a.role, p.kind, p.params) == (b.role, q.kind, q.params)
        and far <= 1e-9 * (1 + abs(p.scale))
        and thresholds[0] == thresholds[1]
    )


def _same_transcript(a: Tape, b: Tape) -> str | None:
    """Return how two runs differ in decisions, draws or outputs, or ``None``."""
    if a.decisions != b.decisions:
        return "decisions of the two runs differ"
    if a.draws.keys() != b.draws.keys():
        return "the two runs draw different numbers"
    for key, draw in a.draws.items():
        if draw.role == "out" and draw.output != b.draws[key].output:
            return f"outputs of the two runs differ ({draw.line})"
    return None


def _others(draw: Draw) -> list[tuple[str, Any]]:
    """Return what holds a draw to other values than its own, near and far."""
    if draw.role == "out":
        if draw.law.kind == "binomial":
            n = int(draw.law.params[0])
            return [("out", draw.output_law.location + draw.output_law.scale * k) for k in {0, 1, n // 2, n - 1, n}]
        steps = [s * draw.output_law.scale for s in (0.3, 1.0, 3.0, 12.0, 1000.0)]
        return [("out", (draw.output or 0.0) + s) for step in steps for s in (step, -step)]
    if draw.plan_entry[0] == "said":
        value, said = draw.plan_entry[1]
        flips = [tuple(not s if i == j else s for j, s in enumerate(said)) for i in range(len(said))]
        return [("said", (value, flip)) for flip in [*flips[-8:], tuple(not s for s in said)]]
    ranges = {"choice": (0, len(draw.law.params)), "integer": (int(draw.law.location), int(draw.law.scale))}
    if draw.law.kind == "binomial":
        return [("value", k) for k in {0, 1, int(draw.law.params[0])}]
    return [("value", k) for k in range(*ranges.get(draw.law.kind, (0, 0)))][:16]
