"""Every algorithm of every setting, the environments that it is tried in, and its runs: for `tests/contract`.

Algorithms are found as the package finds them, by being a file in `settings/<setting>/algorithms`; one that runs
another one is tried with each base. A new setting adds its environments to `SETTINGS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core import registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.fields import Parameter, Tuning
from dpbandits.core.recording import Runs
from dpbandits.runs.job import Job, fill, make_job, prepare, run

ROOT_SEED = 13
EPSILON = 0.9


# --- environments ----------------------------------------------------------------------------------------------


class Trial(NamedTuple):
    """An environment, and what is known of it without reading its code.

    Attributes
    ----------
    environment
        As in a configuration.
    gaps
        What a round of each arm (of each expert, where experts are followed) costs, if it is always the same.
    """

    environment: Mapping[str, Any]
    gaps: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Environments:
    """What the algorithms of one setting are tried in.

    Attributes
    ----------
    ordinary
        Three arms or four of different means; its gaps are known.
    certain
        Rewards or losses that leave nothing to chance, at the ends of their range.
    ties
        Equal means: nothing costs anything.
    alike
        Equal means again, where no arm differs from another in anything but its number.
    many
        More arms than most of the horizons.
    others
        What else there is: means that change, corruption, contexts.
    permuted
        ``permuted(order)``: three arms that differ, listed in another order.
    explores
        Whether a round may pull no arm: exploration follows no expert.
    largest
        The most that a round can cost.
    """

    ordinary: Trial
    certain: tuple[Trial, ...]
    ties: tuple[Trial, ...]
    alike: Trial
    many: Trial
    others: tuple[Trial, ...]
    permuted: Callable[[Sequence[int]], Mapping[str, Any]]
    explores: bool = False
    largest: float = 1.0

    @property
    def all(self) -> Iterator[tuple[str, Trial]]:
        """Every trial, with the name of its kind."""
        for kind in ("ordinary", "alike", "many"):
            yield kind, getattr(self, kind)
        for kind in ("certain", "ties", "others"):
            for number, trial in enumerate(getattr(self, kind), start=1):
                yield f"{kind} {number}", trial


def _bernoulli(*means: float) -> Trial:
    return Trial({"kind": "bernoulli", "means": list(means)}, tuple(max(means) - mean for mean in means))


def _gap(arms: int, gap: float, level: float = 0.5) -> Trial:
    environment = {"kind": "bernoulli-gap", "arms": arms, "gap": gap, "level": level}
    return Trial(environment, (0.0, *[gap] * (arms - 1)))


def _periodic(*rounds: list[float], gaps: tuple[float, ...] | None = None) -> Trial:
    return Trial({"kind": "periodic", "losses": list(rounds)}, gaps)


def _advised(losses: list[float], *advice: list[float]) -> Trial:
    """Return experts whose advice is the same in every round."""
    means = [sum(p * loss for p, loss in zip(row, losses, strict=True)) for row in advice]
    environment = {"kind": "advice-table", "losses": [losses], "advice": [list(advice)]}
    return Trial(environment, tuple(mean - min(means) for mean in means))


def _discrete(*laws: Mapping[float, float]) -> Trial:
    """Return losses of the given laws, each a mapping of values to probabilities."""
    means = [sum(value * p for value, p in law.items()) for law in laws]
    environment = {
        "kind": "discrete-losses",
        "values": [list(law) for law in laws],
        "probabilities": [list(law.values()) for law in laws],
    }
    return Trial(environment, tuple(mean - min(means) for mean in means))


def _actions(theta: list[float], *actions: list[float], **more: Any) -> Trial:
    means = [sum(x * y for x, y in zip(action, theta, strict=True)) for action in actions]
    environment = {"kind": "actions", "actions": list(actions), "theta": theta, **more}
    return Trial(environment, tuple(max(means) - mean for mean in means))


def _along_axes(order: Sequence[int], *lengths: float) -> list[list[float]]:
    """Return orthogonal actions of these lengths, in another order."""
    return [[lengths[k] if i == k else 0.0 for i in range(len(order))] for k in order]


CHANGING = ([0.0, 1.0, 0.5], [1.0, 0.25, 0.5], [0.5, 0.0, 1.0])
EXPERTS = {"kind": "one-good-expert", "experts": 7, "actions": 4, "gap": 0.4, "period": 3}
ADVICE = ([0.8, 0.2, 0.0], [0.0, 0.9, 0.1], [0.2, 0.2, 0.6])
SPHERE = {"kind": "sphere", "arms": 30, "dimension": 4}
CORRUPTION = {"probability": 0.1, "attack": "second-best", "size": 20, "of": "reports"}

SETTINGS = {
    "stochastic": Environments(
        ordinary=_bernoulli(0.3, 0.8, 0.5),
        certain=(_bernoulli(0.0, 1.0), _bernoulli(1.0, 0.5, 0.0), _bernoulli(0.0, 0.3)),
        ties=(_bernoulli(0.3, 0.3, 0.3), _bernoulli(0.0, 0.0), _bernoulli(1.0, 1.0, 1.0)),
        alike=_bernoulli(0.6, 0.6, 0.6, 0.6),
        many=_bernoulli(*np.linspace(0.9, 0.1, 100).tolist()),
        others=(_bernoulli(0.5, 0.49999),),
        permuted=lambda order: {"kind": "bernoulli", "means": [(0.3, 0.8, 0.5)[k] for k in order]},
    ),
    "adversarial": Environments(
        ordinary=_gap(3, 0.3),
        certain=(_gap(3, 1.0, 1.0), _periodic([0.0, 1.0], gaps=(0.0, 1.0)), _gap(2, 0.0, 0.0)),
        ties=(
            _gap(3, 0.0, 0.3),
            _gap(2, 0.0, 1.0),
            _periodic([0.3] * 4, [0.1] * 4, [0.7] * 4, gaps=(0.0,) * 4),
            Trial({"kind": "drifting-means", "arms": 3, "gap": 0.0}, (0.0,) * 3),
            Trial({"kind": "hardest-gap", "arms": 3, "scale": 0}, (0.0,) * 3),
        ),
        alike=_gap(4, 0.0),
        many=_gap(100, 0.5),
        others=(
            _periodic(*CHANGING),
            Trial({"kind": "drifting-means", "arms": 5, "gap": 0.4}),
            Trial({"kind": "hardest-gap", "arms": 2}),
            Trial({"kind": "late-improvement", "improves": 0.3}),
            Trial({"kind": "late-improvement", "improves": 300}),
        ),
        permuted=lambda order: {"kind": "periodic", "losses": [[row[k] for k in order] for row in CHANGING]},
    ),
    "experts": Environments(
        ordinary=_advised([0.1, 0.5, 0.9], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0]),
        certain=(_advised([0.0, 1.0], [1, 0], [0, 1]), _advised([1.0, 1.0], [1, 0], [0.5, 0.5])),
        ties=tuple(
            Trial({**EXPERTS, "gap": 0.0, "level": level}, (0.0,) * EXPERTS["experts"]) for level in (0.0, 0.3, 1.0)
        ),
        alike=_advised([0.5, 0.5, 0.5], [1, 0, 0], [0, 1, 0], [0, 0, 1]),
        many=Trial({**EXPERTS, "experts": 100, "period": 1}),
        others=(
            Trial(EXPERTS),
            Trial({**EXPERTS, "period": 700, "advice": "near-deterministic"}),
            Trial({"kind": "hardest-expert-gap", "experts": 3, "actions": 2}),
        ),
        permuted=lambda order: _advised(
            [(0.1, 0.5, 0.9)[k] for k in order],
            *([ADVICE[j][k] for k in order] for j in order),
        ).environment,
        explores=True,
    ),
    "full_information": Environments(
        ordinary=_discrete({0.25: 0.8, 0.5: 0.2}, {0.5: 1.0}, {0.0: 0.4, 1.0: 0.6}),
        certain=(_discrete({0.0: 1.0}, {1.0: 1.0}), _discrete({0.9: 1.0}, {0.0: 1.0}, {1.0: 1.0})),
        ties=(_discrete({0.5: 1.0}, {0.0: 0.5, 1.0: 0.5}), _discrete({1.0: 1.0}, {1.0: 1.0}, {1.0: 1.0})),
        alike=_discrete(*[{1.0: 0.4, 0.0: 0.6}] * 4),
        many=Trial({"kind": "equal-gaps", "arms": 100, "gap": 0.1, "best": 0.4}, (0.0, *[0.1] * 99)),
        others=(
            Trial({"kind": "bernoulli-losses", "means": [0.2, 0.9]}, (0.0, 0.7)),
            Trial({"kind": "deterministic-losses", "means": [0.9, 0.0, 1.0]}, (0.9, 0.0, 1.0)),
            Trial({"kind": "hidden-action", "arms": 4, "gap": 0.1}, (0.0, 0.1, 0.1, 1.0)),
            Trial({"kind": "geometric-gaps", "arms": 3, "gap": 0.01}, (0.0, 0.01, 1.0)),
        ),
        permuted=lambda order: _discrete(
            *([{0.25: 0.8, 0.5: 0.2}, {0.5: 1.0}, {0.0: 0.4, 1.0: 0.6}][k] for k in order)
        ).environment,
    ),
    "linear": Environments(
        ordinary=_actions([0.5, -0.2], [0.9, 0.0], [0.0, 0.9], [0.6, 0.6]),
        certain=(_actions([1.0], [1.0], [-1.0]), _actions([0.0, 1.0], [0.0, 1.0], [1.0, 0.0])),
        ties=(_actions([0.6, 0.0], [0.5, 0.5], [0.5, -0.5], [0.5, 0.0]), _actions([0.0], [1.0], [-0.5], [0.0])),
        alike=_actions([0.3] * 4, *_along_axes(range(4), 0.9, 0.9, 0.9, 0.9)),
        many=Trial({**SPHERE, "arms": 100}),
        others=(
            Trial({**SPHERE, "noise": {"kind": "gaussian", "sigma": 0.8}, "corruption": CORRUPTION}),
            Trial({**SPHERE, "kind": "cube", "noise": {"kind": "uniform", "width": 0.5}}),
            Trial({"kind": "collinear-basis", "dimension": 3, "angle": 0.1}),
            # Actions that say nothing, and one that can only cost.
            _actions([-1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0]),
        ),
        permuted=lambda order: _actions([0.8, 0.3, -0.5], *_along_axes(order, 0.9, 0.7, 0.8)).environment,
        # Rewards are -1 or 1, in tables of audits -3 or 3.
        largest=6.0,
    ),
}  # fmt: skip


# --- algorithms ------------------------------------------------------------------------------------------------


class Subject(NamedTuple):
    """An algorithm, with its base if it runs another one."""

    name: str
    base: str | None

    def __str__(self) -> str:
        name = self.name.replace("-", "_")
        return name if self.base is None else f"{name}-{self.base.replace('-', '_')}"

    @property
    def declared(self) -> Algorithm:
        """Its declaration."""
        return registry.algorithm(self.name)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters, and its base's."""
        wraps = self.declared.wraps
        return self.declared.parameters + (() if wraps is None else wraps.candidates()[str(self.base)].parameters)

    @property
    def bases(self) -> dict[str, str]:
        """The parameter that names its base, if it takes one."""
        return {} if self.base is None else {"base": self.base}

    @property
    def tried_in(self) -> Environments:
        """The environments of its setting."""
        setting = registry.setting("algorithm", self.name)
        assert setting in SETTINGS, f"tests/support/contract.py has no environments of the setting {setting!r}"
        return SETTINGS[setting]

    def job(self, environment: Mapping[str, Any], horizon: int, checkpoints: int = 12, **given: Any) -> Job:
        """Return a job, at a budget if it takes one; ``given`` are parameters, or ``epsilon`` and ``root_seed``."""
        budget = given.pop("epsilon", EPSILON)
        seed = given.pop("root_seed", ROOT_SEED)
        epsilon = None if self.declared.privacy is None else budget
        return make_job(self.name, {**self.bases, **given}, environment, epsilon, horizon, checkpoints, seed)

    def lively(self, environment: Mapping[str, Any], horizon: int, **given: Any) -> Job:
        """Return a job in which something is learned.

        A tuned constant whose formula leaves its range says that the theorem is vacuous there: the algorithm may do
        nothing but explore. The middle of the range takes its place.
        """
        job = self.job(environment, horizon, **given)
        noted = {note.split(":")[0] for note in job.notes}
        middles = {
            p.name: p.type((max(p.above, p.at_least) + p.largest(tuning(job))) / 2)
            for p in self.parameters
            if p.name in noted
        }
        return self.job(environment, horizon, **{**given, **middles})


