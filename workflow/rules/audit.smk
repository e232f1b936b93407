"""Privacy: an audit for each algorithm and claimed budget, then one table and one figure of all."""


rule audit:
    """Audit one algorithm's privacy claim at one budget."""
    input:
        inputs("audit"),
    output:
        json=f"{RESULTS}/privacy/{{audited}}/eps={{epsilon}}.json",
    log:
        f"{LOGS}/privacy/{{audited}}/eps={{epsilon}}.log",
    benchmark:
        f"{LOGS}/privacy/{{audited}}/eps={{epsilon}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=with_retries(2000),
        runtime=with_retries(10),
    params:
        rerun_if_changed=rerun_if_changed("audit"),
        sources=sources("audit"),
        request=request("audit"),
    message:
        "Auditing {wildcards.audited}, epsilon {wildcards.epsilon}"
    script:
        "../scripts/make.py"


rule privacy_table:
    """Put all audits together: CSV in full precision, Markdown and LaTeX for readers."""
    input:
        inputs("privacy_table"),
    output:
        csv=f"{RESULTS}/privacy.csv",
        md=f"{RESULTS}/privacy.md",
        tex=f"{RESULTS}/privacy.tex",
        seal=f"{RESULTS}/privacy.json",
    log:
        f"{LOGS}/privacy_table.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        rerun_if_changed=rerun_if_changed("privacy_table"),
        sources=sources("privacy_table"),
        request=request("privacy_table"),
    message:
        "Putting the audits together"
    script:
        "../scripts/make.py"


rule privacy_figure:
    """Draw audited against claimed privacy loss."""
    input:
        inputs("privacy_figure"),
    output:
        csv=f"{FIGURES}/privacy.csv",
        pdf=f"{FIGURES}/privacy.pdf",
        png=report(
            f"{FIGURES}/privacy.png",
            caption="../report/privacy.rst",
            category="All papers",
            labels={"figure": "privacy"},
        ),
        seal=f"{FIGURES}/privacy.json",
    log:
        f"{LOGS}/privacy_figure.log",
    localrule: True
    conda:
        "../../environment.yml"
    resources:
        mem_mb=with_retries(1000),
        runtime=with_retries(2),
    params:
        rerun_if_changed=rerun_if_changed("privacy_figure"),
        sources=sources("privacy_figure"),
        request=request("privacy_figure"),
    message:
        "Drawing the privacy audits"
    script:
        "../scripts/make.py"
