"""Functions of torch by NumPy: arrays of objects, in which some numbers have noise, stand for tensors.

A number with noise is a `Noisy`, which records what is added to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from noisetap.listen import current_run
from noisetap.noisy import Noisy, NoisyArray

Function = Callable[..., Any]
# By name, as torch is not imported here. What float32 rounds is not judged: both are doubles.
FLOATS = ("None", "torch.float32", "torch.float64")


class ValuesAndIndices(NamedTuple):
    """Result of a sort or a maximum: numbers, and the place of each in the tensor, from 0."""

    values: Any
    indices: Any


def has_noise(numbers: Any) -> bool:
    """Return whether a number, or any number in an array, has noise: is a `Noisy`."""
    if type(numbers) is Noisy:
        return True
    return isinstance(numbers, np.ndarray) and any(type(v) is Noisy for v in numbers.ravel().tolist())


def as_objects(numbers: Any) -> Any:
    """Return numbers as a `NoisyArray`, an array of objects; of an array of objects it is a view."""
    if isinstance(numbers, np.ndarray) and numbers.dtype == object:
        return numbers.view(NoisyArray)
    box: Any = np.empty(numbers.shape if isinstance(numbers, np.ndarray) else (), object)
    box[...] = numbers.astype(float) if isinstance(numbers, np.ndarray) else numbers
    return box.view(NoisyArray)


def shape_of(sizes: Any) -> tuple[int, ...]:
    """Return the shape that arguments of torch give: ``(2, 3)`` and ``([2, 3],)`` both mean ``(2, 3)``."""
    return tuple(int(n) for n in (sizes[0] if len(sizes) == 1 and isinstance(sizes[0], list | tuple) else sizes))


def index_of(index: Any) -> Any:
    """Return the index of a torch tensor as a tuple for NumPy, which gives a view where torch does.

    ``index`` is a tuple if there are several. An index with noise is refused, and so is a list or an array beside
    other indices.
    """
    parts = index if isinstance(index, tuple) else (index,)
    if any(has_noise(p) for p in parts):
        raise current_run().refuse("a tensor is indexed by what has noise")
    parts = tuple(p.item() if isinstance(p, np.ndarray) and not p.ndim else p for p in parts)
    if len(parts) > 1 and any(isinstance(p, np.ndarray | list) for p in parts):
        # NumPy gives the axes of such a result in another order than torch.
        raise current_run().refuse("a tensor with noise is indexed by a list and more")
    # With an Ellipsis NumPy returns a view also where it would return a single number.
    return parts if any(p is Ellipsis for p in parts) else (*parts, Ellipsis)


def _along(name: str) -> Function:
    function = getattr(np, name)

    def along(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
        if str(dtype) not in FLOATS:
            raise current_run().refuse(f"torch.{name} with another dtype")
        more = {"keepdims": True} if keepdim else {}
        # Of no axes torch takes all.
        return function(x, axis=(tuple(dim) or None) if isinstance(dim, list | tuple) else dim, **more)

    return along


def _most(sign: float) -> Function:
    """Return ``max`` (1) or ``min`` (-1): of all, of two tensors, or along an axis with places."""
    both: Any = np.maximum if sign > 0 else np.minimum

    def most(x: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        other = dim if isinstance(dim, np.ndarray) else other
        if other is not None:
            return both(x, other)
        if dim is None:
            return (np.max if sign > 0 else np.min)(x)
        at = np.expand_dims(np.argmax(sign * x, axis=dim), dim)
        values = np.take_along_axis(x, at, dim)
        return (
            ValuesAndIndices(values, at)
            if keepdim
            else ValuesAndIndices(np.squeeze(values, dim), np.squeeze(at, dim))
        )

    return most


def _place(sign: float) -> Function:
    def place(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
        return np.argmax(sign * x, axis=dim, keepdims=keepdim)

    return place


def _sorted(x: Any, dim: int = -1, descending: bool = False) -> ValuesAndIndices:
    at = np.argsort(-x if descending else x, axis=dim)
    return ValuesAndIndices(np.take_along_axis(x, at, dim), at)


def _top(x: Any, k: int, dim: int = -1, largest: bool = True) -> ValuesAndIndices:
    values, at = _sorted(x, dim, largest)
    return ValuesAndIndices(np.take(values, range(k), dim), np.take(at, range(k), dim))


def _clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    x = x if min is None else np.maximum(x, min)
    return x if max is None else np.minimum(x, max)


def _scaled(function: Any) -> Function:
    def scaled(x: Any, other: Any, alpha: float = 1.0) -> Any:
        return function(x, other if alpha == 1.0 else np.multiply(other, alpha))

    return scaled


def _where(condition: Any, x: Any, other: Any) -> Any:
    if has_noise(condition):
        raise current_run().refuse("torch.where on a condition with noise")
    return np.where(condition, as_objects(x), as_objects(other))


def _joined(function: Any) -> Function:
    return lambda tensors, dim=0: function([as_objects(t) for t in tensors], dim)


def _named(names: str, function: Any) -> dict[str, Function]:
    """Return a function by each of its names; a lambda keeps parameters that NumPy has and torch has not away."""
    return dict.fromkeys(names.split(), function)


FUNCTIONS: dict[str, Function] = {
    **_named("add __add__ __radd__", _scaled(np.add)),
    **_named("sub subtract __sub__", _scaled(np.subtract)),
    **_named("__rsub__", lambda x, other: np.subtract(other, x)),
    **_named("mul multiply __mul__ __rmul__", lambda x, other: np.multiply(x, other)),
    **_named("div divide true_divide __truediv__ __div__", lambda x, other: np.divide(x, other)),
    **_named("__rdiv__ __rtruediv__", lambda x, other: np.divide(other, x)),
    **_named("pow __pow__", lambda x, exponent: np.power(x, exponent)),
    **_named("matmul __matmul__ mm mv dot", lambda x, other: np.matmul(x, other)),
    **_named("neg negative __neg__", lambda x: np.negative(x)),
    **_named("abs absolute __abs__", lambda x: np.absolute(x)),
    **_named("exp", lambda x: np.exp(x)),
    **_named("sqrt", lambda x: np.sqrt(x)),
    **_named("square", lambda x: np.power(x, 2)),
    **_named("log", lambda x: np.log(x)),
    **_named("log1p", lambda x: np.log1p(x)),
    **_named("sign", lambda x: np.sign(x)),
    **_named("floor", lambda x: np.floor(x)),
    **_named("ceil", lambda x: np.ceil(x)),
    **_named("round", lambda x: np.rint(x)),
    **_named("relu", lambda x: np.maximum(x, 0.0)),
    **_named("gt greater __gt__", lambda x, other: np.greater(x, other)),
    **_named("ge greater_equal __ge__", lambda x, other: np.greater_equal(x, other)),
    **_named("lt less __lt__", lambda x, other: np.less(x, other)),
    **_named("le less_equal __le__", lambda x, other: np.less_equal(x, other)),
    **_named("eq __eq__", lambda x, other: np.equal(x, other)),
    **_named("ne __ne__", lambda x, other: np.not_equal(x, other)),
    **_named("maximum", lambda x, other: np.maximum(x, other)),
    **_named("minimum", lambda x, other: np.minimum(x, other)),
    **_named("clamp clip", _clamp),
    **_named("clamp_min", lambda x, min: _clamp(x, min)),
    **_named("clamp_max", lambda x, max: _clamp(x, None, max)),
    **{name: _along(name) for name in ("sum", "mean", "cumsum")},
    **{"argmax": _place(1.0), "argmin": _place(-1.0), "max": _most(1.0), "min": _most(-1.0)},
    **{"sort": _sorted, "topk": _top, "where": _where},
    **_named("argsort", lambda x, dim=-1, descending=False: _sorted(x, dim, descending).indices),
    **_named("stack", _joined(np.stack)),
    **_named("cat concat concatenate", _joined(np.concatenate)),
    **_named("clone", lambda x: x.copy()),
    **_named("bool", lambda x: np.not_equal(x, 0.0)),
    **_named("long int", lambda x: np.array([int(v) for v in x.ravel().tolist()], np.int64).reshape(x.shape)),
}


def _squeezed(x: Any, dim: Any = None) -> Any:
    return np.squeeze(x, tuple(i for i in range(x.ndim) if x.shape[i] == 1 and (dim is None or i == dim % x.ndim)))


# Of these the result shares memory with the tensor.
VIEWS: dict[str, Function] = {
    **{"__getitem__": lambda x, index: x[index_of(index)], "squeeze": _squeezed},
    **_named("view reshape", lambda x, *shape: np.reshape(x, shape_of(shape))),
    **_named("flatten ravel", lambda x: np.reshape(x, -1)),
    **_named("unsqueeze", lambda x, dim: np.expand_dims(x, dim)),
    **_named("transpose", lambda x, dim0, dim1: np.swapaxes(x, dim0, dim1)),
    **_named("t .T", lambda x: np.transpose(x)),
    **_named("detach cpu .data", lambda x: x),
    # Of those below it does or does not.
    **_named("float double to contiguous", lambda x, *_, **__: x),
}
PERHAPS_VIEWS = ("float", "double", "to", "contiguous", "ravel")
# What is read of a tensor.
READERS: dict[str, Function] = {
    "item": lambda x: x.item(),
    "tolist": lambda x: x.tolist(),
    "numpy": lambda x: x,
    "__array__": lambda x, dtype=None: x if dtype is None else np.array(x.view(np.ndarray), dtype),
    "__float__": lambda x: float(x.item()),
    "__int__": lambda x: int(x.item()),
    "__bool__": lambda x: bool(x.item()),
    "__format__": lambda x, how: format(x.item(), how),
}
# Of these torch itself knows the answer.
ANSWERED_BY_TORCH = ("size", "dim", "ndimension", "numel", "nelement", "is_floating_point", "__len__")
MAKERS = ("zeros_like", "ones_like", "empty_like", "full_like")
PROPERTIES = ("shape", "dtype", "ndim", "device", "is_cuda", "requires_grad", "layout")
# Functions that write into their tensor, and what they write.
IN_PLACE = {f"{n}_": n for n in ("add", "sub", "mul", "div", "neg", "abs", "clamp", "clip", "clamp_min", "relu")}
IN_PLACE |= {f"__i{n}__": n for n in ("add", "sub", "mul")} | {"__itruediv__": "div", "__idiv__": "div"}
