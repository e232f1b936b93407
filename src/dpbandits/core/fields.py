"""Values that people give: each has a type, a range, a default or a formula for it, and a meaning.

`Parameter` declares a number of an algorithm, `Option` what a configuration may set of a figure, a computation or a
test. The functions check what has no declaration: parameters of environments. `dpbandits.core.arguments` has those
for arguments of Python. All raise `BadInput` with what is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np

from dpbandits.core.errors import BadInput, Keys, suggest, within

# The largest number that is finite.
LARGEST = math.nextafter(math.inf, 0.0)
# The largest root seed, of configurations, of jobs, and of the command line.
MOST_ROOT_SEED = 2**64 - 1

Value = int | float | str
# Values of parameters by name: numbers to reckon with, but for `base`, a name.
Values = Mapping[str, Any]


class Tuning(NamedTuple):
    """Facts on which tuned constants of an algorithm may depend.

    Attributes
    ----------
    horizon
        T, the number of rounds, >= 1. For a wrapped base: its number of decisions, which may be a fraction.
    arms
        Number K of arms.
    epsilon
        The privacy budget, ``None`` without privacy.
    experts
        Number N of experts, 0 in a setting without experts.
    noise
        Scale lambda of the Laplace noise on the losses that the algorithm sees; 0 without.
    facts
        Further public facts of the environment by name, such as a dimension or a corruption probability.
    """

    horizon: float
    arms: int
    epsilon: float | None = None
    experts: int = 0
    noise: float = 0.0
    facts: Mapping[str, float] = MappingProxyType({})


Formula = Callable[[Tuning, Values], float]


def one_over_horizon(tuning: Tuning, _: Values) -> float:
    """1/T"""
    return 1.0 / tuning.horizon


def real(key: Keys | str | int, value: object, low: float, high: float, allowed: str) -> float:
    """Return ``value`` if it is a number in [low, high]; a text, True and False do not count as numbers.

    Parameters
    ----------
    key
        The value's name in an error, or its path of names.
    value
        The value to check, as a person or a file wrote it.
    low, high
        Smallest and largest value that is allowed; may be infinite.
    allowed
        The allowed values in words, for the error.

    Raises
    ------
    BadInput
        If it is no such value.
    """
    # A number of NumPy, or an array of no dimensions, counts as the number in it.
    found = value.item() if isinstance(value, np.generic | np.ndarray) and value.ndim == 0 else value
    if isinstance(found, bool) or not isinstance(found, Real) or not low <= cast(float, found) <= high:
        raise BadInput(key, value, allowed)
    return cast(float, found)


def whole(key: Keys | str | int, value: object, low: float, high: float, allowed: str) -> int:
    """Return ``value`` as an ``int`` if it is a whole number in [low, high], even if it is written as ``1e5``.

    Parameters
    ----------
    key, value, low, high, allowed
        Name, value, smallest and largest allowed value, and these in words, as `real` takes them.

    Raises
    ------
    BadInput
        If it is no such value.
    """
    found = real(key, value, low, high, allowed)
    if not math.isfinite(found) or found % 1:
        raise BadInput(key, value, allowed)
    return int(found)


@dataclass(frozen=True)
class Parameter:
    """A number that an algorithm takes.

    Attributes
    ----------
    name, description
        Name of the parameter in the paper, and its meaning with the unit.
    type
        ``int`` or ``float``.
    default
        The value if none is given, the paper's if it has one. It is a number, or a function of a `Tuning` (T, K,
        budget) and the parameters before this one, by name. Its docstring's first line is the formula shown.
    above, at_least
        The value must be > ``above`` and >= ``at_least``.
    below, at_most
        The value must be < ``below`` and <= ``at_most``.
    at_most_horizon
        Whether the value must also be at most the number T of rounds.
    """

    name: str
    type: type[int] | type[float]
    default: float | Formula
    description: str
    above: float = -math.inf
    at_least: float = -math.inf
    below: float = math.inf
    at_most: float = math.inf
    at_most_horizon: bool = False

    def check(self, value: object, tuning: Tuning) -> Value:
        """Return ``value`` in the parameter's type; `BadInput` unless it is finite and in the range."""
        allowed = f"{'an integer' if self.type is int else 'a number'} {self.range}"
        if self.at_most_horizon:
            allowed += f" = {tuning.horizon:.0f}"
        found = (whole if self.type is int else real)((), value, self.at_least, self.largest(tuning), allowed)
        if not (self.above < found < self.below and math.isfinite(found)):
            raise BadInput((), value, allowed)
        return self.type(found)

    def largest(self, tuning: Tuning) -> float:
        """Return the smaller of ``at_most`` and, if T is a limit, ``tuning``'s T; ``below`` is not looked at."""
        return min(self.at_most, tuning.horizon) if self.at_most_horizon else self.at_most

    def default_at(self, tuning: Tuning, before: Values) -> tuple[Value, str]:
        """Return the default value for ``tuning`` (T, K, budget), and a note if its formula exceeds the range.

        A formula's value above ``at_most`` or T, such as a mixing weight above 1, makes the theorem vacuous. Then
        the default is that largest value, and the note says so; else the note is empty. Other limits are not
        looked at. ``before`` has the values of the parameters before this one, by name: formulas may use them.
        """
        if not callable(self.default):
            return self.type(self.default), ""
        value = self.default(tuning, before)
        largest = self.largest(tuning)
        if value <= largest:
            return self.type(value), ""
        end = self.type(largest)
        return end, f"{self.name}: its formula gives {value:.6g}, beyond {self.range}; {end:g} is used"

    @property
    def default_text(self) -> str:
        """The default in words: its formula, such as "1/T", or its number."""
        return str(self.default.__doc__).splitlines()[0] if callable(self.default) else f"{self.default:g}"

    @property
    def range(self) -> str:
        """The allowed range in words, such as "> 0 and <= T"; empty without limits."""
        parts = [f"> {self.above:g}"] if self.above > -math.inf else []
        parts += [f">= {self.at_least:g}"] if self.at_least > -math.inf else []
        parts += [f"< {self.below:g}"] if self.below < math.inf else []
        parts += [f"<= {self.at_most:g}"] if self.at_most < math.inf else []
        parts += ["<= T"] if self.at_most_horizon else []
        return " and ".join(parts)


