"""Figures: PDF, PNG and the numbers in them. A figure never simulates."""


rule figure:
    """Draw one version of one figure."""
    input:
        aggregates=lambda wildcards: [
            f"{RESULTS}/{wildcards.paper}/aggregates/{name}.csv"
            for name in figure_entry(wildcards)["experiments"]
        ],
        computed=lambda wildcards: [
            f"{RESULTS}/{wildcards.paper}/computed/{name}.csv"
            for name in figure_entry(wildcards)["computations"]
        ],
    output:
        pdf=f"{FIGURES}/{{paper}}/{{figure}}.pdf",
        png=report(
            f"{FIGURES}/{{paper}}/{{figure}}.png",
            caption="../report/figure.rst",
            category="{paper}",
            labels={"figure": "{figure}"},
        ),
        csv=f"{FIGURES}/{{paper}}/{{figure}}.csv",
    log:
        f"{LOGS}/{{paper}}/figures/{{figure}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1500,
        runtime=15,
    params:
        figure=figure_entry,
        version=lambda wildcards: drawn(wildcards).version,
        sources=lambda wildcards: plan.figure_sources(config, drawn(wildcards)),
    message:
        "Drawing {wildcards.paper} {wildcards.figure}"
    script:
        "../scripts/figure.py"
