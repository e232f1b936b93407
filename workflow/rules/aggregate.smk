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
        mem_mb=with_retries(1000),
        runtime=with_retries(2),
    params:
        rerun_if_changed=rerun_if_changed("aggregate"),
        sources=sources("aggregate"),
        request=request("aggregate"),
    message:
        "Aggregating {wildcards.paper} {wildcards.experiment}"
    script:
        "../scripts/make.py"
