"""Make a product: what, from what, and where to stands in the rule's parameters."""

from dpbandits.products.make import make

make(snakemake.params.request)
