"""Python's operators take a number with noise on either side as they take a plain one, or refuse it."""

import operator

import numpy as np
import pytest

from noisetap import Refused
from noisetap.draws import listening_to_function
from noisetap.heard import NoiseArray, NoiseNumber
from noisetap.path import Path
from noisetap.stand_ins import listening
from noisetap.tape import Tape

COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod]
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
BINARY = [*COMPARISONS, *ARITHMETIC, operator.pow, divmod, operator.matmul, *BITS]
UNARY = [operator.neg, operator.pos, abs, operator.invert, round, float, bool]
OTHERS = [7, True, 7.5, np.int64(7), np.float64(7.5), np.array([7.5, 2.0]), np.array([7, 2])]


def said(function, *numbers):
    """Return what an operator gives, or `TypeError` if it does not take the numbers."""
    try:
        return function(*numbers)
    except (TypeError, ValueError):
        return TypeError


def same(one, other):
    """Tell whether two results are equal, or both are no result."""
    if isinstance(one, type) or isinstance(other, type):
        return one is other
    return np.allclose(np.asarray(one, float), np.asarray(other, float), rtol=1e-12)


def drawn(whole, number):
    if whole:
        return [np.random.default_rng().geometric(0.2) for _ in range(number)]
    return [np.random.laplace(5.0, 1.0) for _ in range(number)]


def plain(path, whole):
    return [np.int64(value) if whole else np.float64(value + 5.0) for value in path.values]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_operators_of_functions(function, whole):
    """With a plain number, an array, and another number with noise, on both sides."""
    for other in (*OTHERS, None):
        for reflected in (False, True):
            path = Path(rng=np.random.Generator(np.random.PCG64(1)))
            with listening_to_function(path):
                pair = drawn(whole, 2 if other is None else 1)
                pair = pair if other is None else [*pair, other]
                heard = said(function, *(reversed(pair) if reflected else pair))
                heard = heard if heard is TypeError else np.asarray(heard, float)
            pair = plain(path, whole) if other is None else [*plain(path, whole), other]
            assert same(heard, said(function, *(reversed(pair) if reflected else pair))), (other, reflected)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("function", UNARY, ids=lambda f: f.__name__)
def test_operators_of_one_number(function, whole):
    path = Path(rng=np.random.Generator(np.random.PCG64(1)))
    with listening_to_function(path):
        heard = said(function, *drawn(whole, 1))
        heard = heard if heard is TypeError else float(heard)
    assert same(heard, said(function, plain(path, whole)[0]))


@pytest.mark.parametrize("function", [*BINARY, *UNARY], ids=lambda f: f.__name__)
def test_operators_of_policies(function):
    """A sum or a comparison is that of numbers; the rest is refused with a line, and raises nothing else."""
    for other in OTHERS if function in BINARY else (None,):
        for reflected in (False, True) if function in BINARY else (False,):
            tape = Tape(3)
            with listening(tape):
                draw = np.random.laplace(0.0, 1.0)
                number = draw.draw.value
                pair = [draw] if other is None else [draw, other]
                try:
                    heard = function(*(reversed(pair) if reflected else pair))
                except Refused:
                    continue
                if type(heard) in (NoiseNumber, NoiseArray):
                    continue
            pair = [number, *pair[1:]]
            assert same(heard, function(*(reversed(pair) if reflected else pair))), (other, reflected)
