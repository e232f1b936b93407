"""Random draws in policies, as numbers and arrays that record what they are added to or compared with.

The record is the `Tape` of the run. A draw that is added to a number gives a plain number, the output. A coin is a
draw that only makes a choice. Operations and shapes are those of NumPy. What cannot be heard is refused with its
line.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from noisetap.tape import Draw, Tape

# Comparisons that tell the side, by whether they ask for the upper one; and those that do not.
_RANK = {"less": False, "less_equal": False, "greater": True, "greater_equal": True}
_PLAIN: dict[str, Callable[[Any, Any], Any]] = {"equal": operator.eq, "not_equal": operator.ne}


def _apply(tape: Tape, draw: Draw, factor: float, name: str, other: Any, reflected: bool) -> Any:
    """Record an operation of a draw with a number, and return its result.

    Parameters
    ----------
    tape, draw, factor
        Record of the run, the draw, and the factor that the draw is multiplied by.
    name
        NumPy's name of the operation, such as ``add``.
    other
        The other number.
    reflected
        Whether it stands on the left side.
    """
    if name in _PLAIN:
        draw.unheard_use = draw.unheard_use or "integer"
        return _PLAIN[name](factor * draw.value, other)
    try:
        number = float(other)
    except (TypeError, ValueError):
        raise tape.refuse(f"a draw meets a {type(other).__name__} in {name}") from None
    if name == "add":
        return np.float64(tape.add(draw, number, factor))
    if name == "subtract":
        return np.float64(tape.add(draw, number, -factor) if reflected else tape.add(draw, -number, factor))
    if name == "multiply":
        return NoiseNumber(tape, draw, factor * number)
    if name == "divide" and not reflected:
        return NoiseNumber(tape, draw, factor / number)
    if name in _RANK:
        return tape.compare(draw, number, factor, _RANK[name] != reflected)
    raise tape.refuse(f"a draw goes through {name}")


class NoiseNumber:
    """One random draw times a factor, as a policy gets it; a sum with a number is a plain number, the output.

    Multiplied by a number it stays such a draw, and comparisons give truth values. After ``==``, ``int`` or
    ``bool`` it counts as a coin (a random choice); what is done with its ``float`` is not recorded. Most other
    operations raise `Refused`. It is no number of NumPy's, which C code could read: that has to call ``__float__``.
    """

    __slots__ = ("draw", "factor", "tape")
    __array_priority__ = 1000.0

    def __init__(self, tape: Tape, draw: Draw, factor: float = 1.0) -> None:
        self.tape, self.draw, self.factor = tape, draw, factor

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Class that programs see: a float of NumPy's."""
        return np.float64

    shape, ndim, size = (), 0, 1

    def apply(self, name: str, other: Any, reflected: bool) -> Any:
        """Record an operation with a number or an array on the tape of the run, and return its result.

        A sum or difference is a plain number, a multiple is a draw again, and a comparison is a truth value. After
        a test of equality the draw counts as a coin (a random choice). Other operations raise `Refused`, and so
        does a draw on the other side.

        Parameters
        ----------
        name
            NumPy's name of the operation, such as ``add``.
        other
            Number or array on the other side.
        reflected
            Whether ``other`` stands on the left side.
        """
        if isinstance(other, NoiseNumber | NoiseArray):
            raise self.tape.refuse(f"a draw meets a draw in {name}, before it is added to a number")
        shape = np.shape(other)
        if shape:
            same = NoiseArray(self.tape, np.full(shape, self.draw, object), np.full(shape, self.factor))
            return same.apply(name, other, reflected)
        return _apply(self.tape, self.draw, self.factor, name, other, reflected)

    def _plainly(self, use: str, value: Any) -> Any:
        # A whole number or a truth value is a coin; a float is out of hearing.
        self.draw.unheard_use = use if self.draw.unheard_use != "number" else "number"
        return value

    def __neg__(self) -> Any:
        """Return the draw with the opposite sign."""
        return NoiseNumber(self.tape, self.draw, -self.factor)

    def __pos__(self) -> Any:
        """Return the draw itself."""
        return self

    def __int__(self) -> int:
        """Return a whole number; the draw counts as a coin from now on."""
        return int(self._plainly("integer", int(self.factor * self.draw.value)))

    def __bool__(self) -> bool:
        """Return a truth value; the draw counts as a coin from now on."""
        return bool(self._plainly("integer", bool(self.factor * self.draw.value)))

    def __float__(self) -> float:
        """Return the number; what is done with it is not heard."""
        return float(self._plainly("number", self.factor * self.draw.value))

    def __eq__(self, other: object) -> Any:
        """Compare by ``==``; the draw counts as a coin from now on."""
        return self.apply("equal", other, False)

    def __ne__(self, other: object) -> Any:
        """Compare by ``!=``; the draw counts as a coin from now on."""
        return self.apply("not_equal", other, False)

    def __hash__(self) -> int:
        """Return the hash of the number; what is done with it is not heard."""
        return hash(float(self))

    def __reduce__(self) -> Any:
        """Refuse to be pickled: what comes back could not hear."""
        raise self.tape.refuse("a draw is pickled or copied")

    def __deepcopy__(self, memo: Any) -> NoiseNumber:
        """Return the draw itself: a copy is the same draw."""
        return self

    def __copy__(self) -> NoiseNumber:
        """Return the draw itself: a copy is the same draw."""
        return self

    def item(self, *_: Any) -> Any:
        """Return the draw itself, where NumPy would return a plain float, which records nothing."""
        return self

    def __index__(self) -> int:
        """Return a whole number; the draw counts as a coin from now on."""
        return int(self)

    def __complex__(self) -> complex:
        """Return the number; what is done with it is not heard."""
        return complex(float(self))

    def __str__(self) -> str:
        """Return the number as text; what is done with it is not heard."""
        return str(float(self))

    __repr__ = __str__

    def __format__(self, how: str) -> str:
        """Return the number as text; what is done with it is not heard."""
        return format(float(self), how)

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Refuse to become an array of plain numbers."""
        raise self.tape.refuse("a draw is stored in an array of numbers before it is added")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Hear NumPy's functions of one and two arguments; refuse the others."""
        return _from_ufunc(self.tape, ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Refuse NumPy's other functions."""
        raise self.tape.refuse(f"a draw goes through np.{func.__name__}")

    def __getattr__(self, name: str) -> Any:
        """Refuse what is not heard."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise self.tape.refuse(f"a draw goes through .{name}")


class NoiseArray:
    """Array of random draws, each times a factor; no array of NumPy's, so that no code reads its numbers unseen.

    ``draws`` is an array of `Draw` objects, and ``factors`` one of floats of the same shape. Sums with numbers are
    arrays of plain numbers, multiples arrays of draws, comparisons arrays of truth values.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tape: Tape, draws: Any, factors: Any) -> None:
        self.tape, self.draws, self.factors = tape, draws, factors

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return tuple(self.draws.shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return int(self.draws.ndim)

    @property
    def size(self) -> int:
        """Number of draws."""
        return int(self.draws.size)

    @property
    def T(self) -> NoiseArray:  # noqa: N802
        """Transpose of the array, of the same draws."""
        return NoiseArray(self.tape, self.draws.T, self.factors.T)

    def __len__(self) -> int:
        """Return the length of the first axis."""
        return len(self.draws)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the first axis."""
        return (self[i] for i in range(len(self)))

    def __getitem__(self, at: Any) -> Any:
        """Return one draw, or an array of some of them that shares their places."""
        draws, factors = self.draws[at], self.factors[at]
        return (
            NoiseNumber(self.tape, draws, factors)
            if isinstance(draws, Draw)
            else NoiseArray(self.tape, draws, factors)
        )

    def __setitem__(self, at: Any, other: Any) -> None:
        """Put a draw in the place of another; numbers are refused."""
        if isinstance(other, NoiseNumber):
            self.draws[at], self.factors[at] = other.draw, other.factor
        elif isinstance(other, NoiseArray):
            self.draws[at], self.factors[at] = other.draws, other.factors
        else:
            raise self.tape.refuse("a number is written among draws")

    def reshape(self, *shape: Any) -> NoiseArray:
        """Return the same draws in another shape."""
        return NoiseArray(self.tape, self.draws.reshape(*shape), self.factors.reshape(*shape))

    def copy(self) -> NoiseArray:
        """Return a copy of the array, whose elements can be replaced; the draws stay the same draws."""
        return NoiseArray(self.tape, self.draws.copy(), self.factors.copy())

    def __neg__(self) -> NoiseArray:
        """Return the draws with opposite signs."""
        return NoiseArray(self.tape, self.draws, -self.factors)

    def apply(self, name: str, other: Any, reflected: bool) -> Any:
        """Apply an operation with ``other``, element by element; refused if ``other`` is itself a draw.

        Draws times a number, or divided by one, are an array of draws with other factors. Any other operation goes
        to the tape and gives a plain array. ``name`` is NumPy's name of the operation, such as ``add``. ``other``
        is a number or an array, on the left side if ``reflected``.
        """
        if isinstance(other, NoiseNumber | NoiseArray):
            raise self.tape.refuse(f"a draw meets a draw in {name}, before it is added to a number")
        numbers = np.asarray(other, float)
        shape = np.broadcast_shapes(self.shape, numbers.shape)
        draws = np.broadcast_to(self.draws, shape)
        factors = np.broadcast_to(self.factors, shape)
        numbers = np.broadcast_to(numbers, shape)
        if name in ("multiply", "divide") and not (name == "divide" and reflected):
            return NoiseArray(
                self.tape, draws.copy(), factors * numbers if name == "multiply" else factors / numbers
            )
        said = [
            _apply(self.tape, d, f, name, v, reflected)
            for d, f, v in zip(draws.ravel(), factors.ravel(), numbers.ravel(), strict=True)
        ]
        return np.asarray(said).reshape(shape)

    def __str__(self) -> str:
        """Refuse to become a text."""
        raise self.tape.refuse("draws are written as text")

    __repr__ = __str__

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Refuse to become an array of plain numbers."""
        raise self.tape.refuse("draws are stored in an array of numbers before they are added")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Hear NumPy's functions of one and two arguments; refuse the others."""
        return _from_ufunc(self.tape, ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Refuse NumPy's other functions."""
        raise self.tape.refuse(f"draws go through np.{func.__name__}")

    def __getattr__(self, name: str) -> Any:
        """Refuse what is not heard."""
        if name.startswith("__") or name in ("tape", "draws", "factors"):
            raise AttributeError(name)
        raise self.tape.refuse(f"draws go through .{name}")


def _from_ufunc(tape: Tape, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Hear a NumPy function of two arguments, or a change of sign; refuse any other.

    Parameters
    ----------
    tape, ufunc, method, inputs, kwargs
        The tape, and what ``__array_ufunc__`` gets.
    """
    name = ufunc.__name__
    out = kwargs.get("out")
    if method != "__call__" or set(kwargs) - {"out"}:
        raise tape.refuse(f"a draw goes through np.{name}.{method}")
    if name == "negative":
        return -inputs[0]
    if len(inputs) != 2:
        raise tape.refuse(f"a draw goes through np.{name}")
    first, second = inputs
    reflected = not isinstance(first, NoiseNumber | NoiseArray)
    heard, other = (second, first) if reflected else (first, second)
    said = heard.apply("divide" if name == "true_divide" else name, other, reflected)
    if out is None:
        return said
    if isinstance(said, NoiseNumber | NoiseArray):
        raise tape.refuse("draws are written into an array of numbers before they are added")
    out[0][...] = said
    return out[0]


def _operators() -> None:
    """Give both classes Python's operators, plain and reflected."""
    names = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "power"}
    names |= {"mod": "remainder", "floordiv": "floor_divide", "divmod": "divmod", "matmul": "matmul"}
    names |= {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}
    names |= {"lshift": "left_shift", "rshift": "right_shift"}
    ranks = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}

    def operation(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
        return lambda self, other: self.apply(name, other, reflected)

    def refusal(name: str) -> Callable[..., Any]:
        def refuse(self: Any, *_: Any) -> Any:
            raise self.tape.refuse(f"a draw goes through {name}")

        return refuse

    for cls in (NoiseNumber, NoiseArray):
        for short, name in names.items():
            setattr(cls, f"__{short}__", operation(name, False))
            setattr(cls, f"__r{short}__", operation(name, True))
        for short, name in ranks.items():
            setattr(cls, f"__{short}__", operation(name, False))
        for name in ("abs", "round", "floor", "ceil", "trunc", "invert"):
            setattr(cls, f"__{name}__", refusal(name))
    NoiseArray.__eq__ = operation("equal", False)  # type: ignore[method-assign]


_operators()


class DrawnInteger(int):
    """A whole number that was drawn, such as the index of an arm.

    Sums, differences, products and ratios with it are plain numbers, and mark its draw as used in arithmetic. All
    other operations are those of ``int``.
    """

    draw: Draw
    # Operators that note arithmetic are set below the class, by the loop over `_noted`.

    def __new__(cls, draw: Draw, value: int) -> DrawnInteger:
        """Make the number."""
        made = super().__new__(cls, value)
        made.draw = draw
        return made


def _noted(name: str) -> Callable[[Any, Any], Any]:
    """Return the operation of ``int`` of this name, which notes arithmetic on the draw."""
    plain = getattr(int, name)

    def operation(self: DrawnInteger, other: Any) -> Any:
        self.draw.unheard_use = "arithmetic"
        return plain(int(self), other)

    return operation


for _name in ("add", "sub", "mul", "truediv"):
    setattr(DrawnInteger, f"__{_name}__", _noted(f"__{_name}__"))
    setattr(DrawnInteger, f"__r{_name}__", _noted(f"__r{_name}__"))
