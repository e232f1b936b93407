"""Put all audits of privacy together."""

from pathlib import Path

import pandas as pd

from dpbandits import registry
from dpbandits.audit import planned
from dpbandits.errors import plainly
from dpbandits.storage import making
from dpbandits.tabulate import save

record, results = snakemake.params.record, snakemake.config["folders"]["results"]
with plainly(), making(snakemake.output, record, results):
    audits = planned.read(Path(results), record["audits"])
    made = registry.table("privacy").make(pd.DataFrame(), {"privacy": audits})
    save(made, snakemake.params.caption, [Path(snakemake.output[kind]) for kind in ("csv", "md", "tex")])
