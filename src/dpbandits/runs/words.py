"""Words of a paper: its summary, the names of its figures, experiments and environments, and its headlines.

They are in the file that the configuration names, ``paper.yaml`` beside ``experiments.yaml`` by default. No number
depends on them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from dpbandits.core import escapes, registry
from dpbandits.core.errors import BadInput, suggest, within
from dpbandits.runs.config import Layer, conforming, placed
from dpbandits.runs.expand_labels import BRACES
from dpbandits.runs.models import Config, Paper
from dpbandits.runs.safe_yaml import read
from dpbandits.runs.values import Model, Text

# Verdicts as keys: the names of `dpbandits.core.verdicts.Verdict`, in lower case.
VerdictKey = Literal["holds", "part", "fails", "open", "vacuous", "unrefuted", "untested"]
Sayings = dict[VerdictKey, Text]
# What a sentence on a claim may fill in: the keys of `dpbandits.publish.spoken.measured`.
MEASURED = ("estimate", "interval", "low", "where", "effect", "hold", "fail", "parts")
# A word that figures draw.
Drawn = Annotated[Text, AfterValidator(escapes.drawn)]
Link = Annotated[str, Field(pattern=r"^(https://\S+)?$")]


class Sentence(Model):
    """A sentence about a claim, with a wording for each verdict."""

    claim: Text = Field(description="The claim's id.")
    title: str = Field(
        "",
        description="What is claimed, in short, beside the verdict's sign; the claim's own words if empty.",
    )
    of: str = Field(
        "",
        description=(
            "The quantity that `{estimate}`, `{interval}`, `{low}` and `{where}` are of, in the words of the "
            "claim's test. If another one tells most, the sentence is not used."
        ),
    )
    says: Sayings = Field(
        {},
        description=(
            "Sentences by verdict, with `{estimate}`, `{interval}`, `{low}`, `{where}`, `{effect}`, `{hold}`, "
            "`{fail}` and `{parts}` for what was measured. For another verdict the claim's own words are used."
        ),
    )


class Headline(Model):
    """One finding on the site's front page: a heading by the verdict of a claim, text and a picture."""

    name: Text = Field(description="Its id on the page.")
    picture: str = Field("", description="A picture of `dpbandits.papers.<paper>.pictures`; none if empty.")
    decided_by: Text = Field(description="The claim whose verdict chooses the heading.")
    headings: Sayings = Field(description="Headings by verdict of that claim.")
    otherwise: Text = Field(description="The heading for other verdicts.")
    sentences: list[Sentence] = Field(min_length=1, description="Its text, sentence by sentence.")


class Names(Model):
    """Words for the labels of a configuration; a label without a word stands for itself.

    A label with names in braces, such as ``k{arms}-drift``, stands for all labels with any text in their place. Its
    word may have these names in braces too: ``{arms} arms, drifting means``.
    """

    figures: dict[str, Drawn] = Field({}, description="Titles of figures.")
    tables: dict[str, Text] = Field({}, description="Titles of tables.")
    experiments: dict[str, Text] = Field({}, description="Experiments, for *Explore*.")
    computations: dict[str, Text] = Field({}, description="Computations, for captions.")
    environments: dict[str, Drawn] = Field({}, description="Environments; braces name a family's values.")
    algorithms: dict[str, Drawn] = Field(
        {}, description="Algorithms; braces name a family's values. The algorithm's title by default."
    )

    columns: dict[str, Drawn] = Field({}, description="Columns of computed tables, as tests of claims name them.")

    def word(self, section: str, label: str) -> str:
        """Return the word for a label of a section, such as ``"environments"``; the label if it has none.

        Examples
        --------
        >>> names = Names(environments={"mu1": "µ₁", "k{arms}-drift": "{arms} arms, drifting means"})
        >>> names.word("environments", "mu1"), names.word("environments", "k4-drift")
        ('µ₁', '4 arms, drifting means')
        """
        known: Mapping[str, str] = getattr(self, section)
        if label in known:
            return known[label]
        for family, word in known.items():
            if found := _matching(family, label):
                return escapes.filled(word, found)
        return label


