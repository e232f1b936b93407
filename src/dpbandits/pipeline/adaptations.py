"""What this workflow changes in Snakemake: each change, its reason, and what it rests on.

The Snakefile calls `adapt` while it is read, so the changes are there in every Snakemake of the workflow: on a
laptop, on a login node, and in one that a submission starts. ``tests/system/`` notices when a new Snakemake needs
something else.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import itertools
import os
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import snakemake.benchmark
import snakemake.common
import snakemake.rules
from snakemake.logging import logger
from snakemake.persistence import ParamsChange, PersistenceBase
from snakemake.scheduling.job_scheduler import JobScheduler

from dpbandits.core.provenance import ROOT
from dpbandits.pipeline.reasons import changed
from dpbandits.pipeline.warm import Started, Starter

# Of jobs that could start, so many are looked at in a pass of the scheduler.
LOOKED_AT = 100
# A plan is many objects that stay. At Python's 700 it looks for unused ones so often that a fifth of the time goes.
FEW = 100_000


@functools.cache
def adapt() -> None:
    """Change Snakemake in this process."""
    # The name is Snakemake's, its spelling too.
    JobScheduler._schedule_reevalutation = look_again
    JobScheduler.open_jobs = property(some_ready)
    # Snakemake shows the whole parameters before and after; of a page of JSON nobody reads what is new.
    ParamsChange.__str__ = lambda change: changed(change.only_old, change.only_new)
    gc.set_threshold(FEW)
    remember_parameters()
    PersistenceBase._serialize_param = compared
    if hasattr(os, "fork") and not os.environ.get("DPBANDITS_COLD"):
        start_warm(Starter(["dpbandits"], ROOT, "dpbandits.core.compiled", logger.warning))


def look_again(scheduler: Any, delay: float) -> None:
    """Let the scheduler look again after ``delay`` seconds: instead of Snakemake's own, which leaks.

    As long as starts are limited in number per time (100 a second by default), each pass of the scheduler asks for
    another pass a second later. Snakemake makes a timer for each, so the timers of one second make as many in the
    next, for ever, and every job that finishes adds one: hundreds of threads, and a core busy with scheduling
    (``docs/snakemake-storm.md``; Snakemake's issue 2967). One timer at a time is enough; the limit stays.
    """
    pending: set[float] = scheduler.__dict__.setdefault("_pending_looks", set())

    def look() -> None:
        # In this order, for the pass that comes now must find that no timer waits any more.
        pending.discard(delay)
        scheduler._open_jobs.release()

    if delay not in pending:
        pending.add(delay)
        timer = threading.Timer(delay, look)
        # A finished workflow need not wait for it.
        timer.daemon = True
        timer.start()


def some_ready(scheduler: Any) -> list[Any]:
    """Return jobs that could start: some of them, at least as many as there is room for.

    After each job that ends Snakemake weighs all that could start, to start one: with 20,000 cells in a grid that
    took a fifth of a second a cell, and left one core of two idle.
    """
    free = min(scheduler.resources.get(name, sys.maxsize) for name in ("_cores", "_nodes"))
    return list(itertools.islice(scheduler.workflow.dag.ready_jobs, max(LOOKED_AT, free)))


def remember_parameters() -> None:
    """Look up once what each of the workflow's functions takes.

    Snakemake does it anew for each job and each input, parameter and resource of it, through `inspect.signature`.
    """
    usual: Callable[[Any], Mapping[str, Any]] = snakemake.common.get_function_params

    @functools.cache
    def of(function: types.FunctionType, bound: int) -> Mapping[str, Any]:
        return types.MappingProxyType(dict(itertools.islice(usual(function).items(), bound, None)))

    def parameters(function: Any) -> Mapping[str, Any]:
        if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
            return of(function.__func__, 1)
        return of(function, 0) if isinstance(function, types.FunctionType) else usual(function)

    for module in (snakemake.common, snakemake.rules):
        module.get_function_params = parameters


def compared(persistence: Any, value: object) -> object:
    """Return a parameter as Snakemake compares it with that of the last run.

    Snakemake imports pandas for it, half a second of each start, to see whether it is a table. Where nobody has
    imported pandas, nothing is.
    """
    tables = "pandas" in sys.modules
    return (persistence._serialize_param_pandas if tables else persistence._serialize_param_builtin)(value)


def start_warm(starter: Starter) -> None:
    """Let jobs start warm.

    Every ``shell:`` and every ``script:`` ends in `subprocess.Popen`, called by the module ``snakemake.shell``;
    that module is given another one here. An executor plugin would be the public way, but users choose one
    executor, and then could not choose that of their cluster. The other public hook, ``shell.executable``, costs
    each job a process that passes the command on, and what ``benchmark:`` measures is that process.
    """
    # The package has a class of that name, which hides the module.
    module: Any = sys.modules["snakemake.shell"]
    module.sp = types.SimpleNamespace(**{**vars(subprocess), "Popen": starter.popen})
    snakemake.benchmark.benchmarked = functools.partial(
        benchmarked, starter.running, snakemake.benchmark.benchmarked
    )


@contextlib.contextmanager
def benchmarked(
    running: dict[int, Started], usual: Any, pid: Any = None, benchmark_record: Any = None, *rest: Any
) -> Iterator[Any]:
    """Measure a job for ``benchmark:``; one that started warm by what the system says of it at its end.

    Snakemake looks at a process at its start and every half second, and each time at all processes of the machine:
    that costs some milliseconds, and tells nothing of a job that is shorter. Here it looks at longer jobs alone,
    for the kinds of memory that the system does not sum up.
    """
    job = running.get(pid)
    if job is None:
        with usual(pid, benchmark_record, *rest) as record:
            yield record
        return
    timer = functools.cache(lambda: snakemake.benchmark.BenchmarkTimer(pid, benchmark_record))
    job.glance = lambda: timer().work()
    began = time.time()
    try:
        yield benchmark_record
    finally:
        benchmark_record.running_time = time.time() - began
        if job.usage is not None:
            benchmark_record.data_collected = True
            benchmark_record.cpu_time = job.usage.seconds
            # Snakemake sums up percentages.
            benchmark_record.cpu_usage = 100 * job.usage.seconds
            benchmark_record.max_rss = max(benchmark_record.max_rss or 0, job.usage.memory / 1024)
            benchmark_record.io_in = job.usage.read / 2048
            benchmark_record.io_out = job.usage.written / 2048
