"""Save the configuration with the results."""

import json
from pathlib import Path

from dpbandits.core.errors import plainly
from dpbandits.core.files import whole, write_json
from dpbandits.site.pages import highlighted

text = snakemake.params.text + "\n"
with plainly():
    write_json(Path(snakemake.output.json), json.loads(text))
    with whole(Path(snakemake.output.html)) as aside:
        aside.write_text(highlighted(text), encoding="utf-8")
