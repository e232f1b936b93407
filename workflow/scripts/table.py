"""Make one table."""

from pathlib import Path

from dpbandits.core.errors import plainly
from dpbandits.core.files import making
from dpbandits.pipeline.tabulate import tabulate

record = snakemake.params.record
entry = record["definition"]
with plainly(), making(snakemake.output, record, snakemake.config.folders.results):
    tabulate(
        kind=entry["make"],
        options=entry["options"],
        caption=entry["caption"],
        aggregates=[Path(path) for path in snakemake.input.aggregates],
        computed={
            name: Path(path) for name, path in zip(entry["computations"], snakemake.input.computed, strict=True)
        },
        outputs=[Path(snakemake.output[kind]) for kind in ("csv", "md", "tex", "html")],
    )