def subjects() -> list[Subject]:
    """Return all algorithms there are, with each of their bases."""
    found = []
    for name in registry.modules("algorithm"):
        wraps = registry.algorithm(name).wraps
        found += [Subject(name, base) for base in ([None] if wraps is None else wraps.candidates())]
    return found


def tuning(job: Job) -> Tuning:
    """Return what a job's tuned constants depend on."""
    return registry.environment(job.environment["kind"]).tuning(job.environment, job.horizon, job.epsilon)


# --- runs ------------------------------------------------------------------------------------------------------


def simulated(
    job: Job, runs: int = 6, first: int = 0, kept: int = 0, streams: NDArray[np.uint64] | None = None
) -> Runs:
    """Return runs ``first``, ``first + 1``, ... of a job in one block, with other ``streams`` on request."""
    filled, problem = prepare(job, range(first, first + runs), kept)
    filled.regret[:] = np.nan
    filled.played[:] = -1
    if streams is not None:
        filled.streams[:] = streams
    fill(job, filled, problem)
    return filled


def published(job: Job, runs: int, threads: int) -> Runs:
    """Return the job's first runs as its file has them."""
    return run(job, range(runs), threads)


def streams_of(job: Job, runs: int) -> NDArray[np.uint64]:
    """Return the random streams that the job's first runs begin with."""
    return prepare(job, range(runs))[0].streams


