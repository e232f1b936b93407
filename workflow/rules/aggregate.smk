"""Aggregates: a tidy table per experiment."""


rule aggregate:
    """Aggregate an experiment's regret arrays: means, intervals, quantiles."""
    input:
        inputs("aggregate"),
    output:
        csv=f"{RESULTS}/{{paper}}/aggregates/{{experiment}}.csv",
        seal=f"{RESULTS}/{{paper}}/aggregates/{{experiment}}.json",
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
        definition=definition("aggregate"),
        sources=sources("aggregate"),
        order=order("aggregate"),
    message:
        "Aggregating {wildcards.paper} {wildcards.experiment}"
    script:
        "../scripts/make.py"
