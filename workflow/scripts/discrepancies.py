"""Put the register of discrepancies into pages."""

from pathlib import Path

from dpbandits.core.errors import plainly
from dpbandits.core.files import whole
from dpbandits.site.reading import register_markdown, register_page
from dpbandits.site.register import read_register

titles = snakemake.params.titles
with plainly():
    register = read_register(snakemake.config)
    pages = {"md": register_markdown(register, titles), "html": register_page(register)}
    for suffix, text in pages.items():
        with whole(Path(snakemake.output[suffix])) as aside:
            aside.write_text(text, encoding="utf-8")
