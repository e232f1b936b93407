"""Patches of Snakemake: one here and the two of `prefork`, each with its reason and its measure.

The Snakefile calls `apply` while it is read, where this workflow is the main one and not a ``module:`` of another.
So the patches are there in every Snakemake of the workflow: on a laptop, on a login node, and in one that a
submission starts. ``tests/engine`` notices when a new Snakemake needs something else.
"""

from __future__ import annotations

import functools
import gc
import threading
from typing import Any

from snakemake.logging import logger
from snakemake.scheduling.job_scheduler import JobScheduler

import prefork
from dpbandits.core.provenance import source_folders

# A plan is many objects that stay. At Python's threshold of 700 a fifth of planning is spent on looking for unused
# ones. Measured on the shipped grid, planning with nothing to do: 3.3 s of processor time instead of 4.2 s.
GC_THRESHOLD = 100_000


@functools.cache
def apply() -> None:
    """Change Snakemake in this process, once.

    Python looks for unused objects less often, and the scheduler has one timer in place of many (`look_again`).
    Jobs are forked from a process that has imported their modules, unless ``DPBANDITS_COLD`` is in the environment.
    """
    gc.set_threshold(GC_THRESHOLD)
    # The name is Snakemake's, its spelling too.
    JobScheduler._schedule_reevalutation = look_again
    # Measured on the full grid: 18 of 74 minutes of processor time.
    prefork.install(
        ["dpbandits"], source_folders(), "dpbandits.core.compiled", logger.warning, switch="DPBANDITS_COLD"
    )


def look_again(scheduler: Any, delay: float) -> None:
    """Let Snakemake's ``scheduler`` look for jobs after ``delay`` seconds; Snakemake's own function leaks.

    As long as starts are limited in number per time (100 a second by default), each pass of the scheduler asks for
    another pass a second later. Snakemake makes a timer for each. So the timers of one second make as many in the
    next, for ever, and every job that finishes adds one. Hundreds of threads keep a core busy with scheduling
    (``docs/snakemake-storm.md``; Snakemake's issue 2967). One timer at a time is enough; the limit stays.
    Measured on the full grid: 0.43 s of processor time a job without, 0.06 s with it.
    """
    pending: set[float] = scheduler.__dict__.setdefault("_pending_looks", set())

    def look() -> None:
        # In this order: the pass that is released now may ask for a timer, and must find none waiting.
        pending.discard(delay)
        scheduler._open_jobs.release()

    if delay not in pending:
        pending.add(delay)
        timer = threading.Timer(delay, look)
        # A finished workflow need not wait for it.
        timer.daemon = True
        timer.start()
