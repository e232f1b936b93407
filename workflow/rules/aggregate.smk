"""Aggregates: a tidy table per experiment; and the configuration, saved with the results."""


rule aggregate:
    """Aggregate an experiment's regret arrays: means, intervals, quantiles."""
    input:
        lambda wildcards: [
            f"{RESULTS}/{file}" for cell in cells_of(wildcards) for file in cell.files
        ],
    output:
        csv=f"{RESULTS}/{plan.AGGREGATE}",
        seal=f"{RESULTS}/{plan.AGGREGATE.replace('.csv', '.json')}",
    log:
        f"{LOGS}/{{paper}}/aggregates/{{experiment}}.log",
    benchmark:
        f"{LOGS}/{{paper}}/aggregates/{{experiment}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=asked(1000),
        runtime=asked(2),
    params:
        record=lambda wildcards: plan.experiment_record(
            config, CELLS, wildcards.paper, wildcards.experiment
        ),
    message:
        "Aggregating {wildcards.paper} {wildcards.experiment}"
    script:
        "../scripts/aggregate.py"


rule configuration:
    """Save the configuration, complete with its defaults, with the results."""
    output:
        json=f"{RESULTS}/config.json",
        html=report(
            f"{RESULTS}/config.html",
            caption="../report/configuration.rst",
            category="All papers",
            labels={"table": "configuration"},
        ),
    log:
        f"{LOGS}/config.log",
    conda:
        "../../environment.yml"
    params:
        text=configuration.text(config),
        sources=source_digest("dpbandits.site.pages"),
    message:
        "Saving the configuration"
    script:
        "../scripts/configuration.py"
