"""Commands that inform: ``list`` of what there is, ``cite``, ``doctor`` of the machine, and ``completion``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.cli.commands.arguments import complete_with, names, settings
from dpbandits.core.errors import BadInput, MissingExtra, suggest

if TYPE_CHECKING:
    from dpbandits.cli.commands.arguments import Commands

SHELLS = ("bash", "fish", "zsh")


def add(commands: Commands) -> None:
    """Add the parsers of ``list``, ``cite``, ``doctor`` and ``completion`` to those of the command line."""
    listed = commands.add_parser(
        "list",
        help="papers, algorithms with their privacy and source, environments",
        description=(
            "List papers, algorithms with their privacy and source, environments and what else there is, as "
            "tables. With a NAME: all about one algorithm or environment, with its parameters; or about a paper, "
            "figure, table, experiment, computation or claim: what makes it, where its options are, what it needs."
        ),
        epilog="example: dpbandits list --setting stochastic --privacy pure",
    )
    complete_with(
        listed.add_argument("name", metavar="NAME", nargs="?", help="an algorithm, a figure, a claim ..."), names
    )
    complete_with(listed.add_argument("--setting", help="only what is of this setting"), settings)
    complete_with(listed.add_argument("--paper", help="only what is of this paper, by its id"), _papers)
    listed.add_argument("--privacy", help="only algorithms so private: pure, approximate, local or none")
    listed.add_argument("--json", action="store_true", help="as JSON")
    listed.set_defaults(run=command_list)

    cited = commands.add_parser(
        "cite",
        help="names, version and BibTeX of this package and of the papers",
        description="Print names, version and BibTeX of this package, and BibTeX of the papers that it replicates.",
        epilog="example: dpbandits cite",
    )
    cited.set_defaults(run=command_cite)

    examined = commands.add_parser(
        "doctor",
        help="can this machine run the pipeline, and what to do if not",
        description="Look at what the pipeline needs here and say what to do; status 1 if it cannot run.",
        epilog="example: dpbandits doctor",
    )
    examined.add_argument("--json", action="store_true", help="as JSON")
    examined.add_argument(
        "--release", action="store_true", help="look at what a release of this clone needs instead"
    )
    examined.set_defaults(run=command_doctor)

    completed = commands.add_parser(
        "completion",
        help="print what makes a shell complete commands, options and names",
        description=(
            "Print what makes bash, zsh or fish complete commands, options and names. In ~/.bashrc or ~/.zshrc: "
            'eval "$(dpbandits completion bash)"; in fish: dpbandits completion fish | source.'
        ),
        epilog="example: dpbandits completion bash",
    )
    completed.add_argument("shell", metavar="SHELL", help="bash, zsh or fish")
    completed.set_defaults(run=command_completion)


def command_list(arguments: argparse.Namespace) -> None:
    """Run ``dpbandits list``: print tables, or JSON, of all papers, algorithms and so on that the options choose.

    With a NAME, print a description of that alone; options are refused then.
    """
    from dpbandits.cli.listing import Filters, describe, inventory, listing

    if arguments.name is not None:
        # They choose among all that there is; of one thing all is printed.
        for option in ("setting", "paper", "privacy", "json"):
            if given := getattr(arguments, option):
                raise BadInput(
                    f"--{option}", given, f"no such option beside a name; `dpbandits list {arguments.name}`"
                )
        print(describe(arguments.name))
        return
    filters = Filters(arguments.setting, arguments.paper, arguments.privacy)
    filters.check()
    print(json.dumps(inventory(filters), indent=2) if arguments.json else listing(filters))


def command_cite(_: argparse.Namespace) -> None:
    """Run ``dpbandits cite``: print names and version of this package, and BibTeX of it and of the papers."""
    from dpbandits.publish.cite import cite

    print(cite())


def command_doctor(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits doctor``: print what each check found; status 1 if one has the status ``fail``, else 0.

    With ``--release`` the checks are of a release of the clone in the working directory.
    """
    from dpbandits.cli import doctor
    from dpbandits.cli.doctor import report

    if arguments.release:
        from dpbandits.cli import release

        findings = dict(release.examine(Path.cwd()))
    else:
        findings = dict(doctor.examine())
    as_json = {name: finding._asdict() for name, finding in findings.items()}
    print(json.dumps(as_json, indent=2) if arguments.json else report(findings))
    return int(any(finding.status == "fail" for finding in findings.values()))


def command_completion(arguments: argparse.Namespace) -> None:
    """Run ``dpbandits completion``: print the code that bash, fish or zsh evaluates to complete commands."""
    if arguments.shell not in SHELLS:
        raise BadInput("SHELL", arguments.shell, suggest(arguments.shell, SHELLS))
    try:
        from argcomplete.shell_integration import shellcode
    except ImportError:
        raise MissingExtra("Completion", "argcomplete", "completion") from None
    # To argcomplete zsh is a bash.
    print(shellcode(["dpbandits"], shell="fish" if arguments.shell == "fish" else "bash"))


def _papers() -> list[str]:
    from dpbandits.core import registry

    return list(registry.papers())
