"""Compute a table, exactly or from the runs of experiments."""

from pathlib import Path

from dpbandits import registry
from dpbandits.aggregate import read_cell, write_table
from dpbandits.plan import cells

entry = snakemake.params.compute
declared = registry.computation(entry["compute"])
folder = Path(snakemake.config["folders"]["results"])
paper = snakemake.wildcards.paper
runs = [read_cell(cell, folder) for name in entry["experiments"] for cell in cells(snakemake.config, paper, name)]
table = declared.compute(
    *([runs] if declared.reads_runs else []), **declared.resolve(entry["parameters"], "parameters")
)
write_table(table, Path(snakemake.output[0]))
