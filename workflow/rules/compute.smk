"""Computed results: exact probabilities, bounds and maps, as tidy tables."""


rule compute:
    """Compute a table that needs no simulation."""
    output:
        f"{RESULTS}/{{paper}}/computed/{{computation}}.csv",
    log:
        f"{LOGS}/{{paper}}/computed/{{computation}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        compute=lambda wildcards: config["papers"][wildcards.paper]["computations"][
            wildcards.computation
        ],
        sources=lambda wildcards: plan.computation_sources(
            config, wildcards.paper, wildcards.computation
        ),
    message:
        "Computing {wildcards.paper} {wildcards.computation}"
    script:
        "../scripts/compute.py"
