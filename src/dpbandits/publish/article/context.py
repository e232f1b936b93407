"""Context of the article's templates: claims, audits, the register, certificates and costs, read from results."""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, TypedDict

from dpbandits.claims.counting import READINGS, Tally, by_reading
from dpbandits.claims.false_privacy import false_privacy
from dpbandits.core.errors import BadInput, suggest
from dpbandits.core.files import read_json
from dpbandits.core.verdicts import Verdict
from dpbandits.publish.article import packages
from dpbandits.publish.article.to_typst import count, number, typst
from dpbandits.publish.headlines import chosen, counted, numbered
from dpbandits.publish.html.view_models import CLAIMS, NO_CLAIM, read_text
from dpbandits.publish.spoken import Vocabulary, measured, spoken
from dpbandits.runs import resource_usage
from dpbandits.runs.resource_usage import Cost, JobUsage

if TYPE_CHECKING:
    from dpbandits.publish.content import ArticleContent

# Words of a template for the ledger's verdicts.
SAID: dict[str, str] = {verdict.name.lower(): verdict for verdict in Verdict}
# Names of the claims that a sentence puts together.
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
ORDER = [sign.verdict for sign in CLAIMS]
MARKS: dict[str, str] = {sign.verdict: sign.mark for sign in CLAIMS}


@dataclass(frozen=True)
class Claim:
    """A row of the ledger, with the words of its paper."""

    row: Mapping[str, str]
    words: Vocabulary = field(default_factory=dict)

    def __getattr__(self, name: str) -> str:
        """Return a column of the ledger, as it is written there."""
        try:
            return self.row[name]
        except KeyError:
            raise AttributeError(name) from None

    def in_words(self, column: str) -> str:
        """Return the claim's text in a column of the ledger, with words in place of labels."""
        return spoken(self.row[column], self.words)

    @property
    def name(self) -> str:
        """Paper and id."""
        return f"{self.row['paper']}/{self.row['id']}"

    @property
    def is_near(self) -> bool:
        """Whether other seeds might change its verdict."""
        return self.row["near_threshold"] == "yes"

    @property
    def parts(self) -> int:
        """How many parts its tests have."""
        kinds = ("hold", "fail", "unrefuted", "untested", "open")
        return sum(int(self.row.get(f"parts_{kind}") or 0) for kind in kinds)

    @property
    def measured(self) -> dict[str, str]:
        """Values for a sentence's gaps: the number of the telling part with its interval, counts of parts, runs."""
        said = measured(self.row, self.words)
        counts = {key: count(int(said[key])) for key in ("hold", "fail", "parts")}
        texts = {key: typst(said[key]) for key in ("estimate", "interval", "effect")}
        return {**counts, **texts, "runs": typst(self.row["runs"]), "limit": number(self._limit)}

    @property
    def _limit(self) -> float:
        limits = (float(self.row[key]) for key in ("at_most", "at_least") if self.row[key])
        return next(filter(math.isfinite, limits), math.nan)

    def is_about(self, of: str) -> bool:
        """Whether the number that tells most about it is this quantity, in the words of its test."""
        return self.row["quantity"] == of

    def says(self, of: str = "", **sentences: str) -> str:
        """Return the sentence for this claim's verdict, with its numbers; a plain one if there is none.

        Parameters
        ----------
        of
            The quantity that sentences give numbers of, in the words of the test. If another one tells most now,
            the plain sentence says what was measured.
        **sentences
            Typst by the words of `SAID`, with names of `measured` in braces.

        Raises
        ------
        BadInput
            If there is a sentence of a verdict that does not exist, or one names what was not measured.
        """
        for word in sentences:
            if word not in SAID:
                raise BadInput(self.name, word, suggest(word, SAID))
            if not of and numbered(sentences[word]):
                raise BadInput(self.name, sentences[word], "a number whose quantity is given by of=...")
        statement, place = (typst(self.in_words(column)) for column in ("statement", "place"))
        plain = f"“{statement}” ({place}): *{self.row['verdict']}*; {{effect}}."
        try:
            said = (chosen(sentences, self.row, of) or plain).format_map(self.measured)
        except KeyError as missing:
            raise BadInput(self.name, str(missing), suggest(missing.args[0], self.measured)) from None
        near = " (Near its threshold.)" if self.is_near else ""
        return said + near


