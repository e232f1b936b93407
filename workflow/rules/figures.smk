"""Figures: PDF, PNG and the numbers in them. A figure never simulates."""


rule figure:
    """Draw one version of one figure."""
    input:
        inputs("figure"),
    output:
        csv=f"{FIGURES}/{{paper}}/{{figure}}.csv",
        pdf=f"{FIGURES}/{{paper}}/{{figure}}.pdf",
        png=report(
            f"{FIGURES}/{{paper}}/{{figure}}.png",
            caption="../report/figure.rst",
            category="{paper}",
            subcategory="figures",
            labels=lambda wildcards: {
                "figure": FIGURE_FILES[wildcards.paper, wildcards.figure].figure,
                "runs": FIGURE_FILES[wildcards.paper, wildcards.figure].version,
            },
        ),
        seal=f"{FIGURES}/{{paper}}/{{figure}}.json",
    log:
        f"{LOGS}/{{paper}}/figures/{{figure}}.log",
    benchmark:
        f"{LOGS}/{{paper}}/figures/{{figure}}.tsv"
    conda:
        "../../environment.yml"
    resources:
        mem_mb=with_retries(1000),
        runtime=with_retries(2),
    params:
        rerun_if_changed=rerun_if_changed("figure"),
        sources=sources("figure"),
        request=request("figure"),
        caption=lambda wildcards, input: caption_for(wildcards),
    message:
        "Drawing {wildcards.paper} {wildcards.figure}"
    script:
        "../scripts/make.py"


rule:
    """Refuse a file that no figure has, such as an SVG, in one line."""
    input:
        lambda wildcards: refuse_kind(
            f"{FIGURES}/{wildcards.place}.{wildcards.suffix}", rules.figure.output
        ),
    output:
        f"{FIGURES}/{{place}}.{{suffix,(?!pdf$|png$|csv$|json$)[A-Za-z0-9]+}}",
    log:
        f"{RESULTS}/logs/refused/{{place}}.{{suffix}}.log",
    localrule: True
    run:
        pass
