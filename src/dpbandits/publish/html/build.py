"""Writer of the site: its pages, and its pictures in sizes for a screen.

The ledger is the table of the papers' claims with their verdicts. A paper's findings have a row for each part of a
claim's test, such as one environment at one budget. The privacy table has a row for each audit, and one for each
algorithm without a claim of privacy.
"""

from __future__ import annotations

import functools
import json
import math
import re
import shutil
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PIL import Image

import numba2wasm
from dpbandits.claims.false_privacy import false_privacy
from dpbandits.core.files import read_json, whole
from dpbandits.core.labels import looks
from dpbandits.core.verdicts import HOLDS, OPEN, VACUOUS, answer
from dpbandits.publish import PAGES
from dpbandits.publish.algorithms import describe_algorithm
from dpbandits.publish.claim_review import claim_review, json_ld
from dpbandits.publish.claim_review import scholarly_article as article
from dpbandits.publish.headlines import in_words, shown_headlines
from dpbandits.publish.html.claim_tests import shown_tests
from dpbandits.publish.html.pages import TEMPLATES, highlight_json, page
from dpbandits.publish.html.pictures import picture
from dpbandits.publish.html.to_html import claim_page, prose
from dpbandits.publish.html.view_models import (
    CLAIM_SIGNS,
    NO_CLAIM,
    PRIVACY_SIGNS,
    SIGNS,
    Item,
    count_verdicts,
    read_papers,
    read_rows,
)
from dpbandits.publish.html.violations import group_by_sentence, read_violations, refuted_by
from dpbandits.publish.spoken import with_words
from dpbandits.runs.expand_labels import Content

if TYPE_CHECKING:
    from dpbandits.publish.content import SiteContent
    from dpbandits.publish.explore.kernels import Kernels, NoKernels

THUMBNAIL_WIDTH = 560
# Files that several pages load. uPlot, npm's 1.6.32, is MIT (its licence lies beside it); it draws lines with bands
# and little else, in a twentieth of what Vega-Lite would take, and has no dependency. A test knows its digests.
SHARED = ("uPlot.iife.min.js", "uPlot.min.css", "uPlot.LICENSE.txt", "numbers.js", "look.js", "machine.js")


