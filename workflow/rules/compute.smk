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
        csv=f"{RESULTS}/{plan.COMPUTED}",
        seal=f"{RESULTS}/{plan.COMPUTED.replace('.csv', '.json')}",
    log:
        f"{LOGS}/{{paper}}/computed/{{computation}}.log",
    benchmark:
        f"{LOGS}/{{paper}}/computed/{{computation}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=asked(2000),
        runtime=asked(10),
    params:
        record=lambda wildcards: plan.computation_record(
            config, CELLS, wildcards.paper, wildcards.computation
        ),
    message:
        "Computing {wildcards.paper} {wildcards.computation}"
    script:
        "../scripts/compute.py"
