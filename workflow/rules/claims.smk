"""Claims: the findings of each paper's claims, then one ledger of verdicts."""


rule findings:
    """Test the claims of a paper, and correct for the number of tests."""
    input:
        inputs("findings"),
    output:
        csv=f"{RESULTS}/{{paper}}/findings.csv",
        seal=f"{RESULTS}/{{paper}}/findings.json",
    log:
        f"{LOGS}/{{paper}}/findings.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=asked(1000),
        runtime=asked(5),
    params:
        definition=definition("findings"),
        sources=sources("findings"),
        order=order("findings"),
    message:
        "Testing the claims of {wildcards.paper}"
    script:
        "../scripts/make.py"


rule ledger:
    """The claims ledger: verdict, effect, runs and figure of every claim."""
    input:
        inputs("ledger"),
    output:
        csv=f"{RESULTS}/claims.csv",
        md=f"{RESULTS}/claims.md",
        tex=f"{RESULTS}/claims.tex",
        seal=f"{RESULTS}/claims.json",
    log:
        f"{LOGS}/claims.log",
    conda:
        "../../environment.yml"
    params:
        definition=definition("ledger"),
        sources=sources("ledger"),
        order=order("ledger"),
    message:
        "Writing the claims ledger"
    script:
        "../scripts/make.py"