# Parameters of an environment by name, as JSON data: only its kind knows what each is.
Parameters = Mapping[str, Any]
# Values of options by name: each is of the kind of its default.
Options = Mapping[str, Any]


@dataclass(frozen=True)
class Option:
    """An option that a configuration may set of a figure, a computation or a test.

    Attributes
    ----------
    default
        Value of the option if none is given. A given value must have the same type, where an integer may stand for
        a float. Elements of a list must have types of the default's elements, if any; int and float count as one.
        Numbers must be finite, > 0 if all of the default's are, and >= 0 if its smallest is 0. Of a mapping nothing
        inside is checked.
    description
        Meaning of the option, with its unit.
    """

    default: bool | int | float | str | list[Any] | dict[str, Any]
    description: str


def resolve(options: Mapping[str, Option], given: Options) -> Options:
    """Return the values of all ``options`` by name: the checked ones of ``given``, and defaults for the rest.

    Raises
    ------
    BadInput
        For an unknown name, or a value unlike the default in type or sign.
    """
    values: dict[str, Any] = {name: option.default for name, option in options.items()}
    for name, value in given.items():
        if name not in options:
            raise BadInput(name, value, suggest(name, options, empty="no options"))
        default = options[name].default
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not type(default):
            raise BadInput(name, value, "an integer" if type(default) is int else _kind(default))
        with within(name):
            _check_built_like([default], value)
        values[name] = value
    return values


def _kind(value: object) -> str:
    """Return in words what kind of data a value is."""
    kinds = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "a mapping",
    }
    return kinds.get(type(value), "nothing")


def _numbers(value: object) -> Iterator[float]:
    """Yield the numbers in a value, at every depth of lists."""
    if isinstance(value, list):
        for element in value:
            yield from _numbers(element)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def _check_built_like(examples: Sequence[Any], value: Any) -> None:
    """Raise `BadInput` unless a value of the examples' kind is built like them."""
    if isinstance(value, list):
        inner = [element for example in examples if isinstance(example, list) for element in example]
        known = sorted({_kind(element) for element in inner})
        for i, element in enumerate(value):
            if known and _kind(element) not in known:
                raise BadInput(i, element, " or ".join(known))
            with within(i):
                _check_built_like(inner, element)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        least = min((one for example in examples for one in _numbers(example)), default=-math.inf)
        sign = " > 0" if least > 0 else " >= 0" if least == 0 else ""
        low = math.nextafter(0.0, 1.0) if least > 0 else 0.0 if least == 0 else -LARGEST
        real((), value, low, LARGEST, f"a finite number{sign}")


