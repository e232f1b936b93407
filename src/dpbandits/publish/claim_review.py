"""Verdicts of the ledger as schema.org's ClaimReview, for search engines and crates.

The ledger is the table of the papers' claims with their verdicts, ``claims.csv``, a row for each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from dpbandits.core.verdicts import Verdict

if TYPE_CHECKING:
    from dpbandits.publish.content import CitedPaper

# Ratings of verdicts: the better one has the larger number, as schema.org wants it; words are in alternateName.
RATINGS: dict[str, int] = {Verdict.FAILS: 1, Verdict.PART: 2, Verdict.HOLDS: 3}
BEST, WORST = max(RATINGS.values()), min(RATINGS.values())
FOUNDERS = {"@type": "Organization", "@id": "#founders", "name": "The dpbandits founders"}
# An entity of JSON-LD: its properties, among them ``@id`` and ``@type``; a property may be an entity.
Entity = Mapping[str, object]


def scholarly_article(name: str, cited: CitedPaper) -> Entity:
    """Return a paper as schema.org's ScholarlyArticle.

    Parameters
    ----------
    name
        Id of the paper.
    cited
        The paper's ``title``, ``authors`` and ``year``.
    """
    return {
        "@type": "ScholarlyArticle",
        "@id": f"#paper-{name}",
        "name": cited["title"],
        "author": cited["authors"],
        "datePublished": str(cited["year"]),
    }


def claim_review(claim: Mapping[str, str], article: Entity) -> Entity:
    """Return a claim of a paper, with its verdict, as schema.org's ClaimReview.

    The rating is 3 for *holds*, 2 for *holds in part* and 1 for *does not hold*. Other verdicts have no number.

    Parameters
    ----------
    claim
        The claim's row of the ledger (the table of claims with verdicts), by column.
    article
        The claim's paper, as `scholarly_article` returns it.
    """
    name, verdict = f"{claim['paper']}-{claim['id']}", claim["verdict"]
    near = ", near its threshold" if claim["near_threshold"] == "yes" else ""
    rating: dict[str, object] = {"@type": "Rating", "@id": f"#rating-{name}", "alternateName": verdict + near}
    if verdict in RATINGS:
        rating |= {"ratingValue": RATINGS[verdict], "bestRating": BEST, "worstRating": WORST}
    return {
        "@type": "ClaimReview",
        "@id": f"#review-{name}",
        "name": f"{claim['paper']}, {claim['place']}: {verdict}",
        "claimReviewed": claim["statement"],
        "reviewBody": f"{claim['effect']}. Test: {claim['test']}.",
        "itemReviewed": {
            "@type": "Claim",
            "@id": f"#claim-{name}",
            "name": claim["place"],
            "text": claim["statement"],
            "appearance": article,
        },
        "reviewRating": rating,
        "author": FOUNDERS,
    }


def json_ld(graph: Sequence[Entity]) -> Markup:
    """Return entities of schema.org as JSON-LD, to stand in a ``script`` element in the head of a page."""
    text = json.dumps({"@context": "https://schema.org", "@graph": graph}, ensure_ascii=False)
    # No text in it may end the element that it stands in.
    return Markup(text.replace("<", "\\u003c"))
