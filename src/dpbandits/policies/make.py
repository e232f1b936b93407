"""Maker of policies by the name of an algorithm, with the constants that it declares; and loader of saved ones."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from dpbandits.calls import check_call
from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.arguments import path
from dpbandits.core.errors import BadInput, suggest, within
from dpbandits.core.fields import Tuning, Value, Values
from dpbandits.policies import one_stream, saved
from dpbandits.policies.base import Policy
from dpbandits.policies.noise import NOISES

# If no horizon is given, constants are computed at both of these: one that differs depends on the horizon.
TRIAL_HORIZONS = (2.0**40, 2.0**50)
# Sizes up to which arrays of an entry each are kept; a horizon is counted exactly in doubles.
MOST_ARMS, LONGEST_HORIZON = 10**7, 2**52


@functools.cache
def algorithms() -> dict[str, Callable[..., Policy]]:
    """Return the maker of each algorithm's policy, by the algorithm's name, such as ``"dp-imed"``.

    A maker is a class, or a `functools.partial` of one, to be called as ``maker(arms, rng, **parameters)``. The
    makers are the entries of ``POLICIES`` in the files of this package's folders.
    """
    here = Path(__file__).parent
    found: dict[str, Callable[..., Policy]] = {}
    for file in sorted(here.glob("*/[!_]*.py")):
        module = importlib.import_module(f"{__package__}.{file.parent.name}.{file.stem}")
        found |= getattr(module, "POLICIES", {})
    return dict(sorted(found.items()))


def policy_class(name: str) -> type[Policy]:
    """Return the class of an algorithm's policy.

    Parameters
    ----------
    name
        Name of an algorithm, as ``dpbandits list`` has it.

    Raises
    ------
    KeyError
        If no policy has the name.
    """
    maker = algorithms()[name]
    found = maker.func if isinstance(maker, functools.partial) else maker
    assert isinstance(found, type)
    return found


class ProblemArguments(TypedDict, total=False):
    """Arguments that only some policies' classes take.

    ``actions`` are action vectors, shape (arms, dimension), in the linear setting. ``experts`` is the number of
    experts, where they give advice. ``horizon`` is the number of rounds, where the sizes of batches follow from it.
    """

    actions: NDArray[np.float64]
    experts: int
    horizon: int


@check_call
def policy(
    name: str,
    *,
    arms: int | None = None,
    epsilon: float | None = None,
    horizon: int | None = None,
    seed: int | Sequence[int] | Generator | None = None,
    experts: int | None = None,
    actions: ArrayLike | None = None,
    noise: str = "laplace",
    **parameters: Any,
) -> Policy:
    """Return a policy that is called round by round.

    Parameters
    ----------
    name : str
        An algorithm, as ``dpbandits list`` names it.
    arms : int
        Number of actions, >= 1; not needed where ``actions`` are given.
    epsilon : float
        Privacy budget > 0; left out for an algorithm without privacy.
    horizon : int
        Number of rounds T; left out for an anytime algorithm. It tunes constants; playing on after T stays private.
    seed : int, sequence of int, or numpy.random.Generator
        Source of all random numbers; drawn from the system if left out. Who knows the seed can take the noise away.
    experts : int
        Number of experts, in the setting of expert advice.
    actions : array of shape (arms, dimension)
        Action vectors, in the linear setting.
    noise : str
        ``"laplace"``: doubles, by NumPy, as in simulations; ``"discrete"``: exact on a grid, for deployment, and
        only for a policy that releases noisy numbers.
    **parameters
        Parameters of the algorithm, as ``dpbandits list NAME`` prints them with their defaults.

    Returns
    -------
    Policy
        The policy, with ``choose``, ``update``, ``spent`` and ``save``.

    Raises
    ------
    BadInput
        For a value that is not allowed; the error says which value, and what is allowed.

    Examples
    --------
    >>> import dpbandits
    >>> policy = dpbandits.policy("dp-imed", arms=5, epsilon=0.5, seed=7)
    >>> arm = policy.choose()
    >>> policy.update(arm, 1.0)
    >>> policy.spent().epsilon
    0.5
    """
    with within("name"):
        declared = registry.algorithm(name)
    setting = registry.setting("algorithm", name)
    with within("epsilon"):
        budget = declared.check_epsilon(epsilon)
    if horizon is not None:
        horizon = _whole("horizon", horizon, LONGEST_HORIZON)
    if not isinstance(noise, str) or noise not in NOISES:
        raise BadInput("noise", noise, suggest(noise, NOISES))
    given: ProblemArguments = {}
    size = _number_of_arms(setting, arms, actions, given)
    if setting == "experts":
        given["experts"] = _whole("experts", experts)
    elif experts is not None:
        raise BadInput("experts", experts, f"nothing: {name} takes no advice")
    maker = algorithms()[name]
    kind = policy_class(name)
    if kind.needs_horizon:
        given["horizon"] = _whole("horizon", horizon, LONGEST_HORIZON)
    facts = {"dimension": float(np.shape(given["actions"])[1])} if "actions" in given else {}
    values = _resolved_parameters(declared, parameters, size, budget, horizon, given.get("experts", 0), facts)
    if budget is not None:
        values["epsilon"] = budget
    rng = seed if isinstance(seed, Generator) or _is_generator(seed) else np.random.default_rng(_checked_seed(seed))
    made = maker(size, rng, **given, **values)
    if noise != "laplace" and not made.releases_numbers():
        raise BadInput("noise", noise, f"'laplace': {name} releases choices, with its own noise")
    if made.releases_numbers():
        made.noise = NOISES[noise]()
    made.arguments = {
        "name": name,
        "arms": size,
        "epsilon": budget,
        "horizon": horizon,
        "experts": experts,
        "actions": None if actions is None else np.asarray(actions, dtype=np.float64).tolist(),
        "noise": noise,
        "parameters": {key: value for key, value in values.items() if key != "epsilon"},
    }
    return made


@check_call
def load(file: str | Path, *, again: bool = False) -> Policy:
    """Return the policy that `Policy.save` has written; it goes on exactly as the saved one would have.

    A private policy replaces the one of this process that draws from the same stream. That one refuses to go on.

    Parameters
    ----------
    file : str or Path
        Path of a file that `Policy.save` has written.
    again : bool
        Whether to load a private policy even if another one has drawn from the same stream since, and to let that
        one go on. Both then draw the same noise, which cancels in the difference of what they release.

    Raises
    ------
    BadInput
        If the file was not written by `Policy.save`, or is damaged. Also if a policy of this process has already
        drawn the noise that the loaded one would draw next, such as one that was loaded from this file before.
    MissingFile
        If the file cannot be read.
    """
    if not isinstance(again, bool):
        raise BadInput("again", again, "true or false")
    content = saved.read(path("file", file))
    try:
        found = _restored(content)
        found.loaded = True
        if found.private and not again:
            one_stream.hand_over_stream(found, str(file))
        return found
    except BadInput:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, MemoryError) as error:
        # A file whose digest was computed again after an edit may hold any value.
        raise BadInput("file", str(file), "an undamaged file that save() has written") from error


def _restored(content: saved.SavedPolicy) -> Policy:
    """Return a policy by what was saved of it."""
    made = content["made"]
    arms = None if made["actions"] is not None else made["arms"]
    found = policy(
        made["name"],
        arms=arms,
        epsilon=made["epsilon"],
        horizon=made["horizon"],
        experts=made["experts"],
        actions=made["actions"],
        noise=made["noise"],
        seed=0,
        **made["parameters"],
    )
    saved.restore(found, content["state"])
    found.check_state(made["arms"])
    found.reseed(saved.stream_from_data(content["stream"]))
    return found


def _whole(name: str, value: object, most: int = MOST_ARMS) -> int:
    # NumPy's spans of time are integers to Python.
    if (
        isinstance(value, bool | np.timedelta64)
        or not isinstance(value, int | np.integer)
        or not 1 <= value <= most
    ):
        raise BadInput(name, value, f"an integer from 1 to {most}")
    return int(value)


def _is_generator(seed: Any) -> bool:
    """Tell whether a seed has the methods of a generator, as that of a noisetap audit; a `RandomState` has not."""
    return all(hasattr(seed, name) for name in ("laplace", "random", "permutation", "integers"))


def _checked_seed(seed: Any) -> Any:
    """Return a seed that NumPy takes, or raise `BadInput`."""
    try:
        np.random.SeedSequence(seed)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("seed", seed, "an integer >= 0, several, or a numpy.random.Generator") from None
    return seed


def _number_of_arms(setting: str, arms: int | None, actions: ArrayLike | None, problem: ProblemArguments) -> int:
    """Return the number of arms; in the linear setting, put the action vectors into ``problem``."""
    if setting != "linear":
        if actions is not None:
            raise BadInput("actions", actions, "nothing outside the linear setting; give arms")
        return _whole("arms", arms)
    from dpbandits.policies.linear.elimination import action_matrix

    problem["actions"] = action_matrix([] if actions is None else actions)
    size = len(problem["actions"])
    if arms is not None and _whole("arms", arms) != size:
        raise BadInput("arms", arms, f"{size}, the number of actions, or nothing")
    return size


def _resolved_parameters(
    declared: Algorithm,
    parameters: Values,
    arms: int,
    epsilon: float | None,
    horizon: int | None,
    experts: int,
    facts: dict[str, float],
) -> dict[str, Value]:
    """Return all parameters; without a horizon, refuse defaults that depend on it.

    Parameters
    ----------
    declared, parameters
        The algorithm, and parameters that are given.
    arms, epsilon, horizon, experts, facts
        What defaults may depend on.
    """

    def at(T: float) -> dict[str, Value]:
        tuning = Tuning(horizon=T, arms=arms, epsilon=epsilon, experts=experts, facts=facts)
        return declared.resolve(parameters, tuning).values

    if horizon is not None:
        return at(float(horizon))
    near, far = (at(T) for T in TRIAL_HORIZONS)
    differing = [key for key in near if near[key] != far[key]]
    if differing:
        named = ", ".join(differing)
        raise BadInput("horizon", None, f"the number of rounds, or else values for what depends on it: {named}")
    return near
