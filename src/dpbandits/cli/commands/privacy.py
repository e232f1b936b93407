"""Commands that check: ``audit`` a privacy claim, ``check`` its certificate, ``certify`` what is called exact."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.cli.commands.arguments import (
    OPTIONS,
    algorithm_names,
    complete_with,
    parse_integer,
    parse_number,
    parse_option,
    parse_parameters,
    parse_path,
)
from dpbandits.core.errors import BadInput, DamagedFile, called

if TYPE_CHECKING:
    from dpbandits.cli.commands.arguments import Commands

# Budgets of an audit to which none is given.
DEFAULT_BUDGETS = (0.1, 1.0, 10.0)
# Status of an audit whose time was spent before it found anything.
UNFINISHED = 5
# Most processor time, in seconds, of a check and of an audit.
LONGEST_CHECK, LONGEST_AUDIT = 3600.0, 10.0**7
# The same of an audit's other parts than replays, and of each run that is asked for.
SECONDS_BESIDE_REPLAYS, SECONDS_PER_RUN = 300.0, 0.01


def add(commands: Commands) -> None:
    """Add the parsers of ``audit``, ``check`` and ``certify`` to those of the command line."""
    _add_audit(commands)
    _add_check(commands)
    _add_certify(commands)


def _add_audit(commands: Commands) -> None:
    """Add ``audit`` with its options."""
    audited = commands.add_parser(
        "audit",
        help="look for neighbouring inputs and an event that contradict an algorithm's privacy claim",
        description=(
            "Audit a privacy claim: the exact loss where the law of the output is known, that of whole runs "
            "replayed on neighbouring inputs, and a lower bound from runs, with the two inputs, the event and its "
            "probabilities; status 1 if the claim is contradicted, or the algorithm bypasses the recorder. An "
            "(epsilon, delta) claim is audited at delta = 1e-6, unless --param delta=... says otherwise."
        ),
        epilog="example: dpbandits audit dp-imed --epsilon 1",
    )
    complete_with(
        audited.add_argument("algorithm", metavar="ALGORITHM", help="a private algorithm of `dpbandits list`"),
        algorithm_names,
    )
    audited.add_argument("--epsilon", help="privacy budget > 0, the claim (default: 0.1, 1 and 10)")
    audited.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="a parameter to keep; may be repeated"
    )
    audited.add_argument(
        "--effort", help="runs on each input in the last test (default: the setting's); replays grow with it"
    )
    audited.add_argument("--replay-horizon", help="rounds of long replays (default: 1e6 in batches, else 1e5)")
    audited.add_argument("--arms", help="arms of sampled tables and long replays (default: the algorithm's)")
    audited.add_argument("--rounds", help="rounds of sampled tables (default: the algorithm's)")
    audited.add_argument("--seeds", default="1", help="seeds that runs are replayed with (default: 1)")
    audited.add_argument("--confidence", default="0.999", help="of the sampled bound (default: 0.999)")
    audited.add_argument("--seed", default="0", help="root seed of everything random (default: 0)")
    audited.add_argument(
        "--seconds", default="900", help="processor time of the replays of one budget; then status 5 (default: 900)"
    )
    audited.add_argument("--json", action="store_true", help="print JSON")
    audited.add_argument("--output", type=parse_path, help="a file to write JSON to")
    audited.set_defaults(run=command_audit, limit=lambda given: longest_audit(given))


def command_audit(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits audit``: print the audit at each privacy budget as text, or as JSON with ``--json``.

    The status is 1 if an audit proves the claim false, or finds a loss beyond it without a proof. It is 1 too if
    the algorithm lets data out other than through the recorder of its releases. It is 5 if the time was spent
    before anything was found, else 0. ``--output`` writes the JSON to a file too.
    """
    from dpbandits.auditing.audit import audit
    from dpbandits.cli.progress import Progress
    from dpbandits.core.files import write_json

    if ".py" in arguments.algorithm or Path(arguments.algorithm).suffix:
        file = arguments.algorithm
        raise BadInput("algorithm", file, f"a name of `dpbandits list`; a file: noisetap {file}")
    sizes = [
        name for name in ("effort", "arms", "rounds", "replay_horizon") if getattr(arguments, name) is not None
    ]
    budgets = DEFAULT_BUDGETS if arguments.epsilon is None else (parse_option(arguments, "epsilon", parse_number),)
    found = []
    with called(OPTIONS), Progress(arguments.algorithm, 1, "replays") as progress:
        for place, epsilon in enumerate(budgets):

            def report(done: int, of: int, what: str, before: int = place, epsilon: float = epsilon) -> None:
                progress.total = len(budgets) * of
                progress(before * of + done, f"{what} of {arguments.algorithm}, ε = {epsilon:g}")

            found.append(
                audit(
                    arguments.algorithm,
                    epsilon,
                    parameters=parse_parameters(arguments.param),
                    **{name: parse_option(arguments, name, parse_integer) for name in sizes},
                    seeds=parse_option(arguments, "seeds", parse_integer),
                    seed=parse_option(arguments, "seed", parse_integer),
                    confidence=float(parse_option(arguments, "confidence", parse_number)),
                    seconds=float(parse_option(arguments, "seconds", parse_number)),
                    report=report,
                )
            )
    data = found[0].data() if len(found) == 1 else {"audits": [each.data() for each in found]}
    if arguments.output is not None:
        write_json(arguments.output, data)
    print(json.dumps(data, indent=2) if arguments.json else "\n\n".join(map(str, found)))
    verdicts = {each.verdict for each in found}
    if verdicts == {"consistent"}:
        return 0
    return UNFINISHED if verdicts <= {"consistent", "unfinished"} else 1


