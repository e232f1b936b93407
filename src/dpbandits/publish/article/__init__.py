"""The article: what was found, typeset from results, and what journals and the papers' authors are given.

A paper's part lies in the package ``papers/<paper>/article``. In its ``templates/`` is the ``chapter``. There
may be sentences of the ``abstract``, a ``section``, an ``appendix``, and ``references.bib``. Its function
``facts``, if there is one, returns what templates read of the computations that ``paper.yaml`` names.
"""

import functools

from dpbandits.core.imported import PACKAGE
from dpbandits.core.provenance import ROOT

# Files beside the article, by the template that makes each; letters have one file a paper.
COMPANIONS = {"artefact": "artefact.md", "checklist": "checklist.md", "metadata": "metadata.yaml"}


@functools.cache
def packages() -> dict[str, str]:
    """Return the name of the package with each paper's part of the article, by the paper's id.

    It is ``dpbandits.papers.ID.article``. A paper without such a part is missing.
    """
    folders = sorted(ROOT.glob("papers/*/article/__init__.py"))
    return {file.parents[1].name: f"{PACKAGE}.papers.{file.parents[1].name}.article" for file in folders}
