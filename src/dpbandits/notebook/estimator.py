"""Adapter in scikit-learn's style: ``partial_fit``, ``predict``, ``n_jobs``, ``random_state``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from dpbandits.calls import check_call
from dpbandits.core import registry
from dpbandits.core.arguments import MEANS, MOST_THREADS, is_list, reals, run_numbers
from dpbandits.core.errors import BadInput, called
from dpbandits.core.fields import Parameters, Values, whole
from dpbandits.notebook.ordered import require_ordered
from dpbandits.notebook.simulated import Simulated
from dpbandits.policies import policy
from dpbandits.policies.base import Policy
from dpbandits.policies.ledger import Spent
from dpbandits.runs.job import make_job, run


class BanditEstimator:
    """A policy with the names of scikit-learn's and MABWiser's methods.

    Parameters
    ----------
    algorithm : str
        A name of ``dpbandits list``.
    arms : sequence
        Names of the arms, at least one.
    epsilon, horizon, parameters
        Privacy budget > 0, if the algorithm is private. Number of rounds T, if it needs one. Values of its
        parameters by name; those left out have their defaults.
    random_state : int or None
        Seed of noise and coins, an integer >= 0; drawn from the system by default. In `simulate` it is the root
        seed of all runs, 0 by default.
    n_jobs : int
        Number of threads that share the runs of `simulate`, 1 or more (-1 is refused); results do not depend on it.

    Notes
    -----
    Attributes are what was given, as scikit-learn's ``clone`` wants it. The policy is made when it is first used.
    """

    @check_call
    def __init__(
        self,
        algorithm: str = "dp-imed",
        *,
        arms: Sequence[Any] = (0, 1),
        epsilon: float | None = None,
        horizon: int | None = None,
        parameters: Values | None = None,
        random_state: int | None = None,
        n_jobs: int = 1,
    ) -> None:
        """Keep the arguments as they are."""
        self.algorithm, self.arms, self.epsilon, self.horizon = algorithm, arms, epsilon, horizon
        self.parameters, self.random_state, self.n_jobs = parameters, random_state, n_jobs

    def __repr__(self) -> str:
        """Return the call that makes it, without arguments that are the defaults."""
        defaults = signature(type(self)).parameters
        # Arrays are compared by what they print: equality of two of them is an array.
        given = {
            name: shown
            for name, value in self.get_params().items()
            if (shown := repr(value)) != repr(defaults[name].default)
        }
        first = given.pop("algorithm", repr(self.algorithm))
        return f"{type(self).__name__}({', '.join([first, *(f'{name}={shown}' for name, shown in given.items())])})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 (scikit-learn passes it)
        """Return the arguments that the estimator was made with, by name; ``deep`` is ignored."""
        names = ("algorithm", "arms", "epsilon", "horizon", "parameters", "random_state", "n_jobs")
        return {name: getattr(self, name) for name in names}

    def set_params(self, **params: Any) -> BanditEstimator:
        """Set arguments by name, and forget what was learned; return the estimator.

        Raises
        ------
        BadInput
            If a name is no argument.
        """
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise BadInput("params", name, f"one of {', '.join(known)}")
            setattr(self, name, value)
        return self._begin()

    @check_call
    def predict(self, X: Any = None) -> Any:  # noqa: ARG002 (contexts, which no algorithm here reads)
        """Return the name of the next arm; the same one until `partial_fit` has its reward. ``X`` is ignored."""
        return self._names()[self.policy.choose()]

    @check_call
    def partial_fit(self, decisions: Any, rewards: Any) -> BanditEstimator:
        """Take the reward of the arm that `predict` returned; return the estimator.

        Parameters
        ----------
        decisions : sequence
            The one arm's name.
        rewards : sequence
            Its reward, in the algorithm's range.

        Raises
        ------
        BadInput
            If the arm is another, there is not one arm with one reward, or the reward is out of its range; nothing
            has been learned then.
        """
        if not is_list(decisions) or not is_list(rewards):
            raise BadInput("decisions", decisions, "a list of one decision, and a list of its reward")
        decisions, rewards = list(decisions), list(rewards)
        if len(decisions) != 1 or len(rewards) != 1:
            raise BadInput(
                "decisions", f"{len(decisions)} and {len(rewards)} rewards", "one decision and its reward"
            )
        known = self._names()
        if decisions[0] not in known:
            raise BadInput("decisions", decisions[0], f"one of {known}")
        self.policy.update(known.index(decisions[0]), rewards[0])
        return self

    def spent(self) -> Spent:
        """Return the privacy that has been spent so far, ``epsilon`` and ``delta``, and by which ``releases``.

        Without privacy ``epsilon`` is infinite after a first reward.
        """
        return self.policy.spent()

    @check_call
    def simulate(
        self, environment: Parameters | Sequence[float], horizon: int, runs: int | Sequence[int] = 20
    ) -> Simulated:
        """Simulate runs of the compiled algorithm, with regret at up to 200 rounds, as `dpbandits.simulate` does.

        ``environment`` is a mapping ``{"kind": ...}``, or a list of a Bernoulli bandit's means. ``horizon`` is the
        number of rounds of each run; ``runs`` is the number of runs, or run numbers, >= 0 without gaps. What
        `partial_fit` learned plays no part.

        Raises
        ------
        BadInput
            If a value is out of range, or the environment has another number of arms.
        """
        if not isinstance(environment, Mapping):
            require_ordered("environment", environment, MEANS)
        given = (
            dict(environment)
            if isinstance(environment, Mapping)
            else {"kind": "bernoulli", "means": reals("environment", environment, MEANS)}
        )
        seed = 0 if self.random_state is None else self.random_state
        job = make_job(self.algorithm, self._parameters(), given, self.epsilon, horizon, 200, seed)
        names, arms = self._names(), registry.environment(job.environment["kind"]).arms(job.environment)
        if arms != len(names):
            raise BadInput("environment", f"one of {arms} arms", f"one of {len(names)} arms: {names}")
        chosen = run_numbers(runs)
        made = run(job, chosen, whole("n_jobs", self.n_jobs, 1, MOST_THREADS, f"1 to {MOST_THREADS} threads"))
        return Simulated(made.regret, made.rounds, made.pulls, np.array(chosen, dtype=np.int64), job.definition)

    @property
    def policy(self) -> Policy:
        """The policy that decides, made when it is first asked for."""
        if "_policy" not in self.__dict__:
            with called({"seed": "random_state", "name": "algorithm"}):
                self._policy = policy(
                    self.algorithm,
                    arms=len(self._names()),
                    epsilon=self.epsilon,
                    horizon=self.horizon,
                    seed=self.random_state,
                    **self._parameters(),
                )
        return self._policy

    def _names(self) -> list[Any]:
        """Return the arms' names."""
        if not is_list(self.arms):
            raise BadInput("arms", self.arms, "a list of names, as ['plain', 'question']")
        names = list(self.arms)
        if len(set(map(repr, names))) < len(names):
            raise BadInput("arms", names, "each name once")
        return names

    def _parameters(self) -> dict[str, Any]:
        """Return the algorithm's parameters."""
        if not isinstance(self.parameters, Mapping | None):
            raise BadInput("parameters", self.parameters, "a mapping, as {'n0': 40}")
        for key in self.parameters or {}:
            if not isinstance(key, str) or key in signature(policy).parameters:
                raise BadInput("parameters", key, f"parameters of {self.algorithm}, by their names")
        return dict(self.parameters or {})

    def _begin(self) -> BanditEstimator:
        self.__dict__.pop("_policy", None)
        return self
