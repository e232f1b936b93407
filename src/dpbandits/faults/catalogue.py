"""Catalogue of faults: each kind in each private algorithm, as a policy and as a sampler of releases.

All claims have epsilon = 1, horizon T = 3000, and, where the claim is approximate, delta = 0.01.
"""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.core import registry
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Values
from dpbandits.faults.kinds import KINDS, Kind
from dpbandits.policies import policy
from dpbandits.policies.base import Policy
from dpbandits.policies.noise import Laplace

# Claims of all faults, and their horizon; delta is of algorithms with an approximate claim alone.
EPSILON, DELTA = 1.0, 0.01
HORIZON = 3000
# Claims that are wrong without any fault; see the register of discrepancies.
WRONG_AS_PRINTED = ("rnm-ftnl-exponential", "bandit-to-experts-advice")
# Actions of linear bandits, and the experts' advice: a law on two arms each.
ACTIONS = ((1.0, 0.0), (0.0, 1.0), (0.7, 0.7))
ADVICE = ((0.9, 0.1), (0.2, 0.8), (0.5, 0.5))
# Parameters with which an algorithm releases soon, where its audit's probes do not say; its claim does not depend
# on them.
EARLY_RELEASE_PARAMETERS: Mapping[str, Values] = MappingProxyType(
    {
        "dp-se": {"beta": 1.0},
        "dp-imed-long-start": {"first": 2.0, "alpha": 1.0015},
        "dp-klucb-long-start": {"first": 2.0, "alpha": 1.0015},
        "adap-klucb": {"alpha": 0.1},
        "lasting-adap-klucb": {"alpha": 0.1},
        "lazy-dp-ts": {"offset": 0.01},
        "perfection-test": {"test": 1},
        "agarwal-singh": {"eta": 1.0, "gamma": 0.2},
        "dp-exp3-lap": {"gamma": 0.5, "b": 1.0},
        "local-dp-exp4": {"eta": 1.0, "gamma": 0.2},
        "batched-exp4": {"delta": DELTA, "tau": 2, "eta": 0.3, "gamma": 0.4},
        "batched-exp4-printed": {"delta": DELTA, "tau": 2, "eta": 0.3, "gamma": 0.4},
        "conversion": {"base": "exp3", "tau": 2, "eta": 0.3, "gamma": 0.2},
        "bandit-to-experts": {"base": "exp3", "tau": 2, "eta": 0.3, "gamma": 0.2},
    }
)


