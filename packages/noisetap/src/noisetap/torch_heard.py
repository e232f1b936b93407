"""Torch in functions of data: its random draws, and tensors with noise. Imported only if torch is.

While a function runs, each call of torch comes here first. Draws make tensors in which torch finds no number.
Functions that are listed compute with these as NumPy does; all others are refused with their line.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from noisetap.draws import DataGenerator
from noisetap.listen import current_run
from noisetap.noisy import Noisy, NoisyArray
from noisetap.stand_ins import _refused, replaced
from noisetap.tape import Refused
from noisetap.torch_casts import call_with_doubles, refuse_write_beside_cast, with_own_dtype
from noisetap.torch_functions import (
    ANSWERED_BY_TORCH,
    FLOATS,
    FUNCTIONS,
    IN_PLACE,
    MAKERS,
    PERHAPS_VIEWS,
    PROPERTIES,
    READERS,
    VIEWS,
    as_objects,
    has_noise,
    index_of,
    shape_of,
)

torch: Any = importlib.import_module("torch")
distributions: Any = importlib.import_module("torch.distributions")
# The first such law has torch import what draws: now, while nobody listens.
distributions.Gumbel(0.0, 1.0)
# Attribute of a tensor: the run that made it.
_RUN = "_noisetap_run"
_GENERATOR, _FROM_NUMPY = torch.Generator, torch.from_numpy


class Memory:
    """Memory of tensors with noise, which views share: it says whether a program may write into them.

    The run ``path`` made them. Writes are refused once ``may_share`` is set: a copy was made where torch may return
    a view. If ``exported``, an array of NumPy's shares the memory.
    """

    def __init__(self, path: Any) -> None:
        """Begin with one tensor."""
        self.path = path
        # Whether a copy may be none, and whether an array of NumPy's shares the memory.
        self.may_share = self.exported = False


class NoisyTensor(torch.Tensor):  # type: ignore[misc]
    """Tensor in which some numbers have noise: an array of objects, ``numbers``; views have the same ``memory``."""

    numbers: Any
    memory: Memory

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Compute as NumPy does, or refuse."""
        return _call(func, args, kwargs or {})

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Refuse compiled code, which finds no numbers."""
        raise current_run().refuse(f"torch's {func}: compiled code reads a tensor with noise")


class TorchCalls(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
    """Mode of torch that hands each call of a torch function inside a ``with`` block to noisetap first."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Draw, compute with noise, or let torch do it."""
        return _call(func, args, kwargs or {})


def _tensor(numbers: Any, memory: Memory | None = None) -> Any:
    """Return a tensor with noise; without ``memory`` a new one, which is a plain one if nothing in it has noise."""
    if isinstance(numbers, tuple):
        return type(numbers)(*(_tensor(n) for n in numbers))
    if memory is None and not has_noise(numbers):
        found = torch.tensor(np.asarray(numbers))
        setattr(found, _RUN, current_run())
        return found
    held = as_objects(numbers)
    made = torch.Tensor._make_wrapper_subclass(NoisyTensor, held.shape, dtype=torch.float64)
    made.numbers, made.memory = held, memory or Memory(current_run())
    return made


def _numbers(value: Any) -> Any:
    """Return what NumPy computes with in the place of tensors."""
    if type(value) is NoisyTensor:
        if value.memory.path is not current_run():
            raise current_run().refuse("a tensor with noise outlived its run")
        return value.numbers
    if isinstance(value, torch.Tensor):
        # A copy: torch marks memory that it shares with NumPy.
        plain = value.detach().clone()
        return (plain.double() if plain.is_floating_point() else plain).numpy()
    if type(value) in (list, tuple):
        return type(value)(_numbers(v) for v in value)
    return value


def _heard_in(value: Any) -> bool:
    if isinstance(value, list | tuple | dict):
        return any(map(_heard_in, value.values() if isinstance(value, dict) else value))
    return type(value) in (NoisyTensor, Noisy, NoisyArray)


def _shape(value: Any) -> tuple[int, ...]:
    return tuple(value.shape) if isinstance(value, torch.Tensor) else np.shape(value)


