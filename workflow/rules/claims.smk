"""Claims: the findings of each from aggregates, computed tables and runs, then one ledger of verdicts."""


rule claim:
    """Test the parts of one claim."""
    input:
        tables=lambda wildcards: [
            f"{RESULTS}/{file}"
            for file in statements.tables(wildcards.paper, claim_entry(wildcards))
        ],
        cells=lambda wildcards: [
            f"{RESULTS}/{file}"
            for cell in statements.cells(
                CELLS, wildcards.paper, claim_entry(wildcards)
            )
            for file in cell.files
        ],
        audits=lambda wildcards: (
            [f"{RESULTS}/{planned.TABLE}"]
            if statements.reads_audits(claim_entry(wildcards))
            else []
        ),
    output:
        csv=f"{RESULTS}/{statements.CLAIM}",
        seal=f"{RESULTS}/{statements.CLAIM.replace('.csv', '.json')}",
    log:
        f"{LOGS}/{{paper}}/claims/{{claim}}.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=asked(1000),
        runtime=asked(5),
    params:
        record=lambda wildcards: statements.claim_record(
            config, CELLS, CLAIMS, wildcards.paper, wildcards.claim
        ),
    message:
        "Testing {wildcards.paper} {wildcards.claim}"
    script:
        "../scripts/claim.py"


rule findings:
    """All parts of all claims, their p-values corrected for the number of tests in a paper."""
    input:
        [
            f"{RESULTS}/{statements.CLAIM.format(paper=paper, claim=claim)}"
            for paper, claim in statements.all_claims(CLAIMS)
        ],
    output:
        csv=f"{RESULTS}/{statements.FINDINGS}",
        seal=f"{RESULTS}/{statements.FINDINGS.replace('.csv', '.json')}",
    log:
        f"{LOGS}/findings.log",
    conda:
        "../../environment.yml"
    params:
        record=statements.findings_record(config, CELLS, CLAIMS),
    message:
        "Correcting for the number of tests"
    script:
        "../scripts/findings.py"


rule ledger:
    """The claims ledger: verdict, effect, runs and figure of every claim."""
    input:
        f"{RESULTS}/{statements.FINDINGS}",
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
