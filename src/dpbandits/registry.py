"""What there is: algorithms and environments are found by their files being in a wing's folder.

A wing is a problem setting, a package such as ``dpbandits.stochastic``. The file
``stochastic/algorithms/dp_imed.py`` is the algorithm ``dp-imed``; nothing else has to be edited.
"""

from __future__ import annotations

import functools
import importlib
from typing import TypeVar, cast

from dpbandits.algorithm import Algorithm
from dpbandits.computation import Computation
from dpbandits.criterion import Criterion
from dpbandits.environment import Environment
from dpbandits.errors import BadInput, suggest
from dpbandits.figure import Figure
from dpbandits.provenance import PACKAGE, ROOT
from dpbandits.table import Table

Declared = TypeVar("Declared")

# Where each kind of thing is looked for, and what a file of it defines.
PLACES = {
    "algorithm": ("*/algorithms/[!_]*.py", "ALGORITHM"),
    "environment": ("*/environments/[!_]*.py", "ENVIRONMENT"),
    "computation": ("*/computations/[!_]*.py", "COMPUTATION"),
    "figure": ("figures/[!_]*.py", "FIGURE"),
    "table": ("tables/[!_]*.py", "TABLE"),
    "criterion": ("claims/[!_]*.py", "CRITERION"),
}


@functools.cache
def modules(kind: str) -> dict[str, str]:
    """Return the full module name of each thing of a kind (a key of `PLACES`), by its name."""
    files = sorted(ROOT.glob(PLACES[kind][0]))
    return {
        file.stem.replace("_", "-"): ".".join((PACKAGE, *file.relative_to(ROOT).with_suffix("").parts))
        for file in files
    }


def module(kind: str, name: object, where: str) -> str:
    """Return the full module name of a thing, or raise `BadInput` naming ``where``."""
    known = modules(kind)
    if name not in known:
        raise BadInput(where, name, suggest(name, known))
    return known[str(name)]


def _declaration(kind: str, name: object, where: str, _: type[Declared]) -> Declared:
    return cast(Declared, getattr(importlib.import_module(module(kind, name, where)), PLACES[kind][1]))


def algorithm(name: object, where: str = "algorithm") -> Algorithm:
    """Return an algorithm's declaration, or raise `BadInput` naming ``where``."""
    return _declaration("algorithm", name, where, Algorithm)


def environment(name: object, where: str = "environment") -> Environment:
    """Return the declaration of a kind of environment, or raise `BadInput` naming ``where``."""
    return _declaration("environment", name, where, Environment)


def computation(name: object, where: str = "computation") -> Computation:
    """Return a computation's declaration, or raise `BadInput` naming ``where``."""
    return _declaration("computation", name, where, Computation)


def figure(name: object, where: str = "figure") -> Figure:
    """Return the declaration of a kind of figure, or raise `BadInput` naming ``where``."""
    return _declaration("figure", name, where, Figure)


def table(name: object, where: str = "table") -> Table:
    """Return the declaration of a kind of table, or raise `BadInput` naming ``where``."""
    return _declaration("table", name, where, Table)


def criterion(name: object, where: str = "test") -> Criterion:
    """Return the declaration of a kind of test of claims, or raise `BadInput` naming ``where``."""
    return _declaration("criterion", name, where, Criterion)


def wing(kind: str, name: object, where: str = "wing") -> str:
    """Return the wing, the problem setting, that a thing belongs to."""
    return module(kind, name, where).split(".")[1]
