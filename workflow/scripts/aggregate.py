"""Aggregate an experiment's regret arrays."""

from pathlib import Path

from dpbandits.core.errors import plainly
from dpbandits.core.files import making
from dpbandits.runs.aggregate import aggregate, write_table
from dpbandits.runs.plan import cells

record, results = snakemake.params.record, snakemake.config.folders.results
with plainly(), making(snakemake.output, record, results):
    table = aggregate(
        cells(snakemake.config, record["paper"], record["experiment"]),
        Path(results),
        record["published_runs"],
        record["confidence"],
    )
    write_table(table, Path(snakemake.output.csv))
