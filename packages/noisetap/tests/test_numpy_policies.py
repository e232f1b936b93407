"""No public function of NumPy loses a noisy number of a policy: it is heard, or marked, or refused."""

from __future__ import annotations

import copy
import math
import warnings
from typing import Any

import numpy as np
import pytest

from noisetap.stand_ins import listening
from noisetap.tape import Refused, Tape

# What loads, tests and tells of NumPy takes no numbers.
_NO_NUMBERS = ("test", "show_config", "show_runtime", "info", "lookfor", "get_include", "save", "savez", "savetxt")
_PYTHON = {
    "float": float, "complex": complex, "round": round, "abs": abs, "divmod": lambda x: divmod(x, 2), "str": str,
    "format": lambda x: f"{x:.3f}", "sum": lambda x: sum([x, x]), "max": lambda x: max(x, 0.0), "sqrt": math.sqrt,
    "exp": math.exp, "floor": math.floor, "isfinite": math.isfinite, "fsum": lambda x: math.fsum([x]),
    "hypot": lambda x: math.hypot(x, 0.0), "copysign": lambda x: math.copysign(1.0, x),
    "tobytes": lambda x: x.tobytes(),
    "item": lambda x: x.item(), "hex": lambda x: x.hex(), "as_integer_ratio": lambda x: x.as_integer_ratio(),
    "is_integer": lambda x: x.is_integer(), "real": lambda x: x.real, "view": lambda x: x.view(),
    "pow": lambda x: x**2,
    "astype": lambda x: x.astype(float), "tolist": lambda x: x.tolist(), "deepcopy": copy.deepcopy, "hash": hash,
    "memoryview": lambda x: bytes(memoryview(x)),
    "into": lambda x: _into(x), "list": lambda x: np.array([x, 1.0]),
    "index": lambda x: np.arange(99.0)[int(x) + 50], "equal": lambda x: x == 5.0, "bool": bool, "str.join": repr,
}  # fmt: skip


def _into(x: Any) -> Any:
    store = np.zeros(2)
    store[0] = x
    return store


def _functions() -> list[tuple[str, Any]]:
    places = [("", np), ("linalg.", np.linalg), ("fft.", np.fft)]
    found = [(f"np.{where}{n}", getattr(place, n)) for where, place in places for n in sorted(dir(place))]
    return [
        (name, f)
        for name, f in found
        if callable(f)
        and name.rpartition(".")[2][0].islower()
        and (not isinstance(f, type) or issubclass(f, np.generic))
        and name.rpartition(".")[2] not in _NO_NUMBERS
    ] + list(_PYTHON.items())


def _said(function: Any, kind: str, seed: int) -> tuple[str, bool]:
    """Return what a function makes of a draw that was added before, and whether the tape knows of that use."""
    tape = Tape(seed)
    with listening(tape):
        draws = np.random.laplace(5.0, 1.0, size=3)
        one = np.random.laplace(5.0, 1.0)
        _ = 1.0 + one, np.ones(3) + draws
        before = sum(len(d.additions) + len(d.comparisons) for d in tape.draws.values())
        given = {"v": (one,), "a": (draws,), "vv": (one, 2.0), "av": (draws, 2.0), "va": (np.arange(3.0), one)}
        given |= {"al": ([one, 1.0], 2), "l": ([one, 1.0],), "e": (draws[0],)}
        result = function(*given[kind])
        text = repr(np.asarray(result, float).tolist()) if not isinstance(result, str | bytes) else repr(result)
    used = sum(len(d.additions) + len(d.comparisons) for d in tape.draws.values())
    known = used > before or tape.refusal is not None or any(d.unheard_use for d in tape.draws.values())
    return text, known


@pytest.mark.parametrize("kind", ["v", "a", "vv", "av", "va", "al", "l", "e"])
def test_no_function_loses_a_noisy_number_of_a_policy(kind: str) -> None:
    """A result that moves with a draw is known to the tape."""
    lost = []
    for name, function in _functions():
        said = []
        for seed in (1, 2):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    said.append(_said(function, kind, seed))
            except (Refused, Exception):
                break
        if len(said) == 2 and said[0][0] != said[1][0] and not (said[0][1] and said[1][1]):
            lost.append(name)
    assert lost == []
