"""What an algorithm is given: defaults are in their range everywhere, bad values are refused in one line."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import pytest
from contract import EPSILON, SETTINGS, Subject, check_account, simulated, tuning

from dpbandits.core import registry
from dpbandits.core.errors import BadInput, Missing
from dpbandits.core.fields import Parameter
from dpbandits.runs.job import Job, make_job

HORIZON = 1000
# Nothing of these is a number.
NO_NUMBERS = ("1", None, True, [1.0], math.nan, math.inf, -math.inf)


def refused(where: str, value: object, subject: Subject, **changes: Any) -> str:
    """Check that a job is refused, in one line that says where and what; return what is allowed."""
    job = subject.job(subject.tried_in.ordinary.environment, HORIZON)
    given = {name: getattr(job, name) for name in ("algorithm", "environment", "epsilon", "horizon", "root_seed")}
    with pytest.raises(BadInput) as caught:
        make_job(**{**given, "checkpoints": 3, "parameters": subject.bases, **changes})
    assert caught.value.where == where
    said = f"{where}: {value!r} is not allowed; allowed: {caught.value.allowed}"
    if caught.value.value is Missing:
        assert value is None
        said = f"{where} is missing; needed: {caught.value.allowed}"
    assert str(caught.value) == said
    assert "\n" not in str(caught.value)
    return caught.value.allowed


def ends(parameter: Parameter, job: Job) -> tuple[float, float]:
    """Return a parameter's smallest and largest value, or one near an open end; infinite where there is no end."""
    step = 1 if parameter.type is int else 1e-9
    low = max(parameter.at_least, parameter.above + step)
    return low, min(parameter.largest(tuning(job)), parameter.below - step)


def outside(parameter: Parameter, job: Job) -> Iterator[object]:
    """Yield values that a parameter does not take."""
    yield from NO_NUMBERS
    closed = ((parameter.at_least, -math.inf), (parameter.largest(tuning(job)), math.inf))
    for end, beyond in closed:
        if math.isfinite(end):
            yield from (math.nextafter(end, beyond), end + math.copysign(1.0 + abs(end), beyond))
    for end in (parameter.above, parameter.below):
        if math.isfinite(end):
            yield end
    if parameter.type is int:
        yield ends(parameter, job)[0] + 0.5


def test_bad_parameters_are_refused(subject: Subject) -> None:
    """Out of range or of another type: with the key, the value and the range."""
    job = subject.job(subject.tried_in.ordinary.environment, HORIZON)
    for parameter in subject.parameters:
        for value in outside(parameter, job):
            given = {**subject.bases, parameter.name: value}
            assert parameter.range in refused(f"parameters.{parameter.name}", value, subject, parameters=given)


def test_unknown_names_are_refused(subject: Subject) -> None:
    """With what there is; a slip with what was meant."""
    names = [*subject.bases, *(parameter.name for parameter in subject.parameters)]
    allowed = refused("parameters.no_such", 1, subject, parameters={**subject.bases, "no_such": 1})
    there_is = f"one of {', '.join(sorted(names))}" if names else f"{subject.declared.title} takes no parameters"
    assert allowed.startswith(there_is)
    for parameter in subject.parameters:
        slip = f"{parameter.name}_"
        allowed = refused(f"parameters.{slip}", 1, subject, parameters={**subject.bases, slip: 1})
        assert allowed.endswith(f"(did you mean {parameter.name!r}?)")
    for base in ("no-such", subject.name, None, 3) if subject.base else ():
        assert subject.base in refused("parameters.base", base, subject, parameters={"base": base})
    slip = f"{subject.name}-"
    assert f"did you mean {subject.name!r}?" in refused("algorithm", slip, subject, algorithm=slip)


def test_bad_budgets_are_refused(subject: Subject) -> None:
    """Without a privacy statement any budget is one too many."""
    privacy = subject.declared.privacy
    if privacy is None:
        budgets: tuple[object, ...] = (1.0, 0, "1", math.inf)
    else:
        budgets = (0, 0.0, -1.0, 9e-101, math.nextafter(privacy.at_most, math.inf), *NO_NUMBERS)
    for budget in budgets:
        assert subject.declared.title in refused("epsilon", budget, subject, epsilon=budget)


def test_bad_horizons_and_checkpoints_are_refused(subject: Subject) -> None:
    for horizon in (0, -1, 2**52 + 1):
        assert "from 1 to 2**52" in refused("horizon", horizon, subject, horizon=horizon)
    assert ">= 1" in refused("checkpoints", 0, subject, checkpoints=0)


def test_environments_of_other_settings_are_refused(subject: Subject) -> None:
    own = registry.setting("algorithm", subject.name)
    for setting in SETTINGS.keys() - {own}:
        environment = SETTINGS[setting].ordinary.environment
        allowed = refused("environment.kind", environment["kind"], subject, environment=environment)
        assert f"of the {own} setting" in allowed


def test_defaults_are_in_their_range(subject: Subject) -> None:
    """For every horizon, number of arms and of experts, and budget; where a formula leaves it, a note says so."""
    first = tuning(subject.job(subject.tried_in.ordinary.environment, HORIZON))
    privacy = subject.declared.privacy
    budgets = [None] if privacy is None else [1e-100, 1e-3, EPSILON, privacy.at_most]
    sizes = itertools.product((1, 2, 10, 1000, 10**6, 2**52), (2, 10, 10**6), budgets)
    for horizon, arms, epsilon in sizes:
        for experts in (1, 2, 10**4) if first.experts else (0,):
            at = first._replace(horizon=horizon, arms=arms, epsilon=epsilon, experts=experts)
            values, notes = subject.declared.resolve(subject.bases, at)
            for parameter in subject.parameters:
                value = values[parameter.name]
                # A base is tuned for its own decisions, which may be fewer than the rounds.
                assert parameter.check(value, at) == value
                assert type(value) is parameter.type
            assert list(values) == [*subject.bases, *(parameter.name for parameter in subject.parameters)]
            for note in notes:
                assert note.split(":")[0] in values, note
                assert "beyond" in note


def test_a_checked_job_is_a_job(subject: Subject) -> None:
    """What a job is complete with can be given again: it is the same job, with the same notes."""
    for _, trial in subject.tried_in.all:
        for horizon, epsilon in ((10, 0.01), (HORIZON, EPSILON)):
            job = subject.job(trial.environment, horizon, epsilon=epsilon)
            again = make_job(
                job.algorithm,
                job.parameters,
                job.environment,
                job.epsilon,
                job.horizon,
                job.checkpoints,
                job.root_seed,
            )
            assert (again, again.identity, again.notes) == (job, job.identity, job.notes)


def test_extreme_parameters_run(subject: Subject) -> None:
    """At both ends of the range of each parameter, and far out where there is no end."""
    trial = subject.tried_in.ordinary
    job = subject.job(trial.environment, HORIZON)
    for parameter in subject.parameters:
        for end in ends(parameter, job):
            value = parameter.type(max(-1e9, min(1e9, end)))
            extreme = subject.job(trial.environment, HORIZON, **{parameter.name: value})
            assert extreme.parameters[parameter.name] == value
            check_account(subject, extreme, trial, simulated(extreme, 3))
