"""Test the claims of a paper."""

from pathlib import Path

from dpbandits.claims.ledger import findings
from dpbandits.core.errors import plainly
from dpbandits.core.files import making
from dpbandits.runs.aggregate import write_table

record, results = snakemake.params.record, snakemake.config["folders"]["results"]
with plainly(), making(snakemake.output, record, results):
    parts = findings(snakemake.config, record["paper"], record["tests"], record["level"], Path(results))
    write_table(parts, Path(snakemake.output.csv))
