"""Run ``noisetap FILE.py:NAME --epsilon 1``."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from noisetap.audit import audit
from noisetap.check import objection
from noisetap.child import Unexpected, in_child, printable
from noisetap.program import Rewards, load
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
    parser = _Parser(
        "noisetap",
        description="Listen to the noise of a program, and audit its privacy: exact, and without randomness.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("program", help="FILE.py:NAME, a class of a bandit policy or a function of `pull`")
    parser.add_argument("--epsilon", type=_number(0, 1e6), default=1.0)
    parser.add_argument("--delta", type=_number(0, 0.999999), default=0.0)
    parser.add_argument("--rounds", type=_number(1, 10_000, whole=True), default=40)
    parser.add_argument("--arms", type=_number(1, 1_000, whole=True), default=2)
    parser.add_argument("--low", type=_number(-1e9, 1e9), default=0.0, help="smallest reward")
    parser.add_argument("--high", type=_number(-1e9, 1e9), default=1.0, help="largest reward")
    parser.add_argument("--row", action="store_true", help="a decision is answered by the rewards of all arms")
    parser.add_argument("--seed", type=_number(0, 2**31, whole=True), default=0)
    parser.add_argument("--effort", type=_number(1, 10_000, whole=True), default=12, help="number of inputs")
    parser.add_argument("--seconds", type=_number(1, 1e5), default=60.0, help="no input is begun after these")
    parser.add_argument("--save", metavar="JSON", help="where to write the certificate of a violation")
    parser.add_argument("--check", metavar="JSON", help="check this certificate against the program; no audit")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Audit a class or function of a file, or check a certificate.

    Returns
    -------
    int
        0 consistent, 1 violated, 2 suspicious, 3 refused, 4 anything unexpected, 130 interrupted.
    """
    options = _parser().parse_args(argv)
    try:
        if options.check:
            return _checked(options)
        verdict = in_child(_audited, options, seconds=options.seconds)
        print(_lines(str(verdict)))
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


def _audited(options: argparse.Namespace) -> Verdict:
    return audit(
        _maker(options.program),
        rewards=_rewards(options),
        claim=Claim(options.epsilon, options.delta),
        seed=options.seed,
        effort=options.effort,
        seconds=options.seconds,
    )


def _checked(options: argparse.Namespace) -> int:
    certificate = json.loads(Path(options.check).read_text())
    fault = in_child(_objected, options, certificate, seconds=options.seconds)
    print("accepted: the claim is violated" if fault is None else f"not accepted: {printable(fault)}")
    return 1 if fault is None else 0


def _objected(options: argparse.Namespace, certificate: Any) -> str | None:
    claim = Claim(options.epsilon, options.delta)
    return objection(certificate, _maker(options.program), claim, _rewards(options))


def _maker(text: str) -> Callable[[], Any]:
    path, _, name = text.rpartition(":")
    if not path or not Path(path).is_file():
        raise Refused(f"{text}: expected FILE.py:NAME with a file that exists")
    module = load(path)
    if not hasattr(module, name):
        raise Refused(f"{path} has no {name}")
    found: Callable[[], Any] = getattr(module, name)
    return found


if __name__ == "__main__":
    sys.exit(main())
