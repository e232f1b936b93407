"""Write the claims ledger."""

from pathlib import Path

from dpbandits.claims.ledger import read_findings, write
from dpbandits.core.errors import plainly
from dpbandits.core.files import making

record, results = snakemake.params.record, snakemake.config["folders"]["results"]
with plainly(), making(snakemake.output, record, results):
    write(
        record["claims"],
        read_findings([Path(file) for file in snakemake.input]),
        record["decided_from"],
        record["titles"],
        [Path(snakemake.output[kind]) for kind in ("csv", "md", "tex")],
    )
