"""What can be cited, made when it is asked for: certificates, the article with what lies beside it, the crate."""

# A configuration without claims or audits has none.
if ("article",) in PRODUCTS:

    rule certificates:
        """Prove all certificates. Needs python-flint: the extra `article` has it."""
        output:
            json=PRODUCTS["certificates",].main,
        log:
            f"{LOGS}/certificates.log",
        conda:
            "../../environment.yml"
        resources:
            mem_mb=with_retries(1000),
            runtime=with_retries(5),
        params:
            rerun_if_changed=rerun_if_changed("certificates"),
            sources=sources("certificates"),
            request=request("certificates"),
        message:
            "Proving the certificates"
        script:
            "../scripts/make.py"

    rule article:
        """Typeset the article from results, with artefact appendix, checklist, metadata and letters. Needs Typst."""
        input:
            inputs("article"),
        output:
            PRODUCTS["article",].files.values(),
            seal=PRODUCTS["article",].seal,
        log:
            f"{LOGS}/article.log",
        localrule: True
        conda:
            "../../environment.yml"
        params:
            rerun_if_changed=rerun_if_changed("article"),
            sources=sources("article"),
            request=request("article"),
        message:
            "Typesetting the article"
        script:
            "../scripts/make.py"

    rule crate:
        """Pack the finished run into a Workflow Run RO-Crate. Needs rocrate: the extra `crate` has it."""
        input:
            inputs("crate"),
        output:
            zip=PRODUCTS["crate",].main,
            seal=PRODUCTS["crate",].seal,
        log:
            f"{LOGS}/crate.log",
        localrule: True
        conda:
            "../../environment.yml"
        resources:
            mem_mb=with_retries(1000),
            runtime=with_retries(5),
        params:
            rerun_if_changed=rerun_if_changed("crate"),
            sources=sources("crate"),
            request=request("crate"),
        message:
            "Packing the crate"
        script:
            "../scripts/make.py"


rule paper_crate:
    """Pack what is of one paper, with its ledger, into a Workflow Run RO-Crate. Needs rocrate."""
    input:
        inputs("paper_crate"),
    output:
        zip=f"{RESULTS}/{{paper}}/crate.zip",
        seal=f"{RESULTS}/{{paper}}/crate.json",
    log:
        f"{LOGS}/{{paper}}/crate.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        rerun_if_changed=rerun_if_changed("paper_crate"),
        sources=sources("paper_crate"),
        request=request("paper_crate"),
    message:
        "Packing the crate of {wildcards.paper}"
    script:
        "../scripts/make.py"
