"""View models of the site: verdicts, discrepancies, figures and tables, read from results."""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup
from PIL import Image

from dpbandits.core import escapes
from dpbandits.core.numbers import bracket, number
from dpbandits.core.tables import read_markdown
from dpbandits.core.verdicts import Verdict
from dpbandits.publish.html import svg
from dpbandits.publish.spoken import Vocabulary, cited, spoken
from dpbandits.runs.words import Words

if TYPE_CHECKING:
    from dpbandits.publish.content import PaperContent


class Sign(NamedTuple):
    """How a verdict looks: a mark and a colour, so that either is enough.

    Attributes
    ----------
    verdict
        The word of the ledger or the privacy table.
    mark
        One letter or sign.
    colour
        Class of the style sheet.
    """

    verdict: str
    mark: str
    colour: str


CLAIMS = (
    Sign(Verdict.HOLDS, "✓", "good"),
    Sign(Verdict.PART, "≈", "part"),
    Sign(Verdict.FAILS, "✗", "bad"),
    Sign(Verdict.VACUOUS, "○", "open"),
    Sign(Verdict.UNREFUTED, "◔", "open"),
    Sign(Verdict.UNTESTED, "◌", "open"),
    Sign(Verdict.OPEN, "?", "open"),
)
# What a reader would not expect comes first.
ORDER: list[str] = [
    *(Verdict.FAILS, Verdict.PART, Verdict.OPEN),
    *(Verdict.VACUOUS, Verdict.UNTESTED, Verdict.UNREFUTED, Verdict.HOLDS),
]
PRIVACY = (
    Sign("consistent", "✓", "good"),
    Sign("violated", "✗", "bad"),
    Sign("suspicious", "!", "open"),
    Sign("refused", "?", "open"),
    Sign("unfinished", "…", "open"),
)
NO_CLAIM = Sign("no claim", "–", "open")
SIGNS = {sign.verdict: sign for sign in (*CLAIMS, *PRIVACY, NO_CLAIM)}


@dataclass(frozen=True)
class Item:
    """A figure or a table, in one version.

    Attributes
    ----------
    paper, name
        Its paper and its id.
    title
        What it is called.
    kind
        ``"figure"`` or ``"table"``.
    version
        ``"full"`` or ``"published"``.
    caption, scale
        What to see, and how it was made.
    files
        Where its files lie, by suffix.
    claims
        The claims that it shows.
    answers
        Whether it has curves that a reader can move.
    """

    paper: str
    name: str
    title: str
    kind: str
    version: str
    caption: str
    scale: str
    files: Mapping[str, Path]
    claims: Sequence[Mapping[str, str]] = ()
    answers: bool = False

    @property
    def stem(self) -> str:
        """The files' name without suffix."""
        return next(iter(self.files.values())).stem

    @property
    def place(self) -> str:
        """Where its files lie below the site's, without suffix: a figure and a table may have the same name."""
        return f"{self.paper}/{'' if self.kind == 'figure' else 'tables/'}{self.stem}"

    @functools.cached_property
    def columns(self) -> list[str]:
        """The headings of a table."""
        return [str(column) for column in read_markdown(self.files["md"]).columns]

    @functools.cached_property
    def rows(self) -> list[list[str]]:
        """The rows of a table."""
        return [list(map(str, row)) for row in read_markdown(self.files["md"]).to_numpy()]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture: a page that knows them does not jump while pictures are loaded."""
        with Image.open(self.files["png"]) as opened:
            return opened.size

    @property
    def target(self) -> str:
        """The target that Snakemake is given to make it."""
        return str(next(iter(self.files.values())))


@dataclass(frozen=True)
class Paper:
    """A paper, its words, and all that was found about it."""

    name: str
    title: str
    authors: str
    year: str
    claims: Sequence[Mapping[str, str]]
    discrepancies: Sequence[Mapping[str, str]]
    figures: Sequence[Item]
    words: Words = field(default_factory=Words)
    vocabulary: Vocabulary = field(default_factory=dict)
    published: Mapping[str, Item] = field(default_factory=dict)
    tables: Sequence[Item] = ()
    story: Sequence[Mapping[str, str]] = ()
    findings: str = ""

    def tested(self, claim: str) -> str:
        """The file with what the tests of a claim measured."""
        return Path(self.findings).with_name("claims").joinpath(f"{claim}.json").as_posix()

    @property
    def short(self) -> str:
        """Its authors and year, as papers are cited: ``Asi et al. (2025)``."""
        return cited(self.authors, self.year)

    @property
    def sorted_claims(self) -> list[Mapping[str, str]]:
        """Its own sentences, then what we asked; of each those that do not simply hold first."""
        return [*self.sentences, *self.questions]

    @property
    def sentences(self) -> list[Mapping[str, str]]:
        """The paper's own sentences."""
        return _unexpected_first(claim for claim in self.claims if claim["reading"] == "paper")

    @property
    def questions(self) -> list[Mapping[str, str]]:
        """Statements of ours, and questions that the paper asks."""
        return _unexpected_first(claim for claim in self.claims if claim["reading"] != "paper")

    @property
    def notable(self) -> list[Mapping[str, str]]:
        """The paper's sentences whose verdict a reader of it would not expect."""
        return [claim for claim in self.sentences if claim["verdict"] != Verdict.HOLDS]

    @property
    def groups(self) -> list[list[Item]]:
        """Its figures; of neighbours that have one caption a reader chooses one."""
        return [list(own) for _, own in itertools.groupby(self.figures, key=lambda item: item.caption)]

    @property
    def emblem(self) -> Item | None:
        """The figure that shows the most claims."""
        return max(self.figures, key=lambda item: len(item.claims), default=None)


