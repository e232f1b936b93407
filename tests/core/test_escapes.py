"""Each place where text goes has its escape: hostile texts stay texts there, honest ones keep their words."""

from __future__ import annotations

import csv
import html
import importlib
import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from docutils.core import publish_parts
from jinja2.utils import htmlsafe_json_dumps
from matplotlib import cbook

from dpbandits.core import escapes
from dpbandits.core.errors import BadInput
from dpbandits.core.tables import latex, read_tables, write_table
from dpbandits.publish.article.to_typst import typst
from dpbandits.publish.html.to_html import prose
from dpbandits.runs import config, safe_yaml, words

SECRET = "kept in a file"
HOSTILE = [
    ".. raw:: html\n\n   <script>alert(1)</script>",
    ".. include:: {file}",
    ".. raw:: html\n   :file: {file}",
    ".. csv-table:: t\n   :file: {file}",
    ".. figure:: x.png\n   :target: javascript:alert(1)",
    ".. |x| replace:: y",
    "`x <javascript:alert(1)>`_",
    "javascript:alert(1)",
    ":raw-html:`<b>`",
    "a\n====\n\nb",
    "text::\n\n   literal",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "![x](https://example.org/x.png)",
    "[x]: https://example.org",
    "# heading",
    "```\ncode",
    "\\input{{file}}",
    "$\\input{{file}}$",
    "$\\immediate\\write18{x}$",
    "$^^5cinput{x}$",
    "5 % of $x",
    '=HYPERLINK("https://example.org")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "'=1",
    '#read("/etc/passwd")',
    "{n0.__class__}",
    "\x1b[2J",
    ".. role:: raw-html(raw)\n   :format: html\n\n:raw-html:`<script>alert(1)</script>`",
    ".. default-role:: raw",
    ".. meta::\n   :http-equiv=refresh: 0;url=javascript:alert(1)",
    ".. image:: javascript:alert(1)",
    ".. code:: html\n\n   <b>",
    ".. container:: x\n\n   y",
    ".. date::",
    "__ javascript:alert(1)",
    "|date| and [#]_",
    "+---+\n| a |\n+---+",
    "<svg/onload=alert(1)>",
    "<math><mi xlink:href='javascript:alert(1)'>x</mi></math>",
    "</script><!--",
    "{{ 7*7 }}{% include 'x' %}",
    "${7*7}",
    "\t=1+1",
    "\r=1+1",
    "\uff1d1+1",
    '#import "@preview/x"',
    '#eval("1+1")',
    '$#read("/etc/passwd")$',
    ']#read("/etc/passwd")[',
    "<label> @reference",
    "// comment /* open",
    "\\begin{verbatim}\\end{document}",
    "\x9b2J",
    "\u202etxet",
    "\u2028=1",
    "> quoted\n\n---\n\n* * *",
    "<https://example.org> and <a@example.org>",
]
HONEST = [
    ".. and two dots begin it",
    "Regret over T, the band is the 5 to 95 % quantiles of runs.",
    "T = 10^6; [0.1, 0.2] (mu1), ε ≤ 1",
    "a*b, c_d and `e`; x|y",
    "1. first, 2. second",
    "- minus",
    "rewards in {0,1}; C:\\x",
    "less < than, a<5 & b > c",
]


def shown_in_report(text: str) -> str:
    """Return what Snakemake's report shows of a caption, as text."""
    body = publish_parts(escapes.restructured(text), writer="html", settings_overrides={"report_level": 5})["body"]
    assert set(re.findall(r"<([a-z0-9]+)", body)) <= {"p"}, body
    return html.unescape(re.sub(r"<[^>]*>", "", body)).strip()


def markdown(text: str) -> None:
    """Nothing that is written raw into HTML, and no link."""
    written = escapes.markdown(text)
    assert "\n" not in written
    bare = re.sub(r"\\.", "", written)
    assert not re.search(r"<[A-Za-z/!?]|\]\(|\]\[|\]:|!\[|^#|```", bare), written


def tex(text: str) -> None:
    """No command but ours and those of formulas."""
    written = latex(pd.DataFrame({"x": [text]}), text)
    assert not re.search(r"\\(input|immediate|write)|\^\^", written), written
    assert len(re.findall(r"(?<!\\)\$", written)) % 2 == 0


def spreadsheet(text: str) -> None:
    """No cell begins a computation."""
    cell = str(escapes.to_cell(text))
    assert cell[:1] not in tuple("=+-@\t\r") or escapes._is_number(cell)
    assert escapes.from_cell(cell) == text


def sentence(text: str) -> None:
    """Only known names are replaced, and not twice."""
    assert escapes.filled(text, {"n0": "{n0}"}) == text
    if "__class__" in text:
        with pytest.raises(BadInput):
            escapes.refuse_unknown(text, ["n0"])


def set_in_html(text: str) -> None:
    """No element but those of formulas and code."""
    assert not re.search(r"<(script|img|a |b>)", str(prose(text)))


def set_in_typst(text: str) -> None:
    """No function is called but those of ours."""
    assert not re.search(r"(?<!\\)#(?!raw|super|sub)", typst(text))


def data_in_html(text: str) -> None:
    """No element begins or ends in it, and the data come back."""
    written = str(htmlsafe_json_dumps({"says": text}))
    assert not set(written) & set("<>&'")
    assert json.loads(written) == {"says": text}


