"""Write the claims ledger."""

from pathlib import Path

import pandas as pd

from dpbandits.errors import plainly
from dpbandits.storage import making
from dpbandits.verdicts import write

record, results = snakemake.params.record, snakemake.config["folders"]["results"]
with plainly(), making(snakemake.output, record, results):
    write(
        record["claims"],
        pd.read_csv(snakemake.input[0]),
        record["decided_from"],
        record["titles"],
        [Path(snakemake.output[kind]) for kind in ("csv", "md", "tex")],
    )
