"""Test of a claim by an argument, without data.

The register states the argument, and a test or a certificate checks it; or it follows from another claim. What it
proves is typed into the claims file. So the file names the page of the proof, and who has read it. A proof that
runs contradict stops the build (`dpbandits.claims.judgement`).
"""

from __future__ import annotations

import math

from dpbandits.claims.declarations import ClaimTest, Decision, Evidence, Finding, Outcome, Side
from dpbandits.claims.estimate import exact
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.fields import Option, Options

SAYS: dict[str, Side] = {"holds": "holds", "fails": "fails"}


def evaluate(
    _: Evidence, says: str, discrepancy: str, certificate: str, proof: str, readings: list[str], premise: str
) -> Outcome:
    """Return an outcome whose only part has the side that the argument proves, and is named by its sources.

    Tests and `dpbandits certify` check the argument. In the ledger an argument with a premise has the verdict of
    the premise. Only *holds* and *not contradicted* are taken over. With any other one of the premise the argument
    is *not decided*. `BadInput`
    is raised for an unknown side, and without a proof that somebody has read.

    Parameters
    ----------
    _
        Data of the test, which reads none.
    says
        What the argument proves of the claim, ``holds`` or ``fails``.
    discrepancy, certificate
        Id of an entry in the paper's register, and a name of `dpbandits certify`; empty for none.
    proof, readings
        Page of the documentation with the theorem's name, and who has read it, such as ``["referee, 5 May"]``.
    premise
        Id of the paper's claim from which it follows; empty for none.
    """
    if says not in SAYS:
        raise BadInput(("options", "says"), says, suggest(says, SAYS))
    if not (proof and readings):
        raise BadInput(("options", "proof"), proof, "the page of a proof, and under `readings` who has read it")
    decision = Decision(SAYS[says], math.nan)
    part = cited(discrepancy, certificate, proof, readings, premise)
    return Outcome([Finding(part, exact(math.nan), -math.inf, math.inf, "proved", decision, (decision, decision))])


def cited(discrepancy: str, certificate: str, proof: str, readings: list[str], premise: str) -> str:
    """Return the sources of the argument as text, such as ``proof: a page; read by somebody``.

    Parameters
    ----------
    discrepancy, certificate, proof, premise
        Id of an entry in the register, name of a certificate, page of the proof, id of a claim; empty ones are left
        out.
    readings
        Who has read the proof.
    """
    pieces = [f"register: {discrepancy}"] if discrepancy else []
    pieces += [f"certificate: {certificate}"] if certificate else []
    pieces += [f"proof: {proof}"] if proof else []
    pieces += [f"read by {', '.join(readings)}"] if readings else []
    pieces += [f"premise: the claim {premise}"] if premise else []
    return "; ".join(pieces)


def words(options: Options) -> str:
    """Return the test in words: ``shown by argument``, with the sources in brackets."""
    told = cited(*(options[key] for key in ("discrepancy", "certificate", "proof", "readings", "premise")))
    return f"shown by argument ({told})"


def fails_if(options: Options) -> str:
    """Return what would fail the test, in words."""
    sees = "its certificate, made again, would show" if options["certificate"] else "a reader would have to see"
    premise = f", or a premise that fails: the claim {options['premise']}" if options["premise"] else ""
    return f"an error in the argument, which {sees}{premise}"


TEST = ClaimTest(
    title="An argument of the register, with its test or certificate",
    evaluate=evaluate,
    words=words,
    fails_if=fails_if,
    options={
        "says": Option("fails", "what it proves of the claim: holds or fails"),
        "discrepancy": Option("", "an entry of the paper's register"),
        "certificate": Option("", "a name of `dpbandits certify`"),
        "proof": Option("", "a page of the documentation and its theorem"),
        "readings": Option([], "who has read the proof, with the commit or the date"),
        "premise": Option("", "a claim of the paper from which it follows, whose verdict it then has"),
    },
    reads="computed",
)
