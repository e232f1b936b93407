"""Test the parts of one claim."""

from pathlib import Path

from dpbandits.aggregate import write_table
from dpbandits.errors import plainly
from dpbandits.storage import making
from dpbandits.verdicts import evaluate

record, results = snakemake.params.record, snakemake.config["folders"]["results"]
with plainly(), making(snakemake.output, record, results):
    table = evaluate(snakemake.config, record["paper"], record["definition"]["tests"], Path(results))
    write_table(table, Path(snakemake.output.csv))
