"""Refuted privacy claims as their pages show them, read from the privacy table and the audits' files.

The ledger is the table of the papers' claims with their verdicts, ``claims.csv``. The privacy table,
``privacy.csv``, has a row for each algorithm and budget, with the verdict of its audit, and one for each algorithm
without a claim of privacy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, cast

from dpbandits.core import registry
from dpbandits.core.fields import Parameters
from dpbandits.core.files import read_json

# What an audit's file calls the place of two inputs, in a reader's words.
KEYS_IN_WORDS = {"rounds": "rounds before", "round replaced": "round that is replaced"}
# Algorithms whose audits test a claim, by paper and claim.
AuditedAlgorithms = Mapping[str, Mapping[str, Sequence[str]]]


class ExactLoss(TypedDict):
    """An exact calculation in an audit's file: two neighbouring inputs, and an event's probability on each.

    ``one`` and ``other`` are the inputs, such as ``{"losses": [[0.0, 1.0]], "rounds": 2}``. ``probabilities`` has
    the event's probability on ``one``, then that on ``other``. Each is a number, or a text that `float` can read.
    """

    one: Parameters
    other: Parameters
    probabilities: Sequence[float | str]


class SampledLoss(TypedDict):
    """Sampled runs in an audit's file: two neighbouring inputs, and their number of rounds.

    ``one`` and ``other`` are the inputs. A list in them with ``horizon`` elements has one for each round.
    """

    one: Parameters
    other: Parameters
    horizon: int


class WrittenAudit(TypedDict):
    """Content of an audit's file, as far as the page of a violation reads it."""

    exact: ExactLoss
    sampled: SampledLoss


@dataclass(frozen=True)
class Violation:
    """A claim of privacy that an audit refutes.

    Attributes
    ----------
    row
        Its row of the table of audits, with ``algorithm``, ``title``, ``epsilon`` (the claimed privacy loss),
        ``audited`` (the loss that the audit shows) and more.
    audit
        Content of the audit's file.
    """

    row: Mapping[str, str]
    audit: WrittenAudit

    @property
    def page(self) -> str:
        """Name of the page on this violation, without suffix, such as ``violation-ALGORITHM-0.1``.

        The parts are algorithm, base algorithm (if there is one) and claimed budget.
        """
        names = (self.row["algorithm"], self.row["base"], self.row["epsilon"])
        return "violation-" + "-".join(filter(None, names))

    @property
    def algorithm_title(self) -> str:
        """Title of the refuted algorithm without its base: of ``Conversion of EXP3`` it is ``Conversion``."""
        return self.row["title"].split(" of ")[0]

    @property
    def times_the_claim(self) -> float:
        """Privacy loss that the audit shows, in multiples of the claimed one; it may be infinite."""
        return float(self.row["audited"]) / float(self.row["epsilon"])

    @property
    def command(self) -> str:
        """Command line that audits the claim again."""
        base = f" --param base={self.row['base']}" if self.row["base"] else ""
        return f"dpbandits audit {self.row['algorithm']} --epsilon {float(self.row['epsilon']):g}{base}"

    @property
    def compared_parameters(self) -> list[tuple[str, str, str]]:
        """Parameters that both inputs of the exact calculation have: name, and value in each input, as texts.

        The two values may be equal.
        """
        one, other = self.audit["exact"]["one"], self.audit["exact"]["other"]
        return [(key, _value_text(one[key]), _value_text(other[key])) for key in one if key in other]

    @property
    def shared_parameters(self) -> list[tuple[str, str]]:
        """Names and values of parameters that the audit's file gives for one input only; they are those of both."""
        one, other = self.audit["exact"]["one"], self.audit["exact"]["other"]
        alone = {**one, **other}
        return [
            (KEYS_IN_WORDS.get(key, key), _value_text(alone[key]))
            for key in alone
            if not (key in one and key in other)
        ]

    @property
    def probabilities(self) -> tuple[float, float]:
        """Probabilities of the exact calculation's event, on the first input and on the second."""
        one, other = self.audit["exact"]["probabilities"]
        return float(one), float(other)

    @property
    def differing_entries(self) -> list[tuple[str, str, str]]:
        """Where the two sampled inputs differ: text such as ``losses, round 3``, and the value in each, as text."""
        one, other = self.audit["sampled"]["one"], self.audit["sampled"]["other"]
        found = []
        for key in one:
            if not isinstance(one[key], list) or len(one[key]) != self.audit["sampled"]["horizon"]:
                continue
            found += [
                (f"{key}, round {i}", _value_text(mine), _value_text(its))
                for i, (mine, its) in enumerate(zip(one[key], other[key], strict=True), 1)
                if mine != its
            ]
        return found


