"""Candidates for a violation: two neighbouring inputs, and values of the parameters that the claim leaves free."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from dpbandits.core import mathematics, registry
from dpbandits.core.algorithm import Algorithm, Privacy, Probe, Worst
from dpbandits.core.environment import Environment
from dpbandits.core.errors import BadInput, within
from dpbandits.core.fields import Parameter, Parameters, Tuning, Value, Values
from dpbandits.runs.job import Job, make_job

# Random settings of the parameters for each pair of inputs, besides the defaults.
DRAWN = 3
# The same if a probe gives parameters that are known to lose much.
DRAWN_BESIDE_PROBED = 1
# A random value is within this many powers of ten of the default.
DECADES = 3.0
# One candidate in WIDE is a wide one: a random table that differs in a late row, with MORE_ROUNDS more rounds than
# its probe, and at least MORE_ARMS arms.
WIDE = 8
MORE_ROUNDS, MORE_ARMS = 4, 5
# A late row lies after this share of the rounds.
LATE = 2 / 3
# Probability that a parameter gets a random value rather than its default.
OFTEN = 0.7


@dataclass(frozen=True)
class Candidate:
    """Two jobs that may contradict a claim.

    Attributes
    ----------
    one, other
        The jobs of the algorithm on each of two neighbouring inputs.
    round
        The round in which the inputs differ, from 1.
    delta
        The delta of the claim.
    """

    one: Job
    other: Job
    round: int
    delta: float

    @property
    def arms(self) -> int:
        """Number of values that an observer may see in a round.

        These are actions, or, under local privacy, pairs of an action and a report (0, 1 or 2).
        """
        privacy = registry.algorithm(self.one.algorithm).privacy
        assert privacy is not None
        actions = registry.environment(self.one.environment["kind"]).arms(self.one.environment)
        return 3 * actions if privacy.definition == "local" else actions


def fixed_environment(setting: str) -> tuple[str, Environment]:
    """Return name and declaration of the environment of a setting, such as ``experts``, that has fixed inputs.

    It raises `BadInput` if the setting has none.
    """
    for name in registry.modules("environment"):
        if registry.setting("environment", name) == setting and registry.environment(name).fixed is not None:
            return name, registry.environment(name)
    raise BadInput("algorithm", setting, "one of a setting with an environment that declares `fixed`")


def tied(privacy: Privacy) -> tuple[str, ...]:
    """Return the names of the parameters that a claim of privacy depends on, such as delta."""
    return (*privacy.tied, "delta") if privacy.definition == "approximate" else privacy.tied


def probes(algorithm: str) -> Sequence[Probe]:
    """Return the rounds, arms and parameters at which an algorithm is audited: its own, or else its setting's."""
    _, environment = fixed_environment(registry.setting("algorithm", algorithm))
    privacy = registry.algorithm(algorithm).privacy
    assert environment.fixed is not None and privacy is not None
    return privacy.probes or [Probe(*size) for size in environment.fixed.sizes]


def _varied(inputs: Parameters) -> bool:
    """Tell whether the inputs of every arm vary over the rounds, and some arms differ."""
    table = np.array(next(rows for name, rows in inputs.items() if name in ("rewards", "losses")))
    return bool((table != table[0]).any(axis=0).all() and (table != table[:, :1]).any())


def tuning(algorithm: str, probe: Probe, epsilon: float) -> Tuning:
    """Return the facts that tuned constants depend on, such as T and K, for a probe's rounds and arms."""
    _, environment = fixed_environment(registry.setting("algorithm", algorithm))
    assert environment.fixed is not None
    pair = next(environment.fixed.neighbours(probe.rounds, probe.arms, np.random.default_rng(0)))
    return environment.tuning(environment.check(pair.one), probe.rounds, epsilon)


def draw(parameter: Parameter, default: float, rng: np.random.Generator, tuning: Tuning) -> Value:
    """Return a random value of a parameter: an end of its range, or a number near its default.

    A real number is the default times 10^-3 to 10^3. Where the range begins above 0, that is said of the distance
    from its beginning. A whole number is at most twice the default plus 2. No value is above the range.

    Parameters
    ----------
    parameter
        The parameter, with its range.
    default
        Default value of the parameter.
    rng
        Generator of the value.
    tuning
        The facts on which the range may depend.
    """
    # The ends as numbers that are allowed: an open end is moved by one double.
    low = max(math.nextafter(parameter.above, math.inf), parameter.at_least)
    high = min(math.nextafter(parameter.below, -math.inf), parameter.largest(tuning))
    kind = rng.integers(4)
    if kind == 0 and low == parameter.at_least:
        return parameter.type(low)
    if kind == 1 and high == parameter.largest(tuning) < math.inf:
        return parameter.type(high)
    start = max(low, 0.0)
    if parameter.type is int:
        least = math.ceil(start)
        return int(min(float(rng.integers(least, 2 * max(int(default), least) + 3)), high))
    factor = mathematics.power(10.0, rng.uniform(-DECADES, DECADES))
    return float(min(start + ((default - start) or 1.0) * factor, high))


def free_parameters(declared: Algorithm, given: Values, tuning: Tuning) -> dict[Parameter, Value]:
    """Return the parameters that an audit may vary, with their defaults.

    They are those that are neither fixed by the caller (``given``) nor part of the claim, as delta is. Parameters
    of a wrapped base algorithm are among them.
    """
    assert declared.privacy is not None
    with within("parameters"):
        values = declared.resolve(given, tuning).values
    base = () if declared.wraps is None else declared.wraps.candidates()[str(values["base"])].parameters
    fixed = {*given, *tied(declared.privacy)}
    known = (*declared.parameters, *base)
    return {parameter: values[parameter.name] for parameter in known if parameter.name not in fixed}


