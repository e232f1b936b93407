"""What this workflow changes in Snakemake: each change, its reason, and what it rests on.

The Snakefile calls `adapt` while it is read, so the changes are there in every Snakemake of the workflow: on a
laptop, on a login node, and in one that a submission starts. ``tests/system/`` notices when a new Snakemake needs
something else.
"""

from __future__ import annotations

import threading
from typing import Any

from snakemake.scheduling.job_scheduler import JobScheduler


def adapt() -> None:
    """Change Snakemake in this process."""
    # The name is Snakemake's, its spelling too.
    JobScheduler._schedule_reevalutation = look_again


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
