"""Write the site: its pages, and its pictures in sizes for a screen."""

from __future__ import annotations

import json
import shutil
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup
from PIL import Image

from dpbandits import __version__
from dpbandits.core.files import Json, read_json, whole
from dpbandits.core.sentences import false_privacy
from dpbandits.site import PAGES
from dpbandits.site.content import CLAIMS, NO_CLAIM, PRIVACY, SIGNS, Item, read_papers, read_text
from dpbandits.site.pages import TEMPLATES, highlighted, page
from dpbandits.site.reviews import linked, review
from dpbandits.site.reviews import paper as article

THUMBNAIL_WIDTH = 560


def thumbnail(picture: Path, path: Path, width: int = THUMBNAIL_WIDTH, colours: int = 64) -> None:
    """Write a small PNG of a picture: scaled down, and with a palette, which plots do not suffer from."""
    with Image.open(picture) as opened:
        small = opened.convert("RGB")
        if small.width > width:
            small = small.resize((width, round(small.height * width / small.width)), Image.Resampling.LANCZOS)
        with whole(path) as aside:
            small.quantize(colours, dither=Image.Dither.NONE).save(aside, optimize=True)


def _pictures(items: Sequence[Item], folder: Path) -> Iterator[Path]:
    """Put figures and tables of a paper beside its page."""
    for item in items:
        for suffix, file in item.files.items():
            place = folder / "files" / item.paper / f"{item.stem}.{suffix}"
            if suffix == "png":
                small = place.with_name(f"{item.stem}.small.png")
                thumbnail(file, small)
                yield small
            with whole(place) as aside:
                shutil.copyfile(file, aside)
            yield place


def tried(kernels: Json) -> dict[str, Any]:
    """Return what the page *Try* is made of."""
    content = {name: value for name, value in kernels.items() if name != "made_from"}
    if "missing" in content:
        return {"kernels": content}
    settings: dict[str, list[str]] = {}
    for name, about in content["algorithms"].items():
        settings.setdefault(about["setting"], []).append(name)
    return {
        "kernels": {**content, "settings": settings},
        # Within scripts: nothing in them may look like their end.
        "packed": Markup(json.dumps(content, separators=(",", ":")).replace("</", "<\\/")),
        "worker": Markup((TEMPLATES / "try_worker.js").read_text(encoding="utf-8")),
    }


def build(
    definition: Json,
    ledger: str | None,
    privacy_table: str | None,
    privacy_figure: str | None,
    configuration: str,
    kernels: str,
    pages: Mapping[str, Path],
) -> list[Path]:
    """Write the site, and return what its pages show or offer.

    Parameters
    ----------
    definition
        ``root_seed``, the ``kinds`` of discrepancies, and ``papers`` as `read_papers` takes them.
    ledger, privacy_table
        As CSV, if there are claims, and audits.
    privacy_figure
        The figure of the latter; its PNG lies beside it.
    configuration
        The saved configuration.
    kernels
        What the page *Try* runs, or why there is nothing (`dpbandits.site.wasm.kernels`).
    pages
        Where each page goes, by its name. They are written last: a page's pictures are there when it is.
    """
    papers = read_papers(definition["papers"], read_text(Path(ledger)) if ledger else [])
    privacy = read_text(Path(privacy_table)) if privacy_table else []
    folder = pages["index"].parent
    shown = [
        file
        for paper in papers
        for file in _pictures([*paper.figures, *paper.published.values(), *paper.tables], folder)
    ]
    shared = {
        "papers": papers,
        "privacy": [row for row in privacy if row["verdict"] != NO_CLAIM.verdict],
        "privacy_counts": Counter(row["verdict"] for row in privacy),
        "false_privacy": false_privacy(claim for paper in papers for claim in paper.claims),
        "claim_signs": CLAIMS,
        "privacy_signs": PRIVACY,
        # Within its page, which the report shows without the site's other files.
        "privacy_picture": privacy_figure
        and b64encode(Path(privacy_figure).with_suffix(".png").read_bytes()).decode("ascii"),
        "signs": SIGNS,
        "root_seed": definition["root_seed"],
        "kinds": definition["kinds"],
        "version": __version__,
        **tried(read_json(Path(kernels))),
    }
    graphs = {
        paper.name: [review(claim, article(paper.name, definition["papers"][paper.name])) for claim in paper.claims]
        for paper in papers
    }
    texts = {
        paper.name: page(
            "paper.html.jinja2", here=paper.name, paper=paper, linked=linked(graphs[paper.name]), **shared
        )
        for paper in papers
    }
    for item in (item for paper in papers for item in paper.tables):
        texts[f"table-{item.paper}-{item.name}"] = page("table.html.jinja2", item=item)
    code = highlighted(json.dumps(read_json(Path(configuration))["configuration"], indent=2))
    for name in PAGES:
        told = {"linked": linked([each for graph in graphs.values() for each in graph])} if name == "claims" else {}
        texts[name] = page(f"{name}.html.jinja2", here=name, **told, **shared, **code)
    for name, path in pages.items():
        with whole(path) as aside:
            aside.write_text(texts[name], encoding="utf-8")
    return shown
