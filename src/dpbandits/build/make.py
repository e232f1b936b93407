"""What the rules run: a maker for each kind of product.

Makers hand data to the functions that make numbers, pictures and pages; those functions' modules, and not this one,
are a product's sources. Everything that a product needs is checked before it is made, and it is sealed afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dpbandits.build.products import BuildRequest
from dpbandits.core.errors import needing_workflow, plainly
from dpbandits.core.files import check, seal, whole, write_json


def make(request: BuildRequest) -> None:
    """Make a product, or end the process with one line that says what a person can mend."""
    with plainly():
        for file, identity in request.needs.items():
            check(Path(file), identity)
        files = {suffix: Path(file) for suffix, file in request.files.items()}
        with needing_workflow(f"The {request.kind.replace('_', ' ')}"):
            further = MAKERS[request.kind](request, files)
        if request.sealed:
            seal([*files.values(), *(further or ())], request.made_from)


def aggregate(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Aggregate an experiment's regret arrays."""
    from dpbandits.core.tables import write_table
    from dpbandits.runs.aggregate import aggregate

    table = aggregate(request.maker_args["cells"], Path(request.maker_args["results"]), **request.definition)
    write_table(table, files["csv"])


def computation(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Compute a table, exactly or from the runs of experiments."""
    from dpbandits.core import declarations
    from dpbandits.core.tables import write_table
    from dpbandits.runs.aggregate import read_cell

    declared = declarations.computation(request.definition["compute"])
    runs = [read_cell(cell, Path(request.maker_args["results"])) for cell in request.maker_args["cells"]]
    parameters = declared.resolve(request.definition["parameters"])
    write_table(declared.compute(*([runs] if declared.reads_runs else []), **parameters), files["csv"])


def _tables(request: BuildRequest) -> dict[str, Any]:
    """Return the tables that a figure or a table reads."""
    computed = {name: Path(file) for name, file in request.maker_args["computed"].items()}
    return {"aggregates": [Path(file) for file in request.maker_args["aggregates"]], "computed": computed}


def figure(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Draw one version of one figure."""
    from dpbandits.papers.render import draw

    kind, version, options = (request.definition[key] for key in ("draw", "version", "options"))
    draw(kind, version, options, **_tables(request), outputs=list(files.values()))


def table(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Make one table."""
    from dpbandits.papers.render import tabulate

    kind, options, caption = (request.definition[key] for key in ("make", "options", "caption"))
    tabulate(kind, options, caption, **_tables(request), outputs=list(files.values()))


def audit(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Audit one algorithm's privacy claim; what is written says itself what it was made from."""
    from dpbandits.audit.audit import audit

    write_json(files["json"], {**audit(**request.definition).data(), "made_from": request.made_from})


def privacy_table(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Put all audits of privacy together."""
    from dpbandits.audit.table import read
    from dpbandits.core import declarations
    from dpbandits.papers.render import save

    made = declarations.table("privacy").make(
        None, {"privacy": read([Path(file) for file in request.maker_args["audits"]])}
    )
    save(made, request.definition["caption"], list(files.values()))


def findings(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Test the claims of a paper."""
    from dpbandits.claims.evaluate import findings
    from dpbandits.core.tables import write_table

    write_table(findings(**request.definition, **request.maker_args), files["csv"])


def ledger(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Write the claims ledger."""
    from dpbandits.claims.ledger import ledger, read_findings, write

    parts = read_findings([Path(file) for file in request.maker_args["findings"]])
    table = ledger(request.maker_args["claims"], parts, request.maker_args["sources"])
    write(table, request.definition["level"], request.definition["titles"], list(files.values()))


def curves(request: BuildRequest, files: Mapping[str, Path]) -> list[Path]:
    """Write the data of a paper's curves, as scripts."""
    from dpbandits.papers.curves import write

    return write(request.definition, **request.maker_args, index=files["js"])


def register(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Put the register of discrepancies into one text."""
    from dpbandits.claims.discrepancies import markdown

    text = markdown(**request.definition)
    with whole(files["md"]) as aside:
        aside.write_text(text, encoding="utf-8")


def configuration(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Save the configuration, complete with its defaults."""
    identity = {"identity": request.made_from["identity"]}
    write_json(files["json"], {"configuration": request.definition, "made_from": identity})


def kernels(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Compile for WebAssembly what the page *Try* runs."""
    from dpbandits.publish.explore.kernels import kernels

    write_json(files["json"], {**kernels(), "made_from": request.made_from})


def site(request: BuildRequest, files: Mapping[str, Path]) -> list[Path]:
    """Make the static site, and return its pictures."""
    from dpbandits.publish.html.build import build

    return build(request.definition, **request.maker_args, pages=files)


def certificates(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Prove all certificates; how long it takes is of the machine, and not kept."""
    from dpbandits.build.certify import certify

    proved = {outcome.name: {**outcome.data(), "seconds": None} for outcome in certify([])}
    write_json(files["json"], {"certificates": proved, "made_from": request.made_from})


def article(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Make the article, and what lies beside it."""
    from dpbandits.publish.article.build import build

    build(request.definition, **request.maker_args, files=files)


def crate(request: BuildRequest, files: Mapping[str, Path]) -> None:
    """Pack the run into a crate."""
    from dpbandits.publish.crate.build import build

    build(**request.definition, **request.maker_args, output=files["zip"])


_ALL = (
    *(aggregate, computation, figure, table, audit, privacy_table),
    *(findings, ledger, curves, register, configuration, kernels, site),
    *(certificates, article, crate),
)
# What a maker returns are further files to seal.
Maker = Callable[[BuildRequest, Mapping[str, Path]], list[Path] | None]
MAKERS: Mapping[str, Maker] = {maker.__name__: maker for maker in _ALL}
