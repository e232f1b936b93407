"""Context of the article's templates: claims, audits, the register, certificates and costs, read from results.

The ledger, ``claims.csv``, is the table of the papers' claims with verdicts, and the privacy table that of audits.
"""

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
from dpbandits.publish.headlines import has_number, sentence_for, verdict_counts
from dpbandits.publish.html.view_models import CLAIM_SIGNS, NO_CLAIM, read_rows
from dpbandits.publish.spoken import Vocabulary, measured, with_words
from dpbandits.runs import resource_usage
from dpbandits.runs.resource_usage import Cost, JobUsage

if TYPE_CHECKING:
    from dpbandits.publish.content import ArticleContent

# Words of a template for the ledger's verdicts.
VERDICTS_BY_NAME: dict[str, str] = {verdict.name.lower(): verdict for verdict in Verdict}
# Names of the claims that a sentence puts together.
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
ORDER = [sign.verdict for sign in CLAIM_SIGNS]
MARKS: dict[str, str] = {sign.verdict: sign.mark for sign in CLAIM_SIGNS}


@dataclass(frozen=True)
class Claim:
    """A claim for templates of the article: its row of the ledger (the table of claims with verdicts).

    Attributes
    ----------
    row
        The row, by column. Each column can also be read as an attribute: ``claim.verdict``.
    words
        Words by label of the paper's configuration, such as those for the environment ``mu1``.
    """

    row: Mapping[str, str]
    words: Vocabulary = field(default_factory=dict)

    def __getattr__(self, name: str) -> str:
        """Return the claim's text in the column ``name`` of the ledger, unchanged."""
        try:
            return self.row[name]
        except KeyError:
            raise AttributeError(name) from None

    def in_words(self, column: str) -> str:
        """Return the claim's text in a column of the ledger, such as ``"place"``, with words in place of labels."""
        return with_words(self.row[column], self.words)

    @property
    def name(self) -> str:
        """The claim's name, ``paper/id``."""
        return f"{self.row['paper']}/{self.row['id']}"

    @property
    def is_near(self) -> bool:
        """Whether its verdict might change with other random seeds."""
        return self.row["near_threshold"] == "yes"

    @property
    def parts(self) -> int:
        """Number of all parts of its tests; a part is, for example, one environment at one budget."""
        kinds = ("hold", "fail", "unrefuted", "untested", "open")
        return sum(int(self.row.get(f"parts_{kind}") or 0) for kind in kinds)

    @property
    def measured(self) -> dict[str, str]:
        """Texts, as Typst, for the gaps (such as ``{estimate}``) of a sentence on this claim, by the gap's name.

        Of the most informative part of its tests they are ``estimate``, ``interval``, ``runs``, and the ``limit``
        that it must keep, a dash if none is finite. ``effect`` is what was measured, in words. ``hold``, ``fail``
        and ``parts`` are numbers of parts: that hold, that fail, and of all.
        """
        said = measured(self.row, self.words)
        counts = {key: count(int(said[key])) for key in ("hold", "fail", "parts")}
        texts = {key: typst(said[key]) for key in ("estimate", "interval", "effect")}
        return {**counts, **texts, "runs": typst(self.row["runs"]), "limit": number(self._limit)}

    @property
    def _limit(self) -> float:
        limits = (float(self.row[key]) for key in ("at_most", "at_least") if self.row[key])
        return next(filter(math.isfinite, limits), math.nan)

    def is_about(self, of: str) -> bool:
        """Tell whether the claim's estimate in the ledger is one of the quantity ``of``, in the test's words."""
        return self.row["quantity"] == of

    def says(self, of: str = "", **sentences: str) -> str:
        """Return the sentence for this claim's verdict, gaps filled; without one, its statement and verdict.

        It ends in "(Near its threshold.)" if the verdict might change with other random seeds.

        Parameters
        ----------
        of
            The quantity that numbers in the sentences are of, in the words of the test. If the claim's numbers are
            now of another quantity, its statement and verdict are returned.
        **sentences
            Typst by verdict (``holds``, ``part``, ``fails``, ``open``, ``vacuous``, ``unrefuted`` or ``untested``).
            Gaps are ``{estimate}``, ``{interval}``, ``{effect}``, ``{hold}``, ``{fail}``, ``{parts}``, ``{runs}``
            and ``{limit}``.

        Raises
        ------
        BadInput
            If a sentence is for a verdict that does not exist, or has a gap that does not. Also if it has the gap
            ``{estimate}`` or ``{interval}`` while ``of`` is empty.

        Examples
        --------
        A template says ``claim("PAPER/thm9").says(of="mean regret", holds="It is {estimate}.", fails="No.")``.
        """
        for word in sentences:
            if word not in VERDICTS_BY_NAME:
                raise BadInput(self.name, word, suggest(word, VERDICTS_BY_NAME))
            if not of and has_number(sentences[word]):
                raise BadInput(self.name, sentences[word], "a number whose quantity is given by of=...")
        statement, place = (typst(self.in_words(column)) for column in ("statement", "place"))
        plain = f"“{statement}” ({place}): *{self.row['verdict']}*; {{effect}}."
        try:
            said = (sentence_for(sentences, self.row, of) or plain).format_map(self.measured)
        except KeyError as missing:
            raise BadInput(self.name, str(missing), suggest(missing.args[0], self.measured)) from None
        near = " (Near its threshold.)" if self.is_near else ""
        return said + near


