"""Numbers to which random draws were added, for functions of data.

NumPy keeps them in arrays of objects, in which C code finds no number. It has to call ``__float__``, which is heard
and releases the number: this is plain then, and counts as seen. A result without any noise is plain too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from noisetap.affine import Affine
from noisetap.logarithms import logarithm
from noisetap.path import Path
from noisetap.released import add_releasing_operators


class Noisy:
    """A number with noise in a function of data: ``affine``, an offset and multiples of draws, of the run ``path``.

    Sums, and products with plain numbers, keep the noise. Comparisons, and ``int`` of a discrete draw with at most
    250 values, are choices of the run. Rounding keeps the noise of one fresh continuous draw, but not of a gamma
    law; else it releases the result, or a whole number itself. `log` may keep the noise. ``float``, powers,
    remainders, division by the number and most functions release it.
    """

    __slots__ = ("affine", "path")
    __array_priority__ = 1000.0

    def __init__(self, path: Path, affine: Affine) -> None:
        self.path, self.affine = path, affine

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Answer programs that ask whether it is a float; C code asks for the type, and is not answered so."""
        return np.float64

    def _other(self, other: Any) -> Affine | None:
        """Return the other side of an operation as a sum of draws, ``None`` if it is no number."""
        if type(other) is Noisy:
            return other.affine
        if isinstance(other, np.ndarray) and other.ndim == 0:
            other = other[()]
            return self._other(other)
        try:
            return Affine(float(other))
        except (TypeError, ValueError):
            return None

    def _sum(self, other: Any, mine: float, others: float) -> Any:
        """Return ``mine * self + others * other``."""
        if isinstance(other, np.ndarray) and other.ndim:
            return NotImplemented
        right = self._other(other)
        return NotImplemented if right is None else Noisy(self.path, self.affine.times(mine).plus(right, others))

    def __add__(self, other: Any) -> Any:
        return self._sum(other, 1.0, 1.0)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._sum(other, 1.0, -1.0)

    def __rsub__(self, other: Any) -> Any:
        return self._sum(other, -1.0, 1.0)

    def __neg__(self) -> Noisy:
        return Noisy(self.path, self.affine.times(-1.0))

    def __pos__(self) -> Noisy:
        return self

    def __mul__(self, other: Any) -> Any:
        """Multiply by a number; of two numbers with noise this one is released first, unless it is known."""
        if isinstance(other, np.ndarray):
            if other.ndim:
                return NotImplemented
            other = other[()]
        if type(other) is Noisy:
            known = self.path.substituted(self.affine)
            return other * (float(self) if known.terms else known.offset)
        right = self._other(other)
        return NotImplemented if right is None else Noisy(self.path, self.affine.times(right.offset))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            if other.ndim:
                return NotImplemented
            other = other[()]
        right = float(other) if type(other) is Noisy else other
        with np.errstate(all="ignore"):
            return self * np.divide(1.0, right) if isinstance(right, int | float | np.number) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return other / float(self)

    def __pow__(self, other: Any) -> Any:
        return np.float64(float(self)) ** other

    def __rpow__(self, other: Any) -> Any:
        return other ** np.float64(float(self))

    def _above(self, other: Any, sign: float, strict: bool) -> Any:
        """Tell, as NumPy does, whether ``sign`` times this is larger than ``sign`` times another number."""
        if isinstance(other, np.ndarray) and other.ndim:
            return NotImplemented
        right = self._other(other)
        if right is None:
            return NotImplemented
        if math.isinf(right.offset):
            return np.bool_(sign * right.offset < 0)
        return np.bool_(self.path.is_positive(self.affine.plus(right, -1.0).times(sign), strict))

    def __gt__(self, other: Any) -> Any:
        return self._above(other, 1.0, True)

    def __ge__(self, other: Any) -> Any:
        return self._above(other, 1.0, False)

    def __lt__(self, other: Any) -> Any:
        return self._above(other, -1.0, True)

    def __le__(self, other: Any) -> Any:
        return self._above(other, -1.0, False)

    def __eq__(self, other: object) -> Any:
        """Compare; a number with continuous noise equals nothing."""
        right = self._other(other)
        if right is None:
            return NotImplemented
        apart = self.affine.plus(right, -1.0)
        left = self.path.substituted(apart)
        if left.terms and not self.path.is_discrete(left):
            return np.bool_(False)
        return np.bool_(self.path.is_positive(apart, False) and self.path.is_positive(apart.times(-1.0), False))

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else np.bool_(not same)

    def __bool__(self) -> bool:
        return bool(self != 0.0)

    def __abs__(self) -> Noisy:
        return self if self >= 0.0 else -self

    def __float__(self) -> float:
        return float(self.path.release(self.affine))

    def __int__(self) -> int:
        left = self.path.substituted(self.affine)
        return self.path.choose_value(left) if self.path.is_discrete(left) else int(float(self.__trunc__()))

    def __index__(self) -> int:
        return self.path.choose_value(self.affine)

    def __trunc__(self) -> Any:
        return self.__floor__() if self >= 0.0 else -((-self).__floor__())

    def _rounded_down(self, unit: float, offset: float) -> Any:
        """Return ``floor(self / unit + offset) * unit``, with noise if it can stay hidden."""
        of = self.path.rounded_down(self.affine, unit, offset)
        return Noisy(self.path, of) if of.terms else of.offset if unit != 1.0 else int(of.offset)

    def __floor__(self) -> Any:
        return self._rounded_down(1.0, 0.0)

    def __ceil__(self) -> Any:
        return -((-self).__floor__())

    def __round__(self, digits: int | None = None) -> Any:
        return self._rounded_down(10.0 ** -(digits or 0), 0.5)

    def rint(self) -> Any:
        """Round to a whole number, halves up (NumPy: to even); return one with noise, or a released int."""
        return self._rounded_down(1.0, 0.5)

    def __hash__(self) -> int:
        return hash(float(self))

    def __str__(self) -> str:
        return str(float(self))

    __repr__ = __str__

    def __format__(self, how: str) -> str:
        digits = re.fullmatch(r"[^.%eEgGn]*\.(\d+)f", how)  # Digits in a text tell a cell, not the number.
        return format(float(self if digits is None else self.__round__(int(digits[1]))), how)

    def __reduce__(self) -> Any:
        raise self.path.refuse("a number with noise is pickled")

    def __deepcopy__(self, memo: Any) -> Noisy:
        return self

    __copy__ = conjugate = item = copy = __pos__

    @property
    def real(self) -> Noisy:
        """Return the number itself."""
        return self

    @property
    def imag(self) -> float:
        """Return 0."""
        return 0.0

    shape, ndim, size = (), 0, 1

    def is_integer(self) -> bool:
        """Release the number, and return whether it is whole."""
        return float(self).is_integer()

    def sign(self) -> float:
        """Return the sign, -1, 0 or 1, by comparisons of the number with 0, which are choices of the run."""
        return 1.0 if self > 0.0 else (-1.0 if self < 0.0 else 0.0)

    def log(self) -> Any:
        """Return the logarithm; it releases all but uniform numbers on [0, c) and uncompared exponential ones."""
        found = logarithm(self.path, self.affine)
        return np.log(float(self)) if found is None else Noisy(self.path, found)

    def log1p(self) -> Any:
        """Return the logarithm of 1 plus the number; like `log`, it keeps the noise or releases the number."""
        return (self + 1.0).log()

    def log2(self) -> Any:
        """Return the binary logarithm; like `log`, it keeps the noise or releases the number."""
        return self.log() / math.log(2.0)

    def log10(self) -> Any:
        """Return the decimal logarithm; like `log`, it keeps the noise or releases the number."""
        return self.log() / math.log(10.0)

    floor, ceil, trunc, fabs = __floor__, __ceil__, __trunc__, __abs__

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        return apply_function(func, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        """Answer NumPy, which asks the elements of an array of objects for functions of one argument by name."""
        if name in _RELEASING:
            function = getattr(np, name)
            return lambda *_: function(float(self))
        if name in ("dtype",):
            return np.dtype(np.float64)
        if name in ("sum", "mean", "min", "max", "astype", "flatten", "ravel", "clip", "round", "tolist"):
            return getattr(_boxed(self), name) if name not in ("tolist", "astype") else lambda *_: self
        if name in _ABOUT:
            return _ABOUT[name]
        if name in ("item", "conjugate", "conj", "squeeze"):
            return lambda *_: self
        if name in _OF_FLOATS:  # Told that there is none, a program could go another way than with a float.
            raise self.path.refuse(f"the attribute {name!r} of a number with noise")
        raise AttributeError(name)


add_releasing_operators(Noisy)
_ABOUT = {"ndim": 0, "shape": (), "size": 1, "itemsize": 8}  # What every number without axes answers.
_OF_FLOATS = frozenset(name for name in (*dir(np.float64), *dir(float)) if not name.startswith("_"))
# NumPy's functions of one argument that need not release a number, and the method that answers for them.
ELEMENTWISE = {name: name for name in ("log", "log1p", "log2", "log10", "sign", "rint", "floor", "ceil", "trunc")}
ELEMENTWISE |= {"absolute": "__abs__", "fabs": "__abs__"}
_RELEASING = frozenset(  # Of one argument: what they return is a function of the released number alone.
    name for name, f in vars(np).items() if isinstance(f, np.ufunc) and (f.nin, f.nout) == (1, 1)
).difference(ELEMENTWISE)


class NoisyArray(np.ndarray[Any, Any]):
    """Array of objects, which are numbers with noise (`Noisy`) or plain numbers."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Apply a function to each element; what no element can do is done with what is released."""
        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        """Apply a function to an array of objects, or else to what is released."""
        return apply_function(func, args, kwargs)


def _boxed(value: Any) -> Any:
    """Return one number with noise as an array without axes."""
    box: Any = np.empty((), object)
    box[()] = value
    return box.view(NoisyArray)


def _as_objects(value: Any) -> Any:
    """Return what NumPy's own functions take: arrays of objects."""
    if type(value) is Noisy:
        return _boxed(value).view(np.ndarray)
    if isinstance(value, NoisyArray):
        return value.view(np.ndarray)
    if isinstance(value, list | tuple):
        return type(value)(_as_objects(v) for v in value) if type(value) in (list, tuple) else value
    return value


def _released(value: Any) -> Any:
    """Release all numbers with noise in a value, and return it with these numbers."""
    if type(value) is Noisy:
        return float(value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.array([float(v) for v in value.ravel()]).reshape(value.shape)
    if type(value) in (list, tuple):
        return type(value)(_released(v) for v in value)
    return value


def _as_noisy_array(value: Any) -> Any:
    """Return a result of NumPy's as an array that hears, or as plain numbers if nothing in it has noise."""
    if type(value) is tuple:
        return tuple(_as_noisy_array(v) for v in value)
    if not isinstance(value, np.ndarray) or value.dtype != object:
        return value
    kinds = set(map(type, value.ravel().tolist()))
    if Noisy not in kinds:
        try:
            kind = bool if kinds and kinds <= {bool, np.bool_} else float
            numbers = value.astype(kind)
        except (TypeError, ValueError):
            return value
        return numbers if numbers.ndim else numbers[()]
    return value.view(NoisyArray) if value.ndim else value[()]


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Apply a NumPy ufunc to numbers with noise; if it cannot compute with objects, release the numbers first.

    Parameters
    ----------
    ufunc, method, inputs, kwargs
        Ufunc, name of its method, its arguments, and its options, as ``__array_ufunc__`` gets them.
    """
    targets = kwargs.pop("out", None) or ()
    name = ufunc.__name__
    if method == "__call__" and name in ELEMENTWISE:
        function: Callable[[Any], Any] = getattr(Noisy, ELEMENTWISE[name])
        array = _as_objects(inputs[0])
        heard = np.empty(np.shape(array), object)
        for at in np.ndindex(heard.shape):
            element = array[at]
            heard[at] = function(element) if type(element) is Noisy else ufunc(element)
        said: Any = heard
    else:
        options = {k: v for k, v in kwargs.items() if k not in ("dtype", "casting", "subok", "order")}
        try:
            said = getattr(ufunc, method)(*(_as_objects(i) for i in inputs), **options)
        except TypeError:
            said = getattr(ufunc, method)(*(_released(i) for i in inputs), **options)
    said = _as_noisy_array(said)
    if targets and targets[0] is not None:
        targets[0][...] = said
        return targets[0]
    return said


def _mean(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Average: NumPy's own asks the sum for its float."""
    total = np.sum(a, axis=axis, keepdims=keepdims)
    return total / (np.size(a) // max(np.size(total), 1) or 1)


_INSTEAD: dict[Any, Callable[..., Any]] = {np.mean: _mean}


def apply_function(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Apply a NumPy function, no ufunc, to numbers with noise; if it cannot take objects, release them first."""
    target = kwargs.pop("out", None)
    func = _INSTEAD.get(func, func)
    options = {k: _as_objects(v) for k, v in kwargs.items() if k != "dtype"}
    try:
        said = func(*(_as_objects(a) for a in args), **options)
    except TypeError:
        said = func(*(_released(a) for a in args), **{k: _released(v) for k, v in kwargs.items()})
    said = _as_noisy_array(said)
    if target is not None:
        target[...] = said
        return target
    return said
