"""Privacy: an audit for each algorithm and claimed budget, then one table and one figure of all."""

AUDITS = {entry.file: entry for entry in audits.entries(config)}


rule audit:
    """Audit one algorithm's privacy claim at one budget."""
    output:
        f"{RESULTS}/{audits.AUDIT}",
    log:
        f"{LOGS}/{audits.AUDIT.replace('.json', '.log')}",
    benchmark:
        f"{LOGS}/{audits.AUDIT.replace('.json', '.tsv')}"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=asked(2000),
        runtime=asked(10),
    params:
        record=lambda wildcards: audits.record(config, audited(wildcards)),
    message:
        "Auditing {wildcards.audited}, epsilon {wildcards.epsilon}"
    script:
        "../scripts/audit.py"


rule privacy_table:
    """Put all audits together: CSV in full precision, Markdown and LaTeX for readers."""
    input:
        [f"{RESULTS}/{file}" for file in AUDITS],
    output:
        csv=f"{RESULTS}/{audits.TABLE}",
        md=f"{RESULTS}/{audits.TABLE.replace('.csv', '.md')}",
        tex=f"{RESULTS}/{audits.TABLE.replace('.csv', '.tex')}",
        seal=f"{RESULTS}/{audits.TABLE.replace('.csv', '.json')}",
    log:
        f"{LOGS}/privacy_table.log",
    conda:
        "../../environment.yml"
    params:
        record=audits.table_record(config),
        caption=config.privacy.caption,
    message:
        "Putting the audits together"
    script:
        "../scripts/privacy_table.py"


rule privacy_figure:
    """Draw audited against claimed privacy loss."""
    input:
        f"{RESULTS}/{audits.TABLE}",
    output:
        pdf=f"{FIGURES}/privacy.pdf",
        png=report(
            f"{FIGURES}/privacy.png",
            caption="../report/privacy.rst",
            category="All papers",
            labels={"figure": "privacy"},
        ),
        csv=f"{FIGURES}/privacy.csv",
        seal=f"{FIGURES}/privacy.json",
    log:
        f"{LOGS}/privacy_figure.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=asked(1000),
        runtime=asked(2),
    params:
        record=audits.figure_record(config),
    message:
        "Drawing the privacy audits"
    script:
        "../scripts/privacy_figure.py"
