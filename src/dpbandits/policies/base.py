"""Base of all policies: the order of calls, checks of what comes in, releases, and the state that is saved."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, SupportsIndex

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from dpbandits.calls import check_call
from dpbandits.core.arguments import path
from dpbandits.core.errors import BadInput, MissingFile
from dpbandits.policies import one_stream, saved
from dpbandits.policies.ledger import Ledger, Release, Spent
from dpbandits.policies.noise import Laplace, Noise
from dpbandits.policies.saved import PolicyArguments

# The class or function that makes a policy, by the name of its algorithm: each file has its own in ``POLICIES``.
PolicyMakers = dict[str, "Callable[..., Policy]"]


class Policy:
    """A bandit policy that is called round by round: ``choose()``, then ``update(action, reward)``.

    A subclass has ``decide()``, which returns the next action, and ``learn(action, reward)``.

    Parameters
    ----------
    arms : int
        Number of actions.
    rng : numpy.random.Generator
        Source of all random numbers: noise, and random choices of actions.

    Attributes
    ----------
    t : int
        Rounds that have been finished.
    counts : list of int
        Number of rewards of each action so far.
    chosen : int or None
        The action that waits for its reward; ``None`` between rounds.
    ledger : Ledger
        The releases so far, each with the privacy that it costs.
    noise : Noise
        Law of the noise on released numbers.
    """

    # What an update takes: "reward" or "loss", a number; or "losses", one for each action.
    feedback: ClassVar[str] = "reward"
    # Range of such a number.
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0
    private: ClassVar[bool] = True
    # Whether it divides rounds into batches by the horizon, whatever its parameters are.
    needs_horizon: ClassVar[bool] = False

    def __init__(self, arms: int, rng: Generator) -> None:
        """Begin in round 0, with an empty ledger."""
        self.arms, self.rng = arms, rng
        self.ledger = Ledger()
        self.noise: Noise = Laplace()
        self.t = 0
        self.counts = [0] * arms
        self.chosen: int | None = None
        # Arguments of `dpbandits.policy`, empty without it; they are no state.
        self.arguments: PolicyArguments = {}
        # Whether it was loaded from a file, and the file of a policy that goes on in its place.
        self.loaded, self.replaced_by = False, ""
        # The process that made it.
        self.process = os.getpid()

    def __repr__(self) -> str:
        """Return what it is, how far it has come, and what it has spent."""
        return f"<{type(self).__name__}: {self.arms} arms, {self.t:,} rounds, spent {self.spent()}>"

    @check_call
    def choose(self) -> int:
        """Return the next action, 0 to ``arms`` - 1; the same one until `update` has its reward.

        Raises
        ------
        BadInput
            If another policy draws the same noise: one that was loaded from this one's file, or, in a forked
            process, the policy of the parent process.
        """
        self._refuse_shared_noise()
        if self.chosen is None:
            self.chosen = int(self.decide())
        return self.chosen

    @check_call
    def update(self, action: int, reward: Any) -> None:
        """Take the reward of the action that `choose` returned.

        Parameters
        ----------
        action : int
            The action that `choose` returned: rewards of other actions would break the claim of privacy.
        reward : float, or array of shape (arms,)
            Reward of the action, its loss, or the losses of all actions, where the attribute ``feedback`` is
            ``"reward"``, ``"loss"`` or ``"losses"``. Each number is from ``low`` to ``high``.

        Raises
        ------
        BadInput
            For another action, before `choose` has returned one, or for a reward out of its range; nothing has been
            learned then. Also if another policy draws the same noise, as in `choose`.
        """
        self._refuse_shared_noise()
        if self.chosen is None:
            raise BadInput("action", action, "nothing before choose() has returned an action")
        if isinstance(action, bool) or not isinstance(action, int | np.integer) or action != self.chosen:
            raise BadInput("action", action, f"{self.chosen}, which choose() returned")
        checked = self.checked_reward(reward)
        self.t += 1
        self.counts[self.chosen] += 1
        chosen, self.chosen = self.chosen, None
        self.learn(chosen, checked)

    @check_call
    def save(self, file: str | Path) -> None:
        """Write the policy to ``file`` as JSON, for `dpbandits.policies.load`.

        The file has raw sums of rewards that were not released yet, and the state of the noise's stream: it is as
        confidential as the rewards themselves. Once this process has loaded a private policy from the file (without
        ``again=True``), this one refuses to go on: both would draw the same noise.

        Raises
        ------
        BadInput
            If `dpbandits.policy` has not made the policy, its generator is not NumPy's PCG64, or ``file`` has no
            name. Also if another policy draws the same noise, as in `choose`.
        MissingFile
            If the file cannot be written.
        """
        if not self.arguments:
            raise BadInput("policy", type(self).__name__, "one that dpbandits.policy() has made")
        self._refuse_shared_noise()
        place = path("file", file)
        if not place.name:
            raise BadInput("file", str(file), "the name of a file")
        try:
            saved.write(place, self.arguments, self, self.rng)
        except OSError as error:
            raise MissingFile(str(place), error.strerror) from None
        if self.private:
            one_stream.note_saved(self)

    def check_state(self, arms: int) -> None:
        """Refuse a loaded state that contradicts itself.

        Parameters
        ----------
        arms
            Number of actions that the policy was made for.

        Raises
        ------
        BadInput
            If the state is of another number of actions, ``counts`` do not add up to ``t``, or ``chosen`` is no
            action. The error names the attribute.
        """
        numbers = [self.t, *self.counts]
        whole = all(type(number) is int and number >= 0 for number in numbers)
        if self.arms != arms:
            raise BadInput(("state", "arms"), self.arms, str(arms))
        if not whole or len(self.counts) != arms or sum(self.counts) != self.t:
            raise BadInput(("state", "counts"), self.counts, f"{arms} numbers of rewards that add up to {self.t}")
        if self.chosen is not None and (type(self.chosen) is not int or not 0 <= self.chosen < arms):
            raise BadInput(("state", "chosen"), self.chosen, f"an action from 0 to {arms - 1}")

    def _refuse_shared_noise(self) -> None:
        """Refuse to go on if another policy draws the same noise."""
        if self.private and self.replaced_by:
            told = f"the policy that was loaded from {self.replaced_by}: this one would draw the same noise"
            raise BadInput("policy", "one that was replaced", told)
        if self.private and self.process != os.getpid():
            told = "one that this process has made or loaded: its parent's draws the same noise; save() it before"
            raise BadInput("policy", "one of another process", told)

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Refuse to be copied or pickled, if private: the copy would draw the same noise again."""
        if self.private:
            told = "another policy, of a seed of its own: a copy draws the same noise; to go on later: save()"
            raise BadInput("policy", "a copy or pickle", told)
        return super().__reduce_ex__(protocol)

    def reseed(self, rng: Generator) -> None:
        """Use the generator ``rng`` for all later draws, of this policy and of the base algorithm that it may run.

        Raises
        ------
        BadInput
            If ``rng`` has no method ``random``, as NumPy's generators have.
        """
        if not callable(getattr(rng, "random", None)):
            raise BadInput("rng", rng, "a numpy.random.Generator, such as numpy.random.default_rng returns")
        # A conversion has its base algorithm in the attribute ``base``.
        for thing in (self, getattr(self, "base", None)):
            if thing is not None:
                thing.rng = rng

    def releases_numbers(self) -> bool:
        """Tell whether this policy releases noisy numbers; only then can a user choose the law of its noise.

        It does not if it has no privacy. A subclass that releases choices alone, as report-noisy-max does, returns
        false too.
        """
        return self.private

    def spent(self) -> Spent:
        """Return the privacy that has been spent so far, and by which releases.

        ``epsilon`` and ``delta`` of the result are the most that one reward has spent, by basic composition;
        ``releases`` has the ledger's entries. Without privacy, ``releases`` is empty, and ``epsilon`` is infinite
        after the first reward.
        """
        if not self.private:
            return Spent(math.inf if self.t else 0.0, 0.0, ())
        return self.ledger.spent()

    def decide(self) -> int:
        """Return the next action, 0 to ``arms`` - 1; each subclass implements this."""
        raise NotImplementedError

    def learn(self, action: int, reward: Any) -> None:
        """Learn from the reward of ``action``; each subclass implements this.

        ``reward`` is what `checked_reward` returned: a float, or the list of all actions' losses where the class
        attribute ``feedback`` is ``"losses"``.
        """
        raise NotImplementedError

    def checked_reward(self, reward: Any) -> Any:
        """Return a reward (or loss) as a float; raise `BadInput` if it is no finite number in [``low``, ``high``].

        ``low`` and ``high`` are attributes of the class.
        """
        try:
            # What a masked array hides is no reward.
            if isinstance(reward, str | bytes) or np.ma.is_masked(reward):
                raise TypeError
            value = float(reward)
        except (TypeError, ValueError, OverflowError):
            raise BadInput(self.feedback, reward, f"a number from {self.low:g} to {self.high:g}") from None
        if not (self.low <= value <= self.high) or math.isinf(value):
            span = "a finite number" if self.high == math.inf else f"a number from {self.low:g} to {self.high:g}"
            raise BadInput(self.feedback, reward, span)
        return value

    def release(self, value: float, scale: float, sensitivity: float, arm: int, reward_count: int) -> float:
        """Return ``value`` with noise of the law ``self.noise``, Laplace by default, and note it in the ledger.

        Parameters
        ----------
        value : float
            Number to release, without noise.
        scale : float
            Scale of the noise; sensitivity/scale is the epsilon that the ledger gets.
        sensitivity : float
            The most by which one reward moves ``value``.
        arm : int
            Action whose rewards ``value`` depends on.
        reward_count : int
            Number of rewards that ``value`` depends on: the latest ones of ``arm``.
        """
        noisy, epsilon = self.noise.add(self.rng, value, scale, sensitivity)
        self.record_release(arm, self.counts[arm], reward_count, self.noise.law, scale, sensitivity, epsilon)
        return noisy

    def record_release(
        self,
        arm: int | None,
        last_reward: int,
        reward_count: int,
        law: str,
        scale: float,
        sensitivity: float,
        epsilon: float,
        delta: float = 0.0,
    ) -> None:
        """Enter a release, of a noisy number or of a choice, in the ledger.

        Parameters
        ----------
        arm
            Action whose rewards enter the release, ``None`` for all actions.
        last_reward
            Number of the last reward that enters, counted from 1 among those of ``arm``, or among all.
        reward_count
            Number of rewards that enter: ``last_reward`` and those just before it.
        law
            Name of the noise's law, such as ``"laplace"``.
        scale, sensitivity
            Scale of the noise, and the most by which one reward moves what is released.
        epsilon, delta
            Privacy that the release costs.
        """
        self.ledger.add(
            Release(arm, last_reward - reward_count + 1, last_reward, 1, law, scale, sensitivity, epsilon, delta)
        )