def _matching(family: str, label: str) -> Mapping[str, str]:
    """Return what a label has in the place of each name in braces of a family; nothing if it is none of it."""
    parts = BRACES.split(family)
    # Names stand at odd places.
    pattern = "".join(f"(?P<{part}>.+)" if i % 2 else re.escape(part) for i, part in enumerate(parts))
    found = re.fullmatch(pattern, label) if len(parts) > 1 else None
    return found.groupdict() if found else {}


class Play(Model):
    """A game on the front page: runs of two algorithms, drawn in the browser, as many as the paper has."""

    experiment: Text = Field(description="The experiment of which the cells are.")
    environment: Text = Field(description="Their environment.")
    epsilon: float = Field(description="Their budget.")
    against: Text = Field(description="The algorithm that is always there.")
    choices: dict[Text, Text] = Field(min_length=1, description="The other, by the word on its switch.")
    choice: Text = Field(description="What is chosen, in words.")
    claim: Text = Field(description="The claim that is read from so many runs.")


class Chapter(Model):
    """The paper's chapter in the article that reports all papers' results."""

    figures: list[str] = Field([], description="Figures that its chapter shows.")
    computations: list[str] = Field([], description="Computations that `facts` of its article package reads.")


class Words(Model):
    """Texts about one paper for the site and the article; no number depends on them."""

    summary: str = Field("", description="What the paper proposes and claims, in three sentences.")
    know: str = Field("", description="What to know before its algorithms are used.")
    link: Link = Field("", description="Where the replicated version can be read.")
    version: str = Field("", description="The replicated version.")
    later: str = Field("", description="Later versions, and what differs in them.")
    names: Names = Field(Names(), description="Words for labels.")
    headlines: list[Headline] = Field([], description="Findings of the front page.")
    privacy: list[Sentence] = Field([], description="Sentences on the paper's false statements of privacy.")
    play: Play | None = Field(None, description="A game of the front page.")
    featured: list[str] = Field([], description="Figures that README shows.")
    article: Chapter = Field(Chapter(), description="What the article shows of the paper.")


def load(config: Config) -> Mapping[str, Words]:
    """Return the texts about each paper by its id, checked against its configuration; empty ones without a file.

    Raises
    ------
    BadInput
        For the first fault, such as a name that the paper's configuration does not have.
    """
    found = {}
    for name, paper in config.papers.items():
        found[name] = Words()
        if paper.words is not None:
            content = read(Path(paper.words))
            with placed([Layer(paper.words, content)]):
                found[name] = conforming(Words, content)
                _check_names(found[name], paper)
    return found


def _check_names(words: Words, paper: Paper) -> None:
    """Check that what has a word, a place or a picture exists."""
    for section in sorted(set(Names.model_fields) - {"columns"}):
        known: Mapping[str, object] = getattr(paper, section)
        for label in getattr(words.names, section):
            with within("names", section, label):
                if not any(_matching(label, each) for each in known):
                    _check(label, known)
                escapes.refuse_unknown(getattr(words.names, section)[label], BRACES.findall(label))
    for key, name in (("featured", each) for each in words.featured):
        with within(key):
            _check(name, paper.figures)
    for section in Chapter.model_fields:
        for name in getattr(words.article, section):
            with within("article", section):
                _check(name, getattr(paper, section))
    if words.play is not None:
        with within("play", "experiment"):
            _check(words.play.experiment, paper.experiments)
    for i, headline in enumerate(words.headlines):
        with within("headlines", i, "picture"):
            if headline.picture:
                _check(headline.picture, registry.modules("picture"))
        for j, sentence in enumerate(headline.sentences):
            with within("headlines", i, "sentences", j):
                _check_says(sentence)
    for i, sentence in enumerate(words.privacy):
        with within("privacy", i):
            _check_says(sentence)


def _check_says(sentence: Sentence) -> None:
    """Check that only what is measured is to be filled in."""
    for verdict, said in sentence.says.items():
        with within("says", verdict):
            escapes.refuse_unknown(said, MEASURED)


def _check(name: str, known: Collection[str]) -> None:
    if name not in known:
        raise BadInput((), name, suggest(name, known))
