"""Aggregates: a tidy table per experiment; and the configuration, saved with the results."""


rule aggregate:
    """Aggregate an experiment's regret arrays: means, intervals, quantiles."""
    input:
        lambda wildcards: [
            f"{RESULTS}/{file}" for cell in cells_of(wildcards) for file in cell.files
        ],
    output:
        f"{RESULTS}/{{paper}}/aggregates/{{experiment}}.csv",
    log:
        f"{LOGS}/{{paper}}/aggregates/{{experiment}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        cells=lambda wildcards: [
            (cell.job.identity, cell.runs) for cell in cells_of(wildcards)
        ],
        published_runs=lambda wildcards: config["papers"][wildcards.paper][
            "published_runs"
        ],
        confidence=config["confidence"],
        sources=source_digest("dpbandits.aggregate"),
    message:
        "Aggregating {wildcards.paper} {wildcards.experiment}"
    script:
        "../scripts/aggregate.py"


rule configuration:
    """Save the configuration, complete with its defaults, with the results."""
    output:
        f"{RESULTS}/config.json",
    log:
        f"{LOGS}/config.log",
    conda:
        "../../environment.yml"
    params:
        text=configuration.text(config),
    message:
        "Saving the configuration"
    script:
        "../scripts/configuration.py"