class Claims:
    """The ledger."""

    def __init__(self, rows: Sequence[Mapping[str, str]], words: Mapping[str, Vocabulary] | None = None) -> None:
        claims = (Claim(row, (words or {}).get(row["paper"], {})) for row in rows)
        self._claims = {claim.name: claim for claim in claims}

    def __iter__(self) -> Iterator[Claim]:
        return iter(self._claims.values())

    def __call__(self, name: str) -> Claim:
        """Return the claim that a template speaks of, or raise `BadInput`."""
        if name not in self._claims:
            raise BadInput("article", name, f"a claim of the ledger: {suggest(name, self._claims)}")
        return self._claims[name]

    def together(self, expected: Mapping[str, str], sentence: str, otherwise: str = "") -> str:
        """Return one sentence for several claims if each has the verdict that it speaks of.

        Parameters
        ----------
        expected
            Words of `SAID` by claim, with the quantity that a number is of, ``"holds: regret"``.
        sentence
            Typst with ``{0.estimate}`` and so on, of `Claim.measured`, in the order of ``expected``.
        otherwise
            What is said if a claim differs; by default the plain sentence of each.
        """
        claims = [self(name) for name in expected]
        parts = (told.partition(": ") for told in expected.values())
        if not all(
            claim.verdict == SAID[word] and (not of or claim.is_about(of))
            for claim, (word, _, of) in zip(claims, parts, strict=True)
        ):
            return otherwise or " ".join(claim.says() for claim in claims)
        places = [*ORDINALS[: len(claims) - 1], "last"]
        near = [place for place, claim in zip(places, claims, strict=True) if claim.is_near]
        said = sentence.format(*(SimpleNamespace(**claim.measured) for claim in claims))
        some = f"the verdict on the {' and the '.join(near)} of these statements"
        which = "this verdict" if len(claims) == 1 else some
        return said + (f" Another seed could change {which}." if near else "")

    def read_by(self) -> Mapping[str, Tally]:
        """Return the counts of claims by whose sentences they are, such as the paper's."""
        return {reading: Tally() for reading in READINGS} | by_reading(claim.row for claim in self)

    def counted(self, paper: str = "") -> str:
        """Return how many have each verdict, in words, of a paper or of all: whose they are is counted apart."""
        return counted([claim.row for claim in self if paper in ("", claim.paper)])

    def of(self, paper: str) -> list[Claim]:
        """Return those of a paper."""
        return [claim for claim in self if claim.paper == paper]

    def counts(self, paper: str = "", own: bool | None = None) -> Mapping[str, int]:
        """Return how many have each verdict, of a paper or of all.

        Parameters
        ----------
        paper
            Its id; all if empty.
        own
            Whether sentences of papers count, or what we asked; by default both.
        """
        return Counter(
            claim.verdict
            for claim in self
            if paper in ("", claim.paper) and own in (None, claim.reading == "paper")
        )

    def others(self, paper: str) -> list[Claim]:
        """Return those of a paper that do not simply hold, the clearest first."""
        order = [Verdict.FAILS, Verdict.PART, *ORDER[3:]]
        return sorted(
            (each for each in self.of(paper) if each.verdict in order), key=lambda c: order.index(c.verdict)
        )


class Contradicted(TypedDict):
    """An algorithm whose claim is contradicted.

    Attributes
    ----------
    algorithm, titles
        Its name, and its titles over its bases.
    losses
        Claimed budget and shown loss, by budget.
    witness
        The witness at the last budget, in words.
    """

    algorithm: str
    titles: list[str]
    losses: list[tuple[float, float]]
    witness: str


