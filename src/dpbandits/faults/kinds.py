"""Kinds of fault of a noisy release: each takes the place of a policy's noise.

All of them work on numbers and, for samplers, on arrays of values of many runs. A release is of ``value``, which
one reward moves by at most ``sensitivity``, with noise of ``scale``. Its claim is sensitivity/scale for Laplace
noise, and twice that for exponential and Gumbel noise, which noisy maxima have. A kind is a class whose
``released(rng, value, scale, sensitivity)`` returns the released number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.policies.noise import Exponential, Gumbel, Laplace, Noise


class Faulty:
    """Base of noises with a planted privacy fault, which take the place of a policy's own noise.

    Parameters
    ----------
    sound : Noise
        The policy's own noise, without a fault.

    Attributes
    ----------
    sound, law
        The same noise, and the name of its law, such as ``"laplace"``.
    releases : int
        Number of releases so far, the current one included.
    """

    def __init__(self, sound: Noise) -> None:
        self.sound, self.law, self.releases = sound, sound.law, 0

    def add(self, rng: Any, value: Any, scale: float, sensitivity: float) -> tuple[Any, float]:
        """Return the released number, and the epsilon that is claimed for the release: sensitivity/scale.

        For exponential and Gumbel noise, which noisy maxima have, the claimed epsilon is twice as much.

        Parameters
        ----------
        rng
            The policy's generator.
        value
            Number to release; for samplers an array with the number of each run, shape (runs,).
        scale
            Scale of the noise, > 0.
        sensitivity
            The most by which one reward moves ``value``, > 0.
        """
        self.releases += 1
        # Exponential and Gumbel noise are those of noisy maxima, which claim twice as much.
        claimed = sensitivity / scale * (2.0 if self.law in (Exponential.law, Gumbel.law) else 1.0)
        return self.released(rng, value, scale, sensitivity), claimed

    def released(self, rng: Any, value: Any, scale: float, sensitivity: float) -> Any:
        """Return ``value`` with faulty noise, a number or an array as ``value`` is; each kind implements it.

        Parameters
        ----------
        rng, value, scale, sensitivity
            The policy's generator, the number to release, the scale of its noise, and the most by which one reward
            moves the number.
        """
        raise NotImplementedError

    def noisy(self, rng: Any, value: Any, scale: float) -> Any:
        """Return ``value`` with the policy's own noise of ``scale``; in an array each entry has its own draw."""
        if np.ndim(value) == 0:
            return self.sound.add(rng, value, scale, 1.0)[0]
        if self.law == Laplace.law:
            return value + rng.laplace(0.0, scale, np.shape(value))
        noisy = [self.sound.add(rng, each, scale, 1.0)[0] for each in np.ravel(value).tolist()]
        return np.reshape(noisy, np.shape(value))


class SmallerScale(Faulty):
    """The scale is smaller than it has to be, by the factor ``divisor``."""

    divisor: float

    def released(self, rng: Any, value: Any, scale: float, sensitivity: float) -> Any:
        # The right noise has ``scale``.
        return self.noisy(rng, value, scale / self.divisor)


class HalfScale(SmallerScale):
    """The scale is half of what it has to be."""

    divisor = 2.0


class RootTwoMissing(SmallerScale):
    """A factor of the square root of 2 is missing."""

    divisor = math.sqrt(2.0)


class TenthMissing(SmallerScale):
    """The scale is a tenth too small.

    It is the right one divided by 1.1.
    """

    divisor = 1.1


class CountedTwice(Faulty):
    """Each reward is counted twice.

    The released number is twice ``value``, with noise of ``scale``.
    """

    def released(self, rng: Any, value: Any, scale: float, sensitivity: float) -> Any:
        # One reward moves ``2 * value`` twice as far as ``value``, and ``scale`` is enough for ``value`` alone.
        return self.noisy(rng, 2.0 * value, scale)


class AddedAgain(Faulty):
    """The value released before is added again, in units of its sensitivity.

    ``before`` is that value, without noise, divided by its sensitivity; 0 before the first release.
    """

    def __init__(self, sound: Noise) -> None:
        super().__init__(sound)
        self.before: Any = 0.0

    def released(self, rng: Any, value: Any, scale: float, sensitivity: float) -> Any:
        # The value released before is added, rescaled to this release's sensitivity; the noise is enough for one.
        whole = value + self.before * sensitivity
        self.before = value / sensitivity
        return self.noisy(rng, whole, scale)


class NoNoise(Faulty):
    """There is no noise."""

    def has_no_noise(self) -> bool:
        """Tell whether the current release has no noise: all of them here, some in subclasses."""
        return True

    def released(self, rng: Any, value: Any, scale: float, sensitivity: float) -> Any:
        # Subclasses say which releases have no noise.
        return value if self.has_no_noise() else self.noisy(rng, value, scale)


class FirstWithoutNoise(NoNoise):
    """The first release has no noise."""

    def has_no_noise(self) -> bool:
        """Tell whether the current release is the first."""
        return self.releases == 1


class NoNoiseAfterTen(NoNoise):
    """Releases after the tenth have no noise."""

    def has_no_noise(self) -> bool:
        """Tell whether at least ten releases were made before the current one."""
        return self.releases > 10


