"""Builder of the article and its companions: templates have the sentences; results choose some, with numbers.

The ledger is the table of the papers' claims with their verdicts, ``claims.csv``. The privacy table has a row for
each algorithm and budget, with its audit, and one for each algorithm without a claim of privacy. Certificates are
computer-assisted proofs of inequalities.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import jinja2

from dpbandits.core.errors import BadInput, MissingExtra, suggest
from dpbandits.core.escapes import markdown
from dpbandits.core.files import whole
from dpbandits.core.provenance import ROOT, module_path
from dpbandits.core.verdicts import Verdict
from dpbandits.publish.article import COMPANIONS, packages, to_typst
from dpbandits.publish.article.claim_support import data_of_claims
from dpbandits.publish.article.context import MARKS, ORDER, Facts, read
from dpbandits.publish.spoken import with_signs

if TYPE_CHECKING:
    from dpbandits.publish.content import ArticleContent

TEMPLATES = ROOT / "publish" / "article" / "templates"
# Folder of templates of each paper that has a part of the article.
CHAPTERS = {paper: module_path(module).with_name("templates") for paper, module in packages().items()}
BIBLIOGRAPHY = "references.bib"
# A PDF has a date: equal articles are equal files.
PDF_DATE = datetime(2025, 1, 1, tzinfo=UTC)
# Typst has loops and packages: it is given this many seconds, and a network that leads nowhere.
COMPILE_SECONDS = 300
DEAD_PROXIES = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
_COMPILE = """
import sys, pathlib, typst
folder, form, moment = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
try:
    made = typst.compile(
        folder / "article.typ", root=folder, format=form, ignore_system_fonts=True, timestamp=moment,
        package_path=folder / "packages", package_cache_path=folder / "packages",
    )
except typst.TypstError as error:
    sys.exit(str(error))
for number, page in enumerate(made if isinstance(made, list) else [made]):
    (folder / f"made{number:04}").write_bytes(page)
"""


class Figures:
    """Figures for templates of the article, which call the methods of this class.

    Parameters
    ----------
    files
        Path of each figure's PDF, by ``paper/figure``.
    scales
        Runs and horizons that each figure was made with, in words, by the same names.
    """

    def __init__(self, files: Mapping[str, str], scales: Mapping[str, str]) -> None:
        self._files, self._scales = files, scales

    def has(self, name: str) -> bool:
        """Tell whether there is a figure of this name, ``paper/figure``, in this configuration."""
        return name in self._files

    def show(self, name: str, caption: str, width: str) -> str:
        """Return the Typst that shows a figure; nothing if this configuration does not draw it.

        Below it stand its caption, and the runs and horizons that it was made with.

        Parameters
        ----------
        name
            Name of the figure, as ``paper/figure``.
        caption, width
            Caption and width in Typst; the width is a length such as ``80%``.
        """
        if not self.has(name):
            return ""
        label, scale = name.replace("/", "-"), to_typst.typst(self._scales[name])
        return f'#figure(image("{label}.pdf", width: {width}), caption: [{caption} _{scale}_]) <{label}>'

    def refer(self, name: str) -> str:
        """Return a reference to the figure ``paper/figure`` in Typst, or words that say that it is not drawn."""
        return f"@{name.replace('/', '-')}" if self.has(name) else "a figure that this configuration does not draw"


# Claims that hold, and entries of the register, that a letter of one page lists at most; the attachment has all.
LISTED = 3


@functools.cache
def templates() -> jinja2.Environment:
    """Return the Jinja environment with the templates of the article and of the files beside it.

    It has filters that write Typst and Markdown. If a template uses a name that is not defined, that is an error,
    not a blank.
    """
    found = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [
                jinja2.FileSystemLoader(TEMPLATES),
                jinja2.PrefixLoader({paper: jinja2.FileSystemLoader(folder) for paper, folder in CHAPTERS.items()}),
            ]
        ),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.globals["LISTED"] = LISTED
    found.filters |= {
        "typst": to_typst.typst,
        "number": to_typst.number,
        "count": to_typst.count,
        "share": to_typst.share,
    }
    found.filters |= {"unicode": with_signs, "flat": lambda text: markdown(with_signs(text))}
    return found


def bibliography() -> str:
    """Return all BibTeX entries that the article may cite, as one text: its own, and those of papers' parts."""
    files = [folder / BIBLIOGRAPHY for folder in (TEMPLATES, *CHAPTERS.values())]
    return "".join(file.read_text(encoding="utf-8") for file in files if file.is_file())


def _for_typst(entries: str) -> str:
    """Return BibTeX entries in which a conference paper without pages is an article.

    Typst would take it for a talk on a day that is missing, and print "(2017,)".
    """

    def without_talks(entry: re.Match[str]) -> str:
        if " pages = " in entry[1]:
            return entry[0]
        return "@article" + entry[1].replace(" booktitle = ", " journal = ")

    return re.sub(r"^@inproceedings(\{.*?^\})", without_talks, entries, flags=re.MULTILINE | re.DOTALL)


def references() -> dict[str, dict[str, str]]:
    """Return the fields of each entry of the bibliography, by its key, such as ``references()["KEY"]["title"]``."""
    entries = re.split(r"^@\w+", bibliography(), flags=re.MULTILINE)[1:]
    return {
        str(re.match(r"\{([^,]+),", entry)[1]): dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE))  # type: ignore[index]
        for entry in entries
    }


