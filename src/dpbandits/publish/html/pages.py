"""Pages from templates. What they look like is in ``templates/``, what they say comes from results."""

from __future__ import annotations

import functools
import json
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import jinja2
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import JsonLexer

from dpbandits.core.numbers import chance, number
from dpbandits.core.provenance import ROOT
from dpbandits.publish.headlines import in_words
from dpbandits.publish.html.to_html import (
    anchor,
    claim_page,
    evidence_address,
    paragraphs,
    prose,
    short_number,
    shorten_apart,
    sort_key,
    split_at_semicolons,
)
from dpbandits.publish.spoken import with_words

# Colours of code, on a light and on a dark page.
STYLES = ("default", "github-dark")
TEMPLATES = ROOT / "publish" / "html" / "templates"


@functools.cache
def templates() -> jinja2.Environment:
    """Return the Jinja environment with the templates of pages, and the filters and functions that these use.

    If a template uses a name that is not defined, that is an error, not a blank.
    """
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "prose": prose,
        "passages": paragraphs,
        "points": split_at_semicolons,
        "sort_key": sort_key,
        "short": short_number,
        "number": number,
        "chance": chance,
        "in_words": in_words,
        "told_apart": shorten_apart,
        "of_kind": entries_of_kind,
    }
    found.globals |= {"anchor": anchor, "claim_page": claim_page, "evidence": evidence_address}
    found.globals |= {"counted": verdict_in_number}
    found.globals |= {"script": script, "policy": content_security_policy, "spoken": with_words}
    return found


def verdict_in_number(verdict: str, count: int) -> str:
    """Return a verdict as it follows a count of claims: in the plural if ``count`` is not 1.

    Examples
    --------
    >>> from dpbandits.core.verdicts import FAILS
    >>> verdict_in_number(FAILS, 2)
    'do not hold'
    """
    if count == 1:
        return verdict
    plural = {"holds": "hold", "does": "do"}
    return " ".join(plural.get(word, word) for word in verdict.split(" "))


# Kinds of the register, of one entry and of several.
KIND_NAMES: Mapping[str, tuple[str, str]] = {
    "false as stated": ("false statement", "false statements"),
    "gap in a proof, the result stands": ("gap in a proof of a true result", "gaps in proofs of true results"),
    "misprint": ("misprint", "misprints"),
    "left open, our choice": ("choice that a paper leaves open", "choices that a paper leaves open"),
    "asked by the paper, answered": ("answered question", "answered questions"),
}


def entries_of_kind(kind: str, count: int) -> str:
    """Return a count of entries of the register of discrepancies with their kind in words.

    ``kind`` is a key of `KIND_NAMES`, and ``count`` the number of such entries.

    Examples
    --------
    >>> entries_of_kind("misprint", 2), entries_of_kind("misprint", 1)
    ('2 misprints', '1 misprint')
    """
    return f"{count} {KIND_NAMES[kind][count != 1]}"


@functools.cache
def script(name: str) -> Markup:
    """Return the text of a script of the site, to be put inside a page; ``name`` is its file: ``sort.js``."""
    return Markup((TEMPLATES / name).read_text(encoding="utf-8"))


def content_security_policy(*names: str, compiles: bool = False) -> str:
    """Return the content security policy of a page: even if a text became markup, it could run no script.

    Parameters
    ----------
    names
        Files of the scripts that stand inside the page. Only these may run, and scripts in files beside the page.
    compiles
        Whether the page may compile WebAssembly (kernels), in a worker.
    """
    digests = [b64encode(sha256(script(name).encode()).digest()).decode("ascii") for name in names]
    runs = ["'self'", *(f"'sha256-{digest}'" for digest in digests)]
    runs += ["'wasm-unsafe-eval'"] if compiles else []
    allowed = {
        "default-src": "'none'",
        "script-src": " ".join(runs),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    } | ({"worker-src": "blob:"} if compiles else {})
    return "; ".join(f"{key} {value}" for key, value in allowed.items())


def page(template: str, **content: Any) -> str:
    """Return a page as HTML: the template in the file ``template``, such as ``claim.html.jinja2``, filled.

    ``content`` has the variables that the template uses.
    """
    return templates().get_template(template).render(**content)


def highlight_json(parts: Mapping[str, object]) -> dict[str, object]:
    """Return JSON data as coloured HTML, for a page.

    ``parts`` has data by name.

    Returns
    -------
    dict
        ``parts``: pairs of a name and the data's HTML; ``colours``: the style sheet.
    """
    formatter = HtmlFormatter()
    texts = {name: json.dumps(part, indent=2) for name, part in parts.items()}
    return {
        "parts": [(name, Markup(highlight(text, JsonLexer(), formatter))) for name, text in texts.items()],
        "colours": Markup("{}\n@media (prefers-color-scheme: dark) {{\n{}\n}}").format(
            *(Markup(HtmlFormatter(style=style).get_style_defs(".highlight")) for style in STYLES)
        ),
    }
