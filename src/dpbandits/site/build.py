"""Write the site: its pages, and its pictures in sizes for a screen."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from dpbandits import __version__
from dpbandits.core.files import whole
from dpbandits.site import PAGES
from dpbandits.site.content import CLAIMS, NO_CLAIM, PRIVACY, SIGNS, Item, Paper, read_papers
from dpbandits.site.pages import page
from dpbandits.site.reading import read_text

if TYPE_CHECKING:
    from dpbandits.runs.models import Config
    from dpbandits.site.register import Register

THUMBNAIL_WIDTH = 560


def thumbnail(picture: Path, path: Path, width: int = THUMBNAIL_WIDTH, colours: int = 64) -> None:
    """Write a small PNG of a picture: scaled down, and with a palette, which plots do not suffer from."""
    with Image.open(picture) as opened:
        small = opened.convert("RGB")
        if small.width > width:
            small = small.resize((width, round(small.height * width / small.width)), Image.Resampling.LANCZOS)
        with whole(path) as aside:
            small.quantize(colours, dither=Image.Dither.NONE).save(aside, optimize=True)


def _pictures(items: Sequence[Item], folder: Path) -> None:
    """Put figures and tables of a paper beside its page."""
    for item in items:
        for suffix, file in item.files.items():
            place = folder / "files" / item.paper / f"{item.stem}.{suffix}"
            if suffix == "png":
                thumbnail(file, place.with_name(f"{item.stem}.small.png"))
            with whole(place) as aside:
                shutil.copyfile(file, aside)


def _texts(
    config: Config, papers: Sequence[Paper], privacy: Sequence[Mapping[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page."""
    shared = {
        "papers": papers,
        "privacy": [row for row in privacy if row["verdict"] != NO_CLAIM.verdict],
        "privacy_counts": Counter(row["verdict"] for row in privacy),
        "claim_signs": CLAIMS,
        "privacy_signs": PRIVACY,
        "signs": SIGNS,
        "root_seed": config.root_seed,
        "version": __version__,
    }
    for paper in papers:
        yield paper.name, page("paper.html.jinja2", here=paper.name, paper=paper, **shared)
    for name in PAGES:
        yield name, page(f"{name}.html.jinja2", here=name, **shared)


def build(
    config: Config,
    claims: Path,
    privacy: Path,
    privacy_figure: Path,
    register: Register,
    citation: Path,
    folder: Path,
) -> None:
    """Write the site.

    Parameters
    ----------
    config
        The checked configuration; its folders have the figures and tables.
    claims, privacy
        The ledger and the privacy table, as CSV.
    privacy_figure
        The figure of the latter, a PNG.
    register
        The register of discrepancies.
    citation
        The citation file, which knows the papers' authors.
    folder
        Where to. Pages are written last: a page's pictures are there when it is.
    """
    papers = read_papers(config, read_text(claims), register, citation)
    for paper in papers:
        _pictures([*paper.figures, *paper.published.values(), *paper.tables], folder)
    with whole(folder / "files" / "privacy.png") as aside:
        shutil.copyfile(privacy_figure, aside)
    for name, text in _texts(config, papers, read_text(privacy)):
        with whole(folder / f"{name}.html") as aside:
            aside.write_text(text, encoding="utf-8")
