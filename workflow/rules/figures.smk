"""Figures: PDF, PNG and the numbers in them. A figure never simulates."""


rule figure:
    """Draw one version of one figure."""
    input:
        aggregates=lambda wildcards: [
            f"{RESULTS}/{wildcards.paper}/aggregates/{name}.csv"
            for name in figure_entry(wildcards).experiments
        ],
        computed=lambda wildcards: [
            f"{RESULTS}/{wildcards.paper}/computed/{name}.csv"
            for name in figure_entry(wildcards).computations
        ],
    output:
        pdf=f"{FIGURES}/{{paper}}/{{figure}}.pdf",
        png=report(
            f"{FIGURES}/{{paper}}/{{figure}}.png",
            caption="../report/figure.rst",
            category="{paper}",
            subcategory="figures",
            labels=lambda wildcards: {
                "figure": drawn(wildcards).figure,
                "runs": (
                    "the paper's" if drawn(wildcards).version == "published" else "all"
                ),
            },
        ),
        csv=f"{FIGURES}/{{paper}}/{{figure}}.csv",
        seal=f"{FIGURES}/{{paper}}/{{figure}}.json",
    log:
        f"{LOGS}/{{paper}}/figures/{{figure}}.log",
    benchmark:
        f"{LOGS}/{{paper}}/figures/{{figure}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=asked(1000),
        runtime=asked(2),
    params:
        record=lambda wildcards: plan.figure_record(config, CELLS, drawn(wildcards)),
        caption=lambda wildcards: caption.restructured(
            config,
            CELLS,
            wildcards.paper,
            figure_entry(wildcards),
            drawn(wildcards).version,
        ),
    message:
        "Drawing {wildcards.paper} {wildcards.figure}"
    script:
        "../scripts/figure.py"