def render(name: str, facts: Facts, **further: Any) -> str:
    """Fill a template, and return the text.

    Parameters
    ----------
    name
        Name of the template's file, such as ``letter.md.jinja2``.
    facts
        Results of the run that the template uses.
    **further
        Further variables that this template uses, such as ``figure``.
    """
    return (
        templates()
        .get_template(name)
        .render(
            facts=facts,
            papers=facts.config["papers"],
            claim=facts.claims,
            order=ORDER,
            marks=MARKS,
            Verdict=Verdict,
            version=facts.config["version"],
            references=references(),
            **further,
        )
    )


def article_source(facts: Facts, figures: Mapping[str, str]) -> str:
    """Return the article as Typst.

    Parameters
    ----------
    facts
        Results of the run that the article uses.
    figures
        Path of each figure's PDF, by ``paper/figure``; a figure that is not among them is not shown.

    Raises
    ------
    BadInput
        If a template names a claim that is not in the table of claims.
    """
    return render("article.typ.jinja2", facts, figure=Figures(figures, facts.config["scales"]))


def typeset(source: str, figures: Mapping[str, str], form: Literal["pdf", "png"] = "pdf") -> bytes | list[bytes]:
    """Compile the article with Typst, and return a PDF, or in the form ``"png"`` a picture of each page.

    Parameters
    ----------
    source
        The article as Typst.
    figures
        Path of each figure's PDF, by ``paper/figure``.
    form
        ``"pdf"`` or ``"png"``.

    Returns
    -------
    bytes or list of bytes
        One file; a list of files if there are pictures of several pages.

    Raises
    ------
    BadInput
        If the source does not compile, or not within `COMPILE_SECONDS`, 300 seconds.
    MissingExtra
        If Typst is missing.
    """
    try:
        import typst  # noqa: F401
    except ModuleNotFoundError:
        raise MissingExtra("The article", "typst", "article") from None
    # Typst reads files below one folder.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "article.typ").write_text(source, encoding="utf-8")
        (folder / BIBLIOGRAPHY).write_text(_for_typst(bibliography()), encoding="utf-8")
        shutil.copyfile(TEMPLATES / "style.typ", folder / "style.typ")
        for figure, drawn in figures.items():
            shutil.copyfile(drawn, folder / f"{figure.replace('/', '-')}.pdf")
        moment = str(int(PDF_DATE.timestamp()))
        environment = os.environ | DEAD_PROXIES | {name.lower(): value for name, value in DEAD_PROXIES.items()}
        try:
            done = subprocess.run(
                [sys.executable, "-c", _COMPILE, name, form, moment],
                env=environment | {"NO_PROXY": "", "no_proxy": ""},
                capture_output=True,
                text=True,
                timeout=COMPILE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BadInput("article.typ", f"no end in {COMPILE_SECONDS} s", "Typst that compiles") from None
        if done.returncode:
            raise BadInput("article.typ", done.stderr.strip(), "Typst that compiles")
        pages = [file.read_bytes() for file in sorted(folder.glob("made*"))]
    return pages[0] if form == "pdf" or len(pages) == 1 else pages


def build(
    content: ArticleContent,
    ledger: str,
    privacy_table: str,
    certificates: str,
    computed: Mapping[str, Mapping[str, str]],
    results: str,
    figures: Mapping[str, str],
    files: Mapping[str, Path],
) -> None:
    """Write the article as PDF, its source, the files beside it, and a letter to each paper's authors.

    Parameters
    ----------
    content
        Content that needs no results, such as the papers' titles.
    ledger, privacy_table
        CSV files of the ledger (the table of claims with verdicts) and of the table of audits of privacy.
    certificates
        JSON file with the outcomes of the certificates' proofs.
    computed
        CSV files of the computations that parts of the article read, by paper and name.
    results
        The folder of results.
    figures
        Path of each figure's PDF, by ``paper/figure``; a figure that is not among them is not shown.
    files
        Files to write, by name: ``pdf``, ``typ`` (the source), ``artefact``, ``checklist``, ``metadata``, and each
        paper's id for its letter.

    Raises
    ------
    BadInput
        If a certificate was not proved, a template does not fit the results, the source does not compile, or
        ``files`` has another name.
    MissingExtra
        If Typst is missing.
    """
    facts = read(content, ledger, privacy_table, certificates, computed, results)
    source = article_source(facts, figures)
    pdf = typeset(source, figures)
    texts = {"typ": source}
    for name, file in COMPANIONS.items():
        texts[name] = render(f"{file}.jinja2", facts, supports=data_of_claims(facts))
    for paper, about in content["papers"].items():
        texts[paper] = render("letter.md.jinja2", facts, paper=paper, told=about)
    missing = sorted(set(files) - {"pdf", *texts})
    if missing:
        raise BadInput("article", missing[0], suggest(missing[0], texts))
    for name, text in texts.items():
        with whole(files[name]) as aside:
            aside.write_text(text, encoding="utf-8")
    # Last: where the article is, all is.
    with whole(files["pdf"]) as aside:
        aside.write_bytes(pdf if isinstance(pdf, bytes) else b"".join(pdf))
