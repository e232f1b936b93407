"""Make the ledger and the privacy table sortable."""

from pathlib import Path

from dpbandits.core.errors import plainly
from dpbandits.core.files import whole
from dpbandits.site.reading import ledger_page, privacy_page

with plainly():
    pages = {"claims": ledger_page, "privacy": privacy_page}
    for name, made in pages.items():
        with whole(Path(snakemake.output[name])) as aside:
            aside.write_text(made(Path(snakemake.input[name])), encoding="utf-8")
