"""Test the claims of a paper."""

from pathlib import Path

from dpbandits.aggregate import write_table
from dpbandits.errors import plainly
from dpbandits.storage import making
from dpbandits.verdicts import findings

record, results = snakemake.params.record, snakemake.config["folders"]["results"]
with plainly(), making(snakemake.output, record, results):
    parts = findings(snakemake.config, record["paper"], record["tests"], record["level"], Path(results))
    write_table(parts, Path(snakemake.output.csv))
