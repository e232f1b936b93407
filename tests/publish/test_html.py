"""The site and what goes into it: captions that tell scales, verdicts, links, formulas; nothing is from afar."""

from __future__ import annotations

import csv
import hashlib
import html
import io
import itertools
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
import shipped
from PIL import Image

from dpbandits.claims import discrepancies
from dpbandits.claims.discrepancies import markdown
from dpbandits.core import registry
from dpbandits.core.errors import BadInput
from dpbandits.core.files import write_json
from dpbandits.core.verdicts import Verdict
from dpbandits.products import catalogue
from dpbandits.products.make import make
from dpbandits.publish import PAGES, texts
from dpbandits.publish.drawn_runs import front_page_runs
from dpbandits.publish.html import claim_tests
from dpbandits.publish.html.pages import TEMPLATES, page
from dpbandits.publish.html.to_html import (
    anchor,
    evidence_address,
    paragraphs,
    prose,
    short_number,
    shorten_apart,
    sort_key,
    split_at_semicolons,
)
from dpbandits.publish.html.view_models import CLAIM_SIGNS, Item, read_rows
from dpbandits.publish.html.violations import Violation, group_by_sentence
from dpbandits.runs import caption, config, plan, words
from dpbandits.runs.models import Config, Folders
from dpbandits.runs.words import Names

LEDGER = (
    *("paper", "id", "place", "statement", "reading", "test", "power", "verdict", "near_threshold", "effect"),
    *("p", "parts_hold", "parts_fail", "parts_open", "runs", "sources", "shown", "published", "published_share"),
    *("remark", "revised", "more_runs", "subject"),
)
PRIVACY = ("setting", "algorithm", "title", "base", "definition", "epsilon", "delta", "audited", "verdict")
FINDINGS = ("paper", "claim", "test", "part", "estimate", "low", "high", "at_least", "at_most", "runs", "verdict")
# Files of npm's package uplot 1.6.32.
DIGESTS = {
    "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
}
# What an audit wrote that refutes a claim.
WITNESS = {
    "exact": {
        "loss": 2.0,
        "of": "one report",
        "one": {"rewards": [1.0, 0.0], "rounds": 2},
        "other": {"rewards": [0.0, 0.0], "rounds": 2},
        "event": "the report is at least 1",
        "probabilities": [0.5, 0.0677],
    },
    "replayed": None,
    "sampled": None,
}


@pytest.fixture(scope="module")
def full() -> Config:
    """Return the shipped configuration, complete."""
    return shipped.configuration()


