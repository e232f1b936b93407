"""Products of privacy: an audit for each algorithm and budget, and a table and a figure of all audits.

A product is files that are made together. Each has its ``files`` by suffix, ``modules`` that make them, the
``results`` folder, and ``cells`` and ``products`` that it reads. A cell is runs of one algorithm in one environment
at one budget. If a field ``Defines[...]`` changes, the product is made again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.auditing import jobs
from dpbandits.core import registry
from dpbandits.products.exhibits import Figure
from dpbandits.products.product import Defines, JsonProduct, Products, SealedProduct, files_by_suffix

if TYPE_CHECKING:
    from dpbandits.core.fields import Values
    from dpbandits.runs.models import Config


@dataclass(frozen=True, kw_only=True)
class Audit(JsonProduct):
    """The audit of one algorithm's privacy claim at one budget.

    The product is made again if a field ``Defines[...]`` changes.

    Attributes
    ----------
    algorithm, epsilon, parameters
        Name of the algorithm, the claimed privacy budget, and the parameters with which it is audited.
    effort, seed, confidence
        Largest number of runs that are drawn on each of two neighbouring inputs, root seed of their random numbers,
        and confidence level of the lower bound of the privacy loss that they give.
    """

    algorithm: Defines[str]
    epsilon: Defines[float]
    parameters: Defines[Values]
    effort: Defines[int]
    seed: Defines[int]
    confidence: Defines[float]

    def make(self) -> Mapping[str, object]:
        """Audit the claim, and return the result as JSON data.

        It has the ``verdict``, the privacy loss that each method found, a ``certificate`` and more.
        """
        from dpbandits.auditing.audit import audit

        return audit(
            self.algorithm,
            epsilon=self.epsilon,
            parameters=self.parameters,
            effort=self.effort,
            seed=self.seed,
            confidence=self.confidence,
        ).data()


@dataclass(frozen=True, kw_only=True)
class PrivacyTable(SealedProduct):
    """The table of all audits of privacy. Algorithms that claim no privacy have a row too.

    The product is made again if a field ``Defines[...]`` changes.

    Attributes
    ----------
    caption
        Caption of the table.
    audits
        Paths of the files of all audits.
    """

    caption: Defines[str]
    audits: Sequence[Path]

    def make(self) -> Sequence[Path]:
        """Put the audits together, and write the table as CSV, Markdown and LaTeX; return no further files."""
        from dpbandits.auditing.table import read
        from dpbandits.core import declarations
        from dpbandits.papers.render import save

        made = declarations.table("privacy").make(None, {"privacy": read(self.audits)})
        save(made, self.caption, list(self.paths.values()))
        return ()


def privacy_products(config: Config) -> Products:
    """Return the audits of privacy, a table and a figure of all; nothing if the configuration asks for no audits.

    Keys are such as ``("audit", "dp-imed", "1")``, ``("privacy_table",)`` and ``("privacy_figure",)``.
    """
    results = config.folders.results
    made: Products = {}
    for audit in jobs.audit_jobs(config):
        made["audit", audit.audited, audit.budget] = Audit(
            files=files_by_suffix(f"{results}/privacy/{audit.audited}/eps={audit.budget}", "json"),
            **jobs.definition(config, audit),
            modules=audit.modules,
            results=results,
        )
    if not made:
        return made
    table = PrivacyTable(
        files=files_by_suffix(f"{results}/privacy", "csv", "md", "tex"),
        caption=config.privacy.caption,
        modules=("dpbandits.auditing.table", registry.module("table", "privacy")),
        results=results,
        products=tuple(made.values()),
        audits=[Path(product.main) for product in made.values()],
    )
    figure = Figure(
        files=files_by_suffix(f"{config.folders.figures}/privacy", "csv", "pdf", "png"),
        configfiles=config.configfiles,
        draw="privacy",
        version="full",
        options={},
        confidence=config.privacy.confidence,
        modules=("dpbandits.papers.render", registry.module("figure", "privacy")),
        results=results,
        products=(table,),
        aggregates=[],
        computed={"privacy": Path(table.main)},
    )
    return made | {("privacy_table",): table, ("privacy_figure",): figure}
