"""Escapes of texts: one function for each place where a text of a configuration is read by another program."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from dpbandits.core.errors import BadInput, printable, suggest

# Places where text goes, and what keeps it text there.
PLACES = {
    "HTML, MathML": "dpbandits.publish.html.to_html.prose",
    "data in a page": "jinja2.utils.htmlsafe_json_dumps",
    "Typst": "dpbandits.publish.article.to_typst.typst",
    "reStructuredText of Snakemake's report": "dpbandits.core.escapes.restructured",
    "Markdown of claims.md, tables and letters": "dpbandits.core.escapes.markdown",
    "LaTeX of tables": "dpbandits.core.escapes.latex",
    "a cell of a CSV file": "dpbandits.core.escapes.to_cell",
    "a sentence that is filled in": "dpbandits.core.escapes.filled",
    "a picture": "dpbandits.core.escapes.drawn",
    "a terminal": "dpbandits.core.escapes.printable",
    "a command to copy": "shlex.join",
    "a name in an archive": "dpbandits.core.escapes.is_within",
}
__all__ = [
    "PLACES",
    "drawn",
    "filled",
    "from_cell",
    "is_within",
    "latex",
    "markdown",
    "printable",
    "read_rows",
    "refuse_unknown",
    "restructured",
    "to_cell",
]

# A spreadsheet computes a cell that begins so. The wide signs count where Chinese and Japanese are written.
_FORMULA = re.compile("'*[=+\\-@\t\r＝＋－＠]")
# A name to be filled in, and what `str.format` would make of more than a name.
_NAME = re.compile(r"\{([A-Za-z_]\w*)\}")
_FIELD = re.compile(r"\{([A-Za-z_]\w*(?:[.:!\[][^{}]*)?)\}")
_TEX = {
    **{"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "$": r"\$"},
    **{"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"},
    **{"ε": r"$\varepsilon$", "δ": r"$\delta$", "α": r"$\alpha$", "γ": r"$\gamma$", "η": r"$\eta$"},
    **{"τ": r"$\tau$", "Δ": r"$\Delta$", "Θ": r"$\Theta$", "ω": r"$\omega$", "Ω": r"$\Omega$", "μ": r"$\mu$"},
    **{"λ": r"$\lambda$", "ν": r"$\nu$", "Σ": r"$\Sigma$"},
    **{"≤": r"$\leq$", "≥": r"$\geq$", "±": r"$\pm$", "×": r"$\times$", "–": "--", "…": r"\dots{}"},
    **{"√": r"$\surd$", "²": r"$^2$", "∞": r"$\infty$", "Õ": r"\~O"},
}
# Commands of TeX that a formula may have. Any other could read or write files.
_MATHS = frozenset(
    """
    alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau
    upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega leq geq le ge ll
    gg neq ne approx sim simeq equiv propto in notin subset subseteq cup cap emptyset forall exists neg
    land lor to infty partial nabla surd sqrt frac tfrac dfrac binom sum prod int pm mp times cdot cdots
    ldots dots div star ast circ log ln exp min max inf sup lim Pr det arg argmin argmax kl mathcal
    mathbb mathrm mathbf mathit mathsf text operatorname hat tilde bar vec overline underline left right
    big Big bigl bigr Bigl Bigr langle rangle lfloor rfloor lceil rceil lVert rVert lvert rvert vert
    Vert mid quad qquad ell prime top bot perp
    """.split()  # noqa: SIM905
)
_COMMAND = re.compile(r"\\([A-Za-z]+|.?)", re.DOTALL)
# What begins a block of Markdown: a heading, a quotation, an item, a rule, code, or a cell.
_BLOCK = re.compile(r"([#>+*=|~-]|:?-|\d+(?=[.)]))")
# Elements and addresses in angle brackets, links, pictures, their definitions, and fences.
_MARKUP = re.compile(r"<(?=[A-Za-z/!?])|(?<=\])[(\[:]|!(?=\[)|``+|~~+")


def restructured(text: str) -> str:
    """Return text as one paragraph of reStructuredText that shows just this text.

    Examples
    --------
    >>> print(restructured(".. include:: a/key"))
    \\.\\. include\\:\\: a\\/key
    """
    return re.sub(r"([^\w\s]|_)", r"\\\1", " ".join(text.split()))


def markdown(text: str) -> str:
    """Return text as a line of Markdown without HTML and links; code, emphasis and ``$formulas$`` stay.

    Examples
    --------
    >>> print(markdown("# see [here](javascript:alert(1)), <b>, [0.1, 0.2] (mu1)"))
    \\# see [here]\\(javascript:alert(1)), \\<b>, [0.1, 0.2] (mu1)
    """
    line = " ".join(text.split())
    # A backslash of ours, before one of theirs, would be text.
    parts = re.split(r"\$([^$]+)\$", line)
    parts[::2] = [_MARKUP.sub(_slashed, re.sub(r"\\(?=[^\w\s])", r"\\\\", part)) for part in parts[::2]]
    # In a formula a blank is nothing, and keeps a sign from beginning an element.
    parts[1::2] = [f"${re.sub(r'<(?=[A-Za-z/!?])', '< ', part)}$" for part in parts[1::2]]
    line = "".join(parts)
    if re.sub(r"\\`", "", line).count("`") % 2:
        line = re.sub(r"(?<!\\)`", r"\\`", line)
    begins = _BLOCK.match(line)
    if begins and begins[0].isdigit():
        return f"{begins[0]}\\{line[begins.end() :]}"
    return f"\\{line}" if begins else line


def _slashed(found: re.Match[str]) -> str:
    return "".join(f"\\{letter}" for letter in found[0])


def latex(text: str) -> str:
    """Return text for LaTeX, special characters escaped; formulas between dollar signs stay if they are harmless.

    A harmless formula has known commands alone, balanced braces, and no bare ``%``, ``#``, ``~``, ``&``, ``^^`` or
    line end. Any other one is escaped as text is.

    Examples
    --------
    >>> print(latex("5 % of $\\\\mu$, $\\\\input{x}$"))
    5 \\% of $\\mu$, \\$\\textbackslash{}input\\{x\\}\\$
    """
    parts = re.split(r"(\$[^$]*\$)", text)
    parts[::2] = ["".join(_TEX.get(letter, letter) for letter in part) for part in parts[::2]]
    parts[1::2] = [
        part if _is_formula(part[1:-1]) else "".join(_TEX.get(letter, letter) for letter in part)
        for part in parts[1::2]
    ]
    return "".join(parts)


def _is_formula(tex: str) -> bool:
    known = all(
        name in _MATHS if name.isalpha() and name.isascii() else name != "" and name in " ,;!{}|%&_#"
        for name in _COMMAND.findall(tex)
    )
    bare = re.sub(r"\\.", "", tex)
    return known and "^^" not in tex and not set(bare) & set("%#~&\n\r") and _is_balanced(bare)


def _is_balanced(tex: str) -> bool:
    depth = 0
    for letter in tex:
        depth += (letter == "{") - (letter == "}")
        if depth < 0:
            return False
    return depth == 0


def to_cell(value: Any) -> Any:
    """Return a cell of a CSV file: text that a spreadsheet would compute has ``'`` before it; numbers stay.

    Examples
    --------
    >>> to_cell("=1+1"), to_cell("-0.5"), to_cell(-0.5), to_cell("a = b")
    ("'=1+1", '-0.5', -0.5, 'a = b')
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) and not _is_number(value) else value


