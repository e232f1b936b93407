"""Put all audits of privacy together."""

from pathlib import Path

import pandas as pd

from dpbandits.audit import table as audits
from dpbandits.core import exhibit
from dpbandits.core.errors import plainly
from dpbandits.core.files import making
from dpbandits.pipeline.tabulate import save

record, results = snakemake.params.record, snakemake.config.folders.results
with plainly(), making(snakemake.output, record, results):
    audits = audits.read(Path(results), record["audits"])
    made = exhibit.table("privacy").make(pd.DataFrame(), {"privacy": audits})
    save(made, snakemake.params.caption, [Path(snakemake.output[kind]) for kind in ("csv", "md", "tex")])
