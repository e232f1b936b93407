"""Golden arrays: digests of some runs, which every machine has to make.

``golden.json`` has runs of every algorithm in the configuration, at its small scale, and of every environment. The
seed of their draw is its month. ``python -m dpbandits.runs.golden 2026-11`` in the repository's root draws
others, and writes what this machine makes of them. With ``renew`` for the seed it keeps the runs and renews
their digests. Without a seed it prints which of the first ten, the quick ones, differ here.
"""

from __future__ import annotations

import functools
import hashlib
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.core import registry
from dpbandits.core.fields import Parameters, Values
from dpbandits.runs.job import make_job, run

FILE = Path(__file__).with_name("golden.json")
# Cells of each algorithm, and of each environment.
OF_ALGORITHM, OF_ENVIRONMENT = 3, 1
# A cell has the runs that take this many seconds, within these bounds. Many runs, because a last bit seldom
# matters.
SECONDS, LEAST, MOST = 0.05, 2, 200
# The first cells are quick and cover all settings.
QUICK = 10
ROOT_SEED = 20251121
# Environments that no configuration has: an algorithm, the environment, a budget, T.
BESIDE: tuple[tuple[str, Parameters, float | None, int], ...] = (
    ("rnm-ftnl-laplace", {"kind": "geometric-gaps", "arms": 40, "gap": 0.01}, 0.5, 4096),
    ("rnm-ftnl-gumbel", {"kind": "equal-gaps", "arms": 5, "gap": 0.1}, 0.5, 4096),
    ("rnm-ftnl-exponential", {"kind": "deterministic-losses", "means": [0.1, 0.3, 0.35]}, 2.0, 4096),
    ("rnm-ftnl-permute-and-flip", {"kind": "bernoulli-losses", "means": [0.1, 0.3, 0.35]}, 1.0, 4096),
    ("htinf", {"kind": "hardest-gap", "arms": 7, "model": "central"}, None, 2000),
    ("dp-exp3-lap", {"kind": "hardest-gap", "arms": 3, "model": "local"}, 0.3, 2000),
    ("batched-exp4", {"kind": "hardest-expert-gap", "experts": 5, "actions": 3, "model": "batched"}, 1.0, 20000),
    ("local-dp-exp4", {"kind": "hardest-expert-gap", "experts": 5, "actions": 3, "model": "local"}, 1.0, 2000),
)


