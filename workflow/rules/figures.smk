"""Figures: PDF, PNG and the numbers in them. A figure never simulates."""

DRAWN = {(file.paper, file.stem): file for file in plan.figure_files(config)}


def entry(wildcards):
    """The configuration of a figure."""
    return config["papers"][wildcards.paper]["figures"][DRAWN[wildcards.paper, wildcards.figure].figure]


rule figure:
    """Draw one version of one figure."""
    input:
        aggregates=lambda wildcards: [
            f"{RESULTS}/{wildcards.paper}/aggregates/{name}.csv"
            for name in entry(wildcards)["experiments"]
        ],
        computed=lambda wildcards: [
            f"{RESULTS}/{wildcards.paper}/computed/{name}.csv"
            for name in entry(wildcards)["computations"]
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
    params:
        figure=entry,
        version=lambda wildcards: DRAWN[wildcards.paper, wildcards.figure].version,
        sources=lambda wildcards: plan.figure_sources(
            config, DRAWN[wildcards.paper, wildcards.figure]
        ),
    resources:
        mem_mb=1500,
        runtime=15,
    message:
        "Drawing {wildcards.paper} {wildcards.figure}"
    script:
        "../scripts/figure.py"
