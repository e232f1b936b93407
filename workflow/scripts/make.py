"""Make a product: what, from what, and where to stands in the rule's parameters."""

from dpbandits.pipeline.make import make

make(snakemake.params.order)
