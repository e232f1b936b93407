"""The site and what goes into it: captions that tell scales, verdicts, links, formulas; nothing is from afar."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from PIL import Image

from dpbandits.claims import claim
from dpbandits.claims.register import markdown
from dpbandits.core.errors import BadInput
from dpbandits.core.files import write_json
from dpbandits.pipeline.make import make
from dpbandits.pipeline.products import catalogue
from dpbandits.runs import caption, config, plan, register
from dpbandits.runs.models import Config, Folders
from dpbandits.site import PAGES
from dpbandits.site.build import build
from dpbandits.site.content import CLAIMS, Item
from dpbandits.site.pages import page
from dpbandits.site.words import evidence, prose, short, sort_key

LEDGER = (
    *("paper", "id", "place", "statement", "reading", "test", "power", "verdict", "near_threshold", "effect"),
    *("p", "parts_hold"),
    *(
        "parts_fail",
        "parts_open",
        "runs",
        "sources",
        "shown",
        "published",
        "published_share",
        "remark",
        "revised",
        "more_runs",
    ),
)
PRIVACY = ("setting", "algorithm", "title", "base", "definition", "epsilon", "delta", "audited", "verdict")


@pytest.fixture(scope="module")
def full() -> Config:
    """Return the shipped configuration, complete."""
    return config.load(config.shipped(Path(__file__).parents[2] / "config"))


def write(path: Path, columns: tuple[str, ...], rows: list[Mapping[str, str]]) -> Path:
    """Write a CSV file whose missing cells are empty."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture(scope="module")
