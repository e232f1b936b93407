"""Pages from templates. What they look like is in ``templates/``, what they say comes from results."""

from __future__ import annotations

import functools
from typing import Any

import jinja2
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import JsonLexer

from dpbandits.core.provenance import ROOT
from dpbandits.site.sketch import number
from dpbandits.site.words import anchor, claim_page, evidence, prose, short, sort_key

TEMPLATES = ROOT / "site" / "templates"


@functools.cache
def templates() -> jinja2.Environment:
    """Return the templates; a name that a page does not define is an error, not a blank."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"prose": prose, "sort_key": sort_key, "short": short, "number": number}
    found.globals |= {"anchor": anchor, "claim_page": claim_page, "evidence": evidence}
    return found


def page(template: str, **content: Any) -> str:
    """Return a page."""
    return templates().get_template(template).render(**content)


def highlighted(json: str) -> dict[str, Markup]:
    """Return JSON as HTML, and the style of its colours."""
    formatter = HtmlFormatter(style="default")
    return {
        "code": Markup(highlight(json, JsonLexer(), formatter)),
        "colours": Markup(formatter.get_style_defs(".highlight")),
    }
