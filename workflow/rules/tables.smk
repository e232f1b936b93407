"""Tables: CSV in full precision, Markdown, LaTeX and HTML for readers. A table never simulates."""


rule table:
    """Make a table."""
    input:
        aggregates=lambda wildcards: [
            f"{RESULTS}/{wildcards.paper}/aggregates/{name}.csv"
            for name in table_entry(wildcards).experiments
        ],
        computed=lambda wildcards: [
            f"{RESULTS}/{wildcards.paper}/computed/{name}.csv"
            for name in table_entry(wildcards).computations
        ],
    output:
        csv=f"{RESULTS}/{{paper}}/tables/{{table}}.csv",
        md=f"{RESULTS}/{{paper}}/tables/{{table}}.md",
        tex=f"{RESULTS}/{{paper}}/tables/{{table}}.tex",
        html=report(
            f"{RESULTS}/{{paper}}/tables/{{table}}.html",
            caption="../report/figure.rst",
            category="{paper}",
            subcategory="tables",
            labels={"table": "{table}"},
        ),
        seal=f"{RESULTS}/{{paper}}/tables/{{table}}.json",
    log:
        f"{LOGS}/{{paper}}/tables/{{table}}.log",
    benchmark:
        f"{LOGS}/{{paper}}/tables/{{table}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=asked(1000),
        runtime=asked(2),
    params:
        record=lambda wildcards: plan.table_record(
            config, CELLS, wildcards.paper, wildcards.table
        ),
        caption=lambda wildcards: caption.restructured(
            config, CELLS, wildcards.paper, table_entry(wildcards)
        ),
    message:
        "Making {wildcards.paper} {wildcards.table}"
    script:
        "../scripts/table.py"
