"""Snakemake without its start: workflows are forked from a process that has imported Snakemake and what plans need.

What is imported is third parties' code alone: a workflow imports this package from where its environment says, a
copy of the repository as a rule, and makes its jobs' processes itself. A start costs a tenth of a second instead of
two to four. The command itself is run by ``test_every_grouping_gives_the_same_bytes``.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import runpy
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess
from pathlib import Path

IMPORTED = (
    *("snakemake.cli", "snakemake.workflow", "snakemake.persistence", "snakemake.scheduling.job_scheduler"),
    *("snakemake.executors.local", "snakemake.report"),
    *(
        "numba",
        "pandas",
        "pydantic",
        "platformdirs",
        "matplotlib.pyplot",
        "scipy.optimize",
        "scipy.stats",
        "seaborn",
    ),
)


def _become(folder: str, arguments: list[str], environment: dict[str, str], said: str) -> None:
    """Be ``python -m snakemake`` in a session of its own, and write what it says to a file."""
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [folder, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    sys.argv[1:] = arguments
    with Path(said).open("w", encoding="utf-8") as file:
        for number in (1, 2):
            os.dup2(file.fileno(), number)
    try:
        runpy.run_module("snakemake", run_name="__main__", alter_sys=True)
    finally:
        # A process of multiprocessing ends without.
        atexit._run_exitfuncs()


@dataclass
class Snakemake:
    """A workflow that runs in a folder, in a process group of its own.

    Attributes
    ----------
    folder, arguments
        Where, and what follows ``snakemake`` on the command line.
    environment
        Its variables; the package is imported from the first folder of ``PYTHONPATH``.
    """

    folder: Path
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    process: ForkServerProcess = field(init=False)

    def __post_init__(self) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(IMPORTED))
        self._said = self.folder / ".said"
        given = (str(self.folder), list(self.arguments), dict(self.environment), str(self._said))
        self.process = context.Process(target=_become, args=given)
        self.process.start()

    @property
    def pid(self) -> int:
        """The number of its process, and of the process group."""
        assert self.process.pid is not None
        return self.process.pid

    def end(self, status: int | None = 0, timeout: float = 900) -> str:
        """Wait for its end, assert that it has this status if one is given, and return what was said."""
        self.process.join(timeout)
        assert self.process.exitcode is not None, f"does not end: {self.arguments}"
        said = self._said.read_text(encoding="utf-8")
        assert status is None or self.process.exitcode == status, said
        return said
