"""HTML from text: formulas become MathML, which browsers set without scripts, fonts or a network."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from xml.etree import ElementTree

from latex2mathml.converter import convert
from markupsafe import Markup, escape

from dpbandits.core.numbers import number

_LINK = re.compile(r"arXiv:(\d{4}\.\d{4,5})")
# As in "register: paper-equation-5".
_ENTRY = re.compile(r"register: ([\w.-]*\w)")
# Powers and indices, such as T^(1/4), 2^r and d_ε.
_RAISED = re.compile(r"\^(?:\(([^()]+)\)|([-−]?[\w.]*\w))")
_INDEX = re.compile(r"(?<!\w)([A-Za-zΑ-ωµ])_(?:\(([^()]+)\)|([\wε*]+))")


# Elements that a formula may be made of. Any other, as from a text or a link in it, is markup of a stranger.
# fmt: off
ELEMENTS = frozenset((
    "math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "msup", "msub", "msubsup", "munder", "mover",
    "munderover", "mfrac", "msqrt", "mroot", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom",
    "menclose", "mfenced", "mmultiscripts", "mprescripts", "none", "semantics",
))
# fmt: on
# fmt: off
ATTRIBUTES = frozenset((
    "accent", "accentunder", "align", "columnalign", "columnlines", "columnspacing", "depth", "display",
    "displaystyle", "fence", "form", "height", "linethickness", "lspace", "mathsize", "mathvariant", "maxsize",
    "minsize", "movablelimits", "notation", "rowlines", "rowspacing", "rspace", "scriptlevel", "separator",
    "stretchy", "symmetric", "width",
))
# fmt: on
# Of every attribute: words, numbers and lengths. No address, no style.
_VALUE = re.compile(r"[\w .%+-]*")
_MATHML = "http://www.w3.org/1998/Math/MathML"
# Most nested elements, and most letters, of a formula: reading and writing deeper trees could exhaust the stack.
DEEPEST, LONGEST = 60, 5000


@functools.cache
def formula(tex: str) -> Markup:
    """Return a TeX formula as MathML; as code, in dollar signs, if it is broken, too long, or has foreign markup.

    Foreign is markup other than the elements of MathML in `ELEMENTS`.
    """
    try:
        if len(tex) > LONGEST or max(tex.count("{"), tex.count("\\left")) > LONGEST // 10:
            raise ValueError("too long")
        # What is no XML, such as a bracket that a text in it took over, is refused here.
        return _safe_html(ElementTree.fromstring(convert(tex)))
    except Exception:
        # What latex2mathml raises on a broken formula has no common class.
        return Markup("<code>{}</code>").format(f"${tex}$")


def _safe_html(element: ElementTree.Element, depth: int = 0) -> Markup:
    """Return an element as HTML: what is allowed, all texts escaped."""
    name = element.tag.removeprefix(f"{{{_MATHML}}}")
    if name not in ELEMENTS or depth > DEEPEST:
        raise ValueError(name)
    kept = {
        key: value
        for key, value in element.attrib.items()
        if key in ATTRIBUTES and _VALUE.fullmatch(value) is not None
    }
    if name == "math":
        kept = {"xmlns": _MATHML} | kept
    attributes = Markup("").join(Markup(' {}="{}"').format(key, value) for key, value in kept.items())
    inside = Markup("").join(
        part for child in element for part in (_safe_html(child, depth + 1), escape(child.tail or ""))
    )
    return Markup("<{0}{1}>{2}{3}</{0}>").format(Markup(name), attributes, element.text or "", inside)


def prose(text: str) -> Markup:
    """Return plain text as HTML: what stands between dollar signs as formulas, between backticks as code.

    Outside of both, powers such as ``T^2`` are raised, and indices such as ``d_ε`` are lowered. Numbers such as
    ``arXiv:2309.01234`` become links. So does ``register: NAME``, to an entry of the register of discrepancies.
    """
    parts = re.split(r"\$([^$]+)\$", text)
    return Markup("").join(formula(part) if place % 2 else _plain(part) for place, part in enumerate(parts))


def _plain(text: str) -> Markup:
    parts = str(escape(text)).split("`")
    parts[::2] = [_INDEX.sub(_lowered, _RAISED.sub(_raised, part)) for part in parts[::2]]
    parts[1::2] = [f"<code>{part}</code>" for part in parts[1::2]]
    joined = _ENTRY.sub(r'<a href="discrepancies.html#\1">the register, \1</a>', "".join(parts))
    return Markup(_LINK.sub(r'<a href="https://arxiv.org/abs/\1">arXiv:\1</a>', joined))


def _raised(found: re.Match[str]) -> str:
    return f"<sup>{found[1] or found[2]}</sup>"


def _lowered(found: re.Match[str]) -> str:
    return f"{found[1]}<sub>{found[2] or found[3]}</sub>"


def paragraphs(text: str) -> Markup:
    """Return a docstring's text as HTML: paragraphs, lists, and formulas on lines of their own (indented by 4).

    Examples
    --------
    >>> str(paragraphs("Two things:\\n\\n- one,\\n  still;\\n- two.\\n\\n    x^2"))
    '<p>Two things:</p><ul><li>one, still;</li><li>two.</li></ul><p class="formula">x<sup>2</sup></p>'
    """
    found = []
    for block in text.split("\n\n"):
        lines = block.strip("\n").split("\n")
        if lines[0].startswith("- "):
            points = "\n".join(lines).removeprefix("- ").split("\n- ")
            items = (Markup("<li>{}</li>").format(prose(" ".join(point.split()))) for point in points)
            found.append(Markup("<ul>{}</ul>").format(Markup("").join(items)))
        else:
            kind = Markup(' class="formula"') if lines[0].startswith("    ") else ""
            found.append(Markup("<p{}>{}</p>").format(kind, prose(" ".join(block.split()))))
    return Markup("").join(found)


def split_at_semicolons(text: str) -> list[str]:
    """Return the parts of a text between its semicolons; semicolons within brackets do not split it.

    Examples
    --------
    >>> split_at_semicolons("an exponent (least squares; 4 points or more); a ratio")
    ['an exponent (least squares; 4 points or more)', 'a ratio']
    """
    return re.split(r"; (?![^()]*\))", text)


def shorten_apart(statements: Sequence[str], length: int = 60) -> list[str]:
    """Cut statements to about ``length`` letters each, so that different statements stay different.

    If two statements differ only in words that would be cut off, their common beginning is cut off instead.

    Examples
    --------
    >>> shorten_apart(["It mostly has the lowest mean of all.", "It mostly has the lowest median."], length=24)
    ['… has the lowest mean of…', '… has the lowest median.']
    >>> shorten_apart(["It is private.", "It learns."])
    ['It is private.', 'It learns.']
    """
    split = [statement.split() for statement in statements]
    found = []
    for i, own in enumerate(split):
        shared = max(
            (_common_words(own, other) for j, other in enumerate(split) if j != i and other != own), default=0
        )
        # The first word that differs has to be shown; three before it say what it is about.
        fits = len(" ".join(own[: shared + 1])) <= length
        start = 0 if fits else max(0, min(shared, len(own) - 1) - 3)
        kept = [own[start]] if own else []
        for place, word in enumerate(own[start + 1 :], start + 1):
            if place > shared and len(" ".join([*kept, word])) > length:
                break
            kept.append(word)
        text = " ".join(kept)
        left = start + len(kept) < len(own)
        found.append(("… " if start else "") + (text.rstrip(",;:.") + "…" if left else text))
    return found


def _common_words(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many words two texts have in common before they differ."""
    return next(
        (i for i, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )


def anchor(*names: str) -> str:
    """Return an id for an HTML element, made from names: ``anchor("paper", "thm4.3")`` is ``paper-thm4.3``."""
    return "-".join(re.sub(r"[^\w.-]+", "-", name) for name in names)


def claim_page(paper: str, name: str) -> str:
    """Return the file name, without suffix, of the page on the claim ``name`` of a paper: ``claim-PAPER-thm1``."""
    return f"claim-{anchor(paper, name)}"


def evidence_address(shown_in: str) -> str:
    """Return the address, within the site, of the figure, table or page that shows a claim.

    ``shown_in`` names it, as the table of claims does: ``paper/figure/name``, ``paper/table/name`` or a page's
    name.

    Examples
    --------
    >>> evidence_address("paper/figure/thm4"), evidence_address("paper/table/table1"), evidence_address("privacy")
    ('paper.html#thm4', 'paper.html#table-table1', 'privacy.html')
    """
    if shown_in.count("/") != 2:
        return f"{shown_in}.html"
    paper, kind, name = shown_in.split("/")
    return f"{paper}.html#{name if kind == 'figure' else f'table-{name}'}"


def short_number(text: str) -> str:
    """Return a number as text for readers, such as ``1,154`` for ``1153.7``; other text stays as it is."""
    try:
        return number(float(text))
    except ValueError:
        return text


def sort_key(text: str) -> str:
    """Return what a table's cell is sorted by: the number that its text begins with, else the whole text.

    Examples
    --------
    >>> sort_key("1,269,571 (> T)"), sort_key("453 ± 7"), sort_key("Theorem 9")
    ('1269571', '453', 'Theorem 9')
    """
    found = re.match(r"\s*([−-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)", text)
    return found[1].replace(",", "").replace("−", "-") if found else text
