"""Audit one algorithm's privacy claim."""

from pathlib import Path

from dpbandits.audit.audit import audit
from dpbandits.core.errors import plainly
from dpbandits.core.files import write_json

record = snakemake.params.record
with plainly():
    found = audit(**{key: value for key, value in record.items() if key != "sources"})
    write_json(Path(snakemake.output[0]), {**found.data(), "made_from": record})
