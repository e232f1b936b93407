"""Numbers and the ledger's texts as Typst, so that nobody types a number of the article by hand."""

from __future__ import annotations

import re

from dpbandits.core import numbers
from dpbandits.core.numbers import DIGITS
from dpbandits.publish.spoken import with_signs

_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_SCIENTIFIC = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]?)0*(\d+)(?![\w.])")
# A slash begins a comment before another one, or before what follows the text.
_SPECIAL = re.compile(r"([\\#$*_@<>\[\]`~]|/(?=/|$))")
# Control characters: three of them mark places in `_prose`, and texts have none.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_POWER = re.compile(r"\^(\(([^()]+)\)|[-−]?[\w.]+)")
_INDEX = re.compile(r"(?<![\w])([A-Za-zΑ-ω]|kl)_(\([\w,+ -]+\)|[\wε*]+)(?!\w)")
# A product with a power in superscripts, as `dpbandits.core.numbers` writes it.
_SUPERSCRIPT = re.compile(r"(?:([\d.]+) · )?(\d+)([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)")
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def number(value: float, digits: int = DIGITS) -> str:
    """Return a number as Typst, with ``digits`` significant digits: 3.03, 1,154, ∞, or with a power of ten.

    Examples
    --------
    >>> number(1153.7), number(0.25), number(2e-6), number(100000)
    ('1,154', '0.25', '$2 times 10^(-6)$', '100,000')
    """
    return powers(numbers.number(value, digits))


def powers(text: str) -> str:
    """Return a text in which powers written with superscripts, such as 10⁻⁶, are formulas of Typst.

    Examples
    --------
    >>> powers("2 · 10⁻⁶ of them")
    '$2 times 10^(-6)$ of them'
    """

    def formula(found: re.Match[str]) -> str:
        factor = f"{found[1]} times " if found[1] else ""
        return f"${factor}{found[2]}^({found[3].translate(_DIGITS)})$"

    return _SUPERSCRIPT.sub(formula, text)


def count(value: int) -> str:
    """Return a number of things as text: "no", a word up to twelve, else digits.

    Examples
    --------
    >>> count(4), count(113), count(0)
    ('four', '113', 'no')
    """
    return _WORDS[value] if 0 <= value < len(_WORDS) else f"{value:,}"


def share(value: float) -> str:
    """Return a share, 0 to 1, as text in per cent.

    Examples
    --------
    >>> share(0.05), share(0.999)
    ('5 %', '99.9 %')
    """
    return f"{number(100 * value)} %"


def typst(text: str) -> str:
    """Return plain text as Typst on one line: special characters are escaped; code, powers and indices typeset.

    Examples
    --------
    >>> typst("T^(1/4) of `dp-imed`, P_t at 5 * 2")
    'T#super[1/4] of #raw("dp-imed"), P#sub[t] at 5 \\\\* 2'
    """
    parts = _CONTROL.sub("\ufffd", " ".join(with_signs(text).split())).split("`")
    parts[::2] = [_prose(part) for part in parts[::2]]
    parts[1::2] = [f"#raw({quoted(part)})" for part in parts[1::2]]
    return "".join(parts)


def quoted(text: str) -> str:
    """Return text as a string literal of Typst, in quotes.

    Examples
    --------
    >>> print(quoted('say "x"'))
    "say \\"x\\""
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _power(mantissa: str, sign: str, exponent: str) -> str:
    power = f"10^{'−' if sign == '-' else ''}{exponent}"
    return power if mantissa == "1" else f"{mantissa} · {power}"


def _prose(text: str) -> str:
    """Return text with powers, indices and brackets as typst sets them, and all else escaped."""

    # Marks that no text has stand for what is set, until the rest is escaped.
    def inner(match: str) -> str:
        return match[1:-1] if match.startswith("(") else match

    marked = _SCIENTIFIC.sub(lambda found: _power(found[1], found[2], found[3]), text)
    marked = _POWER.sub(lambda found: f"\x01{inner(found[1])}\x03", marked)
    marked = _INDEX.sub(lambda found: f"{found[1]}\x02{inner(found[2])}\x03", marked)
    escaped = _SPECIAL.sub(r"\\\1", marked)
    # A bracket after what is set would be its second argument.
    escaped = re.sub(r"\x03(?=\()", "\x03\u2060", escaped)
    return powers(escaped).replace("\x01", "#super[").replace("\x02", "#sub[").replace("\x03", "]")