def counts(claims: Iterable[Mapping[str, str]]) -> Mapping[str, int]:
    """Return how many claims have each verdict."""
    return Counter(claim["verdict"] for claim in claims)


def _unexpected_first(claims: Iterable[Mapping[str, str]]) -> list[Mapping[str, str]]:
    return sorted(claims, key=lambda claim: ORDER.index(claim["verdict"]))


def read_text(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, all cells as they are written."""
    with path.open(encoding="utf-8", newline="") as file:
        return escapes.read_rows(file)


def read_papers(told: Mapping[str, PaperContent], claims: Sequence[Mapping[str, str]]) -> list[Paper]:
    """Return all papers.

    Parameters
    ----------
    told
        What the configuration says, by paper.
    claims
        Rows of the ledger.
    """
    found = []
    for name, content in told.items():
        own = [claim for claim in claims if claim["paper"] == name]
        items = [
            Item(
                paper=name,
                name=item["name"],
                title=item["title"],
                kind=item["kind"],
                version=item["version"],
                caption=item["caption"],
                scale=item["scale"],
                answers=item["answers"],
                files={suffix: Path(file) for suffix, file in item["files"].items()},
                claims=[claim for claim in own if claim["shown"] == f"{name}/{item['kind']}/{item['name']}"],
            )
            for item in content["items"]
        ]
        figures = [item for item in items if item.kind == "figure"]
        found.append(
            Paper(
                name=name,
                title=content["title"],
                authors=content["authors"],
                year=content["year"],
                discrepancies=content["discrepancies"],
                claims=own,
                figures=[item for item in figures if item.version == "full"],
                published={item.name: item for item in figures if item.version == "published"},
                tables=[item for item in items if item.kind == "table"],
                findings=content["findings"],
                words=Words.model_validate(content["words"]),
                vocabulary=content["vocabulary"],
                story=[claim for told_first in content["story"] for claim in own if claim["id"] == told_first],
            )
        )
    return found


class Part(NamedTuple):
    """A part of a claim's test, as its page shows it.

    Attributes
    ----------
    name
        Which part.
    verdict
        Its own.
    effect
        Estimate and interval, in words.
    runs
        Of which it is.
    strip
        A picture of both, with what is asked.
    """

    name: str
    verdict: str
    effect: str
    runs: str
    strip: Markup


class Tested(NamedTuple):
    """A test of a claim.

    Attributes
    ----------
    effect, asked
        What is measured, and what is asked of it.
    parts
        Its parts.
    axis
        The axis that their strips share; empty without numbers.
    open
        Why some parts are not decided, a sentence for each reason.
    """

    effect: str
    asked: str
    parts: Sequence[Part]
    axis: Markup
    open: Sequence[str]


def _float(text: str) -> float:
    return float(text) if text else math.nan


def tested(rows: Sequence[Mapping[str, str]], words: Vocabulary, effects: Sequence[str]) -> list[Tested]:
    """Return the tests of a claim from its rows of the findings, the words of its paper, and what each measures."""
    found = []
    for i, effect in enumerate(effects):
        own = sorted((row for row in rows if int(row["test"]) == i), key=lambda row: ORDER.index(row["verdict"]))
        drawn = [
            svg.Bar(
                estimate=_float(row["estimate"]),
                low=_float(row["low"]),
                high=_float(row["high"]),
                at_least=_float(row["at_least"]),
                at_most=_float(row["at_most"]),
                colour=SIGNS[row["verdict"]].colour,
            )
            for row in own
        ]
        parts = [
            Part(spoken(row["part"], words), row["verdict"], _effect(bar), row["runs"], strip)
            for row, bar, strip in zip(own, drawn, svg.strips(drawn), strict=True)
        ]
        asked = dict.fromkeys(filter(None, (_asked(bar) for bar in drawn)))
        limits = " or ".join(list(asked)[:3]) + ("; …" if len(asked) > 3 else "")
        numbers = any(not math.isnan(bar.estimate) for bar in drawn)
        axis = svg.scale(drawn) if numbers else Markup()
        found.append(Tested(spoken(effect, words), limits, parts, axis, _open(own)))
    return found


def _open(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return why parts of a test are not decided, a sentence for each reason, with the number of such parts."""
    own = [row for row in rows if row["verdict"] == Verdict.OPEN]
    reasons = Counter(reason for row in own if (reason := _reason(row)))
    return [f"{count} part{'s are' if count > 1 else ' is'} not decided: {why}" for why, count in reasons.items()]


def _reason(row: Mapping[str, str]) -> str:
    """Return why a part is not decided, as `dpbandits.claims.evaluate.verdict_of` has it; nothing if unknown."""
    side, some, complete = (row.get(key, "") for key in ("side", "some", "complete"))
    if side == "below":
        return "fewer runs, or a shorter horizon, than its scale asks for (see below)."
    if row.get("cap") == "open":
        return "what is computed here is over too short a range to decide it."
    if not row.get("p_corrected"):
        exists = side == "fails" and some == "True" and complete != "True"
        return "the claim is that there is one part; that this one fails leaves others." if exists else ""
    if side == "open":
        return "it is about a limit, which these runs do not show."
    if _beyond(row):
        return (
            "its interval is beyond the limit, but is of this part alone. With all parts of the paper taken "
            "together (Holm’s correction), chance might explain it."
        )
    return "its interval holds the limit, so that more runs might go either way."


def _beyond(row: Mapping[str, str]) -> bool:
    """Say whether an interval lies wholly on one side of a limit."""
    low, high = _float(row["low"]), _float(row["high"])
    limits = (_float(row["at_least"]), _float(row["at_most"]))
    return any(math.isfinite(limit) and (low > limit or high < limit) for limit in limits)


def _effect(bar: svg.Bar) -> str:
    """Return an estimate with its interval, if it has one that is not itself."""
    return bracket(bar.estimate, bar.low, bar.high)


def _asked(bar: svg.Bar) -> str:
    limits = (("at least", bar.at_least), ("at most", bar.at_most))
    return " and ".join(f"{words} {number(limit)}" for words, limit in limits if math.isfinite(limit))