def complete(given: Parameters, *keys: str, **defaults: Any) -> dict[str, Any]:
    """Return ``given`` with ``defaults`` filled in; `BadInput` for an unknown key, or a missing one of ``keys``."""
    found = defaults | dict(given)
    for key in given:
        if key not in (*keys, *defaults):
            raise BadInput(key, given[key], suggest(key, (*keys, *defaults)))
    for key in keys:
        if key not in given:
            raise BadInput((), found, f"a mapping with the key {key!r}")
    return found


# Each of these checks ``given[key]`` of a mapping or a list and returns it, or raises `BadInput` with that key.


def choice(given: Parameters, key: str, known: Iterable[str]) -> str:
    """Return ``given[key]`` if it is one of the ``known`` names.

    Raises
    ------
    BadInput
        If it is none of them.
    """
    names = list(known)
    if given[key] not in names:
        raise BadInput(key, given[key], suggest(given[key], names))
    return str(given[key])


def number(given: Any, key: str | int, low: float, high: float, allowed: str | None = None) -> float:
    """Return ``given[key]`` as a float if it is a number in [low, high].

    Parameters
    ----------
    given
        Values by name, or a list of them.
    key
        Name or index of the value to check.
    low, high
        Smallest and largest value that is allowed.
    allowed
        The allowed values in words, where there is more to say than the range.

    Raises
    ------
    BadInput
        If it is no such value.
    """
    return float(real(key, given[key], low, high, allowed or f"a number in [{low:g}, {high:g}]"))


def integer(given: Any, key: str | int, low: int, high: int, allowed: str | None = None) -> int:
    """Return ``given[key]`` as an ``int`` if it is a whole number from ``low`` to ``high``.

    Parameters
    ----------
    given, key, low, high, allowed
        Values, name or index, smallest and largest allowed value, and these in words, as `number` takes them.

    Raises
    ------
    BadInput
        If it is no such value.
    """
    return whole(key, given[key], low, high, allowed or f"an integer in [{low:g}, {high:g}]")


def numbers(given: Any, key: str | int, least: int, low: float = 0, high: float = 1) -> list[float]:
    """Return ``given[key]`` if it is a list of at least ``least`` numbers in [low, high].

    Parameters
    ----------
    given, key
        Values by name or a list of them, and the name or index of the list to check.
    least
        Smallest length that is allowed.
    low, high
        Smallest and largest element that is allowed.

    Raises
    ------
    BadInput
        If it is no such value.
    """
    row = given[key]
    if not isinstance(row, list) or len(row) < least:
        raise BadInput(key, row, f"a list of at least {least} numbers in [{low:g}, {high:g}]")
    with within(key):
        return [number(row, i, low, high) for i in range(len(row))]


def table(given: Any, key: str | int, least: int, low: float = 0, high: float = 1) -> list[list[float]]:
    """Return ``given[key]`` if it is a list of equally long rows of at least ``least`` numbers in [low, high].

    Parameters
    ----------
    given, key, least, low, high
        Values, name or index of the table, and for each row the smallest length and the range of its elements.

    Raises
    ------
    BadInput
        If it is no such value, or has no rows.
    """
    rows = given[key]
    if not isinstance(rows, list) or not rows:
        raise BadInput(key, rows, "a list of rows, one for each round")
    if _is_table(rows, least, low, high):
        return [list(row) for row in rows]
    with within(key):
        found = [numbers(rows, t, least, low, high) for t in range(len(rows))]
        for t, row in enumerate(found):
            if len(row) != len(found[0]):
                raise BadInput(t, rows[t], f"{len(found[0])} numbers, as in the first row")
    return found


def _is_table(rows: list[Any], least: int, low: float, high: float) -> bool:
    """Say at a glance whether nothing is wrong: audits check tables of thousands of rows, thousands of times."""
    if any(type(row) is not list or len(row) != len(rows[0]) for row in rows) or len(rows[0]) < max(least, 1):
        return False
    if set(map(type, chain.from_iterable(rows))) != {float}:
        return False
    values = np.array(rows)
    return bool(low <= values.min() and values.max() <= high)