def write(path: Path, columns: tuple[str, ...], rows: list[Mapping[str, str]]) -> Path:
    """Write a CSV file whose missing cells are empty."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


def built(
    full: Config,
    folder: Path,
    claims: list[Mapping[str, str]],
    audits: list[Mapping[str, str]],
    configfile: str = "",
) -> Path:
    """Return a site of the whole configuration with blank pictures, and these claims and audits."""
    folders = Folders(results=str(folder / "results"), figures=str(folder / "figures"))
    settled = full.model_copy(update={"folders": folders})
    # Neither cells nor claims depend on folders.
    whole = full is shipped.configuration()
    known = (shipped.cells(), shipped.written()) if whole else (plan.all_cells(settled), texts.load(settled))
    products = catalogue(settled, *known)
    # Encoded once: a site has ninety pictures.
    blank = io.BytesIO()
    Image.new("RGB", (1400, 700), "white").save(blank, "png")
    for product in (made for (kind, *_), made in products.items() if kind in ("figure", "table", "privacy_figure")):
        for suffix, file in product.files.items():
            place = Path(file)
            place.parent.mkdir(parents=True, exist_ok=True)
            text = "| head |\n|---|\n| cell |\n\nA caption.\n" if suffix == "md" else ""
            place.write_bytes(blank.getvalue() if suffix == "png" else text.encode())
    for row in audits:
        if row["verdict"] == "violated":
            write_json(Path(folders.results) / row["file"], WITNESS)
    ids = list(shipped.claims()["azize2025"].claims)
    parts = [
        {
            "paper": "azize2025",
            "claim": ids[0],
            "test": "0",
            "part": f"cell {i}",
            "estimate": f"{i}",
            "low": f"{i - 1}",
        }
        | {"high": f"{i + 1}", "at_least": "-inf", "at_most": "2.5", "runs": "20", "verdict": verdict}
        for i, verdict in ((2, "holds"), (4, "does not hold"))
    ]
    for paper in settled.papers:
        index = Path(products["curves", paper].main)
        index.parent.mkdir(parents=True)
        write(Path(products["findings", paper].main), FINDINGS, parts if paper == "azize2025" else [])
        index.write_text(f'Look.paper("{paper}", {{}});\n', encoding="utf-8")
    write(Path(products["ledger",].main), tuple(dict.fromkeys((*LEDGER, *claims[0]))), claims)
    write(
        Path(products["privacy_table",].main),
        tuple(dict.fromkeys((*PRIVACY, "method", "witness", "file", *audits[0]))),
        audits,
    )
    make(products["configuration",].request)
    missing = {"missing": "a linker is not installed", "made_from": products["kernels",].request.made_from}
    write_json(Path(products["kernels",].main), missing)
    site = products["site",]
    replace(site, configfile=configfile).make()
    return Path(site.files["index"]).parent


@pytest.fixture(scope="module")
def site(full: Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site with a claim for each verdict and three audits."""
    ids = list(shipped.claims()["azize2025"].claims)
    claims = [
        {"paper": "azize2025", "id": ids[i], "statement": f"{i} < 5", "verdict": sign.verdict, "runs": "20"}
        | {"shown": "azize2025/figure/fig4", "near_threshold": "no", "effect": "ratio 2 [1, 3]", "test": "ratio"}
        | {"revised": "Its factor was 2." if i == 1 else ""}
        for i, sign in enumerate(CLAIM_SIGNS)
    ]
    audits = [
        {"algorithm": name, "title": name, "verdict": verdict, "epsilon": "1.0", "delta": "0.0", "audited": "0.93"}
        | {"file": f"privacy/{name}.json", "definition": "epsilon-DP"}
        for name, verdict in (("a", "consistent"), ("b", "violated"), ("c", "no claim"))
    ]
    return built(full, tmp_path_factory.mktemp("site"), claims, audits)


