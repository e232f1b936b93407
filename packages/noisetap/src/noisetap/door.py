"""Audits of functions of data and of bandit policies, by one function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from noisetap.audit import audit as audit_policy
from noisetap.data_audit import audit_function
from noisetap.function import is_function_of_data
from noisetap.program import Rewards
from noisetap.records import Records, Relation
from noisetap.tape import Refused
from noisetap.verdict import Claim, Verdict


def audit(
    program: Callable[..., Any],
    *,
    data: Records | None = None,
    rewards: Rewards | None = None,
    neighbours: Relation | None = None,
    claim: Claim | float = 1.0,
    parameters: Mapping[str, Any] | None = None,
    seed: int = 0,
    effort: int | None = None,
    seconds: float = 60.0,
    calls: int = 1,
) -> Verdict:
    """Audit a function of data, or a bandit policy.

    Parameters
    ----------
    program : callable
        A function of data. Or a class, or function without arguments, that makes a policy with ``choose()`` and
        ``update(arm, reward)``. Or a function of ``pull``, or a maker of one: it decides by ``pull(arm)``, and gets
        the reward. Without ``data`` and ``rewards``, a program is a function of data if it is no class,
        and its first parameter is neither ``pull`` nor ``self``.
    data : Records, optional
        Number, ranges and form of a function's records, by default five numbers in [0, 1]: an array, or what the
        function's annotation says.
    rewards : Rewards, optional
        Inputs of a policy, by default 40 rounds of two arms with rewards in [0, 1].
    neighbours : str or callable, optional
        ``add-remove``, ``replace-one``, ``one-event``, ``user`` (all records with the same first column), or a
        function that lists neighbours of an input, a tuple of records. By default a function is judged by the
        first two. Inputs of a policy differ in one round (``one-event``).
    claim : Claim or float
        Claim, or its epsilon (>= 0).
    parameters : mapping, optional
        Other arguments of a function of data, by name. A parameter ``epsilon``, ``eps`` or ``privacy_budget`` that
        is not among them gets the claim's epsilon.
    seed, effort
        Seed of the inputs, and number of inputs that are tried: by default 7 of a function, 12 of a policy.
    seconds
        Time limit in seconds: of the processor for a function, by the clock for a policy. It is shared by
        relations, calls and budgets of a function; a search on fewer records gets its share once more.
    calls : int
        Number of calls of a function on the same data, >= 1. The claim is about all calls. ``Verdict.spent`` has
        the loss after each, up to the first that is not consistent, if there are several.

    Returns
    -------
    Verdict
        Its ``word`` is consistent (no counterexample), refused (something was not recorded or judged), suspicious
        or violated. It is violated only with a certificate that the checker has accepted. It is suspicious if a
        loss has no proof, or if of the two common relations one is consistent, the other violated.

    Raises
    ------
    Refused
        If arguments do not fit together, such as ``data`` with ``rewards``, or several ``calls`` of a policy.
    """
    if data is not None and rewards is not None:
        raise Refused("give data or rewards, not both: data are of a function, rewards of a policy")
    if data is None and (rewards is not None or not is_function_of_data(program)):
        if neighbours not in (None, "one-event"):
            raise Refused("two inputs of a policy differ in one round: --neighbours one-event")
        if isinstance(claim, Claim) and claim.bounds_divergence:
            raise Refused(
                "a claim of zCDP, or a Rényi claim, is judged for functions of data; of a policy, epsilon is"
            )
        if calls != 1:
            raise Refused("calls are of functions of data; a policy has rounds")
        if parameters:
            raise Refused("parameters are of functions of data: give a policy its own where it is made")
        return audit_policy(program, rewards=rewards, claim=claim, seed=seed, effort=effort or 12, seconds=seconds)
    return audit_function(
        program,
        data=data,
        neighbours=neighbours,
        claim=claim,
        parameters=parameters,
        seed=seed,
        effort=effort or 7,
        seconds=seconds,
        calls=calls,
    )


def assert_private(
    program: Callable[..., Any], *, epsilon: float = 1.0, delta: float = 0.0, **options: Any
) -> Verdict:
    """Fail a test unless an audit finds no counterexample; if time suffices, the verdict is the same in each run.

    Parameters
    ----------
    program : callable
        Function of data; class, or function without arguments, that makes a bandit policy; or function of ``pull``.
    epsilon, delta : float
        Claimed privacy budget: ``epsilon`` >= 0, and ``delta`` in [0, 1).
    **options
        Further arguments of `audit`, by name, such as ``data=Records(8)``, ``neighbours="replace-one"``,
        ``seconds=10``.

    Returns
    -------
    Verdict
        Verdict *consistent*.

    Raises
    ------
    AssertionError
        With the verdict in words, if it is *violated*, *suspicious* or *refused*.
    """
    verdict = audit(program, claim=Claim(epsilon, delta), **options)
    assert verdict.word == "consistent", str(verdict)
    return verdict