@dataclass(frozen=True)
class Facts:
    """All that templates speak of.

    Attributes
    ----------
    config
        What the configuration says.
    claims, audits, certificates
        The ledger, the table of audits, and certificates by name.
    own
        What each paper's part of the article reads of its computations.
    cost, took
        As `dpbandits.runs.resource_usage` has them; ``took`` is empty if the run kept no logs.
    results
        The folder of results.
    """

    config: ArticleContent
    claims: Claims
    audits: Sequence[Mapping[str, str]]
    certificates: Mapping[str, Mapping[str, object]]
    own: Mapping[str, Mapping[str, object]]
    cost: Cost
    took: Sequence[JobUsage]
    results: Path

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Reasons for which the tests of several claims were revised, with their number, the commonest first."""
        found = Counter(claim.revised for claim in self.claims if claim.revised)
        return [(reason, number) for reason, number in found.most_common() if number > 1]

    @property
    def false_privacy(self) -> int:
        """How many sentences of the papers about privacy are false."""
        return len(false_privacy(claim.row for claim in self.claims))

    @property
    def violated(self) -> list[Mapping[str, str]]:
        """Audits of claims that do not stand."""
        return [row for row in self.audits if row["verdict"] == "violated"]

    @property
    def entries(self) -> dict[str, Mapping[str, str]]:
        """The register by id."""
        return {entry["id"]: entry for paper in self.config["papers"].values() for entry in paper["discrepancies"]}

    @property
    def contradicted(self) -> list[Contradicted]:
        """Algorithms whose claim is contradicted."""
        found: dict[str, list[Mapping[str, str]]] = {}
        for row in self.violated:
            found.setdefault(row["algorithm"], []).append(row)
        return [
            {
                "algorithm": name,
                "titles": list(dict.fromkeys(row["title"] for row in rows)),
                "losses": list(
                    dict.fromkeys(
                        (float(row["epsilon"]), float(row["audited"])) for row in sorted(rows, key=_budget)
                    )
                ),
                "witness": max(rows, key=_budget)["witness"].replace('"', ""),
            }
            for name, rows in found.items()
        ]

    def kinds(self, paper: str = "") -> Mapping[str, int]:
        """Return how many entries of the register are of each kind, of a paper or of all."""
        papers = self.config["papers"].items()
        return Counter(
            entry["kind"] for name, told in papers if paper in ("", name) for entry in told["discrepancies"]
        )


def own_facts(computed: Mapping[str, Mapping[str, str]]) -> dict[str, Mapping[str, object]]:
    """Return what each paper's part of the article reads of its computations, tables by paper and name."""
    found: dict[str, Mapping[str, object]] = {}
    for paper, package in packages().items():
        tables = {name: read_text(Path(file)) for name, file in computed.get(paper, {}).items()}
        found[paper] = getattr(importlib.import_module(package), "facts", lambda _: {})(tables)
    return found


def _budget(row: Mapping[str, str]) -> float:
    return float(row["epsilon"])


def read(
    told: ArticleContent,
    ledger: str,
    privacy_table: str,
    certificates: str,
    computed: Mapping[str, Mapping[str, str]],
    results: str,
) -> Facts:
    """Return the facts of a finished run.

    Parameters
    ----------
    told
        As `Facts` has it.
    ledger, privacy_table
        Tables as CSV.
    computed
        The tables of computations that parts of the article read, by paper and name.
    certificates
        What `dpbandits certify` proved.
    results
        The folder of results.

    Raises
    ------
    BadInput
        If a certificate was not proved.
    """
    proved = read_json(Path(certificates))["certificates"]
    for name, certificate in proved.items():
        if certificate["fault"] is not None:
            raise BadInput(name, certificate["fault"], "a certificate that is proved; see `dpbandits certify`")
    folder = Path(results)
    return Facts(
        config=told,
        claims=Claims(
            read_text(Path(ledger)), {paper: about["vocabulary"] for paper, about in told["papers"].items()}
        ),
        audits=[row for row in read_text(Path(privacy_table)) if row["verdict"] != NO_CLAIM.verdict],
        certificates=proved,
        own=own_facts(computed),
        cost=resource_usage.cost(folder, list(told["papers"])),
        took=list(resource_usage.logged(folder / "logs")),
        results=folder,
    )
