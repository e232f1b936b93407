"""Computed results: exact probabilities, bounds, maps, and what runs tell beyond aggregates, as tidy tables."""


rule compute:
    """Compute a table, exactly or from the runs of experiments."""
    input:
        lambda wildcards: [
            f"{RESULTS}/{file}"
            for cell in cells_read(wildcards)
            for file in cell.files
        ],
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
        cells=lambda wildcards: [
            (cell.job.identity, cell.runs) for cell in cells_read(wildcards)
        ],
        sources=lambda wildcards: plan.computation_sources(
            config, wildcards.paper, wildcards.computation
        ),
    message:
        "Computing {wildcards.paper} {wildcards.computation}"
    script:
        "../scripts/compute.py"
