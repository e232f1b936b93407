"""Aggregate an experiment's regret arrays."""

from pathlib import Path

from dpbandits.aggregate import aggregate, write_table
from dpbandits.errors import plainly
from dpbandits.plan import cells
from dpbandits.storage import making

record, results = snakemake.params.record, snakemake.config["folders"]["results"]
with plainly(), making(snakemake.output, record, results):
    table = aggregate(
        cells(snakemake.config, record["paper"], record["experiment"]),
        Path(results),
        record["published_runs"],
        record["confidence"],
    )
    write_table(table, Path(snakemake.output.csv))
