"""The base of all products: files that are made together, with their inputs and sources.

A seal is a JSON file beside a product's files: their digests, and what they were made from. A cell is runs of one
algorithm in one environment at one budget, which its job defines.
"""

from __future__ import annotations

import functools
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict, TypeVar

from dpbandits.core.files import seal, write_json
from dpbandits.core.provenance import record_digest, sources

if TYPE_CHECKING:
    from dpbandits.runs.plan import Cell


T = TypeVar("T")
# A field that defines its product: if it changes, the product is made again.
Defines = Annotated[T, "defines"]


class ArraysRead(TypedDict):
    """Regret arrays that a product was made from: the digest of the job that made them, and their number of runs.

    They are those of one cell: runs of one algorithm in one environment at one budget.
    """

    job: str
    runs: int


class MadeFrom(TypedDict, total=False):
    """Provenance of a product, as its seal records it: the JSON file beside its files.

    Attributes
    ----------
    definition
        Fields that define the product, by name.
    sources
        The sources that make the product, each with its digest: ``core.errors 1f2e3d4c, core.files 5a6b7c8d``.
    identity
        Fingerprint of the product: a digest of everything that it is made from.
    arrays
        The arrays that it was made from, by their folder, relative to the product's own.
    products
        Fingerprints of the products that it was made from, by path of the file that was read, relative to the
        product's own folder.
    """

    definition: Mapping[str, object]
    sources: str
    identity: str
    arrays: Mapping[str, ArraysRead]
    products: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Product(ABC):
    """Files that are made together, such as a figure's PDF and CSV, with all that they are made from.

    Each kind of product is a subclass that makes its files. If a field of type ``Defines[...]`` changes, they are
    made again: these fields are the configuration's part in the product, as JSON data. Other fields cause no rerun,
    because they follow from these and from the files that are read.

    Attributes
    ----------
    files
        Paths of the files to make, by suffix or name. Other products read the first one. The seal (the JSON file
        with digests and provenance) is not among them.
    modules
        Dotted names of the modules that make it. If their sources change, or those of modules of this package that
        they import, it is made again.
    results
        Path of the results folder.
    cells
        Cells whose runs it reads. A cell is runs of one algorithm in one environment at one budget.
    products
        Products whose files it reads.
    optional
        Whether it is made only on request. It needs an optional dependency then, or it is of one paper where
        another product is of all papers.
    """

    files: Mapping[str, str]
    modules: tuple[str, ...]
    results: str
    cells: tuple[Cell, ...] = ()
    products: tuple[Product, ...] = ()
    optional: bool = False

    @abstractmethod
    def write(self, made_from: MadeFrom) -> None:
        """Make the files, and record ``made_from``, the provenance, in them or in a seal."""

    @property
    @abstractmethod
    def seal(self) -> str | None:
        """Path of the seal: the JSON file with digests of the files and their provenance.

        It is ``None`` for a product of one JSON file that has its digest and provenance in it.
        """

    @property
    def rerun_if_changed(self) -> dict[str, Any]:
        """The fields that define the product, by name; if one changes, the product is made again."""
        defining = [each.name for each in fields(self) if str(each.type).startswith("Defines[")]
        return {name: getattr(self, name) for name in defining}

    @property
    def known_content(self) -> dict[str, Any]:
        """Values that the product's JSON file must have, by dotted keys such as ``made_from.definition``.

        Empty for a product that is no JSON file.
        """
        return {}

    @property
    def title(self) -> str:
        """The kind of product in words, from the class's name: ``"privacy table"`` for ``PrivacyTable``."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(self).__name__).lower()

    @property
    def inputs(self) -> list[str]:
        """Paths of the files that the product is made from: arrays of its cells, and main files of its products."""
        arrays = [f"{self.results}/{file}" for cell in self.cells for file in cell.files]
        return [*arrays, *(product.main for product in self.products)]

    @property
    def main(self) -> str:
        """Path of the product's first file, the one that other products read."""
        return next(iter(self.files.values()))

    @property
    def paths(self) -> dict[str, Path]:
        """The files to make, as paths by suffix or name."""
        return {name: Path(file) for name, file in self.files.items()}

    @property
    def outputs(self) -> list[str]:
        """Paths of all files that the product's job makes: its files, and the seal if it has one beside them."""
        return [*self.files.values(), *([] if self.seal is None else [self.seal])]

    @property
    def sources(self) -> str:
        """The sources that make the product, each with its digest: ``core.errors 1f2e3d4c, ...``."""
        return sources(*self.modules)

    @functools.cached_property
    def fingerprint(self) -> str:
        """The digest of all that the product is made from: definition, sources, and fingerprints of its inputs."""
        needs = [cell.fingerprint for cell in self.cells] + [product.fingerprint for product in self.products]
        return record_digest({"definition": self.rerun_if_changed, "sources": self.sources, "needs": needs})

    @property
    def made_from(self) -> MadeFrom:
        """The product's provenance, as its seal records it.

        Arrays are named by folder and number of runs, because names of files depend on how runs are grouped in
        jobs.
        """
        here = Path(self.main).parent
        return {
            "definition": self.rerun_if_changed,
            "sources": self.sources,
            "identity": self.fingerprint,
            "arrays": {
                os.path.relpath(Path(self.results, cell.files[0]).parent, here): {
                    "job": record_digest(cell.job.definition),
                    "runs": cell.runs,
                }
                for cell in self.cells
            },
            "products": {os.path.relpath(product.main, here): product.fingerprint for product in self.products},
        }

    @property
    def request(self) -> BuildRequest:
        """The request for the job that makes this product: with its provenance, and fingerprints to check."""
        return BuildRequest(
            product=replace(self, products=()),
            made_from=self.made_from,
            needs={product.main: product.fingerprint for product in self.products},
        )