class OneDraw(Faulty):
    """One draw, stretched, serves all releases.

    ``drawn`` is the draw, of the Laplace law of scale 1, and ``None`` before the first release. Each release adds
    ``drawn`` times its scale.
    """

    def __init__(self, sound: Noise) -> None:
        super().__init__(sound)
        self.drawn: Any = None

    def released(self, rng: Any, value: Any, scale: float, sensitivity: float) -> Any:
        # Every release should have a draw of its own. Here the first one's serves all, times the scale of each.
        if self.drawn is None:
            self.drawn = rng.laplace(0.0, 1.0, np.shape(value) or None)
        return self.drawn * scale + value


class OneSided(Faulty):
    """Noise is never negative.

    The absolute value of sound noise is added.
    """

    def released(self, rng: Any, value: Any, scale: float, sensitivity: float) -> Any:
        # The difference is the sound noise, whose sign is dropped.
        return value + abs(self.noisy(rng, value, scale) - value)


class CutOff(Faulty):
    """Noise is cut off at two scales.

    A draw that is further from 0 is moved to plus or minus two scales.
    """

    def released(self, rng: Any, value: Any, scale: float, sensitivity: float) -> Any:
        # Laplace noise has no bounds: with these, some outputs are possible on one of two inputs alone.
        return np.clip(self.noisy(rng, value, scale), value - 2.0 * scale, value + 2.0 * scale)


class ByCoin(Faulty):
    """One release of ten, by a coin, has no noise.

    That is one of ten on average: each is decided by itself.
    """

    def released(self, rng: Any, value: Any, scale: float, sensitivity: float) -> Any:
        # With probability 0.1 the value goes out as it is; each entry of an array has its own coin.
        coin = rng.random(np.shape(value) or None) < 0.1
        return np.where(coin, value, self.noisy(rng, value, scale))[()]


class Leaking(Faulty):
    """The noisy number is rounded, and a hundredth of the raw one is left on it.

    It is rounded down to a multiple of four scales.
    """

    def released(self, rng: Any, value: Any, scale: float, sensitivity: float) -> Any:
        # The noisy number is rounded down to whole steps, so what is left over them is a hundredth of ``value``.
        step = 4.0 * scale
        return step * np.floor(self.noisy(rng, value, scale) / step) + 0.01 * value


@dataclass(frozen=True)
class Kind:
    """A kind of planted privacy fault, and what is known of its privacy loss.

    Attributes
    ----------
    make : callable
        A class of this module: ``make(sound)`` returns the faulty noise in place of the sound one.
    factor : float
        The exact loss, over transcripts of all releases, divided by the claimed epsilon. It is infinite if an event
        of probability ``chance`` is impossible on the neighbour.
    chance : callable
        Function that returns the probability of an event that shows the whole loss, given the claimed epsilon.
    first_shown : int
        Number of the first release at which the event can be seen, from 1.
    changed_reward : int
        Number of the release, from 1, with the reward in which the two neighbouring inputs differ.
    in_noisy_maxima : bool
        Whether the fault is planted in noisy maxima too.
    """

    make: Callable[[Noise], Faulty]
    factor: float
    chance: Callable[[float], float]
    first_shown: int = 1
    changed_reward: int = 1
    in_noisy_maxima: bool = False

    @property
    def about(self) -> str:
        """The fault in a sentence, such as "There is no noise.": the docstring of ``make`` begins with it."""
        return str(self.make.__doc__).splitlines()[0]


def _half(_: float) -> float:
    return 0.5


def _sure(_: float) -> float:
    return 1.0


# The comments name the event that shows the loss: on the input with the larger value, if not said otherwise.
KINDS: dict[str, Kind] = {
    # The output is at least the larger of the two values.
    "half-the-scale": Kind(HalfScale, 2.0, _half),
    "root-two-missing": Kind(RootTwoMissing, math.sqrt(2.0), _half),
    "a-tenth-missing": Kind(TenthMissing, 1.1, _half),
    "counted-twice": Kind(CountedTwice, 2.0, _half),
    # Both outputs are at least the larger of their two values.
    "added-again": Kind(AddedAgain, 2.0, lambda _: 0.25, first_shown=2),
    "no-noise": Kind(NoNoise, math.inf, _sure, in_noisy_maxima=True),
    "first-without-noise": Kind(FirstWithoutNoise, math.inf, _sure, in_noisy_maxima=True),
    "no-noise-after-ten": Kind(
        NoNoiseAfterTen, math.inf, _sure, first_shown=11, changed_reward=11, in_noisy_maxima=True
    ),
    # A combination of two outputs has no noise.
    "one-draw-for-all": Kind(OneDraw, math.inf, _sure, first_shown=2, in_noisy_maxima=True),
    # On the input with the smaller value: the output is between the two values.
    "one-sided": Kind(OneSided, math.inf, lambda epsilon: -math.expm1(-epsilon)),
    # On the same: the output is more than two scales below the larger value.
    "cut-off": Kind(CutOff, math.inf, lambda epsilon: 0.5 * math.exp(min(epsilon, 2.0) - 2.0)),
    "by-coin": Kind(ByCoin, math.inf, lambda _: 0.1),
    "rounded-and-leaking": Kind(Leaking, math.inf, _sure),
}
