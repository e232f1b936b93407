# Start here: `snakemake --cores 2`. What is run is in config/, how in src/dpbandits/, in which order below workflow/.
# The included file's default target counts.
workflow.include("workflow/Snakefile", overwrite_default_target=True)
