"""Everything that touches Snakemake: patches, reasons to rerun, the check of a configuration file, warm starts."""
