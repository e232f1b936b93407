"""Products: everything made beyond regret arrays, with the files, inputs and sources of each.

A product is remade if its definition or its sources change, or if a file that it reads was made again. The first
two are parameters of its rule. Snakemake sees the third. Its fingerprint is a digest of all three, and so of
everything before it. The seal of a product has the fingerprint. Readers compare it, and so refuse a stale or
exchanged file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpbandits.products import refusals
from dpbandits.products.claims import claim_products
from dpbandits.products.curves import curve_products
from dpbandits.products.exhibits import paper_products
from dpbandits.products.privacy import privacy_products
from dpbandits.products.product import BuildRequest, Deferred, JsonProduct, Product, Products, SealedProduct
from dpbandits.products.publications import optional_products, paper_crates
from dpbandits.products.site import site_products

if TYPE_CHECKING:
    from dpbandits.publish.texts import Texts
    from dpbandits.runs.models import Config
    from dpbandits.runs.plan import Cells

__all__ = ["BuildRequest", "Deferred", "JsonProduct", "Product", "Products", "SealedProduct", "catalogue"]


def catalogue(config: Config, cells: Cells, written: Texts) -> Products:
    """Return all products of a configuration, by kind and name, such as ``("figure", "smith2026", "fig4")``.

    A product is files that are made together, such as a figure's PDF and CSV, with all that they are made from.

    Parameters
    ----------
    config
        A checked configuration.
    cells
        Its cells, by paper and experiment. A cell is runs of one algorithm in one environment at one budget.
    written
        The texts of its papers, such as their claims.

    Raises
    ------
    BadInput
        If a figure or table would show nothing, a title or caption is empty, or the folders of results and figures
        are one.
    """
    refusals.check(config)
    found: Products = {}
    for paper in config.papers:
        found |= paper_products(config, cells, paper)
    found |= privacy_products(config)
    found |= claim_products(config, cells, written.claims, found)
    for paper in config.papers:
        found |= curve_products(config, cells, paper, found)
    found |= site_products(config, cells, written, found)
    return found | optional_products(config, written, found) | paper_crates(config, found)
