"""The base of all products: files that are made together, from what, and by which sources."""

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
    """Arrays of a cell in a seal: the digest of their job, and the number of runs."""

    job: str
    runs: int


class MadeFrom(TypedDict, total=False):
    """Provenance of a product, as its seal has it.

    Attributes
    ----------
    definition
        `Product.rerun_if_changed`.
    sources
        `Product.sources`.
    identity
        `Product.fingerprint`.
    arrays
        The arrays read, by their folder relative to the product's own.
    products
        The fingerprints of the products read, by the file that is read, relative to the product's own folder.
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
        The files to make, by suffix or name. Others read the first. Their seal is not among them.
    modules
        The modules whose sources make it.
    results
        The folder of results.
    cells, products
        The cells whose runs, and the products whose files, it reads.
    optional
        Whether it is made only on request, because it needs more than the package's own dependencies.
    """

    files: Mapping[str, str]
    modules: tuple[str, ...]
    results: str
    cells: tuple[Cell, ...] = ()
    products: tuple[Product, ...] = ()
    optional: bool = False

    @abstractmethod
    def write(self, made_from: MadeFrom) -> None:
        """Make the files and say in them, or in a seal, what they were made from."""

    @property
    @abstractmethod
    def seal(self) -> str | None:
        """The seal of its files, if they have one."""

    @property
    def rerun_if_changed(self) -> dict[str, Any]:
        """The configuration's part in it: its defining fields by name."""
        defining = [each.name for each in fields(self) if str(each.type).startswith("Defines[")]
        return {name: getattr(self, name) for name in defining}

    @property
    def known_content(self) -> dict[str, Any]:
        """Values that its JSON file must have, by dotted keys, as `dpbandits.core.files.differing` takes them."""
        return {}

    @property
    def title(self) -> str:
        """The kind in words: ``"privacy table"``."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(self).__name__).lower()

    @property
    def inputs(self) -> list[str]:
        """The files that it is made from."""
        arrays = [f"{self.results}/{file}" for cell in self.cells for file in cell.files]
        return [*arrays, *(product.main for product in self.products)]

    @property
    def main(self) -> str:
        """The first of its files: the one that other products read."""
        return next(iter(self.files.values()))

    @property
    def paths(self) -> dict[str, Path]:
        """The files to make, as paths."""
        return {name: Path(file) for name, file in self.files.items()}

    @property
    def outputs(self) -> list[str]:
        """All files that its rule makes."""
        return [*self.files.values(), *([] if self.seal is None else [self.seal])]

    @property
    def sources(self) -> str:
        """The sources that make it, each with its digest."""
        return sources(*self.modules)

    @functools.cached_property
    def fingerprint(self) -> str:
        """The digest of everything that it is made from."""
        needs = [cell.fingerprint for cell in self.cells] + [product.fingerprint for product in self.products]
        return record_digest({"definition": self.rerun_if_changed, "sources": self.sources, "needs": needs})

    @property
    def made_from(self) -> MadeFrom:
        """Its origin, as its seal has it.

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
        """The product as its job takes it, with what it needs and is sealed with."""
        return BuildRequest(
            product=replace(self, products=()),
            made_from=self.made_from,
            needs={product.main: product.fingerprint for product in self.products},
        )


@dataclass(frozen=True, kw_only=True)
class SealedProduct(Product):
    """Files with a seal: a JSON file beside the first, with the digests of all."""

    @abstractmethod
    def make(self) -> Sequence[Path]:
        """Make the files, and return further files to seal."""

    @property
    def seal(self) -> str:
        """The seal of its files."""
        return str(Path(self.main).with_suffix(".json"))

    def write(self, made_from: MadeFrom) -> None:
        """Make the files and seal them."""
        further = self.make()
        seal([*self.paths.values(), *further], made_from)


@dataclass(frozen=True, kw_only=True)
class JsonProduct(Product):
    """One JSON file that is its own seal: it has its content, the content's digest, and its origin."""

    @abstractmethod
    def make(self) -> Mapping[str, object]:
        """Return the content of the file."""

    @property
    def seal(self) -> None:
        """``None``: there is no seal beside the file."""

    @property
    def known_content(self) -> dict[str, Any]:
        """Its definition, by which a file that belongs to another product is recognised."""
        return {"made_from.definition": self.rerun_if_changed}

    def write(self, made_from: MadeFrom) -> None:
        """Make the file, with its origin under ``made_from``."""
        write_json(self.paths["json"], {**self.make(), "made_from": made_from})


@dataclass(frozen=True)
class BuildRequest:
    """A product as its job is handed it.

    Attributes
    ----------
    product
        The product, without the products that it reads.
    made_from
        What is sealed with it.
    needs
        The fingerprint that each sealed file it reads should have.
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


def beside(stem: str, *suffixes: str) -> dict[str, str]:
    """Return files that differ in suffix alone, by suffix.

    Examples
    --------
    >>> beside("results/claims", "csv", "md")
    {'csv': 'results/claims.csv', 'md': 'results/claims.md'}
    """
    return {suffix: f"{stem}.{suffix}" for suffix in suffixes}
