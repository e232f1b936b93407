"""Declaration and checks that this setting's environments share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dpbandits.core.environment import Environment
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import Parameters, choice, complete, integer, number, numbers
from dpbandits.settings.full_information.instances import Gaps
from dpbandits.settings.full_information.problem import Losses, bernoulli, deterministic

LAWS = {"bernoulli": bernoulli, "deterministic": deterministic}
MOST_ARMS = 10**6


def environment(
    title: str,
    parameters: Mapping[str, str],
    check: Callable[[Parameters], Parameters],
    losses: Callable[[Parameters], Losses],
    arms: Callable[[Parameters], int],
) -> Environment:
    """Return the declaration of an environment of this setting, in which each action has a law of losses.

    Parameters
    ----------
    title
        Name of the environment in figures and tables.
    parameters
        A description of each parameter, by name.
    check
        ``check(given)`` returns the parameters complete, or raises `BadInput`.
    losses
        ``losses(parameters)`` returns the losses that checked parameters describe.
    arms
        ``arms(parameters)`` returns the number of actions.
    """
    return Environment(
        title=title, parameters=parameters, check=check, problem=lambda given, _: losses(given), arms=arms
    )


def of_means(title: str, law: str) -> Environment:
    """Return the declaration of an environment with the parameter ``means``, the actions' mean losses.

    ``law`` is ``"bernoulli"``, or ``"deterministic"`` for losses that always equal their means.
    """

    def check(given: Parameters) -> Parameters:
        return {"means": numbers(complete(given, "means"), "means", 2)}

    return environment(
        title,
        {"means": "the actions' mean losses, at least 2 numbers in [0, 1]"},
        check,
        lambda given: LAWS[law](given["means"]),
        lambda given: len(given["means"]),
    )


def of_family(title: str, family: Callable[[int, float], Gaps], least: int) -> Environment:
    """Return the declaration of an environment whose gaps are those of a family, such as `instances.equal`.

    Its parameters are ``arms``, the number of actions; ``gap``, the smallest gap; ``best``, the mean loss of the
    best action; and ``losses``, their law, "bernoulli" or "deterministic".

    Parameters
    ----------
    title
        Name of the environment in figures and tables.
    family
        ``family(arms, gap)`` returns all gaps, from the number of actions and the smallest gap > 0.
    least
        The smallest number of actions.
    """

    def check(given: Parameters) -> Parameters:
        given = complete(given, "arms", "gap", best=0.0, losses="bernoulli")
        arms = integer(given, "arms", least, MOST_ARMS, allowed=f"an integer from {least} to {MOST_ARMS}")
        gap = number(given, "gap", 0, 1)
        if gap == 0.0:
            raise BadInput("gap", gap, "a number in (0, 1]")
        best = number(given, "best", 0, 1.0 - family(arms, gap).gaps[-1])
        return {"arms": arms, "gap": gap, "best": best, "losses": choice(given, "losses", LAWS)}

    return environment(
        title,
        {
            "arms": f"K, from {least}",
            "gap": "the smallest gap, in (0, 1]",
            "best": "mean loss of the best action (0)",
            "losses": f"their law: {' or '.join(LAWS)} (bernoulli)",
        },
        check,
        lambda given: LAWS[given["losses"]](given["best"] + family(given["arms"], given["gap"]).each()),
        lambda given: int(given["arms"]),
    )
