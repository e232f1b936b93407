"""The command line: without Snakemake what the rules run with it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from dpbandits.cli.commands import compare, faults, inventory, planted, privacy, results, simulate, start
from dpbandits.core.errors import MENDABLE, needing_workflow, tell
from dpbandits.core.provenance import package_version


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="dpbandits",
        description="Replications of four papers on differentially private online decisions.",
        epilog="example: dpbandits list",
    )
    top.add_argument("--version", action="version", version=f"dpbandits {package_version()}")
    commands = top.add_subparsers(required=True, metavar="COMMAND", dest="command")
    for group in (inventory, simulate, compare, privacy, faults, planted, results, start):
        group.add(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 2 for bad input, in one line on stderr."""
    top = parser()
    if "_ARGCOMPLETE" in os.environ:
        # A shell asks what could follow; it does so only where argcomplete is installed.
        import argcomplete

        argcomplete.autocomplete(top)
    parsed = top.parse_args(arguments)
    try:
        with needing_workflow(f"`dpbandits {parsed.command}`"):
            return int(parsed.run(parsed) or 0)
    except MENDABLE as error:
        return tell(error)
