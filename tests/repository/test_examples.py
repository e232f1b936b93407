"""Examples in docstrings say what Python says."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from dpbandits import calls
from dpbandits.claims import expressions, sentences
from dpbandits.claims.kinds import _tables
from dpbandits.core import errors, escapes, files, labels, numbers, verdicts
from dpbandits.integrity import compare
from dpbandits.notebook import catalogue, described
from dpbandits.papers import style
from dpbandits.policies import make
from dpbandits.products import product
from dpbandits.publish import algorithms, spoken
from dpbandits.publish.article import to_typst
from dpbandits.publish.html import pages, to_html
from dpbandits.runs import aggregate, words

EXAMPLES: list[ModuleType] = [
    *(_tables, aggregate, algorithms, calls, catalogue, compare, described, errors, escapes, expressions, files),
    *(labels, make, numbers, pages, product, sentences, spoken, style, to_html, to_typst, verdicts, words),
]


@pytest.mark.parametrize("module", EXAMPLES, ids=lambda module: module.__name__)
def test_examples(module: ModuleType) -> None:
    """All of them, and there are some."""
    found = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 0 and not found.failed
