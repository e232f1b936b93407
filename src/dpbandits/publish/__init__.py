"""Pages for people who have run nothing: a static site, some of whose pages are in Snakemake's report too."""

# Pages beside those of the papers. The first page is written last: where it is, all is.
PAGES = ("index", "claims", "privacy", "discrepancies", "configuration", "explore", "try", "algorithms", "again")
# Those that can be read alone.
REPORTED = ("claims", "privacy", "discrepancies", "configuration")