@dataclass(frozen=True, kw_only=True)
class SealedProduct(Product):
    """A product of one or more files with a seal: a JSON file beside the first of them, with the digests of all."""

    @abstractmethod
    def make(self) -> Sequence[Path]:
        """Make ``files``, and return paths of further files that were made, to be sealed with them."""

    @property
    def seal(self) -> str:
        """Path of the seal: that of the first file, with the suffix ``.json``."""
        return str(Path(self.main).with_suffix(".json"))

    def write(self, made_from: MadeFrom) -> None:
        """Make the files, and write the seal with their digests and ``made_from``, the provenance."""
        further = self.make()
        seal([*self.paths.values(), *further], made_from)


@dataclass(frozen=True, kw_only=True)
class JsonProduct(Product):
    """A product that is one JSON file; it needs no seal, as it has its content's digest and provenance in it."""

    @abstractmethod
    def make(self) -> Mapping[str, object]:
        """Return the content of the file."""

    @property
    def seal(self) -> None:
        """``None``: digest and provenance are in the file itself."""

    @property
    def known_content(self) -> dict[str, Any]:
        """The product's definition, which its file must have: so a file of another product is recognised."""
        return {"made_from.definition": self.rerun_if_changed}

    def write(self, made_from: MadeFrom) -> None:
        """Make the file, with the provenance under the key ``made_from``."""
        write_json(self.paths["json"], {**self.make(), "made_from": made_from})


@dataclass(frozen=True)
class BuildRequest:
    """A product to make, as it is handed to the job that makes it.

    Attributes
    ----------
    product
        The product, without the products that it reads.
    made_from
        Provenance that the seal records.
    needs
        Fingerprints (digests of all that they are made from) that the products it reads must have, by path of their
        main file. Cells are not among them.
    """

    product: Product
    made_from: MadeFrom
    needs: Mapping[str, str]


class Deferred:
    """A product that becomes its `BuildRequest` only when it is pickled for its job.

    Requests take time to make, and most jobs of a plan do not run.
    """

    def __init__(self, product: Product) -> None:
        self.product = product

    def __reduce__(self) -> tuple[type[BuildRequest], tuple[object, ...]]:
        request = self.product.request
        return BuildRequest, (request.product, request.made_from, request.needs)


Products = dict[tuple[str, ...], Product]


def files_by_suffix(stem: str, *suffixes: str) -> dict[str, str]:
    """Return paths that differ in suffix alone, by suffix.

    Examples
    --------
    >>> files_by_suffix("results/claims", "csv", "md")
    {'csv': 'results/claims.csv', 'md': 'results/claims.md'}
    """
    return {suffix: f"{stem}.{suffix}" for suffix in suffixes}