@dataclass(frozen=True)
class Golden:
    """Definition of some runs, with the digest that their arrays must have on every machine.

    Attributes
    ----------
    algorithm, parameters, environment, epsilon, horizon, checkpoints, root_seed
        Arguments of `dpbandits.runs.job.make_job`: name, parameters, ``{"kind": ...}`` with its parameters, budget
        or ``None``, T, largest number of recorded rounds, and root seed. Parameters that are not given have their
        defaults, which are computed again.
    first
        The number of the first run.
    runs
        Number of runs.
    digest
        Digest of the runs' arrays, 16 hexadecimal digits.
    """

    algorithm: str
    parameters: Values
    environment: Parameters
    epsilon: float | None
    horizon: int
    checkpoints: int
    root_seed: int
    first: int
    runs: int = LEAST
    digest: str = ""

    def made(self) -> str:
        """Simulate the runs here, and return the digest of their arrays ``regret``, ``rounds`` and ``pulls``."""
        job = make_job(
            self.algorithm,
            self.parameters,
            self.environment,
            self.epsilon,
            self.horizon,
            self.checkpoints,
            self.root_seed,
        )
        runs = run(job, range(self.first, self.first + self.runs))
        digest = hashlib.blake2b(digest_size=8)
        for array in (runs.regret, runs.rounds, runs.pulls):
            digest.update(f"{array.dtype.str} {array.shape}\0".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    @property
    def label(self) -> str:
        """Algorithm, environment, horizon and budget, in words for people."""
        return f"{self.algorithm} in {self.environment['kind']}, T={self.horizon}, epsilon={self.epsilon}"


@functools.cache
def known() -> tuple[Golden, ...]:
    """Return the entries of ``golden.json``: runs whose arrays have known digests.

    The first ten (`QUICK`) take two seconds in all, once kernels are compiled.
    """
    return tuple(Golden(**each) for each in json.loads(FILE.read_text(encoding="utf-8"))["cells"])


def changed(cells: Sequence[Golden]) -> list[Golden]:
    """Simulate all ``cells``, and return those whose arrays have another digest here than the known one."""
    return [cell for cell in cells if cell.made() != cell.digest]


def _configured() -> Iterator[Golden]:
    """Yield the first runs of every cell of the small scale; needs the repository."""
    from dpbandits.runs import config

    checked, cells = config.planned([*config.shipped(Path("config")), Path("config", "small.yaml")])
    for (paper, _), experiment in cells.items():
        for cell in experiment.values():
            given = checked.papers[paper].algorithms[cell.algorithm]
            yield Golden(
                algorithm=cell.job.algorithm,
                parameters=dict(given.parameters),
                environment=dict(cell.job.environment),
                epsilon=cell.job.epsilon,
                horizon=cell.job.horizon,
                checkpoints=cell.job.checkpoints,
                root_seed=cell.job.root_seed,
                first=0,
            )


def _drawn(seed: str) -> list[Golden]:
    """Return cells that have every algorithm, wrapped ones too, and every environment."""
    chance = random.Random(seed)
    cells = [*_configured()]
    chance.shuffle(cells)
    had: Counter[Any] = Counter()
    chosen = []
    for cell in cells:
        algorithm = (cell.algorithm, cell.parameters.get("base"))
        environment = json.dumps(cell.environment, sort_keys=True)
        if had[algorithm] < OF_ALGORITHM or had[environment] < OF_ENVIRONMENT:
            had.update((algorithm, environment))
            chosen.append(cell)
    beside = [
        Golden(name, {}, environment, epsilon, horizon, 20, ROOT_SEED, 0)
        for name, environment, epsilon, horizon in BESIDE
    ]
    return [
        replace(cell, first=chance.randrange(10**6))
        for cell in sorted([*chosen, *beside], key=lambda cell: cell.algorithm)
    ]


def _write(seed: str, cells: Sequence[Golden]) -> None:
    lines = ",\n".join(json.dumps(asdict(cell)) for cell in cells)
    FILE.write_text(f'{{"drawn": {json.dumps(seed)}, "cells": [\n{lines}\n]}}\n', encoding="utf-8")


def renew() -> None:
    """Write ``golden.json`` again: the same runs, with the digests of the arrays that this machine makes."""
    seed = json.loads(FILE.read_text(encoding="utf-8"))["drawn"]
    _write(seed, [replace(cell, digest=cell.made()) for cell in known()])


def main(seed: str) -> None:
    """Draw definitions of runs with ``seed``, simulate them, and write ``golden.json`` with their digests.

    ``seed`` is any text, such as the month ``"2026-11"``. Lines on stderr have the seconds that each entry takes.
    """
    import time

    timed = []
    for cell in _drawn(seed):
        cell.made()
        began = time.perf_counter()
        cell.made()
        runs = int(LEAST * SECONDS / (time.perf_counter() - began))
        cell = replace(cell, runs=max(LEAST, min(MOST, runs)))
        began = time.perf_counter()
        digest = cell.made()
        timed.append((time.perf_counter() - began, replace(cell, digest=digest)))
        print(f"{timed[-1][0]:7.3f} s  {cell.label}", file=sys.stderr)
    # The quick entries: of each setting those that take the least time, but one of each algorithm at most.
    by_setting: dict[str, list[Golden]] = {}
    for _, cell in sorted(timed, key=lambda each: each[0]):
        mates = by_setting.setdefault(registry.setting("algorithm", cell.algorithm), [])
        if all(mate.algorithm != cell.algorithm for mate in mates):
            mates.append(cell)
    quick = [cell for mates in by_setting.values() for cell in mates[: QUICK // len(by_setting)]]
    cells = [*quick, *(cell for _, cell in timed if cell not in quick)]
    _write(seed, cells)
    print(f"{len(cells)} cells, {sum(seconds for seconds, _ in timed):.1f} s", file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:] == ["renew"]:
        renew()
    elif len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        print(*(cell.label for cell in changed(known()[:QUICK])), sep="\n", end="")
