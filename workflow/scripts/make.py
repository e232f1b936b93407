"""Make a product: what, from what, and where to stands in the rule's parameters."""

import os

from dpbandits.products.make import make

# What the job says is in its log, and not between the lines of the terminal.
os.dup2(os.open(snakemake.log[0], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
make(snakemake.params.request)
