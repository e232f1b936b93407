"""Save the configuration with the results."""

from pathlib import Path

from dpbandits.errors import plainly
from dpbandits.site.pages import highlighted
from dpbandits.storage import whole

text = snakemake.params.text + "\n"
with plainly():
    for suffix, content in {"json": text, "html": highlighted(text)}.items():
        with whole(Path(snakemake.output[suffix])) as aside:
            aside.write_text(content, encoding="utf-8")
