"""Test the claims of a paper."""

from pathlib import Path

from dpbandits.claims import claim
from dpbandits.claims.ledger import findings
from dpbandits.core.errors import plainly
from dpbandits.core.files import making
from dpbandits.runs.aggregate import write_table
from dpbandits.runs.plan import all_cells

record, results = snakemake.params.record, snakemake.config.folders.results
with plainly(), making(snakemake.output, record, results):
    paper = record["paper"]
    stated = claim.load(snakemake.config)[paper].claims
    known = all_cells(snakemake.config)
    parts = findings(known, paper, stated, record["published_runs"], record["level"], Path(results))
    write_table(parts, Path(snakemake.output.csv))
