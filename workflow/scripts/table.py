"""Make one table."""

from pathlib import Path

from dpbandits.tabulate import tabulate

entry = snakemake.params.table
tabulate(
    kind=entry["make"],
    options=entry["options"],
    caption=entry["caption"],
    aggregates=[Path(path) for path in snakemake.input.aggregates],
    computed={name: Path(path) for name, path in zip(entry["computations"], snakemake.input.computed, strict=True)},
    outputs=[Path(path) for path in snakemake.output],
)
