"""Assertion for tests that an audit of a policy finds no counterexample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from noisetap.audit import audit
from noisetap.program import Rewards
from noisetap.verdict import Claim, Verdict


def assert_consistent(
    make_policy: Callable[[], Any],
    *,
    rewards: Rewards | None = None,
    claim: Claim | float = 1.0,
    seed: int = 0,
    effort: int = 6,
) -> Verdict:
    """Fail a test unless an audit of a policy finds no counterexample.

    Parameters
    ----------
    make_policy, rewards
        Class, or function without arguments, that makes a policy; and its inputs, by default 40 rounds of two
        arms.
    claim, seed, effort
        Claim or its epsilon, seed of the inputs, and number of inputs that are tried.

    Returns
    -------
    Verdict
        Verdict *consistent*.

    Raises
    ------
    AssertionError
        With the verdict in words, if it is *violated*, *suspicious* or *refused*.
    """
    verdict = audit(make_policy, rewards=rewards, claim=claim, seed=seed, effort=effort)
    assert verdict.word == "consistent", str(verdict)
    return verdict
