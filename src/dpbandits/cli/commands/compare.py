"""Command that compares two algorithms."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from dpbandits.cli.commands.arguments import (
    OPTIONS,
    algorithm_names,
    complete_with,
    confirm_long_runs,
    errors_name_means,
    parse_integer,
    parse_number,
    parse_option,
    parse_path,
)
from dpbandits.core.errors import BadInput, called, within

if TYPE_CHECKING:
    from dpbandits.cli.commands.arguments import Commands

# Beside pictures, what Matplotlib can write is its own affair.
PICTURES = (".png", ".pdf", ".svg")


def add(commands: Commands) -> None:
    """Add the parser of ``compare`` to those of the command line."""
    compared = commands.add_parser(
        "compare",
        help="run two algorithms on the same bandit and say which has less regret",
        description=(
            "Run two algorithms on one bandit. Prints the regret of each with intervals, and a sentence: which has "
            "less in mean and in median, by the ledger's rules, or about how many runs would decide."
        ),
        epilog=(
            "example: dpbandits compare dp-imed dp-klucb --means 0.9,0.85,0.3 --epsilon 0.3 --horizon 2e5 "
            "--runs 2000 --plot both.png"
        ),
    )
    for name in ("one", "other"):
        complete_with(
            compared.add_argument(name, metavar=name.upper(), help="a name of `dpbandits list`"), algorithm_names
        )
    compared.add_argument("--means", required=True, help="a Bernoulli bandit's means, as 0.9,0.85,0.3")
    compared.add_argument("--epsilon", help="privacy budget > 0, of what is private")
    compared.add_argument("--horizon", required=True, help="T, from 1 to 2^52; 1e6 is fine")
    compared.add_argument("--runs", default="1000", help="runs of each (default: 1000)")
    compared.add_argument("--root-seed", default="0", help="root seed of all streams (default: 0)")
    compared.add_argument("--plot", type=parse_path, help=f"a picture to write: {', '.join(PICTURES)}")
    compared.add_argument("--yes", action="store_true", help="do not ask about runs that take more than a month")
    compared.set_defaults(run=command_compare, limit=None)


def command_compare(arguments: argparse.Namespace) -> None:
    """Run ``dpbandits compare``: print both algorithms' regret at T, and which has less in mean and in median.

    A last line gives, for mean and median, the smallest ratio of the two regrets that as many runs would detect
    with 90 % probability. With ``--plot`` the command writes a picture and prints its path. Both algorithms have to
    be of the stochastic setting, else `BadInput` is raised.
    """
    from dpbandits.core import registry
    from dpbandits.notebook.compare import compared
    from dpbandits.notebook.grid import grid, plan_cells

    if arguments.one == arguments.other:
        raise BadInput("OTHER", arguments.other, "another algorithm than the first")
    for name in ("one", "other"):
        with called({"algorithm": name.upper()}):
            if registry.setting("algorithm", getattr(arguments, name)) != "stochastic":
                allowed = "an algorithm of the stochastic setting; others compare by dpbandits.grid, in Python"
                raise BadInput("algorithm", getattr(arguments, name), allowed)
    if arguments.plot is not None:
        if arguments.plot.suffix not in PICTURES:
            raise BadInput("--plot", str(arguments.plot), f"a file that ends in {', '.join(PICTURES)}")
        if arguments.plot.exists() or not arguments.plot.parent.is_dir():
            raise BadInput("--plot", str(arguments.plot), "a file that is not there yet, in a folder that is")
    runs = {"runs": "--runs", "seeds": "--runs"}
    with errors_name_means(), called({**OPTIONS, **runs, "environment": "--means", "root_seed": "--root-seed"}):
        with within("--means"):
            means = [parse_number(part) for part in arguments.means.split(",")]
        asked: Any = {
            "environments": {"bandit": means},
            "epsilons": [None if arguments.epsilon is None else parse_option(arguments, "epsilon", parse_number)],
            "horizon": parse_option(arguments, "horizon", parse_integer),
            "runs": parse_option(arguments, "runs", parse_integer),
            "root_seed": parse_option(arguments, "root_seed", parse_integer),
        }
        both = [arguments.one, arguments.other]
        for cell in [] if arguments.yes else plan_cells(both, **asked):
            # Each has a core of its own.
            confirm_long_runs(cell.job, asked["runs"])
        measured = grid(both, **asked)
    if measured.missing:
        raise KeyboardInterrupt
    one, other = measured.runs
    with called(runs):
        result = compared(one, other, (arguments.one, arguments.other))
    print(result.table.to_string(index=False, float_format=lambda value: f"{value:.4g}"))
    seen = ", ".join(f"{result.visible(name):.3g} in the {name}" for name in result.ratios)
    print(f"{result.sentence()}\nThese runs would show, nine times in ten, a factor of {seen}.")
    if arguments.plot is not None:
        from matplotlib.figure import Figure

        figure = Figure(layout="constrained")
        measured.plot(figure.subplots())
        figure.savefig(arguments.plot)
        print(arguments.plot)
