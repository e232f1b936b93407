"""Audit one algorithm's privacy claim."""

from pathlib import Path

from dpbandits.audit import audit
from dpbandits.errors import plainly
from dpbandits.storage import write_json

record = snakemake.params.record
with plainly():
    found = audit(**{key: value for key, value in record.items() if key != "sources"})
    write_json(Path(snakemake.output[0]), {**found.data(), "made_from": record})
