"""Run ``noisetap FILE.py:Class --epsilon 1``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from noisetap.audit import audit
from noisetap.check import check
from noisetap.program import Rewards, load
from noisetap.sampled import sample
from noisetap.tape import Refused
from noisetap.verdict import Claim


def main(argv: list[str] | None = None) -> int:
    """Audit a class or function of a file, or check a certificate.

    Returns
    -------
    int
        0 consistent, 1 violated, 2 suspicious, 3 refused.
    """
    parser = argparse.ArgumentParser(
        "noisetap", description="Listen to a program of private decisions, and audit it."
    )
    parser.add_argument("program", help="FILE.py:NAME, a class or function without arguments that makes a policy")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--delta", type=float, default=0.0)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--arms", type=int, default=2)
    parser.add_argument("--row", action="store_true", help="a decision is answered by the rewards of all arms")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--effort", type=int, default=12, help="number of inputs")
    parser.add_argument(
        "--sample", action="store_true", help="do not listen: run it on pairs of inputs, and bet against the claim"
    )
    parser.add_argument("--save", metavar="JSON", help="where to write the certificate of a violation")
    parser.add_argument("--check", metavar="JSON", help="check this certificate against the program; no audit")
    given = parser.parse_args(argv)
    try:
        make = _maker(given.program)
    except Refused as refusal:
        print(f"refused: not heard: {refusal}")
        return 3
    if given.check:
        accepted = check(json.loads(Path(given.check).read_text()), make)
        print("accepted: the claim is violated" if accepted else "not accepted")
        return 1 if accepted else 0
    rewards = Rewards(given.rounds, given.arms, row=given.row)
    if given.sample:
        short = Rewards(min(given.rounds, 8), given.arms, row=given.row)
        verdict = sample(make, rewards=short, claim=Claim(given.epsilon, given.delta), seed=given.seed)
        print(verdict)
        return 0 if verdict.word == "consistent" else 2
    verdict = audit(
        make, rewards=rewards, claim=Claim(given.epsilon, given.delta), seed=given.seed, effort=given.effort
    )
    print(verdict)
    if given.save and verdict.certificate is not None:
        verdict.save(given.save)
    return ["consistent", "violated", "suspicious", "refused"].index(verdict.word)


def _maker(text: str) -> Callable[[], Any]:
    path, _, name = text.rpartition(":")
    if not path or not Path(path).is_file():
        sys.exit(f"noisetap: {text}: expected FILE.py:NAME with a file that exists")
    module = load(path)
    if not hasattr(module, name):
        sys.exit(f"noisetap: {path} has no {name}")
    found: Callable[[], Any] = getattr(module, name)
    return found
