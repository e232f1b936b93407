"""The command line ``dpbandits``: it needs no Snakemake."""

from __future__ import annotations

import argparse
import functools
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from dpbandits.cli.apart import NO_VERDICT, STOPPED, describe_error, run_in_child
from dpbandits.cli.commands import compare, faults, inventory, planted, privacy, results, simulate, start
from dpbandits.core.errors import MENDABLE, needing_workflow, printable, tell
from dpbandits.core.provenance import package_version


class _Once(argparse._StoreAction):
    """Store an option's value, and refuse a second one, which argparse would take without a word."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        """Store the value, or refuse the option if it was given before."""
        given: set[str] = vars(namespace).setdefault("_given", set())
        if option and self.dest in given:
            parser.error(f"{option} is given twice")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class _Parser(argparse.ArgumentParser):
    """Parser whose options are given once, and whose errors are one line."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for name in (None, "store"):
            self.register("action", name, _Once)

    def error(self, message: str) -> NoReturn:
        """End the process with status 2 and one line."""
        self.exit(2, printable(f"{self.prog}: {message}; see {self.prog} --help\n"))


@functools.cache
def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line; it is made once, and all later calls return the same one."""
    top = _Parser(
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
    """Run the command line, or a call of it from Python, and return its exit status.

    The status is 0 if all is well, and 1 if a command's verdict says that it is not. Status 2 is bad input, a
    damaged or missing file, or a missing package, told in one line on stderr. Status 4 means that the command came
    to no verdict, such as after a kill. An audit whose time was spent has 5, and Ctrl-C gives 130.

    Parameters
    ----------
    arguments
        Words of the command line, such as ``["list", "dp-imed"]``. They run in this process, and an unexpected
        error is raised. By default, the words are those of the shell. Then commands that run algorithms do so in a
        child process, and an unexpected error gives status 4.

    Raises
    ------
    SystemExit
        For words that cannot be parsed, with status 2, and after ``--help`` and ``--version``.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal or pipe may lack letters, such as ε: they are spelled out.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    top = parser()
    if "_ARGCOMPLETE" in os.environ:
        # A shell asks what could follow; it does so only where argcomplete is installed.
        import argcomplete

        argcomplete.autocomplete(top)
    parsed, rest = top.parse_known_args(arguments)
    if rest:
        hint = f"; --epsilon {rest[0]}?" if "epsilon" in parsed and rest[0].replace(".", "", 1).isdecimal() else ""
        top.error(f"{parsed.command}: {' '.join(rest)} is not understood{hint}")
    try:
        if arguments is None and "limit" in parsed:
            limit = None if parsed.limit is None else parsed.limit(parsed)
            return run_in_child(functools.partial(_run, parsed), limit)
        return _run(parsed)
    except KeyboardInterrupt:
        print("dpbandits: stopped", file=sys.stderr)
        return STOPPED
    except Exception as error:
        # Python's own status for it is 1, which is a verdict of most commands.
        if arguments is not None:
            raise
        print(f"dpbandits: no verdict: {describe_error(error)}", file=sys.stderr)
        return NO_VERDICT


def _run(parsed: argparse.Namespace) -> int:
    """Run a command, and return its exit status."""
    try:
        with needing_workflow(f"`dpbandits {parsed.command}`"):
            return int(parsed.run(parsed) or 0)
    except MENDABLE as error:
        return tell(error)
    except SystemExit as end:
        print(
            printable(f"dpbandits: no verdict: what was run ends the process (SystemExit: {end})"), file=sys.stderr
        )
        return NO_VERDICT