def _value_text(value: Any) -> str:
    """Return a value of an input as text; whole numbers without a point."""
    if value is None:
        return "–"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list):
        return f"[{', '.join(map(_value_text, value))}]"
    return str(value)


@dataclass(frozen=True)
class Refuted:
    """Violations of privacy that refute the same sentence of a paper.

    Attributes
    ----------
    claim
        The sentence's row of the ledger (the table of claims with verdicts); ``None`` if the violations refute no
        sentence of a paper.
    violations
        The violations, which audits found.
    """

    claim: Mapping[str, str] | None
    violations: Sequence[Violation]

    @property
    def algorithm_titles(self) -> list[str]:
        """Titles of the refuted algorithms, each once."""
        return list(dict.fromkeys(each.algorithm_title for each in self.violations))

    @property
    def kinds_of_privacy(self) -> list[str]:
        """Kinds of privacy that were claimed of the refuted algorithms, such as ``epsilon-DP``, each once."""
        return list(dict.fromkeys(each.row["definition"] for each in self.violations))


def refuted_by(
    violation: Violation, claims: Sequence[Mapping[str, str]], audited: AuditedAlgorithms
) -> Mapping[str, str] | None:
    """Return the first of the papers' sentences that a violation refutes; ``None`` if none is about its algorithm.

    Parameters
    ----------
    violation
        A claim of privacy that an audit refutes.
    claims
        The papers' false sentences about privacy, as rows of the ledger (the table of claims with verdicts).
    audited
        Names of the algorithms whose audits test a claim, by paper and claim. A claim without any is taken to be
        about all algorithms whose source is its paper.
    """
    algorithm = violation.row["algorithm"]
    source = registry.algorithm(algorithm).source if algorithm in registry.modules("algorithm") else ""
    for claim in claims:
        own = audited.get(claim["paper"], {}).get(claim["id"], ())
        # A claim that a computation refutes names no audits: it is of the paper's algorithms.
        if algorithm in own or (not own and claim["paper"] in source):
            return claim
    return None


def group_by_sentence(
    violations: Sequence[Violation], claims: Sequence[Mapping[str, str]], audited: AuditedAlgorithms
) -> list[Refuted]:
    """Group violations by the sentence that they refute, or by the algorithm's title where they refute none.

    Groups, and violations in them, keep the order of ``violations``. ``claims`` are the papers' false sentences
    about privacy, as rows of the ledger (the table of claims with verdicts). ``audited`` has the names of the
    algorithms whose audits test a claim, by paper and claim.
    """
    found: dict[tuple[str, ...], list[Violation]] = {}
    of: dict[tuple[str, ...], Mapping[str, str] | None] = {}
    for violation in violations:
        claim = refuted_by(violation, claims, audited)
        key = (violation.algorithm_title,) if claim is None else (claim["paper"], claim["id"])
        found.setdefault(key, []).append(violation)
        of[key] = claim
    return [Refuted(of[key], own) for key, own in found.items()]


def read_violations(privacy: Sequence[Mapping[str, str]], results: Path) -> list[Violation]:
    """Return the claims of privacy that audits refute, each with the content of its audit's file.

    ``privacy`` are the rows of the table of all audits; they name the files, which lie below ``results``.
    """
    return [
        Violation(row, cast("WrittenAudit", read_json(results / row["file"])))
        for row in privacy
        if row["verdict"] == "violated"
    ]
