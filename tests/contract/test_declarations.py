"""What an algorithm says of itself: where it comes from, what it promises, and what it takes."""

from __future__ import annotations

import importlib
import inspect
import json
import math

import pytest
from contract import EPSILON, Subject

from dpbandits.auditing.audit import tied
from dpbandits.core import registry

DEFINITIONS = {"pure", "approximate", "local"}


def test_declarations_are_plain_data(subject: Subject) -> None:
    """As `dpbandits list` prints them, and the site."""
    declaration = subject.declared.declaration()
    json.dumps(declaration, allow_nan=False)
    assert declaration["parameters"].keys() == {parameter.name for parameter in subject.declared.parameters}


def test_it_says_where_it_comes_from(subject: Subject) -> None:
    """In its declaration and in its file's docstring, which says of privacy too what there is to say."""
    declared = subject.declared
    for words in (declared.title, declared.source, declared.deviations):
        assert words.strip() == words != ""
    assert declared.decides in {"batches", "rounds"}
    text = importlib.import_module(registry.module("algorithm", subject.name)).__doc__
    assert text, f"the file of {subject} has no docstring"
    assert "rivacy" in text, f"the docstring of {subject} does not say whether it is private"


def test_titles_tell_algorithms_apart(subject: Subject) -> None:
    """In a figure's legend, also next to the algorithms of other settings."""
    title = subject.declared.title
    assert [name for name in registry.modules("algorithm") if registry.algorithm(name).title == title] == [
        subject.name
    ]
    if subject.base is not None:
        titled = subject.declared.titled({"base": subject.base})
        assert title in titled
        assert registry.algorithm(subject.base).title in titled


def test_parameters_are_described(subject: Subject) -> None:
    """A default that is a formula has it as its docstring; names are those of `simulate`."""
    names = [parameter.name for parameter in subject.parameters]
    assert len(set(names)) == len(names)
    for parameter in subject.parameters:
        assert parameter.name.isidentifier()
        assert parameter.name not in {"epsilon", "base"}
        assert parameter.type in {int, float}
        assert parameter.description.strip() != ""
        assert parameter.default_text not in {"", "None"}, f"the formula of {parameter.name} has no docstring"
        # Only the first line is shown: a formula that goes on in the second one would be cut.
        if callable(parameter.default):
            assert not "".join(str(parameter.default.__doc__).splitlines()[1:2]).strip(), parameter.name
    base = () if subject.base is None else ("base",)
    budget = () if subject.declared.privacy is None else ("epsilon",)
    # Raises if they are not what `simulate` takes.
    inspect.signature(subject.declared.simulate).bind(None, None, **dict.fromkeys((*names, *base, *budget)))


def test_privacy_is_stated(private: Subject) -> None:
    """Its definition, between whom, and by what; with a way to check it."""
    privacy = private.declared.privacy
    assert privacy.definition in DEFINITIONS
    assert privacy.neighbours.strip() != ""
    assert privacy.mechanism.strip() != ""
    assert 0 < privacy.at_most < math.inf
    assert set(privacy.tied) <= {parameter.name for parameter in private.parameters}
    assert privacy.exact is not None or privacy.probes, f"nothing says where an audit of {private} should look"
    if privacy.definition == "approximate":
        assert "delta" in {parameter.name for parameter in private.parameters}


def test_probes_can_be_run(private: Subject) -> None:
    """An audit can use them as they are, for this base or another one."""
    privacy = private.declared.privacy
    own = {parameter.name for parameter in private.parameters}
    for probe in privacy.probes:
        assert probe.rounds >= 1
        assert probe.arms >= 2
        assert not set(probe.parameters) & set(privacy.tied)
        if set(probe.parameters) <= own:
            private.job(private.tried_in.ordinary.environment, max(probe.rounds, 1), **probe.parameters)
    if privacy.probes:
        assert any(set(probe.parameters) <= own for probe in privacy.probes), f"no probe of {private} fits"


@pytest.mark.parametrize("epsilon", [pytest.param(0.1, marks=pytest.mark.slow), EPSILON])
def test_exact_losses_add_up(private: Subject, epsilon: float) -> None:
    """The worst loss is that of the event and of the probabilities that show it."""
    privacy = private.declared.privacy
    if privacy.exact is None:
        return
    job = private.job(private.tried_in.ordinary.environment, 1000, epsilon=epsilon)
    worst = privacy.exact(epsilon, {name: job.parameters[name] for name in tied(privacy)})
    q, p = sorted(worst.probabilities)
    assert 0 <= q < p <= 1
    delta = job.parameters["delta"] if privacy.definition == "approximate" else 0.0
    assert worst.loss == pytest.approx(math.inf if q == 0 else math.log((p - delta) / q), rel=1e-6)
    assert worst.one != worst.other
    assert worst.of.strip() != "" != worst.event.strip()
    json.dumps([worst.one, worst.other], allow_nan=False)
