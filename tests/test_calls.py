"""Calls that do not fit a public function are `BadInput`, in one line; other faults stay what they are."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable

import pytest

import dpbandits
from dpbandits.calls import check_call
from dpbandits.core.errors import BadInput

FUNCTIONS = sorted(
    name for name in dir(dpbandits) if inspect.isfunction(getattr(dpbandits, name)) and name[0] != "_"
)
WITHOUT_ARGUMENTS = {"algorithms", "results"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_is_a_door(name: str) -> None:
    """Without arguments, with too many, with an unknown one: it names what is missing, or what it takes."""
    function: Callable[..., object] = getattr(dpbandits, name)
    called = function.__name__
    if name not in WITHOUT_ARGUMENTS:
        with pytest.raises(BadInput, match=rf"is missing; needed: {called}\("):
            function()
    with pytest.raises(BadInput, match=rf"without a name: {called}\("):
        function(*[object()] * 40)
    if not any(p.kind is p.VAR_KEYWORD for p in inspect.signature(function).parameters.values()):
        with pytest.raises(BadInput, match=rf"unheard_of: 1 is not allowed; allowed: for {called}\("):
            function(unheard_of=1)
    # A worker finds it by its name.
    assert pickle.loads(pickle.dumps(function)) is function


def test_methods_are_doors() -> None:
    policy = dpbandits.policy("dp-imed", arms=2, epsilon=1.0)
    with pytest.raises(BadInput, match=r"reward is missing; needed: Policy\.update\(action, reward\)"):
        policy.update(0)  # type: ignore[call-arg]
    with pytest.raises(BadInput, match="did you mean 'epsilon'"):
        dpbandits.BanditEstimator(epsillon=1.0)


def test_a_fault_within_is_not_one_of_the_call() -> None:
    @check_call
    def wrong(one: int, *, other: int = 0) -> int:
        return one + other + "1"  # type: ignore[operator]

    with pytest.raises(TypeError, match="unsupported operand"):
        wrong(1)
    with pytest.raises(BadInput, match="one: 2 is not allowed; allowed: one value for it"):
        wrong(1, one=2)  # type: ignore[misc]


def test_a_module_for_notebooks_is_there() -> None:
    """Without a function of it having been asked for before."""
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-c", "import dpbandits; dpbandits.cache"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