def from_cell(value: Any) -> Any:
    """Return the value that was in a table before `to_cell` made it a cell of a CSV file.

    Examples
    --------
    >>> from_cell("'=1+1"), from_cell("'tis")
    ('=1+1', "'tis")
    """
    return value[1:] if isinstance(value, str) and value[:1] == "'" and _FORMULA.match(value) else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_rows(lines: Iterable[str]) -> list[dict[str, str]]:
    """Return the rows in the lines of a CSV file, the head first, as mappings from column to text.

    A ``'`` that `to_cell` put before a text is taken off.
    """
    return [{key: from_cell(value) for key, value in row.items()} for row in csv.DictReader(lines)]


def refuse_unknown(sentence: str, known: Collection[str]) -> None:
    """Raise `BadInput` for a name in braces that is not ``known``, or for a format such as ``{name:.2f}``.

    Braces around anything else, as in ``{0, 1}``, are text.
    """
    for name in _FIELD.findall(sentence):
        if name not in known:
            raise BadInput((), f"{{{name}}}", suggest(name, known, "no name in braces"))


def filled(sentence: str, values: Mapping[str, str]) -> str:
    """Return a sentence with known names in braces replaced by values; all else stays.

    Examples
    --------
    >>> filled("start of {n0}, rewards in {0,1}", {"n0": "10"})
    'start of 10, rewards in {0,1}'
    """
    return _NAME.sub(lambda found: values.get(found[1], found[0]), sentence)


def drawn(text: str) -> str:
    """Return ``text`` unchanged, or raise `BadInput` for a ``$``, by which Matplotlib would read a formula.

    Examples
    --------
    >>> drawn("µ₁, ε ≤ 1")
    'µ₁, ε ≤ 1'
    """
    if "$" in text:
        raise BadInput((), text, "a word without $, as pictures draw it; Unicode has µ₁ and ε")
    return text


def is_within(name: str) -> bool:
    """Tell whether a file of this name in an archive would be unpacked into the archive's folder or below it.

    Examples
    --------
    >>> is_within("figures/fig1.pdf"), is_within("../key"), is_within("C:/key")
    (True, False, False)
    """
    place = PurePosixPath(name)
    if not place.parts:
        return False
    plain = not place.is_absolute() and ".." not in place.parts and "\\" not in name
    return plain and name.isprintable() and ":" not in place.parts[0]
