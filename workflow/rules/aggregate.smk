"""Aggregates: a tidy table per experiment; and the configuration, saved with the results."""


rule aggregate:
    """Aggregate an experiment's regret arrays: means, intervals, quantiles."""
    input:
        lambda wildcards: [
            f"{RESULTS}/{file}"
            for cell in CELLS[wildcards.paper, wildcards.experiment].values()
            for file in cell.files
        ],
    output:
        f"{RESULTS}/{{paper}}/aggregates/{{experiment}}.csv",
    log:
        f"{LOGS}/{{paper}}/aggregates/{{experiment}}.log",
    params:
        cells=lambda wildcards: [
            (cell.job.identity, cell.runs)
            for cell in CELLS[wildcards.paper, wildcards.experiment].values()
        ],
        published_runs=lambda wildcards: config["papers"][wildcards.paper]["published_runs"],
        confidence=config["confidence"],
        sources=source_digest("dpbandits.aggregate"),
    resources:
        mem_mb=2000,
        runtime=30,
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
    params:
        text=configuration.text(config),
    message:
        "Saving the configuration"
    script:
        "../scripts/configuration.py"
