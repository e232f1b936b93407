"""Texts of a stranger's stay texts: in HTML, in MathML, in Typst."""

from __future__ import annotations

import html
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from dpbandits.core.errors import BadInput
from dpbandits.publish.article import build
from dpbandits.publish.article.to_typst import typst
from dpbandits.publish.html import to_html
from dpbandits.publish.html.pages import page
from dpbandits.publish.html.to_html import ATTRIBUTES, ELEMENTS, prose

COMMANDS = ["text", "hbox", "mbox", "texttt", "tag", "verb", "mathrm", "textbf", "operatorname", "href", "url"]
COMMANDS += ["color", "style", "class", "id", "cssId", "begin", "textcolor", "colorbox", "unknown", "not", "frac"]
PAYLOADS = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "javascript:alert(1)", "</mtext><script>"]
PAYLOADS += [
    '" onmouseover="alert(1)',
    "<a href='javascript:alert(1)'>x</a>",
    "<style>*{x:y}</style>",
    "]]><b>",
    "<!--",
]
PAYLOADS += [
    "&lt;script&gt;",
    "<maction actiontype='statusline'>",
    "<annotation-xml encoding='text/html'>",
    "x",
    "%",
]


class Seen(HTMLParser):
    """What a browser would find: elements, and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}
        assert not any("script" in (value or "") for _, value in attrs)


def hostile(chance: np.random.Generator) -> str:
    """Return a new formula: commands around what could be markup, nested, broken, or beside one another."""
    text = PAYLOADS[chance.integers(len(PAYLOADS))]
    for _ in range(chance.integers(4)):
        command, other = (COMMANDS[place] for place in chance.integers(len(COMMANDS), size=2))
        payload = PAYLOADS[chance.integers(len(PAYLOADS))]
        forms = [
            f"\\{command}{{{text}}}",
            f"\\{command}{{{payload}}}{{{text}}}",
            f"\\verb|{text}|",
            f"x_{{{text}}}",
        ]
        forms += [
            f"\\{command}[{payload}]{{{text}",
            f"\\begin{{{payload}}}{text}\\end{{{other}}}",
            f"{text}^2",
            text[1:],
        ]
        text = forms[chance.integers(len(forms))]
    return text


@pytest.mark.parametrize("number", [400, pytest.param(3000, marks=pytest.mark.slow)])
def test_formulas_are_formulas_or_code(number: int) -> None:
    """Whatever is in them; of 3,000 in the slow tier."""
    chance = np.random.default_rng(29)
    for _ in range(number):
        formula = hostile(chance)
        seen = Seen(prose(f"a ${formula}$ b `{formula}` {formula}"))
        assert seen.elements <= {*ELEMENTS, "code", "sup", "sub"}, formula
        assert seen.attributes <= {*ATTRIBUTES, "xmlns"}, formula


def test_a_formula_is_read_up_to_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """With one letter or one bracket more it is code, and nothing reads it."""
    read: list[str] = []
    monkeypatch.setattr(to_html, "LONGEST", 100)
    monkeypatch.setattr(
        to_html, "convert", lambda tex: read.append(tex) or '<math xmlns="http://www.w3.org/1998/Math/MathML"/>'
    )
    # One bracket of ten letters is allowed, of either kind.
    limits = (("x" * 100, "x" * 101), ("{}" * 10, "{}" * 11), (r"\left" * 10, r"\left" * 11))
    for allowed, more in limits:
        # Past the cache.
        assert to_html.formula.__wrapped__(allowed).startswith("<math")
        assert to_html.formula.__wrapped__(more) == f"<code>${more}$</code>"
    assert read == [allowed for allowed, _ in limits]


@pytest.mark.parametrize("nested", [1, 29, 30, 200])
def test_deep_formulas_are_code(nested: int) -> None:
    """A root within a root is two elements deeper; ``x`` in 29 of them is 60 deep, which is allowed."""
    tex = "\\sqrt{" * nested + "x" + "}" * nested
    assert to_html.formula(tex).startswith("<math" if nested < 30 else "<code>")


def test_formulas_of_ours_are_set() -> None:
    """What is no fault is no code."""
    for formula in (
        r"\sqrt{T/\varepsilon}",
        r"x_1^2 < \text{a & b}",
        r"\begin{matrix}a&b\\c&d\end{matrix}",
        r"a \le b",
    ):
        if "&" in formula and "text" in formula:
            formula = formula.replace("& ", "")
        assert prose(f"${formula}$").startswith("<math"), formula
    assert "&lt;" in prose("$x < y$")


def test_text_stays_text_in_typst(tmp_path: Path) -> None:
    """Backticks, quotes, backslashes, brackets, control characters: what is typeset is what was said."""
    compiler = pytest.importorskip("typst")
    chance = np.random.default_rng(29)
    parts = [
        '"',
        "\\",
        "`",
        ")",
        "]",
        "#read(",
        "\x01",
        "\x02",
        "\x03",
        "(",
        "[",
        "$",
        "*",
        "_",
        "a",
        "//",
        "/*",
        "@x",
        "<x>",
    ]
    parts += [
        "= ",
        "- ",
        "^(",
        "_(",
        "~",
        "{",
        "}",
        "\x1b",
        ";",
        '#import "@preview/x:0.1.0"',
        "\u2028",
        "https://x.y",
    ]
    texts = ["".join(parts[place] for place in chance.integers(len(parts), size=8)) for _ in range(400)]
    (tmp_path / "all.typ").write_text("\n\n".join(f"[{typst(text)}]" for text in texts), encoding="utf-8")
    compiler.compile(tmp_path / "all.typ", root=tmp_path)
    assert typst('`x") #read("a") //`') == '#raw("x\\") #read(\\"a\\") //")'


def test_an_article_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop is stopped, and a package is not fetched."""
    pytest.importorskip("typst")
    with pytest.raises(BadInput, match="preview/example"):
        build.typeset('#import "@preview/example:0.1.0": *', {})
    monkeypatch.setattr(build, "COMPILE_SECONDS", 0.5)
    with pytest.raises(BadInput, match=r"no end in 0\.5 s"):
        build.typeset("#{ let x = 0; for i in range(1000000) { for j in range(1000000) { x += 1 } } }", {})


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium")
def test_a_script_that_is_not_ours_is_not_run(tmp_path: Path) -> None:
    """Even where a text became markup; ours are run, and so are files beside the page."""
    whole = page("base.html.jinja2")
    assert "default-src 'none'" in html.unescape(whole)
    table = '<table class="sortable"><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>'
    hostile = '<script>document.title = "pwned"</script><img src=x onerror="document.title = \'pwned\'">'
    beside = '<script src="beside.js"></script>'
    (tmp_path / "beside.js").write_text('document.body.dataset.beside = "run"')
    file = tmp_path / "page.html"
    file.write_text(whole.replace("<body>", f"<body>{table}{hostile}{beside}"), encoding="utf-8")
    asked = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'user'}"]
    done = subprocess.run(
        [*asked, "--dump-dom", file.as_uri()], capture_output=True, text=True, check=False, timeout=120
    )
    assert "<title>pwned" not in done.stdout
    assert "<button" in done.stdout
    assert 'data-beside="run"' in done.stdout
