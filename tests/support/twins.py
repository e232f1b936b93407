"""Broken twins: algorithms whose claim of privacy is wrong on purpose, for audits to find.

A twin is an algorithm's declaration under another name, with its `simulate` wrapped or its source altered. The
registry finds it as long as the context lasts.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from dpbandits.auditing.audit import DELTA
from dpbandits.auditing.candidates import fixed_environment
from dpbandits.auditing.sampled import sampled
from dpbandits.core import compiled, provenance, registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.fields import Values
from dpbandits.core.files import whole

SUPPORT = Path(__file__).parent
# Audits of a broken twin begin with these shares of the usual effort; most faults need no more than the first.
FIRST = (1 / 64, 1 / 16)


def blamed(
    name: str,
    epsilon: float = 1.0,
    parameters: Values | None = None,
    first: tuple[float, ...] = FIRST,
    last: float = 1.0,
) -> bool:
    """Return whether a sampled audit finds that an algorithm loses more than ``epsilon``; replays are not asked.

    Three audits look for it: with each share ``first`` of the effort, and, if they find nothing, with ``last``
    times it.
    A correct algorithm is blamed with probability at most 1/1000, half of it by the last audit.
    """
    privacy = registry.algorithm(name).privacy
    _, place = fixed_environment(registry.setting("algorithm", name))
    usual = privacy.effort or place.fixed.effort
    given = {**({"delta": DELTA} if privacy.definition == "approximate" else {}), **(parameters or {})}
    errs = 0.5e-3
    audits = [*((share, errs / len(first)) for share in first), (last, errs)]
    return any(
        sampled(name, given, epsilon, int(share * usual), seed=0, confidence=1 - level).bound > epsilon
        for share, level in audits
    )


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


def _placed(sources: Mapping[str, str], digest: str) -> Path:
    """Return a folder with these sources, beside their compiled code if they have been compiled before."""
    folder = compiled.CACHE / f"twin-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in sources.items():
        file = folder / f"{name}.py"
        # What is there is the same; written again it would be newer than its compiled code.
        if not file.exists():
            with whole(file) as part:
                part.write_text(text, encoding="utf-8")
    return folder


def _imported(text: str, seen: set[Path]) -> set[Path]:
    """Return the files of this folder that a text imports, directly or not, with those ``seen`` before."""
    for name in re.findall(r"(?:from|import) (\w+)", text):
        file = SUPPORT / f"{name}.py"
        if file.is_file() and file not in seen:
            seen |= _imported(file.read_text("utf-8"), seen | {file})
    return seen


def direct(source: str) -> str:
    """Return a source that imports names from the modules that define them, not from `authoring`."""
    lines = source.splitlines(keepends=True)
    for node in reversed(ast.parse(source).body):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").endswith(".authoring"):
            continue
        imports: dict[str, list[str]] = {}
        for alias in node.names:
            defining = provenance._defining(f"{node.module}.{alias.name}")
            value = getattr(importlib.import_module(node.module), alias.name)
            known = vars(importlib.import_module(defining))
            name = alias.name if known.get(alias.name) is value else next(n for n, v in known.items() if v is value)
            called = alias.asname or alias.name
            imports.setdefault(defining, []).append(name if called == name else f"{name} as {called}")
        lines[node.lineno - 1 : node.end_lineno] = [
            f"from {module} import {', '.join(sorted(names))}\n" for module, names in sorted(imports.items())
        ]
    return "".join(lines)


def mutated(original: str, changes: Mapping[str, Mapping[str, str]]) -> Algorithm:
    """Return the declaration of an algorithm whose source, or a module below it, is altered.

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
    # All that a twin's kernels can reach: what is replaced, what they import, and what that imports from here.
    digest = hashlib.blake2b(provenance.source_digest(own).encode(), digest_size=8)
    changed = json.dumps(changes)
    for file in sorted(_imported(changed, {Path(__file__)})):
        digest.update(file.read_bytes() + b"\0")
    digest.update(changed.encode())
    # Compiled code asks for the modules of what it inlines: a name is of one content, and stays known.
    twin = f"_twin_{digest.hexdigest()}"
    sources = {}
    for name in affected:
        source = direct(provenance.module_path(name).read_text(encoding="utf-8"))
        for old, new in altered.get(name, {}).items():
            if source.count(old) != 1:
                raise AssertionError(f"{name} has {old!r} {source.count(old)} times")
            source = source.replace(old, new)
        for other in affected:
            source = source.replace(f"from {other} import", f"from {other}{twin} import")
            package, _, leaf = other.rpartition(".")
            line = re.compile(rf"^(from {package} import (?:.*\W)?){leaf}( as \w+)?\b", re.MULTILINE)
            source = line.sub(lambda m, leaf=leaf: f"{m[1]}{leaf}{twin}{m[2] or f' as {leaf}'}", source)
        sources[f"{name}{twin}"] = source
    folder = _placed(sources, digest.hexdigest())
    # Python calls none of a twin's inner functions: without a form for it they compile in four fifths of the time.
    inner = functools.partial(compiled._kernel, _nrt=False, no_cpython_wrapper=True)
    with mock.patch.object(compiled, "inner", inner):
        for name in sources:
            spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
            # numba's calls take named tuples of one name and of fields of the same types for one type. The twin's
            # would be looked up in Python, once a call: a replay takes 7 s of the processor in place of 1.4 s.
            for made in vars(module).values():
                if isinstance(made, type) and made.__module__ == name and hasattr(made, "_fields"):
                    made.__name__ += twin
    # Kernels ask for a digest of their sources when they are first called; a twin's are no files of the package.
    for (name, _), kernel in compiled.KERNELS.items():
        if name in sources:
            kernel.digest = functools.partial(str, folder.name)
    declared: Algorithm = module.ALGORITHM
    return declared
