"""Mutate operators at random, and say whether the fast tests notice: python tools/mutate.py 20 [--seed 1]

Each operator of the package is as likely as any other. The mutated source lies in a copy of the repository, where
the fast tests run that reach it: first golden arrays and the tests that import its module, then the others. A
mutation survives if all of them pass, or if none has failed within ``--seconds`` with it nor without it. Survivors
are for a person to judge: a mutation may change nothing that anybody could see. ``--just 3 7`` runs the third and
the seventh of those that are drawn.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dpbandits.core import provenance

ROOT = Path(__file__).parents[1]
COPIED = ("src", "packages", "tests", "config", "workflow", "profiles", "docs", "tools", "figures", "benchmarks")
# What takes an operator's place.
OTHER = {
    **{"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "**": "*"},
    **{"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in", "is": "is not"},
    **{"and": "or", "or": "and", "not in": "in", "is not": "is"},
}
TEXT: dict[type[ast.AST], str] = {
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**"},
    **{ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="},
    **{ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not", ast.And: "and", ast.Or: "or"},
}


# A loop without an end is noticed too, where the same tests end without the mutation.
LATE = "the limit of time"


class Mutation(NamedTuple):
    """An operator that is replaced: file, line, the source that stands between its operands, and the new one."""

    file: Path
    line: int
    start: int
    end: int
    new: str

    def applied(self) -> bytes:
        """Return the mutated source."""
        source = self.file.read_bytes()
        return source[: self.start] + self.new.encode() + source[self.end :]

    def __str__(self) -> str:
        was, now = (text.decode().splitlines()[self.line - 1] for text in (self.file.read_bytes(), self.applied()))
        return f"{self.file.relative_to(ROOT)}:{self.line}\n  - {was.strip()}\n  + {now.strip()}"


def mutations(file: Path) -> Iterator[Mutation]:
    """Yield every mutation of a file's operators; types and what is only told to checkers have none."""
    source = file.read_bytes()
    starts = [0]
    for row in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    tree = ast.parse(source)
    typed = {id(part) for node in ast.walk(tree) for kind in _types(node) for part in ast.walk(kind)}
    for node in ast.walk(tree):
        if id(node) in typed:
            continue
        for left, operator, right in _operators(node):
            start = starts[(left.end_lineno or 0) - 1] + (left.end_col_offset or 0)
            end = starts[right.lineno - 1] + right.col_offset
            between, old = source[start:end].decode(), TEXT.get(type(operator), "")
            if old and between.count(old) == 1:
                yield Mutation(file, left.end_lineno or 0, start, end, between.replace(old, OTHER[old]))


def _types(node: ast.AST) -> Iterator[ast.AST]:
    for name in ("annotation", "returns"):
        if isinstance(kind := getattr(node, name, None), ast.AST):
            yield kind


def _operators(node: ast.AST) -> Iterator[tuple[ast.expr, ast.AST, ast.expr]]:
    if isinstance(node, ast.BinOp):
        yield node.left, node.op, node.right
    elif isinstance(node, ast.Compare):
        yield from zip([node.left, *node.comparators], node.ops, node.comparators, strict=False)
    elif isinstance(node, ast.BoolOp):
        yield from ((left, node.op, right) for left, right in zip(node.values, node.values[1:], strict=False))


def tests_of(module: str) -> list[str]:
    """Return the test files that reach a module, those first that are likely to fail."""
    sys.path[:0] = [str(ROOT / "tests" / "support")]
    import evidence

    path, short = provenance.module_path(module), module.rpartition(".")[2]
    ranked = []
    for file in sorted(ROOT.glob("tests/**/test_*.py")):
        modules, files = evidence.reached(file)
        if module not in modules and path not in files:
            continue
        text = file.read_text(encoding="utf-8")
        imports = f"{module} import" in text or f"{module.rpartition('.')[0]} import {short}" in text
        golden = file.stem == "test_same_bytes" and module in _of_arrays()
        ranked.append((not golden, not imports, short not in text, module not in modules, str(file)))
    return [str(Path(name).relative_to(ROOT)) for *_, name in sorted(ranked)]


def _of_arrays() -> set[str]:
    """Return the modules that arrays depend on."""
    from dpbandits.core import registry

    names = [
        registry.module(kind, name) for kind in ("algorithm", "environment") for name in registry.modules(kind)
    ]
    return {part for name in ("dpbandits.runs.job", *names) for part in provenance.transitive_imports(name)}


def _module(file: Path) -> str:
    parts = file.relative_to(ROOT / "src").with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


class Copy:
    """A copy of the repository, in which sources are mutated and fast tests run."""

    def __init__(self, folder: Path, seconds: int) -> None:
        self.folder, self.seconds = folder, seconds
        # Tests that fail here without a mutation.
        self.broken: list[str] = []
        subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(folder)], check=True)
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True)
        sources = [folder / "src", *folder.glob("packages/*/src")]
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sources))}

    def failure(self, tests: list[str]) -> str:
        """Return the first fast test that fails, or what else ended them, as `LATE`; nothing if all passed."""

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds))

        without = [f"--deselect={test}" for test in self.broken]
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", *without, *tests],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=limit,
        )
        # 5: no fast test is there. Negative: their time was over.
        if done.returncode < 0:
            return LATE
        if done.returncode in (0, 5):
            return ""
        failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
        return failed[0] if failed else f"pytest ended with {done.returncode}"

    def caught(self, mutation: Mutation, tests: list[str]) -> str:
        """Return the test that fails for a mutation, or `LATE` if they end in time without it alone.

        A test that fails without the mutation is passed by from then on.
        """
        file = self.folder / mutation.file.relative_to(ROOT)
        intact = file.read_bytes()
        while True:
            file.write_bytes(mutation.applied())
            try:
                failed = self.failure(tests)
            finally:
                file.write_bytes(intact)
            if failed == LATE:
                return "" if self.failure(tests) == LATE else LATE
            if not failed or not self.failure([failed]):
                return failed
            self.broken.append(failed)


def main(arguments: list[str] | None = None) -> int:
    """Print each mutation with what became of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", type=int, help="how many operators")
    parser.add_argument("--seed", type=int, default=1, help="draws them")
    parser.add_argument("--seconds", type=int, default=300, help="of the processor for each")
    parser.add_argument("--only", default="src/dpbandits/**/*.py", help="files, as a pattern")
    parser.add_argument("--just", type=int, nargs="+", help="of those drawn, the first is 1")
    given = parser.parse_args(arguments)
    every = [mutation for file in sorted(ROOT.glob(given.only)) for mutation in mutations(file)]
    drawn = random.Random(given.seed).sample(every, given.number)
    drawn = drawn if given.just is None else [drawn[number - 1] for number in given.just]
    caught = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder) / "copy", given.seconds)
        for mutation in drawn:
            print(mutation, flush=True)
            failed = copy.caught(mutation, tests_of(_module(mutation.file)))
            caught += bool(failed)
            print(f"  caught by {failed}" if failed else "  SURVIVED", flush=True)
    print(f"{caught} of {len(drawn)} caught, of {len(every)} operators, seed {given.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
