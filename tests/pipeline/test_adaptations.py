"""What is changed in Snakemake answers as Snakemake does, and Snakemake still needs it."""

from __future__ import annotations

import functools
import inspect
import sys
import types

import pandas as pd
import pytest
import snakemake.common
import snakemake.rules
import snakemake.scheduling.job_scheduler
from snakemake.persistence import PersistenceBase
from snakemake.resources import Resource

from dpbandits.pipeline import adaptations


class Called:
    """Something that is called, and no function."""

    def __call__(self, wildcards: object, threads: int) -> None:
        """Do nothing."""

    def method(self, wildcards: object, *rest: object, attempt: int = 1, **more: object) -> None:
        """Do nothing."""


FUNCTIONS = [
    lambda wildcards, input, attempt: (wildcards, input, attempt),
    lambda *everything, **named: (everything, named),
    functools.partial(lambda wildcards, input: (wildcards, input), input=[]),
    Called(),
    Called().method,
    Resource("runtime", lambda wildcards, attempt: (wildcards, attempt)).evaluate,
    len,
]


@pytest.fixture
def usual(monkeypatch: pytest.MonkeyPatch) -> object:
    """Remember parameters during a test; return Snakemake's own function."""
    own = snakemake.common.get_function_params
    for module in (snakemake.common, snakemake.rules):
        monkeypatch.setattr(module, "get_function_params", own)
    adaptations.remember_parameters()
    return own


@pytest.mark.parametrize("function", FUNCTIONS, ids=[str(number) for number in range(len(FUNCTIONS))])
def test_functions_take_what_they_take(usual, function):
    """In the first look and later ones; of a method without the object that it is of."""
    assert snakemake.rules.get_function_params is snakemake.common.get_function_params is not usual
    for _ in range(2):
        assert dict(snakemake.common.get_function_params(function)) == dict(usual(function))
    given = {"input": 1, "attempt": 2, "threads": 3}
    found = snakemake.common.get_input_function_aux_params(function, given)
    expected = dict(inspect.signature(function).parameters)
    named = any(parameter.kind == parameter.VAR_KEYWORD for parameter in expected.values())
    assert found == (given if named else {key: value for key, value in given.items() if key in expected})


@pytest.mark.parametrize("imported", [False, True], ids=["without-pandas", "with-pandas"])
def test_parameters_are_compared_as_they_are(monkeypatch: pytest.MonkeyPatch, imported: bool) -> None:
    """As Snakemake does it, which has a look of its own for tables alone."""
    monkeypatch.setattr(PersistenceBase, "__abstractmethods__", frozenset())
    persistence = object.__new__(PersistenceBase)
    values: list[object] = [1, "text", {"a": [1.5, None]}, ("a", 2), object]
    if imported:
        values.append(pd.DataFrame({"a": [1, 2]}))
    expected = [persistence._serialize_param_pandas(value) for value in values]
    if not imported:
        monkeypatch.delitem(sys.modules, "pandas")
    found = [adaptations.compared(persistence, value) for value in values]
    assert imported or "pandas" not in sys.modules
    assert found == expected


def test_snakemake_needs_to_remember(monkeypatch: pytest.MonkeyPatch) -> None:
    """When this fails, Snakemake remembers by itself: remove ``remember_parameters``."""
    looked = []
    signature = inspect.signature
    monkeypatch.setattr(inspect, "signature", lambda function: looked.append(function) or signature(function))
    for _ in range(3):
        snakemake.common.get_function_params(FUNCTIONS[0])
    assert len(looked) == 3
    for module in (snakemake.common, snakemake.rules):
        monkeypatch.setattr(module, "get_function_params", snakemake.common.get_function_params)
    adaptations.remember_parameters()
    for _ in range(3):
        snakemake.rules.get_function_params(FUNCTIONS[0])
    assert len(looked) == 4


def scheduler(ready: int, **resources: int) -> types.SimpleNamespace:
    """Return what looks like a scheduler, with so many jobs that could start."""
    dag = types.SimpleNamespace(ready_jobs=set(range(ready)))
    return types.SimpleNamespace(resources=resources, workflow=types.SimpleNamespace(dag=dag))


@pytest.mark.parametrize(
    ("ready", "resources", "seen"),
    [
        (20_000, {"_cores": 2, "_nodes": sys.maxsize}, adaptations.LOOKED_AT),
        # On a cluster, and in a dry run, there is room for more.
        (20_000, {"_cores": sys.maxsize, "_nodes": 500}, 500),
        (20_000, {}, 20_000),
        (7, {"_cores": 2, "_nodes": sys.maxsize}, 7),
    ],
)
def test_some_of_the_ready_jobs_are_looked_at(ready: int, resources: dict[str, int], seen: int) -> None:
    """As many as there is room for at least, and all where there are few."""
    found = adaptations.some_ready(scheduler(ready, **resources))
    assert len(set(found)) == len(found) == seen


def test_snakemake_looks_at_all_of_them() -> None:
    """When this fails, Snakemake has been mended: remove ``some_ready``."""
    source = inspect.getsource(snakemake.scheduling.job_scheduler)
    assert "jobs = list(self.workflow.dag.ready_jobs)" in source and "needrun = set(self.open_jobs)" in source