class Claims:
    """All claims of the ledger, for templates: ``claim("paper/id")`` is a `Claim`, and iteration yields all.

    Parameters
    ----------
    rows
        Rows of the ledger.
    words
        By paper, words for labels of its configuration, such as those for the environment ``mu1``.
    """

    def __init__(self, rows: Sequence[Mapping[str, str]], words: Mapping[str, Vocabulary] | None = None) -> None:
        claims = (Claim(row, (words or {}).get(row["paper"], {})) for row in rows)
        self._claims = {claim.name: claim for claim in claims}

    def __iter__(self) -> Iterator[Claim]:
        return iter(self._claims.values())

    def __call__(self, name: str) -> Claim:
        """Return the claim ``name``, such as ``paper/id``; raise `BadInput` if there is none."""
        if name not in self._claims:
            raise BadInput("article", name, f"a claim of the ledger: {suggest(name, self._claims)}")
        return self._claims[name]

    def together(self, expected: Mapping[str, str], sentence: str, otherwise: str = "") -> str:
        """Return a sentence on several claims, if each has the verdict that the sentence was written for.

        A second sentence is added if a verdict might change with other random seeds.

        Parameters
        ----------
        expected
            Verdict that each claim must have, such as ``"holds"``, ``"part"`` or ``"fails"``, by the claim's name
            ``paper/id``. After a colon may stand the quantity that its numbers must be of: ``"holds: regret"``.
        sentence
            Typst with gaps such as ``{0.estimate}``: a claim's number in ``expected``, from 0, and one of
            ``estimate``, ``interval``, ``effect``, ``hold``, ``fail``, ``parts``, ``runs`` and ``limit``.
        otherwise
            Text to return if a claim has another verdict or quantity; by default statements and verdicts.
        """
        claims = [self(name) for name in expected]
        parts = (told.partition(": ") for told in expected.values())
        if not all(
            claim.verdict == VERDICTS_BY_NAME[word] and (not of or claim.is_about(of))
            for claim, (word, _, of) in zip(claims, parts, strict=True)
        ):
            return otherwise or " ".join(claim.says() for claim in claims)
        places = [*ORDINALS[: len(claims) - 1], "last"]
        near = [place for place, claim in zip(places, claims, strict=True) if claim.is_near]
        said = sentence.format(*(SimpleNamespace(**claim.measured) for claim in claims))
        some = f"the verdict on the {' and the '.join(near)} of these statements"
        which = "this verdict" if len(claims) == 1 else some
        return said + (f" Another seed could change {which}." if near else "")

    def tallies_by_reading(self) -> Mapping[str, Tally]:
        """Return counts of sentences of papers (``paper``), statements of ours (``ours``), questions (``asked``).

        Each has ``total``, the number of its claims, and ``verdicts``, their numbers by verdict.
        """
        return {reading: Tally() for reading in READINGS} | by_reading(claim.row for claim in self)

    def counted(self, paper: str = "") -> str:
        """Return text that counts claims by verdict: of the paper with the id ``paper``, or of all if it is empty.

        Sentences of papers, statements of ours and questions are counted apart. The text may begin "Of 9 sentences
        of the papers, 5 hold (5 proved), 1 holds in part and 3 do not hold."
        """
        return verdict_counts([claim.row for claim in self if paper in ("", claim.paper)])

    def of(self, paper: str) -> list[Claim]:
        """Return the claims of the paper with the id ``paper``, in the ledger's order."""
        return [claim for claim in self if claim.paper == paper]

    def counts(self, paper: str = "", of_papers: bool | None = None) -> Mapping[str, int]:
        """Return the number of claims by verdict, such as *does not hold*; it is 0 for a verdict that none has.

        Parameters
        ----------
        paper
            Id of the paper whose claims count; all if empty.
        of_papers
            True to count only sentences of papers, false to count only other claims; ``None`` to count both.
        """
        return Counter(
            claim.verdict
            for claim in self
            if paper in ("", claim.paper) and of_papers in (None, claim.reading == "paper")
        )

    def not_holding(self, paper: str) -> list[Claim]:
        """Return a paper's claims whose verdict is not *holds*: *does not hold* first, then *holds in part*."""
        # From the fourth on: VACUOUS, UNREFUTED, UNTESTED, OPEN. Of the first three HOLDS is left out.
        order = [Verdict.FAILS, Verdict.PART, *ORDER[3:]]
        return sorted(
            (each for each in self.of(paper) if each.verdict in order), key=lambda c: order.index(c.verdict)
        )


