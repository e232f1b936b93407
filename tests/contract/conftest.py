"""Every test of the contract is run for every algorithm that it concerns."""

from __future__ import annotations

import contract
import pytest
from tiers import one_of_each

# What a test calls the algorithms that it is about.
CONCERNED = {
    "subject": lambda _: True,
    "private": lambda subject: subject.declared.privacy is not None,
    "batched": lambda subject: subject.declared.decides == "batches",
    "unexploring": lambda subject: not subject.tried_in.explores,
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test for each algorithm that its argument stands for; in the fast tier with one of its bases."""
    for argument in CONCERNED.keys() & set(metafunc.fixturenames):
        concerned = [subject for subject in contract.subjects() if CONCERNED[argument](subject)]
        metafunc.parametrize(argument, one_of_each(concerned, lambda subject: subject.name), ids=str)
