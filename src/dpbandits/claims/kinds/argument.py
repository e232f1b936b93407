"""An argument that the register states and a test, or a certificate, checks."""

from __future__ import annotations

import math

from dpbandits.claims.declarations import ClaimTest, Decision, Evidence, Finding, Outcome, Side
from dpbandits.claims.estimate import exact
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.options import Option, Options

SAYS: dict[str, Side] = {"holds": "holds", "fails": "fails"}


def evaluate(_: Evidence, says: str, discrepancy: str, certificate: str, proof: str) -> Outcome:
    """Take the side that the argument proves; what checks it runs in the tests, and by `dpbandits certify`."""
    if says not in SAYS:
        raise BadInput(("options", "says"), says, suggest(says, SAYS))
    decision = Decision(SAYS[says], math.nan)
    part = cited(discrepancy, certificate, proof)
    return Outcome([Finding(part, exact(math.nan), -math.inf, math.inf, "proved", decision, (decision, decision))])


def cited(discrepancy: str, certificate: str, proof: str) -> str:
    """Return what is cited, in words."""
    pieces = [f"register: {discrepancy}"] if discrepancy else []
    pieces += [f"certificate: {certificate}"] if certificate else []
    pieces += [f"proof: {proof}"] if proof else []
    return "; ".join(pieces)


def words(options: Options) -> str:
    """Return the test in words."""
    return f"shown by argument ({cited(*(options[key] for key in ('discrepancy', 'certificate', 'proof')))})"


def power(options: Options) -> str:
    """Return what would fail the test, in words."""
    sees = "its certificate, made again, would show" if options["certificate"] else "a reader would have to see"
    return f"an error in the argument, which {sees}"


TEST = ClaimTest(
    title="An argument of the register, with its test or certificate",
    evaluate=evaluate,
    words=words,
    power=power,
    options={
        "says": Option("fails", "what it proves of the claim: holds or fails"),
        "discrepancy": Option("", "an entry of the paper's register"),
        "certificate": Option("", "a name of `dpbandits certify`"),
        "proof": Option("", "a page of the documentation and its theorem"),
    },
    reads="computed",
)
