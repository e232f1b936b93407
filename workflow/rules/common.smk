"""What all rules share: products by their wildcards, and what is asked of a scheduler."""


def lookup(kind, wildcards):
    """The product of a kind that wildcards name, in the rule's order."""
    try:
        return PRODUCTS[kind, *wildcards]
    except KeyError:
        name = "/".join(wildcards)
        known = ["/".join(names) for found, *names in PRODUCTS if found == kind]
        # Snakemake would bury an error of an input function in a dozen lines.
        sys.exit(tell(BadInput(kind, name, suggest(name, known))))


def refuse_kind(target, made):
    """End the planning of a target in one line that says of which kinds files are made."""
    kinds = ", ".join(Path(file).suffix for file in made)
    sys.exit(tell(BadInput("target", target, f"a file that ends in {kinds}")))


def product(kind):
    """Return a function of wildcards: the product of a kind that they name."""
    return lambda wildcards: lookup(kind, wildcards)


def inputs(kind):
    """Return a function of wildcards: the files that a product is made from."""
    return lambda wildcards: lookup(kind, wildcards).inputs


def rerun_if_changed(kind):
    """Return a function of wildcards: the configuration's part in a product. If it changes, it is remade."""
    return lambda wildcards: lookup(kind, wildcards).rerun_if_changed


def sources(kind):
    """Return a function of wildcards: the sources that make a product. If they change, it is remade."""
    return lambda wildcards: lookup(kind, wildcards).sources


def request(kind):
    """Return what a product's job is handed.

    It follows from definition, sources and inputs: a parameter that depends on the input is no reason to rerun.
    """
    return lambda wildcards, input: products.Deferred(lookup(kind, wildcards))


def with_retries(amount):
    """What is asked of a scheduler, MB or minutes: measured with a margin, and at each retry four times as much."""
    return lambda wildcards, attempt: amount * 4 ** (attempt - 1)


FIGURE_FILES = {
    (paper, file.stem): file
    for paper in CONFIG.papers
    for file in plan.figure_files(CONFIG, paper)
}


def caption_for(wildcards):
    """The caption of a figure, for the report."""
    file = FIGURE_FILES[wildcards.paper, wildcards.figure]
    entry = CONFIG.papers[wildcards.paper].figures[file.figure]
    return caption.restructured(CONFIG, CELLS, wildcards.paper, entry, file.version)