@pytest.fixture(scope="module")
def whole_site(full: Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site with the claims and audits of the full scale, from the snapshot in docs/results."""
    snapshot = Path(__file__).parents[2] / "docs" / "results"
    claims, audits = (read_rows(snapshot / name) for name in ("claims.csv", "privacy.csv"))
    # A snapshot may be older than a verdict's word.
    known = [row if row["verdict"] in list(Verdict) else {**row, "verdict": Verdict.UNREFUTED} for row in claims]
    return built(full, tmp_path_factory.mktemp("whole"), known, audits)


def test_the_site_is_complete(site: Path, full: Config) -> None:
    """All pages are there, with all figures, claims, audits and discrepancies, and nothing else is."""
    tables = {f"table-{paper}-{table}" for paper, content in full.papers.items() for table in content.tables}
    known = {*full.papers, *PAGES, *tables}
    of_claims = {
        f"claim-azize2025-{name}" for name in list(shipped.claims()["azize2025"].claims)[: len(CLAIM_SIGNS)]
    }
    assert {file.stem for file in site.glob("*.html")} == {*known, *of_claims, "violation-b-1.0"}
    gallery = (site / "index.html").read_text(encoding="utf-8")
    for paper, content in full.papers.items():
        page = (site / f"{paper}.html").read_text(encoding="utf-8")
        for figure in content.figures:
            assert f'href="{paper}.html#{figure}"' in gallery
            assert f'id="{figure}"' in page
            assert f"/{paper}/{figure}.pdf</pre>" in page
    claims = (site / "claims.html").read_text(encoding="utf-8")
    assert re.findall(r"<b>(\d+)</b> (?:holds|does|not)", claims) == ["1"] * 5
    assert "3 &lt; 5" in claims
    assert claims.count(">test revised</span>") == 1
    assert sum("<dd>Its factor was 2.</dd>" in file.read_text("utf-8") for file in site.glob("claim-*.html")) == 1
    privacy = (site / "privacy.html").read_text("utf-8")
    rows = re.findall(r"<tr[^>]*>\s*<td data-sort=\"con", privacy)
    assert len(rows) == privacy.count('<section class="item card"') == 1
    # Each algorithm's entry links to the place of its audits.
    assert [privacy.count(f'id="{name}"') for name in ("a", "b")] == [1, 1]
    assert "<h2>Refuted</h2>" in privacy
    entries = [entry for of_paper in discrepancies.load(full).values() for entry in of_paper]
    assert len(entries) > 50
    shown = (site / "discrepancies.html").read_text(encoding="utf-8")
    assert all(f'id="{entry.id}"' in shown and entry.test in shown for entry in entries)


def test_another_scale_says_so_on_every_page(full: Config, tmp_path: Path) -> None:
    """Which file it was made with, how many claims are not decided, and in every command the file, as the last."""
    ids = list(shipped.claims()["azize2025"].claims)[:3]
    claims = [
        {"paper": "azize2025", "id": name, "statement": "A", "verdict": verdict, "runs": "20", "test": "ratio"}
        | {"shown": "azize2025/figure/fig4", "near_threshold": "no", "effect": "ratio 2 [1, 3]", "reading": "paper"}
        | {"subject": ""}
        for name, verdict in zip(ids, ("holds", "not decided", "not decided"), strict=True)
    ]
    audits = [{"algorithm": "a", "title": "a", "verdict": "consistent", "epsilon": "1.0", "definition": "e"}]
    # One paper has a page of each kind that all four have.
    one = full.model_copy(update={"papers": {"azize2025": full.papers["azize2025"]}})
    small = built(one, tmp_path, claims, audits, "config/small.yaml")
    for file in small.glob("*.html"):
        text = file.read_text(encoding="utf-8")
        if 'class="bar"' in text:
            assert "These pages were made with <code>config/small.yaml</code>." in text, file.name
            assert "Of 3 claims" in text
            assert ">2 are not decided</a>" in text
        for command in re.findall(r"^(?:<pre>)?(snakemake .*?)(?:</pre>)?$", text, re.MULTILINE):
            assert command.endswith(" --configfile config/small.yaml"), (file.name, command)
    folder = Path(__file__).parents[2] / "config"
    assert full.configfiles == ()
    for name in ("small", "published", "confirm"):
        of_file = config.load([*config.shipped(folder), folder / f"{name}.yaml"])
        file = folder / f"{name}.yaml"
        here = Path.cwd()
        assert of_file.configfiles == (str(file.relative_to(here) if file.is_relative_to(here) else file),)


def test_pages_need_no_network_and_lead_somewhere(site: Path) -> None:
    """Nothing is loaded from afar; every link and picture of the site is a file of it, every part is there."""
    pages = {file.name: file.read_text(encoding="utf-8") for file in site.glob("*.html")}
    for name, text in pages.items():
        for kind, address in re.findall(r'(href|src)="([^"]+)"', text):
            if address.startswith("https://arxiv.org/") and kind == "href":
                continue
            assert "//" not in address, (name, address)
            if not address.startswith("data:"):
                file, _, part = address.partition("#")
                assert not file or (site / file).is_file(), (name, address)
                # Explore keeps what is chosen behind the sign.
                assert not part or file == "explore.html" or "=" in part or f'id="{part}"' in pages[file or name], (
                    name,
                    address,
                )


def test_headings_skip_no_level(site: Path) -> None:
    """Each page has one h1, first; a screen reader's list of headings has no gap. Twins follow what is above."""
    for file in site.glob("*.html"):
        levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", file.read_text(encoding="utf-8"))]
        assert levels.count(1) == 1 and levels[0] == 1, file.name
        steps = itertools.pairwise(levels)
        assert all(after <= before + 1 for before, after in steps), (file.name, levels)
    above = {"explore": "h1", "paper": "h2"}
    drawn = {"explore": "h2", "paper": "h3"}
    told = {name: (TEMPLATES / f"{name}.html.jinja2").read_text(encoding="utf-8") for name in above}
    assert all(f"<{above[name]}>" in text for name, text in told.items())
    assert f'heading: "{drawn["explore"]}"' in (TEMPLATES / "explore.js").read_text(encoding="utf-8")
    assert f'heading = "{drawn["paper"]}"' in (TEMPLATES / "look.js").read_text(encoding="utf-8")


def test_a_claim_has_a_page(site: Path) -> None:
    """Statement, verdict, a strip for each part, what is asked, and the command that tests it again."""
    name, stated = next(iter(shipped.claims()["azize2025"].claims.items()))
    page = (site / f"claim-azize2025-{name}.html").read_text(encoding="utf-8")
    assert stated.tests[0].effect[1:] in page
    assert "Asked: at most 2.5" in page
    assert "4.00 [3.00, 5.00]" in page
    said = re.findall(r'role="img" aria-label="([^"]+)"', page)
    # What fails it comes first.
    assert said[:2] == [f"{i}, interval {i - 1} to {i + 1}; asked: at most 2.5" for i in (4, 2)]
    assert said[2:] == ["linear axis"]
    assert re.search(rf"<pre>snakemake --cores 2 \S+/azize2025/claims/{name}.json</pre>", page)
    # The limit lies between the two estimates, on the axis that they share.
    places = [float(at) for at in re.findall(r'<circle cx="([\d.]+)"', page)]
    limits = {float(at) for at in re.findall(r'class="strip-limit" d="M([\d.]+) ', page)}
    assert places[1] < min(limits) == max(limits) < places[0]


# What makes a part undecided: columns of the findings, and words of the reason that its page gives.
OPEN_PARTS = (
    ({"side": "below", "estimate": "1.2", "low": "1.1", "high": "1.3"}, "than the scale asks for"),
    ({"side": "holds", "p_corrected": "0.2", "low": "1.1", "high": "1.3"}, "Holm’s correction"),
    ({"side": "holds", "p_corrected": "0.9", "low": "0.9", "high": "1.3"}, "the limit is inside the interval"),
    ({"side": "fails", "some": "True", "complete": "False", "low": "0.5", "high": "0.5"}, "leaves others"),
    ({"side": "fails", "cap": "open", "low": "0.5", "high": "0.5"}, "too short a range"),
)


@pytest.mark.parametrize(("about", "words"), OPEN_PARTS)
def test_a_part_that_is_not_decided_says_why(about: Mapping[str, str], words: str) -> None:
    """An interval beyond its limit, or a number far from it, looks decided; a decided part says nothing more."""
    row = {"test": "0", "part": "x", "estimate": "1.2", "at_least": "1.0", "at_most": "inf", "runs": "20"} | about
    (found,) = claim_tests.shown_tests([{**row, "verdict": "not decided"}] * 2, {}, ["ratio"])
    (reason,) = found.reasons_open
    assert reason.startswith("2 parts are not decided: ")
    assert words in reason
    (decided,) = claim_tests.shown_tests([{**row, "verdict": "holds"}], {}, ["ratio"])
    assert decided.reasons_open == []


def test_a_part_without_a_number_has_no_strip() -> None:
    """A proof has nothing to draw, and an axis without numbers says nothing."""
    row = {
        "test": "0",
        "part": "proof",
        "estimate": "",
        "low": "",
        "high": "",
        "at_least": "-inf",
        "at_most": "inf",
    }
    (found,) = claim_tests.shown_tests([{**row, "runs": "proved", "verdict": "holds"}], {}, ["an argument"])
    assert not found.axis


def test_algorithms_are_counted_once(whole_site: Path, root: Path) -> None:
    """The page, the front page and the documents have all of them, and say how many have a printed listing."""
    page = (whole_site / "algorithms.html").read_text(encoding="utf-8")
    number, printed = page.count('<article class="item"'), page.count('aria-label="Printed and our lines')
    assert (
        number == len(registry.modules("algorithm")) == len(list((root / "docs" / "algorithms").glob("*.md"))) - 1
    )
    assert f"There are {number} algorithms." in page
    assert f"For {printed} of them a replicated paper prints a listing" in page
    index = " ".join((whole_site / "index.html").read_text(encoding="utf-8").split())
    assert f'{printed} of {number} <a href="algorithms.html">algorithms</a> have printed lines' in index
    links = {link.partition("#")[2] for link in re.findall(r'href="(privacy.html#[^"]+)"', page)}
    audits = (whole_site / "privacy.html").read_text(encoding="utf-8")
    assert links
    assert [link for link in links if audits.count(f'id="{link}"') != 1] == []


def test_a_violation_has_a_page(site: Path) -> None:
    """Both inputs, what differs marked, the event with its probabilities, the bound and the command."""
    page = (site / "violation-b-1.0.html").read_text(encoding="utf-8")
    assert re.findall(r"<mark>(.*?)</mark>", page) == ["[1, 0]", "[0, 0]"]
    assert '<td data-label="One input">2</td><td data-label="Its neighbour">2</td>' in page
    assert "The event: the report is at least 1" in page
    assert "log(0.5 / 0.0677) = 2; the claim allows 1" in page
    assert "<pre>dpbandits audit b --epsilon 1</pre>" in page
    assert 'href="violation-b-1.0.html"' in (site / "privacy.html").read_text(encoding="utf-8")


def test_what_is_written_at_one_input_alone_does_not_differ() -> None:
    """It says where both inputs are, and is no row of what differs."""
    exact = {"one": {"losses": [2.0, 0.0], "rounds": 2.0}, "other": {"losses": [1.0, 1.0], "round replaced": "any"}}
    found = Violation({"algorithm": "b"}, {"exact": exact})  # type: ignore[typeddict-item]
    assert found.compared_parameters == [("losses", "[2, 0]", "[1, 1]")]
    assert found.shared_parameters == [("rounds before", "2"), ("round that is replaced", "any")]


def test_violations_are_told_by_the_sentence_that_they_refute() -> None:
    """Audits of two algorithms may refute one sentence; one without a claim stands alone."""
    claims = [{"paper": "wu2025", "id": "table2"}, {"paper": "p", "id": "c"}]
    audited = {"p": {"c": ["one", "two"]}, "wu2025": {"table2": []}}
    names = ("one", "two", "rnm-ftnl-exponential", "alone")
    violations = [
        Violation({"algorithm": name, "title": name, "definition": "d"}, {})  # type: ignore[typeddict-item]
        for name in names
    ]
    groups = group_by_sentence(violations, claims, audited)
    assert [(group.claim, group.algorithm_titles) for group in groups] == [
        (claims[1], ["one", "two"]),
        (claims[0], ["rnm-ftnl-exponential"]),
        (None, ["alone"]),
    ]


def test_squares_and_chips_say_whose_sentence(whole_site: Path) -> None:
    """On every page of a paper ours are outlined; a chip leads to the claim's page."""
    for paper, stated in shipped.claims().items():
        page = (whole_site / f"{paper}.html").read_text(encoding="utf-8")
        chips = re.findall(r'<a href="claim-([^"]+)\.html" title="[^"]*">\s*<span class="chip( asked)?">', page)
        ids = {anchor(paper, name): each.reading for name, each in stated.claims.items()}
        assert {name: bool(asked) for name, asked in chips if name in ids} == {
            name: ids[name] != "paper" for name, _ in chips if name in ids
        }
        assert chips


def test_claims_of_a_figure_are_told_apart() -> None:
    """No two lines under a figure read the same, however alike their statements begin."""
    for paper, stated in shipped.claims().items():
        for shown in {each.shown for each in stated.claims.values()}:
            statements = [each.statement for each in stated.claims.values() if each.shown == shown]
            assert len(set(shorten_apart(statements))) == len(statements), (paper, shown)
    alike = ["It mostly has the lowest mean regret of all.", "It mostly has the lowest median regret of all."]
    assert len(set(shorten_apart(alike, length=12))) == 2


def test_a_claim_near_its_threshold_says_which_parts() -> None:
    """Those whose verdict is another one with a slightly lower or higher estimate."""
    row = {"test": "0", "estimate": "1.2", "low": "1.1", "high": "1.3", "at_least": "1.0", "at_most": "inf"}
    rows = [
        {**row, "part": part, "runs": "20", "verdict": "holds", "if_down": down, "if_up": "holds"}
        for part, down in (("a", "holds"), ("b", "not decided"))
    ]
    (found,) = claim_tests.shown_tests(rows, {}, ["ratio"])
    assert found.near_threshold == "Then 1 of 2 parts might be “not decided”, such as b, of 20 runs."
    (settled,) = claim_tests.shown_tests(rows[:1], {}, ["ratio"])
    assert settled.near_threshold == ""


def test_figures_of_lines_answer(site: Path, full: Config) -> None:
    """Each has its data's name, the others are pictures; the page loads what draws, once for all figures."""
    page = (site / "azize2025.html").read_text(encoding="utf-8")
    assert 'data-figure="azize2025/fig4"' in page
    assert 'data-figure="azize2025/fig4-published"' in page
    # Few runs are shown with what they are worth.
    assert "So few runs can be wrong" in page
    # Two are drawings of a protocol.
    assert "azize2025/fig2" not in re.findall(r'data-figure="([^"]+)"', page)
    assert page.count('src="shared/look.js"') == 1
    assert (site / "data/azize2025/index.js").is_file()
    explore = (site / "explore.html").read_text(encoding="utf-8")
    (given,) = re.findall(r"data-papers='([^']+)'", explore)
    known = json.loads(html.unescape(given))
    assert {paper: set(told["experiments"]) for paper, told in known.items()} == {
        paper: set(content.experiments) for paper, content in full.papers.items()
    }


def test_the_library_is_the_published_one() -> None:
    """Of uPlot 1.6.32, by npm's file: MIT, 51 kB, lines with bands and no more."""
    for name, digest in DIGESTS.items():
        assert hashlib.sha256((TEMPLATES / name).read_bytes()).hexdigest() == digest, name
    assert "MIT License" in (TEMPLATES / "uPlot.LICENSE.txt").read_text(encoding="utf-8")


def test_a_figure_and_a_table_of_one_name_both_have_files(site: Path) -> None:
    """As the conjecture of wu2025 has."""
    assert (site / "files/wu2025/conjecture.png").is_file()
    assert (site / "files/wu2025/tables/conjecture.tex").is_file()
    page = (site / "wu2025.html").read_text(encoding="utf-8")
    assert all(f'href="files/wu2025/{name}"' in page for name in ("conjecture.csv", "tables/conjecture.csv"))


def test_thumbnails_are_small(site: Path) -> None:
    """The gallery is for phones too."""
    with Image.open(site / "files/azize2025/fig4.small.png") as small:
        assert small.size == (560, 280)
        assert small.mode == "P"


def test_captions_tell_the_scale(full: Config) -> None:
    """Runs and horizons are those of the configuration, in words that fit."""
    figures, known = full.papers["azize2025"].figures, shipped.cells()
    assert (
        caption.scale(full, known, "azize2025", figures["fig4"], "published")
        == "20 runs of each algorithm; T = 1,000,000."
    )
    both = caption.scale(full, known, "azize2025", figures["fig4"])
    assert both == "10,000 runs of batched algorithms, 400 of those that decide every round; T = 1,000,000."
    assert caption.scale(full, known, "azize2025", figures["fig2"]) == caption.DIAGRAM
    exact = caption.scale(full, known, "wu2025", full.papers["wu2025"].figures["thm4"])
    computed = "Computed: deterministic-regret (ε = 0.1, Δ = 0.01, T = 2⁴⁰); random-phase."
    assert exact == f"2,000 runs of each algorithm; T = 2⁴⁰. {computed}"
    entry = figures["thm3.1"].model_copy(update={"caption": "of d_eps"})
    assert "d\\_eps" in caption.restructured(full, known, "azize2025", entry)


def test_words() -> None:
    """Text becomes HTML that says the same; columns sort by their numbers."""
    assert prose("a < b, `c`") == "a &lt; b, <code>c</code>"
    assert prose(r"$\frac{1}{2}$").startswith("<math")
    assert prose("arXiv:2605.29148").startswith('<a href="https://arxiv.org/abs/2605.29148">')
    assert [sort_key(cell) for cell in ("1,269,571 (> T)", "453 ± 7", "−2.5", "Theorem 9", "0.001")] == [
        *("1269571", "453", "-2.5", "Theorem 9", "0.001")
    ]
    assert [short_number(cell) for cell in ("0.93123456", "inf", "sampled")] == ["0.931", "∞", "sampled"]
    assert evidence_address("wu2025/table/table1") == "wu2025.html#table-table1"
    assert evidence_address("privacy") == "privacy.html"
    # A semicolon within brackets is no end of a point.
    assert split_at_semicolons("a (b; c); d") == ["a (b; c)", "d"]
    told = str(paragraphs("Two:\n\n- one,\n  still;\n- two.\n\n    x^2"))
    assert told == '<p>Two:</p><ul><li>one, still;</li><li>two.</li></ul><p class="formula">x<sup>2</sup></p>'


def test_a_table_is_a_page_that_sorts(tmp_path: Path) -> None:
    """A sortable page holds all cells, escaped, and its script."""
    made = tmp_path / "made.md"
    made.write_text(
        "| bound | value |\n|---|---|\n| $\\sqrt{T}$ | 1,000 |\n| <none> | 20 |\n\nA caption.\n", "utf-8"
    )
    item = Item("p", "made", "What is made", "table", "full", "A caption.", "", {"md": made})
    text = page("table.html.jinja2", item=item)
    assert "<math" in text
    assert "&lt;none&gt;" in text
    assert 'data-sort="1000"' in text
    assert 'table class="sortable"' in text
    assert "addEventListener" in text


def test_the_register_is_sorted_by_paper(full: Config) -> None:
    """Every entry is in its paper's section."""
    papers = ["wu2025", "azize2025"]
    of_papers = full.model_copy(update={"papers": {name: full.papers[name] for name in papers}})
    entries = {
        paper: [entry.model_dump() for entry in known] for paper, known in discrepancies.load(of_papers).items()
    }
    assert list(entries) == papers
    kinds = discrepancies.DISCREPANCY_KINDS
    text = markdown(entries, dict.fromkeys(papers, "a title"), kinds)
    assert text.index("## wu2025: a title") < text.index("## azize2025: a title")
    assert text.count("*Test.*") == text.count("*What stands.*") == sum(map(len, entries.values()))
    numbers = " | ".join(str(sum(entry["kind"] == kind for entry in entries["wu2025"])) for kind in kinds)
    assert f"\n| `wu2025` | {numbers} |\n" in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "(top level): None is not allowed; allowed: a list"),
        ("- {id: x}", "0: {'id': 'x'} is not allowed; allowed: a mapping with the key 'kind'"),
        ("- {idd: x}", "0.idd: 'x' is not allowed; allowed: one of "),
    ],
)
def test_a_bad_entry_of_the_register_is_told(full: Config, tmp_path: Path, content: str, message: str) -> None:
    """File, key path, value, and what is allowed."""
    file = tmp_path / "discrepancies.yaml"
    file.write_text(content, encoding="utf-8")
    paper = full.papers["wu2025"].model_copy(update={"discrepancies": str(file)})
    with pytest.raises(BadInput) as caught:
        discrepancies.load(full.model_copy(update={"papers": {"wu2025": paper}}))
    assert str(caught.value).startswith(f"{file}: {message}")


