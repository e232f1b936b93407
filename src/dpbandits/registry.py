"""What there is: algorithms and environments are found by their files being in a wing's folder.

A wing is a problem setting, a package such as ``dpbandits.stochastic``. The file
``stochastic/algorithms/dp_imed.py`` is the algorithm ``dp-imed``; nothing else has to be edited.
"""

from __future__ import annotations

import functools
import importlib
from typing import cast

from dpbandits.algorithm import Algorithm
from dpbandits.environment import Environment
from dpbandits.errors import BadInput, suggest
from dpbandits.provenance import PACKAGE, ROOT


@functools.cache
def _modules(kind: str) -> dict[str, str]:
    """Return the module of each name, from the files ``WING/KIND/NAME.py``."""
    files = sorted(ROOT.glob(f"*/{kind}/[!_]*.py"))
    return {
        file.stem.replace("_", "-"): f"{PACKAGE}.{file.parts[-3]}.{kind}.{file.stem}" for file in files
    }


def _module(kind: str, name: object, where: str) -> str:
    modules = _modules(kind)
    if name not in modules:
        raise BadInput(where, name, suggest(name, modules))
    return modules[cast(str, name)]


def algorithm_names() -> list[str]:
    """Return the names of all algorithms."""
    return list(_modules("algorithms"))


def environment_names() -> list[str]:
    """Return the names of all kinds of environments."""
    return list(_modules("environments"))


def algorithm_module(name: object, where: str = "algorithm") -> str:
    """Return the full module name of an algorithm, or raise `BadInput` naming ``where``."""
    return _module("algorithms", name, where)


def environment_module(name: object, where: str = "environment") -> str:
    """Return the full module name of a kind of environment, or raise `BadInput` naming ``where``."""
    return _module("environments", name, where)


def wing(module: str) -> str:
    """Return the wing that a module belongs to."""
    return module.split(".")[1]


def algorithm(name: object, where: str = "algorithm") -> Algorithm:
    """Return an algorithm's declaration, or raise `BadInput` naming ``where``."""
    module = importlib.import_module(algorithm_module(name, where))
    return cast(Algorithm, module.ALGORITHM)


def environment(name: object, where: str = "environment") -> Environment:
    """Return an environment's declaration, or raise `BadInput` naming ``where``."""
    module = importlib.import_module(environment_module(name, where))
    return cast(Environment, module.ENVIRONMENT)
