"""Draw one version of one figure."""

from pathlib import Path

from dpbandits.core.errors import plainly
from dpbandits.core.files import making
from dpbandits.pipeline.render import render

record = snakemake.params.record
entry = record["definition"]
with plainly(), making(snakemake.output, record, snakemake.config.folders.results):
    render(
        kind=entry["draw"],
        version=record["version"],
        options=entry["options"],
        aggregates=[Path(path) for path in snakemake.input.aggregates],
        computed={
            name: Path(path) for name, path in zip(entry["computations"], snakemake.input.computed, strict=True)
        },
        outputs=[Path(snakemake.output[kind]) for kind in ("pdf", "png", "csv")],
    )