def longest_audit(arguments: argparse.Namespace) -> float:
    """Return the most processor time, in seconds, of the audit that a parsed command line asks for.

    An audit that takes more is taken to hang, and is ended. The limit for each budget is twice ``--seconds``, plus
    300 s, plus 0.01 s for each run of ``--effort``. Over all budgets it is at most 10^7 s. If an option is no
    number, which the audit will refuse, the limit is 300 s.
    """
    asked = {"seconds": arguments.seconds, "effort": arguments.effort or "0"}
    try:
        seconds, effort = (max(0.0, float(parse_number(text))) for text in asked.values())
        budgets = len(DEFAULT_BUDGETS) if arguments.epsilon is None else 1
        return min(
            budgets * (2 * seconds + SECONDS_BESIDE_REPLAYS + SECONDS_PER_RUN * effort), float(LONGEST_AUDIT)
        )
    except (BadInput, OverflowError):
        # The command refuses it.
        return SECONDS_BESIDE_REPLAYS


def _add_check(commands: Commands) -> None:
    """Add ``check`` with its options."""
    checked = commands.add_parser(
        "check",
        help="check the certificate of an audit",
        description=(
            "Run the program of a certificate on its two inputs, with the draws and outputs that it names, and say "
            "whether they prove the claim false. It knows nothing of the search."
        ),
        epilog="example: dpbandits check results/privacy/rnm-ftnl-exponential/epsilon=1.json",
    )
    checked.add_argument("witness", metavar="JSON", type=parse_path, help="what `dpbandits audit --output` writes")
    checked.set_defaults(run=command_check, limit=lambda _: LONGEST_CHECK)


def command_check(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits check``: print a line for each certificate in the file: ``accepted`` or ``no proof``.

    A certificate is an audit's proof that a claim of privacy is false. The status is 0 if one is accepted, else 1.
    A file that no audit wrote raises `BadInput`.
    """
    from dpbandits.auditing.check import check
    from dpbandits.core.files import read_json

    try:
        read = read_json(arguments.witness)
    except DamagedFile as error:
        raise BadInput(
            "JSON", str(arguments.witness), f"what an audit's --output writes; here: {error.found}"
        ) from None
    try:
        rulings = [check(each.get("certificate", each)) for each in read.get("audits", [read])]
    except (AttributeError, LookupError, TypeError) as error:
        # A value of another kind than an audit writes; who knows the form is asked for its place.
        words = f"what an audit's --output writes; here: {type(error).__name__}: {error}"
        raise BadInput("JSON", str(arguments.witness), words) from None
    for ruling in rulings:
        print(f"{'accepted: the claim is false' if ruling.accepted else 'no proof'}; {ruling.words}")
    return int(not any(ruling.accepted for ruling in rulings))


def _add_certify(commands: Commands) -> None:
    """Add ``certify`` with its options."""
    certified = commands.add_parser(
        "certify",
        help="prove again, in exact or interval arithmetic, what we call exact",
        description=(
            "Prove certificates again, two lines each: proved or FAILED, seconds, rows; then the steps of a "
            "theorem that are checked. Status 1 if one fails. Needs python-flint: pip install 'dpbandits[certify]'."
        ),
        epilog="example: dpbandits certify conjecture",
    )
    certified.add_argument("names", metavar="NAME", nargs="*", help="a certificate (default: all)")
    certified.add_argument("--json", action="store_true", help="print the rows, as JSON")
    certified.add_argument("--output", type=parse_path, help="a file to write the rows to, as JSON")
    certified.set_defaults(run=command_certify)


def command_certify(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits certify``: repeat computer-assisted proofs of inequalities, print them, and return a status.

    Without names all proofs are repeated. The status is 1 if one fails, else 0. ``--json`` and ``--output`` give
    the outcomes as JSON.
    """
    from dpbandits.core.files import write_json
    from dpbandits.products.certify import certify

    found = {}
    for outcome in certify(arguments.names):
        found[outcome.name] = outcome.data()
        if not arguments.json:
            print(outcome, flush=True)
    if arguments.output is not None:
        write_json(arguments.output, found)
    if arguments.json:
        print(json.dumps(found, indent=2))
    return int(any(outcome["fault"] is not None for outcome in found.values()))