def site(full: Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a site of the whole configuration with blank pictures, four claims and three audits."""
    folder = tmp_path_factory.mktemp("site")
    folders = Folders(results=str(folder / "results"), figures=str(folder / "figures"))
    settled = full.model_copy(update={"folders": folders})
    products = catalogue(settled, plan.all_cells(settled), claim.load(settled))
    blank = Image.new("RGB", (1400, 700), "white")
    for product in (made for (kind, *_), made in products.items() if kind in ("figure", "table", "privacy_figure")):
        for suffix, file in product.files.items():
            place = Path(file)
            place.parent.mkdir(parents=True, exist_ok=True)
            text = "| head |\n|---|\n| cell |\n\nA caption.\n" if suffix == "md" else ""
            blank.save(place) if suffix == "png" else place.write_text(text, encoding="utf-8")
    claims = [
        {"paper": "azize2025", "id": f"c{i}", "statement": f"{i} < 5", "verdict": sign.verdict, "runs": "20"}
        | {"shown": "azize2025/figure/fig4", "near_threshold": "no", "effect": "ratio 2 [1, 3]", "test": "ratio"}
        | {"revised": "Its factor was 2." if i == 1 else ""}
        for i, sign in enumerate(CLAIMS)
    ]
    audits = [
        {"algorithm": name, "title": name, "verdict": verdict, "epsilon": "1.0", "delta": "0.0", "audited": "0.93"}
        for name, verdict in (("a", "consistent"), ("b", "violated"), ("c", "no claim"))
    ]
    write(Path(products["ledger",].main), LEDGER, claims)
    write(Path(products["privacy_table",].main), (*PRIVACY, "method", "witness"), audits)
    make(products["configuration",].order)
    missing = {"missing": "a linker is not installed", "made_from": products["kernels",].order.made_from}
    write_json(Path(products["kernels",].main), missing)
    site = products["site",]
    build(site.definition, **site.given, pages={name: Path(file) for name, file in site.files.items()})
    return Path(site.files["index"]).parent


def test_the_site_is_complete(site: Path, full: Config) -> None:
    """All pages are there, with all figures, claims, audits and discrepancies, and nothing else is."""
    tables = {f"table-{paper}-{table}" for paper, content in full.papers.items() for table in content.tables}
    assert {file.stem for file in site.glob("*.html")} == {*full.papers, *PAGES, *tables}
    gallery = (site / "index.html").read_text(encoding="utf-8")
    for paper, content in full.papers.items():
        page = (site / f"{paper}.html").read_text(encoding="utf-8")
        for figure in content.figures:
            assert f'href="{paper}.html#{figure}"' in gallery
            assert f'id="{figure}"' in page
            assert f"/{paper}/{figure}.pdf</pre>" in page
    claims = (site / "claims.html").read_text(encoding="utf-8")
    assert re.findall(r"<b>(\d+)</b> (?:holds|does|not)", claims) == ["1"] * 4
    assert "3 &lt; 5" in claims
    assert claims.count(">test revised</span>") == claims.count("<dd>Its factor was 2.</dd>") == 1
    assert len(re.findall(r"<tr>\s*<td data-sort=\"(?:con|vio)", (site / "privacy.html").read_text("utf-8"))) == 2
    known = [entry for entries in register.load(full).values() for entry in entries]
    assert len(known) > 50
    shown = (site / "discrepancies.html").read_text(encoding="utf-8")
    assert all(f'id="{entry.id}"' in shown and entry.test in shown for entry in known)


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
                assert not part or f'id="{part}"' in pages[file or name], (name, address)


def test_thumbnails_are_small(site: Path) -> None:
    """The gallery is for phones too."""
    with Image.open(site / "files/azize2025/fig4.small.png") as small:
        assert small.size == (560, 280)
        assert small.mode == "P"


def test_captions_tell_the_scale(full: Config) -> None:
    """Runs and horizons are those of the configuration, in words that fit."""
    figures, known = full.papers["azize2025"].figures, plan.all_cells(full)
    assert (
        caption.scale(full, known, "azize2025", figures["fig4"], "published")
        == "20 runs of each algorithm; T = 1,000,000."
    )
    both = caption.scale(full, known, "azize2025", figures["fig4"])
    assert both == "10,000 runs of batched algorithms, 400 of those that decide every round; T = 1,000,000."
    assert caption.scale(full, known, "azize2025", figures["fig2"]) == caption.DIAGRAM
    exact = caption.scale(full, known, "wu2025", full.papers["wu2025"].figures["thm4"])
    assert exact == "Computed: deterministic-regret (epsilon 0.1, gap 0.01, horizon 2⁴⁰)."
    assert [caption.count(value) for value in (5, 1e6, 10**9, 2**40, 0.01)] == [
        "5",
        "1,000,000",
        "10⁹",
        "2⁴⁰",
        "0.01",
    ]
    assert "\\_" in caption.restructured(full, known, "azize2025", figures["thm3.1"])


def test_words() -> None:
    """Text becomes HTML that says the same; columns sort by their numbers."""
    assert prose("a < b, `c`") == "a &lt; b, <code>c</code>"
    assert prose(r"$\frac{1}{2}$").startswith("<math")
    assert prose("arXiv:2605.29148").startswith('<a href="https://arxiv.org/abs/2605.29148">')
    assert [sort_key(cell) for cell in ("1,269,571 (> T)", "453 ± 7", "−2.5", "Theorem 9", "0.001")] == [
        *("1269571", "453", "-2.5", "Theorem 9", "0.001")
    ]
    assert [short(cell) for cell in ("0.93123456", "inf", "sampled")] == ["0.9312", "inf", "sampled"]
    assert evidence("wu2025/table/table1") == ("wu2025.html#table-table1", "table1")
    assert evidence("privacy") == ("privacy.html", "privacy")


def test_a_table_is_a_page_that_sorts(tmp_path: Path) -> None:
    """A sortable page holds all cells, escaped, and its script."""
    made = tmp_path / "made.md"
    made.write_text(
        "| bound | value |\n|---|---|\n| $\\sqrt{T}$ | 1,000 |\n| <none> | 20 |\n\nA caption.\n", "utf-8"
    )
    item = Item("p", "made", "table", "full", "A caption.", "", {"md": made})
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
    entries = {paper: [entry.model_dump() for entry in known] for paper, known in register.load(of_papers).items()}
    assert list(entries) == papers
    text = markdown(entries, dict.fromkeys(papers, "a title"), register.KINDS)
    assert text.index("## wu2025: a title") < text.index("## azize2025: a title")
    assert text.count("*Test.*") == text.count("*What stands.*") == sum(map(len, entries.values()))
    false, misprint = (sum(entry["kind"] == kind for entry in entries["wu2025"]) for kind in register.KINDS[::2])
    assert re.search(rf"^\| `wu2025` \| {false} \| \d+ \| {misprint} \| \d+ \|$", text, re.MULTILINE)


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
        register.load(full.model_copy(update={"papers": {"wu2025": paper}}))
    assert str(caught.value).startswith(f"{file}: {message}")