def _options(generator: Any = None, requires_grad: bool = False, dtype: Any = None, **_: Any) -> None:
    """Refuse options of a draw that are not heard."""
    if generator is not None or requires_grad or str(dtype) not in FLOATS:
        raise current_run().refuse("a draw of torch with a generator, requires_grad or another dtype")


def _drawn(kind: str, shape: tuple[int, ...], *parameters: Any) -> Any:
    """Return an array of draws of a law with these parameters."""
    rows = [np.broadcast_to(as_objects(_numbers(p)), shape) for p in parameters]
    return getattr(DataGenerator(), kind)(*rows, size=shape)


def _of_size(kind: str) -> Callable[..., Any]:
    def draw(*size: Any, **more: Any) -> Any:
        size = (more.pop("size"),) if "size" in more else size
        _options(**more)
        return _drawn(kind, shape_of(size), 0.0, 1.0)

    return draw


def _like(kind: str) -> Callable[..., Any]:
    def draw(other: Any, **more: Any) -> Any:
        _options(**more)
        return _drawn(kind, _shape(other), 0.0, 1.0)

    return draw


def _normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, **more: Any) -> Any:
    """Draw as ``torch.normal`` does."""
    _options(**more)
    shape = np.broadcast_shapes(_shape(mean), _shape(std)) if size is None else shape_of((size,))
    return _drawn("normal", shape, mean, std)


def _normal_in(tensor: Any, mean: float = 0.0, std: float = 1.0, **more: Any) -> Any:
    _options(**more)
    return _drawn("normal", _shape(tensor), mean, std)


def _uniform_in(tensor: Any, *ends: float, to: float = 1.0, **more: Any) -> Any:
    low, high = ends[0] if ends else more.pop("from", 0.0), ends[1] if len(ends) > 1 else to
    _options(**more)
    return _drawn("uniform", _shape(tensor), low, high)


def _exponential_in(tensor: Any, lambd: float = 1.0, **more: Any) -> Any:
    _options(**more)
    return _drawn("exponential", _shape(tensor), 1.0 / lambd)


_DRAWS: dict[str, Callable[..., Any]] = {
    **{"randn": _of_size("normal"), "rand": _of_size("uniform"), "normal": _normal},
    **{"randn_like": _like("normal"), "rand_like": _like("uniform")},
}
_DRAWS_IN: dict[str, Callable[..., Any]] = {
    **{"normal_": _normal_in, "uniform_": _uniform_in, "exponential_": _exponential_in},
}
_LAWS: dict[str, tuple[str, Callable[[Any], tuple[Any, ...]]]] = {
    "Laplace": ("laplace", lambda law: (law.loc, law.scale)),
    "Normal": ("normal", lambda law: (law.loc, law.scale)),
    "Gumbel": ("gumbel", lambda law: (law.loc, law.scale)),
    "Uniform": ("uniform", lambda law: (law.low, law.high)),
    "Exponential": ("exponential", lambda law: (1.0 / law.rate,)),
    "Bernoulli": ("binomial", lambda law: (1.0, law.probs)),
}


def _sampling(kind: str, parameters: Callable[[Any], tuple[Any, ...]]) -> Callable[..., Any]:
    """Return what stands in for ``sample`` and ``rsample`` of a law."""

    def sample(self: Any, sample_shape: Any = ()) -> Any:
        with torch._C.DisableTorchFunction():
            return _tensor(_drawn(kind, tuple(self._extended_shape(torch.Size(sample_shape))), *parameters(self)))

    return sample


_MORE = ("__setitem__", "unbind", "tensor", "as_tensor", "copy_", "fill_", "zero_")


def _known() -> dict[Any, str]:
    """Return the names of functions of torch and of its tensors that are heard, by what they are."""
    names = {*_DRAWS, *_DRAWS_IN, *FUNCTIONS, *VIEWS, *ANSWERED_BY_TORCH, *READERS, *MAKERS, *IN_PLACE, *_MORE}
    found: dict[Any, str] = {}
    for owner in (torch.Tensor, torch._C._VariableFunctions, torch):
        found |= {getattr(owner, n): n for n in names if hasattr(owner, n)}
    return found | {getattr(torch.Tensor, n).__get__: f".{n}" for n in (*PROPERTIES, "T", "data")}