class Contradicted(TypedDict):
    """An algorithm whose claim of privacy an audit contradicts.

    Attributes
    ----------
    algorithm, titles
        Its name, and its titles: one for each base algorithm with which it was audited.
    losses
        Pairs of the claimed budget and the larger privacy loss that an audit shows, by increasing budget.
    witness
        What shows the loss at the largest budget, in words, such as an event and two inputs.
    """

    algorithm: str
    titles: list[str]
    losses: list[tuple[float, float]]
    witness: str


@dataclass(frozen=True)
class Facts:
    """Results of a run, and what the configuration decides, for templates of the article.

    Attributes
    ----------
    config
        Content that needs no results, such as ``papers`` (their titles and texts).
    claims, audits, certificates
        All claims with verdicts; rows of the table of audits of privacy; outcomes of computer-assisted proofs by
        name.
    from_papers
        Values that a paper's part of the article computes for its templates (its function ``facts``), by paper.
    cost, usages
        Cost of the run by part and kind of job; and time and memory of each job, empty without logs.
    results
        The folder of results.
    """

    config: ArticleContent
    claims: Claims
    audits: Sequence[Mapping[str, str]]
    certificates: Mapping[str, Mapping[str, object]]
    from_papers: Mapping[str, Mapping[str, object]]
    cost: Cost
    usages: Sequence[JobUsage]
    results: Path

    @property
    def revision_reasons(self) -> list[tuple[str, int]]:
        """Reasons why tests of two or more claims were revised, each with the number of claims, most first."""
        found = Counter(claim.revised for claim in self.claims if claim.revised)
        return [(reason, number) for reason, number in found.most_common() if number > 1]

    @property
    def false_privacy(self) -> int:
        """Number of sentences about privacy in the papers that are false."""
        return len(false_privacy(claim.row for claim in self.claims))

    @property
    def violations(self) -> list[Mapping[str, str]]:
        """Rows of the table of audits: those that contradict a claim of privacy."""
        return [row for row in self.audits if row["verdict"] == "violated"]

    @property
    def entries(self) -> dict[str, Mapping[str, str]]:
        """Entries of the register of discrepancies on all papers, by the entry's id."""
        return {entry["id"]: entry for paper in self.config["papers"].values() for entry in paper["discrepancies"]}

    @property
    def refuted_algorithms(self) -> list[Contradicted]:
        """Algorithms whose claim of privacy an audit contradicts, each once, with all such audits."""
        found: dict[str, list[Mapping[str, str]]] = {}
        for row in self.violations:
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
        """Return the number of discrepancies by kind, such as ``"misprint"``, of a paper's id, or of all papers."""
        papers = self.config["papers"].items()
        return Counter(
            entry["kind"] for name, told in papers if paper in ("", name) for entry in told["discrepancies"]
        )


def facts_of_papers(computed: Mapping[str, Mapping[str, str]]) -> dict[str, Mapping[str, object]]:
    """Call the function ``facts`` in each paper's part of the article, and return its results by paper.

    The function computes values for templates from tables: it is given their rows, by computation. ``computed`` has
    the CSV files of these tables, by paper and computation. For a part without this function the result is empty.
    """
    found: dict[str, Mapping[str, object]] = {}
    for paper, package in packages().items():
        tables = {name: read_rows(Path(file)) for name, file in computed.get(paper, {}).items()}
        found[paper] = getattr(importlib.import_module(package), "facts", lambda _: {})(tables)
    return found


def _budget(row: Mapping[str, str]) -> float:
    return float(row["epsilon"])


def read(
    content: ArticleContent,
    ledger: str,
    privacy_table: str,
    certificates: str,
    computed: Mapping[str, Mapping[str, str]],
    results: str,
) -> Facts:
    """Read the results of a finished run for templates of the article.

    Parameters
    ----------
    content
        Content that needs no results, which becomes ``Facts.config``.
    ledger, privacy_table
        CSV files of the ledger (the table of claims with verdicts) and of the table of audits of privacy.
    computed
        CSV files of the computations that parts of the article read, by paper and name.
    certificates
        JSON file with the outcomes of the certificates' proofs by name, below the key ``certificates``.
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
        config=content,
        claims=Claims(
            read_rows(Path(ledger)), {paper: about["vocabulary"] for paper, about in content["papers"].items()}
        ),
        audits=[row for row in read_rows(Path(privacy_table)) if row["verdict"] != NO_CLAIM.verdict],
        certificates=proved,
        from_papers=facts_of_papers(computed),
        cost=resource_usage.cost(folder, list(content["papers"])),
        usages=list(resource_usage.logged(folder / "logs")),
        results=folder,
    )
