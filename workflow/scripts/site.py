"""Make the static site."""

from pathlib import Path

from dpbandits.core.errors import plainly
from dpbandits.site.build import build
from dpbandits.site.register import read_register

with plainly():
    build(
        snakemake.config,
        claims=Path(snakemake.input.claims),
        privacy=Path(snakemake.input.privacy),
        privacy_figure=Path(snakemake.input.privacy_figure),
        register=read_register(snakemake.config),
        citation=Path(snakemake.input.citation),
        folder=Path(snakemake.output[0]).parent,
    )
