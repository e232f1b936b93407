"""Claims: what each claim's tests measure, the findings of a paper, then one ledger of verdicts."""


rule claim:
    """Test one claim of a paper: what is measured, before the correction for the number of tests."""
    input:
        inputs("claim"),
    output:
        json=f"{RESULTS}/{{paper}}/claims/{{claim}}.json",
    log:
        f"{LOGS}/{{paper}}/claims/{{claim}}.log",
    benchmark:
        f"{LOGS}/{{paper}}/claims/{{claim}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=with_retries(1000),
        runtime=with_retries(5),
    params:
        rerun_if_changed=rerun_if_changed("claim"),
        sources=sources("claim"),
        request=request("claim"),
    message:
        "Testing {wildcards.paper} {wildcards.claim}"
    script:
        "../scripts/make.py"


rule findings:
    """Correct what the tests of a paper's claims measured for their number."""
    input:
        inputs("findings"),
    output:
        csv=f"{RESULTS}/{{paper}}/findings.csv",
        seal=f"{RESULTS}/{{paper}}/findings.json",
    log:
        f"{LOGS}/{{paper}}/findings.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        rerun_if_changed=rerun_if_changed("findings"),
        sources=sources("findings"),
        request=request("findings"),
    message:
        "Correcting for the number of tests in {wildcards.paper}"
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
    localrule: True
    conda:
        "../../environment.yml"
    params:
        rerun_if_changed=rerun_if_changed("ledger"),
        sources=sources("ledger"),
        request=request("ledger"),
    message:
        "Writing the claims ledger"
    script:
        "../scripts/make.py"


rule paper_ledger:
    """The claims ledger of one paper, such as an own one."""
    input:
        inputs("paper_ledger"),
    output:
        csv=f"{RESULTS}/{{paper}}/claims.csv",
        md=f"{RESULTS}/{{paper}}/claims.md",
        tex=f"{RESULTS}/{{paper}}/claims.tex",
        seal=f"{RESULTS}/{{paper}}/claims.json",
    log:
        f"{LOGS}/{{paper}}/claims.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        rerun_if_changed=rerun_if_changed("paper_ledger"),
        sources=sources("paper_ledger"),
        request=request("paper_ledger"),
    message:
        "Writing the claims ledger of {wildcards.paper}"
    script:
        "../scripts/make.py"