def picture(text: str) -> None:
    """Matplotlib reads no formula in it; a word with one is refused when it is loaded."""
    try:
        word = escapes.drawn(text)
    except BadInput:
        assert "$" in text
    else:
        assert cbook.is_math_text(word) is False


def command(text: str) -> None:
    """A shell takes it for one word, and runs nothing."""
    said = subprocess.run(["sh", "-c", shlex.join(["printf", "%s", text])], capture_output=True, check=True)
    assert said.stdout.decode() == text


def member(text: str) -> None:
    """What is taken for a name in an archive stays below the folder, and steers no terminal."""
    if escapes.is_within(text):
        assert os.path.normpath(f"/folder/{text}").startswith("/folder/")
        assert text.isprintable()


CHECKS: dict[str, Callable[[str], object]] = {
    "HTML, MathML": set_in_html,
    "data in a page": data_in_html,
    "Typst": set_in_typst,
    "reStructuredText of Snakemake's report": shown_in_report,
    "Markdown of claims.md, tables and letters": markdown,
    "LaTeX of tables": tex,
    "a cell of a CSV file": spreadsheet,
    "a sentence that is filled in": sentence,
    "a picture": picture,
    "a terminal": lambda text: escapes.printable(text).replace("\n", "").isprintable() or pytest.fail(text),
    "a command to copy": command,
    "a name in an archive": member,
}


@pytest.mark.parametrize("place", escapes.PLACES)
def test_each_place_has_its_escape(place: str) -> None:
    """The table's functions are there, and each has a check here."""
    module, _, name = escapes.PLACES[place].rpartition(".")
    assert callable(getattr(importlib.import_module(module), name))
    assert place in CHECKS


@pytest.mark.parametrize("place", CHECKS)
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_texts(place: str, text: str, tmp_path: Path) -> None:
    """None is a directive, an element, a command, a formula or a field."""
    file = tmp_path / "key"
    file.write_text(SECRET, encoding="utf-8")
    shown = CHECKS[place](text.replace("{file}", str(file)))
    assert SECRET not in str(shown)


@pytest.mark.parametrize("text", HONEST + HOSTILE[:-1])
def test_the_report_shows_each_letter(text: str) -> None:
    """Also of a caption that begins with two dots."""
    assert shown_in_report(text) == " ".join(text.split())


@pytest.mark.parametrize("text", HONEST)
def test_honest_texts_pass_everywhere(text: str) -> None:
    """No place refuses what has no formula."""
    for check in CHECKS.values():
        check(text)
    assert escapes.drawn(text) == text


@pytest.mark.parametrize("text", [HONEST[1], HONEST[2], "`dp-imed` has $a \\leq b$, *so*", "less < than, a <5 & b"])
def test_honest_markdown_is_kept(text: str) -> None:
    """What is common in claims does not change."""
    assert escapes.markdown(text) == text


def test_cells_come_back(tmp_path: Path) -> None:
    """Texts that a spreadsheet would compute are marked in the file alone; numbers stay numbers."""
    table = pd.DataFrame({"text": ["=1+1", "'=1", "a", "-x", ""], "number": [-1.5, 2.0, -0.0, 1e-300, 5.0]})
    write_table(table, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        raw = list(csv.DictReader(file))
    assert [row["text"] for row in raw] == ["'=1+1", "''=1", "a", "'-x", ""]
    assert [float(row["number"]) for row in raw] == list(table["number"])
    assert read_tables([tmp_path / "t.csv"])["text"].fillna("").tolist() == table["text"].tolist()
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        assert [row["text"] for row in escapes.read_rows(file)] == table["text"].tolist()


@pytest.mark.parametrize("name", ["../x", "/x", "a/../../x", "C:/x", "a\\b", "", ".", "a\x1b[2J", "a\nb"])
def test_members_of_crates_stay_below(name: str) -> None:
    """Names that lead elsewhere, or that would steer a terminal."""
    assert not escapes.is_within(name)


@pytest.mark.parametrize(
    "said", ["{estimat}", "{estimate:>2000000000}", "{hold.__class__}", "{parts[0]}", "{low!r}"]
)
def test_fields_are_checked_when_loaded(said: str, tmp_path: Path) -> None:
    """A slip, or more than a name, is refused with its place; other braces are text."""
    checked = config.load(config.shipped(Path("config")))
    mine = tmp_path / "paper.yaml"
    one = f"privacy: [{{claim: prop9, says: {{holds: 'of {said}, in {{0,1}}'}}}}]\n"
    mine.write_text(one, encoding="utf-8")
    paper = checked.papers["asi2025"].model_copy(update={"words": str(mine)})
    changed = checked.model_copy(update={"papers": {"asi2025": paper}})
    with pytest.raises(BadInput, match="says"):
        words.load(changed)
    mine.write_text(one.replace(said, "{estimate}"), encoding="utf-8")
    assert words.load(changed)["asi2025"].privacy[0].says["holds"] == "of {estimate}, in {0,1}"


def test_keys_that_steer_a_terminal_are_refused(tmp_path: Path) -> None:
    """As values are."""
    file = tmp_path / "e.yaml"
    file.write_text('"\\e[2Jkey": 1\n', encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        safe_yaml.read(file)
    assert escapes.printable(str(caught.value)) == str(caught.value) or "\\x1b" in escapes.printable(
        str(caught.value)
    )
