"""Pages for people who have run nothing: a static site, and sortable tables for Snakemake's report."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpbandits.runs.models import Config

# Pages beside those of the papers. The first page is written last: where it is, all is.
PAGES = ("claims", "privacy", "discrepancies", "index")


def page_names(config: Config) -> list[str]:
    """Return the names of the site's files that are pages."""
    return [f"{name}.html" for name in (*config.papers, *PAGES)]
