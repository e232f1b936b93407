"""What is changed in Snakemake answers as Snakemake does, and Snakemake still needs it."""

from __future__ import annotations

import functools
import inspect

import pytest
import snakemake.common
import snakemake.rules
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
