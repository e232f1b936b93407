"""Claims: the findings of a paper's claims from aggregates, computed tables and runs, then one ledger of verdicts."""


rule findings:
    """Test the claims of a paper, and correct for the number of tests."""
    input:
        tables=lambda wildcards: [
            f"{RESULTS}/{file}"
            for file in statements.tables(wildcards.paper, tests_of(wildcards))
        ],
        cells=lambda wildcards: [
            f"{RESULTS}/{file}"
            for cell in statements.cells(CELLS, wildcards.paper, tests_of(wildcards))
            for file in cell.files
        ],
    output:
        csv=f"{RESULTS}/{statements.FINDINGS}",
        seal=f"{RESULTS}/{statements.FINDINGS.replace('.csv', '.json')}",
    log:
        f"{LOGS}/{{paper}}/findings.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=asked(1000),
        runtime=asked(5),
    params:
        record=lambda wildcards: statements.findings_record(
            config, CELLS, CLAIMS, wildcards.paper
        ),
    message:
        "Testing the claims of {wildcards.paper}"
    script:
        "../scripts/findings.py"


rule ledger:
    """The claims ledger: verdict, effect, runs and figure of every claim."""
    input:
        [f"{RESULTS}/{statements.FINDINGS.format(paper=paper)}" for paper in CLAIMS],
    output:
        csv=f"{RESULTS}/{statements.LEDGER}",
        md=f"{RESULTS}/{statements.LEDGER.replace('.csv', '.md')}",
        tex=f"{RESULTS}/{statements.LEDGER.replace('.csv', '.tex')}",
        seal=f"{RESULTS}/{statements.LEDGER.replace('.csv', '.json')}",
    log:
        f"{LOGS}/claims.log",
    conda:
        "../../environment.yml"
    params:
        record=statements.ledger_record(config, CELLS, CLAIMS),
    message:
        "Writing the claims ledger"
    script:
        "../scripts/ledger.py"