def thumbnail(picture: Path, path: Path, width: int = THUMBNAIL_WIDTH, colours: int = 256) -> None:
    """Write a small PNG of a picture: scaled down, and with a palette of few colours, enough for a plot.

    Parameters
    ----------
    picture
        The picture's file.
    path
        The PNG to write.
    width
        Largest width, in pixels; a smaller picture is not scaled.
    colours
        Size of the palette, at most 256.
    """
    with Image.open(picture) as opened:
        small = opened.convert("RGB")
        if small.width > width:
            size = width, round(small.height * width / small.width)
            small = small.resize(size, Image.Resampling.LANCZOS)
        with whole(path) as aside:
            # An octree takes a tenth of a median cut's time, and plots compress better for it.
            small.quantize(colours, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(aside)


def _copy_pictures(items: Sequence[Item], folder: Path) -> Iterator[Path]:
    """Put figures and tables of a paper beside its page."""
    for item in items:
        for suffix, file in item.files.items():
            place = folder / "files" / f"{item.place}.{suffix}"
            # The first page shows each figure once, with all its runs.
            if suffix == "png" and item.version == "full":
                small = place.with_name(f"{item.stem}.small.png")
                thumbnail(file, small)
                yield small
            yield _copy(file, place)


def _copy_scripts(curves: Mapping[str, str], folder: Path) -> Iterator[Path]:
    """Put the scripts with data of figures beside the pages, and the two libraries' files."""
    for paper, index in curves.items():
        for file in sorted(Path(index).parent.glob("*.js")):
            yield _copy(file, folder / "data" / paper / file.name)
    for name in SHARED:
        yield _copy(TEMPLATES / name, folder / "shared" / name)


def _copy(file: Path, target: Path) -> Path:
    with whole(target) as aside:
        shutil.copyfile(file, aside)
    return target


def _by_claim(findings: Sequence[str]) -> Mapping[tuple[str, str], list[Mapping[str, str]]]:
    """Return the parts of claims from the findings' files."""
    found: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for file in findings:
        for row in read_rows(Path(file)):
            found.setdefault((row["paper"], row["claim"]), []).append(row)
    return found


def _configuration_parts(configured: Content) -> dict[str, Mapping[str, object]]:
    """Return a configuration in parts that a page folds: one on all papers, and one for each paper."""
    across = {key: value for key, value in configured.items() if key != "papers"}
    return {"All papers": across, **{f"papers.{name}": paper for name, paper in configured["papers"].items()}}


def try_page_names(kernels: Kernels | NoKernels) -> Mapping[str, object]:
    """Return the variables that the template of the page *Try* uses: ``kernels`` and ``drawn_in``.

    On that page readers run algorithms as WebAssembly (``kernels``). The variable ``kernels`` has ``algorithms``,
    ``refused`` and ``reference`` as given, and ``settings``: names of algorithms, by setting. ``drawn_in`` has the
    colour of each algorithm, by name. If nothing could be compiled, ``kernels`` has the reason alone, as
    ``missing``, and ``drawn_in`` is left out.
    """
    content = {
        name: value for name, value in kernels.items() if name not in ("made_from", "wasm", "code", "entries")
    }
    if "missing" in kernels:
        return {"kernels": content}
    settings: dict[str, list[str]] = {}
    for name, about in kernels["algorithms"].items():
        settings.setdefault(str(about["setting"]), []).append(name)
    titles = {name: str(about["title"]) for name, about in kernels["algorithms"].items()}
    known = looks(list(titles.values()))
    colours = {name: known[title].colour for name, title in titles.items()}
    return {"kernels": {**content, "settings": settings}, "drawn_in": colours}


def kernel_script(kernels: Kernels) -> str:
    """Return JavaScript that defines the constant ``KERNELS`` on a page: what a browser needs to run algorithms.

    It has the entries of ``kernels`` but ``made_from``: WebAssembly, translated code, algorithms and reference
    runs. A further entry is ``worker``, the text of the script that runs them.
    """
    worker = numba2wasm.loader() + (TEMPLATES / "try_worker.js").read_text(encoding="utf-8")
    content = {name: value for name, value in kernels.items() if name != "made_from"} | {"worker": worker}
    return f"const KERNELS = {json.dumps(content, separators=(',', ':'))};\n"


def _cited(citations: Mapping[str, str], text: str) -> str:
    """Return a text with citations, such as ``Asi et al. (2025)``, in place of papers' ids."""
    for name, short in citations.items():
        text = re.sub(rf"(?<![\w/`-]){re.escape(name)}(?![\w-])", short, text)
    return text


def _command(configfile: str, *targets: str) -> str:
    """Return the command that makes targets, or everything, with a file of configuration, which comes last."""
    # It may be several, spelled for a shell.
    given = [f"--configfile {configfile}"] if configfile else []
    return " ".join(["snakemake --cores 2", *targets, *given])


def build(
    definition: SiteContent,
    results: str,
    ledger: str | None,
    findings: Sequence[str],
    privacy_table: str | None,
    privacy_figure: str | None,
    configuration: str,
    kernels: str,
    curves: Mapping[str, str],
    pages: Mapping[str, Path],
) -> list[Path]:
    """Write the site, and return the files that it has beside those in ``pages``: pictures, scripts, further pages.

    Parameters
    ----------
    definition
        Content that needs no results, such as texts of papers and paths of figures.
    results
        The results folder.
    ledger
        CSV file of the ledger, the table of claims with verdicts; ``None`` without claims.
    privacy_table
        CSV file of the table of audits of privacy; ``None`` without audits.
    findings
        For each paper, the CSV file with a row for each part of a claim's test.
    privacy_figure
        PDF of the figure of all audits, ``None`` without audits; its PNG lies beside it.
    configuration
        JSON file of the saved configuration.
    kernels
        JSON file of the code that the page *Try* runs, or of the reason why there is none.
    curves
        Path of the index of each paper's scripts with figure data, by paper; the other scripts lie beside it.
    pages
        File of each page, by its name, such as ``"index"``. These are written last, so that the pictures of a page
        that exists do too.
    """
    papers = read_papers(definition["papers"], read_rows(Path(ledger)) if ledger else [])
    privacy = read_rows(Path(privacy_table)) if privacy_table else []
    folder = pages["index"].parent
    shown = [
        file
        for paper in papers
        for file in _copy_pictures([*paper.figures, *paper.published.values(), *paper.tables], folder)
    ]
    shown += _copy_scripts(curves, folder)
    compiled = cast("Kernels | NoKernels", read_json(Path(kernels)))
    if "missing" not in compiled:
        shown.append(folder / "shared" / "kernels.js")
        with whole(shown[-1]) as aside:
            aside.write_text(kernel_script(compiled), encoding="utf-8")
    audited = [row for row in privacy if row["verdict"] != NO_CLAIM.verdict]
    violations = read_violations(privacy, Path(results))
    claims = [claim for paper in papers for claim in paper.claims]
    false = false_privacy(claims)
    words = {paper.name: paper.words for paper in papers}
    vocabularies = {paper.name: paper.vocabulary for paper in papers}
    headlines = [(each, picture(each, papers, violations)) for each in shown_headlines(claims, words, vocabularies)]

    def told(row: Mapping[str, str], column: str) -> str:
        """Return a column of the ledger in the words of the claim's paper."""
        return with_words(row[column], vocabularies.get(row["paper"], {}))

    titles = {
        f"{item.paper}/{item.kind}/{item.name}": item.title
        for paper in papers
        for item in (*paper.figures, *paper.tables)
    }
    shared = {
        "papers": papers,
        "heading": f"{in_words(len(papers)).capitalize()} {'paper' if len(papers) == 1 else 'papers'} on private "
        "bandits, put to the test",
        "verdict_counts": count_verdicts(claims),
        "sentence_counts": count_verdicts(claim for paper in papers for claim in paper.sentences),
        "counts": count_verdicts,
        "answer": answer,
        "undecided": OPEN,
        "holds": HOLDS,
        "told": told,
        "said": lambda row, column: prose(told(row, column)),
        "titles": titles | {"privacy": "Audits of privacy"},
        "headlines": headlines,
        "violations": {each.row["file"]: each for each in violations},
        "explored": definition["explored"],
        "privacy": audited,
        # The row to which a link to an algorithm's audits leads.
        "first_audits": {row["algorithm"]: row["file"] for row in reversed(audited)},
        "privacy_counts": Counter(row["verdict"] for row in privacy),
        "false_privacy": false,
        "refuted": group_by_sentence(violations, false, definition["audited"]),
        "infinite": math.inf,
        "vacuous": VACUOUS,
        "claim_signs": CLAIM_SIGNS,
        "privacy_signs": PRIVACY_SIGNS,
        # Within its page, which the report shows without the site's other files.
        "privacy_picture": privacy_figure
        and b64encode(Path(privacy_figure).with_suffix(".png").read_bytes()).decode("ascii"),
        "signs": SIGNS,
        "root_seed": definition["root_seed"],
        "kinds": definition["kinds"],
        **{name: definition[name] for name in ("version", "released", "repository", "citation", "again")},
        "again_today": definition["again_today"],
        "configfile": definition["configfile"],
        "command": functools.partial(_command, definition["configfile"]),
        "privacy_target": privacy_figure and Path(privacy_figure).with_suffix(".pdf").as_posix(),
        "repeats": [
            {**found, "changed": found["again"] != found["verdict"]}
            for of_paper in definition["again"].values()
            for found in of_paper.values()
            if found["movable"]
        ],
        "play": None if "missing" in compiled else definition["play"],
        "presets": definition["presets"],
        "algorithms": [describe_algorithm(name) for name in definition["algorithms"]],
        "cited": functools.partial(_cited, {paper.name: paper.short for paper in papers}),
        "simulated": definition["simulated"],
        # What a search among claims finds.
        "searched": " ".join(told(claim, "statement") for claim in claims).lower(),
        "article_target": f"{results}/article/article.pdf",
        **try_page_names(compiled),
    }
    graphs = {
        paper.name: [
            claim_review(claim, article(paper.name, definition["papers"][paper.name])) for claim in paper.claims
        ]
        for paper in papers
    }
    texts = {
        paper.name: page(
            "paper.html.jinja2", here=paper.name, paper=paper, linked=json_ld(graphs[paper.name]), **shared
        )
        for paper in papers
    }
    for item in (item for paper in papers for item in paper.tables):
        texts[f"table-{item.paper}-{item.name}"] = page("table.html.jinja2", item=item)
    configured = highlight_json(_configuration_parts(read_json(Path(configuration))["configuration"]))
    for name in PAGES:
        reviewed = [each for graph in graphs.values() for each in graph]
        graph = {"linked": json_ld(reviewed)} if name == "claims" else {}
        texts[name] = page(f"{name}.html.jinja2", here=name, **graph, **shared, **configured)
    parts = _by_claim(findings)
    for claim in claims:
        key = claim["paper"], claim["id"]
        tests = shown_tests(
            parts.get(key, []),
            vocabularies[key[0]],
            definition["effects"].get(claim["paper"], {}).get(claim["id"], []),
        )
        texts[claim_page(*key)] = page("claim.html.jinja2", here="claims", claim=claim, tests=tests, **shared)
    for violation in violations:
        texts[violation.page] = page(
            "violation.html.jinja2",
            here="privacy",
            violation=violation,
            refutes=refuted_by(violation, false, definition["audited"]),
            **shared,
        )
    # How many pages there are of claims and violations follows from what was found.
    places = {name: pages.get(name, folder / f"{name}.html") for name in texts}
    for name in sorted(places, key=lambda name: name in pages):
        with whole(places[name]) as aside:
            aside.write_text(texts[name], encoding="utf-8")
    return [*shown, *(path for name, path in places.items() if name not in pages)]
