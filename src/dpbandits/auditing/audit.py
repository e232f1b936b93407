"""Audit of one claim: the exact loss if its law is known, replays of whole runs, a sampled bound, and a verdict."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from dpbandits.auditing.candidates import candidate_of_exact, fixed_environment, probes, tied, tuning
from dpbandits.auditing.certificate import Certificate, Ruling, described
from dpbandits.auditing.check import OWN, check
from dpbandits.auditing.preflight import slip
from dpbandits.auditing.replay import Replayed, replay
from dpbandits.auditing.replay.witness import ALONE
from dpbandits.auditing.sampled import Sampled, sampled, sampled_on
from dpbandits.calls import check_call
from dpbandits.core import registry
from dpbandits.core.algorithm import Worst
from dpbandits.core.errors import BadInput, within
from dpbandits.core.fields import Parameters, Values, real, whole

# Relative error that rounding may leave in an exact loss.
ROUNDING = 1e-9
# Largest inputs of an audit: tables are held in memory.
MOST_ARMS, MOST_ROUNDS = 1000, 10**4
# Largest budget: probabilities that differ by more are none in double precision.
LARGEST_BUDGET = 500.0
# The default delta of an (epsilon, delta) claim: 1/T for a million rounds. It is far below the probability of any
# event that runs can count. 1/T for the dozen rounds of an audit would excuse nearly everything.
DELTA = 1e-6
# Largest integer that a person may give.
MOST = 2**63 - 1
# Most characters of an input in the text of an audit.
LONGEST = 200


@dataclass(frozen=True)
class Audit:
    """Result of an audit.

    Attributes
    ----------
    algorithm, title, parameters
        Name of the algorithm, its name in tables, and the parameters that the caller fixed.
    definition, epsilon, delta
        The claim: its definition of privacy in words, and its budget; ``delta`` is 0 for a pure claim.
    exact
        The largest exact loss, with its inputs, event and probabilities; ``None`` if the algorithm's declaration
        does not give the law of its actions.
    replayed
        Result of the replays, with the transcript of the largest loss.
    sampled
        The largest lower bound from sampled runs.
    counted
        Ruling of the checker on the event of ``sampled``; ``None`` if the bound of ``sampled`` is within the claim,
        or replays have proved a violation.
    effort, seed, confidence
        Largest number of runs on each input in the last test, root seed, and confidence of the sampled bound.
    """

    algorithm: str
    title: str
    parameters: Values
    definition: str
    epsilon: float
    delta: float
    exact: Worst | None
    replayed: Replayed
    sampled: Sampled
    counted: Ruling | None
    effort: int
    seed: int
    confidence: float

    @property
    def audited(self) -> float:
        """The largest loss that any method found, at least 0: a lower bound of the true one unless *suspicious*."""
        return max(0.0, self._exact, self._replayed, self.sampled.bound)

    @property
    def _exact(self) -> float:
        return -math.inf if self.exact is None else self.exact.loss

    @property
    def _replayed(self) -> float:
        return -math.inf if self.replayed.worst is None else self.replayed.worst.loss

    @property
    def method(self) -> Literal["exact", "replayed", "sampled"]:
        """The method that found the largest loss; if losses are equal, exact before replayed before sampled."""
        if self.exact is not None and self._exact * (1.0 + ROUNDING) >= max(self._replayed, self.sampled.bound):
            return "exact"
        if self.replayed.worst is not None and self._replayed >= self.sampled.bound:
            return "replayed"
        return "sampled"

    @property
    def verdict(self) -> Literal["consistent", "refused", "suspicious", "unfinished", "violated"]:
        """*violated* if the checker accepts a certificate; *refused* if the algorithm bypasses the recorder.

        *suspicious* if a loss is beyond the claim, and no certificate of it is accepted. *unfinished* if the time
        was spent before replays had looked at all. *consistent* otherwise.
        """
        if self.proved is not None:
            return "violated"
        if self.replayed.refused:
            return "refused"
        beyond = max(self._exact, self._replayed) > self.epsilon * (1.0 + ROUNDING)
        if beyond or self.sampled.bound > self.epsilon:
            return "suspicious"
        return "unfinished" if self.replayed.late else "consistent"

    @property
    def proved(self) -> Certificate | None:
        """The certificate that the checker accepts, ``None`` without any."""
        worst = self.replayed.worst
        if worst is not None and worst.violation and not self.replayed.suspicious:
            return worst.certificate
        return self.counts if self.counted is not None and self.counted.accepted else None

    @property
    def counts(self) -> Certificate:
        """The certificate of the sampled event, of kind ``actions``, whether or not it shows a violation."""
        found = self.sampled
        return {
            "format": "dpbandits 1",
            "kind": "actions",
            "claim": {"epsilon": self.epsilon, "delta": self.delta},
            "job": described(found.one),
            "one": {"environment": dict(found.one.environment)},
            "other": {"environment": dict(found.other.environment)},
            "rounds": list(found.event.rounds),
            "sequences": found.event.sequences,
            "runs": found.runs,
        }

    @property
    def certificate(self) -> Certificate:
        """Certificate for ``dpbandits check``: of a proved violation, else of the replayed or the sampled loss."""
        worst = self.replayed.worst
        shown = self.counts if worst is None or worst.certificate is None else worst.certificate
        return self.proved or shown

    @property
    def words(self) -> str:
        """The verdict as a sentence for people: "Not judged: pulls sum to 9, not to T = 10." is an example."""
        claim, worst = f"epsilon = {self.epsilon:g}", self.replayed.worst
        if self.verdict == "violated":
            shown = worst is not None and worst.violation and self.proved is worst.certificate
            what = worst.violation if worst is not None and shown else "an event of actions is too likely"
            return f"Not private as claimed ({claim}), and proved: {what}."
        if self.verdict == "refused":
            return f"Not judged: {self.replayed.refused}."
        if self.verdict == "suspicious":
            why = self.replayed.suspicious or ("" if self.counted is None else self.counted.words)
            why = why or "it is an exact calculation by the algorithm's own file"
            return f"A loss beyond the claim ({claim}) was met, and may be a false alarm: {why}."
        if self.verdict == "unfinished":
            return f"The time was spent before all was looked at; nothing so far contradicts the claim ({claim})."
        return f"No contradiction to the claim ({claim}) was found, which is no proof of it."

    @property
    def infinite(self) -> bool:
        """Whether the exact loss or a replayed one is infinite (or has no upper limit), or sampled runs suggest it.

        They do if the event never occurs in the runs on one input, and the sampled bound exceeds the claim.
        """
        return bool(self._infinite)

    @property
    def _infinite(self) -> str:
        """The infinite loss in words, empty without any: whether an event is impossible, or a loss has no bound."""
        worst, never = self.replayed.worst, self.sampled.counts[1] == 0 and self.sampled.bound > self.epsilon
        if math.inf in (self._exact, self._replayed):
            return "what is named below " + (ALONE if worst is None or self._exact == math.inf else worst.infinite)
        return "in sampled runs the event below occurs on one of two inputs alone" if never else ""

    def data(self) -> dict[str, object]:
        """Return the audit as JSON data, by names of attributes and properties.

        Left out are ``counted``, ``proved``, ``counts`` and ``words``. An infinite loss is the text ``"infinity"``,
        and a bound of minus infinity ``"-infinity"``.
        """
        found = self.sampled
        witness = {
            "bound": _finite(found.bound),
            "estimate": _finite(found.estimate),
            "runs": found.runs,
            "horizon": found.one.horizon,
            "parameters": dict(found.one.parameters),
            "one": dict(found.one.environment),
            "other": dict(found.other.environment),
            "round": found.round,
            "event": found.event.words,
            "sequences": found.event.sequences,
            "rounds": list(found.event.rounds),
            "counts": list(found.counts),
            "intervals": [list(bounds) for bounds in found.intervals],
        }
        exact = None if self.exact is None else {**self.exact._asdict(), "loss": _finite(self.exact.loss)}
        return {
            "algorithm": self.algorithm,
            "title": self.title,
            "parameters": dict(self.parameters),
            "definition": self.definition,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "verdict": self.verdict,
            "audited": _finite(self.audited),
            "method": self.method,
            "infinite": self.infinite,
            "exact": exact,
            "replayed": self.replayed.data(),
            "sampled": witness,
            "certificate": self.certificate,
            "effort": self.effort,
            "seed": self.seed,
            "confidence": self.confidence,
        }

    def __str__(self) -> str:
        """Return the audit as text for people."""
        found = self.sampled
        claim = f"epsilon = {self.epsilon:g}" + (f", delta = {self.delta:g}" if self.delta else "")
        lines = [
            f"{self.title} ({self.algorithm}), {self.definition}, {claim}: {self.verdict}",
            f"  audited epsilon: {self.audited:.4g} ({self.method})",
        ]
        if self.infinite:
            lines.append(f"  infinite loss: {self._infinite}")
        if self.exact is not None:
            p, q = self.exact.probabilities
            lines += [
                f"  exact: {self.exact.loss:.6g} for {self.exact.of}",
                f"    {self.exact.event}: {p:.6g} on {self.exact.one}, {q:.6g} on {self.exact.other}",
            ]
        lines += self.replayed.lines()
        lines += [
            f"  sampled: at least {found.bound:.4g} with confidence {self.confidence:g}, {found.runs} runs",
            f"    parameters {dict(found.one.parameters)}",
            f"    {found.event.words}:",
        ]
        for job, count, (low, high) in zip((found.one, found.other), found.counts, found.intervals, strict=True):
            lines.append(f"      {count} times, probability {low:.4g} to {high:.4g}, on {_short(job.environment)}")
        return "\n".join([*lines, self.words])


def _short(inputs: Parameters) -> str:
    """Return inputs as text, cut off after `LONGEST` characters."""
    text = json.dumps({key: value for key, value in inputs.items() if key != "kind"})
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... (whole as JSON)"


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else "infinity" if value > 0 else "-infinity"


@check_call
def audit(
    algorithm: str,
    epsilon: float,
    *,
    parameters: Values | None = None,
    effort: int | None = None,
    seed: int = 0,
    confidence: float = 0.999,
    arms: int | None = None,
    rounds: int | None = None,
    replay_horizon: int | None = None,
    seeds: int = 1,
    seconds: float = math.inf,
    report: Callable[[int, int, str], None] = lambda _done, _of, _what: None,
) -> Audit:
    """Audit an algorithm's claim of privacy.

    Parameters
    ----------
    algorithm
        A name that `dpbandits list` prints. A user's own algorithm is listed once its file exists.
    epsilon
        The budget that the algorithm gets, which is the claim; > 0 and at most 500.
    parameters
        Parameters that are fixed, such as ``{"n0": 40}``. The audit varies the others, except those that the claim
        depends on. The delta of an (epsilon, delta) claim is 10^-6 by default.
    effort
        Largest number of runs on each of two inputs in the last test, >= 1; by default the algorithm's effort, or
        the setting's.
    seed
        Root seed, >= 0.
    confidence
        Confidence of the sampled lower bound, in [0.5, 1).
    arms, rounds
        Numbers of arms, from 2 to 1,000, and of rounds, from 2 to 10,000, of the sampled inputs; long replays have
        as many arms. By default those of the algorithm or the setting.
    replay_horizon
        Number of rounds of long replays, >= 1; by default 10^6, or 10^5 if the algorithm decides in every round or
        wraps another one.
    seeds
        Number of root seeds for replays, from ``seed`` on; >= 1.
    seconds
        Processor time in seconds of replays, with the checks of what they find; > 0.
    report
        Function that is called with the number of finished cases of replays, that of all, and the step in words.

    Returns
    -------
    Audit
        The verdict and all that supports it.

    Raises
    ------
    BadInput
        For an unknown algorithm, one without a claim, or a value out of its range. For an author's slip with which
        a compiled run may read beside an array, with its line: such a run has no verdict.
    """
    with within("algorithm"):
        declared = registry.algorithm(algorithm)
    if declared.privacy is None:
        raise BadInput("algorithm", algorithm, "a private algorithm; this one claims no privacy")
    if not isinstance(parameters, Mapping | None):
        raise BadInput("parameters", parameters, "a mapping, as {'n0': 40}")
    if not callable(report):
        raise BadInput("report", report, "a function of steps done, all steps, and words")
    with within("epsilon"):
        budget = declared.check_epsilon(epsilon)
        if budget is not None and budget > LARGEST_BUDGET:
            raise BadInput((), epsilon, f"a budget of at most {LARGEST_BUDGET:g}, as doubles can tell")
    assert budget is not None

    def positive(name: str, value: int | None, least: int, most: int = MOST) -> int | None:
        allowed = f"an integer >= {least}" if most == MOST else f"an integer from {least} to {most:,}"
        return None if value is None else whole(name, value, least, most, allowed)

    real("confidence", confidence, 0.5, 1 - 1e-16, "a number in [0.5, 1)")
    real("seconds", seconds, 1e-9, math.inf, "a number > 0")
    seed, seeds = (
        whole("seed", seed, 0, MOST, "an integer >= 0"),
        whole("seeds", seeds, 1, MOST, "an integer >= 1"),
    )
    effort, replay_horizon = positive("effort", effort, 1), positive("replay_horizon", replay_horizon, 1)
    arms, rounds = positive("arms", arms, 2, MOST_ARMS), positive("rounds", rounds, 2, MOST_ROUNDS)
    given = {**({"delta": DELTA} if declared.privacy.definition == "approximate" else {}), **(parameters or {})}
    _, environment = fixed_environment(registry.setting("algorithm", algorithm))
    assert environment.fixed is not None
    with within("parameters"):
        values = declared.resolve(given, tuning(algorithm, probes(algorithm)[0], budget)).values
    slipped = slip(algorithm, given, arms or probes(algorithm)[0].arms, budget, seed)
    if slipped is not None and slipped.unsafe:
        raise slipped
    exact = declared.privacy.exact
    usual = declared.privacy.effort or environment.fixed.effort
    runs = effort or usual
    cases = 1

    def replaying(done: int, of: int) -> None:
        nonlocal cases
        cases = of
        report(done, of, "replaying runs")

    replayed = replay(
        algorithm,
        budget,
        parameters=given,
        horizon=replay_horizon,
        arms=arms,
        effort=runs / usual,
        seeds=range(seed, seed + seeds),
        seconds=seconds,
        report=replaying,
    )
    report(cases, cases, "counting runs")
    if slipped is not None and replayed.refused:
        replayed = dataclasses.replace(replayed, refused=f"{replayed.refused}; {slipped.allowed}")
    found = sampled(algorithm, given, budget, runs, seed, confidence, arms, rounds)
    audited = Audit(
        algorithm=algorithm,
        title=declared.titled(values),
        parameters=given,
        definition=declared.privacy.name,
        epsilon=budget,
        delta=found.delta,
        exact=exact and exact(budget, {name: values[name] for name in tied(declared.privacy)}),
        replayed=replayed,
        sampled=found,
        counted=None,
        effort=runs,
        seed=seed,
        confidence=confidence,
    )
    if audited.proved is None and audited.exact is not None and audited.exact.loss > budget * (1.0 + ROUNDING):
        # Runs on the two inputs of an exact calculation have to show what it says.
        shown_on = candidate_of_exact(algorithm, given, budget, seed, audited.exact)
        if shown_on is not None:
            audited = dataclasses.replace(audited, sampled=sampled_on(shown_on, runs, confidence))
    if audited.proved is None and audited.sampled.bound > budget:
        return dataclasses.replace(audited, counted=check(audited.counts, OWN))
    return audited
