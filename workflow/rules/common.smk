"""Lookups by wildcards that several rules use."""

FIGURE_FILES = {(file.paper, file.stem): file for file in plan.figure_files(config)}


def cells_of(wildcards):
    """The cells of an experiment."""
    return CELLS[wildcards.paper, wildcards.experiment].values()


def drawn(wildcards):
    """The version of a figure that a file is."""
    return FIGURE_FILES[wildcards.paper, wildcards.figure]


def figure_entry(wildcards):
    """The configuration of a figure."""
    return config.papers[wildcards.paper].figures[drawn(wildcards).figure]


def cells_read(wildcards):
    """The cells whose runs a computation reads."""
    computations = config.papers[wildcards.paper].computations
    return [
        cell
        for name in computations[wildcards.computation].experiments
        for cell in CELLS[wildcards.paper, name].values()
    ]


def table_entry(wildcards):
    """The configuration of a table."""
    return config.papers[wildcards.paper].tables[wildcards.table]


def tests_of(wildcards):
    """The tests of a paper's claims."""
    return CLAIMS[wildcards.paper].tests


def ledger_files():
    """The ledger, if there are claims."""
    return [f"{RESULTS}/{statements.LEDGER}"] if CLAIMS else []


def asked(amount):
    """What is asked of a scheduler, MB or minutes: measured with a margin, and at each retry four times as much."""
    return lambda wildcards, attempt: amount * 4 ** (attempt - 1)


def audited(wildcards):
    """The audit that a file is."""
    return AUDITS[
        audits.AUDIT.format(audited=wildcards.audited, epsilon=wildcards.epsilon)
    ]


def privacy_files():
    """Table and figure of the audits, if there are audits."""
    return [f"{RESULTS}/{audits.TABLE}", f"{FIGURES}/privacy.pdf"] if AUDITS else []


def pages():
    """The pages, if there are claims and audits to tell of."""
    made = ["discrepancies.html", "claims.html", "privacy.html", "site/index.html"]
    return [f"{RESULTS}/{name}" for name in made] if CLAIMS and AUDITS else []
