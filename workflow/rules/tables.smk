"""Tables: CSV, Markdown and LaTeX."""


rule table:
    """Make one table, as CSV in full precision, and as Markdown and LaTeX for readers."""
    input:
        inputs("table"),
    output:
        csv=f"{RESULTS}/{{paper}}/tables/{{table}}.csv",
        md=f"{RESULTS}/{{paper}}/tables/{{table}}.md",
        tex=f"{RESULTS}/{{paper}}/tables/{{table}}.tex",
        seal=f"{RESULTS}/{{paper}}/tables/{{table}}.json",
    log:
        f"{LOGS}/{{paper}}/tables/{{table}}.log",
    benchmark:
        f"{LOGS}/{{paper}}/tables/{{table}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=with_retries(1000),
        runtime=with_retries(2),
    params:
        rerun_if_changed=rerun_if_changed("table"),
        sources=sources("table"),
        request=request("table"),
    message:
        "Making {wildcards.paper} {wildcards.table}"
    script:
        "../scripts/make.py"