_KNOWN = _known()


def _call(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Answer one call of torch: draw, compute with noise, refuse, or let torch do it."""
    name = _KNOWN.get(func)
    draws, heard = name in _DRAWS or name in _DRAWS_IN, _heard_in((*args, *kwargs.values()))
    try:
        # What torch calls in turn does not come here, nor to a run that listens around this one.
        with torch._C.DisableTorchFunction():
            if not draws and not heard:
                return _real(func, args, kwargs)
            return _computed(name, func, args, kwargs)
    except Refused:
        raise
    except Exception as error:
        if not draws and not heard:
            raise
        raise _refusal(func, f"{type(error).__name__}: {str(error)[:80]}") from None


def _refusal(func: Any, why: str = "it is not heard with noise") -> Refused:
    refusal: Refused = current_run().refuse(f"torch's {getattr(func, '__name__', func)}: {why}")
    return refusal


def _computed(name: str | None, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function draws, or what it makes of tensors of which some have noise."""
    if name is None or "out" in kwargs:
        raise _refusal(func)
    if name in _DRAWS:
        return _tensor(_DRAWS[name](*args, **kwargs))
    if name in _DRAWS_IN:
        return _write(args[0], _DRAWS_IN[name](*args, **kwargs))
    if name == "__setitem__":
        _write(args[0], _numbers(args[2]), args[1])
        return None
    if name in ("copy_", "fill_", "zero_"):
        return _write(args[0], _numbers(args[1]) if len(args) > 1 else 0.0)
    if name in ("tensor", "as_tensor"):
        _options(**kwargs)
        return _tensor(_nested(args[0]))
    if name in FUNCTIONS or name in IN_PLACE:
        more = {k: _numbers(v) for k, v in kwargs.items()}
        found = FUNCTIONS[IN_PLACE.get(name, name)](*map(_numbers, args), **more)
        return _write(args[0], found) if name in IN_PLACE else _tensor(found)
    return _of_one(name, func, args, kwargs)


def _of_one(name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function makes of one tensor with noise: a view, something that is read, or nothing of it."""
    first = args[0] if args else None
    if type(first) is not NoisyTensor or _heard_in(kwargs):
        raise _refusal(func)
    x, memory = _numbers(first), first.memory
    if name in ANSWERED_BY_TORCH or name[1:] in PROPERTIES:
        return func(*args, **kwargs)
    if name in MAKERS:
        return _real(func, (torch.empty(x.shape), *args[1:]), kwargs)
    if name in READERS:
        if name in ("numpy", "__array__"):
            memory.exported = True
            if memory.may_share:
                raise _refusal(func, "its memory may be shared: clone() before it")
        return READERS[name](x, *args[1:], **kwargs)
    if name == "unbind":
        rows = np.moveaxis(x, int((*args[1:], *kwargs.values(), 0)[0]), 0)
        return tuple(_tensor(rows[i, ...], memory) for i in range(len(rows)))
    if name not in VIEWS:
        raise _refusal(func)
    found = VIEWS[name](x, *map(_numbers, args[1:]), **kwargs)
    if name in PERHAPS_VIEWS or (name in ("reshape", "flatten") and x.ndim > 1):
        asked = (*args[1:], *kwargs.values()) if name == "to" else ()
        if memory.exported or any(str(v) not in (*FLOATS, "cpu") for v in asked):
            raise _refusal(func, "another dtype or device, or memory that may be shared")
        memory.may_share, found = True, found.copy()
    elif name == "view" and found.size and not np.may_share_memory(found, x):
        raise _refusal(func, "it is not contiguous")
    return _tensor(found, memory)


def _nested(value: Any) -> Any:
    """Return an array of objects for lists of tensors and numbers."""
    return np.stack([as_objects(_nested(v)) for v in value]) if isinstance(value, list | tuple) else _numbers(value)


def _write(tensor: Any, numbers: Any, index: Any = Ellipsis) -> Any:
    """Write numbers with noise into a tensor, which is heard from then on, and return it."""
    if type(tensor) is not NoisyTensor:
        _become(tensor)
    if tensor.memory.may_share or tensor.memory.path is not current_run():
        raise current_run().refuse("torch writes noise into a tensor that may share its memory")
    tensor.numbers[index_of(_numbers(index))] = numbers
    return tensor


def _become(tensor: Any) -> None:
    """Make a plain tensor one that is heard, if it is new in this run and shares its memory with nothing."""
    if type(tensor) is not torch.Tensor or not tensor.is_floating_point() or tensor.requires_grad:
        raise current_run().refuse("torch writes noise into what is no plain tensor of floats")
    refuse_write_beside_cast(tensor)
    # What NumPy reads too cannot be resized.
    shared = not 0 < _uses(tensor) <= _ALONE or not tensor.untyped_storage().resizable()
    if getattr(tensor, _RUN, None) is not current_run() or shared or tensor._base is not None:
        raise current_run().refuse(
            "torch writes noise into a tensor that may share its memory: x = x + noise does not"
        )
    torch.utils.swap_tensors(tensor, _tensor(as_objects(_numbers(tensor)), Memory(current_run())))


def _uses(tensor: Any) -> int:
    """Return how often the memory of a tensor is used, or 0 if torch does not tell."""
    count = getattr(torch._C, "_storage_Use_Count", None)
    return int(count(tensor.untyped_storage()._cdata)) if count is not None else 0


_ALONE = _uses(torch.zeros(1))


def _state() -> Any:
    return torch.default_generator.get_state()


def _real(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Let torch do what has no noise; floats are doubles, and a draw that is not heard is refused."""
    if any(isinstance(v, _GENERATOR) for v in (*args, *kwargs.values())):
        raise _refusal(func, "a draw with a generator is not heard")
    before, name = _state(), getattr(func, "__name__", "")
    found = call_with_doubles(name, func, args, kwargs)
    if not torch.equal(before, _state()):
        raise _refusal(func, "it draws, and is not heard")
    if type(found) is not torch.Tensor:
        if "storage" in name or name == "data_ptr":
            setattr(args[0], _RUN, None)
    # What is returned may be a tensor that was given, or be held elsewhere: then nothing is written into it.
    elif name != "__get__" and not any(found is a for a in (*args, *kwargs.values())):
        setattr(found, _RUN, current_run())
    return found


@contextmanager
def listening_to_torch() -> Iterator[None]:
    """Record what a function of data draws by torch, inside the ``with`` block.

    Floats are doubles there. torch's generator begins in a secret state: a draw that is not recorded moves it, and
    is refused.
    """
    before, floats = _state(), torch.get_default_dtype()
    torch.default_generator.manual_seed(int.from_bytes(os.urandom(7), "big"))
    torch._C._VariableFunctions.rand(1)
    ours = _state()
    listed: list[tuple[Any, str, Any]] = []
    for law, (kind, parameters) in _LAWS.items():
        owner = getattr(distributions, law)
        listed += [(owner, way, _sampling(kind, parameters)) for way in ("sample", "rsample")]
    for name in ("manual_seed", "seed", "set_rng_state"):
        listed += [(owner, name, _refused(f"torch.{name}")) for owner in (torch, torch.random)]
    # A class: modules that are imported now name it in their annotations.
    generator = type("Generator", (), {"__new__": _refused("torch.Generator")})
    listed += [(torch, "Generator", generator), (torch, "from_numpy", _from_numpy)]
    torch.set_default_dtype(torch.float64)
    try:
        with replaced(listed), TorchCalls():
            yield
    finally:
        torch.set_default_dtype(floats)
        if torch.equal(_state(), ours):
            torch.default_generator.set_state(before)


def _from_numpy(array: Any) -> Any:
    """Share memory with an array, which may have noise."""
    if not has_noise(array):
        return with_own_dtype(_FROM_NUMPY(array))
    memory = Memory(current_run())
    memory.exported = True
    return _tensor(array, memory)


def numbers_of(tensor: Any) -> Any:
    """Return the numbers of a tensor as an array of NumPy's; it is one of objects if some numbers have noise."""
    with torch._C.DisableTorchFunction():
        return np.asarray(_numbers(tensor))
