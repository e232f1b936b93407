"""Put the parts of all claims together and correct their p-values."""

from pathlib import Path

from dpbandits.aggregate import write_table
from dpbandits.errors import plainly
from dpbandits.storage import making
from dpbandits.verdicts import corrected, read_parts

record, results = snakemake.params.record, snakemake.config["folders"]["results"]
with plainly(), making(snakemake.output, record, results):
    parts = read_parts(Path(results), record["claims"])
    write_table(corrected(parts, record["level"]), Path(snakemake.output.csv))
