"""For readers: the register of discrepancies, the configuration, and a static site of everything."""


rule register:
    """Put the register of discrepancies, paper after paper, into one text."""
    input:
        inputs("register"),
    output:
        md=f"{RESULTS}/discrepancies.md",
        seal=f"{RESULTS}/discrepancies.json",
    log:
        f"{LOGS}/discrepancies.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        rerun_if_changed=rerun_if_changed("register"),
        sources=sources("register"),
        request=request("register"),
    message:
        "Writing the register of discrepancies"
    script:
        "../scripts/make.py"


rule configuration:
    """Save the configuration, complete with its defaults, with the results."""
    input:
        inputs("configuration"),
    output:
        json=f"{RESULTS}/config.json",
    log:
        f"{LOGS}/config.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        rerun_if_changed=rerun_if_changed("configuration"),
        sources=sources("configuration"),
        request=request("configuration"),
    message:
        "Saving the configuration"
    script:
        "../scripts/make.py"


rule kernel_group:
    """Compile some algorithms' kernels for browsers; without the package ziglang say that they are missing."""
    input:
        inputs("kernel_group"),
    output:
        json=f"{RESULTS}/kernels/{{group}}.json",
    log:
        f"{LOGS}/kernels/{{group}}.log",
    benchmark:
        f"{LOGS}/kernels/{{group}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=with_retries(2000),
        runtime=with_retries(5),
    params:
        rerun_if_changed=rerun_if_changed("kernel_group"),
        sources=sources("kernel_group"),
        request=request("kernel_group"),
    message:
        "Compiling kernels for browsers: {wildcards.group}"
    script:
        "../scripts/make.py"


rule kernels:
    """Link the kernels for browsers; without the package ziglang say that they are missing."""
    input:
        inputs("kernels"),
    output:
        json=f"{RESULTS}/kernels.json",
    log:
        f"{LOGS}/kernels.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=with_retries(2000),
        runtime=with_retries(5),
    params:
        rerun_if_changed=rerun_if_changed("kernels"),
        sources=sources("kernels"),
        request=request("kernels"),
    message:
        "Linking the kernels for browsers"
    script:
        "../scripts/make.py"


rule curves:
    """Write what figures of a paper draw, and all aggregates, for pages on which curves can be moved."""
    input:
        inputs("curves"),
    output:
        js=f"{RESULTS}/{{paper}}/curves/index.js",
        seal=f"{RESULTS}/{{paper}}/curves/index.json",
    log:
        f"{LOGS}/{{paper}}/curves.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=with_retries(1000),
        runtime=with_retries(2),
    params:
        rerun_if_changed=rerun_if_changed("curves"),
        sources=sources("curves"),
        request=request("curves"),
    message:
        "Writing the curves of {wildcards.paper}"
    script:
        "../scripts/make.py"


SITE = PRODUCTS["site",].files


rule site:
    """Make the static site: verdicts, privacy, discrepancies, and all figures and tables with their commands."""
    input:
        inputs("site"),
    output:
        [file for name, file in SITE.items() if name not in REPORTED],
        report(
            [file for name, file in SITE.items() if name in REPORTED],
            caption="../report/site.rst",
            category="All papers",
        ),
        seal=PRODUCTS["site",].seal,
    log:
        f"{LOGS}/site.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        rerun_if_changed=rerun_if_changed("site"),
        sources=sources("site"),
        request=request("site"),
    message:
        "Making the site"
    script:
        "../scripts/make.py"


rule paper_site:
    """Make the site of one paper, with all its pages beside the first."""
    input:
        inputs("paper_site"),
    output:
        index=f"{RESULTS}/{{paper}}/site/index.html",
        seal=f"{RESULTS}/{{paper}}/site/index.json",
    log:
        f"{LOGS}/{{paper}}/site.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        rerun_if_changed=rerun_if_changed("paper_site"),
        sources=sources("paper_site"),
        request=request("paper_site"),
    message:
        "Making the site of {wildcards.paper}"
    script:
        "../scripts/make.py"
