"""Noise, adversary and random action sets of this setting's environments, with their checks."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import kernel
from dpbandits.core.environment import Environment
from dpbandits.core.errors import BadInput, within
from dpbandits.core.fields import Parameters, Tuning, choice, complete, integer, number
from dpbandits.core.streams import streams, uniform
from dpbandits.settings.linear.algebra import product, squared_lengths
from dpbandits.settings.linear.problem import (
    BERNOULLI,
    GAUSSIAN,
    UNIFORM,
    Bandit,
    Corruption,
    Floats,
    Noise,
    make_bandit,
    normal,
)

MOST_ARMS = 10**6
# Squares of what the adversary sends, and their sums, stay far inside double precision.
LARGEST = 1e100
# What is > 0 is at least this.
LEAST = float(np.finfo(float).tiny)
# A norm of 1 may be computed as a little more.
ROUNDING = 1.0 + 1e-12
ACTIONS = "the actions, lists of d numbers of norm at most 1, not all zero"

# A kind of noise, and what its scale is called.
NOISES: dict[str, tuple[int, str | None]] = {
    "bernoulli": (BERNOULLI, None),
    "gaussian": (GAUSSIAN, "sigma"),
    "uniform": (UNIFORM, "width"),
}
ATTACKS = {
    "constant": "every corrupted observation is size",
    "flip": "it is -size times what it replaces",
    "second-best": "it is up to size, in proportion to <a, b2 - b1> of the two best actions b1 and b2",
    "threshold": "the same, with size a multiple of what the filter just tolerates",
    "outlier": "one corrupted observation of a batch is size, the others stay",
}
NO_CORRUPTION = {"probability": 0.0, "attack": "constant", "size": 0.0, "of": "reports"}
SHARED = {
    "noise": "{kind: bernoulli}: rewards 1 and -1 (the default); {kind: gaussian, sigma: s}: normal, s in (0, 1]; "
    "{kind: uniform, width: w}: within w of the mean, w in (0, 1]",
    "corruption": "{probability: alpha in [0, 0.25), attack: one of "
    + ", ".join(ATTACKS)
    + ", size: s, of: reports or "
    "rewards}; none by default. "
    + "; ".join(f"{name}: {text}" for name, text in ATTACKS.items())
    + ". of: reports, as the "
    "proofs have it, or rewards that their client then treats like any other, as eq. 3 says",
}


def check_shared(given: Parameters) -> Parameters:
    """Return the parameters ``noise`` and ``corruption``, checked, or raise `BadInput`.

    An example of ``noise`` is ``{"kind": "gaussian", "sigma": 0.5}``, and of ``corruption``
    ``{"probability": 0.1, "attack": "flip", "size": 1.0, "of": "reports"}``. By default rewards are 1 or -1
    ("bernoulli"), and nothing is corrupted.
    """
    noise, corruption = given.get("noise", {"kind": "bernoulli"}), given.get("corruption", NO_CORRUPTION)
    with within("noise"):
        noise = _check_noise(noise)
    with within("corruption"):
        return {"noise": noise, "corruption": _check_corruption(corruption)}


def _check_noise(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping) or "kind" not in given:
        raise BadInput((), given, "a mapping with the key 'kind'")
    kind = choice(given, "kind", NOISES)
    _, scale = NOISES[kind]
    if scale is None:
        return complete(given, "kind")
    size = number(complete(given, "kind", scale), scale, LEAST, 1, "a number in (0, 1]: noise is SubG(1)")
    return {"kind": kind, scale: size}


def _check_corruption(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise BadInput((), given, "a mapping")
    given = complete(given, *NO_CORRUPTION)
    return {
        "probability": number(given, "probability", 0, np.nextafter(0.25, 0.0), "a number in [0, 0.25)"),
        "attack": choice(given, "attack", ATTACKS),
        "size": number(given, "size", 0, LARGEST),
        "of": choice(given, "of", ("reports", "rewards")),
    }


def vector(given: Any, key: str | int, d: int | None) -> list[float]:
    """Return ``given[key]``, a list of ``d`` numbers of norm at most 1, or raise `BadInput`.

    If ``d`` is ``None``, the list may have any length >= 1.
    """
    x = given[key]
    allowed = f"a list of {'' if d is None else f'{d} '}numbers of norm at most 1"
    if not isinstance(x, list) or not x or (d is not None and len(x) != d):
        raise BadInput(key, x, allowed)
    if any(isinstance(y, bool) or not isinstance(y, int | float) or not math.isfinite(y) for y in x):
        raise BadInput(key, x, allowed)
    norm = math.sqrt(sum(each * each for each in x))
    if norm > ROUNDING:
        raise BadInput(key, x, f"{allowed}; its norm is {norm:g}")
    return [float(y) for y in x]


def actions(given: Parameters, d: int | None) -> list[list[float]]:
    """Return ``given["actions"]``, checked, or raise `BadInput`: vectors of norm at most 1, not all zero.

    Each must have ``d`` entries; if ``d`` is ``None``, any number that is the same for all.
    """
    rows = given["actions"]
    if not isinstance(rows, list) or not rows:
        raise BadInput("actions", rows, "a list of at least one action")
    with within("actions"):
        first = vector(rows, 0, d)
        found = [first, *(vector(rows, i, len(first)) for i in range(1, len(rows)))]
    if not any(any(a) for a in found):
        raise BadInput("actions", rows, "at least one action that is not zero")
    return found


def bound(noise: Parameters) -> float:
    """Return a public bound on the size of rewards with means from -1 to 1, by their law.

    ``noise`` is that law as `check_shared` returns it: ``{"kind": "gaussian", "sigma": 0.5}`` has the bound 3.
    Normal noise is unbounded. Four standard deviations are taken for it: rewards clipped there have a mean that is
    off by less than 1e-5 standard deviations.
    """
    return {
        "bernoulli": 1.0,
        "gaussian": 1.0 + 4.0 * noise.get("sigma", 0.0),
        "uniform": 1.0 + noise.get("width", 0.0),
    }[noise["kind"]]


def _corruption(given: Parameters, actions: Floats, means: Floats) -> Corruption:
    attack, size = given["attack"], given["size"]
    fixed = np.zeros(actions.shape[0])
    if attack in ("constant", "outlier"):
        fixed[:] = size
    elif attack in ("second-best", "threshold"):
        second, best = np.argsort(means, kind="stable")[-2:]
        towards = product(actions, actions[second] - actions[best])
        # Equal actions leave the adversary nothing to aim at.
        fixed = size * towards / max(np.abs(towards).max(), np.finfo(float).tiny)
    return Corruption(
        probability=given["probability"],
        fixed=fixed,
        factor=-size if attack == "flip" else 0.0,
        single=attack == "outlier",
        adaptive=attack == "threshold",
        of_reports=given["of"] == "reports",
    )


def bandit_of(parameters: Parameters, _: Tuning, instance: Callable[[Parameters], tuple[Floats, Floats]]) -> Bandit:
    """Return the bandit that an environment's checked parameters describe.

    ``instance(parameters)`` returns its actions, shape (K, d), and theta, shape (d,). The parameters ``noise`` and
    ``corruption`` give the law of rewards and the adversary.
    """
    actions, theta = instance(parameters)
    kind, scale = NOISES[parameters["noise"]["kind"]]
    noise = Noise(kind, 0.0 if scale is None else parameters["noise"][scale])
    corruption = _corruption(parameters["corruption"], actions, product(actions, theta))
    return make_bandit(actions, theta, noise, corruption)


def environment(
    title: str,
    parameters: Mapping[str, str],
    check: Callable[[Parameters], Parameters],
    instance: Callable[[Parameters], tuple[Floats, Floats]],
    size: Callable[[Parameters], tuple[int, int]],
    random: str = "",
) -> Environment:
    """Return the declaration of an environment of this setting.

    Parameters
    ----------
    title, parameters
        Name in figures and tables; and the meaning of each parameter, to which noise and corruption are added.
    check
        ``check(given)`` returns the parameters of the action set in canonical form, or raises `BadInput`.
    instance
        ``instance(parameters)`` returns the actions, shape (K, d), and theta, shape (d,).
    size
        ``size(parameters)`` returns K and d.
    random
        Name of the parameter that numbers random instances; empty if the instance is not random.
    """

    def check_all(given: Parameters) -> Parameters:
        own = {key: value for key, value in given.items() if key not in SHARED}
        return {**check(own), **check_shared(given)}

    def facts(given: Parameters) -> dict[str, float]:
        return {
            "dimension": float(size(given)[1]),
            "corruption": given["corruption"]["probability"],
            "bound": bound(given["noise"]),
        }

    return Environment(
        title=title,
        parameters={**parameters, **SHARED},
        check=check_all,
        problem=functools.partial(bandit_of, instance=instance),
        arms=lambda given: size(given)[0],
        facts=facts,
        instance=random,
    )


# Random action sets.


RANDOM = {
    "arms": f"K, an integer from 2 to {MOST_ARMS}",
    "dimension": "d, an integer from 1 to 1000",
    "length": "norm of theta, whose direction is random, in (0, 1]",
    "draw": "number of the random instance, an integer >= 0; all runs share the instance",
}


def check_random(given: Parameters) -> Parameters:
    """Return the parameters ``arms``, ``dimension``, ``draw`` and ``length``, checked, or raise `BadInput`."""
    given = complete(given, "arms", "dimension", length=1.0, draw=0)
    return {
        "arms": integer(given, "arms", 2, MOST_ARMS, RANDOM["arms"]),
        "dimension": integer(given, "dimension", 1, 1000, RANDOM["dimension"]),
        "draw": integer(given, "draw", 0, 2**62, RANDOM["draw"]),
        "length": number(given, "length", LEAST, 1, RANDOM["length"]),
    }


@kernel
def _normals(state: NDArray[np.uint64], out: Floats) -> None:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = normal(state)


@kernel
def _uniforms(state: NDArray[np.uint64], out: Floats) -> None:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = 2.0 * uniform(state) - 1.0


def on_sphere(state: NDArray[np.uint64], arms: int, dimension: int) -> Floats:
    """Return random points, uniform on the unit sphere, shape (arms, dimension); the stream ``state`` moves on."""
    points = np.empty((arms, dimension))
    _normals(state, points)
    # Rounding must not put one outside the ball.
    points /= np.sqrt(squared_lengths(points))[:, None] * (1.0 + 1e-15)
    return points


def in_cube(state: NDArray[np.uint64], arms: int, dimension: int) -> Floats:
    """Return random points, uniform in the cube inscribed in the unit ball, shape (arms, dimension).

    They are drawn from the stream ``state``, which moves on.
    """
    points = np.empty((arms, dimension))
    _uniforms(state, points)
    return points / math.sqrt(dimension)


def random_instance(
    given: Parameters, points: Callable[[NDArray[np.uint64], int, int], Floats]
) -> tuple[Floats, Floats]:
    """Return actions that ``points`` draws, shape (K, d), and a theta of random direction, shape (d,).

    Both depend on the parameters ``given`` alone: ``arms`` is K, ``dimension`` is d, ``length`` is theta's norm,
    and ``draw`` is the seed.
    """
    state = streams(given["draw"], "linear bandit", np.arange(1))[0]
    theta = given["length"] * on_sphere(state, 1, given["dimension"])[0]
    return points(state, given["arms"], given["dimension"]), theta
