"""Put all audits of privacy together."""

from pathlib import Path

import pandas as pd

from dpbandits import registry
from dpbandits.aggregate import write_table
from dpbandits.audit import planned
from dpbandits.errors import plainly
from dpbandits.storage import making, whole
from dpbandits.tabulate import latex, markdown

record, results = snakemake.params.record, snakemake.config["folders"]["results"]
with plainly(), making(snakemake.output, record, results):
    audits = planned.read(Path(results), record["audits"])
    numbers, text = registry.table("privacy").make(pd.DataFrame(), {"privacy": audits})
    write_table(numbers, Path(snakemake.output.csv))
    for path, form in ((snakemake.output.md, markdown), (snakemake.output.tex, latex)):
        with whole(Path(path)) as aside:
            aside.write_text(form(text, snakemake.params.caption), encoding="utf-8")
