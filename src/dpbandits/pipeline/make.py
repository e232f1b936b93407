"""What the rules run: a maker for each kind of product.

Makers hand data to the functions that make numbers, pictures and pages; those functions' modules, and not this one,
are a product's sources. Everything that a product needs is checked before it is made, and it is sealed afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dpbandits.core.errors import plainly
from dpbandits.core.files import check, seal, whole, write_json
from dpbandits.pipeline.products import Order


def make(order: Order) -> None:
    """Make a product, or end the process with one line that says what a person can mend."""
    with plainly():
        for file, identity in order.needs.items():
            check(Path(file), identity)
        files = {suffix: Path(file) for suffix, file in order.files.items()}
        further = MAKERS[order.kind](order, files)
        if order.sealed:
            seal([*files.values(), *(further or ())], order.made_from)


def aggregate(order: Order, files: Mapping[str, Path]) -> None:
    """Aggregate an experiment's regret arrays."""
    from dpbandits.core.tables import write_table
    from dpbandits.runs.aggregate import aggregate

    table = aggregate(order.given["cells"], Path(order.given["results"]), **order.definition)
    write_table(table, files["csv"])


def computation(order: Order, files: Mapping[str, Path]) -> None:
    """Compute a table, exactly or from the runs of experiments."""
    from dpbandits.core import exhibit
    from dpbandits.core.tables import write_table
    from dpbandits.runs.aggregate import read_cell

    declared = exhibit.computation(order.definition["compute"])
    runs = [read_cell(cell, Path(order.given["results"])) for cell in order.given["cells"]]
    parameters = declared.resolve(order.definition["parameters"])
    write_table(declared.compute(*([runs] if declared.reads_runs else []), **parameters), files["csv"])


def _tables(order: Order) -> dict[str, Any]:
    """Return the tables that a figure or a table reads."""
    computed = {name: Path(file) for name, file in order.given["computed"].items()}
    return {"aggregates": [Path(file) for file in order.given["aggregates"]], "computed": computed}


def figure(order: Order, files: Mapping[str, Path]) -> None:
    """Draw one version of one figure."""
    from dpbandits.papers.exhibit import draw

    kind, version, options = (order.definition[key] for key in ("draw", "version", "options"))
    draw(kind, version, options, **_tables(order), outputs=list(files.values()))


def table(order: Order, files: Mapping[str, Path]) -> None:
    """Make one table."""
    from dpbandits.papers.exhibit import tabulate

    kind, options, caption = (order.definition[key] for key in ("make", "options", "caption"))
    tabulate(kind, options, caption, **_tables(order), outputs=list(files.values()))


def audit(order: Order, files: Mapping[str, Path]) -> None:
    """Audit one algorithm's privacy claim; what is written says itself what it was made from."""
    from dpbandits.audit.audit import audit

    write_json(files["json"], {**audit(**order.definition).data(), "made_from": order.made_from})


def privacy_table(order: Order, files: Mapping[str, Path]) -> None:
    """Put all audits of privacy together."""
    from dpbandits.audit.table import read
    from dpbandits.core import exhibit
    from dpbandits.papers.exhibit import save

    made = exhibit.table("privacy").make(None, {"privacy": read([Path(file) for file in order.given["audits"]])})
    save(made, order.definition["caption"], list(files.values()))


def findings(order: Order, files: Mapping[str, Path]) -> None:
    """Test the claims of a paper."""
    from dpbandits.claims.findings import findings
    from dpbandits.core.tables import write_table

    write_table(findings(**order.definition, **order.given), files["csv"])


def ledger(order: Order, files: Mapping[str, Path]) -> None:
    """Write the claims ledger."""
    from dpbandits.claims.ledger import ledger, read_findings, write

    parts = read_findings([Path(file) for file in order.given["findings"]])
    table = ledger(order.given["claims"], parts, order.given["sources"])
    write(table, order.definition["level"], order.definition["titles"], list(files.values()))


def curves(order: Order, files: Mapping[str, Path]) -> list[Path]:
    """Write the data of a paper's curves, as scripts."""
    from dpbandits.papers.curves import write

    return write(order.definition, **order.given, index=files["js"])


def register(order: Order, files: Mapping[str, Path]) -> None:
    """Put the register of discrepancies into one text."""
    from dpbandits.claims.register import markdown

    text = markdown(**order.definition)
    with whole(files["md"]) as aside:
        aside.write_text(text, encoding="utf-8")


def configuration(order: Order, files: Mapping[str, Path]) -> None:
    """Save the configuration, complete with its defaults."""
    identity = {"identity": order.made_from["identity"]}
    write_json(files["json"], {"configuration": order.definition, "made_from": identity})


def kernels(order: Order, files: Mapping[str, Path]) -> None:
    """Compile for WebAssembly what the page *Try* runs."""
    from dpbandits.site.wasm.kernels import kernels

    write_json(files["json"], {**kernels(), "made_from": order.made_from})


def site(order: Order, files: Mapping[str, Path]) -> list[Path]:
    """Make the static site, and return its pictures."""
    from dpbandits.site.build import build

    return build(order.definition, **order.given, pages=files)


def certificates(order: Order, files: Mapping[str, Path]) -> None:
    """Prove all certificates; how long it takes is of the machine, and not kept."""
    from dpbandits.pipeline.certify import certify

    proved = {outcome.name: {**outcome.data(), "seconds": None} for outcome in certify([])}
    write_json(files["json"], {"certificates": proved, "made_from": order.made_from})


def article(order: Order, files: Mapping[str, Path]) -> None:
    """Make the article, and what lies beside it."""
    from dpbandits.site.article.build import build

    build(order.definition, **order.given, files=files)


def crate(order: Order, files: Mapping[str, Path]) -> None:
    """Pack the run into a crate."""
    from dpbandits.site.crate.build import build

    build(**order.definition, **order.given, output=files["zip"])


_ALL = (
    *(aggregate, computation, figure, table, audit, privacy_table),
    *(findings, ledger, curves, register, configuration, kernels, site),
    *(certificates, article, crate),
)
# What a maker returns are further files to seal.
Maker = Callable[[Order, Mapping[str, Path]], list[Path] | None]
MAKERS: Mapping[str, Maker] = {maker.__name__: maker for maker in _ALL}