def candidates(
    algorithm: str,
    given: Values,
    epsilon: float,
    seed: int,
    number: int,
    arms: int | None = None,
    rounds: int | None = None,
) -> Iterator[Candidate]:
    """Yield ``number`` pairs of neighbouring inputs with parameters, on which an audit may find a violation.

    One in eight has 4 rounds more, at least 5 arms, and a random table, unless ``arms`` or ``rounds`` are given.

    Parameters
    ----------
    algorithm, given, epsilon
        Name of the algorithm, its fixed parameters, and its claimed budget.
    seed
        Root seed.
    number
        Number of candidates.
    arms, rounds
        Numbers of arms and rounds of the inputs, by default, in turn, those at which the algorithm is audited.
    """
    rng = np.random.default_rng([seed, *algorithm.encode()])
    resized = [Probe(rounds or probe.rounds, arms or probe.arms, probe.parameters) for probe in probes(algorithm)]
    found = [_probed(algorithm, given, epsilon, seed, probe, rng) for probe in resized]
    # One candidate of each probe in turn, so that a small effort covers all probes.
    near: Iterator[Candidate] = (candidate for row in zip(*found, strict=True) for candidate in row)
    if arms is None and rounds is None:
        near = _mixed(near, _wide(algorithm, given, epsilon, seed, resized))
    yield from islice(near, number)


def _mixed(often: Iterator[Candidate], seldom: Iterator[Candidate]) -> Iterator[Candidate]:
    """Yield the first kind, with one of the second kind at every `WIDE`-th place while there are any."""
    for turn, candidate in enumerate(often, 1):
        yield candidate
        if turn % (WIDE - 1) == 0:
            yield from islice(seldom, 1)


def _wide(
    algorithm: str, given: Values, epsilon: float, seed: int, all_probes: Sequence[Probe]
) -> Iterator[Candidate]:
    """Yield wide candidates: more rounds and arms, and a random table that differs in a late row."""
    rng = np.random.default_rng([seed, WIDE, *algorithm.encode()])
    for probe in itertools.cycle(all_probes):
        wide = Probe(probe.rounds + MORE_ROUNDS, max(probe.arms, MORE_ARMS), probe.parameters)
        drawn = _probed(algorithm, given, epsilon, seed, wide, rng, late=True)
        try:
            yield from islice(drawn, DRAWN)
        except BadInput:
            # A probe's parameters may be out of range with more rounds.
            return


def _probed(
    algorithm: str,
    given: Values,
    epsilon: float,
    seed: int,
    probe: Probe,
    rng: np.random.Generator,
    late: bool = False,
) -> Iterator[Candidate]:
    """Yield candidates of one probe, without end.

    Parameters
    ----------
    algorithm, given, epsilon, seed
        As `candidates` takes them.
    probe
        Sizes, and parameters that are known to lose much.
    rng
        Generator of tables and parameters.
    late
        Whether to leave out all but random tables that differ in a late row.
    """
    declared = registry.algorithm(algorithm)
    kind, environment = fixed_environment(registry.setting("algorithm", algorithm))
    assert environment.fixed is not None and declared.privacy is not None
    around = tuning(algorithm, probe, epsilon)
    free = free_parameters(declared, given, around)
    # For an algorithm that wraps a base, a probe may name parameters of other bases.
    names = {parameter.name for parameter in free}
    probed = {name: value for name, value in probe.parameters.items() if name in names}
    drawn = DRAWN_BESIDE_PROBED if probed else DRAWN
    for pair in environment.fixed.neighbours(probe.rounds, probe.arms, rng):
        if late and not (pair.round > LATE * probe.rounds and _varied(pair.one)):
            continue
        for turn in range(1 + drawn):
            chosen = {**probed, **given}
            if turn:
                chosen |= {
                    parameter.name: draw(parameter, float(default), rng, around)
                    for parameter, default in free.items()
                    if rng.random() < OFTEN
                }
            one, other = (
                make_job(algorithm, chosen, {"kind": kind, **inputs}, epsilon, probe.rounds, 1, seed)
                for inputs in (pair.one, pair.other)
            )
            delta = float(one.parameters["delta"]) if declared.privacy.definition == "approximate" else 0.0
            yield Candidate(one, other, pair.round, delta)


def candidate_of_exact(algorithm: str, given: Values, epsilon: float, seed: int, exact: Worst) -> Candidate | None:
    """Return a candidate on the two inputs that an exact calculation found; ``None`` if no run can be on them.

    Parameters
    ----------
    algorithm, given
        The algorithm's name, and its parameters that differ from the defaults.
    epsilon, seed
        Privacy budget, and root seed of the candidate's runs.
    exact
        The calculation, with its two neighbouring inputs.
    """
    kind, _ = fixed_environment(registry.setting("algorithm", algorithm))
    rows = [inputs[name] for inputs in (exact.one, exact.other) for name in ("rewards", "losses") if name in inputs]
    if not rows:
        return None
    horizon = len(rows[0])
    try:
        one, other = (
            make_job(algorithm, given, {"kind": kind, **inputs}, epsilon, horizon, 1, seed)
            for inputs in (exact.one, exact.other)
        )
    except BadInput:
        return None
    differ = [name for name in exact.one if exact.one[name] != exact.other[name]]
    first = next(t for t in range(horizon) if any(exact.one[name][t] != exact.other[name][t] for name in differ))
    return Candidate(one, other, first + 1, float(one.parameters.get("delta", 0.0)))
