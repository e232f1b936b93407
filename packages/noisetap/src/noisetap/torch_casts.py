"""Casts of plain tensors of torch to other floats: ``float32`` is ``float64`` while a function is heard.

So ``x.float()`` may be a copy of a tensor or the tensor itself, and which it is cannot be seen. It is a copy here.
As long as both exist, a program that writes into one of them, or shares its memory with NumPy, is refused.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from noisetap.listen import current_run

torch: Any = importlib.import_module("torch")
_Weak: Any = importlib.import_module("torch.multiprocessing.reductions").StorageWeakRef
_CASTS = ("float", "double", "to", "type", "type_as", "as_tensor", "asarray")
_SHARING = ("numpy", "__array__", "__dlpack__", "untyped_storage", "storage", "data_ptr")
# Attributes: of a run, the pairs; of a tensor, that its dtype is its own, as that of an array of NumPy's is.
_PAIRS, _OWN = "_noisetap_pairs", "_noisetap_own"


def with_own_dtype(tensor: Any) -> Any:
    """Mark a tensor as one whose dtype is the same outside of an audit, and return it.

    While a program is audited, ``float32`` is ``float64``. So of other tensors it is not known whether a cast makes
    a copy outside. A cast of a marked one is a copy exactly where torch makes a copy.
    """
    setattr(tensor, _OWN, True)
    return tensor


def _tensors(value: Any) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _tensors(one)


def call_with_doubles(name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function of torch with ``float64`` in the place of ``float32``, and return its result.

    Outside of an audit a cast to floats may be the same tensor as its source, or a copy. So a call is refused that
    writes into one of the two, or shares its memory with NumPy, while both exist.

    Parameters
    ----------
    name
        Name of the function in torch.
    func, args, kwargs
        Function, and its arguments by position and by name.
    """
    if name in _CASTS and args:
        asked = [v.dtype if _is_float(v) else v for v in (*args[1:], *kwargs.values())]
        asked = [getattr(torch, name)] if name in ("float", "double") else asked
        floats = [v for v in asked if isinstance(v, torch.dtype) and v in (torch.float32, torch.float64)]
        if floats:
            return _cast(floats[0], func, args, kwargs)
    pairs = getattr(current_run(), _PAIRS, ())
    given = list(_tensors((args, kwargs))) if pairs else []
    before = [_version(t) for t in given]
    found = func(*map(_double, args), **{k: _double(v) for k, v in kwargs.items()})
    for one, old in zip(given, before, strict=True):
        if name in _SHARING or old is None or _version(one) != old:
            refuse_write_beside_cast(one)
    return found


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and bool(value.is_floating_point())


def _cast(wanted: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return a cast: real where the dtype of what is cast is known, else a copy, and remember both."""
    source = args[0]
    known = isinstance(source, np.ndarray) or getattr(source, _OWN, False)
    if known and str(wanted).endswith(f".{str(source.dtype).rpartition('.')[2]}"):
        return func(*args, **kwargs)
    found = func(*map(_double, args), **{k: _double(v) for k, v in kwargs.items()}).double().clone()
    if _is_float(source) and not known:
        if not source.untyped_storage().resizable():
            raise current_run().refuse("torch casts a tensor that shares its memory with NumPy: clone() it before")
        pairs = [*getattr(current_run(), _PAIRS, ()), tuple(_Weak(t.untyped_storage()) for t in (source, found))]
        setattr(current_run(), _PAIRS, pairs)
    return found


def _version(tensor: Any) -> int | None:
    try:
        return int(tensor._version)
    except RuntimeError:
        # Tensors of inference mode have none.
        return None


def _double(value: Any) -> Any:
    return torch.float64 if value is torch.float32 else value


def refuse_write_beside_cast(tensor: Any) -> None:
    """Refuse the program if a tensor's cast to floats, or the tensor that it is a cast of, still exists.

    It is called for a tensor that the program writes into, or whose memory it shares.
    """
    own = tensor.untyped_storage()._cdata
    for pair in getattr(current_run(), _PAIRS, ()):
        if own in [weak.cdata for weak in pair] and not any(weak.expired() for weak in pair):
            raise current_run().refuse(
                "torch writes into a tensor, or shares it, beside its cast to floats: clone() it before"
            )
