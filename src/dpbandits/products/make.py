"""Job of a product: check what it needs, then make and seal it."""

from __future__ import annotations

from pathlib import Path

from dpbandits.core.errors import ChangedSources, needing_workflow, plainly
from dpbandits.core.files import check
from dpbandits.products.product import BuildRequest


def make(request: BuildRequest) -> None:
    """Check the files of other products that a product reads, then make the product and seal it.

    ``request`` has the product, and the fingerprint that each of these files must have in its seal. Arrays are
    checked later, when they are read. An expected error, such as a damaged file or changed sources, ends the
    process with one line for a person.
    """
    with plainly():
        _refuse_edited(request)
        for file, fingerprint in request.needs.items():
            check(Path(file), fingerprint)
        with needing_workflow(f"The {request.product.title}"):
            request.product.write(request.made_from)


def _refuse_edited(request: BuildRequest) -> None:
    """Raise `ChangedSources` if this process has other sources than the plan that is to be sealed."""
    planned, own = request.made_from["sources"], request.product.sources
    if planned != own:
        differing = set(planned.split(", ")) ^ set(own.split(", "))
        raise ChangedSources("this workflow", {name.partition(" ")[0] for name in differing})
