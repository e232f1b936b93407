"""Commands to begin with: ``new``, ``workflow init``, and ``help-agent`` for coding assistants."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.cli.commands.arguments import complete_with, parse_path
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.provenance import package_version

if TYPE_CHECKING:
    from dpbandits.cli.commands.arguments import Commands

PAGES = Path(__file__).parents[1] / "pages"


def add(commands: Commands) -> None:
    """Add the parsers of ``new``, ``workflow`` and ``help-agent`` to those of the command line."""
    begun = commands.add_parser(
        "new",
        help="write an algorithm, an environment or a paper that works, to be filled in",
        description=(
            "Write the file of an algorithm, an environment or a paper, with an experiment, a figure and a test. "
            "All of it works at once, and is found by being there; nothing is edited or overwritten."
        ),
        epilog="example: dpbandits new algorithm my-imed --from dp-imed --title 'My IMED'",
    )
    begun.add_argument("kind", metavar="KIND", help="algorithm, environment or paper")
    begun.add_argument("name", metavar="NAME", help="its name, as dp-ucb; a paper's: letters and digits")
    begun.add_argument(
        "--setting",
        help="adversarial, experts, full_information, linear or stochastic; of a paper, for its first experiment",
    )
    begun.add_argument(
        "--from",
        dest="start",
        metavar="ALGORITHM",
        help="the published algorithm that a new one begins as a copy of, which says the setting too",
    )
    begun.add_argument("--title", help="its title in figures and tables (default: the name)")
    begun.set_defaults(run=command_new)

    workflow = commands.add_parser(
        "workflow",
        help="copy the workflow out of the installed package",
        description="Copy Snakefile, workflow, config and profiles into a folder: what a clone would have.",
        epilog="example: dpbandits workflow init replication && cd replication && snakemake --cores 2",
    )
    doing = workflow.add_subparsers(required=True, metavar="ACTION")
    started = doing.add_parser("init", help="copy it into a folder that has none")
    started.add_argument("folder", metavar="DIR", type=parse_path, help="a folder, made if it is not there")
    started.set_defaults(run=command_workflow)

    helped = commands.add_parser(
        "help-agent",
        help="print a page for coding assistants: run, algorithm or audit",
        description="Print a page for coding assistants: how to run, to add an algorithm, or to audit one.",
        epilog="example: dpbandits help-agent audit",
    )
    pages = sorted(file.stem for file in PAGES.glob("*.md"))
    complete_with(
        helped.add_argument("page", metavar="PAGE", nargs="?", help=f"{', '.join(pages)} (default: all)"),
        lambda: pages,
    )
    helped.set_defaults(run=command_help_agent)


def command_new(arguments: argparse.Namespace) -> None:
    """Run ``dpbandits new``: write the files of a new algorithm, environment or paper, and print their names."""
    from dpbandits.cli.scaffold import scaffold

    print(scaffold(arguments.kind, arguments.name, arguments.setting, arguments.title, arguments.start))


def command_workflow(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits workflow init``: copy the workflow, and print the command to run next; return status 0."""
    from dpbandits.cli.workflow import copy_workflow

    print(copy_workflow(arguments.folder))
    return 0


def command_help_agent(arguments: argparse.Namespace) -> None:
    """Run ``dpbandits help-agent``: print one page for coding assistants, or all of them."""
    pages = {file.stem: file.read_text(encoding="utf-8") for file in sorted(PAGES.glob("*.md"))}
    if arguments.page is not None and arguments.page not in pages:
        raise BadInput("PAGE", arguments.page, suggest(arguments.page, pages))
    chosen = pages.values() if arguments.page is None else [pages[arguments.page]]
    print("\n".join(page.replace("{version}", package_version()) for page in chosen), end="")
