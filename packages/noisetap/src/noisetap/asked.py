"""Parameters of the draws that a program asks for, checked as NumPy checks them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from noisetap.heard import NoiseArray, NoiseNumber
from noisetap.seeds import check_by_numpy
from noisetap.tape import Refused

_current: list[Any] = []


def current_run() -> Any:
    """Return the record of the run that draws: the `Tape` of a policy, or the `Path` of a function of data.

    Raises
    ------
    Refused
        If there is no such run: a generator is used after its run.
    """
    if not _current:
        raise Refused("a listener draws while nobody listens: a generator outlived its run")
    return _current[-1]


class CheckedParameters:
    """Base of the stand-ins for NumPy's generators: it checks the parameters that a program gives to draws.

    A parameter that NumPy refuses raises NumPy's error, but not in an impossible run, whose released numbers
    contradict its comparisons. One whose effect is not recorded, such as ``axis=1`` of a shuffle, is refused.
    """

    # Whether a `RandomState` is stood in for, and whether draws are those of functions of data.
    legacy: ClassVar[bool] = False
    of_data: ClassVar[bool] = False

    def _parameter(self, value: Any) -> Any:
        """Return a parameter as it is checked; a draw cannot be one."""
        if isinstance(value, NoiseNumber | NoiseArray):
            raise current_run().refuse("a draw is the parameter of a draw")
        return value

    @staticmethod
    def _by_numpy(legacy: bool, name: str, *values: Any, **more: Any) -> None:
        """Raise what NumPy raises of a draw, but not in a run that cannot be, whose parameters none has."""
        try:
            check_by_numpy(legacy, name, *values, **more)
        except ValueError:
            if not current_run().is_impossible():
                raise

    def _check(self, name: str, *values: Any, free: int = 0) -> Any:
        """Raise what NumPy raises of the parameters of a draw, and return them.

        Parameters
        ----------
        name, values
            NumPy's name of the draw, and its parameters.
        free
            How many of them, the first ones, may have any value.
        """
        known = *values[:free], *(self._parameter(v) for v in values[free:])
        # Most scales are plain numbers above 0, of which NumPy need not be asked.
        if not free or type(known[-1]) not in (float, int) or not 0 < known[-1] < math.inf:
            self._by_numpy(self.legacy, name, *(0.0,) * free, *known[free:])
        return known if len(known) > 1 else known[0]

    def _width(self, low: Any, high: Any) -> Any:
        """Return the width of a range of uniform numbers; raise what NumPy raises of it."""
        if not self.of_data:
            self._parameter(low)
        width = self._parameter(high - low if type(low) is type(high) is float else np.subtract(high, low))
        if type(width) is not float or not 0 < width < math.inf:
            self._by_numpy(self.legacy, "uniform", 0.0, width)
        return width

    def _into(self, name: str, drawn: Callable[[Any], Any], size: Any, dtype: Any, out: Any) -> Any:
        """Draw into an array that is given, or return what is drawn; raise what NumPy raises of both.

        Parameters
        ----------
        name
            NumPy's name of the draw.
        drawn
            Draws numbers of a size.
        size, dtype, out
            As NumPy takes them. Numbers stand for real ones, so that ``float32`` is as good as ``float64``.
        """
        if out is None and dtype is np.float64:
            return drawn(size)
        if self.legacy:
            raise TypeError(f"{name}() got an unexpected keyword argument: 'dtype' and 'out' are a Generator's")
        # Not by np.empty, whose arrays may hold noise while a function is listened to.
        given = None if out is None else np.ndarray(out.shape, dtype if out.dtype == object else out.dtype)
        first = (1.0,) if name == "standard_gamma" else ()
        self._by_numpy(False, name, *first, size=size if given is not None else None, dtype=dtype, out=given)
        found = drawn(size if out is None else out.shape)
        if out is None:
            return found
        if isinstance(found, NoiseNumber | NoiseArray):
            raise current_run().refuse(f"{name} with out: draws are written into an array before they are added")
        out[...] = found
        return out

    def _check_choice(
        self, items: Any, size: Any, replace: bool, p: Any, axis: int, shuffle: bool, number: int | None = None
    ) -> None:
        """Raise what NumPy raises of a choice, and refuse what would change it.

        Parameters
        ----------
        items
            What is chosen from, or how many.
        size, replace, p, axis, shuffle
            As NumPy takes them.
        number
            How many things there are, if ``items`` are not a number.
        """
        if self.legacy and (axis != 0 or not shuffle):
            raise TypeError("choice() got an unexpected keyword argument: 'axis' and 'shuffle' are a Generator's")
        if self.legacy and number is not None and np.ndim(items) > 1:
            raise ValueError("a must be 1-dimensional")
        # Without replacement, things that are not shuffled come in an order that is not heard.
        if axis != 0 or not (shuffle or replace or size is None):
            raise current_run().refuse("choice with axis or shuffle=False")
        self._by_numpy(self.legacy, "choice", items if number is None else number, size, replace, p)

    def _check_axis(self, name: str, axis: int) -> None:
        """Refuse an order along another axis than the first."""
        if axis != 0:
            raise current_run().refuse(f"{name} with axis={axis}")


def _shape(size: Any) -> tuple[int, ...]:
    """Return a size as a shape; raise what NumPy raises of it."""
    shape = (operator.index(size),) if np.ndim(size) == 0 else tuple(operator.index(n) for n in size)
    if any(n < 0 for n in shape):
        raise ValueError("negative dimensions are not allowed")
    return shape


def _between(low: Any, high: Any, endpoint: bool) -> tuple[int, int]:
    """Return the first whole number and the end of those that are drawn from."""
    if np.ndim(low) or np.ndim(high):
        raise current_run().refuse("whole numbers between arrays")
    low, high = (0, low) if high is None else (low, high)
    return int(low), int(high) + bool(endpoint)