def random_argmax(index: Sequence[float], rng: Generator, tolerance: float = 0.0) -> int:
    """Return the position of the largest of some indices; ties are broken uniformly at random.

    Parameters
    ----------
    index
        The indices, at least one, none of them NaN.
    rng
        Generator that breaks ties; it draws a permutation in any case.
    tolerance
        Indices that are smaller than the largest by no more than this count as ties.
    """
    largest = max(index)
    # A permutation is drawn whether or not there are ties: the number of draws must not depend on rewards.
    for k in rng.permutation(len(index)):
        if index[int(k)] >= largest - tolerance:
            return int(k)
    raise ValueError("an index that is no number")


def draw_position(P: Sequence[float], rng: Generator) -> int:
    """Return a random position i = 0, 1, ... with probability ``P[i]``; the probabilities sum to 1."""
    u, below = rng.random(), 0.0
    for i in range(len(P) - 1):
        below += P[i]
        if u < below:
            return i
    return len(P) - 1


def clip(x: float) -> float:
    """Return the nearest number in [0, 1]."""
    return max(0.0, min(x, 1.0))


def shuffled(items: Sequence[int], rng: Generator) -> list[int]:
    """Return a list of ``items`` in uniformly random order."""
    return [items[int(i)] for i in rng.permutation(len(items))]


def checked_vector(name: str, given: ArrayLike, size: int, low: float, high: float) -> NDArray[np.float64]:
    """Return ``given`` as an array of shape (size,) with numbers in [low, high]; raise `BadInput` if it is none.

    Parameters
    ----------
    name
        The argument's name, for the error.
    given
        The numbers.
    size
        Number of numbers that are expected.
    low, high
        Smallest and largest number that is allowed; may be infinite.
    """
    allowed = f"{size} numbers from {low:g} to {high:g}"
    try:
        if np.ma.is_masked(given):
            raise TypeError
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(name, given, allowed) from None
    if found.shape != (size,) or not np.all((found >= low) & (found <= high)):
        raise BadInput(name, given, allowed)
    return found
