"""Compute a table that needs no simulation."""

from pathlib import Path

from dpbandits import registry
from dpbandits.aggregate import write_table

entry = snakemake.params.compute
declared = registry.computation(entry["compute"])
table = declared.compute(**declared.resolve(entry["parameters"], "parameters"))
write_table(table, Path(snakemake.output[0]))
