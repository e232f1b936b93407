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
    """Return one bar, as SVG, divided by the number of the papers' sentences with each verdict."""
    counts = Counter(claim["verdict"] for paper in papers for claim in paper.sentences)
    shown = {sign.mark: (counts[sign.verdict], sign.colour) for sign in CLAIM_SIGNS if counts[sign.verdict]}
    said = ", ".join(f"{counts[sign.verdict]} {sign.verdict}" for sign in CLAIM_SIGNS if counts[sign.verdict])
    return svg.divided_bar(f"Sentences of the papers: {said}", shown)


def privacy(_: Sequence[Paper], violations: Sequence[Violation]) -> Markup:
    """Return bars as SVG: each refuted algorithm's largest loss, in multiples of its claim; empty without any.

    Algorithms are told apart by title, without ``, printed`` and ``, advice sensitive``.
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


def picture(point: ShownHeadline, papers: Sequence[Paper], violations: Sequence[Violation]) -> Markup:
    """Return the picture of a headline as SVG; nothing if it has none, or the figure's numbers are not there."""
    if not point.paper:
        return PICTURES[point.name](papers, violations)
    if not point.picture:
        return Markup()
    declared: Picture = registry.load("picture", point.picture)
    figures = (item for paper in papers if paper.name == point.paper for item in paper.figures)
    files = [item.files["csv"] for item in figures if item.name == declared.figure and "csv" in item.files]
    drawn = declared.draw(read_rows(files[0])) if files and files[0].is_file() else None
    return Markup() if drawn is None else svg.picture(drawn)
