"""Make the static site."""

from pathlib import Path

from dpbandits.core.errors import plainly
from dpbandits.site.build import build

with plainly():
    build(
        snakemake.config,
        claims=Path(snakemake.input.claims),
        privacy=Path(snakemake.input.privacy),
        privacy_figure=Path(snakemake.input.privacy_figure),
        register=Path(snakemake.input.register),
        citation=Path(snakemake.input.citation),
        folder=Path(snakemake.output[0]).parent,
    )
