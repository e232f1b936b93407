"""Pages: the register of discrepancies, sortable tables for the report, and the static site."""

TITLES = {paper: content.title for paper, content in config.papers.items()}
REGISTERS = [
    content.discrepancies for content in config.papers.values() if content.discrepancies
]


rule discrepancies:
    """Put the register of discrepancies, sorted by paper, into a page."""
    input:
        REGISTERS,
    output:
        md=f"{RESULTS}/discrepancies.md",
        html=report(
            f"{RESULTS}/discrepancies.html",
            caption="../report/discrepancies.rst",
            category="All papers",
            labels={"table": "discrepancies"},
        ),
    log:
        f"{LOGS}/discrepancies.log",
    conda:
        "../../environment.yml"
    params:
        titles=TITLES,
        sources=source_digest("dpbandits.site.reading"),
    message:
        "Writing the register of discrepancies"
    script:
        "../scripts/discrepancies.py"


rule verdicts:
    """Make the claims ledger and the privacy table sortable, for the report."""
    input:
        claims=f"{RESULTS}/{statements.LEDGER}",
        privacy=f"{RESULTS}/{audits.TABLE}",
    output:
        claims=report(
            f"{RESULTS}/claims.html",
            caption="../report/claims.rst",
            category="All papers",
            labels={"table": "claims"},
        ),
        privacy=report(
            f"{RESULTS}/privacy.html",
            caption="../report/privacy.rst",
            category="All papers",
            labels={"table": "privacy"},
        ),
    log:
        f"{LOGS}/verdicts.log",
    conda:
        "../../environment.yml"
    params:
        sources=source_digest("dpbandits.site.reading"),
    message:
        "Writing the verdicts"
    script:
        "../scripts/verdicts.py"


rule site:
    """Make the static site: verdicts, privacy, discrepancies, and all figures and tables with their commands."""
    input:
        figures=[
            f"{FIGURES}/{file.paper}/{file.stem}.png"
            for file in plan.figure_files(config)
        ],
        privacy_figure=f"{FIGURES}/privacy.png",
        tables=[
            f"{RESULTS}/{paper}/tables/{table}.html"
            for paper, content in config.papers.items()
            for table in content.tables
        ],
        claims=f"{RESULTS}/{statements.LEDGER}",
        privacy=f"{RESULTS}/{audits.TABLE}",
        register=REGISTERS,
        citation="CITATION.cff",
    output:
        [f"{RESULTS}/site/{name}" for name in page_names(config)],
    log:
        f"{LOGS}/site.log",
    conda:
        "../../environment.yml"
    params:
        papers=config.model_dump(include={"papers"}),
        sources=source_digest("dpbandits.site.build"),
    message:
        "Making the site"
    script:
        "../scripts/site.py"