def same_bytes(whole: Runs, *parts: Runs) -> bool:
    """Return whether regret, pulls and the streams at the end are those of the parts, one after another."""
    return all(
        np.concatenate([getattr(part, field) for part in parts]).tobytes() == getattr(whole, field).tobytes()
        for field in ("regret", "pulls", "streams")
    )


# --- what is asked of all --------------------------------------------------------------------------------------


def check_account(subject: Subject, job: Job, trial: Trial, runs: Runs) -> None:
    """Check what holds of every run: all rounds are played, all checkpoints filled, regret is that of the pulls."""
    explores, T = subject.tried_in.explores, job.horizon
    assert not np.isnan(runs.regret).any(), f"{subject} leaves checkpoints unfilled, or fills in NaN"
    assert np.isfinite(runs.regret).all()
    assert runs.pulls.min() >= 0
    total, slack = runs.pulls.sum(axis=1), runs.pulls.shape[1] / 2 if explores else 0.0
    if explores:
        # Pulls that are expected are rounded at the horizon, by half a round each.
        assert (total <= T + slack).all()
    else:
        assert total.tolist() == [T] * len(total), f"pulls of {subject} do not sum to T"
    if trial.gaps is None:
        assert (np.abs(runs.regret) <= subject.tried_in.largest * runs.rounds).all()
        return
    gaps = np.array(trial.gaps)
    assert runs.pulls.shape[1] == gaps.size
    if not gaps.any():
        assert not runs.regret.any(), f"equal means cost {subject} something"
    # Nondecreasing, but for the rounding of sums added up in different orders.
    rounding = 1e-12 * (1.0 + runs.rounds)
    steps = np.diff(runs.regret, axis=1, prepend=0.0)
    assert (steps >= -rounding).all(), f"regret of {subject} decreases"
    most = gaps.max() * np.diff(runs.rounds, prepend=0)
    assert (steps <= most + rounding).all(), f"a round costs {subject} more than the largest gap"
    regret, of_pulls = runs.regret[:, -1], runs.pulls @ gaps
    if explores:
        assert (regret >= of_pulls - slack * gaps.max() - rounding[-1]).all()
    else:
        np.testing.assert_allclose(regret, of_pulls, rtol=1e-9, atol=1e-12 * T)
