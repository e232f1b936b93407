"""Aggregate an experiment's regret arrays."""

from pathlib import Path

from dpbandits.aggregate import aggregate, write_table
from dpbandits.plan import cells

paper, experiment = snakemake.wildcards.paper, snakemake.wildcards.experiment
table = aggregate(
    cells(snakemake.config, paper, experiment),
    Path(snakemake.config["folders"]["results"]),
    snakemake.params.published_runs,
    snakemake.params.confidence,
)
write_table(table, Path(snakemake.output[0]))
