"""A small picture for each headline: of all papers, or of one, from the numbers in its figures.

A headline is a finding on the first page. A violation is a privacy claim that an audit refutes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup

from dpbandits.core import registry
from dpbandits.core.numbers import number
from dpbandits.core.pictures import Picture
from dpbandits.publish.headlines import ShownHeadline
from dpbandits.publish.html import svg
from dpbandits.publish.html.view_models import CLAIM_SIGNS, Paper, read_rows
from dpbandits.publish.html.violations import Violation


def verdicts(papers: Sequence[Paper], _: Sequence[Violation]) -> Markup:
    """Return one bar, as SVG, divided by verdict: how many of the papers' sentences have each."""
    counts = Counter(claim["verdict"] for paper in papers for claim in paper.sentences)
    shown = {sign.mark: (counts[sign.verdict], sign.colour) for sign in CLAIM_SIGNS if counts[sign.verdict]}
    said = ", ".join(f"{counts[sign.verdict]} {sign.verdict}" for sign in CLAIM_SIGNS if counts[sign.verdict])
    return svg.divided_bar(f"Sentences of the papers: {said}", shown)


def privacy(_: Sequence[Paper], violations: Sequence[Violation]) -> Markup:
    """Return bars as SVG: the largest privacy loss of each refuted algorithm, in multiples of the claimed one.

    Without any violation the text is empty. Algorithms whose titles differ only by ``, printed`` or ``, advice
    sensitive`` share a bar.
    """
    largest: dict[str, float] = {}
    for each in violations:
        title = each.algorithm_title.replace(", printed", "").replace(", advice sensitive", "")
        largest[title] = max(largest.get(title, 0.0), each.times_the_claim)
    if not largest:
        return Markup()
    rows = [
        (title.replace("elimination", "elim.").replace("(Exponential)", "(Exp.)"), value)
        for title, value in largest.items()
    ]
    said = "; ".join(f"{title}: {number(value)} times the claimed loss" for title, value in largest.items())
    return svg.multiples(said, rows, "claimed ε")


# Of headlines on all papers, by their names.
PICTURES: Mapping[str, Callable[[Sequence[Paper], Sequence[Violation]], Markup]] = {
    made.__name__: made for made in (verdicts, privacy)
}


def picture(headline: ShownHeadline, papers: Sequence[Paper], violations: Sequence[Violation]) -> Markup:
    """Return the small picture of a headline as SVG; an empty text if it has none, or its numbers are missing.

    The numbers are those of a figure, from the figure's CSV file.
    """
    if not headline.paper:
        return PICTURES[headline.name](papers, violations)
    if not headline.picture:
        return Markup()
    declared: Picture = registry.load("picture", headline.picture)
    figures = (item for paper in papers if paper.name == headline.paper for item in paper.figures)
    files = [item.files["csv"] for item in figures if item.name == declared.figure and "csv" in item.files]
    drawn = declared.draw(read_rows(files[0])) if files and files[0].is_file() else None
    return Markup() if drawn is None else svg.picture(drawn)
