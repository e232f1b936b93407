"""Registry of algorithms, environments, figures and the like: each is a file that is found in its folder.

The file ``settings/stochastic/algorithms/dp_imed.py`` is the algorithm ``dp-imed`` of the stochastic setting,
``papers/<paper>/figures/regret_slope.py`` the kind of figure ``regret-slope``; nothing else has to be edited.
"""

from __future__ import annotations

import functools
import importlib
import sys
from typing import TYPE_CHECKING, Any

from dpbandits.core.errors import BadInput, BrokenFile, in_source, suggest
from dpbandits.core.imported import PACKAGE
from dpbandits.core.provenance import ROOT, module_path

if TYPE_CHECKING:
    from dpbandits.core.algorithm import Algorithm
    from dpbandits.core.environment import Environment

# Folder of the files of each kind, and the name that each file defines.
PLACES = {
    "algorithm": ("settings/*/algorithms/[!_]*.py", "ALGORITHM"),
    "environment": ("settings/*/environments/[!_]*.py", "ENVIRONMENT"),
    "computation": ("papers/*/computations/[!_]*.py", "COMPUTATION"),
    "figure": ("papers/*/figures/[!_]*.py", "FIGURE"),
    "table": ("papers/*/tables/[!_]*.py", "TABLE"),
    "picture": ("papers/*/pictures/[!_]*.py", "PICTURE"),
    "certificate": ("papers/*/certificates/[!_]*.py", "CERTIFICATE"),
    "test": ("claims/kinds/[!_]*.py", "TEST"),
}


@functools.cache
def modules(kind: str) -> dict[str, str]:
    """Return the full module names of all algorithms, or of all objects of another ``kind``, by name.

    ``kind`` is ``"algorithm"``, ``"environment"``, ``"computation"``, ``"figure"``, ``"table"``, ``"picture"``,
    ``"certificate"``, or ``"test"`` for kinds of tests of claims. The algorithm ``dp-imed`` has the module
    ``dpbandits.settings.stochastic.algorithms.dp_imed``.
    """
    files = sorted(ROOT.glob(PLACES[kind][0]), key=lambda file: file.stem)
    return {
        file.stem.replace("_", "-"): ".".join((PACKAGE, *file.relative_to(ROOT).with_suffix("").parts))
        for file in files
    }


def module(kind: str, name: object) -> str:
    """Return the full name of the module that declares an algorithm, or an object of another ``kind``.

    ``kind`` is a key of `PLACES`, such as ``"environment"``. An unknown ``name``, such as one that is no text,
    raises `BadInput`.
    """
    known = modules(kind)
    if not isinstance(name, str) or name not in known:
        raise BadInput((), name, suggest(name, known))
    return known[name]


def load(kind: str, name: object) -> Any:
    """Return the declaration of an algorithm, or an object of another ``kind``, from the file of that name.

    ``kind`` is a key of `PLACES`, such as ``"environment"``. `BadInput` is raised for an unknown name, `BrokenFile`
    if the file cannot be imported or declares nothing.
    """
    own = module(kind, name)
    # This look-up is fast, because planning a workflow asks some ten thousand times.
    found = sys.modules.get(own)
    if found is None:
        with in_source(str(module_path(own))):
            found = importlib.import_module(own)
    if not hasattr(found, PLACES[kind][1]):
        raise BrokenFile(str(module_path(own)), 0, f"it defines no {PLACES[kind][1]}")
    return getattr(found, PLACES[kind][1])


def importable(kind: str) -> list[str]:
    """Return the names of algorithms, or of another ``kind``, whose files can be imported.

    ``kind`` is a key of `PLACES`, such as ``"environment"``. For each other file a line on stderr has its error.
    """
    found = []
    for name in modules(kind):
        try:
            load(kind, name)
        except BrokenFile as error:
            print(f"not listed: {error}", file=sys.stderr)
        else:
            found.append(name)
    return found


def algorithm(name: object) -> Algorithm:
    """Return the declaration of an algorithm, such as ``"dp-imed"``, or raise `BadInput`."""
    declared: Algorithm = load("algorithm", name)
    return declared


def environment(name: object) -> Environment:
    """Return the declaration of a kind of environment, such as ``"bernoulli"``, or raise `BadInput`."""
    declared: Environment = load("environment", name)
    return declared


def setting(kind: str, name: object) -> str:
    """Return the setting, such as ``"stochastic"``, of an algorithm or environment by kind and name.

    ``kind`` is ``"algorithm"`` or ``"environment"``. It raises `BadInput` for an unknown name.
    """
    return module(kind, name).split(".")[2]


@functools.cache
def papers() -> dict[str, dict[str, str]]:
    """Return the texts ``title``, ``authors`` and ``year`` of all papers in ``papers/`` that have them, by id."""
    found = {}
    for file in sorted(ROOT.glob("papers/*/__init__.py")):
        paper = importlib.import_module(f"{PACKAGE}.papers.{file.parent.name}")
        if hasattr(paper, "TITLE"):
            about = {"title": paper.TITLE, "authors": paper.AUTHORS, "year": paper.YEAR}
            found[file.parent.name] = about
    return found
