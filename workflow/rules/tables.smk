"""Tables: CSV in full precision, Markdown and LaTeX for readers. A table never simulates."""


rule table:
    """Make a table."""
    input:
        aggregates=lambda wildcards: [
            f"{RESULTS}/{wildcards.paper}/aggregates/{name}.csv"
            for name in table_entry(wildcards)["experiments"]
        ],
        computed=lambda wildcards: [
            f"{RESULTS}/{wildcards.paper}/computed/{name}.csv"
            for name in table_entry(wildcards)["computations"]
        ],
    output:
        csv=f"{RESULTS}/{{paper}}/tables/{{table}}.csv",
        md=f"{RESULTS}/{{paper}}/tables/{{table}}.md",
        tex=f"{RESULTS}/{{paper}}/tables/{{table}}.tex",
    log:
        f"{LOGS}/{{paper}}/tables/{{table}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1500,
        runtime=15,
    params:
        table=table_entry,
        sources=lambda wildcards: plan.table_sources(
            config, wildcards.paper, wildcards.table
        ),
    message:
        "Making {wildcards.paper} {wildcards.table}"
    script:
        "../scripts/table.py"
