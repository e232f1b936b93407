"""Last lines of a workflow on the terminal: where results are, or what goes on after a failure."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

from dpbandits.core import escapes


def started() -> str:
    """Return the line that a workflow begins with."""
    return "dpbandits: details are in .snakemake/log. Ctrl-C is safe: the same command goes on."


def done(results: Path, begun: float) -> str:
    """Return where results are, in one line.

    Parameters
    ----------
    results
        The folder of results.
    begun
        When the workflow began, as `time.monotonic` has it.
    """
    pieces = [f"Done in {_took(time.monotonic() - begun)}."]
    if (site := results / "site" / "index.html").is_file():
        pieces.append(f"Open {site}")
    if (ledger := results / "claims.csv").is_file():
        with ledger.open(encoding="utf-8", newline="") as file:
            pieces.append(f"· {len(escapes.read_rows(file))} claims: {results / 'claims.md'}")
    return escapes.printable(" ".join(pieces))


def failed(logs: Path) -> str:
    """Return where logs of failed jobs are, and the command that goes on."""
    command = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
    return escapes.printable(
        f"Stopped: above is what failed. Logs of jobs: {logs}. What is done stays; to go on: {command}"
    )


def _took(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
