"""Draw the privacy audits."""

from pathlib import Path

from dpbandits.core.errors import plainly
from dpbandits.core.files import making
from dpbandits.pipeline.render import render

with plainly(), making(snakemake.output, snakemake.params.record, snakemake.config.folders.results):
    render(
        kind="privacy",
        version="full",
        options={},
        aggregates=[],
        computed={"privacy": Path(snakemake.input[0])},
        outputs=[Path(snakemake.output[kind]) for kind in ("pdf", "png", "csv")],
    )
