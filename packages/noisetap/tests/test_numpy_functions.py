"""No public function of NumPy loses a number with noise of a function of data unheard."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from noisetap import Refused
from noisetap.draws import listening_to_function
from noisetap.path import Path

PLACES = (
    np,
    np.linalg,
    np.fft,
    np.emath,
    np.ma,
    np.polynomial.polynomial,
    np.lib.stride_tricks,
    np.strings,
    np.rec,
)
# What loads, saves and sets takes no numbers; what is not filled, and an address, differ from call to call.
_NO_NUMBERS = (
    *("load", "loadtxt", "genfromtxt", "fromfile", "fromregex", "frombuffer", "from_dlpack"),
    *("save", "savez", "savez_compressed", "savetxt", "info", "get_include", "test", "ids"),
    *("set_printoptions", "setbufsize", "seterr", "seterrcall", "show_config", "show_runtime"),
    *("empty", "empty_like", "masked_all", "masked_all_like"),
)
# How a function gets three noisy numbers: v one of them, a an array, l a list, z an array without axes.
KINDS: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "v": lambda a: (a[0],),
    "a": lambda a: (a,),
    "l": lambda a: (list(a),),
    "z": lambda a: (a[:1].reshape(()),),
    "av": lambda a: (a, a[0]),
    "al": lambda a: (list(a), 2),
    "vz": lambda a: (a[1], a[:1].reshape(())),
    "number list and v": lambda a: ([1.0, 0.0, 2.0], a[0]),
    "va": lambda a: (a[0], a),
    "aa": lambda a: (a, a),
    "zv": lambda a: (a[:1].reshape(()), a[1]),
    "numbers and a": lambda a: ([1.0, 0.0, 2.0], a),
    "v and numbers": lambda a: (a[0], [1.0, 2.0, 3.0]),
    "a and numbers": lambda a: (a, [1.0, 2.0, 3.0]),
    "matrix": lambda a: (np.reshape([*a, 1.0], (2, 2)),),
    "two lists": lambda a: ([list(a), list(a)],),
    "v between": lambda a: (a[0], 0.0, 9.0),
    "a between": lambda a: (a, 0.0, 9.0),
    "number, numbers, list": lambda a: (2.0, [1.0, 4.0, 9.0], list(a)),
    "truths, a, numbers": lambda a: ([True, False, True], a, [1.0, 2.0, 3.0]),
    "identity and a": lambda a: (np.eye(3), a),
    "a and identity": lambda a: (a, np.eye(3)),
}
TIERED = [
    *((kind, PLACES[:1]) for kind in ("v", "z", "number list and v")),
    *(pytest.param(kind, PLACES, marks=pytest.mark.slow) for kind in KINDS),
]


def functions(places: Sequence[Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield public functions with their names."""
    for place in places:
        for name in sorted(dir(place)):
            function = getattr(place, name)
            known = callable(function) and name[0].islower() and not isinstance(function, type)
            if known and name not in _NO_NUMBERS:
                yield f"{place.__name__}.{name}", function


def told(result: Any) -> Any:
    """Return the numbers of a result, let out."""
    if isinstance(result, tuple | list) and any(isinstance(part, np.ndarray) for part in result):
        return [told(part) for part in result]
    # Of zeros there is one.
    return (np.asarray(result, float) + 0.0).tolist() if not isinstance(result, np.dtype | str | bytes) else None


def called(function: Callable[..., Any], kind: str, seed: int) -> tuple[Any, bool, Any]:
    """Return what a function says of noisy numbers, whether that was noticed, and what it says of plain ones."""
    path = Path(rng=np.random.Generator(np.random.PCG64(seed)))
    with listening_to_function(path):
        said = told(function(*KINDS[kind](np.random.laplace(5.0, 1.0, size=3))))
    try:
        plain = told(function(*KINDS[kind](np.array(path.values[:3]))))
    except Exception:
        plain = None
    return said, bool(path.releases or path.choices), plain


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "places"), TIERED, ids=lambda v: v if isinstance(v, str) else str(len(v)))
def test_no_function_loses_noise_unheard(kind: str, places: Sequence[Any]) -> None:
    """A result moves with noise only if that was noticed, and moves if it does so for plain numbers."""
    lost = []
    for name, function in functions(places):
        try:
            one, other = (called(function, kind, seed) for seed in (1, 2))
        except (Refused, Exception):
            continue
        if one[1] and other[1]:
            continue
        if repr(one[0]) != repr(other[0]):
            lost.append((name, "moves unnoticed"))
        elif one[2] is not None and other[2] is not None and repr(one[2]) != repr(other[2]):
            lost.append((name, "noise is gone"))
    assert lost == []
