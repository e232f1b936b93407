"""Compute a table, exactly or from the runs of experiments."""

from pathlib import Path

from dpbandits.core import exhibit
from dpbandits.core.errors import plainly
from dpbandits.core.files import making
from dpbandits.runs.aggregate import read_cell, write_table
from dpbandits.runs.plan import cells

record, results = snakemake.params.record, snakemake.config.folders.results
entry = record["definition"]
declared = exhibit.computation(entry["compute"])
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
