"""Every test of the contract is run for every algorithm that it concerns."""

from __future__ import annotations

import contract
import pytest
from tiers import core

# What a test calls the algorithms that it is about.
CONCERNED = {
    "subject": lambda _: True,
    "private": lambda subject: subject.declared.privacy is not None,
    "batched": lambda subject: subject.declared.decides == "batches",
    "unexploring": lambda subject: not subject.tried_in.explores,
}
# Its claim is false, which is shown at length: one of two printed algorithms of its kind is enough.
DEAR = {("test_releases_are_recorded", "robust-elimination-m2-printed")}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test for each algorithm that its argument stands for; in the fast tier with one of its bases."""
    for argument in CONCERNED.keys() & set(metafunc.fixturenames):
        concerned = [subject for subject in contract.subjects() if CONCERNED[argument](subject)]
        first = {subject.name: subject for subject in reversed(concerned)}
        dear = {name for test, name in DEAR if test == metafunc.function.__name__}
        kept = {subject for name, subject in first.items() if name not in dear}
        metafunc.parametrize(argument, core(concerned, kept.__contains__), ids=str)