class WithAdvice:
    """A policy with expert advice that gets the same advice in each round, so it is called like other policies.

    The advice is `ADVICE`: three experts' probabilities of two actions.

    Parameters
    ----------
    policy
        The policy that gets the advice.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def choose(self) -> int:
        """Return the next action, 0 or 1."""
        return self.policy.choose(ADVICE)  # type: ignore[call-arg]

    def update(self, action: int, reward: Any) -> None:
        """Hand ``reward``, the loss in [0, 1] of the action that `choose` returned, to the policy."""
        self.policy.update(action, reward)


def sound(algorithm: str, seed: Any = None) -> Any:
    """Return the policy of an algorithm without a fault, with parameters by which it soon releases noisy numbers.

    It has two arms (a linear bandit three actions), epsilon = 1 and T = 3000.

    Parameters
    ----------
    algorithm
        Name of the algorithm, such as ``"dp-imed"``.
    seed
        Seed of the policy's random numbers: an integer >= 0, a list of them, or a generator of NumPy. With ``None``
        they differ each time.

    Returns
    -------
    Policy or WithAdvice
        The policy, with ``choose()`` and ``update(action, reward)``; one with experts is under fixed advice.
    """
    setting = registry.setting("algorithm", algorithm)
    given: dict[str, Any] = {"actions": ACTIONS} if setting == "linear" else {"arms": 2}
    # Four batches, and no resampling: reports are of rewards as they are.
    if setting == "linear":
        given["B"] = 4
    if setting == "experts":
        given["experts"] = len(ADVICE)
    if setting == "full_information":
        given["resampling"] = 0
    declared = registry.algorithm(algorithm)
    known = [parameter.name for parameter in declared.parameters]
    probes = declared.privacy.probes if declared.privacy is not None else ()
    soon = {key: value for probe in probes[:1] for key, value in probe.parameters.items() if key in known}
    more = {**soon, **EARLY_RELEASE_PARAMETERS.get(algorithm, {})}
    made = policy(algorithm, epsilon=EPSILON, horizon=HORIZON, seed=seed, **given, **more)
    return WithAdvice(made) if setting == "experts" else made


def without_advice(made: Any) -> Policy:
    """Return the policy inside a `WithAdvice`, or the argument itself if it is a policy."""
    inside: Policy = made.policy if isinstance(made, WithAdvice) else made
    return inside


@dataclass(frozen=True)
class Fault:
    """A planted fault in the noise of an algorithm's policy.

    Attributes
    ----------
    name : str
        Algorithm and kind, such as ``dp-imed/no-noise``.
    algorithm, setting : str
        Name of the algorithm that it is in, and the algorithm's setting: ``stochastic``, ``adversarial``,
        ``experts``, ``full_information`` or ``linear``.
    kind : str
        Kind of the fault, a key of `dpbandits.faults.kinds.KINDS`, such as ``no-noise`` or ``half-the-scale``.
    epsilon, delta : float
        Privacy budget and delta of the claim, which is wrong.
    loss : float
        The exact privacy loss, of transcripts of decisions and all releases; of decisions alone for noisy maxima.
        It may be infinite.
    probability : float
        Probability of an event that shows the whole loss. Outside of this event a transcript may show less.
    release : int
        Number of the first release at which the fault can show, from 1.
    first_round : int
        The round, from 1, after which that release is made, if all rewards or losses are 0 and the seed is 0.
    held_out : bool
        Whether the fault is kept for the final measurement of auditors; the digest of its name decides.
    """

    name: str
    algorithm: str
    setting: str
    kind: str
    epsilon: float
    delta: float
    loss: float
    probability: float
    release: int
    first_round: int
    held_out: bool

    @property
    def about(self) -> str:
        """The fault in a sentence, such as "There is no noise."."""
        return KINDS[self.kind].about

    def policy(self, seed: Any = None) -> Any:
        """Return the policy with this fault in its noise; it has ``choose()`` and ``update(action, reward)``.

        In the full-information setting ``reward`` is the list of all actions' losses.

        ``seed`` is the seed of its random numbers, an integer >= 0; with ``None`` they differ each time.
        """
        made = sound(self.algorithm, seed)
        inside = without_advice(made)
        inside.noise = KINDS[self.kind].make(inside.noise)
        return made

    def sampler(self) -> Callable[[bool, int, int], NDArray[np.float64]]:
        """Return a function that draws the releases of many runs on one of two neighbouring inputs.

        Returns
        -------
        callable
            ``sample(other, runs, seed)`` returns released values in units of a reward, shape (runs, `release`).
            The inputs differ in one reward. It is 0 if ``other`` is true, else 1. All other rewards are 0.

        Raises
        ------
        BadInput
            If the fault is of a noisy maximum, which releases choices and no numbers.
        """
        if self.setting == "full_information":
            raise BadInput("fault", self.name, "a fault of a release; noisy maxima release choices")
        return functools.partial(_sample, KINDS[self.kind], self.epsilon)

    def data(self) -> dict[str, object]:
        """Return all attributes and ``about`` as JSON data by name; an infinite loss is the text ``"infinity"``."""
        fields = {key: getattr(self, key) for key in self.__dataclass_fields__}
        return {**fields, "loss": self.loss if math.isfinite(self.loss) else "infinity", "about": self.about}


def _sample(kind: Kind, epsilon: float, other: bool, runs: int, seed: int) -> NDArray[np.float64]:
    """Return the released numbers of runs with a fault, a column for each release, on one of the two inputs."""
    rng = np.random.default_rng(seed)
    noise = kind.make(Laplace())
    columns = []
    for number in range(1, kind.first_shown + 1):
        value = np.full(runs, 1.0 if number == kind.changed_reward and not other else 0.0)
        columns.append(noise.add(rng, value, 1.0 / epsilon, 1.0)[0])
    return np.column_stack(columns)


@functools.cache
def _rounds_of_releases(algorithm: str) -> tuple[int, ...]:
    """Return the rounds after which an algorithm has released, on rewards of 0."""
    made = sound(algorithm, 0)
    inside = without_advice(made)
    zero = [0.0] * inside.arms if inside.feedback == "losses" else 0.0
    rounds: list[int] = []
    # The kinds of `KINDS` show at the eleventh release at the latest.
    while inside.t < HORIZON and len(rounds) < 12:
        before = sum(entry.releases for entry in inside.ledger.entries)
        made.update(made.choose(), zero)
        rounds += [inside.t] * (sum(entry.releases for entry in inside.ledger.entries) - before)
    return tuple(rounds)


@functools.cache
def catalogue() -> tuple[Fault, ...]:
    """Return all faults, more than 300, sorted by name; they are found once in a process."""
    return tuple(sorted(_planted(), key=lambda fault: fault.name))


def algorithms() -> list[str]:
    """Return the names of the private algorithms whose claims are right, sorted: faults are planted in these."""
    return [
        name
        for name in sorted(registry.modules("algorithm"))
        if registry.algorithm(name).privacy is not None and name not in WRONG_AS_PRINTED
    ]


def _planted() -> Iterator[Fault]:
    """Yield each kind of fault in each algorithm in which it can show."""
    for algorithm in algorithms():
        setting = registry.setting("algorithm", algorithm)
        privacy = registry.algorithm(algorithm).privacy
        assert privacy is not None
        approximate = privacy.definition == "approximate"
        rounds = _rounds_of_releases(algorithm)
        for name, kind in KINDS.items():
            # A noisy maximum draws once for each action. Advanced composition has much to spare: a finite loss of
            # one release may be covered.
            scores = setting == "full_information"
            finite = math.isfinite(kind.factor)
            if (scores and not kind.in_noisy_maxima) or (approximate and finite):
                continue
            release = 1 if scores and name != "no-noise-after-ten" else kind.first_shown
            if scores and name == "no-noise-after-ten":
                # Two draws a release: the eleventh draw is in the sixth.
                release = 6
            if release > len(rounds):
                continue
            full = f"{algorithm}/{name}"
            digest = hashlib.blake2b(full.encode(), digest_size=1).digest()[0]
            yield Fault(
                full,
                algorithm,
                setting,
                name,
                EPSILON,
                DELTA if approximate else 0.0,
                kind.factor * EPSILON,
                kind.chance(EPSILON),
                release,
                rounds[release - 1],
                digest % 2 == 1,
            )


def fault(name: str) -> Fault:
    """Return a fault by its name, such as ``"dp-imed/no-noise"``, or raise `BadInput`."""
    known = {each.name: each for each in catalogue()}
    if name not in known:
        raise BadInput("fault", name, suggest(name, known) if len(name) < 60 else "a name of the catalogue")
    return known[name]
