"""Regret arrays: one job per (paper, experiment, algorithm, environment, epsilon, block of seeds)."""


rule simulate:
    """Simulate a block of runs of one algorithm in one environment at one budget."""
    output:
        f"{RESULTS}/{plan.CELL}",
    log:
        f"{LOGS}/{plan.CELL.replace('.npz', '.log')}",
    benchmark:
        f"{LOGS}/{plan.CELL.replace('.npz', '.tsv')}"
    conda:
        "../../environment.yml"
    threads: THREADS
    resources:
        mem_mb=with_retries(1000),
        runtime=with_retries(2),
    params:
        command=lambda wildcards: plan.cell(CELLS, wildcards).command,
        sources=lambda wildcards: plan.cell(CELLS, wildcards).sources,
    message:
        "Simulating {wildcards.algorithm} in {wildcards.environment}, T = {wildcards.horizon}, epsilon {wildcards.epsilon}, runs {wildcards.seeds} ({wildcards.paper} {wildcards.experiment})"
    shell:
        "dpbandits simulate {params.command:q} --seeds {wildcards.seeds} --threads {threads} --output {output:q} 2> {log:q}"
