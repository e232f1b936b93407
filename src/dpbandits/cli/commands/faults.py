"""Command that lists planted faults: ``faults``."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpbandits.cli.commands.arguments import Commands


def add(commands: Commands) -> None:
    """Add the parser of ``faults`` to those of the command line."""
    listed = commands.add_parser(
        "faults",
        help="list planted faults of privacy, for people who build auditors",
        description=(
            "Planted faults: for each the algorithm, the claim, the exact loss, the round at which it first shows "
            "and the probability of an event that shows it. In Python: dpbandits.faults.fault(NAME).policy()."
        ),
        epilog="example: dpbandits faults --setting stochastic",
    )
    listed.add_argument("--setting", help="faults of one setting")
    listed.add_argument("--held-out", action="store_true", help="the half that is kept for the final measurement")
    listed.add_argument("--json", action="store_true", help="print JSON")
    listed.set_defaults(run=command_faults)


def command_faults(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits faults``: print a line for each planted fault, or JSON with ``--json``; return status 0.

    A planted fault is a private algorithm that was broken on purpose, for people who build auditors. Without
    ``--held-out`` the faults are those to build an auditor on, with it those to measure it on. ``--setting`` leaves
    faults of one setting. In JSON they are a list; else a last line counts them.
    """
    from dpbandits.core.errors import BadInput, suggest
    from dpbandits.faults import catalogue

    settings = {fault.setting for fault in catalogue()}
    if arguments.setting is not None and arguments.setting not in settings:
        raise BadInput("--setting", arguments.setting, suggest(arguments.setting, settings))
    chosen = [
        fault
        for fault in catalogue()
        if fault.held_out == arguments.held_out and arguments.setting in (None, fault.setting)
    ]
    if arguments.json:
        print(json.dumps([fault.data() for fault in chosen], indent=1))
        return 0
    for fault in chosen:
        print(
            f"{fault.name:52} loss {fault.loss:<6.4g} of {fault.epsilon:g}, probability {fault.probability:.3g}, "
            f"release {fault.release} (round {fault.first_round})"
        )
    print(f"{len(chosen)} of {len(catalogue())} faults; sound counterparts: their algorithms as they are")
    return 0
