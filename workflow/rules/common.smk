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
    return config["papers"][wildcards.paper]["figures"][drawn(wildcards).figure]


def cells_read(wildcards):
    """The cells whose runs a computation reads."""
    computations = config["papers"][wildcards.paper]["computations"]
    return [
        cell
        for name in computations[wildcards.computation]["experiments"]
        for cell in CELLS[wildcards.paper, name].values()
    ]


def table_entry(wildcards):
    """The configuration of a table."""
    return config["papers"][wildcards.paper]["tables"][wildcards.table]
