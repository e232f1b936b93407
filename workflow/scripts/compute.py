"""Compute a table, exactly or from the runs of experiments."""

from pathlib import Path

from dpbandits import registry
from dpbandits.aggregate import read_cell, write_table
from dpbandits.errors import plainly
from dpbandits.plan import cells
from dpbandits.storage import making

record, results = snakemake.params.record, snakemake.config["folders"]["results"]
entry = record["definition"]
declared = registry.computation(entry["compute"])
with plainly(), making(snakemake.output, record, results):
    runs = [
        read_cell(cell, Path(results))
        for name in entry["experiments"]
        for cell in cells(snakemake.config, record["paper"], name)
    ]
    table = declared.compute(
        *([runs] if declared.reads_runs else []), **declared.resolve(entry["parameters"], "parameters")
    )
    write_table(table, Path(snakemake.output.csv))
