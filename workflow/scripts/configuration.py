"""Save the configuration with the results."""

from pathlib import Path

from dpbandits.storage import whole

with whole(Path(snakemake.output[0])) as aside:
    aside.write_text(snakemake.params.text + "\n", encoding="utf-8")