class Shown(HTMLParser):
    """What a page shows a visitor, but for what is set in small type or as code."""

    SMALL = frozenset(("code", "pre", "script", "style", "option"))
    VOID = frozenset(("br", "img", "input", "link", "meta", "hr", "path", "rect", "circle"))

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[bool] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Read titles and labels; note what is small."""
        told = dict(attrs)
        small = tag in self.SMALL or "small" in (told.get("class") or "").split()
        if not any(self._open) and not small:
            self.texts += [told[key] or "" for key in ("title", "alt", "aria-label") if key in told]
        if tag not in self.VOID:
            self._open.append(small)

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        if tag not in self.VOID:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        """Read a text."""
        if not any(self._open):
            self.texts.append(data)


def identifiers(full: Config) -> re.Pattern[str]:
    """Return a pattern of all labels that are no words, of numbers as programs write them, and of typed powers."""
    names = {*full.papers, *(name for kind in registry.PLACES for name in registry.modules(kind))}
    for paper in full.papers.values():
        for section in set(Names.model_fields) - {"columns"}:
            names |= set(getattr(paper, section))
    names |= {name for stated in shipped.claims().values() for name in stated.claims}
    names |= {entry.id for entries in discrepancies.load(full).values() for entry in entries}
    labels = sorted((name for name in names if re.search(r"[\d=_-]", name)), key=len, reverse=True)
    known = "|".join(map(re.escape, labels))
    written = r"\b[a-z]+_[a-z]\w*|\d[eE][+-]?\d\d|(?<![\d.])\d{6}|\.\d{7}|\d\^[-\d]|\bmu[\d_]"
    return re.compile(rf"(?<![\w./-])(?:{known})(?![\w/-])|{written}")


def test_the_game_is_of_configured_cells(full: Config) -> None:
    """Its runs are those of the results; without one of its cells there is no game."""
    told = words.load(full)["azize2025"]
    known = shipped.cells()
    found = front_page_runs(full, known, "azize2025", told)
    assert found is not None
    assert [cell["algorithm"] for cell in found["cells"]] == ["dp-klucb", "dp-imed", "dp-imed-long-start"]
    own = [cell for cell in known["azize2025", "story"].values() if cell.job.epsilon == found["epsilon"]]
    jobs = [(cell.job.algorithm, dict(cell.job.parameters)) for cell in own]
    assert all((cell["algorithm"], cell["parameters"]) in jobs for cell in found["cells"])
    assert found["total"] == min(cell.runs for cell in own)
    fewer = {key: cell for key, cell in known["azize2025", "story"].items() if "long" not in cell.algorithm}
    assert front_page_runs(full, {**known, ("azize2025", "story"): fewer}, "azize2025", told) is None


def test_counts_are_those_of_readme(whole_site: Path, root: Path) -> None:
    """Claims, verdicts, audits and the register have one number each, on the site and in README."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- begin: found -->\n(.*?)<!-- end: found -->", readme, re.DOTALL)
    assert found is not None
    # Kinds of support stand behind a colon, in a table.
    bare = re.sub(r"\(docs/[^)]*\)|(?<=\d): \d+ [^|\n]*(?=\|)", "", found[1])
    numbers = [found for line in bare.splitlines() if (found := [int(n) for n in re.findall(r"\b\d+\b", line)])]
    papers, ours, asked, conditions, told, again, audited, entries = numbers

    def page_text(name: str) -> str:
        return " ".join(re.sub(r"<[^>]+>", "", (whole_site / f"{name}.html").read_text(encoding="utf-8")).split())

    # Of the papers' sentences, of ours, and of their questions: how many, and how many of each verdict.
    index = page_text("index")
    assert f"{papers[0]} sentences of four papers" in index
    assert f"{ours[0]} statements of ours" in index
    assert asked[0] == 1
    assert "and one question that a paper asks" in index
    legend = re.findall(r"(\d+) (?:holds?|do(?:es)? not hold|not decided|not contradicted|untested|vacuous)", index)
    assert [int(legend[0]), sum(map(int, legend[:7]))] == [papers[1], papers[0]]
    assert f"{papers[3]} do not hold" in index
    assert papers[0] + ours[0] + asked[0] == told[0]
    assert conditions[::2] == [papers[1], papers[3]]
    audits, violated, false = audited
    assert (
        f"{false} sentences of the papers about privacy are false; {violated} of {audits} audits show it" in index
    )
    # Of earlier tests README has the verdicts that came out the same, then those that could differ.
    if "no verdict of today" in readme:
        said = (f"{again[1]} rested on random numbers; {again[0]} of these came out the same",)
    else:
        said = (f"{again[0]} verdicts that rest on random numbers {again[2]} came out the same",)
    assert any(each in page_text("claims") for each in said)
    assert any(each in page_text("index") for each in said)
    assert f"{violated} violated" in page_text("privacy")
    assert page_text("discrepancies").count("pytest tests/") == entries[0]


def test_no_identifier_is_shown(whole_site: Path, full: Config) -> None:
    """On the first page, those of claims and those of papers a visitor reads words, but for small type and code."""
    pages = [*(f"{name}.html" for name in ("index", "claims", "privacy", *full.papers))]
    pages += [file.name for file in whole_site.glob("claim-*.html")]
    found: Counter[tuple[str, str]] = Counter()
    pattern = identifiers(full)
    for name in pages:
        for text in Shown((whole_site / name).read_text(encoding="utf-8")).texts:
            found.update((name.split("-")[0], label) for label in pattern.findall(text))
    assert dict(found) == {}


@pytest.mark.parametrize(
    "text", ["regret-law (far 20)", "in mu1 at", "1.09951e+12", "claim-lowest", "10^7", "fig8"]
)
def test_identifiers_are_found(full: Config, text: str) -> None:
    """The rule above can fail."""
    assert identifiers(full).search(text)
    assert Shown(f"<p>a {text}<code>fig1</code></p>").texts == [f"a {text}"]
