"""Warm starts of Snakemake's shell jobs, by other values for two names in Snakemake's modules.

A job that starts *warm* is forked from a process that has imported what the job needs. A job that starts *cold* is
started as Snakemake does it, and imports all by itself.

Snakemake is imported inside functions, so that `prefork.Starter` works without it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import subprocess
import sys
import time
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from prefork.client import Started, Starter


def install(
    programs: Sequence[str],
    sources: Sequence[Path],
    preloader: str | None = None,
    warn: Callable[[str], object] = lambda _: None,
    switch: str = "PREFORK_COLD",
) -> Starter | None:
    """Start the jobs of this process's workflow warm.

    Every ``shell:`` and every ``script:`` ends in `subprocess.Popen`, called by the module ``snakemake.shell``;
    that module is given `Starter.popen` instead. An executor plugin would be the public way, but users choose one
    executor, and then could not choose that of their cluster. The other public hook, ``shell.executable``, costs
    each job a process that passes the command on, and what ``benchmark:`` measures is that process.

    Parameters
    ----------
    programs
        Names of console scripts of this interpreter, such as ``mytool``, that may start warm. So may a script file
        that this interpreter is given without arguments, as by ``script:``.
    sources
        Folders of files that can influence a job. When one changes, jobs are forked from a new process.
    preloader
        Name of a module that preloads more than imports, such as compiled code; ``None`` for none. At the end of a
        job its ``preloads()`` returns texts, and its ``preload(text)`` is called with each in the process that
        forks jobs.
    warn
        Function that is called with a line of text when a job starts cold that might have started warm; once for
        each text.
    switch
        The name of an environment variable: if it is set and not empty, jobs start cold.

    Returns
    -------
    Starter or None
        The starter of the jobs; ``None`` if all jobs start cold, as on systems that cannot fork.
    """
    if not hasattr(os, "fork") or os.environ.get(switch):
        return None
    import snakemake.benchmark
    import snakemake.shell

    starter = Starter(programs, sources, preloader, warn)
    # As an attribute, `snakemake.shell` is a class, which hides the module of this name.
    module: Any = sys.modules["snakemake.shell"]
    module.sp = types.SimpleNamespace(**{**vars(subprocess), "Popen": starter.popen})
    snakemake.benchmark.benchmarked = functools.partial(
        benchmarked, starter.running, snakemake.benchmark.benchmarked
    )
    return starter


@contextlib.contextmanager
def benchmarked(
    running: dict[int, Started], usual: Any, pid: Any = None, benchmark_record: Any = None, *rest: Any
) -> Iterator[Any]:
    """Measure a job for Snakemake's ``benchmark:``; a warm job by the usage that its server reports at its end.

    Snakemake looks at a process at its start and every half second, and each time at all processes of the machine.
    That costs some milliseconds, and tells nothing of a job that is shorter. Of warm jobs it looks at longer ones
    alone, for the kinds of memory that the system does not sum up.

    Parameters
    ----------
    running
        Jobs that started warm, by process id.
    usual
        Snakemake's own context manager, which measures all other jobs.
    pid, benchmark_record, rest
        Arguments that Snakemake passes: the job's process id, the record to fill, and any others.

    Yields
    ------
    Any
        The record, which is filled when the context ends.
    """
    job = running.get(pid)
    if job is None:
        with usual(pid, benchmark_record, *rest) as record:
            yield record
        return
    import snakemake.benchmark

    timer = functools.cache(lambda: snakemake.benchmark.BenchmarkTimer(pid, benchmark_record))
    job.on_wait = lambda: timer().work()
    began = time.time()
    try:
        yield benchmark_record
    finally:
        benchmark_record.running_time = time.time() - began
        if job.usage is not None:
            benchmark_record.data_collected = True
            benchmark_record.cpu_time = job.usage.seconds
            # Percent times seconds: Snakemake divides by the running time.
            benchmark_record.cpu_usage = 100 * job.usage.seconds
            benchmark_record.max_rss = max(benchmark_record.max_rss or 0, job.usage.memory / 1024)
            benchmark_record.io_in = job.usage.read / 2048
            benchmark_record.io_out = job.usage.written / 2048
