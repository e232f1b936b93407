"""Command line ``noisetap FILE.py:NAME --epsilon 1``, which audits a class or function of a file."""

from __future__ import annotations

import argparse
import ast
import json
import math
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, cast

from noisetap import data_check
from noisetap.check import UNHEARD, objection
from noisetap.child import Unexpected, in_child, printable
from noisetap.data_audit import repeated
from noisetap.data_form import DATA_FORMAT
from noisetap.door import audit
from noisetap.function import is_function_of_data
from noisetap.program import Rewards, load
from noisetap.records import RELATIONS, Records
from noisetap.report import sarif, to_html, to_json
from noisetap.tape import Refused
from noisetap.verdict import Claim, Verdict

STATUS = {"consistent": 0, "violated": 1, "suspicious": 2, "refused": 3}
UNEXPECTED = 4
_EPILOG = """
The program is run, many times, in a process of its own: audit only what you would run.
Exit status: 0 consistent, 1 violated, 2 suspicious, 3 refused, 4 anything else, 130 interrupted.
With --check: 1 accepted (the claim is violated), 0 not accepted.
"""


def _number(low: float, high: float, whole: bool = False) -> Callable[[str], Any]:
    """Return a parser of numbers from ``low`` to ``high``; its name is what argparse says of a wrong one."""

    def parse(text: str) -> Any:
        value = int(text) if whole else float(text)
        if not (math.isfinite(value) and low <= value <= high):
            raise argparse.ArgumentTypeError(f"{text} is not from {low:g} to {high:g}")
        return value

    parse.__name__ = "whole number" if whole else "number"
    return parse


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(UNEXPECTED, f"noisetap: {printable(message)}\n")


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = _Parser(
        "noisetap",
        description="Listen to the noise of a program, and audit its privacy: exact, and without randomness.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "program", help="FILE.py:NAME, a function of data, a bandit policy, or a function of `pull`"
    )
    parser.add_argument("--epsilon", type=_number(0, 1e6), default=1.0)
    parser.add_argument("--delta", type=_number(0, 0.999999), default=0.0)
    parser.add_argument("--rho", type=_number(0, 1e6), help="claim of zero-concentrated privacy, for normal noise")
    parser.add_argument("--alpha", type=_number(1, 1e6), help="order of a Rényi claim, whose bound is --epsilon")
    parser.add_argument(
        "--calls", type=_number(1, 100, whole=True), default=1, help="calls of a function that the claim is about"
    )
    parser.add_argument("--records", type=_number(1, 10_000, whole=True), default=5, help="number of records")
    parser.add_argument(
        "--neighbours", metavar="RELATION", help=f"{', '.join(RELATIONS)}, or a function of the file"
    )
    parser.add_argument(
        "--columns", metavar="NAME:LOW:HIGH,NAME:A|B", help="columns of a record, or its categories"
    )
    parser.add_argument(
        "--data-as", metavar="FORM", help="array, list, frame, dict, tuple, str, or a function of the file"
    )
    parser.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="argument of the function"
    )
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    parser.add_argument("--sarif", metavar="FILE", help="write the verdict for annotations of a code host")
    parser.add_argument("--html", metavar="FILE", help="write a report of one page")
    parser.add_argument("--rounds", type=_number(1, 10_000, whole=True), default=40)
    parser.add_argument("--arms", type=_number(1, 1_000, whole=True), default=2)
    parser.add_argument("--low", type=_number(-1e9, 1e9), default=0.0, help="smallest value, or reward")
    parser.add_argument("--high", type=_number(-1e9, 1e9), default=1.0, help="largest value, or reward")
    parser.add_argument("--row", action="store_true", help="a decision is answered by the rewards of all arms")
    parser.add_argument("--seed", type=_number(0, 2**31, whole=True), default=0)
    parser.add_argument("--effort", type=_number(1, 10_000, whole=True), help="number of inputs")
    parser.add_argument("--seconds", type=_number(1, 1e5), default=60.0, help="no input is begun after these")
    parser.add_argument("--save", metavar="JSON", help="where to write the certificate of a violation")
    parser.add_argument("--check", metavar="JSON", help="check this certificate against the program; no audit")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Audit a class or function of a file, or check a certificate, and print what was found.

    Parameters
    ----------
    argv
        Arguments of the command line, by default those of this process.

    Returns
    -------
    int
        Exit status: 0 consistent, 1 violated, 2 suspicious, 3 refused, 4 anything unexpected, 130 interrupted.
        With ``--check``, 1 says that the certificate is accepted, and 0 that it is not. Wrong arguments raise
        ``SystemExit(4)``.
    """
    options = _parser().parse_args(argv)
    try:
        if options.check:
            return _checked(options)
        verdict = in_child(_audited, options, seconds=options.seconds)
        print(to_json(verdict) if options.json else _lines(str(verdict)))
        for file, make in ((options.sarif, sarif), (options.html, to_html)):
            if file:
                Path(file).write_text(make(verdict, options.program), encoding="utf-8")
        if options.save and verdict.certificate is not None:
            verdict.save(options.save)
        return STATUS[verdict.word]
    except Refused as refusal:
        print(f"refused: {printable(str(refusal))}")
        return STATUS["refused"]
    except KeyboardInterrupt:
        print("noisetap: interrupted; no verdict", file=sys.stderr)
        return 130
    except (Unexpected, OSError, json.JSONDecodeError, UnicodeDecodeError) as error:
        print(f"noisetap: {printable(str(error))}", file=sys.stderr)
        return UNEXPECTED


def _lines(text: str) -> str:
    return "\n".join(printable(line) for line in text.splitlines())


def _rewards(options: argparse.Namespace) -> Rewards:
    if not options.low < options.high:
        raise Refused(f"--low {options.low:g} is not below --high {options.high:g}")
    return Rewards(options.rounds, options.arms, options.low, options.high, row=options.row)


def _records(options: argparse.Namespace) -> Records:
    """Return the data that the options describe: ``age:0:100`` is a range, ``sex:f|m`` are categories."""
    columns: dict[str, tuple[Any, ...]] = {}
    for text in options.columns.split(",") if options.columns else ():
        name, _, values = text.partition(":")
        try:
            columns[name] = tuple(map(float, values.split(":"))) if ":" in values else tuple(values.split("|"))
        except ValueError:
            raise Refused(f"--columns {text}: expected NAME:LOW:HIGH or NAME:A|B") from None
    form: str | None = options.data_as
    make = None
    if form is not None and form.isidentifier() and hasattr(_module(options.program), form):
        make, form = getattr(_module(options.program), form), None
    return Records(options.records, options.low, options.high, columns, form, make)


def _parameters(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of ``--param NAME=VALUE``: Python literals, and text where it is none."""
    found = {}
    for text in options.param:
        name, equals, value = text.partition("=")
        if not equals:
            raise Refused(f"--param {text}: expected NAME=VALUE")
        try:
            found[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            found[name] = value
    return found


def _claim(options: argparse.Namespace) -> Claim:
    return Claim(options.epsilon, options.delta, options.rho, options.alpha)


def _relation(options: argparse.Namespace) -> Any:
    """Return the relation: a common one by its name, or a function of the program's file."""
    if options.neighbours in (None, *RELATIONS):
        return options.neighbours
    module = _module(options.program)
    if not hasattr(module, options.neighbours):
        raise Refused(
            f"--neighbours {options.neighbours}: allowed are {', '.join(RELATIONS)}, or a function of the file"
        )
    return getattr(module, options.neighbours)


def _audited(options: argparse.Namespace) -> Verdict:
    """Audit the program as the options say."""
    program = _maker(options.program)
    of_data = is_function_of_data(program)
    return audit(
        program,
        data=_records(options) if of_data else None,
        rewards=None if of_data else _rewards(options),
        neighbours=_relation(options),
        claim=_claim(options),
        parameters=_parameters(options),
        seed=options.seed,
        effort=options.effort,
        seconds=options.seconds,
        calls=options.calls,
    )


def _checked(options: argparse.Namespace) -> int:
    certificate = json.loads(Path(options.check).read_text())
    fault = in_child(_objected, options, certificate, seconds=options.seconds)
    if fault is not None and fault.startswith(UNHEARD):
        # That nothing was run is no ruling on the certificate.
        raise Refused(fault)
    print("accepted: the claim is violated" if fault is None else f"not accepted: {printable(fault)}")
    return 1 if fault is None else 0


def _objected(options: argparse.Namespace, certificate: Any) -> str | None:
    program, claim = _maker(options.program), _claim(options)
    if isinstance(certificate, dict) and certificate.get("format") == DATA_FORMAT:
        how = (_records(options), claim, _parameters(options), _relation(options))
        return data_check.objection(certificate, repeated(program, options.calls), *how)
    return objection(certificate, program, claim, _rewards(options))


def _maker(text: str) -> Callable[[], Any]:
    """Return what ``FILE.py:NAME`` names."""
    path, _, name = text.rpartition(":")
    if not path or not Path(path).is_file():
        raise Refused(f"{text}: expected FILE.py:NAME with a file that exists")
    found: Any = _module(text)
    for part in name.split("."):
        if not hasattr(found, part):
            raise Refused(f"{path} has no {name}")
        # A method is called of an object that is made without arguments.
        found = getattr(found() if isinstance(found, type) else found, part)
    return cast("Callable[..., Any]", found)


@cache
def _module(text: str) -> ModuleType:
    return load(text.rpartition(":")[0])


if __name__ == "__main__":
    sys.exit(main())
