"""Write the claims ledger."""

from pathlib import Path

from dpbandits.claims import claim
from dpbandits.claims.ledger import ledger, read_findings, write
from dpbandits.core.errors import plainly
from dpbandits.core.files import making

record, results = snakemake.params.record, snakemake.config.folders.results
with plainly(), making(snakemake.output, record, results):
    parts = read_findings([Path(file) for file in snakemake.input])
    table = ledger(claim.load(snakemake.config), parts, claim.sources)
    outputs = [Path(snakemake.output[kind]) for kind in ("csv", "md", "tex")]
    write(table, record["level"], record["titles"], outputs)
