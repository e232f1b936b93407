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
    """Arrays of a cell, as a seal names them: by the digest of their job, and the number of runs."""

    job: str
    runs: int


class MadeFrom(TypedDict, total=False):
    """Provenance of a product, as its seal records it.

    Attributes
    ----------
    definition
        Fields that define the product, by name.
    sources
        The sources that make the product, each with its digest: ``core.errors 1f2e3d4c, core.files 5a6b7c8d``.
    identity
        Fingerprint of the product: a digest of everything that it is made from.
    arrays
        The arrays read, by their folder relative to the product's own.
    products
        Fingerprints of the products read, by path of the file that is read, relative to the product's own folder.
    """

    definition: Mapping[str, object]
    sources: str
    identity: str
    arrays: Mapping[str, ArraysRead]
    products: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Product(ABC):
    """Files that are made together.

    A kind of product is a subclass that makes them. Its fields of type ``Defines[...]`` are the configuration's
    part in it, as JSON data. Its other fields cause no rerun: they follow from these and from the files read.

    Attributes
    ----------
    files
        Paths of the files to make, by suffix or name. Other products read the first. A seal is not among them.
    modules
        Dotted names of the modules whose sources, with all that they import from this package, make it.
    results
        Path of the results folder.
    cells, products
        Cells whose runs it reads, and products whose files it reads.
    optional
        Whether it is made only on request: it needs an extra of the package, or is one paper's part of a product
        that there is of all papers.
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
        """Path of the seal of the product's files; ``None`` for a file that is its own seal."""

    @property
    def rerun_if_changed(self) -> dict[str, Any]:
        """The fields that define the product, by name; if one changes, the product is made again."""
        defining = [each.name for each in fields(self) if str(each.type).startswith("Defines[")]
        return {name: getattr(self, name) for name in defining}

    @property
    def known_content(self) -> dict[str, Any]:
        """Values that the product's JSON file must have, by keys such as ``made_from.definition``; else empty."""
        return {}

    @property
    def title(self) -> str:
        """The kind of product in words, such as ``"privacy table"``."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(self).__name__).lower()

    @property
    def inputs(self) -> list[str]:
        """Paths of the files that the product is made from: arrays of its cells, the main files of products."""
        arrays = [f"{self.results}/{file}" for cell in self.cells for file in cell.files]
        return [*arrays, *(product.main for product in self.products)]

    @property
    def main(self) -> str:
        """Path of the first file, which other products read."""
        return next(iter(self.files.values()))

    @property
    def paths(self) -> dict[str, Path]:
        """The files to make, as paths by suffix or name."""
        return {name: Path(file) for name, file in self.files.items()}

    @property
    def outputs(self) -> list[str]:
        """Paths of all files that the product's rule makes, with the seal."""
        return [*self.files.values(), *([] if self.seal is None else [self.seal])]

    @property
    def sources(self) -> str:
        """The sources that make the product, each with its digest: ``core.errors 1f2e3d4c, ...``."""
        return sources(*self.modules)

    @functools.cached_property
    def fingerprint(self) -> str:
        """The digest of everything that the product is made from: definition, sources and inputs."""
        needs = [cell.fingerprint for cell in self.cells] + [product.fingerprint for product in self.products]
        return record_digest({"definition": self.rerun_if_changed, "sources": self.sources, "needs": needs})

    @property
    def made_from(self) -> MadeFrom:
        """The product's provenance, as its seal records it.

        Arrays are named by folder and number of runs. The names of their files depend on how runs are grouped.
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
        """The request that this product's job gets, with provenance and fingerprints of the products to read."""
        return BuildRequest(
            product=replace(self, products=()),
            made_from=self.made_from,
            needs={product.main: product.fingerprint for product in self.products},
        )


@dataclass(frozen=True, kw_only=True)
class SealedProduct(Product):
    """A product of several files with a seal: a JSON file, beside the first of them, with the digests of all."""

    @abstractmethod
    def make(self) -> Sequence[Path]:
        """Make ``files``, and return paths of other files that were made too, which are to be sealed with them."""

    @property
    def seal(self) -> str:
        """Path of the seal: that of the first file, with the suffix ``.json``."""
        return str(Path(self.main).with_suffix(".json"))

    def write(self, made_from: MadeFrom) -> None:
        """Make the files and seal them."""
        further = self.make()
        seal([*self.paths.values(), *further], made_from)


@dataclass(frozen=True, kw_only=True)
class JsonProduct(Product):
    """A product that is one JSON file and its own seal: with content, the content's digest, and provenance."""

    @abstractmethod
    def make(self) -> Mapping[str, object]:
        """Return the content of the file."""

    @property
    def seal(self) -> None:
        """``None``: there is no seal beside the file."""

    @property
    def known_content(self) -> dict[str, Any]:
        """The product's definition, by which a file that belongs to another product is recognised."""
        return {"made_from.definition": self.rerun_if_changed}

    def write(self, made_from: MadeFrom) -> None:
        """Make the file, with ``made_from`` under the key of this name."""
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
        Expected fingerprints of the products that it reads, by path of their main file; cells are not among them.
    """

    product: Product
    made_from: MadeFrom
    needs: Mapping[str, str]


class Deferred:
    """A product whose `BuildRequest` is made when it is pickled for its job: most jobs of a plan do not run."""

    def __init__(self, product: Product) -> None:
        self.product = product

    def __reduce__(self) -> tuple[type[BuildRequest], tuple[object, ...]]:
        request = self.product.request
        return BuildRequest, (request.product, request.made_from, request.needs)


Products = dict[tuple[str, ...], Product]


def files_by_suffix(stem: str, *suffixes: str) -> dict[str, str]:
    """Return files that differ in suffix alone, by suffix.

    Examples
    --------
    >>> files_by_suffix("results/claims", "csv", "md")
    {'csv': 'results/claims.csv', 'md': 'results/claims.md'}
    """
    return {suffix: f"{stem}.{suffix}" for suffix in suffixes}
