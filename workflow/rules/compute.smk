"""Computed results: exact probabilities, bounds, maps, and what runs tell beyond aggregates, as tidy tables."""


rule compute:
    """Compute a table, exactly or from the runs of experiments."""
    input:
        inputs("computation"),
    output:
        csv=f"{RESULTS}/{{paper}}/computed/{{computation}}.csv",
        seal=f"{RESULTS}/{{paper}}/computed/{{computation}}.json",
    log:
        f"{LOGS}/{{paper}}/computed/{{computation}}.log",
    benchmark:
        f"{LOGS}/{{paper}}/computed/{{computation}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=with_retries(2000),
        runtime=with_retries(10),
    params:
        rerun_if_changed=rerun_if_changed("computation"),
        sources=sources("computation"),
        request=request("computation"),
    message:
        "Computing {wildcards.paper} {wildcards.computation}"
    script:
        "../scripts/make.py"
