"""Audit one algorithm's privacy claim."""

import json
from pathlib import Path

from dpbandits.audit import audit
from dpbandits.errors import plainly
from dpbandits.storage import whole

record = snakemake.params.record
with plainly():
    found = audit(**{key: value for key, value in record.items() if key != "sources"})
    with whole(Path(snakemake.output[0])) as aside:
        aside.write_text(json.dumps({**found.data(), "made_from": record}, indent=1) + "\n", encoding="utf-8")
