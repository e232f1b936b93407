"""Draw one version of one figure."""

from pathlib import Path

from dpbandits.render import render

entry = snakemake.params.figure
render(
    kind=entry["draw"],
    version=snakemake.params.version,
    options=entry["options"],
    aggregates=[Path(path) for path in snakemake.input.aggregates],
    computed={name: Path(path) for name, path in zip(entry["computations"], snakemake.input.computed, strict=True)},
    outputs=[Path(path) for path in snakemake.output],
)
