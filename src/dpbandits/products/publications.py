"""Products on request: the certificates, the article, and the crate. They need extras of the package.

The crate is a zip file of a finished run. The ledger is the table of the papers' claims with their verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.core import registry
from dpbandits.core.provenance import package_version
from dpbandits.products.product import Defines, JsonProduct, Product, Products, SealedProduct, files_by_suffix
from dpbandits.products.site import composing_modules
from dpbandits.publish import article as articles
from dpbandits.publish.article import COMPANIONS
from dpbandits.publish.compose import article_content, citation_of, restored

if TYPE_CHECKING:
    from dpbandits.publish.content import CitedPaper
    from dpbandits.publish.texts import Texts
    from dpbandits.runs.models import Config


@dataclass(frozen=True, kw_only=True)
class Certificates(JsonProduct):
    """A JSON file with the outcome of each certificate: a computer-assisted proof of inequalities.

    The proofs are the files ``papers/*/certificates``. (An audit of privacy has a certificate of another kind.)
    """

    def make(self) -> Mapping[str, object]:
        """Run all proofs, and return their outcomes as JSON data, by name, under the key ``certificates``.

        An outcome has ``title``, ``rows`` (the inequalities), ``fault`` (which one was not proved, or ``None``) and
        more. Its ``seconds`` are ``None``, so that equal proofs give equal files.
        """
        from dpbandits.products.certify import certify

        return {"certificates": {outcome.name: {**outcome.data(), "seconds": None} for outcome in certify([])}}


@dataclass(frozen=True, kw_only=True)
class Article(SealedProduct):
    """The article on all results as PDF, and files beside it, such as a letter to the authors of each paper.

    Its job composes it from the saved configuration, texts and results. The product is made again if a field
    ``Defines[...]`` changes.

    Attributes
    ----------
    texts
        Digests of the papers' texts, by the papers' ids, and of what they share, such as ``CITATION.cff``, by name.
        The article is made again if one changes.
    configuration, ledger, privacy_table, certificates
        Paths of the saved configuration, the ledger (the table of claims with verdicts), the table of audits, and
        the outcomes of computer-assisted proofs.
    computed
        Paths of computed tables, by paper and computation.
    figures
        Paths of the PDFs of the figures that it shows, by ``paper/name``.
    """

    texts: Defines[Mapping[str, str]]
    configuration: str
    ledger: str
    privacy_table: str
    certificates: str
    computed: Mapping[str, Mapping[str, str]]
    figures: Mapping[str, str]

    def make(self) -> Sequence[Path]:
        """Typeset the article, and write the files beside it; return no further files."""
        from dpbandits.publish.article.build import build

        content = article_content(restored(Path(self.configuration), self.texts), list(self.figures))
        tables = self.ledger, self.privacy_table, self.certificates, self.computed
        build(content, *tables, self.results, self.figures, self.paths)
        return ()


@dataclass(frozen=True, kw_only=True)
class Crate(SealedProduct):
    """A zip file of the finished run, or of one paper's part of it, with the metadata of RO-Crate.

    The product is made again if a field ``Defines[...]`` changes.

    Attributes
    ----------
    ledger, figures
        Path of the ledger (the table of claims with verdicts), and path of the folder of figures.
    version
        Version of the package.
    papers
        Title, authors and year of each paper, by the paper's id.
    files_to_pack
        Paths of the files to pack; those that do not exist, arrays, and pages of the site are left out.
    """

    ledger: str
    version: Defines[str]
    papers: Defines[Mapping[str, CitedPaper]]
    files_to_pack: Sequence[str]
    figures: str

    def make(self) -> Sequence[Path]:
        """Pack the finished run into the zip file; return no further files."""
        from dpbandits.publish.crate.build import build

        build(
            *(self.version, self.papers, self.files_to_pack, self.results, self.figures, ".", self.ledger),
            self.paths["zip"],
        )
        return ()


def optional_products(config: Config, written: Texts, earlier: Products) -> Products:
    """Return three products that are made only on request: certificates, article and crate.

    Certificates are computer-assisted proofs, and the crate is a zip file of the run. Without claims or without
    audits in the configuration there are none. Keys are ``("certificates",)``, ``("article",)`` and ``("crate",)``.

    Parameters
    ----------
    config, written, earlier
        The checked configuration, the texts of its papers, and the products before these, by kind and name.
    """
    if ("ledger",) not in earlier or ("privacy_table",) not in earlier:
        return {}
    results = config.folders.results
    certificates = Certificates(
        files=files_by_suffix(f"{results}/article/certificates", "json"),
        modules=("dpbandits.papers.exact_inequalities", *registry.modules("certificate").values()),
        results=results,
        optional=True,
    )
    shown = {
        f"{paper}/{name}": earlier["figure", paper, name]
        for paper, own in written.words.items()
        for name in own.article.figures
        if ("figure", paper, name) in earlier
    }
    read = {
        paper: {name: earlier["computation", paper, name] for name in own.article.computations}
        for paper, own in written.words.items()
    }
    saved, ledger, privacy = earlier["configuration",], earlier["ledger",], earlier["privacy_table",]
    folder = f"{results}/article"
    article = Article(
        files={
            **files_by_suffix(f"{folder}/article", "pdf", "typ"),
            **{name: f"{folder}/{file}" for name, file in COMPANIONS.items()},
            **{paper: f"{folder}/letters/{paper}.md" for paper in config.papers},
        },
        texts=written.digests,
        modules=(
            "dpbandits.publish.article.build",
            *articles.packages().values(),
            *composing_modules(earlier),
        ),
        results=results,
        products=(
            saved,
            ledger,
            privacy,
            certificates,
            *(each for own in read.values() for each in own.values()),
            *shown.values(),
        ),
        configuration=saved.main,
        ledger=ledger.main,
        privacy_table=privacy.main,
        certificates=certificates.main,
        computed={paper: {name: product.main for name, product in own.items()} for paper, own in read.items()},
        figures={name: product.files["pdf"] for name, product in shown.items()},
        optional=True,
    )
    # The crate holds what is finished; a run without its article is finished too.
    crate = _crate(config, earlier, ledger, config.papers, [*certificates.outputs, *article.outputs])
    return {("certificates",): certificates, ("article",): article, ("crate",): crate}


def paper_crates(config: Config, earlier: Products) -> Products:
    """Return a crate for each paper that has claims: a zip file of this paper's part of the run.

    Keys are ``("paper_crate", paper)``. ``earlier`` has the products before these, by kind and name, such as
    ``("paper_ledger", paper)``.
    """
    made: Products = {}
    for paper in config.papers:
        if ("paper_ledger", paper) in earlier:
            own = {key: each for key, each in earlier.items() if key[1:2] == (paper,) and key[0] != "audit"}
            own[("configuration",)] = earlier[("configuration",)]
            made["paper_crate", paper] = _crate(config, own, earlier["paper_ledger", paper], [paper], [])
    return made


def _crate(
    config: Config, packed: Products, ledger: Product, papers: Iterable[str], further: Sequence[str]
) -> Crate:
    """Return the crate that packs the files of finished products, their ledger and further files.

    Parameters
    ----------
    config
        The checked configuration.
    packed, ledger
        Products whose files are packed if they are finished, and the ledger, which is packed in any case.
    papers
        Ids of the papers.
    further
        Further files.
    """
    finished = tuple(product for product in packed.values() if not product.optional or product is ledger)
    return Crate(
        files={"zip": str(Path(ledger.main).with_name("crate.zip"))},
        ledger=ledger.main,
        version=package_version(),
        papers={paper: citation_of(config.papers[paper]) for paper in papers},
        modules=("dpbandits.publish.crate.build",),
        results=config.folders.results,
        products=finished,
        files_to_pack=[*(file for product in finished for file in product.outputs), *further],
        figures=config.folders.figures,
        optional=True,
    )
