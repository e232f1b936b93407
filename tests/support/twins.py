"""Broken twins: algorithms whose claim of privacy is wrong on purpose, for audits to find.

A twin is an algorithm's declaration under another name, with its `simulate` wrapped or its source altered. The
registry finds it as long as the context lasts.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from dpbandits.core import compiled, provenance, registry
from dpbandits.core.algorithm import Algorithm


@contextlib.contextmanager
def registered(original: str, declaration: Algorithm, name: str = "") -> Iterator[str]:
    """Make a declaration known under another name, in the setting of the algorithm ``original``."""
    name = name or f"{original}-twin"
    folder = registry.module("algorithm", original).rpartition(".")[0]
    module = f"{folder}.{name.replace('-', '_')}"
    loaded = importlib.util.module_from_spec(importlib.util.spec_from_loader(module, loader=None))
    loaded.ALGORITHM = declaration
    loaded.__doc__ = f"{declaration.title}. Privacy: as stated."
    sys.modules[module] = loaded
    registry.modules("algorithm")[name] = module
    try:
        yield name
    finally:
        del sys.modules[module], registry.modules("algorithm")[name]


@contextlib.contextmanager
def wrapped(original: str, **change: Callable[[Any], Any]) -> Iterator[str]:
    """Give a twin that is run with other values than it is told: ``epsilon=lambda e: 2 * e`` halves its noise."""
    declared = registry.algorithm(original)

    def simulate(runs: Any, problem: Any, **arguments: Any) -> None:
        altered = {name: change[name](value) if name in change else value for name, value in arguments.items()}
        declared.simulate(runs, problem, **altered)

    with registered(original, dataclasses.replace(declared, simulate=simulate)) as name:
        yield name


def mutated(original: str, changes: Mapping[str, Mapping[str, str]]) -> Algorithm:
    """Return the declaration of an algorithm whose source, or a module below it, is altered; it compiles anew.

    Parameters
    ----------
    original
        The algorithm.
    changes
        For each module, by its name below `dpbandits`, what is replaced by what; each text must occur exactly once.
        The algorithm's own file is ``""``.
    """
    own = registry.module("algorithm", original)
    altered = {own if name == "" else f"dpbandits.{name}": change for name, change in changes.items()}
    # What imports an altered module is loaded anew with it.
    affected = [
        name
        for name in provenance.transitive_imports(own)
        if set(altered) & set(provenance.transitive_imports(name))
    ]
    affected.sort(key=lambda name: len(provenance.transitive_imports(name)))
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(compiled, "source_digest", lambda _: folder):
        for name in affected:
            source = provenance.module_path(name).read_text(encoding="utf-8")
            for old, new in altered.get(name, {}).items():
                if source.count(old) != 1:
                    raise AssertionError(f"{name} has {old!r} {source.count(old)} times")
                source = source.replace(old, new)
            for other in affected:
                source = source.replace(f"from {other} import", f"from {other}_twin import")
                package, _, leaf = other.rpartition(".")
                line = re.compile(rf"^(from {package} import (?:.*\W)?){leaf}( as \w+)?\b", re.MULTILINE)
                source = line.sub(lambda m, leaf=leaf: f"{m[1]}{leaf}_twin{m[2] or f' as {leaf}'}", source)
            file = Path(folder) / f"{name}_twin.py"
            file.write_text(source, encoding="utf-8")
            spec = importlib.util.spec_from_file_location(f"{name}_twin", file)
            module = importlib.util.module_from_spec(spec)
            sys.modules[f"{name}_twin"] = module
            spec.loader.exec_module(module)
        for name in affected:
            del sys.modules[f"{name}_twin"]
    declared: Algorithm = module.ALGORITHM
    return declared
