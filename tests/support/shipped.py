"""The shipped configuration, with what hangs on it: each is made once a process, and no test changes it."""

from __future__ import annotations

import functools
from pathlib import Path

from dpbandits import products
from dpbandits.claims.claim import Claims
from dpbandits.products import Products
from dpbandits.publish import texts
from dpbandits.publish.compose import Settled
from dpbandits.publish.texts import Texts
from dpbandits.runs import config, plan
from dpbandits.runs.models import Config
from dpbandits.runs.plan import Cells

FOLDER = Path(__file__).parents[2] / "config"


@functools.cache
def configuration() -> Config:
    """Return the configuration of the full scale."""
    return config.load(config.shipped(FOLDER))


@functools.cache
def written() -> Texts:
    """Return the texts of each paper."""
    return texts.load(configuration())


def claims() -> Claims:
    """Return the claims of each paper."""
    return written().claims


@functools.cache
def cells() -> Cells:
    """Return the cells of each experiment."""
    return plan.all_cells(configuration())


def settled() -> Settled:
    """Return the configuration with its cells and texts."""
    return Settled(configuration(), cells(), written())


@functools.cache
def catalogue() -> Products:
    """Return all products."""
    return products.catalogue(*settled())
